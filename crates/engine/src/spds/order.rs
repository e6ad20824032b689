//! Orders of procedures and locations.

use clinch_ir::cfa::{CfaProgram, Op, Procedure, ProcedureId};
use clinch_terms::LocId;

/// The procedures that can be called, those that are called before those that call them (where no recursion prevents it).
pub(super) fn procedures_in_order(program: &CfaProgram) -> Vec<ProcedureId> {
    let callees: Vec<Vec<usize>> = program.procedures.iter().map(callees).collect();
    post_order(program.procedures.len(), program.entry.index(), |p| &callees[p])
        .into_iter()
        .map(ProcedureId::from_index)
        .collect()
}

fn callees(procedure: &Procedure) -> Vec<usize> {
    let callee = |op: &Op| match op {
        Op::Call { callee, .. } => Some(callee.index()),
        _ => None,
    };
    procedure.edges.iter().filter_map(|e| callee(&e.op)).collect()
}

/// The locations that can be reached from the entry; a join comes behind what it joins.
pub(super) fn reverse_post_order(procedure: &Procedure) -> Vec<LocId> {
    let mut next = vec![Vec::new(); procedure.locations.len()];
    for edge in &procedure.edges {
        next[edge.from.index()].push(edge.to.index());
    }
    let mut order = post_order(procedure.locations.len(), procedure.entry.index(), |l| &next[l]);
    order.reverse();
    order.into_iter().map(LocId::from_index).collect()
}

fn post_order<'g>(count: usize, start: usize, next: impl Fn(usize) -> &'g [usize]) -> Vec<usize> {
    let mut seen = vec![false; count];
    seen[start] = true;
    let mut order = Vec::new();
    let mut path = vec![(start, 0)];
    while let Some((at, i)) = path.last_mut() {
        let Some(&to) = next(*at).get(*i) else {
            order.push(*at);
            path.pop();
            continue;
        };
        *i += 1;
        if !seen[to] {
            seen[to] = true;
            path.push((to, 0));
        }
    }
    order
}
