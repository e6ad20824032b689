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
//! - D2. Where an input has an unbounded domain, the values of `--input-domain` are tried; without error the answer is
//!   then unknown.

mod bfs;
mod dfs;
mod options;
mod runs;

use clinch_ir::{InputDomain, Program, Verdict};
use serde::Serialize;

use crate::budget::{Budget, Observer};
use crate::concrete::Model;

pub use self::options::OPTIONS;
pub(crate) use runs::states_at_loop_heads;
pub use runs::{RunsConfig, RunsStats, check_runs, misbehaviour};

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
}

impl Default for Config {
    fn default() -> Self {
        Config { order: Order::BreadthFirst, seed: 1, threads: 0, inputs: InputDomain::default() }
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
pub fn check(program: &Program, config: &Config, budget: &Budget, observer: &mut dyn Observer) -> (Verdict, Stats) {
    let model = match Model::new(program, config.inputs) {
        Ok(model) => model,
        Err(reason) => return (Verdict::Unknown(reason), Stats::default()),
    };
    match config.order {
        Order::BreadthFirst => bfs::search(&model, config, budget, observer),
        Order::DepthFirst | Order::RandomDepthFirst => dfs::search(&model, config, budget, observer),
    }
}
