//! Proofs by k-induction: loops are cut, and the program with cut loops is executed like one with bounds.
//!
//! Of a loop that is cut the first iterations are executed as they are. Then everything that the loop writes is forgotten. Of the
//! next *k* iterations it is assumed that they do nothing wrong: no error, nothing without verdict, the invariant holds at the head, and
//! the loop is not left. The iteration after them is examined, and no further one is executed. The first thing that a run does wrong is
//! found this way: in the first iterations, or in the one that is examined, since nothing before it was wrong.

use std::collections::BTreeSet;

use clinch_ir::cfa::{CfaProgram, Induction, InductiveLoop, Op, ProcedureId, Target};
use clinch_terms::{LocId, Symbol};

use crate::unrolling::{Cut, Execution, Point, State, Turn, Waiting};
use crate::{Rejection, Stop};

/// Checks that no run reaches an error or something without verdict, goes beyond a bound, or breaks an invariant.
pub fn check_induction(program: &CfaProgram, proof: &Induction, stop: Stop<'_>) -> Result<(), Rejection> {
    if !proof.terms.extends(&program.terms) {
        return Err(Rejection::Wrong("it is about another program".to_owned()));
    }
    let mut run = Execution::new(program, proof.terms.clone(), &proof.unrolling);
    for inductive in &proof.loops {
        let cut = Cut::new(program, &run, inductive)?;
        run.cuts.insert((inductive.procedure, inductive.head), cut);
    }
    run.check(stop)
}

impl Cut {
    fn new(program: &CfaProgram, run: &Execution<'_>, proof: &InductiveLoop) -> Result<Self, Rejection> {
        let wrong = |what: &str| Err(Rejection::Wrong(format!("a loop that is cut {what}")));
        let &InductiveLoop { procedure, head, depth, forced, invariant } = proof;
        let Some(order) = run.orders.get(procedure.index()) else { return wrong("is in no procedure") };
        let Some(number) = order.loops.iter().position(|l| l.head == head) else { return wrong("has another head") };
        if depth == 0 {
            return wrong("has no iteration that is supposed to be well");
        }
        if run.terms.symbols(invariant).iter().any(|s| s.index() >= program.terms.symbol_count()) {
            return wrong("has an invariant about something else");
        }
        let inside = |location: LocId| order.loops_around(location).contains(&(number as u32));
        let of = program.procedure(procedure);
        let enters = |to: LocId| inside(to) && to != head;
        if enters(of.entry) || of.edges.iter().any(|edge| !inside(edge.from) && enters(edge.to)) {
            return wrong("is not entered by its head");
        }
        let mut writes = Writes::default();
        for edge in of.edges.iter().filter(|edge| inside(edge.from) && inside(edge.to)) {
            writes.add(program, procedure, &edge.op);
        }
        while let Some(callee) = writes.waiting.pop() {
            let own = program.procedure(callee);
            let mut below = Writes { called: writes.called.clone(), ..Writes::default() };
            own.edges.iter().for_each(|edge| below.add(program, callee, &edge.op));
            below.symbols.retain(|symbol| !own.params.contains(symbol) && !own.locals.contains(symbol));
            writes.symbols.extend(below.symbols);
            writes.allocates |= below.allocates;
            writes.called.extend(&below.called);
            writes.waiting.extend(below.waiting);
        }
        if writes.allocates {
            return wrong("allocates memory");
        }
        Ok(Cut { depth, forced, invariant, written: writes.symbols.into_iter().collect() })
    }
}

/// What operations write, and what they call.
#[derive(Default)]
struct Writes {
    symbols: BTreeSet<Symbol>,
    allocates: bool,
    called: BTreeSet<ProcedureId>,
    waiting: Vec<ProcedureId>,
}

impl Writes {
    fn add(&mut self, program: &CfaProgram, procedure: ProcedureId, op: &Op) {
        match op {
            Op::Assign(assigns) => {
                self.symbols.extend(assigns.iter().map(|assign| match assign.target {
                    Target::Var(symbol) | Target::Cell(symbol, _) => symbol,
                }));
            }
            Op::Input(symbol, _) | Op::BlockSize(symbol, _) => _ = self.symbols.insert(*symbol),
            Op::Enter(object) => self.symbols.extend(&program.objects[object.index()].regions),
            Op::Alloc { .. } => self.allocates = true,
            Op::Call { callee, result, .. } => {
                self.symbols.extend(result);
                if self.called.insert(*callee) {
                    self.waiting.push(*callee);
                }
            }
            Op::Return(_) => self.symbols.extend(program.procedure(procedure).result),
            Op::Skip | Op::Assume(_) | Op::Leave(_) | Op::Free(_) | Op::SameObject(..) | Op::Print(_) => {}
            Op::Error(_) | Op::Exit(_) | Op::Abort | Op::Unsupported(_) | Op::Undefined(_) => {}
        }
    }
}

impl Execution<'_> {
    /// At the head of a loop that is cut, after `last`, the state there an iteration before: the runs that are followed.
    pub(crate) fn pass_cut(
        &mut self,
        point: &Point,
        at: usize,
        last: Option<&State>,
        forced: bool,
        mut state: State,
    ) -> Option<State> {
        let cut = self.cuts.get(&(point.procedure, point.location))?.clone();
        let iteration = point.key[at];
        let turn = self.turns.remove(&point.key[..at]).filter(|_| last.is_some());
        let mut since = turn.and_then(|turn| turn.since);
        let forced = forced && turn.is_none_or(|turn| turn.forced);
        if since.is_none() && iteration >= cut.depth && !(forced && iteration < cut.forced) {
            for &symbol in &cut.written {
                if !self.is_dead(point, symbol) {
                    let any = self.anything(self.terms.symbol_sort(symbol).clone());
                    state.values.insert(symbol, any);
                }
            }
            since = Some(iteration);
        }
        if since.is_some_and(|since| iteration > since + cut.depth) {
            return None;
        }
        self.turns.insert(point.key[..at].to_vec(), Turn { since, forced });
        let holds = self.value(&state, cut.invariant);
        if !self.is_supposed_well(point, &state.calls) {
            let broken = self.terms.not(holds);
            let mut breaking = state.clone();
            if self.decide(&mut breaking, broken) {
                self.forbid(&breaking);
            }
        }
        // Where it is examined it may be relied on as well, for a run that breaks it is forbidden.
        if since.is_some() && !self.decide(&mut state, holds) {
            return None;
        }
        Some(state)
    }

    /// Whether a point is in an iteration that is supposed to be well, of a loop around it or around one of the calls.
    pub(crate) fn is_supposed_well(&self, point: &Point, calls: &[std::rc::Rc<Waiting>]) -> bool {
        let points = calls.iter().map(|call| call.at.as_ref()).chain([point]);
        points.into_iter().any(|point| self.is_in_supposed(point, 0))
    }

    /// The same for the loops of its own procedure, from some depth on.
    pub(crate) fn is_in_supposed(&self, point: &Point, from: usize) -> bool {
        if self.cuts.is_empty() {
            return false;
        }
        let order = &self.orders[point.procedure.index()];
        let around = order.loops_around(point.location);
        (from..around.len()).any(|depth| {
            let head = order.loops[around[depth] as usize].head;
            let at = point.base + 2 * depth + 1;
            let turn = self.turns.get(&point.key[..at]).and_then(|turn| turn.since);
            match (self.cuts.get(&(point.procedure, head)), turn) {
                (Some(cut), Some(since)) => (since..since + cut.depth).contains(&point.key[at]),
                _ => false,
            }
        })
    }
}
