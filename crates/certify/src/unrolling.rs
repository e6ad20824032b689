//! Bounds on what runs repeat: all runs within them are executed symbolically, and no run reaches an error, something without
//! verdict, or a bound.
//!
//! Points are taken in the order of time, each with all states that come to it: loops in their weak topological order, calls before
//! what follows them. A run that comes back to the head of a loop with the values it had there the last time is not followed, for
//! without this iteration it would be shorter: a shortest run to an error has none.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use clinch_ir::Effect;
use clinch_ir::cfa::effects::Effects;
use clinch_ir::cfa::order::WeakOrder;
use clinch_ir::cfa::{
    Addresses, AllocKind, CfaProgram, EdgeId, Integers, Liveness, Op, ProcedureId, Unrolling, partial_terms,
};
use clinch_smt::{Answer, LargeQuestion, refuted_by_intervals};
use clinch_terms::fold::{Folder, are_opposite};
use clinch_terms::{BinOp, LocId, Node, Sort, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Rejection, Stop};

/// Milliseconds for the question at the end; the caller's limits are tighter.
const TIME: u32 = 600_000;
/// Where floats are computed with, so many conditions are looked at one by one before, in so many milliseconds each.
const ALONE: usize = 64;
const TIME_ALONE: u32 = 200;
/// Terms at most.
const TERMS: usize = 6_000_000;
/// An object with more cells than this is forgotten with its whole region.
const CELLS: u64 = 4096;

/// Checks that no run exceeds the bounds, and that none within them reaches an error or something without verdict.
pub fn check_unrolling(program: &CfaProgram, proof: &Unrolling, stop: Stop<'_>) -> Result<(), Rejection> {
    Execution::new(program, program.terms.clone(), proof).check(stop)
}

/// A point in time: the calls, the iterations of the loops around them, and the location.
#[derive(Clone)]
pub(crate) struct Point {
    pub(crate) key: Vec<u32>,
    /// Where the part of the key for the current call starts.
    pub(crate) base: usize,
    pub(crate) procedure: ProcedureId,
    pub(crate) location: LocId,
}

/// A call that waits: where, by which edge, and the variables of the callee's activation before.
#[derive(Clone)]
pub(crate) struct Waiting {
    pub(crate) at: Rc<Point>,
    edge: EdgeId,
    saved: Vec<(Symbol, Term)>,
}

/// The states of the runs that come to a point.
#[derive(Clone)]
pub(crate) struct State {
    /// What they satisfy, in the order in which it was decided.
    decided: Vec<Term>,
    /// Variables that were written; the others hold anything.
    pub(crate) values: BTreeMap<Symbol, Term>,
    pub(crate) calls: Vec<Rc<Waiting>>,
}

/// A loop that is cut.
#[derive(Clone)]
pub(crate) struct Cut {
    pub(crate) depth: u32,
    pub(crate) forced: u32,
    pub(crate) invariant: Term,
    /// What an iteration may write.
    pub(crate) written: Vec<Symbol>,
}

/// A loop under way: the iteration before which was forgotten what it wrote, and whether there was no choice until then.
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    pub(crate) since: Option<u32>,
    pub(crate) forced: bool,
}

/// Loops that are cut, by procedure and head.
type Cuts = FxHashMap<(ProcedureId, LocId), Cut>;

pub(crate) struct Execution<'p> {
    program: &'p CfaProgram,
    pub(crate) terms: Terms,
    effects: Effects<'p>,
    folder: Folder,
    pub(crate) orders: Vec<WeakOrder>,
    successors: Vec<Vec<Vec<EdgeId>>>,
    loops: FxHashMap<(ProcedureId, LocId), u32>,
    calls: FxHashMap<ProcedureId, u32>,
    waiting: BTreeMap<Vec<u32>, (Point, Vec<State>)>,
    /// The values at the head of each loop under way, when it was last passed.
    passed: FxHashMap<Vec<u32>, State>,
    liveness: Vec<Liveness>,
    /// Whether memory is allocated, so that states are more than values.
    allocates: bool,
    /// Loops that are cut, and how far they are.
    pub(crate) cuts: Cuts,
    pub(crate) turns: FxHashMap<Vec<u32>, Turn>,
    /// Conditions that must not be.
    bad: Vec<Term>,
    addresses: Addresses,
}

