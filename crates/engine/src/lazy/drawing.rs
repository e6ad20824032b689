//! The reachability tree as a drawing.

use std::fmt::Write as _;

use clinch_ir::cfa::unfold::Target;
use clinch_terms::show::show_term;
use serde::{Deserialize, Serialize};

use super::Lazy;
use super::tree::{Mark, NodeId, ROOT};

/// Characters of a region, at most.
const REGION: usize = 400;

/// The tree, for people.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Drawing {
    /// The nodes, each behind its parent.
    pub nodes: Vec<DrawnNode>,
    /// How many more there are.
    pub left_out: usize,
}

/// A node of the tree.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct DrawnNode {
    /// Its number.
    pub id: u32,
    /// The node it was found from, which is in the drawing as well.
    pub parent: Option<u32>,
    /// Where it is: function, file and line.
    pub place: String,
    /// What holds in all states that it stands for.
    pub region: String,
    /// How many predicates the region may speak of.
    pub predicates: usize,
    /// What became of it.
    pub kind: DrawnKind,
    /// Whether the last path to an error that was looked at goes through it.
    pub on_path: bool,
}

/// What became of a node.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum DrawnKind {
    /// What it leads to is in the tree, or not looked at yet.
    Open,
    /// What it leads to is found from other nodes.
    Covered,
    /// An error.
    Error,
    /// There is no verdict behind it.
    Unmodelled,
    /// It was taken out of the tree again.
    Removed,
}

impl Drawing {
    /// In the language of Graphviz: covered nodes are dashed, the last path to an error is bold, errors are red.
    pub fn dot(&self) -> String {
        let mut out = String::from("digraph tree {\n  node [shape=box, fontname=monospace];\n");
        for node in &self.nodes {
            let style = match node.kind {
                DrawnKind::Open => "style=solid",
                DrawnKind::Covered => "style=dashed",
                DrawnKind::Error => "color=red",
                DrawnKind::Unmodelled => "color=orange",
                DrawnKind::Removed => "style=dotted",
            };
            let (bold, bold_edge) = if node.on_path { (", penwidth=3", " [penwidth=3]") } else { ("", "") };
            let text = format!("{}\n{}\n{} predicates", node.place, node.region, node.predicates);
            let id = node.id;
            let _ = writeln!(out, "  n{id} [label=\"{}\", {style}{bold}];", escape(&text));
            if let Some(parent) = node.parent {
                let _ = writeln!(out, "  n{parent} -> n{id}{bold_edge};");
            }
        }
        out.push_str("}\n");
        out
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

impl Lazy<'_> {
    /// The tree, with so many nodes at most. Nodes come behind their parents, so those that are drawn are a tree.
    pub(super) fn draw(&mut self, most: usize) -> Drawing {
        let is_shown = |&id: &NodeId| self.tree.node(id).mark != Mark::Removed || self.spurious.contains(&id);
        let shown: Vec<NodeId> = (0..self.tree.nodes.len() as NodeId).filter(is_shown).collect();
        let left_out = shown.len().saturating_sub(most);
        Drawing { nodes: shown.into_iter().take(most).map(|id| self.drawn(id)).collect(), left_out }
    }

    fn drawn(&mut self, id: NodeId) -> DrawnNode {
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
        let kind = match (node.mark, node.place) {
            (_, Target::Error(..)) => DrawnKind::Error,
            (_, Target::Open(..)) => DrawnKind::Unmodelled,
            (Mark::Covered(_), _) => DrawnKind::Covered,
            (Mark::Removed, _) => DrawnKind::Removed,
            _ => DrawnKind::Open,
        };
        let formula = self.predicates.concretise(&mut self.terms, &node.region);
        let region = show_term(&self.terms, formula).unwrap_or_else(|_| "…".to_owned());
        let region = match region.char_indices().nth(REGION) {
            Some((end, _)) => format!("{}…", &region[..end]),
            None => region,
        };
        let (predicates, on_path) = (node.support.len(), self.spurious.contains(&id));
        DrawnNode { id, parent: node.parent, place, region, predicates, kind, on_path }
    }
}
