//! A symbolic state: where a run is, what its variables and cells are as terms over its inputs, and what must hold of these.

use std::rc::Rc;

use clinch_ir::cfa::{CfaProgram, EdgeId, InputId, ProcedureId};
use clinch_terms::evaluate::{Environment, evaluate};
use clinch_terms::{LocId, Symbol, Term, Terms, Value};
use rustc_hash::FxHashMap;

use super::memory::Memory;

/// An active call.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) procedure: ProcedureId,
    /// Where it is, or was when it called.
    pub(super) location: LocId,
    /// For a call that waits: the edge with the call.
    pub(super) call_edge: Option<EdgeId>,
    /// Parameters, then locals.
    pub(super) values: Vec<Term>,
    /// Addresses of the blocks that end with it.
    pub(super) blocks: Vec<u64>,
}

impl Frame {
    /// Where it goes on when the call that it waits for comes back.
    pub(super) fn continues_at(&self, program: &CfaProgram) -> LocId {
        let edge = |edge: EdgeId| program.procedure(self.procedure).edges[edge.index()].to;
        self.call_edge.map_or(self.location, edge)
    }
}

/// A list that shares what came before.
#[derive(Debug)]
pub(super) struct List<T>(Option<Rc<(T, List<T>)>>);

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        List(self.0.clone())
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List(None)
    }
}

impl<T> List<T> {
    pub(super) fn push(&mut self, item: T) {
        let before = std::mem::take(self);
        *self = List(Some(Rc::new((item, before))));
    }

    /// The last one first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        std::iter::successors(self.0.as_deref(), |(_, before)| before.0.as_deref()).map(|(item, _)| item)
    }
}

/// Long lists are dropped one by one: each within the other would take as much stack as they are long.
impl<T> Drop for List<T> {
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(node) = next {
            next = Rc::into_inner(node).and_then(|(_, mut before)| before.0.take());
        }
    }
}

/// What a run asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asked {
    Site(InputId),
    /// A cell of memory: its address and bits.
    Memory(u64, u32),
}

/// Values of inputs; of those that are not there, zero.
#[derive(Clone, Default, Debug)]
pub(super) struct Model(pub(super) FxHashMap<Symbol, Value>);

/// A model for the symbols of a store.
pub(super) struct Under<'a>(pub(super) &'a Terms, pub(super) &'a Model);

impl Environment for Under<'_> {
    fn value(&self, symbol: Symbol) -> Option<Value> {
        Some(self.1.0.get(&symbol).cloned().unwrap_or_else(|| Value::default_of(self.0.symbol_sort(symbol))))
    }
}

impl Model {
    pub(super) fn value(&self, terms: &Terms, term: Term) -> Option<Value> {
        evaluate(terms, &Under(terms, self), term)
    }

    pub(super) fn bits(&self, terms: &Terms, term: Term) -> Option<u64> {
        clinch_machine::guided::value_bits(&self.value(terms, term)?)
    }

    pub(super) fn holds(&self, terms: &Terms, term: Term) -> bool {
        self.value(terms, term) == Some(Value::Bool(true))
    }
}

/// A state. Copies share what they have in common.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) frames: Vec<Rc<Frame>>,
    pub(super) globals: Rc<Vec<Term>>,
    pub(super) memory: Memory,
    /// What must hold of the inputs for the run to come here.
    pub(super) conditions: List<Term>,
    /// Inputs for which it does.
    pub(super) model: Rc<Model>,
    /// The inputs that were asked for, with their symbols.
    pub(super) inputs: List<(Asked, Term)>,
    /// For what the state waits longer than its distance says.
    pub(super) detours: u32,
}

impl State {
    pub(super) fn top(&self) -> &Frame {
        self.frames.last().expect("a run has an active call")
    }

    pub(super) fn top_mut(&mut self) -> &mut Frame {
        Rc::make_mut(self.frames.last_mut().expect("a run has an active call"))
    }
}
