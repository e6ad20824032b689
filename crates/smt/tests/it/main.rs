//! Tests of the solver layer.

mod arrays;
mod loops;
mod random;
