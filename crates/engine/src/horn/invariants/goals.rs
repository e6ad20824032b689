//! Candidates from queries: what a query needs to hold, as something that may hold at every predicate.
//!
//! A query says that its constraint holds nowhere: `a[i] == b[i] || b[i] == a[i] * a[i]` at the index of the last loop. Said of any cell, and
//! moved back to the loops before, that is often the invariant, whatever its form is.

use clinch_ir::{Application, Clause, HornSystem};
use clinch_terms::{BinOp, Node, Symbol, Term, Terms, UnOp};
use rustc_hash::FxHashMap;

use super::InvariantOptions;
use super::templates::{Preference, Projection};
use clinch_terms::linear::{Linear, as_symbol};

/// Goals of one predicate.
const MAX_GOALS: usize = 12;
/// How many clauses further back goals are tried: loops may stand between.
const GENERATIONS: usize = 8;

/// The goals of each predicate: formulas over its parameters.
pub(super) fn goals(terms: &mut Terms, system: &HornSystem, options: &InvariantOptions) -> Vec<Vec<Term>> {
    let mut goals: Vec<Vec<Term>> = vec![Vec::new(); system.predicates.len()];
    if !options.relations {
        return goals;
    }
    for clause in system.clauses.iter().filter(|c| c.head.is_none()) {
        for application in &clause.body {
            for preference in [Preference::Last, Preference::First] {
                let renaming = Renaming::new(terms, system, application, preference);
                let into = &mut goals[application.predicate.index()];
                of_query(terms, clause, &renaming).into_iter().for_each(|goal| add(terms, into, goal));
            }
        }
    }
    for _ in 0..GENERATIONS {
        let before = count(&goals);
        system.clauses.iter().for_each(|clause| propagate(terms, system, clause, &mut goals));
        if count(&goals) == before {
            break;
        }
    }
    goals
}

fn count(goals: &[Vec<Term>]) -> usize {
    goals.iter().map(Vec::len).sum()
}

fn add(terms: &Terms, into: &mut Vec<Term>, goal: Term) {
    if into.len() < MAX_GOALS && !into.contains(&goal) && !matches!(terms.node(goal), Node::Bool(_)) {
        into.push(goal);
    }
}

/// What the query asks for, and what would do by itself. Comparisons of sums are looked at elsewhere.
fn of_query(terms: &mut Terms, clause: &Clause, renaming: &Renaming) -> Vec<Term> {
    let parts = terms.facts(clause.constraint);
    let mut parts: Vec<Term> = parts.into_iter().filter_map(|part| renaming.apply(terms, part)).collect();
    parts.extend(renaming.constants.iter().map(|&(param, value)| terms.eq(param, value)));
    let whole = terms.all(parts.iter().copied());
    parts.retain(|&part| !is_linear(terms, part));
    [whole].into_iter().chain(parts).map(|part| terms.not(part)).collect()
}

fn is_linear(terms: &Terms, atom: Term) -> bool {
    match terms.node(atom) {
        Node::Unary(UnOp::Not, inner) => is_linear(terms, inner),
        Node::Binary(BinOp::Le | BinOp::Lt | BinOp::Eq, a, b) => {
            let sum = Linear::difference(terms, a, b);
            sum.is_some_and(|sum| sum.summands.keys().all(|&t| as_symbol(terms, t).is_some()))
        }
        _ => false,
    }
}

/// Goals go along the clause from predicate to predicate.
fn propagate(terms: &mut Terms, system: &HornSystem, clause: &Clause, goals: &mut [Vec<Term>]) {
    let applications: Vec<&Application> = clause.body.iter().chain(&clause.head).collect();
    for to in &applications {
        let renaming = Renaming::new(terms, system, to, Preference::First);
        for from in applications.iter().filter(|from| from.predicate != to.predicate) {
            for goal in goals[from.predicate.index()].clone() {
                let here = from.instantiate(terms, &system.predicate(from.predicate).params, goal);
                if let Some(moved) = renaming.apply(terms, here) {
                    add(terms, &mut goals[to.predicate.index()], moved);
                }
            }
        }
    }
}

/// Symbols of a clause as terms over the parameters of one of its applications.
struct Renaming {
    map: FxHashMap<Symbol, Term>,
    /// Parameters whose arguments are constants.
    constants: Vec<(Term, Term)>,
}

impl Renaming {
    fn new(terms: &mut Terms, system: &HornSystem, application: &Application, preference: Preference) -> Renaming {
        let params = &system.predicate(application.predicate).params;
        let params: Vec<Term> = params.iter().map(|&p| terms.symbol(p)).collect();
        let mut map = Projection::new(terms, application, preference).in_terms_of(terms, &params);
        for (&arg, &param) in application.args.iter().zip(&params) {
            if let Some(symbol) = as_symbol(terms, arg) {
                map.entry(symbol).or_insert(param);
            }
        }
        let arguments = params.iter().copied().zip(application.args.iter().copied());
        Renaming { map, constants: arguments.filter(|&(_, arg)| terms.as_integer(arg).is_some()).collect() }
    }

    /// The formula, if it has no other symbols.
    fn apply(&self, terms: &mut Terms, formula: Term) -> Option<Term> {
        let known = terms.symbols(formula).iter().all(|s| self.map.contains_key(s));
        known.then(|| terms.substitute_symbols(formula, &self.map))
    }
}
