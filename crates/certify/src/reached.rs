//! Re-checks that a set of states is closed: it holds the initial states, every successor of its states, and no error.
//!
//! Successors come from the interpreter, membership from an index of our own. All states are independent, so all
//! cores work on them.

use std::hash::Hasher;
use std::sync::atomic::{AtomicU64, Ordering};

use clinch_ir::definedness::violated;
use clinch_ir::{Evaluator, InputDomain, Interpreter, Layout, Program, State, StateSet, Successor, TransId};
use clinch_terms::{EvalError, Term, Terms};
use rayon::prelude::*;
use rustc_hash::FxHasher;

use crate::{Rejection, Stop};

/// States that one core checks at a time.
const BATCH: usize = 1024;
/// Successors that are looked up at a time: while one waits for the memory, so do the others.
const LOOKUPS: usize = 64;

pub(crate) fn check(program: &Program, set: &StateSet, stop: Stop<'_>) -> Result<(), Rejection> {
    check_layout(program, set)?;
    let index = Index::new(set);
    let closure = Closure::new(program, &set.layout);
    closure.for_each_initial(|packed| index.contains(packed, hash(packed)))?;
    let batches: Vec<&[u64]> = set.chunks.iter().flat_map(|chunk| chunk.chunks(set.layout.words * BATCH)).collect();
    batches.par_iter().try_for_each_init(Successors::default, |successors, batch| {
        if stop() {
            return Err(Rejection::Stopped);
        }
        closure.check_batch(&index, batch, successors)
    })
}

pub(crate) fn check_layout(program: &Program, set: &StateSet) -> Result<(), Rejection> {
    if set.layout != Layout::new(program) || set.chunks.iter().any(|c| c.len() % set.layout.words != 0) {
        return Err(Rejection::Wrong("the states are packed for another program".to_string()));
    }
    Ok(())
}

/// Where each state of the set is: open addressing, with the position plus one in the lower half of a bucket and a part of the hash in the
/// upper one.
pub(crate) struct Index<'s> {
    states: Vec<&'s [u64]>,
    words: usize,
    /// First position of each chunk.
    starts: Vec<usize>,
    buckets: Vec<AtomicU64>,
}

/// The position of a bucket, and the part of the hash beside it.
const POSITION: u64 = u32::MAX as u64;

impl<'s> Index<'s> {
    pub(crate) fn new(set: &'s StateSet) -> Self {
        let words = set.layout.words;
        let states: Vec<&[u64]> = set.chunks.iter().map(Vec::as_slice).collect();
        let mut starts = Vec::new();
        let mut count = 0;
        for chunk in &states {
            starts.push(count);
            count += chunk.len() / words;
        }
        let size = (count * 2).next_power_of_two().max(16);
        let buckets = (0..size).into_par_iter().map(|_| AtomicU64::new(0)).collect();
        let index = Index { states, words, starts, buckets };
        (0..count).into_par_iter().for_each(|position| index.insert(position));
        index
    }

    fn insert(&self, position: usize) {
        let hash = hash(self.state(position));
        let entry = hash & !POSITION | (position as u64 + 1);
        let mut bucket = self.first_bucket(hash);
        while self.buckets[bucket].compare_exchange(0, entry, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            bucket = self.next_bucket(bucket);
        }
    }

    fn state(&self, position: usize) -> &'s [u64] {
        let chunk = self.starts.partition_point(|&start| start <= position) - 1;
        &self.states[chunk][(position - self.starts[chunk]) * self.words..][..self.words]
    }

    fn first_bucket(&self, hash: u64) -> usize {
        (hash as usize) & (self.buckets.len() - 1)
    }

    fn next_bucket(&self, bucket: usize) -> usize {
        (bucket + 1) & (self.buckets.len() - 1)
    }

    fn contains(&self, state: &[u64], hash: u64) -> bool {
        self.find(state, hash).is_some()
    }

    /// The position of a state among all, in the order of the chunks.
    pub(crate) fn position(&self, state: &[u64]) -> Option<usize> {
        self.find(state, hash(state))
    }

    fn find(&self, state: &[u64], hash: u64) -> Option<usize> {
        let mut bucket = self.first_bucket(hash);
        loop {
            let entry = self.buckets[bucket].load(Ordering::Relaxed);
            let position = (entry & POSITION).checked_sub(1)? as usize;
            if (entry ^ hash) & !POSITION == 0 && self.state(position) == state {
                return Some(position);
            }
            bucket = self.next_bucket(bucket);
        }
    }

    /// Whether it contains all of these. Where they most likely are is asked for first, for all of them, so that they wait for the memory
    /// together.
    pub(crate) fn contains_all(&self, states: &[u64], hashes: &mut Vec<u64>) -> bool {
        hashes.clear();
        hashes.extend(states.chunks_exact(self.words).map(hash));
        let likely = |&hash: &u64| self.buckets[self.first_bucket(hash)].load(Ordering::Relaxed);
        let touched = hashes.iter().map(likely).fold(0, u64::wrapping_add);
        std::hint::black_box(touched);
        states.chunks_exact(self.words).zip(hashes).all(|(state, hash)| self.contains(state, *hash))
    }
}

fn hash(state: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    state.iter().for_each(|&word| hasher.write_u64(word));
    hasher.finish()
}

/// The steps of a program from the states of a set, and what must not be among those.
pub(crate) struct Closure<'a> {
    program: &'a Program,
    layout: &'a Layout,
    interpreter: Interpreter<'a>,
    terms: Terms,
    /// The error condition, true where it has no value.
    error: Option<Term>,
    /// For each process and location, the transitions whose first mover starts there; global ones last.
    by_location: Vec<Vec<Vec<TransId>>>,
    global: Vec<TransId>,
    /// Which transitions have inputs.
    asks: Vec<bool>,
}