impl<'p> Execution<'p> {
    /// The start of a program. The terms extend the program's.
    pub(crate) fn new(program: &'p CfaProgram, mut terms: Terms, proof: &Unrolling) -> Self {
        let (partial, none) = (partial_terms(&program.terms), FxHashSet::default());
        let effects = Effects::new(program, &mut terms).with_cells(CELLS);
        Execution {
            program,
            terms,
            effects,
            folder: Folder::default(),
            orders: program.procedures.iter().map(WeakOrder::new).collect(),
            successors: program.procedures.iter().map(|p| p.successors()).collect(),
            loops: proof.loops.iter().map(|&(p, l, n)| ((p, l), n)).collect(),
            calls: proof.calls.iter().copied().collect(),
            waiting: BTreeMap::new(),
            passed: FxHashMap::default(),
            liveness: program.procedures.iter().map(|p| Liveness::new(&program.terms, p, &partial, &none)).collect(),
            allocates: program.procedures.iter().flat_map(|p| &p.edges).any(|e| matches!(e.op, Op::Alloc { .. })),
            cuts: Cuts::default(),
            turns: FxHashMap::default(),
            bad: Vec::new(),
            addresses: Addresses::new(program),
        }
    }

    /// Nothing happens that must not.
    pub(crate) fn check(mut self, stop: Stop<'_>) -> Result<(), Rejection> {
        self.execute(stop)?;
        let mut bad = std::mem::take(&mut self.bad);
        if bad.len() <= ALONE && self.terms.all_terms().any(|term| self.terms.is_float_operation(term)) {
            // One by one intervals refute what they do not refute together.
            bad.retain(|&condition| !refuted_by_intervals(&self.terms, condition, TIME_ALONE));
        }
        let some = self.terms.any(bad);
        if matches!(self.terms.node(some), Node::Bool(false)) {
            return Ok(());
        }
        match LargeQuestion::new(&self.terms, some, TIME).answer(&self.terms) {
            Answer::Unsat => Ok(()),
            _ if stop() => Err(Rejection::Stopped),
            Answer::Sat => Err(Rejection::Wrong("a run reaches an error, or goes beyond the bounds".to_owned())),
            Answer::Unknown => Err(Rejection::Undecided("the solver gives up on the unrolled program".to_owned())),
        }
    }

    fn execute(&mut self, stop: Stop<'_>) -> Result<(), Rejection> {
        let values = self.program.initial_values(&mut self.terms).into_iter().collect();
        let start = self.entry_of(self.program.entry, Vec::new());
        self.arrive(start, State { decided: Vec::new(), values, calls: Vec::new() });
        let mut count = 0_u32;
        while let Some((_, (point, states))) = self.waiting.pop_first() {
            count = count.wrapping_add(1);
            if count.is_multiple_of(64) && stop() {
                return Err(Rejection::Stopped);
            }
            if self.terms.len() > TERMS {
                return Err(Rejection::Undecided("the unrolled program is too large".to_owned()));
            }
            let state = states.into_iter().reduce(|one, other| self.join(one, other));
            if let Some(state) = state.and_then(|state| self.pass(&point, state)) {
                self.step(&point, state)?;
            }
        }
        Ok(())
    }

