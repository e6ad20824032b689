//! `post#`: the predicates that hold after a step from abstract states.
//!
//! Every question is asked with assumptions. An answer is worth more than the question it answers: an unsatisfiable core settles all
//! states that contain it, and a model settles all states it belongs to. Both are kept, and both stay true when predicates are added.

use clinch_ir::{Clause, ClauseId, HornSystem};
use clinch_smt::{Answer, Solver, Z3Solver};
use clinch_terms::evaluate::{Assignment, evaluate};
use clinch_terms::{Node, Term, Terms, Value};
use serde::Serialize;

use super::parts::{Parts, Premises};
use super::precision::Precision;
use super::solvers::{Common, Literal, Solvers};
use crate::search::BitSet;

/// How much work the abstraction took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct PostStats {
    /// Questions "does this predicate hold after the step?", however they were answered.
    pub entailment_queries: u64,
    /// Calls of the solver, for those questions and for whether a step is possible at all.
    pub prover_calls: u64,
    /// Entailment queries answered without a call.
    pub cached: u64,
    /// Calls that the solver gave up on.
    pub gave_up: u64,
}

/// Computes abstract successors.
pub(super) struct Abstraction<'s> {
    system: &'s HornSystem,
    /// The clauses with symbols in common, where answers are too.
    renamed: Vec<Clause>,
    clauses: Vec<ClausePost>,
    solvers: Solvers,
    pub(super) stats: PostStats,
}

/// Models kept per clause, the most recent ones.
const MAX_MODELS: usize = 64;
/// Cores kept per question.
const MAX_CORES: usize = 32;

#[derive(Default)]
struct ClausePost {
    /// Whether it was looked at before.
    known: bool,
    /// The predicates of each premise and of the head, about the clause's own symbols.
    body: Vec<Vec<Term>>,
    head: Vec<Term>,
    /// Premises from which the step is impossible.
    infeasible: Vec<Premises>,
    /// For each head predicate, premises that entail it.
    entailing: Vec<Vec<Premises>>,
    models: Vec<KeptModel>,
    parts: Parts,
}

/// An instance of a clause: what holds in it.
struct KeptModel {
    values: Assignment,
    body: Premises,
    /// How many predicates of each premise, and of the head, were evaluated.
    known: Vec<usize>,
    head: BitSet,
    head_known: usize,
}

fn included(smaller: &Premises, larger: &Premises) -> bool {
    smaller.iter().zip(larger).all(|(a, b)| a.is_subset(b))
}

fn restrict(premises: &[&BitSet], to: &Premises) -> Premises {
    premises.iter().zip(to).map(|(premise, part)| premise.intersection(part)).collect()
}

impl<'s> Abstraction<'s> {
    /// `terms` extends the system's store.
    pub(super) fn new(system: &'s HornSystem, terms: &mut Terms) -> Self {
        let clauses =
            system.clauses.iter().map(|c| ClausePost { body: vec![Vec::new(); c.body.len()], ..ClausePost::default() });
        let solvers = Solvers::new(system);
        let renamed = match &solvers {
            Solvers::Own(_) => Vec::new(),
            Solvers::Pool(_) => {
                let mut common = Common::default();
                system.clauses.iter().map(|clause| common.rename(terms, clause)).collect()
            }
        };
        Abstraction { system, renamed, clauses: clauses.collect(), solvers, stats: PostStats::default() }
    }

    /// The strongest conjunction of predicates that holds after the step, or nothing if the step is impossible.
    ///
    /// Where the solver cannot tell, the step counts as possible and the predicate as not entailed.
    pub(super) fn post(
        &mut self,
        terms: &mut Terms,
        precision: &Precision,
        clause: ClauseId,
        premises: &[&BitSet],
    ) -> Option<BitSet> {
        self.prepare(terms, precision, clause);
        let post = &mut self.clauses[clause.index()];
        let (solvers, stats) = (&mut self.solvers, &mut self.stats);
        let text = self.renamed.get(clause.index()).unwrap_or_else(|| self.system.clause(clause));
        let mut query = Query { terms, id: clause, clause: text, solvers, stats };
        if post.check_feasible(&mut query, premises) == Answer::Unsat {
            return None;
        }
        query.stats.entailment_queries += post.head.len() as u64;
        Some((0..post.head.len()).filter(|&predicate| post.entails(&mut query, premises, predicate)).collect())
    }

    /// Makes sure that the clause knows all predicates.
    fn prepare(&mut self, terms: &mut Terms, precision: &Precision, id: ClauseId) {
        let clause = self.renamed.get(id.index()).unwrap_or_else(|| self.system.clause(id));
        let post = &mut self.clauses[id.index()];
        let before = (post.head.len(), post.body.iter().map(Vec::len).sum::<usize>());
        for (application, known) in clause.body.iter().zip(&mut post.body) {
            let params = &self.system.predicate(application.predicate).params;
            for &predicate in &precision.at(application.predicate)[known.len()..] {
                known.push(application.instantiate(terms, params, predicate));
            }
        }
        if let Some(application) = &clause.head {
            let params = &self.system.predicate(application.predicate).params;
            for &predicate in &precision.at(application.predicate)[post.head.len()..] {
                post.head.push(application.instantiate(terms, params, predicate));
                post.entailing.push(Vec::new());
            }
        }
        if before != (post.head.len(), post.body.iter().map(Vec::len).sum()) || !post.known {
            post.known = true;
            post.parts = Parts::new(terms, clause, &post.body, &post.head);
            post.extend_models(terms);
        }
    }
}

/// What a question to the solver needs besides the clause's own state.
struct Query<'a> {
    terms: &'a Terms,
    id: ClauseId,
    clause: &'a Clause,
    solvers: &'a mut Solvers,
    stats: &'a mut PostStats,
}

