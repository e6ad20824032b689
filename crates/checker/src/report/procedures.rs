//! Reports about programs with procedures.

use clinch_certify::Stop;
use clinch_frontend::c::types::DataModel;
use clinch_ir::Reason;
use clinch_ir::cfa::{
    AllocKind, CfaProgram, CfaProof, CfaVerdict, Check, InputKind, InputOrigin, InputTrace, InputValue, Integers, Op,
    ProcedureId, Unrolling,
};
use clinch_machine::Machine;
use clinch_terms::LocId;

use super::{
    Bound, Confirmation, Counterexample, Invariant, ProgramRun, Proof, Report, RunInput, Subject, Telling, Verdict,
};
use crate::c::assumptions::assumptions;
use crate::c::invariants::{Shown, at_heads, invariants};
use crate::c::load::{Language, Loaded};
use crate::c::{harness, trace, vacuous};
use crate::check::Outcome;
use crate::property;

/// Why a proof says nothing of leaks.
const LOST: &str = "memory that a run loses which does not end";

/// The report of a check of a program. `stop` says when no more time is spent on making invariants short.
pub(crate) fn of_procedures(
    loaded: &Loaded,
    outcome: Outcome<CfaVerdict>,
    confirmation: Option<Confirmation>,
    stop: Stop<'_>,
) -> Report {
    let program = &loaded.program;
    let under = assumptions(program, outcome.verdict.verdict());
    let verdict = match outcome.verdict.verdict() {
        CfaVerdict::Safe(found) => {
            let proof = proof(loaded, found, stop);
            match reason(loaded, found) {
                Some(reason) => Verdict::Unknown { reason, telling: Telling::Unsupported, proof: Some(proof) },
                None if may_lose(loaded, found) => Verdict::unknown(&Reason::Unsupported(LOST.to_owned())),
                None => Verdict::Safe { proof, under },
            }
        }
        CfaVerdict::Unsafe(found) => {
            Verdict::Unsafe { counterexample: Counterexample::Run(run(loaded, found, confirmation)), under }
        }
        CfaVerdict::Unknown(reason) => Verdict::unknown(reason),
    };
    report(loaded, outcome, verdict)
}

/// The report of a check of the outline of a program.
pub(crate) fn of_outline(loaded: &Loaded, outline: &CfaProgram, outcome: Outcome<CfaVerdict>) -> Report {
    let verdict = match outcome.verdict.verdict() {
        CfaVerdict::Safe(found) => {
            Verdict::Safe { proof: proof(loaded, found, &|| true), under: outline.assumptions.clone() }
        }
        // An error of the outline is none of the program.
        CfaVerdict::Unsafe(_) => Verdict::unknown(&Reason::NoProgress),
        CfaVerdict::Unknown(reason) => Verdict::unknown(reason),
    };
    report(loaded, outcome, verdict)
}

fn report(loaded: &Loaded, outcome: Outcome<CfaVerdict>, verdict: Verdict) -> Report {
    let notes = notes(loaded, outcome.verdict.verdict());
    Report { notes, expected: loaded.expected, ..outcome.report(verdict, subject(loaded)) }
}

fn subject(loaded: &Loaded) -> Subject {
    match loaded.language {
        Language::C => Subject::C {
            ilp32: loaded.data_model == DataModel::Ilp32,
            mathematical: loaded.program.integers == Integers::Mathematical,
        },
        Language::Remopla => Subject::Remopla,
    }
}

/// What stands beside a verdict that is not an assumption: that there may have been nothing to check.
fn notes(loaded: &Loaded, verdict: &CfaVerdict) -> Vec<String> {
    if loaded.language != Language::C || !matches!(verdict, CfaVerdict::Safe(_)) {
        return Vec::new();
    }
    if loaded.checks == Check::Assertion.into() && property::has_no_error(&loaded.program) {
        return vec!["the program contains no error: nothing was checked".to_owned()];
    }
    let blocked = vacuous::blocked_runs(&loaded.program);
    let blocked =
        blocked.map(|runs| format!("each of {runs} runs tried ends at an assumption: perhaps no run passes it"));
    blocked.into_iter().collect()
}

/// Why a proof is none of what was asked, if so. A model in another language than C without error has no verdict; a C program may
/// be written before its assertions are.
fn reason(loaded: &Loaded, proof: &CfaProof) -> Option<String> {
    let nothing = "the program has no error label (see --label): nothing was checked";
    let checks_nothing = loaded.language != Language::C && property::has_no_error(&loaded.program);
    // With other integers than its own it is another program.
    let narrow = |bits| format!("safe for {bits}-bit integers, but the program's own are wider");
    int_bits(proof).map(narrow).or_else(|| checks_nothing.then(|| nothing.to_owned()))
}

/// Whether a run may lose memory that no check sees: they are at the end, which a run that a proof is about may never come to.
fn may_lose(loaded: &Loaded, proof: &CfaProof) -> bool {
    let all_end = match proof {
        CfaProof::Unrolled(_) => true,
        CfaProof::Reached(reached) => reached.states.is_empty(),
        CfaProof::Invariants(_) | CfaProof::Induction(_) | CfaProof::Summaries(_) => false,
    };
    let mut edges = loaded.program.procedures.iter().flat_map(|p| &p.edges);
    let allocates = |op: &Op| matches!(op, Op::Alloc { kind: AllocKind::Heap, .. });
    !all_end && loaded.checks.contains(Check::Leak) && edges.any(|edge| allocates(&edge.op))
}

