//! C programs on the command line: reading, checking, executing, drawing.

mod cc;
pub(crate) mod cfa;
pub(crate) mod check;
mod confirm;
mod harness;
pub(crate) mod load;
mod report;
pub(crate) mod run;
mod task;
mod trace;
