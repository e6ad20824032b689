//! Counterexample-guided abstraction refinement over transition constraints.
//!
//! \[Subsumer\] A. Rybalchenko, R. Singh: Subsumer-first: A new Heuristic for Guided Symbolic Reachability Analysis, SPIN
//! 2009, on top of the ARMC model checker. The transition system is given as Horn clauses: a location is a predicate, a transition is a clause
//! with one premise; clauses with several premises (procedure calls) are treated alike.
//!
//! Idea: compute the abstract states reachable under a finite set of predicates. If the contradiction is not among the
//! conclusions, the states are a solution. Otherwise the derivation is checked: it is real, or interpolants along it become
//! new predicates and the search starts again. Of two states of which one subsumes the other, the larger should be expanded
//! first: all that the smaller one leads to is then found once. Subsumer-first search notices when a new state subsumes
//! old ones and puts it into the queue before everything that stems from them.
//!
//! | paper | here |
//! |---|---|
//! | `Q` | `Frontier`, [`Waitlist`](crate::search::Waitlist) |
//! | `n`, `m`, `p` | `Node` |
//! | `abstract_child` | `Node::children`, read through `Tree::representative` |
//! | `subsumed(p, m)` | the predicates of `m` are a subset of those of `p` ([`SubsumptionIndex`](crate::search::SubsumptionIndex)) |
//! | `SubsumedSubtree`, `computeSubtree` | `Tree::prune_subsumed_by`, `Tree::compute_subtree` |
//! | `computePosition` | `Waitlist::first_of` |
//! | `post#(n, tau)` | `Abstraction::post` |
//! | `abstractCheck` | `Search::abstract_check` |
//!
//! Invariant of the search: every abstract successor of an expanded node is subsumed by a node of the tree; no node of the tree
//! is subsumed by another (for orders that prune).
//!
//! Soundness: when nothing waits any more, the disjunction of the states at each location is implied by every clause
//! whose premises are such disjunctions, because `post#` over-approximates; no clause without head is applicable. `certify`
//! checks just that. A refutation consists of values, which are checked too.
//!
//! Deviations:
//! * D1: counterexamples follow the record of how a node was first derived, not `abstract_child`: the latter may have cycles,
//!   and a path along moved pointers need not be an abstract counterexample, so refining it need not lead anywhere.
//! * D2: a pruned node that still waits is taken out of the queue; the figure leaves it there, though it is no longer in
//!   the tree.
//! * D3: answers of the solver are generalised and kept across iterations (`post`). The count of entailment queries
//!   does not depend on it; the number of prover calls does.
//! * D4: with several premises, a node is combined with the nodes that were expanded before it.
//! * D5: clauses are prepared (`horn::simplify`) and strengthened by simple invariants (`horn::invariants`), without which
//!   interpolants may follow a loop around and around. Both can be switched off. Where invariants take long, the clauses are
//!   tried for a moment without them.

mod drawing;
mod explore;
mod frontier;
mod layout;
mod options;
mod parts;
mod post;
mod precision;
mod refine;
mod sharing;
mod software;
mod solvers;
#[cfg(test)]
mod tests;
mod tree;

use std::time::{Duration, Instant};

use clinch_ir::{HornSystem, HornVerdict, Interpretation, Reason};
use clinch_smt::ItpConfig;
use clinch_terms::show::show_term;
use clinch_terms::{Term, Terms};
use serde::Serialize;

use crate::HornOutcome;
use crate::budget::{Budget, Observer, Progress, Ticker};
use crate::drawing::Drawing;
use crate::horn::{
    ControlOptions, ControlStats, InvariantOptions, InvariantStats, SimplifyOptions, SimplifyStats, invariants,
    prepare, strengthen,
};
use explore::{Exploration, Search, Uses};
use refine::{Counterexample, Learner, Refinement};
use tree::Tree;

pub use self::options::OPTIONS;
pub use frontier::Order;
pub use layout::walks_through_arrays;
pub use post::PostStats;
pub use precision::Precision;
pub use software::{check_cells, check_software};

/// How long invariants are looked for before the clauses are tried without them.
const QUICK_INVARIANTS: Duration = Duration::from_millis(150);
/// How long they are tried.
const WITHOUT_INVARIANTS: Duration = Duration::from_millis(400);

