//! Automata for people and tools: as text, for Graphviz, as JSON. Terms are shown as C.

mod dot;
mod expression;
mod floats;
mod json;
mod op;
mod text;
mod words;

pub use dot::dot;
pub use expression::{show_c, show_c_in};
pub use floats::{hexadecimal, show_float};
pub use json::json;
pub use op::show_op;
pub use text::text;

use clinch_terms::{Symbol, Terms};

use super::{CfaProgram, Procedure, ProcedureId};
use crate::program::Span;

/// The procedures that are shown: one, or all.
fn chosen(program: &CfaProgram, only: Option<ProcedureId>) -> Vec<&Procedure> {
    match only {
        Some(id) => vec![program.procedure(id)],
        None => program.procedures.iter().collect(),
    }
}

/// `file:line`, or nothing where there is no text.
fn place(program: &CfaProgram, span: Span) -> Option<String> {
    if program.source.text.is_empty() {
        return None;
    }
    let place = program.source.place(span);
    Some(format!("{}:{}", place.file, place.line))
}

/// The name of a variable in the source.
fn name(program: &CfaProgram, symbol: Symbol) -> &str {
    name_in(program, &program.terms, symbol)
}

/// The same for a symbol of a store that extends the program's.
fn name_in<'a>(program: &'a CfaProgram, terms: &'a Terms, symbol: Symbol) -> &'a str {
    program.variables.get(&symbol).map_or_else(|| terms.symbol_name(symbol), |v| v.name.as_str())
}

/// `type name`.
fn declaration(program: &CfaProgram, symbol: Symbol) -> String {
    match program.variables.get(&symbol) {
        Some(info) => format!("{} {}", info.ty, info.name),
        None => format!("{} {}", program.terms.symbol_sort(symbol), program.terms.symbol_name(symbol)),
    }
}
