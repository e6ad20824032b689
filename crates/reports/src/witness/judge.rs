//! What the verdict on the program of a [`Plan`] says of the witness.

use clinch_checker::Report;
use clinch_checker::report::{CheckResult, Counterexample, ProgramRun, Verdict};

use super::editor::WITNESS_FILE;
use super::plan::{Claim, FIRST_LINE, Plan};

/// What is said of a witness.
#[derive(Clone, PartialEq, Debug)]
pub enum Judgement {
    /// What it claims was established.
    Confirmed(String),
    /// What it claims is wrong.
    Rejected(String),
    /// Nobody knows.
    Unknown(String),
}

impl Plan {
    /// What a verdict says of the witness.
    pub fn judge(&self, report: &Report) -> Judgement {
        let runs = runs(report);
        match (&report.verdict, &self.claim) {
            (Verdict::Unknown { reason, .. }, _) if runs.is_empty() => Judgement::Unknown(reason.clone()),
            _ if !report.certified => Judgement::Unknown("the verdict was not re-checked".to_owned()),
            (Verdict::Safe { .. }, Claim::Violation { target, .. }) => Judgement::Rejected(format!(
                "{}: no run along its waypoints violates the specification at {target}",
                self.name
            )),
            (_, Claim::Violation { steps, .. }) => match runs.first() {
                Some(run) => Judgement::Confirmed(format!(
                    "a run along its {} reaches: {} at {}",
                    counted(steps.len() + 1, "waypoint"),
                    run.error,
                    place(run)
                )),
                None => Judgement::Unknown("there is no run".to_owned()),
            },
            (Verdict::Safe { .. }, Claim::Correctness { invariants, .. }) => {
                Judgement::Confirmed(match invariants.len() {
                    0 => "the specification holds; the witness has no invariants".to_owned(),
                    1 => "its invariant holds, and the specification".to_owned(),
                    count => format!("its {count} invariants hold, and the specification"),
                })
            }
            (_, Claim::Correctness { .. }) => {
                let broken = runs.iter().find(|run| run.file == WITNESS_FILE).or(runs.first());
                broken.map_or(Judgement::Unknown("there is no run".to_owned()), |run| self.broken(run))
            }
        }
    }

    /// How many segments come before the target.
    pub fn segments(&self) -> u32 {
        match &self.claim {
            Claim::Violation { steps, .. } => steps.len() as u32,
            Claim::Correctness { .. } => 0,
        }
    }

    /// Why a violation witness is rejected, if this segment is the first that no run passes; or else the target is not reached.
    pub fn unpassed(&self, segment: Option<u32>) -> Option<String> {
        let Claim::Violation { steps, target } = &self.claim else { return None };
        match segment {
            Some(segment) => {
                let ((line, column), step) = steps.get(segment as usize)?;
                Some(format!("{}:{line}:{column}: no run passes this waypoint: {step}", self.name))
            }
            None => Some(format!(
                "{}: runs pass all its waypoints, but none of them violates the specification at {target}",
                self.name
            )),
        }
    }

    fn broken(&self, run: &ProgramRun) -> Judgement {
        let Claim::Correctness { invariants, inserted } = &self.claim else {
            return Judgement::Unknown(run.error.clone());
        };
        let inputs: Vec<&str> = run.inputs.iter().map(|input| input.value.as_str()).collect();
        let inputs = if inputs.is_empty() { "no inputs".to_owned() } else { format!("inputs {}", inputs.join(", ")) };
        let number = run.line.checked_sub(FIRST_LINE).filter(|_| run.file == WITNESS_FILE);
        if let Some(((line, column), invariant)) = number.and_then(|number| invariants.get(number as usize)) {
            let name = &self.name;
            return Judgement::Rejected(format!(
                "{name}:{line}:{column}: the invariant {invariant} does not hold in the run with {inputs}"
            ));
        }
        if inserted.get(&run.file).is_some_and(|places| places.contains(&(run.line, run.column))) {
            let (error, line) = (&run.error, run.line);
            return Judgement::Rejected(format!(
                "{}: an invariant on line {line} of {} cannot be evaluated in the run with {inputs}: {error}",
                self.name, run.file
            ));
        }
        Judgement::Rejected(format!(
            "{}: the program violates the specification: {} at {} in the run with {inputs}",
            self.name,
            run.error,
            place(run)
        ))
    }
}

/// The runs of a report that show an error.
fn runs(report: &Report) -> Vec<&ProgramRun> {
    let failing = report.checks.iter().filter_map(|checked| match &checked.result {
        CheckResult::Fails(run) => Some(run.as_ref()),
        CheckResult::Proved | CheckResult::Reached | CheckResult::Unknown(_) => None,
    });
    let of_verdict = match &report.verdict {
        Verdict::Unsafe { counterexample: Counterexample::Run(run), .. } => Some(run),
        _ => None,
    };
    let mut runs: Vec<&ProgramRun> = failing.collect();
    if runs.is_empty() {
        runs.extend(of_verdict);
    }
    runs
}

/// The line of a run's error. Its column may be another one in the file, where something was inserted before it.
fn place(run: &ProgramRun) -> String {
    format!("{}:{}", run.file, run.line)
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
