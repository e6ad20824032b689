//! The program model of clinch and its meaning: programs of processes, of procedures, and clauses; their steps as formulas and on concrete
//! states; verdicts and their evidence.
//!
//! Whoever re-checks evidence relies on this crate and on the terms below it. It does no IO, starts no thread and knows no solver.

mod answer;
pub mod cfa;
pub mod dead;
pub mod definedness;
mod effect;
pub mod eval;
pub mod horn;
pub mod independence;
pub mod interleaving;
pub mod interp;
pub mod layout;
pub mod print;
pub mod program;
pub mod range;
pub mod symbolic;
pub mod verdict;

pub use answer::{Answer, Reason};
pub use dead::Dead;
pub use effect::Effect;
pub use eval::{Evaluator, State};
pub use horn::{
    Application, Clause, ClauseId, Derivation, DerivationStep, HornSystem, HornVerdict, Interpretation, PredId,
    Predicate,
};
pub use independence::{Independence, TransitionSet};
pub use interp::{InputDomain, Interpreter, Successor};
pub use layout::{Layout, StateSet};
pub use program::{
    Assign, Domain, Init, Move, Process, Program, Property, Rhs, Source, Span, Syntax, TransId, Transition, Variable,
};
pub use symbolic::SymbolicTransition;
pub use verdict::{AbstractProof, AbstractState, Proof, ReducedSet, Step, Trace, TraceEnd, Verdict};
