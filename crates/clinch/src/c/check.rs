//! `clinch check` on C: read, search, re-check, confirm by execution, report.

use std::time::{Duration, Instant};

use clinch_certify::Rejection;
use clinch_engine::Budget;
use clinch_engine::explicit::{RunsConfig, misbehaviour};
use clinch_ir::Reason;
use clinch_ir::cfa::{CfaProgram, CfaProof, CfaVerdict, InputTrace};

use super::assumptions::rests_on_memory;
use super::confirm::{self, Confirmation};
use super::engines::CEngine;
use super::load::{Language, Loaded};
use super::report;
use crate::check::{Answer, Manner, Outcome, search_and_recheck};
use crate::cli::{CheckArgs, Format, Switch};
use crate::{exit, report as common};

/// How long the compiled program may run, at most.
const EXECUTION_TIME: Duration = Duration::from_secs(10);

/// How many runs are tried before a proof is believed that assumes something about them, and for how long.
const PROBES: u64 = 256;
const PROBING_TIME: Duration = Duration::from_millis(500);

/// How long it may take to make invariants short, at most.
const PRINTING_TIME: Duration = Duration::from_secs(1);

/// Searches, re-checks, confirms: what may be reported.
pub(crate) fn judge(
    loaded: &Loaded,
    engine: &CEngine,
    budget: &Budget,
    manner: Manner,
) -> Result<(Outcome<CfaVerdict>, Option<Confirmation>), String> {
    let program = &loaded.program;
    let mut outcome = search_and_recheck(
        engine.name(),
        budget,
        manner,
        |line| engine.check(program, budget, line),
        |verdict, stop| recheck(program, verdict, stop),
        CfaVerdict::Unknown,
    )?;
    doubt(program, &mut outcome, budget);
    let confirmation = confirmed(loaded, &mut outcome, budget, manner.certify);
    Ok((outcome, confirmation))
}

/// A proof that takes it for granted that memory is used as it should be is worth nothing where runs show that it is not.
fn doubt(program: &CfaProgram, outcome: &mut Outcome<CfaVerdict>, budget: &Budget) {
    if rests_on_memory(program, &outcome.verdict)
        && let Some(reason) = misbehaviour(program, &RunsConfig::default(), budget, (PROBES, PROBING_TIME))
    {
        outcome.verdict = CfaVerdict::Unknown(reason);
        outcome.certified = false;
    }
}

/// What to print, and the exit code.
pub(crate) fn answer(
    loaded: &Loaded,
    engine: &CEngine,
    budget: &Budget,
    (manner, args): (Manner, &CheckArgs),
    format: Format,
) -> Answer {
    let (outcome, confirmation) = match judge(loaded, engine, budget, manner) {
        Ok(judged) => judged,
        Err(text) => return Answer::wrong(text),
    };
    if let (CfaVerdict::Unsafe(trace), Some(file)) = (&outcome.verdict, &args.harness)
        && loaded.language == Language::C
        && let Err(error) = confirm::harness_for(loaded, trace)
            .and_then(|text| std::fs::write(file, text).map_err(|error| error.to_string()))
    {
        common::error(&format!("warning: cannot write {}: {error}", file.display()));
    }
    let unproved = manner.strict && !report::reservations(loaded, &outcome.verdict).is_empty();
    let code = match &outcome.verdict {
        // With other integers than its own it is another program.
        CfaVerdict::Safe(proof) if report::int_bits(proof).is_some() => exit::UNKNOWN,
        CfaVerdict::Safe(_) if unproved || report::checks_nothing(loaded) => exit::UNKNOWN,
        CfaVerdict::Safe(_) => exit::SAFE,
        CfaVerdict::Unsafe(_) => exit::UNSAFE,
        CfaVerdict::Unknown(_) => exit::UNKNOWN,
    };
    let start = Instant::now();
    let stop: clinch_certify::Stop<'_> =
        &|| start.elapsed() > PRINTING_TIME || budget.timed_out(PRINTING_TIME).is_some();
    let mut text = match format {
        Format::Json => report::json(loaded, &outcome, confirmation.as_ref(), stop),
        Format::Text | Format::Smtlib => report::text(loaded, &outcome, confirmation.as_ref(), stop),
    };
    if format == Format::Text && matches!(outcome.verdict, CfaVerdict::Safe(_)) && unproved {
        text.push_str("\nstrict: not accepted as safe, for what is assumed or noted above (exit code 2)");
    }
    let unknown = match outcome.verdict {
        CfaVerdict::Unknown(reason) => Some(reason),
        _ => None,
    };
    Answer { text: Ok(text), code, unknown }
}

/// Re-checks a verdict: whether there was something to check.
pub(crate) fn recheck(
    program: &CfaProgram,
    verdict: &CfaVerdict,
    stop: clinch_certify::Stop<'_>,
) -> Result<bool, Rejection> {
    match verdict {
        CfaVerdict::Safe(CfaProof::Reached(states)) => {
            clinch_certify::check_reached_states(program, states, stop).map(|()| true)
        }
        CfaVerdict::Safe(CfaProof::Invariants(proof)) => {
            clinch_certify::check_invariants(program, proof, stop).map(|()| true)
        }
        CfaVerdict::Safe(CfaProof::Unrolled(proof)) => {
            clinch_certify::check_unrolling(program, proof, stop).map(|()| true)
        }
        CfaVerdict::Safe(CfaProof::Summaries(proof)) => {
            clinch_certify::check_summaries(program, proof, stop).map(|()| true)
        }
        CfaVerdict::Unsafe(trace) => clinch_certify::check_input_trace(program, trace, stop).map(|()| true),
        CfaVerdict::Unknown(_) => Ok(false),
    }
}

/// Executes the compiled program on a counterexample. One that it refutes is not reported.
fn confirmed(
    loaded: &Loaded,
    outcome: &mut Outcome<CfaVerdict>,
    budget: &Budget,
    certify: Switch,
) -> Option<Confirmation> {
    let CfaVerdict::Unsafe(trace) = &outcome.verdict else { return None };
    if loaded.language != Language::C {
        return None;
    }
    if certify == Switch::Off {
        return Some(Confirmation::Impossible("checks are off".to_owned()));
    }
    let start = Instant::now();
    let confirmation = execute(loaded, trace, budget);
    outcome.certify_time += start.elapsed();
    if let Confirmation::Refuted(what) = &confirmation {
        outcome.verdict = CfaVerdict::Unknown(Reason::NotConfirmed(what.clone()));
        outcome.certified = false;
    }
    Some(confirmation)
}

fn execute(loaded: &Loaded, trace: &InputTrace, budget: &Budget) -> Confirmation {
    let time = budget.remaining().map_or(EXECUTION_TIME, |left| left.clamp(Duration::from_secs(2), EXECUTION_TIME));
    confirm::confirm(loaded, trace, time)
}
