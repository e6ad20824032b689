//! Random constants, as the holes of templates ask for them.

use crate::rng::Rng;

/// Pieces of a string: letters, escapes, characters of two, three and four bytes, of which the last are two units in UTF-16.
/// An octal escape that is followed by a digit ends early, a hexadecimal one never does: those end their literal.
const PIECES: [&str; 26] = [
    "a",
    "Z",
    "q7",
    "%d",
    "/*",
    "//",
    "??=",
    "\\n",
    "\\\\",
    "\\\"",
    "\\'",
    "\\e",
    "\\a",
    "\\?",
    "\\0",
    "\\12",
    "\\3778",
    "\\18",
    "\\x41\" \"",
    "\\xff\" \"",
    "\\x80\" \"",
    "é",
    "€",
    "😀",
    "\\u20ac",
    "\\U0001F600",
];

/// What stands between the quotes of a string.
pub(crate) fn text(rng: &mut Rng) -> String {
    (0..rng.range(0, 4)).map(|_| *rng.pick(&PIECES)).collect()
}

/// Constants of characters: with values beyond a byte or a sign, of several characters, with a prefix.
const CHARACTERS: [&str; 30] = [
    "'a'",
    "'\\377'",
    "'\\x80'",
    "'\\0'",
    "'\\''",
    "'\"'",
    "'\\\\'",
    "'\\e'",
    "'ab'",
    "'abcd'",
    "'\\0a'",
    "'\\377a'",
    "'a\\377'",
    "'é'",
    "'??'",
    "L'a'",
    "L'é'",
    "L'\\xffffffff'",
    "L'\\377'",
    "u'€'",
    "u'\\xffff'",
    "u'\\u20ac'",
    "u'\\377'",
    "U'😀'",
    "U'\\U0001F600'",
    "U'\\xffffffff'",
    "U'\\xff'",
    "L'😀'",
    "'\\xff\\xff'",
    "u'\\177777'",
];

pub(crate) fn character(rng: &mut Rng) -> String {
    (*rng.pick(&CHARACTERS)).to_owned()
}

/// An integer constant in some base, with some suffix. A decimal one without `u` is a value of `long`.
pub(crate) fn integer(rng: &mut Rng) -> String {
    let suffix = *rng.pick(&["", "", "", "u", "U", "l", "L", "ul", "LU", "ll", "LL", "ull", "LLu"]);
    let value = (1u64 << rng.below(64)).wrapping_sub(rng.below(3) as u64) >> (rng.below(3) * 8);
    let digits = match rng.below(5) {
        0 => format!("{value:#x}"),
        1 => format!("0X{value:X}"),
        2 => format!("0{value:o}"),
        3 => format!("0b{value:b}"),
        _ if suffix.to_lowercase().contains('u') => value.to_string(),
        _ => (value >> 1).to_string(),
    };
    digits + suffix
}

/// A floating constant, decimal or hexadecimal, whose magnitude is less than 2^40.
pub(crate) fn float(rng: &mut Rng) -> String {
    let suffix = *rng.pick(&["", "", "f", "F", "l"]);
    let (whole, part) = (rng.next() >> rng.range(40, 62), rng.next() >> rng.range(40, 62));
    let digits = match rng.below(6) {
        0 => format!("{whole:#x}.{part:x}p{}", rng.range(0, 12)),
        1 => format!("0x.{part:x}p{}", rng.range(0, 20)),
        2 => format!("{whole}e-{}", rng.range(0, 5)),
        3 => format!(".{part}e{}", rng.range(0, 9)),
        4 => format!("{whole}."),
        _ => format!("{whole}.{part}"),
    };
    digits + suffix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_fit_their_types() {
        let mut rng = Rng::new(5);
        for _ in 0..500 {
            let text = integer(&mut rng);
            let decimal: String = text.chars().take_while(char::is_ascii_digit).collect();
            if !text.starts_with('0') && !text.to_lowercase().contains('u') {
                assert!(decimal.parse::<i64>().is_ok(), "{text}");
            }
        }
    }
}
