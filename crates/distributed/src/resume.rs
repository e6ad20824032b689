//! States of a checkpoint find their owners, of whom there may be more or fewer than before.
//!
//! Back pointers name a worker of the old run and a number there. Whoever reads the file of an old worker also keeps what became of its
//! states:
//! 1. readers send the states before the last level to their owners, and then those of the last level, so that they come last there;
//! 2. owners tell the readers where the states are now;
//! 3. owners ask the readers where the parents of their states are;
//! 4. readers answer.

use std::path::Path;

use clinch_engine::Budget;
use clinch_engine::concrete::hash_words;
use clinch_ir::Reason;

use crate::checkpoint::{Complete, PartReader, Record};
use crate::cluster::Fingerprint;
use crate::format::{Format, Reader, seal, write_number};
use crate::owner::{BATCH, owner};
use crate::reason::Told;
use crate::rounds::{Outbox, Part};
use crate::store::{Limit, Place, Store};

/// What a message is about.
const STATES: u64 = 0;
const PLACES: u64 = 1;
const QUESTIONS: u64 = 2;
const ANSWERS: u64 = 3;

/// Messages of a kind to a worker: numbers, and states.
#[derive(Debug, Default)]
struct Letter {
    bytes: Vec<u8>,
}

impl Letter {
    fn push(&mut self, kind: u64, numbers: &[u64]) {
        if self.bytes.is_empty() {
            write_number(kind, &mut self.bytes);
        }
        numbers.iter().for_each(|&number| write_number(number, &mut self.bytes));
    }

    fn send(&mut self, to: usize, out: &mut Outbox) {
        if !self.bytes.is_empty() {
            seal(&mut self.bytes);
            out.send(to as u32, std::mem::take(&mut self.bytes));
        }
    }

    fn send_if_long(&mut self, to: usize, out: &mut Outbox) {
        if self.bytes.len() >= BATCH {
            self.send(to, out);
        }
    }
}

/// A file of the old run, and where its states are now.
struct Old {
    worker: u64,
    file: PartReader,
    /// The first record of the last level, once it was met.
    waiting: Option<Record>,
    places: Vec<Place>,
}

/// The part of one worker.
pub(crate) struct Resuming<'a> {
    budget: &'a Budget,
    format: Format,
    workers: usize,
    last_level: u64,
    old: Vec<Old>,
    pub(crate) store: Store,
    /// For each state, its old place and that of its parent, if it has one.
    was: Vec<(Place, Option<Place>)>,
    letters: Vec<Letter>,
    answers: Vec<Letter>,
    round: u64,
    /// States that were told of, or asked for, in this round.
    done: usize,
    /// The states before the last level.
    before: usize,
    stop: Option<Told>,
    stopped: Option<Told>,
}

impl<'a> Resuming<'a> {
    /// Opens the files that this worker is to read.
    pub(crate) fn new(
        (folder, fingerprint, complete): (&Path, &Fingerprint, &Complete),
        (format, limit): (Format, Option<Limit>),
        (me, workers): (usize, usize),
        budget: &'a Budget,
    ) -> Self {
        let mut old = Vec::new();
        let mut stop = None;
        for worker in (me..complete.parts.len()).step_by(workers) {
            match PartReader::new(folder, worker, fingerprint, complete) {
                Ok(file) => {
                    let places = vec![Place { worker: 0, number: 0 }; complete.parts[worker].states as usize];
                    old.push(Old { worker: worker as u64, file, waiting: None, places });
                }
                Err(error) => stop = Some(Told::Unsupported(error)),
            }
        }
        let letters = || (0..workers).map(|_| Letter::default()).collect();
        Resuming {
            budget,
            store: Store::new(format.words(), limit),
            format,
            workers,
            last_level: complete.level,
            old,
            was: Vec::new(),
            letters: letters(),
            answers: letters(),
            round: 0,
            done: 0,
            before: 0,
            stop,
            stopped: None,
        }
    }

    /// The states, and how many there are before the last level; or why not all are there.
    pub(crate) fn into_store(self) -> Result<(Store, usize), Reason> {
        match self.stopped {
            Some(told) => Err(told.into()),
            None => Ok((self.store, self.before)),
        }
    }

    /// Sends the next record to the owners of its states; whether there was one for this round.
    fn send_states(&mut self, out: &mut Outbox) -> Result<bool, Told> {
        let last = self.last_level;
        for old in &mut self.old {
            let next = match (self.round, old.waiting.take()) {
                (0, Some(waiting)) => {
                    old.waiting = Some(waiting);
                    continue;
                }
                (_, Some(waiting)) => Some(waiting),
                (_, None) => old.file.next().map_err(Told::Unsupported)?,
            };
            match next {
                Some(record) if self.round == 0 && record.level == last => old.waiting = Some(record),
                Some(record) => {
                    send_record(old.worker, &record, &self.format, &mut self.letters, out);
                    return Ok(true);
                }
                None => {}
            }
        }
        Ok(false)
    }

