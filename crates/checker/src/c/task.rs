//! Task files of SV-COMP: a YAML file that names the program, the property and the data model.

use std::path::{Path, PathBuf};

use clinch_frontend::c::types::DataModel;
use serde::Deserialize;
use serde_saphyr::Spanned;

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
    input_files: Spanned<OneOrMany>,
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
    property_file: Spanned<String>,
    expected_verdict: Option<bool>,
}

#[derive(Deserialize, Default)]
struct OptionsEntry {
    language: Option<Spanned<String>>,
    data_model: Option<Spanned<String>>,
}

/// A property that clinch checks, as a task has it.
struct Stated<'a> {
    entry: String,
    property: Property,
    expected: Option<bool>,
    file: &'a Spanned<String>,
}

/// Reads a task file: its name, which other names are relative to, and its text.
/// `asked` is what the command line says, if it does.
pub(crate) fn read(file: &Path, text: &str, asked: Option<Asked>) -> Result<Task, TaskError> {
    let document: Document = serde_saphyr::from_str(text).map_err(|error| not_a_task(&error))?;
    let folder = file.parent().unwrap_or(Path::new("."));
    let files = input_files(folder, &document.input_files)?;
    if let Some(language) = document.options.language.as_ref().filter(|language| language.value != "C") {
        return Err(bad(language, format!("unknown language `{}`: expected C", language.value)));
    }
    let data_model = match document.options.data_model.as_ref().map(|model| (model, model.value.as_str())) {
        None => None,
        Some((_, "ILP32")) => Some(DataModel::Ilp32),
        Some((_, "LP64")) => Some(DataModel::Lp64),
        Some((model, name)) => {
            return Err(bad(model, format!("unknown data model `{name}`: expected ILP32 or LP64")));
        }
    };
    let (entry, property, expected) = property(folder, &document.properties, asked)?;
    Ok(Task { files, entry, property, expected, data_model })
}

/// What is wrong with something in the file.
fn bad<T>(what: &Spanned<T>, text: String) -> TaskError {
    let place = what.referenced;
    TaskError::Bad(place.line() as usize, place.column() as usize, text)
}

/// What is wrong with the file, in one line without the place, which stands in front of it.
fn not_a_task(error: &serde_saphyr::Error) -> TaskError {
    let (line, column) = error.location().map_or((1, 1), |l| (l.line() as usize, l.column() as usize));
    let message = error.without_snippet().to_string();
    let message = message.lines().next().unwrap_or("not a task file");
    let message = message.strip_suffix(&format!(" at line {line}, column {column}")).unwrap_or(message);
    TaskError::Bad(line, column, message.to_owned())
}

fn input_files(folder: &Path, named: &Spanned<OneOrMany>) -> Result<Vec<PathBuf>, TaskError> {
    let names = match &named.value {
        OneOrMany::One(name) => std::slice::from_ref(name),
        OneOrMany::Many(names) => names,
    };
    if names.is_empty() || names.iter().any(String::is_empty) {
        return Err(bad(named, "a file has no name: `input_files` is the program".to_owned()));
    }
    Ok(names.iter().map(|name| folder.join(name)).collect())
}

/// The entry function, the property and the expected verdict: of the property that is asked for, or else of the first that is checked.
fn property(
    folder: &Path,
    properties: &[PropertyEntry],
    asked: Option<Asked>,
) -> Result<(String, Property, Option<bool>), TaskError> {
    let (mut known, mut others) = (Vec::<Stated<'_>>::new(), Vec::new());
    for stated in properties {
        let PropertyEntry { property_file: file, expected_verdict: expected } = stated;
        match property_of(&folder.join(&file.value)) {
            Some((entry, property)) => known.push(Stated { entry, property, expected: *expected, file }),
            None => others.push(file),
        }
    }
    no_contradiction(&known)?;
    let answer = |stated: Stated<'_>| (stated.entry, stated.property, stated.expected);
    match (asked, others.first()) {
        // What is said of other properties is of no interest.
        (Some(Asked::Checks(_)), _) => {
            let entry = known.into_iter().next().map_or("main".to_owned(), |stated| stated.entry);
            return Ok((entry, Property::UnreachCall, None));
        }
        (Some(Asked::Property(asked)), other) if !known.is_empty() || other.is_some() => {
            let found = known.into_iter().find(|stated| stated.property == asked);
            let missing = || TaskError::Contradiction(format!("the task does not ask for {}", asked.name()));
            return found.map(answer).ok_or_else(missing);
        }
        (_, Some(other)) if known.is_empty() => return Err(unknown(other)),
        _ => {}
    }
    Ok(known.into_iter().next().map_or(("main".to_owned(), Property::UnreachCall, None), answer))
}

/// The entry function and the property that a file holds. The property files of SV-COMP lie elsewhere in its repository; where there is none its
/// name says what is in it.
fn property_of(file: &Path) -> Option<(String, Property)> {
    if let Ok(text) = std::fs::read_to_string(file) {
        let (entry, formulas) = formulas(&text)?;
        return Some((entry, Property::of_formulas(&formulas)?));
    }
    let property = file.file_stem().and_then(|name| Property::of_name(&name.to_string_lossy()))?;
    Some(("main".to_owned(), property))
}

/// Two verdicts of one property cannot both be expected.
fn no_contradiction(known: &[Stated<'_>]) -> Result<(), TaskError> {
    for (i, later) in known.iter().enumerate() {
        let same = |earlier: &&Stated<'_>| (earlier.property, &earlier.entry) == (later.property, &later.entry);
        let verdicts = known[..i].iter().find(same).map(|earlier| (earlier.expected, later.expected));
        if let Some((Some(earlier), Some(other))) = verdicts
            && earlier != other
        {
            let text = format!("the task expects both {earlier} and {other} of {}", later.property.name());
            return Err(bad(later.file, text));
        }
    }
    Ok(())
}

/// What is said of a property that is not checked.
fn unknown(property: &Spanned<String>) -> TaskError {
    let names = Property::ALL.iter().map(|known| known.name()).collect::<Vec<_>>().join(", ");
    bad(property, format!("unknown property `{}`: expected one of {names}", property.value))
}

/// `CHECK( init(main()), LTL(G ! call(reach_error())) )`, once or several times: the entry function, and the formulas without blanks.
fn formulas(text: &str) -> Option<(String, Vec<String>)> {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut found: Option<(String, Vec<String>)> = None;
    for check in compact.strip_prefix("CHECK(")?.split("CHECK(") {
        let (entry, formula) = check.strip_prefix("init(")?.split_once("()),LTL(")?;
        let formula = formula.strip_suffix("))")?.to_owned();
        let (first, all) = found.get_or_insert_with(|| (entry.to_owned(), Vec::new()));
        if first != entry {
            return None;
        }
        all.push(formula);
    }
    found
}
