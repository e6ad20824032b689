//! Operations on integers of 64 bits, and why they may have no result.

use crate::operators::{BinOp, UnOp};

/// A step of the program that has no meaning: an error of the model, found at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// Divisor 0.
    #[error("division by zero")]
    DivisionByZero,
    /// An array index outside the array.
    #[error("index {index} out of range 0..{}", *len as i64 - 1)]
    IndexOutOfRange {
        /// The index.
        index: i64,
        /// The length of the array.
        len: u32,
    },
    /// A value assigned to a variable whose domain does not hold it.
    #[error("value {value} out of range {lo}..{hi}")]
    ValueOutOfRange {
        /// The value.
        value: i64,
        /// Smallest value of the domain.
        lo: i64,
        /// Largest value of the domain.
        hi: i64,
    },
    /// An operand of a bitwise operation does not fit in 32 bits, or a shift distance is not in 0..31.
    #[error("operand {0} of a bitwise operation or shift out of range")]
    BitOperand(i64),
}

/// Why a term has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EvalError {
    /// The model is at fault.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A value outgrew 64 bits: our limit, not the model's.
    #[error("an integer outgrew 64 bits")]
    Overflow,
}

/// `x op y` for the integer-valued operations; comparisons give 0 or 1.
#[inline]
pub fn integer_op(op: BinOp, x: i64, y: i64) -> Result<i64, EvalError> {
    let checked = match op {
        BinOp::Add => x.checked_add(y),
        BinOp::Sub => x.checked_sub(y),
        BinOp::Mul => x.checked_mul(y),
        BinOp::Div | BinOp::Rem if y == 0 => return Err(Fault::DivisionByZero.into()),
        BinOp::Div => x.checked_div(y),
        BinOp::Rem => Some(x.wrapping_rem(y)),
        BinOp::Mod => Some(x.rem_euclid(y)),
        BinOp::FloorDiv => x.checked_div_euclid(y),
        BinOp::BitAnd => return Ok(bit_operand(x)? & bit_operand(y)?),
        BinOp::BitOr => return Ok(bit_operand(x)? | bit_operand(y)?),
        BinOp::BitXor => return Ok(bit_operand(x)? ^ bit_operand(y)?),
        BinOp::Shl => return Ok(bit_operand(x)? << shift_distance(y)?),
        BinOp::Shr => return Ok(bit_operand(x)? >> shift_distance(y)?),
        BinOp::Eq => Some(i64::from(x == y)),
        BinOp::Le => Some(i64::from(x <= y)),
        BinOp::Lt => Some(i64::from(x < y)),
        _ => unreachable!("{op:?} is not an operation on two integers"),
    };
    checked.ok_or(EvalError::Overflow)
}

/// `op x`, Booleans as 0 and 1.
#[inline]
pub fn unary_op(op: UnOp, x: i64) -> Result<i64, EvalError> {
    match op {
        UnOp::Not => Ok(i64::from(x == 0)),
        UnOp::Neg => x.checked_neg().ok_or(EvalError::Overflow),
        UnOp::BitNot => Ok(!bit_operand(x)?),
        UnOp::BoolToInt => Ok(x),
        UnOp::BvNot | UnOp::BvNeg | UnOp::BvToNat | UnOp::Float(..) | UnOp::Extended(_) => {
            unreachable!("programs have no bit-vectors")
        }
    }
}

fn bit_operand(x: i64) -> Result<i64, Fault> {
    if i32::try_from(x).is_ok() { Ok(x) } else { Err(Fault::BitOperand(x)) }
}

fn shift_distance(n: i64) -> Result<u32, Fault> {
    u32::try_from(n).ok().filter(|&n| n < 32).ok_or(Fault::BitOperand(n))
}
