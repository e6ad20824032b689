//! Is the abstraction exact, and which predicates would make it so? ([Alpha, section 4.2].)

use clinch_ir::symbolic::at_locations;
use clinch_ir::{SymbolicTransition, TransId};
use clinch_smt::{Literal, Prover};
use clinch_terms::{BinOp, LocId, Node, Term, Terms, UnOp};
use rustc_hash::FxHashMap;

use super::predicates::{Predicates, Scope};
use super::{Context, PredicateScope};

/// An abstract state: the locations, and the value of each predicate (false for those not used there).
#[derive(Clone, Debug)]
pub(super) struct AlphaState {
    pub(super) locs: Vec<LocId>,
    pub(super) bits: Vec<u64>,
}

impl AlphaState {
    pub(super) fn bit(&self, i: usize) -> bool {
        self.bits[i / 64] >> (i % 64) & 1 != 0
    }
}

/// Checks transitions of one search, and collects `Phi_new`.
pub(super) struct Exactness<'a> {
    pub(super) context: Context<'a>,
    pub(super) terms: &'a mut Terms,
    /// `Phi`: the predicates of this search.
    pub(super) phi: &'a Predicates,
    /// `Phi_new`: those and what is found missing.
    pub(super) phi_new: Predicates,
    prover: Option<&'a mut Prover>,
    symbolic: &'a [SymbolicTransition],
    /// `phi[e_i(x)/x]` by transition and predicate.
    after: FxHashMap<(TransId, usize), Term>,
    /// The predicates that can help to prove a conclusion.
    connected: FxHashMap<Term, Box<[usize]>>,
    predicate_terms: Vec<Term>,
    /// Transitions, with the state they were tried in, that could not be proved exact.
    pub(super) inexact: Vec<(TransId, usize)>,
}

impl<'a> Exactness<'a> {
    pub(super) fn new(
        context: Context<'a>,
        terms: &'a mut Terms,
        symbolic: &'a [SymbolicTransition],
        phi: &'a Predicates,
        prover: Option<&'a mut Prover>,
    ) -> Self {
        Exactness {
            context,
            terms,
            phi,
            phi_new: phi.clone(),
            prover,
            symbolic,
            after: FxHashMap::default(),
            connected: FxHashMap::default(),
            predicate_terms: phi.iter().map(|p| p.term).collect(),
            inexact: Vec::new(),
        }
    }

    /// `alpha(s) => g_i`, or `alpha(s) => not g_i`; else `g_i` becomes a predicate. Likewise for the absence of faults.
    pub(super) fn check_guard(&mut self, number: usize, s: &AlphaState, i: TransId, enabled: bool) {
        let step = self.symbolic(i);
        for (formula, value) in [(step.fault, false), (step.effect.guard, enabled)] {
            let formula = at_locations(self.terms, &s.locs, formula);
            if !self.implied(s, (formula, value)) {
                self.refine(number, i, formula);
            }
        }
    }

    /// `alpha(s) => alpha(s')[e_i(x)/x]`, conjunct by conjunct; the atoms of those that are not proved become
    /// predicates ([Alpha, section 8, first item]).
    pub(super) fn check_successor(
        &mut self,
        number: usize,
        s: &AlphaState,
        i: TransId,
        inputs: &[i64],
        next: &AlphaState,
    ) {
        for p in 0..self.phi.len() {
            if !self.phi.active(p, &next.locs) {
                continue;
            }
            let after = self.after(i, p, inputs, &s.locs);
            let unchanged = after == self.predicate_terms[p] && self.phi.active(p, &s.locs);
            if !unchanged && !self.implied(s, (after, next.bit(p))) {
                self.refine(number, i, after);
            }
        }
    }

    /// `phi[e_i(x)/x]` with the inputs and the locations before the step put in.
    pub(super) fn after(&mut self, i: TransId, p: usize, inputs: &[i64], locs: &[LocId]) -> Term {
        let symbolic = &self.symbolic[i.index()];
        let (terms, program, predicate) = (&mut *self.terms, self.context.model.program, self.predicate_terms[p]);
        let after = *self.after.entry((i, p)).or_insert_with(|| symbolic.after(program, terms, predicate));
        let after = with_inputs(self.terms, after, inputs);
        if self.terms.mentions_control(after) { at_locations(self.terms, locs, after) } else { after }
    }

    /// A transition as formulas.
    pub(super) fn symbolic(&self, i: TransId) -> &'a SymbolicTransition {
        &self.symbolic[i.index()]
    }

    /// Records that a transition is not exact, and adds the atoms of what was not proved.
    pub(super) fn refine(&mut self, number: usize, i: TransId, formula: Term) {
        let scope = match self.context.config.scope {
            PredicateScope::Global => Scope::Everywhere,
            PredicateScope::Transition => Scope::of_transition(&self.context.model.program.transition(i).moves),
        };
        self.phi_new.add(self.context.model, self.terms, formula, scope);
        self.inexact.push((i, number));
    }

    /// Whether the abstract state implies the literal: by what its predicates say, or else by the prover.
    fn implied(&mut self, s: &AlphaState, (formula, value): Literal) -> bool {
        if let Some(decided) = self.decide(s, formula) {
            return decided == value;
        }
        let Some(prover) = &mut self.prover else { return false };
        if self.context.budget.check().is_err() {
            // The search ends before the answer matters.
            return false;
        }
        let terms = &*self.terms;
        let connected = self
            .connected
            .entry(formula)
            .or_insert_with(|| prover.connected(terms, &self.predicate_terms, formula).into());
        let premises: Vec<Literal> = connected
            .iter()
            .filter(|&&p| self.phi.active(p, &s.locs))
            .map(|&p| (self.predicate_terms[p], s.bit(p)))
            .collect();
        prover.implies(terms, &premises, (formula, value))
    }

    /// The value of a formula where the predicates give it without reasoning.
    fn decide(&mut self, s: &AlphaState, formula: Term) -> Option<bool> {
        match self.terms.node(formula) {
            Node::Bool(value) => Some(value),
            Node::Unary(UnOp::Not, a) => self.decide(s, a).map(|v| !v),
            Node::Binary(BinOp::And, a, b) => match (self.decide(s, a), self.decide(s, b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), other) | (other, Some(true)) => other,
                (None, None) => None,
            },
            Node::Binary(BinOp::Or, a, b) => match (self.decide(s, a), self.decide(s, b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), other) | (other, Some(false)) => other,
                (None, None) => None,
            },
            _ => self.phi.value_of(self.terms, &s.locs, formula, |p| s.bit(p)),
        }
    }
}

/// The formula with values for the inputs of a step.
pub(super) fn with_inputs(terms: &mut Terms, formula: Term, inputs: &[i64]) -> Term {
    if inputs.is_empty() {
        return formula;
    }
    terms.replace(formula, &mut |terms, t| match terms.node(t) {
        Node::Input(k) => Some(terms.int(inputs[k as usize])),
        _ => None,
    })
}
