//! The program model of clinch: terms, programs, the concrete interpreter, verdicts and their evidence.
//!
//! This crate does no IO, starts no thread and knows no solver.

pub mod bitvec;
pub mod cfa;
pub mod dead;
pub mod definedness;
mod effect;
pub mod eval;
pub mod fold;
pub mod horn;
mod import;
pub mod interp;
pub mod layout;
pub mod machine;
pub mod portable;
pub mod predicate;
pub mod print;
pub mod program;
pub mod range;
pub mod sort;
pub mod symbolic;
pub mod term;
mod typing;
pub mod verdict;
mod walk;
pub mod work;

pub use dead::Dead;
pub use effect::Effect;
pub use eval::{EvalError, Evaluator, Fault, State};
pub use horn::{
    Application, Clause, ClauseId, Derivation, DerivationStep, HornSystem, HornVerdict, Interpretation, PredId,
    Predicate,
};
pub use interp::{InputDomain, Interpreter, Successor};
pub use layout::{Layout, StateSet};
pub use portable::Portable;
pub use program::{
    Assign, Domain, Init, LocId, Move, ProcId, Process, Program, Property, Rhs, Source, Span, Syntax, TransId,
    Transition, VarId, Variable,
};
pub use sort::{Sort, Value};
pub use symbolic::SymbolicTransition;
pub use term::{BinOp, Node, Symbol, Term, Terms, UnOp};
pub use verdict::{AbstractProof, AbstractState, Proof, Reason, Step, Trace, TraceEnd, Verdict};
