//! Re-checks that states in several places together are closed ([`Proof::ReachedElsewhere`]).
//!
//! Each place has a [`Part`] of the states. It asks about the successors of its states, and answers the questions of the others about its
//! own. How questions travel is not our business, and need not be trusted: one that is lost was never confirmed, and
//! [`certify_parts`] accepts only what confirmed as many as were asked.

use std::io;
use std::ops::Range;

use clinch_ir::{Answer, Layout, Program, Proof, StateSet, Verdict};

use crate::certified::{Certified, Judged};
use crate::reached::{Closure, Index, Successors, wrong};
use crate::{Rejection, check_trace};

/// States that do not fit into memory, in ascending order of their words.
pub trait Sorted {
    /// How many there are.
    fn states(&self) -> u64;

    /// Appends some of them to `into`, by their positions.
    fn read(&self, first: u64, states: usize, into: &mut Vec<u64>) -> io::Result<()>;
}

/// The states of one place.
pub struct Part<'a> {
    states: States<'a>,
    words: usize,
    closure: Closure<'a>,
    successors: Successors,
    hashes: Vec<u64>,
    tally: Tally,
}

enum States<'a> {
    /// In memory.
    Indexed(&'a [u64], Index<'a>),
    /// In order, with the questions that are not answered yet, and how many words of them are kept.
    Sorted(&'a dyn Sorted, Vec<u64>, usize),
}

/// What became of a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// How many states it has.
    pub states: u64,
    /// How many of them were checked: no error, and all successors asked about.
    pub checked: u64,
    /// States that must be somewhere: successors, and initial states.
    pub asked: u64,
    /// Questions of all parts about states that are here.
    pub confirmed: u64,
    /// Whether it asked about the initial states.
    pub asked_initial: bool,
}

impl<'a> Part<'a> {
    /// The states of one place, of a program, in one chunk.
    pub fn new(program: &'a Program, set: &'a StateSet) -> Result<Self, Rejection> {
        let words = set.layout.words;
        match set.chunks.as_slice() {
            [chunk] if set.layout == Layout::new(program) && chunk.len() % words == 0 => {
                let states = States::Indexed(chunk, Index::new(set));
                Ok(Part::of(program, &set.layout, states, set.len() as u64))
            }
            _ => wrong("the states are packed for another program"),
        }
    }

    /// The states of one place, packed as the layout of the program says. So many words of questions are kept until they are answered together.
    pub fn sorted(
        program: &'a Program,
        layout: &'a Layout,
        states: &'a dyn Sorted,
        room: usize,
    ) -> Result<Self, Rejection> {
        if *layout != Layout::new(program) {
            return wrong("the states are packed for another program");
        }
        Ok(Part::of(program, layout, States::Sorted(states, Vec::new(), room), states.states()))
    }

    fn of(program: &'a Program, layout: &'a Layout, states: States<'a>, number: u64) -> Self {
        let tally = Tally { states: number, ..Tally::default() };
        let closure = Closure::new(program, layout);
        Part { states, words: layout.words, closure, successors: Successors::default(), hashes: Vec::new(), tally }
    }

    /// Asks about the initial states.
    pub fn ask_initial(&mut self, mut ask: impl FnMut(&[u64])) -> Result<(), Rejection> {
        let asked = &mut self.tally.asked;
        self.closure.for_each_initial(|packed| {
            *asked += 1;
            ask(packed);
            true
        })?;
        self.tally.asked_initial = true;
        Ok(())
    }

    /// Checks states by their positions, in order and each once; asks about their successors, each as packed words.
    pub fn check(&mut self, range: Range<usize>, mut ask: impl FnMut(&[u64])) -> Result<(), Rejection> {
        let words = self.words;
        let mut read = Vec::new();
        let states = match &self.states {
            States::Indexed(states, _) => &states[range.start * words..range.end * words],
            States::Sorted(states, ..) => {
                states.read(range.start as u64, range.len(), &mut read).map_err(|error| unreadable(&error))?;
                &read
            }
        };
        for state in states.chunks_exact(words) {
            self.successors.packed.clear();
            self.closure.check_state(state, &mut self.successors)?;
            self.tally.checked += 1;
            self.tally.asked += (self.successors.packed.len() / words) as u64;
            self.successors.packed.chunks_exact(words).for_each(&mut ask);
        }
        Ok(())
    }

