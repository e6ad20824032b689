//! Control flow as the full reading and the outline share it: where the parts of a condition lead, and the cases of a `switch`.

use clinch_ir::Span;
use clinch_terms::{LocId, Term};

use super::hir::{BinaryOp, Expr, ExprKind, UnaryOp};
use super::types::TypeId;

/// What a `switch` collects from its body.
#[derive(Debug, Default)]
pub(super) struct Switch {
    pub(super) cases: Vec<Case>,
    pub(super) default: Option<LocId>,
}

/// The values of a `case`, and where it leads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    lo: i128,
    hi: i128,
    pub(super) to: LocId,
    pub(super) span: Span,
}

impl Switch {
    /// A `case` with its values, or the `default`.
    pub(super) fn add(&mut self, values: Option<(i128, i128)>, to: LocId, span: Span) {
        match values {
            Some((lo, hi)) => self.cases.push(Case { lo, hi, to, span }),
            None => self.default = Some(to),
        }
    }
}

/// A reading of the program that makes automata, and takes conditions apart.
pub(super) trait Branching {
    /// A location that nothing leads to yet.
    fn fresh(&mut self) -> LocId;

    /// Goes on at a location.
    fn at(&mut self, location: LocId);

    /// Whether an expression is one condition, even if it connects others.
    fn is_one_condition(&self, e: &Expr) -> bool;

    /// Whether a conversion cannot turn a number other than 0 into 0.
    fn keeps_truth(&self, from: &Expr, to: &Expr) -> bool;

    /// Whether `a != zero` is to be read as `a`.
    fn is_truth_test(&self, a: &Expr, zero: &Expr) -> bool;

    /// Goes by the truth of an expression that is not taken apart here.
    fn branch_on_value(&mut self, e: &Expr, then: LocId, otherwise: LocId);

    /// Evaluates an expression for its effects.
    fn effect(&mut self, e: &Expr);

    /// Compares a value of some type with a constant.
    fn compare_with(&mut self, op: BinaryOp, value: Term, ty: TypeId, constant: i128) -> Term;

    /// Goes to one of two locations, by the truth of an expression.
    fn branch(&mut self, e: &Expr, then: LocId, otherwise: LocId) {
        match &e.kind {
            _ if self.is_one_condition(e) => self.branch_on_value(e, then, otherwise),
            ExprKind::Unary(UnaryOp::Not, a) => self.branch(a, otherwise, then),
            ExprKind::LogicalAnd(a, b) => {
                let middle = self.fresh();
                self.branch(a, middle, otherwise);
                self.at(middle);
                self.branch(b, then, otherwise);
            }
            ExprKind::LogicalOr(a, b) => {
                let middle = self.fresh();
                self.branch(a, then, middle);
                self.at(middle);
                self.branch(b, then, otherwise);
            }
            ExprKind::Convert(a) if self.keeps_truth(a, e) => self.branch(a, then, otherwise),
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.branch(b, then, otherwise);
            }
            ExprKind::Binary(BinaryOp::Ne, a, zero) if self.is_truth_test(a, zero) => self.branch(a, then, otherwise),
            ExprKind::Binary(BinaryOp::Eq, a, zero) if self.is_truth_test(a, zero) => self.branch(a, otherwise, then),
            _ => self.branch_on_value(e, then, otherwise),
        }
    }

    /// What holds of a value of some type if it is one of a case.
    fn tests_of(&mut self, case: &Case, value: Term, ty: TypeId) -> Vec<Term> {
        if case.lo == case.hi {
            return vec![self.compare_with(BinaryOp::Eq, value, ty, case.lo)];
        }
        [(BinaryOp::Ge, case.lo), (BinaryOp::Le, case.hi)].map(|(op, end)| self.compare_with(op, value, ty, end)).into()
    }
}