/// The width of integers that a proof is about, where it is not the real one.
fn int_bits(proof: &CfaProof) -> Option<u32> {
    match proof {
        CfaProof::Summaries(proof) => proof.int_bits,
        CfaProof::Reached(_) | CfaProof::Invariants(_) | CfaProof::Unrolled(_) | CfaProof::Induction(_) => None,
    }
}

fn proof(loaded: &Loaded, proof: &CfaProof, stop: Stop<'_>) -> Proof {
    let program = &loaded.program;
    let shown = match proof {
        CfaProof::Invariants(proof) => invariants(program, proof, stop),
        CfaProof::Induction(proof) => {
            let heads = proof.loops.iter().map(|l| (l.procedure, l.head, l.invariant)).collect();
            at_heads(program, &mut proof.terms.clone(), heads, None, stop)
        }
        _ => Vec::new(),
    };
    let bounds = match proof {
        CfaProof::Unrolled(proof) => bounds(program, proof),
        _ => Vec::new(),
    };
    told(proof, shown.into_iter().map(|shown| invariant(loaded, shown)).collect(), bounds)
}

/// A proof about procedures, with the invariants and bounds of it that can be told.
pub(super) fn told(proof: &CfaProof, invariants: Vec<Invariant>, bounds: Vec<Bound>) -> Proof {
    match proof {
        CfaProof::Reached(reached) => Proof::AllRuns { states: reached.states.len() as u64 },
        CfaProof::Invariants(proof) => Proof::Invariants { points: proof.points.len() as u64, invariants },
        CfaProof::Induction(proof) => Proof::Induction {
            depth: proof.loops.iter().map(|l| l.depth).max().unwrap_or(0),
            loops: proof.loops.len() as u64,
            invariants,
        },
        CfaProof::Unrolled(_) => Proof::Bounds(bounds),
        CfaProof::Summaries(proof) => {
            Proof::Summaries { points: proof.points.len() as u64, int_bits: proof.int_bits, heap_bits: proof.heap_bits }
        }
    }
}

fn invariant(loaded: &Loaded, shown: Shown) -> Invariant {
    let place = loaded.program.source.place(shown.span);
    let spot = loaded.spot(shown.span, &loaded.program.procedure(shown.procedure).name);
    let Shown { text: invariant, quantified, at_head, .. } = shown;
    Invariant { file: place.file, line: place.line, invariant, quantified, at_head, spot }
}

/// The loops that runs go round, and the procedures that call themselves: where they are, and how often at most.
fn bounds(program: &CfaProgram, proof: &Unrolling) -> Vec<Bound> {
    let bound = |span, what: &str, times| {
        let place = program.source.place(span);
        Bound { file: place.file, line: place.line, what: what.to_owned(), times }
    };
    let of_loop = |&(procedure, head, times): &(ProcedureId, LocId, u32)| {
        bound(program.procedure(procedure).locations[head.index()].span, "iterations", times)
    };
    let of_call =
        |&(procedure, times): &(ProcedureId, u32)| bound(program.procedure(procedure).span, "activations", times);
    let mut all: Vec<_> = proof.loops.iter().map(of_loop).chain(proof.calls.iter().map(of_call)).collect();
    all.retain(|bound| bound.times > 0);
    all
}

fn run(loaded: &Loaded, found: &InputTrace, confirmation: Option<Confirmation>) -> ProgramRun {
    let program = &loaded.program;
    let place = program.source.place(found.span);
    let machine = Machine::new(program);
    // What a variable holds before it is set is no news.
    let is_news = |value: &&InputValue| match value.origin {
        InputOrigin::Site(site) => machine.site_matters(site),
        InputOrigin::Memory(_) => true,
    };
    let function = loaded.function_with(|op, span| matches!(op, Op::Error(_)) && span == found.span);
    ProgramRun {
        check: found.error.check.group().to_owned(),
        subproperty: found.error.check.subproperty().map(str::to_owned),
        error: found.error.text.clone(),
        file: place.file,
        line: place.line,
        column: place.column,
        spot: loaded.spot(found.span, function),
        inputs: found.inputs.iter().filter(is_news).map(|value| input(loaded, value)).collect(),
        lines: trace::lines(program, loaded.language, found),
        confirmation,
    }
}

fn input(loaded: &Loaded, input: &InputValue) -> RunInput {
    let program = &loaded.program;
    let value = |signed| trace::show_bits(program, input.bits, input.width, signed);
    match &input.origin {
        InputOrigin::Site(id) => {
            let site = &program.inputs[id.index()];
            let place = program.source.place(site.span);
            let is_call = matches!(site.kind, InputKind::Nondet(_) | InputKind::Extern(_));
            let function = loaded.function_with(|op, _| matches!(op, Op::Input(_, other) if other == id));
            RunInput {
                from: harness::origin_text(&site.kind),
                value: trace::show_float_of(&site.ty, input.bits).unwrap_or_else(|| value(site.signed)),
                place: Some((site.ty.clone(), place.file, place.line)),
                call_end: is_call.then(|| loaded.spot_of_end(site.span, function)).flatten(),
            }
        }
        InputOrigin::Memory(object) => {
            RunInput { from: format!("memory of {object}"), value: value(true), place: None, call_end: None }
        }
    }
}
