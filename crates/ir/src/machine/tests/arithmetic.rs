//! arithmetic.
