//! The tree keeps its own rules.

use std::path::{Path, PathBuf};

use crate::root;

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn files_stay_short() {
    let mut files = Vec::new();
    rust_files(&root().join("crates"), &mut files);
    assert!(files.len() > 50);
    for file in files {
        let lines = std::fs::read_to_string(&file).expect("text").lines().count();
        assert!(lines <= 600, "{} has {lines} lines: split it by noun", file.display());
    }
}

/// An engine opens with its paper: `//! \[Key\] Author: ...`, and the key is in docs/references.md.
#[test]
fn citations_are_known() {
    let references = std::fs::read_to_string(root().join("docs/references.md")).expect("references");
    let mut files = Vec::new();
    rust_files(&root().join("crates/engine"), &mut files);
    let mut keys = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("text");
        let opening = text.lines().filter_map(|line| line.strip_prefix("//! \\[")?.split_once("\\] "));
        keys.extend(opening.map(|(key, _)| key.to_owned()));
    }
    assert!(keys.len() >= 2, "{keys:?}");
    for key in keys {
        assert!(references.contains(&format!("[{key}]")), "[{key}] is not in docs/references.md");
    }
}
