//! Whether a formula has no model: the question to which checks of proofs about procedures come down.

use clinch_smt::{Answer, LargeQuestion, Solver, Z3Solver};
use clinch_terms::cases::distributed;
use clinch_terms::{Term, Terms};

use crate::{Rejection, Stop};

/// What a question may use: work, milliseconds.
pub(crate) type Limits = (u32, u32);

/// Those of the first attempt. Whether a solver in a conversation is done at once or loses its way is a matter of luck; another one, which
/// rewrites the question first, is seldom lost at the same time. Large questions about bits alone are circuits, where they can be.
const FIRST: Limits = (500_000, 250);

/// No values satisfy all conditions.
pub(crate) fn unsatisfiable(
    (solver, terms): (&mut Z3Solver, &mut Terms),
    conditions: &[Term],
    limits: Limits,
    what: &str,
    stop: Stop<'_>,
) -> Result<(), Rejection> {
    let mut answer = as_circuit(terms, conditions, limits);
    for attempt in 0..3 {
        if answer != Answer::Unknown {
            break;
        }
        if stop() {
            return Err(Rejection::Stopped);
        }
        answer = match attempt {
            0 => satisfiable(solver, terms, conditions, (limits.0.min(FIRST.0), limits.1.min(FIRST.1))),
            1 => satisfiable(&mut Z3Solver::for_one_question_in_bits(), terms, conditions, limits),
            _ => satisfiable(solver, terms, conditions, limits),
        };
    }
    match answer {
        Answer::Unsat => Ok(()),
        Answer::Sat => Err(Rejection::Wrong(format!("it is broken by {what}"))),
        Answer::Unknown => Err(Rejection::Undecided(format!("the solver gives up on {what}"))),
    }
}

/// The answer to a large question about bits alone. What a block assigns is mostly a choice; compared case by case it is what an invariant says of the
/// state before.
fn as_circuit(terms: &mut Terms, conditions: &[Term], limits: Limits) -> Answer {
    if !LargeQuestion::is_about_bits(terms, conditions) {
        return Answer::Unknown;
    }
    let conditions: Vec<Term> = conditions.iter().map(|&condition| distributed(terms, condition)).collect();
    let formula = terms.all(conditions);
    LargeQuestion::about_bits(terms, formula, limits.1).map_or(Answer::Unknown, |mut question| question.answer(terms))
}

fn satisfiable(solver: &mut Z3Solver, terms: &Terms, conditions: &[Term], limits: Limits) -> Answer {
    solver.set_limits(limits.0, limits.1);
    solver.push();
    for &condition in conditions {
        solver.assert(terms, condition);
    }
    let answer = solver.check(terms, &[]);
    solver.pop();
    answer
}
