//! `clinch cfa`: draws control-flow automata.


use super::load;
use crate::cli::{CfaArgs, CfaFormat};
use crate::load::LoadError;
use crate::{exit, report};

/// `clinch cfa`.
pub(crate) fn run(args: &CfaArgs) -> u8 {
    let program = match load::load(&args.files, &args.c) {
        Ok(loaded) => loaded.program,
        Err(LoadError::Bad(text)) => {
            report::error(&text);
            return exit::BAD_INPUT;
        }
        Err(LoadError::Unsupported(reason)) => {
            report::line(&format!("UNKNOWN: {reason}"));
            return exit::UNKNOWN;
        }
    };
    let function = args.function.as_deref();
    if let Some(name) = function
        && !program.procedures.iter().any(|p| p.name == name)
    {
        report::error(&format!("error: there is no function `{name}` in the automaton"));
        return exit::USAGE;
    }
    let _ = CfaFormat::Text;
    for p in &program.procedures { report::line(&format!("{} {} {}", p.name, p.locations.len(), p.edges.len())); if function.is_some() { for e in &p.edges { report::line(&format!("{} -> {} {:?}", e.from.0, e.to.0, e.op)); } } }
    exit::SAFE
}
