//! Which parameters of predicates are treated as control: Boolean ones, and integers that are only copied or set to constants.

use std::collections::BTreeSet;

use clinch_ir::{ClauseId, PredId};
use clinch_terms::{Node, Sort, Symbol, Term};
use rustc_hash::FxHashMap;

use super::super::work::{roots, visit_all};
use super::explore::Explorer;
use clinch_terms::linear::as_symbol;

/// For each predicate its Boolean parameters, and the integer ones that clauses only copy or set to constants. `None` if
/// there is no time to find out.
pub(super) fn candidates(explorer: &mut Explorer<'_>) -> Option<Vec<Vec<usize>>> {
    let system = explorer.system;
    let sort = |p: PredId, i: usize| system.terms.symbol_sort(system.predicate(p).params[i]);
    let of_sort = |p: PredId, wanted: Sort| {
        (0..system.predicate(p).params.len()).filter(|&i| *sort(p, i) == wanted).collect::<Vec<_>>()
    };
    let mut integers: Vec<Vec<usize>> = system.predicate_ids().map(|p| of_sort(p, Sort::Int)).collect();
    while integers.iter().any(|i| !i.is_empty()) && drop_data(explorer, &mut integers)? {}
    let mut explicit: Vec<Vec<usize>> = system.predicate_ids().map(|p| of_sort(p, Sort::Bool)).collect();
    for (explicit, integers) in explicit.iter_mut().zip(integers) {
        explicit.extend(integers);
        explicit.sort_unstable();
    }
    drop_inputs(explorer, &mut explicit);
    Some(explicit)
}

/// Drops integer parameters that some clause computes: neither a copy of one in the body nor a constant that is written
/// in the clause. Says whether there were any.
fn drop_data(explorer: &mut Explorer<'_>, integers: &mut [Vec<usize>]) -> Option<bool> {
    let system = explorer.system;
    let mut changed = false;
    for id in system.clause_ids() {
        let Some(head) = &system.clause(id).head else { continue };
        let mut kept = Vec::new();
        for &i in &integers[head.predicate.index()] {
            if is_copied_or_constant(explorer, integers, id, i)? {
                kept.push(i);
            }
        }
        let known = &mut integers[head.predicate.index()];
        changed |= kept.len() < known.len();
        *known = kept;
    }
    Some(changed)
}

fn is_copied_or_constant(explorer: &mut Explorer<'_>, integers: &[Vec<usize>], id: ClauseId, i: usize) -> Option<bool> {
    let clause = explorer.system.clause(id);
    let Some(head) = &clause.head else { return Some(true) };
    let arg = head.args[i];
    let copies = clause.body.iter().flat_map(|a| integers[a.predicate.index()].iter().map(|&i| a.args[i]));
    let copies: Vec<Term> = copies.collect();
    if explorer.terms.as_integer(arg).is_some() || copies.contains(&arg) {
        return Some(true);
    }
    let mut others = copies;
    let mut written = BTreeSet::new();
    visit_all(&explorer.terms, roots(clause), |node| {
        if let Node::Int(v) = node {
            written.insert(v);
        }
    });
    others.extend(written.into_iter().map(|v| explorer.terms.int(v)));
    let mut condition = Vec::new();
    for other in others {
        let same = explorer.terms.eq(arg, other);
        condition.push(explorer.terms.not(same));
    }
    Some(explorer.values(id, &condition, &[], 0)?.is_empty())
}

/// Drops Boolean parameters that a step sets to anything: inputs.
fn drop_inputs(explorer: &Explorer<'_>, explicit: &mut [Vec<usize>]) {
    for clause in explorer.system.clauses.iter().filter(|c| !c.body.is_empty()) {
        let Some(head) = &clause.head else { continue };
        let mut uses: FxHashMap<Symbol, usize> = FxHashMap::default();
        for root in roots(clause) {
            explorer.terms.symbols(root).into_iter().for_each(|s| *uses.entry(s).or_default() += 1);
        }
        let is_free = |i: usize| as_symbol(&explorer.terms, head.args[i]).is_some_and(|s| uses.get(&s) == Some(&1));
        explicit[head.predicate.index()].retain(|&i| !is_free(i));
    }
}
