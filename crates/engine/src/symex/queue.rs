//! What waits: states with a condition under which they go on.

use std::cmp::Reverse;
use std::collections::BTreeSet;

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
    /// How often in a state like this.
    pub(super) alike: u32,
}

/// More than this are not kept: those that are farthest go.
const MOST: usize = 20_000;

/// Four orders, which take turns: none of them is right for all programs.
#[derive(Default)]
pub(super) struct Queue {
    waiting: FxHashMap<u64, Pending>,
    /// By distance, the newest first: that follows one run as far as it goes.
    near: BTreeSet<(u32, Reverse<u64>)>,
    /// By distance, those first of which there were few alike.
    near_and_rare: BTreeSet<(u32, u32, Reverse<u64>)>,
    /// Those first that are where runs seldom came, the oldest first.
    seldom: BTreeSet<(u32, u64)>,
    /// Those first of which there were few alike, the oldest first.
    rare: BTreeSet<(u32, u64)>,
    next: u64,
    taken: u64,
}

impl Queue {
    pub(super) fn push(&mut self, pending: Pending) {
        let number = self.next;
        self.next += 1;
        self.near.insert((pending.distance, Reverse(number)));
        self.near_and_rare.insert((pending.distance, pending.alike, Reverse(number)));
        self.seldom.insert((pending.visits, number));
        self.rare.insert((pending.alike, number));
        self.waiting.insert(number, pending);
        if self.waiting.len() > MOST
            && let Some(&(_, Reverse(farthest))) = self.near.last()
        {
            self.take(farthest);
        }
    }

    pub(super) fn pop(&mut self) -> Option<Pending> {
        self.taken += 1;
        let number = match self.taken % 4 {
            0 => self.seldom.first()?.1,
            1 => self.rare.first()?.1,
            2 => self.near.first()?.1.0,
            _ => self.near_and_rare.first()?.2.0,
        };
        self.take(number)
    }

    fn take(&mut self, number: u64) -> Option<Pending> {
        let pending = self.waiting.remove(&number)?;
        self.near.remove(&(pending.distance, Reverse(number)));
        self.near_and_rare.remove(&(pending.distance, pending.alike, Reverse(number)));
        self.seldom.remove(&(pending.visits, number));
        self.rare.remove(&(pending.alike, number));
        Some(pending)
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }
}
