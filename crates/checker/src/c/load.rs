//! Reads programs with procedures, C and Remopla: finds the files, preprocesses them, hands them to the front end.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clinch_frontend::c::bodies::Added;
use clinch_frontend::c::fresh::{Caller, Extent};
use clinch_frontend::c::types::DataModel;
use clinch_frontend::c::{CheckOptions, Options, Unit};
use clinch_frontend::{ReadError, c, rem};
use clinch_ir::cfa::{CfaProgram, Check, Checks, Integers};

use super::cc::Compiler;
use super::preprocessing;
use super::task::{self, TaskError};
use crate::asked::Asked;
use crate::given::Given;
use crate::kind::Kind;
use crate::reading::{Define, Error, Reading, Source};
use crate::sites::{self, Site};

/// What a program with procedures is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// C.
    C,
    /// Or a Boolean program, which is the same in other words.
    Remopla,
}

/// A program as it is to be checked.
#[derive(Debug)]
pub struct Loaded {
    /// The program.
    pub program: CfaProgram,
    /// What it is written in.
    pub language: Language,
    /// Each file as the front end read it: preprocessed.
    pub(crate) units: Vec<Unit>,
    pub(crate) data_model: DataModel,
    pub(crate) entry: String,
    /// What was written for the program and stands behind its own text: bodies, and who calls a function with fresh arguments.
    pub(crate) added: Vec<Added>,
    /// Which errors count.
    pub(crate) checks: Checks,
    /// What a task file says the verdict is.
    pub(crate) expected: Option<bool>,
    /// Pieces of code that runs have reached, where it is asked which are never reached.
    pub(crate) reached: Vec<Site>,
    /// How the outline of the program is read, where it may have one.
    pub(crate) outline: Option<Options>,
    /// The numbers of checks that are left out.
    pub(crate) left_out: Vec<u64>,
}

