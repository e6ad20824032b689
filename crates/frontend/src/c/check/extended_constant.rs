//! Constants of type `long double`, by their bits.

use clinch_terms::float::extended::{self, ExtendedOp, WIDTH};
use clinch_terms::float::{FloatBinOp, Format};

use super::constant::Constant;
use crate::c::hir::BinaryOp;

const SIGN: u128 = 1 << (WIDTH - 1);

pub(super) fn of_double(value: f64) -> u128 {
    extended::unary(ExtendedOp::FromFloat(Format::Double), 64, value.to_bits().into())
}

/// An integer of at most 64 bits.
pub(super) fn of_integer(value: i128) -> Option<u128> {
    let signed =
        i64::try_from(value).map(|value| extended::unary(ExtendedOp::FromSigned, 64, u128::from(value as u64)));
    let unsigned = || u64::try_from(value).map(|value| extended::unary(ExtendedOp::FromUnsigned, 64, value.into()));
    signed.or_else(|_| unsigned()).ok()
}

pub(super) fn to_double(bits: u128) -> f64 {
    f64::from_bits(extended::unary(ExtendedOp::ToFloat(Format::Double), WIDTH, bits) as u64)
}

pub(super) fn to_single(bits: u128) -> f32 {
    f32::from_bits(extended::unary(ExtendedOp::ToFloat(Format::Single), WIDTH, bits) as u32)
}

pub(super) fn negation(bits: u128) -> u128 {
    bits ^ SIGN
}

pub(super) fn is_true(bits: u128) -> bool {
    bits & !SIGN != 0
}

pub(super) fn is_nan(bits: u128) -> bool {
    extended::binary(FloatBinOp::Eq, bits, bits) == 0
}

/// The integral part, if it has at most 64 bits.
pub(super) fn whole(bits: u128) -> Option<i128> {
    let holds = |op, a, b| extended::binary(op, a, b) == 1;
    let (least, above) = (of_integer(i64::MIN.into())?, of_integer(1 << 63)?);
    if holds(FloatBinOp::Le, least, bits) && holds(FloatBinOp::Lt, bits, above) {
        return Some((extended::unary(ExtendedOp::ToSigned(64), WIDTH, bits) as u64 as i64).into());
    }
    let limit = extended::parse("18446744073709551616")?;
    let fits = holds(FloatBinOp::Le, above, bits) && holds(FloatBinOp::Lt, bits, limit);
    fits.then(|| extended::unary(ExtendedOp::ToUnsigned(64), WIDTH, bits) as i128)
}

pub(super) fn operation(op: BinaryOp, l: u128, r: u128) -> Option<Constant> {
    // As for doubles: gcc makes a positive NaN of an invalid operation; what it makes of NaNs is not known.
    let number = |op| match extended::binary(op, l, r) {
        result if !is_nan(result) => Some(Constant::Extended(result)),
        _ if is_nan(l) || is_nan(r) => None,
        nan => Some(Constant::Extended(nan & !SIGN)),
    };
    let truth = |op, a, b| Some(Constant::Int(extended::binary(op, a, b) as i128));
    match op {
        BinaryOp::Add => number(FloatBinOp::Add),
        BinaryOp::Sub => number(FloatBinOp::Sub),
        BinaryOp::Mul => number(FloatBinOp::Mul),
        BinaryOp::Div => number(FloatBinOp::Div),
        BinaryOp::Eq => truth(FloatBinOp::Eq, l, r),
        BinaryOp::Ne => Some(Constant::Int(1 - extended::binary(FloatBinOp::Eq, l, r) as i128)),
        BinaryOp::Lt => truth(FloatBinOp::Lt, l, r),
        BinaryOp::Le => truth(FloatBinOp::Le, l, r),
        BinaryOp::Gt => truth(FloatBinOp::Lt, r, l),
        BinaryOp::Ge => truth(FloatBinOp::Le, r, l),
        _ => None,
    }
}
