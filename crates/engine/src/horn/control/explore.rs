//! The reachable locations, and the steps between them.

use std::collections::BTreeSet;

use clinch_ir::{ClauseId, HornSystem, PredId};
use clinch_smt::{Answer, Solver, Z3Solver};
use clinch_terms::{Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{ControlOptions, Location, has_value};

/// Work a question may take: those about control are easy, and there are many.
pub(super) const RESOURCES: u32 = 300_000;
/// The same in milliseconds.
pub(super) const TIMEOUT: u32 = 300;

/// Asks about single clauses.
pub(super) struct Explorer<'a> {
    pub(super) system: &'a HornSystem,
    pub(super) options: &'a ControlOptions,
    /// Extends the terms of the system.
    pub(super) terms: Terms,
    /// Questions asked.
    pub(super) checks: usize,
    stop: &'a dyn Fn() -> bool,
    /// For each clause a solver that knows its constraint.
    solvers: Vec<Option<Z3Solver>>,
}

/// How an exploration ends.
pub(super) enum Found {
    Graph(Graph),
    /// There are too many locations or steps. Explicit parameters (predicate, position) that do not only depend on the
    /// locations before a step.
    TooMany(BTreeSet<(usize, usize)>),
    Stopped,
}

/// Control flow.
#[derive(Default)]
pub(super) struct Graph {
    pub(super) locations: Vec<Location>,
    pub(super) edges: Vec<Edge>,
}

impl Graph {
    /// How many locations there are beyond one for each predicate.
    pub(super) fn additional_locations(&self) -> usize {
        let predicates: FxHashSet<PredId> = self.locations.iter().map(|l| l.predicate).collect();
        self.locations.len() - predicates.len()
    }
}

/// A clause between locations.
pub(super) struct Edge {
    pub(super) clause: ClauseId,
    /// For each application in the body a location.
    pub(super) body: Vec<usize>,
    /// The location of the head.
    pub(super) head: Option<usize>,
}

impl<'a> Explorer<'a> {
    pub(super) fn new(system: &'a HornSystem, options: &'a ControlOptions, stop: &'a dyn Fn() -> bool) -> Self {
        let solvers = system.clauses.iter().map(|_| None).collect();
        Explorer { system, options, terms: system.terms.clone(), checks: 0, stop, solvers }
    }

    /// Explores all locations, for these explicit parameters.
    pub(super) fn run(&mut self, explicit: &[Vec<usize>]) -> Found {
        let here = vec![Vec::new(); self.system.predicates.len()];
        let mut run = Exploration {
            explorer: self,
            explicit,
            graph: Graph::default(),
            known: FxHashMap::default(),
            of_predicate: here,
            varying: BTreeSet::new(),
        };
        match run.explore() {
            Ok(()) => Found::Graph(run.graph),
            Err(found) => found,
        }
    }

    /// Different values that terms (each with a parameter of its sort) take where the condition and the constraint of the
    /// clause hold: all of them, or one more than `limit`. `None` if the solver cannot say, or there is no time to ask.
    pub(super) fn values(
        &mut self,
        clause: ClauseId,
        condition: &[Term],
        values_of: &[(Term, Symbol)],
        limit: usize,
    ) -> Option<Vec<Vec<i64>>> {
        let constraint = self.system.clause(clause).constraint;
        let terms = &self.terms;
        let mut solver = self.solvers[clause.index()].take().unwrap_or_else(|| {
            let mut solver = Z3Solver::for_formulas();
            solver.set_limits(RESOURCES, TIMEOUT);
            solver.assert(terms, constraint);
            solver
        });
        solver.push();
        condition.iter().for_each(|&c| solver.assert(terms, c));
        let found = self.enumerate(&mut solver, values_of, limit);
        solver.pop();
        self.solvers[clause.index()] = Some(solver);
        found
    }

    fn enumerate(
        &mut self,
        solver: &mut Z3Solver,
        values_of: &[(Term, Symbol)],
        limit: usize,
    ) -> Option<Vec<Vec<i64>>> {
        let mut found = Vec::new();
        while found.len() <= limit {
            if self.checks >= self.options.max_checks || (self.stop)() {
                return None;
            }
            self.checks += 1;
            let terms = &mut self.terms;
            match solver.check(terms, &[]) {
                Answer::Unknown => return None,
                Answer::Unsat => break,
                Answer::Sat => {}
            }
            let values: Vec<i64> = values_of.iter().map(|&(t, _)| solver.value(terms, t)).collect::<Option<_>>()?;
            let mut others = Vec::new();
            for (&(t, param), &value) in values_of.iter().zip(&values) {
                let same = has_value(terms, t, param, value);
                others.push(terms.not(same));
            }
            let other = terms.any(others);
            solver.assert(terms, other);
            found.push(values);
        }
        Some(found)
    }
}

/// One exploration.
struct Exploration<'r, 'a> {
    explorer: &'r mut Explorer<'a>,
    explicit: &'r [Vec<usize>],
    graph: Graph,
    known: FxHashMap<Location, usize>,
    /// The locations of each predicate, ascending.
    of_predicate: Vec<Vec<usize>>,
    /// Explicit parameters (predicate, position) that took several values in one step.
    varying: BTreeSet<(usize, usize)>,
}

