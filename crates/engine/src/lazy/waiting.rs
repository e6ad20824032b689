//! The unmarked nodes, in the order in which they are processed.

use std::collections::BTreeMap;

use clinch_ir::cfa::unfold::{Destination, Unfolding};
use clinch_ir::cfa::{CfaProgram, Procedure};
use clinch_terms::LocId;

use super::config::{Config, Order};
use super::tree::NodeId;
use crate::search::Waitlist;

/// Errors first; then what the order says; then by age.
type Key = (bool, Vec<u32>, i64);

/// The queue.
pub(super) struct Waiting {
    order: Order,
    queue: BTreeMap<Key, NodeId>,
    /// What waits instead, if larger nodes go before smaller ones.
    list: Waitlist,
    /// The position of each location in reverse post-order, by procedure.
    positions: Vec<Vec<u32>>,
    age: i64,
}

impl Waiting {
    pub(super) fn new(program: &CfaProgram, config: &Config) -> Self {
        let order = config.order;
        let positions = match order {
            Order::ReversePostOrder => program.procedures.iter().map(reverse_post_order).collect(),
            _ => Vec::new(),
        };
        Waiting { order, queue: BTreeMap::new(), list: Waitlist::new(), positions, age: 0 }
    }

    /// Adds a node at a place.
    pub(super) fn push(&mut self, node: NodeId, place: Destination, unfolding: &Unfolding<'_>) {
        self.age += 1;
        let is_point = matches!(place, Destination::Point(_));
        let key = match self.order {
            Order::BreadthFirst => (is_point, Vec::new(), self.age),
            // An error found waits for the nodes found after it.
            Order::DepthFirst => (true, Vec::new(), -self.age),
            Order::ReversePostOrder => (is_point, self.position(place, unfolding), -self.age),
            // Its nodes wait in the list.
            Order::SubsumerFirst => (is_point, Vec::new(), -self.age),
        };
        self.queue.insert(key, node);
    }

    /// Where a place is in reverse post-order, with the calls that wait for it.
    fn position(&self, place: Destination, unfolding: &Unfolding<'_>) -> Vec<u32> {
        let Destination::Point(point) = place else { return Vec::new() };
        let (point, program) = (unfolding.point(point), unfolding.program());
        let callers = point.calls.iter().map(|&(procedure, edge)| {
            let from = program.procedure(procedure).edges[edge.index()].from;
            self.positions[procedure.index()][from.index()]
        });
        let here = self.positions[point.procedure.index()][point.location.index()];
        callers.chain([here]).collect()
    }

    /// Adds a node before the first of these that waits, or at the end ([Subsumer, figure 2], lines 17 to 24). Errors go first.
    pub(super) fn push_before(&mut self, node: NodeId, place: Destination, smaller: &[NodeId]) {
        self.list.remove(node);
        match (place, self.list.first_of(smaller.iter().copied())) {
            (Destination::Point(_), Some(first)) => self.list.insert_before(first, node),
            (Destination::Point(_), None) => self.list.push_back(node),
            _ => self.list.push_front(node),
        }
    }

    /// The nodes that wait by [`Waiting::push_before`].
    pub(super) fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.list.iter()
    }

    /// Takes the next node.
    pub(super) fn pop(&mut self) -> Option<NodeId> {
        self.list.pop_front().or_else(|| self.queue.pop_first().map(|(_, node)| node))
    }
}

/// The position of each location in reverse post-order.
fn reverse_post_order(procedure: &Procedure) -> Vec<u32> {
    let successors = procedure.successors();
    let mut order: Vec<LocId> = Vec::new();
    let mut seen = vec![false; procedure.locations.len()];
    let mut path = vec![(procedure.entry, 0)];
    seen[procedure.entry.index()] = true;
    while let Some((at, next)) = path.last_mut() {
        // The last edge first: what it leads to is then behind what the others lead to, as the exit of a loop should be.
        let Some(edge) = successors[at.index()].iter().rev().nth(*next) else {
            order.push(*at);
            path.pop();
            continue;
        };
        *next += 1;
        let to = procedure.edges[edge.index()].to;
        if !seen[to.index()] {
            seen[to.index()] = true;
            path.push((to, 0));
        }
    }
    let mut positions = vec![u32::MAX; procedure.locations.len()];
    for (i, location) in order.iter().rev().enumerate() {
        positions[location.index()] = i as u32;
    }
    positions
}
