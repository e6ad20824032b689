//! Inlining: a call of a procedure that is not recursive becomes a copy of it, with variables of its own.

use rustc_hash::FxHashMap;

use super::{Back, Transformed};
use crate::cfa::{
    AllocKind, Assign, CfaProgram, Edge, Liveness, ObjectId, ObjectKind, Op, Print, Procedure, ProcedureId, Target,
    partial_terms,
};
use crate::program::LocId;
use crate::sort::Sort;
use crate::term::{Symbol, Term};

/// How much is copied.
#[derive(Clone, Copy, Debug)]
pub struct InlineLimits {
    /// Procedures with more edges are called as before.
    pub callee_edges: usize,
    /// A procedure grows to so many edges.
    pub caller_edges: usize,
}

impl Default for InlineLimits {
    fn default() -> Self {
        InlineLimits { callee_edges: 200, caller_edges: 20_000 }
    }
}

/// Copies procedures into their callers. Procedures that are not called any more stay, so that their ids do.
pub fn inline(original: &CfaProgram, limits: &InlineLimits) -> Transformed {
    let mut program = original.clone();
    let mut back = Back::identity(original);
    let (order, recursive) = callees_first(original);
    for caller in order {
        let mut at = 0;
        while at < program.procedures[caller.index()].edges.len() {
            let edges = &program.procedures[caller.index()].edges;
            if let Op::Call { callee, .. } = edges[at].op {
                let body = &program.procedures[callee.index()];
                let fits = body.edges.len() <= limits.callee_edges
                    && edges.len() + body.edges.len() + 2 <= limits.caller_edges;
                if fits && !recursive[callee.index()] && callee != caller && can_be_copied(body) {
                    copy(&mut program, &mut back, caller, at);
                }
            }
            at += 1;
        }
    }
    Transformed { program, back }
}

/// Blocks on the stack end with the call: such procedures stay.
fn can_be_copied(procedure: &Procedure) -> bool {
    !procedure.edges.iter().any(|e| matches!(e.op, Op::Alloc { kind: AllocKind::Stack, .. }))
}

/// Procedures after those they call, and which of them may call themselves.
fn callees_first(program: &CfaProgram) -> (Vec<ProcedureId>, Vec<bool>) {
    let count = program.procedures.len();
    let callees = |p: usize| {
        let calls = program.procedures[p].edges.iter().filter_map(|e| match e.op {
            Op::Call { callee, .. } => Some(callee.index()),
            _ => None,
        });
        calls.collect::<Vec<_>>()
    };
    let callees: Vec<Vec<usize>> = (0..count).map(callees).collect();
    let (mut order, mut seen) = (Vec::new(), vec![false; count]);
    for root in 0..count {
        let mut path = vec![(root, 0)];
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        while let Some((at, next)) = path.last_mut() {
            match callees[*at].get(*next) {
                Some(&to) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        path.push((to, 0));
                    }
                }
                None => {
                    order.push(ProcedureId::from_index(*at));
                    path.pop();
                }
            }
        }
    }
    let recursive = (0..count).map(|p| reaches_itself(&callees, p)).collect();
    (order, recursive)
}

fn reaches_itself(callees: &[Vec<usize>], start: usize) -> bool {
    let mut seen = vec![false; callees.len()];
    let mut work = callees[start].clone();
    while let Some(at) = work.pop() {
        if at == start {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) {
            work.extend(&callees[at]);
        }
    }
    false
}

/// Replaces a call by a copy of the callee.
fn copy(program: &mut CfaProgram, back: &mut Back, caller: ProcedureId, at: usize) {
    let call = program.procedures[caller.index()].edges[at].clone();
    let Op::Call { callee, args, result } = call.op.clone() else { return };
    let body = program.procedures[callee.index()].clone();
    let fresh = fresh_variables(program, &body);
    let first = program.procedures[caller.index()].locations.len();
    let place = |l: LocId| LocId::from_index(first + l.index());
    let mut setup: Vec<Assign> =
        body.params.iter().zip(args).map(|(p, value)| Assign { target: Target::Var(fresh.of[p]), value }).collect();
    setup.extend(zeros(program, &body, &fresh));
    let map: FxHashMap<Symbol, Term> =
        fresh.of.iter().map(|(&s, &f)| (s, f)).map(|(s, f)| (s, program.terms.symbol(f))).collect();
    let mut edges = Vec::new();
    for edge in &body.edges {
        let op = renamed(program, &body, &fresh.of, &map, &edge.op);
        edges.push(Edge { from: place(edge.from), to: place(edge.to), op, span: edge.span });
    }
    // The way back: local objects end, the result is taken.
    let own = |o: &(usize, &crate::cfa::Object)| o.1.kind == ObjectKind::Local(callee);
    let objects: Vec<ObjectId> =
        program.objects.iter().enumerate().filter(own).map(|(i, _)| ObjectId::from_index(i)).collect();
    let taken = match (result, body.result) {
        (Some(target), Some(inner)) => Op::Assign(vec![Assign { target: Target::Var(target), value: map[&inner] }]),
        _ => Op::Skip,
    };
    let ways = objects.into_iter().map(Op::Leave).chain([taken]);
    let mut from = place(body.exit);
    let mut extra = 0;
    let ways: Vec<Op> = ways.collect();
    for (i, op) in ways.iter().enumerate() {
        let last = i + 1 == ways.len();
        let to = if last { call.to } else { LocId::from_index(first + body.locations.len() + extra) };
        extra += usize::from(!last);
        edges.push(Edge { from, to, op: op.clone(), span: call.span });
        from = to;
    }
    let old_exit = back.location(callee, body.exit);
    let old: Vec<_> = back.locations[callee.index()].clone();
    back.locations[caller.index()].extend(old);
    back.locations[caller.index()].extend(std::iter::repeat_n(old_exit, extra));
    let procedure = &mut program.procedures[caller.index()];
    procedure.locations.extend(body.locations);
    procedure.locations.extend(std::iter::repeat_n(crate::cfa::Location::default(), extra));
    procedure.locals.extend(fresh.order);
    let op = if setup.is_empty() { Op::Skip } else { Op::Assign(setup) };
    procedure.edges[at] = Edge { from: call.from, to: place(body.entry), op, span: call.span };
    procedure.edges.extend(edges);
}

