//! Programs with procedures on the command line: executing, drawing.

pub(crate) mod cfa;
pub(crate) mod run;
