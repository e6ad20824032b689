//! `clinch convert`: a model in another language.

use clinch_frontend::Input;
use clinch_ir::Reason;
use clinch_ir::horn::ProgramClauses;

use crate::cli::{ConvertArgs, Target};
use crate::engines::LOCATIONS;
use crate::load::{self, LoadError};
use crate::{exit, report, smtlib};

/// `clinch convert`.
pub(crate) fn run(args: &ConvertArgs) -> u8 {
    let Target::Chc = args.to;
    match load::load(&args.file, &args.model) {
        Ok(Input::Horn(system)) => report::line(smtlib::clauses(&system).trim_end()),
        Ok(Input::Program(program)) => match ProgramClauses::new(&program, LOCATIONS) {
            Ok(clauses) => report::line(smtlib::clauses(&clauses.system).trim_end()),
            Err(reason) => return refuse(&reason),
        },
        Err(LoadError::Unsupported(reason)) => return refuse(&reason),
        Err(LoadError::Bad(text)) => {
            report::error(&text);
            return exit::BAD_INPUT;
        }
    }
    exit::SAFE
}

fn refuse(reason: &Reason) -> u8 {
    report::error(&format!("error: {reason}"));
    exit::UNKNOWN
}
