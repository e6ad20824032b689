//! The clauses between locations: those of the system with the values that parameters have at the locations put in.

use clinch_ir::{Application, Clause, HornSystem, PredId, Predicate};
use clinch_smt::{Answer, Solver, Z3Solver};
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::rewrite::Rewriting;
use super::super::work::{conjunction, roots, symbols_of};
use super::explore::{Edge, Graph, RESOURCES, TIMEOUT};
use super::{ControlOptions, ControlStats, Instance, Location, Meaning, Split, has_value};
use clinch_terms::linear::as_symbol;

/// How often disjuncts are removed from one constraint.
const ROUNDS: usize = 4;

/// Builds the system of a control-flow graph.
pub(super) struct Specialiser<'a> {
    original: &'a HornSystem,
    options: &'a ControlOptions,
    explicit: &'a [Vec<usize>],
    out: HornSystem,
    origins: Vec<Instance>,
    /// Asked about constraints, one at a time.
    solver: Z3Solver,
}

/// A constraint under a partial valuation of its symbols.
#[derive(Clone)]
struct Constraint {
    conjuncts: Vec<Term>,
    values: FxHashMap<Symbol, Term>,
}

impl<'a> Specialiser<'a> {
    pub(super) fn new(
        original: &'a HornSystem,
        terms: Terms,
        options: &'a ControlOptions,
        explicit: &'a [Vec<usize>],
    ) -> Self {
        let out = HornSystem { terms, ..HornSystem::new(original.source.clone()) };
        let solver = Z3Solver::for_formulas();
        solver.set_limits(RESOURCES, TIMEOUT);
        Specialiser { original, options, explicit, out, origins: Vec::new(), solver }
    }

    /// The system of the graph. `None` if `stop` says so.
    pub(super) fn run(mut self, graph: &Graph, stop: &dyn Fn() -> bool) -> Option<Split> {
        graph.locations.iter().for_each(|l| self.add_predicate(l));
        for edge in &graph.edges {
            if stop() {
                return None;
            }
            self.add_clauses(graph, edge);
        }
        Some(Split {
            system: self.out,
            stats: ControlStats::default(),
            locations: graph.locations.clone(),
            explicit: self.explicit.to_vec(),
            origins: self.origins,
        })
    }

    fn add_predicate(&mut self, location: &Location) {
        let old = self.original.predicate(location.predicate);
        let explicit = &self.explicit[location.predicate.index()];
        let values: Vec<String> = location.values.iter().map(i64::to_string).collect();
        let name = if values.is_empty() { old.name.clone() } else { format!("{}@{}", old.name, values.join(".")) };
        let terms = &mut self.out.terms;
        let params = (0..old.params.len()).filter(|i| explicit.binary_search(i).is_err()).map(|i| {
            let (name, sort) = (terms.symbol_name(old.params[i]).to_owned(), terms.symbol_sort(old.params[i]).clone());
            terms.declare(name, sort)
        });
        let params = params.collect();
        self.out.predicates.push(Predicate { name, params });
    }

    /// Adds the clauses of a step between locations.
    fn add_clauses(&mut self, graph: &Graph, edge: &Edge) {
        let constraint = self.at_locations(graph, edge);
        let Some(constraint) = self.propagate(constraint).and_then(|c| self.prune(c)) else { return };
        let mut cases = Vec::new();
        if !self.split(constraint.clone(), &mut cases) {
            cases = vec![constraint];
        }
        for case in cases {
            self.add_clause(edge, case);
        }
    }

    /// The constraint of a clause, and that its applications are at their locations.
    fn at_locations(&mut self, graph: &Graph, edge: &Edge) -> Constraint {
        let clause = self.original.clause(edge.clause);
        let terms = &mut self.out.terms;
        let mut all = terms.facts(clause.constraint);
        for (application, &location) in clause.body.iter().chain(&clause.head).zip(edge.body.iter().chain(&edge.head)) {
            let explicit = &self.explicit[application.predicate.index()];
            for (&i, &value) in explicit.iter().zip(&graph.locations[location].values) {
                let param = self.original.predicate(application.predicate).params[i];
                all.push(has_value(terms, application.args[i], param, value));
            }
        }
        Constraint { conjuncts: all, values: FxHashMap::default() }
    }

