//! Evidence about programs of processes: plain data that `clinch-certify` re-checks.

use clinch_terms::{Fault, LocId, Term, Terms};

use crate::answer::Answer;
use crate::cfa::CfaProof;
use crate::dead::Dead;
use crate::eval::State;
use crate::independence::TransitionSet;
use crate::layout::StateSet;
use crate::program::TransId;

/// What an engine says of a program of processes.
pub type Verdict = Answer<Proof, Trace>;

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
    /// States that are closed under some of the steps, of the program that forgets what is dead: the other steps can wait, and lead to no error.
    ReducedSet(ReducedSet, Dead),
    /// So many states as in [`Proof::ReachedSet`]. They are on the workers that found them, and those check them together.
    ReachedElsewhere(u64),
    /// The same with abstract states.
    AbstractStates(AbstractProof),
    /// A proof for the program as one procedure ([`Interleaving`](crate::interleaving::Interleaving)).
    Interleaved(CfaProof),
}

/// The states of a reduced search, with what was tried in each of them.
#[derive(Clone, Debug)]
pub struct ReducedSet {
    /// The states.
    pub states: StateSet,
    /// The sets of transitions that were tried.
    pub sets: Vec<TransitionSet>,
    /// For each chunk of states, which of the sets was tried in each state.
    pub tried: Vec<Vec<u32>>,
    /// For each chunk of states, where levels end, ascending: no step that waits does so for ever if there is one to a later level.
    pub levels: Vec<Vec<usize>>,
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
