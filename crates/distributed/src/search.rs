//! Breadth-first search by several workers. A round is a level: who has a state expands it, and sends each successor to its owner.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::mpsc::Sender;

use clinch_engine::concrete::{Event, Expander, Model, hash_words};
use clinch_engine::{Budget, Progress};
use clinch_ir::Reason;
use serde::{Deserialize, Serialize};

use crate::checkpoint::{Complete, Size, Writer};
use crate::format::{Format, Reader};
use crate::owner::{Lane, owner};
use crate::reason::Told;
use crate::rounds::{Outbox, Part};
use crate::store::{Limit, Place, STATES, Store};

/// States that are expanded before what others sent is looked at.
const PIECE: usize = 512;

/// What a worker tells the others at the end of a level.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Note {
    /// States of the level that it expanded.
    expanded: u64,
    /// Their steps.
    transitions: u64,
    /// States it has, and the bytes for them.
    states: u64,
    bytes: u64,
    disk: u64,
    /// Batches of states that it sent so far, and their bytes.
    messages: u64,
    exchanged: u64,
    /// How much of its states is in the checkpoint, up to this level.
    written: Option<Size>,
    /// Of the errors in the level that it found, the least.
    error: Option<Found>,
    /// Why it does not go on.
    stop: Option<Told>,
}

/// A state that is an error.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    pub(crate) words: Vec<u64>,
    pub(crate) place: Place,
}

/// How a search ended, the same for all workers.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// Nothing is left to expand.
    Closed,
    /// The least error of the first level with one.
    Error(Found),
    /// A limit, say.
    Stopped(Reason),
}

/// What all workers did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    pub(crate) depth: u64,
    pub(crate) bytes: u64,
    pub(crate) disk: u64,
    pub(crate) messages: u64,
    pub(crate) exchanged: u64,
}

/// The part of one worker in the search.
pub(crate) struct Search<'m> {
    model: &'m Model<'m>,
    budget: &'m Budget,
    /// Is told how far the search is.
    progress: Option<Sender<Progress>>,
    me: u16,
    expander: Expander<'m>,
    pub(crate) format: Format,
    pub(crate) store: Store,
    /// States of the level, with their parents.
    piece: Vec<u64>,
    /// What is on its way to each worker.
    lanes: Vec<Lane>,
    /// Successors on their way to the store: those found here, those that arrived.
    own: Vec<u64>,
    arrived: Vec<u64>,
    /// The states of the level that are not expanded yet.
    level: Range<usize>,
    note: Note,
    failed: Option<Told>,
    heard: BTreeMap<u32, Note>,
    /// How far the level is from the initial states.
    distance: u64,
    /// States before the level that a checkpoint ends with.
    resumed: Option<usize>,
    checkpoint: Option<Writer>,
    pub(crate) totals: Totals,
    pub(crate) end: Option<End>,
}

impl<'m> Search<'m> {
    pub(crate) fn new(
        model: &'m Model<'m>,
        (me, workers): (usize, usize),
        budget: &'m Budget,
        limit: Option<Limit>,
        told: (Option<Sender<Progress>>, Option<Writer>),
    ) -> Self {
        let (progress, checkpoint) = told;
        Search {
            model,
            budget,
            progress,
            me: me as u16,
            expander: Expander::new(model),
            format: Format::new(&model.layout),
            store: Store::new(model.layout.words, limit),
            piece: Vec::new(),
            lanes: (0..workers).map(|_| Lane::default()).collect(),
            own: Vec::new(),
            arrived: Vec::new(),
            level: 0..0,
            note: Note::default(),
            failed: None,
            heard: BTreeMap::new(),
            distance: 0,
            resumed: None,
            checkpoint,
            totals: Totals::default(),
            end: None,
        }
    }

    /// Goes on with these states, of which those of the last level are not expanded yet.
    pub(crate) fn resume(&mut self, store: Store, before: usize, complete: &Complete) {
        self.store = store;
        self.resumed = Some(before);
        self.distance = complete.level;
        self.totals = Totals { transitions: complete.transitions, depth: complete.level, ..Totals::default() };
    }

