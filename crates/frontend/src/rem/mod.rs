//! Remopla, the language of Moped \[Spds\]: modules with parameters and results, guarded choice, nondeterminism, finite
//! data. The language is described in `docs/rem.md`.
//!
//! Reading order: `ast` and `parse` give the text a shape; `declare` gives names their meaning (`scope`,
//! `types`); `expr` and `place` translate expressions, `stmt` and `assign` statements, `lower` the rest.
//!
//! Boolean programs in the style of SLAM and Bebop are the same thing in other words: `boolean` gives them the same shape.
//!
//! **What comes out** is a [`CfaProgram`] of scalars: numbers without sign as bit-vectors of their width, truth values as
//! Booleans, and a scalar for each element of arrays and structs. There is no memory.

mod assign;
mod ast;
mod body;
mod boolean;
mod declare;
mod expr;
mod lower;
mod parse;
mod place;
mod scope;
mod stmt;
mod types;

use std::sync::Arc;

use clinch_ir::cfa::{CfaProgram, SourceMap};
use clinch_ir::{Source, Span};
use clinch_terms::Terms;

use crate::diagnostic::{Bag, Diagnostics, Problem};
use crate::dialect::Dialect;
use crate::parser::Parser;
use crate::{Options, options};
use ast::{StmtKind, Text};

/// The label that must not be reached, where no other is named.
pub const ERROR_LABEL: &str = "error";

/// Those of Boolean programs.
const BOOLEAN_ERROR_LABELS: &[&str] = &[ERROR_LABEL, "ERROR", "SLIC_ERROR"];

/// Reads a Remopla program; `name` is how diagnostics call it.
pub fn read(name: &str, bytes: &[u8], options: &Options) -> Result<CfaProgram, Diagnostics> {
    compile(Dialect::Rem, name, bytes, options)
}

/// Reads a Boolean program, as SLAM and Bebop have them.
pub fn read_boolean(name: &str, bytes: &[u8], options: &Options) -> Result<CfaProgram, Diagnostics> {
    compile(Dialect::Bp, name, bytes, options)
}

fn compile(dialect: Dialect, name: &str, bytes: &[u8], options: &Options) -> Result<CfaProgram, Diagnostics> {
    let mut bag = Bag::default();
    let source = Arc::new(crate::decode(crate::Bytes::Utf8, name, bytes, &mut bag));
    bag.stop_if_any()?;
    let mut parser = Parser::new(dialect, &source.text);
    let text = if dialect == Dialect::Bp { boolean::text(&mut parser) } else { parse::text(&mut parser) };
    parser.finish(&source, &mut bag)?;
    let exprs = &parser.exprs;

    let mut program = empty(&source);
    let mut scope = scope::Scope::default();
    let mut defines = options::Defines::new(options);
    let mut declare =
        declare::Declare { source: &source, exprs, program: &mut program, scope: &mut scope, bag: &mut bag };
    let open = declare.text(&text, &mut defines);
    defines.report_unused(&mut bag);
    let entry = bag.check(&source, initial_module(&text));
    check_label(&text, options, &mut bag);
    bag.stop_if_any()?;

    let named = options.label.as_deref().map(|label| [label]);
    let usual = if dialect == Dialect::Bp { BOOLEAN_ERROR_LABELS } else { &[ERROR_LABEL] };
    lower::Lower {
        source: &source,
        exprs,
        program: &mut program,
        scope: &mut scope,
        bag: &mut bag,
        error_labels: named.as_ref().map_or(usual, |label| label.as_slice()),
        body: body::Body::new(),
        result: None,
        labels: Default::default(),
        temporaries: Vec::new(),
        choices: Vec::new(),
        anys: Default::default(),
    }
    .text(&text, &open, entry.unwrap_or_default());
    bag.stop_if_any()?;
    Ok(program)
}

fn empty(source: &Source) -> CfaProgram {
    CfaProgram::new(Terms::new(), SourceMap::new(source.text.clone(), vec![source.name.clone()], Vec::new()))
}

/// The module named by `init`, or `main`.
fn initial_module(text: &Text<'_>) -> Result<usize, Problem> {
    let (name, span) = text.init.map_or(("main", Span::default()), |name| (name.text, name.span));
    let found = text.modules.iter().position(|module| module.name.text == name);
    found.ok_or_else(|| {
        Problem::new(span, format!("there is no module `{name}`")).help("a run starts in `main`, or where `init` says")
    })
}

/// A label that was named on the command line must be there.
fn check_label(text: &Text<'_>, options: &Options, bag: &mut Bag) {
    let Some(label) = &options.label else { return };
    let mut lists: Vec<_> = text.modules.iter().map(|module| &module.body).collect();
    while let Some(list) = lists.pop() {
        for statement in list {
            if statement.labels.iter().any(|l| l.text == label) {
                return;
            }
            if let StmtKind::If(alternatives) | StmtKind::Do(alternatives) = &statement.kind {
                lists.extend(alternatives.iter().map(|a| &a.body));
            }
        }
    }
    let source = Source { name: "--label".to_owned(), text: label.clone() };
    let span = Span { start: 0, end: label.len() as u32 };
    bag.report(&Arc::new(source), Problem::new(span, format!("the program has no label `{label}`")));
}
