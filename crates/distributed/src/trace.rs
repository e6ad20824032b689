//! The path to a state, collected backwards: in each round the worker that has the state says which it is, and where its parent is.

use serde::{Deserialize, Serialize};

use crate::rounds::{Outbox, Part};
use crate::store::{Place, Store, unpack};

/// A state of the path.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Step {
    words: Vec<u64>,
    parent: Option<Place>,
}

/// The part of one worker.
pub(crate) struct Tracing<'s> {
    store: &'s Store,
    me: u16,
    /// The state that is asked for.
    wanted: Option<Place>,
    /// What was said of it.
    found: Option<Step>,
    /// The path, backwards.
    path: Vec<Box<[u64]>>,
}

impl<'s> Tracing<'s> {
    /// The path to a state.
    pub(crate) fn new(store: &'s Store, me: usize, last: Place) -> Self {
        Tracing { store, me: me as u16, wanted: Some(last), found: None, path: Vec::new() }
    }

    /// The states from an initial one on; none if one of them could not be read.
    pub(crate) fn into_path(mut self) -> Option<Vec<Box<[u64]>>> {
        self.path.reverse();
        self.path.iter().all(|state| state.len() == self.store.words()).then_some(self.path)
    }
}

impl Part for Tracing<'_> {
    fn receive(&mut self, _: u32, _: &[u8]) {}

    fn hear(&mut self, _: u32, note: &[u8]) {
        if let Ok(Some(step)) = serde_json::from_slice::<Option<Step>>(note) {
            self.found = Some(step);
        }
    }

    fn begin(&mut self, _: u64) -> bool {
        // Not before: others may say it while this worker is still asked for the last one.
        if let Some(step) = self.found.take() {
            self.path.push(step.words.into());
            self.wanted = step.parent;
        }
        self.wanted.is_some()
    }

    fn work(&mut self, _: &mut Outbox) -> Option<Vec<u8>> {
        let here = self.wanted.filter(|place| place.worker == self.me);
        let step = here.map(|place| {
            let number = place.number as usize;
            let mut words = Vec::new();
            // One that cannot be read ends the path.
            let read = self.store.read(number..number + 1, &mut words);
            let parent = words.pop().filter(|_| read.is_ok()).and_then(unpack);
            Step { words, parent }
        });
        Some(serde_json::to_vec(&step).expect("a step is plain data"))
    }
}
