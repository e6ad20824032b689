//! S-expressions: the syntax below SMT-LIB's. A command is read into one flat array, so that nesting costs no stack.

use clinch_ir::Span;

use crate::diagnostic::Problem;

/// An s-expression: a position in its [`Tree`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sexp(u32);

/// What an s-expression is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// `( ... )`.
    List,
    /// A plain symbol.
    Symbol,
    /// A symbol between bars: never a reserved word.
    Quoted,
    /// `:name`.
    Keyword,
    /// Digits.
    Numeral,
    /// Digits with a point.
    Decimal,
    /// `#b...` or `#x...`.
    Bits,
    /// A string literal.
    Text,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    kind: Kind,
    span: Span,
    /// The position after the last node inside: that of the next sibling.
    next: u32,
}

/// One command of a script.
#[derive(Debug)]
pub(super) struct Tree<'s> {
    text: &'s str,
    nodes: Vec<Node>,
}

impl<'s> Tree<'s> {
    pub(super) fn root(&self) -> Sexp {
        Sexp(0)
    }

    pub(super) fn kind(&self, at: Sexp) -> Kind {
        self.nodes[at.0 as usize].kind
    }

    pub(super) fn span(&self, at: Sexp) -> Span {
        self.nodes[at.0 as usize].span
    }

    /// The elements of a list; nothing for an atom.
    pub(super) fn items(&self, at: Sexp) -> Items<'_> {
        Items { nodes: &self.nodes, next: at.0 + 1, end: self.nodes[at.0 as usize].next }
    }

    /// The text of an atom, without bars.
    pub(super) fn text(&self, at: Sexp) -> &'s str {
        let Span { start, end } = self.span(at);
        let text = &self.text[start as usize..end as usize];
        match self.kind(at) {
            Kind::Quoted => &text[1..text.len() - 1],
            _ => text,
        }
    }

    /// The name a symbol stands for.
    pub(super) fn symbol(&self, at: Sexp) -> Option<&'s str> {
        matches!(self.kind(at), Kind::Symbol | Kind::Quoted).then(|| self.text(at))
    }

    /// Whether it is this reserved word or plain symbol.
    pub(super) fn is(&self, at: Sexp, word: &str) -> bool {
        self.kind(at) == Kind::Symbol && self.text(at) == word
    }

    /// The first element of a list.
    pub(super) fn head(&self, at: Sexp) -> Option<Sexp> {
        self.items(at).next()
    }
}

/// The elements of a list.
#[derive(Clone)]
pub(super) struct Items<'t> {
    nodes: &'t [Node],
    next: u32,
    end: u32,
}

impl Iterator for Items<'_> {
    type Item = Sexp;

    fn next(&mut self) -> Option<Sexp> {
        let at = self.next;
        (at < self.end).then(|| {
            self.next = self.nodes[at as usize].next;
            Sexp(at)
        })
    }
}

/// Cuts a script into commands.
pub(super) struct Script<'s> {
    text: &'s str,
    at: usize,
}

impl<'s> Script<'s> {
    pub(super) fn new(text: &'s str) -> Self {
        Script { text, at: 0 }
    }