    /// Two states of which at most one is real, as one.
    fn join(&mut self, one: State, other: State) -> State {
        let (terms, folder) = (&mut self.terms, &mut self.folder);
        let common = one.decided.iter().zip(&other.decided).take_while(|(a, b)| a == b).count();
        let tt = terms.tt();
        let mut conjunction = |terms: &mut Terms, all: &[Term]| all.iter().fold(tt, |a, &b| folder.and(terms, a, b));
        let first = conjunction(terms, &one.decided[common..]);
        let second = conjunction(terms, &other.decided[common..]);
        let choice = match (one.decided.get(common), other.decided.get(common)) {
            (Some(&a), Some(&b)) if are_opposite(terms, a, b) => b,
            _ => second,
        };
        let mut decided = one.decided;
        decided.truncate(common);
        let either = if are_opposite(terms, first, second) { tt } else { folder.or(terms, first, second) };
        decided.push(either);
        decided.retain(|&d| d != tt);
        let mut values = one.values;
        for (symbol, value) in other.values.iter().map(|(s, v)| (*s, *v)) {
            let own = terms.symbol(symbol);
            let before = values.get(&symbol).copied().unwrap_or(own);
            values.insert(symbol, folder.ite(terms, choice, value, before));
        }
        for (symbol, before) in values.iter_mut().filter(|(s, _)| !other.values.contains_key(s)) {
            let own = terms.symbol(*symbol);
            *before = folder.ite(terms, choice, own, *before);
        }
        let mut calls = one.calls;
        for (call, with) in calls.iter_mut().zip(other.calls) {
            if call.saved != with.saved {
                for (value, (_, new)) in Rc::make_mut(call).saved.iter_mut().zip(&with.saved) {
                    value.1 = folder.ite(terms, choice, *new, value.1);
                }
            }
        }
        State { decided, values, calls }
    }

    fn arrive(&mut self, point: Point, state: State) {
        self.waiting.entry(point.key.clone()).or_insert_with(|| (point, Vec::new())).1.push(state);
    }

    /// Where a procedure starts.
    fn entry_of(&self, procedure: ProcedureId, mut key: Vec<u32>) -> Point {
        let location = self.program.procedure(procedure).entry;
        let base = key.len();
        let order = &self.orders[procedure.index()];
        for id in order.loops_around(location) {
            key.extend([order.position(order.loops[id as usize].head), 0]);
        }
        key.push(order.position(location));
        Point { key, base, procedure, location }
    }

    /// At the head of a loop: the runs whose values changed since the last time, within the bounds.
    fn pass(&mut self, point: &Point, mut state: State) -> Option<State> {
        let order = &self.orders[point.procedure.index()];
        let around = order.loops_around(point.location);
        let head = around.last().map(|&l| order.loops[l as usize].head);
        if head != Some(point.location) {
            return Some(state);
        }
        let procedure = self.program.procedure(point.procedure);
        for symbol in procedure.params.iter().chain(&procedure.locals) {
            if self.is_dead(point, *symbol) {
                state.values.remove(symbol);
            }
        }
        let at = point.base + 2 * (around.len() - 1) + 1;
        let last = self.passed.remove(&point.key[..at]).filter(|_| point.key[at] > 0);
        let forced = last.as_ref().is_none_or(|last| last.decided == state.decided);
        if let Some(last) = &last
            && let Some(changed) = self.change(last, &state)
            && !self.decide(&mut state, changed)
        {
            return None;
        }
        if self.cuts.contains_key(&(point.procedure, point.location)) {
            let state = self.pass_cut(point, at, last.as_ref(), forced, state)?;
            self.passed.insert(point.key[..at].to_vec(), state.clone());
            return Some(state);
        }
        if point.key[at] > self.loops.get(&(point.procedure, point.location)).copied().unwrap_or(0) {
            self.forbid(&state);
            return None;
        }
        self.passed.insert(point.key[..at].to_vec(), state.clone());
        Some(state)
    }

    /// Whether a variable of the procedure does not matter at a point.
    pub(crate) fn is_dead(&self, point: &Point, symbol: Symbol) -> bool {
        let procedure = self.program.procedure(point.procedure);
        let position = procedure.params.iter().chain(&procedure.locals).position(|own| *own == symbol);
        position.is_some_and(|i| !self.liveness[point.procedure.index()].is_live(point.location, i))
    }

    /// When the values of two states differ, where that can be said.
    fn change(&mut self, before: &State, after: &State) -> Option<Term> {
        if self.allocates {
            return None;
        }
        let mut differ = self.terms.ff();
        let symbols: BTreeSet<Symbol> = before.values.keys().chain(after.values.keys()).copied().collect();
        for symbol in symbols {
            let own = self.terms.symbol(symbol);
            let [old, new] = [before, after].map(|s| s.values.get(&symbol).copied().unwrap_or(own));
            let here = self.folder.differ(&mut self.terms, old, new)?;
            differ = self.folder.or(&mut self.terms, differ, here);
        }
        for (old, new) in before.calls.iter().zip(&after.calls).flat_map(|(a, b)| a.saved.iter().zip(&b.saved)) {
            let here = self.folder.differ(&mut self.terms, old.1, new.1)?;
            differ = self.folder.or(&mut self.terms, differ, here);
        }
        Some(differ)
    }

