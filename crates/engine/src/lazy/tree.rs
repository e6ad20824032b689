//! The reachability tree ([Lazy, 4.1]): nodes, their marks, and which of them cover others.

use clinch_bdd::{Bdd, Bdds, OutOfNodes};
use clinch_ir::cfa::unfold::{Destination, PointId};
use rustc_hash::FxHashMap;

use super::label::{INITIAL, LabelId};
use super::post::Mode;
use super::tracking::{NOTHING_KNOWN, ValuesId};
use crate::search::BitSet;

/// A node of the tree.
pub(super) type NodeId = u32;

/// The root: before the program starts.
pub(super) const ROOT: NodeId = 0;

/// So many regions at a place are kept apart in a proof. A decision diagram has no equations, so that their union, where one says
/// `x = y` and the next `x = y + 1`, says no more than `y <= x <= y + 1`; that does not survive an overflow of both.
const APART: usize = 8;

/// What became of a node. Marks carry the time at which they were made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    /// Discovered, not processed.
    Unmarked,
    /// Processed; what it leads to is found from other nodes.
    Covered(u64),
    /// Processed; its sons are in the tree.
    Uncovered(u64),
    /// No longer in the tree.
    Removed,
}

/// A node: a control location (with its call stack), a data region and its support predicates.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) parent: Option<NodeId>,
    /// The label of the arc to it.
    pub(super) label: LabelId,
    pub(super) place: Destination,
    /// What is known there of tracked variables.
    pub(super) values: ValuesId,
    /// The reachable region.
    pub(super) region: Bdd,
    /// The predicates it may speak of.
    pub(super) support: BitSet,
    /// How it was computed.
    pub(super) mode: Mode,
    pub(super) mark: Mark,
    pub(super) sons: Vec<NodeId>,
}

/// The tree.
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// The uncovered marked nodes of each control point and valuation, with the union of their regions.
    uncovered: FxHashMap<(PointId, ValuesId), (Vec<NodeId>, Bdd)>,
    clock: u64,
}

/// Regions at each point with each valuation.
pub(super) type Regions = Vec<((PointId, ValuesId), Vec<Bdd>)>;

impl Tree {
    /// The root alone, unmarked.
    pub(super) fn new(region: Bdd, start: PointId) -> Self {
        let root = Node {
            parent: None,
            label: INITIAL,
            place: Destination::Point(start),
            values: NOTHING_KNOWN,
            region,
            support: BitSet::new(),
            mode: Mode::Boolean,
            mark: Mark::Unmarked,
            sons: Vec::new(),
        };
        Tree { nodes: vec![root], uncovered: FxHashMap::default(), clock: 0 }
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    pub(super) fn add_son(&mut self, parent: NodeId, son: Node) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.nodes.push(son);
        self.node_mut(parent).sons.push(id);
        id
    }

    /// The nodes from the root to a node.
    pub(super) fn path_to(&self, id: NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> = std::iter::successors(Some(id), |&n| self.node(n).parent).collect();
        path.reverse();
        path
    }

    /// Whether the region of a node at a point is contained in the union of those of the uncovered marked nodes there.
    pub(super) fn is_covered(&self, id: NodeId) -> Result<bool, OutOfNodes> {
        match self.node(id).place {
            Destination::Point(point) if id != ROOT => match self.uncovered.get(&(point, self.node(id).values)) {
                Some((_, union)) => self.node(id).region.implies(union),
                None => Ok(false),
            },
            _ => Ok(false),
        }
    }

    /// The main invariant: what covered nodes stand for is found from uncovered ones.
    pub(super) fn covers_what_it_left_out(&self) -> bool {
        let covered = (0..self.nodes.len()).filter(|&id| matches!(self.nodes[id].mark, Mark::Covered(_)));
        covered.into_iter().all(|id| self.is_covered(id as NodeId) != Ok(false))
    }

    pub(super) fn mark_covered(&mut self, id: NodeId) {
        self.clock += 1;
        self.node_mut(id).mark = Mark::Covered(self.clock);
    }

    pub(super) fn mark_uncovered(&mut self, id: NodeId) -> Result<(), OutOfNodes> {
        self.clock += 1;
        self.node_mut(id).mark = Mark::Uncovered(self.clock);
        if let Destination::Point(point) = self.node(id).place
            && id != ROOT
        {
            let (region, at) = (self.node(id).region.clone(), (point, self.node(id).values));
            match self.uncovered.get_mut(&at) {
                Some((nodes, union)) => {
                    nodes.push(id);
                    *union = union.or(&region)?;
                }
                None => {
                    self.uncovered.insert(at, (vec![id], region));
                }
            }
        }
        Ok(())
    }

