//! Backward analysis of counterexamples and the focus operator ([Lazy, 4.2 and 5.3]).

use clinch_ir::Reason;
use clinch_smt::{Answer, ItpError, ItpNode, Solver, Z3Solver, interpolate};
use clinch_terms::predicate::{Atom, atoms};
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, Value};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::config::{Config, Grain, Part, Scope};
use super::label::Labels;
use super::path::Path;
use super::predicates::{PredicateId, Predicates};
use crate::budget::Budget;

/// Work and milliseconds for the one query whether a counterexample is real.
const LIMITS: (u32, u32) = (50_000_000, 20_000);
/// Work and milliseconds for the query what contradicts what.
const CORE_LIMITS: (u32, u32) = (10_000_000, 3_000);
/// Work and milliseconds for a query of the backward analysis.
const STEP_LIMITS: (u32, u32) = (1_000_000, 500);
/// Queries spent on a smaller contradiction.
const MINIMISE: usize = 60;

/// What the analysis needs.
pub(super) struct Analysis<'a, 'p> {
    pub(super) terms: &'a mut Terms,
    pub(super) labels: &'a Labels<'p>,
    pub(super) predicates: &'a mut Predicates,
    pub(super) config: &'a Config,
    pub(super) budget: &'a Budget,
    /// Calls of the solver.
    pub(super) calls: u64,
}

/// Where predicates are taken from.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    /// The contradictory part of the path formula.
    Core,
    /// These interpolants, in this grain.
    Interpolants(&'a [Term], Grain),
}

/// What a counterexample turns out to be.
pub(super) enum Outcome {
    /// Real, with the values of what is open.
    Feasible(FxHashMap<Symbol, Value>),
    /// Spurious.
    Spurious,
}

impl Analysis<'_, '_> {
    /// Finds out whether a path can be run.
    pub(super) fn run_backward(&mut self, path: &Path) -> Result<Outcome, Reason> {
        let mut solver = Z3Solver::for_one_question();
        solver.set_limits(LIMITS.0, LIMITS.1);
        for step in &path.steps {
            solver.assert(self.terms, step.formula);
        }
        self.calls += 1;
        match solver.check(self.terms, &[]) {
            Answer::Sat => {
                let open = path.steps.iter().flat_map(|s| &s.open).map(|o| o.symbol);
                // Memory that is never written has the contents that its region starts with.
                let regions = self.labels.unfolding.program().regions.iter().map(|r| self.labels.symbol_of(r.symbol));
                let values =
                    open.chain(regions).filter_map(|s| Some((s, solver.symbol_value(self.terms, s)?))).collect();
                Ok(Outcome::Feasible(values))
            }
            Answer::Unsat => Ok(Outcome::Spurious),
            Answer::Unknown => {
                self.budget.check()?;
                Err(Reason::Unsupported("the solver cannot tell whether a counterexample is real".to_owned()))
            }
        }
    }

    /// The pivot of a spurious path: the first node, going up from the error, whose region has nothing in common with its bad
    /// region. By position on the path: the rest of it is impossible from there.
    pub(super) fn pivot(&mut self, path: &Path) -> usize {
        if self.config.part == Part::WholePath && self.config.scope == Scope::Location {
            return 0;
        }
        let mut solver = Z3Solver::for_formulas();
        solver.set_limits(STEP_LIMITS.0, STEP_LIMITS.1);
        for node in (1..path.steps.len()).rev() {
            solver.assert(self.terms, path.steps[node].formula);
            self.calls += 1;
            let region = path.steps[node - 1].region;
            if self.budget.check().is_err() || solver.check(self.terms, &[(region, true)]) == Answer::Unsat {
                return node;
            }
        }
        0
    }