/// How to search and refine.
#[derive(Clone, Debug)]
pub struct Config {
    /// The search order.
    pub order: Order,
    /// How the clauses are prepared; `None`: not at all, as in the paper.
    pub simplify: Option<SimplifyOptions>,
    /// Which invariants are looked for in prepared clauses before the search; `None`: none.
    pub invariants: Option<InvariantOptions>,
    /// How control that is encoded in data is made explicit, where clauses are prepared at all; `None`: not.
    pub control: Option<ControlOptions>,
    /// How spurious counterexamples become predicates.
    pub interpolation: ItpConfig,
    /// Where a new predicate is used.
    pub scope: Scope,
    /// Predicates to start from.
    pub seeds: Vec<Seed>,
    /// Whether to refine at all.
    pub refinement: RefinementMode,
    /// Whether the invariants of the tree are checked after every step: slow, for tests.
    pub self_check: bool,
    /// How many nodes of the last tree are drawn at the end.
    pub draw: usize,
}

impl Config {
    /// The clauses as they are, and nothing but the algorithm of the paper. ARMC's predicates are not bound to locations.
    pub fn of_the_paper() -> Self {
        Config { simplify: None, scope: Scope::Everywhere, ..Config::default() }
    }
}

impl Default for Config {
    fn default() -> Self {
        Config {
            order: Order::default(),
            simplify: Some(SimplifyOptions::default()),
            invariants: Some(InvariantOptions::default()),
            control: Some(ControlOptions::default()),
            interpolation: ItpConfig::default(),
            scope: Scope::default(),
            seeds: Vec::new(),
            refinement: RefinementMode::default(),
            self_check: false,
            draw: 0,
        }
    }
}

/// Where a new predicate is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scope {
    /// At the location it was found for.
    #[default]
    Location,
    /// At all locations with the same variables, as in ARMC.
    Everywhere,
}

/// A predicate to start from.
#[derive(Clone, Debug)]
pub struct Seed {
    /// The name of its location. Where preparation took the location apart or away, the seed is not used.
    pub location: String,
    /// A formula of the system's store over the location's parameters.
    pub formula: Term,
}

/// What to do with a spurious counterexample.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RefinementMode {
    /// Learn predicates from it.
    #[default]
    Refine,
    /// Stop: the predicates are fixed ([Subsumer, table 1]).
    Fixed,
}

/// What a run did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    /// Searches.
    pub iterations: u64,
    /// Predicates at the end, over all locations.
    pub predicates: u64,
    /// Predicates at the beginning: given, suggested by the program, or found by other engines.
    pub seeds: u64,
    /// Nodes of the last tree, pruned ones included.
    pub states: u64,
    /// Nodes of all trees.
    pub states_total: u64,
    /// Nodes of the last tree that another one subsumes: what they led to was, or would be, found again from that one.
    pub subsumed: u64,
    /// Work of the abstraction.
    #[serde(flatten)]
    pub post: PostStats,
    /// Entailment queries of the last search alone.
    pub entailment_queries_last: u64,
    /// Questions whether a state is covered, or covers others.
    pub subsumption_checks: u64,
    /// Trie nodes these questions visited.
    pub subsumption_visits: u64,
    /// Steps of all spurious counterexamples.
    pub counterexample_steps: u64,
    /// What preparing the clauses did.
    pub simplify: Option<SimplifyStats>,
    /// The invariants found before the search.
    pub invariants: Option<InvariantStats>,
    /// What making control explicit did.
    pub control: Option<ControlStats>,
    /// Seconds in search.
    pub search_seconds: f64,
    /// Seconds in refinement.
    pub refinement_seconds: f64,
    /// The predicates at the end: name of the location, and formula in SMT-LIB.
    #[serde(skip)]
    pub learned: Vec<(String, String)>,
    /// The last tree, where it is drawn.
    #[serde(skip)]
    pub drawing: Option<Drawing>,
}

