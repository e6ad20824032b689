//! Questions about path conditions.

use std::time::Duration;

use clinch_smt::{Answer, LargeQuestion};
use clinch_terms::{Node, Term, Terms};

use crate::budget::Budget;

/// An answer.
pub(crate) enum Found {
    /// There is a model, which can be asked for values.
    Model(Box<LargeQuestion>),
    /// There is none.
    None,
    /// The solver gave up.
    Unknown,
}

/// Whether a formula has a model, to be found in this time and in that of the budget.
pub(super) fn ask(terms: &Terms, formula: Term, budget: &Budget, time: Duration) -> Found {
    if matches!(terms.node(formula), Node::Bool(false)) {
        return Found::None;
    }
    let time = budget.remaining().map_or(time, |left| left.min(time));
    let milliseconds = u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
    let mut question = LargeQuestion::new(terms, formula, milliseconds);
    match question.answer(terms) {
        Answer::Sat => Found::Model(Box::new(question)),
        Answer::Unsat => Found::None,
        Answer::Unknown => Found::Unknown,
    }
}
