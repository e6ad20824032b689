//! The automaton of one procedure while it is built.

use clinch_ir::Span;
use clinch_ir::cfa::{Edge, Location, Op};
use clinch_terms::{LocId, Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::control::Switch;
use super::super::hir::{FunctionId, LabelId};

/// A block of the source, with what must end when it is left.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// Which block, by the place where it is stored.
    pub(super) block: usize,
    /// What began in it, in this order.
    pub(super) ends: Vec<End>,
}

/// Something that happens when a block is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// The life of an object ends.
    Object(clinch_ir::cfa::ObjectId),
    /// A call of a clean-up function, of [`Hir::cleanups`](super::super::hir::Hir::cleanups).
    Cleanup(usize),
    /// The life of an object ends that the call made, and whose address is in a variable.
    Block(Symbol),
}

/// Where `break` and `continue` go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    pub(super) to: LocId,
    /// How many scopes stay open there.
    pub(super) depth: usize,
}

/// The automaton of one procedure while it is built.
///
/// Control is always at [`Body::here`], a location that nothing leaves yet. A jump makes two locations one, so there are
/// no edges that do nothing.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) function: Option<FunctionId>,
    pub(super) locations: Vec<Location>,
    pub(super) edges: Vec<Edge>,
    /// The location each one was merged into.
    merged: Vec<LocId>,
    here: u32,
    pub(super) params: Vec<Symbol>,
    pub(super) locals: Vec<Symbol>,
    pub(super) result: Option<Symbol>,
    pub(super) temporaries: FxHashSet<Symbol>,
    /// Hidden variables that are not among them.
    pub(super) counters: usize,
    pub(super) names: FxHashMap<String, u32>,
    pub(super) labels: FxHashMap<LabelId, LocId>,
    /// The blocks around each label.
    pub(super) label_blocks: FxHashMap<LabelId, Vec<usize>>,
    /// How much began in its block before a label that was met.
    pub(super) label_ends: FxHashMap<LabelId, usize>,
    pub(super) scopes: Vec<Scope>,
    pub(super) breaks: Vec<Exit>,
    pub(super) continues: Vec<Exit>,
    pub(super) switches: Vec<Switch>,
    /// Locals that live during the whole call, for a jump may pass by their declaration.
    pub(super) whole_call: FxHashSet<super::super::hir::VariableId>,
}

/// The exit of every procedure, made first.
pub(super) const EXIT: LocId = LocId(0);

impl Body {
    pub(super) fn new(function: Option<FunctionId>) -> Self {
        let mut body = Body { function, ..Body::default() };
        body.fresh();
        body.here = body.fresh().0;
        body
    }

    pub(super) fn fresh(&mut self) -> LocId {
        let loc = LocId::from_index(self.locations.len());
        self.locations.push(Location::default());
        self.merged.push(loc);
        loc
    }

    pub(super) fn here(&self) -> LocId {
        LocId(self.here)
    }

    /// Goes on at a location that nothing leaves yet.
    pub(super) fn at(&mut self, loc: LocId) {
        self.here = loc.0;
    }

    /// Goes on where nothing leads, after a jump.
    pub(super) fn dead(&mut self) {
        self.here = self.fresh().0;
    }

    /// The location that one was merged into.
    pub(super) fn find(&self, loc: LocId) -> LocId {
        let mut at = loc;
        while self.merged[at.index()] != at {
            at = self.merged[at.index()];
        }
        at
    }

    /// A step to a location.
    pub(super) fn edge(&mut self, from: LocId, to: LocId, op: Op, span: Span) {
        self.edges.push(Edge { from, to, op, span });
    }

    /// A step to a fresh location.
    pub(super) fn emit(&mut self, op: Op, span: Span) {
        let to = self.fresh();
        self.edge(self.here(), to, op, span);
        self.here = to.0;
    }

    /// A step after which nothing comes.
    pub(super) fn stop(&mut self, op: Op, span: Span) {
        self.emit(op, span);
        self.dead();
    }

    /// Control goes to a location, and what comes next is there.
    pub(super) fn go_on_at(&mut self, loc: LocId, span: Span) {
        self.goto(loc, span);
        self.at(loc);
    }

    /// Control goes to a location.
    pub(super) fn goto(&mut self, to: LocId, span: Span) {
        let (from, to) = (self.find(self.here()), self.find(to));
        if from == to {
            // A loop that does nothing.
            self.edge(from, to, Op::Skip, span);
        } else {
            let (label, span) = (self.locations[from.index()].label.take(), self.locations[from.index()].span);
            let target = &mut self.locations[to.index()];
            target.label = target.label.take().or(label);
            if target.span == Span::default() {
                target.span = span;
            }
            self.merged[from.index()] = to;
        }
        self.dead();
    }

    /// Branches.
    pub(super) fn branch(&mut self, condition: (Term, Term), then: LocId, otherwise: LocId, span: Span) {
        let here = self.here();
        self.edge(here, then, Op::Assume(condition.0), span);
        self.edge(here, otherwise, Op::Assume(condition.1), span);
        self.dead();
    }

    /// Notes which statement starts here.
    pub(super) fn mark(&mut self, span: Span) {
        let here = self.find(self.here());
        let location = &mut self.locations[here.index()];
        if location.span == Span::default() {
            location.span = span;
        }
    }
}