/// Checks Horn clauses, starting without predicates.
pub fn check(system: &HornSystem, config: &Config, budget: &Budget, observer: &mut dyn Observer) -> HornOutcome<Stats> {
    let Some(options) = &config.simplify else { return check_plainly(system, config, budget, observer) };
    let prepared = prepare(system, options, config.control.as_ref(), &|| budget.check().is_err());
    let (verdict, stats) = check_strengthened(prepared.system(), config, budget, observer);
    let stats = Stats { simplify: Some(prepared.last().stats), control: prepared.control(), ..stats };
    match prepared.verdict(system, verdict, &config.interpolation, budget) {
        Ok(verdict) => (verdict, stats),
        Err(_) if options.inline => {
            // Without inlining every predicate is there to be interpreted.
            let options = SimplifyOptions { inline: false, ..options.clone() };
            check(system, &Config { simplify: Some(options), ..config.clone() }, budget, observer)
        }
        Err(lost) => (HornVerdict::Unknown(Reason::Uncertified(lost.to_string())), stats),
    }
}

/// Looks for invariants, then checks the clauses with them. Where invariants take longer than usual, the clauses are tried without them in between:
/// an error that is near needs none.
fn check_strengthened(
    system: &HornSystem,
    config: &Config,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> HornOutcome<Stats> {
    let Some(options) = &config.invariants else { return check_plainly(system, config, budget, observer) };
    let options = options.within(budget);
    let quick = budget.part(QUICK_INVARIANTS);
    let mut known = invariants(system, &options, &|| quick.check().is_err());
    if !known.found && options.allows(system) {
        let (verdict, stats) = check_plainly(system, config, &budget.part(WITHOUT_INVARIANTS), observer);
        if !matches!(verdict, HornVerdict::Unknown(_)) || budget.check().is_err() {
            return (verdict, stats);
        }
        known = invariants(system, &options, &|| budget.check().is_err());
    }
    sharing::tell_invariants(system, &mut known, observer);
    let strong = strengthen(system, &known);
    let (verdict, stats) = check_plainly(&strong, config, budget, observer);
    let verdict = match verdict {
        HornVerdict::Safe(solution) => HornVerdict::Safe(known.solution(system, solution)),
        other => other,
    };
    (verdict, Stats { invariants: Some(known.stats), ..stats })
}

/// Checks the clauses as they are.
fn check_plainly(
    system: &HornSystem,
    config: &Config,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> HornOutcome<Stats> {
    let mut cegar = Cegar::new(system, config);
    let verdict = cegar.run(budget, observer);
    (verdict, cegar.stats)
}

/// A run, from which the predicates can be taken at the end.
pub struct Cegar<'s> {
    system: &'s HornSystem,
    config: &'s Config,
    terms: Terms,
    uses: Uses,
    precision: Precision,
    abstraction: post::Abstraction<'s>,
    /// How many predicates of each location others know.
    told: Vec<usize>,
    /// The last search that came to an end, where it is drawn.
    last: Option<(Tree, Exploration)>,
    /// What was done so far.
    pub stats: Stats,
}

impl<'s> Cegar<'s> {
    /// Starts from the predicates of the configuration, if any.
    pub fn new(system: &'s HornSystem, config: &'s Config) -> Self {
        let mut terms = system.terms.clone();
        let mut precision = Precision::empty(system);
        for seed in &config.seeds {
            let symbols = terms.symbols(seed.formula);
            for (id, location) in system.predicate_ids().zip(&system.predicates) {
                if location.name == seed.location && symbols.iter().all(|s| location.params.contains(s)) {
                    precision.add(&mut terms, id, seed.formula);
                }
            }
        }
        Self::starting_from(system, config, precision, terms)
    }

    /// Starts from the predicates of another run on the same system.
    pub fn starting_from(system: &'s HornSystem, config: &'s Config, precision: Precision, mut terms: Terms) -> Self {
        debug_assert!(terms.extends(&system.terms), "the predicates of another system");
        let abstraction = post::Abstraction::new(system, &mut terms);
        let told = system.predicate_ids().map(|id| precision.at(id).len()).collect();
        let (uses, stats) = (Uses::new(system), Stats { seeds: precision.len() as u64, ..Stats::default() });
        Cegar { system, config, terms, uses, precision, abstraction, told, last: None, stats }
    }

    /// The predicates found, and the store they live in.
    pub fn into_predicates(self) -> (Precision, Terms) {
        (self.precision, self.terms)
    }

    /// The CEGAR loop.
    pub fn run(&mut self, budget: &Budget, observer: &mut dyn Observer) -> HornVerdict {
        let verdict = self.iterate(budget, observer).unwrap_or_else(HornVerdict::Unknown);
        self.stats.predicates = self.precision.len() as u64;
        self.stats.post = self.abstraction.stats;
        self.stats.learned = self.learned();
        if let Some((tree, end)) = self.last.take() {
            self.stats.drawing = Some(self.draw(&tree, &end, self.config.draw));
        }
        verdict
    }

    fn learned(&self) -> Vec<(String, String)> {
        let mut learned = Vec::new();
        for (id, location) in self.system.predicate_ids().zip(&self.system.predicates) {
            for &formula in self.precision.at(id) {
                learned.extend(show_term(&self.terms, formula).ok().map(|text| (location.name.clone(), text)));
            }
        }
        learned
    }

    fn iterate(&mut self, budget: &Budget, observer: &mut dyn Observer) -> Result<HornVerdict, Reason> {
        loop {
            budget.check_iteration(self.stats.iterations)?;
            self.stats.iterations += 1;
            observer.progress(Progress {
                iteration: self.stats.iterations,
                predicates: self.precision.len() as u64,
                states: self.stats.states,
                ..Progress::default()
            });
            let counterexample = match self.search(budget)? {
                Ok(solution) => return Ok(HornVerdict::Safe(solution)),
                Err(counterexample) => counterexample,
            };
            if let Some(verdict) = self.refine(&counterexample, budget)? {
                return Ok(verdict);
            }
            self.tell_predicates(observer);
        }
    }

    /// One search: a solution, or a counterexample.
    fn search(&mut self, budget: &Budget) -> Result<Result<Interpretation, Counterexample>, Reason> {
        let start = Instant::now();
        self.last = None;
        let before = self.abstraction.stats.entailment_queries;
        let mut search =
            Search::new(self.system, &mut self.terms, &self.uses, &self.precision, &mut self.abstraction, self.config);
        let end = search.abstract_check(budget, &mut Ticker::new());
        let nodes = search.tree.nodes.len() as u64;
        self.stats.states = nodes;
        self.stats.states_total += nodes;
        self.stats.subsumed = nodes - search.tree.largest().iter().map(|states| states.len() as u64).sum::<u64>();
        self.stats.subsumption_checks += search.tree.subsumption_checks;
        self.stats.subsumption_visits += search.tree.subsumption_visits();
        self.stats.entailment_queries_last = search.abstraction.stats.entailment_queries - before;
        add_time(&mut self.stats.search_seconds, start.elapsed());
        let end = end?;
        let (found, tree) = match &end {
            Exploration::Closed => (Ok(search.solution()), search.tree),
            Exploration::Error(error) => {
                let tree = search.tree;
                (Err(Counterexample::new(self.system, &mut self.terms, &tree, error)?), tree)
            }
        };
        if self.config.draw > 0 {
            self.last = Some((tree, end));
        }
        Ok(found)
    }

    /// A refutation, if the counterexample is real; otherwise there are new predicates.
    fn refine(&mut self, counterexample: &Counterexample, budget: &Budget) -> Result<Option<HornVerdict>, Reason> {
        let start = Instant::now();
        let learner = Learner {
            system: self.system,
            terms: &mut self.terms,
            precision: &mut self.precision,
            config: &self.config.interpolation,
            scope: self.config.scope,
        };
        let refined = counterexample.refine(learner, budget);
        add_time(&mut self.stats.refinement_seconds, start.elapsed());
        match refined? {
            Refinement::Feasible(derivation) => Ok(Some(HornVerdict::Unsafe(derivation))),
            Refinement::Spurious(_) if self.config.refinement == RefinementMode::Fixed => Err(Reason::Iterations(1)),
            Refinement::Spurious(0) => Err(Reason::NoProgress),
            Refinement::Spurious(_) => {
                self.stats.counterexample_steps += counterexample.len() as u64;
                Ok(None)
            }
        }
    }
}

fn add_time(seconds: &mut f64, time: Duration) {
    *seconds += time.as_secs_f64();
}
