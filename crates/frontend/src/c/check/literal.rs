//! Constants and string literals.

use clinch_ir::Span;
use clinch_terms::float::extended;
use lang_c::ast::{
    Constant, Expression, Float, FloatBase, FloatFormat, Integer, IntegerBase, IntegerSize, TS18661FloatFormat,
    TS18661FloatType,
};
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::Zero as _;

use super::{Checked, Checker};
use crate::c::hir::{Expr, ExprKind, Place, PlaceKind};
use crate::c::source::raw_byte;
use crate::c::types::{Rank, Type, TypeId};
use crate::diagnostic::Problem;

/// The value of a string literal.
pub(super) struct Text {
    /// With the terminating zero.
    pub(super) bytes: Vec<u8>,
    pub(super) element: TypeId,
    /// Elements, with the terminating zero.
    pub(super) length: u64,
}

impl Text {
    /// As a name, without the terminating zero.
    pub(super) fn readable(&self) -> String {
        String::from_utf8_lossy(&self.bytes).trim_end_matches('\0').to_owned()
    }
}

/// A character as written: a code point, or the value of an escape, which is not encoded.
#[derive(Clone, Copy)]
enum Unit {
    Char(char),
    Code(u32),
}

impl Checker<'_> {
    pub(super) fn literal(&mut self, constant: &Constant, span: Span) -> Checked<Expr> {
        match constant {
            Constant::Integer(integer) => self.integer(integer, span),
            Constant::Float(float) => self.float(float, span),
            Constant::Character(text) => self.character(text, span),
        }
    }

    /// C11 6.4.4.1: the first type of a list that can hold the value.
    fn integer(&mut self, integer: &Integer, span: Span) -> Checked<Expr> {
        let radix = match integer.base {
            IntegerBase::Decimal => 10,
            IntegerBase::Octal => 8,
            IntegerBase::Hexadecimal => 16,
            IntegerBase::Binary => 2,
        };
        let number = if integer.number.is_empty() { "0" } else { &integer.number };
        let value = u64::from_str_radix(number, radix);
        let value = value.map_err(|_| Problem::new(span, "the number does not fit in 64 bits"))?;
        if integer.suffix.imaginary {
            return Ok(unsupported("a complex number", self.basic.double, span));
        }
        let first = match integer.suffix.size {
            IntegerSize::Int => Rank::Int,
            IntegerSize::Long => Rank::Long,
            IntegerSize::LongLong => Rank::LongLong,
        };
        let (unsigned, decimal) = (integer.suffix.unsigned, integer.base == IntegerBase::Decimal);
        let candidates = [Rank::Int, Rank::Long, Rank::LongLong].into_iter().filter(|r| *r >= first);
        for rank in candidates {
            let bits = self.hir.types.bits_of_rank(rank);
            let fits = |bits: u32| bits >= 64 || value >> bits == 0;
            if !unsigned && fits(bits - 1) && value >> (bits - 1) == 0 {
                return Ok(self.integer_of(Type::Int { rank, signed: true }, value, span));
            }
            if (unsigned || !decimal) && fits(bits) {
                return Ok(self.integer_of(Type::Int { rank, signed: false }, value, span));
            }
        }
        // A decimal constant beyond `long long`: gcc takes `__int128`, with a warning.
        Ok(self.integer_of(Type::Int { rank: Rank::Int128, signed: true }, value, span))
    }

    fn integer_of(&mut self, ty: Type, value: u64, span: Span) -> Expr {
        let ty = self.types().intern(ty);
        Expr { kind: ExprKind::Int(i128::from(value)), ty, span }
    }

    pub(super) fn int(&self, value: i128, ty: TypeId, span: Span) -> Expr {
        Expr { kind: ExprKind::Int(self.hir.types.wrap(value, ty)), ty, span }
    }

    fn float(&mut self, float: &Float, span: Span) -> Checked<Expr> {
        let bits = match &float.suffix.format {
            FloatFormat::Float => 32,
            FloatFormat::Double => 64,
            FloatFormat::LongDouble => 80,
            FloatFormat::TS18661Format(format) => float_bits(format).unwrap_or(128),
        };
        let ty = self.types().intern(Type::Float(bits));
        if float.suffix.imaginary {
            return Ok(unsupported("a complex number", ty, span));
        }
        let decimal = decimal(float);
        // Rounded once, from all digits.
        let value = match bits {
            32 => decimal.parse::<f32>().map_or(f64::NAN, f64::from),
            _ => decimal.parse().unwrap_or(f64::NAN),
        };
        if bits == 80 && !is_exactly(&decimal, value) {
            let number = extended::parse(&decimal).ok_or_else(|| Problem::new(span, "a number that is not read"))?;
            return Ok(Expr { kind: ExprKind::Extended(number), ty, span });
        }
        if bits > 64 && !is_exactly(&decimal, value) {
            return Ok(unsupported("a number that needs more than 64 bits", ty, span));
        }
        Ok(Expr { kind: ExprKind::Float(value), ty, span })
    }

    /// `(double)1.7L`, as `float.h` writes limits: a literal of type `long double` that is converted at once.
    pub(super) fn cast_literal(&self, to: TypeId, literal: &Expression) -> Option<f64> {
        let Expression::Constant(constant) = literal else { return None };
        let Constant::Float(float) = &constant.node else { return None };
        if float.suffix.imaginary || !matches!(float.suffix.format, FloatFormat::LongDouble) {
            return None;
        }
        let extended = to_extended(&decimal(float))?;
        match *self.hir.types.get(to) {
            Type::Float(32) => extended.parse::<f32>().ok().map(f64::from),
            Type::Float(64) => extended.parse().ok(),
            _ => None,
        }
    }

    fn character(&mut self, text: &str, span: Span) -> Checked<Expr> {
        let (prefix, body) = split_quotes(text);
        let units = units(body, span)?;
        let int = self.basic.int;
        refuse_raw_bytes(prefix, body, span)?;
        if prefix.is_empty() || prefix == "u8" {
            let mut bytes = Vec::new();
            units.iter().for_each(|u| narrow(*u, &mut bytes));
            let value = match bytes[..] {
                [] => return Err(Problem::new(span, "an empty character constant")),
                [byte] => i128::from(byte as i8),
                _ => i128::from(bytes.iter().fold(0_u32, |v, b| v << 8 | u32::from(*b)) as i32),
            };
            return Ok(self.int(value, int, span));
        }
        let ty = self.wide_type(prefix);
        let size = self.hir.types.size(ty).unwrap_or(4);
        let code = units.last().and_then(|u| elements(*u, size).last().copied());
        let code = code.ok_or_else(|| Problem::new(span, "an empty character constant"))?;
        Ok(self.int(i128::from(code), ty, span))
    }

    /// `wchar_t`, `char16_t`, `char32_t`
    fn wide_type(&mut self, prefix: &str) -> TypeId {
        match prefix {
            "u" => self.types().intern(Type::Int { rank: Rank::Short, signed: false }),
            "U" => self.basic.unsigned,
            _ if self.hir.types.model.pointer_bits() == 32 => self.basic.long,
            _ => self.basic.int,
        }
    }

    /// The value of adjacent string literals.
    pub(super) fn string_parts(&mut self, parts: &[String], span: Span) -> Checked<Text> {
        let wide = parts.iter().map(|p| split_quotes(p).0).find(|p| matches!(*p, "L" | "u" | "U"));
        let element = wide.map_or(self.basic.char, |prefix| self.wide_type(prefix));
        let size = self.hir.types.size(element).unwrap_or(1);
        let mut bytes = Vec::new();
        for part in parts {
            refuse_raw_bytes(wide.unwrap_or_default(), split_quotes(part).1, span)?;
            for unit in units(split_quotes(part).1, span)? {
                if wide.is_none() {
                    narrow(unit, &mut bytes);
                } else {
                    let codes = elements(unit, size);
                    bytes.extend(codes.iter().flat_map(|code| code.to_le_bytes().into_iter().take(size as usize)));
                }
            }
        }
        bytes.extend(std::iter::repeat_n(0, size as usize));
        let length = bytes.len() as u64 / size;
        Ok(Text { bytes, element, length })
    }

    /// A string literal as an object.
    pub(super) fn string_place(&mut self, text: Text, span: Span) -> Place {
        let ty = self.types().intern(Type::Array(text.element, Some(text.length)));
        self.hir.strings.push(text.bytes);
        Place { kind: PlaceKind::String(self.hir.strings.len() - 1), ty, span }
    }
}

