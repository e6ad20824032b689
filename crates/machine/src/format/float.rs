//! Floating-point numbers as `printf` writes them.

use num_bigint::BigUint;
use num_traits::Pow;

use super::Spec;

/// A number of any format, taken apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    negative: bool,
    magnitude: Magnitude,
    /// Bits of the significand behind the first hexadecimal digit, and those of the digit itself.
    fraction: u32,
}

#[derive(Clone, Copy, Debug)]
enum Magnitude {
    Nan,
    Infinite,
    /// `significand * 2^exponent`
    Finite {
        significand: u64,
        exponent: i32,
    },
}

impl Number {
    pub(super) fn double(bits: u64) -> Number {
        let (field, low) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
        let magnitude = match (field, low) {
            (0x7ff, 0) => Magnitude::Infinite,
            (0x7ff, _) => Magnitude::Nan,
            (0, _) => Magnitude::Finite { significand: low, exponent: -1074 },
            _ => Magnitude::Finite { significand: low | 1 << 52, exponent: field - 1075 },
        };
        Number { negative: bits >> 63 == 1, magnitude, fraction: 52 }
    }

    /// A number of x87's extended precision: its significand, and its exponent with the sign.
    pub(super) fn extended(significand: u64, high: u16) -> Number {
        let field = i32::from(high & 0x7fff);
        let magnitude = match (field, significand << 1) {
            (0x7fff, 0) => Magnitude::Infinite,
            (0x7fff, _) => Magnitude::Nan,
            _ => Magnitude::Finite { significand, exponent: field.max(1) - 16446 },
        };
        Number { negative: high >> 15 == 1, magnitude, fraction: 60 }
    }
}

/// The text of a number, with zeros in front if they are asked for.
pub(super) fn text(spec: &Spec, number: Number) -> Vec<u8> {
    let sign = match number.negative {
        true => "-",
        false if spec.plus => "+",
        false if spec.space => " ",
        false => "",
    };
    let is_hexadecimal = spec.conversion.eq_ignore_ascii_case(&b'a');
    let (prefix, digits) = match number.magnitude {
        Magnitude::Nan => ("", "nan".to_owned()),
        Magnitude::Infinite => ("", "inf".to_owned()),
        Magnitude::Finite { significand, exponent } if is_hexadecimal => {
            ("0x", hexadecimal(spec, significand, exponent, number.fraction))
        }
        Magnitude::Finite { significand, exponent } => ("", decimal(spec, &Exact { significand, exponent })),
    };
    let zeros = match spec.zero && !spec.left && matches!(number.magnitude, Magnitude::Finite { .. }) {
        true => spec.width.saturating_sub(sign.len() + prefix.len() + digits.len()),
        false => 0,
    };
    let text = format!("{sign}{prefix}{}{digits}", "0".repeat(zeros));
    if spec.conversion.is_ascii_uppercase() { text.to_ascii_uppercase().into_bytes() } else { text.into_bytes() }
}

/// `1.8p+1`, with as many digits as the number needs or as are asked for.
fn hexadecimal(spec: &Spec, significand: u64, exponent: i32, fraction: u32) -> String {
    let mut digits = u128::from(significand);
    let mut places = (fraction / 4) as usize;
    let power = if significand == 0 { 0 } else { exponent + fraction as i32 };
    match spec.precision {
        Some(precision) if precision < places => {
            let lost = 4 * (places - precision) as u32;
            let (kept, rest, half) = (digits >> lost, digits & ((1 << lost) - 1), 1 << (lost - 1));
            digits = kept + u128::from(rest > half || rest == half && kept & 1 == 1);
            places = precision;
        }
        Some(_) => {}
        None => {
            while places > 0 && digits & 15 == 0 {
                digits >>= 4;
                places -= 1;
            }
        }
    }
    let (whole, rest) = (digits >> (4 * places), digits & ((1 << (4 * places)) - 1));
    let rest = if places > 0 { format!("{rest:0places$x}") } else { String::new() };
    let more = "0".repeat(spec.precision.unwrap_or(0).saturating_sub(places));
    let point = if rest.is_empty() && more.is_empty() && !spec.alternative { "" } else { "." };
    format!("{whole:x}{point}{rest}{more}p{power:+}")
}

/// The text of a number for `%f`, `%e` or `%g`, without its sign.
fn decimal(spec: &Spec, value: &Exact) -> String {
    let precision = spec.precision.unwrap_or(6);
    match spec.conversion.to_ascii_lowercase() {
        b'f' => value.fixed(precision, spec.alternative),
        b'e' => value.scientific(precision, spec.alternative).0,
        _ => {
            let digits = precision.max(1);
            let (scientific, exponent) = value.scientific(digits - 1, spec.alternative);
            let text = match i32::try_from(digits).is_ok_and(|digits| (-4..digits).contains(&exponent)) {
                true => value.fixed((digits as i32 - 1 - exponent) as usize, spec.alternative),
                false => scientific,
            };
            if spec.alternative { text } else { without_zeros(&text) }
        }
    }
}

/// What `%g` leaves out.
fn without_zeros(text: &str) -> String {
    let (mantissa, exponent) = text.find('e').map_or((text, ""), |at| text.split_at(at));
    let mantissa = if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    format!("{mantissa}{exponent}")
}

/// `significand * 2^exponent`
struct Exact {
    significand: u64,
    exponent: i32,
}

impl Exact {
    /// The integer nearest to the number times a power of ten, ties to even.
    fn scaled(&self, tens: i32) -> BigUint {
        let ten = |power: i32| BigUint::from(10_u8).pow(power.unsigned_abs());
        let (mut above, mut below) = (BigUint::from(self.significand), BigUint::from(1_u8));
        if tens >= 0 {
            above *= ten(tens)
        } else {
            below *= ten(tens)
        }
        if self.exponent >= 0 {
            above <<= self.exponent
        } else {
            below <<= self.exponent.unsigned_abs()
        }
        let (whole, rest) = (&above / &below, &above % &below);
        let twice = rest << 1_u8;
        let up = twice > below || twice == below && whole.bit(0);
        whole + u8::from(up)
    }

    fn fixed(&self, precision: usize, point: bool) -> String {
        let digits = self.scaled(precision as i32).to_string();
        let digits = format!("{digits:0>width$}", width = precision + 1);
        with_point(&digits, digits.len() - precision, point)
    }

    /// `1.5e+00`: the exponent has a sign and two digits at least.
    fn scientific(&self, precision: usize, point: bool) -> (String, i32) {
        let mut exponent = match self.significand {
            0 => 0,
            // Errors of the logarithm make it less, never more.
            significand => {
                ((significand as f64).log10() + f64::from(self.exponent) * 2_f64.log10() - 1e-6).floor() as i32
            }
        };
        let digits = loop {
            let digits = self.scaled(precision as i32 - exponent).to_string();
            let digits = format!("{digits:0>width$}", width = precision + 1);
            if digits.len() == precision + 1 {
                break digits;
            }
            // The exponent was too small, or rounding made one more digit.
            exponent += 1;
        };
        let sign = if exponent < 0 { '-' } else { '+' };
        (format!("{}e{sign}{:02}", with_point(&digits, 1, point), exponent.unsigned_abs()), exponent)
    }
}

/// Digits with a point behind the first ones.
fn with_point(digits: &str, whole: usize, point: bool) -> String {
    let (whole, rest) = digits.split_at(whole);
    let point = if rest.is_empty() && !point { "" } else { "." };
    format!("{whole}{point}{rest}")
}
