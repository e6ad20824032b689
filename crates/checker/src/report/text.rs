//! Reports for people.

use std::fmt::{self, Display, Formatter, Write as _};

use serde_json::Value;

use super::{
    Bound, Confirmation, Counterexample, Derived, Invariant, ProcessTrace, ProgramRun, Proof, Report, Solved, Subject,
    Verdict,
};

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.write(&mut out)?;
        f.write_str(out.trim_end())
    }
}

impl Report {
    fn write(&self, out: &mut String) -> fmt::Result {
        match &self.verdict {
            Verdict::Safe { proof, .. } => {
                let what = match self.subject {
                    Subject::Clauses => "the clauses have a solution, sat",
                    _ => "no error is reachable",
                };
                writeln!(out, "SAFE: {what} ({})", self.search())?;
                self.write_proof(out, proof)?;
            }
            Verdict::Unsafe { counterexample, .. } => self.write_counterexample(out, counterexample)?,
            Verdict::Unknown { reason, proof, .. } => {
                writeln!(out, "UNKNOWN: {reason} ({})", self.search())?;
                if let Some(proof) = proof {
                    self.write_proof(out, proof)?;
                }
            }
        }
        if matches!(self.subject, Subject::C { mathematical: true, .. }) {
            writeln!(out, "integers: mathematical; the verdict is about unbounded integers, not the machine's")?;
        }
        for assumption in self.verdict.under() {
            writeln!(out, "assumed: {assumption}")?;
        }
        for note in &self.notes {
            writeln!(out, "note: {note}")?;
        }
        if let Some(agreement) = self.agreement() {
            writeln!(out, "{agreement}")?;
        }
        match self.subject {
            Subject::C { .. } | Subject::Remopla => Ok(()),
            Subject::Processes | Subject::Clauses | Subject::Nothing => write_stats(out, &self.stats),
        }
    }

    /// Who searched, and how long.
    fn search(&self) -> String {
        format!("{}, {:.2} s", self.engine, self.time.as_secs_f64())
    }

    /// How long the re-check took.
    fn recheck(&self) -> String {
        match self.certified {
            true => format!("re-checked in {:.2} s", self.certify_time.as_secs_f64()),
            false => "NOT re-checked".to_owned(),
        }
    }

    /// What the task file expects, where there is a verdict.
    fn agreement(&self) -> Option<String> {
        let safe = match self.verdict {
            Verdict::Safe { .. } => true,
            Verdict::Unsafe { .. } => false,
            Verdict::Unknown { .. } => return None,
        };
        let expected = self.expected?;
        let agrees = if expected == safe { "agrees" } else { "DISAGREES" };
        Some(format!("task: the verdict {agrees} with the expected one ({expected})"))
    }

    fn write_proof(&self, out: &mut String, proof: &Proof) -> fmt::Result {
        let checked = self.recheck();
        if let Proof::Solution(solved) = proof {
            writeln!(out, "solution ({checked}):")?;
            return solved.iter().try_for_each(|solved| writeln!(out, "  {}: {}", head(solved), solved.formula));
        }
        writeln!(out, "proof: {}; {checked}", proof_text(proof))?;
        match proof {
            Proof::Invariants { invariants, .. } | Proof::Induction { invariants, .. } => {
                write_invariants(out, invariants)
            }
            Proof::Bounds(bounds) => write_bounds(out, bounds),
            _ => Ok(()),
        }
    }

    fn write_counterexample(&self, out: &mut String, counterexample: &Counterexample) -> fmt::Result {
        let (time, checked) = (self.search(), self.recheck());
        match counterexample {
            Counterexample::Processes(trace) => {
                writeln!(out, "UNSAFE: {} after {} steps ({time})", trace.error, trace.steps.len())?;
                writeln!(out, "trace ({checked} by replay):")?;
                write_process_trace(out, trace)
            }
            Counterexample::Refutation(steps) => {
                writeln!(out, "UNSAFE: the clauses contradict each other, unsat ({time})")?;
                writeln!(out, "refutation in {} steps ({checked}):", steps.len())?;
                steps.iter().enumerate().try_for_each(|(number, step)| write_derived(out, number, step))
            }
            Counterexample::Run(run) => {
                writeln!(out, "UNSAFE: {} at {}:{}:{} ({time})", run.error, run.file, run.line, run.column)?;
                write_run(out, run, self.subject)
            }
        }
    }
}

