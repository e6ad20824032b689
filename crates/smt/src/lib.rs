//! The one door to decision procedures: a [`Solver`] trait with Z3 behind it, and a [`Prover`] that answers implications
//! between predicates with caches and counters.

mod bit_vectors;
mod bits;
mod decode;
mod encode;
mod expr;
mod fixedpoint;
mod gates;
mod interpolate;
mod interrupt;
mod large;
mod prover;
mod ranges;
mod solver;
mod tidy;
mod version;
mod work;
mod z3_solver;

pub use fixedpoint::{Fact, HornAnswer, Quantifiers, Refutation, refute, solve};
pub use gates::{Evaluated, Gates, Lit, Wire};
pub use interpolate::{Interpolants, ItpConfig, ItpError, ItpNode, Method, check, interpolate};
pub use interrupt::{allow_interrupts, interrupt_all};
pub use large::{LargeQuestion, refuted_by_intervals};
pub use prover::{Counters, Literal, Prover};
pub use solver::{Answer, Solver};
pub use tidy::{Tidy, tidy};
pub use version::{check_solver_version, solver_version};
pub use z3_solver::Z3Solver;
