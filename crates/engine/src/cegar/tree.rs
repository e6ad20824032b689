//! The abstract reachability tree, and what happens to it when one state subsumes another ([Subsumer, figure 2]).
//!
//! A node remembers for ever how it was derived, also when it is pruned: counterexamples follow that record, which never
//! has cycles. The relation `abstract_child`, which may get them, only serves to find the subtree of a node.

use clinch_ir::{ClauseId, HornSystem, PredId};

use crate::search::{BitSet, SubsumptionIndex};

/// A node of the tree.
pub(super) type NodeId = u32;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Status {
    /// Waits to be expanded.
    Waiting,
    /// Its successors are in the tree.
    Expanded,
    /// Another node subsumes it; it is no longer part of the tree.
    Pruned {
        /// That node, or one that was pruned in favour of another in turn.
        by: NodeId,
    },
}

/// An abstract state and its place in the tree.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The location.
    pub(super) location: PredId,
    /// The predicates that hold.
    pub(super) state: BitSet,
    /// The clause it was derived by.
    pub(super) clause: ClauseId,
    /// The nodes it was derived from.
    pub(super) premises: Vec<NodeId>,
    pub(super) status: Status,
    /// `abstract_child`: may name pruned nodes, which stand for those that subsume them.
    children: Vec<NodeId>,
}

/// What to do with the nodes that a new one subsumes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Subsumed {
    /// Leave them where they are.
    Keep,
    /// Take them out of the tree.
    Prune,
}

/// What became of a new state.
#[derive(Debug)]
pub(super) enum Inserted {
    /// A node that is at least as large is already there.
    Covered,
    /// It is a node now; it took the place of the pruned ones. `subtree` holds these and the nodes below them.
    Node { id: NodeId, subtree: Vec<NodeId>, pruned: Vec<NodeId> },
}

/// The tree of one search.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    index: Vec<SubsumptionIndex>,
    /// Nodes that were expanded, by location; some may be pruned by now.
    expanded: Vec<Vec<NodeId>>,
    subsumed: Subsumed,
    /// Questions put to the index.
    pub(super) subsumption_checks: u64,
}

impl Tree {
    pub(super) fn new(system: &HornSystem, subsumed: Subsumed) -> Self {
        let locations = system.predicates.len();
        Tree {
            nodes: Vec::new(),
            index: vec![SubsumptionIndex::new(); locations],
            expanded: vec![Vec::new(); locations],
            subsumed,
            subsumption_checks: 0,
        }
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub(super) fn is_live(&self, id: NodeId) -> bool {
        !matches!(self.node(id).status, Status::Pruned { .. })
    }

    /// The node that stands for a node: itself, or the one that took its place.
    pub(super) fn representative(&self, mut id: NodeId) -> NodeId {
        while let Status::Pruned { by } = self.node(id).status {
            id = by;
        }
        id
    }

    /// How many trie nodes the subsumption checks visited.
    pub(super) fn subsumption_visits(&self) -> u64 {
        self.index.iter().map(SubsumptionIndex::visits).sum()
    }

    /// Lines 4 to 16 of figure 2: a new state `m`, derived from `premises` by `clause`.
    pub(super) fn insert(
        &mut self,
        location: PredId,
        state: BitSet,
        clause: ClauseId,
        premises: &[NodeId],
    ) -> Inserted {
        self.subsumption_checks += 1;
        if let Some(p) = self.index[location.index()].find_subset(&state) {
            self.add_children(premises, p);
            return Inserted::Covered;
        }
        let m = self.nodes.len() as NodeId;
        self.nodes.push(Node {
            location,
            state,
            clause,
            premises: premises.to_vec(),
            status: Status::Waiting,
            children: Vec::new(),
        });
        let (subtree, pruned) = match self.subsumed {
            Subsumed::Keep => (Vec::new(), Vec::new()),
            Subsumed::Prune => self.prune_subsumed_by(m),
        };
        self.index[location.index()].insert(&self.nodes[m as usize].state, m);
        self.add_children(premises, m);
        Inserted::Node { id: m, subtree, pruned }
    }

    fn add_children(&mut self, parents: &[NodeId], child: NodeId) {
        for &parent in parents {
            let parent = self.representative(parent);
            self.nodes[parent as usize].children.push(child);
        }
    }

    /// Lines 6 to 12: everything `m` subsumes leaves the tree, its children become children of `m`, and so does its place
    /// below its parents.
    fn prune_subsumed_by(&mut self, m: NodeId) -> (Vec<NodeId>, Vec<NodeId>) {
        let Node { location, state, .. } = &self.nodes[m as usize];
        let location = *location;
        self.subsumption_checks += 1;
        let pruned = self.index[location.index()].supersets(&state.clone());
        let mut subtree = Vec::new();
        for &p in &pruned {
            self.compute_subtree(p, &mut subtree);
            let state = std::mem::take(&mut self.nodes[p as usize].state);
            self.index[location.index()].remove(&state);
            self.nodes[p as usize].state = state;
            let children = std::mem::take(&mut self.nodes[p as usize].children);
            self.nodes[m as usize].children.extend(children);
            self.nodes[p as usize].status = Status::Pruned { by: m };
        }
        (subtree, pruned)
    }

    /// The node and all that are below it, following `abstract_child`.
    fn compute_subtree(&self, root: NodeId, subtree: &mut Vec<NodeId>) {
        let mut seen: rustc_hash::FxHashSet<NodeId> = subtree.iter().copied().collect();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            let id = self.representative(id);
            if seen.insert(id) {
                subtree.push(id);
                stack.extend(&self.node(id).children);
            }
        }
    }

