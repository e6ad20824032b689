//! How much an engine may tell.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::{Known, MAX_FACTS, MAX_STATES, Place};

/// Lets through what is new, as long as there is not too much of it: the others have their own work to do.
#[derive(Debug, Default)]
pub struct Quota {
    told: FxHashSet<Known>,
    states: BTreeMap<Place, usize>,
}

impl Quota {
    /// Whether a fact may be told. It counts from then on.
    pub fn admits(&mut self, fact: &Known) -> bool {
        if self.told.len() >= MAX_FACTS || self.told.contains(fact) {
            return false;
        }
        if let Known::State { at, .. } = fact {
            let states = self.states.entry(*at).or_default();
            if *states >= MAX_STATES {
                return false;
            }
            *states += 1;
        }
        self.told.insert(fact.clone())
    }
}
