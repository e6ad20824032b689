//! The tasks of a campaign: the lines of an index.

use std::path::{Path, PathBuf};
use std::process::Command;

use clinch_checker::Property;

use super::csv;

/// A task.
pub(super) struct Task {
    /// Which line of the index it is, from 1.
    pub(super) number: usize,
    /// The file, as the index names it.
    pub(super) file: String,
    /// The same, from here.
    path: PathBuf,
    pub(super) property: String,
    pub(super) data_model: String,
    pub(super) expected: String,
    integers: String,
}

/// A part of the tasks: every so-many-th, from one on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shard {
    pub(crate) part: usize,
    pub(crate) of: usize,
}

impl Shard {
    /// Whether a task belongs to it.
    pub(super) fn has(self, number: usize) -> bool {
        (number - 1) % self.of == self.part
    }
}

/// All tasks of an index, or what is wrong with it.
pub(super) fn read(index: &Path) -> Result<Vec<Task>, String> {
    let wrong = |what: &str| format!("{}: {what}", index.display());
    let text = std::fs::read_to_string(index).map_err(|error| wrong(&error.to_string()))?;
    let mut lines = text.lines();
    let header =
        lines.next().and_then(csv::values).ok_or_else(|| wrong("it has no line with the names of its columns"))?;
    let column = |name: &str| header.iter().position(|known| known == name);
    let file = column("file").ok_or_else(|| wrong("it has no column `file`"))?;
    let others = ["property", "data_model", "expected", "integers"].map(column);
    let folder = index.parent().unwrap_or(Path::new(""));
    let mut tasks = Vec::new();
    for (number, line) in (1..).zip(lines.filter(|line| !line.trim().is_empty())) {
        let row = csv::values(line).ok_or_else(|| wrong(&format!("a quote of task {number} is not closed")))?;
        let value = |column: usize| row.get(column).cloned().unwrap_or_default();
        let [property, data_model, expected, integers] = others.map(|column| column.map(value).unwrap_or_default());
        let file = value(file);
        let path = ["", "tasks", "models"].map(|inner| folder.join(inner).join(&file));
        let path = path.iter().find(|path| path.is_file()).unwrap_or(&path[0]).clone();
        tasks.push(Task { number, file, path, property, data_model, expected, integers });
    }
    Ok(tasks)
}

impl Task {
    /// Adds to a command what the index says of the task.
    pub(super) fn arguments(&self, command: &mut Command) {
        command.arg(&self.path);
        if !self.data_model.is_empty() {
            command.args(["--data-model", &self.data_model.to_lowercase()]);
        }
        if Property::of_name(&self.property).is_some() {
            command.args(["--property", &self.property]);
        }
        if self.integers == "mathematical" {
            command.args(["--integers", &self.integers]);
        }
    }

    /// A property that is in the index and that nothing here checks. Other words there, as those of other collections, are not looked at.
    pub(super) fn unsupported(&self) -> Option<String> {
        let known = ["termination", "no-data-race", "def-behavior"];
        known.contains(&self.property.as_str()).then(|| format!("property {} is not supported", self.property))
    }

    /// What a verdict is in view of the expected one: correct, wrong, or nothing where none is expected.
    pub(super) fn judge(&self, verdict: &str) -> &'static str {
        let expected = match self.expected.as_str() {
            "true" | "safe" | "sat" => "safe",
            "false" | "unsafe" | "unsat" => "unsafe",
            _ => return "",
        };
        match verdict {
            "safe" | "unsafe" if verdict == expected => "correct",
            "safe" | "unsafe" => "wrong",
            _ => "",
        }
    }
}
