//! Constant expressions: values that are known before the program runs.

use lang_c::ast::Expression;
use lang_c::span::Node;

use super::{Checked, Checker};
use crate::c::hir::{BinaryOp, Expr, ExprKind, Place, PlaceKind, UnaryOp};
use crate::c::types::{Type, TypeId};
use crate::diagnostic::Problem;

use super::extended_constant as extended;

/// A known value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Constant {
    Int(i128),
    Float(f64),
    /// The bits of a number of type `long double`.
    Extended(u128),
}

impl Constant {
    fn is_true(self) -> bool {
        match self {
            Constant::Int(value) => value != 0,
            Constant::Float(value) => value != 0.0,
            Constant::Extended(bits) => extended::is_true(bits),
        }
    }
}

impl Checker<'_> {
    /// The value of an expression that must be an integer constant.
    pub(super) fn constant_expression(&mut self, node: &Node<Expression>) -> Checked<i128> {
        let span = self.at(node.span);
        self.constant_or_open(node)?.ok_or_else(|| Problem::new(span, "the value must be a constant"))
    }

    /// The value of a constant expression; nothing where it depends on something that is not modelled.
    pub(super) fn constant_or_open(&mut self, node: &Node<Expression>) -> Checked<Option<i128>> {
        let span = self.at(node.span);
        self.unevaluated += 1;
        let value = self.rvalue(node);
        self.unevaluated -= 1;
        let value = value?;
        if !self.hir.types.is_integer(value.ty) {
            return Err(Problem::new(span, "the value must be an integer"));
        }
        match self.constant_int(&value) {
            None if !is_open(&value) => Err(Problem::new(span, "the value must be a constant")),
            known => Ok(known),
        }
    }

    /// The value of an integer or pointer expression, if it is known.
    pub(super) fn constant_int(&self, expr: &Expr) -> Option<i128> {
        match self.constant(expr)? {
            Constant::Int(value) => Some(value),
            Constant::Float(_) | Constant::Extended(_) => None,
        }
    }

    /// The value of an expression, if it is known.
    pub(super) fn constant(&self, expr: &Expr) -> Option<Constant> {
        let int = |value| Some(Constant::Int(self.hir.types.wrap(value, expr.ty)));
        match &expr.kind {
            ExprKind::Int(value) => Some(Constant::Int(*value)),
            ExprKind::Float(value) => self.convert_constant(Constant::Float(*value), expr.ty),
            ExprKind::Extended(bits) => Some(Constant::Extended(*bits)),
            ExprKind::Unary(op, operand) => self.unary_constant(*op, self.constant(operand)?, expr.ty),
            ExprKind::Binary(op, left, right) => self.binary_constant(*op, left, right, expr.ty),
            ExprKind::LogicalAnd(left, right) => match self.constant(left)?.is_true() {
                false => int(0),
                true => int(i128::from(self.constant(right)?.is_true())),
            },
            ExprKind::LogicalOr(left, right) => match self.constant(left)?.is_true() {
                true => int(1),
                false => int(i128::from(self.constant(right)?.is_true())),
            },
            ExprKind::Conditional(condition, then, otherwise) => {
                let value = self.constant(condition)?;
                match (value.is_true(), then) {
                    (true, Some(then)) => self.constant(then),
                    (true, None) => self.convert_constant(value, expr.ty),
                    (false, _) => self.constant(otherwise),
                }
            }
            ExprKind::Convert(operand) => self.convert_constant(self.constant(operand)?, expr.ty),
            ExprKind::AddressOf(place) => int(self.absolute_address(place)?),
            ExprKind::Offset { pointer, index, size } => {
                let (pointer, index) = (self.constant_int(pointer)?, self.constant_int(index)?);
                int(pointer.wrapping_add(index.wrapping_mul(i128::from(*size))))
            }
            ExprKind::Difference { left, right, size } => {
                let difference = self.constant_int(left)?.wrapping_sub(self.constant_int(right)?);
                int(difference.checked_div(i128::from(*size))?)
            }
            _ => None,
        }
    }

    /// `&((struct S *)0)->m`: an address that does not depend on where objects are.
    fn absolute_address(&self, place: &Place) -> Option<i128> {
        match &place.kind {
            PlaceKind::Deref(pointer) => self.constant_int(pointer),
            PlaceKind::Field(inner, record, field) => {
                let offset = self.hir.types.record(*record).fields.get(*field)?.offset;
                Some(self.absolute_address(inner)? + i128::from(offset))
            }
            _ => None,
        }
    }

    pub(super) fn convert_constant(&self, value: Constant, ty: TypeId) -> Option<Constant> {
        match (self.hir.types.get(ty), value) {
            (Type::Bool, value) => Some(Constant::Int(i128::from(value.is_true()))),
            (Type::Int { .. } | Type::Pointer(_), Constant::Int(value)) => {
                Some(Constant::Int(self.hir.types.wrap(value, ty)))
            }
            (Type::Int { .. }, Constant::Float(value)) => {
                let whole = value.trunc();
                let wrapped = self.hir.types.wrap(whole as i128, ty);
                (wrapped as f64 == whole).then_some(Constant::Int(wrapped))
            }
            (Type::Int { .. }, Constant::Extended(bits)) => {
                let whole = extended::whole(bits)?;
                let wrapped = self.hir.types.wrap(whole, ty);
                (wrapped == whole).then_some(Constant::Int(wrapped))
            }
            (Type::Float(32), Constant::Extended(bits)) => Some(Constant::Float(extended::to_single(bits).into())),
            (Type::Float(64), Constant::Extended(bits)) => Some(Constant::Float(extended::to_double(bits))),
            (Type::Float(80), Constant::Int(value)) => extended::of_integer(value).map(Constant::Extended),
            (Type::Float(80), Constant::Float(value)) => Some(Constant::Extended(extended::of_double(value))),
            (Type::Float(80), Constant::Extended(bits)) => Some(Constant::Extended(bits)),
            (Type::Float(32), Constant::Int(value)) => Some(Constant::Float(f64::from(value as f32))),
            (Type::Float(32), Constant::Float(value)) => Some(Constant::Float(f64::from(value as f32))),
            (Type::Float(64), Constant::Int(value)) => Some(Constant::Float(value as f64)),
            (Type::Float(_), Constant::Float(value)) => Some(Constant::Float(value)),
            _ => None,
        }
    }

    fn unary_constant(&self, op: UnaryOp, value: Constant, ty: TypeId) -> Option<Constant> {
        let int = |value| Some(Constant::Int(self.hir.types.wrap(value, ty)));
        match (op, value) {
            (UnaryOp::Not, value) => int(i128::from(!value.is_true())),
            (UnaryOp::Neg, Constant::Int(value)) => int(value.wrapping_neg()),
            (UnaryOp::BitNot, Constant::Int(value)) => int(!value),
            (UnaryOp::Neg, Constant::Float(value)) => Some(Constant::Float(-value)),
            (UnaryOp::Neg, Constant::Extended(bits)) => Some(Constant::Extended(extended::negation(bits))),
            (UnaryOp::BitNot, Constant::Float(_) | Constant::Extended(_)) => None,
        }
    }

    fn binary_constant(&self, op: BinaryOp, left: &Expr, right: &Expr, ty: TypeId) -> Option<Constant> {
        let operands = left.ty;
        match (self.constant(left)?, self.constant(right)?) {
            (Constant::Int(l), Constant::Int(r)) => {
                let unsigned_wide =
                    !self.hir.types.is_signed(operands) && self.hir.types.scalar_bits(operands) == Some(128);
                if unsigned_wide {
                    return None;
                }
                let bits = self.hir.types.scalar_bits(operands)?;
                Some(Constant::Int(self.hir.types.wrap(integer_operation(op, l, r, bits)?, ty)))
            }
            (Constant::Float(l), Constant::Float(r)) => match self.hir.types.get(operands) {
                Type::Float(32) => float_operation(op, l, r).map(|c| match c {
                    Constant::Float(value) => Constant::Float(f64::from(value as f32)),
                    int => int,
                }),
                Type::Float(64) => float_operation(op, l, r),
                _ => None,
            },
            (Constant::Extended(l), Constant::Extended(r)) => extended::operation(op, l, r),
            _ => None,
        }
    }
}

