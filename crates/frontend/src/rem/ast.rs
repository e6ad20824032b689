//! The shape of a Remopla text.

use clinch_ir::Span;

use crate::expr::{Binder, ExprId, Name};

/// A whole text.
#[derive(Default)]
pub(super) struct Text<'s> {
    pub(super) constants: Vec<(Name<'s>, ExprId)>,
    pub(super) structs: Vec<StructDecl<'s>>,
    pub(super) globals: Vec<VarDecl<'s>>,
    pub(super) modules: Vec<ModuleDecl<'s>>,
    /// Modules announced before they are defined.
    pub(super) prototypes: Vec<ModuleDecl<'s>>,
    /// `init name;`.
    pub(super) init: Option<Name<'s>>,
}

/// `struct name { members };`.
pub(super) struct StructDecl<'s> {
    pub(super) name: Name<'s>,
    pub(super) members: Vec<VarDecl<'s>>,
}

/// The type before a declared name.
#[derive(Clone, Copy)]
pub(super) enum BaseType<'s> {
    Void(Span),
    Bool,
    /// With the number of bits, where it stands behind the type: `int(8)`.
    Int(Option<ExprId>),
    Struct(Name<'s>),
}

/// `type name[len](bits) = value`.
pub(super) struct VarDecl<'s> {
    pub(super) base: BaseType<'s>,
    pub(super) name: Name<'s>,
    /// Outermost first.
    pub(super) lens: Vec<ExprId>,
    pub(super) bits: Option<ExprId>,
    pub(super) init: Option<ValueExpr>,
}

/// `module type name(params) { vars body }`.
pub(super) struct ModuleDecl<'s> {
    pub(super) name: Name<'s>,
    pub(super) result: BaseType<'s>,
    pub(super) params: Vec<VarDecl<'s>>,
    pub(super) vars: Vec<VarDecl<'s>>,
    pub(super) body: Vec<Stmt<'s>>,
    /// The closing brace.
    pub(super) end: Span,
}

/// A statement with the labels before it.
pub(super) struct Stmt<'s> {
    pub(super) labels: Vec<Name<'s>>,
    pub(super) kind: StmtKind<'s>,
    pub(super) span: Span,
}

/// A statement.
pub(super) enum StmtKind<'s> {
    Skip,
    Break,
    Goto(Name<'s>),
    Return(Option<ValueExpr>),
    Assert(ExprId),
    If(Vec<Alternative<'s>>),
    Do(Vec<Alternative<'s>>),
    Call { target: Option<ExprId>, callee: Name<'s>, args: Vec<ValueExpr> },
    Assign(Vec<AssignDecl<'s>>),
}

/// `:: guard -> statements`.
pub(super) struct Alternative<'s> {
    /// None for `else`.
    pub(super) guard: Option<ExprId>,
    /// The guard, or the word `else`.
    pub(super) span: Span,
    pub(super) body: Vec<Stmt<'s>>,
}

/// `A i (lo, hi) target = value`.
pub(super) struct AssignDecl<'s> {
    pub(super) binders: Vec<Binder<'s>>,
    pub(super) target: ExprId,
    pub(super) value: ValueExpr,
}

/// What is assigned, handed over or returned.
#[derive(Clone, Copy)]
pub(super) enum ValueExpr {
    Expr(ExprId),
    /// `undef`: any value of the type.
    Any(Span),
    /// `{lo..hi}`: any of these.
    Between(ExprId, ExprId, Span),
}
