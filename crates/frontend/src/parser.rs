//! The part of parsing that GCL, DVE and Remopla share: a window on the tokens, and expressions by precedence climbing.

use std::sync::Arc;

use clinch_ir::{Source, Span};

use crate::diagnostic::{Bag, Diagnostics, MAX_DIAGNOSTICS, Problem};
use crate::dialect::{ADDITIVE, Associativity, CONDITIONAL, Dialect};
use crate::expr::{Binder, ExprId, ExprKind, Exprs, Infix, Name, Prefix, Quantifier, join};
use crate::lexer::{Kind, Lexer, Token, shorten};

/// Most parentheses, brackets, prefix operators and the like inside each other: reading them is recursive, and must not
/// overflow the stack of a small thread, not even in an unoptimised build.
const MAX_NESTING: u32 = 500;

/// Most operations on top of each other, chains such as `a + b + c` included: later passes recurse over expressions and
/// terms.
const MAX_DEPTH: u32 = 1000;

/// A parser over one text.
pub(crate) struct Parser<'s> {
    dialect: Dialect,
    lexer: Lexer<'s>,
    current: Token,
    next: Token,
    previous: Span,
    nesting: u32,
    /// Whether `[` after a name is an index: not in the bounds of a range, which are constants (`0..N[3]` is an array).
    indexing: bool,
    /// The expressions read.
    pub(crate) exprs: Exprs<'s>,
    /// What is wrong so far.
    pub(crate) problems: Vec<Problem>,
}

impl<'s> Parser<'s> {
    pub(crate) fn new(dialect: Dialect, text: &'s str) -> Self {
        let start = Token { kind: Kind::End, span: Span::default() };
        let mut parser = Parser {
            dialect,
            lexer: Lexer::new(text),
            current: start,
            next: start,
            previous: Span::default(),
            nesting: 0,
            indexing: true,
            exprs: Exprs::default(),
            problems: Vec::new(),
        };
        parser.advance();
        parser.advance();
        parser.previous = Span::default();
        parser
    }

    /// Reads a whole text item by item. One that cannot be read is reported and skipped up to its `;`.
    pub(crate) fn items(&mut self, mut item: impl FnMut(&mut Self) -> Result<(), Problem>) {
        if self.at_end() && self.problems.is_empty() {
            self.report(Problem::new(self.span(), "the file contains nothing but comments"));
        }
        while !self.at_end() {
            if let Err(problem) = item(self) {
                self.report(problem);
                self.recover();
                self.eat("}");
            }
        }
    }

    /// Hands over what is wrong with the text, if something is.
    pub(crate) fn finish(&mut self, source: &Arc<Source>, bag: &mut Bag) -> Result<(), Diagnostics> {
        for problem in std::mem::take(&mut self.problems) {
            bag.report(source, problem);
        }
        bag.stop_if_any()
    }

    /// Records a problem; after too many, the rest of the text is given up.
    pub(crate) fn report(&mut self, problem: Problem) {
        self.problems.push(problem);
        if self.problems.len() >= MAX_DIAGNOSTICS {
            self.lexer.skip_to_end();
            let end = Token { kind: Kind::End, span: Span { start: self.previous.end, end: self.previous.end } };
            (self.current, self.next) = (end, end);
        }
    }

    /// Moves on by one token; bad ones are reported and skipped.
    pub(crate) fn advance(&mut self) -> Token {
        let token = self.current;
        self.previous = token.span;
        self.current = self.next;
        self.next = loop {
            match self.lexer.next() {
                Ok(token) => break token,
                Err(problem) => self.report(problem),
            }
        };
        token
    }

    pub(crate) fn at_end(&self) -> bool {
        self.current.kind == Kind::End
    }

    /// Where the current token stands.
    pub(crate) fn span(&self) -> Span {
        self.current.span
    }

