//! The reachability tree as a drawing.

use std::fmt::Write as _;

use clinch_ir::cfa::unfold::Target;
use clinch_terms::show::show_term;

use super::Lazy;
use super::tree::{Mark, NodeId, ROOT};

/// Nodes drawn, at most.
const NODES: usize = 5_000;

impl Lazy<'_> {
    /// The tree in the language of Graphviz: covered nodes are dashed, the last path to an error is bold, errors are red.
    pub(super) fn draw(&mut self) -> String {
        let mut out = String::from("digraph tree {\n  node [shape=box, fontname=monospace];\n");
        let shown: Vec<NodeId> = (0..self.tree.nodes.len() as NodeId)
            .filter(|&id| self.tree.node(id).mark != Mark::Removed || self.spurious.contains(&id))
            .take(NODES)
            .collect();
        for id in shown {
            let text = self.node_text(id);
            let node = self.tree.node(id);
            let mut style = match (node.mark, node.place) {
                (_, Target::Error(..)) => "color=red",
                (_, Target::Open(..)) => "color=orange",
                (Mark::Covered(_), _) => "style=dashed",
                (Mark::Removed, _) => "style=dotted",
                _ => "style=solid",
            }
            .to_owned();
            let on_path = self.spurious.contains(&id);
            if on_path {
                style.push_str(", penwidth=3");
            }
            let _ = writeln!(out, "  n{id} [label=\"{}\", {style}];", escape(&text));
            if let Some(parent) = node.parent {
                let width = if on_path { " [penwidth=3]" } else { "" };
                let _ = writeln!(out, "  n{parent} -> n{id}{width};");
            }
        }
        out.push_str("}\n");
        out
    }

    fn node_text(&mut self, id: NodeId) -> String {
        let node = self.tree.node(id).clone();
        let place = match node.place {
            _ if id == ROOT => "start".to_owned(),
            Target::Point(point) => {
                let name = self.program.procedure(self.labels.unfolding.point(point).procedure).name.clone();
                format!("{name} {}", self.place_text(point))
            }
            Target::End => "end".to_owned(),
            Target::Error(..) => "ERROR".to_owned(),
            Target::Open(..) => "no verdict".to_owned(),
        };
        let formula = self.predicates.concretise(&mut self.terms, &node.region);
        let region = show_term(&self.terms, formula).unwrap_or_else(|_| "...".to_owned());
        format!("{place}\n{region}\n{} predicates", node.support.len())
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
