//! Values that must be known when a model of processes is read (sizes, bounds, initial values), and what is wrong with declarations.

use clinch_ir::{Evaluator, Program, Span, State};
use clinch_terms::{EvalError, Node, Term};

use crate::diagnostic::Problem;
use crate::expr::Name;

/// Most cells a program may have. Far beyond what any engine can treat; it keeps typing errors from filling the memory.
const MAX_CELLS: usize = 1 << 20;

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

/// The number of elements that a constant is meant to be.
pub(crate) fn array_len(value: i64, span: Span) -> Result<u32, Problem> {
    let fits = u32::try_from(value).ok().filter(|&n| 0 < n && n as usize <= MAX_CELLS);
    fits.ok_or_else(|| Problem::new(span, format!("an array cannot have {value} elements")))
}

/// Refuses a variable that makes a program too large.
pub(crate) fn check_cells(program: &Program, name: Name<'_>, cells: u32) -> Result<(), Problem> {
    match program.cell_count() + cells as usize {
        0..=MAX_CELLS => Ok(()),
        _ => Err(Problem::new(name.span, format!("the variables take more than {MAX_CELLS} cells"))),
    }
}

/// The problem that a name is taken.
pub(crate) fn duplicate(name: Name<'_>) -> Problem {
    Problem::new(name.span, format!("`{}` is declared twice", name.text)).label("second declaration")
}
