//! Reports as one page of HTML that needs nothing else: the source with the run through it, or with the invariants of the proof.
//!
//! The page is made by a template (`page.html`), which has the texts, and a script (`page.js`), which shows the steps of a run. All that depends on the
//! report is data: escaped by the template, or JSON that the script reads.

mod automata;
mod engines;
mod picture;

use std::collections::BTreeSet;

use clinch_checker::Report;
use clinch_checker::report::{
    CheckResult, Counterexample, Invariant, Lines, ProcessTrace, ProgramRun, Proof, TraceLine, Verdict,
};
use clinch_ir::cfa::{CfaProgram, ObjectKind};
use minijinja::{AutoEscape, Environment};
use serde_json::{Value, json};

use crate::outline::Outline;
use crate::sarif::ReadText;

const PAGE: &str = include_str!("page.html");
/// How pages look.
pub(crate) const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Larger files are not shown.
const LARGEST: usize = 1 << 20;
/// Inputs that somebody would read.
const MOST_INPUTS: usize = 200;

/// What a report is about.
pub struct About<'a> {
    /// The file of the model.
    pub model: &'a str,
    /// Reads a file of the program.
    pub read: ReadText<'a>,
    /// The program, if it has procedures.
    pub program: Option<&'a CfaProgram>,
    /// The error condition, if it is not in the model.
    pub error: Option<&'a str>,
    /// The version of clinch and of its solver.
    pub version: &'a str,
}

/// The page, or why it cannot be made.
pub fn html(report: &Report, about: &About<'_>) -> Result<String, String> {
    let runs = runs(report);
    let files = files(report, about, &runs);
    let invariants = invariants(report);
    let lanes = lanes(report);
    let data = data(report, about, (&runs, &files, invariants), lanes.as_ref());
    let marked = lines_of(&runs, invariants);
    let automata = about.program.map(|program| automata::draw(program, &marked)).unwrap_or_default();
    let calls = about.program.and_then(|program| automata::calls(program, &marked));
    let tree = report.artifacts.tree.as_ref().filter(|drawing| drawing.nodes.len() > 1).map(engines::tree);
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_template("page", PAGE).map_err(|error| error.to_string())?;
    let page = environment.get_template("page").map_err(|error| error.to_string())?;
    let checks = checks(report);
    let proof = proof(report);
    // What answers the question comes first.
    let sections = sections(&[
        ("run", "How it happens", !runs.is_empty()),
        ("lanes", "How it happens", lanes.is_some()),
        ("proof", "Why it is safe", proof.is_some()),
        ("assumed", "Assumed", proof.is_some() && !report.verdict.under().is_empty()),
        ("source", "Source", !files.is_empty()),
        ("inputs", "Inputs", runs.iter().any(|run| !run.inputs.is_empty())),
        ("checks", "Checks", !checks.is_empty()),
        ("assumed", "Assumed", proof.is_none() && !report.verdict.under().is_empty()),
        ("automata", "Automata", !automata.is_empty()),
        ("engines", "Engines", true),
        ("tree", "States", tree.is_some()),
    ]);
    let context = json!({
        "verdict": report.verdict.name(),
        "subject": about.model,
        "reason": reason(report, about),
        "sections": sections,
        "runs": runs.iter().map(|run| format!("{} at {}:{}", run.error, run.file, run.line)).collect::<Vec<_>>(),
        "harness": matches!(report.artifacts.harness, Some(Ok(_))),
        "checks_summary": summary(report),
        "checks": checks,
        "proof": proof,
        "assumptions": report.verdict.under(),
        "files": files.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "automata": automata,
        "calls": calls,
        "engines_text": engines::text(report),
        "timeline": engines::timeline(report),
        "tree": tree,
        "given_up": report.given_up.iter().map(|g| json!({ "engine": g.engine, "reason": g.reason })).collect::<Vec<_>>(),
        "statistics": engines::statistics(report),
        "certified": report.certified,
        "version": about.version,
        "css": STYLE,
        "script": SCRIPT,
        // Nothing in it may end the script that it stands in.
        "data": data.to_string().replace('<', "\\u003c"),
    });
    page.render(minijinja::Value::from(minijinja::value::Serde(&context))).map_err(|error| error.to_string())
}

