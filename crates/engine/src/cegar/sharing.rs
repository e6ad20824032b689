//! What other engines are told, and what is made of what they tell.

use clinch_analyses::clauses::{CfaClauses, Statement};
use clinch_ir::HornSystem;
use clinch_ir::cfa::CfaProgram;
use clinch_terms::{Term, Terms};

use super::{Cegar, Seed};
use crate::budget::{Observer, Progress};
use crate::horn::Invariants;
use crate::share::{Fact, Known, Learned, Place, Standing};

/// Tells invariants of clauses. They were proved of the clauses, which may speak of integers where the program has bits.
pub(super) fn tell_invariants(system: &HornSystem, known: &mut Invariants, observer: &mut dyn Observer) {
    if !observer.shares() {
        return;
    }
    for (predicate, conjuncts) in system.predicates.iter().zip(&known.conjuncts) {
        for &conjunct in conjuncts {
            observer.tell_of_predicate(&mut known.terms, &predicate.name, conjunct, Standing::Candidate);
        }
    }
}

impl Cegar<'_> {
    /// Tells the predicates that were found since the last time.
    pub(super) fn tell_predicates(&mut self, observer: &mut dyn Observer) {
        if !observer.shares() {
            return;
        }
        for (id, location) in self.system.predicate_ids().zip(&self.system.predicates) {
            for &formula in self.precision.at(id).iter().skip(self.told[id.index()]) {
                observer.tell_of_predicate(&mut self.terms, &location.name, formula, Standing::Predicate);
            }
            self.told[id.index()] = self.precision.at(id).len();
        }
    }
}

/// What other engines found out, as predicates to start from.
pub(super) fn seeds(program: &CfaProgram, clauses: &mut CfaClauses, facts: &[Fact]) -> Vec<Seed> {
    let mut learned = Learned::default();
    learned.absorb(facts, program, &mut clauses.system.terms);
    let mut statements: Vec<Statement> = Vec::new();
    for place in learned.places() {
        let formulas = learned.seeds_at(place).into_iter();
        statements.extend(formulas.map(|formula| ((place.procedure, place.location), formula)));
    }
    let about = clauses.about_parameters(program, &statements);
    let name = |predicate| clauses.system.predicate(predicate).name.clone();
    about.into_iter().map(|(predicate, formula)| Seed { location: name(predicate), formula }).collect()
}

/// Says about a program what is said about its clauses.
pub(super) struct AboutProgram<'a> {
    pub(super) observer: &'a mut dyn Observer,
    pub(super) program: &'a CfaProgram,
    pub(super) clauses: &'a CfaClauses,
}

impl Observer for AboutProgram<'_> {
    fn progress(&mut self, progress: Progress) {
        self.observer.progress(progress);
    }

    fn spurious(&mut self, shape: &str) {
        self.observer.spurious(shape);
    }

    fn shares(&self) -> bool {
        self.observer.shares()
    }

    fn tell(&mut self, fact: Known) {
        self.observer.tell(fact);
    }

    fn tell_of_predicate(&mut self, terms: &mut Terms, predicate: &str, formula: Term, standing: Standing) {
        if let Some(((procedure, location), formula)) = self.clauses.about_variables(terms, predicate, formula)
            && let Some(fact) =
                Known::of_standing(self.program, terms, Place { procedure, location }, formula, standing)
        {
            self.observer.tell(fact);
        }
    }

    fn heard(&mut self) -> Vec<Fact> {
        self.observer.heard()
    }
}