    /// The time at which a node was marked.
    pub(super) fn time(&self, id: NodeId) -> u64 {
        match self.node(id).mark {
            Mark::Covered(time) | Mark::Uncovered(time) => time,
            Mark::Unmarked | Mark::Removed => self.clock + 1,
        }
    }

    /// Takes everything below a node out of the tree.
    pub(super) fn remove_sons(&mut self, id: NodeId) {
        let mut work = std::mem::take(&mut self.node_mut(id).sons);
        while let Some(son) = work.pop() {
            work.append(&mut self.node_mut(son).sons);
            self.node_mut(son).mark = Mark::Removed;
        }
    }

    /// Takes a node and everything below it out of the tree.
    pub(super) fn remove(&mut self, id: NodeId) {
        self.remove_sons(id);
        self.node_mut(id).mark = Mark::Removed;
        if let Some(parent) = self.node(id).parent {
            self.node_mut(parent).sons.retain(|&son| son != id);
        }
    }

    /// After nodes were removed, unmarked or labelled anew: the unions are computed again, and covered leaves that were marked
    /// after `time` are unmarked. Returns these.
    pub(super) fn unmark_covered_after(&mut self, bdds: &Bdds, time: u64) -> Result<Vec<NodeId>, OutOfNodes> {
        let nodes = &self.nodes;
        #[allow(clippy::iter_over_hash_type, reason = "each entry on its own")]
        for (list, union) in self.uncovered.values_mut() {
            list.retain(|&id| matches!(nodes[id as usize].mark, Mark::Uncovered(_)));
            *union = bdds.ff();
            for &id in &*list {
                *union = union.or(&nodes[id as usize].region)?;
            }
        }
        let mut unmarked = Vec::new();
        for (id, node) in self.nodes.iter_mut().enumerate() {
            if matches!(node.mark, Mark::Covered(marked) if marked > time) {
                node.mark = Mark::Unmarked;
                unmarked.push(id as NodeId);
            }
        }
        Ok(unmarked)
    }

    /// The regions of the uncovered marked nodes at each point with each valuation, ascending: the largest ones, or their union where
    /// there are many.
    pub(super) fn regions(&self) -> Result<Regions, OutOfNodes> {
        let mut regions = Vec::new();
        #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
        for (&at, (nodes, union)) in self.uncovered.iter().filter(|(_, u)| !u.0.is_empty()) {
            let all = match nodes.len() <= APART {
                true => self.largest(nodes)?,
                false => vec![union.clone()],
            };
            regions.push((at, all));
        }
        regions.sort_by_key(|(at, _)| *at);
        Ok(regions)
    }

    /// The regions of the nodes that are in no other one.
    fn largest(&self, nodes: &[NodeId]) -> Result<Vec<Bdd>, OutOfNodes> {
        let mut largest: Vec<Bdd> = Vec::new();
        // A later node is not inside of the earlier ones, or it would be covered.
        for region in nodes.iter().rev().map(|&n| &self.node(n).region) {
            let mut inside = false;
            for other in &largest {
                inside |= region.implies(other)?;
            }
            if !inside {
                largest.push(region.clone());
            }
        }
        Ok(largest)
    }

    /// The nodes whose regions are properly inside that of a node at the same control point with the same values, and what is below them: of those
    /// marked and those that wait.
    pub(super) fn subsumed_by(
        &self,
        id: NodeId,
        waiting: impl Iterator<Item = NodeId>,
    ) -> Result<Vec<NodeId>, OutOfNodes> {
        let node = self.node(id);
        let Destination::Point(point) = node.place else { return Ok(Vec::new()) };
        let marked = self.uncovered.get(&(point, node.values)).map_or(&[][..], |(nodes, _)| nodes).iter().copied();
        let mut work = Vec::new();
        for other in
            marked.chain(waiting.filter(|&w| (self.node(w).place, self.node(w).values) == (node.place, node.values)))
        {
            let region = &self.node(other).region;
            let live = matches!(self.node(other).mark, Mark::Uncovered(_) | Mark::Unmarked);
            if other != id && live && *region != node.region && region.implies(&node.region)? {
                work.push(other);
            }
        }
        let mut found = Vec::new();
        while let Some(at) = work.pop() {
            found.push(at);
            work.extend(&self.node(at).sons);
        }
        Ok(found)
    }

    /// How many nodes are in the tree.
    pub(super) fn len(&self) -> usize {
        self.nodes.iter().filter(|n| n.mark != Mark::Removed).count()
    }
}