fn proof_text(proof: &Proof) -> String {
    match proof {
        Proof::ReachedSet { states, forgetful } => {
            let apart = if *forgetful { " (apart from dead variables)" } else { "" };
            format!("{states} states{apart}, closed under all steps, none of them an error")
        }
        Proof::AbstractStates { states, predicates } => abstract_text(*states, predicates),
        Proof::Solution(_) => "a solution".to_owned(),
        Proof::AllRuns { states } => format!("all runs, {states} states at inputs"),
        Proof::Invariants { points, .. } => format!("invariants at {points} points"),
        Proof::Induction { depth, loops, .. } => {
            let (s, them) = if *loops == 1 { ("", "the loop") } else { ("s", "each of the loops") };
            format!("induction over {loops} loop{s}, from {depth} to the next of the iterations of {them}")
        }
        Proof::Bounds(_) => "all runs, as far as they can go".to_owned(),
        Proof::Summaries { points, .. } => format!("procedure summaries, formulas at {points} locations"),
    }
}

fn abstract_text(states: u64, predicates: &[String]) -> String {
    const SHOWN: usize = 12;
    let mut names: Vec<&str> = predicates.iter().take(SHOWN).map(String::as_str).collect();
    if predicates.len() > SHOWN {
        names.push("...");
    }
    format!("{states} abstract states, inductive over the {} predicates {}", predicates.len(), names.join(", "))
}

fn write_bounds(out: &mut String, bounds: &[Bound]) -> fmt::Result {
    const SHOWN: usize = 20;
    bounds.iter().take(SHOWN).try_for_each(|Bound { file, line, what, times }| {
        let of = if what == "iterations" { "loop" } else { "function" };
        writeln!(out, "  every run ends within {times} {what} of the {of} at {file}:{line}")
    })
}

fn write_invariants(out: &mut String, invariants: &[Invariant]) -> fmt::Result {
    const SHOWN: usize = 20;
    const LENGTH: usize = 300;
    invariants.iter().take(SHOWN).try_for_each(|Invariant { file, line, invariant }| {
        let short: String = invariant.chars().take(LENGTH).collect();
        let more = if short.len() < invariant.len() { " ..." } else { "" };
        writeln!(out, "  at {file}:{line}: {short}{more}")
    })
}

/// A predicate with its parameters.
fn head(solved: &Solved) -> String {
    let params: Vec<&str> = solved.params.iter().map(|(name, _)| name.as_str()).collect();
    if params.is_empty() { solved.predicate.clone() } else { format!("{}({})", solved.predicate, params.join(", ")) }
}

fn write_derived(out: &mut String, number: usize, step: &Derived) -> fmt::Result {
    let premises: Vec<String> = step.premises.iter().map(|p| (p + 1).to_string()).collect();
    let from = if premises.is_empty() { String::new() } else { format!(" from {}", premises.join(", ")) };
    let (conclusion, clause, line) = (&step.conclusion, step.clause + 1, step.line);
    writeln!(out, "  {:>3}  {conclusion}  (clause {clause}, line {line}{from})", number + 1)
}

