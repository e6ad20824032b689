//! Breadth-first search over the states in which an input is asked for.

use clinch_ir::Reason;
use clinch_ir::cfa::{CfaProof, CfaVerdict, Failure, InputTrace, InputValue, ReachedStates};
use clinch_machine::{Limit, Limits, LoopHeads, MachineState, Outcome, Pause, Stop};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::{Hunt, RunsStats, input_value};
use crate::budget::{Observer, Progress, Ticker};

/// Edges of one piece of a run before it is watched for cycles.
const UNWATCHED_STEPS: u64 = 1 << 22;

/// How a state was reached: from which one, with which input.
type Origin = Option<(u32, InputValue)>;

/// The states of a round, in the order in which they were found.
type States = IndexMap<Box<[u8]>, Origin, FxBuildHasher>;

/// Rounds of search with more and more values for each input, until one tries them all or the last one ends.
pub(super) fn search(
    hunt: &mut Hunt<'_>,
    stats: &mut RunsStats,
    observer: &mut dyn Observer,
) -> Result<CfaVerdict, Reason> {
    let mut count = 2;
    loop {
        stats.rounds += 1;
        let mut round = Round { hunt, stats, states: States::default(), count, complete: true, bytes: Vec::new() };
        if let Some(trace) = round.run(observer)? {
            return Ok(CfaVerdict::Unsafe(trace));
        }
        if round.complete && round.hunt.obstacle.is_none() {
            let mut states: Vec<Box<[u8]>> = round.states.into_keys().collect();
            states.sort_unstable();
            return Ok(CfaVerdict::Safe(CfaProof::Reached(ReachedStates { states })));
        }
        if round.complete {
            // All runs were seen; what stands in the way is known.
            return Err(Reason::NoProgress);
        }
        if count > hunt.candidates.most() {
            return Err(Reason::SampledInputs);
        }
        count *= 4;
    }
}

struct Round<'h, 'a> {
    hunt: &'h mut Hunt<'a>,
    stats: &'h mut RunsStats,
    states: States,
    /// How many values an input gets.
    count: usize,
    /// Whether all inputs got all their values so far.
    complete: bool,
    /// Room for the bytes of a state.
    bytes: Vec<u8>,
}

/// What a piece of a run leads to.
enum Piece {
    /// An error.
    Error(Failure, Outcome),
    /// A state that is stored now or was before.
    Stored,
    /// An end without error, or without verdict.
    Ended,
}

/// What watching a run brought.
enum Watched {
    /// A state came again.
    Again,
    /// The run asks for an input or ended.
    Paused(Pause),
    /// Neither, so far.
    Nothing,
}

impl Round<'_, '_> {
    fn run(&mut self, observer: &mut dyn Observer) -> Result<Option<InputTrace>, Reason> {
        let mut ticker = Ticker::new();
        let mut initial = self.hunt.machine.initial();
        if let Piece::Error(error, outcome) = self.continue_from(&mut initial, None)? {
            return Ok(Some(self.hunt.trace(error, &outcome, Vec::new())));
        }
        let mut next = 0;
        while next < self.states.len() {
            ticker.tick(self.hunt.budget)?;
            if next.is_multiple_of(256) {
                observer.progress(Progress { states: self.states.len() as u64, ..Progress::default() });
            }
            if let Some(trace) = self.expand(next)? {
                return Ok(Some(trace));
            }
            next += 1;
        }
        self.stats.states = self.states.len() as u64;
        Ok(None)
    }

    /// Continues a stored state with each value of its input.
    fn expand(&mut self, index: usize) -> Result<Option<InputTrace>, Reason> {
        let (machine, count) = (self.hunt.machine, self.count);
        let bytes = self.states.get_index(index).expect("an index of a stored state").0;
        let mut paused = machine.decode(bytes).expect("what was encoded can be decoded");
        // A stored state is at its input, or at the head of a loop that never ends: then there is nothing to continue.
        let Pause::Input(request) = machine.run_until_input(&mut paused, &mut (), LoopHeads::Stop, &Limits::default())
        else {
            return Ok(None);
        };
        let choice = self.hunt.candidates.choose(&request, machine.input_matters(&request), count);
        self.complete &= choice.complete;
        let mut state = paused.clone();
        for bits in choice.values {
            state.clone_from(&paused);
            machine.supply(&mut state, &request, bits);
            let value = input_value(&request, bits);
            if let Piece::Error(error, outcome) = self.continue_from(&mut state, Some((index as u32, value.clone())))? {
                let inputs = self.inputs_with(&Some((index as u32, value)));
                return Ok(Some(self.hunt.trace(error, &outcome, inputs)));
            }
        }
        Ok(None)
    }

