//! Expressions: their values as terms, their effects as edges.

use clinch_ir::cfa::Op;
use clinch_terms::Term;

use super::super::control::Branching;
use super::super::hir::{BinaryOp, Expr, ExprKind, UnaryOp};
use super::super::points_to::{is_record, key};
use super::super::types::{Type, TypeId};
use super::Lowering;
use super::place::Purpose;

impl Lowering<'_> {
    /// Evaluates an expression for its effects.
    pub(super) fn effect(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Assign(place, value) => self.assignment(place, value, e.span),
            ExprKind::Update(update) => drop(self.update(update, e.ty, e.span, false)),
            ExprKind::Call(call) => {
                self.unused = Some(key(e));
                self.call(call, e);
            }
            ExprKind::Convert(a) if !self.is_float(e.ty) || !a.has_effects() => self.effect(a),
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.effect(b);
            }
            ExprKind::Statements(body, value) => {
                self.open_scope(body);
                self.statements(body);
                if let Some(value) = value {
                    self.effect(value);
                }
                self.close_scope(e.span);
            }
            ExprKind::Conditional(c, a, b) => {
                let (yes, no, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
                self.branch(c, yes, no);
                self.body.at(yes);
                if let Some(a) = a {
                    self.effect(a);
                }
                self.body.goto(after, e.span);
                self.body.at(no);
                self.effect(b);
                self.body.go_on_at(after, e.span);
            }
            ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) if e.has_effects() => {
                let after = self.body.fresh();
                self.branch(e, after, after);
                self.body.at(after);
            }
            _ if matches!(self.hir.types.get(e.ty), Type::Void) => self.void(e),
            _ if is_record(&self.hir.types, e.ty) => drop(self.record(e)),
            _ if e.has_effects() => drop(self.scalar(e)),
            _ => self.discard(e),
        }
    }

    /// An expression without effects whose value no one wants: only what it may not do matters.
    fn discard(&mut self, e: &Expr) {
        if !self.is_pure(e) && !self.is_opaque_float(e.ty) {
            let value = self.scalar(e);
            self.save(value, e.span);
        }
    }

    fn void(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Unsupported(what) => self.body.stop(Op::Unsupported(what.clone()), e.span),
            ExprKind::InitThen(variable, init, value) => {
                self.declare(*variable, Some(init), e.span);
                self.effect(value);
            }
            _ => {}
        }
    }

    /// Two values, the left one first.
    pub(super) fn operands(&mut self, a: &Expr, b: &Expr) -> (Term, Term) {
        let mut x = self.scalar(a);
        if b.has_effects() {
            x = self.save(x, a.span);
        }
        (x, self.scalar(b))
    }

    /// The value of a pointer that leads to what is wanted for a purpose.
    pub(super) fn pointer(&mut self, e: &Expr, purpose: Purpose) -> Term {
        let ExprKind::Offset { pointer, index, size } = &e.kind else { return self.scalar(e) };
        let (p, i) = self.operands(pointer, index);
        self.guard_index(e, i, purpose);
        self.guard_observation(key(e), p, Some(i), e.span);
        self.offset(p, i, *size)
    }

    /// The value of a scalar expression.
    pub(super) fn scalar(&mut self, e: &Expr) -> Term {
        if self.is_int128(e.ty) {
            return self.unsupported("128-bit integers", e.ty, e.span);
        }
        match &e.kind {
            ExprKind::Int(n) => self.constant(e.ty, *n),
            ExprKind::Float(value) => self.float_constant(*value, e.ty),
            ExprKind::Extended(_) => self.opaque(e.ty, "a constant of type `long double`", e.span),
            ExprKind::Load(place) => self.load(place),
            ExprKind::AddressOf(place) => self.address_of(place),
            ExprKind::Function(f) => {
                let address = self.storage.functions.get(f).copied().unwrap_or(0);
                self.address(address)
            }
            ExprKind::Unary(op, a) => self.unary(*op, a, e),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, e),
            ExprKind::Offset { .. } => self.pointer(e, Purpose::Address),
            ExprKind::Difference { left, right, size } => {
                let (l, r) = self.operands(left, right);
                self.guard_observation(key(e), l, Some(r), e.span);
                let bytes = self.sub(l, r);
                let size = self.constant(e.ty, i128::from((*size).max(1)));
                self.arithmetic(BinaryOp::Div, e.ty, bytes, size)
            }
            ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) if self.is_pure(e) => {
                let condition = self.truth(e);
                self.truth_value(condition, e.ty)
            }
            ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) => self.logical(e),
            ExprKind::Conditional(c, a, b) => self.conditional(c, a.as_deref(), b, e),
            ExprKind::Convert(a) => self.conversion(a, e),
            ExprKind::Assign(place, value) => self.assignment_value(place, value, e.span),
            ExprKind::Update(update) => self.update(update, e.ty, e.span, true),
            ExprKind::Call(call) => match self.call(call, e) {
                super::values::Value::Scalar(term) => term,
                _ => self.constant(e.ty, 0),
            },
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.scalar(b)
            }
            ExprKind::Statements(body, value) => self.statement_expression(body, value.as_deref(), e),
            ExprKind::InitThen(variable, init, value) => {
                self.declare(*variable, Some(init), e.span);
                self.scalar(value)
            }
            ExprKind::Unsupported(what) => self.unsupported(what.clone(), e.ty, e.span),
        }
    }

    fn statement_expression(&mut self, body: &[super::super::hir::Stmt], value: Option<&Expr>, e: &Expr) -> Term {
        self.open_scope(body);
        self.statements(body);
        let value = match value {
            Some(value) => self.scalar(value),
            None => self.constant(e.ty, 0),
        };
        let value = if self.scope_is_empty() { value } else { self.save(value, e.span) };
        self.close_scope(e.span);
        value
    }

    /// `pointer + index * size`
    pub(super) fn offset(&mut self, pointer: Term, index: Term, size: u64) -> Term {
        let size = self.address(size);
        let bytes = self.mul(index, size);
        self.add(pointer, bytes)
    }

    fn unary(&mut self, op: UnaryOp, a: &Expr, e: &Expr) -> Term {
        if op == UnaryOp::Not {
            let condition = self.truth(e);
            return self.truth_value(condition, e.ty);
        }
        if let (UnaryOp::Neg, Some(value)) = (op, float_value(a))
            && self.is_float(e.ty)
        {
            return self.float_constant(-value, e.ty);
        }
        let value = self.scalar(a);
        self.guard_observation(key(e), value, None, e.span);
        if self.is_float(e.ty) {
            return self.float_negation(e.ty, value, e.span);
        }
        match op {
            UnaryOp::Neg => {
                self.guard_negation(e.ty, value, e.span);
                self.neg(value)
            }
            _ => self.bit_not(value),
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, e: &Expr) -> Term {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        if matches!(op, Eq | Ne | Lt | Le | Gt | Ge) {
            let condition = self.truth(e);
            return self.truth_value(condition, e.ty);
        }
        let (x, y) = self.operands(a, b);
        self.guard_observation(key(e), x, Some(y), e.span);
        self.operation(op, e.ty, x, y, e.span)
    }

    /// An arithmetic operation on values of a type.
    pub(super) fn operation(&mut self, op: BinaryOp, ty: TypeId, x: Term, y: Term, span: clinch_ir::Span) -> Term {
        if self.is_float(ty) {
            return self.float_operation(op, ty, (x, y), span);
        }
        if self.is_int128(ty) {
            return self.unsupported("128-bit integers", ty, span);
        }
        self.guard_operands(op, ty, (x, y), span);
        self.arithmetic(op, ty, x, y)
    }

    /// `a && b` with effects, as a number.
    fn logical(&mut self, e: &Expr) -> Term {
        let (yes, no, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        let result = self.temporary_of(e.ty);
        self.branch(e, yes, no);
        for (from, value) in [(yes, 1), (no, 0)] {
            self.body.at(from);
            let value = self.constant(e.ty, value);
            self.assign_variable(result, value, e.span);
            self.body.goto(after, e.span);
        }
        self.body.at(after);
        self.terms.symbol(result)
    }

    fn conditional(&mut self, c: &Expr, a: Option<&Expr>, b: &Expr, e: &Expr) -> Term {
        if self.is_pure(e) {
            return self.pure_conditional(c, a, b, e);
        }
        let (yes, no, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        let result = self.temporary_of(e.ty);
        let kept = match a {
            Some(_) => {
                self.branch(c, yes, no);
                None
            }
            None => {
                let value = self.scalar(c);
                let value = self.save(value, c.span);
                let condition = self.truth_of(value, c);
                self.branch_on(condition, yes, no, c.span);
                Some(value)
            }
        };
        self.body.at(yes);
        let value = match (a, kept) {
            (Some(a), _) => self.scalar(a),
            (None, kept) => {
                let kept = kept.expect("the condition is kept where it is the value");
                self.convert_kept(kept, c, e)
            }
        };
        self.assign_variable(result, value, e.span);
        self.body.goto(after, e.span);
        self.body.at(no);
        let value = self.scalar(b);
        self.assign_variable(result, value, e.span);
        self.body.go_on_at(after, e.span);
        self.terms.symbol(result)
    }

    /// The condition of `c ?: b` as the value of the whole.
    fn convert_kept(&mut self, kept: Term, c: &Expr, e: &Expr) -> Term {
        self.converted(kept, c.ty, e.ty, e.span)
    }

    fn pure_conditional(&mut self, c: &Expr, a: Option<&Expr>, b: &Expr, e: &Expr) -> Term {
        let condition = self.truth(c);
        let then = match a {
            Some(a) => self.scalar(a),
            None => {
                let kept = self.scalar(c);
                self.convert_kept(kept, c, e)
            }
        };
        let otherwise = self.scalar(b);
        self.terms.ite(condition, then, otherwise)
    }

    fn conversion(&mut self, a: &Expr, e: &Expr) -> Term {
        let (from, to) = (a.ty, e.ty);
        match (self.is_float(from), self.is_float(to)) {
            (false, false) => {
                if matches!(self.hir.types.get(to), Type::Bool) {
                    let condition = self.truth(a);
                    return self.truth_value(condition, to);
                }
                let value = self.scalar(a);
                self.guard_observation(key(e), value, None, e.span);
                let converted = self.convert(value, from, to);
                self.guard_conversion(a, e, value, converted);
                converted
            }
            (_, true) if float_value(a).is_some() => {
                let value = float_value(a).expect("just seen");
                self.float_constant(value, to)
            }
            _ if self.is_there_and_back(a, to) => match &a.kind {
                ExprKind::Convert(inner) => self.scalar(inner),
                _ => unreachable!("there are two conversions"),
            },
            _ => {
                let value = self.scalar(a);
                self.guard_observation(key(e), value, None, e.span);
                self.float_conversion(value, from, to, e.span)
            }
        }
    }

    /// `(float)(double)x` for a `float`: compilers convert nothing, so a signalling NaN stays one.
    fn is_there_and_back(&self, a: &Expr, to: TypeId) -> bool {
        let is = |ty: TypeId, bits: u32| *self.hir.types.get(ty) == Type::Float(bits);
        is(to, 32) && is(a.ty, 64) && matches!(&a.kind, ExprKind::Convert(inner) if is(inner.ty, 32))
    }
}

/// The value of a floating constant, also of an integer constant that is converted.
fn float_value(e: &Expr) -> Option<f64> {
    match &e.kind {
        ExprKind::Float(value) => Some(*value),
        ExprKind::Int(n) if n.unsigned_abs() < 1 << 53 => Some(*n as f64),
        ExprKind::Unary(UnaryOp::Neg, a) => match &a.kind {
            ExprKind::Float(value) => Some(-*value),
            _ => None,
        },
        _ => None,
    }
}
