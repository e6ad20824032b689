//! Reads models.

use std::path::Path;

use clinch_frontend::{Language, Options, parse};
use clinch_ir::Program;

use crate::cli::ModelArgs;

/// The model in a file, or the text to print and the reason it is bad input.
pub(crate) fn load(file: &Path, args: &ModelArgs, color: bool) -> Result<Program, String> {
    let name = file.display().to_string();
    let language = Language::of_path(file)
        .ok_or_else(|| format!("{name}:1:1: error: unknown kind of file: expected .gcl or .dve"))?;
    let bytes = std::fs::read(file).map_err(|e| format!("{name}:1:1: error: cannot read: {e}"))?;
    let options = Options {
        defines: args.defines.clone(),
        error: args.error.clone(),
        deadlock: args.deadlock,
        predicates: args.predicates.clone(),
        ..Options::default()
    };
    parse(language, &name, &bytes, &options).map_err(|diagnostics| diagnostics.render(color))
}
