//! Files with more in them, whose lines keep their names and numbers.

use std::collections::BTreeSet;
use std::path::Path;

use clinch_checker::{Kind, Reading, Source};

use crate::witness::editor::{Edited, WITNESS_FILE};
use crate::witness::files::{File, expanded};

/// The files that were given with the changed texts; those that they include are part of them where they are not as they were. The prelude of
/// each is told whether it is the first.
pub(super) fn finished(files: &[File], edited: &[Edited], prelude: impl Fn(bool) -> String) -> Vec<Source> {
    let texts: Vec<String> = edited.iter().map(|edited| edited.text.clone()).collect();
    let given = (0..files.len()).filter(|&number| files[number].is_given);
    given.map(|number| with_prelude(&files[number], &prelude(number == 0), &expanded(files, &texts, number))).collect()
}

fn with_prelude(file: &File, prelude: &str, text: &str) -> Source {
    let name = file.name();
    let error = "extern void __VERIFIER_error();";
    let text = match Kind::of_path(&file.source.name) {
        Some(Kind::Preprocessed) => {
            format!("# 1 \"{WITNESS_FILE}\"\n{error}\n{prelude}# 1 \"{name}\"\n{}", renumbered(text, &name))
        }
        _ => format!("#line 1 \"{WITNESS_FILE}\"\n{error}\n{prelude}#line 1 \"{name}\"\n{text}"),
    };
    Source { name: file.source.name.clone(), text: Some(text) }
}

/// A preprocessed text whose own lines count, instead of those that it was made of. Headers of the system stay what they are.
fn renumbered(text: &str, name: &str) -> String {
    let line = |(number, line): (usize, &str)| {
        let is_marker = line.strip_prefix("# ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let is_system =
            || line.rsplit('"').next().is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "3"));
        if is_marker && !is_system() { format!("# {} \"{name}\"\n", number + 2) } else { format!("{line}\n") }
    };
    text.lines().enumerate().map(line).collect()
}

/// A text in memory includes what the file would.
pub(super) fn with_folders(mut reading: Reading, files: &[File]) -> Reading {
    let is_c = |file: &&File| file.is_given && Kind::of_path(&file.source.name) == Some(Kind::C);
    for file in files.iter().filter(is_c) {
        let folder = file.source.name.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).display().to_string();
        reading.cpp_flags.extend(["-iquote".to_owned(), folder]);
    }
    reading
}

/// Lines and columns of what was inserted.
pub(super) fn inserted_places(edited: &Edited) -> BTreeSet<(u32, u32)> {
    let (mut line, mut column) = (1, 1);
    let mut places = BTreeSet::new();
    for (offset, c) in edited.text.char_indices() {
        if edited.is_inserted(offset) {
            places.insert((line, column));
        }
        (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
    }
    places
}
