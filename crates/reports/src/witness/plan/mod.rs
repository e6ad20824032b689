//! From a program and a witness to another program, whose verdict is the verdict on the witness.
//!
//! - A *violation witness* describes runs: segments, each passed at a waypoint. A variable counts them, inputs have the values that are said, runs
//!   that leave the way end, and only the error counts that is named as the target, behind the last segment. A run to that error is a run of the
//!   program along all waypoints, replayed and executed as any counterexample.
//! - A *correctness witness* has invariants. Each becomes an assertion where it is said to hold; a proof of the program with these is a proof of the
//!   invariants and of the specification. Engines use the assertions as any others, so that invariants help even if they are not inductive alone.

mod correctness;
mod text;
mod violation;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use clinch_checker::{Asked, Reading, Task};
use clinch_frontend::c::types::DataModel;
use sha2::{Digest, Sha256};

use super::editor::Editor;
use super::expression::{self, Names, typedefs};
use super::files::{self, File};
use super::format::{self, Entry, Location, Specification, mark};
use super::specification;

/// Why there is nothing to check.
#[derive(Clone, PartialEq, Debug)]
pub enum Refusal {
    /// It is no witness: the diagnostic, with the place in its file.
    Malformed(String),
    /// It is wrong: why, with the place in its file.
    Rejected(String),
    /// It says something that is not looked at: what, with the place in its file.
    Unsupported(String),
}

/// A program whose verdict is the verdict on a witness.
pub struct Plan {
    /// The program.
    pub task: Task,
    pub(crate) claim: Claim,
    /// The witness file.
    pub(crate) name: String,
}

/// What a witness claims.
pub(crate) enum Claim {
    /// A run to an error.
    Violation {
        /// Where the error is.
        target: String,
        /// The waypoints that are followed, but for the target: for people, with their places in the witness file.
        steps: Vec<((usize, usize), String)>,
    },
    /// Invariants, in the order of the functions that are called where they do not hold: for people, with their places in the witness file.
    Correctness {
        invariants: Vec<((usize, usize), String)>,
        /// Which bytes of the files were inserted.
        inserted: BTreeMap<String, BTreeSet<(u32, u32)>>,
    },
}

/// The line of the witness's own file on which what belongs to the first invariant stands.
pub(crate) const FIRST_LINE: u32 = 2;

/// Reads a witness for the program. `passed` asks whether runs come as far as the end of that segment, instead of to the target.
pub fn plan(task: &Task, name: &str, text: &str, passed: Option<u32>) -> Result<Plan, Refusal> {
    let mut witness = Witness { name, files: Vec::new() };
    let entries = format::read(text).map_err(|(place, text)| witness.malformed(place, &text))?;
    let entry = entries.first().ok_or_else(|| witness.malformed((1, 1), "there is no entry"))?;
    let unreadable = |(file, why)| Refusal::Malformed(format!("{file}:1:1: error: {why}"));
    witness.files = files::all(&task.sources).map_err(unreadable)?;
    for entry in &entries {
        witness.check_metadata(entry)?;
    }
    let asked = witness.asked(entry)?;
    let reading = Reading { asked: Some(asked), data_model: Some(data_model(entry)), ..task.reading.clone() };
    match entry.entry_type.value.as_str() {
        "violation_sequence" if entries.len() == 1 => witness.violation(entry, reading, passed),
        "violation_sequence" => {
            let place = mark(&entries[1].entry_type);
            Err(witness.malformed(place, "a violation witness has one entry"))
        }
        _ => witness.correctness(&entries, reading),
    }
}

fn data_model(entry: &Entry) -> DataModel {
    if entry.metadata.task.data_model.value == "ILP32" { DataModel::Ilp32 } else { DataModel::Lp64 }
}

/// A witness with the files it is about.
struct Witness<'a> {
    name: &'a str,
    files: Vec<File>,
}

/// What is written in a file, for it.
struct Plans<'t> {
    editors: Vec<Editor<'t>>,
    names: Names,
    /// The functions that the program defines.
    defined: BTreeSet<String>,
}

/// Whether a token is one that a location of some kind may name.
type Fits<'f> = &'f dyn Fn(&Editor<'_>, usize) -> bool;

/// A place in the program: the file and the token.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct At {
    file: usize,
    token: usize,
}

