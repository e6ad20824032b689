//! Expressions of GCL, DVE, Remopla and Boolean programs as they are written, before names and types are known.
//!
//! They live in an arena: a deep expression must not overflow the stack when it is dropped.

use clinch_ir::Span;
use clinch_terms::{Term, Terms};

/// A name and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'s> {
    pub(crate) text: &'s str,
    pub(crate) span: Span,
}

/// An expression in an [`Exprs`] arena.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ExprId(u32);

/// A prefix operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Prefix {
    Not,
    Minus,
    Complement,
}

/// A binary operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Infix {
    Implies,
    Or,
    And,
    Compare(Comparison),
    /// An operation on two integers that gives an integer.
    Integer(clinch_terms::BinOp),
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Comparison {
    Equal,
    Different,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Comparison {
    /// The comparison as a term, given what equality is. `a > b` becomes `not (a <= b)`: it evaluates `a` first and is
    /// printed as it was written.
    pub(crate) fn term(
        self,
        terms: &mut Terms,
        a: Term,
        b: Term,
        equal: impl FnOnce(&mut Terms, Term, Term) -> Term,
    ) -> Term {
        let positive = match self {
            Comparison::Equal | Comparison::Different => equal(terms, a, b),
            Comparison::Less | Comparison::GreaterEqual => terms.lt(a, b),
            Comparison::LessEqual | Comparison::Greater => terms.le(a, b),
        };
        match self {
            Comparison::Equal | Comparison::Less | Comparison::LessEqual => positive,
            Comparison::Different | Comparison::Greater | Comparison::GreaterEqual => terms.not(positive),
        }
    }
}

/// What a quantifier says of its instances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Quantifier {
    ForAll,
    Exists,
    Count,
}

/// A name that runs through a range: of a quantifier, or a parameter of a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binder<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) lo: ExprId,
    pub(crate) hi: ExprId,
}

/// The outermost form of an expression.
#[derive(Clone, Debug)]
pub(crate) enum ExprKind<'s> {
    /// At most 2^63, which has a meaning only under a minus.
    Number(u64),
    Bool(bool),
    Name(&'s str),
    /// `a[i]`, `P[i, j]`.
    Index(ExprId, Vec<ExprId>),
    /// `P.state`, `P[0].x`.
    Member(ExprId, Name<'s>),
    /// `P->x`, of DVE.
    Foreign(ExprId, Name<'s>),
    Prefix(Prefix, ExprId),
    Infix(Infix, ExprId, ExprId),
    Conditional(ExprId, ExprId, ExprId),
    Quantified(Quantifier, Vec<Binder<'s>>, ExprId),
    /// `*`, of Boolean programs: any truth value.
    Any,
}

#[derive(Clone, Debug)]
struct Node<'s> {
    kind: ExprKind<'s>,
    span: Span,
    depth: u32,
}

/// The expressions of one text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exprs<'s> {
    nodes: Vec<Node<'s>>,
}

impl<'s> Exprs<'s> {
    /// Adds an expression; `depth` is 1 for leaves.
    pub(crate) fn add(&mut self, kind: ExprKind<'s>, span: Span, depth: u32) -> ExprId {
        self.nodes.push(Node { kind, span, depth });
        ExprId(u32::try_from(self.nodes.len() - 1).expect("fewer expressions than bytes"))
    }

    pub(crate) fn kind(&self, id: ExprId) -> &ExprKind<'s> {
        &self.nodes[id.0 as usize].kind
    }

    pub(crate) fn span(&self, id: ExprId) -> Span {
        self.nodes[id.0 as usize].span
    }

    /// How many operations lie on top of each other.
    pub(crate) fn depth(&self, id: ExprId) -> u32 {
        self.nodes[id.0 as usize].depth
    }
}

/// From the start of the first to the end of the second.
pub(crate) fn join(first: Span, second: Span) -> Span {
    Span { start: first.start, end: second.end }
}
