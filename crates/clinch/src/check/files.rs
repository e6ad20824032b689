//! `--sarif` and `--report`: files that are made of a report.

use clinch_checker::{Report, Task};
use clinch_reports::html::{self, html};
use clinch_reports::sarif;

use crate::cli;

/// The first file: what a model goes by.
fn model(task: &Task) -> String {
    task.sources.first().map(|source| source.name.display().to_string()).unwrap_or_default()
}

fn read(name: &str) -> Option<String> {
    std::fs::read(name).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Reports as a log.
pub(super) fn sarif(task: &Task, reports: &[&Report]) -> String {
    let log = sarif::sarif(reports, &model(task), &read);
    serde_json::to_string_pretty(&log).unwrap_or_default() + "\n"
}

/// A report as a page.
pub(super) fn page(task: &Task, report: &Report) -> Result<String, String> {
    // The program is read again, for its automata: the engines did that in processes of their own.
    let loaded = task.has_procedures().then(|| task.read_procedures().ok()).flatten();
    let program = loaded.as_ref().map(|loaded| &loaded.program);
    let version = format!("clinch {}", cli::version());
    let error = task.reading.error.as_deref();
    html(report, &html::About { model: &model(task), read: &read, program, error, version: &version })
}