    /// Runs on to the next input and stores the state there.
    fn continue_from(&mut self, state: &mut MachineState, origin: Origin) -> Result<Piece, Reason> {
        self.stats.transitions += 1;
        let budget = self.hunt.budget;
        let interrupt = || budget.check_memory().is_err();
        let limits = Limits {
            steps: state.steps().saturating_add(UNWATCHED_STEPS),
            interrupt: Some(&interrupt),
            ..Limits::default()
        };
        let machine = self.hunt.machine;
        let mut pause = machine.run_until_input(state, &mut (), LoopHeads::Pass, &limits);
        if matches!(&pause, Pause::Stopped(outcome) if outcome.stop == Stop::Limit(Limit::Steps)) {
            match self.watch(state)? {
                Some(other) => pause = other,
                // A run that repeats a state for ever ends here: it reaches no error.
                None => return Ok(Piece::Ended),
            }
        }
        match pause {
            Pause::Input(_) | Pause::LoopHead(..) => {
                let mut bytes = std::mem::take(&mut self.bytes);
                bytes.clear();
                machine.encode(state, &mut bytes);
                if !self.states.contains_key(bytes.as_slice()) {
                    self.states.insert(bytes.as_slice().into(), origin);
                }
                self.bytes = bytes;
                Ok(Piece::Stored)
            }
            Pause::Stopped(outcome) => {
                budget.check_memory()?;
                let inputs = matches!(outcome.stop, Stop::Undefined(_)).then(|| self.inputs_with(&origin));
                let error = self.hunt.judge(&outcome, inputs.as_deref());
                Ok(error.map_or(Piece::Ended, |error| Piece::Error(error, outcome)))
            }
        }
    }

    /// Runs on, until an input or the end; `None` if a state comes again, which is stored then. Watching is slow, so it is
    /// done for a while only, then longer and longer, with runs that are not watched between.
    fn watch(&mut self, state: &mut MachineState) -> Result<Option<Pause>, Reason> {
        let (machine, budget) = (self.hunt.machine, self.hunt.budget);
        let interrupt = || budget.check_memory().is_err();
        let (mut window, mut unwatched) = (1 << 10, UNWATCHED_STEPS);
        loop {
            match self.watch_window(state, window)? {
                Watched::Again => return Ok(None),
                Watched::Paused(pause) => return Ok(Some(pause)),
                Watched::Nothing => {}
            }
            let steps = state.steps().saturating_add(unwatched);
            let limits = Limits { steps, interrupt: Some(&interrupt), ..Limits::default() };
            match machine.run_until_input(state, &mut (), LoopHeads::Pass, &limits) {
                Pause::Stopped(outcome) if outcome.stop == Stop::Limit(Limit::Steps) => {}
                pause => return Ok(Some(pause)),
            }
            (window, unwatched) = (window * 2, unwatched * 2);
        }
    }

    /// Runs on from loop head to loop head, so many times at most, and looks whether the first state comes again.
    fn watch_window(&mut self, state: &mut MachineState, heads: u64) -> Result<Watched, Reason> {
        let (machine, budget) = (self.hunt.machine, self.hunt.budget);
        let interrupt = || budget.check_memory().is_err();
        let limits = Limits { interrupt: Some(&interrupt), ..Limits::default() };
        let (mut landmark, mut bytes) = (Vec::new(), Vec::new());
        for head in 0..heads {
            budget.check()?;
            match machine.run_until_input(state, &mut (), LoopHeads::Stop, &limits) {
                Pause::LoopHead(..) => {}
                other => return Ok(Watched::Paused(other)),
            }
            bytes.clear();
            machine.encode(state, &mut bytes);
            if head == 0 {
                std::mem::swap(&mut landmark, &mut bytes);
            } else if bytes == landmark {
                self.states.entry(bytes.into_boxed_slice()).or_insert(None);
                return Ok(Watched::Again);
            }
        }
        Ok(Watched::Nothing)
    }

    /// The inputs that lead to a state, and one more.
    fn inputs_with(&self, origin: &Origin) -> Vec<InputValue> {
        let Some((index, value)) = origin else { return Vec::new() };
        let mut inputs = self.inputs_to(*index as usize);
        inputs.push(value.clone());
        inputs
    }

    /// The inputs that lead to a stored state.
    fn inputs_to(&self, index: usize) -> Vec<InputValue> {
        let mut inputs = Vec::new();
        let mut at = index;
        while let Some((parent, value)) = &self.states[at] {
            inputs.push(value.clone());
            at = *parent as usize;
        }
        inputs.reverse();
        inputs
    }
}