    /// The variables that matter for a spurious path: if every other variable may become anything in each step, it is still spurious.
    /// None can be left out, as far as that was tried; variables that are no `control` are tried first. Nothing, where the solver
    /// gives up.
    pub(super) fn relevant_variables(&mut self, path: &Path, control: &dyn Fn(Symbol) -> bool) -> Option<Vec<Symbol>> {
        let mut of: IndexMap<Symbol, Vec<Term>, FxBuildHasher> = IndexMap::default();
        let mut solver = Z3Solver::for_formulas();
        solver.set_limits(CORE_LIMITS.0, CORE_LIMITS.1);
        for step in &path.steps {
            solver.assert(self.terms, step.guard);
            for &(variable, equation) in &step.equations {
                of.entry(variable).or_default().push(equation);
            }
        }
        let all: Vec<(Symbol, Term)> = of.into_iter().map(|(v, equations)| (v, self.terms.all(equations))).collect();
        let mut relevant = self.core_of(&mut solver, &all)?;
        relevant.sort_by_key(|&(variable, _)| (control(variable), variable));
        let mut next = 0;
        for _ in 0..MINIMISE {
            if next >= relevant.len() || self.budget.check().is_err() {
                break;
            }
            let mut fewer = relevant.clone();
            fewer.remove(next);
            match self.core_of(&mut solver, &fewer) {
                // What was tried is before `next` and needed, so it is in the core.
                Some(core) => relevant = core,
                None => next += 1,
            }
        }
        Some(relevant.into_iter().map(|r| r.0).collect())
    }

    /// The formulas that contradict what stands in the solver, in the same order; nothing if they do not.
    fn core_of(&mut self, solver: &mut Z3Solver, formulas: &[(Symbol, Term)]) -> Option<Vec<(Symbol, Term)>> {
        let assumptions: Vec<(Term, bool)> = formulas.iter().map(|f| (f.1, true)).collect();
        self.calls += 1;
        if solver.check(self.terms, &assumptions) != Answer::Unsat {
            return None;
        }
        let mut core = solver.core();
        core.sort_unstable();
        core.dedup();
        Some(core.into_iter().map(|i| formulas[i]).collect())
    }

    /// The predicates that refute the path from the pivot on, for each node of the path behind the pivot.
    pub(super) fn focus(&mut self, path: &Path, pivot: usize, source: Source<'_>) -> Vec<(usize, Vec<PredicateId>)> {
        let mut found = match source {
            Source::Core => self.core_predicates(path, pivot),
            Source::Interpolants(formulas, grain) => self.interpolant_predicates(path, pivot, formulas, grain),
        };
        if self.config.scope == Scope::Subtree {
            let mut all: Vec<PredicateId> = found.into_iter().flat_map(|(_, predicates)| predicates).collect();
            all.sort_unstable();
            all.dedup();
            found = (pivot + 1..path.steps.len()).map(|node| (node, all.clone())).collect();
        }
        found
    }

    /// The region of the pivot and the steps behind it.
    fn parts(&mut self, path: &Path, pivot: usize) -> Vec<Term> {
        let region = if pivot == 0 { self.terms.tt() } else { path.steps[pivot - 1].region };
        let steps = path.steps[pivot..].iter().map(|s| s.formula);
        std::iter::once(region).chain(steps).collect()
    }

    /// Atoms of the contradictory part of the path formula, primes dropped.
    fn core_predicates(&mut self, path: &Path, pivot: usize) -> Vec<(usize, Vec<PredicateId>)> {
        let parts = self.parts(path, pivot);
        let conjuncts: Vec<Term> = parts.into_iter().flat_map(|p| self.terms.facts(p)).collect();
        let mut solver = Z3Solver::for_formulas();
        solver.set_limits(LIMITS.0, LIMITS.1);
        let core = self.contradiction(&mut solver, conjuncts);
        let mut found = Vec::new();
        for conjunct in core {
            let formula = path.without_primes(self.terms, conjunct);
            for atom in atoms(self.terms, formula) {
                if let Atom::Predicate { key, .. } = atom
                    && self.is_useful(&mut solver, key)
                {
                    found.extend(self.predicates.add_atoms(self.terms, key, self.config.split_equations));
                }
            }
        }
        vec![(pivot + 1, found)]
    }

