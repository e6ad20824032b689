//! Intervals of terms from the domains of their variables, to see where a partial operation cannot fail.

use clinch_terms::{BinOp, Node, Term, Terms, UnOp};
use rustc_hash::FxHashMap;

use crate::program::Program;

/// The integers from `lo` to `hi`; `i128`'s extremes stand for "no bound". Term constants have 64 bits, so nothing
/// else can reach them before it is widened to "no bound".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    pub(crate) lo: i128,
    pub(crate) hi: i128,
}

const LIMIT: i128 = 1 << 100;

impl Interval {
    /// All integers.
    pub const ALL: Interval = Interval { lo: i128::MIN, hi: i128::MAX };

    /// From `lo` to `hi`.
    pub fn new(lo: i64, hi: i64) -> Self {
        Interval { lo: lo.into(), hi: hi.into() }
    }

    fn clamped(lo: i128, hi: i128) -> Self {
        Interval { lo: if lo < -LIMIT { i128::MIN } else { lo }, hi: if hi > LIMIT { i128::MAX } else { hi } }
    }

    /// The least and the greatest value, where both exist.
    pub(crate) fn bounds(self) -> Option<(i128, i128)> {
        (self.lo != i128::MIN && self.hi != i128::MAX).then_some((self.lo, self.hi))
    }

    /// Whether all values lie in `lo..=hi`.
    pub fn within(&self, lo: i64, hi: i64) -> bool {
        i128::from(lo) <= self.lo && self.hi <= i128::from(hi)
    }

    /// Whether `value` is possible.
    pub fn contains(&self, value: i64) -> bool {
        self.lo <= i128::from(value) && i128::from(value) <= self.hi
    }

    pub(crate) fn hull(self, other: Self) -> Self {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    pub(crate) fn neg(self) -> Self {
        Self::clamped(self.hi.saturating_neg(), self.lo.saturating_neg())
    }

    pub(crate) fn add(self, other: Self) -> Self {
        Self::clamped(self.lo.saturating_add(other.lo), self.hi.saturating_add(other.hi))
    }

    fn mul(self, other: Self) -> Self {
        let corners = [
            self.lo.saturating_mul(other.lo),
            self.lo.saturating_mul(other.hi),
            self.hi.saturating_mul(other.lo),
            self.hi.saturating_mul(other.hi),
        ];
        Self::clamped(
            corners.into_iter().min().expect("four corners"),
            corners.into_iter().max().expect("four corners"),
        )
    }
}

/// An interval that holds every value the term can take in a state whose cells are in their domains.
pub fn range(program: &Program, terms: &Terms, term: Term) -> Interval {
    Ranges { program, terms, memo: FxHashMap::default() }.of(term)
}

/// Intervals of shared subterms, each computed once.
struct Ranges<'a> {
    program: &'a Program,
    terms: &'a Terms,
    memo: FxHashMap<Term, Interval>,
}

impl Ranges<'_> {
    fn of(&mut self, term: Term) -> Interval {
        if let Some(&known) = self.memo.get(&term) {
            return known;
        }
        let interval = match self.terms.node(term) {
            Node::Bool(b) => Interval::new(b.into(), b.into()),
            Node::Int(v) => Interval::new(v, v),
            Node::Var(v) => domain_interval(self.program, v),
            Node::At(..) | Node::Unary(UnOp::Not | UnOp::BoolToInt, _) => Interval::new(0, 1),
            Node::Unary(UnOp::Neg, a) => self.of(a).neg(),
            Node::Unary(UnOp::BitNot, a) => self.of(a).neg().add(Interval::new(-1, -1)),
            Node::Binary(op, a, b) => self.of_binary(op, a, b),
            Node::Ite(_, a, b) => self.of(a).hull(self.of(b)),
            Node::Store(array, _, value) => self.of(array).hull(self.of(value)),
            // Formulas are not over a state.
            _ => Interval::ALL,
        };
        self.memo.insert(term, interval);
        interval
    }

    fn of_binary(&mut self, op: BinOp, a: Term, b: Term) -> Interval {
        if matches!(op, BinOp::And | BinOp::Or | BinOp::Eq | BinOp::Le | BinOp::Lt) {
            return Interval::new(0, 1);
        }
        if op.on_bit_vectors() || matches!(op, BinOp::Float(..) | BinOp::Extended(_)) {
            return Interval::ALL;
        }
        if op == BinOp::Select {
            return self.of(a);
        }
        let (x, y) = (self.of(a), self.of(b));
        of_operation(op, x, y)
    }
}

/// The values of an operation on two integers in these intervals.
pub(crate) fn of_operation(op: BinOp, x: Interval, y: Interval) -> Interval {
    match op {
        BinOp::Add => x.add(y),
        BinOp::Sub => x.add(y.neg()),
        BinOp::Mul => x.mul(y),
        // A quotient or remainder is nowhere larger than the dividend.
        BinOp::Div | BinOp::Rem => x.hull(x.neg()).hull(Interval::new(0, 0)),
        BinOp::FloorDiv => x.hull(Interval::new(-1, 0)),
        BinOp::Mod => Interval { lo: 0, hi: y.hi.saturating_sub(1).max(0) },
        BinOp::BitAnd if x.lo >= 0 || y.lo >= 0 => {
            let nonnegative = [x, y].into_iter().filter(|i| i.lo >= 0).map(|i| i.hi).min();
            Interval { lo: 0, hi: nonnegative.expect("one of them") }
        }
        BinOp::BitOr | BinOp::BitXor if x.lo >= 0 && y.lo >= 0 => Interval { lo: 0, hi: all_ones(x.hi.max(y.hi)) },
        BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => Interval::new(i32::MIN.into(), i32::MAX.into()),
        BinOp::Shl => x.hull(x.mul(Interval::new(0, 1 << 31))),
        BinOp::Shr => x.hull(Interval::new(0, 0)).hull(Interval::new(if x.lo < 0 { -1 } else { 0 }, 0)),
        _ => unreachable!("{op:?} is no operation on two integers"),
    }
}

fn domain_interval(program: &Program, var: clinch_terms::VarId) -> Interval {
    program.var(var).domain.bounds().map_or(Interval::ALL, |(lo, hi)| Interval::new(lo, hi))
}

/// The smallest `2^n - 1` that is at least `hi`.
fn all_ones(hi: i128) -> i128 {
    if hi >= LIMIT { i128::MAX } else { (hi + 1).unsigned_abs().next_power_of_two() as i128 - 1 }
}
