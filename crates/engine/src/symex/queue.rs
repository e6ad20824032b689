//! What waits: states with a condition under which they go on, the nearest to an error first; now and then the one at the place that was
//! seen least.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use clinch_terms::Term;
use rustc_hash::FxHashMap;

use super::state::State;

/// A state that goes on if a condition holds.
pub(super) struct Pending {
    pub(super) state: State,
    /// Over inputs.
    pub(super) condition: Option<Term>,
    /// How far it is to an error.
    pub(super) distance: u32,
    /// How often runs had come to where it goes on.
    pub(super) visits: u32,
}

/// Of so many that are taken, one is taken for being elsewhere.
const ELSEWHERE: u64 = 3;
/// More than this are not kept: those that are farthest go.
const MOST: usize = 20_000;

#[derive(Default)]
pub(super) struct Queue {
    waiting: FxHashMap<u64, Pending>,
    near: BTreeMap<(u32, Reverse<u64>), u64>,
    rare: BTreeMap<(u32, u64), u64>,
    next: u64,
    taken: u64,
    /// Whether states were dropped.
    pub(super) dropped: u64,
}

impl Queue {
    pub(super) fn push(&mut self, pending: Pending) {
        let number = self.next;
        self.next += 1;
        self.near.insert((pending.distance, Reverse(number)), number);
        self.rare.insert((pending.visits, number), number);
        self.waiting.insert(number, pending);
        if self.waiting.len() > MOST
            && let Some((_, &farthest)) = self.near.last_key_value()
        {
            self.take(farthest);
            self.dropped += 1;
        }
    }

    pub(super) fn pop(&mut self) -> Option<Pending> {
        self.taken += 1;
        let rare = self.taken.is_multiple_of(ELSEWHERE);
        let first = if rare { self.rare.first_key_value().map(|(_, &n)| n) } else { None };
        let number = first.or_else(|| self.near.first_key_value().map(|(_, &n)| n))?;
        self.take(number)
    }

    fn take(&mut self, number: u64) -> Option<Pending> {
        let pending = self.waiting.remove(&number)?;
        self.near.remove(&(pending.distance, Reverse(number)));
        self.rare.remove(&(pending.visits, number));
        Some(pending)
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }
}
