//! The re-check that the states of all workers are closed. What is checked, and what is accepted, is `certify`'s; this brings its questions
//! to those who can answer them. In the first round all ask, in the second they say what became of it.

use clinch_certify::{Rejection, Tally};
use clinch_engine::Budget;
use clinch_engine::concrete::hash_words;
use clinch_ir::Reason;
use serde::{Deserialize, Serialize};

use crate::format::{Format, Reader};
use crate::owner::{Lane, owner};
use crate::reason::Told;
use crate::rounds::{Outbox, Part};

/// States that are checked before the questions of others are looked at.
const PIECE: usize = 512;
/// Words of questions to oneself that are answered together.
const OWN: usize = 1 << 12;

/// What became of a part.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Note {
    states: u64,
    checked: u64,
    asked: u64,
    confirmed: u64,
    asked_initial: bool,
    /// Why it is not accepted: because it is wrong, or because that could not be decided.
    wrong: Option<String>,
    undecided: Option<Told>,
}

/// The part of one worker.
pub(crate) struct Recheck<'a> {
    part: clinch_certify::Part<'a>,
    states: usize,
    budget: &'a Budget,
    me: usize,
    format: Format,
    lanes: Vec<Lane>,
    /// Questions to oneself.
    own: Vec<u64>,
    arrived: Vec<u64>,
    next: usize,
    failed: Option<Rejection>,
    heard: Vec<Note>,
}

impl<'a> Recheck<'a> {
    /// The states of a worker, written in a format.
    pub(crate) fn new(
        part: clinch_certify::Part<'a>,
        format: Format,
        (me, workers): (usize, usize),
        budget: &'a Budget,
    ) -> Self {
        Recheck {
            states: part.tally().states as usize,
            part,
            budget,
            me,
            format,
            lanes: (0..workers).map(|_| Lane::default()).collect(),
            own: Vec::new(),
            arrived: Vec::new(),
            next: 0,
            failed: None,
            heard: Vec::new(),
        }
    }

    /// What became of all parts; the reason if one of them was not accepted.
    pub(crate) fn tallies(&self) -> Result<Vec<Tally>, Rejection> {
        if let Some(wrong) = self.heard.iter().find_map(|note| note.wrong.clone()) {
            return Err(Rejection::Wrong(wrong));
        }
        if let Some(told) = self.heard.iter().filter_map(|note| note.undecided.clone()).min() {
            return Err(Rejection::Undecided(Reason::from(told).to_string()));
        }
        let tally = |note: &Note| Tally {
            states: note.states,
            checked: note.checked,
            asked: note.asked,
            confirmed: note.confirmed,
            asked_initial: note.asked_initial,
        };
        Ok(self.heard.iter().map(tally).collect())
    }

    fn check_some(&mut self, out: &mut Outbox) -> Result<(), Rejection> {
        if self.budget.check_memory().is_err() {
            return Err(Rejection::Stopped);
        }
        let (lanes, own, format, me) = (&mut self.lanes, &mut self.own, &self.format, self.me);
        let mut ask = |words: &[u64]| {
            let to = owner(hash_words(words), lanes.len());
            if to == me {
                own.extend_from_slice(words);
            } else {
                lanes[to].push(to, 0, words, format, out);
            }
        };
        if self.next == 0 && me == 0 {
            self.part.ask_initial(&mut ask)?;
        }
        let end = (self.next + PIECE).min(self.states);
        self.part.check(self.next..end, &mut ask)?;
        self.next = end;
        if self.own.len() >= OWN {
            self.answer_own()?;
        }
        Ok(())
    }

    fn answer_own(&mut self) -> Result<(), Rejection> {
        self.part.answer(&self.own)?;
        self.own.clear();
        Ok(())
    }

    fn finish(&mut self, out: &mut Outbox) -> Result<(), Rejection> {
        self.lanes.iter_mut().enumerate().for_each(|(to, lane)| lane.flush(to, out));
        self.answer_own()
    }

    fn note(&self) -> Note {
        let Tally { states, checked, asked, confirmed, asked_initial } = self.part.tally();
        let mut note = Note { states, checked, asked, confirmed, asked_initial, ..Note::default() };
        match &self.failed {
            Some(Rejection::Wrong(text)) => note.wrong = Some(text.clone()),
            Some(rejection) => {
                let reason = self.budget.check_memory().err();
                note.undecided = Some(reason.map_or_else(|| Told::Other(rejection.to_string()), Told::from));
            }
            None => {}
        }
        note
    }
}

impl Part for Recheck<'_> {
    fn receive(&mut self, _: u32, records: &[u8]) {
        let mut reader = Reader::new(records);
        self.arrived.clear();
        while !reader.is_at_end() {
            reader.number();
            reader.state(&self.format, &mut self.arrived);
        }
        if let Err(rejection) = self.part.answer(&self.arrived) {
            self.failed.get_or_insert(rejection);
        }
    }

    fn hear(&mut self, _: u32, note: &[u8]) {
        let undecided = Some(Told::Other("a worker says what cannot be understood".to_owned()));
        self.heard.push(serde_json::from_slice(note).unwrap_or_else(|_| Note { undecided, ..Note::default() }));
    }

    fn begin(&mut self, round: u64) -> bool {
        if round == 1 {
            self.heard.clear();
            if let Err(rejection) = self.part.answer_all() {
                self.failed.get_or_insert(rejection);
            }
        }
        round < 2
    }

    fn work(&mut self, out: &mut Outbox) -> Option<Vec<u8>> {
        // In the second round there is nothing left to ask.
        let is_first = self.next < self.states || (self.me == 0 && !self.part.tally().asked_initial);
        if is_first && self.failed.is_none() {
            self.failed = self.check_some(out).err();
        }
        if self.failed.is_none() && self.next < self.states {
            return None;
        }
        if let Err(rejection) = self.finish(out) {
            self.failed.get_or_insert(rejection);
        }
        Some(serde_json::to_vec(&self.note()).expect("a note is plain data"))
    }
}
