//! Reports for people.

use std::fmt::{self, Display, Formatter, Write as _};

use serde_json::Value;

use super::{
    Bound, CheckResult, Checked, Confirmation, Counterexample, Derived, Invariant, ProcessTrace, ProgramRun, Proof,
    Report, Site, Solved, Subject, Verdict,
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
                    Subject::Clauses => "the clauses have a solution, sat".to_owned(),
                    _ if self.checks.len() > 1 => format!("no error is reachable, {} checks proved", self.checks.len()),
                    _ => "no error is reachable".to_owned(),
                };
                writeln!(out, "SAFE: {what} ({})", self.search())?;
                self.write_proof(out, proof)?;
            }
            Verdict::Unsafe { counterexample, .. } => self.write_counterexample(out, counterexample)?,
            Verdict::Unknown { .. } if self.checks.len() > 1 => self.write_checks(out)?,
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
            Counterexample::Run(_) if self.checks.len() > 1 => {
                self.write_checks(out)?;
                self.write_runs(out)
            }
            Counterexample::Run(run) => {
                writeln!(out, "UNSAFE: {} at {}:{}:{} ({time})", run.error, run.file, run.line, run.column)?;
                // Where a property was asked about that has several parts.
                if let Some(part) = run.subproperty.as_ref().filter(|_| self.checks.is_empty()) {
                    writeln!(out, "violates: {part}")?;
                }
                write_run(out, run, self.subject)
            }
        }
    }
}

/// Several checks: what is known of each.
impl Report {
    fn count(&self, name: &str) -> usize {
        self.checks.iter().filter(|checked| checked.result.name() == name).count()
    }

    /// How many checks fail, hold, are not known; and which, without those that hold.
    fn write_checks(&self, out: &mut String) -> fmt::Result {
        let [fails, proved, unknown] = ["fails", "proved", "unknown"].map(|name| self.count(name));
        let (all, search) = (self.checks.len(), self.search());
        let open = if unknown > 0 { format!(", {unknown} unknown") } else { String::new() };
        match fails {
            0 => writeln!(out, "UNKNOWN: {proved} of {all} checks proved{open} ({search})")?,
            1 => writeln!(out, "UNSAFE: 1 of {all} checks fails, {proved} proved{open} ({search})")?,
            _ => writeln!(out, "UNSAFE: {fails} of {all} checks fail, {proved} proved{open} ({search})")?,
        }
        let place = |site: &Site| format!("{}:{}:{}", site.file, site.line, site.column);
        let told: Vec<&Checked> = self.checks.iter().filter(|c| !matches!(c.result, CheckResult::Proved)).collect();
        let width = told.iter().map(|checked| place(&checked.site).chars().count()).max().unwrap_or(0);
        told.iter().try_for_each(|Checked { site, result }| {
            let (word, why) = match result {
                CheckResult::Fails(_) => ("FAILS  ", String::new()),
                CheckResult::Proved => ("proved ", String::new()),
                CheckResult::Reached => ("reached", String::new()),
                CheckResult::Unknown(reason) => ("unknown", format!(": {reason}")),
            };
            writeln!(out, "  {:<width$}  {word}  {}{why} ({})", place(site), site.what, site.check)
        })
    }

    /// How the checks fail: each with its inputs, its trace and its evidence.
    fn write_runs(&self, out: &mut String) -> fmt::Result {
        let runs = self.checks.iter().filter_map(|checked| match &checked.result {
            CheckResult::Fails(run) => Some(run),
            CheckResult::Proved | CheckResult::Reached | CheckResult::Unknown(_) => None,
        });
        let several = self.count("fails") > 1;
        runs.enumerate().try_for_each(|(number, run)| {
            if several {
                let (line, column) = (run.line, run.column);
                writeln!(out, "failure {}: {} at {}:{line}:{column}", number + 1, run.error, run.file)?;
            }
            write_run(out, run, self.subject)
        })
    }
}

fn proof_text(proof: &Proof) -> String {
    match proof {
        Proof::ReachedSet { states, reduced, forgetful } => {
            let apart = if *forgetful { " (apart from dead variables)" } else { "" };
            let steps = if *reduced { "the steps that cannot wait" } else { "all steps" };
            format!("{states} states{apart}, closed under {steps}, none of them an error")
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
    invariants.iter().take(SHOWN).try_for_each(|Invariant { file, line, invariant, .. }| {
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
    if let Some(missed) = &run.lines.missed {
        writeln!(out, "access: {missed}")?;
    }
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