    fn step(&mut self, point: &Point, state: State) -> Result<(), Rejection> {
        let program = self.program;
        let edges = self.successors[point.procedure.index()][point.location.index()].clone();
        let Some((&last, others)) = edges.split_last() else { return Ok(()) };
        for &edge in others {
            self.follow(&program.procedure(point.procedure).edges[edge.index()].op, point, edge, state.clone())?;
        }
        self.follow(&program.procedure(point.procedure).edges[last.index()].op, point, last, state)
    }

    fn follow(&mut self, op: &Op, point: &Point, edge: EdgeId, mut state: State) -> Result<(), Rejection> {
        if let Op::Assume(condition) = op {
            let condition = self.value(&state, *condition);
            if !self.decide(&mut state, condition) {
                return Ok(());
            }
        }
        self.take(point, edge, state)
    }

    /// The runs of a state that satisfy a condition; false if there are none.
    pub(crate) fn decide(&self, state: &mut State, condition: Term) -> bool {
        match self.terms.node(condition) {
            Node::Bool(holds) => holds,
            Node::Binary(BinOp::And, a, b) => self.decide(state, a) && self.decide(state, b),
            _ if state.decided.iter().rev().take(64).any(|&d| are_opposite(&self.terms, d, condition)) => false,
            _ => {
                if !state.decided.iter().rev().take(64).any(|&d| d == condition) {
                    state.decided.push(condition);
                }
                true
            }
        }
    }

    /// These runs must not be.
    pub(crate) fn forbid(&mut self, state: &State) {
        let condition = self.terms.all(state.decided.iter().copied());
        self.bad.push(condition);
    }

    pub(crate) fn value(&mut self, state: &State, term: Term) -> Term {
        let mut own: Vec<(Symbol, Term)> = Vec::new();
        for symbol in self.terms.symbols(term) {
            if !state.values.contains_key(&symbol) {
                own.push((symbol, self.terms.symbol(symbol)));
            }
        }
        self.folder.substitute(&mut self.terms, term, &mut |symbol| {
            let known = state.values.get(&symbol).copied();
            known.or_else(|| own.iter().find(|(s, _)| *s == symbol).map(|(_, t)| *t)).expect("a symbol of the term")
        })
    }

    fn take(&mut self, point: &Point, id: EdgeId, mut state: State) -> Result<(), Rejection> {
        let edge = &self.program.procedure(point.procedure).edges[id.index()];
        match &edge.op {
            Op::Error(_) | Op::Unsupported(_) | Op::Undefined(_) => {
                if !self.is_supposed_well(point, &state.calls) {
                    self.forbid(&state);
                }
                return Ok(());
            }
            Op::Exit(_) | Op::Abort => return Ok(()),
            Op::Call { callee, args, .. } => return self.call(point, id, state, *callee, args),
            Op::Return(value) => {
                self.return_from(point, state, *value);
                return Ok(());
            }
            Op::Skip | Op::Assume(_) | Op::Print(_) | Op::Free(_) | Op::Leave(_) | Op::SameObject(..) => {}
            op @ (Op::Assign(_) | Op::Input(..) | Op::BlockSize(..) | Op::Enter(_)) => {
                let Effect { updates, .. } = self.effects.of(&mut self.terms, op);
                let new: Vec<(Symbol, Term)> = updates.into_iter().map(|(s, t)| (s, self.value(&state, t))).collect();
                state.values.extend(new);
            }
            Op::Alloc { target, size, kind, .. } => {
                if !self.allocate(&mut state, (*target, *size, *kind))? {
                    return Ok(());
                }
            }
        }
        self.go(point, edge.to, state);
        Ok(())
    }

    pub(crate) fn anything(&mut self, sort: Sort) -> Term {
        self.terms.fresh("any", sort)
    }

