//! Numbers that do not fit their type, after arithmetic or a conversion: an error where that is asked for.

use clinch_ir::Span;
use clinch_ir::cfa::Check;
use clinch_terms::{BinOp, Node, Term};

use super::super::hir::{BinaryOp, Expr, ExprKind, UnaryOp};
use super::super::types::{Type, TypeId};
use super::Lowering;

impl Lowering<'_> {
    /// Whether overflow of an operation on a type counts.
    fn counts_overflow(&self, op: BinaryOp, ty: TypeId, span: Span) -> bool {
        self.has_limits(ty) && self.hir.types.is_signed(ty) && self.counts(overflow_of(op), span)
    }

    /// Whether it counts that an operation on a type wraps around.
    fn counts_wrap(&self, ty: TypeId, span: Span) -> bool {
        let is_unsigned = self.hir.types.is_integer(ty) && !self.hir.types.is_signed(ty);
        is_unsigned && self.has_limits(ty) && self.counts(Check::Wrap, span)
    }

    /// Whether it counts that a conversion changes a number. One that is written is meant.
    fn counts_conversion(&self, a: &Expr, e: &Expr) -> bool {
        let is_written = a.span != e.span;
        !is_written && self.counts_change(a.ty, e.ty, e.span)
    }

    /// Whether it counts that numbers change where they get another type.
    fn counts_change(&self, from: TypeId, to: TypeId, span: Span) -> bool {
        let types = &self.hir.types;
        let are_limited = [from, to].iter().all(|&ty| types.is_integer(ty) && self.has_limits(ty));
        are_limited && !matches!(types.get(to), Type::Bool) && self.counts(Check::Conversion, span)
    }

    /// Whether numbers of a type are integers that may be too large for it.
    fn has_limits(&self, ty: TypeId) -> bool {
        !self.is_float(ty) && !self.is_int128(ty) && !self.mathematical()
    }

    /// Whether an expression is one that a guard of this file stands at.
    pub(super) fn may_overflow(&self, e: &Expr) -> bool {
        use BinaryOp::{Add, Mul, Shl, Sub};
        match e.kind {
            ExprKind::Unary(UnaryOp::Neg, _) => {
                self.counts_overflow(Sub, e.ty, e.span) || self.counts_wrap(e.ty, e.span)
            }
            ExprKind::Binary(Shl, ..) => self.counts_overflow(Shl, e.ty, e.span),
            ExprKind::Binary(op @ (Add | Sub | Mul), ..) => {
                self.counts_overflow(op, e.ty, e.span) || self.counts_wrap(e.ty, e.span)
            }
            ExprKind::Convert(ref a) => self.counts_conversion(a, e),
            _ => false,
        }
    }

    /// A conversion that nobody wrote leaves a number as it is.
    pub(super) fn guard_conversion(&mut self, a: &Expr, e: &Expr, value: Term, converted: Term) {
        if self.counts_conversion(a, e) {
            self.guard_change((a.ty, value), (e.ty, converted), e.span);
        }
    }

    /// A number that gets another type is what it was.
    pub(super) fn guard_change(&mut self, (from, value): (TypeId, Term), (to, converted): (TypeId, Term), span: Span) {
        if !self.counts_change(from, to, span) || self.is_constant(value) {
            return;
        }
        let wide = self.bits(from).max(self.bits(to)) + 1;
        let (before, after) = (self.hir.types.is_signed(from), self.hir.types.is_signed(to));
        let (before, after) = (self.terms.resize(before, wide, value), self.terms.resize(after, wide, converted));
        let same = self.terms.eq(before, after);
        self.check(Check::Conversion, same, "a conversion changes the value", span);
    }

    /// The result of an operation on unsigned integers fits their type.
    fn guard_wrap(&mut self, op: BinaryOp, ty: TypeId, (a, b): (Term, Term), span: Span) {
        if !self.counts_wrap(ty, span) {
            return;
        }
        let bits = self.bits(ty);
        let fits = match op {
            BinaryOp::Add => {
                let sum = self.add(a, b);
                self.compare(BinaryOp::Le, false, a, sum)
            }
            BinaryOp::Sub => self.compare(BinaryOp::Le, false, b, a),
            BinaryOp::Mul => {
                let (a, b) = (self.terms.resize(false, 2 * bits, a), self.terms.resize(false, 2 * bits, b));
                let exact = self.terms.bv(BinOp::BvMul, a, b);
                let excess = self.terms.extract(2 * bits - 1, bits, exact);
                let overflows = self.nonzero(excess);
                self.not(overflows)
            }
            _ => return,
        };
        self.check(Check::Wrap, fits, "unsigned overflow", span);
    }

    /// The result of an operation on integers fits their type.
    pub(super) fn guard_overflow(&mut self, op: BinaryOp, ty: TypeId, (a, b): (Term, Term), span: Span) {
        self.guard_wrap(op, ty, (a, b), span);
        if !self.counts_overflow(op, ty, span) {
            return;
        }
        let fits = match op {
            BinaryOp::Add => self.sum_fits(ty, a, b),
            BinaryOp::Sub => self.difference_fits(ty, a, b),
            BinaryOp::Mul => self.product_fits(ty, a, b),
            // The distance is in range: that has a guard before this one.
            BinaryOp::Shl => {
                let shifted = self.arithmetic(BinaryOp::Shl, ty, a, b);
                let back = self.arithmetic(BinaryOp::Shr, ty, shifted, b);
                self.terms.eq(back, a)
            }
            _ => return,
        };
        self.check(overflow_of(op), fits, "signed overflow", span);
    }

    /// The negative of an integer fits its type.
    pub(super) fn guard_negation(&mut self, ty: TypeId, a: Term, span: Span) {
        let zero = self.number(self.bits(ty), 0);
        self.guard_wrap(BinaryOp::Sub, ty, (zero, a), span);
        if self.counts_overflow(BinaryOp::Sub, ty, span) {
            let bits = self.bits(ty);
            let least = self.number(bits, -1 << (bits - 1));
            let is_least = self.equal(a, least);
            let fits = self.not(is_least);
            self.check(Check::Overflow, fits, "signed overflow", span);
        }
    }

    fn sum_fits(&mut self, ty: TypeId, a: Term, b: Term) -> Term {
        let ((a_low, a_high), (b_low, b_high)) = (self.range(a), self.range(b));
        let (least, greatest) = self.limits(ty);
        if a_low + b_low >= least && a_high + b_high <= greatest {
            return self.terms.tt();
        }
        let (a, b) = if self.is_constant(a) { (b, a) } else { (a, b) };
        if let (k, true) = (self.range(b).0, self.is_constant(b)) {
            let limit = self.constant(ty, if k > 0 { greatest - k } else { least - k });
            return self.ordered_by_sign(k > 0, a, limit);
        }
        if self.bits(ty) < 64 {
            return self.fits_wider(BinOp::BvAdd, ty, a, b, 1);
        }
        // b < 0 ? least - b <= a : a <= greatest - b
        let (least, greatest) = (self.constant(ty, least), self.constant(ty, greatest));
        let (low, high) = (self.sub(least, b), self.sub(greatest, b));
        self.fits_by_sign(ty, b, (low, a), (a, high))
    }

    fn difference_fits(&mut self, ty: TypeId, a: Term, b: Term) -> Term {
        let ((a_low, a_high), (b_low, b_high)) = (self.range(a), self.range(b));
        let (least, greatest) = self.limits(ty);
        if a_low - b_high >= least && a_high - b_low <= greatest {
            return self.terms.tt();
        }
        if let (k, true) = (b_low, self.is_constant(b)) {
            let limit = self.constant(ty, if k > 0 { least + k } else { greatest + k });
            return self.ordered_by_sign(k <= 0, a, limit);
        }
        if self.bits(ty) < 64 {
            return self.fits_wider(BinOp::BvSub, ty, a, b, 1);
        }
        // b < 0 ? a <= greatest + b : least + b <= a
        let (least, greatest) = (self.constant(ty, least), self.constant(ty, greatest));
        let (low, high) = (self.add(least, b), self.add(greatest, b));
        self.fits_by_sign(ty, b, (a, high), (low, a))
    }

    fn product_fits(&mut self, ty: TypeId, a: Term, b: Term) -> Term {
        let ((a_low, a_high), (b_low, b_high)) = (self.range(a), self.range(b));
        let (least, greatest) = self.limits(ty);
        let corners = [a_low * b_low, a_low * b_high, a_high * b_low, a_high * b_high];
        if corners.iter().all(|product| (least..=greatest).contains(product)) {
            return self.terms.tt();
        }
        let (a, b) = if self.is_constant(a) { (b, a) } else { (a, b) };
        match (self.range(b).0, self.is_constant(b)) {
            (-1, true) => {
                let least = self.constant(ty, least);
                let is_least = self.equal(a, least);
                self.not(is_least)
            }
            (k, true) => {
                let (low, high) = if k > 0 { (least / k, greatest / k) } else { (greatest / k, least / k) };
                let (low, high) = (self.constant(ty, low), self.constant(ty, high));
                let above = self.compare(BinaryOp::Le, true, low, a);
                let below = self.compare(BinaryOp::Le, true, a, high);
                self.terms.and(above, below)
            }
            _ => self.fits_wider(BinOp::BvMul, ty, a, b, self.bits(ty)),
        }
    }

    /// `a <= limit` for an operand that makes the result greater, `limit <= a` for one that makes it less.
    fn ordered_by_sign(&mut self, upwards: bool, a: Term, limit: Term) -> Term {
        let (x, y) = if upwards { (a, limit) } else { (limit, a) };
        self.compare(BinaryOp::Le, true, x, y)
    }

    /// An order if a number is negative, and another one if it is not.
    fn fits_by_sign(&mut self, ty: TypeId, b: Term, negative: (Term, Term), otherwise: (Term, Term)) -> Term {
        let zero = self.constant(ty, 0);
        let is_negative = self.compare(BinaryOp::Lt, true, b, zero);
        let if_negative = self.compare(BinaryOp::Le, true, negative.0, negative.1);
        let if_not = self.compare(BinaryOp::Le, true, otherwise.0, otherwise.1);
        self.terms.ite(is_negative, if_negative, if_not)
    }

    /// Computes with more bits, where nothing overflows, and compares.
    fn fits_wider(&mut self, op: BinOp, ty: TypeId, a: Term, b: Term, more: u32) -> Term {
        let wide = self.bits(ty) + more;
        let (least, greatest) = self.limits(ty);
        let (a, b) = (self.terms.resize(true, wide, a), self.terms.resize(true, wide, b));
        let exact = self.terms.bv(op, a, b);
        let (least, greatest) = (self.wide(wide, least), self.wide(wide, greatest));
        let above = self.compare(BinaryOp::Le, true, least, exact);
        let below = self.compare(BinaryOp::Le, true, exact, greatest);
        self.terms.and(above, below)
    }

    fn wide(&mut self, bits: u32, value: i128) -> Term {
        let narrow = self.number(64, value);
        self.terms.resize(true, bits, narrow)
    }

    /// The least and the greatest value of a signed type.
    fn limits(&self, ty: TypeId) -> (i128, i128) {
        let bits = self.bits(ty);
        (-1 << (bits - 1), (1 << (bits - 1)) - 1)
    }

    /// Between which numbers a term is, read as signed: what its form says.
    fn range(&self, term: Term) -> (i128, i128) {
        let bits = self.terms.bv_width(term);
        let any = (-1_i128 << (bits - 1), (1_i128 << (bits - 1)) - 1);
        match self.terms.node(term) {
            Node::BitVec(width, value) => {
                let shift = 128 - width;
                let value = i128::from(value) << shift >> shift;
                (value, value)
            }
            Node::Extend { signed: true, of, .. } => self.range(of),
            Node::Extend { signed: false, of, .. } => (0, (1 << self.terms.bv_width(of)) - 1),
            Node::Ite(_, a, b) => {
                let (a, b) = (self.range(a), self.range(b));
                (a.0.min(b.0), a.1.max(b.1))
            }
            Node::Binary(BinOp::BvAnd, a, b) => match (self.range(a), self.range(b)) {
                ((0.., high), _) | (_, (0.., high)) => (0, high),
                _ => any,
            },
            Node::Binary(BinOp::BvSrem, _, b) if self.is_constant(b) => {
                let most = self.range(b).0.abs().max(1) - 1;
                (-most, most)
            }
            _ => any,
        }
    }
}

/// The kind of error that overflow of an operation is.
fn overflow_of(op: BinaryOp) -> Check {
    if op == BinaryOp::Shl { Check::ShiftOverflow } else { Check::Overflow }
}