impl Loaded {
    /// The checks, in the order of their places.
    pub(crate) fn sites(&self) -> Vec<Site> {
        let all = sites::sites(&self.program).chain(self.reached.iter().cloned());
        all.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// The program in the files. An option that does not go with one of them is an error.
pub(crate) fn load(sources: &[Source], reading: &Reading) -> Result<Loaded, Error> {
    let given = Given::in_reading(reading);
    let fits = |sources: &[Source]| {
        let kinds: Vec<Kind> = sources.iter().filter_map(Source::kind).collect();
        given.check_inputs(&kinds).map_err(Error::Usage)
    };
    fits(sources)?;
    if let Some(source) = sources.iter().find(|s| matches!(s.kind(), Some(Kind::Remopla | Kind::Boolean))) {
        return load_rem(source, sources, reading);
    }
    let task = task_of(sources, reading.asked)?;
    let named: Option<Vec<Source>> = task.as_ref().map(|t| t.files.iter().map(Source::file).collect());
    let sources = named.as_deref().unwrap_or(sources);
    fits(sources)?;
    let named = task.as_ref().map(|t| t.entry.clone());
    let asked = reading.asked.or(task.as_ref().map(|t| Asked::Property(t.property)));
    let checks = asked.map_or(Check::Assertion.into(), Asked::checks);
    let data_model = reading.data_model.or(task.as_ref().and_then(|t| t.data_model)).unwrap_or_default();
    let mut units = units(sources, data_model, reading)?;
    if let Some(what) = of_machine_integers(checks).filter(|_| reading.integers == Some(Integers::Mathematical)) {
        return Err(Error::Usage(format!("{what} checked with --integers machine only")));
    }
    let integers = reading.integers.unwrap_or(Integers::Machine);
    let mut options = Options {
        data_model,
        integers,
        entry: reading.entry.clone().or(named).unwrap_or_else(|| "main".to_owned()),
        globals_are_inputs: reading.globals_as_inputs,
        malloc_may_fail: reading.malloc_may_fail,
        externs_write: reading.externs_write,
        environment: reading.environment,
        checks,
    };
    let mut added = bodies(&units, &options, reading)?;
    let caller = fresh_arguments(&units, &options, reading)?;
    if let Some(caller) = &caller {
        added.push(Added { unit: caller.unit, text: caller.text.clone() });
        options.entry.clone_from(&caller.name);
    }
    added.iter().for_each(|added| units[added.unit].text.push_str(&added.text));
    let mut program = c::read(&units, &options).map_err(|error| reading.error(error))?;
    program.assumptions.extend(caller.iter().flat_map(|caller| caller.assumptions.iter().cloned()));
    if let Some(goal) = &reading.goal {
        goal.apply(&mut program).ok_or_else(|| Error::Usage("the variable of the goal is not there".to_owned()))?;
    }
    let expected = task.and_then(|t| t.expected);
    let entry = options.entry.clone();
    // Bodies that were written for functions without one are part of it; who calls a function with fresh arguments has no outline.
    let outline = (caller.is_none() && reading.goal.is_none()).then_some(options);
    let unreachable = checks.contains(Check::Unreachable);
    let reached = if unreachable { sites::leave_out_reached(&mut program) } else { Vec::new() };
    let (language, left_out) = (Language::C, Vec::new());
    Ok(Loaded { program, language, units, data_model, entry, added, checks, expected, reached, outline, left_out })
}

/// What is checked that numbers without limits know nothing of.
fn of_machine_integers(checks: Checks) -> Option<&'static str> {
    let limits = [Check::Overflow, Check::ShiftOverflow, Check::Wrap, Check::Conversion];
    match checks {
        _ if checks.are_about_memory() => Some("memory is"),
        _ if checks.contains(Check::Uninitialised) => Some("values that were never set are"),
        _ if limits.iter().any(|&check| checks.contains(check)) => Some("limits of types are"),
        _ => None,
    }
}

/// The C files that these are, or that a task file names, and the errors that count in them.
pub fn c_files(sources: &[Source], reading: &Reading) -> Result<(Vec<Source>, Checks), Error> {
    if let Some(named) = task_of(sources, reading.asked)? {
        let asked = reading.asked.unwrap_or(Asked::Property(named.property));
        return Ok((named.files.iter().map(Source::file).collect(), asked.checks()));
    }
    let asked = reading.asked.map_or_else(|| Asked::by_default(reading.integers), Asked::checks);
    Ok((sources.to_vec(), asked))
}

/// The units of a program, preprocessed.
fn units(sources: &[Source], data_model: DataModel, reading: &Reading) -> Result<Vec<Unit>, Error> {
    preprocessing::check_flags(&reading.cpp_flags).map_err(Error::Usage)?;
    let flags: Vec<String> =
        reading.defines.iter().map(Define::macro_flag).chain(reading.cpp_flags.iter().cloned()).collect();
    sources.iter().map(|source| unit(source, data_model, &flags)).collect()
}

/// Bodies for functions that have none, where they may write.
fn bodies(units: &[Unit], options: &Options, reading: &Reading) -> Result<Vec<Added>, Error> {
    if !options.externs_write {
        return Ok(Vec::new());
    }
    let checking = CheckOptions { data_model: options.data_model, integers: options.integers };
    c::bodies::bodies(units, &checking).map_err(|error| reading.error(error))
}

/// What calls the function that was named, if it takes pointers. Where memory is not checked they may lead anywhere: that is assumed to be
/// right.
fn fresh_arguments(units: &[Unit], options: &Options, reading: &Reading) -> Result<Option<Caller>, Error> {
    let (depth, length) = (reading.depth, reading.length);
    let given = [("--depth", depth.is_some()), ("--length", length.is_some())];
    let extent = given.iter().find(|(_, given)| *given).map(|(option, _)| option);
    let Some(entry) = reading.entry.as_ref().filter(|entry| *entry != "main") else {
        return match extent {
            Some(option) => Err(Error::Usage(format!("{option} is for a function that --entry names"))),
            None => Ok(None),
        };
    };
    if !options.checks.are_about_memory() && !options.checks.contains(Check::Uninitialised) {
        return match extent {
            Some(option) => {
                Err(Error::Usage(format!("{option} needs checks of memory: --check memory, or none given")))
            }
            None => Ok(None),
        };
    }
    let usual = Extent::default();
    let extent = Extent { depth: depth.unwrap_or(usual.depth), length: length.unwrap_or(usual.length) };
    let checking = CheckOptions { data_model: options.data_model, integers: options.integers };
    c::fresh::caller(units, &checking, entry, extent).map_err(|error| reading.error(error))
}

/// The functions of a C program that other files may call: a run may start with each of them.
pub fn entries(sources: &[Source], reading: &Reading) -> Result<Vec<String>, Error> {
    if let Some(source) = sources.iter().find(|s| !matches!(s.kind(), Some(Kind::C | Kind::Preprocessed))) {
        let name = source.name.display();
        return Err(Error::Usage(format!("--entry all is for C files (.c, .i), and {name} is none")));
    }
    let data_model = reading.data_model.unwrap_or_default();
    let checking = CheckOptions { data_model, integers: reading.integers.unwrap_or(Integers::Machine) };
    c::fresh::callable(&units(sources, data_model, reading)?, &checking).map_err(|error| reading.error(error))
}

fn load_rem(source: &Source, sources: &[Source], reading: &Reading) -> Result<Loaded, Error> {
    if sources.len() > 1 {
        return Err(source.bad("a Remopla file or Boolean program stands alone"));
    }
    let (name, bytes) = (source.name.display().to_string(), source.bytes()?);
    let options = clinch_frontend::Options {
        defines: reading.constants()?,
        label: reading.label.clone(),
        ..clinch_frontend::Options::default()
    };
    let program = match source.kind() {
        Some(Kind::Boolean) => rem::read_boolean(&name, &bytes, &options),
        _ => rem::read(&name, &bytes, &options),
    };
    let program = program.map_err(|diagnostics| reading.error(ReadError::Bad(diagnostics)))?;
    Ok(Loaded {
        program,
        language: Language::Remopla,
        units: Vec::new(),
        data_model: DataModel::default(),
        entry: String::new(),
        added: Vec::new(),
        checks: Check::Assertion.into(),
        expected: None,
        reached: Vec::new(),
        outline: None,
        left_out: Vec::new(),
    })
}

fn task_of(sources: &[Source], asked: Option<Asked>) -> Result<Option<task::Task>, Error> {
    let Some(source) = sources.iter().find(|s| s.kind() == Some(Kind::Task)) else { return Ok(None) };
    if sources.len() > 1 {
        return Err(source.bad("a task file stands alone"));
    }
    let name = source.name.display();
    let text = source.bytes().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())?;
    task::read(&source.name, &text, asked).map(Some).map_err(|error| match error {
        TaskError::Bad(line, column, text) => Error::Input(format!("{name}:{line}:{column}: error: {text}")),
        TaskError::Contradiction(text) => Error::Usage(format!("{name}: {text}")),
    })
}

