//! A standing attack on what `clinch check` says about C.
//!
//! [`generate`] writes whole programs for the interpreter; the front end's and the engines' tests compare with gcc what
//! they make of them. The attack itself ([`campaign`]) asks the command that users run, every engine, and believes
//! nothing but gcc:
//!
//! 1. A [`trap::Trap`] is a program with *observations*: expressions whose values depend on the input only by one
//!    condition that random inputs never meet (`n * 2654435761u == 0x12345678u`). [`families`] draw them.
//! 2. [`truth`] compiles it with `-O0`, with `-O2` and with sanitisers and runs it on the hidden input and on others. A
//!    program that they complain about, or that the three disagree on, is dropped.
//! 3. From what was observed follow [`twin`] programs: in one an error is reached for the hidden input and no other, in
//!    the other for none. A verdict that contradicts is wrong; a crash is a failure; UNKNOWN is counted.
//! 4. What is wrong is reduced ([`shrink`]) and kept ([`regression`]).
//!
//! Errors that need no assertion have an attack of their own: [`planted`].
//!
//! It knows nothing of the other crates: a mistake they make is not made here again.

pub mod arguments;
pub mod batches;
pub mod campaign;
pub mod engines;
pub mod families;
mod family;
pub mod gcc;
pub mod generate;
pub mod outcome;
pub mod planted;
pub mod program;
pub mod regression;
pub mod rng;
pub mod shrink;
pub mod sources;
pub mod table;
pub mod trap;
pub mod truth;
pub mod twin;
