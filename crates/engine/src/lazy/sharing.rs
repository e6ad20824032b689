//! What other engines are told, and what is made of what they tell.
//!
//! Others are told which values are control, the predicates with their places, and what the data-flow pass knows. What they tell is used
//! as predicates at the places that it is about: so it is asked about, not believed.

use clinch_analyses::clauses::Encoding;
use clinch_analyses::encoding::widen;
use clinch_ir::Reason;
use clinch_ir::cfa::unfold::PointId;
use clinch_terms::Term;
use rustc_hash::FxHashSet;

use super::Lazy;
use super::config::Scope;
use super::predicates::PredicateId;
use crate::budget::Observer;
use crate::share::{Known, Learned, Place};

/// Refinements between two exchanges.
const EVERY: u64 = 16;

/// The state of the exchange.
#[derive(Default)]
pub(super) struct Sharing {
    learned: Learned,
    /// Points that have the predicates learned for them.
    seeded: FxHashSet<PointId>,
    /// What was told, or came from others.
    told: FxHashSet<(PointId, PredicateId)>,
}

impl Lazy<'_> {
    /// Starts from what others know, and tells what is known without a search.
    pub(super) fn start_sharing(&mut self, observer: &mut dyn Observer) -> Result<(), Reason> {
        if !observer.shares() {
            return Ok(());
        }
        self.sharing.learned.absorb(&self.config.facts, self.program, &mut self.terms);
        self.hear(observer);
        let control = self.sharing.learned.control.clone();
        if self.labels.tracking.is_on() && self.labels.tracking.track(control) {
            self.restart()?;
        }
        for (at, formula) in self.data_flow.invariants(&mut self.terms, &self.labels) {
            if let Some(fact) = Known::invariant(self.program, &self.terms, at, formula) {
                observer.tell(fact);
            }
        }
        Ok(())
    }

    pub(super) fn exchange_now_and_then(&mut self, observer: &mut dyn Observer) {
        if self.stats.refinements.is_multiple_of(EVERY) {
            self.exchange(observer);
        }
    }

    /// Hears, and tells what is new.
    pub(super) fn exchange(&mut self, observer: &mut dyn Observer) {
        if !observer.shares() {
            return;
        }
        self.hear(observer);
        if let Some(fact) = Known::control(self.program, &self.labels.tracking.tracked_variables()) {
            observer.tell(fact);
        }
        let mut new: Vec<(PointId, PredicateId)> = Vec::new();
        for (&point, support) in &self.precision {
            let ids = support.iter().map(|p| (point, p as PredicateId));
            new.extend(ids.filter(|found| !self.sharing.told.contains(found)));
        }
        for (point, predicate) in new {
            self.sharing.told.insert((point, predicate));
            let at = self.place(point);
            if let Some(formula) = self.in_bits(predicate)
                && let Some(fact) = Known::predicate(self.program, &self.terms, at, formula)
            {
                observer.tell(fact);
            }
        }
    }

    fn hear(&mut self, observer: &mut dyn Observer) {
        let facts = observer.heard();
        if self.sharing.learned.absorb(&facts, self.program, &mut self.terms) > 0 {
            self.sharing.seeded.clear();
        }
        self.stats.facts.extend(facts);
    }

    /// Gives a point the predicates that others found for its place.
    pub(super) fn seed(&mut self, point: PointId) {
        if self.config.scope != Scope::Location || !self.sharing.seeded.insert(point) {
            return;
        }
        for formula in self.sharing.learned.seeds_at(self.place(point)) {
            let formula = self.labels.formula(&mut self.terms, formula);
            for predicate in self.predicates.add_atoms(&mut self.terms, formula, self.config.split_equations) {
                // An encoding may have symbols of its own, for operations that it lacks.
                if self.labels.are_live(point, self.predicates.symbols(predicate))
                    && self.sharing.told.insert((point, predicate))
                {
                    self.precision.entry(point).or_default().insert(predicate as usize);
                    self.stats.predicates_of_others += 1;
                }
            }
        }
    }

    /// A predicate as a formula over the program's variables, if it can be said in bits.
    fn in_bits(&mut self, predicate: PredicateId) -> Option<Term> {
        let formula = self.predicates.formula(predicate);
        match self.encoding {
            Encoding::Bits => Some(formula),
            Encoding::Integers(_) => widen(&mut self.terms, formula, &self.labels.variables),
        }
    }

    fn place(&self, point: PointId) -> Place {
        let point = self.labels.unfolding.point(point);
        Place { procedure: point.procedure, location: point.location }
    }
}
