//! C: from preprocessed text to a [`CfaProgram`].
//!
//! `models` adds what the program takes from the C library. `parse/` turns the text into lang-c's syntax tree, `check/` the tree into the typed program of [`hir`], `points_to/`
//! finds the regions of memory, [`lower`] makes automata. [`fresh`] writes calls of single functions, [`exports()`] says what units take from each other.

pub mod bodies;
pub(crate) mod check;
mod control;
mod exports;
mod extended;
pub mod fresh;
mod ghost;
pub mod hir;
mod initialised;
mod instances;
pub mod lower;
mod members;
pub(crate) mod models;
mod outline;
mod parse;
mod points_to;
mod provenance;
mod source;
pub mod types;
mod walk;

pub use exports::{Exports, exports};
pub use extended::split_long_doubles;
pub use provenance::EARLIER_LIFE;
pub use source::{CError, decode, encode};

use clinch_ir::cfa::{CfaProgram, Check, Checks, Integers, SourceMap};

use crate::ReadError;
use hir::Hir;
use lower::LowerOptions;
use types::DataModel;

/// Stack of the thread that parses, checks and lowers: all recurse as deeply as the text nests.
const STACK_BYTES: usize = 1 << 30;

/// A translation unit.
#[derive(Clone, Debug)]
pub struct Unit {
    /// How diagnostics call it, where no line marker says otherwise.
    pub name: String,
    /// Its text after preprocessing, with line markers.
    pub text: String,
}

/// What decides the meaning of a text.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckOptions {
    /// Sizes of the machine.
    pub data_model: DataModel,
    /// How integers are read.
    pub integers: Integers,
}

/// Parses and checks the units of a program and links them by name.
pub fn check(units: &[Unit], options: &CheckOptions) -> Result<(Hir, SourceMap), CError> {
    let (mut map, mut bases) = source::source_map(units)?;
    let models = models::unit(&map);
    bases.push(source::add_unit(&mut map, &models));
    match on_large_stack(|| check::check_units(units, &models, &bases, &map, options)) {
        Ok(hir) => Ok((hir, map)),
        Err(problems) => Err(CError::new(map, problems)),
    }
}

/// Runs a step on a thread with a stack for programs that nest deeply.
fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        match thread.expect("the system has a thread for us").join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// How a program is read.
#[derive(Clone, Debug)]
pub struct Options {
    /// Sizes of the machine.
    pub data_model: DataModel,
    /// How integers are read.
    pub integers: Integers,
    /// The function where a run starts.
    pub entry: String,
    /// Whether globals start with any value instead of their initial one.
    pub globals_are_inputs: bool,
    /// Whether there may be no memory for a block.
    pub malloc_may_fail: bool,
    /// Whether functions without body may write through pointers; those that [`bodies`] has nothing for are not modelled then.
    pub externs_write: bool,
    /// What pointers from outside lead to, where memory is not checked.
    pub environment: Environment,
    /// Which errors count.
    pub checks: Checks,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            data_model: DataModel::default(),
            integers: Integers::Machine,
            entry: "main".to_owned(),
            globals_are_inputs: false,
            malloc_may_fail: false,
            externs_write: false,
            environment: Environment::Fresh,
            checks: Check::Assertion.into(),
        }
    }
}

/// The program in some units, as automata.
pub fn read(units: &[Unit], options: &Options) -> Result<CfaProgram, ReadError> {
    on_large_stack(|| read_here(units, options))
}

/// What pointers from outside of a program may point to.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Environment {
    /// Memory of their own, and variables whose address the program takes.
    #[default]
    Fresh,
    /// Also variables that other files know by their names, and what is no memory.
    Strict,
}

/// Whether an outline says something of what is asked: of assertions alone, in machine integers.
pub fn may_have_outline(options: &Options) -> bool {
    options.integers == Integers::Machine && options.checks == Check::Assertion.into()
}

/// The outline of a program: a smaller one that has all of its runs, and others; one without error shows that the program has none. Nothing
/// where there is none, or the text is refused, as [`read`] does.
pub fn outline(units: &[Unit], options: &Options, environment: Environment) -> Option<CfaProgram> {
    if !may_have_outline(options) {
        return None;
    }
    on_large_stack(|| {
        let reading = CheckOptions { data_model: options.data_model, integers: options.integers };
        let (mut hir, source) = check(units, &reading).ok()?;
        split_long_doubles(&mut hir);
        outline::outline(&hir, source, &options.entry, (options.globals_are_inputs, environment))
    })
}

fn read_here(units: &[Unit], options: &Options) -> Result<CfaProgram, ReadError> {
    let bad = |error: CError| ReadError::Bad(error.diagnostics());
    let (mut hir, source) =
        check(units, &CheckOptions { data_model: options.data_model, integers: options.integers }).map_err(bad)?;
    split_long_doubles(&mut hir);
    let lowering = LowerOptions {
        entry: options.entry.clone(),
        integers: options.integers,
        globals_are_inputs: options.globals_are_inputs,
        malloc_may_fail: options.malloc_may_fail,
        externs_write: options.externs_write,
        environment: options.environment,
        checks: options.checks,
    };
    let failed = |error: lower::LowerError| {
        let problem = crate::diagnostic::Problem::new(error.span, error.message);
        bad(CError::new(source.clone(), vec![problem]))
    };
    lower::expose_globals(&mut hir, &lowering).map_err(failed)?;
    let (mut program, ranges) = if options.checks.are_about_memory() {
        let (program, ranges) = lower::lower_with_ranges(&hir, source.clone(), &lowering).map_err(failed)?;
        (program, Some(ranges))
    } else {
        (lower::lower(&hir, source.clone(), &lowering).map_err(failed)?, None)
    };
    let looks_into_models = ranges.is_some() || options.checks.contains(Check::Uninitialised);
    let calls = if looks_into_models { instances::instances(&mut program) } else { instances::Calls::default() };
    if options.checks.contains(Check::Uninitialised) {
        initialised::check_initialised(&mut program, &calls);
    }
    if let Some(ranges) = ranges {
        provenance::check_memory(&mut program, options.checks, ranges, calls);
    }
    Ok(program)
}
