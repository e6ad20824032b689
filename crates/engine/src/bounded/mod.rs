//! Bounded model checking with growing bounds: A. Biere, A. Cimatti, E. Clarke, Y. Zhu, *Symbolic Model Checking without BDDs*, TACAS
//! 1999 (\[Bmc\]); for C as E. Clarke, D. Kroening, F. Lerda, *A Tool for Checking ANSI-C Programs*, TACAS 2004 (\[Cbmc\]).
//!
//! All runs within given bounds on iterations and recursion are executed symbolically at once: where runs meet, their states
//! are merged, so that every control point is executed once in every iteration of the loops around it. Two questions are left for the
//! solver: can an error be reached, and can a run go beyond a bound? If neither, the program is safe; if the second, that
//! bound grows.
//!
//! | papers                                   | here                                                        |
//! |------------------------------------------|-------------------------------------------------------------|
//! | bound `k`, for each loop                 | `walk::Bounds`                                              |
//! | guards                                   | `path::Paths`                                               |
//! | SSA form, renamed variables              | `state::State`: values are terms over inputs                |
//! | phi functions                            | `state::merge`                                              |
//! | unwinding assertions                     | `walk::Round::beyond`                                       |
//! | constraints `C` and property `P`         | the formulas of `Bounded::ask_about`                        |
//!
//! **Invariant of a round.** Control points are taken in the order of time (`state::Key`), so when one is taken all states that come
//! to it have arrived. Every run is at exactly one waiting point, or it has ended, reached an error or something open, or gone
//! beyond a bound; the conditions of these exclude one another and together are true.
//!
//! **Soundness.** If the solver refutes the conditions of errors, of what is open, and of going beyond a bound, every run ends without
//! error. `clinch_certify` does it again with the bounds found and code of its own. Counterexamples are executed.
//!
//! **Deviations.**
//! - D1. A repetition that comes without any choice (a loop with constant bounds) does not count; see `Walk::price`.
//! - D2. Bounds belong to loops, and grow only where a run was found that needs it.
//! - D3. Recursive calls are unrolled like loops; the variables of the activation below are saved in the state.
//! - D4. Where something is repeated often, the solver is asked in between whether a run comes there at all.
//! - D5. A run that comes back to the head of a loop in the state in which it was there before is not followed: a shortest run to an
//!   error does not (the *recurrence diameter* of \[Bmc\]). So loops that wait without end need no bound.
//! - D6. For `crate::kinduction` loops can be cut instead of being bounded; see `cut`.

mod blocks;
pub(crate) mod cut;
mod evidence;
mod heap;
mod layout;
mod path;
mod query;
mod state;
#[cfg(test)]
mod tests;
mod turn;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use clinch_ir::Reason;
use clinch_ir::cfa::{CfaProgram, CfaProof, CfaVerdict, EdgeId, InputTrace, ProcedureId};
use clinch_machine::guided::open_reason;
use clinch_smt::LargeQuestion;
use clinch_terms::{Term, Terms};
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::CfaOutcome;
use crate::budget::{Budget, Observer, Progress};
use crate::share::Known;
use cut::Cuts;
pub(crate) use evidence::unrolling;
pub(crate) use layout::Layout;
pub(crate) use path::PathId;
pub(crate) use query::Found;
use query::ask;
pub(crate) use walk::{Bounds, Repeated, Round};
use walk::{Memory, Walk};

/// The time for a question on which a verdict depends: that of the budget.
const NO_LIMIT: Duration = Duration::from_secs(3600);

/// A round with fewer points than this costs little.
const FEW_POINTS: u64 = 10_000;

/// How the bounds grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// Iterations of a loop in the first round, not counting those that a run cannot avoid.
    pub first_bound: u32,
    /// By what a bound is multiplied.
    pub growth: u32,
}

impl Default for Config {
    fn default() -> Self {
        Config { first_bound: 1, growth: 2 }
    }
}

