//! Reports as JSON.

use clinch_ir::cfa::hexadecimal;
use serde_json::{Map, Value, json};

use super::{
    Bound, Cells, CheckResult, Checked, Confirmation, Counterexample, Derived, Invariant, ProcessTrace, ProgramRun,
    Proof, Report, RunInput, Site, Solved, Subject, Verdict,
};

impl Report {
    /// The report as one JSON object.
    pub fn to_json(&self) -> Value {
        let mut object = json!({
            "verdict": self.verdict.name(),
            "engine": self.engine,
            "certified": self.certified,
            "time_s": self.time.as_secs_f64(),
            "certify_time_s": self.certify_time.as_secs_f64(),
        });
        self.add_subject(&mut object);
        match &self.verdict {
            Verdict::Safe { proof, .. } => add_proof(&mut object, proof),
            Verdict::Unsafe { counterexample, .. } => self.add_counterexample(&mut object, counterexample),
            Verdict::Unknown { reason, proof, .. } => {
                object["reason"] = reason.as_str().into();
                if let Some(proof) = proof {
                    add_proof(&mut object, proof);
                }
            }
        }
        if !self.checks.is_empty() {
            object["checks"] = self.checks.iter().map(|checked| self.checked(checked)).collect();
        }
        object["stats"] = self.all_stats();
        object
    }

    /// What was checked, and how far a verdict goes.
    fn add_subject(&self, object: &mut Value) {
        let integers = match self.subject {
            Subject::C { ilp32, mathematical } => {
                object["data_model"] = if ilp32 { "ilp32" } else { "lp64" }.into();
                if mathematical { "mathematical" } else { "machine" }
            }
            Subject::Remopla => "machine",
            Subject::Clauses | Subject::Nothing if !self.notes.is_empty() => {
                object["notes"] = self.notes.clone().into();
                return;
            }
            Subject::Clauses | Subject::Processes | Subject::Nothing => return,
        };
        object["integers"] = integers.into();
        object["assumptions"] = self.verdict.under().into();
        object["notes"] = self.notes.clone().into();
        if matches!(self.verdict, Verdict::Safe { .. } | Verdict::Unknown { proof: Some(_), .. }) {
            object["strictly_safe"] = self.is_strictly_safe().into();
        }
        if let Some(expected) = self.expected {
            object["expected"] = if expected { "safe" } else { "unsafe" }.into();
        }
    }

    fn add_counterexample(&self, object: &mut Value, counterexample: &Counterexample) {
        match counterexample {
            Counterexample::Processes(trace) => {
                object["error"] = trace.error.as_str().into();
                object["trace"] = process_trace(trace);
            }
            Counterexample::Refutation(steps) => object["refutation"] = steps.iter().map(derived).collect(),
            Counterexample::Run(run) => add_run(object, run, self.subject),
        }
    }

    /// A check with what is known of it.
    fn checked(&self, Checked { site, result }: &Checked) -> Value {
        let Site { file, line, column, check, what, .. } = site;
        let mut object = json!({
            "file": file, "line": line, "column": column, "check": check, "what": what, "verdict": result.name(),
        });
        match result {
            CheckResult::Proved | CheckResult::Reached => {}
            CheckResult::Fails(run) => add_run(&mut object, run, self.subject),
            CheckResult::Unknown(reason) => object["reason"] = reason.as_str().into(),
        }
        object
    }

    /// What the engine counted, and what became of the others.
    pub(crate) fn all_stats(&self) -> Value {
        let mut stats = self.stats.clone();
        if !self.given_up.is_empty() && (stats.is_object() || stats.is_null()) {
            let others = self.given_up.iter().map(|g| json!({ "engine": g.engine, "reason": g.reason }));
            stats["engines_before"] = others.collect();
        }
        stats
    }
}

impl Verdict {
    /// `safe`, `unsafe` or `unknown`.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Safe { .. } => "safe",
            Verdict::Unsafe { .. } => "unsafe",
            Verdict::Unknown { .. } => "unknown",
        }
    }
}

