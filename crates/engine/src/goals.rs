//! States an experiment waits for: when a search first meets each of them.
//!
//! The order in which an engine generates states does not depend on which of them is an error. So instead of one search
//! per error, one search records when it meets each state of a set; that is what it would have reported for each alone.
//! The searches of [Split, section 5.1] do that for an observer that has goals; without them they pay one branch.

use std::time::{Duration, Instant};

use clinch_ir::Reason;
use rustc_hash::FxHashMap;

/// How far a search was when it met a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sighting {
    /// Time since the goals were set.
    pub time: Duration,
    /// States stored: abstract ones where the engine abstracts.
    pub states: u64,
    /// Predicates in use.
    pub predicates: u64,
    /// Refinement iteration, from 1; 0 for engines that do not refine.
    pub iteration: u64,
    /// Steps from an initial state, on the path that was found.
    pub depth: u64,
}

/// A set of packed states, and what became of each.
#[derive(Clone, Debug)]
pub struct Goals {
    start: Instant,
    wanted: FxHashMap<Box<[u64]>, usize>,
    met: Vec<Option<Sighting>>,
    left: usize,
}

impl Goals {
    /// Waits for these states, all different; the clock starts now.
    pub fn new(states: impl IntoIterator<Item = Box<[u64]>>) -> Self {
        let wanted: FxHashMap<Box<[u64]>, usize> = states.into_iter().enumerate().map(|(i, s)| (s, i)).collect();
        Goals { start: Instant::now(), met: vec![None; wanted.len()], left: wanted.len(), wanted }
    }

    /// A search generated this state; `sighting` tells how far it is, times apart. Fails when there is nothing left to
    /// wait for, so that the search ends.
    #[inline]
    pub fn meet(&mut self, state: &[u64], sighting: impl FnOnce() -> Sighting) -> Result<(), Reason> {
        match self.wanted.get(state) {
            Some(&goal) if self.met[goal].is_none() => self.record(goal, sighting()),
            _ => Ok(()),
        }
    }

    fn record(&mut self, goal: usize, sighting: Sighting) -> Result<(), Reason> {
        self.met[goal] = Some(Sighting { time: self.start.elapsed(), ..sighting });
        self.left -= 1;
        if self.left == 0 { Err(Reason::Interrupted) } else { Ok(()) }
    }

    /// What became of each state, in the order they were given.
    pub fn into_sightings(self) -> Vec<Option<Sighting>> {
        self.met
    }
}
