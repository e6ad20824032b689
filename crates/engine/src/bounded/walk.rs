//! One round: all runs within the bounds, executed symbolically, merged where they meet.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use clinch_ir::Reason;
use clinch_ir::cfa::effects::updates;
use clinch_ir::cfa::{Assign, EdgeId, InputId, Op, ProcedureId};
use clinch_terms::fold::Folder;
use clinch_terms::{LocId, Node, Sort, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

use super::cut::Cuts;
use super::layout::Layout;
use super::path::{PathId, Paths, ROOT};
use super::query::{Found, ask};
use super::state::{Frame, Key, Place, State, merge};
use crate::budget::{Budget, Ticker};
use crate::share;

/// What may be repeated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Repeated {
    /// The loop with this head.
    Loop(ProcedureId, LocId),
    /// A call of a procedure that is active already.
    Call(ProcedureId),
}

/// The price of a repetition that a run may do without; see `Walk::price`.
const CHOSEN: u32 = 32;
/// Repetitions that no run can avoid, at most.
const FORCED: u32 = 200_000;
/// Activations of a procedure at most.
const DEEP: u32 = 5_000;
/// Repetitions after which the solver is asked whether they happen, now and then; and how long.
const OFTEN: u32 = 16;
const DEEPER: u32 = 4;
const BETWEEN: Duration = Duration::from_millis(500);
/// Variables in which states are compared.
const COMPARED: usize = 24;
/// The number of no loop.
const NO_LOOP: u32 = u32::MAX;
/// Terms at most: for the sake of memory.
const TERMS: usize = 4_000_000;

/// How often things may be repeated: those not listed as often as is said for all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounds {
    pub(crate) default: u32,
    pub(crate) of: BTreeMap<Repeated, u32>,
}

impl Bounds {
    pub(crate) fn get(&self, what: Repeated) -> u32 {
        self.of.get(&what).copied().unwrap_or(self.default)
    }

    /// The bounds as other engines are told them. Repetitions that no run can avoid come on top of them ([`Walk::price`]): what is
    /// told is less than what was executed.
    pub(super) fn told(&self) -> share::Bounds {
        let of = self.of.iter().map(|(&what, &bound)| match what {
            Repeated::Loop(procedure, location) => {
                (share::Repeated::Loop(share::Place { procedure, location }), bound.min(FORCED))
            }
            Repeated::Call(procedure) => (share::Repeated::Call(procedure), bound.min(DEEP)),
        });
        share::Bounds { default: self.default, of: of.collect() }
    }
}

/// An input on the way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) site: InputId,
    pub(crate) value: Symbol,
    pub(crate) path: PathId,
}

/// A block of memory on the way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allocated {
    pub(crate) address: u64,
    pub(crate) size: Term,
    pub(crate) path: PathId,
}

/// Cells of a local object whose lifetime began, with any contents.
#[derive(Debug)]
pub(crate) struct Opened {
    /// Their addresses.
    pub(crate) cells: Range<u64>,
    /// The contents of the one cell, or the memory that they are in.
    pub(crate) contents: Term,
    pub(crate) path: PathId,
}

/// What a round found.
#[derive(Debug, Default)]
pub(crate) struct Round {
    /// Paths to errors.
    pub(crate) errors: Vec<(PathId, ProcedureId, EdgeId)>,
    /// Paths to what has no verdict.
    pub(crate) open: Vec<(PathId, ProcedureId, EdgeId)>,
    /// Paths that go on beyond a bound.
    pub(crate) beyond: Vec<(Repeated, PathId)>,
    /// Candidates for invariants, by number, and paths on which they do not hold.
    pub(crate) broken: Vec<(usize, PathId)>,
    /// The inputs, in the order of time.
    pub(crate) inputs: Vec<Asked>,
    /// The blocks allocated, in the order of time.
    pub(crate) blocks: Vec<Allocated>,
    /// The local objects, in the order in which their lifetimes began.
    pub(crate) opened: Vec<Opened>,
    /// The most iterations of each loop, and the most activations of each procedure at a time.
    pub(crate) used: BTreeMap<Repeated, u32>,
    /// Points executed.
    pub(crate) points: u64,
    /// Questions whether a path can be taken.
    pub(crate) queries: u64,
}

