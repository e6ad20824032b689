//! What is checked: files or texts, and how they are read.

use std::path::PathBuf;

use clinch_frontend::c::types::DataModel;
use clinch_frontend::{Input as Model, Language, Numbers, Options as ModelOptions, ReadError, read};
use clinch_ir::cfa::{Checks, Integers};
use clinch_ir::{HornSystem, Program, Reason};

use crate::asked::Asked;
use crate::c::load::{self, Loaded};
use crate::goal::Goal;
use crate::kind::Kind;
use crate::options::Given;
use crate::sites::Site;

/// What is checked.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// The files. Only C programs have several.
    pub sources: Vec<Source>,
    /// How they are read.
    pub reading: Reading,
}

/// A file, or a text in its place.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name, which says what it is written in.
    pub name: PathBuf,
    /// Its text, if it is not to be read from the file.
    pub text: Option<String>,
}

/// How files are read. What is not said is as a task file has it, or by default.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// Constants of a model; macros of C.
    pub defines: Vec<Define>,
    /// The label that must not be reached (Remopla, Boolean programs).
    pub label: Option<String>,
    /// The error condition, in the model's own syntax.
    pub error: Option<String>,
    /// Whether a state without successor is an error.
    pub deadlock: bool,
    /// Predicates to start from, in the model's own syntax.
    pub predicates: Vec<String>,
    /// What the variables of transition constraints range over.
    pub numbers: Option<Numbers>,
    /// Sizes of `long` and pointers.
    pub data_model: Option<DataModel>,
    /// How the integers of C are read.
    pub integers: Option<Integers>,
    /// The function a run of a C program starts with.
    pub entry: Option<String>,
    /// How many pointers in a row lead to objects that function is called with.
    pub depth: Option<u32>,
    /// The most elements of arrays among them.
    pub length: Option<u32>,
    /// Whether global variables start with any value.
    pub globals_as_inputs: bool,
    /// Whether `malloc` and the like may return a null pointer.
    pub malloc_may_fail: bool,
    /// Whether functions without body may write through the pointers they are given.
    pub externs_write: bool,
    /// Which errors of a C program count.
    pub asked: Option<Asked>,
    /// The one error of a C program that counts, if it is one.
    pub goal: Option<Goal>,
    /// Arguments for the preprocessor.
    pub cpp_flags: Vec<String>,
    /// Whether diagnostics may have colours.
    pub colours: bool,
}

/// A name with a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Define {
    /// The name.
    pub name: String,
    /// The value; a macro may have none.
    pub value: Option<String>,
}

impl Define {
    /// A constant of a model.
    pub(crate) fn constant(&self) -> Result<(String, i64), String> {
        let value = self.value.as_deref().ok_or_else(|| format!("--define {}: expected NAME=VALUE", self.name))?;
        let number = value.trim().parse();
        let number = number.map_err(|_| format!("--define {}: `{value}` is not an integer", self.name))?;
        Ok((self.name.trim().to_owned(), number))
    }

    /// The same as the C compiler takes it.
    pub(crate) fn macro_flag(&self) -> String {
        match &self.value {
            Some(value) => format!("-D{}={value}", self.name),
            None => format!("-D{}", self.name),
        }
    }
}

/// Why there is nothing to check.
#[derive(Clone, PartialEq, Debug)]
pub enum Error {
    /// Bad input: the diagnostic, with file, line and column.
    Input(String),
    /// An option does not go with the input or the engine: why.
    Usage(String),
    /// Something in the input is not modelled: there is no verdict.
    Unsupported(Reason),
}

/// A task as it was read.
#[derive(Debug)]
pub enum Input {
    /// Processes with guarded commands.
    Processes(Box<Program>),
    /// Horn clauses.
    Clauses(Box<HornSystem>),
    /// Procedures.
    Procedures(Box<Loaded>),
}

impl Input {
    /// The single checks of a program with procedures.
    pub(crate) fn sites(&self) -> Vec<Site> {
        match self {
            Input::Procedures(loaded) => loaded.sites(),
            Input::Processes(_) | Input::Clauses(_) => Vec::new(),
        }
    }

    /// Runs simply end where one of these checks fails.
    pub(crate) fn leave_out(&mut self, numbers: &[u64]) {
        if let Input::Procedures(loaded) = self {
            loaded.leave_out(numbers);
        }
    }
}

impl Source {
    /// A file.
    pub fn file(name: impl Into<PathBuf>) -> Source {
        Source { name: name.into(), text: None }
    }

