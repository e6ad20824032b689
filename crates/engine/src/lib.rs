//! The engines of clinch, one folder each, and what they share.
//!
//! Every engine is `check(program, config, budget, observer) -> (Verdict, Stats)`; see [`explicit`] for the oracle,
//! [`alpha`] and [`split`] for the two under-approximating systems.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod alpha;
pub mod bounded;
pub mod budget;
pub mod cegar;
pub mod concrete;
pub mod explicit;
pub mod goals;
pub mod horn;
pub mod kinduction;
pub mod lazy;
pub mod options;
pub mod search;
pub mod share;
pub mod spacer;
pub mod spds;
pub mod split;
#[cfg(test)]
mod testing;
pub mod turns;

pub use budget::{Budget, Observer, Progress, Silent, resident_bytes};
pub use goals::{Goals, Sighting};
