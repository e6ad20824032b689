//! Names that lang-c does not read: with `$`, or with letters beyond ASCII, as they are or as `\u00e9`.

use std::borrow::Cow;

/// Begins the name that stands for such a one.
const PREFIX: &str = "__clinch_name_";
/// Separates a name from a number that tells it from others of the same name.
const NUMBER: &str = "__clinch_nr_";

/// A name that lang-c reads, for one that it does not.
pub(super) fn encoded(name: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.chars().all(plain) {
        return None;
    }
    let mut out = PREFIX.to_owned();
    for c in universal(name).chars() {
        match c {
            c if c.is_ascii_alphanumeric() => out.push(c),
            c => out.push_str(&format!("_{:x}_", c as u32)),
        }
    }
    Some(out)
}

/// The name with letters instead of their universal character names.
fn universal(name: &str) -> Cow<'_, str> {
    if !name.contains('\\') {
        return name.into();
    }
    let mut out = String::new();
    let mut rest = name;
    while let Some(p) = rest.find('\\') {
        let digits = if rest[p..].starts_with("\\U") { 8 } else { 4 };
        out.push_str(&rest[..p]);
        let code = rest.get(p + 2..p + 2 + digits).and_then(|d| u32::from_str_radix(d, 16).ok());
        out.extend(code.and_then(char::from_u32));
        rest = rest.get(p + 2 + digits..).unwrap_or("");
    }
    out.push_str(rest);
    out.into()
}

/// A name that differs from others of the same name.
pub(super) fn numbered(name: &str, number: usize) -> String {
    format!("{name}{NUMBER}{number}")
}

/// The name as the program has it.
pub(crate) fn readable(name: &str) -> Cow<'_, str> {
    let name = name.split_once(NUMBER).map_or(name, |(name, _)| name);
    let Some(code) = name.strip_prefix(PREFIX) else { return name.into() };
    let mut out = String::new();
    for (i, part) in code.split('_').enumerate() {
        match i % 2 {
            0 => out.push_str(part),
            _ => out.extend(u32::from_str_radix(part, 16).ok().and_then(char::from_u32)),
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_again() {
        for name in ["größe", "a$b", "$", "x_ö_1", "_$_"] {
            let code = encoded(name).expect("these are not ASCII letters");
            assert!(code.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
            assert_eq!(readable(&code), name);
        }
        assert_eq!(encoded("gr\\u00f6\\U000000dfe"), encoded("größe"));
        assert_eq!(encoded("plain_1"), None);
        assert_eq!(readable(&numbered("ERROR", 3)), "ERROR");
    }
}
