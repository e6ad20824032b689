//! Conditions: truth values of expressions, and branches on them.

use clinch_terms::{LocId, Term};

use super::super::control::Branching;
use super::super::hir::{BinaryOp, Expr, ExprKind, Place, PlaceKind, UnaryOp};
use super::super::points_to::{Residence, key, residence};
use super::super::types::{Type, TypeId};
use super::Lowering;

fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}

impl Lowering<'_> {
    /// Whether the expression is a term over variables that is defined everywhere: no effects, no memory, no division.
    pub(super) fn is_pure(&self, e: &Expr) -> bool {
        if self.is_int128(e.ty) || self.is_opaque_float(e.ty) {
            return matches!(e.kind, ExprKind::Float(_));
        }
        match &e.kind {
            _ if self.points.observation(key(e)).is_some() => false,
            ExprKind::Float(_) => true,
            ExprKind::Unary(_, a) | ExprKind::Binary(_, a, _) | ExprKind::Convert(a)
                if self.is_float(e.ty) || self.is_float(a.ty) =>
            {
                self.is_pure_float(e)
            }
            ExprKind::Int(_) | ExprKind::Function(_) => true,
            ExprKind::Load(place) => self.is_pure_place(place),
            ExprKind::AddressOf(place) => self.is_pure_address(place),
            _ if self.may_overflow(e) => false,
            ExprKind::Unary(_, a) => self.is_pure(a),
            ExprKind::Convert(a) => !matches!(self.hir.types.get(e.ty), Type::Void) && self.is_pure(a),
            ExprKind::Binary(op, a, b) => {
                let partial = matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr)
                    && !matches!(b.kind, ExprKind::Int(k) if (1..32).contains(&k));
                !partial && self.is_pure(a) && self.is_pure(b)
            }
            ExprKind::LogicalAnd(a, b) | ExprKind::LogicalOr(a, b) => self.is_pure(a) && self.is_pure(b),
            ExprKind::Offset { pointer, index, .. } => {
                self.points.checked_index(e).is_none() && self.is_pure(pointer) && self.is_pure(index)
            }
            ExprKind::Difference { left, right, .. } => self.is_pure(left) && self.is_pure(right),
            ExprKind::Conditional(c, a, b) => {
                self.is_pure(c) && a.as_ref().is_none_or(|a| self.is_pure(a)) && self.is_pure(b)
            }
            _ => false,
        }
    }

    fn is_pure_place(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Variable(v) => !matches!(residence(self.hir, *v), Residence::Memory),
            PlaceKind::Field(inner, ..) => self.is_pure_place(inner),
            _ => false,
        }
    }

    fn is_pure_address(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Variable(_) | PlaceKind::String(_) => true,
            PlaceKind::Deref(e) => self.is_pure(e),
            PlaceKind::Field(inner, ..) => self.is_pure_address(inner),
            PlaceKind::Value(_) => false,
        }
    }

    /// The truth value of a scalar expression.
    pub(super) fn truth(&mut self, e: &Expr) -> Term {
        match &e.kind {
            ExprKind::Int(n) => self.terms.bool(*n != 0),
            ExprKind::Unary(UnaryOp::Not, a) => {
                let a = self.truth(a);
                self.not(a)
            }
            ExprKind::Binary(op, a, b) if is_comparison(*op) => self.comparison(*op, a, b, e),
            ExprKind::LogicalAnd(a, b) if self.is_pure(a) && self.is_pure(b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                self.terms.and(a, b)
            }
            ExprKind::LogicalOr(a, b) if self.is_pure(a) && self.is_pure(b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                self.terms.or(a, b)
            }
            ExprKind::Convert(a) if self.keeps_truth(a, e) => self.truth(a),
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.truth(b)
            }
            _ => {
                self.tested = Some(key(e)).filter(|_| !self.is_float(e.ty));
                let value = self.scalar(e);
                self.truth_of(value, e)
            }
        }
    }

    /// Whether the value of an expression is not zero.
    pub(super) fn truth_of(&mut self, value: Term, e: &Expr) -> Term {
        if self.is_float(e.ty) { self.float_truth(e.ty, value, e.span) } else { self.nonzero(value) }
    }

    fn comparison(&mut self, op: BinaryOp, a: &Expr, b: &Expr, e: &Expr) -> Term {
        if let (_, ExprKind::Int(0)) | (ExprKind::Int(0), _) = (&a.kind, &b.kind) {
            self.tested = Some(key(if matches!(b.kind, ExprKind::Int(0)) { a } else { b }));
        }
        let (x, y) = self.operands(a, b);
        self.guard_observation(key(e), x, Some(y), e.span);
        if self.is_float(a.ty) {
            return self.float_comparison(op, a.ty, x, y, a.span);
        }
        if self.is_int128(a.ty) {
            self.body.stop(clinch_ir::cfa::Op::Unsupported("128-bit integers".to_owned()), a.span);
            return self.terms.tt();
        }
        let signed = self.hir.types.is_signed(a.ty);
        self.compare(op, signed, x, y)
    }

    /// A truth value that is not modelled.
    pub(super) fn opaque_truth(&mut self, what: &str, span: clinch_ir::Span) -> Term {
        self.open_truth(clinch_ir::cfa::InputKind::Opaque(what.to_owned()), span)
    }

    /// A truth value that is an input.
    pub(super) fn open_truth(&mut self, kind: clinch_ir::cfa::InputKind, span: clinch_ir::Span) -> Term {
        let symbol = self.temporary(self.sort_of_bits(1), false);
        let id = clinch_ir::cfa::InputId::from_index(self.inputs.len());
        self.inputs.push(clinch_ir::cfa::InputSite { kind, ty: "_Bool".to_owned(), signed: false, span });
        self.body.emit(clinch_ir::cfa::Op::Input(symbol, id), span);
        let value = self.terms.symbol(symbol);
        self.nonzero(value)
    }

    pub(super) fn branch_on(&mut self, condition: Term, then: LocId, otherwise: LocId, span: clinch_ir::Span) {
        match self.terms.node(condition) {
            clinch_terms::Node::Bool(true) => self.body.goto(then, span),
            clinch_terms::Node::Bool(false) => self.body.goto(otherwise, span),
            _ => {
                let negated = self.not(condition);
                self.body.branch((condition, negated), then, otherwise, span);
            }
        }
    }
}

