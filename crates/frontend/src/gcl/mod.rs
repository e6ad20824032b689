//! Guarded commands: processes, global commands, parallel assignment. The language is described in `docs/gcl.md`.
//!
//! Reading order: [`ast`] and [`parse`] give the text a shape; [`declare`] gives constants, types, variables and
//! instances of processes their meaning; [`expr`] checks and translates expressions; [`lower`] translates the rest.
//! The steps are those of [`model`].

mod ast;
mod declare;
mod expr;
mod lower;
mod parse;
mod scope;

use std::sync::Arc;

use clinch_ir::{Program, Source};

use crate::Options;
use crate::diagnostic::{Bag, Diagnostics};
use crate::dialect::Dialect;
use crate::model::{self, Steps};

/// A model that was parsed.
type Parsed<'a, 's> = model::Parsed<'a, 's, ast::Model<'s>>;
/// What its names mean.
type Declared<'s> = model::Declared<scope::Globals<'s>>;

/// Reads a program.
pub(crate) fn compile(source: &Arc<Source>, options: &Options, bag: Bag) -> Result<Program, Diagnostics> {
    let steps = Steps { dialect: Dialect::Gcl, parse: parse::model, declare: declare::declare, lower: lower::lower };
    steps.compile(source, options, bag)
}