    /// Records that the successors of a node are being computed.
    pub(super) fn mark_expanded(&mut self, id: NodeId) {
        let node = &mut self.nodes[id as usize];
        node.status = Status::Expanded;
        self.expanded[node.location.index()].push(id);
    }

    /// The nodes at a location that were expanded and are still in the tree.
    pub(super) fn expanded_at(&mut self, location: PredId) -> Vec<NodeId> {
        let nodes = &self.nodes;
        let list = &mut self.expanded[location.index()];
        list.retain(|&id| !matches!(nodes[id as usize].status, Status::Pruned { .. }));
        list.clone()
    }

    /// The largest states, location by location: those that no other subsumes.
    pub(super) fn largest(&self) -> Vec<Vec<&BitSet>> {
        let mut live: Vec<&Node> = self.nodes.iter().filter(|n| !matches!(n.status, Status::Pruned { .. })).collect();
        live.sort_by_key(|n| n.state.len());
        let mut index = vec![SubsumptionIndex::new(); self.index.len()];
        let mut largest = vec![Vec::new(); self.index.len()];
        for (i, node) in live.into_iter().enumerate() {
            let here = node.location.index();
            if index[here].find_subset(&node.state).is_none() {
                index[here].insert(&node.state, i as u32);
                largest[here].push(&node.state);
            }
        }
        largest
    }

    /// The invariant of figure 2: no node of the tree is subsumed by another; every node is below a root.
    ///
    /// Panics if it does not hold.
    pub(super) fn check_invariant(&self) {
        let live: Vec<NodeId> = (0..self.nodes.len() as NodeId).filter(|&id| self.is_live(id)).collect();
        for &a in &live {
            for &b in &live {
                let (x, y) = (self.node(a), self.node(b));
                let comparable = a != b && x.location == y.location && self.subsumed == Subsumed::Prune;
                assert!(!comparable || !x.state.is_subset(&y.state), "node {a} subsumes node {b} of the tree");
            }
        }
        let mut reached = Vec::new();
        for (id, node) in self.nodes.iter().enumerate() {
            if node.premises.is_empty() {
                self.compute_subtree(id as NodeId, &mut reached);
            }
        }
        assert!(live.iter().all(|id| reached.contains(id)), "a node of the tree is below no root");
    }
}
