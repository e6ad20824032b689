//! C programs on the command line: reading, checking, executing, drawing.

mod assumptions;
mod boundaries;
mod cc;
pub(crate) mod cfa;
pub(crate) mod check;
mod confirm;
pub(crate) mod engines;
mod harness;
mod invariants;
pub(crate) mod lazy;
mod linkage;
pub(crate) mod load;
mod report;
pub(crate) mod run;
pub(crate) mod spds;
mod task;
mod trace;
