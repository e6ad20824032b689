//! The order of the search.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use clinch_ir::ClauseId;

use super::tree::{NodeId, Status, Subsumed, Tree};
use crate::search::Waitlist;

/// The order in which abstract states are expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// First come, first served. Subsumed states stay in the tree, as in ARMC without the heuristic.
    BreadthFirst,
    /// Last come, first served.
    DepthFirst,
    /// [Subsumer, figure 2].
    #[default]
    SubsumerFirst,
    /// Eldarica's queue: errors first, then by the number of predicates plus age; steps from subsumed states wait until
    /// there is nothing else, which in a search that is restarted after refinement means for ever.
    Priority,
}

impl Order {
    pub(super) fn subsumed(self) -> Subsumed {
        match self {
            Order::BreadthFirst | Order::DepthFirst => Subsumed::Keep,
            Order::SubsumerFirst | Order::Priority => Subsumed::Prune,
        }
    }
}

/// A step to take: a clause and nodes for its premises.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Expansion {
    pub(super) clause: ClauseId,
    pub(super) premises: Vec<NodeId>,
}

/// What to do next.
#[derive(Debug)]
pub(super) enum Work {
    /// All steps from a node.
    Node(NodeId),
    /// One step.
    Step(Expansion),
}

/// What waits, in order.
#[derive(Debug)]
pub(super) enum Frontier {
    /// Nodes.
    Nodes { order: Order, queue: Waitlist },
    /// Single steps with their rank.
    Steps { heap: BinaryHeap<Reverse<(i64, u64, Expansion)>>, count: u64 },
}

/// By how much an error comes before everything else.
const ERROR_BONUS: i64 = 10_000;

impl Frontier {
    pub(super) fn new(order: Order) -> Self {
        match order {
            Order::Priority => Frontier::Steps { heap: BinaryHeap::new(), count: 0 },
            order => Frontier::Nodes { order, queue: Waitlist::new() },
        }
    }

    /// Lines 17 to 24 of figure 2: schedules a new node. `subtree` are the nodes it subsumed and those below them.
    pub(super) fn schedule(&mut self, id: NodeId, subtree: &[NodeId], pruned: &[NodeId]) {
        let Frontier::Nodes { order, queue } = self else { return };
        match order {
            Order::DepthFirst => queue.push_front(id),
            _ => match queue.first_of(subtree.iter().copied()) {
                Some(first) => queue.insert_before(first, id),
                None => queue.push_back(id),
            },
        }
        for &gone in pruned {
            queue.remove(gone);
        }
    }

    /// Schedules single steps, if that is what waits here.
    pub(super) fn schedule_step(&mut self, expansion: Expansion, is_error: bool, predicates: usize) {
        if let Frontier::Steps { heap, count } = self {
            *count += 1;
            let rank = predicates as i64 + *count as i64 - if is_error { ERROR_BONUS } else { 0 };
            heap.push(Reverse((rank, *count, expansion)));
        }
    }

    pub(super) fn next(&mut self, tree: &Tree) -> Option<Work> {
        match self {
            Frontier::Nodes { queue, .. } => queue.pop_front().map(Work::Node),
            Frontier::Steps { heap, .. } => loop {
                let Reverse((_, _, expansion)) = heap.pop()?;
                if expansion.premises.iter().all(|&p| tree.is_live(p)) {
                    return Some(Work::Step(expansion));
                }
            },
        }
    }

    /// A node waits if and only if it is in the tree and not expanded.
    ///
    /// Panics if that is not so.
    pub(super) fn check_invariant(&self, tree: &Tree) {
        let Frontier::Nodes { queue, .. } = self else { return };
        for (id, node) in tree.nodes.iter().enumerate() {
            assert_eq!(queue.contains(id as NodeId), node.status == Status::Waiting, "node {id} in the queue");
        }
    }

    /// Whether single steps wait, not nodes.
    pub(super) fn of_steps(&self) -> bool {
        matches!(self, Frontier::Steps { .. })
    }
}