    /// Answers questions: packed states, one after the other. Fails if one of them is not here, now or when it is looked up.
    pub fn answer(&mut self, asked: &[u64]) -> Result<(), Rejection> {
        match &mut self.states {
            States::Indexed(_, index) => {
                if !index.contains_all(asked, &mut self.hashes) {
                    return wrong(MISSING);
                }
                self.tally.confirmed += (asked.len() / self.words) as u64;
            }
            States::Sorted(_, waiting, room) => {
                waiting.extend_from_slice(asked);
                if waiting.len() >= *room {
                    return self.answer_all();
                }
            }
        }
        Ok(())
    }

    /// Answers the questions that wait.
    pub fn answer_all(&mut self) -> Result<(), Rejection> {
        let States::Sorted(states, waiting, _) = &mut self.states else { return Ok(()) };
        let asked = std::mem::take(waiting);
        self.tally.confirmed += look_up(*states, asked, self.words)?;
        Ok(())
    }

    /// What became of it.
    pub fn tally(&self) -> Tally {
        self.tally
    }
}

const MISSING: &str = "a successor or an initial state is missing";

fn unreadable(error: &io::Error) -> Rejection {
    Rejection::Undecided(format!("the states cannot be read: {error}"))
}

/// States that are read at a time.
const BLOCK: usize = 1 << 13;

/// How many states were asked about, all of which are there.
fn look_up(states: &dyn Sorted, asked: Vec<u64>, words: usize) -> Result<u64, Rejection> {
    let number = (asked.len() / words) as u64;
    let asked = in_order(asked, words);
    let mut left = asked.chunks_exact(words).peekable();
    let mut block = Vec::new();
    let mut first = 0;
    while left.peek().is_some() && first < states.states() {
        let some = (states.states() - first).min(BLOCK as u64);
        block.clear();
        states.read(first, some as usize, &mut block).map_err(|error| unreadable(&error))?;
        first += some;
        for state in block.chunks_exact(words) {
            while left.next_if(|asked| *asked == state).is_some() {}
        }
    }
    if left.peek().is_some() { wrong(MISSING) } else { Ok(number) }
}

/// The same states in ascending order.
fn in_order(states: Vec<u64>, words: usize) -> Vec<u64> {
    if words == 1 {
        let mut states = states;
        states.sort_unstable();
        return states;
    }
    let mut rows: Vec<&[u64]> = states.chunks_exact(words).collect();
    rows.sort_unstable();
    rows.concat()
}

/// Accepts what several workers found out together: a trace by replay, a closed set by what became of all of its parts.
pub fn certify_parts(program: &Program, verdict: Verdict, parts: &[Tally]) -> Result<Judged<Verdict>, Rejection> {
    match &verdict {
        Answer::Safe(Proof::ReachedElsewhere(states)) => check_tallies(*states, parts)?,
        Answer::Safe(_) => return Err(Rejection::Undecided("its proof is in one place".to_owned())),
        Answer::Unsafe(trace) => check_trace(program, trace)?,
        Answer::Unknown(_) => return Ok(Judged::Unchecked(verdict)),
    }
    Ok(Judged::Certified(Certified::accepted(verdict)))
}

fn check_tallies(states: u64, parts: &[Tally]) -> Result<(), Rejection> {
    let sum = |of: fn(&Tally) -> u64| parts.iter().map(of).sum::<u64>();
    if sum(|part| part.states) != states {
        return wrong("the parts have another number of states");
    }
    if parts.iter().any(|part| part.checked != part.states) {
        return wrong("a state was not checked");
    }
    if !parts.iter().any(|part| part.asked_initial) {
        return wrong("nobody asked for the initial states");
    }
    if sum(|part| part.asked) != sum(|part| part.confirmed) {
        return wrong("not every question was answered");
    }
    Ok(())
}
