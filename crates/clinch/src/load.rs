//! Reads models.

use std::io::IsTerminal;
use std::path::Path;

use clinch_frontend::{Input, Language, Numbers, Options, ReadError, read};
use clinch_ir::Reason;

use crate::cli::{Define, ModelArgs, NumbersName, TextArgs};

/// Why there is nothing to check.
pub(crate) enum LoadError {
    /// Bad input: the text to print.
    Bad(String),
    /// An option does not go with the input: why.
    Usage(String),
    /// Not modelled: no verdict.
    Unsupported(Reason),
}

/// The constants of a model that are set on the command line.
pub(crate) fn constants(args: &TextArgs) -> Result<Vec<(String, i64)>, LoadError> {
    args.defines.iter().map(Define::constant).collect::<Result<_, _>>().map_err(LoadError::Usage)
}

/// The model in a file.
pub(crate) fn load(file: &Path, args: &ModelArgs) -> Result<Input, LoadError> {
    let name = file.display().to_string();
    let bad = |what: String| LoadError::Bad(format!("{name}:1:1: error: {what}"));
    let language = Language::of_path(file).ok_or_else(|| {
        bad("unknown kind of file: expected .c, .i, .yml, .rem, .bp, .gcl, .dve, .pl, .armc, .smt2 or .chc".to_owned())
    })?;
    let bytes = std::fs::read(file).map_err(|e| bad(format!("cannot read: {e}")))?;
    let options = Options {
        defines: constants(&args.text)?,
        error: args.error.clone(),
        deadlock: args.deadlock,
        predicates: args.predicates.clone(),
        numbers: match args.numbers {
            NumbersName::Integer => Numbers::Integer,
            NumbersName::Rational => Numbers::Rational,
        },
        label: None,
    };
    read(language, &name, &bytes, &options).map_err(|error| match error {
        ReadError::Bad(diagnostics) => LoadError::Bad(diagnostics.render(std::io::stderr().is_terminal())),
        ReadError::Unsupported(what) => {
            let (line, column) = what.line_column();
            let place = format!("{}:{line}:{column}", what.source.name);
            LoadError::Unsupported(Reason::Unsupported(format!("{}, at {place}", what.message)))
        }
    })
}
