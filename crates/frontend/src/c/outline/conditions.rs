//! Conditions: truth values of expressions, and branches on them.

use clinch_ir::Span;
use clinch_terms::{BinOp, LocId, Node, Term};

use super::super::hir::{BinaryOp, Expr, ExprKind, UnaryOp};
use super::super::types::Type;
use super::Outline;
use super::values::Value;

impl Outline<'_> {
    /// Goes to one of two locations, by the truth of an expression.
    pub(super) fn branch(&mut self, e: &Expr, then: LocId, otherwise: LocId) {
        match &e.kind {
            ExprKind::Unary(UnaryOp::Not, a) => self.branch(a, otherwise, then),
            ExprKind::LogicalAnd(a, b) => {
                let middle = self.body.fresh();
                self.branch(a, middle, otherwise);
                self.body.at(middle);
                self.branch(b, then, otherwise);
            }
            ExprKind::LogicalOr(a, b) => {
                let middle = self.body.fresh();
                self.branch(a, then, middle);
                self.body.at(middle);
                self.branch(b, then, otherwise);
            }
            ExprKind::Convert(a) if self.keeps_truth(a, e) => self.branch(a, then, otherwise),
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.branch(b, then, otherwise);
            }
            ExprKind::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, zero)
                if matches!(zero.kind, ExprKind::Int(0)) && self.is_number(a.ty) =>
            {
                let (then, otherwise) = if *op == BinaryOp::Ne { (then, otherwise) } else { (otherwise, then) };
                self.branch(a, then, otherwise);
            }
            _ => {
                let condition = self.condition(e);
                self.branch_on(condition, then, otherwise, e.span);
            }
        }
    }

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

    /// Whether a conversion cannot turn a number other than 0 into 0.
    fn keeps_truth(&self, a: &Expr, e: &Expr) -> bool {
        let numbers = self.is_number(a.ty) && self.is_number(e.ty);
        numbers && (matches!(self.hir.types.get(e.ty), Type::Bool) || self.bits(a.ty) <= self.bits(e.ty))
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
