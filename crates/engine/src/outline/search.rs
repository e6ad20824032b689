//! All abstract states that can be reached, procedure by procedure.

use std::collections::VecDeque;

use clinch_ir::Reason;
use clinch_ir::cfa::{CfaProgram, EdgeId, Op, ProcedureId};
use clinch_terms::{LocId, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use super::range::Range;
use super::state::{Layout, State, includes};
use crate::budget::{Budget, Ticker};

/// More states than this are not kept.
const MOST_NODES: usize = 400_000;
/// Where so many states of a call meet, what has many values is given up.
const CROWD: usize = 48;
/// What has more values than this has many.
const MANY: usize = 24;
/// More states than this do not meet.
const MOST_AT_A_PLACE: usize = 4000;
/// Where a procedure is entered in so many ways, what has many values is given up.
const WAYS: usize = 100;

/// A call: a procedure and what is known when it is entered.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) procedure: ProcedureId,
    pub(super) entry: State,
    /// Its nodes, by location.
    pub(super) nodes: Vec<Vec<usize>>,
    /// Who called, and at which edge.
    callers: Vec<(usize, EdgeId)>,
}

/// A state at a location of a call.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) context: usize,
    pub(super) location: LocId,
    pub(super) state: State,
    pub(super) origin: Origin,
}

/// The values that variables have in states that meet.
#[derive(Debug, Default)]
struct Variety {
    /// By variable; no more than are many.
    values: Vec<FxHashSet<Range>>,
    /// How many states were looked at.
    seen: usize,
}

impl Variety {
    fn see(&mut self, state: &State) {
        self.seen += 1;
        self.values.resize_with(state.len(), FxHashSet::default);
        for (values, cell) in self.values.iter_mut().zip(state) {
            if values.len() <= MANY && !values.contains(&cell.range) {
                values.insert(cell.range.clone());
            }
        }
    }

    fn has_many(&self, slot: usize) -> bool {
        self.values[slot].len() > MANY
    }
}

/// How a node was reached first.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    /// The run starts there.
    Start,
    /// By an edge.
    Step(usize, EdgeId),
    /// By a call.
    Entered(usize, EdgeId),
    /// By a call that came back: from the node at its exit.
    Returned(usize, EdgeId, usize),
}

/// What a search comes to.
pub(super) enum Found {
    /// Every state was seen, and no error.
    Closed,
    /// An edge that ends a run in an error, or without verdict, can be reached.
    Bad(usize, EdgeId),
}

/// The search.
pub(super) struct Search<'p> {
    pub(super) program: &'p CfaProgram,
    pub(super) layout: Layout,
    pub(super) contexts: Vec<Context>,
    pub(super) nodes: Vec<Node>,
    known: FxHashMap<(ProcedureId, State), usize>,
    /// The contexts of each procedure.
    ways: Vec<Vec<usize>>,
    /// Of the states in which procedures are entered in many ways.
    entries: FxHashMap<ProcedureId, Variety>,
    /// Of the states at places of calls where many meet.
    crowds: FxHashMap<(usize, LocId), Variety>,
    leaving: Vec<Vec<Vec<EdgeId>>>,
    waiting: VecDeque<usize>,
    /// What was given up somewhere.
    pub(super) given_up: FxHashSet<Symbol>,
}

impl<'p> Search<'p> {
    pub(super) fn new(program: &'p CfaProgram, layout: Layout) -> Self {
        let leaving = program.procedures.iter().map(|procedure| procedure.successors()).collect();
        let ways = vec![Vec::new(); program.procedures.len()];
        let (contexts, nodes, known) = (Vec::new(), Vec::new(), FxHashMap::default());
        let (waiting, given_up) = (VecDeque::new(), FxHashSet::default());
        let (entries, crowds) = (FxHashMap::default(), FxHashMap::default());
        Search { program, layout, contexts, nodes, known, ways, entries, crowds, leaving, waiting, given_up }
    }

    /// Looks for an error.
    pub(super) fn run(&mut self, budget: &Budget) -> Result<Found, Reason> {
        let start = self.layout.initial(self.program);
        self.context(self.program.entry, start, Origin::Start);
        let mut ticker = Ticker::new();
        while let Some(node) = self.waiting.pop_front() {
            ticker.tick(budget)?;
            if self.nodes.len() > MOST_NODES {
                return Err(Reason::Unsupported(format!("more than {MOST_NODES} abstract states")));
            }
            if let Some(edge) = self.expand(node) {
                return Ok(Found::Bad(node, edge));
            }
        }
        debug_assert!((0..self.nodes.len()).all(|node| self.steps_stay_inside(node)));
        Ok(Found::Closed)
    }

    /// Whether each edge that calls nothing leads from a node to states of its call that are known.
    fn steps_stay_inside(&self, node: usize) -> bool {
        let Node { context, location, ref state, .. } = self.nodes[node];
        let call = &self.contexts[context];
        let known = |at: LocId, state: &State| {
            call.nodes[at.index()].iter().any(|&other| includes(&self.nodes[other].state, state))
        };
        self.leaving[call.procedure.index()][location.index()].iter().all(|edge| {
            let edge = &self.program.procedure(call.procedure).edges[edge.index()];
            let ends = matches!(edge.op, Op::Call { .. } | Op::Exit(_) | Op::Abort);
            let after = |edge| self.layout.after(self.program, call.procedure, state, edge);
            ends || after(edge).is_none_or(|state| known(edge.to, &state))
        })
    }

