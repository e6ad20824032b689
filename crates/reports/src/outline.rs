//! The outline of a C file as its user wrote it: tokens, brackets, where statements begin and end.
//!
//! Other tools name places of the file itself, before preprocessing. No more is read here than is needed to find such a place again: whether
//! the text is C is for the front end to say.

use std::collections::BTreeSet;

/// A word, a number, a literal or an operator: its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A text with its tokens. Comments and lines for the preprocessor are none.
pub(crate) struct Outline<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    /// The bracket that belongs to one.
    partners: Vec<Option<usize>>,
    /// Where lines start.
    lines: Vec<usize>,
    /// Each `while` that ends a loop that begins with `do`.
    ends_of_do: BTreeSet<usize>,
}

/// Operators of several characters, longer ones first.
const OPERATORS: [&str; 22] = [
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=",
];

/// What has its condition in parentheses behind it.
const CONTROL: [&str; 4] = ["if", "while", "for", "switch"];

impl<'t> Outline<'t> {
    /// The outline of a text.
    pub(crate) fn new(text: &'t str) -> Outline<'t> {
        let tokens = tokens(text);
        let partners = partners(text, &tokens);
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        let mut outline = Outline { text, tokens, partners, lines, ends_of_do: BTreeSet::new() };
        let loops = (0..outline.tokens.len()).filter(|&number| outline.word(number) == "do");
        outline.ends_of_do = loops.filter_map(|number| Some(outline.statement_end(number + 1)? + 1)).collect();
        outline
    }

    /// The tokens.
    pub(crate) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// A token.
    pub(crate) fn token(&self, number: usize) -> Token {
        self.tokens[number]
    }

    /// The text of a token; empty behind the last.
    pub(crate) fn word(&self, number: usize) -> &'t str {
        self.tokens.get(number).map_or("", |token| &self.text[token.start..token.end])
    }

    /// The bracket that belongs to one.
    pub(crate) fn partner(&self, number: usize) -> Option<usize> {
        self.partners.get(number).copied().flatten()
    }