impl Branching for Lowering<'_> {
    fn fresh(&mut self) -> LocId {
        self.body.fresh()
    }

    fn at(&mut self, location: LocId) {
        self.body.at(location);
    }

    fn is_one_condition(&self, e: &Expr) -> bool {
        self.is_pure(e)
    }

    fn keeps_truth(&self, from: &Expr, to: &Expr) -> bool {
        let types = &self.hir.types;
        match (types.scalar_bits(from.ty), types.scalar_bits(to.ty), types.get(to.ty)) {
            (Some(_), _, Type::Bool) => true,
            (Some(before), Some(after), Type::Int { .. } | Type::Pointer(_)) => {
                !self.is_float(from.ty) && (before <= after || self.mathematical())
            }
            _ => false,
        }
    }

    /// `(a && b) != 0` and the like, where `a && b` has effects.
    fn is_truth_test(&self, a: &Expr, zero: &Expr) -> bool {
        let logical =
            matches!(a.kind, ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) | ExprKind::Unary(UnaryOp::Not, _));
        logical && matches!(zero.kind, ExprKind::Int(0))
    }

    fn branch_on_value(&mut self, e: &Expr, then: LocId, otherwise: LocId) {
        match &e.kind {
            ExprKind::Conditional(c, Some(a), b) if !self.is_pure(e) => {
                let (yes, no) = (self.body.fresh(), self.body.fresh());
                self.branch(c, yes, no);
                self.body.at(yes);
                self.branch(a, then, otherwise);
                self.body.at(no);
                self.branch(b, then, otherwise);
            }
            _ => {
                let condition = self.truth(e);
                self.branch_on(condition, then, otherwise, e.span);
            }
        }
    }

    fn effect(&mut self, e: &Expr) {
        Lowering::effect(self, e);
    }

    fn compare_with(&mut self, op: BinaryOp, value: Term, ty: TypeId, constant: i128) -> Term {
        let (constant, signed) = (self.constant(ty, constant), self.hir.types.is_signed(ty));
        self.compare(op, signed, value, constant)
    }
}
