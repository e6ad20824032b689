//! Programs with procedures: search, re-check, confirm by execution.

use std::time::{Duration, Instant};

use clinch_certify::Judged;
use clinch_engine::Budget;
use clinch_ir::Reason;
use clinch_ir::cfa::{CfaVerdict, InputTrace};
use clinch_terms::work;
use serde_json::json;

use super::assumptions::doubt;
use super::confirm;
use super::execution::Confirmation;
use super::load::{Language, Loaded};
use crate::check::{Outcome, search_and_certify};
use crate::engines::procedures::ProcedureEngine;
use crate::options::Options;
use crate::report::{self, Report, Verdict};
use crate::watcher::Watcher;

/// How long the compiled program may run, at most.
const EXECUTION_TIME: Duration = Duration::from_secs(10);

/// How long it may take to make invariants short: a part of what the search took, within these bounds.
const PRINTING_PART: u32 = 3;
const LEAST_PRINTING_TIME: Duration = Duration::from_millis(100);
const PRINTING_TIME: Duration = Duration::from_secs(1);

/// Searches the program or its outline, re-checks, confirms: what may be reported.
pub(crate) fn check(
    loaded: &Loaded,
    engine: &ProcedureEngine,
    budget: &Budget,
    options: &Options,
    watcher: &mut dyn Watcher,
) -> Result<Report, String> {
    let outline = if engine.reads_outline() { loaded.read_outline() } else { None };
    if engine.reads_outline() && outline.is_none() {
        let reason = Reason::Unsupported("this program has no outline".to_owned());
        return Ok(Report::unknown(engine.name(), Verdict::unknown(&reason), budget.elapsed(), json!({})));
    }
    let program = outline.as_ref().unwrap_or(&loaded.program);
    let search = |watcher: &mut dyn Watcher| engine.check(program, budget, watcher);
    let manner = (budget, options.certify);
    let mut outcome = search_and_certify(program, engine.name(), manner, watcher, search)?;
    doubt(&loaded.program, &mut outcome.verdict, budget);
    let confirmation = match outline {
        None => confirmed(loaded, &mut outcome, budget, options.certify),
        Some(_) => None,
    };
    if !matches!(outcome.verdict.verdict(), CfaVerdict::Unknown(_)) {
        watcher.settled();
    }
    if let Some(outline) = &outline {
        return Ok(report::of_outline(loaded, outline, outcome));
    }
    if let (CfaVerdict::Unsafe(trace), true, Language::C) =
        (outcome.verdict.verdict(), options.wanted.harness, loaded.language)
    {
        outcome.artifacts.harness = Some(confirm::harness_for(loaded, trace));
    }
    let searched = work::done().unwrap_or(outcome.search_time);
    let printing = budget.part((searched / PRINTING_PART).clamp(LEAST_PRINTING_TIME, PRINTING_TIME));
    let stop: clinch_certify::Stop<'_> = &|| printing.check().is_err() || budget.timed_out(PRINTING_TIME).is_some();
    Ok(report::of_procedures(loaded, outcome, confirmation, stop))
}

/// Executes the compiled program on a counterexample. One that it refutes is not reported.
fn confirmed(
    loaded: &Loaded,
    outcome: &mut Outcome<CfaVerdict>,
    budget: &Budget,
    certify: bool,
) -> Option<Confirmation> {
    let CfaVerdict::Unsafe(trace) = outcome.verdict.verdict() else { return None };
    if loaded.language != Language::C {
        return None;
    }
    if !certify {
        return Some(Confirmation::Impossible("checks are off".to_owned()));
    }
    let start = Instant::now();
    let confirmation = execute(loaded, trace, budget);
    outcome.certify_time += start.elapsed();
    if let Confirmation::Refuted(what) = &confirmation {
        outcome.verdict = Judged::Unchecked(CfaVerdict::Unknown(Reason::NotConfirmed(what.clone())));
    }
    Some(confirmation)
}

fn execute(loaded: &Loaded, trace: &InputTrace, budget: &Budget) -> Confirmation {
    let time = budget.remaining().map_or(EXECUTION_TIME, |left| left.clamp(Duration::from_secs(2), EXECUTION_TIME));
    confirm::confirm(loaded, trace, time)
}
