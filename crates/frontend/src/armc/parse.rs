//! Clauses of Prolog: terms with operators.

use std::borrow::Cow;

use clinch_ir::Span;

use super::clause::{Clause, Shape, TermId, unquote};
use super::lexer::{Kind, Lexer, Token};
use crate::diagnostic::Problem;
use crate::expr::join;
use crate::lexer::shorten;

type Result<T> = std::result::Result<T, Problem>;

/// Most terms read inside each other: reading is recursive.
const MAX_NESTING: u32 = 250;

/// Most terms on top of each other, chains such as `a + b + c` included: later passes recurse over terms.
const MAX_DEPTH: u32 = 1000;

/// The priority of a clause.
const CLAUSE: u16 = 1200;

/// The priority of an argument: less than that of a comma.
const ARGUMENT: u16 = 999;

/// Reads one clause after the other.
pub(super) struct Reader<'s> {
    lexer: Lexer<'s>,
    current: Token,
    previous: Span,
    nesting: u32,
    /// The terms of the clause read last.
    pub(super) clause: Clause<'s>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(text: &'s str) -> Self {
        let start = Token { kind: Kind::Stop, span: Span::default(), spaced: false };
        Reader {
            lexer: Lexer::new(text),
            current: start,
            previous: Span::default(),
            nesting: 0,
            clause: Clause::default(),
        }
    }

    /// The next clause; `None` at the end of the text. After a problem, reading continues behind the next full stop.
    pub(super) fn next_clause(&mut self) -> Option<Result<TermId>> {
        self.clause.clear();
        self.nesting = 0;
        if let Err(problem) = self.advance() {
            while self.advance().is_err() {}
            self.recover();
            return Some(Err(problem));
        }
        if self.current.kind == Kind::End {
            return None;
        }
        let clause = self.term(CLAUSE).and_then(|term| match self.current.kind {
            Kind::Stop => Ok(term),
            _ => Err(self.unexpected("an operator or `.`")),
        });
        if clause.is_err() {
            self.recover();
        }
        Some(clause)
    }

    /// The one term that the text consists of; a full stop behind it may be left out.
    pub(super) fn only_term(&mut self) -> Result<TermId> {
        self.advance()?;
        let term = self.term(CLAUSE)?;
        if self.current.kind == Kind::Stop {
            self.advance()?;
        }
        match self.current.kind {
            Kind::End => Ok(term),
            _ => Err(self.unexpected("an operator or the end")),
        }
    }

    /// Gives up the rest of the text.
    pub(super) fn skip_to_end(&mut self) {
        self.lexer.skip_to_end();
    }

    fn recover(&mut self) {
        while !matches!(self.current.kind, Kind::Stop | Kind::End) {
            // A bad token inside a bad clause is not reported again.
            while self.advance().is_err() {}
        }
    }

    fn advance(&mut self) -> Result<Token> {
        let token = self.current;
        self.previous = token.span;
        self.current = self.lexer.next()?;
        Ok(token)
    }

    fn text(&self) -> &'s str {
        self.lexer.text(self.current.span)
    }

    fn at(&self, punctuation: char) -> bool {
        self.current.kind == Kind::Punctuation(punctuation)
    }

    fn expect(&mut self, punctuation: char, wanted: &str) -> Result<()> {
        if !self.at(punctuation) {
            return Err(self.unexpected(wanted));
        }
        self.advance().map(|_| ())
    }

    fn unexpected(&self, wanted: &str) -> Problem {
        let span = self.current.span;
        let problem = match self.current.kind {
            Kind::End => Problem::new(span, format!("expected {wanted}, found the end of the text")),
            _ => Problem::new(span, format!("expected {wanted}, found `{}`", shorten(self.text()))),
        };
        problem.label(format!("expected {wanted}"))
    }

    /// A term of at most this priority.
    fn term(&mut self, most: u16) -> Result<TermId> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(too_deep(self.current.span, MAX_NESTING));
        }
        let (mut left, mut priority) = self.primary(most)?;
        loop {
            if self.at(',') && most >= COMMA {
                left = self.conjunction(left)?;
                priority = COMMA;
                continue;
            }
            let Some(infix) = self.infix().filter(|i| i.priority <= most && priority <= i.left) else { break };
            self.advance()?;
            let right = self.term(infix.right)?;
            let span = join(self.clause.span(left), self.clause.span(right));
            left = self.add(Shape::Compound(Cow::Borrowed(infix.name), vec![left, right]), span)?;
            priority = infix.priority;
        }
        self.nesting -= 1;
        Ok(left)
    }

    fn conjunction(&mut self, first: TermId) -> Result<TermId> {
        let mut items = vec![first];
        while self.at(',') {
            self.advance()?;
            items.push(self.term(ARGUMENT)?);
        }
        let span = join(self.clause.span(first), self.previous);
        self.add(Shape::Compound(Cow::Borrowed(","), items), span)
    }

    fn infix(&self) -> Option<Infix<'s>> {
        match self.current.kind {
            Kind::Atom => infix(self.text()),
            Kind::Punctuation('|') => infix(";"),
            _ => None,
        }
    }

    /// An operand and its priority.
    fn primary(&mut self, most: u16) -> Result<(TermId, u16)> {
        let (start, text) = (self.current.span, self.text());
        let term = match self.current.kind {
            Kind::Variable => {
                self.advance()?;
                self.clause.variable(text, start)
            }
            Kind::Number => {
                self.advance()?;
                self.add(Shape::Number(text), start)?
            }
            Kind::Text => {
                self.advance()?;
                self.add(Shape::Text(text), start)?
            }
            Kind::Quoted => {
                self.advance()?;
                self.atom_or_compound(unquote(text), start)?
            }
            Kind::Atom => return self.atom(most),
            Kind::Punctuation('(') => {
                self.advance()?;
                let inner = self.term(CLAUSE)?;
                self.expect(')', "an operator or `)`")?;
                inner
            }
            Kind::Punctuation('[') => self.list()?,
            Kind::Punctuation('{') => {
                self.advance()?;
                let inner = self.term(CLAUSE)?;
                self.expect('}', "an operator or `}`")?;
                self.add(Shape::Compound(Cow::Borrowed("{}"), vec![inner]), join(start, self.previous))?
            }
            _ => return Err(self.unexpected("a term")),
        };
        Ok((term, 0))
    }

    /// An atom, a compound term, or a prefix operator with its argument.
    fn atom(&mut self, most: u16) -> Result<(TermId, u16)> {
        let token = self.current;
        let name = self.text();
        self.advance()?;
        if self.at('(') && !self.current.spaced {
            return Ok((self.atom_or_compound(Cow::Borrowed(name), token.span)?, 0));
        }
        if name == "-" && self.current.kind == Kind::Number && !self.current.spaced {
            let span = join(token.span, self.current.span);
            self.advance()?;
            return Ok((self.add(Shape::Number(self.lexer.text(span)), span)?, 0));
        }
        let Some((priority, argument)) = prefix(name).filter(|p| p.0 <= most && self.operand_follows()) else {
            return Ok((self.add(Shape::Atom(Cow::Borrowed(name)), token.span)?, 0));
        };
        let inner = self.term(argument)?;
        let shape = Shape::Compound(Cow::Borrowed(name), vec![inner]);
        Ok((self.add(shape, join(token.span, self.previous))?, priority))
    }

    /// Whether what follows an operator is its argument: `- x`, but not `- = x`.
    fn operand_follows(&self) -> bool {
        match self.current.kind {
            Kind::Stop | Kind::End => false,
            Kind::Punctuation(c) => matches!(c, '(' | '[' | '{'),
            Kind::Atom => infix(self.text()).is_none() || prefix(self.text()).is_some(),
            Kind::Variable | Kind::Quoted | Kind::Text | Kind::Number => true,
        }
    }

    fn atom_or_compound(&mut self, name: Cow<'s, str>, start: Span) -> Result<TermId> {
        if !self.at('(') || self.current.spaced {
            return self.add(Shape::Atom(name), start);
        }
        self.advance()?;
        let args = self.arguments()?;
        self.expect(')', "an operator, `,` or `)`")?;
        self.add(Shape::Compound(name, args), join(start, self.previous))
    }

    fn arguments(&mut self) -> Result<Vec<TermId>> {
        let mut args = vec![self.term(ARGUMENT)?];
        while self.at(',') {
            self.advance()?;
            args.push(self.term(ARGUMENT)?);
        }
        Ok(args)
    }

    fn list(&mut self) -> Result<TermId> {
        let start = self.current.span;
        self.advance()?;
        let (mut items, mut rest) = (Vec::new(), None);
        if !self.at(']') {
            items = self.arguments()?;
            if self.at('|') {
                self.advance()?;
                rest = Some(self.term(ARGUMENT)?);
            }
        }
        self.expect(']', "an operator, `,` or `]`")?;
        self.add(Shape::List(items, rest), join(start, self.previous))
    }

    fn add(&mut self, shape: Shape<'s>, span: Span) -> Result<TermId> {
        let term = self.clause.add(shape, span);
        if self.clause.depth(term) > MAX_DEPTH {
            return Err(too_deep(self.previous, MAX_DEPTH));
        }
        Ok(term)
    }
}

