//! The experiment of [Split, chapter 5]: which search finds random error states, how fast, and with how much memory.
//!
//! Seven [`Implementation`]s search the same models for the same error states, 40 per model in the thesis, drawn
//! uniformly from all reachable ones. [`run`] scores them as section 5.5.1 says and returns tables 5.1 to 5.5 beside
//! the thesis' own.
//!
//! **Deviations.**
//! - E1. One search for all errors of a model instead of one for each: the order in which states are generated does not
//!   depend on the error ([`Goals`]). The time bound is that of the search, as in section 5.3.
//! - E2. An error is found when it is generated; by the depth-first search, when it is visited.
//! - E3. The thesis does not say which predicates its searches start from. The AMCS variants start from the guards: the
//!   error is left out, as its atoms would describe the state that is looked for. The splitting ones start from none.
//! - E4. The AMCS variants have no ties to break, so they run once and count for every seed. All use all inputs.
//! - E5. Points are averaged over the seeds and then normalised, so that the winner of a row has 1. Times are compared
//!   as measured. RandDFS has no predicates, and gets no points for that.
//! - E6. The models are written after their names; the thesis does not print its own.
//! - E7. AddAll describes a state as soon as a transition is not exact in it; the thesis leaves the patience open.
//! - E8. The thesis' five minutes are those of a 2007 machine and Java, too short to visit all states. What takes their
//!   place is up to [`Setup::bound`]: the share of errors found (table 5.2) grows with it, and decides most other rows.

mod score;
mod tables;
#[cfg(test)]
mod tests;
mod thesis;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clinch_engine::split::{self, Strategy};
use clinch_engine::{Budget, Goals, Sighting, Silent, alpha, explicit};
use clinch_ir::{InputDomain, Program, Proof, Property, Reason, StateSet, Verdict};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;

pub(crate) use self::tables::Tables;
pub(crate) use self::thesis::{AMCS_ERROR_FREE, AmcsEnd};

/// A search of [Split, section 5.1]; the columns of its tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(crate) enum Implementation {
    /// [`alpha`] as it is.
    Amcs,
    /// [`explicit`], depth first in random order.
    RandDfs,
    /// [`alpha`] without prover.
    AmcsNoTp,
    /// [`split`] with [`Strategy::MinOnly`].
    MinOnly,
    /// [`split`] with [`Strategy::MaxOverlap`].
    MaxOverlap,
    /// [`alpha`], describing the states where a transition is not exact.
    AddAll,
    /// [`split`] with [`Strategy::MinSet`].
    MinSet,
}

/// How many implementations there are.
pub(crate) const COLUMNS: usize = 7;

impl Implementation {
    /// All of them, in the order of the thesis' tables.
    pub(crate) const ALL: [Implementation; COLUMNS] = [
        Implementation::Amcs,
        Implementation::RandDfs,
        Implementation::AmcsNoTp,
        Implementation::MinOnly,
        Implementation::MaxOverlap,
        Implementation::AddAll,
        Implementation::MinSet,
    ];

    /// The thesis' name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Implementation::Amcs => "AMCS",
            Implementation::RandDfs => "RandDFS",
            Implementation::AmcsNoTp => "AMCSNoTP",
            Implementation::MinOnly => "MinOnly",
            Implementation::MaxOverlap => "MaxOverlap",
            Implementation::AddAll => "AddAll",
            Implementation::MinSet => "MinSet",
        }
    }

    /// Whether the seed matters.
    pub(crate) fn is_random(self) -> bool {
        !matches!(self, Implementation::Amcs | Implementation::AmcsNoTp | Implementation::AddAll)
    }

    /// Searches the program for the goals.
    pub(crate) fn search(self, program: &Program, seed: u64, budget: &Budget, goals: &mut Goals) -> Verdict {
        let amcs = |prover, add_all| {
            let inputs = alpha::Inputs::BruteForce(InputDomain::default());
            alpha::Config { prover, add_all, inputs, ..alpha::Config::default() }
        };
        let splitting = |strategy| split::Config { strategy, seed, ..split::Config::default() };
        let random = explicit::Order::RandomDepthFirst;
        match self {
            Implementation::RandDfs => {
                let config = explicit::Config { order: random, seed, ..explicit::Config::default() };
                explicit::meet_goals(program, &config, budget, goals)
            }
            Implementation::Amcs => alpha::meet_goals(program, &amcs(alpha::ProverUse::On, None), budget, goals),
            Implementation::AmcsNoTp => alpha::meet_goals(program, &amcs(alpha::ProverUse::Off, None), budget, goals),
            Implementation::AddAll => alpha::meet_goals(program, &amcs(alpha::ProverUse::On, Some(1)), budget, goals),
            Implementation::MinOnly => split::meet_goals(program, &splitting(Strategy::MinOnly), budget, goals),
            Implementation::MaxOverlap => split::meet_goals(program, &splitting(Strategy::MaxOverlap), budget, goals),
            Implementation::MinSet => split::meet_goals(program, &splitting(Strategy::MinSet), budget, goals),
        }
    }
}

/// Size of the experiment.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// One repetition for each; the thesis has 12. The first also draws the errors.
    pub(crate) seeds: Vec<u64>,
    /// Error states per model.
    pub(crate) errors: usize,
    /// Time for one search of one model.
    pub(crate) bound: Duration,
    /// Memory, in bytes, at which a search ends.
    pub(crate) memory: Option<u64>,
    /// Raised to end the experiment.
    pub(crate) stop: Arc<AtomicBool>,
}

