//! Depth-first search, with the children of a state in order or shuffled.

use clinch_ir::{Proof, Reason, StateSet, TraceEnd, Verdict};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Config, Order, Stats};
use crate::Outcome;
use crate::budget::{Budget, Observer, Progress, Ticker};
use crate::concrete::{Event, Expander, Model, StateTable, hash_words, trace_of};
use crate::goals::{Goals, Sighting};

/// A state on the path, and its children that were not looked at yet (the next one last).
struct Frame {
    state: usize,
    children: Vec<Box<[u64]>>,
}

struct Search<'m> {
    model: &'m Model<'m>,
    expander: Expander<'m>,
    table: StateTable,
    path: Vec<Frame>,
    rng: Option<Xoshiro256PlusPlus>,
    stats: Stats,
}

pub(super) fn search(
    model: &Model<'_>,
    config: &Config,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Outcome<Stats> {
    let random = config.order == Order::RandomDepthFirst;
    let mut search = Search {
        model,
        expander: Expander::new(model),
        table: StateTable::new(model.layout.words),
        path: Vec::new(),
        rng: random.then(|| Xoshiro256PlusPlus::seed_from_u64(config.seed)),
        stats: Stats::default(),
    };
    let outcome = search.run(budget, observer);
    let mut stats = std::mem::take(&mut search.stats);
    stats.states = search.table.len() as u64;
    stats.bytes_per_state = search.table.bytes() as f64 / search.table.len().max(1) as f64;
    let verdict = match outcome {
        Err(reason) => Verdict::Unknown(reason),
        Ok(Some(end)) => Verdict::Unsafe(trace_of(model, &search.states_on_path(), end)),
        Ok(None) => match model.exhausted() {
            Some(reason) => Verdict::Unknown(reason),
            None => Verdict::Safe(Proof::ReachedSet(StateSet {
                layout: model.layout.clone(),
                chunks: vec![search.table.into_vectors()],
            })),
        },
    };
    (verdict, stats)
}

impl Search<'_> {
    fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Result<Option<TraceEnd>, Reason> {
        let mut ticker = Ticker::new();
        for initial in self.model.initial_states() {
            if let Some(end) = self.visit(&initial, observer.goals())? {
                return Ok(Some(end));
            }
            while let Some(frame) = self.path.last_mut() {
                match frame.children.pop() {
                    None => drop(self.path.pop()),
                    Some(child) => {
                        if let Some(end) = self.visit(&child, observer.goals())? {
                            return Ok(Some(end));
                        }
                    }
                }
                ticker.tick(budget)?;
                if self.table.len().is_multiple_of(1 << 14) {
                    observer.progress(Progress { states: self.table.len() as u64, ..Progress::default() });
                }
            }
        }
        Ok(None)
    }

    /// Puts a state on the path if it is new, and says whether it is an error.
    fn visit(&mut self, words: &[u64], goals: Option<&mut Goals>) -> Result<Option<TraceEnd>, Reason> {
        let Ok(state) = self.table.insert(words, hash_words(words) as u32) else { return Ok(None) };
        if let Some(goals) = goals {
            let (states, depth) = (self.table.len() as u64, self.path.len() as u64);
            goals.meet(words, || Sighting { states, depth, ..Sighting::default() })?;
        }
        self.expander.load(words);
        let mut children: Vec<Box<[u64]>> = Vec::new();
        let (mut fault, mut overflow) = (None, None);
        self.expander.for_each(|event| match event {
            Event::Step(step) => children.push(step.words.into()),
            Event::Fault(t, inputs, f) => {
                fault.get_or_insert_with(|| TraceEnd::Fault(t, inputs.to_vec(), f));
            }
            Event::Overflow(t) => overflow = Some(t),
        });
        if let Some(t) = overflow {
            return Err(Expander::overflow_reason(self.model, t));
        }
        self.stats.transitions += children.len() as u64;
        let deadlock = children.is_empty() && self.model.program.property.deadlock && fault.is_none();
        match &mut self.rng {
            Some(rng) => children.shuffle(rng),
            None => children.reverse(),
        }
        self.path.push(Frame { state, children });
        self.stats.depth = self.stats.depth.max(self.path.len() as u64 - 1);
        Ok(if self.expander.is_error()? {
            Some(TraceEnd::Error)
        } else if deadlock {
            Some(TraceEnd::Deadlock)
        } else {
            fault
        })
    }

    fn states_on_path(&self) -> Vec<Box<[u64]>> {
        self.path.iter().map(|frame| self.table.get(frame.state).into()).collect()
    }
}