/// A loop under way.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    pub(super) price: u32,
    /// Whether a run left the loop in the current iteration.
    pub(super) left: bool,
    /// The path where the current iteration began.
    pub(super) path: PathId,
    /// The state there.
    pub(super) values: Vec<Term>,
    pub(super) saved: Vec<Term>,
    /// If the loop is cut: the iteration before which was forgotten what it changed, and whether runs had no choice so far.
    pub(super) since: Option<u32>,
    pub(super) forced: bool,
}

/// What is kept from round to round: terms of one round are those of the next.
pub(super) struct Memory {
    pub(super) terms: Terms,
    pub(super) folder: Folder,
    pub(super) paths: Paths,
    /// Paths that cannot be taken, and paths that may.
    possible: FxHashMap<PathId, bool>,
    /// Symbols for what is open, by place, number and sort: with other bounds a place may have others.
    fresh: FxHashMap<(Key, u32, Sort), Symbol>,
    /// Addresses of blocks, by the place that allocates them.
    pub(super) blocks: super::blocks::Blocks,
}

impl Memory {
    pub(super) fn new(layout: &Layout<'_>, mut terms: Terms) -> Self {
        let paths = Paths::new(&mut terms);
        let blocks = super::blocks::Blocks::new(layout.program);
        Memory {
            terms,
            folder: Folder::default(),
            paths,
            possible: FxHashMap::default(),
            fresh: FxHashMap::default(),
            blocks,
        }
    }

    /// The symbol for something open at a place.
    pub(super) fn fresh(&mut self, key: &Key, number: u32, like: Symbol) -> Symbol {
        let name = format!("{}?", self.terms.symbol_name(like));
        let sort = self.terms.symbol_sort(like).clone();
        self.fresh_of(key, number, &name, sort)
    }

    /// The same with a name and a sort.
    pub(super) fn fresh_of(&mut self, key: &Key, number: u32, name: &str, sort: Sort) -> Symbol {
        let known = self.fresh.entry((Rc::clone(key), number, sort.clone()));
        *known.or_insert_with(|| self.terms.declare(name, sort))
    }
}

/// A round under way.
pub(super) struct Walk<'a, 'p> {
    pub(super) layout: &'a Layout<'p>,
    pub(super) memory: &'a mut Memory,
    bounds: &'a Bounds,
    budget: &'a Budget,
    pub(super) cuts: Option<&'a Cuts>,
    pending: BTreeMap<Key, (Place, Vec<State>)>,
    pub(super) turns: FxHashMap<Key, Turns>,
    pub(super) round: Round,
}

impl<'a, 'p> Walk<'a, 'p> {
    pub(super) fn new(layout: &'a Layout<'p>, memory: &'a mut Memory, bounds: &'a Bounds, budget: &'a Budget) -> Self {
        let (pending, turns) = (BTreeMap::new(), FxHashMap::default());
        Walk { layout, memory, bounds, budget, cuts: None, pending, turns, round: Round::default() }
    }

    /// With loops that are cut instead of being bounded.
    pub(super) fn with_cuts(self, cuts: &'a Cuts) -> Self {
        Walk { cuts: Some(cuts), ..self }
    }

    /// Executes everything within the bounds.
    pub(super) fn run(mut self) -> Result<Round, Reason> {
        let entry = self.layout.program.entry;
        let start = self.place(&[], entry, None);
        let values = self.layout.initial_values(&mut self.memory.terms);
        self.arrive(start, State { path: ROOT, values, saved: Vec::new() });
        let mut ticker = Ticker::new();
        while let Some((_, (place, states))) = self.pending.pop_first() {
            ticker.tick(self.budget)?;
            if self.memory.terms.len() > TERMS {
                return Err(Reason::Unsupported("the formulas are too large".to_owned()));
            }
            self.round.points += 1;
            let (layout, memory) = (self.layout, &mut *self.memory);
            let dead = |variable: usize| {
                let dead = layout.is_dead(place.procedure, place.location, variable);
                dead.then(|| layout.anything[variable])
            };
            let state = merge(&mut memory.terms, &mut memory.folder, &mut memory.paths, states, &dead);
            if let Some(state) = self.within(&place, state) {
                self.leave(&place, state);
            }
        }
        Ok(self.round)
    }

