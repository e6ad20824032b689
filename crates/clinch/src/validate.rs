//! `clinch validate`: confirms or rejects a witness.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clinch_checker::protocol::Assignment;
use clinch_checker::report::{Report, Verdict};
use clinch_checker::{Error, Kind, supervisor, worker};
use clinch_ir::cfa::Op;
use clinch_reports::witness::{Judgement, Plan, Refusal, plan};

use crate::check::{command, on_interrupt, refuse};
use crate::cli::{Format, ValidateArgs};
use crate::progress::Display;
use crate::{console, exit};

/// Exit codes of this command.
const CONFIRMED: u8 = 0;
const REJECTED: u8 = 1;

/// Validates, with the engines in processes of their own.
pub(crate) fn run(args: &ValidateArgs) -> u8 {
    let stop = on_interrupt();
    let plan = match planned(args, None) {
        Ok(plan) => plan,
        Err(refused) => return refused.say(),
    };
    // What is wrong with the program is said of the program, and what cannot be read only with the witness in it is the witness's fault.
    let loaded = match plan.task.read_procedures() {
        Ok(loaded) => loaded,
        Err(error) => return unreadable(args, error),
    };
    let mut edges = loaded.program.procedures.iter().flat_map(|procedure| &procedure.edges);
    if plan.task.reading.goal.is_some() && !edges.any(|edge| matches!(edge.op, Op::Error(_))) {
        let why = plan
            .unpassed(None)
            .unwrap_or_default()
            .replace("runs pass all its waypoints, but none of them violates", "nothing can violate");
        return say(&Judgement::Rejected(why), None);
    }
    drop(loaded);
    let report = match check(args, &plan, None, &stop) {
        Ok(report) => report,
        Err(error) => return refuse(&error, Format::Text),
    };
    for wrong in &report.internal_errors {
        console::error(&format!("internal error: {wrong}"));
    }
    let judgement = match plan.judge(&report) {
        Judgement::Rejected(why) if plan.segments() > 0 => {
            Judgement::Rejected(reason(args, &plan, &stop).unwrap_or(why))
        }
        judgement => judgement,
    };
    let code = say(&judgement, Some(&report));
    if code == exit::UNKNOWN && !report.internal_errors.is_empty() { exit::INTERNAL } else { code }
}

/// Does the work of one of the processes.
pub(crate) fn work(args: &ValidateArgs, assignment: &Assignment) -> u8 {
    // The supervisor has read the same files.
    let Ok(plan) = planned(args, assignment.segment) else { return exit::USAGE };
    worker::run(&plan.task, &args.options(), assignment);
    exit::SAFE
}

fn check(args: &ValidateArgs, plan: &Plan, segment: Option<u32>, stop: &Arc<AtomicBool>) -> Result<Report, Error> {
    let launch = |assignment: &Assignment| command(&Assignment { segment, ..assignment.clone() });
    supervisor::run(&plan.task, &args.options(), Arc::clone(stop), &launch, &mut Display::new(false))
}

/// Why there is nothing to validate.
enum Refused {
    Usage(String),
    Plan(Refusal),
}

impl Refused {
    fn say(&self) -> u8 {
        match self {
            Refused::Usage(text) => {
                console::error(&format!("error: {text}"));
                exit::USAGE
            }
            Refused::Plan(Refusal::Malformed(text)) => {
                console::error(text);
                exit::BAD_INPUT
            }
            Refused::Plan(Refusal::Rejected(text)) => say(&Judgement::Rejected(text.clone()), None),
            Refused::Plan(Refusal::Unsupported(text)) => say(&Judgement::Unknown(text.clone()), None),
        }
    }
}

/// The program whose verdict is that on the witness.
fn planned(args: &ValidateArgs, segment: Option<u32>) -> Result<Plan, Refused> {
    let (task, witness) = args.parts();
    let is_c = |file: &Path| matches!(Kind::of_path(file), Some(Kind::C | Kind::Preprocessed));
    if let Some(other) = task.sources.iter().find(|source| !is_c(&source.name)) {
        let text = format!("{} is not a C file: give the program's files, then the witness", other.name.display());
        return Err(Refused::Usage(text));
    }
    let name = witness.display().to_string();
    if is_c(&witness) || witness.extension().is_some_and(|extension| extension == "graphml") {
        let text = format!("{name} is not a witness in YAML: give the program's files, then the witness");
        return Err(Refused::Usage(text));
    }
    let text = std::fs::read_to_string(&witness)
        .map_err(|error| Refused::Plan(Refusal::Malformed(format!("{name}:1:1: error: cannot read: {error}"))))?;
    plan(&task, &name, &text, segment).map_err(Refused::Plan)
}

/// The program cannot be read with the witness in it.
fn unreadable(args: &ValidateArgs, error: Error) -> u8 {
    let (task, witness) = args.parts();
    match (task.read_procedures(), error) {
        (Ok(_), Error::Input(text)) => {
            let text = text.lines().next().unwrap_or_default().to_owned();
            say(
                &Judgement::Rejected(format!(
                    "{}: an expression makes no sense at its place: {text}",
                    witness.display()
                )),
                None,
            )
        }
        (Ok(_), error) | (Err(error), _) => refuse(&error, Format::Text),
    }
}

/// The first waypoint that no run passes, or that the target is not reached behind them.
fn reason(args: &ValidateArgs, plan: &Plan, stop: &Arc<AtomicBool>) -> Option<String> {
    let is_passed = |segment: u32| {
        let plan = planned(args, Some(segment)).ok()?;
        match check(args, &plan, Some(segment), stop).ok()?.verdict {
            Verdict::Unsafe { .. } => Some(true),
            Verdict::Safe { .. } => Some(false),
            Verdict::Unknown { .. } => None,
        }
    };
    let (mut passed, mut missed) = (0, plan.segments());
    if is_passed(missed - 1)? {
        return plan.unpassed(None);
    }
    // Behind the first that is not passed none is.
    while passed + 1 < missed {
        let middle = u32::midpoint(passed, missed);
        if is_passed(middle - 1)? { passed = middle } else { missed = middle }
    }
    plan.unpassed(Some(passed))
}

/// Prints what is said of the witness: the exit code.
fn say(judgement: &Judgement, report: Option<&Report>) -> u8 {
    let time =
        report.map(|report| format!(" ({}, {:.2} s)", report.engine, report.time.as_secs_f64())).unwrap_or_default();
    let (text, code) = match judgement {
        Judgement::Confirmed(text) => (format!("CONFIRMED: {text}{time}"), CONFIRMED),
        Judgement::Rejected(text) => (format!("REJECTED: {text}{time}"), REJECTED),
        Judgement::Unknown(text) => (format!("UNKNOWN: {text}{time}"), exit::UNKNOWN),
    };
    console::line(&text);
    if let (Judgement::Confirmed(_), Some(report)) = (judgement, report) {
        report.verdict.under().iter().for_each(|assumed| console::line(&format!("assumed: {assumed}")));
    }
    code
}
