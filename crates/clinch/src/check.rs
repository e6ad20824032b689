//! `clinch check`.

mod files;
mod functions;
mod project;
mod summary;
mod unreachable;
mod witness;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clinch_checker::protocol::Assignment;
use clinch_checker::report::{Drawing, Report, Verdict};
use clinch_checker::{Error, Options, Task, c_files, supervisor, worker};

use crate::cli::{CheckArgs, Format, Steps};
use crate::progress::Display;
use crate::{console, exit};

/// What `--entry` says for all functions.
const EVERY_FUNCTION: &str = "all";

/// Checks, with the engines in processes of their own.
pub(crate) fn run(args: &CheckArgs) -> u8 {
    let (task, options) = match asked(args) {
        Ok(asked) => asked,
        Err(error) => return refuse(&error, args.output()),
    };
    match args.project.is_given() {
        Ok(true) if unreachable::is_asked_for(&task) => {
            let usage = Error::Usage("--check unreachable is for single programs".to_owned());
            return refuse(&usage, args.output());
        }
        Ok(true) => match about_one_function(args, true) {
            Ok(()) => return project::run(args, &task.reading, &options),
            Err(error) => return refuse(&error, args.output()),
        },
        Ok(false) if unreachable::is_asked_for(&task) => return unreachable::run(args, &task, &options),
        Ok(false) => {}
        Err(error) => return refuse(&error, args.output()),
    }
    if task.reading.entry.as_deref() == Some(EVERY_FUNCTION) {
        return match about_one_function(args, false) {
            Ok(()) => functions::run(args, &task, &options),
            Err(error) => refuse(&error, args.output()),
        };
    }
    match supervisor::run(&task, &options, on_interrupt(), &command, &mut Display::new(args.progress)) {
        Ok(mut report) => {
            if args.trace == Steps::Full {
                report.show_all_steps();
            }
            answer(args, &task, &report)
        }
        Err(error) => refuse(&error, args.output()),
    }
}

/// What is to be checked, and how.
fn asked(args: &CheckArgs) -> Result<(Task, Options), Error> {
    let (task, options) = (args.task(), args.options()?);
    // How far an object goes is what checks of memory know.
    let needs_memory = task.reading.externs_write && task.has_procedures();
    if needs_memory && !c_files(&task.sources, &task.reading)?.1.are_about_memory() {
        return Err(Error::Usage("--extern writes needs checks of memory: --check memory, or none given".to_owned()));
    }
    Ok((task, options))
}

/// Refuses files that are about one function, where there are several.
fn about_one_function(args: &CheckArgs, is_project: bool) -> Result<(), Error> {
    let page = args.report.as_ref().filter(|_| is_project);
    let files = [
        ("--harness", args.harness.as_ref()),
        ("--witness", args.witness.as_ref()),
        ("--dot", args.dot.as_ref()),
        ("--save-predicates", args.save_predicates.as_ref()),
        ("--report", page),
    ];
    match files.iter().find(|(_, file)| file.is_some()) {
        Some((option, _)) => {
            Err(Error::Usage(format!("{option} is about one function: check its file with --entry FUNCTION")))
        }
        None => Ok(()),
    }
}

/// Does the work of one of the processes.
pub(crate) fn work(args: &CheckArgs, assignment: &Assignment) -> u8 {
    // The supervisor has read the same command line.
    let Ok((mut task, options)) = asked(args) else {
        return exit::USAGE;
    };
    task.reading.entry = assignment.entry.clone().or(task.reading.entry);
    if let Some(prepared) = &assignment.prepared {
        task = prepared.task(&task.reading);
    }
    worker::run(&task, &options, assignment);
    exit::SAFE
}

/// The command that starts a process for an assignment.
pub(crate) fn command(assignment: &Assignment) -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("--worker").arg(serde_json::to_string(assignment)?).args(std::env::args_os().skip(1));
    Ok(command)
}

/// The flag that Ctrl-C raises.
pub(crate) fn on_interrupt() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    let handler = move || {
        if raised.swap(true, Ordering::Relaxed) {
            #[allow(clippy::exit, reason = "the second Ctrl-C must end the process")]
            std::process::exit(130);
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        console::error(&format!("warning: Ctrl-C ends clinch without a report: {error}"));
    }
    stop
}