    /// The bytes, or why they cannot be read.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, Error> {
        match &self.text {
            Some(text) => Ok(text.clone().into_bytes()),
            None => std::fs::read(&self.name).map_err(|e| self.bad(&format!("cannot read: {e}"))),
        }
    }

    /// Something is wrong with it as a whole.
    pub(crate) fn bad(&self, what: &str) -> Error {
        Error::Input(format!("{}:1:1: error: {what}", self.name.display()))
    }

    /// What it is written in.
    pub(crate) fn kind(&self) -> Option<Kind> {
        Kind::of_path(&self.name)
    }
}

impl Task {
    /// Files.
    pub fn files<P: Into<PathBuf>>(names: impl IntoIterator<Item = P>) -> Task {
        Task { sources: names.into_iter().map(Source::file).collect(), reading: Reading::default() }
    }

    /// A text. The name says what it is written in, and stands in diagnostics.
    pub fn text(name: &str, text: &str) -> Task {
        let source = Source { name: PathBuf::from(name), text: Some(text.to_owned()) };
        Task { sources: vec![source], reading: Reading::default() }
    }

    /// The same, read in another way.
    #[must_use]
    pub fn with(self, reading: Reading) -> Task {
        Task { reading, ..self }
    }

    /// What the files are written in.
    pub fn kinds(&self) -> Vec<Kind> {
        self.sources.iter().filter_map(Source::kind).collect()
    }

    /// The errors that count in a C program, where every check has a verdict of its own.
    pub fn checks(&self) -> Option<Checks> {
        let is_c = |kind: &Kind| matches!(kind, Kind::C | Kind::Preprocessed);
        match self.reading.asked {
            _ if !self.kinds().iter().all(is_c) => None,
            Some(Asked::Property(_)) => None,
            Some(Asked::Checks(checks)) => Some(checks),
            None => Some(Asked::by_default(self.reading.integers)),
        }
    }

    /// Whether it is a program with procedures.
    pub fn has_procedures(&self) -> bool {
        self.kinds().iter().any(|kind| kind.model() == clinch_engine::options::Model::Procedures)
    }

    /// Reads it. An option that does not go with one of the files is an error.
    pub fn read(&self) -> Result<Input, Error> {
        if self.has_procedures() {
            return self.read_procedures().map(|loaded| Input::Procedures(Box::new(loaded)));
        }
        let [source] = self.sources.as_slice() else {
            return Err(Error::Usage("only C programs have several files".to_owned()));
        };
        Given::in_reading(&self.reading).check_inputs(&self.kinds()).map_err(Error::Usage)?;
        Ok(match self.read_model(source)? {
            Model::Program(program) => Input::Processes(program),
            Model::Horn(system) => Input::Clauses(system),
        })
    }

    /// Reads a program with procedures.
    pub fn read_procedures(&self) -> Result<Loaded, Error> {
        load::load(&self.sources, &self.reading)
    }

    fn read_model(&self, source: &Source) -> Result<Model, Error> {
        let reading = &self.reading;
        let language = Language::of_path(&source.name).ok_or_else(|| {
            source.bad("unknown kind of file: expected .c, .i, .yml, .rem, .bp, .gcl, .dve, .pl, .armc, .smt2 or .chc")
        })?;
        let bytes = source.bytes()?;
        let options = ModelOptions {
            defines: reading.constants()?,
            error: reading.error.clone(),
            deadlock: reading.deadlock,
            predicates: reading.predicates.clone(),
            numbers: reading.numbers.unwrap_or(Numbers::Integer),
            label: None,
        };
        let name = source.name.display().to_string();
        read(language, &name, &bytes, &options).map_err(|error| reading.error(error))
    }
}

impl Reading {
    /// The constants of a model.
    pub(crate) fn constants(&self) -> Result<Vec<(String, i64)>, Error> {
        self.defines.iter().map(Define::constant).collect::<Result<_, _>>().map_err(Error::Usage)
    }

    /// What the front end says of a text.
    pub(crate) fn error(&self, error: ReadError) -> Error {
        match error {
            ReadError::Bad(diagnostics) => Error::Input(diagnostics.render(self.colours)),
            ReadError::Unsupported(what) => {
                let (line, column) = what.line_column();
                let place = format!("{}:{line}:{column}", what.source.name);
                Error::Unsupported(Reason::Unsupported(format!("{}, at {place}", what.message)))
            }
        }
    }
}