/// Something that is recognised and not modelled.
pub(super) fn unsupported(what: &str, ty: TypeId, span: Span) -> Expr {
    Expr { kind: ExprKind::Unsupported(what.to_owned()), ty, span }
}

/// The prefix of a literal, and what stands between its quotes.
/// Bits of a floating type with its width in the name; none for the one that stands for `__int128`.
pub(super) fn float_bits(float: &TS18661FloatType) -> Option<u32> {
    match (&float.format, float.width) {
        (TS18661FloatFormat::DecimalExtended, 128) => None,
        (TS18661FloatFormat::BinaryExtended | TS18661FloatFormat::DecimalExtended, 32) => Some(64),
        (TS18661FloatFormat::BinaryExtended | TS18661FloatFormat::DecimalExtended, 64) => Some(80),
        (_, width) => Some(width as u32),
    }
}

fn split_quotes(literal: &str) -> (&str, &str) {
    let quote = literal.find(['"', '\'']).unwrap_or(0);
    let end = literal.len().saturating_sub(1).max(quote + 1).min(literal.len());
    (&literal[..quote], literal.get(quote + 1..end).unwrap_or(""))
}

/// Wide characters are made from UTF-8.
fn refuse_raw_bytes(prefix: &str, body: &str, span: Span) -> Checked<()> {
    match !matches!(prefix, "" | "u8") && body.chars().any(|c| raw_byte(c).is_some()) {
        true => Err(Problem::new(span, "bytes that are no UTF-8 in a wide literal")),
        false => Ok(()),
    }
}

