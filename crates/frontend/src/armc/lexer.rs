//! Tokens of Prolog.

use clinch_ir::Span;

use crate::diagnostic::Problem;
use crate::lexer::{Cursor, shorten, unexpected_character};

/// What a token is; its text is the source's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// `X`, `_`.
    Variable,
    /// `foo`, `=<`, `;`.
    Atom,
    /// `'foo bar'`.
    Quoted,
    /// `"text"`, a code list.
    Text,
    /// `12`, `1.5`, `1.0e-3`.
    Number,
    /// One of `( ) [ ] { } , |`.
    Punctuation(char),
    /// The `.` behind a clause.
    Stop,
    /// The text is over.
    End,
}

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
    /// Whether blanks or comments stand before it: `f(x)` is a compound term, `- (x)` an operator and its argument.
    pub(super) spaced: bool,
}

/// Reads tokens one at a time.
pub(super) struct Lexer<'s>(Cursor<'s>);

impl<'s> Lexer<'s> {
    pub(super) fn new(text: &'s str) -> Self {
        Lexer(Cursor::new(text))
    }

    pub(super) fn text(&self, span: Span) -> &'s str {
        self.0.text(span)
    }

    /// Gives up the rest of the text.
    pub(super) fn skip_to_end(&mut self) {
        self.0.skip_to_end();
    }

    /// The next token. After a problem, reading continues behind it.
    pub(super) fn next(&mut self) -> Result<Token, Problem> {
        let before = self.0.at;
        self.0.skip_blanks("%", char::is_whitespace)?;
        let (start, spaced) = (self.0.at, self.0.at > before);
        let kind = self.kind(start)?;
        Ok(Token { kind, span: self.0.span(start), spaced })
    }

    fn kind(&mut self, start: usize) -> Result<Kind, Problem> {
        let rest = &self.0.text[start..];
        let Some(first) = rest.chars().next() else { return Ok(Kind::End) };
        self.0.at += first.len_utf8();
        match first {
            '(' | ')' | '[' | ']' | '{' | '}' | ',' | '|' => Ok(Kind::Punctuation(first)),
            '!' | ';' => Ok(Kind::Atom),
            '.' if ends_clause(&rest[1..]) => Ok(Kind::Stop),
            '\'' | '"' | '`' => {
                self.quoted(start, first)?;
                Ok(if first == '\'' { Kind::Quoted } else { Kind::Text })
            }
            '0'..='9' => {
                self.number(start);
                Ok(Kind::Number)
            }
            c if is_letter(c) => {
                self.skip_while(is_letter);
                Ok(if c == '_' || c.is_uppercase() { Kind::Variable } else { Kind::Atom })
            }
            c if is_symbol(c) => {
                self.skip_while(is_symbol);
                Ok(Kind::Atom)
            }
            c => Err(unexpected_character(self.0.span(start), c)),
        }
    }

    fn skip_while(&mut self, belongs: impl Fn(char) -> bool) {
        let rest = &self.0.text[self.0.at..];
        self.0.at += rest.find(|c| !belongs(c)).unwrap_or(rest.len());
    }

    /// Digits, a fraction, an exponent; or a character code `0'a`.
    fn number(&mut self, start: usize) {
        let digit = |c: char| c.is_ascii_digit();
        let code = self.0.text[start..].strip_prefix("0'").and_then(|code| code.chars().next());
        if let Some(c) = code.filter(|c| *c != '\'' && *c != '\\') {
            self.0.at = start + 2 + c.len_utf8();
            return;
        }
        self.skip_while(digit);
        let rest = &self.0.text[self.0.at..];
        let Some(fraction) = rest.strip_prefix('.').filter(|f| f.starts_with(digit)) else { return };
        let length = fraction.find(|c| !digit(c)).unwrap_or(fraction.len());
        self.0.at += 1 + length;
        let exponent = &fraction[length..];
        let Some(value) = exponent.strip_prefix(['e', 'E']) else { return };
        let unsigned = value.strip_prefix(['+', '-']).unwrap_or(value);
        let digits = unsigned.find(|c| !digit(c)).unwrap_or(unsigned.len());
        if digits > 0 {
            self.0.at += exponent.len() - unsigned.len() + digits;
        }
    }

    /// Up to the closing quote; a doubled quote, or one behind a backslash, does not close.
    fn quoted(&mut self, start: usize, quote: char) -> Result<(), Problem> {
        let mut rest = self.0.text[self.0.at..].char_indices().peekable();
        while let Some((i, c)) = rest.next() {
            if c == '\\' {
                rest.next();
            } else if c == quote && rest.next_if(|(_, next)| *next == quote).is_none() {
                self.0.at += i + 1;
                return Ok(());
            }
        }
        self.skip_to_end();
        let span = Span { start: start as u32, end: start as u32 + 1 };
        Err(Problem::new(span, format!("unterminated quote `{}`", shorten(&self.0.text[start..])))
            .help(format!("close it with `{quote}`")))
    }
}

/// A `.` ends a clause before a blank, a comment or the end.
fn ends_clause(rest: &str) -> bool {
    rest.chars().next().is_none_or(|c| c.is_whitespace() || c == '%')
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || (!c.is_ascii() && c.is_alphanumeric())
}

fn is_symbol(c: char) -> bool {
    matches!(c, '+' | '-' | '*' | '/' | '\\' | '^' | '<' | '>' | '=' | '~' | ':' | '.' | '?' | '@' | '#' | '&' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<&str> {
        let mut lexer = Lexer::new(text);
        let tokens = std::iter::from_fn(|| lexer.next().ok().filter(|t| t.kind != Kind::End));
        let spans: Vec<Span> = tokens.map(|t| t.span).collect();
        spans.into_iter().map(|span| Lexer::new(text).text(span)).collect()
    }

    #[test]
    fn clauses_are_cut_into_tokens() {
        assert_eq!(tokens("r(X, _y)."), ["r", "(", "X", ",", "_y", ")", "."]);
        assert_eq!(tokens("V1 +1=<-2.5e3 . % end"), ["V1", "+", "1", "=<-", "2.5e3", "."]);
        assert_eq!(tokens("main-err-0.\n1.5"), ["main", "-", "err", "-", "0", ".", "1.5"]);
        assert_eq!(tokens("/* ' */ 'it''s' 'a\\'b' \"t\""), ["'it''s'", "'a\\'b'", "\"t\""]);
    }

    #[test]
    fn open_ends_are_refused() {
        assert!(Lexer::new("'abc").next().is_err());
        assert!(Lexer::new("/* abc").next().is_err());
        assert!(Lexer::new("/*/").next().is_err());
    }
}
