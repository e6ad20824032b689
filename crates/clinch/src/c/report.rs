//! What clinch prints about programs with procedures.

use std::fmt::Write as _;

use clinch_certify::Stop;
use clinch_frontend::c::types::DataModel;
use clinch_ir::LocId;
use clinch_ir::cfa::{
    CfaProgram, CfaProof, CfaVerdict, InputOrigin, InputTrace, InputValue, Integers, Invariants, Place, ProcedureId,
    Unrolling,
};
use serde_json::{Value, json};

use super::assumptions::assumptions;
use super::confirm::Confirmation;
use super::invariants::invariants;
use super::load::{Language, Loaded};
use super::{harness, trace};
use crate::check::Outcome;
use crate::property;
use crate::report::{json_head, times};

/// The outcome for people.
pub(crate) fn text(
    loaded: &Loaded,
    outcome: &Outcome<CfaVerdict>,
    confirmation: Option<&Confirmation>,
    stop: Stop<'_>,
) -> String {
    let program = &loaded.program;
    let (time, checked) = times(outcome);
    let mut out = String::new();
    match &outcome.verdict {
        CfaVerdict::Safe(proof) => {
            let _ = match reason(loaded, proof) {
                None => writeln!(out, "SAFE: no error is reachable ({time})"),
                Some(reason) => writeln!(out, "UNKNOWN: {reason} ({time})"),
            };
            let _ = writeln!(out, "proof: {}; {checked}", proof_text(proof));
            match proof {
                CfaProof::Invariants(proof) => out.push_str(&invariants_text(program, proof, stop)),
                CfaProof::Unrolled(proof) => out.push_str(&bounds_text(program, proof)),
                CfaProof::Reached(_) | CfaProof::Summaries(_) => {}
            }
        }
        CfaVerdict::Unknown(reason) => {
            let _ = writeln!(out, "UNKNOWN: {reason} ({time})");
        }
        CfaVerdict::Unsafe(found) => {
            let place = program.source.place(found.span);
            let _ = writeln!(out, "UNSAFE: {} at {}:{}:{} ({time})", found.error, place.file, place.line, place.column);
            let _ = writeln!(out, "{}", inputs_text(program, found));
            out.push_str("trace:\n");
            out.push_str(&trace::text(&trace::lines(program, loaded.language, found)));
            let execution = match loaded.language {
                Language::C => format!("; {}", confirmation_text(confirmation)),
                Language::Remopla => String::new(),
            };
            let _ = writeln!(out, "evidence: the run was replayed on the model{execution}");
        }
    }
    if program.integers == Integers::Mathematical {
        out.push_str("integers: mathematical; the verdict is about unbounded integers, not the machine's\n");
    }
    for assumption in assumptions(program, &outcome.verdict) {
        let _ = writeln!(out, "assumed: {assumption}");
    }
    for note in notes(loaded, &outcome.verdict) {
        let _ = writeln!(out, "note: {note}");
    }
    if let Some(note) = expectation(loaded, &outcome.verdict) {
        let _ = writeln!(out, "{note}");
    }
    out.trim_end().to_owned()
}

/// What stands beside a verdict that is not an assumption: that the program has no error to reach.
fn notes(loaded: &Loaded, verdict: &CfaVerdict) -> Vec<String> {
    let empty = matches!(verdict, CfaVerdict::Safe(_))
        && loaded.language == Language::C
        && property::has_no_error(&loaded.program);
    if empty { vec!["the program contains no error: nothing was checked".to_owned()] } else { Vec::new() }
}

/// All that keeps "safe" from being the last word, which `--strict` asks for.
pub(crate) fn reservations(loaded: &Loaded, verdict: &CfaVerdict) -> Vec<String> {
    let mut all = assumptions(&loaded.program, verdict);
    all.extend(notes(loaded, verdict));
    all
}

/// Whether a model in another language than C has no error: then there is no verdict. (A C program may be written before its
/// assertions are.)
pub(crate) fn checks_nothing(loaded: &Loaded) -> bool {
    loaded.language != Language::C && property::has_no_error(&loaded.program)
}

/// Why a proof is none of what was asked, if so.
fn reason(loaded: &Loaded, proof: &CfaProof) -> Option<String> {
    let nothing = "the program has no error label (see --label): nothing was checked";
    int_bits(proof).map(narrow_reason).or_else(|| checks_nothing(loaded).then(|| nothing.to_owned()))
}