struct Fresh {
    of: FxHashMap<Symbol, Symbol>,
    order: Vec<Symbol>,
}

fn fresh_variables(program: &mut CfaProgram, body: &Procedure) -> Fresh {
    let mut fresh = Fresh { of: FxHashMap::default(), order: Vec::new() };
    for &symbol in body.params.iter().chain(&body.locals) {
        let (name, sort) = (program.terms.symbol_name(symbol).to_owned(), program.terms.symbol_sort(symbol).clone());
        let copy = program.terms.declare(name, sort);
        if let Some(info) = program.variables.get(&symbol).cloned() {
            program.variables.insert(copy, info);
        }
        fresh.of.insert(symbol, copy);
        fresh.order.push(copy);
    }
    fresh
}

/// Variables that may be read before they are written start at zero in a call, so they do in each copy.
fn zeros(program: &mut CfaProgram, body: &Procedure, fresh: &Fresh) -> Vec<Assign> {
    let partial = partial_terms(&program.terms);
    let liveness = Liveness::new(&program.terms, body, &partial, &Default::default());
    let mut zeros = Vec::new();
    for (i, local) in body.locals.iter().enumerate() {
        if !liveness.is_live(body.entry, body.params.len() + i) {
            continue;
        }
        let value = match program.terms.symbol_sort(*local).clone() {
            Sort::Bool => program.terms.ff(),
            Sort::BitVec(width) => program.terms.bit_vec(width, 0),
            _ => program.terms.int(0),
        };
        zeros.push(Assign { target: Target::Var(fresh.of[local]), value });
    }
    zeros
}

fn renamed(
    program: &mut CfaProgram,
    body: &Procedure,
    fresh: &FxHashMap<Symbol, Symbol>,
    map: &FxHashMap<Symbol, Term>,
    op: &Op,
) -> Op {
    let var = |s: Symbol| fresh.get(&s).copied().unwrap_or(s);
    let terms = &mut program.terms;
    let mut sub = |t: Term| terms.rename_symbols(t, map);
    match op {
        Op::Return(value) => match (value, body.result) {
            (Some(value), Some(result)) => {
                Op::Assign(vec![Assign { target: Target::Var(var(result)), value: sub(*value) }])
            }
            _ => Op::Skip,
        },
        Op::Assume(term) => Op::Assume(sub(*term)),
        Op::Assign(assigns) => {
            let one = |a: &Assign| {
                let target = match a.target {
                    Target::Cell(region, address) => Target::Cell(region, sub(address)),
                    Target::Var(symbol) => Target::Var(var(symbol)),
                };
                Assign { target, value: sub(a.value) }
            };
            Op::Assign(assigns.iter().map(one).collect())
        }
        Op::Input(symbol, input) => Op::Input(var(*symbol), *input),
        Op::Call { callee, args, result } => {
            Op::Call { callee: *callee, args: args.iter().map(|&a| sub(a)).collect(), result: result.map(var) }
        }
        Op::Alloc { target, size, kind, zeroed } => {
            Op::Alloc { target: var(*target), size: sub(*size), kind: *kind, zeroed: *zeroed }
        }
        Op::Free(address) => Op::Free(sub(*address)),
        Op::BlockSize(target, address) => Op::BlockSize(var(*target), sub(*address)),
        Op::SameObject(a, b) => Op::SameObject(sub(*a), sub(*b)),
        Op::Print(print) => {
            let args = print.args.iter().map(|&a| sub(a)).collect();
            Op::Print(Print { format: print.format.clone(), args, stdout: print.stdout })
        }
        Op::Exit(status) => Op::Exit(sub(*status)),
        other => other.clone(),
    }
}
