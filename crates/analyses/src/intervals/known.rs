//! What is known of variables at a location, and what that says of terms and conditions.

use std::collections::BTreeMap;

use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp};

use super::floats::FloatRange;
use super::range::Range;

/// Terms with more parts than this are not looked into: they are walked as trees.
pub(super) const FUEL: u32 = 400;
/// Conditions with more parts than this are not split up.
const PARTS: u32 = 64;

/// The ranges of variables; of those that are missing nothing is known.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Known {
    ranges: BTreeMap<Symbol, Range>,
    /// Of those that hold floats.
    floats: BTreeMap<Symbol, FloatRange>,
    /// Of other terms that a condition is about, while its consequences are looked for.
    parts: BTreeMap<Term, FloatRange>,
}

/// What is known of a variable.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fact {
    /// Its bits, read as an integer.
    Integers(Range),
    /// Its bits, read as a float.
    Floats(FloatRange),
}

impl Fact {
    /// Whether it leaves one value.
    pub fn is_constant(self) -> bool {
        matches!(self, Fact::Integers(range) if range.as_constant().is_some())
    }
}

/// The width of a sort whose values have ranges.
fn width_of(sort: &Sort) -> Option<u32> {
    match sort {
        Sort::BitVec(width) if (1..=64).contains(width) => Some(*width),
        _ => None,
    }
}

impl Known {
    /// The range of a variable, if something is known of it.
    pub fn get(&self, symbol: Symbol) -> Option<Range> {
        self.ranges.get(&symbol).copied()
    }

    /// The floats that a variable may hold, if something is known of them.
    pub fn float_range(&self, symbol: Symbol) -> Option<FloatRange> {
        self.floats.get(&symbol).copied()
    }