/// Room for a state and for successors that were not looked up yet.
#[derive(Default)]
pub(crate) struct Successors {
    pub(crate) state: State,
    next: Successor,
    pub(crate) packed: Vec<u64>,
    hashes: Vec<u64>,
}

/// The interpreter needs values for inputs with unbounded domain; a set that claims to be closed cannot have those.
const NO_UNBOUNDED_INPUTS: InputDomain = InputDomain(None);

impl<'a> Closure<'a> {
    pub(crate) fn new(program: &'a Program, layout: &'a Layout) -> Self {
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
        let asks = program.transition_ids().map(|id| program.transition(id).inputs().next().is_some()).collect();
        Closure { program, layout, interpreter, terms, error, by_location, global, asks }
    }

    /// Fails where `is_there` denies one of the initial states.
    pub(crate) fn for_each_initial(&self, mut is_there: impl FnMut(&[u64]) -> bool) -> Result<(), Rejection> {
        let mut missing = false;
        let mut words = vec![0; self.layout.words];
        let finite = self.interpreter.for_each_initial(NO_UNBOUNDED_INPUTS, |state| {
            self.layout.pack(&state, &mut words);
            missing |= !is_there(&words);
        });
        match (finite, missing) {
            (false, _) => wrong("there are infinitely many initial states"),
            (_, true) => wrong("an initial state is missing"),
            _ => Ok(()),
        }
    }

    fn check_batch(&self, index: &Index<'_>, batch: &[u64], successors: &mut Successors) -> Result<(), Rejection> {
        successors.packed.clear();
        for state in batch.chunks_exact(self.layout.words) {
            self.check_state(state, successors)?;
            if successors.packed.len() >= LOOKUPS * self.layout.words {
                look_up(index, successors)?;
            }
        }
        look_up(index, successors)
    }

    /// Unpacks a state. Fails if it is an error.
    pub(crate) fn load(&self, words: &[u64], state: &mut State) -> Result<(), Rejection> {
        self.layout.unpack_into(words, state);
        if state.locs.iter().zip(&self.by_location).any(|(loc, of_process)| loc.index() >= of_process.len()) {
            return wrong("a process is where there is no location");
        }
        match self.error {
            Some(error) if Evaluator::with_terms(self.program, &self.terms).holds(error, state)? => {
                wrong("it contains an error")
            }
            _ => Ok(()),
        }
    }

    /// Fails if the state is an error; appends its successors to those that wait.
    pub(crate) fn check_state(&self, words: &[u64], successors: &mut Successors) -> Result<(), Rejection> {
        self.load(words, &mut successors.state)?;
        let Successors { state, next, packed, .. } = successors;
        let here = state.locs.iter().enumerate().flat_map(|(p, loc)| &self.by_location[p][loc.index()]);
        let mut enabled = false;
        for &id in here.chain(&self.global) {
            enabled |= self.for_each_step(state, id, next, |next| self.append(words, id, next, packed))?;
        }
        if self.program.property.deadlock && !enabled { wrong("it contains a deadlock") } else { Ok(()) }
    }

    /// Appends the successors by one transition of the state that was loaded last. Whether it is enabled.
    pub(crate) fn step(&self, words: &[u64], id: TransId, successors: &mut Successors) -> Result<bool, Rejection> {
        let Successors { state, next, packed, .. } = successors;
        self.for_each_step(state, id, next, |next| self.append(words, id, next, packed))
    }

    /// Packs a successor: what did not change is as in the packed state before.
    fn append(&self, before: &[u64], id: TransId, next: &Successor, packed: &mut Vec<u64>) {
        let start = packed.len();
        packed.extend_from_slice(before);
        let words = &mut packed[start..];
        for m in &self.program.transition(id).moves {
            self.layout.locs[m.process.index()].set(words, i64::from(m.to.0));
        }
        for &cell in &next.written {
            self.layout.cells[cell].set(words, next.state.cells[cell]);
        }
    }

    /// Whether the transition is enabled; calls `f` with each of its successors.
    fn for_each_step(
        &self,
        state: &State,
        id: TransId,
        next: &mut Successor,
        mut f: impl FnMut(&Successor),
    ) -> Result<bool, Rejection> {
        let mut step = |inputs: &[i64]| match self.interpreter.fire_into(state, id, inputs, next) {
            Ok(enabled) => {
                if enabled {
                    f(next);
                }
                Ok(enabled)
            }
            Err(EvalError::Fault(_)) => wrong("a step from it is a fault"),
            Err(overflow) => Err(overflow.into()),
        };
        if !self.asks[id.index()] {
            return step(&[]);
        }
        let mut outcome = Ok(false);
        let finite = self.interpreter.for_each_input(id, NO_UNBOUNDED_INPUTS, |inputs| {
            if let Ok(before) = outcome {
                outcome = step(inputs).map(|enabled| before || enabled);
            }
        });
        if finite { outcome } else { wrong("a transition has infinitely many inputs") }
    }
}

/// Fails if one of those that wait is missing; then none waits any more.
pub(crate) fn look_up(index: &Index<'_>, successors: &mut Successors) -> Result<(), Rejection> {
    if !index.contains_all(&successors.packed, &mut successors.hashes) {
        return wrong("a successor is missing");
    }
    successors.packed.clear();
    Ok(())
}

pub(crate) fn wrong<T>(what: &str) -> Result<T, Rejection> {
    Err(Rejection::Wrong(format!("the set of states is no proof: {what}")))
}
