//! What the constraint of a clause decides: symbols that are constants, conditions of cases.
//!
//! The address of an array on the heap is mostly one number, and an index is not negative; invariants say so. With both put in,
//! `a + 4 * (i < 0 ? i + 2^32 : i)` is a sum, and one sees which cell it is.

use clinch_ir::{Application, Clause, HornSystem};
use clinch_smt::{Answer, Solver, Z3Solver};
use clinch_terms::{BinOp, Node, Symbol, Term, Terms};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use clinch_terms::linear::{Linear, as_symbol};

/// Work and milliseconds for one question.
const LIMITS: (u32, u32) = (100_000, 100);
/// Questions for one clause.
const MAX_QUESTIONS: usize = 16;

/// The same clauses, with what is decided put in.
pub fn decided(system: &HornSystem) -> HornSystem {
    let mut new = system.clone();
    let clauses = std::mem::take(&mut new.clauses);
    for clause in clauses {
        let clause = put_in_constants(&mut new.terms, clause);
        let clause = put_in_cases(&mut new.terms, clause);
        new.clauses.push(clause);
    }
    new
}

fn put_in_constants(terms: &mut Terms, clause: Clause) -> Clause {
    let constants: FxHashMap<Symbol, Term> =
        terms.facts(clause.constraint).into_iter().filter_map(|part| constant(terms, part)).collect();
    if constants.is_empty() {
        return clause;
    }
    rewritten(terms, clause, &mut |terms, term| terms.substitute_symbols(term, &constants))
}

/// The symbol that an equation says to be a number.
fn constant(terms: &mut Terms, equation: Term) -> Option<(Symbol, Term)> {
    let Node::Binary(BinOp::Eq, a, b) = terms.node(equation) else { return None };
    let difference = Linear::difference(terms, a, b)?;
    let mut summands = difference.summands.iter();
    match (summands.next(), summands.next()) {
        (Some((&t, &factor @ (1 | -1))), None) => {
            Some((as_symbol(terms, t)?, terms.int(-factor * difference.constant)))
        }
        _ => None,
    }
}

fn put_in_cases(terms: &mut Terms, clause: Clause) -> Clause {
    let roots = clause.body.iter().chain(&clause.head).flat_map(|a| a.args.clone()).chain([clause.constraint]);
    let mut conditions: Vec<Term> = Vec::new();
    for part in roots.flat_map(|root| terms.parts(root)).collect::<Vec<_>>() {
        if let Node::Ite(condition, ..) = terms.node(part)
            && !conditions.contains(&condition)
        {
            conditions.push(condition);
        }
    }
    if conditions.is_empty() || conditions.len() > MAX_QUESTIONS {
        return clause;
    }
    let mut solver = Z3Solver::for_formulas();
    solver.set_limits(LIMITS.0, LIMITS.1);
    solver.assert(terms, clause.constraint);
    let mut values: IndexMap<Term, bool> = IndexMap::default();
    for condition in conditions {
        let can_be = [true, false].map(|value| solver.check(terms, &[(condition, value)]) != Answer::Unsat);
        if can_be[0] != can_be[1] {
            values.insert(condition, can_be[0]);
        }
    }
    let mut new = rewritten(terms, clause, &mut |terms, term| with_cases(terms, term, &values));
    for (condition, value) in values {
        let known = if value { condition } else { terms.not(condition) };
        new.constraint = terms.and(new.constraint, known);
    }
    new
}

fn with_cases(terms: &mut Terms, term: Term, values: &IndexMap<Term, bool>) -> Term {
    terms.replace(term, &mut |terms, part| match terms.node(part) {
        Node::Ite(condition, yes, no) => {
            let &value = values.get(&condition)?;
            Some(with_cases(terms, if value { yes } else { no }, values))
        }
        _ => None,
    })
}

/// A clause with its terms replaced.
fn rewritten(terms: &mut Terms, clause: Clause, replace: &mut dyn FnMut(&mut Terms, Term) -> Term) -> Clause {
    let mut application = |terms: &mut Terms, a: Application| Application {
        args: a.args.iter().map(|&arg| replace(terms, arg)).collect(),
        ..a
    };
    let body: Vec<Application> = clause.body.into_iter().map(|a| application(terms, a)).collect();
    let head = clause.head.map(|a| application(terms, a));
    let constraint = replace(terms, clause.constraint);
    let vars = HornSystem::collect_vars(terms, &body, constraint, head.as_ref());
    Clause { vars, body, constraint, head, ..clause }
}
