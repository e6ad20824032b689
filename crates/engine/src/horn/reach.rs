//! Predicates that no fact reaches are false; those that reach no query are true. Their clauses hold then.

use clinch_ir::PredId;

use super::history::Event;
use super::work::Work;

/// Drops all clauses that stand on no path from a fact to a query.
pub(super) fn run(work: &mut Work<'_>) -> bool {
    let forward = derivable(work);
    let backward = relevant(work);
    let live: Vec<usize> = work.live().collect();
    let mut mentioned = vec![false; work.predicates.len()];
    let mut changed = false;
    for id in live {
        let clause = work.clause(id);
        for a in clause.body.iter().chain(&clause.head) {
            mentioned[a.predicate.index()] = true;
        }
        let useless = clause.body.iter().any(|a| !forward[a.predicate.index()])
            || clause.head.as_ref().is_some_and(|h| !backward[h.predicate.index()]);
        if useless {
            work.remove(id);
            changed = true;
        }
    }
    for (p, _) in mentioned.iter().enumerate().filter(|(_, m)| **m) {
        if !forward[p] {
            work.record(Event::False(PredId::from_index(p)));
        } else if !backward[p] {
            work.record(Event::True(PredId::from_index(p)));
        }
    }
    changed
}

/// The predicates that can be derived if constraints are ignored.
fn derivable(work: &Work<'_>) -> Vec<bool> {
    let count = work.predicates.len();
    let (mut derived, mut todo) = (vec![false; count], Vec::new());
    // For each predicate the clauses it waits in, once per occurrence; for each clause how much is missing.
    let mut waiting = vec![Vec::new(); count];
    let mut missing = vec![0_usize; work.history.records.len()];
    for id in work.live() {
        let clause = work.clause(id);
        missing[id] = clause.body.len();
        clause.body.iter().for_each(|a| waiting[a.predicate.index()].push(id));
        if clause.body.is_empty() {
            todo.extend(clause.head.as_ref().map(|h| h.predicate.index()));
        }
    }
    while let Some(p) = todo.pop() {
        if std::mem::replace(&mut derived[p], true) {
            continue;
        }
        for &id in &waiting[p] {
            missing[id] -= 1;
            if missing[id] == 0 {
                todo.extend(work.clause(id).head.as_ref().map(|h| h.predicate.index()));
            }
        }
    }
    derived
}

/// The predicates from which a query can be reached.
fn relevant(work: &Work<'_>) -> Vec<bool> {
    let count = work.predicates.len();
    let (mut relevant, mut todo) = (vec![false; count], Vec::new());
    let mut defined_by = vec![Vec::new(); count];
    for id in work.live() {
        let clause = work.clause(id);
        match &clause.head {
            Some(head) => defined_by[head.predicate.index()].push(id),
            None => todo.extend(clause.body.iter().map(|a| a.predicate.index())),
        }
    }
    while let Some(p) = todo.pop() {
        if !std::mem::replace(&mut relevant[p], true) {
            for &id in &defined_by[p] {
                todo.extend(work.clause(id).body.iter().map(|a| a.predicate.index()));
            }
        }
    }
    relevant
}
