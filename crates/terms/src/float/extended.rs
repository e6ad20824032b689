//! x87's extended precision, C's `long double` on x86.
//!
//! A number has 80 bits, more than a word of the machine: the sign, 15 bits of exponent, and 64 bits of significand, of which the
//! leading one is stored. It says nothing that the exponent does not say: operations read it as set where the exponent is not
//! zero. Processors refuse other encodings, or read them in their own way; who lets a program make some has to exclude them.
//!
//! As for the other formats every operation is total, rounds to the nearest number, and its result is fixed to the bit; of two
//! NaNs the first one is the result (x87 takes the larger one).

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use rustc_apfloat::ieee::{Double, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status, StatusAnd};

use super::{FloatBinOp, FloatUnOp, Format, Integral};

/// Bits of a number.
pub const WIDTH: u32 = 80;

/// Bits of the significand without the leading one.
pub const FRACTION: u32 = 63;

const SIGN: u128 = 1 << 79;
const LEADING: u128 = 1 << FRACTION;
const QUIET: u128 = 1 << (FRACTION - 1);
const INFINITY: u128 = 0x7fff << 64 | LEADING;
const DEFAULT_NAN: u128 = SIGN | INFINITY | QUIET;

/// An operation on one number, or one that makes such a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
pub enum ExtendedOp {
    /// The square root.
    Sqrt,
    /// An integral number near it.
    Integral(Integral),
    /// The number of another format.
    FromFloat(Format),
    /// The nearest number of another format.
    ToFloat(Format),
    /// Of a signed integer of any width up to 64: the number, exactly.
    FromSigned,
    /// Of an unsigned integer of any width up to 64: the number, exactly.
    FromUnsigned,
    /// The signed integer of so many bits (up to 64), rounded toward zero. Where it does not fit: the least one; programs must not ask.
    ToSigned(u8),
    /// The unsigned integer of so many bits (up to 64), rounded toward zero. Where it does not fit: the one with only the highest
    /// bit; programs must not ask.
    ToUnsigned(u8),
}

impl ExtendedOp {
    /// How many bits the result has.
    pub fn width(self) -> u32 {
        match self {
            ExtendedOp::Sqrt | ExtendedOp::Integral(_) => WIDTH,
            ExtendedOp::FromFloat(_) | ExtendedOp::FromSigned | ExtendedOp::FromUnsigned => WIDTH,
            ExtendedOp::ToFloat(format) => format.width(),
            ExtendedOp::ToSigned(width) | ExtendedOp::ToUnsigned(width) => width.into(),
        }
    }

    /// Whether it takes an operand of so many bits.
    pub fn takes(self, width: u32) -> bool {
        match self {
            ExtendedOp::FromFloat(format) => width == format.width(),
            ExtendedOp::FromSigned | ExtendedOp::FromUnsigned => (1..=64).contains(&width),
            ExtendedOp::Sqrt | ExtendedOp::Integral(_) | ExtendedOp::ToFloat(_) => width == WIDTH,
            ExtendedOp::ToSigned(bits) | ExtendedOp::ToUnsigned(bits) => width == WIDTH && (1..=64).contains(&bits),
        }
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            ExtendedOp::Sqrt => FloatUnOp::Sqrt.name(),
            ExtendedOp::Integral(how) => FloatUnOp::Integral(how).name(),
            ExtendedOp::FromFloat(_) | ExtendedOp::ToFloat(_) => "convert",
            ExtendedOp::FromSigned => "from_signed",
            ExtendedOp::FromUnsigned => "from_unsigned",
            ExtendedOp::ToSigned(_) => "to_signed",
            ExtendedOp::ToUnsigned(_) => "to_unsigned",
        }
    }
}

/// The bits with the leading bit of the significand that the exponent asks for.
fn canonical(bits: u128) -> u128 {
    let is_normal = bits >> 64 & 0x7fff != 0;
    if is_normal { bits | LEADING } else { bits & !LEADING }
}

fn number(bits: u128) -> X87DoubleExtended {
    X87DoubleExtended::from_bits(canonical(bits))
}

/// The number that a decimal text stands for.
pub fn parse(decimal: &str) -> Option<u128> {
    X87DoubleExtended::from_str_r(decimal, Round::NearestTiesToEven).ok().map(|parsed| parsed.value.to_bits())
}

