//! Explicit-state search over concrete states ([Split, section 5.1] names the random depth-first variant).
//!
//! Visits every reachable state once: breadth first (shortest counterexamples, both cores), depth first, or depth first
//! with the children of each state in random order. It is the oracle for all other engines.
//!
//! **Invariant.** Every stored state is reachable, and every successor of an expanded state is stored.
//! **Soundness.** When nothing is left to expand, the stored states are closed under steps and contain the initial ones,
//! so they are all reachable states; the set itself is the proof, re-checked by `certify`.
//!
//! **Deviations.**
//! - D1. An error is looked for when a state is expanded, not when it is generated. Breadth first that is still the
//!   first error in order of distance.
//! - D2. Variables may be forgotten while nobody will read them (`--dead forget`, and always beside other engines). It is the search in the
//!   program that does so ([`Dead::forget`]); that it has the same errors is re-checked too.
//! - D3. Where an input has an unbounded domain, the values of `--input-domain` are tried; without error the answer is
//!   then unknown.
//! - D4. Breadth first, steps may be left out whose order does not matter (`--reduce por`): in each state a stubborn set is tried
//!   (\[Stubborn\], \[Guard\]; `reduce`), which `certify` re-checks. Errors and deadlocks are as near as before; faults may be further away.

mod bfs;
mod dfs;
mod options;
mod reduce;
mod runs;

use clinch_ir::{Dead, Init, InputDomain, Interpreter, Program, Proof, Trace, Verdict};
use serde::Serialize;

use self::reduce::Reduction;
use crate::Outcome;
use crate::budget::{Budget, Observer};
use crate::concrete::Model;

pub use self::options::OPTIONS;
pub(crate) use runs::{Candidates, states_at_loop_heads};
pub use runs::{RunsConfig, RunsStats, check_runs, covered, misbehaviour};

/// Which state is expanded next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// The one found first.
    #[default]
    BreadthFirst,
    /// The one found last.
    DepthFirst,
    /// Depth first, the children of a state in random order.
    RandomDepthFirst,
}

/// Options of the engine.
#[derive(Clone, Debug)]
pub struct Config {
    /// Search order.
    pub order: Order,
    /// Seed of the random order.
    pub seed: u64,
    /// Threads of the breadth-first search; the result does not depend on it. 0: as many as there are cores.
    pub threads: usize,
    /// Values for unbounded inputs.
    pub inputs: InputDomain,
    /// Whether variables are forgotten that are written before they are read again: fewer states, with the same errors.
    pub forget: bool,
    /// Whether steps are left out whose order does not matter; breadth first alone.
    pub reduce: bool,
    /// Several workers search, which is another crate's work; not looked at here.
    pub team: Option<Team>,
}

/// Several workers that search together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Team {
    /// How many there are in each process.
    pub workers: usize,
    /// The file with the addresses of the processes, if there are several.
    pub hosts: Option<String>,
    /// Which of them this is.
    pub process: usize,
    /// The folder to write a checkpoint to.
    pub checkpoint: Option<String>,
    /// The folder with a checkpoint to go on from.
    pub resume: Option<String>,
    /// The folder for states that the memory does not hold.
    pub spill: Option<String>,
}

impl Config {
    /// The workers, of which there is one in each process if nothing else is said.
    fn team(&mut self) -> &mut Team {
        self.team.get_or_insert(Team {
            workers: 1,
            hosts: None,
            process: 0,
            checkpoint: None,
            resume: None,
            spill: None,
        })
    }
}

impl Default for Config {
    fn default() -> Self {
        let inputs = InputDomain::default();
        Config { order: Order::BreadthFirst, seed: 1, threads: 0, inputs, forget: false, reduce: false, team: None }
    }
}

/// What a search did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    /// Distinct states found.
    pub states: u64,
    /// Steps between them: every enabled transition of every expanded state.
    pub transitions: u64,
    /// Breadth first: distance of the farthest state; depth first: length of the longest path followed.
    pub depth: u64,
    /// Memory for the stored states, per state.
    pub bytes_per_state: f64,
}

/// Searches for an error.
pub fn check(program: &Program, config: &Config, budget: &Budget, observer: &mut dyn Observer) -> Outcome<Stats> {
    // Without a property it is the number of states that is wanted.
    let is_asked = program.property.error.is_some() || program.property.deadlock;
    let dead = if config.forget && is_asked { Dead::of(program) } else { Dead::default() };
    if dead.is_empty() {
        return search(program, config, is_asked, budget, observer);
    }
    let (verdict, stats) = search(&dead.forget(program), config, is_asked, budget, observer);
    let verdict = match verdict {
        Verdict::Safe(Proof::ReducedSet(states, _)) => Verdict::Safe(Proof::ReducedSet(states, dead)),
        Verdict::Safe(Proof::ReachedSet(states)) => Verdict::Safe(Proof::ForgetfulSet(states, dead)),
        Verdict::Unsafe(trace) => Verdict::Unsafe(remember(program, trace)),
        other => other,
    };
    (verdict, stats)
}

fn search(
    program: &Program,
    config: &Config,
    is_asked: bool,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Outcome<Stats> {
    let model = match Model::new(program, config.inputs) {
        Ok(model) => model,
        Err(reason) => return (Verdict::Unknown(reason), Stats::default()),
    };
    let reduction = if config.reduce && is_asked { Reduction::new(&model) } else { None };
    match config.order {
        Order::BreadthFirst => bfs::search(&model, config.threads, reduction.as_ref(), budget, observer),
        Order::DepthFirst | Order::RandomDepthFirst => dfs::search(&model, config, budget, observer),
    }
}

/// A trace of a program that forgets ([`Dead::forget`]): the same steps in the program itself, with the values that were forgotten. What it
/// shows is re-checked.
pub fn remember(program: &Program, mut trace: Trace) -> Trace {
    let interpreter = Interpreter::new(program);
    for (cell, init) in trace.initial.cells.iter_mut().zip(program.cell_inits()) {
        if let Init::Value(value) = init {
            *cell = value;
        }
    }
    let mut state = trace.initial.clone();
    for step in &mut trace.steps {
        if let Ok(Some(next)) = interpreter.fire(&state, step.transition, &step.inputs) {
            state = next;
            step.state = state.clone();
        }
    }
    trace
}
