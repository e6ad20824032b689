//! Preprocessing of Horn clauses, shared by the Horn engines.
//!
//! The clauses of a program are many and small: one per transition. [`simplify`] makes them few by equivalences on single
//! clauses and by steps that remove predicates, parameters or clauses, until nothing changes:
//!
//! | step | removes | evidence comes back by |
//! |---|---|---|
//! | `reach` | predicates that no fact reaches, or that reach no query | the formulas `false` and `true` |
//! | `equations` | clause symbols that a constraint defines | evaluating the definition |
//! | `constants` | parameters that are always a constant, or equal to another one | conjoining that equation |
//! | `slice` | parameters that no constraint depends on | evaluating heads forward along the derivation |
//! | `inline` | predicates between loop heads, by resolution | interpolants; splitting the resolvent's step |
//!
//! [`prepare`] does this, makes control explicit that is encoded in data (`control`), and then does it again.
//!
//! *How evidence comes back.* Clauses are never changed: each step makes new ones and writes down their
//! `Origin`. A refutation is taken apart along origins, step by step (`refutation`). What a step does
//! to predicates is an `Event`; a solution undoes the events, the last one first, so that when a predicate
//! is given back its formula, the formulas of all its neighbours at that time are known (`solution`).
//!
//! *Why it is sound.* Before and after each step the clauses are equisatisfiable, and evidence of the latter is evidence of
//! the former by the table above. None of this is trusted: both kinds are certified against the original clauses.

mod cells;
mod constants;
mod control;
mod decided;
mod equations;
mod history;
mod inline;
mod invariants;
mod prepare;
mod project;
mod reach;
mod refutation;
mod rewrite;
mod slice;
mod solution;
mod values;
mod work;

use clinch_ir::{Derivation, HornSystem, Interpretation, PredId, Predicate, Reason};

pub use cells::{Cells, Layout, Quantified};
pub use control::{ControlOptions, ControlStats, Split, recover_control};
pub use decided::decided;
pub use invariants::{InvariantOptions, InvariantStats, Invariants, invariants, strengthen};
pub use prepare::{Prepared, prepare};
pub use solution::{Interpolate, LostSolution};

pub(crate) use project::project;
pub(crate) use values::{equals, literal};
pub(crate) use work::mentions_reals;

use history::History;
use work::Work;

/// Which steps run, and how far.
#[derive(Clone, Debug)]
pub struct SimplifyOptions {
    /// Whether predicates are resolved away.
    pub inline: bool,
    /// Whether parameters without influence are dropped.
    pub slice: bool,
    /// Whether constant parameters, and those equal to another one, are dropped.
    pub constants: bool,
    /// How many clauses more than it removes resolving away one predicate may make.
    pub growth: usize,
    /// How many applications the body of a resolvent may have, if neither parent has more.
    pub max_body: usize,
    /// How many times larger the clauses may become in all.
    pub max_factor: usize,
    /// The largest term (in distinct subterms) that is substituted for a symbol.
    pub max_definition: usize,
    /// How often all steps are run.
    pub max_rounds: usize,
}

impl Default for SimplifyOptions {
    fn default() -> Self {
        SimplifyOptions {
            inline: true,
            slice: true,
            constants: true,
            growth: 0,
            max_body: 4,
            max_factor: 4,
            max_definition: 1000,
            max_rounds: 20,
        }
    }
}

/// How large a system is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, serde::Serialize)]
pub struct Size {
    /// Its clauses.
    pub clauses: usize,
    /// Its predicates.
    pub predicates: usize,
    /// The parameters of all predicates together.
    pub arguments: usize,
}

impl Size {
    /// The size of a system.
    pub fn of(system: &HornSystem) -> Size {
        let arguments = system.predicates.iter().map(|p| p.params.len()).sum();
        Size { clauses: system.clauses.len(), predicates: system.predicates.len(), arguments }
    }
}

/// What simplification did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, serde::Serialize)]
pub struct SimplifyStats {
    /// The size of the original system.
    pub before: Size,
    /// The size of the simplified one.
    pub after: Size,
    /// How many predicates were resolved away.
    pub inlined: usize,
    /// How often all steps were run.
    pub rounds: usize,
}

/// Equisatisfiable clauses, and how their evidence becomes evidence of the original ones.
#[derive(Clone, Debug)]
pub struct Simplified {
    /// The clauses; their terms extend those of the original.
    pub system: HornSystem,
    /// What was done.
    pub stats: SimplifyStats,
    history: History,
    /// For each predicate of `system` the original one.
    predicates: Vec<PredId>,
    /// For each clause of `system` its record in `history`.
    clauses: Vec<usize>,
}

/// Equisatisfiable, smaller clauses. When `stop` says so, the result so far.
pub fn simplify(system: &HornSystem, options: &SimplifyOptions, stop: &dyn Fn() -> bool) -> Simplified {
    let mut work = Work::new(system, options);
    let mut rounds = 0;
    while rounds < options.max_rounds && !stop() {
        rounds += 1;
        let mut changed = equations::run(&mut work, stop);
        changed |= reach::run(&mut work);
        changed |= options.constants && constants::run(&mut work);
        changed |= options.slice && slice::run(&mut work);
        changed |= options.inline && inline::run(&mut work, stop);
        if !changed {
            break;
        }
    }
    finish(system, work, rounds)
}

/// Renumbers what is left.
fn finish(original: &HornSystem, work: Work<'_>, rounds: usize) -> Simplified {
    let clauses: Vec<usize> = work.live().collect();
    let mut used = vec![false; work.predicates.len()];
    for &id in &clauses {
        let clause = work.clause(id);
        clause.body.iter().chain(&clause.head).for_each(|a| used[a.predicate.index()] = true);
    }
    let mut number = vec![None; used.len()];
    let mut predicates = Vec::new();
    let mut system = HornSystem::new(original.source.clone());
    for old in original.predicate_ids().filter(|p| used[p.index()]) {
        number[old.index()] = Some(PredId::from_index(predicates.len()));
        predicates.push(old);
        let params = work.predicates[old.index()].params.to_vec();
        system.predicates.push(Predicate { name: original.predicate(old).name.clone(), params });
    }
    for &id in &clauses {
        let mut clause = work.clause(id).clone();
        for application in clause.body.iter_mut().chain(&mut clause.head) {
            application.predicate = number[application.predicate.index()].expect("used predicates are numbered");
        }
        system.clauses.push(clause);
    }
    system.terms = work.terms;
    let history = work.history;
    let stats =
        SimplifyStats { before: Size::of(original), after: Size::of(&system), inlined: history.inlined(), rounds };
    Simplified { system, stats, history, predicates, clauses }
}

impl Simplified {
    /// A solution of the simplified clauses as one of the original clauses.
    ///
    /// The formula of a predicate that was resolved away lies between what its definitions need and what its uses allow.
    /// Where quantifiers would be needed to write down either, `interpolate` is asked for one in between; without an answer
    /// the solution is lost, and the engine may try again without inlining.
    pub fn solution(
        &self,
        original: &HornSystem,
        solution: Interpretation,
        interpolate: &mut Interpolate<'_>,
    ) -> Result<Interpretation, LostSolution> {
        solution::translate(self, original, solution, interpolate)
    }

    /// A refutation of the simplified clauses as one of the original clauses, with the values of all their symbols.
    pub fn refutation(&self, original: &HornSystem, derivation: &Derivation) -> Result<Derivation, Reason> {
        refutation::translate(self, original, derivation)
    }
}
