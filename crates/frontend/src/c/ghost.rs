//! What passes that put checks into a program have in common: variables and tables that no one sees, and guards.

use clinch_ir::Span;
use clinch_ir::cfa::{Assign, CfaProgram, Edge, Location, Op, Procedure, Region, VariableInfo};
use clinch_terms::{LocId, Node, Sort, Symbol, Term, Terms};

/// A table with an entry for each address, zero at first.
pub(super) fn table(program: &mut CfaProgram, name: String, bits: u32) -> Symbol {
    let sort = Sort::array(Sort::BitVec(program.pointer_bits), Sort::BitVec(bits));
    let symbol = program.terms.declare(name.clone(), sort);
    program.regions.push(Region { symbol, cell_bytes: bits / 8, starts_zero: true, name, ghost: true });
    symbol
}

/// A variable that no one sees.
pub(super) fn hidden(program: &mut CfaProgram, name: String, sort: Sort) -> Symbol {
    let symbol = program.terms.declare(name.clone(), sort);
    let info = VariableInfo { name, ty: String::new(), signed: false, pointer: false, hidden: true };
    program.variables.insert(symbol, info);
    symbol
}

/// A new location.
pub(super) fn fresh(procedure: &mut Procedure, like: LocId) -> LocId {
    let span = procedure.locations[like.index()].span;
    procedure.locations.push(Location { label: None, span });
    LocId::from_index(procedure.locations.len() - 1)
}

/// Goes on only where a condition holds; elsewhere the run ends with the operation. Where it goes on.
pub(super) fn guard(
    terms: &mut Terms,
    procedure: &mut Procedure,
    at: LocId,
    condition: Term,
    otherwise: Op,
    span: Span,
) -> LocId {
    if matches!(terms.node(condition), Node::Bool(true)) {
        return at;
    }
    let negated = terms.not(condition);
    let (good, bad) = (fresh(procedure, at), fresh(procedure, at));
    let end = fresh(procedure, at);
    procedure.edges.push(Edge { from: at, to: good, op: Op::Assume(condition), span });
    procedure.edges.push(Edge { from: at, to: bad, op: Op::Assume(negated), span });
    procedure.edges.push(Edge { from: bad, to: end, op: otherwise, span });
    good
}

/// Edges with assignments, one after the other; where they end.
pub(super) fn chain(procedure: &mut Procedure, mut at: LocId, assigns: Vec<Vec<Assign>>) -> LocId {
    for assigns in assigns.into_iter().filter(|assigns| !assigns.is_empty()) {
        let next = fresh(procedure, at);
        procedure.edges.push(Edge { from: at, to: next, op: Op::Assign(assigns), span: Span::default() });
        at = next;
    }
    at
}

/// Whether an edge may be taken again after it was.
pub(super) fn is_in_loop(procedure: &Procedure, edge: &Edge) -> bool {
    let leaving = procedure.successors();
    let (mut seen, mut todo) = (vec![false; leaving.len()], vec![edge.to]);
    while let Some(at) = todo.pop() {
        if !std::mem::replace(&mut seen[at.index()], true) {
            todo.extend(leaving[at.index()].iter().map(|next| procedure.edges[next.index()].to));
        }
    }
    seen[edge.from.index()]
}
