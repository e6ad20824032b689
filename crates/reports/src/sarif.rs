//! Reports as SARIF 2.1.0, the format that code hosts and editors show findings in.
//!
//! Every check that fails is a result: its place, the run that leads there as a code flow, the inputs as related locations. Results have fingerprints
//! that do not change when lines are added above: a hash of the function, the kind of check and the text of the line, counted where the same
//! occurs more than once.

use std::collections::BTreeMap;

use clinch_checker::Report;
use clinch_checker::report::{
    CheckResult, Checked, Counterexample, Derived, ProcessTrace, ProgramRun, RunInput, Site, TraceLine, Verdict,
};
use clinch_ir::cfa::Check;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Where the published schema is.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A kind of check, for people: its name, what it says in a few words, and help.
struct Rule {
    id: &'static str,
    short: &'static str,
    help: &'static str,
}

/// A rule for each kind of check, by the names that `--check` takes, and one for models.
const RULES: [Rule; 11] = [
    Rule {
        id: "assertions",
        short: "An assertion can fail, or an error function or label can be reached.",
        help: "The code flow is a run of the program to the place, with the inputs that lead there. Either the assertion is wrong, or what comes before it.",
    },
    Rule {
        id: "overflow",
        short: "Signed arithmetic can overflow.",
        help: "The result of signed arithmetic does not fit its type for some input, which is undefined behaviour in C. Check the operands before, or compute in a wider or an unsigned type.",
    },
    Rule {
        id: "arithmetic",
        short: "A division by zero, a shift out of range or a conversion of a float that does not fit is possible.",
        help: "A divisor is zero, a shift count is negative or not less than the width of the type, or a floating-point number is converted to an integer type that cannot hold it, for some input. All are undefined behaviour in C. Check the operand before.",
    },
    Rule {
        id: "float",
        short: "An operation on floating-point numbers can make a NaN or an infinity.",
        help: "Zero is divided by zero, infinities are subtracted, or a result is too large for its type, for some input. IEEE 754 defines what happens then; it is reported because it was asked for.",
    },
    Rule {
        id: "memory",
        short: "An access outside of a live object, a copy that overlaps, or a misuse of free is possible.",
        help: "A pointer leads outside of its object, to an object that is gone, or is null; something is freed that is no live block of the heap, or a block is copied to where it overlaps. The message says which object is missed and by how much.",
    },
    Rule {
        id: "leaks",
        short: "Memory can be lost.",
        help: "A block of the heap is never freed, or nothing points to it any more. Free it on the path that the code flow shows.",
    },
    Rule {
        id: "uninitialised",
        short: "A value that was never set decides something.",
        help: "A variable or a cell of memory is read that nothing was written to, and the value decides a branch, is an address, is printed or is the exit status. Give it a value on the path that the code flow shows.",
    },
    Rule {
        id: "unsigned",
        short: "Unsigned arithmetic can wrap around.",
        help: "The result of unsigned arithmetic does not fit its type for some input. C defines what happens then; it is reported because it was asked for.",
    },
    Rule {
        id: "conversions",
        short: "A conversion that nobody wrote can change a number.",
        help: "A value is converted to a type that cannot hold it, for some input. Write a cast where that is meant, or use a wider type.",
    },
    Rule {
        id: "unreachable",
        short: "Code that no run reaches.",
        help: "It is proved that no run comes to this code. It can go, or a condition before it is not what was meant.",
    },
    Rule {
        id: "model",
        short: "The error of the model can be reached.",
        help: "The code flow is a run of the model to the error, step by step.",
    },
];

/// Reads a file of the program; nothing if that cannot be done.
pub type ReadText<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Reports about the model in the named file as one log.
pub fn sarif(reports: &[&Report], model: &str, read: ReadText<'_>) -> Value {
    let mut results = Results { read, texts: BTreeMap::new(), seen: BTreeMap::new(), model, found: Vec::new() };
    reports.iter().for_each(|report| results.add(report));
    let notes: Vec<Value> = reports.iter().filter_map(|report| notification(report)).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "clinch",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": RULES.iter().map(rule).collect::<Vec<Value>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{ "executionSuccessful": true, "toolExecutionNotifications": notes }],
            "results": results.found,
        }],
    })
}