    /// The call of a procedure with what is known at its entry, which may be new.
    fn context(&mut self, procedure: ProcedureId, entry: State, origin: Origin) -> usize {
        if let Some(&known) = self.known.get(&(procedure, entry.clone())) {
            return known;
        }
        let index = self.contexts.len();
        self.known.insert((procedure, entry.clone()), index);
        self.ways[procedure.index()].push(index);
        let locations = self.program.procedure(procedure).locations.len();
        let nodes = vec![Vec::new(); locations];
        self.contexts.push(Context { procedure, entry: entry.clone(), nodes, callers: Vec::new() });
        self.add(index, self.program.procedure(procedure).entry, entry, origin);
        index
    }

    /// A state that was reached.
    fn add(&mut self, context: usize, location: LocId, mut state: State, origin: Origin) {
        if self.is_known(context, location, &state) {
            return;
        }
        if self.contexts[context].nodes[location.index()].len() >= CROWD {
            let is_less = self.give_up(context, location, &mut state);
            if is_less && self.is_known(context, location, &state) {
                return;
            }
        }
        let node = self.nodes.len();
        self.nodes.push(Node { context, location, state, origin });
        self.contexts[context].nodes[location.index()].push(node);
        self.waiting.push_back(node);
    }

    /// Whether a state of a call at a location stands for this one, too.
    fn is_known(&self, context: usize, location: LocId, state: &State) -> bool {
        let here = &self.contexts[context].nodes[location.index()];
        here.iter().any(|&node| includes(&self.nodes[node].state, state))
    }

    /// Nothing is known any more of what has a value of its own in many states here. Whether there is such a thing.
    fn give_up(&mut self, context: usize, location: LocId, state: &mut State) -> bool {
        let Search { contexts, nodes, crowds, .. } = self;
        let here = &contexts[context].nodes[location.index()];
        let variety = crowds.entry((context, location)).or_default();
        here.iter().skip(variety.seen).for_each(|&node| variety.see(&nodes[node].state));
        let all = here.len() >= MOST_AT_A_PLACE;
        let many: Vec<usize> = (0..state.len()).filter(|&slot| all || variety.has_many(slot)).collect();
        let procedure = contexts[context].procedure;
        self.forget(procedure, state, &many);
        !many.is_empty()
    }

    /// The same of the states in which a procedure is entered.
    fn enter_alike(&mut self, procedure: ProcedureId, entry: &mut State) {
        let Search { contexts, ways, entries, .. } = self;
        let ways = &ways[procedure.index()];
        if ways.len() < WAYS {
            return;
        }
        let variety = entries.entry(procedure).or_default();
        ways.iter().skip(variety.seen).for_each(|&context| variety.see(&contexts[context].entry));
        let all = ways.len() > MOST_AT_A_PLACE;
        let many: Vec<usize> = (0..entry.len()).filter(|&slot| all || variety.has_many(slot)).collect();
        self.forget(procedure, entry, &many);
    }

    fn forget(&mut self, procedure: ProcedureId, state: &mut State, slots: &[usize]) {
        if slots.is_empty() {
            return;
        }
        let unknown = self.layout.unknown(self.program, procedure);
        let variables = self.layout.variables(procedure);
        for &slot in slots {
            state[slot] = unknown[slot].clone();
            self.given_up.insert(variables[slot]);
        }
    }

    /// The states behind a node; an edge that must not be reached, if one is.
    fn expand(&mut self, node: usize) -> Option<EdgeId> {
        let program = self.program;
        let (context, location) = (self.nodes[node].context, self.nodes[node].location);
        let id = self.contexts[context].procedure;
        let procedure = program.procedure(id);
        if location == procedure.exit {
            for (caller, edge) in self.contexts[context].callers.clone() {
                self.come_back(caller, edge, node);
            }
        }
        for edge_id in self.leaving[id.index()][location.index()].clone() {
            let edge = &procedure.edges[edge_id.index()];
            match &edge.op {
                Op::Error(_) | Op::Unsupported(_) | Op::Undefined(_) => return Some(edge_id),
                Op::Exit(_) | Op::Abort => {}
                Op::Call { callee, args, .. } => {
                    let mut entry = self.layout.entered(program, &self.nodes[node].state, (*callee, args), true);
                    self.enter_alike(*callee, &mut entry);
                    let called = self.context(*callee, entry, Origin::Entered(node, edge_id));
                    self.contexts[called].callers.push((node, edge_id));
                    let exit = program.procedure(*callee).exit;
                    for at_exit in self.contexts[called].nodes[exit.index()].clone() {
                        self.come_back(node, edge_id, at_exit);
                    }
                }
                _ => {
                    if let Some(state) = self.layout.after(program, id, &self.nodes[node].state, edge) {
                        self.add(context, edge.to, state, Origin::Step(node, edge_id));
                    }
                }
            }
        }
        None
    }

    /// A call comes back.
    fn come_back(&mut self, caller: usize, edge_id: EdgeId, at_exit: usize) {
        let context = self.nodes[caller].context;
        let id = self.contexts[context].procedure;
        let edge = &self.program.procedure(id).edges[edge_id.index()];
        let callee = self.contexts[self.nodes[at_exit].context].procedure;
        let before = (id, &self.nodes[caller].state, edge);
        let state = self.layout.returned(self.program, before, (callee, &self.nodes[at_exit].state));
        self.add(context, edge.to, state, Origin::Returned(caller, edge_id, at_exit));
    }
}