    /// The text from one token to another.
    #[cfg(test)]
    pub(crate) fn span(&self, first: usize, last: usize) -> &'t str {
        &self.text[self.tokens[first].start..self.tokens[last].end]
    }

    /// Line and column of an offset, both from 1.
    pub(crate) fn place(&self, offset: usize) -> (u32, u32) {
        let line = self.lines.partition_point(|&start| start <= offset) - 1;
        (line as u32 + 1, self.text[self.lines[line]..offset].chars().count() as u32 + 1)
    }

    /// The token at a line and column, if one starts there.
    pub(crate) fn token_at(&self, line: u32, column: u32) -> Option<usize> {
        let on_line = self.on_line(line);
        on_line.into_iter().find(|&number| self.place(self.tokens[number].start).1 == column)
    }

    /// The tokens that start on a line.
    pub(crate) fn on_line(&self, line: u32) -> std::ops::Range<usize> {
        let bound = |line: u32| self.lines.get(line as usize).copied().unwrap_or(self.text.len() + 1);
        let first = |offset: usize| self.tokens.partition_point(|token| token.start < offset);
        if line == 0 || line as usize > self.lines.len() {
            return 0..0;
        }
        first(bound(line - 1))..first(bound(line))
    }

    /// The parentheses behind the word of a statement that has a condition.
    pub(crate) fn header(&self, keyword: usize) -> Option<(usize, usize)> {
        let open = keyword + 1;
        (CONTROL.contains(&self.word(keyword)) && self.word(open) == "(").then_some((open, self.partner(open)?))
    }

    /// The condition of a loop or a branching: its tokens, which may be none in a `for`, and the token behind them.
    pub(crate) fn condition(&self, keyword: usize) -> Option<(std::ops::Range<usize>, usize)> {
        let (open, close) = match self.word(keyword) {
            "do" => {
                let end = self.statement_end(keyword + 1)?;
                (self.word(end + 1) == "while").then(|| self.header(end + 1)).flatten()?
            }
            _ => self.header(keyword)?,
        };
        if self.word(keyword) != "for" {
            return Some((open + 1..close, close));
        }
        let first = self.next_semicolon(open + 1, close)?;
        let second = self.next_semicolon(first + 1, close)?;
        Some((first + 1..second, second))
    }

    /// The word of the loop whose condition starts with a token, if it is evaluated before the body.
    pub(crate) fn loop_with_condition(&self, first: usize) -> Option<usize> {
        let open =
            (0..first).rev().find(|&at| self.word(at) == "(" && self.partner(at).is_some_and(|end| end > first))?;
        let keyword = open.checked_sub(1)?;
        let is_loop = matches!(self.word(keyword), "while" | "for") && !self.ends_of_do.contains(&keyword);
        let begins = || self.condition(keyword).is_some_and(|(range, _)| range.start == first && !range.is_empty());
        (is_loop && begins()).then_some(keyword)
    }

    /// The first statement of the function whose definition names it here.
    pub(crate) fn body_of_function(&self, name: usize) -> Option<usize> {
        let close = self.partner(name + 1).filter(|_| self.word(name + 1) == "(" && is_name(self.word(name)))?;
        let first = close + 2;
        let is_body = self.word(close + 1) == "{" && self.function_around(name).is_none();
        (is_body && self.starts_statement(first)).then_some(first)
    }

    /// Whether a statement is the first in the body of a `do`, or has a label.
    pub(crate) fn begins_iteration(&self, first: usize) -> bool {
        match first.checked_sub(1).map(|before| (before, self.word(before))) {
            Some((_, "do")) => true,
            Some((before, "{")) => before > 0 && self.word(before - 1) == "do",
            Some((before, ":")) => self.is_label_end(before),
            _ => false,
        }
    }

    fn next_semicolon(&self, from: usize, end: usize) -> Option<usize> {
        let mut at = from;
        while at < end {
            match self.word(at) {
                ";" => return Some(at),
                "(" | "[" | "{" => at = self.partner(at)? + 1,
                _ => at += 1,
            }
        }
        None
    }

    /// Whether a statement, or a declaration in a block, starts with this token.
    pub(crate) fn starts_statement(&self, number: usize) -> bool {
        let Some(before) = number.checked_sub(1) else { return false };
        if self.ends_of_do.contains(&number)
            || self.function_around(number).is_none()
            || matches!(self.word(number), "" | "}" | ")" | "else")
        {
            return false;
        }
        match self.word(before) {
            ";" => !self.is_in_parentheses(number),
            "{" | "else" | "do" => true,
            "}" => !self.continues_expression(number),
            ")" => self.ends_header(before),
            ":" => self.is_label_end(before),
            _ => false,
        }
    }

    /// The first token of the statement, or of the controlling expression, that a token is in.
    pub(crate) fn statement_start(&self, number: usize) -> usize {
        let mut at = number;
        loop {
            let Some(before) = at.checked_sub(1) else { return at };
            let is_control = |open: usize| open.checked_sub(1).is_some_and(|word| CONTROL.contains(&self.word(word)));
            match self.word(before) {
                ";" | "{" | "else" | "do" => return at,
                "}" if !self.continues_expression(at) => return at,
                ":" if self.is_label_end(before) => return at,
                ")" if self.ends_header(before) => return at,
                "(" if is_control(before) => return at,
                ")" | "]" | "}" => at = self.partner(before).unwrap_or(before),
                _ => at = before,
            }
        }
    }

    /// The last token of the statement that starts with a token; of its header for one that has a condition.
    pub(crate) fn extent(&self, first: usize) -> Option<usize> {
        match self.header(first) {
            Some((_, close)) => Some(close),
            None => self.statement_end(first),
        }
    }

    /// The last token of the statement that starts with a token.
    pub(crate) fn statement_end(&self, first: usize) -> Option<usize> {
        match self.word(first) {
            "" => None,
            "{" => self.partner(first),
            "if" => {
                let end = self.statement_end(self.header(first)?.1 + 1)?;
                if self.word(end + 1) == "else" { self.statement_end(end + 2) } else { Some(end) }
            }
            "while" | "for" | "switch" => self.statement_end(self.header(first)?.1 + 1),
            "do" => Some(self.condition(first)?.1 + 1),
            _ if self.is_label_end(first + 1) => self.statement_end(first + 2),
            _ => self.expression_end(first),
        }
    }

    /// The semicolon behind an expression or a declaration, or its last token if it is in parentheses.
    fn expression_end(&self, first: usize) -> Option<usize> {
        let mut at = first;
        loop {
            match self.word(at) {
                "" => return None,
                ";" => return Some(at),
                ")" | "]" | "}" => return at.checked_sub(1),
                "(" | "[" | "{" => at = self.partner(at)? + 1,
                _ => at += 1,
            }
        }
    }

    /// Whether a colon ends a label.
    fn is_label_end(&self, colon: usize) -> bool {
        if self.word(colon) != ":" || colon == 0 {
            return false;
        }
        let starts = |at: usize| at == 0 || matches!(self.word(at - 1), ";" | "{" | "}" | ":" | ")" | "else");
        let mut at = colon - 1;
        loop {
            match self.word(at) {
                "case" | "default" => return true,
                ";" | "{" | "}" | "?" | "=" => return false,
                word if at + 1 == colon && is_name(word) && starts(at) => return true,
                _ if at == 0 => return false,
                _ => at -= 1,
            }
        }
    }

    /// Whether a closing parenthesis ends what stands behind `if`, `for` and the like; that of `do ... while` does not.
    fn ends_header(&self, close: usize) -> bool {
        let Some(keyword) = self.partner(close).and_then(|open| open.checked_sub(1)) else { return false };
        CONTROL.contains(&self.word(keyword)) && !self.ends_of_do.contains(&keyword)
    }

    /// Whether what follows a closing brace goes on with an expression.
    fn continues_expression(&self, number: usize) -> bool {
        matches!(self.word(number), ";" | "," | ")" | "]" | "." | "=" | "?" | "while")
    }

    fn is_in_parentheses(&self, number: usize) -> bool {
        let opened = |at: usize| self.word(at) == "(" && self.partner(at).is_some_and(|close| close > number);
        (0..number).rev().take_while(|&at| self.word(at) != "{").any(opened)
    }

    /// The name of the function around a token.
    pub(crate) fn function_around(&self, number: usize) -> Option<&'t str> {
        let mut at = 0;
        while at < number {
            match (self.word(at), self.partner(at)) {
                ("{", Some(close)) if close > number => return self.function_with_body(at),
                ("(" | "[" | "{", Some(close)) => at = close + 1,
                _ => at += 1,
            }
        }
        None
    }

    /// The functions that have a body here.
    pub(crate) fn defined_functions(&self) -> Vec<&'t str> {
        let (mut at, mut names) = (0, Vec::new());
        while at < self.tokens.len() {
            if self.word(at) == "{" {
                names.extend(self.function_with_body(at));
            }
            at = self.partner(at).filter(|&close| close > at).unwrap_or(at) + 1;
        }
        names
    }

    /// The name of the function whose body a brace opens.
    fn function_with_body(&self, brace: usize) -> Option<&'t str> {
        let mut at = brace.checked_sub(1)?;
        loop {
            let open = if self.word(at) == ")" { self.partner(at)? } else { return None };
            let name = open.checked_sub(1)?;
            match self.word(name) {
                "__attribute__" | "__attribute" | "__asm__" => at = name.checked_sub(1)?,
                word if is_name(word) => return Some(word),
                _ => return None,
            }
        }
    }
}

