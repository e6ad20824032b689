//! The last abstract reachability tree as a drawing.

use super::Cegar;
use super::explore::Exploration;
use super::tree::{Node, NodeId, Status, Tree};
use crate::drawing::{Drawing, DrawnKind, DrawnNode, Graph, region};

impl Cegar<'_> {
    /// The tree, with so many nodes at most. Nodes come behind those they were derived from, so what is left out leads to none that is drawn. A
    /// contradiction is the last node.
    pub(super) fn draw(&mut self, tree: &Tree, end: &Exploration, most: usize) -> Drawing {
        let on_path = on_path(tree, end);
        let shown = tree.nodes.iter().zip(0..).take(most);
        let mut nodes: Vec<DrawnNode> = shown.map(|(node, id)| self.drawn(node, id, on_path[id as usize])).collect();
        let mut all = tree.nodes.len();
        if let Exploration::Error(error) = end {
            all += 1;
            let (parent, others) = parents(&error.premises);
            let error = DrawnNode {
                id: tree.nodes.len() as NodeId,
                parent,
                others,
                place: "ERROR".to_owned(),
                region: String::new(),
                predicates: 0,
                kind: DrawnKind::Error,
                on_path: true,
            };
            nodes.extend((all <= most).then_some(error));
        }
        Drawing { graph: Graph::Cegar, left_out: all - nodes.len(), nodes }
    }

    fn drawn(&mut self, node: &Node, id: NodeId, on_path: bool) -> DrawnNode {
        let predicates = self.precision.at(node.location);
        let formula = self.terms.all(node.state.iter().map(|i| predicates[i]));
        let (parent, others) = parents(&node.premises);
        let kind = match node.status {
            Status::Waiting | Status::Expanded => DrawnKind::Open,
            Status::Pruned { .. } => DrawnKind::Covered,
        };
        DrawnNode {
            id,
            parent,
            others,
            place: self.system.predicate(node.location).name.clone(),
            region: region(&self.terms, formula),
            predicates: predicates.len(),
            kind,
            on_path,
        }
    }
}

/// The node that is drawn above one with these premises, and the rest of them.
fn parents(premises: &[NodeId]) -> (Option<NodeId>, Vec<NodeId>) {
    let parent = premises.first().copied();
    (parent, premises.iter().copied().filter(|&premise| Some(premise) != parent).collect())
}

/// Which nodes the contradiction was derived from, if there was one.
fn on_path(tree: &Tree, end: &Exploration) -> Vec<bool> {
    let mut on_path = vec![false; tree.nodes.len()];
    let mut waiting = match end {
        Exploration::Closed => Vec::new(),
        Exploration::Error(error) => error.premises.clone(),
    };
    while let Some(id) = waiting.pop() {
        if !std::mem::replace(&mut on_path[id as usize], true) {
            waiting.extend(&tree.node(id).premises);
        }
    }
    on_path
}
