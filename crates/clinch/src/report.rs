//! What clinch prints.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use clinch_ir::print::{show, show_cells, show_locations};
use clinch_ir::{AbstractProof, EvalError, Evaluator, Program, Proof, State, Trace, TraceEnd, Verdict};
use serde_json::{Value, json};

use crate::check::Outcome;
use crate::cli::Format;
use crate::property;

/// Prints to standard output; a reader that went away is not an error.
pub(crate) fn line(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Prints to standard error.
pub(crate) fn error(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", text.trim_end());
}

/// What all JSON objects start with.
pub(crate) fn json_head<V>(verdict: &str, outcome: &Outcome<V>) -> Value {
    json!({
        "verdict": verdict,
        "engine": outcome.engine,
        "certified": outcome.certified,
        "time_s": outcome.search_time.as_secs_f64(),
        "certify_time_s": outcome.certify_time.as_secs_f64(),
    })
}

/// No verdict, and nothing else to tell.
pub(crate) fn unknown(format: Format, engine: &str, reason: &str, time: Duration, stats: &Value) -> String {
    let time = time.as_secs_f64();
    match format {
        Format::Text => {
            let mut out = String::new();
            push(&mut out, &format!("UNKNOWN: {reason} ({engine}, {time:.2} s)"));
            push_stats(&mut out, stats);
            out.trim_end().to_owned()
        }
        Format::Smtlib => format!("unknown\n; {reason}"),
        Format::Json => json!({
            "verdict": "unknown",
            "engine": engine,
            "certified": false,
            "time_s": time,
            "certify_time_s": 0.0,
            "reason": reason,
            "stats": stats,
        })
        .to_string(),
    }
}

/// The outcome as one JSON object.
pub(crate) fn json(program: &Program, outcome: &Outcome) -> String {
    let missing = missing_property(program, outcome);
    let verdict = match outcome.verdict {
        Verdict::Safe(_) if missing.is_some() => "unknown",
        Verdict::Safe(_) => "safe",
        Verdict::Unsafe(_) => "unsafe",
        Verdict::Unknown(_) => "unknown",
    };
    let mut object = json_head(verdict, outcome);
    match &outcome.verdict {
        Verdict::Unknown(reason) => object["reason"] = reason.to_string().into(),
        Verdict::Unsafe(trace) => {
            object["error"] = end_text(program, trace).into();
            object["trace"] = json_trace(program, trace);
        }
        Verdict::Safe(proof) => object["proof"] = json_proof(program, proof),
    }
    if let Some(why) = missing {
        object["reason"] = why.into();
    }
    object["stats"] = outcome.stats.clone();
    object.to_string()
}

/// Why a proof shows nothing, if so.
pub(crate) fn missing_property(program: &Program, outcome: &Outcome) -> Option<String> {
    matches!(outcome.verdict, Verdict::Safe(_)).then(|| property::missing_in_program(program)).flatten()
}

fn json_trace(program: &Program, trace: &Trace) -> Value {
    let first = json!({ "transition": null, "inputs": [], "state": json_state(program, &trace.initial) });
    let steps = trace.steps.iter().map(|step| {
        json!({
            "transition": program.transition(step.transition).name,
            "inputs": step.inputs,
            "state": json_state(program, &step.state),
        })
    });
    std::iter::once(first).chain(steps).collect()
}

fn json_state(program: &Program, state: &State) -> Value {
    let locations = show_locations(program, None, state).into_iter().map(|(p, l)| (p, Value::from(l)));
    let cells = show_cells(program, None, state).into_iter().map(|(name, value)| (name, Value::from(value)));
    json!({
        "locations": locations.collect::<serde_json::Map<_, _>>(),
        "variables": cells.collect::<serde_json::Map<_, _>>(),
    })
}

fn json_proof(program: &Program, proof: &Proof) -> Value {
    match proof {
        Proof::ReachedSet(set) => json!({ "kind": "reached set", "states": set.len() }),
        Proof::AbstractStates(proof) => json!({
            "kind": "abstract states",
            "states": proof.states.len(),
            "predicates": proof.predicates.iter().map(|&p| show(program, &proof.terms, p)).collect::<Vec<_>>(),
        }),
    }
}

/// The outcome for people.
pub(crate) fn text(program: &Program, outcome: &Outcome) -> String {
    let mut out = String::new();
    let (time, checked) = times(outcome);
    match &outcome.verdict {
        Verdict::Safe(proof) => {
            push(
                &mut out,
                &match missing_property(program, outcome) {
                    None => format!("SAFE: no error is reachable ({time})"),
                    Some(why) => format!("UNKNOWN: {why} ({time})"),
                },
            );
            push(&mut out, &format!("proof: {}; {checked}", proof_text(program, proof)));
        }
        Verdict::Unsafe(trace) => {
            let steps = trace.steps.len();
            push(&mut out, &format!("UNSAFE: {} after {steps} steps ({time})", end_text(program, trace)));
            push(&mut out, &format!("trace ({checked} by replay):"));
            push_trace(&mut out, program, trace);
        }
        Verdict::Unknown(reason) => push(&mut out, &format!("UNKNOWN: {reason} ({time})")),
    }
    push_stats(&mut out, &outcome.stats);
    out.trim_end().to_owned()
}

/// How long the search took, and the re-check.
pub(crate) fn times<V>(outcome: &Outcome<V>) -> (String, String) {
    let time = format!("{}, {:.2} s", outcome.engine, outcome.search_time.as_secs_f64());
    let checked = match outcome.certified {
        true => format!("re-checked in {:.2} s", outcome.certify_time.as_secs_f64()),
        false => "NOT re-checked".to_owned(),
    };
    (time, checked)
}

pub(crate) fn push(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

fn proof_text(program: &Program, proof: &Proof) -> String {
    match proof {
        Proof::ReachedSet(set) => format!("{} states, closed under all steps, none of them an error", set.len()),
        Proof::AbstractStates(proof) => abstract_text(program, proof),
    }
}

fn abstract_text(program: &Program, proof: &AbstractProof) -> String {
    const SHOWN: usize = 12;
    let mut names: Vec<String> = proof.predicates.iter().take(SHOWN).map(|&p| show(program, &proof.terms, p)).collect();
    if proof.predicates.len() > SHOWN {
        names.push("...".to_owned());
    }
    format!(
        "{} abstract states, inductive over the {} predicates {}",
        proof.states.len(),
        proof.predicates.len(),
        names.join(", ")
    )
}

fn end_text(program: &Program, trace: &Trace) -> String {
    match &trace.end {
        TraceEnd::Error => match program.property.error.map(|e| Evaluator::new(program).holds(e, trace.last())) {
            Some(Err(EvalError::Fault(fault))) => format!("the error condition has no value: {fault}"),
            _ => "the error condition holds".to_owned(),
        },
        TraceEnd::Deadlock => "no transition is enabled".to_owned(),
        TraceEnd::Fault(transition, _, fault) => {
            let transition = program.transition(*transition);
            let (line, column) = program.source.line_column(transition.span.start);
            format!("run-time error in `{}` ({}:{line}:{column}): {fault}", transition.name, program.source.name)
        }
    }
}

/// Each step with what it changed.
fn push_trace(out: &mut String, program: &Program, trace: &Trace) {
    let width = trace.steps.iter().map(|s| program.transition(s.transition).name.chars().count());
    let width = width.max().unwrap_or(0).clamp(7, 48);
    let mut before: Option<&State> = None;
    let names = std::iter::once(None).chain(trace.steps.iter().map(Some));
    for (number, step) in names.enumerate() {
        let (name, state) = match step {
            None => ("initial", &trace.initial),
            Some(step) => (program.transition(step.transition).name.as_str(), &step.state),
        };
        let locations = show_locations(program, before, state).into_iter().map(|(p, l)| format!("{p} at {l}"));
        let cells = show_cells(program, before, state).into_iter().map(|(x, v)| format!("{x} = {v}"));
        let changes: Vec<String> = if number == 0 { locations.chain(cells).collect() } else { cells.collect() };
        let _ = writeln!(out, "  {number:>3}  {name:<width$}  {}", changes.join(", "));
        before = Some(state);
    }
}

/// Statistics: numbers on one line, iterations as a table.
pub(crate) fn push_stats(out: &mut String, stats: &Value) {
    let Value::Object(stats) = stats else { return };
    let numbers = stats.iter().filter(|(_, v)| v.is_number()).map(|(k, v)| match v.as_f64() {
        Some(x) if !v.is_u64() => format!("{} {x:.1}", k.replace('_', " ")),
        _ => format!("{} {v}", k.replace('_', " ")),
    });
    let numbers: Vec<String> = numbers.collect();
    if !numbers.is_empty() {
        push(out, &format!("statistics: {}", numbers.join(", ")));
    }
    if let Some(Value::Array(iterations)) = stats.get("per_iteration") {
        push_iterations(out, iterations);
    }
}

fn push_iterations(out: &mut String, iterations: &[Value]) {
    /// More iterations than this are shown as the first and last few.
    const SHOWN: usize = 20;
    push(out, "  iteration  concrete  abstract  queries  hits  new predicates");
    for (i, iteration) in iterations.iter().enumerate() {
        if iterations.len() > SHOWN && i == SHOWN / 2 {
            push(out, "        ...");
        }
        if iterations.len() > SHOWN && (SHOWN / 2..iterations.len() - SHOWN / 2).contains(&i) {
            continue;
        }
        let number = |key: &str| iteration[key].as_u64().unwrap_or(0);
        let _ = writeln!(
            out,
            "  {:>9}  {:>8}  {:>8}  {:>7}  {:>4}  {}",
            i + 1,
            number("concrete_states"),
            number("abstract_states"),
            number("queries"),
            number("cache_hits"),
            predicates_text(&iteration["new_predicates"]),
        );
    }
}

pub(crate) fn predicates_text(predicates: &Value) -> String {
    const SHOWN: usize = 6;
    let names: Vec<&str> = predicates.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    match names.len() {
        0 => "-".to_owned(),
        n if n > SHOWN => format!("{}, ... ({n})", names[..SHOWN].join(", ")),
        _ => names.join(", "),
    }
}