    /// All that is known.
    pub fn facts(&self) -> impl Iterator<Item = (Symbol, Fact)> + '_ {
        let integers = self.ranges.iter().map(|(s, r)| (*s, Fact::Integers(*r)));
        integers.chain(self.floats.iter().map(|(s, r)| (*s, Fact::Floats(*r))))
    }

    /// A variable has a new value, of which other known things say this.
    pub(super) fn set(&mut self, symbol: Symbol, range: Option<Range>, floats: Option<FloatRange>) {
        self.set_range(symbol, range);
        self.set_float(symbol, floats);
    }

    /// A variable has a value of which nothing is known.
    pub(super) fn forget(&mut self, symbol: Symbol) {
        self.set(symbol, None, None);
    }

    fn set_range(&mut self, symbol: Symbol, range: Option<Range>) {
        match range.filter(|r| !r.is_full()) {
            Some(range) => _ = self.ranges.insert(symbol, range),
            None => _ = self.ranges.remove(&symbol),
        }
    }

    pub(super) fn set_float(&mut self, symbol: Symbol, floats: Option<FloatRange>) {
        match floats.filter(|f| !f.is_full()) {
            Some(floats) => _ = self.floats.insert(symbol, floats),
            None => _ = self.floats.remove(&symbol),
        }
    }

    /// Keeps what is known of some variables.
    pub(super) fn retain(&mut self, keep: impl Fn(Symbol) -> bool) {
        self.ranges.retain(|symbol, _| keep(*symbol));
        self.floats.retain(|symbol, _| keep(*symbol));
    }

    pub(super) fn extend(&mut self, other: &Known) {
        self.ranges.extend(&other.ranges);
        self.floats.extend(&other.floats);
    }

    /// What holds of both.
    pub(super) fn join(&mut self, other: &Known) {
        self.combine(other, Range::join, FloatRange::join);
        self.parts.retain(|term, range| match other.parts.get(term) {
            Some(new) => {
                *range = range.join(*new);
                true
            }
            None => false,
        });
    }

    /// What this, which grew to `new`, is taken to grow to.
    pub(super) fn widen(&mut self, new: &Known, thresholds: &[i128], floats: &[f64]) {
        self.combine(new, |old, new| old.widen(new, thresholds), |old, new| old.widen(new, floats));
    }

    fn combine(
        &mut self,
        other: &Known,
        ranges: impl Fn(Range, Range) -> Range,
        floats: impl Fn(FloatRange, FloatRange) -> FloatRange,
    ) {
        self.ranges.retain(|symbol, range| match other.ranges.get(symbol) {
            Some(new) => {
                *range = ranges(*range, *new);
                !range.is_full()
            }
            None => false,
        });
        self.floats.retain(|symbol, range| match other.floats.get(symbol) {
            Some(new) => {
                *range = floats(*range, *new);
                !range.is_full()
            }
            None => false,
        });
    }

    /// The range of a term of bits; `None` for other sorts.
    pub fn range(&self, terms: &Terms, term: Term) -> Option<Range> {
        self.range_at(terms, term, &mut { FUEL })
    }

    fn range_at(&self, terms: &Terms, term: Term, fuel: &mut u32) -> Option<Range> {
        let width = width_of(&terms.sort(term))?;
        let full = Range::full(width);
        let Some(less) = fuel.checked_sub(1) else { return Some(full) };
        *fuel = less;
        if let Node::Unary(UnOp::Float(op, format), a) = terms.node(term) {
            return Some(self.converted(terms, op, format, a, fuel).unwrap_or(full));
        }
        let mut of = |t: Term| self.range_at(terms, t, fuel);
        Some(match terms.node(term) {
            Node::BitVec(_, bits) => Range::constant(width, bits),
            Node::Symbol(symbol) => self.get(symbol).unwrap_or(full),
            Node::Unary(UnOp::BvNeg, a) => Range::constant(width, 0).minus(of(a)?),
            Node::Unary(UnOp::BvNot, a) => Range::constant(width, u64::MAX >> (64 - width)).minus(of(a)?),
            // Of what memory holds nothing is known.
            Node::Binary(BinOp::Select, ..) => full,
            Node::Binary(op, a, b) => of(a).zip(of(b)).and_then(|(a, b)| binary(op, a, b)).unwrap_or(full),
            Node::Ite(_, a, b) => of(a)?.join(of(b)?),
            Node::Extend { signed, of: inner, .. } => of(inner).map_or(full, |r| r.extend(width, signed)),
            Node::Extract { lo, of: inner, .. } => match of(inner) {
                Some(inner) if lo == 0 => inner.truncate(width),
                Some(inner) => inner.unsigned_quotient(1 << lo).truncate(width),
                None => full,
            },
            _ => full,
        })
    }

    /// What is known where a condition has a value; `None` if that cannot be.
    pub(super) fn assume(self, terms: &Terms, condition: Term, value: bool) -> Option<Known> {
        let mut known = self.supposing(terms, condition, value)?;
        // Terms have other values where variables have.
        known.parts.clear();
        Some(known)
    }

    /// The same, with what is known of parts of the condition.
    pub(super) fn supposing(self, terms: &Terms, condition: Term, value: bool) -> Option<Known> {
        self.assume_at(terms, condition, value, &mut { PARTS })
    }

    pub(super) fn part(&self, term: Term) -> Option<FloatRange> {
        self.parts.get(&term).copied()
    }

    pub(super) fn set_part(&mut self, term: Term, floats: FloatRange) {
        self.parts.insert(term, floats);
    }

    fn assume_at(mut self, terms: &Terms, condition: Term, value: bool, parts: &mut u32) -> Option<Known> {
        if *parts == 0 {
            return Some(self);
        }
        *parts -= 1;
        match terms.node(condition) {
            Node::Bool(known) => (known == value).then_some(self),
            Node::Unary(UnOp::Not, inner) => self.assume_at(terms, inner, !value, parts),
            Node::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
                if (op == BinOp::And) == value {
                    return self.assume_at(terms, a, value, parts)?.assume_at(terms, b, value, parts);
                }
                // One of the two has the value.
                let first = self.clone().assume_at(terms, a, value, parts);
                match (first, self.assume_at(terms, b, value, parts)) {
                    (Some(mut a), Some(b)) => {
                        a.join(&b);
                        Some(a)
                    }
                    (one, other) => one.or(other),
                }
            }
            Node::Binary(BinOp::Float(op, format), a, b) if op.compares() => {
                self.compare_floats(terms, (op, format), (a, b), value)
            }
            Node::Binary(op, a, b) if op.compares_bit_vectors() => {
                let (op, a, b) = match value {
                    true => (op, a, b),
                    false => (op.converse_of_negation().expect("an order"), b, a),
                };
                self.compare(terms, op, a, b)
            }
            Node::Binary(BinOp::Eq, a, b) if width_of(&terms.sort(a)).is_some() => {
                if value {
                    let both = self.range(terms, a)?.meet(self.range(terms, b)?)?;
                    self.learn(terms, a, both)?;
                    self.learn(terms, b, both)?;
                    return Some(self);
                }
                self.differ(terms, a, b)?;
                self.differ(terms, b, a)?;
                Some(self)
            }
            _ => Some(self),
        }
    }

    /// `a op b` holds.
    fn compare(mut self, terms: &Terms, op: BinOp, a: Term, b: Term) -> Option<Known> {
        let (left, right) = (self.range(terms, a)?, self.range(terms, b)?);
        let strict = i128::from(matches!(op, BinOp::BvUlt | BinOp::BvSlt));
        let (left, right) = match op {
            BinOp::BvUlt | BinOp::BvUle => (
                left.unsigned_between(0, right.unsigned().1 - strict)?,
                right.unsigned_between(left.unsigned().0 + strict, i128::MAX)?,
            ),
            _ => (
                left.signed_between(i128::MIN, right.signed().1 - strict)?,
                right.signed_between(left.signed().0 + strict, i128::MAX)?,
            ),
        };
        self.learn(terms, a, left)?;
        self.learn(terms, b, right)?;
        Some(self)
    }

    /// `a` is not `b`: an end of its range may go.
    fn differ(&mut self, terms: &Terms, a: Term, b: Term) -> Option<()> {
        let Some(out) = self.range(terms, b)?.as_constant() else { return Some(()) };
        let mut range = self.range(terms, a)?;
        let out = Range::constant(range.width(), out);
        let (unsigned, signed) = (out.unsigned().0, out.signed().0);
        let cut = |(lo, hi): (i128, i128), v: i128| (lo + i128::from(lo == v), hi - i128::from(hi == v));
        let (lo, hi) = cut(range.unsigned(), unsigned);
        range = range.unsigned_between(lo, hi)?;
        let (lo, hi) = cut(range.signed(), signed);
        range = range.signed_between(lo, hi)?;
        self.learn(terms, a, range)
    }

    /// A term is in a range: what that says of the variable it is computed from.
    pub(super) fn learn(&mut self, terms: &Terms, term: Term, range: Range) -> Option<()> {
        match terms.node(term) {
            Node::Symbol(symbol) => {
                let old = self.get(symbol).unwrap_or_else(|| Range::full(range.width()));
                self.set_range(symbol, Some(old.meet(range)?));
            }
            Node::Extend { signed, of, .. } => {
                if let Some(inner) = self.range(terms, of) {
                    let inner = range.before_extension(inner, signed)?;
                    self.learn(terms, of, inner)?;
                }
            }
            Node::Binary(op @ (BinOp::BvAdd | BinOp::BvSub), a, b) => {
                if let Some(constant) = self.range(terms, b).filter(|r| r.as_constant().is_some()) {
                    let before = if op == BinOp::BvAdd { range.minus(constant) } else { range.plus(constant) };
                    let before = before.meet(self.range(terms, a)?)?;
                    self.learn(terms, a, before)?;
                }
            }
            _ => {}
        }
        Some(())
    }
}

fn binary(op: BinOp, a: Range, b: Range) -> Option<Range> {
    let constant = b.as_constant();
    let positive = (b.as_constant().is_some() && b.signed().0 > 0).then_some(b.signed().0);
    let shift = constant.filter(|c| *c < u64::from(a.width()) && *c < 63);
    Some(match op {
        BinOp::BvAdd => a.plus(b),
        BinOp::BvSub => a.minus(b),
        BinOp::BvMul => a.times(b),
        BinOp::BvUdiv => a.unsigned_quotient(constant.filter(|c| *c != 0)?),
        BinOp::BvUrem => a.unsigned_remainder(constant.filter(|c| *c != 0)?),
        BinOp::BvSdiv => a.signed_quotient(positive?),
        BinOp::BvSrem => a.signed_remainder(positive?),
        BinOp::BvAnd => a.and(b),
        BinOp::BvOr => a.or(b),
        BinOp::BvXor => a.xor(b),
        BinOp::BvShl => a.times(Range::constant(a.width(), 1 << shift?)),
        BinOp::BvLshr => a.unsigned_quotient(1 << shift?),
        _ => return None,
    })
}
