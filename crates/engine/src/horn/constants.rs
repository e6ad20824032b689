//! Parameters that hold the same constant in every derivation, or always equal another parameter, are dropped.
//!
//! A forward analysis, optimistic: at first all parameters of a predicate may be one class; each clause splits the classes
//! of its head by the terms it puts there, given the classes of its body.

use std::collections::VecDeque;

use clinch_ir::{Application, PredId};
use clinch_terms::{Node, Sort, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

use super::history::{Event, Origin};
use super::rewrite::Rewriting;
use super::work::{Work, conjunction, roots, symbols_of};
use clinch_terms::linear::as_symbol;

/// Clauses are looked at so many times each, on average, before the analysis gives up.
const VISITS: usize = 30;

/// What a parameter always is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Fixed {
    /// This constant.
    Constant(Term),
    /// The same as the parameter at this position, which is not after it. At its own: nothing is known.
    Same(usize),
}

/// For each predicate that was reached what its parameters are.
type Classes = Vec<Option<Vec<Fixed>>>;

/// Drops all such parameters.
pub(super) fn run(work: &mut Work<'_>) -> bool {
    let Some(classes) = fixpoint(work) else { return false };
    let mut dropped: Vec<Vec<(usize, Fixed)>> = vec![Vec::new(); classes.len()];
    for (p, class) in classes.iter().enumerate() {
        for (i, &fixed) in class.iter().flatten().enumerate() {
            if fixed != Fixed::Same(i) {
                dropped[p].push((i, fixed));
            }
        }
    }
    if dropped.iter().all(Vec::is_empty) {
        return false;
    }
    let live: Vec<usize> = work.live().collect();
    for id in live {
        rewrite(work, id, &dropped);
    }
    for (p, dropped) in dropped.iter().enumerate().filter(|(_, d)| !d.is_empty()) {
        forget(work, p, dropped);
    }
    true
}

/// Drops the parameters of one predicate.
fn forget(work: &mut Work<'_>, p: usize, dropped: &[(usize, Fixed)]) {
    let params = work.predicates[p].params.clone();
    let equations = dropped.iter().map(|&(i, fixed)| match fixed {
        Fixed::Constant(value) => (params[i], value),
        Fixed::Same(j) => (params[i], work.terms.symbol(params[j])),
    });
    let event = Event::Fixed(PredId::from_index(p), equations.collect());
    work.record(event);
    let gone: Vec<usize> = dropped.iter().map(|d| d.0).collect();
    work.drop_parameters(p, &gone);
}

/// The clause without the dropped arguments, which its body's applications are known to equal.
fn rewrite(work: &mut Work<'_>, id: usize, dropped: &[Vec<(usize, Fixed)>]) {
    let mut clause = work.clause(id).clone();
    if clause.body.iter().chain(&clause.head).all(|a| dropped[a.predicate.index()].is_empty()) {
        return;
    }
    let mut conjuncts = Vec::new();
    for application in &clause.body {
        for &(i, fixed) in &dropped[application.predicate.index()] {
            let value = value_in(application, fixed);
            conjuncts.push(work.terms.eq(application.args[i], value));
        }
    }
    conjuncts.push(clause.constraint);
    clause.constraint = conjunction(&mut work.terms, &conjuncts);
    for application in clause.body.iter_mut().chain(&mut clause.head) {
        let gone = &dropped[application.predicate.index()];
        let mut position = 0..;
        application.args.retain(|_| {
            let i = position.next().expect("without end");
            gone.binary_search_by_key(&i, |d| d.0).is_err()
        });
    }
    clause.vars = symbols_of(&work.terms, roots(&clause));
    work.remove(id);
    work.add(clause, Origin::Rewritten { parent: id, definitions: Vec::new() });
}

fn value_in(application: &Application, fixed: Fixed) -> Term {
    match fixed {
        Fixed::Constant(value) => value,
        Fixed::Same(j) => application.args[j],
    }
}

