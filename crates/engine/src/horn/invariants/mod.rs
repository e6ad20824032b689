//! Cheap inductive invariants of Horn clauses, by symbolic abstraction.
//!
//! T. Reps, M. Sagiv, G. Yorsh: Symbolic Implementation of the Best Transformer, VMCAI 2004; M. Elder et al.: Abstract Domains
//! of Affine Relations, SAS 2011; C. Flanagan, K. R. M. Leino: Houdini, an Annotation Assistant for ESC/Java, FME 2001.
//!
//! Each predicate has an [`Element`]: the affine hull of the points seen so far, bounds of linear [`templates`], and facts
//! about truth values, remainders and what is never equal. All start at the bottom. A clause whose body holds in the current
//! elements and whose head does not has a model; the head's values are added to the head's element, until no clause has a model any more.
//!
//! Invariant of the loop: a clause that is not in the queue has no model with the elements as they are, except those
//! of premises without a point. At the end the elements are therefore a solution of all clauses that have a head.
//!
//! The domain has no infinite ascending chains: a hull has at most as many dimensions as there are parameters, a bound is
//! relaxed to one of finitely many thresholds and then dropped. When half of the budget is spent, points no longer relax
//! but drop; when all of it is spent, there are no invariants.

mod affine;
mod element;
mod goals;
mod needed;
mod relations;
mod templates;

use std::collections::VecDeque;
use std::time::Duration;

use clinch_ir::{Application, ClauseId, HornSystem, Interpretation, PredId};
use clinch_smt::{Answer, Solver, Z3Solver};
use clinch_terms::evaluate::{Assignment, evaluate};
use clinch_terms::{Node, Sort, Term, Terms, Value};
use num_bigint::BigInt;
use num_rational::BigRational;
use serde::Serialize;

use crate::budget::Budget;
use crate::turns::thread_time;
use element::{Element, Mode, Point, coordinate};
use relations::Relations;
use templates::Template;

/// What may be spent on invariants, and on which.
#[derive(Clone, Debug)]
pub struct InvariantOptions {
    /// The time in which they must be found.
    pub time: Duration,
    /// The part of the time left that this may be, in per cent.
    pub share: u32,
    /// How many questions the solver may be asked.
    pub max_queries: u64,
    /// Sums and differences of two parameters are bounded where there are at most so many numeric ones.
    pub max_paired: usize,
    /// How many clauses further a form that is compared with a constant is tried.
    pub propagation: usize,
    /// Systems with more clauses have no invariants.
    pub max_clauses: usize,
    /// Whether it is tried that what clauses compare is never equal, that one of two things is, or that what queries ask for holds
    /// elsewhere.
    pub relations: bool,
}

impl Default for InvariantOptions {
    fn default() -> Self {
        InvariantOptions {
            time: Duration::from_secs(1),
            share: 10,
            max_queries: 10_000,
            max_paired: 10,
            propagation: 2,
            max_clauses: 400,
            relations: false,
        }
    }
}

impl InvariantOptions {
    /// The same, in their part of the time that is left.
    #[must_use]
    pub fn within(&self, budget: &Budget) -> Self {
        let time = budget.remaining().map_or(self.time, |left| self.time.min(left * self.share / 100));
        InvariantOptions { time, ..self.clone() }
    }

    /// Whether a system is small enough.
    pub(crate) fn allows(&self, system: &HornSystem) -> bool {
        system.clauses.len() <= self.max_clauses
    }
}

/// How the search for invariants went.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct InvariantStats {
    /// Questions to the solver.
    pub queries: u64,
    /// Points found.
    pub points: u64,
    /// Conjuncts of the invariants that say something new.
    pub conjuncts: u64,
    /// Time spent.
    pub seconds: f64,
}

/// A formula for each predicate that holds wherever the predicate must.
#[derive(Clone, Debug)]
pub struct Invariants {
    /// The store of the formulas; it extends the system's.
    pub terms: Terms,
    /// One formula per predicate, over its parameters: `true` where nothing is known, `false` where nothing is derived.
    pub formulas: Vec<Term>,
    /// What the formulas are conjunctions of.
    pub conjuncts: Vec<Vec<Term>>,
    /// How they were found.
    pub stats: InvariantStats,
    /// Whether the search came to its end.
    pub found: bool,
}

impl Invariants {
    /// A solution of the clauses that [`strengthen`] made as one of the original clauses: the invariants are added as far as
    /// they are needed.
    #[must_use]
    pub fn solution(&self, system: &HornSystem, solution: Interpretation) -> Interpretation {
        needed::solution(self, system, solution)
    }
}

