//! Abstract states split until each stands for one concrete state.
//!
//! \[Split\] Kudra, chapters 3 and 4: *Finding Termination and Time Improvement in Predicate Abstraction with
//! Under-Approximation and Abstract Matching*, Brigham Young University 2007. The program is executed concretely and
//! matched abstractly, as in [`crate::alpha`], but no prover says what to refine: each abstract state remembers how far
//! the values of each variable reach among the concrete states that matched it. Where they differ, a predicate
//! `variable > constant` splits it, and the search is done again.
//!
//! | thesis | here |
//! |---|---|
//! | `GeneralSplitting` (algorithm 3) | [`check`] |
//! | `BFS-AMCS` (algorithm 4) | `search::Search::run` |
//! | `Phi`, `alpha_Phi(s)` | `abstraction::Abstraction`, `Abstraction::write_key` |
//! | `States`, `Wait` | `search::AbstractSystem`, `Search::next` (the states from there on wait) |
//! | `max(x)`, `min(x)`, `unique` | `extent::Extents` |
//! | `Eligible(Phi)` | `Extents::segments`, `Extents::spread_cells` |
//! | a segment, a predicate `x > c` | [`Segment`], [`Threshold`] |
//! | `MaxOverlap`, `MinSet`, `MinOnly` (chapter 4) | [`max_overlap()`], [`min_set()`], [`min_only()`] |
//!
//! **Invariant.** Stored concrete states are reachable, each is the first that matched its abstract state, and the
//! extents of an abstract state cover all generated concrete states that matched it.
//! **Soundness.** Unsafe: the path of concrete states is a run of the program. Safe: locations are part of an abstract
//! state, so if no cell of any abstract state has two values, each generated state *is* the stored one it matched. All
//! stored states were explored, so they are closed under steps: theorem 2, and `certify` checks the set again.
//! **Termination.** An abstract state has two values `lo < hi` of a cell only if no predicate separates them; all three
//! strategies choose a constant from `lo..hi`, hence a new predicate. Finitely many reachable states have finitely many
//! pairs to separate (theorem 1). On an infinite system the search itself may not end.
//!
//! **Deviations.**
//! - D1. An error is looked for in every generated state, at once: not in the finished abstract system, where a state
//!   that matched another is lost. Deadlocks and faults show when a state is explored.
//! - D2. A variable is a cell: an array element counts by itself, and a Boolean is 0 or 1. Program counters are
//!   control.
//! - D3. `Phi` is kept as sorted constants per cell; a state's place among them is its value for all predicates of a
//!   cell.
//! - D4. The thesis does not say which predicates it starts from. Here the user's, by default none.
//! - D5. Algorithm 3 asks to split all members of `Eligible(Phi)`; `MaxOverlap` adds one predicate, as section 4.1
//!   says.
//! - D6. `MinSet` computes the greedy cover without the table of section 4.2; see [`min_set()`].
//! - D7. Several initial states are allowed; all of them are generated first.

mod abstraction;
mod extent;
mod max_overlap;
mod min_only;
mod min_set;
mod options;
mod procedures;
mod search;

use clinch_ir::{Domain, InputDomain, Program, Proof, Reason, StateSet, Verdict};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;

use self::abstraction::Abstraction;
use self::extent::Extents;
pub use self::extent::Segment;
pub use self::max_overlap::max_overlap;
pub use self::min_only::min_only;
pub use self::min_set::min_set;
pub use self::options::OPTIONS;
pub use self::procedures::check as check_procedures;
use self::search::Search;
use crate::Outcome;
use crate::alpha::Iteration;
use crate::budget::{Budget, Observer, Progress};
use crate::concrete::{Model, trace_of};

/// Which predicates are added after a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strategy {
    /// The one that splits most abstract states.
    MaxOverlap,
    /// A small set that splits all of them.
    MinSet,
    /// One for each abstract state that can be split, at the minimum of one of its variables.
    #[default]
    MinOnly,
}

/// Options of the engine.
#[derive(Clone, Debug)]
pub struct Config {
    /// How predicates are chosen.
    pub strategy: Strategy,
    /// Seed of the choices between equally good predicates.
    pub seed: u64,
    /// Values for unbounded inputs.
    pub inputs: InputDomain,
}