/// Each step with what it changed.
fn write_process_trace(out: &mut String, trace: &ProcessTrace) -> fmt::Result {
    let width = trace.steps.iter().map(|s| s.transition.chars().count()).max().unwrap_or(0).clamp(7, 48);
    let assigned = |variables: &[(String, String)]| -> Vec<String> {
        variables.iter().map(|(x, v)| format!("{x} = {v}")).collect()
    };
    let at = trace.initial.locations.iter().map(|(p, l)| format!("{p} at {l}"));
    let start: Vec<String> = at.chain(assigned(&trace.initial.variables)).collect();
    writeln!(out, "  {:>3}  {:<width$}  {}", 0, "initial", start.join(", "))?;
    trace.steps.iter().enumerate().try_for_each(|(number, step)| {
        let changes = assigned(&step.changed.variables).join(", ");
        writeln!(out, "  {:>3}  {:<width$}  {changes}", number + 1, step.transition)
    })
}

fn write_run(out: &mut String, run: &ProgramRun, subject: Subject) -> fmt::Result {
    writeln!(out, "{}", inputs_text(run))?;
    writeln!(out, "trace:")?;
    out.push_str(&run.lines.to_text());
    let execution = match (subject, &run.confirmation) {
        (Subject::Remopla, _) => String::new(),
        (_, Some(Confirmation::Executed)) => "; confirmed by execution".to_owned(),
        (_, Some(Confirmation::Sanitizer(what))) => format!("; confirmed by execution: {what}"),
        (_, Some(Confirmation::Impossible(why) | Confirmation::Refuted(why))) => {
            format!("; not confirmed by execution: {why}")
        }
        (_, None) => "; not executed".to_owned(),
    };
    writeln!(out, "evidence: the run was replayed on the model{execution}")
}

fn inputs_text(run: &ProgramRun) -> String {
    const SHOWN: usize = 20;
    if run.inputs.is_empty() {
        return "inputs: none".to_owned();
    }
    let values: Vec<&str> = run.inputs.iter().map(|input| input.value.as_str()).collect();
    let more = if values.len() > SHOWN { format!(", ... ({} in all)", values.len()) } else { String::new() };
    format!("inputs: {}{more}", values[..values.len().min(SHOWN)].join(", "))
}

/// Statistics: numbers on one line, iterations as a table.
fn write_stats(out: &mut String, stats: &Value) -> fmt::Result {
    let Value::Object(stats) = stats else { return Ok(()) };
    let numbers = stats.iter().filter(|(_, v)| v.is_number()).map(|(k, v)| match v.as_f64() {
        Some(x) if !v.is_u64() => format!("{} {x:.1}", k.replace('_', " ")),
        _ => format!("{} {v}", k.replace('_', " ")),
    });
    let numbers: Vec<String> = numbers.collect();
    if !numbers.is_empty() {
        writeln!(out, "statistics: {}", numbers.join(", "))?;
    }
    match stats.get("per_iteration") {
        Some(Value::Array(iterations)) => write_iterations(out, iterations),
        _ => Ok(()),
    }
}

fn write_iterations(out: &mut String, iterations: &[Value]) -> fmt::Result {
    /// More iterations than this are shown as the first and last few.
    const SHOWN: usize = 20;
    writeln!(out, "  iteration  concrete  abstract  queries  hits  new predicates")?;
    for (i, iteration) in iterations.iter().enumerate() {
        if iterations.len() > SHOWN && i == SHOWN / 2 {
            writeln!(out, "        ...")?;
        }
        if iterations.len() > SHOWN && (SHOWN / 2..iterations.len() - SHOWN / 2).contains(&i) {
            continue;
        }
        let number = |key: &str| iteration[key].as_u64().unwrap_or(0);
        writeln!(
            out,
            "  {:>9}  {:>8}  {:>8}  {:>7}  {:>4}  {}",
            i + 1,
            number("concrete_states"),
            number("abstract_states"),
            number("queries"),
            number("cache_hits"),
            predicates_text(&iteration["new_predicates"]),
        )?;
    }
    Ok(())
}

/// The first few of a list of predicates.
pub fn predicates_text(predicates: &Value) -> String {
    const SHOWN: usize = 6;
    let names: Vec<&str> = predicates.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    match names.len() {
        0 => "-".to_owned(),
        n if n > SHOWN => format!("{}, ... ({n})", names[..SHOWN].join(", ")),
        _ => names.join(", "),
    }
}
