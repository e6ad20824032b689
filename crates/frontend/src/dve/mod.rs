//! DiVinE models, as used by the BEEM collection. What is read, and how it differs, is said in `docs/dve.md`.
//!
//! Reading order: [`ast`] and [`parse`] give the text a shape; [`declare`] collects names; [`expr`] translates
//! expressions, where numbers are truth values and truth values numbers; [`lower`] makes transitions of edges and of
//! pairs of edges that synchronise.

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
type Declared<'s> = model::Declared<scope::Names<'s>>;

/// Reads a model.
pub(crate) fn compile(source: &Arc<Source>, options: &Options, bag: Bag) -> Result<Program, Diagnostics> {
    let steps = Steps { dialect: Dialect::Dve, parse: parse::model, declare: declare::declare, lower: lower::lower };
    steps.compile(source, options, bag)
}