    /// The next command, or what is wrong with it. After an error reading goes on behind it.
    pub(super) fn next_command(&mut self) -> Option<Result<Tree<'s>, Problem>> {
        self.skip_blanks();
        if self.at == self.text.len() {
            return None;
        }
        let mut nodes = Vec::new();
        let filled = self.fill(&mut nodes);
        if filled.is_err() {
            self.skip_to_line_of_command();
        }
        Some(filled.map(|()| Tree { text: self.text, nodes }))
    }

    /// Commands mostly begin a line; the rest of a broken one would only cause noise.
    fn skip_to_line_of_command(&mut self) {
        self.at = self.text[self.at..].find("\n(").map_or(self.text.len(), |next| self.at + next);
    }

    fn fill(&mut self, nodes: &mut Vec<Node>) -> Result<(), Problem> {
        let mut open: Vec<usize> = Vec::new();
        loop {
            self.skip_blanks();
            let start = self.at;
            match self.text.as_bytes().get(start) {
                None => return Err(self.unclosed(nodes, &open)),
                Some(b'(') => {
                    self.at += 1;
                    open.push(nodes.len());
                    nodes.push(Node { kind: Kind::List, span: self.span_from(start), next: 0 });
                }
                Some(b')') => {
                    self.at += 1;
                    let Some(list) = open.pop() else {
                        return Err(Problem::new(self.span_from(start), "`)` without `(`"));
                    };
                    nodes[list].span.end = self.at as u32;
                    nodes[list].next = nodes.len() as u32;
                }
                Some(_) => {
                    let kind = self.atom()?;
                    nodes.push(Node { kind, span: self.span_from(start), next: nodes.len() as u32 + 1 });
                }
            }
            if open.is_empty() {
                return Ok(());
            }
        }
    }

    fn unclosed(&self, nodes: &[Node], open: &[usize]) -> Problem {
        let at = open.last().map_or(self.text.len() as u32, |&list| nodes[list].span.start);
        Problem::new(Span { start: at, end: at + 1 }, "`(` is never closed")
    }

    fn span_from(&self, start: usize) -> Span {
        Span { start: start as u32, end: self.at as u32 }
    }

    fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | 0x0c => self.at += 1,
                b';' => {
                    let rest = &bytes[self.at..];
                    self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                }
                _ => break,
            }
        }
    }

    fn atom(&mut self) -> Result<Kind, Problem> {
        let start = self.at;
        match self.text.as_bytes()[start] {
            b'|' => self.until(b'|', "`|` is never closed").map(|()| Kind::Quoted),
            b'"' => {
                self.until(b'"', "the string is never closed")?;
                // A doubled quote stands for itself.
                while self.text.as_bytes().get(self.at) == Some(&b'"') {
                    self.until(b'"', "the string is never closed")?;
                }
                Ok(Kind::Text)
            }
            _ => {
                self.word();
                let word = &self.text[start..self.at];
                classify(word).ok_or_else(|| {
                    self.at += usize::from(self.at == start) * first_char_len(&self.text[start..]);
                    let found = self.text[start..self.at].chars().take(20).collect::<String>();
                    Problem::new(self.span_from(start), format!("`{found}` is neither a symbol nor a number"))
                })
            }
        }
    }

    fn until(&mut self, close: u8, message: &str) -> Result<(), Problem> {
        let start = self.at;
        match self.text.as_bytes()[start + 1..].iter().position(|&b| b == close) {
            Some(length) => {
                self.at = start + length + 2;
                Ok(())
            }
            None => {
                self.at = self.text.len();
                Err(Problem::new(Span { start: start as u32, end: start as u32 + 1 }, message))
            }
        }
    }

    fn word(&mut self) {
        let rest = &self.text[self.at..];
        let end = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ';' | '"' | '|');
        self.at += rest.find(end).unwrap_or(rest.len());
    }
}

fn first_char_len(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

fn classify(word: &str) -> Option<Kind> {
    let symbol_char = |b: u8| b.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(&b);
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let first = *word.as_bytes().first()?;
    match first {
        b'#' => {
            let (radix, digits) = (*word.as_bytes().get(1)?, word.get(2..)?);
            let fits = |b: u8| if radix == b'b' { b"01".contains(&b) } else { b.is_ascii_hexdigit() };
            (matches!(radix, b'b' | b'x') && !digits.is_empty() && digits.bytes().all(fits)).then_some(Kind::Bits)
        }
        b':' => (word.len() > 1 && word.bytes().skip(1).all(symbol_char)).then_some(Kind::Keyword),
        b'0'..=b'9' => match word.split_once('.') {
            None => digits(word).then_some(Kind::Numeral),
            Some((whole, fraction)) => (digits(whole) && digits(fraction)).then_some(Kind::Decimal),
        },
        // Letters beyond ASCII are not SMT-LIB, but tools write them.
        _ => word.chars().all(|c| c.is_alphanumeric() || c.is_ascii() && symbol_char(c as u8)).then_some(Kind::Symbol),
    }
}
