//! Values that must be known when a model is read: sizes, bounds, initial values.

use clinch_ir::{Evaluator, Program, Span, State};
use clinch_terms::{EvalError, Node, Term};

use crate::diagnostic::Problem;

/// The value of a term that must not depend on the state; Booleans as 0 and 1.
pub(crate) fn constant_value(program: &Program, term: Term, span: Span) -> Result<i64, Problem> {
    match program.terms.node(term) {
        Node::Int(value) => return Ok(value),
        Node::Bool(value) => return Ok(i64::from(value)),
        _ => {}
    }
    if !program.terms.vars(term).is_empty() || program.terms.mentions_control(term) {
        return Err(Problem::new(span, "the value must be a constant").label("depends on the state"));
    }
    // Not folded though constant: it has no value, and the evaluator knows why.
    let nowhere = State { locs: Vec::new(), cells: Vec::new() };
    Evaluator::new(program).value(term, &nowhere).map_err(|error| match error {
        EvalError::Overflow => Problem::new(span, "the constant does not fit in 64 bits"),
        EvalError::Fault(fault) => Problem::new(span, format!("the constant has no value: {fault}")),
    })
}