/// A file, preprocessed unless it already is.
fn unit(source: &Source, model: DataModel, flags: &[String]) -> Result<Unit, Error> {
    let text = match source.kind() {
        Some(Kind::Preprocessed) => c::decode(&source.bytes()?),
        Some(Kind::C) => preprocessed(source, None, model, flags)?,
        _ => return Err(source.bad("not a C file: expected .c or .i")),
    };
    Ok(Unit { name: source.name.display().to_string(), text })
}

/// The text of a C file after preprocessing, by a compiler that runs in a folder with these arguments.
pub fn preprocess(file: &Path, folder: &Path, model: DataModel, flags: &[String]) -> Result<String, Error> {
    preprocessing::check_flags(flags).map_err(Error::Usage)?;
    preprocessed(&Source::file(file), Some(folder), model, flags)
}

fn preprocessed(source: &Source, folder: Option<&Path>, model: DataModel, flags: &[String]) -> Result<String, Error> {
    // That it can be read at all is for us to say.
    let bytes = source.bytes()?;
    let compiler = Compiler::find().ok_or_else(|| source.bad("no C compiler found to preprocess with (set CC)"))?;
    // A message of the compiler has a place of its own, unless it is about an argument.
    let placed = |text: String| if has_place(&text) { Error::Input(text) } else { source.bad(&text) };
    if source.text.is_none() {
        return compiler.preprocess(&source.name, folder, model, flags).map_err(placed);
    }
    let written = Written::new(&source.name, &bytes).map_err(|error| source.bad(&error.to_string()))?;
    compiler.preprocess(&written.file, folder, model, flags).map_err(placed)
}

/// A text in a file of its own, for the compiler. A line tells it the name that the text has for its user.
struct Written {
    _folder: tempfile::TempDir,
    file: PathBuf,
}

impl Written {
    fn new(name: &Path, text: &[u8]) -> std::io::Result<Written> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("text.c");
        let mut all = format!("#line 1 \"{}\"\n", name.display()).into_bytes();
        all.extend(text);
        std::fs::write(&file, all)?;
        Ok(Written { _folder: folder, file })
    }
}

/// Whether a message begins with a file, a line and a column.
fn has_place(message: &str) -> bool {
    let numbers = message.lines().next().unwrap_or_default().split(':').skip(1).take(2);
    numbers.filter(|part| part.parse::<u32>().is_ok()).count() == 2
}
