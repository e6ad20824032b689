//! Task files of SV-COMP: a YAML file that names the program, the property and the data model.

use std::path::{Path, PathBuf};

use clinch_frontend::c::types::DataModel;
use serde::Deserialize;

use crate::asked::{Asked, Property};

/// What a task file asks.
#[derive(Debug)]
pub(crate) struct Task {
    /// The program.
    pub(crate) files: Vec<PathBuf>,
    /// The function a run starts with.
    pub(crate) entry: String,
    /// What it asks.
    pub(crate) property: Property,
    /// Whether the answer is known, and which it is.
    pub(crate) expected: Option<bool>,
    /// The data model, if the task says.
    pub(crate) data_model: Option<DataModel>,
}

/// Why a task cannot be checked.
#[derive(Debug)]
pub(crate) enum TaskError {
    /// The file is not as it should be: line, column, message.
    Bad(usize, usize, String),
    /// It does not ask what the command line asks.
    Contradiction(String),
}

#[derive(Deserialize)]
struct Document {
    input_files: OneOrMany,
    #[serde(default)]
    properties: Vec<PropertyEntry>,
    #[serde(default)]
    options: OptionsEntry,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

#[derive(Deserialize)]
struct PropertyEntry {
    property_file: String,
    expected_verdict: Option<bool>,
}

#[derive(Deserialize, Default)]
struct OptionsEntry {
    data_model: Option<String>,
}

/// Reads a task file: its name, which other names are relative to, and its text.
/// `asked` is what the command line says, if it does.
pub(crate) fn read(file: &Path, text: &str, asked: Option<Asked>) -> Result<Task, TaskError> {
    let bad = |text: String| TaskError::Bad(1, 1, text);
    let document: Document = serde_saphyr::from_str(text).map_err(|error| {
        let place = error.location();
        let (line, column) = place.map_or((1, 1), |l| (l.line() as usize, l.column() as usize));
        let message = error.without_snippet().to_string();
        TaskError::Bad(line, column, message.lines().next().unwrap_or("not a task file").to_owned())
    })?;
    let folder = file.parent().unwrap_or(Path::new("."));
    let files = match document.input_files {
        OneOrMany::One(name) => vec![folder.join(name)],
        OneOrMany::Many(names) => names.into_iter().map(|name| folder.join(name)).collect(),
    };
    let data_model = match document.options.data_model.as_deref() {
        None => None,
        Some("ILP32") => Some(DataModel::Ilp32),
        Some("LP64") => Some(DataModel::Lp64),
        Some(other) => return Err(bad(format!("unknown data model `{other}`: expected ILP32 or LP64"))),
    };
    let (entry, property, expected) = property(folder, (text, &document.properties), asked)?;
    Ok(Task { files, entry, property, expected, data_model })
}

/// The entry function, the property and the expected verdict: of the property that is asked for, or else of the first that is checked.
fn property(
    folder: &Path,
    (text, properties): (&str, &[PropertyEntry]),
    asked: Option<Asked>,
) -> Result<(String, Property, Option<bool>), TaskError> {
    let (mut known, mut others) = (Vec::new(), Vec::new());
    for entry in properties {
        let path = folder.join(&entry.property_file);
        // The property files of SV-COMP lie elsewhere in its repository; their names say what is in them.
        let read = match std::fs::read_to_string(&path) {
            Ok(text) => formula(&text).and_then(|(entry, formula)| Some((entry, Property::of_formula(&formula)?))),
            Err(_) => {
                let name = path.file_stem().and_then(|name| Property::of_name(&name.to_string_lossy()));
                name.map(|property| ("main".to_owned(), property))
            }
        };
        match read {
            Some((function, property)) => known.push((function, property, entry.expected_verdict)),
            None => others.push(entry.property_file.as_str()),
        }
    }
    match (asked, others.first()) {
        // What is said of other properties is of no interest.
        (Some(Asked::Checks(_)), _) => {
            let entry = known.into_iter().next().map_or("main".to_owned(), |(entry, ..)| entry);
            return Ok((entry, Property::UnreachCall, None));
        }
        (Some(Asked::Property(asked)), other) if !known.is_empty() || other.is_some() => {
            let found = known.into_iter().find(|(_, property, _)| *property == asked);
            let missing = || TaskError::Contradiction(format!("the task does not ask for {}", asked.name()));
            return found.ok_or_else(missing);
        }
        (_, Some(other)) if known.is_empty() => return Err(unknown(text, other)),
        _ => {}
    }
    Ok(known.into_iter().next().unwrap_or(("main".to_owned(), Property::UnreachCall, None)))
}

/// What is said of a property that is not checked, at its place.
fn unknown(text: &str, property: &str) -> TaskError {
    let found = text.lines().enumerate().find_map(|(line, words)| Some((line, words.find(property)?)));
    let (line, column) = found.map_or((1, 1), |(line, at)| (line + 1, at + 1));
    let names = Property::ALL.iter().map(|known| known.name()).collect::<Vec<_>>().join(", ");
    TaskError::Bad(line, column, format!("unknown property `{property}`: expected one of {names}"))
}

/// `CHECK( init(main()), LTL(G ! call(reach_error())) )`: the entry function and the formula, without blanks.
fn formula(text: &str) -> Option<(String, String)> {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (entry, formula) = compact.strip_prefix("CHECK(init(")?.split_once("()),LTL(")?;
    Some((entry.to_owned(), formula.strip_suffix("))")?.to_owned()))
}
