//! Floating-point numbers as `printf` writes them.

use super::Spec;

/// The text of a number for `%f`, `%e` or `%g`, without its sign.
fn magnitude(spec: &Spec, value: f64) -> String {
    let precision = spec.precision.unwrap_or(6);
    match spec.conversion.to_ascii_lowercase() {
        b'f' => fixed(value, precision, spec.alternative),
        b'e' => scientific(value, precision, spec.alternative),
        _ => {
            let digits = precision.max(1);
            let exponent = exponent(&scientific(value, digits - 1, false));
            let text = match i32::try_from(digits).is_ok_and(|digits| (-4..digits).contains(&exponent)) {
                true => fixed(value, (digits as i32 - 1 - exponent) as usize, spec.alternative),
                false => scientific(value, digits - 1, spec.alternative),
            };
            if spec.alternative { text } else { without_zeros(&text) }
        }
    }
}

fn fixed(value: f64, precision: usize, point: bool) -> String {
    let text = format!("{value:.precision$}");
    if point && precision == 0 { text + "." } else { text }
}

/// `1.5e+00`: the exponent has a sign and two digits at least.
fn scientific(value: f64, precision: usize, point: bool) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    let point = if point && precision == 0 { "." } else { "" };
    format!("{mantissa}{point}e{sign}{digits:0>2}")
}

fn exponent(scientific: &str) -> i32 {
    scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

/// What `%g` leaves out.
fn without_zeros(text: &str) -> String {
    let (mantissa, exponent) = text.find('e').map_or((text, ""), |at| text.split_at(at));
    let mantissa = if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    format!("{mantissa}{exponent}")
}

/// The text of a number, with zeros in front if they are asked for.
pub(super) fn text(spec: &Spec, value: f64) -> Vec<u8> {
    let sign = match value.is_sign_negative() {
        true => "-",
        false if spec.plus => "+",
        false if spec.space => " ",
        false => "",
    };
    let digits = match () {
        () if value.is_nan() => "nan".to_owned(),
        () if value.is_infinite() => "inf".to_owned(),
        () => magnitude(spec, value.abs()),
    };
    let zeros = match spec.zero && !spec.left && value.is_finite() {
        true => spec.width.saturating_sub(sign.len() + digits.len()),
        false => 0,
    };
    let text = format!("{sign}{}{digits}", "0".repeat(zeros));
    if spec.conversion.is_ascii_uppercase() { text.to_ascii_uppercase().into_bytes() } else { text.into_bytes() }
}
