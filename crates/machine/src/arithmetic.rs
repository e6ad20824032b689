//! What the operations of the code compute.

use clinch_terms::float::{self, Format};

use super::code::{Binary, Unary, mask};

/// Why an operation has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ArithmeticFault {
    DivisionByZero,
    DivisionOverflow,
    ShiftCount,
    /// A mathematical integer beyond 64 bits.
    TooLarge,
}

/// The number a bit-vector stands for in two's complement.
#[inline(always)]
pub(super) fn signed(width: u8, bits: u64) -> i64 {
    let unused = 64 - u32::from(width);
    ((bits << unused) as i64) >> unused
}

/// Orders signed bit-vectors of one width as `i64` does.
#[inline(always)]
fn key(width: u8, bits: u64) -> i64 {
    (bits << (64 - u32::from(width))) as i64
}

/// A comparison.
#[inline(always)]
pub(super) fn compare(op: Binary, width: u8, a: u64, b: u64) -> bool {
    match op {
        Binary::Eq => a == b,
        Binary::Ne => a != b,
        Binary::Ult => a < b,
        Binary::Ule => a <= b,
        Binary::Slt => key(width, a) < key(width, b),
        _ => key(width, a) <= key(width, b),
    }
}

/// A binary operation.
#[inline(always)]
pub(super) fn binary(op: Binary, width: u8, a: u64, b: u64) -> Result<u64, ArithmeticFault> {
    Ok(match op {
        Binary::Add => a.wrapping_add(b) & mask(width),
        Binary::Sub => a.wrapping_sub(b) & mask(width),
        Binary::Mul => a.wrapping_mul(b) & mask(width),
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Concat => (a << width) | b,
        Binary::Eq | Binary::Ne | Binary::Ult | Binary::Ule | Binary::Slt | Binary::Sle => {
            compare(op, width, a, b).into()
        }
        Binary::Float(op) => float::value::binary(op, if width == 32 { Format::Single } else { Format::Double }, a, b),
        Binary::Shl | Binary::Lshr | Binary::Ashr => return shift(op, width, a, b),
        Binary::Udiv | Binary::Urem | Binary::Sdiv | Binary::Srem | Binary::Smod => return divide(op, width, a, b),
        _ => return integer(op, a as i64, b as i64).map(|v| v as u64),
    })
}

fn shift(op: Binary, width: u8, a: u64, b: u64) -> Result<u64, ArithmeticFault> {
    if b >= u64::from(width) {
        return Err(ArithmeticFault::ShiftCount);
    }
    Ok(match op {
        Binary::Shl => (a << b) & mask(width),
        Binary::Lshr => a >> b,
        _ => (signed(width, a) >> b) as u64 & mask(width),
    })
}

fn divide(op: Binary, width: u8, a: u64, b: u64) -> Result<u64, ArithmeticFault> {
    if b == 0 {
        return Err(ArithmeticFault::DivisionByZero);
    }
    let (x, y) = (signed(width, a), signed(width, b));
    let overflows = y == -1 && a == 1 << (width - 1) && width > 1;
    Ok(match op {
        Binary::Udiv => a / b,
        Binary::Urem => a % b,
        Binary::Smod => floor_remainder(x, y) as u64 & mask(width),
        _ if overflows => return Err(ArithmeticFault::DivisionOverflow),
        Binary::Sdiv => x.wrapping_div(y) as u64 & mask(width),
        _ => x.wrapping_rem(y) as u64 & mask(width),
    })
}

/// The remainder with the sign of the divisor.
fn floor_remainder(x: i64, y: i64) -> i64 {
    let rest = x.wrapping_rem(y);
    if rest != 0 && (rest < 0) != (y < 0) { rest + y } else { rest }
}

fn integer(op: Binary, a: i64, b: i64) -> Result<i64, ArithmeticFault> {
    let divides = matches!(op, Binary::IntDiv | Binary::IntRem | Binary::IntMod | Binary::IntFloorDiv);
    if divides && b == 0 {
        return Err(ArithmeticFault::DivisionByZero);
    }
    if matches!(op, Binary::IntShl | Binary::IntShr) && !(0..64).contains(&b) {
        return Err(ArithmeticFault::ShiftCount);
    }
    let result = match op {
        Binary::IntAdd => a.checked_add(b),
        Binary::IntSub => a.checked_sub(b),
        Binary::IntMul => a.checked_mul(b),
        Binary::IntDiv => a.checked_div(b),
        Binary::IntRem => Some(a.checked_rem(b).unwrap_or(0)),
        Binary::IntMod => Some(a.checked_rem_euclid(b).unwrap_or(0)),
        Binary::IntFloorDiv => a.checked_div_euclid(b),
        Binary::IntShl => i64::try_from(i128::from(a) << b).ok(),
        _ => Some(a >> b),
    };
    result.ok_or(ArithmeticFault::TooLarge)
}

/// A unary operation.
#[inline(always)]
pub(super) fn unary(op: Unary, width: u8, a: u64) -> Result<u64, ArithmeticFault> {
    Ok(match op {
        Unary::Not => a ^ 1,
        Unary::BvNot => !a & mask(width),
        Unary::BvNeg => a.wrapping_neg() & mask(width),
        Unary::IntNeg => (a as i64).checked_neg().ok_or(ArithmeticFault::TooLarge)? as u64,
        Unary::IntNot => !a,
        Unary::ToNat if a > i64::MAX as u64 => return Err(ArithmeticFault::TooLarge),
        Unary::ToNat => a,
        Unary::Truncate => a & mask(width),
        Unary::Float(op, format) => float::value::unary(op, format, width.into(), a),
    })
}
