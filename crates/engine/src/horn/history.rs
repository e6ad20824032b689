//! What was done to the clauses, so that evidence can be taken back.

use std::sync::Arc;

use clinch_ir::{Clause, PredId};
use clinch_terms::{Symbol, Term};

/// All clauses ever made, and what happened to predicates, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// The original clauses first, then those made from earlier ones.
    pub(super) records: Vec<Record>,
    pub(super) events: Vec<Event>,
    /// Whether real numbers occur: then sums of integer constants need not be integers.
    pub(super) reals: bool,
}

impl History {
    /// How many predicates were resolved away.
    pub(super) fn inlined(&self) -> usize {
        self.events.iter().filter(|e| matches!(e, Event::Inlined(_))).count()
    }
}

/// A clause and where it came from.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) clause: Clause,
    pub(super) origin: Origin,
}

/// How a clause was made. A symbol of a parent that is not said to be something else is the same symbol in the child; if
/// the child does not have it, its value does not matter.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// It is a clause of the original system, at the same position.
    Original,
    /// The same clause with symbols replaced by terms, one after the other.
    Rewritten { parent: usize, definitions: Vec<(Symbol, Term)> },
    /// The application at `position` in the body of `consumer` was resolved with the head of `definition`, whose body stands
    /// in its place.
    Resolvent { consumer: Renamed, position: usize, definition: Renamed },
    /// Arguments were dropped. Each of `restored` is a symbol, and the parameter (of the original predicate) of the
    /// application in the body that gives it its value.
    Sliced { parent: usize, restored: Vec<(Symbol, usize, usize)> },
}

/// A clause with fresh symbols for its own.
#[derive(Clone, Debug)]
pub(super) struct Renamed {
    pub(super) clause: usize,
    pub(super) symbols: Vec<(Symbol, Symbol)>,
}

/// What a step did to a predicate.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// Nothing derives it.
    False(PredId),
    /// It derives no contradiction.
    True(PredId),
    /// Parameters were dropped that always equal a constant or another parameter.
    Fixed(PredId, Vec<(Symbol, Term)>),
    /// It was resolved away.
    Inlined(Inlined),
}

/// A predicate that was resolved away.
#[derive(Clone, Debug)]
pub(super) struct Inlined {
    pub(super) predicate: PredId,
    /// The clauses that had it as head.
    pub(super) definitions: Vec<usize>,
    /// The clauses that had it in their body.
    pub(super) uses: Vec<usize>,
    /// The parameters, at that time, of all predicates in these clauses.
    pub(super) params: Vec<(PredId, Arc<[Symbol]>)>,
}