impl Default for Setup {
    fn default() -> Self {
        Setup { seeds: vec![1, 2, 3], errors: 40, bound: Duration::from_secs(10), memory: None, stop: Arc::default() }
    }
}

/// Why there are no tables.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Error {
    /// Error states are drawn from all reachable states, which this model does not have.
    #[error("{model}: {reason}")]
    Model {
        /// Its name.
        model: String,
        /// What is wrong with it.
        reason: Reason,
    },
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
}

/// One search of one model.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Run {
    /// The model.
    pub(crate) model: String,
    /// Who searched.
    pub(crate) implementation: &'static str,
    /// With which seed.
    pub(crate) seed: u64,
    /// Errors found.
    pub(crate) found: usize,
    /// How long it took, in seconds.
    pub(crate) seconds: f64,
    /// Refinement iterations when the last error was found.
    pub(crate) iterations: u64,
    /// States stored when the last error was found.
    pub(crate) states: u64,
    /// Predicates when the last error was found.
    pub(crate) predicates: u64,
    /// How it ended.
    pub(crate) end: String,
    /// What it met of each error.
    #[serde(skip)]
    pub(crate) sightings: Vec<Option<Sighting>>,
}

/// Runs the experiment on models, each with the name the thesis gives it. `progress` hears of every search.
pub(crate) fn run(
    models: &[(String, Program)],
    setup: &Setup,
    progress: &mut dyn FnMut(&str),
) -> Result<Tables, Error> {
    let mut tables = Tables::new(setup);
    for (name, program) in models {
        let program = without_property(program);
        let reached = reachable_states(&program, setup).map_err(|reason| {
            if reason == Reason::Interrupted { Error::Interrupted } else { model_error(name, reason) }
        })?;
        progress(&format!("{name}: {} states", reached.len()));
        let errors = draw(&reached, setup);
        let mut runs = Vec::new();
        for implementation in Implementation::ALL {
            let seeds =
                if implementation.is_random() { &setup.seeds[..] } else { &setup.seeds[..1.min(setup.seeds.len())] };
            for &seed in seeds {
                let run = search(name, &program, implementation, seed, &errors, setup)?;
                progress(&run.summary(errors.len()));
                runs.push((implementation, run));
            }
        }
        tables.add_model(name, reached.len(), errors.len(), runs);
    }
    Ok(tables)
}

impl Run {
    fn summary(&self, errors: usize) -> String {
        let Run { model, implementation, seed, found, seconds, end, .. } = self;
        format!("{model}: {implementation} with seed {seed} found {found} of {errors} in {seconds:.1} s ({end})")
    }
}

fn model_error(name: &str, reason: Reason) -> Error {
    Error::Model { model: name.to_string(), reason }
}

fn without_property(program: &Program) -> Program {
    Program { property: Property::default(), predicates: Vec::new(), ..program.clone() }
}

fn reachable_states(program: &Program, setup: &Setup) -> Result<StateSet, Reason> {
    let budget = Budget::unlimited().with_memory(setup.memory).with_stop(setup.stop.clone());
    match explicit::check(program, &explicit::Config::default(), &budget, &mut Silent).0 {
        Verdict::Safe(Proof::ReachedSet(states)) => Ok(states),
        Verdict::Unknown(reason) => Err(reason),
        _ => Err(Reason::Unsupported("the model has run-time faults".to_string())),
    }
}

/// Error states, uniformly from all reachable ones, without repetition.
fn draw(reached: &StateSet, setup: &Setup) -> Vec<Box<[u64]>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(setup.seeds.first().copied().unwrap_or(1));
    let mut positions = std::collections::BTreeSet::new();
    while positions.len() < setup.errors.min(reached.len()) {
        positions.insert(rng.random_range(0..reached.len()));
    }
    let words = reached.layout.words;
    let states = reached.chunks.iter().flat_map(|chunk| chunk.chunks_exact(words)).enumerate();
    states.filter(|(i, _)| positions.contains(i)).map(|(_, state)| state.into()).collect()
}

fn search(
    model: &str,
    program: &Program,
    implementation: Implementation,
    seed: u64,
    errors: &[Box<[u64]>],
    setup: &Setup,
) -> Result<Run, Error> {
    let budget = Budget::unlimited().with_timeout(Some(setup.bound)).with_memory(setup.memory);
    let budget = budget.with_stop(setup.stop.clone());
    let mut goals = Goals::new(errors.iter().cloned());
    let verdict = implementation.search(program, seed, &budget, &mut goals);
    let seconds = budget.elapsed().as_secs_f64();
    let sightings = goals.into_sightings();
    let found = sightings.iter().flatten().count();
    let end = match verdict {
        Verdict::Unknown(Reason::Interrupted) if found == errors.len() => "all found".to_string(),
        Verdict::Unknown(Reason::Interrupted) => return Err(Error::Interrupted),
        Verdict::Unknown(reason) => reason.to_string(),
        Verdict::Safe(_) => "search complete".to_string(),
        Verdict::Unsafe(_) => "run-time fault".to_string(),
    };
    let last = sightings.iter().flatten().max_by_key(|s| s.time).copied().unwrap_or_default();
    Ok(Run {
        model: model.to_string(),
        implementation: implementation.name(),
        seed,
        found,
        seconds,
        iterations: last.iteration,
        states: last.states,
        predicates: last.predicates,
        end,
        sightings,
    })
}
