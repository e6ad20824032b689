//! The engines of clinch, one folder each, and what they share.
//!
//! Every engine is `check(program, config, budget, observer) -> Outcome<Stats>`. [`explicit`] visits all states and is the oracle for the
//! others; [`alpha`] and [`split`] search concretely and match abstractly; [`cegar`], [`lazy`], [`bounded`], [`kinduction`] and [`spds`] work
//! on formulas or decision diagrams; [`spacer`] is Z3's engine, to compare with. They share the compiled program ([`concrete`]), the
//! preparation of Horn clauses ([`horn`]), limits ([`budget`], [`turns`]), drawings of what they searched ([`drawing`]) and what they tell each other ([`share`]).

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod alpha;
pub mod bounded;
pub mod budget;
pub mod cegar;
pub mod concrete;
pub mod drawing;
pub mod explicit;
pub mod goals;
pub mod horn;
pub mod ic3;
pub mod kinduction;
pub mod lazy;
pub mod options;
pub mod outline;
pub mod search;
pub mod share;
pub mod spacer;
pub mod spds;
pub mod split;
pub mod symex;
#[cfg(test)]
mod testing;
pub mod turns;

pub use budget::{Budget, Observer, Progress, Silent, resident_bytes};
pub use goals::{Goals, Sighting};

/// A verdict about processes, and what the run did.
pub type Outcome<S> = (clinch_ir::Verdict, S);
/// A verdict about procedures, and what the run did.
pub type CfaOutcome<S> = (clinch_ir::cfa::CfaVerdict, S);
/// A verdict about Horn clauses, and what the run did.
pub type HornOutcome<S> = (clinch_ir::HornVerdict, S);