    /// Tells readers where some states are now (`PLACES`), or asks them about their parents; whether there were any.
    fn write_some(&mut self, kind: u64, out: &mut Outbox) -> bool {
        let end = if kind == PLACES { self.before } else { self.was.len() };
        let some = self.done..end.min(self.done + 4096);
        for number in some.clone() {
            let (place, parent) = self.was[number];
            let about = if kind == PLACES { Some(place) } else { parent };
            if let Some(old) = about {
                let reader = usize::from(old.worker) % self.workers;
                let numbers = [u64::from(old.worker), u64::from(old.number), number as u64];
                self.letters[reader].push(kind, &numbers);
                self.letters[reader].send_if_long(reader, out);
            }
        }
        self.done = some.end;
        !some.is_empty()
    }

    /// Some of the work of the round; whether there was any.
    fn do_some(&mut self, out: &mut Outbox) -> Result<bool, Told> {
        self.budget.check_memory().map_err(Told::from)?;
        Ok(match self.round {
            0 => self.send_states(out)?,
            // Kinds do not share a letter.
            1 if self.done < self.before => self.write_some(PLACES, out) && self.flush_at(self.before, out),
            1 => self.send_states(out)?,
            2 => self.write_some(QUESTIONS, out),
            _ => false,
        })
    }

    fn flush_at(&mut self, end: usize, out: &mut Outbox) -> bool {
        if self.done == end {
            self.letters.iter_mut().enumerate().for_each(|(to, letter)| letter.send(to, out));
        }
        true
    }

    fn old_place(&self, worker: u64, number: u64) -> Option<Place> {
        let old = self.old.iter().find(|old| old.worker == worker)?;
        old.places.get(number as usize).copied()
    }

    fn take_states(&mut self, reader: &mut Reader<'_>) {
        let mut words = Vec::with_capacity(self.format.words());
        while !reader.is_at_end() {
            let was = place(reader.number(), reader.number());
            let (home, number) = (reader.number(), reader.number());
            let parent = home.checked_sub(1).map(|home| place(home, number));
            words.clear();
            reader.state(&self.format, &mut words);
            if !self.store.insert_first(&words, hash_words(&words) as u32) {
                self.stop = Some(Told::Unsupported("checkpoint: a state is there twice".to_owned()));
                return;
            }
            self.was.push((was, parent));
        }
    }
}

fn place(worker: u64, number: u64) -> Place {
    Place { worker: worker as u16, number: number as u32 }
}

fn send_record(worker: u64, record: &Record, format: &Format, letters: &mut [Letter], out: &mut Outbox) {
    let mut reader = Reader::new(&record.bytes);
    let mut words = Vec::with_capacity(format.words());
    for number in record.first..record.first + record.states {
        let parent = [reader.number(), reader.number()];
        words.clear();
        reader.state(format, &mut words);
        let to = owner(hash_words(&words), letters.len());
        letters[to].push(STATES, &[worker, number, parent[0], parent[1]]);
        format.write(&words, &mut letters[to].bytes);
        letters[to].send_if_long(to, out);
    }
}

impl Part for Resuming<'_> {
    fn receive(&mut self, from: u32, records: &[u8]) {
        let mut reader = Reader::new(records);
        let kind = reader.number();
        if kind == STATES {
            return self.take_states(&mut reader);
        }
        while !reader.is_at_end() {
            if kind == ANSWERS {
                let number = reader.number() as usize;
                let parent = place(reader.number(), reader.number());
                self.store.set_parent(number, parent);
                continue;
            }
            let (worker, number, theirs) = (reader.number(), reader.number(), reader.number());
            if kind == PLACES {
                if let Some(old) = self.old.iter_mut().find(|old| old.worker == worker) {
                    old.places[number as usize] = Place { worker: from as u16, number: theirs as u32 };
                }
            } else if let Some(now) = self.old_place(worker, number) {
                let answer = [theirs, u64::from(now.worker), u64::from(now.number)];
                self.answers[from as usize].push(ANSWERS, &answer);
            }
        }
    }

    fn hear(&mut self, _: u32, note: &[u8]) {
        if let Ok(Some(told)) = serde_json::from_slice::<Option<Told>>(note) {
            self.stopped = self.stopped.take().into_iter().chain([told]).min();
        }
    }

    fn begin(&mut self, round: u64) -> bool {
        self.round = round;
        self.done = 0;
        if round == 1 {
            self.before = self.was.len();
        }
        round < 4 && self.stopped.is_none()
    }

    fn work(&mut self, out: &mut Outbox) -> Option<Vec<u8>> {
        if self.stop.is_none() {
            match self.do_some(out) {
                Ok(true) => return None,
                Ok(false) => {}
                Err(told) => self.stop = Some(told),
            }
        }
        self.letters.iter_mut().enumerate().for_each(|(to, letter)| letter.send(to, out));
        if self.round == 3 {
            self.answers.iter_mut().enumerate().for_each(|(to, letter)| letter.send(to, out));
        }
        Some(serde_json::to_vec(&self.stop).expect("a reason is plain data"))
    }
}