fn sections(all: &[(&str, &str, bool)]) -> Vec<Value> {
    all.iter().filter(|section| section.2).map(|(id, title, _)| json!({ "id": id, "title": title })).collect()
}

/// The runs that show an error, in the order of their places.
fn runs(report: &Report) -> Vec<&ProgramRun> {
    let failing = report.checks.iter().filter_map(|checked| match &checked.result {
        CheckResult::Fails(run) => Some(run.as_ref()),
        CheckResult::Proved | CheckResult::Reached | CheckResult::Unknown(_) => None,
    });
    let failing: Vec<&ProgramRun> = failing.collect();
    match &report.verdict {
        Verdict::Unsafe { counterexample: Counterexample::Run(run), .. } if failing.is_empty() => vec![run],
        _ => failing,
    }
}

fn invariants(report: &Report) -> &[Invariant] {
    match &report.verdict {
        Verdict::Safe { proof: Proof::Invariants { invariants, .. } | Proof::Induction { invariants, .. }, .. } => {
            invariants
        }
        _ => &[],
    }
}

/// The reason of the verdict in a sentence.
fn reason(report: &Report, about: &About<'_>) -> String {
    match &report.verdict {
        Verdict::Unsafe { counterexample: Counterexample::Run(run), .. } => {
            let inputs: Vec<&str> = run.inputs.iter().take(12).map(|input| input.value.as_str()).collect();
            let more = if run.inputs.len() > 12 { ", …" } else { "" };
            let inputs = match inputs.len() {
                0 => "Every run".to_owned(),
                1 => format!("The run with input {}", inputs[0]),
                _ => format!("The run with inputs {}{more}", inputs.join(", ")),
            };
            let missed = run.lines.missed.as_ref().map(|missed| format!(" — {missed}")).unwrap_or_default();
            let fails = if run.error.starts_with("assert") { " fails" } else { "" };
            let file = run.file.rsplit('/').next().unwrap_or_default();
            format!("{inputs} comes to line {} of {file}, and there: {}{fails}{missed}.", run.line, run.error)
        }
        Verdict::Unsafe { counterexample: Counterexample::Processes(trace), .. } => {
            let condition = error_condition(about).map(|condition| format!(": {condition}")).unwrap_or_default();
            format!("After {} steps {}{condition}.", trace.steps.len(), trace.error)
        }
        Verdict::Unsafe { counterexample: Counterexample::Refutation(steps), .. } => {
            format!("The clauses contradict each other: false follows in {} steps.", steps.len())
        }
        Verdict::Safe { proof: Proof::Solution(_), .. } => "The clauses do not contradict each other.".to_owned(),
        Verdict::Safe { .. } if about.program.is_none() => {
            "No error can be reached, whatever the processes do.".to_owned()
        }
        Verdict::Safe { .. } => "No error can be reached, whatever the inputs are.".to_owned(),
        Verdict::Unknown { reason, .. } => format!("No verdict: {reason}."),
    }
}

/// The error condition: what was asked for, or the first one in the model.
fn error_condition(about: &About<'_>) -> Option<String> {
    let in_model = || {
        let text = (about.read)(about.model)?;
        let condition = text.lines().find_map(|line| line.trim_start().strip_prefix("error "))?;
        Some(condition.trim().trim_end_matches(';').to_owned())
    };
    about.error.map(str::to_owned).or_else(in_model)
}

/// Files that something is said about, with their texts.
fn files(report: &Report, about: &About<'_>, runs: &[&ProgramRun]) -> Vec<(String, String)> {
    let mut names: Vec<&str> = runs.iter().map(|run| run.file.as_str()).collect();
    names.push(about.model);
    let lines = runs.iter().flat_map(|run| run.lines.first.iter().chain(&run.lines.last));
    names.extend(lines.map(|line| line.file.as_str()));
    names.extend(invariants(report).iter().map(|invariant| invariant.file.as_str()));
    names.extend(report.checks.iter().map(|checked| checked.site.file.as_str()));
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    let read = |name: &str| (about.read)(name).filter(|text| text.len() < LARGEST);
    names.into_iter().filter_map(|name| Some((name.to_owned(), read(name)?))).collect()
}

