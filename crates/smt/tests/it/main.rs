//! Tests of the solver layer.

mod arrays;
mod bit_vectors;
mod loops;
mod random;
