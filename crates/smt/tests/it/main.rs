//! Tests of the solver layer.

mod arrays;
mod bit_vectors;
mod floats;
mod large;
mod loops;
mod random;
