//! The experiment of [Split, chapter 5]: which search finds random error states, how fast, and with how much memory.
//!
//! Seven [`Implementation`]s search the same models for the same error states, 40 per model in the thesis, drawn
//! uniformly from all reachable ones. [`search_all`] scores them as section 5.5.1 says and returns tables 5.1 to 5.5 beside
//! the thesis' own. Table 2.1 is AMCS on small models without error.
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

use std::time::Duration;

use clinch_checker::engines::ProcessEngine;
use clinch_checker::{Outcome, check_program};
use clinch_engine::alpha::{Inputs, ProverUse};
use clinch_engine::split::{self, Strategy};
use clinch_engine::{Budget, Goals, Sighting, Silent, alpha, explicit};
use clinch_ir::{InputDomain, Program, Proof, Property, Reason, StateSet, Verdict};
use clinch_reports::document::{Part, Table};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;
use serde_json::json;

use crate::{Measured, Request, model, scale};
use tables::Tables;

/// A search of [Split, section 5.1]; a column of its tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Implementation {
    /// The thesis' name.
    name: &'static str,
    engine: Engine,
}

/// What searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Engine {
    /// [`alpha`], with or without prover; after so many failures it describes the states where a transition is not exact.
    Alpha(ProverUse, Option<u32>),
    /// [`explicit`], depth first in random order.
    Explicit,
    /// [`split`].
    Split(Strategy),
}

/// How many implementations there are.
const COLUMNS: usize = 7;

/// All of them, in the order of the thesis' tables.
const IMPLEMENTATIONS: [Implementation; COLUMNS] = [
    Implementation { name: "AMCS", engine: Engine::Alpha(ProverUse::On, None) },
    Implementation { name: "RandDFS", engine: Engine::Explicit },
    Implementation { name: "AMCSNoTP", engine: Engine::Alpha(ProverUse::Off, None) },
    Implementation { name: "MinOnly", engine: Engine::Split(Strategy::MinOnly) },
    Implementation { name: "MaxOverlap", engine: Engine::Split(Strategy::MaxOverlap) },
    Implementation { name: "AddAll", engine: Engine::Alpha(ProverUse::On, Some(1)) },
    Implementation { name: "MinSet", engine: Engine::Split(Strategy::MinSet) },
];

impl Implementation {
    /// Whether the seed matters.
    fn is_random(self) -> bool {
        !matches!(self.engine, Engine::Alpha(..))
    }

    /// Searches the program for the goals.
    fn search(self, program: &Program, seed: u64, budget: &Budget, goals: &mut Goals) -> Verdict {
        match self.engine {
            Engine::Alpha(prover, add_all) => {
                let config = alpha::Config { prover, add_all, ..amcs() };
                alpha::check(program, &config, budget, goals).0
            }
            Engine::Explicit => {
                let order = explicit::Order::RandomDepthFirst;
                let config = explicit::Config { order, seed, ..explicit::Config::default() };
                explicit::check(program, &config, budget, goals).0
            }
            Engine::Split(strategy) => {
                let config = split::Config { strategy, seed, ..split::Config::default() };
                split::check(program, &config, budget, goals).0
            }
        }
    }
}

/// AMCS tries all inputs.
fn amcs() -> alpha::Config {
    alpha::Config { inputs: Inputs::BruteForce(InputDomain::default()), ..alpha::Config::default() }
}

/// The models of tables 5.1 to 5.5.
const MODELS: [&str; 7] =
    ["branches", "sum-to-n-big", "cust-workers", "multiply-to-n", "hyman", "dining-phil", "barbershop"];

/// Memory, in bytes, at which a search ends.
const MEMORY: u64 = 8 << 30;

/// Size of the experiment.
#[derive(Clone, Debug)]
struct Setup {
    /// One repetition for each; the thesis has 12. The first also draws the errors.
    seeds: Vec<u64>,
    errors: usize,
    bound: Duration,
}

/// One search of one model.
#[derive(Clone, Debug, Serialize)]
struct Search {
    model: String,
    implementation: &'static str,
    seed: u64,
    found: usize,
    seconds: f64,
    /// When the last error was found, as what follows.
    iterations: u64,
    states: u64,
    predicates: u64,
    end: String,
    /// What it met of each error.
    #[serde(skip)]
    sightings: Vec<Option<Sighting>>,
}

/// The tables.
pub(super) fn run(request: &Request, progress: &mut dyn FnMut(&str)) -> Result<Measured, String> {
    let models = MODELS.iter().map(|name| Ok(((*name).to_owned(), model(name, &scale(name), &[])?)));
    let models = models.collect::<Result<Vec<_>, String>>()?;
    let setup = Setup { seeds: (1..=request.seeds).collect(), errors: request.errors, bound: request.bound };
    let tables = search_all(&models, &setup, progress)?;
    let error_free = error_free(request.bound)?;
    let mut document = tables.document();
    document.parts.push(Part::Table(error_free_table(&error_free)));
    Ok(Measured { document, data: json!({ "tables": tables, "error_free": error_free }) })
}

