//! The files of a project, preprocessed.

use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use clinch_checker::{Error, Reading, preprocess};
use clinch_frontend::ReadError;
use clinch_frontend::c::types::DataModel;
use clinch_frontend::c::{self, CheckOptions, Exports};
use clinch_ir::Reason;
use clinch_ir::cfa::Integers;

use crate::Digest;
use crate::commands::Command;
use crate::flags;

/// A file of a project.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Its name, from where we are.
    pub name: String,
    /// What it says, or why it cannot be read.
    pub content: Result<Content, Error>,
}

/// What a file says.
#[derive(Clone, PartialEq, Debug)]
pub struct Content {
    /// Its text after preprocessing.
    pub text: String,
    /// The hash of that text.
    pub digest: String,
    /// Whether `long` and pointers have 32 bits.
    pub ilp32: bool,
    /// What it offers to the other files, and takes from them.
    pub exports: Exports,
}

/// Preprocesses the files, as many at a time as there are cores.
pub fn read_all(commands: &[Command], reading: &Reading) -> Vec<Unit> {
    let next = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let work = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            match commands.get(number) {
                Some(command) => done.push((number, read(command, reading))),
                None => return done,
            }
        }
    };
    let mut all: Vec<(usize, Unit)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores.min(commands.len())).map(|_| scope.spawn(work)).collect();
        let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        joined.flat_map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, unit)| unit).collect()
}

fn read(command: &Command, reading: &Reading) -> Unit {
    let here = std::env::current_dir().unwrap_or_default();
    let path = normal(&here.join(command.path()));
    let name = from_here(&path, &here).display().to_string();
    let content = content(command, &path, &name, &here, reading);
    Unit { name, content }
}

fn content(command: &Command, path: &Path, name: &str, here: &Path, reading: &Reading) -> Result<Content, Error> {
    let unsupported = |why: String| Error::Unsupported(Reason::Unsupported(format!("{why}, at {name}:1:1")));
    let mut flags = flags::of_command(&command.arguments, &command.file).map_err(unsupported)?;
    let defines = reading.defines.iter().map(|define| match &define.value {
        Some(value) => format!("-D{}={value}", define.name),
        None => format!("-D{}", define.name),
    });
    flags.preprocessor.extend(defines.chain(reading.cpp_flags.iter().cloned()));
    let data_model = match reading.data_model {
        Some(said) => said,
        None if flags.ilp32 => DataModel::Ilp32,
        None => DataModel::Lp64,
    };
    let folder = normal(&here.join(&command.folder));
    let text = preprocess(path, &folder, data_model, &flags.preprocessor)?;
    let text = with_names_from_here(&text, &folder, here);
    let checking = CheckOptions { data_model, integers: reading.integers.unwrap_or(Integers::Machine) };
    let unit = c::Unit { name: name.to_owned(), text };
    let exports = c::exports(&unit, &checking).map_err(|error| match error {
        ReadError::Bad(diagnostics) => Error::Input(diagnostics.render(reading.colours)),
        ReadError::Unsupported(what) => unsupported(what.message),
    })?;
    let digest = Digest::of(unit.text.as_bytes());
    Ok(Content { text: unit.text, digest, ilp32: data_model == DataModel::Ilp32, exports })
}

/// A text whose line markers name files from where we are: the compiler ran elsewhere.
fn with_names_from_here(text: &str, folder: &Path, here: &Path) -> String {
    let mut all = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let named = line.strip_prefix("# ").and_then(|rest| {
            let (number, rest) = rest.split_once(" \"")?;
            let (name, flags) = rest.split_once('"')?;
            let is_file = !name.starts_with('<') && !name.contains('\\') && !name.ends_with("//");
            let path = normal(&folder.join(name));
            let path = from_here(&path, here);
            is_file.then(|| format!("# {number} \"{}\"{flags}", path.display()))
        });
        all.push_str(named.as_deref().unwrap_or(line));
    }
    all
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// A path from where we are, if it is below.
fn from_here(path: &Path, here: &Path) -> PathBuf {
    path.strip_prefix(here).unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_line_markers_are_those_from_here() {
        let text =
            "# 0 \"../src/a.c\"\n# 0 \"<built-in>\"\n# 1 \"../include/a.h\" 1\n# 1 \"/usr/include/x.h\" 1 3\nint a;\n";
        let named = with_names_from_here(text, Path::new("/p/build"), Path::new("/p"));
        let expected =
            "# 0 \"src/a.c\"\n# 0 \"<built-in>\"\n# 1 \"include/a.h\" 1\n# 1 \"/usr/include/x.h\" 1 3\nint a;\n";
        assert_eq!(named, expected);
    }
}
