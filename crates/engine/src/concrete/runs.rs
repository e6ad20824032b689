//! Runs of the machine, for engines that execute programs with procedures.

use clinch_ir::Reason;
use clinch_ir::cfa::{CfaProgram, Failure};
use clinch_machine::{Limit, Outcome, Stop};

use crate::budget::Budget;

/// The error that a run ends in, or nothing; why there is no verdict, if it has none.
pub(crate) fn error_of(program: &CfaProgram, outcome: &Outcome, budget: &Budget) -> Result<Option<Failure>, Reason> {
    let place = program.source.place(outcome.at.span);
    let at = |what: &str| format!("{what}, at {}:{}:{}", place.file, place.line, place.column);
    match &outcome.stop {
        Stop::Error(error) => Ok(Some(error.clone())),
        Stop::Exit(_) | Stop::Abort | Stop::Blocked => Ok(None),
        Stop::Undefined(what) => Err(Reason::Undefined(at(what))),
        Stop::Unsupported(what) => Err(Reason::Unsupported(at(what))),
        Stop::OutOfInputs(_) => Err(Reason::NoProgress),
        Stop::Limit(Limit::Interrupted) => Err(budget.check().err().unwrap_or(Reason::Interrupted)),
        Stop::Limit(Limit::Integer) => Err(Reason::Overflow(at("the run"))),
        Stop::Limit(Limit::Steps) => Err(Reason::Unsupported(at("a run that is too long"))),
        Stop::Limit(Limit::CallDepth) => Err(Reason::Unsupported(at("recursion too deep"))),
        Stop::Limit(Limit::Memory) => Err(Reason::Unsupported(at("too much memory"))),
    }
}
