//! The engines against each other, against a naive search, and against the papers.

mod agree;
mod bit_vectors;
mod c_generated;
mod cegar;
mod horn;
mod horn_control;
mod horn_invariants;
mod horn_oracle;
mod horn_simplify;
mod kinduction;
mod lazy;
mod mutations;
mod naive;
mod open;
mod paper;
mod random;
mod reduction;
mod spacer;
mod split;
mod support;
mod views;
