//! The automaton of a module while it is made.
//!
//! There is always one open end. Joining two locations makes them one, so that no empty steps are left behind.

use clinch_ir::Span;
use clinch_ir::cfa::{Assign, Edge, Location, Op, Target};
use clinch_terms::{LocId, Symbol, Term};
use rustc_hash::FxHashMap;

/// An automaton under construction.
pub(super) struct Body {
    locations: Vec<Location>,
    /// The location each was joined with; itself for most.
    joined: Vec<LocId>,
    edges: Vec<Edge>,
    /// The open end: nothing leaves it yet.
    here: LocId,
    entry: LocId,
    exit: LocId,
    /// Where runs end.
    dead: LocId,
    pub(super) locals: Vec<Symbol>,
    /// Where `break` goes, innermost last.
    pub(super) breaks: Vec<LocId>,
}

/// The parts of a finished automaton.
pub(super) struct Finished {
    pub(super) locations: Vec<Location>,
    pub(super) edges: Vec<Edge>,
    pub(super) entry: LocId,
    pub(super) exit: LocId,
}

impl Body {
    pub(super) fn new() -> Self {
        let mut body = Body {
            locations: Vec::new(),
            joined: Vec::new(),
            edges: Vec::new(),
            here: LocId(0),
            entry: LocId(0),
            exit: LocId(1),
            dead: LocId(2),
            locals: Vec::new(),
            breaks: Vec::new(),
        };
        (body.entry, body.exit, body.dead) = (body.fresh(), body.fresh(), body.fresh());
        body
    }

    /// A location that nothing leads to yet.
    pub(super) fn fresh(&mut self) -> LocId {
        let id = LocId::from_index(self.locations.len());
        self.locations.push(Location::default());
        self.joined.push(id);
        id
    }

    pub(super) fn here(&self) -> LocId {
        self.here
    }

    /// Goes on at a location that nothing leaves yet.
    pub(super) fn go_on_at(&mut self, at: LocId) {
        self.here = at;
    }

    /// Says where the statement stands that starts here.
    pub(super) fn mark(&mut self, span: Span) {
        let at = self.find(self.here);
        let location = &mut self.locations[at.index()];
        if location.span.end == 0 {
            location.span = span;
        }
    }

    /// Names the location here.
    pub(super) fn label(&mut self, label: &str) {
        let at = self.find(self.here);
        self.locations[at.index()].label.get_or_insert_with(|| label.to_owned());
    }

    /// A step from the open end to a new one.
    pub(super) fn emit(&mut self, op: Op, span: Span) {
        let to = self.fresh();
        self.edge(self.here, to, op, span);
        self.here = to;
    }

    pub(super) fn edge(&mut self, from: LocId, to: LocId, op: Op, span: Span) {
        self.edges.push(Edge { from, to, op, span });
    }

    /// A step that ends the run; what follows is not reached.
    pub(super) fn end(&mut self, op: Op, span: Span) {
        self.edge(self.here, self.dead, op, span);
        self.here = self.fresh();
    }

    /// The end of the call; what follows is not reached.
    pub(super) fn give_back(&mut self, value: Option<Term>, span: Span) {
        self.edge(self.here, self.exit, Op::Return(value), span);
        self.here = self.fresh();
    }

    /// The open end is this location from now on.
    pub(super) fn join(&mut self, with: LocId) {
        let (here, with) = (self.find(self.here), self.find(with));
        let label = self.locations[here.index()].label.take();
        let span = self.locations[here.index()].span;
        let target = &mut self.locations[with.index()];
        target.label = target.label.take().or(label);
        if target.span.end == 0 {
            target.span = span;
        }
        self.joined[here.index()] = with;
    }

    /// The run goes on elsewhere; what follows is reached otherwise or not at all.
    pub(super) fn jump(&mut self, to: LocId) {
        self.join(to);
        self.here = self.fresh();
    }

    fn find(&mut self, mut at: LocId) -> LocId {
        while self.joined[at.index()] != at {
            let next = self.joined[self.joined[at.index()].index()];
            self.joined[at.index()] = next;
            at = next;
        }
        at
    }

    /// What can be reached, numbered anew in the order in which it was made.
    pub(super) fn finish(mut self) -> Finished {
        let mut edges = std::mem::take(&mut self.edges);
        for edge in &mut edges {
            (edge.from, edge.to) = (self.find(edge.from), self.find(edge.to));
        }
        let (entry, exit) = (self.find(self.entry), self.exit);
        let mut successors: FxHashMap<LocId, Vec<LocId>> = FxHashMap::default();
        for edge in &edges {
            successors.entry(edge.from).or_default().push(edge.to);
        }
        let mut reached = vec![false; self.locations.len()];
        reached[exit.index()] = true;
        let mut work = vec![entry];
        while let Some(at) = work.pop() {
            if !std::mem::replace(&mut reached[at.index()], true) || at == entry {
                work.extend(successors.remove(&at).into_iter().flatten());
            }
        }
        let mut numbers = vec![LocId(0); self.locations.len()];
        let mut locations = Vec::new();
        for (i, location) in self.locations.into_iter().enumerate() {
            if reached[i] {
                numbers[i] = LocId::from_index(locations.len());
                locations.push(location);
            }
        }
        edges.retain(|edge| reached[edge.from.index()]);
        for edge in &mut edges {
            (edge.from, edge.to) = (numbers[edge.from.index()], numbers[edge.to.index()]);
        }
        Finished { locations, edges, entry: numbers[entry.index()], exit: numbers[exit.index()] }
    }
}

/// One assignment to one scalar.
pub(super) fn to_scalar(symbol: Symbol, value: Term) -> Assign {
    Assign { target: Target::Var(symbol), value }
}
