//! The reachability tree as a drawing.

use clinch_ir::cfa::unfold::Destination;

use super::Lazy;
use super::tree::{Mark, NodeId, ROOT};
use crate::drawing::{Drawing, DrawnKind, DrawnNode, Graph, region};

impl Lazy<'_> {
    /// The tree, with so many nodes at most. Nodes come behind their parents, so those that are drawn are a tree.
    pub(super) fn draw(&mut self, most: usize) -> Drawing {
        let is_shown = |&id: &NodeId| self.tree.node(id).mark != Mark::Removed || self.spurious.contains(&id);
        let shown: Vec<NodeId> = (0..self.tree.nodes.len() as NodeId).filter(is_shown).collect();
        let left_out = shown.len().saturating_sub(most);
        let nodes = shown.into_iter().take(most).map(|id| self.drawn(id)).collect();
        Drawing { graph: Graph::Lazy, nodes, left_out }
    }

    fn drawn(&mut self, id: NodeId) -> DrawnNode {
        let node = self.tree.node(id).clone();
        let place = match node.place {
            _ if id == ROOT => "start".to_owned(),
            Destination::Point(point) => {
                let name = self.program.procedure(self.labels.unfolding.point(point).procedure).name.clone();
                format!("{name} {}", self.place_text(point))
            }
            Destination::End => "end".to_owned(),
            Destination::Error(..) => "ERROR".to_owned(),
            Destination::Open(..) => "no verdict".to_owned(),
        };
        let kind = match (node.mark, node.place) {
            (_, Destination::Error(..)) => DrawnKind::Error,
            (_, Destination::Open(..)) => DrawnKind::Unmodelled,
            (Mark::Covered(_), _) => DrawnKind::Covered,
            (Mark::Removed, _) => DrawnKind::Removed,
            _ => DrawnKind::Open,
        };
        let formula = self.predicates.concretise(&mut self.terms, &node.region);
        let region = region(&self.terms, formula);
        let (predicates, on_path) = (node.support.len(), self.spurious.contains(&id));
        DrawnNode { id, parent: node.parent, others: Vec::new(), place, region, predicates, kind, on_path }
    }
}
