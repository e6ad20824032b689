//! Analyses of programs, and programs and clauses made of programs for engines. Nothing here has to be believed: what engines conclude
//! with it is re-checked on the program itself, but for proofs about fewer bits, which say so ([`finite`]).

pub mod clauses;
pub mod encoding;
pub mod finite;
pub mod intervals;
pub mod values;
