//! Tests of the solver layer.

mod arrays;
mod bit_vectors;
mod large;
mod loops;
mod random;
