//! Guards: branches to errors and to undefined behaviour, so that every engine and the certifier see them.
//!
//! What is undefined is an error where that is asked for ([`Check`]). Where it is not, a proof that a program has no error has to show that
//! no guard is violated either: a run that meets undefined behaviour has no verdict. Signed arithmetic that overflows wraps around where nobody
//! asks. Accesses to memory have no guards here; the machine notices those outside of every object, and what a proof
//! assumes about them is printed with it.

use clinch_ir::Span;
use clinch_ir::cfa::{Check, DYNAMIC_BASE, Failure, ObjectKind, Op};
use clinch_terms::{Node, Term};

use super::super::hir::{BinaryOp, Expr};
use super::super::points_to::{Home, Observation, addresses, is_element_of_record, length_of_part};
use super::super::types::TypeId;
use super::Lowering;
use super::place::Purpose;
use crate::c::models::MODEL_FILES;

/// What a run stops with that sees where objects are.
const SEEN: &str = "depends on where objects are in memory";

impl Lowering<'_> {
    /// The run ends with an error that the program names, if that counts.
    pub(super) fn fail(&mut self, text: String, span: Span) {
        let failure = self.assertion_failure(text);
        self.body.stop(failure, span);
    }

    /// What ends a run at an error that the program names.
    pub(super) fn assertion_failure(&self, text: String) -> Op {
        let counts = self.options.checks.contains(Check::Assertion);
        if counts { Op::Error(Failure::assertion(text)) } else { Op::Abort }
    }

    /// Whether an error counts: one that is asked for, and not in our own model of the C library.
    pub(super) fn counts(&self, check: Check, span: Span) -> bool {
        self.options.checks.contains(check) && !self.source.place(span).file.starts_with(MODEL_FILES)
    }

    /// Goes on only where a condition holds; elsewhere there is an error, if it counts, and no verdict otherwise.
    pub(super) fn check(&mut self, check: Check, condition: Term, otherwise: &str, span: Span) {
        if !self.counts(check, span) {
            return self.require(condition, &format!("a {otherwise}"), span);
        }
        let text = format!("{otherwise}: {}", self.source.excerpt(span));
        self.guard(condition, Op::Error(Failure { check, text }), span);
    }

    /// Goes on only where a condition holds; elsewhere the behaviour is undefined.
    pub(super) fn require(&mut self, condition: Term, otherwise: &str, span: Span) {
        self.guard(condition, Op::Undefined(otherwise.to_owned()), span);
    }

    /// Goes on only where a condition holds; elsewhere the run ends with the operation.
    pub(super) fn guard(&mut self, condition: Term, otherwise: Op, span: Span) {
        if matches!(self.terms.node(condition), Node::Bool(true)) {
            return;
        }
        let (good, bad) = (self.body.fresh(), self.body.fresh());
        self.branch_on(condition, good, bad, span);
        self.body.at(bad);
        self.body.stop(otherwise, span);
        self.body.at(good);
    }

    /// What an operation on integers of a type must not be given.
    pub(super) fn guard_operands(&mut self, op: BinaryOp, ty: TypeId, (a, b): (Term, Term), span: Span) {
        match op {
            BinaryOp::Div | BinaryOp::Rem => self.guard_division(ty, (a, b), span),
            BinaryOp::Shl | BinaryOp::Shr => self.guard_shift(ty, b, span),
            _ => {}
        }
        self.guard_overflow(op, ty, (a, b), span);
    }

    fn guard_division(&mut self, ty: TypeId, (a, b): (Term, Term), span: Span) {
        let divisor_is_fine = self.nonzero(b);
        self.check(Check::Division, divisor_is_fine, "division by zero", span);
        if self.mathematical() || !self.hir.types.is_signed(ty) {
            return;
        }
        let bits = self.bits(ty);
        let (least, minus_one) = (self.number(bits, -1 << (bits - 1)), self.number(bits, -1));
        let (is_least, is_minus_one) = (self.equal(a, least), self.equal(b, minus_one));
        let overflow = self.terms.and(is_least, is_minus_one);
        let fits = self.not(overflow);
        self.check(Check::Overflow, fits, "signed overflow", span);
    }

    /// The distance is less than the width of what is shifted, and not negative.
    fn guard_shift(&mut self, ty: TypeId, distance: Term, span: Span) {
        let width = self.bits(ty);
        let what = "shift by a negative number, or by the width of the type or more";
        if self.mathematical() {
            let (zero, width) = (self.number(64, 0), self.number(64, i128::from(width)));
            let not_negative = self.compare(BinaryOp::Le, true, zero, distance);
            self.check(Check::ShiftCount, not_negative, what, span);
            let small = self.compare(BinaryOp::Lt, true, distance, width);
            return self.check(Check::ShiftCount, small, what, span);
        }
        let limit = self.terms.bv_width(distance);
        let limit = self.number(limit, i128::from(width));
        let small = self.compare(BinaryOp::Lt, false, distance, limit);
        self.check(Check::ShiftCount, small, what, span);
    }

    /// Stops where an operation sees more of an address than C says (see `points_to/observe`).
    pub(super) fn guard_observation(&mut self, key: usize, x: Term, y: Option<Term>, span: Span) {
        let y = y.unwrap_or(x);
        match self.points.observation(key) {
            None => {}
            Some(Observation::Bits { left, right }) => {
                for (term, home) in [(x, left), (y, right)] {
                    if let Some(home) = home {
                        let plain = self.is_no_address(term, home);
                        self.guard(plain, Op::Unsupported(SEEN.to_owned()), span);
                    }
                }
            }
            Some(Observation::Number { left, home }) => {
                let (address, number) = if left { (x, y) } else { (y, x) };
                let (plain, far) = (self.is_no_address(address, home), self.is_never_an_address(number));
                let plain = self.terms.or(plain, far);
                self.guard(plain, Op::Unsupported(SEEN.to_owned()), span);
            }
            Some(Observation::DifferentObjects) => {
                let (x_is_plain, y_is_plain) =
                    (self.is_no_address(x, Home::Dynamic), self.is_no_address(y, Home::Dynamic));
                let plain = self.terms.or(x_is_plain, y_is_plain);
                let what = "the order or distance of different objects in memory";
                self.guard(plain, Op::Unsupported(what.to_owned()), span);
            }
            Some(Observation::SeveralObjects) => self.body.emit(Op::SameObject(x, y), span),
            Some(Observation::Identity { literals, adjacent, reused }) => {
                self.guard_identity(x, y, (literals, adjacent, reused), span);
            }
        }
    }

    /// Stops where two addresses differ here, but may be the same elsewhere.
    fn guard_identity(&mut self, x: Term, y: Term, (literals, adjacent, reused): (bool, bool, bool), span: Span) {
        let equal = self.terms.eq(x, y);
        if literals {
            let (first, second) = (self.is_in_literals(x), self.is_in_literals(y));
            let both = self.terms.and(first, second);
            let (not_both, same) = (self.not(both), self.is_in_one_literal(x, y));
            let plain = self.terms.any([equal, not_both, same]);
            self.guard(plain, Op::Unsupported("whether two string literals are one object".to_owned()), span);
        }
        if adjacent || reused {
            let (first, second) = (self.is_no_address(x, Home::Dynamic), self.is_no_address(y, Home::Dynamic));
            let plain = self.terms.any([equal, first, second]);
            let what = match adjacent {
                true => "whether two objects are next to each other",
                false => "whether a block has the address of one that is no more",
            };
            self.guard(plain, Op::Unsupported(what.to_owned()), span);
        }
    }

    /// The literals, from the first address to behind the last one of each.
    fn literals(&self) -> Vec<(u64, u64)> {
        let literals = self.objects.iter().filter(|o| o.kind == ObjectKind::Literal);
        literals.map(|o| (o.address, o.address + o.size)).collect()
    }

    /// Whether an address is one of a literal: they are laid out one after the other.
    fn is_in_literals(&mut self, address: Term) -> Term {
        let literals = self.literals();
        let (first, last) = (literals.first().map_or(0, |l| l.0), literals.last().map_or(0, |l| l.1));
        self.is_between(address, first, last)
    }

    /// Whether two addresses belong to the same literal, as far as there are few enough to say so.
    fn is_in_one_literal(&mut self, x: Term, y: Term) -> Term {
        const FEW: usize = 512;
        let mut any = self.terms.ff();
        for (first, end) in self.literals().into_iter().take(FEW) {
            let (one, other) = (self.is_between(x, first, end), self.is_between(y, first, end));
            let both = self.terms.and(one, other);
            any = self.terms.or(any, both);
        }
        any
    }

    fn is_between(&mut self, address: Term, first: u64, end: u64) -> Term {
        let (first, end) = (self.address(first), self.address(end));
        let above = self.compare(BinaryOp::Le, false, first, address);
        let below = self.compare(BinaryOp::Lt, false, address, end);
        self.terms.and(above, below)
    }

    /// Whether a number cannot be an address of an object, nor one that was moved a little.
    fn is_no_address(&mut self, term: Term, home: Home) -> Term {
        let (low, high) = match home {
            Home::Fixed => self.fixed_addresses(),
            // Blocks beyond are not met without one below.
            Home::Dynamic if self.pointer_bits() == 64 => (DYNAMIC_BASE.min(self.fixed_addresses().0), 1 << 33),
            Home::Dynamic => (DYNAMIC_BASE.min(self.fixed_addresses().0), addresses(self.hir.types.model).1),
        };
        self.is_beyond(term, low, high)
    }

    /// Whether a number is no address, wherever objects are.
    fn is_never_an_address(&mut self, term: Term) -> Term {
        let (low, high) = addresses(self.hir.types.model);
        self.is_beyond(term, low, high)
    }

    fn is_beyond(&mut self, term: Term, low: u64, high: u64) -> Term {
        let width = if self.mathematical() { 64 } else { self.terms.bv_width(term) };
        let (low, high) = (self.number(width, low.into()), self.number(width, high.into()));
        let below = self.compare(BinaryOp::Lt, false, term, low);
        let above = self.compare(BinaryOp::Le, false, high, term);
        self.terms.or(below, above)
    }

    /// The index of an array that is part of an object is one of its elements: where regions rely on it, and where an access counts that
    /// leaves the array.
    pub(super) fn guard_index(&mut self, e: &Expr, index: Term, purpose: Purpose) {
        let counts = self.counts(Check::Member, e.span);
        let accessed = if counts && purpose == Purpose::Access { length_of_part(self.hir, e) } else { None };
        let Some(length) = self.points.checked_index(e).or(accessed.map(Some)) else { return };
        let condition = self.is_index(index, length);
        let around = if is_element_of_record(self.hir, e) { "a record" } else { "another array" };
        let what = format!("index outside of an array in {around}");
        match counts {
            true => self.check(Check::Member, condition, &what, e.span),
            false => self.require(condition, &format!("an {what}"), e.span),
        }
    }

    /// Whether a number is an index of an array of some length, or of any.
    fn is_index(&mut self, index: Term, length: Option<i64>) -> Term {
        let zero = self.address(0);
        let Some(length) = length else { return self.compare(BinaryOp::Le, true, zero, index) };
        let length = self.address(length.unsigned_abs());
        if !self.mathematical() {
            return self.compare(BinaryOp::Lt, false, index, length);
        }
        let low = self.compare(BinaryOp::Le, true, zero, index);
        let high = self.compare(BinaryOp::Lt, true, index, length);
        self.terms.and(low, high)
    }
}