    /// Where a procedure starts, called at the point with this key.
    fn place(&self, base: &[u32], procedure: ProcedureId, calls: Option<Rc<Frame>>) -> Place {
        let location = self.layout.program.procedure(procedure).entry;
        let order = &self.layout.of(procedure).order;
        let mut key = base.to_vec();
        for id in order.loops_around(location) {
            key.extend([order.position(order.loops[id as usize].head), 0]);
        }
        key.push(order.position(location));
        Place { key: key.into(), base: base.len(), procedure, location, calls }
    }

    fn arrive(&mut self, place: Place, state: State) {
        let entry = self.pending.entry(Rc::clone(&place.key)).or_insert_with(|| (place, Vec::new()));
        entry.1.push(state);
    }

    /// What is left of a state within the bounds.
    fn within(&mut self, place: &Place, mut state: State) -> Option<State> {
        let order = &self.layout.of(place.procedure).order;
        let around = order.loops_around(place.location);
        let innermost = *around.last().filter(|&&l| order.loops[l as usize].head == place.location).unwrap_or(&NO_LOOP);
        if innermost == NO_LOOP {
            return Some(state);
        }
        self.forget_dead(place.procedure, place.location, &mut state);
        let at = place.base + 2 * (around.len() - 1) + 1;
        if let Some(cut) = self.cuts.and_then(|cuts| cuts.loops.get(&(place.procedure, place.location))) {
            return self.cut(place, at, cut, state);
        }
        let iteration = place.key[at];
        let what = Repeated::Loop(place.procedure, place.location);
        let last = self.turns.remove(&place.key[..at]).filter(|_| iteration > 0);
        let mut price = 0;
        if let Some(last) = last {
            price = last.price + Self::price(last.left, last.path == state.path);
            state.path = self.changed(&last, &state)?;
        }
        if price > CHOSEN * self.bounds.get(what) || iteration > FORCED {
            self.round.beyond.push((what, state.path));
            return None;
        }
        if iteration >= OFTEN && iteration.is_power_of_two() && !self.is_possible(state.path) {
            return None;
        }
        let (values, saved) = (state.values.clone(), state.saved.clone());
        let path = state.path;
        let turns = Turns { price, left: false, path, values, saved, since: None, forced: false };
        self.turns.insert(place.key[..at].into(), turns);
        self.use_up(what, iteration);
        Some(state)
    }

    /// Whether a run may take a path. Without this, repetition that seems to be forced might be that of no run at all.
    fn is_possible(&mut self, path: PathId) -> bool {
        if path == ROOT {
            return true;
        }
        if let Some(&known) = self.memory.possible.get(&path) {
            return known;
        }
        self.round.queries += 1;
        let condition = self.memory.paths.condition(path);
        let possible = !matches!(ask(&self.memory.terms, condition, self.budget, BETWEEN), Found::None);
        self.memory.possible.insert(path, possible);
        possible
    }

    /// The path of a state that is another one than that of the iteration before; none if it is the same.
    pub(super) fn changed(&mut self, last: &Turns, state: &State) -> Option<PathId> {
        if self.layout.allocates {
            return Some(state.path);
        }
        let Memory { terms, folder, paths, .. } = &mut *self.memory;
        let mut differ = terms.ff();
        let before = last.values.iter().chain(&last.saved);
        let mut count = 0;
        for (&old, &new) in before.zip(state.values.iter().chain(&state.saved)).filter(|(old, new)| old != new) {
            count += 1;
            match folder.differ(terms, old, new) {
                Some(here) if count <= COMPARED => differ = folder.or(terms, differ, here),
                _ => return Some(state.path),
            }
            if matches!(terms.node(differ), Node::Bool(true)) {
                return Some(state.path);
            }
        }
        paths.decide(terms, state.path, differ)
    }

    fn use_up(&mut self, what: Repeated, times: u32) {
        let used = self.round.used.entry(what).or_insert(0);
        *used = times.max(*used);
    }

    /// What a repetition costs: nothing if nothing was decided since the last one, for it must come; little if no run
    /// had the choice to leave; otherwise it counts.
    fn price(left: bool, forced: bool) -> u32 {
        match (left, forced) {
            (_, true) => 0,
            (false, false) => 1,
            (true, false) => CHOSEN,
        }
    }

