//! Executes a program on the inputs of a counterexample and has a sanitizer watch: undefined behaviour shows nowhere else.

use std::time::Duration;

use clinch_ir::cfa::{Check, InputTrace, SourceMap};

use super::cc::{Compiler, Ended, Execution};
use super::execution::{Confirmation, contradiction};
use super::harness::{self, Subject};
use super::load::Loaded;
use super::missed::is_of_earlier_life;

/// What makes the compiler look for a kind of error. Signed arithmetic wraps around otherwise.
fn flags(check: Check) -> &'static [&'static str] {
    match check {
        Check::Assertion => &[],
        Check::Overflow => &["-x", "c", "-fno-wrapv", "-fsanitize=signed-integer-overflow"],
        Check::ShiftOverflow => &["-x", "c", "-fno-wrapv", "-fsanitize=shift-base"],
        Check::Division => &["-x", "c", "-fsanitize=integer-divide-by-zero"],
        Check::ShiftCount => &["-x", "c", "-fsanitize=shift-exponent"],
        Check::FloatConversion => &["-x", "c", "-fsanitize=float-cast-overflow"],
        // Arrays at the end of a record may be meant to be longer, says the other option.
        Check::Member => &["-x", "c", "-fsanitize=bounds-strict"],
        // What happens is defined, or gcc does not look for it.
        Check::Wrap | Check::Conversion | Check::Uninitialised | Check::Unreachable | Check::MemberText => &["-x", "c"],
        Check::FloatNan | Check::FloatInfinite => &["-x", "c"],
        // What the compiler copies itself nobody watches.
        Check::Overlap => &["-x", "c", "-g", "-fno-builtin", "-fsanitize=address"],
        Check::Dereference | Check::Free | Check::Leak | Check::Cleanup => &["-x", "c", "-g", "-fsanitize=address"],
    }
}

/// Compiles and runs the program, and reads what the sanitizer says.
pub(super) fn execute(
    compiler: &Compiler,
    loaded: &Loaded,
    subject: Subject<'_>,
    sources: &[(String, String)],
    time: Duration,
) -> Confirmation {
    let nobody_looks = match subject.trace.error.check {
        Check::Uninitialised => Some("the compiler has no sanitizer for values that were never set"),
        Check::Unreachable => Some("that code is reached is no error"),
        Check::MemberText => Some("the compiler has no sanitizer for strings that leave a member of a record"),
        _ => None,
    };
    if let Some(why) = nobody_looks {
        return Confirmation::Impossible(why.to_owned());
    }
    let run = |stopping: &'static str| {
        let watching = [flags(subject.trace.error.check), &[stopping]].concat();
        compiler.execute(sources, loaded.data_model, &watching, time)
    };
    // The address behind the last element may be computed: only the compiler tells whether it is used.
    let says_so = !matches!(subject.trace.error.check, Check::Dereference | Check::Free | Check::Member);
    match run("-fno-sanitize-recover=all") {
        Ok(execution) => match message(&execution, &loaded.program.source, subject.trace) {
            Some(message) => Confirmation::Sanitizer(message),
            // The compiler computes constants itself, and may join operations; memory that something points to is no leak to it.
            None if says_so && is_silent(&execution, subject.trace.error.check) => Confirmation::Impossible(
                "the compiled program comes to this place, but the compiler's sanitizer has nothing to say".to_owned(),
            ),
            None if shows_nowhere(subject, &execution) => {
                Confirmation::Impossible("to the compiler, the local objects of all iterations are one".to_owned())
            }
            None => Confirmation::Refuted(contradiction(subject, &execution)),
        },
        Err(_) => trapped(run("-fsanitize-undefined-trap-on-error"), subject),
    }
}

/// Without the library of the sanitizer there is no message, but a signal of its own.
fn trapped(result: Result<Execution, String>, subject: Subject<'_>) -> Confirmation {
    match result {
        Ok(Execution { ended: Ended::Trap, .. }) => {
            Confirmation::Sanitizer("UndefinedBehaviorSanitizer stops the program".to_owned())
        }
        Ok(execution) => Confirmation::Refuted(contradiction(subject, &execution)),
        Err(why) => Confirmation::Refuted(format!("the program does not compile with its inputs: {why}")),
    }
}

/// Whether no execution can show an access to memory that should not be, and this one saw nothing else.
fn shows_nowhere(subject: Subject<'_>, execution: &Execution) -> bool {
    let check = subject.trace.error.check;
    matches!(check, Check::Dereference)
        && is_silent(execution, check)
        && is_of_earlier_life(subject.program, subject.trace)
}

/// Whether the program came to the place of the error, and ended without a word of the sanitizer.
fn is_silent(execution: &Execution, check: Check) -> bool {
    let said = execution.stderr.contains("runtime error") || execution.stderr.contains("Sanitizer");
    let comes = check.is_about_objects() || execution.stderr.contains(harness::PLACE_MESSAGE);
    let ends = match execution.ended {
        Ended::Status(_) => !harness::is_exhausted(execution),
        Ended::Signal => check.is_about_objects(),
        Ended::Trap | Ended::Timeout => false,
    };
    ends && comes && !said
}

/// The sanitizer's message, if it is about the lines of the error.
fn message(execution: &Execution, source: &SourceMap, trace: &InputTrace) -> Option<String> {
    if trace.error.check.is_about_objects() {
        // Blocks that something still points to at the end are no leak to the sanitizer.
        let left = || execution.stderr.lines().find_map(|line| line.strip_prefix("clinch: ")).map(str::to_owned);
        let left = || left().filter(|_| trace.error.check == Check::Cleanup);
        return address_message(execution).or_else(left);
    }
    let (place, text) = execution.stderr.lines().find_map(|line| line.split_once(": runtime error: "))?;
    let mut parts = place.rsplitn(3, ':');
    let (_column, line, file) = (parts.next()?, parts.next()?.parse::<u32>().ok()?, parts.next()?);
    let (first, last) = (source.place(trace.span), source.place_of_end(trace.span));
    let is_here = file == first.file && (first.line..=last.line).contains(&line);
    is_here.then(|| format!("UndefinedBehaviorSanitizer: {text} at {file}:{line}"))
}

/// What the sanitizer says of an access, a call of `free` or what is left over.
fn address_message(execution: &Execution) -> Option<String> {
    let lines = || execution.stderr.lines();
    let (_, text) = lines()
        .find_map(|line| line.split_once("ERROR: AddressSanitizer: ").or(line.split_once("ERROR: LeakSanitizer: ")))?;
    let what = text.split(" on ").next().unwrap_or(text);
    let what = what.split(": ").next().unwrap_or(what).trim_end();
    // The innermost call that is the program's has a place.
    let frames = lines().filter(|line| line.trim_start().starts_with('#'));
    let places = frames.filter_map(|line| line.rsplit_once(' ').map(|(_, place)| place));
    let of_others = ["sanitizer", harness::FILE];
    let place = places.into_iter().find(|p| p.contains(':') && !of_others.iter().any(|other| p.contains(other)));
    Some(match place {
        Some(place) => format!("AddressSanitizer: {what} at {place}"),
        None => format!("AddressSanitizer: {what}"),
    })
}
