//! The automaton of one procedure while it is built. Control is always at [`Automaton::here`].

use clinch_ir::Span;
use clinch_ir::cfa::{Edge, Location, Op, Procedure};
use clinch_terms::{LocId, Symbol, Term};
use rustc_hash::FxHashMap;

use super::super::control::Switch;
use super::super::hir::{FunctionId, LabelId};

/// Where every procedure begins and ends.
const ENTRY: LocId = LocId(0);
pub(super) const EXIT: LocId = LocId(1);

/// The automaton.
#[derive(Debug, Default)]
pub(super) struct Automaton {
    pub(super) function: Option<FunctionId>,
    pub(super) params: Vec<Symbol>,
    pub(super) locals: Vec<Symbol>,
    pub(super) result: Option<Symbol>,
    pub(super) breaks: Vec<LocId>,
    pub(super) continues: Vec<LocId>,
    pub(super) switches: Vec<Switch>,
    /// The variable that decides where everything is open.
    pub(super) way: Option<Symbol>,
    /// Variables for arguments that are any value, by their bits and positions.
    pub(super) arguments: FxHashMap<(u32, usize), Symbol>,
    labels: FxHashMap<LabelId, LocId>,
    locations: Vec<Location>,
    edges: Vec<Edge>,
    here: u32,
}

impl Automaton {
    pub(super) fn new() -> Self {
        Automaton { locations: vec![Location::default(); 2], ..Automaton::default() }
    }

    pub(super) fn fresh(&mut self) -> LocId {
        self.locations.push(Location::default());
        LocId::from_index(self.locations.len() - 1)
    }

    pub(super) fn here(&self) -> LocId {
        LocId(self.here)
    }

    pub(super) fn at(&mut self, location: LocId) {
        self.here = location.0;
    }

    /// Goes on where nothing leads.
    pub(super) fn dead(&mut self) {
        self.here = self.fresh().0;
    }

    pub(super) fn edge(&mut self, from: LocId, to: LocId, op: Op, span: Span) {
        self.edges.push(Edge { from, to, op, span });
    }

    pub(super) fn emit(&mut self, op: Op, span: Span) {
        let to = self.fresh();
        self.edge(self.here(), to, op, span);
        self.at(to);
    }

    /// A step after which nothing comes.
    pub(super) fn stop(&mut self, op: Op, span: Span) {
        self.emit(op, span);
        self.dead();
    }

    pub(super) fn goto(&mut self, to: LocId, span: Span) {
        self.edge(self.here(), to, Op::Skip, span);
        self.dead();
    }

    /// Control goes to a location, and what comes next is there.
    pub(super) fn go_on_at(&mut self, to: LocId, span: Span) {
        self.goto(to, span);
        self.at(to);
    }

    pub(super) fn branch(&mut self, conditions: (Term, Term), then: LocId, otherwise: LocId, span: Span) {
        let here = self.here();
        self.edge(here, then, Op::Assume(conditions.0), span);
        self.edge(here, otherwise, Op::Assume(conditions.1), span);
        self.dead();
    }

    pub(super) fn label(&mut self, label: LabelId) -> LocId {
        if let Some(&known) = self.labels.get(&label) {
            return known;
        }
        let location = self.fresh();
        self.labels.insert(label, location);
        location
    }

    /// The procedure: what can be reached, numbered in the order of the edges, without steps that do nothing.
    pub(super) fn finished(mut self, name: String, span: Span) -> Procedure {
        self.shorten();
        let mut number: FxHashMap<LocId, LocId> = [(ENTRY, ENTRY), (EXIT, EXIT)].into_iter().collect();
        let mut locations = vec![Location::default(); 2];
        for edge in &mut self.edges {
            for place in [&mut edge.from, &mut edge.to] {
                *place = *number.entry(*place).or_insert_with(|| {
                    locations.push(std::mem::take(&mut self.locations[place.index()]));
                    LocId::from_index(locations.len() - 1)
                });
            }
        }
        Procedure {
            params: self.params,
            locals: self.locals,
            result: self.result,
            locations,
            edges: self.edges,
            entry: ENTRY,
            exit: EXIT,
            span,
            ..Procedure::new(name)
        }
    }

    /// Edges lead on over steps that do nothing and are the only ones from where they start; then what nothing leads to is dropped.
    fn shorten(&mut self) {
        let count = self.locations.len();
        let mut leaving = vec![0_u32; count];
        self.edges.iter().for_each(|edge| leaving[edge.from.index()] += 1);
        let mut next: Vec<Option<LocId>> = vec![None; count];
        for edge in &self.edges {
            if edge.op == Op::Skip && leaving[edge.from.index()] == 1 && edge.from != ENTRY {
                next[edge.from.index()] = Some(edge.to);
            }
        }
        let end = |from: LocId| {
            let mut at = from;
            // A loop that does nothing has no end: any of its locations will do.
            for _ in 0..count {
                match next[at.index()] {
                    Some(to) if to != from => at = to,
                    _ => break,
                }
            }
            at
        };
        let ends: Vec<LocId> = (0..count).map(|i| end(LocId::from_index(i))).collect();
        self.edges.iter_mut().for_each(|edge| edge.to = ends[edge.to.index()]);
        let mut out = vec![Vec::new(); count];
        self.edges.iter().enumerate().for_each(|(i, edge)| out[edge.from.index()].push(i));
        let mut reached = vec![false; count];
        reached[ENTRY.index()] = true;
        let mut todo = vec![ENTRY];
        while let Some(at) = todo.pop() {
            for &i in &out[at.index()] {
                let to = self.edges[i].to;
                if !std::mem::replace(&mut reached[to.index()], true) {
                    todo.push(to);
                }
            }
        }
        self.edges.retain(|edge| reached[edge.from.index()]);
    }
}
