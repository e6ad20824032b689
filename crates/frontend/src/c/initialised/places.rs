//! Where values come from that were never written, and where it matters.

use clinch_ir::cfa::{CfaProgram, InputKind, Op, ProcedureId, Target};
use clinch_terms::{BinOp, Node, Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::fresh::CALLER;
use super::super::ghost::is_in_loop;
use super::super::models::{ARGUMENTS, TEXT};
use super::super::provenance::flows;

/// The variables and regions that may hold values which were never written.
pub(super) fn open_places(program: &mut CfaProgram) -> Vec<Symbol> {
    let flows = flows(program);
    let edges = program.procedures.iter().flat_map(|p| &p.edges);
    let mut open: FxHashSet<Symbol> = edges.filter_map(|edge| never_written(program, &edge.op)).collect();
    open.extend(program.regions.iter().filter(|region| !region.starts_zero && !region.ghost).map(|r| r.symbol));
    loop {
        let before = open.len();
        for &(target, value) in &flows {
            let parts = program.terms.parts(value);
            let is_open = |part| matches!(program.terms.node(part), Node::Symbol(symbol) if open.contains(&symbol));
            if parts.into_iter().any(is_open) {
                open.insert(target);
            }
        }
        if open.len() == before {
            break;
        }
    }
    let mut open: Vec<Symbol> = open.into_iter().collect();
    open.sort_unstable();
    open
}

/// The variable that an edge leaves without a value.
pub(super) fn never_written(program: &CfaProgram, op: &Op) -> Option<Symbol> {
    match op {
        Op::Input(symbol, site) => {
            matches!(program.inputs[site.index()].kind, InputKind::Uninitialised(_)).then_some(*symbol)
        }
        _ => None,
    }
}

/// Whether the blocks that a function allocates come from outside, with their contents: arguments, texts of the environment, fresh objects.
pub(super) fn is_from_outside(function: &str) -> bool {
    function == ARGUMENTS || function == TEXT || function.starts_with(CALLER)
}

/// What decides where a run goes, what it accesses and what it tells the outside.
pub(super) fn decisive(program: &CfaProgram, op: &Op) -> Vec<Term> {
    let is_memory = |region: Symbol| program.region(region).is_some_and(|r| !r.ghost);
    let mut all = Vec::new();
    for term in op.terms() {
        for part in program.terms.parts(term) {
            if let Node::Binary(BinOp::Select, _, address) = program.terms.node(part) {
                all.push(address);
            }
        }
    }
    match op {
        Op::Assume(condition) => all.push(*condition),
        Op::Assign(assigns) => all.extend(assigns.iter().filter_map(|assign| match assign.target {
            Target::Cell(region, address) if is_memory(region) => Some(address),
            _ => None,
        })),
        Op::Print(print) => all.extend(&print.args),
        Op::Exit(term) | Op::Free(term) | Op::BlockSize(_, term) | Op::Alloc { size: term, .. } => all.push(*term),
        _ => {}
    }
    all
}

/// The procedures that are called once in every run.
pub(super) fn called_once(program: &CfaProgram) -> FxHashSet<ProcedureId> {
    let mut callers: FxHashMap<ProcedureId, Vec<(ProcedureId, bool)>> = FxHashMap::default();
    for (index, procedure) in program.procedures.iter().enumerate() {
        for edge in &procedure.edges {
            if let Op::Call { callee, .. } = edge.op {
                let again = is_in_loop(procedure, edge);
                callers.entry(callee).or_default().push((ProcedureId::from_index(index), again));
            }
        }
    }
    let mut once = FxHashSet::from_iter([program.entry]);
    let mut todo = vec![program.entry];
    while let Some(caller) = todo.pop() {
        for index in 0..program.procedures.len() {
            let callee = ProcedureId::from_index(index);
            let alone = callers.get(&callee).is_some_and(|calls| calls[..] == [(caller, false)]);
            if alone && once.insert(callee) {
                todo.push(callee);
            }
        }
    }
    once
}
