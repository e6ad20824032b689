//! k-induction on Horn clauses with one premise: those of transition systems, and of programs without procedures.
//!
//! A state is a predicate with values for its parameters, a step is a clause. The hypothesis of the inductive step, that no error
//! is fewer than `k` steps away, is written down: states from which there is one are collected backwards, one step further for each
//! `k`, as cubes over the parameters. If no state that satisfies the invariants and the hypothesis is exactly `k` steps away from an
//! error, then `k` steps without error are never followed by one with an error. The base case asks for initial states among the cubes.
//!
//! | \[Simple, Kinv\] | here |
//! |---|---|
//! | base case | `Induction::refutation` |
//! | inductive step | `Induction::further`: nothing is `k` steps away |
//! | auxiliary invariants | `horn::invariants` |
//!
//! Invariants and hypothesis together are inductive in the ordinary sense, so that the evidence is a solution of the clauses.
//! Cubes hold nothing but states that lead to an error: where a projection is not exact, values of the model take its place.
//!
//! **Deviations.**
//! - D1. The hypothesis is about all ways from a state, not about the one whose last step leads to the error: it is stronger, and
//!   speaks about one state.
//! - D2. There are no simple paths: a state from which an error is nearer in another way is left out instead.

use clinch_ir::{
    Application, ClauseId, Derivation, DerivationStep, HornSystem, HornVerdict, Interpretation, PredId, Reason,
};
use clinch_smt::{Answer, ItpConfig, Solver, Z3Solver};
use clinch_terms::evaluate::{Assignment, evaluate};
use clinch_terms::implicant::implicant;
use clinch_terms::{Symbol, Term, Terms};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::HornOutcome;
use crate::budget::{Budget, Observer, Progress};
use crate::horn::{
    ControlOptions, InvariantOptions, InvariantStats, Invariants, SimplifyOptions, SimplifyStats, equals, invariants,
    literal, mentions_reals, prepare, project,
};

/// What a query may use: work, milliseconds.
const LIMITS: (u32, u32) = (5_000_000, 2_000);

/// What is looked for beside the hypothesis.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Auxiliary invariants.
    pub invariants: InvariantOptions,
}

/// What a run did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    /// The last `k`.
    pub depth: u32,
    /// Sets of states that lead to an error.
    pub cubes: u64,
    /// Questions to the solver.
    pub queries: u64,
    /// What preparing the clauses did.
    pub simplify: Option<SimplifyStats>,
    /// The invariants found before.
    pub invariants: Option<InvariantStats>,
}

/// Checks Horn clauses.
pub fn check(system: &HornSystem, config: &Config, budget: &Budget, observer: &mut dyn Observer) -> HornOutcome<Stats> {
    let stop = || budget.check().is_err();
    let prepared = prepare(system, &SimplifyOptions::default(), Some(&ControlOptions::default()), &stop);
    let known = invariants(prepared.system(), &config.invariants.within(budget), &stop);
    let mut induction = Induction::new(prepared.system(), &known, budget);
    let verdict = induction.run(observer).unwrap_or_else(HornVerdict::Unknown);
    let simplify = Some(prepared.last().stats);
    let stats = Stats { simplify, invariants: Some(known.stats), ..induction.stats };
    let verdict = prepared.verdict(system, verdict, &ItpConfig::default(), budget);
    (verdict.unwrap_or_else(|lost| HornVerdict::Unknown(Reason::Uncertified(lost.to_string()))), stats)
}

/// States from which an error can be reached: those of a predicate that satisfy a formula.
struct Cube {
    predicate: PredId,
    formula: Term,
    /// The next step to the error, and where it leads; to the error itself if that is nowhere.
    step: ClauseId,
    next: Option<usize>,
}

struct Induction<'a> {
    system: &'a HornSystem,
    invariants: &'a Invariants,
    budget: &'a Budget,
    terms: Terms,
    cubes: Vec<Cube>,
    reals: bool,
    stats: Stats,
}

impl<'a> Induction<'a> {
    fn new(system: &'a HornSystem, invariants: &'a Invariants, budget: &'a Budget) -> Self {
        let terms = invariants.terms.clone();
        let symbols = (0..terms.symbol_count()).filter_map(|i| terms.symbol_at(i));
        let reals = { symbols }.any(|s| mentions_reals(terms.symbol_sort(s)));
        Induction { system, invariants, budget, terms, cubes: Vec::new(), reals, stats: Stats::default() }
    }