    /// Replaces symbols that are equal to constants, until there are no more. `None`: the constraint is false.
    fn propagate(&mut self, mut constraint: Constraint) -> Option<Constraint> {
        let terms = &mut self.out.terms;
        let mut found = FxHashMap::default();
        loop {
            constraint.values.extend(found.iter().map(|(&s, &t)| (s, t)));
            // Sums are left to the other steps.
            Rewriting::new(std::mem::take(&mut found), true).apply_all(terms, &mut constraint.conjuncts);
            let (mut flat, mut seen) = (Vec::new(), FxHashSet::default());
            for conjunct in std::mem::take(&mut constraint.conjuncts) {
                for part in terms.facts(conjunct) {
                    match (terms.node(part), symbol_with_constant(terms, part)) {
                        (Node::Bool(false), _) => return None,
                        (_, Some((symbol, value))) if !found.contains_key(&symbol) => {
                            found.insert(symbol, value);
                        }
                        _ if seen.insert(part) => flat.push(part),
                        _ => {}
                    }
                }
            }
            constraint.conjuncts = flat;
            if found.is_empty() {
                return Some(constraint);
            }
        }
    }

    /// Removes disjuncts that contradict the rest, and disjunctions that have a conjunct as disjunct. `None`: the constraint is
    /// false.
    fn prune(&mut self, mut constraint: Constraint) -> Option<Constraint> {
        for _ in 0..ROUNDS {
            let all: FxHashSet<Term> = constraint.conjuncts.iter().copied().collect();
            let mut disjunctions: Vec<(usize, Vec<Term>)> = Vec::new();
            for (i, conjunct) in constraint.conjuncts.iter_mut().enumerate() {
                let parts = disjuncts(&mut self.out.terms, *conjunct);
                if parts.len() > 1 && parts.iter().any(|d| all.contains(d)) {
                    *conjunct = self.out.terms.tt();
                } else if parts.len() > 1 {
                    disjunctions.push((i, parts));
                }
            }
            let changed = self.remove_false_disjuncts(&constraint.conjuncts, &mut disjunctions)?;
            for (i, parts) in disjunctions.into_iter().filter(|(i, _)| changed.contains(i)) {
                constraint.conjuncts[i] = self.out.terms.any(parts);
            }
            constraint = self.propagate(constraint)?;
            if changed.is_empty() {
                break;
            }
        }
        Some(constraint)
    }

    /// Removes disjuncts that contradict the conjuncts; says in which disjunctions. `None`: the conjuncts are false.
    fn remove_false_disjuncts(
        &mut self,
        conjuncts: &[Term],
        disjunctions: &mut [(usize, Vec<Term>)],
    ) -> Option<Vec<usize>> {
        if disjunctions.is_empty() {
            return Some(Vec::new());
        }
        self.solver.push();
        conjuncts.iter().for_each(|&c| self.solver.assert(&self.out.terms, c));
        let mut possible: FxHashSet<Term> = FxHashSet::default();
        let mut changed = Vec::new();
        for k in 0..disjunctions.len() {
            let before = disjunctions[k].1.clone();
            let after: Vec<Term> =
                before.iter().copied().filter(|&d| self.is_possible(d, disjunctions, &mut possible)).collect();
            if after.len() < before.len() {
                changed.push(disjunctions[k].0);
                disjunctions[k].1 = after;
            }
        }
        self.solver.pop();
        disjunctions.iter().all(|d| !d.1.is_empty()).then_some(changed)
    }

    /// Whether a disjunct may be true together with what was asserted. A model may show the same of others.
    fn is_possible(&mut self, d: Term, others: &[(usize, Vec<Term>)], possible: &mut FxHashSet<Term>) -> bool {
        if possible.contains(&d) {
            return true;
        }
        let terms = &self.out.terms;
        self.solver.push();
        self.solver.assert(terms, d);
        let answer = self.solver.check(terms, &[]);
        if answer == Answer::Sat {
            let holding = others.iter().flat_map(|o| &o.1).filter(|&&t| self.solver.value(terms, t) == Some(1));
            possible.extend(holding.copied());
        }
        self.solver.pop();
        answer != Answer::Unsat
    }

