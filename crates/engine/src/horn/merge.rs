//! Clauses with the same predicates in head and body become one, with the disjunction of their constraints (large blocks).

use std::collections::BTreeMap;

use clinch_ir::{Application, Clause, PredId};
use clinch_terms::Term;

use super::equations::normalise;
use super::history::Origin;
use super::work::{Work, conjunction};

/// Merges all clauses with the same predicates.
pub(super) fn run(work: &mut Work<'_>, stop: &dyn Fn() -> bool) -> bool {
    let mut groups: BTreeMap<(Option<PredId>, Vec<PredId>), Vec<usize>> = BTreeMap::new();
    for id in work.live() {
        let clause = work.clause(id);
        let body = clause.body.iter().map(|a| a.predicate).collect();
        groups.entry((clause.head.as_ref().map(|h| h.predicate), body)).or_default().push(id);
    }
    let mut changed = false;
    for group in groups.into_values().filter(|g| g.len() > 1) {
        if stop() {
            break;
        }
        changed = true;
        let merged = merge(work, &group);
        normalise(work, merged);
    }
    changed
}

/// The clauses as one: fresh symbols for all arguments, which each disjunct equates with its own.
fn merge(work: &mut Work<'_>, group: &[usize]) -> usize {
    let first = work.clause(group[0]).clone();
    let mut vars = Vec::new();
    let mut fresh = |work: &mut Work<'_>, application: &Application| {
        let params = work.predicates[application.predicate.index()].params.clone();
        let args = params.iter().map(|&param| {
            let (name, sort) = (work.terms.symbol_name(param).to_owned(), work.terms.symbol_sort(param).clone());
            let symbol = work.terms.declare(name, sort);
            vars.push(symbol);
            work.terms.symbol(symbol)
        });
        Application { predicate: application.predicate, args: args.collect() }
    };
    let body: Vec<Application> = first.body.iter().map(|a| fresh(work, a)).collect();
    let head = first.head.as_ref().map(|h| fresh(work, h));
    let mut alternatives = Vec::new();
    for &id in group {
        let clause = work.clause(id).clone();
        let own = clause.body.iter().chain(&clause.head).flat_map(|a| a.args.iter());
        let common = body.iter().chain(&head).flat_map(|a| a.args.iter());
        let mut conjuncts: Vec<Term> = common.zip(own).map(|(&z, &t)| work.terms.eq(z, t)).collect();
        conjuncts.push(clause.constraint);
        alternatives.push((id, conjunction(&mut work.terms, &conjuncts)));
        vars.extend(clause.vars);
        work.remove(id);
    }
    let constraint = disjunction(work, &alternatives);
    work.add(Clause { vars, body, constraint, head, span: first.span }, Origin::Merged { alternatives })
}

fn disjunction(work: &mut Work<'_>, alternatives: &[(usize, Term)]) -> Term {
    match alternatives {
        [(_, one)] => *one,
        many => {
            let (left, right) = many.split_at(many.len() / 2);
            let (left, right) = (disjunction(work, left), disjunction(work, right));
            work.terms.or(left, right)
        }
    }
}
