//! Witnesses of what clinch found.
//!
//! A run becomes the results of the functions that it asked for inputs, each at the end of its call, and the statement in which the error happens.
//! A proof becomes the invariants that can be written down with the names that are visible where they hold.

use std::collections::BTreeMap;
use std::time::SystemTime;

use clinch_checker::report::{
    self, CheckResult, Counterexample, ProgramRun, Proof, Report, RunInput, Subject, Verdict,
};
use clinch_checker::{Reading, Source, Spot, Task};
use clinch_ir::cfa::{CfaProgram, Checks};

use super::editor::Editor;
use super::expression::{self, Names};
use super::files;
use super::format::Version;
use super::format::written::Task as WrittenTask;
use super::format::written::{Constraint, Entry, Invariant, Item, Location, Metadata, Producer, Step, Waypoint};
use super::plan::{self, hash};
use super::specification;
use crate::outline::{Outline, is_name};

/// The most waypoints that a witness has; the rest of a longer run is left open.
const WAYPOINTS: usize = 500;

/// What a witness is about.
pub struct About<'a> {
    /// The C files.
    pub sources: &'a [Source],
    /// How they were read.
    pub reading: &'a Reading,
    /// The errors that counted.
    pub checks: Checks,
    /// When it is made.
    pub time: SystemTime,
}

/// A witness in YAML, or why there is none.
pub fn yaml(report: &Report, about: &About<'_>, version: Version) -> Result<String, String> {
    let files = Files::read(about)?;
    let (entry_type, specification, content) = match &report.verdict {
        Verdict::Unsafe { .. } => {
            let run = first_run(report).ok_or("the error is not one of a C program")?;
            ("violation_sequence", specification_of(run)?, files.violation(run, version)?)
        }
        Verdict::Safe { proof, .. } => {
            let specification = specification::of_checks(about.checks);
            let specification = specification.ok_or("the competition has no specification for what was checked")?;
            ("invariant_set", specification, files.correctness(proof, about, report.subject, version))
        }
        Verdict::Unknown { .. } => return Err("there is no verdict".to_owned()),
    };
    let metadata = files.metadata(about, version, specification, report.subject);
    write(entry_type, metadata, content)
}

/// The first error, in the order of their places.
pub(super) fn first_run(report: &Report) -> Option<&ProgramRun> {
    let failing = report.checks.iter().find_map(|checked| match &checked.result {
        CheckResult::Fails(run) => Some(run.as_ref()),
        CheckResult::Proved | CheckResult::Reached | CheckResult::Unknown(_) => None,
    });
    failing.or(match &report.verdict {
        Verdict::Unsafe { counterexample: Counterexample::Run(run), .. } => Some(run),
        _ => None,
    })
}

pub(super) fn specification_of(run: &ProgramRun) -> Result<String, String> {
    specification::of_error(&run.check, run.subproperty.as_deref())
        .ok_or_else(|| format!("the competition has no specification that this violates: {}", run.error))
}

fn write(entry_type: &'static str, metadata: Metadata, content: Vec<Item>) -> Result<String, String> {
    let entries = [Entry { entry_type, metadata, content }];
    serde_saphyr::to_string(&entries).map_err(|error| error.to_string())
}

/// An identifier made of what it identifies, in the form of RFC 9562 (version 8).
pub(super) fn uuid(of: &str) -> String {
    let hash = hash(of);
    format!("{}-{}-8{}-a{}-{}", &hash[..8], &hash[8..12], &hash[13..16], &hash[17..20], &hash[20..32])
}

pub(super) fn time_text(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}

pub(super) fn data_model(subject: Subject) -> &'static str {
    if matches!(subject, Subject::C { ilp32: true, .. }) { "ILP32" } else { "LP64" }
}

/// The C files with their texts.
pub(super) struct Files {
    pub(super) texts: Vec<(String, String)>,
}

impl Files {
    pub(super) fn read(about: &About<'_>) -> Result<Files, String> {
        let files = files::all(about.sources).map_err(|(file, why)| format!("{file}: {why}"))?;
        Ok(Files { texts: files.into_iter().map(|file| (file.name(), file.text)).collect() })
    }