fn proof_text(proof: &CfaProof) -> String {
    match proof {
        CfaProof::Reached(reached) => format!("all runs, {} states at inputs", reached.states.len()),
        CfaProof::Invariants(proof) => format!("invariants at {} points", proof.points.len()),
        CfaProof::Unrolled(_) => "all runs, as far as they can go".to_owned(),
        CfaProof::Summaries(proof) => format!("procedure summaries, formulas at {} locations", proof.points.len()),
    }
}

/// What a proof about narrow integers says about the program.
fn narrow_reason(bits: u32) -> String {
    format!("safe for {bits}-bit integers, but the program's own are wider")
}

/// The width of integers that a proof is about, where it is not the real one.
pub(crate) fn int_bits(proof: &CfaProof) -> Option<u32> {
    match proof {
        CfaProof::Summaries(proof) => proof.int_bits,
        CfaProof::Reached(_) | CfaProof::Invariants(_) | CfaProof::Unrolled(_) => None,
    }
}

/// The loops that runs go round, and the procedures that call themselves: where they are, and how often at most.
fn bounds(program: &CfaProgram, proof: &Unrolling) -> Vec<(Place, &'static str, u32)> {
    let of_loop = |&(procedure, head, times): &(ProcedureId, LocId, u32)| {
        let span = program.procedure(procedure).locations[head.index()].span;
        (program.source.place(span), "iterations", times)
    };
    let of_call = |&(procedure, times): &(ProcedureId, u32)| {
        (program.source.place(program.procedure(procedure).span), "activations", times)
    };
    let mut all: Vec<_> = proof.loops.iter().map(of_loop).chain(proof.calls.iter().map(of_call)).collect();
    all.retain(|(_, _, times)| *times > 0);
    all
}

fn bounds_text(program: &CfaProgram, proof: &Unrolling) -> String {
    const SHOWN: usize = 20;
    let mut out = String::new();
    for (place, what, times) in bounds(program, proof).into_iter().take(SHOWN) {
        let of = if what == "iterations" { "loop" } else { "function" };
        let _ = writeln!(out, "  every run ends within {times} {what} of the {of} at {}:{}", place.file, place.line);
    }
    out
}

fn invariants_text(program: &CfaProgram, proof: &Invariants, stop: Stop<'_>) -> String {
    const SHOWN: usize = 20;
    const LENGTH: usize = 300;
    let mut out = String::new();
    for (place, text) in invariants(program, proof, stop).into_iter().take(SHOWN) {
        let short: String = text.chars().take(LENGTH).collect();
        let more = if short.len() < text.len() { " ..." } else { "" };
        let _ = writeln!(out, "  at {}:{}: {short}{more}", place.file, place.line);
    }
    out
}

fn confirmation_text(confirmation: Option<&Confirmation>) -> String {
    match confirmation {
        Some(Confirmation::Executed) => "confirmed by execution".to_owned(),
        Some(Confirmation::Impossible(why) | Confirmation::Refuted(why)) => {
            format!("not confirmed by execution: {why}")
        }
        None => "not executed".to_owned(),
    }
}

fn inputs_text(program: &CfaProgram, found: &InputTrace) -> String {
    const SHOWN: usize = 20;
    if found.inputs.is_empty() {
        return "inputs: none".to_owned();
    }
    let values: Vec<String> = found.inputs.iter().map(|i| value_text(program, i)).collect();
    let more = if values.len() > SHOWN { format!(", ... ({} in all)", values.len()) } else { String::new() };
    format!("inputs: {}{more}", values[..values.len().min(SHOWN)].join(", "))
}

fn value_text(program: &CfaProgram, input: &InputValue) -> String {
    let signed = match &input.origin {
        InputOrigin::Site(site) => program.inputs[site.index()].signed,
        InputOrigin::Memory(_) => true,
    };
    trace::show_bits(program, input.bits, input.width, signed)
}

/// What the task file expects, where the verdict is another one.
fn expectation(loaded: &Loaded, verdict: &CfaVerdict) -> Option<String> {
    let safe = match verdict {
        CfaVerdict::Safe(_) => true,
        CfaVerdict::Unsafe(_) => false,
        CfaVerdict::Unknown(_) => return None,
    };
    let expected = loaded.expected?;
    let agrees = if expected == safe { "agrees" } else { "DISAGREES" };
    Some(format!("task: the verdict {agrees} with the expected one ({expected})"))
}

