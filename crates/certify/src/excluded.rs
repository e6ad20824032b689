//! The one question that proofs of programs are checked by.

use clinch_ir::{Term, Terms};
use clinch_smt::{Answer, Solver, Z3Solver};

use crate::{Rejection, Stop};

/// No values satisfy all conditions.
pub(crate) fn excluded(
    (solver, terms): (&mut Z3Solver, &Terms),
    conditions: &[Term],
    what: &str,
    stop: Stop<'_>,
) -> Result<(), Rejection> {
    if stop() {
        return Err(Rejection::Stopped);
    }
    solver.push();
    for &condition in conditions {
        solver.assert(terms, condition);
    }
    let answer = solver.check(terms, &[]);
    solver.pop();
    match answer {
        Answer::Unsat => Ok(()),
        Answer::Sat => Err(Rejection::Wrong(format!("it is broken by {what}"))),
        Answer::Unknown => Err(Rejection::Undecided(format!("the solver gives up on {what}"))),
    }
}