/// What a run did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    /// Rounds.
    pub rounds: u64,
    /// Control points executed, over all rounds.
    pub points: u64,
    /// Distinct terms at the end.
    pub terms: u64,
    /// Questions to the solver.
    pub queries: u64,
    /// The largest bound of a loop or a recursion.
    pub bound: u64,
    /// Seconds of symbolic execution.
    pub execution_seconds: f64,
    /// Seconds in the solver.
    pub solver_seconds: f64,
}

/// Checks a program.
pub fn check(program: &CfaProgram, config: &Config, budget: &Budget, observer: &mut dyn Observer) -> CfaOutcome<Stats> {
    let mut bounded = Bounded::new(program, config, budget);
    let verdict = bounded.run(observer).unwrap_or_else(CfaVerdict::Unknown);
    bounded.stats.terms = bounded.memory.terms.len() as u64;
    (verdict, bounded.stats)
}

/// A program under execution.
pub(crate) struct Bounded<'a> {
    program: &'a CfaProgram,
    config: &'a Config,
    budget: &'a Budget,
    pub(crate) layout: Layout<'a>,
    memory: Memory,
    /// Conditions that have no model.
    refuted: FxHashSet<Term>,
    pub(crate) stats: Stats,
}

impl<'a> Bounded<'a> {
    pub(crate) fn new(program: &'a CfaProgram, config: &'a Config, budget: &'a Budget) -> Self {
        let mut terms = program.terms.clone();
        let layout = Layout::new(program, &mut terms);
        let memory = Memory::new(&layout, terms);
        Bounded { program, config, budget, layout, memory, refuted: FxHashSet::default(), stats: Stats::default() }
    }

    fn run(&mut self, observer: &mut dyn Observer) -> Result<CfaVerdict, Reason> {
        let mut bounds = Bounds { default: self.config.first_bound, of: BTreeMap::new() };
        loop {
            let round = self.round(&bounds, None, observer)?;
            if let Some(trace) = self.error(&round)? {
                return Ok(CfaVerdict::Unsafe(trace));
            }
            if observer.shares() && round.open.is_empty() {
                observer.tell(Known::NoErrorWithin(bounds.told()));
            }
            if self.within(&round, &mut bounds)? {
                self.nothing_open(&round)?;
                return Ok(CfaVerdict::Safe(CfaProof::Unrolled(unrolling(&round))));
            }
        }
    }

    /// Executes everything within the bounds, and the loops that are cut.
    pub(crate) fn round(
        &mut self,
        bounds: &Bounds,
        cuts: Option<&Cuts>,
        observer: &mut dyn Observer,
    ) -> Result<Round, Reason> {
        self.budget.check_iteration(self.stats.rounds)?;
        self.stats.rounds += 1;
        let start = std::time::Instant::now();
        let walk = Walk::new(&self.layout, &mut self.memory, bounds, self.budget);
        let round = match cuts {
            Some(cuts) => walk.with_cuts(cuts).run(),
            None => walk.run(),
        }?;
        self.stats.execution_seconds += start.elapsed().as_secs_f64();
        self.stats.points += round.points;
        self.stats.queries += round.queries;
        self.stats.bound = round.used.values().copied().max().unwrap_or(0).into();
        let states = self.memory.terms.len() as u64;
        observer.progress(Progress { iteration: self.stats.rounds, states, ..Progress::default() });
        Ok(round)
    }

    /// A run to an error, if there is one.
    pub(crate) fn error(&mut self, round: &Round) -> Result<Option<InputTrace>, Reason> {
        let Some(mut model) = self.ask_about(round.errors.iter().map(|e| e.0))? else { return Ok(None) };
        let (terms, paths) = (&self.memory.terms, &self.memory.paths);
        evidence::trace(self.program, terms, paths, round, &mut model).map(Some)
    }

    /// What was decided on a path.
    pub(crate) fn condition(&self, path: PathId) -> Term {
        self.memory.paths.condition(path)
    }