fn narrow(unit: Unit, bytes: &mut Vec<u8>) {
    match unit {
        Unit::Char(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        Unit::Code(code) => bytes.push(code as u8),
    }
}

/// The elements that a character takes in a string of elements of this size: UTF-16 may need two.
fn elements(unit: Unit, size: u64) -> Vec<u32> {
    match unit {
        Unit::Char(c) if size == 2 => c.encode_utf16(&mut [0; 2]).iter().map(|half| u32::from(*half)).collect(),
        Unit::Char(c) => vec![c as u32],
        Unit::Code(code) => vec![code],
    }
}

fn units(body: &str, span: Span) -> Checked<Vec<Unit>> {
    let mut units = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let unit = match raw_byte(c) {
            Some(byte) => Unit::Code(u32::from(byte)),
            None if c == '\\' => escape(&mut rest, span)?,
            None => Unit::Char(c),
        };
        units.push(unit);
    }
    Ok(units)
}

/// The escape after a backslash.
fn escape(rest: &mut &str, span: Span) -> Checked<Unit> {
    let c = rest.chars().next().ok_or_else(|| Problem::new(span, "an escape without a character"))?;
    if c.is_digit(8) {
        let length = rest.bytes().take(3).take_while(|b| matches!(b, b'0'..=b'7')).count();
        return Ok(Unit::Code(digits(rest, length, 8)));
    }
    *rest = &rest[c.len_utf8()..];
    let most = match c {
        'x' => usize::MAX,
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    if most > 0 {
        let length = rest.bytes().take(most).take_while(u8::is_ascii_hexdigit).count();
        if length == 0 {
            return Err(Problem::new(span, format!("`\\{c}` without hexadecimal digits")));
        }
        let code = digits(rest, length, 16);
        let char = char::from_u32(code).filter(|_| c != 'x');
        return Ok(char.map_or(Unit::Code(code), Unit::Char));
    }
    Ok(match c {
        'n' => Unit::Code(10),
        't' => Unit::Code(9),
        'r' => Unit::Code(13),
        'a' => Unit::Code(7),
        'b' => Unit::Code(8),
        'f' => Unit::Code(12),
        'v' => Unit::Code(11),
        'e' | 'E' => Unit::Code(27),
        other => Unit::Char(other),
    })
}

fn digits(rest: &mut &str, length: usize, radix: u32) -> u32 {
    let (digits, after) = rest.split_at(length);
    *rest = after;
    digits.chars().filter_map(|d| d.to_digit(radix)).fold(0_u32, |v, d| v.wrapping_mul(radix).wrapping_add(d))
}

/// The digits of a literal, in decimal.
fn decimal(float: &Float) -> String {
    match float.base {
        FloatBase::Decimal => float.number.to_string(),
        FloatBase::Hexadecimal => decimal_of(&float.number),
    }
}

/// The number nearest to a decimal one among those with 64 bits, as x87's `long double` has them, in decimal. Subnormal ones are
/// left out.
fn to_extended(decimal: &str) -> Option<String> {
    let exact = rational(decimal)?;
    if exact.is_zero() {
        return Some("0".to_owned());
    }
    let bits = |n: &BigInt| n.bits() as i64;
    // The least power of two with which the quotient has 64 bits at most.
    let mut power = bits(exact.numer()) - bits(exact.denom()) - 64;
    let scaled = |power: i64| &exact / BigRational::from_integer(BigInt::from(2)).pow(power as i32);
    let limit = BigRational::from_integer(BigInt::from(1_u8) << 64_u32);
    while scaled(power) >= limit {
        power += 1;
    }
    let (quotient, half) = (scaled(power), BigRational::new(BigInt::from(1_u8), BigInt::from(2_u8)));
    let (floor, rest) = (quotient.floor().to_integer(), quotient.fract());
    let up = rest > half || rest == half && floor.bit(0);
    let mantissa = if up { floor + 1_u8 } else { floor };
    Some(decimal_of(&format!("{mantissa:x}p{power}")))
}

/// `1.8p3`, without the `0x`, in decimal: the same number, with all its digits.
fn decimal_of(number: &str) -> String {
    let (mantissa, exponent) = number.split_once(['p', 'P']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("0{whole}{fraction}");
    let mantissa = BigUint::parse_bytes(digits.as_bytes(), 16).unwrap_or_default();
    let exponent = exponent.parse().unwrap_or(0_i64).saturating_sub(4 * fraction.len() as i64);
    // Beyond that every number is zero or infinite.
    let exponent = exponent.clamp(-MOST_EXPONENT, MOST_EXPONENT);
    match u32::try_from(exponent) {
        Ok(exponent) => (mantissa << exponent).to_string(),
        // m / 2^n = m * 5^n / 10^n
        Err(_) => format!("{}e{exponent}", mantissa * BigUint::from(5_u32).pow(exponent.unsigned_abs() as u32)),
    }
}

/// Exponents of two that matter.
const MOST_EXPONENT: i64 = 20_000;

/// Whether a number in decimal is this one, not only near to it.
fn is_exactly(decimal: &str, value: f64) -> bool {
    let (Some(exact), Some(found)) = (rational(decimal), BigRational::from_float(value)) else { return false };
    exact == found
}

/// The number that is written in decimal, unless its exponent is too large.
fn rational(decimal: &str) -> Option<BigRational> {
    let (mantissa, exponent) = decimal.split_once(['e', 'E']).unwrap_or((decimal, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.parse::<i64>().ok()? - fraction.len() as i64;
    if exponent.abs() > MOST_EXPONENT {
        return None;
    }
    let digits = format!("0{whole}{fraction}").parse::<BigInt>().ok()?;
    let ten = BigRational::from_integer(BigInt::from(10)).pow(exponent as i32);
    Some(BigRational::from_integer(digits) * ten)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_numbers_are_rounded_once() {
        let double = |text: &str| decimal_of(text).parse::<f64>().unwrap().to_bits();
        assert_eq!(double("1.8p3"), 12.0_f64.to_bits());
        assert_eq!(double("1.000000000000081p0"), 4_607_182_418_800_017_409);
        assert_eq!(decimal_of("1.00000100000000001p0").parse::<f32>().unwrap().to_bits(), 1_065_353_217);
        assert_eq!(double("1p-99999999"), 0);
        assert_eq!(double("1p99999999"), f64::INFINITY.to_bits());
    }

    #[test]
    fn limits_are_rounded_to_80_bits_first() {
        let double = |text: &str| to_extended(text).unwrap().parse::<f64>().unwrap();
        assert_eq!(double("1.79769313486231570814527423731704356798070e+308"), f64::MAX);
        assert_eq!(double("2.22507385850720138309023271733240406421921e-308"), f64::MIN_POSITIVE);
        assert_eq!(double("2.22044604925031308084726333618164062500e-16"), f64::EPSILON);
        assert_eq!(double("4.94065645841246544176568792868221372365059e-324"), 5e-324);
        // Just above the middle between 1 and the next double: 80 bits cannot tell, and the tie goes to 1.
        assert_eq!(double("1.00000000000000011102230246251565404237"), 1.0);
        assert_eq!(double("0.0"), 0.0);
    }

    #[test]
    fn numbers_are_exact_or_not() {
        assert!(is_exactly("0.5", 0.5));
        assert!(is_exactly("1e3", 1000.0));
        assert!(!is_exactly("0.1", 0.1));
    }
}
