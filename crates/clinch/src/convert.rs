//! `clinch convert`: a model in another language.

use clinch_analyses::clauses::{CfaClauses, Encoding, ProgramClauses};
use clinch_checker::engines::LOCATIONS;
use clinch_checker::task::Input;
use clinch_ir::horn::to_smtlib;
use clinch_ir::{HornSystem, Reason};

use crate::check::refuse;
use crate::cli::{Conversion, ConvertArgs, Format, task};
use crate::{console, exit};

/// `clinch convert`. A program with procedures is written as its loop-free parts in bit-vectors.
pub(crate) fn run(args: &ConvertArgs) -> u8 {
    let Conversion::Chc = args.to;
    let task = task(std::slice::from_ref(&args.file), args.model.reading(Some(&args.c)));
    let clauses = match task.read() {
        Ok(Input::Clauses(system)) => return write(&system),
        Ok(Input::Processes(program)) => ProgramClauses::new(&program, LOCATIONS).map(|clauses| clauses.system),
        Ok(Input::Procedures(loaded)) => {
            CfaClauses::new(&loaded.program, Encoding::Bits, LOCATIONS).map(|clauses| clauses.system)
        }
        Err(clinch_checker::Error::Unsupported(reason)) => return impossible(&reason),
        Err(error) => return refuse(&error, Format::Text),
    };
    match clauses {
        Ok(system) => write(&system),
        Err(reason) => impossible(&reason),
    }
}

fn write(system: &HornSystem) -> u8 {
    match to_smtlib(system) {
        Ok(text) => {
            console::line(text.trim_end());
            exit::SAFE
        }
        Err(what) => impossible(&Reason::Unsupported(what.to_string())),
    }
}

fn impossible(reason: &Reason) -> u8 {
    console::error(&format!("error: {reason}"));
    exit::UNKNOWN
}
