//! Re-checks every verdict against the program, with the interpreter and with fresh queries.
//!
//! Nothing here depends on an engine: a trace is replayed step by step, a proof is an invariant whose initiation,
//! consecution and safety are established again. Solutions and refutations of Horn clauses likewise.

mod blocks;
mod cells;
mod certified;
mod consequences;
mod dead;
mod diagrams;
mod horn;
mod induction;
mod invariant;
mod parts;
mod reached;
mod reduced;
mod replay;
mod runs;
mod summaries;
mod unrolling;
mod unsatisfiable;

use clinch_ir::interleaving::Interleaving;
use clinch_ir::{Program, Proof};
use clinch_terms::EvalError;

pub use blocks::check_invariants;
pub use certified::{Certified, Judged, Model, certify};
pub use consequences::{Candidates, consequences};
pub use horn::{check_refutation, check_solution};
pub use induction::check_induction;
pub use parts::{Part, Sorted, Tally, certify_parts};
pub use replay::check_trace;
pub use runs::{check_input_trace, check_reached_states};
pub use summaries::check_summaries;
pub use unrolling::check_unrolling;

/// Asked now and then during a long check; `true` stops it.
pub type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// Why evidence is not accepted.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// It is wrong: an internal error of the engine that gave it.
    #[error("{0}")]
    Wrong(String),
    /// It may be right, but that could not be established.
    #[error("{0}")]
    Undecided(String),
    /// The caller stopped the check.
    #[error("the check was stopped")]
    Stopped,
}

impl From<EvalError> for Rejection {
    fn from(error: EvalError) -> Self {
        match error {
            EvalError::Fault(fault) => Rejection::Wrong(format!("a step of it is a fault: {fault}")),
            EvalError::Overflow => Rejection::Undecided(error.to_string()),
        }
    }
}

/// Checks that a proof is one.
pub fn check_proof(program: &Program, proof: &Proof, stop: Stop<'_>) -> Result<(), Rejection> {
    match proof {
        Proof::ReachedSet(states) => reached::check(program, states, stop),
        Proof::ForgetfulSet(states, dead) => {
            dead::check(program, dead)?;
            reached::check(&dead.forget(program), states, stop)
        }
        Proof::ReducedSet(states, dead) if dead.is_empty() => reduced::check(program, states, stop),
        Proof::ReducedSet(states, dead) => {
            dead::check(program, dead)?;
            reduced::check(&dead.forget(program), states, stop)
        }
        Proof::ReachedElsewhere(_) => {
            Err(Rejection::Undecided("the states are on several workers: only they can check them".to_owned()))
        }
        Proof::AbstractStates(proof) => invariant::check(program, proof, stop),
        Proof::Interleaved(proof) => {
            let procedure = Interleaving::new(program).map_err(|reason| Rejection::Undecided(reason.to_string()))?;
            procedure.automaton.check_proof(proof, stop)
        }
    }
}
