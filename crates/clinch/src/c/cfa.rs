//! `clinch cfa`: draws control-flow automata.

use clinch_ir::cfa::{ProcedureId, print};

use super::load;
use crate::cli::{CfaArgs, CfaFormat};
use crate::load::LoadError;
use crate::{exit, report};

/// `clinch cfa`.
pub(crate) fn run(args: &CfaArgs) -> u8 {
    let program = match load::load(&args.files, &args.c) {
        Ok(loaded) => loaded.program,
        Err(LoadError::Bad(text)) => {
            report::error(&text);
            return exit::BAD_INPUT;
        }
        Err(LoadError::Unsupported(reason)) => {
            report::line(&format!("UNKNOWN: {reason}"));
            return exit::UNKNOWN;
        }
    };
    let find = |name: &String| program.procedures.iter().position(|p| p.name == *name);
    let only = args.function.as_ref().map(|name| (name, find(name)));
    let only = match only {
        Some((name, None)) => {
            report::error(&format!("error: there is no function `{name}` in the automaton"));
            return exit::USAGE;
        }
        Some((_, Some(index))) => Some(ProcedureId::from_index(index)),
        None => None,
    };
    report::line(&match args.format {
        CfaFormat::Text => print::text(&program, only),
        CfaFormat::Dot => print::dot(&program, only),
        CfaFormat::Json => print::json(&program, only).to_string(),
    });
    exit::SAFE
}
