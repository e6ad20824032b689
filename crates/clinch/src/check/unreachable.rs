//! `clinch check --check unreachable`: which code no run reaches.
//!
//! The verdicts of the single checks mean something else here: a piece of code that is proved never to be reached is what the user looks for.

use clinch_checker::report::{CheckResult, Checked, Report, Site};
use clinch_checker::{Asked, Error, Kind, Options, Task, supervisor};
use clinch_ir::cfa::{Check, Checks};
use serde_json::{Value, json};

use super::{EVERY_FUNCTION, command, files, on_interrupt, refuse, save};
use crate::cli::{CheckArgs, Format};
use crate::progress::Display;
use crate::{console, exit};

/// Whether this is what is asked for.
pub(super) fn is_asked_for(task: &Task) -> bool {
    asked_checks(task).is_some_and(|checks| checks.contains(Check::Unreachable))
}

fn asked_checks(task: &Task) -> Option<Checks> {
    match task.reading.asked {
        Some(Asked::Checks(checks)) => Some(checks),
        Some(Asked::Property(_)) | None => None,
    }
}

/// Looks at each piece of code, prints what is known of it: the exit code.
pub(super) fn run(args: &CheckArgs, task: &Task, options: &Options) -> u8 {
    let report = refusal(args, task).map_or_else(
        || supervisor::run(task, options, on_interrupt(), &command, &mut Display::new(args.progress)),
        Err,
    );
    let report = match report {
        Ok(report) => report,
        Err(error) => return refuse(&error, args.output()),
    };
    for wrong in &report.internal_errors {
        console::error(&format!("internal error: {wrong}"));
    }
    if let Some(file) = &args.sarif {
        save(Some(file), Some(&files::sarif(task, &[&report])));
    }
    let pieces = Pieces::new(&report);
    if !args.quiet {
        console::line(&match args.output() {
            Format::Json => pieces.in_json(&report).to_string(),
            Format::Text | Format::Smtlib => pieces.in_text(&report),
        });
    }
    match (pieces.dead.is_empty(), pieces.open.is_empty()) {
        (false, _) => exit::UNSAFE,
        (true, false) => exit::UNKNOWN,
        (true, true) => exit::SAFE,
    }
}

/// What does not go with it.
fn refusal(args: &CheckArgs, task: &Task) -> Option<Error> {
    let others = asked_checks(task).is_some_and(|checks| checks != Check::Unreachable.into());
    let files = [("--report", &args.report), ("--witness", &args.witness), ("--harness", &args.harness)];
    let file = files.into_iter().find_map(|(option, file)| file.as_ref().map(|_| option));
    let what = match file {
        _ if others => "the other checks".to_owned(),
        Some(option) => option.to_owned(),
        None if task.kinds().contains(&Kind::Task) => "a task file".to_owned(),
        None if task.reading.entry.as_deref() == Some(EVERY_FUNCTION) => "--entry all".to_owned(),
        None => return None,
    };
    Some(Error::Usage(format!("--check unreachable does not go with {what}")))
}

/// The pieces of code by what is known of them.
struct Pieces<'a> {
    reached: usize,
    /// Runs of pieces that nothing reaches, one after the other in the text: the first, and how many there are.
    dead: Vec<(&'a Site, usize)>,
    open: Vec<(&'a Site, &'a str)>,
}

impl<'a> Pieces<'a> {
    fn new(report: &'a Report) -> Self {
        let mut pieces = Pieces { reached: 0, dead: Vec::new(), open: Vec::new() };
        let mut before: Option<&Checked> = None;
        for checked in &report.checks {
            let site = &checked.site;
            let follows = before.is_some_and(|before| {
                matches!(before.result, CheckResult::Proved) && before.site.file == site.file && !begins_function(site)
            });
            match &checked.result {
                CheckResult::Proved if follows => pieces.dead.last_mut().into_iter().for_each(|dead| dead.1 += 1),
                CheckResult::Proved => pieces.dead.push((site, 1)),
                CheckResult::Reached | CheckResult::Fails(_) => pieces.reached += 1,
                CheckResult::Unknown(reason) => pieces.open.push((site, reason)),
            }
            before = Some(checked);
        }
        pieces
    }

    fn in_text(&self, report: &Report) -> String {
        let search = format!("{}, {:.2} s", report.engine, report.time.as_secs_f64());
        let (dead, open) = (self.dead.iter().map(|(_, count)| count).sum::<usize>(), self.open.len());
        let unknown = if open > 0 { format!(", {open} unknown") } else { String::new() };
        let reached = self.reached;
        let mut lines = vec![match (dead, open) {
            (0, 0) if reached == 1 => format!("REACHED: the only piece of code ({search})"),
            (0, 0) => format!("REACHED: all {reached} pieces of code ({search})"),
            (0, _) => format!("UNKNOWN: {reached} pieces of code are reached{unknown} ({search})"),
            (1, _) => format!("UNREACHABLE: 1 piece of code, {reached} are reached{unknown} ({search})"),
            _ => format!("UNREACHABLE: {dead} pieces of code, {reached} are reached{unknown} ({search})"),
        }];
        lines.extend(self.dead.iter().map(|(site, count)| {
            let more = if *count > 1 { format!(" (and {} behind it)", count - 1) } else { String::new() };
            format!("  {}  never reached  {}{more}", place(site), site.what)
        }));
        lines.extend(
            self.open.iter().map(|(site, reason)| format!("  {}  unknown        {}: {reason}", place(site), site.what)),
        );
        if dead > 0 {
            lines.extend(report.verdict.under().iter().map(|assumed| format!("assuming: {assumed}")));
            lines.push("evidence: for what is never reached a proof, re-checked; for the rest a run each".to_owned());
        }
        lines.join("\n")
    }

    fn in_json(&self, report: &Report) -> Value {
        let object =
            |site: &Site| json!({ "file": site.file, "line": site.line, "column": site.column, "code": site.what });
        let open = self.open.iter().map(|(site, reason)| {
            let mut piece = object(site);
            piece["reason"] = (*reason).into();
            piece
        });
        let dead = self.dead.iter().map(|(site, count)| {
            let mut piece = object(site);
            piece["pieces"] = (*count).into();
            piece
        });
        json!({
            "unreachable": dead.collect::<Vec<_>>(),
            "unknown": open.collect::<Vec<_>>(),
            "reached": self.reached,
            "assumptions": report.verdict.under(),
            "time_s": report.time.as_secs_f64(),
        })
    }
}

fn place(site: &Site) -> String {
    format!("{}:{}:{}", site.file, site.line, site.column)
}

/// Functions that are never called are told one by one.
fn begins_function(site: &Site) -> bool {
    site.what.starts_with("the function ")
}