/// Runs the searches on models, each with the name the thesis gives it. `progress` hears of every search.
fn search_all(models: &[(String, Program)], setup: &Setup, progress: &mut dyn FnMut(&str)) -> Result<Tables, String> {
    let mut tables = Tables::new(setup);
    for (name, program) in models {
        let program = without_property(program);
        let reached = reachable_states(&program).map_err(|reason| format!("{name}: {reason}"))?;
        progress(&format!("{name}: {} states", reached.len()));
        let errors = draw(&reached, setup);
        let mut searches = Vec::new();
        for implementation in IMPLEMENTATIONS {
            let seeds = if implementation.is_random() { setup.seeds.len() } else { 1.min(setup.seeds.len()) };
            for &seed in &setup.seeds[..seeds] {
                let search = search(name, &program, implementation, seed, &errors, setup.bound);
                progress(&search.summary(errors.len()));
                searches.push((implementation, search));
            }
        }
        tables.add_model(name, reached.len(), errors.len(), searches);
    }
    Ok(tables)
}

impl Search {
    fn summary(&self, errors: usize) -> String {
        let Search { model, implementation, seed, found, seconds, end, .. } = self;
        format!("{model}: {implementation} with seed {seed} found {found} of {errors} in {seconds:.1} s ({end})")
    }
}

fn without_property(program: &Program) -> Program {
    Program { property: Property::default(), predicates: Vec::new(), ..program.clone() }
}

fn reachable_states(program: &Program) -> Result<StateSet, Reason> {
    let budget = Budget::unlimited().with_memory(Some(MEMORY));
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
    bound: Duration,
) -> Search {
    let budget = Budget::unlimited().with_timeout(Some(bound)).with_memory(Some(MEMORY));
    let mut goals = Goals::new(errors.iter().cloned());
    let verdict = implementation.search(program, seed, &budget, &mut goals);
    let seconds = budget.elapsed().as_secs_f64();
    let sightings = goals.into_sightings();
    let found = sightings.iter().flatten().count();
    let end = match verdict {
        Verdict::Unknown(Reason::Interrupted) if found == errors.len() => "all found".to_string(),
        Verdict::Unknown(reason) => reason.to_string(),
        Verdict::Safe(_) => "search complete".to_string(),
        Verdict::Unsafe(_) => "run-time fault".to_string(),
    };
    let last = sightings.iter().flatten().max_by_key(|s| s.time).copied().unwrap_or_default();
    Search {
        model: model.to_string(),
        implementation: implementation.name,
        seed,
        found,
        seconds,
        iterations: last.iteration,
        states: last.states,
        predicates: last.predicates,
        end,
        sightings,
    }
}

/// A line of table 2.1: model, what AMCS came to, what it came to in the thesis.
type ErrorFree = (&'static str, String, &'static str);

/// Table 2.1: AMCS without error, on models of some hundred states.
fn error_free(bound: Duration) -> Result<Vec<ErrorFree>, String> {
    let mut rows = Vec::new();
    for (name, file, thesis) in thesis::AMCS_ERROR_FREE {
        let program = without_property(&model(file, &[], &[])?);
        let states = explore(&program, &ProcessEngine::Explicit(explicit::Config::default()), bound)?;
        let amcs = explore(&program, &ProcessEngine::Alpha(amcs()), bound)?;
        let concrete = states.stats["states"].as_u64().unwrap_or(0);
        let abstracts = amcs.stats["per_iteration"].as_array().and_then(|i| i.last()?["abstract_states"].as_u64());
        let ours = match (amcs.verdict.verdict(), abstracts) {
            (Verdict::Safe(_), Some(n)) if n == concrete => format!("{n} states (no gain)"),
            (Verdict::Safe(_), Some(n)) => format!("{n}/{concrete} bisimulation"),
            _ => format!("NT (of {concrete} states)"),
        };
        rows.push((name, ours, thesis));
    }
    Ok(rows)
}

fn explore(program: &Program, engine: &ProcessEngine, bound: Duration) -> Result<Outcome, String> {
    check_program(program, engine, &Budget::unlimited().with_timeout(Some(bound)), true, &mut Silent)
}

fn error_free_table(rows: &[ErrorFree]) -> Table {
    let title = "[Split] table 2.1: AMCS, error-free search (small models; the thesis' result beside)";
    let mut table = Table { words: 3, ..Table::new(title, &["Models", "ours", "(the thesis')"]) };
    table.rows =
        rows.iter().map(|(name, ours, thesis)| vec![(*name).to_owned(), ours.clone(), format!("({thesis})")]).collect();
    table
}