/// The result of an operation on two numbers: bits, or 1 and 0 for truth values.
pub fn binary(op: FloatBinOp, a: u128, b: u128) -> u128 {
    let (x, y) = (number(a), number(b));
    let result = match op.apply(x, y) {
        Ok(result) => result,
        Err(truth) => return truth.into(),
    };
    if !result.value.is_nan() {
        return result.value.to_bits();
    }
    let operand = [(a, x), (b, y)].into_iter().find(|(_, number)| number.is_nan());
    operand.map_or(DEFAULT_NAN, |(bits, _)| canonical(bits) | QUIET)
}

/// The result of an operation on one number. `width` is that of the operand.
pub fn unary(op: ExtendedOp, width: u32, a: u128) -> u128 {
    match op {
        ExtendedOp::Sqrt | ExtendedOp::Integral(_) if number(a).is_nan() => canonical(a) | QUIET,
        ExtendedOp::Sqrt => square_root(number(a)),
        ExtendedOp::Integral(how) => number(a).round_to_integral(rounding(how)).value.to_bits(),
        ExtendedOp::FromFloat(format) => from_float(format, a),
        ExtendedOp::ToFloat(format) => to_float(format, a),
        ExtendedOp::FromSigned => {
            let unused = 128 - width;
            X87DoubleExtended::from_i128((a << unused) as i128 >> unused).value.to_bits()
        }
        ExtendedOp::FromUnsigned => X87DoubleExtended::from_u128(a).value.to_bits(),
        ExtendedOp::ToSigned(bits) => {
            let whole = number(a).to_i128_r(bits.into(), Round::TowardZero, &mut false);
            let mask = u128::MAX >> (128 - u32::from(bits));
            unless_invalid(whole.map(|value| value as u128 & mask), bits)
        }
        ExtendedOp::ToUnsigned(bits) => {
            unless_invalid(number(a).to_u128_r(bits.into(), Round::TowardZero, &mut false), bits)
        }
    }
}

fn rounding(how: Integral) -> Round {
    match how {
        Integral::Down => Round::TowardNegative,
        Integral::Up => Round::TowardPositive,
        Integral::Zero => Round::TowardZero,
        Integral::Even => Round::NearestTiesToEven,
        Integral::Away => Round::NearestTiesToAway,
    }
}

/// The root of a number that is no NaN, from that of an integer with twice as many digits.
fn square_root(x: X87DoubleExtended) -> u128 {
    if x.is_zero() || x.is_infinite() && !x.is_negative() {
        return x.to_bits();
    }
    if x.is_negative() {
        return DEFAULT_NAN;
    }
    let exponent = x.ilogb();
    // An integer of 64 bits times an even power of two.
    let half = (exponent - 63).div_euclid(2);
    let whole = x.scalbn(-2 * half).to_u128(128).value;
    // Of its root, digits behind the point decide how to round; the last one stands for those that follow.
    const BEHIND: usize = 40;
    let radicand = BigUint::from(whole) << (2 * BEHIND);
    let root = radicand.sqrt();
    let inexact = &root * &root != radicand;
    let digits = root.to_u128().expect("half as many digits") << 1 | u128::from(inexact);
    X87DoubleExtended::from_u128(digits).value.scalbn(half - BEHIND as i32 - 1).to_bits()
}

fn unless_invalid(whole: StatusAnd<u128>, bits: u8) -> u128 {
    if whole.status.contains(Status::INVALID_OP) { 1 << (bits - 1) } else { whole.value }
}

fn from_float(format: Format, a: u128) -> u128 {
    let bits = a as u64;
    if super::value::is_nan(format, bits) {
        let payload = u128::from(bits & (format.quiet() - 1)) << (FRACTION - format.fraction());
        let sign = if bits & format.sign() == 0 { 0 } else { SIGN };
        return sign | INFINITY | QUIET | payload;
    }
    let exact: StatusAnd<X87DoubleExtended> = match format {
        Format::Single => Single::from_bits(a).convert(&mut false),
        Format::Double => Double::from_bits(a).convert(&mut false),
    };
    exact.value.to_bits()
}

fn to_float(format: Format, a: u128) -> u128 {
    let x = number(a);
    if x.is_nan() {
        let payload = (a & (QUIET - 1)) >> (FRACTION - format.fraction());
        let sign = if a & SIGN == 0 { 0 } else { format.sign() };
        return payload | u128::from(sign | format.infinity() | format.quiet());
    }
    match format {
        Format::Single => FloatConvert::<Single>::convert(x, &mut false).value.to_bits(),
        Format::Double => FloatConvert::<Double>::convert(x, &mut false).value.to_bits(),
    }
}
