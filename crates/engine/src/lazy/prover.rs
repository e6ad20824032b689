//! Questions about labels: is there a run along a label from a conjunction of predicates after which a predicate has a value?
//!
//! Calls of the solver are what lazy abstraction costs ([Lazy, section 6]), so answers are kept. A "no" is kept with the
//! literals that were needed, and answers every question that has these among its own; a "yes" answers every question
//! that has no others.

use clinch_bdd::Literal;
use clinch_smt::{Answer, Solver, Z3Solver};
use clinch_terms::{Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::label::{LabelId, Labels};
use super::predicates::Predicates;

/// How often the prover was asked ([Lazy, table 1]).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ProverCalls {
    /// Questions.
    pub total: u64,
    /// Those answered from the cache.
    pub cached: u64,
}

/// A question about a label: what is to be the case afterwards, as a formula over the values before.
pub(super) type Question = (LabelId, Option<(Term, bool)>);

#[derive(Default)]
struct Known {
    /// Literals from which there is no such run.
    impossible: Vec<Box<[Literal]>>,
    /// Literals from which there is one.
    possible: Vec<Box<[Literal]>>,
}

/// Answers kept of each kind for one question.
const KEPT: usize = 64;
/// More large blocks than this share a solver, and so do small steps: solvers take time to make, and memory.
const MAX_SOLVERS: usize = 300;
/// Work and milliseconds for a question that was too hard in a conversation.
const ALONE: (u32, u32) = (5_000_000, 2_000);

/// The prover.
pub(super) struct Prover {
    /// How many labels have a solver of their own.
    most: usize,
    own: FxHashMap<LabelId, Z3Solver>,
    /// Labels that were asked about before: it pays to make a solver for them.
    asked: FxHashSet<LabelId>,
    shared: Z3Solver,
    /// The label whose guard stands in the shared solver: questions about one label come one after the other.
    stands: Option<LabelId>,
    known: FxHashMap<Question, Known>,
    pub(super) calls: ProverCalls,
}

impl Prover {
    /// `few` says that there are few labels and many questions about each.
    pub(super) fn new(few: bool) -> Self {
        Prover {
            most: if few { MAX_SOLVERS } else { 0 },
            own: FxHashMap::default(),
            asked: FxHashSet::default(),
            shared: Z3Solver::for_formulas(),
            stands: None,
            known: FxHashMap::default(),
            calls: ProverCalls::default(),
        }
    }

    /// Whether a run along the label is possible from a state with these literals, so that the wanted formula has the wanted
    /// value. After a new `Sat`, `look` may ask the model for truth values.
    pub(super) fn ask(
        &mut self,
        (terms, labels, predicates): (&mut Terms, &Labels<'_>, &Predicates),
        label: LabelId,
        premises: &[Literal],
        wanted: Option<(Term, bool)>,
        look: &mut dyn FnMut(&mut Z3Solver, &Terms),
    ) -> Answer {
        self.calls.total += 1;
        let known = self.known.entry((label, wanted)).or_default();
        if known.impossible.iter().any(|core| is_subset(core, premises)) {
            self.calls.cached += 1;
            return Answer::Unsat;
        }
        if known.possible.iter().any(|more| is_subset(premises, more)) {
            self.calls.cached += 1;
            return Answer::Sat;
        }
        let assumptions: Vec<(Term, bool)> =
            premises.iter().map(|&(p, value)| (predicates.formula(p), value)).chain(wanted).collect();
        let guard = labels.get(label).asked;
        let (mut answer, core) = self.converse(terms, label, guard, &assumptions, look);
        let mut needed: Vec<Literal> = premises.to_vec();
        match answer {
            Answer::Unsat => needed = core.into_iter().filter_map(|i| premises.get(i).copied()).collect(),
            Answer::Sat => {}
            Answer::Unknown => answer = ask_alone(terms, guard, &assumptions),
        }
        let known = self.known.entry((label, wanted)).or_default();
        match answer {
            Answer::Unsat => keep(&mut known.impossible, needed.into()),
            Answer::Sat => keep(&mut known.possible, premises.into()),
            Answer::Unknown => {}
        }
        answer
    }

    /// Whether it is known without a question that there is no such run.
    pub(super) fn is_known_impossible(&self, label: LabelId, premises: &[Literal], wanted: (Term, bool)) -> bool {
        let known = self.known.get(&(label, Some(wanted)));
        known.is_some_and(|known| known.impossible.iter().any(|core| is_subset(core, premises)))
    }

    /// As there is no run with one of these values from the premises, there is none with any of them, for the same reason.
    pub(super) fn learn_from(&mut self, of: Question, values: &[(Term, bool)], premises: &[Literal]) {
        let reasons = self.known.get(&of).map_or(&[][..], |known| &known.impossible);
        let reason = reasons.iter().rev().find(|core| is_subset(core, premises));
        let reason: Box<[Literal]> = reason.cloned().unwrap_or_else(|| premises.into());
        for &value in values {
            keep(&mut self.known.entry((of.0, Some(value))).or_default().impossible, reason.clone());
        }
    }

    fn converse(
        &mut self,
        terms: &mut Terms,
        label: LabelId,
        guard: Term,
        assumptions: &[(Term, bool)],
        look: &mut dyn FnMut(&mut Z3Solver, &Terms),
    ) -> (Answer, Vec<usize>) {
        let mut core = Vec::new();
        let answer = self.with_solver(terms, label, guard, |solver, terms| {
            let answer = solver.check(terms, assumptions);
            match answer {
                Answer::Unsat => core = solver.core(),
                Answer::Sat => look(solver, terms),
                Answer::Unknown => {}
            }
            answer
        });
        (answer, core)
    }

    /// Lets something be done with a solver in which the guard of the label stands, and that alone.
    pub(super) fn with_solver<R>(
        &mut self,
        terms: &mut Terms,
        label: LabelId,
        guard: Term,
        work: impl FnOnce(&mut Z3Solver, &mut Terms) -> R,
    ) -> R {
        let room = self.own.len() < self.most && !self.asked.insert(label);
        if room || self.own.contains_key(&label) {
            let solver = self.own.entry(label).or_insert_with(|| {
                let mut solver = Z3Solver::for_formulas();
                solver.assert(terms, guard);
                solver
            });
            return work(solver, terms);
        }
        if self.stands != Some(label) {
            if self.stands.replace(label).is_some() {
                self.shared.pop();
            }
            self.shared.push();
            self.shared.assert(terms, guard);
        }
        work(&mut self.shared, terms)
    }
}

/// Asks a question on its own: the solver may then rewrite all of it.
fn ask_alone(terms: &Terms, guard: Term, literals: &[(Term, bool)]) -> Answer {
    let mut solver = Z3Solver::for_one_question();
    solver.set_limits(ALONE.0, ALONE.1);
    solver.assert(terms, guard);
    for &(formula, holds) in literals {
        solver.assert_literal(terms, formula, holds);
    }
    solver.check(terms, &[])
}

/// Both sorted.
fn is_subset(smaller: &[Literal], larger: &[Literal]) -> bool {
    let mut rest = larger.iter();
    smaller.iter().all(|s| rest.any(|l| l == s))
}

fn keep<T>(list: &mut Vec<T>, item: T) {
    if list.len() == KEPT {
        list.remove(0);
    }
    list.push(item);
}
