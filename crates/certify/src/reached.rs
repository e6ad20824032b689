//! Re-checks that a set of states is closed: it holds the initial states, every successor of its states, and no error.
//!
//! Successors come from the interpreter, membership from an index of our own. All states are independent, so all
//! cores work on them.

use clinch_ir::definedness::violated;
use clinch_ir::{
    EvalError, Evaluator, InputDomain, Interpreter, Layout, Program, State, StateSet, Term, Terms, TransId,
};
use rayon::prelude::*;
use rustc_hash::FxHasher;

use crate::{Rejection, Stop};

pub(crate) fn check(program: &Program, set: &StateSet, stop: Stop<'_>) -> Result<(), Rejection> {
    if set.layout != Layout::new(program) || set.chunks.iter().any(|c| c.len() % set.layout.words != 0) {
        return Err(Rejection::Wrong("the states are packed for another program".to_string()));
    }
    let index = Index::new(set);
    let closure = Closure::new(program, set, &index);
    closure.check_initial()?;
    let words = set.layout.words;
    set.chunks.par_iter().flat_map_iter(|chunk| chunk.chunks(words * 1024)).try_for_each(|batch| {
        if stop() {
            return Err(Rejection::Stopped);
        }
        batch.chunks_exact(words).try_for_each(|state| closure.check_state(state))
    })
}

/// Where each state of the set is: open addressing, positions plus one.
struct Index<'s> {
    states: Vec<&'s [u64]>,
    words: usize,
    /// First position of each chunk.
    starts: Vec<usize>,
    buckets: Vec<u32>,
}

impl<'s> Index<'s> {
    fn new(set: &'s StateSet) -> Self {
        let words = set.layout.words;
        let states: Vec<&[u64]> = set.chunks.iter().map(Vec::as_slice).collect();
        let mut starts = Vec::new();
        let mut count = 0;
        for chunk in &states {
            starts.push(count);
            count += chunk.len() / words;
        }
        let mut index = Index { states, words, starts, buckets: vec![0; (count * 2).next_power_of_two().max(16)] };
        for position in 0..count {
            let mut bucket = index.bucket(index.state(position));
            while index.buckets[bucket] != 0 {
                bucket = (bucket + 1) & (index.buckets.len() - 1);
            }
            index.buckets[bucket] = position as u32 + 1;
        }
        index
    }

    fn state(&self, position: usize) -> &'s [u64] {
        let chunk = self.starts.partition_point(|&start| start <= position) - 1;
        &self.states[chunk][(position - self.starts[chunk]) * self.words..][..self.words]
    }

    fn bucket(&self, state: &[u64]) -> usize {
        use std::hash::Hasher;
        let mut hasher = FxHasher::default();
        for &word in state {
            hasher.write_u64(word);
        }
        (hasher.finish() as usize) & (self.buckets.len() - 1)
    }

    fn contains(&self, state: &[u64]) -> bool {
        let mut bucket = self.bucket(state);
        while let Some(position) = self.buckets[bucket].checked_sub(1) {
            if self.state(position as usize) == state {
                return true;
            }
            bucket = (bucket + 1) & (self.buckets.len() - 1);
        }
        false
    }
}

struct Closure<'a> {
    program: &'a Program,
    layout: &'a Layout,
    interpreter: Interpreter<'a>,
    index: &'a Index<'a>,
    terms: Terms,
    /// The error condition, true where it has no value.
    error: Option<Term>,
    /// For each process and location, the transitions whose first mover starts there; global ones last.
    by_location: Vec<Vec<Vec<TransId>>>,
    global: Vec<TransId>,
}

/// The interpreter needs values for inputs with unbounded domain; a set that claims to be closed cannot have those.
const NO_UNBOUNDED_INPUTS: InputDomain = InputDomain(None);

impl<'a> Closure<'a> {
    fn new(program: &'a Program, set: &'a StateSet, index: &'a Index<'a>) -> Self {
        let mut terms = program.terms.clone();
        let error = program.property.error.map(|error| violated(program, &mut terms, error));
        let mut by_location: Vec<Vec<Vec<TransId>>> =
            program.processes.iter().map(|p| vec![Vec::new(); p.locations.len()]).collect();
        let mut global = Vec::new();
        for id in program.transition_ids() {
            match program.transition(id).moves.first() {
                Some(m) => by_location[m.process.index()][m.from.index()].push(id),
                None => global.push(id),
            }
        }
        let interpreter = Interpreter::new(program);
        Closure { program, layout: &set.layout, interpreter, index, terms, error, by_location, global }
    }

    fn check_initial(&self) -> Result<(), Rejection> {
        let mut missing = false;
        let finite = self.interpreter.for_each_initial(NO_UNBOUNDED_INPUTS, |state| missing |= !self.contains(&state));
        match (finite, missing) {
            (false, _) => wrong("there are infinitely many initial states"),
            (_, true) => wrong("an initial state is missing"),
            _ => Ok(()),
        }
    }

    fn contains(&self, state: &State) -> bool {
        let mut words = vec![0; self.layout.words];
        self.layout.pack(state, &mut words);
        self.index.contains(&words)
    }

    fn check_state(&self, words: &[u64]) -> Result<(), Rejection> {
        let state = self.layout.unpack(words);
        if let Some(error) = self.error
            && Evaluator::with_terms(self.program, &self.terms).holds(error, &state)?
        {
            return wrong("it contains an error");
        }
        let here = state.locs.iter().enumerate().flat_map(|(p, loc)| &self.by_location[p][loc.index()]);
        let mut enabled = false;
        for &id in here.chain(&self.global) {
            enabled |= self.check_steps(&state, id)?;
        }
        if self.program.property.deadlock && !enabled { wrong("it contains a deadlock") } else { Ok(()) }
    }

    /// Whether the transition is enabled; all its successors must be in the set.
    fn check_steps(&self, state: &State, id: TransId) -> Result<bool, Rejection> {
        let mut enabled = false;
        let mut outcome: Result<(), Rejection> = Ok(());
        let finite = self.interpreter.for_each_input(id, NO_UNBOUNDED_INPUTS, |inputs| {
            if outcome.is_ok() {
                outcome = match self.interpreter.fire(state, id, inputs) {
                    Ok(None) => Ok(()),
                    Ok(Some(next)) => {
                        enabled = true;
                        if self.contains(&next) { Ok(()) } else { wrong("a successor is missing") }
                    }
                    Err(EvalError::Fault(_)) => wrong("a step from it is a fault"),
                    Err(overflow) => Err(overflow.into()),
                };
            }
        });
        outcome?;
        if finite { Ok(enabled) } else { wrong("a transition has infinitely many inputs") }
    }
}

fn wrong<T>(what: &str) -> Result<T, Rejection> {
    Err(Rejection::Wrong(format!("the set of states is no proof: {what}")))
}
