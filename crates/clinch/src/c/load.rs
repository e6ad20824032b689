//! Reads programs with procedures, C and Remopla: finds the files, preprocesses them, hands them to the front end.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clinch_frontend::c::types::DataModel;
use clinch_frontend::c::{Options, Unit};
use clinch_frontend::{ReadError, c, rem};
use clinch_ir::Reason;
use clinch_ir::cfa::{CfaProgram, Integers};

use super::cc::Compiler;
use super::task::{self, TaskError};
use crate::cli::{CArgs, DataModelName, Define, IntegersName, TextArgs};
use crate::load::{LoadError, constants};
use crate::options::{Given, Kind};
use crate::{exit, report};

/// What a program with procedures is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Language {
    C,
    /// Or a Boolean program, which is the same in other words.
    Remopla,
}

/// A program as it is to be checked.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) program: CfaProgram,
    pub(crate) language: Language,
    /// Each file as the front end read it: preprocessed.
    pub(crate) units: Vec<Unit>,
    pub(crate) data_model: DataModel,
    pub(crate) entry: String,
    /// What a task file says the verdict is.
    pub(crate) expected: Option<bool>,
}

/// Whether a file is a program with procedures, or a task about one.
pub(crate) fn has_procedures(file: &Path) -> bool {
    matches!(extension(file), "c" | "i" | "yml" | "rem" | "bp")
}

fn extension(file: &Path) -> &str {
    file.extension().and_then(|e| e.to_str()).unwrap_or("")
}

/// The program in the files. An option that does not go with one of them is an error.
pub(crate) fn load(files: &[PathBuf], args: &CArgs, text: &TextArgs, given: &Given) -> Result<Loaded, LoadError> {
    let fits = |files: &[PathBuf]| {
        let kinds: Vec<Kind> = files.iter().filter_map(|file| Kind::of_path(file)).collect();
        given.check_inputs(&kinds).map_err(LoadError::Usage)
    };
    fits(files)?;
    if let Some(file) = files.iter().find(|f| matches!(extension(f), "rem" | "bp")) {
        return load_rem(file, files, text);
    }
    let task = task_of(files)?;
    let files = task.as_ref().map_or(files, |t| &t.files);
    fits(files)?;
    let named = task.as_ref().map(|t| t.entry.clone());
    let data_model = match args.data_model {
        Some(DataModelName::Ilp32) => DataModel::Ilp32,
        Some(DataModelName::Lp64) => DataModel::Lp64,
        None => task.as_ref().and_then(|t| t.data_model).unwrap_or_default(),
    };
    let entry = args.entry.clone().or(named).unwrap_or_else(|| "main".to_owned());
    let flags: Vec<String> =
        text.defines.iter().map(Define::macro_flag).chain(args.cpp_flags.iter().cloned()).collect();
    let units = files.iter().map(|file| unit(file, data_model, &flags)).collect::<Result<Vec<_>, _>>()?;
    let options = Options {
        data_model,
        integers: match args.integers {
            IntegersName::Machine => Integers::Machine,
            IntegersName::Mathematical => Integers::Mathematical,
        },
        entry: entry.clone(),
        globals_are_inputs: args.globals_as_inputs,
    };
    let program = c::read(&units, &options).map_err(|error| match error {
        ReadError::Bad(diagnostics) => LoadError::Bad(diagnostics.render(std::io::stderr().is_terminal())),
        ReadError::Unsupported(what) => {
            let (line, column) = what.line_column();
            let place = format!("{}:{line}:{column}", what.source.name);
            LoadError::Unsupported(Reason::Unsupported(format!("{}, at {place}", what.message)))
        }
    })?;
    let expected = task.and_then(|t| t.expected);
    Ok(Loaded { program, language: Language::C, units, data_model, entry, expected })
}

fn load_rem(file: &Path, files: &[PathBuf], text: &TextArgs) -> Result<Loaded, LoadError> {
    let name = file.display().to_string();
    let bad = |what: String| LoadError::Bad(format!("{name}:1:1: error: {what}"));
    if files.len() > 1 {
        return Err(bad("a Remopla file or Boolean program stands alone".to_owned()));
    }
    let bytes = std::fs::read(file).map_err(|e| bad(format!("cannot read: {e}")))?;
    let options = clinch_frontend::Options {
        defines: constants(text)?,
        label: text.label.clone(),
        ..clinch_frontend::Options::default()
    };
    let program = match extension(file) {
        "bp" => rem::read_boolean(&name, &bytes, &options),
        _ => rem::read(&name, &bytes, &options),
    };
    let program = program.map_err(|d| LoadError::Bad(d.render(std::io::stderr().is_terminal())))?;
    Ok(Loaded {
        program,
        language: Language::Remopla,
        units: Vec::new(),
        data_model: DataModel::default(),
        entry: String::new(),
        expected: None,
    })
}

/// The same for commands that have nothing else to say: what is wrong is printed, and the exit code returned.
pub(crate) fn load_or_report(files: &[PathBuf], args: &CArgs, text: &TextArgs, given: &Given) -> Result<Loaded, u8> {
    load(files, args, text, given).map_err(|error| match error {
        LoadError::Usage(text) => {
            report::error(&format!("error: {text}"));
            exit::USAGE
        }
        LoadError::Bad(text) => {
            report::error(&text);
            exit::BAD_INPUT
        }
        LoadError::Unsupported(reason) => {
            report::line(&format!("UNKNOWN: {reason}"));
            exit::UNKNOWN
        }
    })
}

fn task_of(files: &[PathBuf]) -> Result<Option<task::Task>, LoadError> {
    let Some(file) = files.iter().find(|f| extension(f) == "yml") else { return Ok(None) };
    let name = file.display();
    if files.len() > 1 {
        return Err(LoadError::Bad(format!("{name}:1:1: error: a task file stands alone")));
    }
    task::read(file).map(Some).map_err(|error| match error {
        TaskError::Bad(line, column, text) => LoadError::Bad(format!("{name}:{line}:{column}: error: {text}")),
        TaskError::Unsupported(what) => {
            LoadError::Unsupported(Reason::Unsupported(format!("the property {what}, at {name}:1:1")))
        }
    })
}

/// A file, preprocessed unless it already is.
fn unit(file: &Path, model: DataModel, flags: &[String]) -> Result<Unit, LoadError> {
    let name = file.display().to_string();
    let bad = |what: String| LoadError::Bad(format!("{name}:1:1: error: {what}"));
    let bytes = std::fs::read(file).map_err(|e| bad(format!("cannot read: {e}")))?;
    let text = match extension(file) {
        "i" => String::from_utf8_lossy(&bytes).into_owned(),
        "c" => {
            let compiler = Compiler::find();
            let compiler = compiler.ok_or_else(|| bad("no C compiler found to preprocess with (set CC)".to_owned()))?;
            // The compiler's message has a place of its own.
            compiler.preprocess(file, model, flags).map_err(LoadError::Bad)?
        }
        _ => return Err(bad("not a C file: expected .c or .i".to_owned())),
    };
    Ok(Unit { name, text })
}