    /// Every allocation gets memory of its own. A block of unknown size must have room; false if no run goes on.
    fn allocate(
        &mut self,
        state: &mut State,
        (target, size, kind): (Symbol, Term, AllocKind),
    ) -> Result<bool, Rejection> {
        let size = self.value(state, size);
        let mut room = self.addresses.room(kind);
        match self.terms.node(size) {
            Node::BitVec(_, bytes) => room = bytes,
            Node::Int(bytes) => room = u64::try_from(bytes).unwrap_or(room),
            _ => {
                let most = self.program.address(&mut self.terms, room);
                let less = if self.program.integers == Integers::Machine { BinOp::BvUle } else { BinOp::Le };
                let fits = self.folder.binary(&mut self.terms, less, size, most);
                let large = self.terms.not(fits);
                let mut beyond = state.clone();
                if self.decide(&mut beyond, large) {
                    self.forbid(&beyond);
                }
                if !self.decide(state, fits) {
                    return Ok(false);
                }
            }
        }
        let at = self.addresses.make(room);
        let at = at.ok_or_else(|| Rejection::Undecided("too much memory is allocated".to_owned()))?;
        state.values.insert(target, self.program.address(&mut self.terms, at));
        Ok(true)
    }

    /// Goes to a location of the same procedure.
    fn go(&mut self, from: &Point, to: LocId, state: State) {
        let order = &self.orders[from.procedure.index()];
        let inside = order.loops_around(from.location);
        let around = order.loops_around(to);
        let stays = inside.iter().zip(&around).take_while(|(a, b)| a == b).count();
        if self.is_in_supposed(from, stays) {
            return;
        }
        let mut key = from.key[..from.base].to_vec();
        for (depth, &id) in around.iter().enumerate() {
            let head = order.loops[id as usize].head;
            let mut iteration = 0;
            if inside.get(depth) == Some(&id) {
                iteration = from.key[from.base + 2 * depth + 1] + u32::from(head == to);
            }
            key.extend([order.position(head), iteration]);
        }
        key.push(order.position(to));
        self.arrive(Point { key, base: from.base, procedure: from.procedure, location: to }, state);
    }

    fn call(
        &mut self,
        at: &Point,
        edge: EdgeId,
        mut state: State,
        callee: ProcedureId,
        args: &[Term],
    ) -> Result<(), Rejection> {
        let active = 1 + state.calls.iter().filter(|c| self.callee(c) == Some(callee)).count();
        if active > self.calls.get(&callee).copied().unwrap_or(1) as usize {
            self.forbid(&state);
            return Ok(());
        }
        let args: Vec<Term> = args.iter().map(|&a| self.value(&state, a)).collect();
        let procedure = self.program.procedure(callee);
        let mut saved = Vec::new();
        if active > 1 {
            for &symbol in procedure.params.iter().chain(&procedure.locals) {
                let own = self.terms.symbol(symbol);
                saved.push((symbol, state.values.get(&symbol).copied().unwrap_or(own)));
            }
        }
        for &local in &procedure.locals {
            state.values.remove(&local);
        }
        state.values.extend(procedure.params.iter().copied().zip(args));
        state.calls.push(Rc::new(Waiting { at: Rc::new(at.clone()), edge, saved }));
        let key = at.key.iter().copied().chain([edge.0]).collect();
        let start = self.entry_of(callee, key);
        self.arrive(start, state);
        Ok(())
    }

    fn callee(&self, call: &Waiting) -> Option<ProcedureId> {
        match &self.program.procedure(call.at.procedure).edges[call.edge.index()].op {
            Op::Call { callee, .. } => Some(*callee),
            _ => None,
        }
    }

    fn return_from(&mut self, point: &Point, mut state: State, value: Option<Term>) {
        if self.is_in_supposed(point, 0) {
            return;
        }
        let value = value.map(|v| self.value(&state, v));
        let Some(call) = state.calls.pop() else { return };
        let procedure = self.program.procedure(point.procedure);
        for symbol in procedure.params.iter().chain(&procedure.locals) {
            state.values.remove(symbol);
        }
        state.values.extend(call.saved.iter().copied());
        let edge = &self.program.procedure(call.at.procedure).edges[call.edge.index()];
        if let (Op::Call { result: Some(result), .. }, Some(value)) = (&edge.op, value) {
            state.values.insert(*result, value);
        }
        self.go(&call.at, edge.to, state);
    }
}