/// Says why there is nothing to check: the exit code.
pub(crate) fn refuse(error: &Error, format: Format) -> u8 {
    match error {
        Error::Input(text) => {
            console::error(text);
            exit::BAD_INPUT
        }
        Error::Usage(text) => {
            console::error(&format!("error: {text}"));
            exit::USAGE
        }
        Error::Unsupported(reason) => {
            match format {
                Format::Smtlib => console::line(&format!("unknown\n; {reason}")),
                Format::Text | Format::Json => console::line(&format!("UNKNOWN: {reason}")),
            }
            exit::UNKNOWN
        }
    }
}

/// Prints a report and writes the files that were asked for: the exit code.
fn answer(args: &CheckArgs, task: &Task, report: &Report) -> u8 {
    for wrong in &report.internal_errors {
        console::error(&format!("internal error: {wrong}"));
    }
    let made = &report.artifacts;
    save(args.dot.as_deref(), made.tree.as_ref().map(Drawing::dot).as_deref());
    save(args.save_predicates.as_deref(), made.predicates.as_deref());
    match (&made.harness, &args.harness) {
        (Some(Ok(text)), file) => save(file.as_deref(), Some(text)),
        (Some(Err(why)), Some(_)) => console::error(&format!("warning: there is no harness: {why}")),
        _ => {}
    }
    if let Some(file) = &args.sarif {
        save(Some(file), Some(&files::sarif(task, &[report])));
    }
    if let Some(file) = &args.report {
        save_page(file, task, report);
    }
    if let Some(file) = &args.witness {
        match witness::of(args, task, report, file) {
            Ok(text) => save(Some(file), Some(&text)),
            Err(why) => console::error(&format!("warning: there is no witness: {why}")),
        }
    }
    let refused = is_refused(report, args.strict);
    let answer = match (args.output(), &report.verdict) {
        (Format::Json, _) => in_json(report).to_string(),
        (Format::Smtlib, Verdict::Unknown { reason, .. }) => format!("unknown\n; {reason}"),
        (Format::Smtlib, _) => made.smtlib.clone().unwrap_or_default(),
        (Format::Text, _) if refused => {
            format!("{report}\nstrict: not accepted as safe, for what is assumed or noted above (exit code 2)")
        }
        (Format::Text, _) => report.to_string(),
    };
    if !args.quiet {
        console::line(&answer);
    }
    exit_code(report, args.strict)
}

fn save_page(file: &Path, task: &Task, report: &Report) {
    match files::page(task, report) {
        Ok(text) => save(Some(file), Some(&text)),
        Err(why) => console::error(&format!("warning: there is no page: {why}")),
    }
}

/// The version of the JSON that is printed: docs/json.md.
const JSON_VERSION: u32 = 1;

/// A report as JSON, with the version of the format.
fn in_json(report: &Report) -> serde_json::Value {
    let mut object = report.to_json();
    object["schema_version"] = JSON_VERSION.into();
    object
}

/// Whether `--strict` does not accept that it is safe.
fn is_refused(report: &Report, is_strict: bool) -> bool {
    is_strict && matches!(report.verdict, Verdict::Safe { .. }) && !report.is_strictly_safe()
}

fn exit_code(report: &Report, is_strict: bool) -> u8 {
    match &report.verdict {
        _ if is_refused(report, is_strict) => exit::UNKNOWN,
        Verdict::Safe { .. } => exit::SAFE,
        Verdict::Unsafe { .. } => exit::UNSAFE,
        Verdict::Unknown { .. } if !report.internal_errors.is_empty() => exit::INTERNAL,
        Verdict::Unknown { .. } => exit::UNKNOWN,
    }
}

/// Writes a text to a file, where both are there.
pub(crate) fn save(file: Option<&Path>, text: Option<&str>) {
    if let (Some(file), Some(text)) = (file, text)
        && let Err(error) = std::fs::write(file, text)
    {
        console::error(&format!("warning: cannot write {}: {error}", file.display()));
    }
}