/// Inductive invariants; `true` for all predicates when `stop` says so or the options do not allow more.
pub fn invariants(system: &HornSystem, options: &InvariantOptions, stop: &dyn Fn() -> bool) -> Invariants {
    let mut search = Search::new(system, options, stop);
    let found = options.allows(system) && search.fixpoint().is_ok();
    let conjuncts = (0..system.predicates.len()).map(|p| if found { search.result(p) } else { Vec::new() });
    let conjuncts: Vec<Vec<Term>> = conjuncts.collect();
    let formulas = conjuncts.iter().map(|c| search.terms.all(c.iter().copied())).collect();
    search.stats.seconds = thread_time().saturating_sub(search.start).as_secs_f64();
    Invariants { terms: search.terms, formulas, conjuncts, stats: search.stats, found }
}

/// The same clauses with the invariants of the premises among the constraints.
pub fn strengthen(system: &HornSystem, invariants: &Invariants) -> HornSystem {
    let mut strong = HornSystem { terms: invariants.terms.clone(), ..system.clone() };
    for clause in &mut strong.clauses {
        for application in &clause.body {
            let params = &system.predicate(application.predicate).params;
            let invariant = invariants.formulas[application.predicate.index()];
            let here = application.instantiate(&mut strong.terms, params, invariant);
            clause.constraint = strong.terms.and(here, clause.constraint);
        }
    }
    strong
}

/// Work a query may do before the solver gives up.
const RESOURCES: u32 = 300_000;
/// Milliseconds a query may take.
const TIMEOUT: u32 = 500;

struct Search<'a> {
    system: &'a HornSystem,
    options: &'a InvariantOptions,
    stop: &'a dyn Fn() -> bool,
    /// The processor's time when it began.
    start: Duration,
    terms: Terms,
    templates: Vec<Vec<Template>>,
    moduli: Vec<BigInt>,
    relations: Vec<Relations>,
    goals: Vec<Vec<Term>>,
    /// None: no point was found.
    elements: Vec<Option<Element>>,
    solvers: Vec<Option<Z3Solver>>,
    stats: InvariantStats,
}

/// The budget is spent.
struct Spent;

impl<'a> Search<'a> {
    fn new(system: &'a HornSystem, options: &'a InvariantOptions, stop: &'a dyn Fn() -> bool) -> Self {
        let start = thread_time();
        let mut terms = system.terms.clone();
        Search {
            system,
            options,
            stop,
            start,
            goals: goals::goals(&mut terms, system, options),
            terms,
            templates: templates::templates(system, options),
            moduli: templates::moduli(system),
            relations: relations::relations(system, options),
            elements: vec![None; system.predicates.len()],
            solvers: system.clauses.iter().map(|_| None).collect(),
            stats: InvariantStats::default(),
        }
    }

