//! Steps that do nothing are left out, and what cannot be reached.

use super::Back;
use crate::cfa::{CfaProgram, Edge, Op, Procedure};
use crate::program::LocId;

/// Removes `Skip` edges that are the only way on, and locations and edges that the entry does not reach.
pub(super) fn collapse(program: &mut CfaProgram, back: &mut Back) {
    for (procedure, locations) in program.procedures.iter_mut().zip(&mut back.locations) {
        let target = targets(procedure);
        procedure.entry = target[procedure.entry.index()];
        for edge in &mut procedure.edges {
            edge.to = target[edge.to.index()];
        }
        let old = locations.clone();
        let kept = reachable(procedure);
        let mut new = vec![LocId(u32::MAX); kept.len()];
        locations.clear();
        for (i, _) in kept.iter().enumerate().filter(|(_, k)| **k) {
            new[i] = LocId::from_index(locations.len());
            locations.push(old[i]);
        }
        let mut position = 0;
        procedure.locations.retain(|_| {
            position += 1;
            kept[position - 1]
        });
        let edges = std::mem::take(&mut procedure.edges).into_iter().filter(|e| kept[e.from.index()]);
        procedure.edges = edges.map(|e| Edge { from: new[e.from.index()], to: new[e.to.index()], ..e }).collect();
        (procedure.entry, procedure.exit) = (new[procedure.entry.index()], new[procedure.exit.index()]);
    }
}

/// Where a run is after the `Skip` edges that are the only way on.
fn targets(procedure: &Procedure) -> Vec<LocId> {
    let successors = procedure.successors();
    let next = |at: LocId| match successors[at.index()].as_slice() {
        [edge] if procedure.edges[edge.index()].op == Op::Skip => Some(procedure.edges[edge.index()].to),
        _ => None,
    };
    let follow = |start: LocId| {
        let (mut at, mut steps) = (start, 0);
        while let Some(to) = next(at) {
            // A cycle of such edges stays.
            steps += 1;
            if to == start || steps > procedure.locations.len() {
                return start;
            }
            at = to;
        }
        at
    };
    (0..procedure.locations.len()).map(|i| follow(LocId::from_index(i))).collect()
}

/// The exit counts as reached.
fn reachable(procedure: &Procedure) -> Vec<bool> {
    let successors = procedure.successors();
    let mut reached = vec![false; procedure.locations.len()];
    let mut work = vec![procedure.entry, procedure.exit];
    while let Some(at) = work.pop() {
        if !std::mem::replace(&mut reached[at.index()], true) {
            work.extend(successors[at.index()].iter().map(|e| procedure.edges[e.index()].to));
        }
    }
    reached
}