fn too_deep(span: Span, limit: u32) -> Problem {
    Problem::new(span, format!("the term is nested deeper than {limit}")).help("split it into smaller ones")
}

const COMMA: u16 = 1000;

/// An infix operator with the largest priorities of itself and its arguments.
struct Infix<'s> {
    name: &'s str,
    priority: u16,
    left: u16,
    right: u16,
}

/// The arguments of an infix operator: `x` binds tighter than the operator, `y` may be as loose.
#[derive(Clone, Copy)]
enum Grouping {
    Xfx,
    Xfy,
    Yfx,
}

/// The operators of ISO Prolog and of constraint libraries; and `<=`, so that it can be refused with advice.
fn infix(name: &str) -> Option<Infix<'_>> {
    let (priority, grouping) = match name {
        "=" | "=<" | ">=" | "<" | ">" | "=:=" | "=\\=" | "is" | "<=" => (700, Grouping::Xfx),
        "+" | "-" | "/\\" | "\\/" | "xor" => (500, Grouping::Yfx),
        "*" | "/" | "//" | "mod" | "rem" | "div" | "rdiv" | "<<" | ">>" => (400, Grouping::Yfx),
        "#=" | "#\\=" | "#<" | "#=<" | "#>" | "#>=" => (700, Grouping::Xfx),
        "\\=" | "==" | "\\==" | "@<" | "@=<" | "@>" | "@>=" | "=.." => (700, Grouping::Xfx),
        ":-" | "-->" => (1200, Grouping::Xfx),
        ";" => (1100, Grouping::Xfy),
        "->" | "*->" => (1050, Grouping::Xfy),
        "#<=>" | "#<==>" => (760, Grouping::Yfx),
        "#=>" | "#==>" => (750, Grouping::Xfy),
        "#\\/" => (740, Grouping::Yfx),
        "#/\\" => (720, Grouping::Yfx),
        ":" => (550, Grouping::Xfy),
        "**" => (200, Grouping::Xfx),
        "^" => (200, Grouping::Xfy),
        _ => return None,
    };
    let (left, right) = match grouping {
        Grouping::Xfx => (priority - 1, priority - 1),
        Grouping::Xfy => (priority - 1, priority),
        Grouping::Yfx => (priority, priority - 1),
    };
    Some(Infix { name, priority, left, right })
}

/// The priorities of a prefix operator and of its argument.
fn prefix(name: &str) -> Option<(u16, u16)> {
    match name {
        ":-" | "?-" => Some((1200, 1199)),
        "dynamic" | "multifile" | "discontiguous" | "initialization" | "mode" | "table" => Some((1150, 1149)),
        "\\+" => Some((900, 900)),
        "#\\" => Some((710, 710)),
        "-" | "+" | "\\" => Some((200, 200)),
        _ => None,
    }
}
