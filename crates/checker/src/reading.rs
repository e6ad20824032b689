//! Files and texts, and how they are read.

use std::path::PathBuf;

use clinch_frontend::c::Environment;
use clinch_frontend::c::types::DataModel;
use clinch_frontend::{Numbers, ReadError};
use clinch_ir::Reason;
use clinch_ir::cfa::Integers;

use crate::asked::Asked;
use crate::goal::Goal;
use crate::kind::Kind;

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
    /// What pointers from outside of a C program lead to, where memory is not checked.
    pub environment: Environment,
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
