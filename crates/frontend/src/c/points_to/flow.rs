//! Expressions, and where their values are.

use super::super::hir::{Expr, Update};
use super::graph::Cell;
use super::layout::Val;

/// Where the value of an expression is.
#[derive(Clone, Debug)]
pub(crate) enum Flow {
    /// Nowhere: no address flows.
    Nothing,
    /// A scalar.
    Scalar(Val),
    /// A record, as its scalars.
    Leaves(Vec<Option<Val>>),
    /// A record in memory.
    Object(Cell),
}

/// Expressions are known by where they are stored: the program does not change while it is analysed.
pub(crate) fn key(e: &Expr) -> usize {
    std::ptr::from_ref(e).addr()
}

/// The key of the operation of an update; no expression has it.
pub(crate) fn update_key(update: &Update) -> usize {
    std::ptr::from_ref(&update.op).addr()
}

/// The key of a `switch` over an expression; no expression has it.
pub(crate) fn switch_key(operand: &Expr) -> usize {
    std::ptr::from_ref(&operand.ty).addr()
}
