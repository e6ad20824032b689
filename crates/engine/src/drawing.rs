//! What engines searched, as drawings.

use std::fmt::Write as _;

use clinch_terms::show::show_term;
use clinch_terms::{Term, Terms};
use serde::{Deserialize, Serialize};

/// Characters of a region, at most.
const REGION: usize = 400;

/// What an engine searched, for people.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Drawing {
    /// What is drawn.
    pub graph: Graph,
    /// The nodes, each behind its parents.
    pub nodes: Vec<DrawnNode>,
    /// How many more there are.
    pub left_out: usize,
}

/// What a drawing is of.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Graph {
    /// The tree of lazy abstraction.
    Lazy,
    /// The last tree of predicate abstraction.
    Cegar,
    /// The witness graph of a pushdown system.
    Pushdown,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct DrawnNode {
    /// Its number.
    pub id: u32,
    /// The node it was found from, which is in the drawing as well.
    pub parent: Option<u32>,
    /// The others that were needed to find it: what is known of a call, say.
    pub others: Vec<u32>,
    /// Where it is: function, file and line, or the name of a predicate of clauses.
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
    /// What it leads to is drawn as well, or was not looked at yet.
    Open,
    /// What it leads to is found from other nodes.
    Covered,
    /// An error.
    Error,
    /// There is no verdict behind it.
    Unmodelled,
    /// It was taken out again.
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
            for other in &node.others {
                let _ = writeln!(out, "  n{other} -> n{id} [style=dashed];");
            }
        }
        out.push_str("}\n");
        out
    }
}

/// A formula as the region of a node, cut where it is long.
pub(crate) fn region(terms: &Terms, formula: Term) -> String {
    shortened(&show_term(terms, formula).unwrap_or_else(|_| "…".to_owned()))
}

/// The beginning of a text that is too long for a region.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(REGION) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