    /// Follows all edges that a state can take.
    fn leave(&mut self, place: &Place, state: State) {
        let edges = &self.layout.of(place.procedure).successors[place.location.index()];
        let program = self.layout.program;
        let mut enabled: Vec<(EdgeId, PathId)> = Vec::with_capacity(edges.len());
        for &edge in edges {
            let path = match &program.procedure(place.procedure).edges[edge.index()].op {
                Op::Assume(condition) => {
                    let condition = self.evaluate(&state, *condition);
                    self.memory.paths.decide(&mut self.memory.terms, state.path, condition)
                }
                _ => Some(state.path),
            };
            enabled.extend(path.map(|path| (edge, path)));
        }
        let Some((&(last, path), others)) = enabled.split_last() else { return };
        for &(edge, path) in others {
            self.take(place, edge, State { path, ..state.clone() });
        }
        self.take(place, last, State { path, ..state });
    }

    /// The value of a term.
    pub(super) fn evaluate(&mut self, state: &State, term: Term) -> Term {
        let (layout, Memory { terms, folder, .. }) = (self.layout, &mut *self.memory);
        let mut missing = Vec::new();
        let value = folder.substitute(terms, term, &mut |symbol| match layout.slot(symbol) {
            Some(slot) => state.values[slot],
            None => {
                missing.push(symbol);
                layout.anything[0]
            }
        });
        debug_assert!(missing.is_empty(), "every symbol of a program is a variable");
        value
    }

    pub(super) fn set(&self, state: &mut State, variable: Symbol, value: Term) {
        if let Some(slot) = self.layout.slot(variable) {
            state.values[slot] = value;
        }
    }

    /// Follows an edge.
    fn take(&mut self, place: &Place, id: EdgeId, mut state: State) {
        let edge = &self.layout.program.procedure(place.procedure).edges[id.index()];
        match &edge.op {
            Op::Error(_) | Op::Unsupported(_) | Op::Undefined(_) if self.all_is_well(place) => return,
            Op::Error(_) => return self.round.errors.push((state.path, place.procedure, id)),
            Op::Unsupported(_) | Op::Undefined(_) => {
                return self.round.open.push((state.path, place.procedure, id));
            }
            Op::Exit(_) | Op::Abort => return self.leave_all(place),
            Op::Call { callee, args, .. } => return self.call(place, id, state, *callee, args),
            Op::Return(value) => return self.return_from(place, state, *value),
            Op::Skip | Op::Assume(_) | Op::Print(_) | Op::Free(_) | Op::Leave(_) | Op::SameObject(..) => {}
            Op::Assign(assigns) => self.assign(&mut state, assigns),
            Op::Input(symbol, site) => {
                let value = self.memory.fresh(&place.key, 0, *symbol);
                self.round.inputs.push(Asked { site: *site, value, path: state.path });
                let value = self.memory.terms.symbol(value);
                self.set(&mut state, *symbol, value);
            }
            Op::BlockSize(symbol, _) => {
                let value = self.memory.fresh(&place.key, 0, *symbol);
                let value = self.memory.terms.symbol(value);
                self.set(&mut state, *symbol, value);
            }
            Op::Enter(object) => self.enter(place, &mut state, *object),
            Op::Alloc { target, size, kind, .. } => {
                if !self.allocate(place, id, &mut state, (*target, *size, *kind)) {
                    return;
                }
            }
        }
        self.move_on(place, edge.to, state);
    }

    fn assign(&mut self, state: &mut State, assigns: &[Assign]) {
        let updates = updates(&mut self.memory.terms, assigns);
        let new: Vec<(Symbol, Term)> = updates.into_iter().map(|(s, value)| (s, self.evaluate(state, value))).collect();
        new.into_iter().for_each(|(symbol, value)| self.set(state, symbol, value));
    }

    pub(super) fn write(&mut self, state: &mut State, region: Symbol, address: Term, value: Term) {
        let Some(slot) = self.layout.slot(region) else { return };
        let Memory { terms, folder, .. } = &mut *self.memory;
        state.values[slot] = folder.store(terms, state.values[slot], address, value);
    }

    /// Goes to another location of the same procedure.
    fn move_on(&mut self, from: &Place, to: LocId, state: State) {
        let order = &self.layout.of(from.procedure).order;
        let (inside, around) = (order.loops_around(from.location), order.loops_around(to));
        let mut key = from.key[..from.base].to_vec();
        let mut common = 0;
        for (depth, &id) in around.iter().enumerate() {
            let head = order.loops[id as usize].head;
            let mut iteration = 0;
            if inside.get(depth) == Some(&id) {
                iteration = from.key[from.base + 2 * depth + 1] + u32::from(head == to);
                common = depth + 1;
            }
            key.extend([order.position(head), iteration]);
        }
        key.push(order.position(to));
        if self.leaves_early(from, common, inside.len()) {
            return;
        }
        self.leave_loops(from, common, inside.len());
        let place = Place { key: key.into(), location: to, calls: from.calls.clone(), ..*from };
        self.arrive(place, state);
    }

