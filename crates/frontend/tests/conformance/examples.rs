//! The example programs do what their headers say, when gcc runs them and when the machine does.

use std::path::{Path, PathBuf};
use std::process::Command;

use clinch_attack::gcc::{self, Batch};
use clinch_attack::outcome::{End, Outcome};
use clinch_attack::rng::Rng;

use crate::interpret::Lowered;

/// Random runs of a program that is said to be safe.
const RUNS: u64 = 30;

/// An example and what its header says.
struct Example {
    path: PathBuf,
    safe: bool,
    /// Inputs that lead to the error.
    inputs: Vec<u64>,
}

fn examples() -> Vec<Example> {
    let folder = clinch_testing::package().join("../../examples/c");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("examples").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.into_iter().filter(|path| path.extension().is_some_and(|e| e == "c")).filter_map(example).collect()
}

/// An example; none where the error is undefined behaviour, which says nothing of what a run does.
fn example(path: PathBuf) -> Option<Example> {
    let text = std::fs::read_to_string(&path).expect("text");
    let header = |key: &str| text.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(key));
    let safe = match header("expect: ") {
        Some("safe") => true,
        Some("unsafe") => false,
        Some(other) if other.starts_with("unsafe (") => return None,
        other => panic!("{}: expect {other:?}", path.display()),
    };
    let values = header("inputs: ").unwrap_or("").split(", ").filter(|v| !v.is_empty());
    let inputs: Vec<u64> = values.map(|v| v.parse::<i64>().expect("a number").cast_unsigned()).collect();
    assert_eq!(safe, inputs.is_empty(), "{}: an unsafe example has inputs", path.display());
    Some(Example { path, safe, inputs })
}

fn preprocessed(path: &Path) -> String {
    let output = Command::new("gcc").arg("-E").arg(path).output().expect("gcc is there");
    String::from_utf8(output.stdout).expect("text")
}

fn is_error(outcome: &Outcome) -> bool {
    match &outcome.end {
        End::Error => true,
        End::Other(what) => what.contains("Assertion"),
        _ => false,
    }
}

#[test]
fn examples_keep_what_they_say() {
    if !gcc::available() {
        eprintln!("skipped: no gcc to compile the examples with");
        return;
    }
    let (folder, examples) = (crate::folder("examples"), examples());
    assert!(examples.len() >= 12, "{}", examples.len());
    for example in &examples {
        let name = example.path.file_stem().expect("a name").to_string_lossy().into_owned();
        let path = example.path.canonicalize().expect("a path");
        let text = format!("#define main main_0\n#include \"{}\"\n#undef main\n", path.display());
        let batch =
            Batch::compile(&folder, &name, &[text], &["-O1", "-fwrapv", "-Wall", "-Wno-unused-function", "-Werror"])
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        let lowered = Lowered::new(&preprocessed(&path));
        if !example.safe {
            for outcome in [batch.run(0, &example.inputs), lowered.run(&example.inputs)] {
                assert!(is_error(&outcome), "{name}: {outcome:?}");
            }
            continue;
        }
        let mut rng = Rng::new(7);
        for _ in 0..RUNS {
            let inputs: Vec<u64> = (0..rng.range(1, 60)).map(|_| rng.value()).collect();
            let outcome = batch.run(0, &inputs);
            assert!(matches!(outcome.end, End::Exit(_)), "{name} on {inputs:x?}: {outcome:?}");
            assert_eq!(lowered.run(&inputs), outcome, "{name} on {inputs:x?}");
        }
    }
}
