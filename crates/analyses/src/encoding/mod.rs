//! Machine integers as mathematical integers, and formulas about the latter as formulas about bit-vectors.
//!
//! Solvers and interpolants are much better at integers than at bits. [`IntEncoding`] reads bit-vector terms as integer terms;
//! [`Overflow`] says what becomes of results that do not fit. [`widen`] takes an invariant found in integers back: it is
//! evaluated wide enough not to wrap; [`modulo_width`] says of its equations only what holds in spite of that. A verdict found in integers counts only after it was established again in bits.

mod equations;
mod memory;
mod to_int;
mod widen;

pub use equations::modulo_width;
pub use memory::View;
pub use to_int::{IntEncoding, Overflow};
pub use widen::widen;