    /// A run leaves the loops around a place from some depth on.
    fn leave_loops(&mut self, place: &Place, from: usize, to: usize) {
        for depth in from..to {
            if let Some(turns) = self.turns.get_mut(&place.key[..=place.base + 2 * depth]) {
                turns.left = true;
            }
        }
    }

    /// A run ends: it leaves all loops, also those around the calls.
    fn leave_all(&mut self, place: &Place) {
        let mut place = place.clone();
        loop {
            let depth = self.layout.of(place.procedure).order.loops_around(place.location).len();
            self.leave_loops(&place, 0, depth);
            let Some(frame) = place.calls else { return };
            place = frame.caller.clone();
        }
    }

    fn call(&mut self, place: &Place, edge: EdgeId, mut state: State, callee: ProcedureId, args: &[Term]) {
        let args: Vec<Term> = args.iter().map(|&a| self.evaluate(&state, a)).collect();
        let before = frames(place).find(|f| f.callee == callee);
        let (activations, price) = match before {
            Some(frame) => (frame.activations + 1, frame.price + Self::price(true, frame.path == state.path)),
            None => (1, 0),
        };
        let what = Repeated::Call(callee);
        if price > CHOSEN * self.bounds.get(what) || activations > DEEP {
            return self.round.beyond.push((what, state.path));
        }
        if activations >= DEEPER && activations.is_power_of_two() && !self.is_possible(state.path) {
            return;
        }
        if activations > 1 {
            self.use_up(what, activations);
        }
        let program = self.layout.program;
        self.forget_dead(place.procedure, program.procedure(place.procedure).edges[edge.index()].to, &mut state);
        let variables = &self.layout.of(callee).variables;
        let saved = if activations > 1 { variables.len() } else { 0 };
        if activations > 1 {
            state.saved.extend(variables.iter().map(|&v| state.values[v]));
        }
        variables.iter().for_each(|&v| state.values[v] = self.layout.anything[v]);
        for (&parameter, value) in program.procedure(callee).params.iter().zip(args) {
            self.set(&mut state, parameter, value);
        }
        let base: Vec<u32> = place.key.iter().copied().chain([edge.0]).collect();
        let (procedure, path) = (place.procedure, state.path);
        let frame = Frame { procedure, edge, callee, caller: place.clone(), activations, price, path, saved };
        let start = self.place(&base, callee, Some(Rc::new(frame)));
        self.arrive(start, state);
    }

    /// Variables of a procedure that do not matter at a location hold anything.
    fn forget_dead(&self, procedure: ProcedureId, location: LocId, state: &mut State) {
        for &variable in &self.layout.of(procedure).variables {
            if self.layout.is_dead(procedure, location, variable) {
                state.values[variable] = self.layout.anything[variable];
            }
        }
    }

    fn return_from(&mut self, place: &Place, mut state: State, value: Option<Term>) {
        let Some(frame) = place.calls.clone() else { return self.leave_all(place) };
        let depth = self.layout.of(place.procedure).order.loops_around(place.location).len();
        if self.leaves_early(place, 0, depth) {
            return;
        }
        self.leave_loops(place, 0, depth);
        let value = value.map(|v| self.evaluate(&state, v));
        let variables = &self.layout.of(place.procedure).variables;
        let saved = state.saved.split_off(state.saved.len() - frame.saved);
        for (i, &variable) in variables.iter().enumerate() {
            state.values[variable] = saved.get(i).copied().unwrap_or(self.layout.anything[variable]);
        }
        let edge = &self.layout.program.procedure(frame.procedure).edges[frame.edge.index()];
        if let (Op::Call { result: Some(result), .. }, Some(value)) = (&edge.op, value) {
            self.set(&mut state, *result, value);
        }
        self.move_on(&frame.caller, edge.to, state);
    }
}

/// The calls that wait, the innermost first.
fn frames(place: &Place) -> impl Iterator<Item = &Frame> {
    std::iter::successors(place.calls.as_deref(), |frame| frame.caller.calls.as_deref())
}
