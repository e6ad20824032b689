//! What the execution of the compiled program says of a counterexample.

use std::collections::BTreeSet;

use clinch_ir::cfa::{InputKind, InputOrigin, InputTrace};
use serde::{Deserialize, Serialize};

use super::cc::{Ended, Execution};
use super::harness::{self, Subject};

/// What execution says of a counterexample.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub enum Confirmation {
    /// The compiled program reaches the error.
    Executed,
    /// A sanitizer saw it in the compiled program. What it said.
    Sanitizer(String),
    /// It was not executed, and nothing it depends on needs that; the replay on the model stands. Why.
    Impossible(String),
    /// It was executed and does something else, or it would have to be executed and cannot be. What.
    Refuted(String),
}

/// What a run of the compiled program did instead of reaching the error, and what of the counterexample it was not given.
pub(super) fn contradiction(subject: Subject<'_>, execution: &Execution) -> String {
    let what = match execution.ended {
        _ if harness::is_exhausted(execution) => "it asks for more inputs".to_owned(),
        Ended::Status(status) => format!("it ends with status {status}"),
        Ended::Signal | Ended::Trap => "it ends by a signal".to_owned(),
        Ended::Timeout => "it does not end in time".to_owned(),
    };
    let library = outside(subject.trace, subject, subject.library);
    let unwritten = subject.trace.inputs.iter().any(|i| matches!(i.origin, InputOrigin::Memory(_)));
    match library.first() {
        Some(name) => format!("{what}; `{name}` is the C library's, and does not have the value that the run needs"),
        None if unwritten => format!("{what}; the run reads memory that was never written"),
        None => what,
    }
}

/// The names of a set whose values a trace depends on.
pub(super) fn outside<'a>(trace: &InputTrace, subject: Subject<'a>, names: &BTreeSet<String>) -> Vec<&'a str> {
    let sites = trace.inputs.iter().filter_map(|input| match &input.origin {
        InputOrigin::Site(id) => Some(&subject.program.inputs[id.index()].kind),
        InputOrigin::Memory(_) => None,
    });
    let named = sites.filter(|kind| !harness::is_replaced(kind)).filter_map(|kind| match kind {
        InputKind::Extern(name) | InputKind::Environment(name) => Some(name.as_str()),
        _ => None,
    });
    named.filter(|name| names.contains(*name)).collect()
}
