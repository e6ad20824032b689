//! What came of a project: a row for each function, and numbers over all of them.

use std::time::Instant;

use clinch_checker::report::Verdict;
use clinch_checker::{Error, Report};
use serde_json::{Value, json};

use super::functions::{function_in_json, row};
use super::{JSON_VERSION, exit_code};
use crate::cli::{CheckArgs, Format};
use crate::{console, exit};

/// What is known of a function.
pub(super) struct Answer {
    pub(super) file: String,
    /// Empty where the file could not be read.
    pub(super) function: String,
    pub(super) found: Result<Report, Error>,
    /// Whether it was kept from a run before.
    pub(super) is_kept: bool,
}

impl Answer {
    /// A file that could not be read.
    pub(super) fn unreadable(file: &str, error: &Error) -> Answer {
        Answer { file: file.to_owned(), function: String::new(), found: Err(error.clone()), is_kept: false }
    }

    fn exit_code(&self, is_strict: bool) -> u8 {
        match &self.found {
            Ok(report) => exit_code(report, is_strict),
            Err(Error::Input(_)) => exit::BAD_INPUT,
            Err(Error::Usage(_) | Error::Unsupported(_)) => exit::UNKNOWN,
        }
    }

    fn row(&self, width: usize) -> String {
        let text = row(&self.function, width, &self.found);
        let mut lines: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
        if let (Some(first), true) = (lines.first_mut(), self.is_kept) {
            first.push_str(" (kept)");
        }
        lines.join("\n")
    }

    fn in_json(&self) -> Value {
        let mut value = function_in_json(&self.function, &self.found);
        value["file"] = self.file.as_str().into();
        value["kept"] = self.is_kept.into();
        value
    }
}

/// What came of a project.
pub(super) struct Summary {
    start: Instant,
    /// The length of the longest name of a function.
    width: usize,
    answers: Vec<Answer>,
    /// Whether there was no time for the rest.
    pub(super) is_interrupted: bool,
}

impl Summary {
    pub(super) fn new(start: Instant, width: usize) -> Summary {
        Summary { start, width, answers: Vec::new(), is_interrupted: false }
    }

    /// Takes an answer, and prints its row.
    pub(super) fn add(&mut self, args: &CheckArgs, answer: Answer) {
        if args.output() == Format::Text && !args.quiet {
            if self.answers.last().is_none_or(|last| last.file != answer.file) {
                console::line(&answer.file);
            }
            console::line(&answer.row(self.width));
        }
        self.answers.push(answer);
    }

    /// The numbers, or everything as one object.
    pub(super) fn print(&self, args: &CheckArgs) {
        match args.output() {
            _ if args.quiet => {}
            Format::Json => console::line(&self.in_json().to_string()),
            Format::Text | Format::Smtlib => console::line(&self.numbers()),
        }
    }

    /// All reports.
    pub(super) fn reports(&self) -> Vec<&Report> {
        self.answers.iter().filter_map(|answer| answer.found.as_ref().ok()).collect()
    }

    /// The worst of the exit codes.
    pub(super) fn exit_code(&self, args: &CheckArgs) -> u8 {
        let codes: Vec<u8> = self.answers.iter().map(|answer| answer.exit_code(args.strict)).collect();
        let order = [exit::INTERNAL, exit::UNSAFE, exit::BAD_INPUT, exit::UNKNOWN];
        let worst = order.into_iter().find(|code| codes.contains(code));
        worst.unwrap_or(if self.is_interrupted || codes.is_empty() { exit::UNKNOWN } else { exit::SAFE })
    }

    fn count(&self, code: u8) -> usize {
        self.answers.iter().filter(|answer| answer.exit_code(false) == code).count()
    }

    fn kept(&self) -> usize {
        self.answers.iter().filter(|answer| answer.is_kept).count()
    }

    /// Whether something without a verdict was kept.
    fn has_kept_open(&self) -> bool {
        let is_open = |report: &Report| matches!(report.verdict, Verdict::Unknown { .. });
        self.answers.iter().any(|answer| answer.is_kept && answer.found.as_ref().is_ok_and(is_open))
    }

    fn files(&self) -> usize {
        let mut files: Vec<&str> = self.answers.iter().map(|answer| answer.file.as_str()).collect();
        files.dedup();
        files.len()
    }

    fn numbers(&self) -> String {
        let functions = self.answers.iter().filter(|answer| !answer.function.is_empty()).count();
        let (safe, fails) = (self.count(exit::SAFE), self.count(exit::UNSAFE));
        let unknown = self.answers.len() - safe - fails;
        let checked = functions - self.kept();
        format!(
            "{} files, {functions} functions: {safe} safe, {fails} unsafe, {unknown} unknown; {checked} checked, {} kept \
             from before ({:.2} s){}{}",
            self.files(),
            self.kept(),
            self.start.elapsed().as_secs_f64(),
            if self.has_kept_open() { "; --retry checks what is unknown again" } else { "" },
            if self.is_interrupted { "; interrupted" } else { "" },
        )
    }

    fn in_json(&self) -> Value {
        let (safe, fails) = (self.count(exit::SAFE), self.count(exit::UNSAFE));
        json!({
            "schema_version": JSON_VERSION,
            "results": self.answers.iter().map(Answer::in_json).collect::<Value>(),
            "summary": {
                "files": self.files(),
                "safe": safe,
                "unsafe": fails,
                "unknown": self.answers.len() - safe - fails,
                "kept": self.kept(),
                "time_s": self.start.elapsed().as_secs_f64(),
            },
        })
    }
}
