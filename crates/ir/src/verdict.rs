//! Answers and their evidence. There is no verdict without evidence, and evidence is plain data that
//! `clinch-certify` re-checks.

use std::time::Duration;

use clinch_terms::{Fault, LocId, Term, Terms};

use crate::cfa::CfaProof;
use crate::dead::Dead;
use crate::eval::State;
use crate::layout::StateSet;
use crate::program::TransId;

/// What an engine says of a program.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No error is reachable.
    Safe(Proof),
    /// An error is reachable.
    Unsafe(Trace),
    /// The engine cannot say.
    Unknown(Reason),
}

/// A run of the program that ends in an error.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Where it starts.
    pub initial: State,
    /// What happens.
    pub steps: Vec<Step>,
    /// What is wrong with the last state.
    pub end: TraceEnd,
}

impl Trace {
    /// The last state.
    pub fn last(&self) -> &State {
        self.steps.last().map_or(&self.initial, |s| &s.state)
    }
}

/// One step of a trace.
#[derive(Clone, Debug)]
pub struct Step {
    /// The transition taken.
    pub transition: TransId,
    /// The values of its inputs.
    pub inputs: Vec<i64>,
    /// The state after it.
    pub state: State,
}

/// Why the last state of a trace is an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TraceEnd {
    /// It satisfies the error condition, or the condition has no value in it.
    Error,
    /// It has no successor.
    Deadlock,
    /// Executing this transition in it has no meaning.
    Fault(TransId, Vec<i64>, Fault),
}

/// Why no error is reachable.
#[derive(Clone, Debug)]
pub enum Proof {
    /// All reachable states, or a superset of them: closed under steps, without error.
    ReachedSet(StateSet),
    /// The same for the program that forgets what is dead ([`Dead::forget`]).
    ForgetfulSet(StateSet, Dead),
    /// The same with abstract states.
    AbstractStates(AbstractProof),
    /// A proof for the program as one procedure ([`Interleaving`](crate::cfa::interleaving::Interleaving)).
    Interleaved(CfaProof),
}

/// Abstract states over predicates that together are an inductive invariant.
#[derive(Clone, Debug)]
pub struct AbstractProof {
    /// The store of the predicates; it extends the program's.
    pub terms: Terms,
    /// The predicates.
    pub predicates: Vec<Term>,
    /// The abstract states.
    pub states: Vec<AbstractState>,
    /// Hints, one list per state: for each transition that can be taken from it, the states it may lead to. Nothing
    /// depends on them but the time it takes to check the proof.
    pub successors: Vec<Vec<(TransId, Vec<u32>)>>,
}

/// All states at these locations whose predicates have these values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AbstractState {
    /// The location of each process.
    pub locs: Vec<LocId>,
    /// Predicate (by position) and its value.
    pub literals: Vec<(u32, bool)>,
}

/// Why an engine stopped without an answer.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Reason {
    /// The time given is used up.
    #[error("time limit of {} s reached", .0.as_secs_f64())]
    Timeout(Duration),
    /// The memory given is used up.
    #[error("memory limit of {0} MiB reached")]
    Memory(u64),
    /// The iterations given are used up.
    #[error("iteration limit of {0} reached")]
    Iterations(u64),
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
    /// Refinement found nothing new to distinguish.
    #[error("no progress: refinement found no new predicate")]
    NoProgress,
    /// An integer outgrew 64 bits.
    #[error("an integer outgrew 64 bits in {0}")]
    Overflow(String),
    /// Inputs or initial values with infinitely many choices.
    #[error("{0} may take infinitely many values: restrict them with --input-domain LO..HI")]
    InfiniteInputs(String),
    /// All values of the restricted input domain were tried; others were not.
    #[error("no error for inputs in {0}..{1}, other values were not tried")]
    RestrictedInputs(i64, i64),
    /// No run tried reaches the error; there are inputs with more values than were tried.
    #[error("no error for the inputs tried; there are more values than can be tried")]
    SampledInputs,
    /// A run has undefined behaviour; no run tried reaches the error.
    #[error("undefined behaviour: {0}")]
    Undefined(String),
    /// The compiled program does not do what the model does: no verdict is to be trusted.
    #[error("execution of the compiled program does not confirm the error found: {0}")]
    NotConfirmed(String),
    /// A limit was reached, and this is what kept the engine busy.
    #[error("{0}; {1}")]
    Busy(Box<Reason>, String),
    /// The engine cannot treat something.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// The engine cannot treat procedures that call themselves; others can.
    #[error("unsupported: recursion: {0}")]
    Recursion(String),
    /// The process that searched is gone: this is what ended it.
    #[error("engine crashed: {0}")]
    Crashed(String),
    /// Found, but its re-check did not finish.
    #[error("the verdict could not be re-checked: {0}")]
    Uncertified(String),
}
