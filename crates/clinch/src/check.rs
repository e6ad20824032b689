//! `clinch check`: read, search, re-check, report.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clinch_certify::Rejection;
use clinch_engine::Budget;
use clinch_ir::{Program, Reason, Verdict};

use crate::cli::{CheckArgs, LimitArgs, Switch};
use crate::engines::Engine;
use crate::progress::Line;
use crate::{exit, load, report};

/// A verdict and how it came about.
pub(crate) struct Outcome {
    pub(crate) verdict: Verdict,
    pub(crate) engine: &'static str,
    pub(crate) certified: bool,
    pub(crate) search_time: Duration,
    pub(crate) certify_time: Duration,
    pub(crate) stats: serde_json::Value,
}

/// `clinch check`.
pub(crate) fn run(args: &CheckArgs) -> u8 {
    let program = match load::load(&args.file, &args.model, std::io::stderr().is_terminal()) {
        Ok(program) => program,
        Err(text) => {
            report::error(&text);
            return exit::BAD_INPUT;
        }
    };
    let engine = match Engine::from_args(args, &program) {
        Ok(engine) => engine,
        Err(text) => {
            report::error(&format!("error: {text}"));
            return exit::USAGE;
        }
    };
    let budget = budget(&args.limits);
    match check(&program, &engine, &budget, args.certify) {
        Ok(outcome) => {
            let text = if args.json { report::json(&program, &outcome) } else { report::text(&program, &outcome) };
            report::line(&text);
            match outcome.verdict {
                Verdict::Safe(_) => exit::SAFE,
                Verdict::Unsafe(_) => exit::UNSAFE,
                Verdict::Unknown(_) => exit::UNKNOWN,
            }
        }
        Err(text) => {
            report::error(&format!("internal error: {}: {text}", engine.name()));
            exit::INTERNAL
        }
    }
}

/// The limits, and Ctrl-C.
fn budget(limits: &LimitArgs) -> Budget {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    let handler = move || {
        if raised.swap(true, Ordering::Relaxed) {
            // Asked twice: the run does not react, so end it.
            #[allow(clippy::exit, reason = "the second Ctrl-C must end the process")]
            std::process::exit(130);
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        report::error(&format!("warning: Ctrl-C ends clinch without a report: {error}"));
    }
    Budget::unlimited()
        .with_timeout(Some(limits.timeout))
        .with_memory(Some(limits.memory))
        .with_max_iterations(limits.max_iterations)
        .with_stop(stop)
}

/// Runs the engine and re-checks what it says. An error here is a verdict that failed its check.
pub(crate) fn check(program: &Program, engine: &Engine, budget: &Budget, certify: Switch) -> Result<Outcome, String> {
    let mut line = Line::new(engine.name());
    let start = Instant::now();
    let (verdict, stats) = engine.check(program, budget, &mut line);
    let search_time = start.elapsed();
    line.say("re-checking the verdict");
    let start = Instant::now();
    let checked = match certify {
        Switch::On => recheck(program, &verdict, budget),
        Switch::Off => Ok(false),
    };
    let certify_time = start.elapsed();
    line.finish();
    let (verdict, certified) = match checked {
        Ok(certified) => (verdict, certified),
        Err(Rejection::Wrong(text)) => return Err(text),
        Err(rejection) => {
            let reason = budget.check().err().unwrap_or_else(|| Reason::Uncertified(rejection.to_string()));
            (Verdict::Unknown(reason), false)
        }
    };
    Ok(Outcome { verdict, engine: engine.name(), certified, search_time, certify_time, stats })
}

/// Whether the evidence was accepted; there is none to accept for "unknown".
fn recheck(program: &Program, verdict: &Verdict, budget: &Budget) -> Result<bool, Rejection> {
    match verdict {
        Verdict::Safe(proof) => clinch_certify::check_proof(program, proof, &|| budget.check().is_err()).map(|()| true),
        Verdict::Unsafe(trace) => clinch_certify::check_trace(program, trace).map(|()| true),
        Verdict::Unknown(_) => Ok(false),
    }
}
