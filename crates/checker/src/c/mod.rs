//! Programs with procedures, C before all: reading, checking, executing, explaining.

pub(crate) mod assumptions;
mod boundaries;
mod cc;
pub(crate) mod check;
pub(crate) mod confirm;
pub(crate) mod execution;
pub(crate) mod harness;
pub(crate) mod invariants;
mod linkage;
pub(crate) mod load;
mod missed;
mod outline;
mod preprocessing;
mod sanitizer;
mod slice;
mod task;
pub(crate) mod trace;
pub(crate) mod vacuous;