    fn run(&mut self, observer: &mut dyn Observer) -> Result<HornVerdict, Reason> {
        if !self.system.is_linear() {
            return Err(Reason::Unsupported("k-induction on clauses with several premises".to_owned()));
        }
        let mut farthest = Vec::new();
        for id in self.system.clause_ids().filter(|&id| self.system.clause(id).head.is_none()) {
            if !self.system.clause(id).body.is_empty() {
                farthest.extend(self.states_before(id, None)?);
            } else if let Some(values) = self.instance(id, &[self.system.clause(id).constraint])? {
                return Ok(HornVerdict::Unsafe(Derivation { steps: vec![self.step(id, &values, None)?] }));
            }
        }
        loop {
            let states = self.cubes.len() as u64;
            observer.progress(Progress { iteration: self.stats.depth.into(), states, ..Progress::default() });
            if let Some(refutation) = self.refutation(&farthest)? {
                return Ok(HornVerdict::Unsafe(refutation));
            }
            if farthest.is_empty() {
                return Ok(HornVerdict::Safe(self.solution()));
            }
            self.budget.check_iteration(self.stats.depth.into())?;
            self.stats.depth += 1;
            farthest = self.further(&farthest)?;
        }
    }

    /// The states from which an error is one step further than from the farthest, and not nearer in another way.
    fn further(&mut self, farthest: &[usize]) -> Result<Vec<usize>, Reason> {
        let mut found = Vec::new();
        for &target in farthest {
            for id in self.clauses_to(target).filter(|&id| !self.system.clause(id).body.is_empty()) {
                found.extend(self.states_before(id, Some(target))?);
            }
        }
        Ok(found)
    }

