//! Terms: hash-consed expressions and formulas, what they evaluate to, and how they are simplified, walked and printed.
//!
//! This crate knows no program. It does no IO, starts no thread and knows no solver.

pub mod bitvec;
pub mod cases;
pub mod evaluate;
pub mod float;
pub mod fold;
mod ids;
pub mod implicant;
mod import;
pub mod integers;
pub mod linear;
pub mod offsets;
mod operators;
pub mod portable;
pub mod predicate;
pub mod show;
pub mod sort;
pub mod term;
mod typing;
mod walk;
pub mod words;
pub mod work;

pub use ids::{LocId, ProcId, VarId};
pub use integers::{EvalError, Fault};
pub use operators::{BinOp, UnOp};
pub use portable::Portable;
pub use sort::{Sort, Value};
pub use term::{Node, Symbol, Term, Terms};