/// The outcome as one JSON object.
pub(crate) fn json(
    loaded: &Loaded,
    outcome: &Outcome<CfaVerdict>,
    confirmation: Option<&Confirmation>,
    stop: Stop<'_>,
) -> String {
    let program = &loaded.program;
    let verdict = match &outcome.verdict {
        CfaVerdict::Safe(proof) if reason(loaded, proof).is_some() => "unknown",
        CfaVerdict::Safe(_) => "safe",
        CfaVerdict::Unsafe(_) => "unsafe",
        CfaVerdict::Unknown(_) => "unknown",
    };
    let mut object = json_head(verdict, outcome);
    if loaded.language == Language::C {
        object["data_model"] = if loaded.data_model == DataModel::Ilp32 { "ilp32" } else { "lp64" }.into();
    }
    object["integers"] = if program.integers == Integers::Machine { "machine" } else { "mathematical" }.into();
    object["assumptions"] = assumptions(program, &outcome.verdict).into();
    object["notes"] = notes(loaded, &outcome.verdict).into();
    if matches!(outcome.verdict, CfaVerdict::Safe(_)) {
        object["strictly_safe"] = (verdict == "safe" && reservations(loaded, &outcome.verdict).is_empty()).into();
    }
    if let Some(expected) = loaded.expected {
        object["expected"] = if expected { "safe" } else { "unsafe" }.into();
    }
    match &outcome.verdict {
        CfaVerdict::Unknown(reason) => object["reason"] = reason.to_string().into(),
        CfaVerdict::Safe(proof) => {
            if let Some(reason) = reason(loaded, proof) {
                object["reason"] = reason.into();
            }
            object["proof"] = json_proof(program, proof, stop);
        }
        CfaVerdict::Unsafe(found) => {
            let place = program.source.place(found.span);
            object["error"] =
                json!({ "what": found.error, "file": place.file, "line": place.line, "column": place.column });
            object["inputs"] = found.inputs.iter().map(|input| json_input(program, input)).collect();
            object["trace"] = trace::json(&trace::lines(program, loaded.language, found));
            if loaded.language == Language::C {
                object["confirmed"] = (confirmation == Some(&Confirmation::Executed)).into();
            }
            if let Some(Confirmation::Impossible(why)) = confirmation {
                object["confirmation"] = why.as_str().into();
            }
        }
    }
    object["stats"] = outcome.stats.clone();
    object.to_string()
}

fn json_proof(program: &CfaProgram, proof: &CfaProof, stop: Stop<'_>) -> Value {
    match proof {
        CfaProof::Reached(reached) => json!({ "kind": "reached states", "states": reached.states.len() }),
        CfaProof::Invariants(proof) => {
            let invariants: Vec<Value> = invariants(program, proof, stop)
                .into_iter()
                .map(|(place, invariant)| json!({ "file": place.file, "line": place.line, "invariant": invariant }))
                .collect();
            json!({ "kind": "invariants", "points": proof.points.len(), "invariants": invariants })
        }
        CfaProof::Unrolled(proof) => {
            let bounds: Vec<Value> = bounds(program, proof)
                .into_iter()
                .map(|(place, what, times)| json!({ "file": place.file, "line": place.line, what: times }))
                .collect();
            json!({ "kind": "bounds", "bounds": bounds })
        }
        CfaProof::Summaries(proof) => {
            let (int_bits, heap_bits) = (proof.int_bits, proof.heap_bits);
            json!({ "kind": "summaries", "points": proof.points.len(), "int_bits": int_bits, "heap_bits": heap_bits })
        }
    }
}

fn json_input(program: &CfaProgram, input: &InputValue) -> Value {
    match &input.origin {
        InputOrigin::Site(site) => {
            let site = &program.inputs[site.index()];
            let place = program.source.place(site.span);
            json!({
                "from": harness::origin_text(&site.kind),
                "type": site.ty,
                "value": value_text(program, input),
                "file": place.file,
                "line": place.line,
            })
        }
        InputOrigin::Memory(object) => {
            json!({ "from": format!("memory of {object}"), "value": value_text(program, input) })
        }
    }
}