fn rule(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "name": rule.id,
        "shortDescription": { "text": rule.short },
        "fullDescription": { "text": rule.help },
        "help": { "text": rule.help, "markdown": rule.help },
        "defaultConfiguration": { "level": level(rule.id) },
        "properties": { "precision": "very-high", "tags": ["correctness"] },
    })
}

/// What there is to say of a check without verdict.
fn notification(report: &Report) -> Option<Value> {
    let Verdict::Unknown { reason, .. } = &report.verdict else { return None };
    Some(json!({ "level": "warning", "message": { "text": format!("no verdict: {reason}") } }))
}

struct Results<'a> {
    read: ReadText<'a>,
    texts: BTreeMap<String, Vec<String>>,
    /// How often a fingerprint has occurred without its number.
    seen: BTreeMap<String, usize>,
    model: &'a str,
    found: Vec<Value>,
}

impl Results<'_> {
    fn add(&mut self, report: &Report) {
        let pieces: Vec<&Checked> = report.checks.iter().filter(|c| c.site.check == "unreachable").collect();
        if !pieces.is_empty() {
            let dead = pieces.into_iter().filter(|checked| matches!(checked.result, CheckResult::Proved));
            return dead.for_each(|checked| self.add_dead(&checked.site));
        }
        let failing = report.checks.iter().filter_map(|checked| match &checked.result {
            CheckResult::Fails(run) => Some(run.as_ref()),
            CheckResult::Proved | CheckResult::Reached | CheckResult::Unknown(_) => None,
        });
        let failing: Vec<&ProgramRun> = failing.collect();
        match &report.verdict {
            _ if !failing.is_empty() => failing.into_iter().for_each(|run| self.add_run(run)),
            Verdict::Unsafe { counterexample, .. } => match counterexample {
                Counterexample::Run(run) => self.add_run(run),
                Counterexample::Processes(trace) => self.add_model(&trace.error, processes_flow(trace, self.model)),
                Counterexample::Refutation(steps) => {
                    let error = "the clauses contradict each other";
                    self.add_model(error, refutation_flow(steps, self.model));
                }
            },
            Verdict::Safe { .. } | Verdict::Unknown { .. } => {}
        }
    }

    fn add_dead(&mut self, site: &Site) {
        let text = self.line(&site.file, site.line);
        let (rule, level) = rule_of(&site.check);
        let fingerprint = self.fingerprint(&["", rule, &text]);
        self.found.push(json!({
            "ruleId": rule,
            "ruleIndex": RULES.iter().position(|known| known.id == rule),
            "level": level,
            "message": { "text": format!("No run reaches this: {}.", site.what) },
            "locations": [physical(&site.file, site.line, Some(site.column))],
            "partialFingerprints": { "clinchLine/v1": fingerprint },
        }));
    }

    fn add_run(&mut self, run: &ProgramRun) {
        let function = run.spot.as_ref().map(|spot| spot.function.clone()).unwrap_or_default();
        let text = self.line(&run.file, run.line);
        let (rule, level) = rule_of(&run.check);
        let mut location = physical(&run.file, run.line, Some(run.column));
        if !function.is_empty() {
            location["logicalLocations"] = json!([{ "name": function, "kind": "function" }]);
        }
        let missed = run.lines.missed.as_ref().map(|missed| format!(": {missed}")).unwrap_or_default();
        let inputs = run.inputs.iter().map(|input| input.value.as_str()).take(20).collect::<Vec<_>>().join(", ");
        let inputs = if inputs.is_empty() { String::new() } else { format!(" Inputs: {inputs}.") };
        let flow: Vec<Value> = run.lines.first.iter().chain(&run.lines.last).map(flow_location).collect();
        let fingerprint = self.fingerprint(&[&function, rule, &text]);
        self.found.push(json!({
            "ruleId": rule,
            "ruleIndex": RULES.iter().position(|known| known.id == rule),
            "level": level,
            "message": { "text": format!("{}{missed}.{inputs}", capitalised(&run.error)) },
            "locations": [location],
            "relatedLocations": run.inputs.iter().enumerate().filter_map(related).collect::<Vec<Value>>(),
            "codeFlows": code_flows(flow),
            "partialFingerprints": { "clinchLine/v1": fingerprint },
        }));
    }

    fn add_model(&mut self, error: &str, flow: Vec<Value>) {
        let fingerprint = self.fingerprint(&[self.model, "model", error]);
        self.found.push(json!({
            "ruleId": "model",
            "ruleIndex": RULES.len() - 1,
            "level": "error",
            "message": { "text": format!("{}.", capitalised(error)) },
            "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(self.model) } } }],
            "codeFlows": code_flows(flow),
            "partialFingerprints": { "clinchLine/v1": fingerprint },
        }));
    }

    /// The text of a line, without what does not matter to C.
    fn line(&mut self, file: &str, line: u32) -> String {
        let read = self.read;
        let lines = self
            .texts
            .entry(file.to_owned())
            .or_insert_with(|| read(file).map(|text| text.lines().map(str::to_owned).collect()).unwrap_or_default());
        let text = lines.get((line as usize).saturating_sub(1)).map(String::as_str).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn fingerprint(&mut self, parts: &[&str]) -> String {
        let key = parts.join("\0");
        let number = self.seen.entry(key.clone()).or_insert(0);
        *number += 1;
        let hash = Sha256::digest(format!("{key}\0{number}").as_bytes());
        hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The rule of a check and how much it matters.
fn rule_of(group: &str) -> (&'static str, &'static str) {
    let known = Check::ALL.iter().any(|check| check.group() == group);
    let rule = RULES.iter().find(|rule| known && rule.id == group).unwrap_or(&RULES[RULES.len() - 1]);
    (rule.id, level(rule.id))
}

/// How bad it is: some of what is looked for on request is no error to C.
fn level(rule: &str) -> &'static str {
    if matches!(rule, "unsigned" | "conversions" | "unreachable") { "warning" } else { "error" }
}

fn code_flows(locations: Vec<Value>) -> Value {
    if locations.is_empty() { json!([]) } else { json!([{ "threadFlows": [{ "locations": locations }] }]) }
}

fn flow_location(line: &TraceLine) -> Value {
    let changes: Vec<String> = line.changes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let what = [line.statement.clone(), changes.join(", ")];
    let what: Vec<&str> = what.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let mut location = physical(&line.file, line.line, None);
    location["message"] = json!({ "text": format!("{}{}", what.join("; "), if line.input { " (input)" } else { "" }) });
    let state: Map<String, Value> =
        line.changes.iter().map(|(name, value)| (name.clone(), json!({ "text": value }))).collect();
    json!({
        "location": location,
        "nestingLevel": line.depth,
        "importance": if line.input { "essential" } else { "important" },
        "state": state,
    })
}

fn related((number, input): (usize, &RunInput)) -> Option<Value> {
    let (_, file, line) = input.place.as_ref()?;
    let mut location = physical(file, *line, None);
    location["id"] = (number + 1).into();
    location["message"] = json!({ "text": format!("input {}: {} = {}", number + 1, input.from, input.value) });
    Some(location)
}

fn processes_flow(trace: &ProcessTrace, model: &str) -> Vec<Value> {
    let steps = trace.steps.iter().map(|step| {
        let changes: Vec<String> =
            step.changed.variables.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        (step.transition.clone(), changes.join(", "))
    });
    steps.map(|(transition, changes)| in_model(model, None, &format!("{transition}: {changes}"))).collect()
}

fn refutation_flow(steps: &[Derived], model: &str) -> Vec<Value> {
    steps.iter().map(|step| in_model(model, Some(step.line as u32), &step.conclusion)).collect()
}

fn in_model(model: &str, line: Option<u32>, text: &str) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri(model) } });
    if let Some(line) = line.filter(|&line| line > 0) {
        physical["region"] = json!({ "startLine": line });
    }
    json!({ "location": { "physicalLocation": physical, "message": { "text": text } } })
}

fn physical(file: &str, line: u32, column: Option<u32>) -> Value {
    let mut region = json!({ "startLine": line.max(1) });
    if let Some(column) = column.filter(|&column| column > 0) {
        region["startColumn"] = column.into();
    }
    json!({ "physicalLocation": { "artifactLocation": { "uri": uri(file) }, "region": region } })
}

/// A file as a reference: relative to where clinch was started, as code hosts expect it, unless it is absolute.
fn uri(file: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let encoded: String = file
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    let encoded = encoded.strip_prefix("./").unwrap_or(&encoded).to_owned();
    if encoded.starts_with('/') { format!("file://{encoded}") } else { encoded }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}
