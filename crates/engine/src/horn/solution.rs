//! A solution of the simplified clauses, extended to all predicates: events are undone, the last one first.
//!
//! A predicate P that was resolved away gets a formula between what its definitions need and what its uses allow. With the
//! locals of each clause quantified existentially, and the formulas of all other predicates in their place,
//!
//! - *needed*: the disjunction over the definitions of `params = args and body and constraint`,
//! - *excluded*: the disjunction over the uses of `params = args and rest of the body and constraint and not head`.
//!
//! They are disjoint, for the resolvents hold. If equations eliminate all locals of the one, it is the formula; else if of
//! the other, its negation is; else any interpolant of the two. Where P occurs twice in a clause, each occurrence gets its
//! own interpolant, against the earlier ones' and the needed formula for the later ones; P is their conjunction.

use clinch_ir::{Application, HornSystem, Interpretation, PredId};
use clinch_terms::{Symbol, Term, Terms};
use rustc_hash::FxHashMap;

use super::Simplified;
use super::history::{Event, Inlined};
use super::project::{Projection, project};
use super::work::symbols_of;

/// A formula that `a` implies, that contradicts `b`, over symbols of both; asked only for contradictory `a` and `b`.
pub type Interpolate<'a> = dyn FnMut(&mut Terms, Term, Term) -> Option<Term> + 'a;

/// A predicate that was resolved away has no formula without quantifiers that could be found.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no interpolant for the predicate {name}")]
pub struct LostSolution {
    /// Its name.
    pub name: String,
}

/// The solution of the original clauses.
pub(super) fn translate(
    simplified: &Simplified,
    original: &HornSystem,
    solution: Interpretation,
    interpolate: &mut Interpolate<'_>,
) -> Result<Interpretation, LostSolution> {
    let mut formulas = vec![None; original.predicates.len()];
    for (&p, &formula) in simplified.predicates.iter().zip(&solution.formulas) {
        formulas[p.index()] = Some(formula);
    }
    let mut undo = Undo { simplified, terms: solution.terms, formulas, interpolate };
    for event in simplified.history.events.iter().rev() {
        match event {
            Event::False(p) => undo.formulas[p.index()] = Some(undo.terms.ff()),
            Event::True(p) => undo.formulas[p.index()] = Some(undo.terms.tt()),
            Event::Fixed(p, equations) => undo.conjoin(*p, equations),
            Event::Inlined(inlined) => {
                let formula = undo.between(inlined);
                let lost = || LostSolution { name: original.predicate(inlined.predicate).name.clone() };
                undo.formulas[inlined.predicate.index()] = Some(formula.ok_or_else(lost)?);
            }
        }
    }
    // Predicates without clauses may be anything.
    let ff = undo.terms.ff();
    let formulas = undo.formulas.into_iter().map(|f| f.unwrap_or(ff)).collect();
    Ok(Interpretation { terms: undo.terms, formulas })
}

struct Undo<'a, 'i> {
    simplified: &'a Simplified,
    terms: Terms,
    formulas: Vec<Option<Term>>,
    interpolate: &'a mut Interpolate<'i>,
}

/// A predicate being given back.
struct Between<'a> {
    inlined: &'a Inlined,
    params: FxHashMap<PredId, &'a [Symbol]>,
    /// Its own parameters.
    own: &'a [Symbol],
    /// The same, ascending.
    shared: Vec<Symbol>,
}

impl Undo<'_, '_> {
    fn formula(&mut self, p: PredId) -> Term {
        let ff = self.terms.ff();
        self.formulas[p.index()].unwrap_or(ff)
    }

    fn conjoin(&mut self, p: PredId, equations: &[(Symbol, Term)]) {
        let mut formula = self.formula(p);
        for &(param, value) in equations {
            let param = self.terms.symbol(param);
            let equation = self.terms.eq(param, value);
            formula = self.terms.and(formula, equation);
        }
        self.formulas[p.index()] = Some(formula);
    }

    /// A formula for a predicate that was resolved away.
    fn between(&mut self, inlined: &Inlined) -> Option<Term> {
        let params: FxHashMap<PredId, &[Symbol]> = inlined.params.iter().map(|(p, s)| (*p, &**s)).collect();
        let own = params[&inlined.predicate];
        let mut shared = own.to_vec();
        shared.sort_unstable();
        let between = Between { inlined, params, own, shared };
        let needed = self.needed(&between);
        if needed.exact {
            return Some(needed.formula);
        }
        let (once, often): (Vec<usize>, Vec<usize>) =
            inlined.uses.iter().partition(|&&id| self.occurrences(&between, id).len() == 1);
        let mut conjuncts = vec![self.allowed_by_linear_uses(&between, needed.formula, &once)?];
        for id in often {
            conjuncts.extend(self.allowed_by_nonlinear_use(&between, needed.formula, id)?);
        }
        Some(self.terms.all(conjuncts))
    }

    fn occurrences(&self, between: &Between<'_>, id: usize) -> Vec<usize> {
        let body = &self.simplified.history.records[id].clause.body;
        (0..body.len()).filter(|&k| body[k].predicate == between.inlined.predicate).collect()
    }

