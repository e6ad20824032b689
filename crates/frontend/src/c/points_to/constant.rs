//! Integer constants, as far as pointer arithmetic needs them.

use super::super::hir::{BinaryOp, Expr, ExprKind, Hir, Place, PlaceKind, UnaryOp};
use super::super::types::Type;

/// The value of a constant expression, `&((struct s *)0)->member` included.
pub(crate) fn constant(hir: &Hir, e: &Expr) -> Option<i128> {
    match &e.kind {
        ExprKind::Int(n) => Some(*n),
        ExprKind::Convert(a) => {
            let value = constant(hir, a)?;
            convert(hir, value, e)
        }
        ExprKind::Unary(UnaryOp::Neg, a) => constant(hir, a)?.checked_neg(),
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (constant(hir, a)?, constant(hir, b)?);
            match op {
                BinaryOp::Add => a.checked_add(b),
                BinaryOp::Sub => a.checked_sub(b),
                BinaryOp::Mul => a.checked_mul(b),
                _ => None,
            }
        }
        ExprKind::AddressOf(place) => place_constant(hir, place),
        ExprKind::Offset { pointer, index, size } => {
            constant(hir, pointer)?.checked_add(constant(hir, index)?.checked_mul(i128::from(*size))?)
        }
        _ => None,
    }
}

/// The value modulo the width of the expression's type; small negative numbers of unsigned types stay negative, for
/// pointers move by them.
fn convert(hir: &Hir, value: i128, e: &Expr) -> Option<i128> {
    let bits = match hir.types.get(e.ty) {
        Type::Int { .. } | Type::Pointer(_) => hir.types.scalar_bits(e.ty)?,
        _ => return None,
    };
    if bits >= 64 && value.unsigned_abs() < 1 << 63 {
        return Some(value);
    }
    if bits > 64 {
        return None;
    }
    let low = value & ((1i128 << bits) - 1);
    let negative = hir.types.is_signed(e.ty) && low >> (bits - 1) == 1;
    Some(if negative { low - (1i128 << bits) } else { low })
}

fn place_constant(hir: &Hir, place: &Place) -> Option<i128> {
    match &place.kind {
        PlaceKind::Deref(pointer) => constant(hir, pointer),
        PlaceKind::Field(inner, record, i) => {
            let offset = hir.types.record(*record).fields[*i].offset;
            place_constant(hir, inner)?.checked_add(i128::from(offset))
        }
        _ => None,
    }
}

/// A constant as a distance between addresses.
pub(crate) fn as_distance(value: i128, pointer_bits: u32) -> i64 {
    if pointer_bits == 32 { i64::from(value as i32) } else { value as i64 }
}
