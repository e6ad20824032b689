//! The shape of a GCL text.

use clinch_ir::Span;

use crate::expr::{Binder, ExprId, Name};

/// A whole text.
#[derive(Default)]
pub(super) struct Model<'s> {
    /// Declarations, processes and commands, in order.
    pub(super) items: Vec<Item<'s>>,
    /// The error condition.
    pub(super) error: Option<ExprId>,
    /// Suggested predicates.
    pub(super) predicates: Vec<ExprId>,
}

/// A declaration, process or command.
pub(super) enum Item<'s> {
    Constant(Name<'s>, ExprId),
    Enum(Name<'s>, Vec<Name<'s>>),
    Vars(Vec<VarDecl<'s>>),
    Process(ProcessDecl<'s>),
    Command(Command<'s>),
}

/// `name: type[len] = init`.
pub(super) struct VarDecl<'s> {
    pub(super) name: Name<'s>,
    pub(super) ty: TypeExpr<'s>,
    pub(super) len: Option<ExprId>,
    pub(super) init: InitExpr,
}

/// A type.
pub(super) enum TypeExpr<'s> {
    Bool,
    Int,
    Range(ExprId, ExprId, Span),
    Named(Name<'s>),
}

/// An initial value.
pub(super) enum InitExpr {
    /// Not given: any value of the domain.
    Any,
    /// One, for all elements.
    Value(ExprId),
    /// One per element.
    List(Vec<ExprId>, Span),
}

/// A template of processes.
pub(super) struct ProcessDecl<'s> {
    pub(super) name: Name<'s>,
    pub(super) params: Vec<Binder<'s>>,
    pub(super) vars: Vec<VarDecl<'s>>,
    pub(super) locations: Vec<Name<'s>>,
    pub(super) initial: Option<Name<'s>>,
    pub(super) edges: Vec<Edge<'s>>,
}

/// `from -> to when guard do assignments`.
pub(super) struct Edge<'s> {
    pub(super) from: Name<'s>,
    pub(super) to: Name<'s>,
    pub(super) action: Action<'s>,
}

/// A global command.
pub(super) struct Command<'s> {
    pub(super) name: Option<Name<'s>>,
    pub(super) action: Action<'s>,
}

/// When, and what then.
pub(super) struct Action<'s> {
    pub(super) guard: Option<ExprId>,
    pub(super) assigns: Vec<AssignDecl<'s>>,
    /// The whole edge or command.
    pub(super) span: Span,
}

/// `target[index] := value`.
pub(super) struct AssignDecl<'s> {
    pub(super) target: Name<'s>,
    pub(super) index: Option<ExprId>,
    /// `None` for `input`.
    pub(super) value: Option<ExprId>,
    pub(super) span: Span,
}
