//! Lazy abstraction on the command line.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{check_json, clinch, code, example, root, stderr, stdout};

fn c_example(name: &str) -> String {
    root().join("examples/c").join(name).display().to_string()
}

#[test]
fn every_refinement_is_a_line() {
    let output = clinch(&["check", &c_example("funlock.c"), "--engine", "lazy", "--progress"]);
    assert_eq!(code(&output), 0);
    let text = stderr(&output);
    let first = text.lines().next().expect("a line");
    assert!(first.contains(" s: lazy: refinement 1: ") && first.contains(" prover calls ("), "{text}");
    assert!(first.contains(" predicates (") && first.contains(" active)"), "{text}");
}

#[test]
fn a_limit_names_the_loop() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.c");
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  unsigned x = 0;\n  while (__VERIFIER_nondet_int()) {\n    x += 2;\n  }\n  if (x == 7) reach_error();\n}\n";
    std::fs::write(&file, text).expect("written");
    let file = file.display().to_string();
    let (code, answer) = check_json(&file, &["--engine", "lazy", "--max-iterations", "2", "--encoding", "int"]);
    assert_eq!(code, 2, "{answer}");
    let reason = answer["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("iteration limit of 2 reached; the last spurious path comes "), "{reason}");
    assert!(reason.contains("p.c:5 ("), "{reason}");
}

#[test]
fn models_and_transition_systems_are_read() {
    for (name, expected) in [("ticket.gcl", 0), ("ticket-err.gcl", 1)] {
        let (code, answer) = check_json(&example(name), &["--engine", "lazy"]);
        assert_eq!(code, expected, "{answer}");
        assert_eq!(answer["certified"], true, "{answer}");
    }
    let system = root().join("examples/armc/seesaw.armc").display().to_string();
    assert_eq!(check_json(&system, &["--engine", "lazy", "--order", "subsumer"]).0, 0);
}

#[test]
fn the_table_is_reproduced() {
    let output = clinch(&["reproduce", "lazy", "--only", "funlock", "--bound", "20s", "--json"]);
    let table: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let runs = table["table 1"][0]["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 6);
    for run in runs {
        assert_eq!(run["confirmed"], true, "{run}");
    }
    let total = runs[0]["stats"]["predicates"]["total"].as_u64().expect("predicates");
    assert!(total <= 4, "{total} predicates");
}

#[test]
fn published_drivers_are_rows_of_the_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let task = std::fs::read_to_string(root().join("examples/c/funlock.c")).expect("an example");
    std::fs::write(folder.path().join("published.c"), task).expect("a file");
    let index = folder.path().join("index.csv");
    let reproduce = || {
        let tasks = folder.path().to_str().expect("a name");
        clinch(&["reproduce", "lazy", "--tasks", tasks, "--only", "published", "--bound", "20s", "--json"])
    };
    std::fs::write(&index, "file,expected,data_model\npublished.c,true,LP64\nabsent.c,true,LP64\n").expect("a file");
    let table: Value = serde_json::from_str(&stdout(&reproduce())).expect("JSON");
    let runs = table["published"].as_array().expect("runs");
    assert_eq!(runs.len(), 2);
    for run in runs {
        assert!(run["confirmed"] == true && run["lines"].as_u64() > Some(20), "{run}");
    }
    std::fs::write(&index, "name\npublished.c\n").expect("a file");
    let output = reproduce();
    assert_eq!(code(&output), 65);
    assert!(stderr(&output).contains("index.csv:1:1: error: the columns `file` and `expected` are needed"));
}

/// A line with the head of a loop, with a condition that is evaluated wherever the loop starts over.
fn with_check(line: &str, check: &str) -> Option<String> {
    if let Some((before, after)) = line.split_once("while (") {
        return Some(format!("{before}while ({check}, {after}"));
    }
    if let Some((before, after)) = line.split_once("for (") {
        let (start, rest) = after.split_once(';')?;
        return Some(format!("{before}for ({start}; {check},{rest}"));
    }
    None
}

