//! C programs on the command line.

pub(crate) mod cc;
pub(crate) mod task;
