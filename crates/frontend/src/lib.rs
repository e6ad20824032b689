//! The languages clinch reads: guarded commands ([`Language::Gcl`]), DiVinE models ([`Language::Dve`]), and others.
//!
//! [`parse`] turns a text and the options that speak about it into a [`Program`], or says what is wrong with either.
//! GCL, DVE and Remopla ([`rem`]) share tokens (`lexer`), expressions (`parser`) and diagnostics; each has its own statements
//! and its own reading of expressions.

mod armc;
pub mod c;
mod chc;
mod constant;
mod diagnostic;
mod dialect;
mod dve;
mod expr;
mod gcl;
mod junction;
mod lexer;
mod model;
mod options;
mod parser;
pub mod rem;

use std::path::Path;
use std::sync::Arc;

use clinch_ir::{HornSystem, Program, Source, Span};

pub use diagnostic::{Diagnostic, Diagnostics};

use diagnostic::{Bag, Problem};

/// What the command line says about a model.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Values that replace those of constants (`--define N=5`).
    pub defines: Vec<(String, i64)>,
    /// An error condition that replaces the model's own (`--error EXPR`).
    pub error: Option<String>,
    /// Whether states without successor are errors (`--deadlock`).
    pub deadlock: bool,
    /// Predicates to start from, besides the model's own (`--predicate EXPR`).
    pub predicates: Vec<String>,
    /// The numbers of a system of transition constraints (`--numbers rational`).
    pub numbers: Numbers,
    /// The label that must not be reached, of a Remopla program (`--label NAME`).
    pub label: Option<String>,
}

/// What the variables of a system of transition constraints range over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Numbers {
    /// Integers.
    #[default]
    Integer,
    /// Rational numbers.
    Rational,
}

/// What a file holds: a program, or Horn clauses.
#[derive(Clone, Debug)]
pub enum Input {
    /// A program.
    Program(Box<Program>),
    /// Horn clauses.
    Horn(Box<HornSystem>),
}

/// Why a file cannot be checked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ReadError {
    /// It is malformed.
    #[error(transparent)]
    Bad(#[from] Diagnostics),
    /// It is well-formed, but says something that is not modelled: no verdict is possible, and none is guessed.
    #[error("unsupported: {0}")]
    Unsupported(Box<Diagnostic>),
}

/// A language models are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// Guarded commands and processes.
    Gcl,
    /// DiVinE, as used by the BEEM models.
    Dve,
    /// Transition constraints in ARMC's Prolog syntax.
    Armc,
    /// Horn clauses in SMT-LIB.
    Chc,
}

impl Language {
    /// The language of a file, by the end of its name.
    pub fn of_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "gcl" => Some(Language::Gcl),
            "dve" => Some(Language::Dve),
            "pl" | "armc" => Some(Language::Armc),
            "smt2" | "chc" => Some(Language::Chc),
            _ => None,
        }
    }
}

/// Reads a file of any language; `name` is how diagnostics call it.
pub fn read(language: Language, name: &str, bytes: &[u8], options: &Options) -> Result<Input, ReadError> {
    match language {
        Language::Gcl | Language::Dve => Ok(Input::Program(Box::new(parse(language, name, bytes, options)?))),
        Language::Armc => armc::read(name, bytes, options),
        Language::Chc => chc::read(name, bytes).map(|system| Input::Horn(Box::new(system))),
    }
}

/// Reads a model of guarded commands or DiVinE; `name` is how diagnostics call it.
pub fn parse(language: Language, name: &str, bytes: &[u8], options: &Options) -> Result<Program, Diagnostics> {
    let mut bag = Bag::default();
    let strict = if language == Language::Gcl { Bytes::Utf8 } else { Bytes::Any };
    let source = Arc::new(decode(strict, name, bytes, &mut bag));
    bag.stop_if_any()?;
    match language {
        Language::Gcl => gcl::compile(&source, options, bag),
        Language::Dve => dve::compile(&source, options, bag),
        Language::Armc | Language::Chc => unreachable!("not a language of models: use `read`"),
    }
}

/// What the bytes of a file may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bytes {
    Utf8,
    /// DVE models and others carry comments in old encodings: a bad byte elsewhere is the lexer's to refuse.
    Any,
}

/// The text of a file.
fn decode(allowed: Bytes, name: &str, bytes: &[u8], bag: &mut Bag) -> Source {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let source = Source { name: name.to_owned(), text };
    let problem = if u32::try_from(source.text.len()).is_err() {
        Some(Problem::new(Span::default(), "the file is larger than 4 GiB"))
    } else if source.text.trim_ascii().is_empty() {
        Some(Problem::new(Span::default(), "the file is empty").help("a model declares variables and processes"))
    } else {
        let bad = std::str::from_utf8(bytes).err().filter(|_| allowed == Bytes::Utf8);
        bad.map(|e| Problem::new(byte_span(e.valid_up_to()), "invalid UTF-8").label("first bad byte"))
    };
    if let Some(problem) = problem {
        bag.report(&Arc::new(source.clone()), problem);
    }
    source
}

fn byte_span(at: usize) -> Span {
    Span { start: at as u32, end: at as u32 + 1 }
}
