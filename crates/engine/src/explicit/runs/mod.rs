//! Explicit search of programs with procedures and memory (C): concrete states with call stack and memory.
//!
//! A program is deterministic but for its inputs, so a search is a choice of input values. Two ways, one after the other:
//! 1. *Probing* ([`probe`]): runs with random inputs, drawn from the values that matter (0, 1, -1, the least, the greatest,
//!    the constants of the program and their neighbours) and from everywhere. It finds shallow bugs at once.
//! 2. *Search* ([`search`]) breadth first over the states in which an input is asked for, each stored once, with few values
//!    for each input, then more. Where an input has few enough values, all are tried.
//!
//! Between the two, other engines are told some states at loop heads ([`scout`]), if there are other engines.
//!
//! **Invariant.** Every stored state is reachable; a state of a round that counts as complete was continued with every value of
//! its input.
//! **Soundness.** A trace is a list of inputs and is replayed by the caller. When a round tried all values of all inputs and
//! every run came to a stored state or to an end without error, the stored states are closed, and they are the proof.
//! A run that meets undefined behaviour, or something that is not modelled, has no verdict: then the answer is unknown unless
//! another run reaches the error.

mod candidates;
mod coverage;
mod probe;
mod scout;
mod search;

use std::time::Duration;

use clinch_ir::Reason;
use clinch_ir::cfa::{
    AllocKind, CfaProgram, CfaVerdict, Failure, InputKind, InputOrigin, InputSite, InputTrace, InputValue, Op,
};
use clinch_machine::guided::input_value;
use clinch_machine::{Limit, Machine, Outcome, Stop};
use serde::Serialize;

use crate::budget::{Budget, Observer, Progress};
use crate::share::Known;
pub(crate) use candidates::Candidates;
pub use coverage::covered;

/// Options of the search.
#[derive(Clone, Debug)]
pub struct RunsConfig {
    /// Seed of the random inputs.
    pub seed: u64,
    /// Inputs of at most this many bits are tried exhaustively.
    pub exhaustive_bits: u32,
    /// The share of the time that goes into random runs before the search, in per cent.
    pub probing: u32,
}

impl Default for RunsConfig {
    fn default() -> Self {
        RunsConfig { seed: 1, exhaustive_bits: 8, probing: 20 }
    }
}

/// Random runs find what they find soon.
const MAX_PROBING: Duration = Duration::from_secs(3);
/// Time for probing, and for probing and searching, of a program that may be small, and of one that may be of middle size.
const FIRST: [(Duration, Duration); 2] = [
    (Duration::from_millis(20), Duration::from_millis(200)),
    (Duration::from_millis(200), Duration::from_millis(1200)),
];

/// What a search did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RunsStats {
    /// Runs with random inputs.
    pub probes: u64,
    /// Rounds of the search, each with more values for each input.
    pub rounds: u64,
    /// States stored in the last round.
    pub states: u64,
    /// Pieces of runs between two inputs.
    pub transitions: u64,
}

/// Some states that runs with random inputs have at loop heads.
pub(crate) fn states_at_loop_heads(program: &CfaProgram) -> Vec<Known> {
    /// Keeps what it is told.
    struct Notes(Vec<Known>);

    impl Observer for Notes {
        fn progress(&mut self, _: Progress) {}

        fn tell(&mut self, fact: Known) {
            self.0.push(fact);
        }
    }

    let (config, mut notes) = (RunsConfig::default(), Notes(Vec::new()));
    scout::scout(&Machine::new(program), &Candidates::new(program, &config), config.seed, &mut notes);
    notes.0
}