    /// From a place to the end of the last token read.
    pub(crate) fn since(&self, start: Span) -> Span {
        join(start, self.previous)
    }

    fn text(&self, token: Token) -> &'s str {
        self.lexer.text(token.span)
    }

    /// Whether the current token is this keyword or symbol.
    pub(crate) fn at(&self, text: &str) -> bool {
        self.current.kind != Kind::End && self.text(self.current) == text
    }

    /// Whether the token after the current one is this keyword or symbol.
    pub(crate) fn next_is(&self, text: &str) -> bool {
        self.next.kind != Kind::End && self.text(self.next) == text
    }

    /// Whether a name stands here that is no reserved word.
    pub(crate) fn at_name(&self) -> bool {
        self.current.kind == Kind::Name && !self.dialect.reserved().contains(&self.text(self.current))
    }

    /// Whether the token after the current one is a name or keyword.
    pub(crate) fn next_is_name(&self) -> bool {
        self.next.kind == Kind::Name
    }

    /// Moves over this keyword or symbol if it is there.
    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let there = self.at(text);
        if there {
            self.advance();
        }
        there
    }

    /// Moves over this keyword or symbol, which must be there.
    pub(crate) fn expect(&mut self, text: &str) -> Result<(), Problem> {
        if self.eat(text) { Ok(()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    /// The problem that something else stands here.
    pub(crate) fn unexpected(&self, wanted: &str) -> Problem {
        let problem = match self.current.kind {
            Kind::End => Problem::new(self.span(), format!("expected {wanted}, found the end of the text")),
            _ => {
                let found = shorten(self.text(self.current));
                Problem::new(self.span(), format!("expected {wanted}, found `{found}`"))
            }
        };
        problem.label(format!("expected {wanted}"))
    }

    /// A name that is not a reserved word.
    pub(crate) fn name(&mut self, wanted: &str) -> Result<Name<'s>, Problem> {
        let text = self.text(self.current);
        if self.current.kind != Kind::Name {
            return Err(self.unexpected(wanted));
        }
        if self.dialect.reserved().contains(&text) {
            return Err(self.unexpected(wanted).help(format!("`{text}` is a reserved word")));
        }
        Ok(Name { text, span: self.advance().span })
    }

    /// One or more of something, with commas between.
    pub(crate) fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T, Problem>) -> Result<Vec<T>, Problem> {
        let mut items = vec![item(self)?];
        while self.eat(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Skips to behind the next `;` or `}`, or to the end, where a statement can begin again.
    pub(crate) fn recover(&mut self) {
        self.nesting = 0;
        self.indexing = true;
        while !self.at_end() && !self.at("}") {
            if self.eat(";") {
                return;
            }
            self.advance();
        }
    }

    /// An expression.
    pub(crate) fn expression(&mut self) -> Result<ExprId, Problem> {
        self.level(CONDITIONAL)
    }

    /// `lo..hi`, of constants.
    pub(crate) fn range(&mut self) -> Result<(ExprId, ExprId), Problem> {
        let lo = self.bound()?;
        self.expect("..")?;
        Ok((lo, self.bound()?))
    }

    /// A bound of a range.
    pub(crate) fn bound(&mut self) -> Result<ExprId, Problem> {
        let outer = std::mem::replace(&mut self.indexing, false);
        let bound = self.level(ADDITIVE);
        self.indexing = outer;
        bound
    }

    /// `name: lo..hi`.
    pub(crate) fn binder(&mut self) -> Result<Binder<'s>, Problem> {
        let name = self.name("a name")?;
        self.expect(":")?;
        let (lo, hi) = self.range()?;
        Ok(Binder { name, lo, hi })
    }

    /// An expression of operators of at least this level.
    fn level(&mut self, least: u8) -> Result<ExprId, Problem> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(too_deep(self.span(), MAX_NESTING));
        }
        let mut left = self.operand()?;
        loop {
            if least <= CONDITIONAL && self.dialect == Dialect::Gcl && self.at("?") {
                left = self.conditional(left)?;
                continue;
            }
            let operator = self.dialect.infix(self.text(self.current));
            let Some((infix, level, associativity)) = operator.filter(|o| o.1 >= least) else { break };
            self.advance();
            let right = self.level(if associativity == Associativity::Right { level } else { level + 1 })?;
            left = self.add(ExprKind::Infix(infix, left, right), self.whole(left, right), &[left, right])?;
            if associativity == Associativity::None {
                self.refuse_chain(level)?;
            }
        }
        self.nesting -= 1;
        Ok(left)
    }

    fn refuse_chain(&self, level: u8) -> Result<(), Problem> {
        match self.dialect.infix(self.text(self.current)) {
            Some((_, next, _)) if next == level => Err(Problem::new(self.span(), "comparisons cannot be chained")
                .label("second comparison")
                .help("write `a < b and b < c`, or use parentheses")),
            _ => Ok(()),
        }
    }

    #[inline(never)]
    fn conditional(&mut self, condition: ExprId) -> Result<ExprId, Problem> {
        self.expect("?")?;
        let then = self.expression()?;
        self.expect(":")?;
        let otherwise = self.expression()?;
        let kind = ExprKind::Conditional(condition, then, otherwise);
        self.add(kind, self.whole(condition, otherwise), &[condition, then, otherwise])
    }

    fn operand(&mut self) -> Result<ExprId, Problem> {
        let token = self.current;
        let text = self.text(token);
        if let Some((prefix, least)) = self.dialect.prefix(text) {
            self.advance();
            let inner = self.level(least)?;
            return self.add(ExprKind::Prefix(prefix, inner), self.since(token.span), &[inner]);
        }
        match token.kind {
            Kind::Symbol("(") => self.parenthesised(),
            Kind::Symbol("*") if self.dialect == Dialect::Bp => {
                self.advance();
                self.add(ExprKind::Any, token.span, &[])
            }
            Kind::Number => self.number(),
            Kind::Name => self.word(text),
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn parenthesised(&mut self) -> Result<ExprId, Problem> {
        self.advance();
        let inner = self.expression()?;
        self.expect(")")?;
        Ok(inner)
    }

    fn number(&mut self) -> Result<ExprId, Problem> {
        let token = self.advance();
        let value = self.text(token).parse().ok().filter(|v| *v <= i64::MIN.unsigned_abs());
        let value: u64 = value.ok_or_else(|| number_too_large(token.span))?;
        self.add(ExprKind::Number(value), token.span, &[])
    }

    #[inline(never)]
    fn word(&mut self, text: &'s str) -> Result<ExprId, Problem> {
        let gcl = self.dialect == Dialect::Gcl;
        match text {
            "true" | "false" => {
                let span = self.advance().span;
                self.add(ExprKind::Bool(text == "true"), span, &[])
            }
            "forall" if gcl => self.quantified(Quantifier::ForAll),
            "exists" if gcl => self.quantified(Quantifier::Exists),
            // A variable may be called `count`; no expression has two names in a row.
            "count" if gcl && self.next_is_name() => self.quantified(Quantifier::Count),
            "A" if self.dialect == Dialect::Rem && self.next_is_name() => self.bounded(Quantifier::ForAll),
            "E" if self.dialect == Dialect::Rem && self.next_is_name() => self.bounded(Quantifier::Exists),
            "schoose" if self.dialect == Dialect::Bp => self.schoose(),
            "input" if gcl => {
                Err(Problem::new(self.span(), "`input` is not an expression")
                    .help("it can only be assigned: `x := input`"))
            }
            _ => self.path(),
        }
    }

    fn quantified(&mut self, quantifier: Quantifier) -> Result<ExprId, Problem> {
        let start = self.advance().span;
        let binders = self.list(Self::binder)?;
        self.expect(":")?;
        let body = self.expression()?;
        let bounds = binders.iter().flat_map(|b| [b.lo, b.hi]);
        let children: Vec<ExprId> = bounds.chain([body]).collect();
        self.add(ExprKind::Quantified(quantifier, binders, body), self.since(start), &children)
    }

    /// `schoose[a, b]`, of Boolean programs: true where `a` is, else false where `b` is, else any.
    fn schoose(&mut self) -> Result<ExprId, Problem> {
        let start = self.advance().span;
        self.expect("[")?;
        let yes = self.expression()?;
        self.expect(",")?;
        let no = self.expression()?;
        self.expect("]")?;
        let span = self.since(start);
        let any = self.add(ExprKind::Any, span, &[])?;
        let free = self.add(ExprKind::Prefix(Prefix::Not, no), span, &[no])?;
        let open = self.add(ExprKind::Infix(Infix::And, free, any), span, &[free, any])?;
        self.add(ExprKind::Infix(Infix::Or, yes, open), span, &[yes, open])
    }

    /// A condition that always holds.
    pub(crate) fn truth(&mut self, span: Span) -> ExprId {
        self.exprs.add(ExprKind::Bool(true), span, 1)
    }

    /// `A i (lo, hi) body`, of Remopla.
    fn bounded(&mut self, quantifier: Quantifier) -> Result<ExprId, Problem> {
        let start = self.span();
        let binder = self.bounded_name()?;
        let body = self.expression()?;
        let kind = ExprKind::Quantified(quantifier, vec![binder], body);
        self.add(kind, self.since(start), &[binder.lo, binder.hi, body])
    }

    /// `A i (lo, hi)`, of Remopla.
    pub(crate) fn bounded_name(&mut self) -> Result<Binder<'s>, Problem> {
        self.advance();
        let name = self.name("a name")?;
        self.expect("(")?;
        let lo = self.expression()?;
        self.expect(",")?;
        let hi = self.expression()?;
        self.expect(")")?;
        Ok(Binder { name, lo, hi })
    }

    /// A name, with indices and members behind it.
    pub(crate) fn path(&mut self) -> Result<ExprId, Problem> {
        let Name { text, span: start } = self.name("an expression")?;
        let mut path = self.add(ExprKind::Name(text), start, &[])?;
        loop {
            if self.indexing && self.eat("[") {
                let indices = self.list(Self::expression)?;
                self.expect("]")?;
                let kind = ExprKind::Index(path, indices.clone());
                path = self.add(kind, self.since(start), &[&[path], indices.as_slice()].concat())?;
            } else if self.eat(".") {
                let member = self.name("a location or variable")?;
                path = self.add(ExprKind::Member(path, member), self.since(start), &[path])?;
            } else if self.dialect == Dialect::Dve && self.eat("->") {
                let member = self.name("a variable")?;
                path = self.add(ExprKind::Foreign(path, member), self.since(start), &[path])?;
            } else {
                return Ok(path);
            }
        }
    }

    fn whole(&self, left: ExprId, right: ExprId) -> Span {
        join(self.exprs.span(left), self.exprs.span(right))
    }

    fn add(&mut self, kind: ExprKind<'s>, span: Span, children: &[ExprId]) -> Result<ExprId, Problem> {
        let depth = 1 + children.iter().map(|c| self.exprs.depth(*c)).max().unwrap_or(0);
        if depth > MAX_DEPTH {
            return Err(too_deep(self.previous, MAX_DEPTH));
        }
        Ok(self.exprs.add(kind, span, depth))
    }
}

fn too_deep(span: Span, limit: u32) -> Problem {
    Problem::new(span, format!("the expression is nested deeper than {limit}")).help("split it into smaller ones")
}

/// A number that does not fit in 64 bits.
pub(crate) fn number_too_large(span: Span) -> Problem {
    Problem::new(span, "the number does not fit in 64 bits")
}
