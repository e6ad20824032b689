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
use clinch_terms::{LocId, Node, Symbol, Term};

use super::layout::Layout;
use super::path::PathId;
use super::state::{Place, State};
use super::walk::{Turns, Walk};

/// Symbols for what is forgotten have numbers from here on; see `Memory::fresh`.
const FORGOTTEN: u32 = 1 << 24;

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

impl Walk<'_, '_> {
    /// What is left of a state at the head of a loop that is cut. `at` is where the key has the iteration.
    pub(super) fn cut(&mut self, place: &Place, at: usize, cut: &CutLoop, mut state: State) -> Option<State> {
        let (depth, most) = self.cuts.map_or((1, 0), |cuts| (cuts.depth, cuts.forced));
        let iteration = place.key[at];
        let last = self.turns.remove(&place.key[..at]).filter(|_| iteration > 0);
        let mut since = last.as_ref().and_then(|last| last.since);
        let forced = last.as_ref().is_none_or(|last| last.forced && last.path == state.path);
        if let Some(last) = &last {
            state.path = self.changed(last, &state)?;
        }
        if since.is_none() && iteration >= depth && (!forced || iteration >= most) {
            self.forget(place, cut, &mut state);
            since = Some(iteration);
        }
        let examined = since.is_none_or(|since| iteration == since + depth);
        match since {
            Some(since) if iteration > since + depth => return None,
            _ if examined && !self.all_is_well(place) => self.examine(cut, &state),
            _ => {}
        }
        // Nothing is forgotten in the first iterations: they need no help.
        if since.is_some() {
            state.path = self.suppose(cut, &state)?;
        }
        let (values, saved) = (state.values.clone(), state.saved.clone());
        let turns = Turns { price: 0, left: false, path: state.path, values, saved, since, forced };
        self.turns.insert(place.key[..at].into(), turns);
        Some(state)
    }

    /// What the loop changes is any.
    fn forget(&mut self, place: &Place, cut: &CutLoop, state: &mut State) {
        for &variable in &cut.changed {
            if self.layout.is_dead(place.procedure, place.location, variable) {
                continue;
            }
            let Node::Symbol(like) = self.memory.terms.node(self.layout.anything[variable]) else { continue };
            let any = self.memory.fresh(&place.key, FORGOTTEN + variable as u32, like);
            state.values[variable] = self.memory.terms.symbol(any);
        }
    }

    /// Candidates that do not hold are none.
    fn examine(&mut self, cut: &CutLoop, state: &State) {
        for candidate in &cut.candidates {
            let holds = self.evaluate(state, candidate.formula);
            let broken = self.memory.folder.not(&mut self.memory.terms, holds);
            if let Some(path) = self.memory.paths.decide(&mut self.memory.terms, state.path, broken) {
                self.round.broken.push((candidate.number, path));
            }
        }
    }

    /// The path on which all that are still candidates hold.
    fn suppose(&mut self, cut: &CutLoop, state: &State) -> Option<PathId> {
        let mut path = state.path;
        for candidate in &cut.candidates {
            let holds = self.evaluate(state, candidate.formula);
            let super::walk::Memory { terms, folder, paths, .. } = &mut *self.memory;
            let inactive = folder.not(terms, candidate.active);
            let supposed = folder.or(terms, inactive, holds);
            path = paths.decide(terms, path, supposed)?;
        }
        Some(path)
    }

    /// Whether a place is in an iteration in which nothing happened that must not.
    pub(super) fn all_is_well(&self, place: &Place) -> bool {
        let Some(cuts) = self.cuts else { return false };
        let mut at = Some(place);
        while let Some(place) = at {
            let depth = self.layout.of(place.procedure).order.loops_around(place.location).len();
            if self.is_supposed(cuts, place, 0, depth) {
                return true;
            }
            at = place.calls.as_deref().map(|frame| &frame.caller);
        }
        false
    }

    /// Whether a run that leaves the loops around a place from some depth on stands for none.
    pub(super) fn leaves_early(&self, place: &Place, from: usize, to: usize) -> bool {
        self.cuts.is_some_and(|cuts| self.is_supposed(cuts, place, from, to))
    }

    fn is_supposed(&self, cuts: &Cuts, place: &Place, from: usize, to: usize) -> bool {
        (from..to).any(|depth| {
            let at = place.base + 2 * depth + 1;
            let since = self.turns.get(&place.key[..at]).and_then(|turns| turns.since);
            since.is_some_and(|since| (since..since + cuts.depth).contains(&place.key[at]))
        })
    }
}