/// Searches for inputs that lead to the error. How long each stage takes is counted in work, so that what is found does not depend on the
/// machine and what else it does.
pub fn check_runs(
    program: &CfaProgram,
    config: &RunsConfig,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> (CfaVerdict, RunsStats) {
    clinch_terms::work::counted(|| search_in_stages(program, config, budget, observer))
}

fn search_in_stages(
    program: &CfaProgram,
    config: &RunsConfig,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> (CfaVerdict, RunsStats) {
    let machine = Machine::new(program);
    let candidates = Candidates::new(program, config);
    let mut stats = RunsStats::default();
    let most = budget.remaining().map_or(MAX_PROBING, |left| left * config.probing / 100).min(MAX_PROBING);
    let mut obstacle = None;
    let mut last = Reason::SampledInputs;
    // Small programs are searched at once, and large ones after they were run for a while. What there is to run once is run once.
    let one_run = program.has_one_run();
    let first = FIRST.into_iter().filter(|_| !one_run).map(|(probing, all)| (probing, Some(all)));
    let most = if one_run { Duration::ZERO } else { most };
    for (probing, part) in first.chain([(most, None)]) {
        let part = part.map(|length| budget.part(length));
        let (probing, budget) = (probing.min(most), part.as_ref().unwrap_or(budget));
        if stats.rounds > 0 && observer.shares() {
            scout::scout(&machine, &candidates, config.seed, observer);
        }
        let mut hunt = Hunt { obstacle, ..Hunt::new(&machine, &candidates, budget) };
        let seed = config.seed.wrapping_add(stats.probes);
        let found = match probe::probe(&mut hunt, seed, (u64::MAX, probing), &mut stats) {
            Some(trace) => Ok(CfaVerdict::Unsafe(trace)),
            None => search::search(&mut hunt, &mut stats, observer),
        };
        obstacle = hunt.obstacle;
        match found {
            Ok(verdict) => return (verdict, stats),
            Err(reason) => last = reason,
        }
        if last == Reason::NoProgress || last == Reason::Interrupted {
            break;
        }
    }
    (CfaVerdict::Unknown(obstacle.unwrap_or(last)), stats)
}

/// Undefined behaviour that so many random runs meet within a time, if they do: a program that misbehaves is not safe, whatever a proof says
/// that assumes it does not.
pub fn misbehaviour(
    program: &CfaProgram,
    config: &RunsConfig,
    budget: &Budget,
    (runs, time): (u64, Duration),
) -> Option<Reason> {
    let machine = Machine::new(program);
    let candidates = Candidates::new(program, config);
    let mut hunt = Hunt::new(&machine, &candidates, budget);
    probe::probe(&mut hunt, config.seed, (runs, time), &mut RunsStats::default());
    hunt.obstacle.filter(|reason| matches!(reason, Reason::Undefined(_)))
}

/// What all ways of searching share.
struct Hunt<'a> {
    machine: &'a Machine<'a>,
    candidates: &'a Candidates<'a>,
    budget: &'a Budget,
    /// Why the answer cannot be "safe": the first thing met that has no verdict.
    obstacle: Option<Reason>,
    /// Whether pointers may come from outside, or from memory that was never written.
    open_pointers: bool,
}

impl<'a> Hunt<'a> {
    fn new(machine: &'a Machine<'a>, candidates: &'a Candidates<'a>, budget: &'a Budget) -> Self {
        let program = machine.program();
        let from_outside = program.inputs.iter().any(is_pointer_from_outside);
        let mut edges = program.procedures.iter().flat_map(|p| &p.edges);
        let unwritten = edges.any(|e| matches!(e.op, Op::Alloc { zeroed: false, kind: AllocKind::Heap, .. }));
        Hunt { machine, candidates, budget, obstacle: None, open_pointers: from_outside || unwritten }
    }

    /// What the end of a run means: the error it reaches, or nothing; what stands in the way of "safe" is noted.
    /// The inputs of the run, where they are known, tell whether a pointer may have come with them.
    fn judge(&mut self, outcome: &Outcome, inputs: Option<&[InputValue]>) -> Option<Failure> {
        let open_pointers = self.open_pointers && inputs.is_none_or(|inputs| self.may_hold_pointers(inputs));
        let place = || {
            let place = self.machine.program().source.place(outcome.at.span);
            format!("{}:{}:{}", place.file, place.line, place.column)
        };
        let reason = match &outcome.stop {
            Stop::Error(what) => return Some(what.clone()),
            Stop::Exit(_) | Stop::Abort | Stop::Blocked => return None,
            // It is told by whoever asked for the inputs.
            Stop::OutOfInputs(_) => return None,
            // It is the environment that has to set such a pointer.
            Stop::Undefined(what) if open_pointers && (outcome.stop.is_astray() || is_near(outcome, inputs)) => {
                Reason::Unsupported(format!("a pointer from outside, or never set: {what}, at {}", place()))
            }
            Stop::Undefined(what) => Reason::Undefined(format!("{what}, at {}", place())),
            Stop::Unsupported(what) => Reason::Unsupported(format!("{what}, at {}", place())),
            Stop::Limit(limit) => match limit {
                // Time is up, or the run is too long for one try: the caller sees which.
                Limit::Interrupted | Limit::Steps => return None,
                Limit::CallDepth => Reason::Unsupported(format!("recursion too deep, at {}", place())),
                Limit::Memory => Reason::Unsupported(format!("too much memory, at {}", place())),
                Limit::Integer => Reason::Overflow(format!("the run, at {}", place())),
            },
        };
        // Undefined behaviour says more: it was seen, where the other is only not known.
        if self.obstacle.is_none()
            || matches!((&self.obstacle, &reason), (Some(Reason::Unsupported(_)), Reason::Undefined(_)))
        {
            self.obstacle = Some(reason);
        }
        None
    }

    /// Whether a pointer may be among the inputs: one from outside, or what is found in memory that was never written.
    fn may_hold_pointers(&self, inputs: &[InputValue]) -> bool {
        inputs.iter().any(|input| match &input.origin {
            InputOrigin::Memory(_) => true,
            InputOrigin::Site(site) => is_pointer_from_outside(&self.machine.program().inputs[site.index()]),
        })
    }

    fn trace(&self, error: Failure, outcome: &Outcome, inputs: Vec<InputValue>) -> InputTrace {
        InputTrace { inputs, error, span: outcome.at.span }
    }
}

/// Whether an address that must not be accessed is near one that an input is: what is there is for the environment to say.
fn is_near(outcome: &Outcome, inputs: Option<&[InputValue]>) -> bool {
    const NEAR: u64 = 1 << 16;
    let (Some(address), Some(inputs)) = (outcome.address, inputs) else { return false };
    inputs.iter().any(|input| input.bits >= NEAR && address.abs_diff(input.bits) < NEAR)
}

/// Whether an input is a pointer that the environment has to set. So it has those of locals without initialiser, by which
/// drivers are given their devices.
fn is_pointer_from_outside(input: &InputSite) -> bool {
    input.ty.ends_with('*') && !matches!(input.kind, InputKind::Opaque(_))
}
