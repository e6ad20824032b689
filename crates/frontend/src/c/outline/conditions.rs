//! Conditions: truth values of expressions, and branches on them.

use clinch_ir::Span;
use clinch_terms::{BinOp, LocId, Node, Term};

use super::super::control::Branching;
use super::super::hir::{BinaryOp, Expr, ExprKind};
use super::super::types::{Type, TypeId};
use super::Outline;
use super::values::Value;

impl Outline<'_> {
    /// Goes by a truth value; by none either way.
    pub(super) fn branch_on(&mut self, condition: Option<Term>, then: LocId, otherwise: LocId, span: Span) {
        match condition.map(|condition| (condition, self.terms.node(condition))) {
            Some((_, Node::Bool(true))) => self.body.goto(then, span),
            Some((_, Node::Bool(false))) => self.body.goto(otherwise, span),
            Some((condition, _)) => {
                let negated = self.terms.not(condition);
                self.body.branch((condition, negated), then, otherwise, span);
            }
            None => self.any_of(&[then, otherwise], span),
        }
    }

    /// The truth of an expression that is no connection of others, if it is known.
    fn condition(&mut self, e: &Expr) -> Option<Term> {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        if let ExprKind::Binary(op @ (Eq | Ne | Lt | Le | Gt | Ge), a, b) = &e.kind {
            let values = self.operands(a, b, e.span);
            if !self.is_number(a.ty) {
                return None;
            }
            let is_zero = |this: &Self, value: Value| match value {
                Value::Is(term) => matches!(this.terms.node(term), Node::BitVec(_, 0)),
                _ => false,
            };
            return match values {
                (Value::Is(x), Value::Is(y)) if self.terms.bv_width(x) == self.terms.bv_width(y) => {
                    Some(self.compare(*op, self.hir.types.is_signed(a.ty), x, y))
                }
                (Value::NonZero, other) | (other, Value::NonZero) if matches!(op, Eq | Ne) && is_zero(self, other) => {
                    Some(self.terms.bool(*op == Ne))
                }
                _ => None,
            };
        }
        match self.value(e) {
            Value::Is(value) => Some(self.nonzero(value)),
            Value::NonZero => Some(self.terms.tt()),
            Value::Any => None,
        }
    }

    /// The truth of an expression as a number.
    pub(super) fn truth_value(&mut self, e: &Expr) -> Value {
        if let ExprKind::Binary(..) = e.kind {
            return match self.condition(e) {
                Some(condition) => Value::Is(self.number_of(condition, e.ty)),
                None => Value::Any,
            };
        }
        let (yes, no, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        let result = self.temporary(self.bits(e.ty));
        self.branch(e, yes, no);
        for (from, value) in [(yes, 1), (no, 0)] {
            self.body.at(from);
            let value = self.constant(e.ty, value);
            self.set(result, Value::Is(value), e.span);
            self.body.goto(after, e.span);
        }
        self.body.at(after);
        Value::Is(self.terms.symbol(result))
    }

    /// A comparison of numbers.
    pub(super) fn compare(&mut self, op: BinaryOp, signed: bool, a: Term, b: Term) -> Term {
        let (strict, weak) = if signed { (BinOp::BvSlt, BinOp::BvSle) } else { (BinOp::BvUlt, BinOp::BvUle) };
        match op {
            BinaryOp::Eq => self.terms.eq(a, b),
            BinaryOp::Ne => {
                let equal = self.terms.eq(a, b);
                self.terms.not(equal)
            }
            BinaryOp::Lt => self.terms.binary(strict, a, b),
            BinaryOp::Le => self.terms.binary(weak, a, b),
            BinaryOp::Gt => self.terms.binary(strict, b, a),
            _ => self.terms.binary(weak, b, a),
        }
    }
}

impl Branching for Outline<'_> {
    fn fresh(&mut self) -> LocId {
        self.body.fresh()
    }

    fn at(&mut self, location: LocId) {
        self.body.at(location);
    }

    fn is_one_condition(&self, _: &Expr) -> bool {
        false
    }

    fn keeps_truth(&self, from: &Expr, to: &Expr) -> bool {
        let numbers = self.is_number(from.ty) && self.is_number(to.ty);
        numbers && (matches!(self.hir.types.get(to.ty), Type::Bool) || self.bits(from.ty) <= self.bits(to.ty))
    }

    fn is_truth_test(&self, a: &Expr, zero: &Expr) -> bool {
        matches!(zero.kind, ExprKind::Int(0)) && self.is_number(a.ty)
    }

    fn branch_on_value(&mut self, e: &Expr, then: LocId, otherwise: LocId) {
        let condition = self.condition(e);
        self.branch_on(condition, then, otherwise, e.span);
    }

    fn effect(&mut self, e: &Expr) {
        Outline::effect(self, e);
    }

    fn compare_with(&mut self, op: BinaryOp, value: Term, ty: TypeId, constant: i128) -> Term {
        let (constant, signed) = (self.constant(ty, constant), self.hir.types.is_signed(ty));
        self.compare(op, signed, value, constant)
    }
}