    fn metadata(&self, about: &About<'_>, version: Version, specification: String, subject: Subject) -> Metadata {
        let hashes: BTreeMap<String, String> =
            self.texts.iter().map(|(name, text)| (name.clone(), hash(text))).collect();
        let creation_time = time_text(about.time);
        let uuid = uuid(&format!("{hashes:?}{specification}{:?}", about.time));
        Metadata {
            format_version: version.name(),
            uuid,
            creation_time,
            producer: Producer { name: "clinch", version: env!("CARGO_PKG_VERSION") },
            task: WrittenTask {
                input_files: hashes.keys().cloned().collect(),
                input_file_hashes: hashes,
                specification,
                data_model: data_model(subject),
                language: "C",
            },
        }
    }

    fn editor(&self, file: &str) -> Option<Editor<'_>> {
        let (_, text) = self.texts.iter().find(|(name, _)| name == file)?;
        Some(Editor::new(text))
    }
}

/// Violation witnesses.
impl Files {
    fn violation(&self, run: &ProgramRun, version: Version) -> Result<Vec<Item>, String> {
        let mut content: Vec<Item> = self
            .results(run)
            .into_iter()
            .map(|(location, value)| {
                let format = version.result_format();
                let constraint = Some(Constraint { value: format!("\\result == {value}"), format });
                segment("function_return", constraint, location)
            })
            .collect();
        content.push(segment("target", None, self.target(run)?));
        Ok(content)
    }

    /// Where calls end that return inputs, with the values, in the order of the run. What comes behind one that cannot be named is left open.
    pub(super) fn results(&self, run: &ProgramRun) -> Vec<(Location, String)> {
        let calls = run.inputs.iter().filter(|input| input.from.ends_with("()"));
        let result = |input: &RunInput| Some((self.call_end(input)?, constant(input)?));
        calls.take(WAYPOINTS).map_while(result).collect()
    }

    fn call_end(&self, input: &RunInput) -> Option<Location> {
        let spot = input.call_end.as_ref()?;
        let editor = self.editor(&spot.file)?;
        let function = input.from.strip_suffix("()")?;
        let is_call = |&token: &usize| editor.called(token).is_ok_and(|name| editor.outline.word(name) == function);
        let exact = editor.outline.token_at(spot.line, spot.column).filter(is_call);
        let mut on_line = editor.outline.on_line(spot.line).filter(is_call);
        // Macros may have moved it; it must be clear which one is meant.
        let only = on_line.next().filter(|_| on_line.next().is_none());
        Some(location(&editor.outline, exact.or(only)?, spot))
    }

    /// The statement or controlling expression in which the error happens.
    pub(super) fn target(&self, run: &ProgramRun) -> Result<Location, String> {
        let nowhere = || format!("the error is in none of the files: {}:{}", run.file, run.line);
        let spot = run.spot.as_ref().ok_or_else(nowhere)?;
        let editor = self.editor(&spot.file).ok_or_else(nowhere)?;
        let outline = &editor.outline;
        let token = outline.token_at(spot.line, spot.column).or_else(|| outline.on_line(spot.line).next());
        let token = token.ok_or_else(nowhere)?;
        Ok(location(outline, outline.statement_start(token), spot))
    }
}

fn segment(kind: &'static str, constraint: Option<Constraint>, location: Location) -> Item {
    Item::Segment(vec![Step { waypoint: Waypoint { kind, action: "follow", constraint, location } }])
}

fn location(outline: &Outline<'_>, token: usize, spot: &Spot) -> Location {
    let (line, column) = outline.place(outline.token(token).start);
    let function = outline.function_around(token).map(str::to_owned);
    Location { file_name: spot.file.clone(), line, column: Some(column), function }
}

