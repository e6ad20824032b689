//! Tests of the solver layer.

mod arrays;
mod bit_vectors;
mod float_theory;
mod floats;
mod large;
mod loops;
mod random;
