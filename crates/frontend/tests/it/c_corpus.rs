//! The C tasks, where they are at hand: all are read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clinch_frontend::c::types::DataModel;
use clinch_frontend::c::{CheckOptions, Unit, check};

pub(crate) fn corpus() -> Option<PathBuf> {
    let dir = clinch_testing::package().join("../../../shared/corpus/c");
    dir.join("tasks").is_dir().then_some(dir)
}

/// The text of a task after preprocessing; none without a C compiler.
pub(crate) fn preprocessed(path: &Path) -> Option<String> {
    if path.extension().is_some_and(|e| e == "i") {
        return Some(String::from_utf8_lossy(&fs::read(path).ok()?).into_owned());
    }
    let output = Command::new("cc").arg("-E").arg(path).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn all_tasks_are_checked() {
    let Some(dir) = corpus() else { return };
    let (mut checked, mut wrong) = (0, Vec::new());
    for index in ["index.csv"] {
        let index = fs::read_to_string(dir.join(index)).expect("index");
        for line in index.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let Some(text) = preprocessed(&dir.join("tasks").join(fields[0])) else { continue };
            let data_model = if fields[4] == "ILP32" { DataModel::Ilp32 } else { DataModel::Lp64 };
            let units = [Unit { name: fields[0].to_owned(), text }];
            match check(&units, &CheckOptions { data_model, ..CheckOptions::default() }) {
                Ok((hir, _)) => {
                    assert!(hir.functions.iter().any(|f| f.body.is_some()), "{}", fields[0]);
                    checked += 1;
                }
                Err(error) => wrong.push(error.to_string()),
            }
        }
    }
    assert!(wrong.is_empty(), "{checked} tasks checked, {} not:\n{}", wrong.len(), wrong.join("\n"));
}
