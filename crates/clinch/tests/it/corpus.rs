//! Other people's transition systems and Horn clauses, where they are there: no wrong verdict, and most of the small ones
//! decided.

use std::path::PathBuf;

use crate::{clinch, code, root};

/// An index of tasks, with file and expected verdict.
fn tasks(kind: &str) -> Vec<(PathBuf, String)> {
    let folder = root().join("../shared/corpus").join(kind);
    let Ok(text) = std::fs::read_to_string(folder.join("index.csv")) else { return Vec::new() };
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| header.iter().position(|h| *h == name).expect("a column of the index");
    let (file, expected) = (column("file"), column("expected"));
    let rows = lines.map(|line| line.split(',').collect::<Vec<_>>());
    rows.map(|row| (folder.join("tasks").join(row[file]), row[expected].to_owned())).collect()
}

/// Runs cegar on a task; whether it decides it, which must be right.
fn decides(path: &std::path::Path, expected: &str, timeout: &str) -> bool {
    let output = clinch(&["check", &path.display().to_string(), "--engine", "cegar", "--timeout", timeout]);
    let wanted = match expected {
        "safe" | "sat" => 0,
        "unsafe" | "unsat" => 1,
        _ => 2,
    };
    let code = code(&output);
    assert!(code == 2 || wanted == 2 || code == wanted, "{}: {output:?}", path.display());
    code != 2
}

#[test]
fn armc_systems_are_decided() {
    let tasks = tasks("armc");
    let decided = tasks.iter().filter(|(path, expected)| decides(path, expected, "10s")).count();
    assert!(decided * 10 >= tasks.len() * 9, "{decided} of {}", tasks.len());
}

#[test]
fn small_horn_clauses_are_decided() {
    let mut tasks = tasks("chc");
    tasks.retain(|(path, _)| std::fs::metadata(path).is_ok_and(|m| m.len() < 2500));
    let decided = tasks.iter().filter(|(path, expected)| decides(path, expected, "1s")).count();
    assert!(decided * 10 >= tasks.len() * 7, "{decided} of {}", tasks.len());
}