    /// Whether an atom without primes says something of the variables: it is neither true nor false everywhere (`x = x + 1`), nor
    /// about all of a memory region.
    fn is_useful(&mut self, solver: &mut Z3Solver, atom: Term) -> bool {
        let mut arrays = false;
        self.terms.visit(atom, &mut |node| arrays |= matches!(node, Node::Store(..) | Node::ConstArray(..)));
        if let Node::Binary(BinOp::Eq, a, _) = self.terms.node(atom) {
            arrays |= matches!(self.terms.sort(a), Sort::Array(_));
        }
        if arrays || !self.terms.symbols(atom).iter().all(|&s| self.labels.is_variable(s)) {
            return false;
        }
        self.calls += 2;
        [true, false].into_iter().all(|value| solver.check(self.terms, &[(atom, value)]) != Answer::Unsat)
    }

    /// Conjuncts that have no model together, none of which can be left out, as far as that was tried.
    fn contradiction(&mut self, solver: &mut Z3Solver, conjuncts: Vec<Term>) -> Vec<Term> {
        let mut core = conjuncts;
        let mut next = core.len();
        for attempt in 0..=MINIMISE {
            let candidate: Vec<Term> = match attempt {
                0 => core.clone(),
                _ if next == 0 => break,
                _ => {
                    // What comes last first: near the error there is more than one reason for most things.
                    next -= 1;
                    core.iter().enumerate().filter(|(i, _)| *i != next).map(|(_, t)| *t).collect()
                }
            };
            let assumptions: Vec<(Term, bool)> = candidate.iter().map(|&t| (t, true)).collect();
            self.calls += 1;
            if solver.check(self.terms, &assumptions) == Answer::Unsat {
                core = solver.core().into_iter().map(|i| candidate[i]).collect();
                next = next.min(core.len());
                if attempt == 0 {
                    next = core.len();
                }
            } else if self.budget.check().is_err() {
                break;
            }
        }
        core
    }

    /// Sequence interpolants of the path behind the pivot: one for the pivot, and one for each node behind it.
    pub(super) fn interpolants(&mut self, path: &Path, pivot: usize) -> Result<Vec<Term>, Reason> {
        let parts = self.parts(path, pivot);
        let sequence: Vec<ItpNode> = parts
            .iter()
            .enumerate()
            .map(|(i, &formula)| ItpNode { formula, children: if i == 0 { Vec::new() } else { vec![i - 1] } })
            .collect();
        let budget = self.budget;
        match interpolate(self.terms, &sequence, &self.config.interpolation, &|| budget.check().is_err()) {
            Ok(interpolants) => Ok(interpolants.formulas),
            Err(ItpError::Satisfiable) => {
                Err(Reason::Unsupported("the solver contradicts itself about a counterexample".to_owned()))
            }
            Err(ItpError::GaveUp(why)) => {
                self.budget.check()?;
                Err(Reason::Unsupported(format!("no interpolants: {why}")))
            }
        }
    }

    /// Parts of sequence interpolants, each for its node.
    fn interpolant_predicates(
        &mut self,
        path: &Path,
        pivot: usize,
        formulas: &[Term],
        grain: Grain,
    ) -> Vec<(usize, Vec<PredicateId>)> {
        let (mut found, split) = (Vec::new(), self.config.split_equations);
        // The last one is false; the first belongs to the pivot, whose region has it.
        for (i, &formula) in formulas.iter().enumerate().take(formulas.len() - 1).skip(1) {
            let formula = path.without_primes(self.terms, formula);
            let predicates = match grain {
                Grain::Conjuncts => self.predicates.add_conjuncts(self.terms, formula, split),
                _ => self.predicates.add_atoms(self.terms, formula, split),
            };
            found.push((pivot + i, predicates));
        }
        found
    }
}
