//! Projects: many C files with the flags of their build, checked one function after the other, and what is kept of the answers.
//!
//! [`commands`] reads `compile_commands.json`, [`flags`] finds what of a command matters, [`units`] preprocesses the files and [`link`] says which of
//! them make the program that a function belongs to. [`fingerprint()`] names a program by what is in it, wherever it stands, and [`store`]
//! keeps reports by such names.

pub mod commands;
mod digest;
mod fingerprint;
pub mod flags;
pub mod link;
pub mod store;
pub mod units;

pub use digest::Digest;
pub use fingerprint::{Fingerprint, Place, fingerprint, moves};
