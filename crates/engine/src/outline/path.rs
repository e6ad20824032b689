//! Runs through abstract states: whether they are possible, and which variables say that they are not.

use clinch_ir::cfa::{CfaProgram, Edge, EdgeId, Op, ProcedureId, Target};
use clinch_terms::{Symbol, Term};
use rustc_hash::FxHashSet;

use super::search::{Origin, Search};
use super::state::{Layout, State, may_be_tracked};

/// Longer runs are not looked at.
const LONGEST: usize = 200_000;

/// Edges of a run: behind that of a call come those of the callee.
pub(super) type Path = Vec<(ProcedureId, EdgeId)>;

/// The run that leads to an edge; nothing if it is too long.
pub(super) fn path_to(search: &Search<'_>, node: usize, edge: EdgeId) -> Option<Path> {
    let step = |from: usize, edge: EdgeId| (search.contexts[search.nodes[from].context].procedure, edge);
    let mut path = vec![step(node, edge)];
    // Who made the calls that came back, and through which the walk leads.
    let mut callers: Vec<(usize, EdgeId)> = Vec::new();
    let mut at = node;
    while path.len() <= LONGEST {
        let (from, edge) = match (search.nodes[at].origin, callers.last()) {
            (Origin::Step(from, edge), _) => (from, edge),
            (Origin::Returned(from, edge, at_exit), _) => {
                callers.push((from, edge));
                at = at_exit;
                continue;
            }
            (Origin::Start | Origin::Entered(..), Some(&caller)) => {
                callers.pop();
                caller
            }
            (Origin::Entered(from, edge), None) => (from, edge),
            (Origin::Start, None) => {
                path.reverse();
                return Some(path);
            }
        };
        path.push(step(from, edge));
        at = from;
    }
    None
}

/// Whether a run is impossible as far as its variables that are tracked can tell: how many of its edges are needed for that.
pub(super) fn fails_at(program: &CfaProgram, layout: &Layout, path: &Path) -> Option<usize> {
    let mut frames: Vec<(ProcedureId, State, Option<&Edge>)> = Vec::new();
    let mut state = layout.initial(program);
    for (i, &(id, edge)) in path.iter().enumerate() {
        let edge = &program.procedure(id).edges[edge.index()];
        match &edge.op {
            Op::Call { callee, args, .. } => {
                let inside = layout.entered(program, &state, (*callee, args), false);
                frames.push((id, std::mem::replace(&mut state, inside), Some(edge)));
            }
            Op::Error(_) | Op::Unsupported(_) | Op::Undefined(_) => return None,
            op => {
                state = match layout.after(program, id, &state, edge) {
                    Some(after) => after,
                    None => return Some(i),
                };
                if let Op::Return(_) = op
                    && let Some((caller, before, Some(call))) = frames.pop()
                {
                    state = layout.returned(program, (caller, &before, call), (id, &state));
                }
            }
        }
    }
    None
}

/// Variables that show that a run is impossible, none of which can be left out; nothing if it seems to be possible, `without` those that are
/// not to be tracked.
pub(super) fn reasons(
    program: &CfaProgram,
    (tracked, without): (&FxHashSet<Symbol>, &FxHashSet<Symbol>),
    path: &Path,
) -> Option<Vec<Symbol>> {
    let all = variables(program, path);
    let everything: FxHashSet<Symbol> = all.into_iter().filter(|symbol| !without.contains(symbol)).collect();
    let layout = Layout::of_paths(program, &everything);
    let end = fails_at(program, &layout, path)?;
    let path = path[..=end].to_vec();
    let mut candidates: Vec<Symbol> =
        needed(program, &path).into_iter().filter(|s| !tracked.contains(s) && !without.contains(s)).collect();
    let fails = |candidates: &[Symbol]| {
        let all: FxHashSet<Symbol> = tracked.iter().chain(candidates).copied().collect();
        fails_at(program, &Layout::of_paths(program, &all), &path).is_some()
    };
    if !fails(&candidates) {
        candidates = everything.into_iter().filter(|s| !tracked.contains(s)).collect();
        candidates.sort_unstable();
        if !fails(&candidates) {
            return None;
        }
    }
    let mut size = candidates.len().div_ceil(2);
    while size > 0 {
        let mut from = 0;
        while from < candidates.len() {
            let end = (from + size).min(candidates.len());
            let fewer: Vec<Symbol> = candidates[..from].iter().chain(&candidates[end..]).copied().collect();
            if fails(&fewer) {
                candidates = fewer;
            } else {
                from = end;
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    Some(candidates)
}

/// All variables that a run has to do with.
fn variables(program: &CfaProgram, path: &Path) -> Vec<Symbol> {
    let procedures: FxHashSet<ProcedureId> = path.iter().map(|(id, _)| *id).collect();
    let mut symbols: Vec<Symbol> = program.globals.iter().map(|g| g.symbol).collect();
    for (index, procedure) in program.procedures.iter().enumerate() {
        if procedures.contains(&ProcedureId::from_index(index)) {
            symbols.extend(procedure.params.iter().chain(&procedure.locals));
        }
    }
    symbols.retain(|&symbol| may_be_tracked(&program.terms, symbol));
    symbols
}

/// The variables on which the condition at the end of a run depends, and those that conditions before it compare them with. Calls of one
/// procedure are not told apart.
fn needed(program: &CfaProgram, path: &Path) -> Vec<Symbol> {
    let mut needed: FxHashSet<Symbol> = FxHashSet::default();
    let add = |needed: &mut FxHashSet<Symbol>, terms: &[Term]| needed.extend(program.terms.symbols_of(terms));
    let calls = calls_of(program, path);
    for (i, &(id, edge)) in path.iter().enumerate().rev() {
        let procedure = program.procedure(id);
        match &procedure.edges[edge.index()].op {
            Op::Assume(condition) => {
                let symbols = program.terms.symbols(*condition);
                if i + 1 == path.len() || symbols.iter().any(|symbol| needed.contains(symbol)) {
                    needed.extend(symbols);
                }
            }
            Op::Assign(assigns) => {
                for assign in assigns {
                    if matches!(assign.target, Target::Var(symbol) if needed.contains(&symbol)) {
                        add(&mut needed, &[assign.value]);
                    }
                }
            }
            Op::Call { callee, args, .. } => {
                for (param, &arg) in program.procedure(*callee).params.iter().zip(args) {
                    if needed.contains(param) {
                        add(&mut needed, &[arg]);
                    }
                }
            }
            Op::Return(Some(value)) => {
                let wants = calls[i].is_some_and(|target| needed.contains(&target));
                let result = procedure.result.filter(|result| wants || needed.contains(result));
                if let Some(result) = result {
                    needed.insert(result);
                    add(&mut needed, &[*value]);
                }
            }
            _ => {}
        }
    }
    let mut needed: Vec<Symbol> = needed.into_iter().filter(|&s| may_be_tracked(&program.terms, s)).collect();
    needed.sort_unstable();
    needed
}

/// For each return of a run, where its result goes.
fn calls_of(program: &CfaProgram, path: &Path) -> Vec<Option<Symbol>> {
    let mut open: Vec<Option<Symbol>> = Vec::new();
    let mut targets = vec![None; path.len()];
    for (i, &(id, edge)) in path.iter().enumerate() {
        match &program.procedure(id).edges[edge.index()].op {
            Op::Call { result, .. } => open.push(*result),
            Op::Return(_) => targets[i] = open.pop().flatten(),
            _ => {}
        }
    }
    targets
}