    /// Adds points until no clause has another one.
    fn fixpoint(&mut self) -> Result<(), Spent> {
        let mut users: Vec<Vec<ClauseId>> = vec![Vec::new(); self.system.predicates.len()];
        let derives = |&c: &ClauseId| self.system.clause(c).head.is_some();
        let mut queue: VecDeque<ClauseId> = self.system.clause_ids().filter(derives).collect();
        for &id in &queue {
            self.system.clause(id).body.iter().for_each(|a| users[a.predicate.index()].push(id));
        }
        let mut queued = vec![true; self.system.clauses.len()];
        while let Some(id) = queue.pop_front() {
            queued[id.index()] = false;
            let clause = self.system.clause(id);
            let Some(head) = &clause.head else { continue };
            if self.saturate(id, head)? {
                for &user in &users[head.predicate.index()] {
                    if !std::mem::replace(&mut queued[user.index()], true) {
                        queue.push_back(user);
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds all points that the clause derives from the current elements of its body. Whether there are any.
    fn saturate(&mut self, id: ClauseId, head: &Application) -> Result<bool, Spent> {
        let clause = self.system.clause(id);
        let mut body = Vec::new();
        for application in &clause.body {
            let Some(conjuncts) = self.conjuncts(application) else { return Ok(false) };
            body.extend(conjuncts);
        }
        let mut solver = self.solvers[id.index()].take().unwrap_or_else(|| {
            let mut solver = Z3Solver::for_formulas();
            solver.set_limits(RESOURCES, TIMEOUT);
            solver.assert(&self.terms, clause.constraint);
            solver
        });
        solver.push();
        body.iter().for_each(|&fact| solver.assert(&self.terms, fact));
        let changed = self.add_points(id, head, &mut solver);
        solver.pop();
        self.solvers[id.index()] = Some(solver);
        changed
    }

    fn add_points(&mut self, id: ClauseId, head: &Application, solver: &mut Z3Solver) -> Result<bool, Spent> {
        let mut changed = false;
        loop {
            let known = match self.conjuncts(head) {
                Some(conjuncts) => self.terms.all(conjuncts),
                None => self.terms.ff(),
            };
            if self.terms.node(known) == Node::Bool(true) {
                return Ok(changed);
            }
            self.spend()?;
            let outside = self.terms.not(known);
            solver.push();
            solver.assert(&self.terms, outside);
            let point = match solver.check(&self.terms, &[]) {
                Answer::Unsat => {
                    solver.pop();
                    return Ok(changed);
                }
                Answer::Sat => self.point(id, head, solver),
                Answer::Unknown => None,
            };
            solver.pop();
            self.add(id, head, point);
            changed = true;
        }
    }

    /// One more question.
    fn spend(&mut self) -> Result<(), Spent> {
        self.stats.queries += 1;
        let spent = self.stats.queries > self.options.max_queries
            || thread_time().saturating_sub(self.start) > self.options.time;
        if spent || (self.stop)() { Err(Spent) } else { Ok(()) }
    }

    /// The element of an application, about its arguments; nothing at the bottom.
    fn conjuncts(&mut self, application: &Application) -> Option<Vec<Term>> {
        let p = application.predicate.index();
        let element = self.elements[p].as_ref()?;
        let mut conjuncts = element.conjuncts(&mut self.terms, &application.args, &self.templates[p]);
        let params = &self.system.predicates[p].params;
        conjuncts.extend(element.goals.iter().map(|&g| application.instantiate(&mut self.terms, params, g)));
        Some(conjuncts)
    }

    /// The goals of a predicate that hold at a point.
    fn goals_at(&self, p: usize, point: &Point) -> Vec<Term> {
        let params = self.system.predicates[p].params.iter().zip(point);
        let value = |(&s, c)| Some((s, element::value(self.terms.symbol_sort(s), c)?));
        let assignment: Assignment = params.filter_map(value).collect();
        let holds = |&&goal: &&Term| evaluate(&self.terms, &assignment, goal) == Some(Value::Bool(true));
        self.goals[p].iter().filter(holds).copied().collect()
    }

    /// The values of the head in the solver's model, if they are known.
    fn point(&self, id: ClauseId, head: &Application, solver: &Z3Solver) -> Option<Point> {
        let vars = self.system.clause(id).vars.iter();
        let values = vars.filter_map(|&s| Some((s, solver.symbol_value(&self.terms, s)?)));
        let assignment: Assignment = values.collect();
        let params = &self.system.predicate(head.predicate).params;
        let coordinates = head.args.iter().zip(params).map(|(&arg, &param)| match self.terms.symbol_sort(param) {
            Sort::Array(_) | Sort::BitVec(_) => Some(BigRational::default()),
            _ => evaluate(&self.terms, &assignment, arg).map(coordinate),
        });
        coordinates.collect()
    }

    /// Adds a point; nothing is known any more if the point is not.
    fn add(&mut self, id: ClauseId, head: &Application, point: Option<Point>) {
        self.stats.points += 1;
        let p = head.predicate.index();
        let goals = point.as_ref().map(|point| self.goals_at(p, point)).unwrap_or_default();
        let templates = &self.templates[p];
        let half = self.stats.queries > self.options.max_queries / 2
            || thread_time().saturating_sub(self.start) > self.options.time / 2;
        let mode = match self.system.clause(id).body.is_empty() {
            _ if half => Mode::Widen,
            true => Mode::JoinFact,
            false => Mode::Join,
        };
        let element = &mut self.elements[p];
        *element = Some(match (element.take(), point) {
            (_, None) => Element::top(),
            (None, Some(point)) => {
                let params = self.system.predicates[p].params.iter();
                let sorts: Vec<Sort> = params.map(|&s| self.terms.symbol_sort(s).clone()).collect();
                Element::of(&point, &sorts, templates, (&self.moduli, &self.relations[p]), goals)
            }
            // A point that is inside although the solver says that it is not has no meaning here.
            (Some(mut old), Some(point)) => {
                let inside = !old.add(&point, templates, &goals, mode);
                if inside { Element::top() } else { old }
            }
        });
    }

    /// The invariant of a predicate, without conjuncts that those before them imply.
    fn result(&mut self, p: usize) -> Vec<Term> {
        let params = self.system.predicates[p].params.clone();
        let args: Vec<Term> = params.iter().map(|&s| self.terms.symbol(s)).collect();
        let itself = Application { predicate: PredId::from_index(p), args };
        let Some(conjuncts) = self.conjuncts(&itself) else { return vec![self.terms.ff()] };
        let mut solver = Z3Solver::for_formulas();
        solver.set_limits(RESOURCES, TIMEOUT);
        let mut kept = Vec::new();
        for conjunct in conjuncts {
            if self.spend().is_ok() && solver.check(&self.terms, &[(conjunct, false)]) == Answer::Unsat {
                continue;
            }
            solver.assert(&self.terms, conjunct);
            kept.push(conjunct);
        }
        self.stats.conjuncts += kept.len() as u64;
        kept
    }
}