    fn clauses_to(&self, target: usize) -> impl Iterator<Item = ClauseId> + use<'a> {
        let (system, predicate) = (self.system, self.cubes[target].predicate);
        let leads_there =
            move |id: &ClauseId| system.clause(*id).head.as_ref().is_some_and(|h| h.predicate == predicate);
        system.clause_ids().filter(leads_there)
    }

    /// New cubes of states from which a clause leads to a cube, or to an error.
    fn states_before(&mut self, id: ClauseId, target: Option<usize>) -> Result<Vec<usize>, Reason> {
        let clause = self.system.clause(id);
        let premise = &clause.body[0];
        let goal = self.goal(id, target);
        let mut solver = self.solver(&goal);
        let invariant = self.invariants.formulas[premise.predicate.index()];
        let invariant = self.about(premise, invariant);
        solver.assert(&self.terms, invariant);
        for nearer in 0..self.cubes.len() {
            if self.cubes[nearer].predicate == premise.predicate {
                self.exclude(&mut solver, premise, nearer);
            }
        }
        let mut found = Vec::new();
        while let Some(values) = self.model(&mut solver, &clause.vars)? {
            let formula = self.cube(premise, &goal, &values)?;
            self.cubes.push(Cube { predicate: premise.predicate, formula, step: id, next: target });
            self.stats.cubes += 1;
            found.push(self.cubes.len() - 1);
            self.exclude(&mut solver, premise, self.cubes.len() - 1);
        }
        Ok(found)
    }

    /// What holds of a clause's symbols if it is applied and leads to a cube, or to an error.
    fn goal(&mut self, id: ClauseId, target: Option<usize>) -> Vec<Term> {
        let clause = self.system.clause(id);
        let there = target.zip(clause.head.as_ref()).map(|(target, head)| self.about(head, self.cubes[target].formula));
        [clause.constraint].into_iter().chain(there).collect()
    }

    fn exclude(&mut self, solver: &mut Z3Solver, premise: &Application, cube: usize) {
        let there = self.about(premise, self.cubes[cube].formula);
        let elsewhere = self.terms.not(there);
        solver.assert(&self.terms, elsewhere);
    }

    fn about(&mut self, application: &Application, formula: Term) -> Term {
        application.instantiate(&mut self.terms, &self.system.predicate(application.predicate).params, formula)
    }

    fn solver(&self, facts: &[Term]) -> Z3Solver {
        let mut solver = Z3Solver::for_formulas();
        solver.set_limits(LIMITS.0, LIMITS.1);
        facts.iter().for_each(|&fact| solver.assert(&self.terms, fact));
        solver
    }

    /// Values of symbols with which all that was asserted holds, if there are any.
    fn model(&mut self, solver: &mut Z3Solver, symbols: &[Symbol]) -> Result<Option<Assignment>, Reason> {
        self.stats.queries += 1;
        self.budget.check_memory()?;
        match solver.check(&self.terms, &[]) {
            Answer::Unsat => Ok(None),
            Answer::Unknown => Err(self.budget.check_memory().err().unwrap_or(Reason::NoProgress)),
            Answer::Sat => {
                let value = |&s: &Symbol| Some((s, solver.symbol_value(&self.terms, s)?));
                let values: Option<Assignment> = symbols.iter().map(value).collect();
                values.map(Some).ok_or(Reason::NoProgress)
            }
        }
    }

    /// States before a step that are like those of a model: the conjuncts of the goal that make it true there, projected to the
    /// parameters of the premise.
    fn cube(&mut self, premise: &Application, goal: &[Term], values: &Assignment) -> Result<Term, Reason> {
        let mut conjuncts = implicant(&mut self.terms, goal, values).ok_or(Reason::NoProgress)?;
        let mut params = self.system.predicate(premise.predicate).params.clone();
        for (&param, &arg) in params.iter().zip(&premise.args) {
            let param = self.terms.symbol(param);
            conjuncts.push(self.terms.eq(param, arg));
        }
        params.sort_unstable();
        let projection = project(&mut self.terms, conjuncts, &params, self.reals);
        let left = self.terms.symbols(projection.formula).into_iter().filter(|s| params.binary_search(s).is_err());
        let mut chosen = FxHashMap::default();
        for symbol in left {
            let sort = self.terms.symbol_sort(symbol).clone();
            let value = values.get(&symbol).and_then(|value| literal(&mut self.terms, &sort, value));
            chosen.insert(symbol, value.ok_or(Reason::NoProgress)?);
        }
        Ok(self.terms.substitute_symbols(projection.formula, &chosen))
    }

    /// A refutation that begins in one of these cubes, if an initial state is there.
    fn refutation(&mut self, farthest: &[usize]) -> Result<Option<Derivation>, Reason> {
        for &cube in farthest {
            for id in self.clauses_to(cube).filter(|&id| self.system.clause(id).body.is_empty()) {
                let goal = self.goal(id, Some(cube));
                if let Some(values) = self.instance(id, &goal)? {
                    return self.derivation(id, values, cube).map(Some);
                }
            }
        }
        Ok(None)
    }

    /// Values with which a clause is applied and all facts hold, if there are any.
    fn instance(&mut self, id: ClauseId, facts: &[Term]) -> Result<Option<Assignment>, Reason> {
        let mut solver = self.solver(facts);
        self.model(&mut solver, &self.system.clause(id).vars)
    }

    /// From an initial state on, step by step.
    fn derivation(&mut self, initial: ClauseId, mut values: Assignment, cube: usize) -> Result<Derivation, Reason> {
        let mut steps = vec![self.step(initial, &values, None)?];
        let (mut last, mut at) = (initial, Some(cube));
        while let Some(cube) = at {
            let (id, next) = (self.cubes[cube].step, self.cubes[cube].next);
            let mut facts = self.goal(id, next);
            let (from, to) = (&self.system.clause(last).head, &self.system.clause(id).body[0]);
            for (&arg, &here) in from.iter().flat_map(|head| &head.args).zip(&to.args) {
                let value = evaluate(&self.terms, &values, arg).ok_or(Reason::NoProgress)?;
                facts.push(equals(&mut self.terms, here, &value).ok_or(Reason::NoProgress)?);
            }
            values = self.instance(id, &facts)?.ok_or(Reason::NoProgress)?;
            steps.push(self.step(id, &values, Some(steps.len() - 1))?);
            (last, at) = (id, next);
        }
        Ok(Derivation { steps })
    }

    fn step(&self, id: ClauseId, values: &Assignment, premise: Option<usize>) -> Result<DerivationStep, Reason> {
        let all: Option<Vec<_>> = self.system.clause(id).vars.iter().map(|s| values.get(s).cloned()).collect();
        let values = all.ok_or(Reason::NoProgress)?;
        Ok(DerivationStep { clause: id, values, premises: premise.into_iter().collect() })
    }

    /// No error is near, and the invariants as far as they are needed.
    fn solution(&mut self) -> Interpretation {
        let mut formulas = Vec::new();
        for predicate in self.system.predicate_ids() {
            let cubes = self.cubes.iter().filter(|cube| cube.predicate == predicate).map(|cube| cube.formula);
            let near = self.terms.any(cubes.collect::<Vec<Term>>());
            formulas.push(self.terms.not(near));
        }
        let solution = Interpretation { terms: self.terms.clone(), formulas };
        self.invariants.solution(self.system, solution)
    }
}
