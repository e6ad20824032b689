//! Floating point: operations on the bits of IEEE 754 numbers.
//!
//! A float is a bit-vector, as it is in memory. Operations read their operands as numbers of a [`Format`], round to the nearest
//! number (ties to even), and make the bits of the result. Every operation is total, and its result is fixed to the bit, as on
//! x86 with SSE: an invalid operation makes the default NaN (negative, quiet, no payload), and a NaN operand, the first if both
//! are one, is the result, made quiet.
//!
//! Extended precision ([`extended`]) has operations of its own, for its numbers do not fit in a word.
//!
//! [`value`] computes with the machine's floats; [`circuit`] says the same in operations on bits, for solvers; [`interval`] computes
//! with intervals.

pub mod circuit;
pub mod extended;
mod fold;
pub mod interval;
mod terms;
#[cfg(test)]
mod tests;
pub mod value;

use std::ops::{Add, Div, Mul, Sub};

/// A binary interchange format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
pub enum Format {
    /// binary32, C's `float`.
    Single,
    /// binary64, C's `double`.
    Double,
}

impl Format {
    /// How many bits a number has.
    pub fn width(self) -> u32 {
        match self {
            Format::Single => 32,
            Format::Double => 64,
        }
    }

    /// The format with numbers of this many bits.
    pub fn of_width(width: u32) -> Option<Format> {
        match width {
            32 => Some(Format::Single),
            64 => Some(Format::Double),
            _ => None,
        }
    }

    /// The other one, which conversions lead to.
    pub fn other(self) -> Format {
        match self {
            Format::Single => Format::Double,
            Format::Double => Format::Single,
        }
    }

    /// Bits of the significand without the leading one.
    pub fn fraction(self) -> u32 {
        match self {
            Format::Single => 23,
            Format::Double => 52,
        }
    }

    /// The bits of positive infinity: the exponent's are set.
    pub fn infinity(self) -> u64 {
        match self {
            Format::Single => 0x7f80_0000,
            Format::Double => 0x7ff0_0000_0000_0000,
        }
    }

    /// The bit of the sign.
    pub fn sign(self) -> u64 {
        1 << (self.width() - 1)
    }

    /// The bit that a quiet NaN has and a signalling one has not.
    pub fn quiet(self) -> u64 {
        1 << (self.fraction() - 1)
    }

    /// What an invalid operation makes.
    pub fn default_nan(self) -> u64 {
        self.sign() | self.infinity() | self.quiet()
    }
}

/// How a number is made integral.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
pub enum Integral {
    /// `floor`
    Down,
    /// `ceil`
    Up,
    /// `trunc`
    Zero,
    /// `rint`: to the nearest, ties to even.
    Even,
    /// `round`: to the nearest, ties away from zero.
    Away,
}

/// An operation on one number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
pub enum FloatUnOp {
    /// The square root.
    Sqrt,
    /// An integral number near it.
    Integral(Integral),
    /// The number in the other format.
    Convert,
    /// Of a signed integer of any width up to 64: the number.
    FromSigned,
    /// Of an unsigned integer of any width up to 64: the number.
    FromUnsigned,
    /// The signed integer of so many bits (up to 64), rounded toward zero. Where it does not fit: the least one, as on x86;
    /// programs must not ask.
    ToSigned(u8),
    /// The unsigned integer of so many bits (up to 64), rounded toward zero. Where it does not fit: the one with only the highest
    /// bit; programs must not ask.
    ToUnsigned(u8),
}

/// An operation on two numbers of one format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
pub enum FloatBinOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
    /// Equality: false if one is a NaN, true for zeros of either sign.
    Eq,
    /// "Less", false if one is a NaN.
    Lt,
    /// "Less or equal", false if one is a NaN.
    Le,
}

impl FloatBinOp {
    /// All of them.
    pub const ALL: [FloatBinOp; 7] = [
        FloatBinOp::Add,
        FloatBinOp::Sub,
        FloatBinOp::Mul,
        FloatBinOp::Div,
        FloatBinOp::Eq,
        FloatBinOp::Lt,
        FloatBinOp::Le,
    ];

    /// Whether its result is a truth value.
    pub fn compares(self) -> bool {
        matches!(self, FloatBinOp::Eq | FloatBinOp::Lt | FloatBinOp::Le)
    }

    /// The truth value of a comparison, or the number that an operation of Rust's makes.
    #[inline]
    fn apply<F, R>(self, x: F, y: F) -> Result<R, bool>
    where
        F: PartialOrd + Add<Output = R> + Sub<Output = R> + Mul<Output = R> + Div<Output = R>,
    {
        Ok(match self {
            FloatBinOp::Add => x + y,
            FloatBinOp::Sub => x - y,
            FloatBinOp::Mul => x * y,
            FloatBinOp::Div => x / y,
            FloatBinOp::Eq => return Err(x == y),
            FloatBinOp::Lt => return Err(x < y),
            FloatBinOp::Le => return Err(x <= y),
        })
    }

    /// Its name in SMT-LIB.
    pub fn name(self) -> &'static str {
        match self {
            FloatBinOp::Add => "fp.add",
            FloatBinOp::Sub => "fp.sub",
            FloatBinOp::Mul => "fp.mul",
            FloatBinOp::Div => "fp.div",
            FloatBinOp::Eq => "fp.eq",
            FloatBinOp::Lt => "fp.lt",
            FloatBinOp::Le => "fp.leq",
        }
    }
}

impl FloatUnOp {
    /// How many bits the result has, for an operand of (or a result in) the format that stands beside it.
    pub fn width(self, format: Format) -> u32 {
        match self {
            FloatUnOp::Sqrt | FloatUnOp::Integral(_) | FloatUnOp::FromSigned | FloatUnOp::FromUnsigned => {
                format.width()
            }
            FloatUnOp::Convert => format.other().width(),
            FloatUnOp::ToSigned(width) | FloatUnOp::ToUnsigned(width) => width.into(),
        }
    }

    /// Whether the operand is a float, and not an integer.
    pub fn takes_float(self) -> bool {
        !matches!(self, FloatUnOp::FromSigned | FloatUnOp::FromUnsigned)
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            FloatUnOp::Sqrt => "sqrt",
            FloatUnOp::Integral(Integral::Down) => "floor",
            FloatUnOp::Integral(Integral::Up) => "ceil",
            FloatUnOp::Integral(Integral::Zero) => "trunc",
            FloatUnOp::Integral(Integral::Even) => "rint",
            FloatUnOp::Integral(Integral::Away) => "round",
            FloatUnOp::Convert => "convert",
            FloatUnOp::FromSigned => "from_signed",
            FloatUnOp::FromUnsigned => "from_unsigned",
            FloatUnOp::ToSigned(_) => "to_signed",
            FloatUnOp::ToUnsigned(_) => "to_unsigned",
        }
    }
}