/// The largest classes that all clauses respect; nothing if that takes too long.
fn fixpoint(work: &mut Work<'_>) -> Option<Classes> {
    let live: Vec<usize> = work.live().filter(|&id| work.clause(id).head.is_some()).collect();
    let mut used_in: Vec<Vec<usize>> = vec![Vec::new(); work.predicates.len()];
    for &id in &live {
        work.clause(id).body.iter().for_each(|a| used_in[a.predicate.index()].push(id));
    }
    let mut classes: Classes = vec![None; work.predicates.len()];
    let mut budget = live.len().saturating_mul(VISITS);
    let mut queued = vec![false; work.history.records.len()];
    live.iter().for_each(|&id| queued[id] = true);
    let mut queue: VecDeque<usize> = live.into();
    while let Some(id) = queue.pop_front() {
        queued[id] = false;
        budget = budget.checked_sub(1)?;
        let Some((p, class)) = post(work, id, &classes) else { continue };
        if classes[p].as_ref() != Some(&class) {
            classes[p] = Some(class);
            for &user in &used_in[p] {
                if !std::mem::replace(&mut queued[user], true) {
                    queue.push_back(user);
                }
            }
        }
    }
    Some(classes)
}

/// The classes of the head's predicate after this clause. Nothing if its body was not reached.
fn post(work: &mut Work<'_>, id: usize, classes: &Classes) -> Option<(usize, Vec<Fixed>)> {
    let clause = &work.history.records[id].clause;
    let head = clause.head.as_ref()?;
    let p = head.predicate.index();
    let mut map = FxHashMap::default();
    for application in &clause.body {
        let class = classes[application.predicate.index()].as_ref()?;
        learn(&work.terms, application, class, &mut map);
    }
    let mut rewriting = Rewriting::new(map, work.history.reals);
    let values: Vec<Term> = head.args.iter().map(|&t| rewriting.apply(&mut work.terms, t)).collect();
    let params = &work.predicates[p].params;
    let class = match &classes[p] {
        None => (0..values.len()).map(|i| first(&work.terms, params[i], values[i])).collect(),
        Some(old) => old.clone(),
    };
    Some((p, split(&class, &values)))
}

/// What the classes of a body's application say of symbols.
fn learn(terms: &Terms, application: &Application, class: &[Fixed], map: &mut FxHashMap<Symbol, Term>) {
    for (&arg, &fixed) in application.args.iter().zip(class) {
        let Some(x) = as_symbol(terms, arg) else { continue };
        let value = value_in(application, fixed);
        let value = match as_symbol(terms, value) {
            Some(y) => map.get(&y).copied().unwrap_or(value),
            None => value,
        };
        let constant = matches!(terms.node(value), Node::Bool(_) | Node::Int(_) | Node::Big(_));
        let plain = constant || matches!(terms.node(value), Node::Symbol(_) | Node::BitVec(..) | Node::BigBitVec(..));
        if plain && value != arg && !map.contains_key(&x) {
            map.insert(x, value);
        }
    }
}

/// What a parameter is after the first clause alone. Integer constants may stand for real numbers, but must not be
/// substituted for them.
fn first(terms: &Terms, param: Symbol, value: Term) -> Fixed {
    match terms.node(value) {
        Node::Bool(_) | Node::BitVec(..) | Node::BigBitVec(..) => Fixed::Constant(value),
        Node::Int(_) | Node::Big(_) if *terms.symbol_sort(param) == Sort::Int => Fixed::Constant(value),
        // All others start in one class.
        _ => Fixed::Same(0),
    }
}

/// Splits classes by the values a clause gives.
fn split(class: &[Fixed], values: &[Term]) -> Vec<Fixed> {
    let mut leaders: FxHashMap<(Fixed, Term), usize> = FxHashMap::default();
    let parts = class.iter().zip(values).enumerate().map(|(i, (&fixed, &value))| {
        if fixed == Fixed::Constant(value) {
            return fixed;
        }
        Fixed::Same(*leaders.entry((fixed, value)).or_insert(i))
    });
    parts.collect()
}
