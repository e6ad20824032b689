//! `clinch check --entry all`: every function that other files may call, one after the other.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clinch_checker::protocol::Assignment;
use clinch_checker::report::{CheckResult, Report};
use clinch_checker::{Error, Options, Task, entries, supervisor};
use serde_json::{Value, json};

use super::{command, exit_code, files, in_json, on_interrupt, refuse, save, save_page};
use crate::cli::{CheckArgs, Format};
use crate::progress::Display;
use crate::{console, exit};

/// Checks the functions, prints a table or a list of reports: the exit code.
pub(super) fn run(args: &CheckArgs, task: &Task, options: &Options) -> u8 {
    let functions = match entries(&task.sources, &task.reading) {
        Ok(functions) if functions.is_empty() => {
            return refuse(&Error::Usage("there is no function that other files may call".to_owned()), args.output());
        }
        Ok(functions) => functions,
        Err(error) => return refuse(&error, args.output()),
    };
    let stop = on_interrupt();
    let width = functions.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let (mut codes, mut reports, mut found_all) = (Vec::new(), Vec::new(), Vec::new());
    for function in functions.iter().take_while(|_| !stop.load(Ordering::Relaxed)) {
        let mut task = task.clone();
        task.reading.entry = Some(function.clone());
        let found = check(&task, options, function, &stop, args.progress);
        codes.push(found.as_ref().map_or(exit::UNKNOWN, |report| exit_code(report, args.strict)));
        if let (Some(file), Ok(report)) = (&args.report, &found) {
            save_page(&page_of(file, function), &task, report);
        }
        match args.output() {
            Format::Json => reports.push(function_in_json(function, &found)),
            Format::Text | Format::Smtlib if args.quiet => {}
            Format::Text | Format::Smtlib => console::line(&row(function, width, &found)),
        }
        found_all.extend(found.ok());
    }
    if let Some(file) = &args.sarif {
        let all: Vec<&Report> = found_all.iter().collect();
        save(Some(file), Some(&files::sarif(task, &all)));
    }
    if args.output() == Format::Json {
        console::line(&Value::Array(reports).to_string());
    }
    let all_seen = codes.len() == functions.len();
    let worst = [exit::INTERNAL, exit::UNSAFE, exit::UNKNOWN].into_iter().find(|code| codes.contains(code));
    worst.unwrap_or(if all_seen { exit::SAFE } else { exit::UNKNOWN })
}

fn check(
    task: &Task,
    options: &Options,
    function: &str,
    stop: &Arc<AtomicBool>,
    progress: bool,
) -> Result<Report, Error> {
    let launch =
        |assignment: &Assignment| command(&Assignment { entry: Some(function.to_owned()), ..assignment.clone() });
    supervisor::run(task, options, Arc::clone(stop), &launch, &mut Display::new(progress))
}

/// The page of a function: its name stands behind that of the file.
fn page_of(file: &Path, function: &str) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let ending = file.extension().map_or_else(String::new, |ending| format!(".{}", ending.to_string_lossy()));
    file.with_file_name(format!("{stem}-{function}{ending}"))
}

/// A line about the function, and one for each check that fails.
pub(super) fn row(function: &str, width: usize, found: &Result<Report, Error>) -> String {
    let report = match found {
        Ok(report) => report,
        Err(Error::Input(text) | Error::Usage(text)) => return format!("{function:width$}  UNKNOWN: {text}"),
        Err(Error::Unsupported(reason)) => return format!("{function:width$}  UNKNOWN: {reason}"),
    };
    let text = report.to_string();
    let mut rows = vec![format!("{function:width$}  {}", text.lines().next().unwrap_or_default())];
    rows.extend(report.checks.iter().filter_map(|checked| match &checked.result {
        CheckResult::Fails(run) if report.checks.len() > 1 => {
            Some(format!("{:width$}  {}:{}:{}: {}", "", run.file, run.line, run.column, run.error))
        }
        _ => None,
    }));
    rows.join("\n")
}

pub(super) fn function_in_json(function: &str, found: &Result<Report, Error>) -> Value {
    match found {
        Ok(report) => {
            let mut value = in_json(report);
            value["function"] = function.into();
            value
        }
        Err(Error::Input(reason) | Error::Usage(reason)) => {
            json!({ "function": function, "verdict": "unknown", "reason": reason })
        }
        Err(Error::Unsupported(reason)) => {
            json!({ "function": function, "verdict": "unknown", "reason": reason.to_string() })
        }
    }
}
