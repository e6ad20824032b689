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

use crate::diagnostic::{Bag, Diagnostics};
use crate::dialect::Dialect;
use crate::parser::Parser;
use crate::{Options, options};

/// Reads a model.
pub(crate) fn compile(source: &Arc<Source>, options: &Options, mut bag: Bag) -> Result<Program, Diagnostics> {
    let mut parser = Parser::new(Dialect::Dve, &source.text);
    let model = parse::model(&mut parser);
    parser.finish(source, &mut bag)?;

    let mut defines = options::Defines::new(options);
    let declared = declare::declare(source, &parser.exprs, &model, &mut defines, &mut bag);
    defines.report_unused(&mut bag);
    bag.stop_if_any()?;

    let program = lower::lower(source, &parser.exprs, &model, declared, options, &mut bag);
    bag.stop_if_any()?;
    Ok(program)
}
