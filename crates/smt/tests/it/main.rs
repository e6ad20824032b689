//! Tests of the solver layer.

mod loops;
mod random;