/// Whether a token is a name (or a keyword).
pub(crate) fn is_name(word: &str) -> bool {
    word.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$')
}

fn partners(text: &str, tokens: &[Token]) -> Vec<Option<usize>> {
    let mut partners = vec![None; tokens.len()];
    let mut open: Vec<(usize, u8)> = Vec::new();
    for (number, token) in tokens.iter().enumerate() {
        match &text.as_bytes()[token.start..token.end] {
            b"(" => open.push((number, b')')),
            b"[" => open.push((number, b']')),
            b"{" => open.push((number, b'}')),
            &[close @ (b')' | b']' | b'}')] => {
                if let Some((other, _)) = open.pop_if(|(_, expected)| *expected == close) {
                    partners[number] = Some(other);
                    partners[other] = Some(number);
                }
            }
            _ => {}
        }
    }
    partners
}

fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let (mut at, mut at_line_start) = (0, true);
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let end = match byte {
            b'\n' => {
                (at, at_line_start) = (at + 1, true);
                continue;
            }
            b' ' | b'\t' | b'\r' | b'\x0c' | b'\x0b' => {
                at += 1;
                continue;
            }
            b'#' if at_line_start => {
                at = directive_end(bytes, at);
                continue;
            }
            _ if rest.starts_with(b"//") => {
                at = directive_end(bytes, at);
                continue;
            }
            _ if rest.starts_with(b"/*") => {
                at = text[at + 2..].find("*/").map_or(text.len(), |end| at + 2 + end + 2);
                continue;
            }
            b'"' | b'\'' => literal_end(bytes, at),
            b'0'..=b'9' => number_end(bytes, at),
            _ if is_word_byte(byte) => at + rest.iter().take_while(|&&b| is_word_byte(b)).count(),
            _ => at + OPERATORS.iter().find(|op| rest.starts_with(op.as_bytes())).map_or(1, |op| op.len()),
        };
        tokens.push(Token { start: at, end });
        (at, at_line_start) = (end, false);
    }
    tokens
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

