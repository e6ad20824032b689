//! Automata for Graphviz.

use std::fmt::Write;

use super::{chosen, place, show_op};
use crate::cfa::{CfaProgram, Op, Procedure, ProcedureId};

/// The program, or one procedure of it, as a directed graph with a cluster for each procedure.
pub fn dot(program: &CfaProgram, only: Option<ProcedureId>) -> String {
    let mut out =
        "digraph cfa {\n  node [shape=circle, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n".to_owned();
    for (index, procedure) in chosen(program, only).into_iter().enumerate() {
        cluster(program, procedure, index, &mut out);
    }
    out.push_str("}\n");
    out
}

fn cluster(program: &CfaProgram, procedure: &Procedure, index: usize, out: &mut String) {
    // Writing to a string does not fail.
    _ = writeln!(out, "  subgraph cluster_{index} {{\n    label=\"{}\";", escape(&procedure.name));
    let heads = procedure.loop_heads();
    for (at, location) in procedure.locations.iter().enumerate() {
        let label = location.label.as_ref().map_or_else(|| at.to_string(), |l| format!("{at}\\n{}", escape(l)));
        let shape = match () {
            () if at == procedure.entry.index() => ", shape=house",
            () if at == procedure.exit.index() => ", shape=invhouse",
            () if heads[at] => ", shape=doublecircle",
            () => "",
        };
        _ = writeln!(out, "    p{index}_{at} [label=\"{label}\"{shape}];");
    }
    for edge in &procedure.edges {
        let (from, to) = (edge.from.index(), edge.to.index());
        let colour = if matches!(edge.op, Op::Error(_)) { ", color=red" } else { "" };
        let tooltip = place(program, edge.span).map(|p| format!(", tooltip=\"{}\"", escape(&p))).unwrap_or_default();
        let label = escape(&show_op(program, &edge.op));
        _ = writeln!(out, "    p{index}_{from} -> p{index}_{to} [label=\"{label}\"{colour}{tooltip}];");
    }
    out.push_str("  }\n");
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