type Shown<'a> = (&'a [&'a ProgramRun], &'a [(String, String)], &'a [Invariant]);

/// What the script shows.
fn data(report: &Report, about: &About<'_>, (runs, files, invariants): Shown<'_>, lanes: Option<&Value>) -> Value {
    let number = |file: &str| files.iter().position(|(name, _)| name == file).map_or(-1, |at| at as i64);
    let functions: Vec<Outline<'_>> = files.iter().map(|(_, text)| Outline::new(text)).collect();
    let step = |line: &TraceLine| {
        let file = number(&line.file);
        let outline = usize::try_from(file).ok().and_then(|file| functions.get(file));
        let function = outline.and_then(|outline| outline.function_around(outline.on_line(line.line).last()?));
        json!({ "file": file, "line": line.line, "depth": line.depth, "text": line.statement, "set": line.changes, "input": line.input, "function": function })
    };
    let steps = |lines: &Lines| -> Vec<Value> {
        let depth = lines.last.first().map_or(0, |line| line.depth);
        let gap = (lines.left_out > 0).then(|| json!({ "gap": lines.left_out, "depth": depth, "set": [], "text": "" }));
        lines.first.iter().map(step).chain(gap).chain(lines.last.iter().map(step)).collect()
    };
    let run = |run: &&ProgramRun| {
        let inputs = run.inputs.iter().take(MOST_INPUTS).map(|input| {
            let (ty, file, line) = input.place.clone().unwrap_or_default();
            json!({ "value": input.value, "from": input.from, "type": ty, "file": number(&file), "line": line })
        });
        let inputs = inputs.collect::<Vec<_>>();
        json!({ "file": number(&run.file), "line": run.line, "what": run.error, "steps": steps(&run.lines), "inputs": inputs })
    };
    let note = |i: &Invariant| json!({ "file": number(&i.file), "line": i.line, "text": i.invariant });
    json!({
        "names": files.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "files": files.iter().map(|(_, text)| text).collect::<Vec<_>>(),
        "runs": runs.iter().map(run).collect::<Vec<_>>(),
        "notes": invariants.iter().map(note).collect::<Vec<_>>(),
        "globals": about.program.map(globals).unwrap_or_default(),
        "harness": match &report.artifacts.harness { Some(Ok(text)) => Some(text), _ => None },
        "lanes": lanes,
    })
}

/// The names of variables that outlive every call.
fn globals(program: &CfaProgram) -> Vec<String> {
    let scalars = program.globals.iter().filter_map(|global| program.variables.get(&global.symbol));
    let scalars = scalars.filter(|info| !info.hidden).map(|info| info.name.clone());
    let objects = program.objects.iter().filter(|object| object.kind == ObjectKind::Static);
    // Of an array that is one variable for each element the name of the array.
    let name = |name: String| name.split(['[', '.']).next().unwrap_or_default().to_owned();
    let names: BTreeSet<String> = scalars.chain(objects.map(|object| object.name.clone())).map(name).collect();
    names.into_iter().collect()
}

/// A run of processes: who moves, and what changes.
fn lanes(report: &Report) -> Option<Value> {
    let Verdict::Unsafe { counterexample: Counterexample::Processes(trace), .. } = &report.verdict else { return None };
    let ProcessTrace { initial, steps, .. } = trace;
    let first = json!({ "text": "", "locations": initial.locations, "variables": initial.variables });
    let steps = steps.iter().map(|step| {
        json!({ "text": step.transition, "locations": step.changed.locations, "variables": step.changed.variables })
    });
    Some(json!({
        "processes": initial.locations.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "variables": initial.variables.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "steps": std::iter::once(first).chain(steps).collect::<Vec<_>>(),
    }))
}

fn checks(report: &Report) -> Vec<Value> {
    let row = |checked: &clinch_checker::report::Checked| {
        let site = &checked.site;
        let reason = match &checked.result {
            CheckResult::Unknown(reason) => Some(reason),
            CheckResult::Proved | CheckResult::Reached | CheckResult::Fails(_) => None,
        };
        json!({
            "file": site.file, "line": site.line, "place": format!("{}:{}:{}", site.file, site.line, site.column),
            "verdict": checked.result.name(), "what": site.what, "kind": site.check, "reason": reason,
        })
    };
    let mut rows: Vec<&clinch_checker::report::Checked> = report.checks.iter().collect();
    // What fails first, then what is open.
    rows.sort_by_key(|checked| ["fails", "unknown", "proved"].iter().position(|name| *name == checked.result.name()));
    rows.into_iter().map(row).collect()
}

fn summary(report: &Report) -> String {
    let count = |name: &str| report.checks.iter().filter(|checked| checked.result.name() == name).count();
    format!("{} fail, {} proved, {} unknown", count("fails"), count("proved"), count("unknown"))
}

/// Why it is safe: a sentence, and what holds where.
fn proof(report: &Report) -> Option<Value> {
    let Verdict::Safe { proof, .. } = &report.verdict else { return None };
    let row = |place: String, text: String| json!({ "place": place, "text": text });
    let rows: Vec<Value> = match proof {
        Proof::Invariants { invariants, .. } | Proof::Induction { invariants, .. } => {
            let row = |i: &Invariant| json!({ "file": i.file, "line": i.line, "place": format!("{}:{}", i.file, i.line), "text": i.invariant });
            invariants.iter().map(row).collect()
        }
        Proof::Bounds(bounds) => {
            let row = |b: &clinch_checker::report::Bound| {
                row(format!("{}:{}", b.file, b.line), format!("at most {} {}", b.times, b.what))
            };
            bounds.iter().map(row).collect()
        }
        Proof::Solution(solved) => solved.iter().map(|s| row(s.predicate.clone(), s.formula.clone())).collect(),
        Proof::AbstractStates { predicates, .. } => {
            predicates.iter().zip(1..).map(|(predicate, at)| row(format!("{at}"), predicate.clone())).collect()
        }
        Proof::ReachedSet { .. } | Proof::AllRuns { .. } | Proof::Summaries { .. } => Vec::new(),
    };
    let head = match proof {
        Proof::AbstractStates { .. } => ["", "Predicate"],
        Proof::Solution(_) => ["Of", "Solution"],
        _ => ["Place", "Holds whenever a run comes there"],
    };
    Some(json!({ "text": proof_text(report, proof), "rows": rows, "head": head }))
}

/// What a proof says, in sentences.
fn proof_text(report: &Report, proof: &Proof) -> String {
    let why = match proof {
        Proof::Invariants { points, .. } => format!(
            "Invariants at {points} points of the program hold whenever a run comes there: each of them follows from those \
             before it by every step between them. With them no step ends in an error. Those that can be written in C are below, and in the source."
        ),
        Proof::Induction { depth, loops, .. } => format!(
            "Induction over the last {depth} iterations of {loops} loops: if no check failed in them, none fails in the next."
        ),
        Proof::AbstractStates { states, predicates } => format!(
            "{states} abstract states cover every state that can be reached. Each says where the processes are and which of these {} \
             predicates hold; every step from one of them leads into another one, and none of them contains an error.",
            predicates.len()
        ),
        Proof::ReachedSet { states, reduced: true, .. } => format!(
            "{states} states were looked at, and in each of them those steps that cannot wait until others were taken: all errors would be \
             found this way, and none is there."
        ),
        Proof::ReachedSet { states, .. } => {
            format!(
                "All {states} states that can be reached were looked at: every step from one of them leads to another one, and none is an error."
            )
        }
        Proof::AllRuns { states } => {
            format!("All runs were executed, for all values of their inputs: {states} states at inputs, and no error.")
        }
        Proof::Bounds(_) => {
            "No run goes on for ever: loops and recursion have these bounds, and within them no run ends in an error."
                .to_owned()
        }
        Proof::Summaries { points, .. } => format!(
            "Summaries of the procedures, at {points} locations, say what each call may do, whoever calls it. They leave no error."
        ),
        Proof::Solution(solved) => format!(
            "The clauses have a solution: with these formulas for {} predicates every clause is true, so that false does not follow.",
            solved.len()
        ),
    };
    format!("{why} This was re-checked in {:.2} s.", report.certify_time.as_secs_f64())
}

/// The lines that runs pass, or that something is known about.
fn lines_of(runs: &[&ProgramRun], invariants: &[Invariant]) -> BTreeSet<(String, u32)> {
    let steps = runs.iter().take(1).flat_map(|run| run.lines.first.iter().chain(&run.lines.last));
    let steps = steps.map(|line| (line.file.clone(), line.line));
    steps.chain(invariants.iter().map(|i| (i.file.clone(), i.line))).collect()
}