impl Default for Config {
    fn default() -> Self {
        Config { strategy: Strategy::default(), seed: 1, inputs: InputDomain::default() }
    }
}

/// What a run did.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Stats {
    /// Refinement iterations.
    pub iterations: u64,
    /// Each of them.
    pub per_iteration: Vec<Iteration>,
    /// Predicates at the end.
    pub predicates: u64,
    /// Abstract states stored at the end.
    pub states: u64,
}

/// The predicate `cell > above`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Threshold {
    /// Which cell.
    pub cell: u32,
    /// The constant.
    pub above: i64,
}

/// `GeneralSplitting` ([Split, algorithm 3]).
pub fn check(program: &Program, config: &Config, budget: &Budget, observer: &mut dyn Observer) -> Outcome<Stats> {
    let mut stats = Stats::default();
    let verdict = general_splitting(program, config, budget, observer, &mut stats);
    (verdict.unwrap_or_else(Verdict::Unknown), stats)
}

fn general_splitting(
    program: &Program,
    config: &Config,
    budget: &Budget,
    observer: &mut dyn Observer,
    stats: &mut Stats,
) -> Result<Verdict, Reason> {
    let model = Model::new(program, config.inputs)?;
    let mut phi = Abstraction::new(&model);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(config.seed);
    let show = printer(program);
    loop {
        budget.check_iteration(stats.iterations)?;
        let mut search = Search::new(&model, &phi, config.strategy, observer.goals(), stats.iterations + 1);
        let outcome = search.run(budget);
        let system = search.into_system();
        let added = match outcome {
            Ok(None) => {
                let (segments, spread) = (|| system.extents.segments(), || system.extents.spread_cells());
                split_eligible(config.strategy, system.len(), segments, spread, &mut rng)
            }
            _ => Vec::new(),
        };
        stats.record((system.len(), system.generated), phi.len(), added.iter().map(&show).collect());
        let (iteration, predicates, states) = (stats.iterations, stats.predicates, stats.states);
        observer.progress(Progress { iteration, predicates, states, ..Progress::default() });
        if let Some(cex) = outcome? {
            return Ok(Verdict::Unsafe(trace_of(&model, &cex.path, cex.end)));
        }
        if added.is_empty() {
            let (layout, chunks) = (model.layout.clone(), vec![system.into_concrete()]);
            let proof = Proof::ReachedSet(StateSet { layout, chunks });
            return model.exhausted().map_or(Ok(Verdict::Safe(proof)), Err);
        }
        phi.add(&added);
    }
}

/// Line 5 of algorithm 3: predicates that split members of `Eligible(Phi)`, in order; none if there are no members.
fn split_eligible<I: Iterator<Item = Vec<Threshold>>>(
    strategy: Strategy,
    states: usize,
    segments: impl FnOnce() -> Vec<Vec<Segment>>,
    spread_cells: impl FnOnce() -> I,
    rng: &mut Xoshiro256PlusPlus,
) -> Vec<Threshold> {
    let mut added = match strategy {
        Strategy::MaxOverlap => max_overlap(&segments(), rng).into_iter().collect(),
        Strategy::MinSet => min_set(&segments(), states, rng),
        Strategy::MinOnly => min_only(spread_cells(), rng),
    };
    added.sort_unstable();
    added
}

impl Stats {
    fn record(&mut self, (states, generated): (usize, u64), predicates: usize, new_predicates: Vec<String>) {
        self.predicates = (predicates + new_predicates.len()) as u64;
        self.states = states as u64;
        self.per_iteration.push(Iteration {
            concrete_states: generated,
            abstract_states: self.states,
            new_predicates,
            ..Iteration::default()
        });
        self.iterations = self.per_iteration.len() as u64;
    }
}

/// Writes predicates in the language of the program; one on a Boolean is just its name.
fn printer(program: &Program) -> impl Fn(&Threshold) -> String {
    let names = program.cell_names();
    let domains: Vec<&Domain> = program.cell_domains().collect();
    move |&Threshold { cell, above }| {
        let (name, domain) = (&names[cell as usize], domains[cell as usize]);
        match domain {
            Domain::Bool => name.clone(),
            _ => format!("{name} > {}", program.show_value(domain, above)),
        }
    }
}
