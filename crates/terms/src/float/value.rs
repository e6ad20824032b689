//! What the operations compute, on the bits of numbers, with the floats of the machine this runs on.
//!
//! Which NaN the machine makes is not fixed by Rust, so NaNs are made here.

use super::{FloatBinOp, FloatUnOp, Format, Integral};

/// Whether the bits are those of a NaN.
pub fn is_nan(format: Format, bits: u64) -> bool {
    bits & !format.sign() > format.infinity()
}

/// The result of an operation on two numbers: bits, or 1 and 0 for truth values.
#[inline]
pub fn binary(op: FloatBinOp, format: Format, a: u64, b: u64) -> u64 {
    let result = match format {
        Format::Single => {
            op.apply(f32::from_bits(a as u32), f32::from_bits(b as u32)).map(|result| result.to_bits().into())
        }
        Format::Double => op.apply(f64::from_bits(a), f64::from_bits(b)).map(f64::to_bits),
    };
    match result {
        Ok(bits) if is_nan(format, bits) => nan_of(format, &[a, b]),
        Ok(bits) => bits,
        Err(truth) => truth.into(),
    }
}

/// `a * b + c`, rounded once.
pub fn fma(format: Format, a: u64, b: u64, c: u64) -> u64 {
    let single = |bits: u64| f32::from_bits(bits as u32);
    let result = match format {
        Format::Single => single(a).mul_add(single(b), single(c)).to_bits().into(),
        Format::Double => f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits(),
    };
    if is_nan(format, result) { nan_of(format, &[a, b, c]) } else { result }
}

/// The NaN that an operation makes.
#[cold]
fn nan_of(format: Format, operands: &[u64]) -> u64 {
    operands
        .iter()
        .copied()
        .find(|&bits| is_nan(format, bits))
        .map_or(format.default_nan(), |bits| bits | format.quiet())
}

/// The result of an operation on one number. `width` is that of the operand: integers may have any up to 64 bits.
#[inline]
pub fn unary(op: FloatUnOp, format: Format, width: u32, a: u64) -> u64 {
    match op {
        FloatUnOp::FromSigned => from_integer(format, signed(width, a).into()),
        FloatUnOp::FromUnsigned => from_integer(format, a.into()),
        FloatUnOp::Convert => convert(format, a),
        FloatUnOp::ToSigned(bits) => {
            let (least, most) = (-1_i128 << (bits - 1), (1_i128 << (bits - 1)) - 1);
            to_integer(format, a, least, most, bits)
        }
        FloatUnOp::ToUnsigned(bits) => to_integer(format, a, 0, (1_i128 << bits) - 1, bits),
        FloatUnOp::Sqrt | FloatUnOp::Integral(_) if is_nan(format, a) => a | format.quiet(),
        FloatUnOp::Sqrt => match format {
            Format::Single => known(format, f32::from_bits(a as u32).sqrt().to_bits().into()),
            Format::Double => known(format, f64::from_bits(a).sqrt().to_bits()),
        },
        FloatUnOp::Integral(how) => match format {
            // Every integral single is an integral double and the other way round.
            Format::Single => (integral(how, f32::from_bits(a as u32).into()) as f32).to_bits().into(),
            Format::Double => integral(how, f64::from_bits(a)).to_bits(),
        },
    }
}

fn integral(how: Integral, x: f64) -> f64 {
    match how {
        Integral::Down => x.floor(),
        Integral::Up => x.ceil(),
        Integral::Zero => x.trunc(),
        Integral::Even => x.round_ties_even(),
        Integral::Away => x.round(),
    }
}

/// The bits, or those of the default NaN for any other one.
fn known(format: Format, bits: u64) -> u64 {
    if is_nan(format, bits) { format.default_nan() } else { bits }
}

fn signed(width: u32, bits: u64) -> i64 {
    let unused = 64 - width.clamp(1, 64);
    ((bits << unused) as i64) >> unused
}

fn from_integer(format: Format, value: i128) -> u64 {
    match format {
        Format::Single => (value as f32).to_bits().into(),
        Format::Double => (value as f64).to_bits(),
    }
}

fn convert(from: Format, a: u64) -> u64 {
    if is_nan(from, a) {
        let to = from.other();
        let sign = if a & from.sign() == 0 { 0 } else { to.sign() };
        let payload = a & !(from.sign() | from.infinity());
        let payload = match from {
            Format::Single => payload << (to.fraction() - from.fraction()),
            Format::Double => payload >> (from.fraction() - to.fraction()),
        };
        return sign | to.infinity() | to.quiet() | payload;
    }
    match from {
        Format::Single => f64::from(f32::from_bits(a as u32)).to_bits(),
        Format::Double => (f64::from_bits(a) as f32).to_bits().into(),
    }
}

/// The integer, rounded toward zero, if it is one within the bounds.
fn whole(format: Format, a: u64, least: i128, most: i128) -> Option<i128> {
    let value = match format {
        Format::Single => f64::from(f32::from_bits(a as u32)),
        Format::Double => f64::from_bits(a),
    };
    // Beyond, the conversion to 128 bits would not be exact; a NaN is in no range.
    let whole = (value.abs() < 1e30).then_some(value.trunc() as i128)?;
    (least..=most).contains(&whole).then_some(whole)
}

fn to_integer(format: Format, a: u64, least: i128, most: i128, bits: u8) -> u64 {
    let mask = u64::MAX >> (64 - u32::from(bits));
    whole(format, a, least, most).map_or(1 << (bits - 1), |value| value as u64 & mask)
}