fn integer_operation(op: BinaryOp, l: i128, r: i128, bits: u32) -> Option<i128> {
    let shift = u32::try_from(r).ok().filter(|s| *s < bits);
    Some(match op {
        BinaryOp::Add => l.wrapping_add(r),
        BinaryOp::Sub => l.wrapping_sub(r),
        BinaryOp::Mul => l.wrapping_mul(r),
        BinaryOp::Div => l.checked_div(r)?,
        BinaryOp::Rem => l.checked_rem(r)?,
        BinaryOp::Shl => l.wrapping_shl(shift?),
        BinaryOp::Shr => l.wrapping_shr(shift?),
        BinaryOp::BitAnd => l & r,
        BinaryOp::BitXor => l ^ r,
        BinaryOp::BitOr => l | r,
        BinaryOp::Eq => i128::from(l == r),
        BinaryOp::Ne => i128::from(l != r),
        BinaryOp::Lt => i128::from(l < r),
        BinaryOp::Le => i128::from(l <= r),
        BinaryOp::Gt => i128::from(l > r),
        BinaryOp::Ge => i128::from(l >= r),
    })
}

fn float_operation(op: BinaryOp, l: f64, r: f64) -> Option<Constant> {
    let truth = |value| Some(Constant::Int(i128::from(value)));
    // gcc makes a positive NaN of an invalid operation; what it makes of NaNs is not known.
    let float = |value: f64| match value.is_nan() {
        true if l.is_nan() || r.is_nan() => None,
        true => Some(Constant::Float(f64::NAN)),
        false => Some(Constant::Float(value)),
    };
    match op {
        BinaryOp::Add => float(l + r),
        BinaryOp::Sub => float(l - r),
        BinaryOp::Mul => float(l * r),
        BinaryOp::Div => float(l / r),
        BinaryOp::Eq => truth(l == r),
        BinaryOp::Ne => truth(l != r),
        BinaryOp::Lt => truth(l < r),
        BinaryOp::Le => truth(l <= r),
        BinaryOp::Gt => truth(l > r),
        BinaryOp::Ge => truth(l >= r),
        _ => None,
    }
}

/// Whether a part of an expression is not modelled.
fn is_open(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Unsupported(_) => true,
        ExprKind::Unary(_, a) | ExprKind::Convert(a) => is_open(a),
        ExprKind::Binary(_, a, b) | ExprKind::LogicalAnd(a, b) | ExprKind::LogicalOr(a, b) => is_open(a) || is_open(b),
        ExprKind::Conditional(c, a, b) => is_open(c) || a.as_ref().is_some_and(|a| is_open(a)) || is_open(b),
        _ => false,
    }
}
