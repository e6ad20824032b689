//! Automata as text.

use std::fmt::Write;

use super::{chosen, declaration, place, show_c, show_op};
use crate::cfa::{CfaProgram, ObjectKind, Procedure, ProcedureId};

/// The program, or one procedure of it, one edge on a line.
pub fn text(program: &CfaProgram, only: Option<ProcedureId>) -> String {
    let mut out = String::new();
    if only.is_none() {
        globals(program, &mut out);
    }
    for procedure in chosen(program, only) {
        one(program, procedure, &mut out);
    }
    out
}

/// Writing to a string does not fail.
macro_rules! line {
    ($out:expr, $($arg:tt)*) => {
        _ = writeln!($out, $($arg)*)
    };
}

fn globals(program: &CfaProgram, out: &mut String) {
    for global in &program.globals {
        line!(out, "{} = {}", declaration(program, global.symbol), show_c(program, global.init));
    }
    for object in &program.objects {
        let kind = match object.kind {
            ObjectKind::Static | ObjectKind::Handover => "static",
            ObjectKind::Literal => "literal",
            ObjectKind::Local(_) => "local",
        };
        line!(out, "object {} at {:#x}, {} bytes, {kind}", object.name, object.address, object.size);
    }
    for region in &program.regions {
        line!(out, "region {}, cells of {} bytes", region.name, region.cell_bytes);
    }
    if !out.is_empty() {
        out.push('\n');
    }
}

fn one(program: &CfaProgram, procedure: &Procedure, out: &mut String) {
    let list = |symbols: &[_]| symbols.iter().map(|&s| declaration(program, s)).collect::<Vec<_>>().join(", ");
    line!(out, "procedure {}({})", procedure.name, list(&procedure.params));
    if !procedure.locals.is_empty() {
        line!(out, "  locals {}", list(&procedure.locals));
    }
    line!(out, "  from {} to {}", procedure.entry.index(), procedure.exit.index());
    let heads = procedure.loop_heads();
    for (at, edges) in procedure.successors().iter().enumerate() {
        let location = &procedure.locations[at];
        if let Some(label) = &location.label {
            line!(out, "  {at} is {label}");
        }
        if heads[at] {
            line!(out, "  {at} is the head of a loop");
        }
        for edge in edges {
            let edge = &procedure.edges[edge.index()];
            let place = place(program, edge.span).map(|p| format!("  // {p}")).unwrap_or_default();
            line!(out, "  {at} -> {}: {}{place}", edge.to.index(), show_op(program, &edge.op));
        }
    }
    out.push('\n');
}
