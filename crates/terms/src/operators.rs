//! The operations of terms.

use crate::float::extended::ExtendedOp;
use crate::float::{FloatBinOp, FloatUnOp, Format};

/// A unary operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
pub enum UnOp {
    /// Boolean negation.
    Not,
    /// Integer negation.
    Neg,
    /// Bitwise complement, `-x - 1`.
    BitNot,
    /// 1 for true, 0 for false.
    BoolToInt,
    /// Complement of every bit of a bit-vector.
    BvNot,
    /// Two's complement of a bit-vector.
    BvNeg,
    /// The natural number a bit-vector stands for, read without sign.
    BvToNat,
    /// An operation on the bits of a floating-point number, or one that makes such a number of an integer.
    Float(FloatUnOp, Format),
    /// An operation on a number of extended precision, or one that makes such a number.
    Extended(ExtendedOp),
}

/// A binary operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
pub enum BinOp {
    /// Conjunction; the right side counts only where the left one is true.
    And,
    /// Disjunction; the right side counts only where the left one is false.
    Or,
    /// Equality of two integers or of two Booleans.
    Eq,
    /// Less or equal.
    Le,
    /// Strictly less.
    Lt,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient, truncated toward zero. Undefined for divisor 0.
    Div,
    /// Remainder with the sign of the dividend. Undefined for divisor 0.
    Rem,
    /// Remainder in `0..n` for a positive *constant* divisor `n`.
    Mod,
    /// Quotient, rounded down, for a positive *constant* divisor.
    FloorDiv,
    /// Bitwise and. Undefined unless both operands fit in 32 bits, as for the other bitwise operations.
    BitAnd,
    /// Bitwise or.
    BitOr,
    /// Bitwise exclusive or.
    BitXor,
    /// `x * 2^n`. Undefined unless `x` fits in 32 bits and `0 <= n < 32`.
    Shl,
    /// `floor(x / 2^n)`. Undefined unless `x` fits in 32 bits and `0 <= n < 32`.
    Shr,
    /// Element of an array (left) at an index (right). Undefined outside the array.
    Select,
    /// Sum of bit-vectors of one width, modulo `2^width`. All operations on bit-vectors are total, as in SMT-LIB.
    BvAdd,
    /// Difference of bit-vectors.
    BvSub,
    /// Product of bit-vectors.
    BvMul,
    /// Unsigned quotient; all ones for divisor 0.
    BvUdiv,
    /// Unsigned remainder; the dividend for divisor 0.
    BvUrem,
    /// Signed quotient, truncated toward zero; -1 or 1 for divisor 0.
    BvSdiv,
    /// Signed remainder with the sign of the dividend, which it is for divisor 0.
    BvSrem,
    /// Signed remainder with the sign of the divisor; the dividend for divisor 0.
    BvSmod,
    /// Conjunction bit by bit.
    BvAnd,
    /// Disjunction bit by bit.
    BvOr,
    /// Exclusive disjunction bit by bit.
    BvXor,
    /// Shift to the left; 0 for distances beyond the width.
    BvShl,
    /// Shift to the right that fills with zeros; 0 for distances beyond the width.
    BvLshr,
    /// Shift to the right that copies the sign.
    BvAshr,
    /// The bits of the left argument above those of the right one; the widths may differ.
    BvConcat,
    /// Unsigned "less".
    BvUlt,
    /// Unsigned "less or equal".
    BvUle,
    /// Signed "less".
    BvSlt,
    /// Signed "less or equal".
    BvSle,
    /// An operation on the bits of two floating-point numbers.
    Float(FloatBinOp, Format),
    /// An operation on two numbers of extended precision.
    Extended(FloatBinOp),
}

impl UnOp {
    /// Whether it takes a bit-vector, and not one that is a float.
    pub fn on_bit_vectors(self) -> bool {
        matches!(self, UnOp::BvNot | UnOp::BvNeg | UnOp::BvToNat)
    }
}

impl BinOp {
    /// The operations on two bit-vectors of one width that have such a bit-vector as result.
    pub const ON_WORDS: [BinOp; 14] = [
        BinOp::BvAdd,
        BinOp::BvSub,
        BinOp::BvMul,
        BinOp::BvUdiv,
        BinOp::BvUrem,
        BinOp::BvSdiv,
        BinOp::BvSrem,
        BinOp::BvSmod,
        BinOp::BvAnd,
        BinOp::BvOr,
        BinOp::BvXor,
        BinOp::BvShl,
        BinOp::BvLshr,
        BinOp::BvAshr,
    ];

    /// The orders of bit-vectors.
    pub const ORDERS_OF_WORDS: [BinOp; 4] = [BinOp::BvUlt, BinOp::BvUle, BinOp::BvSlt, BinOp::BvSle];

    /// Whether it takes two bit-vectors and nothing else, and does not read them as floats.
    pub fn on_bit_vectors(self) -> bool {
        self >= BinOp::BvAdd && !matches!(self, BinOp::Float(..) | BinOp::Extended(_))
    }

    /// For an order the one that holds, with the sides exchanged, where it does not: `not (a < b)` is `b <= a`.
    pub fn converse_of_negation(self) -> Option<BinOp> {
        Some(match self {
            BinOp::Le => BinOp::Lt,
            BinOp::Lt => BinOp::Le,
            BinOp::BvUle => BinOp::BvUlt,
            BinOp::BvUlt => BinOp::BvUle,
            BinOp::BvSle => BinOp::BvSlt,
            BinOp::BvSlt => BinOp::BvSle,
            _ => return None,
        })
    }

    /// Whether it compares two bit-vectors, not as floats.
    pub fn compares_bit_vectors(self) -> bool {
        self >= BinOp::BvUlt && !matches!(self, BinOp::Float(..) | BinOp::Extended(_))
    }
}