    /// Splits by the disjuncts of the shortest disjunction, again and again. Says whether the cases are few enough.
    fn split(&mut self, constraint: Constraint, cases: &mut Vec<Constraint>) -> bool {
        let parts = constraint.conjuncts.iter().map(|&c| disjuncts(&mut self.out.terms, c)).enumerate();
        let shortest = parts.filter(|(_, d)| d.len() > 1).min_by_key(|(_, d)| d.len());
        let Some((i, parts)) = shortest else {
            cases.push(constraint);
            return cases.len() <= self.options.split_disjunctions;
        };
        if parts.len() > self.options.split_disjunctions {
            return false;
        }
        for part in parts {
            let mut case = constraint.clone();
            case.conjuncts[i] = part;
            let case = self.propagate(case).and_then(|c| self.prune(c));
            if case.is_some_and(|c| !self.split(c, cases)) {
                return false;
            }
        }
        true
    }

    /// Adds an instance of a clause, with fresh symbols.
    fn add_clause(&mut self, edge: &Edge, constraint: Constraint) {
        let clause = self.original.clause(edge.clause);
        let mut symbols: Vec<(Symbol, Meaning)> = Vec::new();
        let mut map = constraint.values;
        let terms = &mut self.out.terms;
        for &symbol in &clause.vars {
            match map.get(&symbol).map(|&t| terms.node(t)) {
                Some(Node::Bool(b)) => symbols.push((symbol, Meaning::Constant(Value::Bool(b)))),
                Some(Node::Int(n)) => symbols.push((symbol, Meaning::Constant(Value::int(n)))),
                _ => {
                    let (name, sort) = (terms.symbol_name(symbol).to_owned(), terms.symbol_sort(symbol).clone());
                    let fresh = terms.declare(name, sort);
                    map.insert(symbol, terms.symbol(fresh));
                    symbols.push((symbol, Meaning::Renamed(fresh)));
                }
            }
        }
        let mut rewriting = Rewriting::new(map, true);
        let mut application = |terms: &mut Terms, a: &Application, location: usize| {
            let explicit = &self.explicit[a.predicate.index()];
            let data = a.args.iter().enumerate().filter(|(i, _)| explicit.binary_search(i).is_err());
            let args = data.map(|(_, &t)| rewriting.apply(terms, t)).collect();
            Application { predicate: PredId::from_index(location), args }
        };
        let body = clause.body.iter().zip(&edge.body).map(|(a, &l)| application(terms, a, l)).collect();
        let head = clause.head.as_ref().zip(edge.head).map(|(a, l)| application(terms, a, l));
        let constraint: Vec<Term> = constraint.conjuncts.iter().map(|&c| rewriting.apply(terms, c)).collect();
        let constraint = conjunction(terms, &constraint);
        let mut new = Clause { vars: Vec::new(), body, constraint, head, span: clause.span };
        new.vars = symbols_of(terms, roots(&new));
        self.out.clauses.push(new);
        self.origins.push(Instance { clause: edge.clause, symbols });
    }
}

/// `x`, `not x` or `x = constant`.
fn symbol_with_constant(terms: &mut Terms, formula: Term) -> Option<(Symbol, Term)> {
    match terms.node(formula) {
        Node::Symbol(s) => Some((s, terms.tt())),
        Node::Unary(UnOp::Not, a) => as_symbol(terms, a).map(|s| (s, terms.ff())),
        Node::Binary(BinOp::Eq, a, b) => [(a, b), (b, a)].into_iter().find_map(|(x, value)| {
            let symbol = as_symbol(terms, x).filter(|&s| *terms.symbol_sort(s) == Sort::Int)?;
            matches!(terms.node(value), Node::Int(_)).then_some((symbol, value))
        }),
        _ => None,
    }
}

/// Splits a formula into disjuncts, in order.
fn disjuncts(terms: &mut Terms, formula: Term) -> Vec<Term> {
    let (mut out, mut todo) = (Vec::new(), vec![formula]);
    while let Some(t) = todo.pop() {
        match terms.node(t) {
            Node::Binary(BinOp::Or, a, b) => todo.extend([b, a]),
            Node::Ite(c, a, b) => {
                let otherwise = terms.not(c);
                todo.extend([terms.and(otherwise, b), terms.and(c, a)]);
            }
            Node::Unary(UnOp::Not, a) => match terms.node(a) {
                Node::Binary(BinOp::And, a, b) => todo.extend([terms.not(b), terms.not(a)]),
                Node::Ite(c, a, b) => {
                    let (otherwise, a, b) = (terms.not(c), terms.not(a), terms.not(b));
                    todo.extend([terms.and(otherwise, b), terms.and(c, a)]);
                }
                _ => out.push(t),
            },
            _ => out.push(t),
        }
    }
    out
}