    /// The program, and the store of all terms.
    pub(crate) fn parts(&mut self) -> (&Layout<'a>, &mut Terms) {
        (&self.layout, &mut self.memory.terms)
    }

    /// The store of all terms.
    pub(crate) fn terms(&mut self) -> &mut Terms {
        &mut self.memory.terms
    }

    /// Values that satisfy a formula, if there are any.
    pub(crate) fn ask(&mut self, formula: Term) -> Result<Option<Box<LargeQuestion>>, Reason> {
        match self.ask_within(formula, NO_LIMIT)? {
            Found::Model(model) => Ok(Some(model)),
            Found::None => Ok(None),
            Found::Unknown => Err(Reason::Unsupported("the solver gives up".to_owned())),
        }
    }

    /// The same in a limited time.
    pub(crate) fn ask_within(&mut self, formula: Term, time: Duration) -> Result<Found, Reason> {
        self.stats.queries += 1;
        let start = std::time::Instant::now();
        let found = ask(&self.memory.terms, formula, self.budget, time);
        self.stats.solver_seconds += start.elapsed().as_secs_f64();
        if matches!(found, Found::Unknown) {
            self.budget.check()?;
        }
        Ok(found)
    }

    /// Whether there is time left.
    pub(crate) fn check_budget(&self) -> Result<(), Reason> {
        self.budget.check()
    }

    /// Whether a condition holds in a model.
    pub(crate) fn holds(&self, model: &mut LargeQuestion, condition: Term) -> bool {
        evidence::holds(&self.memory.terms, model, condition)
    }

    /// Whether one of the paths can be taken: values that lead there.
    fn ask_about(&mut self, paths: impl Iterator<Item = PathId>) -> Result<Option<Box<LargeQuestion>>, Reason> {
        let conditions: Vec<Term> = paths.map(|p| self.memory.paths.condition(p)).collect();
        let conditions: Vec<Term> = conditions.into_iter().filter(|c| !self.refuted.contains(c)).collect();
        if conditions.is_empty() {
            return Ok(None);
        }
        let some = self.memory.terms.any(conditions.iter().copied());
        let model = self.ask(some)?;
        if model.is_none() {
            self.refuted.extend(conditions);
        }
        Ok(model)
    }

    /// Whether no run goes beyond the bounds. Otherwise those that are too small grow: all of them while that costs little,
    /// then only those that the run found needs.
    fn within(&mut self, round: &Round, bounds: &mut Bounds) -> Result<bool, Reason> {
        let Some(mut model) = self.ask_about(round.beyond.iter().map(|b| b.1))? else { return Ok(true) };
        let mut small: BTreeSet<Repeated> = BTreeSet::new();
        for &(what, path) in &round.beyond {
            let condition = self.memory.paths.condition(path);
            if !self.refuted.contains(&condition)
                && (round.points < FEW_POINTS || evidence::holds(&self.memory.terms, &mut model, condition))
            {
                small.insert(what);
            }
        }
        for what in small {
            let bound = bounds.get(what).saturating_mul(self.config.growth).max(1);
            bounds.of.insert(what, bound);
        }
        Ok(false)
    }

    /// That no run comes to something without verdict.
    fn nothing_open(&mut self, round: &Round) -> Result<(), Reason> {
        let open: Vec<(PathId, ProcedureId, EdgeId)> = round.open.clone();
        let Some(mut model) = self.ask_about(open.iter().map(|o| o.0))? else { return Ok(()) };
        let terms = &self.memory.terms;
        let taken = |&&(path, ..): &&(PathId, ProcedureId, EdgeId)| {
            evidence::holds(terms, &mut model, self.memory.paths.condition(path))
        };
        let found = open.iter().find(taken).or(open.first());
        Err(found.map_or(Reason::NoProgress, |&(_, procedure, edge)| open_reason(self.program, procedure, edge)))
    }
}
