//! Loops that are cut: of their iterations only the first and the last ones are executed. What lies between is forgotten, and
//! what is known of it is that all was well; see `crate::kinduction`.
//!
//! The `i`-th time a run comes to the head of such a loop, counted from 0, with depth `k`:
//!
//! | iteration           | state at the head                   | errors and invariants    | runs that leave the loop |
//! |---------------------|-------------------------------------|--------------------------|--------------------------|
//! | `0 .. s`, `s >= k`  | as it is                            | must not be, must hold   | go on                    |
//! | `s .. s + k`        | at `s` what the loop changes is any | are not, hold            | are others: ended        |
//! | `s + k`             | as it follows                       | must not be, must hold   | go on                    |
//! | `s + k + 1`         | ended                               |                          |                          |
//!
//! A run that leaves the loop in its iteration `n` is among those of the first row if `n < s`, and of the third row otherwise,
//! with the state of its iteration `n - k` in place of what was forgotten.

use std::collections::{BTreeMap, BTreeSet};

use clinch_ir::cfa::{CfaProgram, Op, ProcedureId, Target};
use clinch_terms::{LocId, Symbol, Term};

use super::layout::Layout;

/// Loops that are cut.
pub(crate) struct Cuts {
    /// The *k*.
    pub(crate) depth: u32,
    /// While runs have no choice, so many iterations are executed as they are.
    pub(crate) forced: u32,
    /// By procedure and head.
    pub(crate) loops: BTreeMap<(ProcedureId, LocId), CutLoop>,
}

/// A loop that can be cut.
#[derive(Clone, Debug)]
pub(crate) struct CutLoop {
    /// The numbers of the variables that an iteration may change.
    pub(crate) changed: Vec<usize>,
    /// What may hold whenever a run passes the head.
    pub(crate) candidates: Vec<Candidate>,
}

/// What may be an invariant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Candidate {
    /// Its number among those of all loops.
    pub(crate) number: usize,
    /// What it says, over the program's variables.
    pub(crate) formula: Term,
    /// The truth value that says whether it is still one.
    pub(crate) active: Term,
}

/// What a procedure, with all that it calls, does to others.
#[derive(Clone, Default, PartialEq, Eq)]
struct Touched {
    symbols: BTreeSet<Symbol>,
    allocates: bool,
}

/// All loops that can be cut: those that runs enter by the head, for iterations are counted there, and in which no memory is
/// allocated, for its addresses are constants.
pub(crate) fn loops_to_cut(layout: &Layout<'_>) -> BTreeMap<(ProcedureId, LocId), CutLoop> {
    let program = layout.program;
    let touched = touched(program);
    let mut loops = BTreeMap::new();
    for (i, procedure) in program.procedures.iter().enumerate() {
        let id = ProcedureId::from_index(i);
        let order = &layout.of(id).order;
        for (number, found) in order.loops.iter().enumerate() {
            let inside = |location| order.loops_around(location).contains(&(number as u32));
            let mut all = Touched::default();
            for edge in procedure.edges.iter().filter(|edge| inside(edge.from) && inside(edge.to)) {
                touch(program, id, &edge.op, &touched, &mut all);
            }
            let is_entry = |location| inside(location) && location != found.head;
            let by_head = !is_entry(procedure.entry)
                && !procedure.edges.iter().any(|edge| !inside(edge.from) && is_entry(edge.to));
            if by_head && !all.allocates {
                let changed = all.symbols.into_iter().filter_map(|symbol| layout.slot(symbol)).collect();
                loops.insert((id, found.head), CutLoop { changed, candidates: Vec::new() });
            }
        }
    }
    loops
}

/// For each procedure what its calls do to variables that are not its own.
fn touched(program: &CfaProgram) -> Vec<Touched> {
    let mut all = vec![Touched::default(); program.procedures.len()];
    loop {
        let mut next = all.clone();
        for (i, procedure) in program.procedures.iter().enumerate() {
            let id = ProcedureId::from_index(i);
            procedure.edges.iter().for_each(|edge| touch(program, id, &edge.op, &all, &mut next[i]));
            next[i].symbols.retain(|symbol| !procedure.params.contains(symbol) && !procedure.locals.contains(symbol));
        }
        if next == all {
            return all;
        }
        all = next;
    }
}

fn touch(program: &CfaProgram, procedure: ProcedureId, op: &Op, touched: &[Touched], into: &mut Touched) {
    into.symbols.extend(program.procedure(procedure).writes(op));
    match op {
        Op::Assign(assigns) => into.symbols.extend(assigns.iter().filter_map(|assign| match assign.target {
            Target::Cell(region, _) => Some(region),
            Target::Var(_) => None,
        })),
        Op::Enter(object) => into.symbols.extend(&program.objects[object.index()].regions),
        Op::Alloc { .. } => into.allocates = true,
        Op::Call { callee, .. } => {
            let callee = &touched[callee.index()];
            into.symbols.extend(&callee.symbols);
            into.allocates |= callee.allocates;
        }
        _ => {}
    }
}
