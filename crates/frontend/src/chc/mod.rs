//! Horn clauses in SMT-LIB 2, as CHC-COMP writes them (`set-logic HORN`), or as rules and queries of Z3's fixed points.
//!
//! A script is cut into commands (`sexpr`); terms are translated without recursion and with all sharing kept
//! (`translate`, `value`, `ops`, `number`, `bits`), predicates stay formulas (`formula`) until an assertion is cut into clauses (`clauses`).
//! Data types, strings and the like are recognised (`unsupported`) and refused by name.

mod bits;
mod clauses;
mod commands;
mod formula;
mod number;
mod ops;
mod sexpr;
mod sorts;
mod translate;
mod unsupported;
mod value;

use std::sync::Arc;

use clinch_ir::{HornSystem, Source, Span};

use crate::ReadError;
use crate::diagnostic::{Bag, Problem};

use commands::Reader;
use sexpr::Script;

/// Why a command was not read.
#[derive(Debug)]
enum Stop {
    /// It is wrong.
    Bad(Problem),
    /// It is not modelled.
    Unsupported(Problem),
}

impl Stop {
    fn bad(span: Span, message: impl Into<String>) -> Stop {
        Stop::Bad(Problem::new(span, message))
    }

    fn unsupported(span: Span, message: impl Into<String>) -> Stop {
        Stop::Unsupported(Problem::new(span, message))
    }
}

/// Reads a script. All mistakes are reported; only without any, the first thing that is not supported.
pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<HornSystem, ReadError> {
    let mut bag = Bag::default();
    let source = Arc::new(crate::decode(crate::Bytes::Any, name, bytes, &mut bag));
    bag.stop_if_any()?;
    let mut unsupported = None;
    let mut reader = Reader::new(&source);
    let mut script = Script::new(&source.text);
    while let Some(command) = script.next_command() {
        match command.map_err(Stop::Bad).and_then(|tree| reader.command(&tree)) {
            Ok(()) if reader.is_done() => break,
            Ok(()) => {}
            Err(Stop::Bad(problem)) => bag.report(&source, problem),
            Err(Stop::Unsupported(problem)) => {
                // What comes later may depend on it, so that its mistakes would not be mistakes.
                unsupported = Some(problem);
                break;
            }
        }
        if bag.is_full() {
            break;
        }
    }
    bag.stop_if_any()?;
    match unsupported {
        Some(problem) => Err(refusal(&source, problem)),
        None => Ok(reader.finish()),
    }
}

fn refusal(source: &Arc<Source>, problem: Problem) -> ReadError {
    let mut bag = Bag::default();
    bag.report(source, problem);
    match bag.stop_if_any() {
        Err(diagnostics) => {
            let first = diagnostics.iter().next().expect("one was reported");
            ReadError::Unsupported(Box::new(first.clone()))
        }
        Ok(()) => unreachable!("one was reported"),
    }
}