/// The value of an input as a constant of C; nothing if it is none.
fn constant(input: &RunInput) -> Option<String> {
    let (ty, ..) = input.place.as_ref()?;
    if ty.contains('*') || ["float", "double"].iter().any(|word| ty.contains(word)) {
        return None;
    }
    let number: i128 = input.value.parse().ok()?;
    Some(match number {
        _ if number == i128::from(i64::MIN) => "-9223372036854775807LL - 1".to_owned(),
        _ if number > i128::from(i64::MAX) => format!("{number}ULL"),
        _ if i32::try_from(number).is_err() => format!("{number}LL"),
        _ => number.to_string(),
    })
}

/// Correctness witnesses.
impl Files {
    fn correctness(&self, proof: &Proof, about: &About<'_>, subject: Subject, version: Version) -> Vec<Item> {
        let (Proof::Invariants { invariants, .. } | Proof::Induction { invariants, .. }) = proof else {
            return Vec::new();
        };
        let items: Vec<Invariant> = invariants.iter().filter_map(|found| self.invariant(found)).collect();
        let can_be_read = |items: &[Invariant]| self.can_be_read(items, about, subject, version);
        let kept = if can_be_read(&items) {
            items
        } else {
            // Some name is not visible at its place, or means another variable.
            items.into_iter().filter(|item| can_be_read(std::slice::from_ref(item))).collect()
        };
        kept.into_iter().map(Item::Invariant).collect()
    }

    fn invariant(&self, found: &report::Invariant) -> Option<Invariant> {
        let spot = found.spot.as_ref().filter(|_| !found.quantified)?;
        let editor = self.editor(&spot.file)?;
        let outline = &editor.outline;
        let named = outline.token_at(spot.line, spot.column)?;
        let (kind, token) = match (outline.loop_with_condition(named), outline.body_of_function(named)) {
            (Some(keyword), _) if found.at_head => ("loop_invariant", keyword),
            (None, Some(first)) if !found.at_head => ("location_invariant", first),
            // A head without a condition is where an iteration begins; what a loop without one names is another place.
            (None, None) if outline.starts_statement(named) && (!found.at_head || outline.begins_iteration(named)) => {
                ("location_invariant", named)
            }
            _ => return None,
        };
        let names = Names { types: expression::typedefs(outline), ..Names::default() };
        expression::read(&found.invariant, &names).ok()?;
        let value = found.invariant.clone();
        Some(Invariant { kind, location: location(outline, token, spot), value, format: "c_expression" })
    }

    /// Whether the program can be read with invariants in it, and each name in them has but one meaning in its function.
    fn can_be_read(&self, items: &[Invariant], about: &About<'_>, subject: Subject, version: Version) -> bool {
        let specification = specification::of_checks(about.checks).unwrap_or_default();
        let metadata = self.metadata(about, version, specification, subject);
        let copies = items.iter().map(|item| {
            Item::Invariant(Invariant { location: item.location.clone(), value: item.value.clone(), ..*item })
        });
        let Ok(text) = write("invariant_set", metadata, copies.collect()) else { return false };
        let task = Task { sources: about.sources.to_vec(), reading: about.reading.clone() };
        let Ok(plan) = plan::plan(&task, "witness", &text, None) else { return false };
        let Ok(loaded) = plan.task.read_procedures() else { return false };
        items.iter().all(|item| names_are_clear(&loaded.program, item))
    }
}

fn names_are_clear(program: &CfaProgram, item: &Invariant) -> bool {
    let function = item.location.function.as_deref().unwrap_or_default();
    let mut symbols: Vec<_> = program.globals.iter().map(|global| global.symbol).collect();
    for procedure in program.procedures.iter().filter(|procedure| procedure.name == function) {
        symbols.extend(procedure.params.iter().chain(&procedure.locals));
    }
    let names = symbols.iter().filter_map(|symbol| program.variables.get(symbol)).filter(|info| !info.hidden);
    let names = names.map(|info| info.name.as_str()).chain(program.objects.iter().map(|object| object.name.as_str()));
    let names: Vec<&str> = names.collect();
    let outline = Outline::new(&item.value);
    let words = (0..outline.tokens().len()).map(|number| outline.word(number)).filter(|word| is_name(word));
    words.into_iter().all(|word| names.iter().filter(|name| **name == word).count() <= 1)
}
