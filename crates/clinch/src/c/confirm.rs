//! Executes a program on the inputs of a counterexample: the last word on C.

use std::time::Duration;

use clinch_ir::cfa::{InputTrace, Integers};

use super::cc::{Compiler, Ended};
use super::harness;
use super::load::Loaded;

/// What execution says of a counterexample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Confirmation {
    /// The compiled program reaches the error.
    Executed,
    /// It cannot be tried here; the replay on the model stands. Why.
    Impossible(String),
    /// The compiled program does something else. What.
    Refuted(String),
}

/// Compiles the program with the harness and runs it.
pub(crate) fn confirm(loaded: &Loaded, trace: &InputTrace, time: Duration) -> Confirmation {
    let Some(compiler) = Compiler::find() else {
        return Confirmation::Impossible("there is no C compiler".to_owned());
    };
    let harness = harness::write(&loaded.program, trace, &loaded.entry, harness::Partner::Instrumented);
    // The front end reads the units one after the other, each closed by a line break.
    let lengths: Vec<usize> =
        loaded.units.iter().map(|u| u.text.len() + usize::from(!u.text.ends_with('\n'))).collect();
    let program = harness::instrument(&loaded.program, trace, &lengths);
    let mut sources = vec![("clinch-harness.c".to_owned(), harness)];
    sources.extend(program.into_iter().enumerate().map(|(i, text)| (format!("unit{i}.c"), text)));
    match compiler.execute(&sources, loaded.data_model, &["-x", "c"], time) {
        Err(why) => Confirmation::Impossible(format!("it does not compile: {why}")),
        Ok(execution) => match execution.ended {
            Ended::Status(harness::REACHED) if execution.stderr.contains(harness::MESSAGE) => Confirmation::Executed,
            ended => judge(loaded, trace, &ended),
        },
    }
}

/// What it means that a run of the compiled program did not reach the error.
fn judge(loaded: &Loaded, trace: &InputTrace, ended: &Ended) -> Confirmation {
    let what = match ended {
        Ended::Status(harness::EXHAUSTED) => "it asks for more inputs".to_owned(),
        Ended::Status(status) => format!("it ends with status {status}"),
        Ended::Signal => "it ends by a signal".to_owned(),
        Ended::Timeout => "it does not end in time".to_owned(),
    };
    if *ended == Ended::Timeout {
        return Confirmation::Impossible(what);
    }
    if loaded.program.integers == Integers::Mathematical {
        return Confirmation::Impossible(format!("{what} with the machine's integers"));
    }
    if harness::misses_inputs(&loaded.program, trace) {
        return Confirmation::Impossible(format!("{what}; it reads memory that was never written"));
    }
    Confirmation::Refuted(what)
}
