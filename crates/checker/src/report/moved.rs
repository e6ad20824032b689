//! Reports about text that has moved: the same program, in other lines of its files.

use serde_json::Value;

use super::{CheckResult, Counterexample, Invariant, ProgramRun, Proof, Report, Verdict};

/// Where a line of a file is now; nothing if that is not known.
pub type NewPlace<'a> = dyn Fn(&str, u32) -> Option<(String, u32)> + 'a;

/// One line of a file.
type Place<'a> = (&'a mut String, &'a mut u32);

impl Report {
    /// The report with every place where it is now. Nothing if one of them is not known, or a text names a line that has moved.
    pub fn moved(mut self, to: &NewPlace<'_>) -> Option<Report> {
        let mut old_lines = Vec::new();
        for (file, line) in self.places() {
            let (new_file, new_line) = to(file, *line)?;
            if new_line != *line {
                old_lines.push(line.to_string());
            }
            (*file, *line) = (new_file, new_line);
        }
        let names_old_line = |text: &str| old_lines.iter().any(|old| names_line(text, old));
        let value = serde_json::to_value(&self).ok()?;
        (!any_text(&value, &names_old_line)).then_some(self)
    }

    /// The report without places for other tools.
    #[must_use]
    pub fn without_spots(mut self) -> Report {
        for run in self.runs() {
            run.spot = None;
            run.inputs.iter_mut().for_each(|input| input.call_end = None);
        }
        self.invariants().iter_mut().for_each(|invariant| invariant.spot = None);
        self
    }

    fn places(&mut self) -> Vec<Place<'_>> {
        let Report { verdict, checks, .. } = self;
        let mut places = Vec::new();
        match verdict {
            Verdict::Safe { proof, .. } | Verdict::Unknown { proof: Some(proof), .. } => add_proof(&mut places, proof),
            Verdict::Unsafe { counterexample: Counterexample::Run(run), .. } => add_run(&mut places, run),
            Verdict::Unsafe { .. } | Verdict::Unknown { .. } => {}
        }
        for checked in checks {
            places.push((&mut checked.site.file, &mut checked.site.line));
            if let CheckResult::Fails(run) = &mut checked.result {
                add_run(&mut places, run);
            }
        }
        places
    }

    pub(super) fn runs(&mut self) -> Vec<&mut ProgramRun> {
        let mut runs: Vec<&mut ProgramRun> = Vec::new();
        if let Verdict::Unsafe { counterexample: Counterexample::Run(run), .. } = &mut self.verdict {
            runs.push(run);
        }
        runs.extend(self.checks.iter_mut().filter_map(|checked| match &mut checked.result {
            CheckResult::Fails(run) => Some(run.as_mut()),
            CheckResult::Proved | CheckResult::Reached | CheckResult::Unknown(_) => None,
        }));
        runs
    }

    fn invariants(&mut self) -> &mut [Invariant] {
        let (Verdict::Safe { proof, .. } | Verdict::Unknown { proof: Some(proof), .. }) = &mut self.verdict else {
            return &mut [];
        };
        match proof {
            Proof::Invariants { invariants, .. } | Proof::Induction { invariants, .. } => invariants,
            _ => &mut [],
        }
    }
}

fn add_proof<'a>(places: &mut Vec<Place<'a>>, proof: &'a mut Proof) {
    match proof {
        Proof::Invariants { invariants, .. } | Proof::Induction { invariants, .. } => {
            places.extend(invariants.iter_mut().map(|of| (&mut of.file, &mut of.line)));
        }
        Proof::Bounds(bounds) => places.extend(bounds.iter_mut().map(|of| (&mut of.file, &mut of.line))),
        Proof::ReachedSet { .. }
        | Proof::AbstractStates { .. }
        | Proof::Solution(_)
        | Proof::AllRuns { .. }
        | Proof::Summaries { .. } => {}
    }
}

fn add_run<'a>(places: &mut Vec<Place<'a>>, run: &'a mut ProgramRun) {
    places.push((&mut run.file, &mut run.line));
    let inputs = run.inputs.iter_mut().filter_map(|input| input.place.as_mut());
    places.extend(inputs.map(|(_, file, line)| (file, line)));
    let lines = run.lines.first.iter_mut().chain(&mut run.lines.last);
    places.extend(lines.map(|line| (&mut line.file, &mut line.line)));
}

/// Whether a text names a line: `a.c:12`, or as an assertion does when it fails, `"a.c", 12, `.
fn names_line(text: &str, line: &str) -> bool {
    let follows = |before: &str| {
        text.split(before).skip(1).filter_map(|rest| rest.strip_prefix(line)).any(|rest| {
            let next = rest.chars().next();
            !next.is_some_and(|c| c.is_ascii_digit())
        })
    };
    follows(":") || follows("\", ")
}

fn any_text(value: &Value, holds: &impl Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => holds(text),
        Value::Array(items) => items.iter().any(|item| any_text(item, holds)),
        Value::Object(members) => members.values().any(|member| any_text(member, holds)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Reading, Task, check};

    fn failing() -> Report {
        let text = "extern void reach_error(void);\nint f(int n) {\n  if (n > 41) reach_error();\n  return n;\n}\n";
        let reading = Reading { entry: Some("f".to_owned()), ..Reading::default() };
        check(&Task::text("f.c", text).with(reading), &Options::default()).expect("a program")
    }

    #[test]
    fn every_place_moves() {
        let down = |file: &str, line: u32| Some((file.to_owned(), line + 1000));
        let report = failing().without_spots().moved(&down).expect("all places are known");
        let text = serde_json::to_string(&report).expect("JSON");
        assert!(text.contains("\"line\":1003"), "{text}");
        assert!(!text.contains("\"line\":3,"), "{text}");
    }

    #[test]
    fn a_place_that_is_not_known_is_not_guessed() {
        assert!(failing().moved(&|_, _| None).is_none());
    }

    #[test]
    fn a_text_that_names_an_old_line_is_not_passed_on() {
        let mut report = failing();
        report.notes.push("see f.c:3".to_owned());
        let same = |file: &str, line: u32| Some((file.to_owned(), line));
        assert!(report.clone().moved(&same).is_some());
        assert!(report.moved(&|file, line| Some((file.to_owned(), line + 1))).is_none());
    }
}