/// Pastes the invariants into the program. Those of loops and statements that it cannot find by their line are left out.
fn pasted(text: &str, invariants: &[Value]) -> (String, usize) {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut count = 0;
    for invariant in invariants {
        let line = invariant["line"].as_u64().expect("a line") as usize - 1;
        let check = format!("clinch_holds({})", invariant["invariant"].as_str().expect("C"));
        if let Some(checked) = with_check(&lines[line], &check) {
            lines[line] = checked;
            count += 1;
        } else if lines[line].ends_with('{') && !lines[line].starts_with(' ') {
            // What holds when the function is called.
            lines[line].push_str(&format!(" {check};"));
            count += 1;
        } else if line > 0 && lines[line].starts_with(' ') && lines[line - 1].trim_end().ends_with([';', '{', '}']) {
            lines[line] = format!("{check}; {}", lines[line]);
            count += 1;
        }
    }
    (lines.join("\n"), count)
}

const HARNESS: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static uint64_t state = 88172645463325252u;
static int left = 400;
static uint64_t next(void) {
  if (left-- == 0) exit(0);
  state ^= state << 13; state ^= state >> 7; state ^= state << 17;
  return state >> 3 & 1 ? state >> 20 & 7 : state >> 20;
}
int __VERIFIER_nondet_int(void) { return (int)next(); }
unsigned __VERIFIER_nondet_uint(void) { return (unsigned)next(); }
char __VERIFIER_nondet_char(void) { return (char)next(); }
unsigned char __VERIFIER_nondet_uchar(void) { return (unsigned char)next(); }
_Bool __VERIFIER_nondet_bool(void) { return next() & 1; }
void reach_error(void) { puts("error"); exit(3); }
int clinch_holds(int holds) { if (!holds) { puts("an invariant does not hold"); exit(2); } return 1; }
int program_main(void);
int main(int argc, char **argv) { state += 977 * (argc > 1 ? atoi(argv[1]) : 0); program_main(); return 0; }
"#;

fn compile(folder: &Path, program: &str) -> std::path::PathBuf {
    let (source, binary) = (folder.join("pasted.c"), folder.join("pasted"));
    std::fs::write(&source, format!("int clinch_holds(int);\n#define main program_main\n{program}\n"))
        .expect("written");
    std::fs::write(folder.join("harness.c"), HARNESS).expect("written");
    let mut gcc = Command::new("gcc");
    gcc.args(["-w", "-fwrapv", "-o"]).arg(&binary).arg(&source).arg(folder.join("harness.c"));
    let output = gcc.output().expect("gcc starts");
    assert!(output.status.success(), "{}\n{program}", String::from_utf8_lossy(&output.stderr));
    binary
}

/// What is printed compiles where it stands, and never fails.
#[test]
fn invariants_can_be_pasted() {
    if Command::new("gcc").arg("--version").output().is_err() {
        return;
    }
    let mut checked = 0;
    for name in ["funlock", "driver", "packets", "serial", "block"] {
        // What the paper's configuration does not prove soon is not waited for.
        let presets: &[&str] = if name == "serial" { &["default"] } else { &["default", "blast"] };
        for &preset in presets {
            let file = c_example(&format!("{name}.c"));
            let args = ["--engine", "lazy", "--preset", preset, "--timeout", "20s"];
            let (code, answer) = check_json(&file, &args);
            if code != 0 {
                continue;
            }
            let text = std::fs::read_to_string(&file).expect("text");
            let invariants = answer["proof"]["invariants"].as_array().expect("invariants");
            let (program, count) = pasted(&text, invariants);
            let folder = tempfile::tempdir().expect("a folder");
            let binary = compile(folder.path(), &program);
            for seed in 0..50 {
                let output = Command::new(&binary).arg(seed.to_string()).output().expect("it runs");
                let said = String::from_utf8_lossy(&output.stdout).into_owned();
                assert!(!said.contains("invariant") && !said.contains("error"), "{name}, {seed}: {said}\n{program}");
            }
            checked += count;
        }
    }
    assert!(checked >= 40, "{checked} invariants");
}