impl Exploration<'_, '_> {
    /// Invariant: all clauses were fired on all combinations of the locations before `next`.
    fn explore(&mut self) -> Result<(), Found> {
        let system = self.explorer.system;
        for id in system.clause_ids().filter(|&id| system.clause(id).body.is_empty()) {
            self.fire(id, &[])?;
        }
        let mut next = 0;
        while next < self.graph.locations.len() {
            let predicate = self.graph.locations[next].predicate;
            for id in system.clause_ids() {
                if system.clause(id).body.iter().any(|a| a.predicate == predicate) {
                    self.fire_with(id, next, &mut Vec::new())?;
                }
            }
            next += 1;
        }
        let additional = self.graph.additional_locations() * self.explorer.options.max_degree;
        let dense = system.clauses.len() + additional;
        if self.graph.edges.len() > dense { Err(Found::TooMany(self.varying.clone())) } else { Ok(()) }
    }

    /// Fires a clause on all combinations of locations up to `newest` that include it.
    fn fire_with(&mut self, id: ClauseId, newest: usize, body: &mut Vec<usize>) -> Result<(), Found> {
        let applications = &self.explorer.system.clause(id).body;
        let Some(application) = applications.get(body.len()) else {
            return if body.contains(&newest) { self.fire(id, body) } else { Ok(()) };
        };
        let known = &self.of_predicate[application.predicate.index()];
        let choices: Vec<usize> = known.iter().copied().take_while(|&l| l <= newest).collect();
        for location in choices {
            body.push(location);
            self.fire_with(id, newest, body)?;
            body.pop();
        }
        Ok(())
    }

    /// Adds the steps of a clause from these locations.
    fn fire(&mut self, id: ClauseId, body: &[usize]) -> Result<(), Found> {
        let clause = self.explorer.system.clause(id);
        let (condition, relevant) = self.at_locations(id, body);
        let Some(head) = &clause.head else {
            // A question that cannot be answered leaves the clause there.
            if !relevant || self.explorer.values(id, &condition, &[], 0).is_none_or(|v| !v.is_empty()) {
                self.add_edge(Edge { clause: id, body: body.to_vec(), head: None })?;
            }
            return Ok(());
        };
        let explicit = &self.explicit[head.predicate.index()];
        let params = &self.explorer.system.predicate(head.predicate).params;
        let args: Vec<(Term, Symbol)> = explicit.iter().map(|&i| (head.args[i], params[i])).collect();
        let successors = match args.is_empty() && !relevant {
            true => vec![Vec::new()],
            false => self.successors(id, &condition, &args)?,
        };
        for values in successors {
            let head = self.location(Location { predicate: head.predicate, values })?;
            self.add_edge(Edge { clause: id, body: body.to_vec(), head: Some(head) })?;
        }
        Ok(())
    }

    fn add_edge(&mut self, edge: Edge) -> Result<(), Found> {
        self.graph.edges.push(edge);
        let many = self.explorer.system.clauses.len() + self.explorer.options.max_clauses;
        if self.graph.edges.len() > many { Err(Found::TooMany(self.varying.clone())) } else { Ok(()) }
    }

    /// The values of the explicit arguments of a head, ascending.
    fn successors(
        &mut self,
        id: ClauseId,
        condition: &[Term],
        args: &[(Term, Symbol)],
    ) -> Result<Vec<Vec<i64>>, Found> {
        let allowed = if args.is_empty() { 0 } else { self.explorer.options.max_successors };
        let mut found = self.explorer.values(id, condition, args, allowed).ok_or(Found::Stopped)?;
        if args.is_empty() {
            found.truncate(1);
            return Ok(found);
        }
        // Which values were found among many is chance; whether there is another one is not.
        let complete = found.len() <= allowed;
        let predicate = self.explorer.system.clause(id).head.as_ref().expect("it has arguments").predicate.index();
        for (k, &position) in self.explicit[predicate].iter().enumerate() {
            let varies = match complete {
                true => found.iter().any(|v| v[k] != found[0][k]),
                false => self.explorer.values(id, condition, &args[k..=k], 1).ok_or(Found::Stopped)?.len() > 1,
            };
            if varies {
                self.varying.insert((predicate, position));
            }
        }
        found.sort_unstable();
        if complete { Ok(found) } else { Err(Found::TooMany(self.varying.clone())) }
    }

    /// That the body of a clause is at these locations, and whether that says anything.
    fn at_locations(&mut self, id: ClauseId, body: &[usize]) -> (Vec<Term>, bool) {
        let mut condition = Vec::new();
        let (system, terms) = (self.explorer.system, &mut self.explorer.terms);
        for (application, &location) in system.clause(id).body.iter().zip(body) {
            let explicit = &self.explicit[application.predicate.index()];
            for (&i, &value) in explicit.iter().zip(&self.graph.locations[location].values) {
                let param = system.predicate(application.predicate).params[i];
                condition.push(has_value(terms, application.args[i], param, value));
            }
        }
        let relevant = !condition.is_empty();
        (condition, relevant)
    }

    fn location(&mut self, location: Location) -> Result<usize, Found> {
        if let Some(&known) = self.known.get(&location) {
            return Ok(known);
        }
        let id = self.graph.locations.len();
        self.of_predicate[location.predicate.index()].push(id);
        self.graph.locations.push(location.clone());
        self.known.insert(location, id);
        let many = self.graph.additional_locations() > self.explorer.options.max_locations;
        if many { Err(Found::TooMany(self.varying.clone())) } else { Ok(id) }
    }
}
