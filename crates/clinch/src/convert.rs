//! `clinch convert`: a model in another language.

use clinch_frontend::Input;
use clinch_ir::horn::{CfaClauses, Encoding, ProgramClauses, to_smtlib};
use clinch_ir::{HornSystem, Reason};

use crate::cli::{ConvertArgs, Target};
use crate::engines::LOCATIONS;
use crate::load::{self, LoadError};
use crate::options::{Given, Kind};
use crate::{c, exit, report};

/// `clinch convert`.
pub(crate) fn run(args: &ConvertArgs, given: &Given) -> u8 {
    let Target::Chc = args.to;
    if let Err(text) = given.check_inputs(Kind::of_path(&args.file).as_slice()) {
        report::error(&format!("error: {text}"));
        return exit::USAGE;
    }
    if c::load::has_procedures(&args.file) {
        return run_procedures(args, given);
    }
    match load::load(&args.file, &args.model) {
        Ok(Input::Horn(system)) => print(&system),
        Ok(Input::Program(program)) => match ProgramClauses::new(&program, LOCATIONS) {
            Ok(clauses) => print(&clauses.system),
            Err(reason) => refuse(&reason),
        },
        Err(LoadError::Unsupported(reason)) => refuse(&reason),
        Err(LoadError::Bad(text)) => {
            report::error(&text);
            exit::BAD_INPUT
        }
        Err(LoadError::Usage(text)) => {
            report::error(&format!("error: {text}"));
            exit::USAGE
        }
    }
}

/// A program with procedures: its loop-free parts in bit-vectors.
fn run_procedures(args: &ConvertArgs, given: &Given) -> u8 {
    match c::load::load_or_report(std::slice::from_ref(&args.file), &args.c, &args.model.text, given) {
        Ok(loaded) => match CfaClauses::new(&loaded.program, Encoding::Bits, LOCATIONS) {
            Ok(clauses) => print(&clauses.system),
            Err(reason) => refuse(&reason),
        },
        Err(code) => code,
    }
}

fn print(system: &HornSystem) -> u8 {
    match to_smtlib(system) {
        Ok(text) => {
            report::line(text.trim_end());
            exit::SAFE
        }
        Err(what) => refuse(&Reason::Unsupported(what.to_string())),
    }
}

fn refuse(reason: &Reason) -> u8 {
    report::error(&format!("error: {reason}"));
    exit::UNKNOWN
}
