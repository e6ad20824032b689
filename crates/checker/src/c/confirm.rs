//! Executes a program on the inputs of a counterexample: the last word on C.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use clinch_ir::cfa::{Check, InputTrace, Integers};

use super::cc::{Compiler, Ended};
use super::execution::{Confirmation, contradiction, outside};
use super::harness::{self, Partner, Subject};
use super::linkage::library_names;
use super::load::Loaded;
use super::sanitizer;

/// Compiles the program with the harness and runs it.
pub(crate) fn confirm(loaded: &Loaded, trace: &InputTrace, time: Duration) -> Confirmation {
    if loaded.program.integers == Integers::Mathematical {
        return not_executed(loaded, trace, "the compiled program has the machine's integers");
    }
    let Some(compiler) = Compiler::find() else {
        return not_executed(loaded, trace, "there is no C compiler (set CC)");
    };
    let library = match library_names(&compiler, &harness::open_names(&loaded.program)) {
        Ok(library) => library,
        Err(why) => return Confirmation::Refuted(format!("no program can be compiled: {why}")),
    };
    let subject = Subject { program: &loaded.program, trace, entry: &loaded.entry, library: &library };
    if let Some(why) = harness::impossible_start(subject) {
        return Confirmation::Refuted(why);
    }
    execute(&compiler, loaded, subject, time)
}

fn execute(compiler: &Compiler, loaded: &Loaded, subject: Subject<'_>, time: Duration) -> Confirmation {
    // The front end reads the units one after the other, each closed by a line break.
    let lengths: Vec<usize> =
        loaded.units.iter().map(|u| u.text.len() + usize::from(!u.text.ends_with('\n'))).collect();
    let mut sources = vec![(harness::FILE.to_owned(), harness::write(subject, Partner::Instrumented))];
    let units = harness::instrument(subject, &lengths);
    sources.extend(units.into_iter().enumerate().map(|(i, text)| (format!("unit{i}.c"), text)));
    let mut flags = vec!["-x", "c"];
    if harness::calls_error_by_pointer(subject.program) {
        flags.push("-finstrument-functions");
    }
    if subject.trace.error.check != Check::Assertion {
        return sanitizer::execute(compiler, loaded, subject, &sources, time);
    }
    match compiler.execute(&sources, loaded.data_model, &flags, time) {
        Err(why) => Confirmation::Refuted(format!("the program does not compile with its inputs: {why}")),
        Ok(execution) => match execution.ended {
            Ended::Status(harness::REACHED) if execution.stderr.contains(harness::MESSAGE) => Confirmation::Executed,
            _ => Confirmation::Refuted(contradiction(subject, &execution)),
        },
    }
}

/// The program is not executed. What the replay shows stands, unless it depends on something that only an execution decides: functions
/// and variables from outside, which may be the C library's, and the arguments of `main`.
fn not_executed(loaded: &Loaded, trace: &InputTrace, why: &str) -> Confirmation {
    let open = harness::open_names(&loaded.program);
    let subject = Subject { program: &loaded.program, trace, entry: &loaded.entry, library: &BTreeSet::new() };
    match (outside(trace, subject, &open).first(), harness::impossible_start(subject)) {
        (Some(name), _) => Confirmation::Refuted(format!("it was not executed, and depends on `{name}`: {why}")),
        (None, Some(start)) => Confirmation::Refuted(start),
        (None, None) => Confirmation::Impossible(why.to_owned()),
    }
}

/// A C file that drives the program, as its user compiles it, to the error.
pub(crate) fn harness_for(loaded: &Loaded, trace: &InputTrace) -> Result<String, String> {
    let compiler = Compiler::find().ok_or("there is no C compiler (set CC)")?;
    let library = library_names(&compiler, &harness::open_names(&loaded.program))?;
    let subject = Subject { program: &loaded.program, trace, entry: &loaded.entry, library: &library };
    match loaded.added.as_slice() {
        [] if harness::lacks_memory(subject) => Err("in this run there is no memory for a block".to_owned()),
        [] => Ok(harness::write(subject, Partner::Original)),
        [first, others @ ..] if others.iter().all(|added| added.unit == first.unit) => {
            let name = Path::new(&loaded.units[first.unit].name);
            let file = name.canonicalize().unwrap_or_else(|_| name.to_owned());
            let text: String = loaded.added.iter().map(|added| added.text.as_str()).collect();
            Ok(harness::write_with_program(subject, &file.display().to_string(), &text))
        }
        _ => Err("functions without body are declared in several files".to_owned()),
    }
}
