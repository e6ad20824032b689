//! Derivation trees: which nodes are below which, and which symbols occur where.

use clinch_terms::{Symbol, Terms};
use rustc_hash::FxHashMap;

use super::ItpNode;

/// A node's position in a walk that visits children before parents, and subtrees as a whole. Subtrees are then intervals.
pub(super) type Position = usize;

/// The least and the greatest position where something occurs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    pub(super) first: Position,
    pub(super) last: Position,
}

impl Span {
    pub(super) fn at(position: Position) -> Span {
        Span { first: position, last: position }
    }

    pub(super) fn extend(&mut self, position: Position) {
        self.first = self.first.min(position);
        self.last = self.last.max(position);
    }

    pub(super) fn within(self, other: Span) -> bool {
        other.first <= self.first && self.last <= other.last
    }
}

/// A tree by positions.
#[derive(Debug)]
pub(super) struct Tree {
    /// The node at a position.
    pub(super) node_at: Vec<usize>,
    /// The position of a node.
    pub(super) position: Vec<Position>,
    /// The positions of the subtree below the node at a position.
    pub(super) subtree: Vec<Span>,
    /// The positions of the children of the node at a position.
    pub(super) children: Vec<Vec<Position>>,
    occurrences: FxHashMap<Symbol, Vec<Position>>,
}

impl Tree {
    /// `None` if some node is not below the last one, or in two places.
    pub(super) fn new(terms: &Terms, nodes: &[ItpNode]) -> Option<Tree> {
        let root = nodes.len().checked_sub(1)?;
        let (mut node_at, mut stack) = (Vec::new(), vec![root]);
        while let Some(node) = stack.pop() {
            node_at.push(node);
            if nodes[node].children.iter().any(|&c| c >= node) || node_at.len() > nodes.len() {
                return None;
            }
            stack.extend(&nodes[node].children);
        }
        if node_at.len() != nodes.len() {
            return None;
        }
        // Parents come before children here, and subtrees are not interrupted; backwards it is what we want.
        node_at.reverse();
        let mut position = vec![usize::MAX; nodes.len()];
        for (p, &node) in node_at.iter().enumerate() {
            position[node] = p;
        }
        if position.contains(&usize::MAX) {
            return None;
        }
        let children: Vec<Vec<Position>> =
            node_at.iter().map(|&n| nodes[n].children.iter().map(|&c| position[c]).collect()).collect();
        let mut subtree: Vec<Span> = Vec::new();
        for (p, below) in children.iter().enumerate() {
            let first = below.iter().map(|&c| subtree[c].first).min().unwrap_or(p);
            subtree.push(Span { first, last: p });
        }
        let mut occurrences: FxHashMap<Symbol, Vec<Position>> = FxHashMap::default();
        for (p, &node) in node_at.iter().enumerate() {
            for symbol in terms.symbols(nodes[node].formula) {
                occurrences.entry(symbol).or_default().push(p);
            }
        }
        Some(Tree { node_at, position, subtree, children, occurrences })
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.node_at.len()
    }

    /// Whether a symbol occurs both in the subtree and outside it.
    pub(super) fn is_shared(&self, symbol: Symbol, subtree: Position) -> bool {
        let Some(positions) = self.occurrences.get(&symbol) else { return false };
        let span = self.subtree[subtree];
        let inside = positions.iter().filter(|&&p| Span::at(p).within(span)).count();
        inside > 0 && inside < positions.len()
    }
}