    /// The disjunction of all definitions.
    fn needed(&mut self, between: &Between<'_>) -> Projection {
        let (mut exact, mut disjuncts) = (true, Vec::new());
        for &id in &between.inlined.definitions {
            let clause = self.simplified.history.records[id].clause.clone();
            let head = clause.head.as_ref().expect("a definition has a head");
            let mut conjuncts = self.equations(between.own, head);
            for application in &clause.body {
                let formula = self.formula(application.predicate);
                conjuncts.push(self.instantiate(between, application, formula));
            }
            conjuncts.push(clause.constraint);
            let projection = self.project(conjuncts, &between.shared);
            exact &= projection.exact;
            disjuncts.push(projection.formula);
        }
        Projection { formula: self.terms.any(disjuncts), exact }
    }

    fn project(&mut self, conjuncts: Vec<Term>, keep: &[Symbol]) -> Projection {
        // Whether there are real numbers was asked once, for all clauses.
        project(&mut self.terms, conjuncts, keep, self.simplified.history.reals)
    }

    /// The formula, or an interpolant, for all uses with one occurrence.
    fn allowed_by_linear_uses(&mut self, between: &Between<'_>, needed: Term, uses: &[usize]) -> Option<Term> {
        let (mut exact, mut disjuncts) = (true, Vec::new());
        for &id in uses {
            let occurrence = self.occurrences(between, id)[0];
            let conjuncts = self.excluded(between, id, occurrence, &FxHashMap::default());
            let projection = self.project(conjuncts, &between.shared);
            exact &= projection.exact;
            disjuncts.push(projection.formula);
        }
        let excluded = self.terms.any(disjuncts);
        if exact {
            return Some(self.terms.not(excluded));
        }
        self.interpolant(between, needed, excluded)
    }

    /// One interpolant per occurrence.
    fn allowed_by_nonlinear_use(&mut self, between: &Between<'_>, needed: Term, id: usize) -> Option<Vec<Term>> {
        let occurrences = self.occurrences(between, id);
        let mut known: FxHashMap<usize, Term> = FxHashMap::default();
        for &k in &occurrences {
            known.insert(k, self.renamed(needed, &between.shared));
        }
        let mut interpolants = Vec::new();
        for &k in &occurrences {
            let conjuncts = self.excluded(between, id, k, &known);
            let projection = self.project(conjuncts, &between.shared);
            let interpolant = if projection.exact {
                self.terms.not(projection.formula)
            } else {
                self.interpolant(between, needed, projection.formula)?
            };
            known.insert(k, interpolant);
            interpolants.push(interpolant);
        }
        Some(interpolants)
    }

    fn interpolant(&mut self, between: &Between<'_>, a: Term, b: Term) -> Option<Term> {
        let interpolant = (self.interpolate)(&mut self.terms, a, b)?;
        let symbols = symbols_of(&self.terms, [interpolant]);
        symbols.iter().all(|s| between.shared.binary_search(s).is_ok()).then_some(interpolant)
    }

    /// What a use excludes at one occurrence, given formulas for the other occurrences.
    fn excluded(
        &mut self,
        between: &Between<'_>,
        id: usize,
        occurrence: usize,
        known: &FxHashMap<usize, Term>,
    ) -> Vec<Term> {
        let clause = self.simplified.history.records[id].clause.clone();
        let mut conjuncts = self.equations(between.own, &clause.body[occurrence]);
        for (k, application) in clause.body.iter().enumerate().filter(|(k, _)| *k != occurrence) {
            let formula = match known.get(&k) {
                Some(&formula) => formula,
                None => self.formula(application.predicate),
            };
            conjuncts.push(self.instantiate(between, application, formula));
        }
        conjuncts.push(clause.constraint);
        if let Some(head) = &clause.head {
            let formula = self.formula(head.predicate);
            let formula = self.instantiate(between, head, formula);
            conjuncts.push(self.terms.not(formula));
        }
        conjuncts
    }

    /// `params = args`.
    fn equations(&mut self, params: &[Symbol], application: &Application) -> Vec<Term> {
        let terms = &mut self.terms;
        let equate = |(&param, &arg): (&Symbol, &Term)| {
            let param = terms.symbol(param);
            terms.eq(param, arg)
        };
        params.iter().zip(&application.args).map(equate).collect()
    }

    fn instantiate(&mut self, between: &Between<'_>, application: &Application, formula: Term) -> Term {
        application.instantiate(&mut self.terms, between.params[&application.predicate], formula)
    }

    /// A formula with fresh symbols for all but `keep`.
    fn renamed(&mut self, formula: Term, keep: &[Symbol]) -> Term {
        let mut map = FxHashMap::default();
        for s in symbols_of(&self.terms, [formula]) {
            if keep.binary_search(&s).is_err() {
                let (name, sort) = (self.terms.symbol_name(s).to_owned(), self.terms.symbol_sort(s).clone());
                map.insert(s, self.terms.fresh(name, sort));
            }
        }
        self.terms.substitute_symbols(formula, &map)
    }
}
