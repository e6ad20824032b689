//! The file with the results of a campaign: a line for each task, in the order in which they ended.
//!
//! A line is written at once, and ends with a checksum. Whoever goes on reads the file first: a last line that is cut is taken away, and its task
//! is done again. Anything else that does not fit is an error: nothing is guessed.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::csv;

pub(super) const COLUMNS: [&str; 11] =
    ["task", "file", "property", "data_model", "expected", "verdict", "judged", "engine", "seconds", "reason", "run"];

/// What became of a task: a value for each column.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row(pub(super) [String; COLUMNS.len()]);

impl Row {
    /// The number of the task.
    pub(super) fn task(&self) -> usize {
        self.0[0].parse().unwrap_or(0)
    }

    pub(super) fn get(&self, column: &str) -> &str {
        COLUMNS.iter().position(|name| *name == column).map_or("", |place| &self.0[place])
    }

    fn line(&self) -> String {
        let line = csv::line(self.0.iter().map(String::as_str));
        format!("{line},{}\n", digest(&line))
    }

    fn read(line: &str) -> Option<Row> {
        let (values, sum) = line.rsplit_once(',')?;
        let row = Row(csv::values(values)?.try_into().ok()?);
        (digest(values) == sum && row.task() > 0).then_some(row)
    }
}

/// The first digits of a checksum.
pub(super) fn digest(text: &str) -> String {
    Sha256::digest(text).iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// The line with the names of the columns.
pub(super) fn header() -> String {
    format!("{},check\n", COLUMNS.join(","))
}

/// The rows in a text by their tasks, and how many bytes of it are whole lines.
pub(super) fn rows(text: &str) -> Result<(BTreeMap<usize, Row>, usize), String> {
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    if !text[..whole].starts_with(&header()) {
        let cut = header().starts_with(text);
        return if cut { Ok((BTreeMap::new(), 0)) } else { Err("it is no file of results".to_owned()) };
    }
    let mut rows = BTreeMap::new();
    for (number, line) in text[..whole].lines().enumerate().skip(1) {
        let row = Row::read(line).ok_or_else(|| format!("line {} is damaged", number + 1))?;
        let task = row.task();
        if rows.insert(task, row).is_some() {
            return Err(format!("line {}: task {task} is there twice", number + 1));
        }
    }
    Ok((rows, whole))
}

/// An open file of results.
pub(super) struct Results {
    file: File,
    /// The tasks that are done.
    pub(super) done: BTreeMap<usize, Row>,
    /// Whether a line was cut, and taken away.
    pub(super) was_cut: bool,
}

impl Results {
    /// Opens a file, or makes it. Nobody else may write to it then.
    pub(super) fn open(path: &Path) -> Result<Results, String> {
        let wrong = |what: String| format!("{}: {what}", path.display());
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = file.map_err(|error| wrong(error.to_string()))?;
        file.try_lock().map_err(|error| wrong(format!("another campaign writes to it ({error})")))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| wrong(error.to_string()))?;
        // A line that is cut may end within a character.
        let text = String::from_utf8_lossy(&bytes);
        let (done, whole) = rows(&text).map_err(wrong)?;
        let was_cut = whole < text.len();
        let mut results = Results { file, done, was_cut };
        results.prepare(whole as u64).map_err(|error| wrong(error.to_string()))?;
        Ok(results)
    }

    fn prepare(&mut self, whole: u64) -> std::io::Result<()> {
        self.file.set_len(whole)?;
        self.file.seek(SeekFrom::End(0))?;
        if whole == 0 {
            self.file.write_all(header().as_bytes())?;
        }
        self.file.sync_data()
    }

    /// Adds a row: it is there as a whole, or will be noticed.
    pub(super) fn add(&mut self, row: Row) -> std::io::Result<()> {
        self.file.write_all(row.line().as_bytes())?;
        self.file.sync_data()?;
        self.done.insert(row.task(), row);
        Ok(())
    }
}

/// The text of a file with these rows, in the order of the tasks.
pub(super) fn text<'a>(rows: impl IntoIterator<Item = &'a Row>) -> String {
    std::iter::once(header()).chain(rows.into_iter().map(Row::line)).collect()
}