    fn begin_first(&mut self) {
        let Some(before) = self.resumed else {
            self.insert_initial();
            return self.close_level();
        };
        self.close_level();
        self.level.start = before;
        // All that is before the last level may stand in one.
        self.distance = self.totals.depth.saturating_sub(1);
        self.write_checkpoint(0..before);
        self.distance = self.totals.depth;
    }

    fn close_level(&mut self) {
        match self.store.close_level() {
            Ok(level) => self.level = level,
            Err(error) => self.stop(error),
        }
    }

    /// States may have been lost: nothing that is found from now on counts.
    fn stop(&mut self, error: String) {
        self.failed.get_or_insert(Told::Unsupported(error));
    }

    fn write_checkpoint(&mut self, states: Range<usize>) {
        let Some(checkpoint) = &mut self.checkpoint else { return };
        match checkpoint.append(self.distance, states, &self.store, &self.format) {
            Ok(size) => self.note.written = Some(size),
            Err(error) => self.stop(error),
        }
    }

    /// The level that was just worked on is in the files of all workers.
    fn complete_checkpoint(&mut self, heard: &[Note]) {
        let Some(checkpoint) = &self.checkpoint else { return };
        let sizes: Option<Vec<Size>> = heard.iter().map(|note| note.written).collect();
        if let (0, Some(sizes)) = (self.me, sizes)
            && let Err(error) = checkpoint.complete(self.distance, self.totals.transitions, sizes)
        {
            self.stop(error);
        }
    }

    fn insert_initial(&mut self) {
        for words in self.model.initial_states() {
            let hash = hash_words(&words);
            if owner(hash, self.lanes.len()) == usize::from(self.me) {
                self.store.insert_first(&words, hash as u32);
            }
        }
    }

    /// Takes what was said at the end of a level into account.
    fn count(&mut self, heard: &[Note]) {
        let sum = |of: fn(&Note) -> u64| heard.iter().map(of).sum::<u64>();
        let totals = &mut self.totals;
        (totals.states, totals.bytes) = (sum(|note| note.states), sum(|note| note.bytes));
        totals.disk = sum(|note| note.disk);
        (totals.messages, totals.exchanged) = (sum(|note| note.messages), sum(|note| note.exchanged));
        totals.transitions += sum(|note| note.transitions);
    }

    /// Whether the search ends, after what was said at the end of a level.
    fn decide(&mut self, heard: &[Note]) -> Option<End> {
        let errors = heard.iter().filter_map(|note| note.error.clone());
        if let Some(error) = errors.min_by(|a, b| a.words.cmp(&b.words)) {
            return Some(End::Error(error));
        }
        // In the order of the workers, so that all give the same reason.
        if let Some(told) = heard.iter().filter_map(|note| note.stop.clone()).min() {
            return Some(End::Stopped(told.into()));
        }
        if heard.iter().all(|note| note.expanded == 0) {
            self.totals.depth = self.totals.depth.saturating_sub(1);
            return Some(End::Closed);
        }
        self.totals.depth += 1;
        None
    }

    fn expand(&mut self, number: usize, state: &[u64], out: &mut Outbox) -> Result<(), Reason> {
        self.expander.load(state);
        let mut is_error = self.expander.is_error()?;
        let mut overflow = None;
        let mut steps = 0;
        let (lanes, own, format, me) = (&mut self.lanes, &mut self.own, &self.format, usize::from(self.me));
        self.expander.for_each(|event| match event {
            Event::Step(step) => {
                steps += 1;
                let hash = hash_words(step.words);
                let to = owner(hash, lanes.len());
                if to == me {
                    own.push((hash << 32) | number as u64);
                    own.extend_from_slice(step.words);
                } else {
                    lanes[to].push(to, number as u64, step.words, format, out);
                }
            }
            Event::Fault(..) => is_error = true,
            Event::Overflow(transition) => overflow = Some(transition),
        });
        self.note.expanded += 1;
        self.note.transitions += steps;
        is_error |= steps == 0 && self.model.program.property.deadlock;
        if is_error {
            self.keep_if_least(number, state);
        }
        match overflow {
            Some(transition) if !is_error => Err(Expander::overflow_reason(self.model, transition)),
            _ => Ok(()),
        }
    }