fn add_proof(object: &mut Value, proof: &Proof) {
    if let Proof::Solution(solved) = proof {
        object["solution"] = solved.iter().map(solved_json).collect();
        return;
    }
    object["proof"] = match proof {
        Proof::Solution(_) => Value::Null,
        Proof::ReachedSet { states, reduced, forgetful } => {
            let (steps, dead) =
                (if *reduced { "reduced" } else { "all" }, if *forgetful { "forgotten" } else { "kept" });
            json!({ "kind": "reached set", "states": states, "steps": steps, "dead variables": dead })
        }
        Proof::AbstractStates { states, predicates } => {
            json!({ "kind": "abstract states", "states": states, "predicates": predicates })
        }
        Proof::AllRuns { states } => json!({ "kind": "reached states", "states": states }),
        Proof::Invariants { points, invariants } => {
            json!({ "kind": "invariants", "points": points, "invariants": invariants.iter().map(invariant).collect::<Value>() })
        }
        Proof::Induction { depth, loops, invariants } => {
            let invariants: Value = invariants.iter().map(invariant).collect();
            json!({ "kind": "induction", "depth": depth, "loops": loops, "invariants": invariants })
        }
        Proof::Bounds(bounds) => {
            let bound = |b: &Bound| json!({ "file": b.file, "line": b.line, b.what.as_str(): b.times });
            json!({ "kind": "bounds", "bounds": bounds.iter().map(bound).collect::<Value>() })
        }
        Proof::Summaries { points, int_bits, heap_bits } => {
            json!({ "kind": "summaries", "points": points, "int_bits": int_bits, "heap_bits": heap_bits })
        }
    };
}

fn invariant(of: &Invariant) -> Value {
    json!({ "file": of.file, "line": of.line, "invariant": of.invariant })
}

fn solved_json(solved: &Solved) -> Value {
    let params = solved.params.iter().map(|(name, sort)| json!({ "name": name, "sort": sort }));
    json!({ "predicate": solved.predicate, "params": params.collect::<Value>(), "formula": solved.formula })
}

fn pairs(pairs: &[(String, String)]) -> Map<String, Value> {
    pairs.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect()
}

/// Every state whole.
fn process_trace(trace: &ProcessTrace) -> Value {
    let mut locations = pairs(&trace.initial.locations);
    let mut variables = pairs(&trace.initial.variables);
    let state =
        |locations: &Map<_, _>, variables: &Map<_, _>| json!({ "locations": locations, "variables": variables });
    let mut all = vec![json!({ "transition": null, "inputs": [], "state": state(&locations, &variables) })];
    for step in &trace.steps {
        let Cells { locations: moved, variables: changed } = &step.changed;
        locations.extend(pairs(moved));
        variables.extend(pairs(changed));
        all.push(json!({
            "transition": step.transition,
            "inputs": step.inputs,
            "state": state(&locations, &variables),
        }));
    }
    all.into()
}

fn derived(step: &Derived) -> Value {
    json!({
        "clause": step.clause,
        "line": step.line,
        "column": step.column,
        "values": pairs(&step.values),
        "premises": step.premises,
        "conclusion": step.conclusion,
    })
}

fn add_run(object: &mut Value, run: &ProgramRun, subject: Subject) {
    object["error"] = json!({ "check": run.check, "subproperty": run.subproperty, "what": run.error, "file": run.file, "line": run.line, "column": run.column });
    if let Some(missed) = &run.lines.missed {
        object["error"]["access"] = missed.as_str().into();
    }
    object["inputs"] = run.inputs.iter().map(run_input).collect();
    object["trace"] = run.lines.to_json();
    if matches!(subject, Subject::C { .. }) {
        let executed = matches!(run.confirmation, Some(Confirmation::Executed | Confirmation::Sanitizer(_)));
        object["confirmed"] = executed.into();
    }
    if let Some(Confirmation::Impossible(why) | Confirmation::Sanitizer(why)) = &run.confirmation {
        object["confirmation"] = why.as_str().into();
    }
}

fn run_input(input: &RunInput) -> Value {
    let mut object = match &input.place {
        Some((ty, file, line)) => {
            json!({ "from": input.from, "type": ty, "value": input.value, "file": file, "line": line })
        }
        None => json!({ "from": input.from, "value": input.value }),
    };
    if let Some(exact) = hexadecimal(&input.value) {
        object["hexadecimal"] = exact.into();
    }
    object
}
