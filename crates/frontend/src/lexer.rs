//! Tokens of GCL, DVE and Remopla. Which names are keywords is the parser's business: DVE models call states `done` or `wait`.

use clinch_ir::Span;

use crate::diagnostic::Problem;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Identifier or keyword.
    Name,
    /// Decimal digits.
    Number,
    /// Operator or punctuation.
    Symbol(&'static str),
    /// The text is over.
    End,
}

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// Longest first, so that the first match is the longest.
const SYMBOLS: &[&str] = &[
    "..", "::", ":=", "->", "=>", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "+", "-", "*", "/", "%", "&", "|",
    "^", "~", "!", "<", ">", "=", ",", ";", ":", "{", "}", "[", "]", "(", ")", ".", "?",
];

/// A place in a text that is read from its start to its end.
pub(crate) struct Cursor<'s> {
    pub(crate) text: &'s str,
    pub(crate) at: usize,
}

impl<'s> Cursor<'s> {
    pub(crate) fn new(text: &'s str) -> Self {
        Cursor { text, at: 0 }
    }

    pub(crate) fn text(&self, span: Span) -> &'s str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// Gives up the rest of the text.
    pub(crate) fn skip_to_end(&mut self) {
        self.at = self.text.len();
    }

    /// From a place before this one to here.
    pub(crate) fn span(&self, start: usize) -> Span {
        Span { start: start as u32, end: self.at as u32 }
    }

    /// Skips blanks, comments to the end of the line after `line_comment`, and those between `/*` and `*/`.
    pub(crate) fn skip_blanks(&mut self, line_comment: &str, is_blank: impl Fn(char) -> bool) -> Result<(), Problem> {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start_matches(|c: char| is_blank(c) || c == '\u{feff}');
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with(line_comment) {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                let start = self.at as u32;
                let Some(end) = comment.find("*/") else {
                    self.skip_to_end();
                    let span = Span { start, end: start + 2 };
                    return Err(Problem::new(span, "unterminated comment").help("close it with `*/`"));
                };
                self.at += end + 4;
            } else {
                return Ok(());
            }
        }
    }
}

/// Reads tokens one at a time: a file of many megabytes that is wrong in its first line costs nothing.
pub(crate) struct Lexer<'s>(Cursor<'s>);

impl<'s> Lexer<'s> {
    pub(crate) fn new(text: &'s str) -> Self {
        Lexer(Cursor::new(text))
    }

    pub(crate) fn text(&self, span: Span) -> &'s str {
        self.0.text(span)
    }

    /// Gives up the rest of the text.
    pub(crate) fn skip_to_end(&mut self) {
        self.0.skip_to_end();
    }

    /// The next token. After a problem, reading continues behind it.
    pub(crate) fn next(&mut self) -> Result<Token, Problem> {
        self.0.skip_blanks("//", |c| c.is_ascii_whitespace())?;
        let start = self.0.at;
        let rest = &self.0.text[start..];
        let Some(first) = rest.chars().next() else { return Ok(self.token(Kind::End, start)) };
        if first.is_ascii_alphabetic() || first == '_' {
            self.0.at += run_length(rest, |b| b.is_ascii_alphanumeric() || b == b'_');
            return Ok(self.token(Kind::Name, start));
        }
        if first.is_ascii_digit() {
            self.0.at += run_length(rest, |b| b.is_ascii_digit());
            return self.end_of_number(start);
        }
        match SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
            Some(symbol) => {
                self.0.at += symbol.len();
                Ok(self.token(Kind::Symbol(symbol), start))
            }
            None => {
                self.0.at += first.len_utf8();
                Err(unexpected_character(self.0.span(start), first))
            }
        }
    }

    fn end_of_number(&mut self, start: usize) -> Result<Token, Problem> {
        let tail = run_length(&self.0.text[self.0.at..], |b| b.is_ascii_alphanumeric() || b == b'_');
        if tail == 0 {
            return Ok(self.token(Kind::Number, start));
        }
        self.0.at += tail;
        let span = self.0.span(start);
        Err(Problem::new(span, format!("`{}` is neither a number nor a name", shorten(self.text(span)))))
    }

    fn token(&self, kind: Kind, start: usize) -> Token {
        Token { kind, span: self.0.span(start) }
    }
}

fn run_length(text: &str, belongs: impl Fn(u8) -> bool) -> usize {
    text.bytes().position(|b| !belongs(b)).unwrap_or(text.len())
}

/// The problem that nothing begins with a character.
pub(crate) fn unexpected_character(span: Span, c: char) -> Problem {
    match c {
        '\u{fffd}' => Problem::new(span, "invalid UTF-8"),
        c => Problem::new(span, format!("unexpected character {c:?}")),
    }
}

/// A token's text for a message; tokens can be megabytes long.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((cut, _)) => format!("{}...", &text[..cut]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        let mut lexer = Lexer::new(text);
        let tokens = std::iter::from_fn(|| lexer.next().ok().map(|t| t.kind));
        tokens.take_while(|k| *k != Kind::End).collect()
    }

    #[test]
    fn symbols_match_longest_first() {
        use Kind::{Name, Number, Symbol};
        assert_eq!(kinds("0..7"), [Number, Symbol(".."), Number]);
        assert_eq!(kinds("c!-1"), [Name, Symbol("!"), Symbol("-"), Number]);
        assert_eq!(kinds("a<<=b"), [Name, Symbol("<<"), Symbol("="), Name]);
    }

    #[test]
    fn comments_are_blanks() {
        assert_eq!(kinds("a /* b \n * */ // c\n d"), [Kind::Name, Kind::Name]);
        assert!(Lexer::new("/* a").next().is_err());
        assert!(Lexer::new("/*/").next().is_err());
    }
}