    fn keep_if_least(&mut self, number: usize, state: &[u64]) {
        if self.note.error.as_ref().is_none_or(|least| state < least.words.as_slice()) {
            let place = Place { worker: self.me, number: number as u32 };
            self.note.error = Some(Found { words: state.to_vec(), place });
        }
    }

    fn insert_own(&mut self) {
        if let Err(error) = self.store.insert(self.me, &self.own) {
            self.stop(error);
        }
        self.own.clear();
    }

    /// Expands some states of the level.
    fn expand_some(&mut self, out: &mut Outbox) -> Result<(), Reason> {
        self.budget.check_memory()?;
        if self.store.len() > STATES {
            return Err(Reason::Unsupported("more than 2^32 states at one worker".to_owned()));
        }
        let first = self.level.start;
        let some = first..self.level.end.min(first + PIECE);
        self.level.start = some.end;
        let mut piece = std::mem::take(&mut self.piece);
        piece.clear();
        self.store.read(some, &mut piece).map_err(Reason::Unsupported)?;
        let words = self.store.words();
        for (number, entry) in (first..).zip(piece.chunks_exact(words + 1)) {
            self.expand(number, &entry[..words], out)?;
            if self.own.len() >= PIECE * words {
                self.insert_own();
            }
        }
        self.piece = piece;
        self.insert_own();
        Ok(())
    }

    fn is_stopped(&self) -> bool {
        self.end.is_some() || self.failed.is_some() || self.heard.values().any(|note| note.stop.is_some())
    }
}

impl Part for Search<'_> {
    fn receive(&mut self, from: u32, records: &[u8]) {
        let mut reader = Reader::new(records);
        let mut parent = 0;
        self.arrived.clear();
        while !reader.is_at_end() {
            parent += reader.number();
            let head = self.arrived.len();
            self.arrived.push(0);
            reader.state(&self.format, &mut self.arrived);
            let hash = hash_words(&self.arrived[head + 1..]);
            self.arrived[head] = (hash << 32) | parent;
        }
        if let Err(error) = self.store.insert(from as u16, &self.arrived) {
            self.stop(error);
        }
    }

    fn hear(&mut self, from: u32, note: &[u8]) {
        // One that cannot be read is of another version: processes that agree have none.
        let stop = Some(Told::from(Reason::Crashed("a worker says what cannot be understood".to_owned())));
        let note = serde_json::from_slice(note).unwrap_or_else(|_| Note { stop, ..Note::default() });
        self.heard.insert(from, note);
    }

    fn begin(&mut self, round: u64) -> bool {
        self.note = Note::default();
        if round == 0 {
            self.begin_first();
        } else {
            let heard: Vec<Note> = std::mem::take(&mut self.heard).into_values().collect();
            self.complete_checkpoint(&heard);
            self.count(&heard);
            // After the end there is a round in which all say how many states they have, those of the last level too.
            if self.end.is_some() {
                return false;
            }
            self.end = self.decide(&heard);
            if let (Some(progress), None) = (&self.progress, &self.end) {
                // Nobody may listen any more.
                let _ = progress.send(Progress { states: self.totals.states, ..Progress::default() });
            }
            self.close_level();
            self.distance += 1;
        }
        if self.end.is_none() {
            self.write_checkpoint(self.level.clone());
        }
        true
    }

    fn work(&mut self, out: &mut Outbox) -> Option<Vec<u8>> {
        if !self.is_stopped()
            && let Err(reason) = self.expand_some(out)
        {
            self.failed = Some(reason.into());
        }
        if !self.is_stopped() && !self.level.is_empty() {
            return None;
        }
        self.insert_own();
        self.lanes.iter_mut().enumerate().for_each(|(to, lane)| lane.flush(to, out));
        (self.note.states, self.note.bytes) = (self.store.len() as u64, self.store.bytes() as u64);
        self.note.disk = self.store.bytes_on_disk() as u64;
        (self.note.messages, self.note.exchanged) = (out.messages, out.bytes);
        self.note.stop = self.failed.clone();
        Some(serde_json::to_vec(&self.note).expect("a note is plain data"))
    }
}
