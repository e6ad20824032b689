//! Task files of SV-COMP: a YAML file that names the program, the property and the data model.

use std::path::{Path, PathBuf};

use clinch_frontend::c::types::DataModel;
use serde::Deserialize;

/// What a task file asks.
#[derive(Debug)]
pub(crate) struct Task {
    /// The program.
    pub(crate) files: Vec<PathBuf>,
    /// The function a run starts with.
    pub(crate) entry: String,
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
    /// It asks for something else than reachability.
    Unsupported(String),
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
pub(crate) fn read(file: &Path, text: &str) -> Result<Task, TaskError> {
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
    let (entry, expected) = property(folder, &document.properties)?;
    Ok(Task { files, entry, expected, data_model })
}

/// The entry function and the expected verdict of the reachability property among those of a task.
fn property(folder: &Path, properties: &[PropertyEntry]) -> Result<(String, Option<bool>), TaskError> {
    let mut others = Vec::new();
    for entry in properties {
        let path = folder.join(&entry.property_file);
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        // The property files of SV-COMP lie elsewhere in its repository; their names say what is in them.
        let text = std::fs::read_to_string(&path).unwrap_or_else(|_| match name.as_str() {
            "unreach-call.prp" => "CHECK( init(main()), LTL(G ! call(reach_error())) )".to_owned(),
            _ => String::new(),
        });
        match reachability(&text) {
            Some(entry_function) => return Ok((entry_function, entry.expected_verdict)),
            None => others.push(name),
        }
    }
    if others.is_empty() { Ok(("main".to_owned(), None)) } else { Err(TaskError::Unsupported(others.join(", "))) }
}

/// `CHECK( init(main()), LTL(G ! call(reach_error())) )`: the entry function, if the property is of this form.
fn reachability(text: &str) -> Option<String> {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (entry, formula) = compact.strip_prefix("CHECK(init(")?.split_once("()),LTL(")?;
    let function = formula.strip_prefix("G!call(")?.split_once("()")?.0;
    matches!(function, "reach_error" | "__VERIFIER_error").then(|| entry.to_owned())
}
