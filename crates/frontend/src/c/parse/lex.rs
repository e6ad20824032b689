//! Tokens of preprocessed C: as much as rewriting needs.

use std::borrow::Cow;
use std::ops::Range;

use clinch_ir::Span;

use crate::diagnostic::Problem;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A name or keyword.
    Word,
    /// A number.
    Number,
    /// A string or character literal with its prefix.
    Literal,
    /// An operator or bracket.
    Punctuation,
}

/// A token.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
}

/// The tokens of a text, and the stretches between that lang-c does not read: comments, directives, odd white space.
pub(super) struct Lexed {
    pub(super) tokens: Vec<Token>,
    pub(super) blanks: Vec<Range<usize>>,
}

const OPERATORS: [&str; 28] = [
    "...", "<:", ":>", "<%", "%>", "%:", "<<=", ">>=", "&&", "||", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
    "!=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##",
];

/// The text with brackets and braces instead of their digraphs (C11 6.4.6, 3), each with a space so that offsets stay.
pub(super) fn without_digraphs(text: &str) -> Result<Cow<'_, str>, Problem> {
    if !["<:", "<%", ":>", "%>"].iter().any(|d| text.contains(d)) {
        return Ok(text.into());
    }
    let mut plain = text.to_owned();
    for Token { range, .. } in lex(text)?.tokens {
        let instead = match &text[range.clone()] {
            "<:" => "[ ",
            ":>" => "] ",
            "<%" => "{ ",
            "%>" => "} ",
            _ => continue,
        };
        plain.replace_range(range, instead);
    }
    Ok(plain.into())
}

/// Splits a text into tokens.
pub(super) fn lex(text: &str) -> Result<Lexed, Problem> {
    let bytes = text.as_bytes();
    let mut lexed = Lexed { tokens: Vec::with_capacity(bytes.len() / 4), blanks: Vec::new() };
    let (mut at, mut line_start) = (0, true);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let start = at;
        match bytes[at] {
            b'\n' => {
                at += 1;
                line_start = true;
                continue;
            }
            b' ' | b'\t' => {
                at += 1;
                continue;
            }
            b'#' if line_start => at = end_of_directive(bytes, at),
            b'/' if rest.starts_with(b"//") => at = end_of_directive(bytes, at),
            b'/' if rest.starts_with(b"/*") => at = end_of_comment(text, at)?,
            b'\r' | 0x0b | 0x0c => at += 1,
            b'\\' if rest.starts_with(b"\\\n") => at += 2,
            b'\\' if rest.starts_with(b"\\\r\n") => at += 3,
            _ => {
                let token = token(text, at)?;
                at = token.range.end;
                lexed.tokens.push(token);
                line_start = false;
                continue;
            }
        }
        lexed.blanks.push(start..at);
    }
    Ok(lexed)
}

fn end_of_line(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |p| at + p)
}

/// A directive or a comment goes on where its line ends in a backslash.
fn end_of_directive(bytes: &[u8], at: usize) -> usize {
    let mut end = end_of_line(bytes, at);
    while end < bytes.len() && bytes[end - 1] == b'\\' {
        end = end_of_line(bytes, end + 1);
    }
    end
}

fn end_of_comment(text: &str, at: usize) -> Result<usize, Problem> {
    let end = text[at + 2..].find("*/");
    end.map(|p| at + 2 + p + 2).ok_or_else(|| Problem::new(span(at..at + 2), "unterminated comment"))
}

fn token(text: &str, at: usize) -> Result<Token, Problem> {
    let bytes = text.as_bytes();
    let first = bytes[at];
    if first == b'"' || first == b'\'' {
        return literal(text, at, at);
    }
    if is_word(first) && !first.is_ascii_digit() || is_universal(&bytes[at..]) {
        let end = end_of_word(bytes, at);
        let prefix = matches!(&text[at..end], "L" | "u" | "U" | "u8");
        if prefix && matches!(bytes.get(end), Some(b'"' | b'\'')) {
            return literal(text, at, end);
        }
        if is_raw_prefix(&text[at..end])
            && bytes.get(end) == Some(&b'"')
            && let Some(raw) = raw_string(&text[at..])
        {
            return Ok(Token { kind: Kind::Literal, range: at..at + raw.length });
        }
        return Ok(Token { kind: Kind::Word, range: at..end });
    }
    if first.is_ascii_digit() || first == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
        return Ok(Token { kind: Kind::Number, range: at..end_of_number(bytes, at) });
    }
    let length = OPERATORS.iter().find(|o| bytes[at..].starts_with(o.as_bytes())).map(|o| o.len());
    let length = length.unwrap_or_else(|| text[at..].chars().next().map_or(1, char::len_utf8));
    Ok(Token { kind: Kind::Punctuation, range: at..at + length })
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

/// `\u00e9`, which gcc's preprocessor makes of letters beyond ASCII.
fn is_universal(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\\u") || bytes.starts_with(b"\\U")
}

fn end_of_word(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            byte if is_word(byte) => at += 1,
            _ if is_universal(&bytes[at..]) => at += 2,
            _ => break,
        }
    }
    at
}

fn end_of_number(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        let exponent = matches!(byte, b'e' | b'E' | b'p' | b'P') && matches!(bytes.get(at + 1), Some(b'+' | b'-'));
        let hexadecimal = matches!(byte, b'e' | b'E')
            && bytes[..at].iter().rev().take_while(|b| is_word(**b)).any(|b| matches!(b, b'x' | b'X'));
        match byte {
            _ if exponent && !hexadecimal => at += 2,
            b'.' => at += 1,
            _ if is_word(byte) => at += 1,
            _ => break,
        }
    }
    at
}

/// The literal that begins at `start` with its prefix, and at `quote` with its quote.
fn literal(text: &str, start: usize, quote: usize) -> Result<Token, Problem> {
    let bytes = text.as_bytes();
    let mut at = quote + 1;
    loop {
        match bytes.get(at) {
            None | Some(b'\n') => {
                let what = if bytes[quote] == b'"' { "unterminated string" } else { "unterminated character" };
                return Err(Problem::new(span(start..quote + 1), what));
            }
            Some(b'\\') => at += 2,
            Some(&byte) => {
                at += 1;
                if byte == bytes[quote] {
                    return Ok(Token { kind: Kind::Literal, range: start..at });
                }
            }
        }
    }
}

/// `R"--(text)--"`, which GNU C has from C++.
pub(super) struct RawString<'a> {
    /// `u8` and the like, without the `R`.
    pub(super) prefix: &'a str,
    /// What stands between the brackets.
    pub(super) body: &'a str,
    /// How long it is altogether.
    pub(super) length: usize,
}

fn is_raw_prefix(word: &str) -> bool {
    matches!(word, "R" | "LR" | "uR" | "UR" | "u8R")
}

/// The raw string at the start of a text.
pub(super) fn raw_string(text: &str) -> Option<RawString<'_>> {
    let quote = text.find('"').filter(|&quote| is_raw_prefix(&text[..quote]))?;
    let open = quote + 1 + text[quote + 1..].find('(')?;
    let end = format!("){}\"", &text[quote + 1..open]);
    let close = open + 1 + text[open + 1..].find(&end)?;
    Some(RawString { prefix: &text[..quote - 1], body: &text[open + 1..close], length: close + end.len() })
}

pub(super) fn span(range: Range<usize>) -> Span {
    Span { start: range.start as u32, end: range.end as u32 }
}
