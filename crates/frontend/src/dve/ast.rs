//! The shape of a DVE text.

use clinch_ir::Span;

use crate::expr::{ExprId, Name};

/// A whole text.
#[derive(Default)]
pub(super) struct Model<'s> {
    pub(super) decls: Vec<Decl<'s>>,
    pub(super) channels: Vec<Name<'s>>,
    pub(super) processes: Vec<ProcessDecl<'s>>,
}

/// A type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Byte,
    Int,
}

/// A variable or constant.
pub(super) struct Decl<'s> {
    pub(super) constant: bool,
    pub(super) ty: Type,
    pub(super) name: Name<'s>,
    pub(super) len: Option<ExprId>,
    /// Initial values; what is missing is 0, what is too many does not count.
    pub(super) init: Vec<ExprId>,
}

/// A process.
pub(super) struct ProcessDecl<'s> {
    pub(super) name: Name<'s>,
    pub(super) decls: Vec<Decl<'s>>,
    pub(super) states: Vec<Name<'s>>,
    pub(super) initial: Name<'s>,
    pub(super) edges: Vec<Edge<'s>>,
}

/// An edge of a process.
pub(super) struct Edge<'s> {
    pub(super) from: Name<'s>,
    pub(super) to: Name<'s>,
    pub(super) guard: Option<ExprId>,
    pub(super) sync: Option<Sync<'s>>,
    pub(super) effects: Vec<Effect<'s>>,
    pub(super) span: Span,
}

/// The synchronisation of an edge.
pub(super) struct Sync<'s> {
    pub(super) channel: Name<'s>,
    pub(super) side: Side<'s>,
    pub(super) span: Span,
}

/// Which side of a synchronisation.
pub(super) enum Side<'s> {
    Send(Option<ExprId>),
    Receive(Option<Assigned<'s>>),
}

/// Something that can be assigned to.
#[derive(Clone, Copy)]
pub(super) struct Assigned<'s> {
    pub(super) name: Name<'s>,
    pub(super) index: Option<ExprId>,
}

/// An assignment.
pub(super) struct Effect<'s> {
    pub(super) target: Assigned<'s>,
    pub(super) value: ExprId,
}