/// The end of the line, which a backslash continues.
fn directive_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'\n' && bytes[..at].last() != Some(&b'\\') {
            return at;
        }
        at += 1;
    }
    at
}

fn literal_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            _ if byte == bytes[start] => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn number_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        let sign = matches!(byte, b'+' | b'-') && matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P');
        if !(is_word_byte(byte) || byte == b'.' || sign && at > start && !bytes[start..at].starts_with(b"0x")) {
            break;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#define N \\\n 3\nint f(int x) { /* } */ return x ? 1 : 0; }\n\
        int main(void) {\n  int i = 0; char *s = \"{;\";\n  for (i = 0; i < f(2); i++)\n    if (i) s++; else { s--; }\n\
        again: do i--; while (i > 0);\n  switch (i) { case 1: i = 2; break; default: ; }\n  return f((i));\n}\n";

    fn numbers(outline: &Outline<'_>, word: &str) -> Vec<usize> {
        (0..outline.tokens().len()).filter(|&number| outline.word(number) == word).collect()
    }

    #[test]
    fn statements_have_a_start_and_an_end() {
        let outline = Outline::new(TEXT);
        let starts: Vec<&str> = (0..outline.tokens().len())
            .filter(|&number| outline.starts_statement(number))
            .map(|number| outline.span(number, outline.extent(number).expect("an end")))
            .collect();
        let expected = [
            "return x ? 1 : 0;",
            "int i = 0;",
            "char *s = \"{;\";",
            "for (i = 0; i < f(2); i++)",
            "if (i)",
            "s++;",
            "{ s--; }",
            "s--;",
            "again: do i--; while (i > 0);",
            "do i--; while (i > 0);",
            "i--;",
            "switch (i)",
            "{ case 1: i = 2; break; default: ; }",
            "case 1: i = 2;",
            "i = 2;",
            "break;",
            "default: ;",
            ";",
            "return f((i));",
        ];
        assert_eq!(starts, expected);
    }

    #[test]
    fn a_token_is_in_a_statement() {
        let outline = Outline::new(TEXT);
        let start = |word: &str, which: usize| {
            let number = outline.statement_start(numbers(&outline, word)[which]);
            outline.word(number).to_owned() + outline.word(number + 1)
        };
        // The definition of f, its call in the loop's condition and in the last statement.
        assert_eq!(start("f", 1), "i<");
        assert_eq!(start("f", 2), "returnf");
        assert_eq!(start("--", 0), "s--");
        assert_eq!(start("2", 1), "i=");
    }

    #[test]
    fn conditions_and_functions_are_found() {
        let outline = Outline::new(TEXT);
        let condition = |word: &str, which: usize| {
            let (range, _) = outline.condition(numbers(&outline, word)[which]).expect("a condition");
            outline.span(range.start, range.end - 1)
        };
        assert_eq!(condition("for", 0), "i < f(2)");
        assert_eq!(condition("do", 0), "i > 0");
        assert_eq!(condition("if", 0), "i");
        assert_eq!(outline.function_around(numbers(&outline, "for")[0]), Some("main"));
        assert_eq!(outline.function_around(numbers(&outline, "?")[0]), Some("f"));
        assert_eq!(outline.defined_functions(), ["f", "main"]);
        assert_eq!(outline.place(outline.token(numbers(&outline, "for")[0]).start), (6, 3));
        assert_eq!(outline.token_at(6, 3), Some(numbers(&outline, "for")[0]));
        assert_eq!(outline.token_at(6, 4), None);
    }
}
