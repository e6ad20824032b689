//! Re-checks the states of a reduced search: stubborn sets, one in each state (\[Stubborn\], \[Guard\]).
//!
//! In each state `s` a set `T` of transitions was tried, and the successors by those that are enabled are in the set of states. `T` keeps what
//! the others cannot disturb:
//! - *Enabled ones*: everything that may not accord with one is in `T`. So it stays enabled while others are taken, and leads to the same.
//! - *Disabled ones*: what must be taken before one can be enabled is in `T`.
//! - *The error condition*: what must be taken before it can hold is in `T`.
//!
//! So on the shortest way from `s` to an error one step is in `T`, and the first such step might as well be taken first: the error is no
//! further from that successor of `s`. A *deadlock* is an error to which this applies if one transition of `T` is enabled: it would be still
//! enabled where no step is in `T`. A *fault* is a step that ends a run. It may be that no step on the way to it is in `T`; then an enabled
//! transition of `T` leads to a state from which the way is as long, and a state at a later level than `s` is among these, so that this ends.
//!
//! Which transitions accord, and what must be taken before what, is found here again, of the program ([`Independence`]).

use clinch_ir::{Evaluator, Independence, Program, ReducedSet, State, TransId, TransitionSet};
use rayon::prelude::*;

use crate::reached::{Closure, Index, Successors, check_layout, look_up, wrong};
use crate::{Rejection, Stop};

/// States that one core checks at a time.
const BATCH: usize = 256;

pub(crate) fn check(program: &Program, set: &ReducedSet, stop: Stop<'_>) -> Result<(), Rejection> {
    check_layout(program, &set.states)?;
    let check = Check::new(program, set)?;
    check.closure.for_each_initial(|packed| check.index.position(packed).is_some())?;
    let words = set.states.layout.words;
    let chunks = set.states.chunks.iter().enumerate();
    let batches: Vec<(usize, usize, &[u64])> = chunks
        .flat_map(|(number, chunk)| chunk.chunks(words * BATCH).enumerate().map(move |(i, b)| (number, i * BATCH, b)))
        .collect();
    batches.par_iter().try_for_each_init(Successors::default, |successors, &(chunk, first, batch)| {
        if stop() {
            return Err(Rejection::Stopped);
        }
        for (i, state) in batch.chunks_exact(words).enumerate() {
            check.check_state((chunk, first + i), state, successors)?;
        }
        look_up(&check.index, successors)
    })
}

struct Check<'a> {
    program: &'a Program,
    set: &'a ReducedSet,
    /// First position of each chunk.
    starts: Vec<usize>,
    index: Index<'a>,
    closure: Closure<'a>,
    independence: Independence,
    everything: TransitionSet,
}

impl<'a> Check<'a> {
    fn new(program: &'a Program, set: &'a ReducedSet) -> Result<Self, Rejection> {
        let words = set.states.layout.words;
        let lengths: Vec<usize> = set.states.chunks.iter().map(|chunk| chunk.len() / words).collect();
        if set.tried.iter().map(Vec::len).ne(lengths.iter().copied()) || set.levels.len() != lengths.len() {
            return wrong("it does not say what was tried in each state");
        }
        if set.tried.iter().flatten().any(|&tried| tried as usize >= set.sets.len()) {
            return wrong("it does not have all sets of transitions");
        }
        let everything = TransitionSet::all(program);
        if !set.sets.iter().all(|tried| everything.includes(tried)) {
            return wrong("a set of transitions is of another program");
        }
        let Some(independence) = Independence::of(program) else {
            return wrong("the program is too large for a reduction");
        };
        let starts = lengths.iter().scan(0, |next, length| Some(std::mem::replace(next, *next + length))).collect();
        let (index, closure) = (Index::new(&set.states), Closure::new(program, &set.states.layout));
        Ok(Check { program, set, starts, index, closure, independence, everything })
    }

    /// Fails if the state is an error, or what was tried in it is not enough; appends the successors to those that wait.
    fn check_state(
        &self,
        (chunk, number): (usize, usize),
        words: &[u64],
        successors: &mut Successors,
    ) -> Result<(), Rejection> {
        let tried = &self.set.sets[self.set.tried[chunk][number] as usize];
        if *tried == self.everything {
            return self.closure.check_state(words, successors);
        }
        self.closure.load(words, &mut successors.state)?;
        let first = successors.packed.len();
        let mut enabled = false;
        for id in tried.iter() {
            let is_enabled = self.closure.step(words, id, successors)?;
            enabled |= is_enabled;
            self.check_tried(tried, id, is_enabled, &successors.state)?;
        }
        if let Some(error) = self.independence.error
            && !self.stays_false(tried, error, &successors.state)
        {
            return wrong("a step that was not tried may lead to an error");
        }
        let must_be_live = self.program.property.deadlock || self.independence.may_fault;
        if must_be_live && !enabled {
            return wrong("no step that was tried is enabled");
        }
        if self.independence.may_fault && !self.leads_on((chunk, number), &successors.packed[first..]) {
            return wrong("a step may wait for ever");
        }
        Ok(())
    }

    /// Fails if transitions that were not tried may change what a transition that was tried does.
    fn check_tried(&self, tried: &TransitionSet, id: TransId, enabled: bool, state: &State) -> Result<(), Rejection> {
        if enabled {
            let apart = tried.includes(self.independence.dependent(id));
            return if apart { Ok(()) } else { wrong("two steps may not accord, and one was not tried") };
        }
        let away = |m: &clinch_ir::Move| {
            let here = state.locs[m.process.index()];
            here != m.from && tried.includes(self.independence.leaving(m.process, here, m.from))
        };
        if self.program.transition(id).moves.iter().any(away) {
            return Ok(());
        }
        let conditions = self.independence.conditions(id);
        if conditions.iter().any(|&condition| self.stays_false(tried, condition, state)) {
            return Ok(());
        }
        wrong("a step that was not tried may enable one that was")
    }

    /// Whether a formula is false, and stays so while nothing is taken that was tried.
    fn stays_false(&self, tried: &TransitionSet, formula: clinch_terms::Term, state: &State) -> bool {
        let evaluator = Evaluator::with_terms(self.program, &self.independence.terms);
        self.independence.is_false(formula, |test| {
            let value = evaluator.value(self.independence.test(test), state).ok()?;
            tried.includes(self.independence.changes(test, value)).then_some(value)
        })
    }

    /// Whether one of these states is at a later level.
    fn leads_on(&self, (chunk, number): (usize, usize), packed: &[u64]) -> bool {
        let here = self.level(chunk, number);
        let mut positions = packed.chunks_exact(self.set.states.layout.words).map(|state| self.index.position(state));
        positions.any(|position| {
            position.is_some_and(|position| {
                let chunk = self.starts.partition_point(|&start| start <= position) - 1;
                self.level(chunk, position - self.starts[chunk]) > here
            })
        })
    }

    fn level(&self, chunk: usize, number: usize) -> usize {
        self.set.levels[chunk].partition_point(|&end| end <= number)
    }
}