impl Witness<'_> {
    fn at(&self, (line, column): (usize, usize), text: &str) -> String {
        format!("{}:{line}:{column}: {text}", self.name)
    }

    fn malformed(&self, place: (usize, usize), text: &str) -> Refusal {
        Refusal::Malformed(self.at(place, &format!("error: {text}")))
    }

    fn rejected(&self, place: (usize, usize), text: &str) -> Refusal {
        Refusal::Rejected(self.at(place, text))
    }

    fn unsupported(&self, place: (usize, usize), text: &str) -> Refusal {
        Refusal::Unsupported(self.at(place, text))
    }

    /// That it is a witness of a known format, and about these files.
    fn check_metadata(&self, entry: &Entry) -> Result<(), Refusal> {
        let (metadata, kind) = (&entry.metadata, &entry.entry_type);
        let version = &metadata.format_version;
        if !matches!(version.value.as_str(), "2.0" | "2.1") {
            let text = format!("unknown format_version `{}`: expected 2.0 or 2.1", version.value);
            return Err(self.malformed(mark(version), &text));
        }
        match kind.value.as_str() {
            "violation_sequence" | "invariant_set" => {}
            "ghost_instrumentation" => return Err(self.unsupported(mark(kind), "ghost variables are not read")),
            other => return Err(self.malformed(mark(kind), &format!("unknown entry_type `{other}`"))),
        }
        let (model, language) = (&metadata.task.data_model, &metadata.task.language);
        if !matches!(model.value.as_str(), "ILP32" | "LP64") {
            let text = format!("unknown data_model `{}`: expected ILP32 or LP64", model.value);
            return Err(self.malformed(mark(model), &text));
        }
        if language.value != "C" {
            return Err(self.unsupported(mark(language), &format!("the language is {}, not C", language.value)));
        }
        self.check_hashes(metadata)
    }

    fn check_hashes(&self, metadata: &format::Metadata) -> Result<(), Refusal> {
        let hashes = &metadata.task.input_file_hashes;
        for File { text, is_given, source } in &self.files {
            let file = source.name.display();
            let said = hashes.value.iter().find(|(name, _)| is_same_file(name, &source.name));
            let Some((_, said)) = said else {
                if !is_given {
                    continue;
                }
                return Err(self.rejected(mark(hashes), &format!("it is not about {file}: there is no hash for it")));
            };
            let hash = hash(text);
            if !said.value.eq_ignore_ascii_case(&hash) {
                let text =
                    format!("it is about another {file}, with SHA-256 {}; that of the file is {hash}", said.value);
                return Err(self.rejected(mark(said), &text));
            }
        }
        Ok(())
    }

    fn asked(&self, entry: &Entry) -> Result<Asked, Refusal> {
        let said = &entry.metadata.task.specification;
        let text = match &said.value {
            Specification::One(text) => text.clone(),
            Specification::Several(texts) => texts.join("\n"),
        };
        specification::read(&text)
            .map_err(|text| self.unsupported(mark(said), &format!("clinch does not check the specification `{text}`")))
    }

    fn plans(&self) -> Plans<'_> {
        let editors: Vec<Editor<'_>> = self.files.iter().map(|file| Editor::new(&file.text)).collect();
        let types = editors.iter().flat_map(|editor| typedefs(&editor.outline)).collect();
        let defined = editors.iter().flat_map(|editor| editor.outline.defined_functions()).map(str::to_owned).collect();
        Plans { editors, defined, names: Names { types, macros: files::macros(&self.files) } }
    }

    /// The place that a location names: the token there that fits, or the first such on the line.
    fn find(&self, plans: &Plans<'_>, location: &Location, (what, fits): (&str, Fits<'_>)) -> Result<At, Refusal> {
        let (name, line) = (&location.file_name, location.line.value);
        let file = self.files.iter().position(|file| is_same_file(&name.value, &file.source.name));
        let Some(file) = file else {
            return Err(self.rejected(mark(name), &format!("`{}` is none of the program's files", name.value)));
        };
        let editor = &plans.editors[file];
        let candidates = match location.column {
            Some(column) => editor.outline.token_at(line, column).into_iter().collect::<Vec<_>>(),
            None => editor.outline.on_line(line).collect(),
        };
        let token = candidates.into_iter().find(|&token| fits(editor, token));
        let place = location.text();
        let Some(token) = token else {
            return Err(self.rejected(mark(&location.line), &format!("{what} at {place}")));
        };
        match (&location.function, editor.outline.function_around(token)) {
            (Some(said), Some(function)) if said != function => {
                let text = format!("{place} is in the function {function}, not in {said}");
                Err(self.rejected(mark(&location.line), &text))
            }
            _ => Ok(At { file, token }),
        }
    }

    fn expression(&self, plans: &Plans<'_>, said: &serde_saphyr::Spanned<String>) -> Result<String, Refusal> {
        expression::read(&said.value, &plans.names).map_err(|why| {
            self.rejected(mark(said), &format!("`{}` is no expression for a witness: {why}", said.value))
        })
    }
}

/// Whether a name in a witness means a file: witnesses come from other folders.
fn is_same_file(said: &str, file: &Path) -> bool {
    Path::new(said).file_name() == file.file_name()
}

/// The SHA-256 of a text.
pub(crate) fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