/// Work and milliseconds for a question that was too hard in the conversation with a clause's solver.
const ALONE: (u32, u32) = (10_000_000, 3_000);

impl Query<'_> {
    /// Asks a question on its own: the solver may then rewrite all of it.
    fn ask_alone(&mut self, literals: &[Literal]) -> Answer {
        self.stats.prover_calls += 1;
        let mut solver = Z3Solver::for_one_question();
        solver.set_limits(ALONE.0, ALONE.1);
        solver.assert(self.terms, self.clause.constraint);
        for &(formula, holds) in literals {
            solver.assert_literal(self.terms, formula, holds);
        }
        solver.check(self.terms, &[])
    }
}

impl ClausePost {
    /// Whether the step is possible from these premises.
    fn check_feasible(&mut self, query: &mut Query<'_>, premises: &[&BitSet]) -> Answer {
        if self.parts.always_feasible {
            return Answer::Sat;
        }
        let premises = restrict(premises, &self.parts.feasibility);
        if self.models.iter().any(|m| included(&premises, &m.body)) {
            return Answer::Sat;
        }
        if self.infeasible.iter().any(|core| included(core, &premises)) {
            return Answer::Unsat;
        }
        let (answer, core) = self.ask(query, &premises, None);
        if let Some(core) = core {
            keep(&mut self.infeasible, core, MAX_CORES);
        }
        answer
    }

    /// Whether the predicate holds after every step from these premises, from which the step is possible.
    fn entails(&mut self, query: &mut Query<'_>, premises: &[&BitSet], predicate: usize) -> bool {
        let formula = self.head[predicate];
        let premises = restrict(premises, &self.parts.entailment[predicate]);
        let assumed = || self.body.iter().zip(&premises).any(|(terms, set)| set.iter().any(|i| terms[i] == formula));
        let refuted = || self.models.iter().any(|m| !m.head.contains(predicate) && included(&premises, &m.body));
        let entailed = || self.entailing[predicate].iter().any(|core| included(core, &premises));
        let known = match query.terms.node(formula) {
            Node::Bool(value) => Some(value),
            _ if assumed() => Some(true),
            _ if refuted() => Some(false),
            _ if entailed() => Some(true),
            _ => None,
        };
        if let Some(known) = known {
            query.stats.cached += 1;
            return known;
        }
        let (answer, core) = self.ask(query, &premises, Some(predicate));
        if let Some(core) = core {
            keep(&mut self.entailing[predicate], core, MAX_CORES);
        }
        answer == Answer::Unsat
    }

    /// One call of the solver, with the head predicate denied if one is given; keeps the model, or returns the
    /// premises that are in the core.
    fn ask(&mut self, query: &mut Query<'_>, premises: &Premises, denied: Option<usize>) -> (Answer, Option<Premises>) {
        let assumed = self.body.iter().zip(premises).flat_map(|(terms, set)| set.iter().map(|i| (terms[i], true)));
        let literals: Vec<Literal> = assumed.chain(denied.map(|k| (self.head[k], false))).collect();
        let found = query.solvers.ask(query.terms, query.id, query.clause, &literals);
        query.stats.prover_calls += u64::from(found.called);
        query.stats.cached += u64::from(!found.called && denied.is_some());
        match found.answer {
            Answer::Unsat => (Answer::Unsat, Some(split_core(premises, &found.core))),
            Answer::Sat => {
                if let Some(values) = found.model {
                    self.keep_model(query.terms, values);
                }
                (Answer::Sat, None)
            }
            Answer::Unknown => {
                let answer = query.ask_alone(&literals);
                query.stats.gave_up += u64::from(answer == Answer::Unknown);
                (answer, (answer == Answer::Unsat).then(|| premises.clone()))
            }
        }
    }

    fn keep_model(&mut self, terms: &Terms, values: Assignment) {
        if self.models.len() == MAX_MODELS {
            self.models.remove(0);
        }
        let premises = self.body.len();
        self.models.push(KeptModel {
            values,
            body: vec![BitSet::new(); premises],
            known: vec![0; premises],
            head: BitSet::new(),
            head_known: 0,
        });
        self.extend_models(terms);
    }

    /// Evaluates the predicates that are new in all kept models.
    fn extend_models(&mut self, terms: &Terms) {
        for model in &mut self.models {
            for ((predicates, known), holds) in self.body.iter().zip(&mut model.known).zip(&mut model.body) {
                extend(terms, &model.values, predicates, known, holds);
            }
            extend(terms, &model.values, &self.head, &mut model.head_known, &mut model.head);
        }
    }
}

fn extend(terms: &Terms, values: &Assignment, predicates: &[Term], known: &mut usize, holds: &mut BitSet) {
    for (i, &predicate) in predicates.iter().enumerate().skip(*known) {
        if evaluate(terms, values, predicate) == Some(Value::Bool(true)) {
            holds.insert(i);
        }
    }
    *known = predicates.len();
}

/// The part of the premises that a core names; assumptions were listed premise by premise.
fn split_core(premises: &Premises, core: &[usize]) -> Premises {
    let mut position = 0;
    let mut parts = Vec::with_capacity(premises.len());
    for premise in premises {
        let mut part = BitSet::new();
        for predicate in premise.iter() {
            if core.binary_search(&position).is_ok() {
                part.insert(predicate);
            }
            position += 1;
        }
        parts.push(part);
    }
    parts
}

fn keep<T>(list: &mut Vec<T>, item: T, limit: usize) {
    if list.len() == limit {
        list.remove(0);
    }
    list.push(item);
}
