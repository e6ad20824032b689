//! Automata as JSON.

use clinch_terms::Symbol;
use serde_json::{Value, json};

use super::op::kind;
use super::{chosen, show_c, show_op};
use crate::cfa::{CfaProgram, Edge, Integers, ObjectKind, Procedure, ProcedureId};
use crate::program::Span;

/// The program, or one procedure of it. Operations have their kind and their text.
pub fn json(program: &CfaProgram, only: Option<ProcedureId>) -> Value {
    let globals: Vec<Value> = program
        .globals
        .iter()
        .map(|g| {
            let mut global = variable(program, g.symbol);
            global["init"] = show_c(program, g.init).into();
            global
        })
        .collect();
    let regions: Vec<Value> =
        program.regions.iter().map(|r| json!({ "name": r.name, "cell_bytes": r.cell_bytes })).collect();
    let procedures: Vec<Value> = chosen(program, only).into_iter().map(|p| procedure(program, p)).collect();
    json!({
        "pointer_bits": program.pointer_bits,
        "integers": match program.integers {
            Integers::Machine => "machine",
            Integers::Mathematical => "mathematical",
        },
        "entry": program.procedure(program.entry).name,
        "globals": globals,
        "regions": regions,
        "objects": program.objects.iter().map(object).collect::<Vec<_>>(),
        "procedures": procedures,
        "assumptions": program.assumptions,
    })
}

fn object(object: &crate::cfa::Object) -> Value {
    let kind = match object.kind {
        ObjectKind::Static | ObjectKind::Handover => "static",
        ObjectKind::Literal => "literal",
        ObjectKind::Local(_) => "local",
    };
    json!({ "name": object.name, "address": object.address, "size": object.size, "kind": kind })
}

fn variable(program: &CfaProgram, symbol: Symbol) -> Value {
    let sort = program.terms.symbol_sort(symbol).to_string();
    match program.variables.get(&symbol) {
        Some(info) => json!({ "name": info.name, "type": info.ty, "sort": sort, "hidden": info.hidden }),
        None => json!({ "name": program.terms.symbol_name(symbol), "sort": sort }),
    }
}

fn procedure(program: &CfaProgram, procedure: &Procedure) -> Value {
    let variables = |list: &[Symbol]| list.iter().map(|&s| variable(program, s)).collect::<Vec<_>>();
    let heads = procedure.loop_heads();
    let locations: Vec<Value> = procedure
        .locations
        .iter()
        .enumerate()
        .map(|(i, l)| with_place(program, l.span, json!({ "id": i, "label": l.label, "loop_head": heads[i] })))
        .collect();
    let edges: Vec<Value> = procedure.edges.iter().map(|e| edge(program, e)).collect();
    json!({
        "name": procedure.name,
        "params": variables(&procedure.params),
        "locals": variables(&procedure.locals),
        "result": procedure.result.map(|r| super::name(program, r)),
        "entry": procedure.entry.index(),
        "exit": procedure.exit.index(),
        "locations": locations,
        "edges": edges,
    })
}

fn edge(program: &CfaProgram, edge: &Edge) -> Value {
    let value = json!({
        "from": edge.from.index(),
        "to": edge.to.index(),
        "kind": kind(&edge.op),
        "text": show_op(program, &edge.op),
    });
    with_place(program, edge.span, value)
}

fn with_place(program: &CfaProgram, span: Span, mut value: Value) -> Value {
    if !program.source.text.is_empty() {
        let place = program.source.place(span);
        value["file"] = place.file.into();
        value["line"] = place.line.into();
        value["column"] = place.column.into();
    }
    value
}
