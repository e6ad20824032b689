//! Engines that look for an answer together tell each other what they find out.

use std::io::Write;
use std::process::{Command, Stdio};

use clinch_testing::together;
use serde_json::{Value, json};

use crate::{check_json, root};

/// Nobody knows whether this error can be reached.
const COLLATZ: &str = "
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned x = __VERIFIER_nondet_uint(), n = 0;
  while (x > 1) { x = x % 2 ? 3 * x + 1 : x / 2; n++; if (n == 2000000011u) reach_error(); }
  return 0;
}
";

/// A file with a program that lazy abstraction reads in all its encodings, in a folder that has to be kept.
fn bits() -> (tempfile::TempDir, String) {
    written(&together::bits(0))
}

fn written(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c").display().to_string();
    std::fs::write(&file, text).expect("written");
    (folder, file)
}

/// What a worker says that runs lazy abstraction and is told these lines.
fn worker(file: &str, args: &[&str], lines: &[Value]) -> Vec<Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_clinch"))
        .args(["--worker", r#"{"elapsed_ms":0,"member":"Lazy"}"#, "check", file])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("clinch starts");
    let mut input = child.stdin.take().expect("piped");
    for line in lines {
        writeln!(input, "{line}").expect("it listens");
    }
    let output = child.wait_with_output().expect("it ends");
    drop(input);
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

fn facts(said: &[Value]) -> Vec<&Value> {
    said.iter().filter_map(|message| message.get("Fact")).collect()
}

fn report(said: &[Value]) -> &Value {
    said.iter().find_map(|message| message.get("Report")).unwrap_or_else(|| panic!("no report: {said:?}"))
}

/// Facts that no engine told: one about a loop, one that makes no sense.
fn made_up() -> [Value; 2] {
    let bounds = json!({ "NoErrorWithin": { "default": 2, "of": [] } });
    let control = json!({ "Control": [4_000_000] });
    [bounds, control].map(|what| json!({ "Fact": { "from": "test", "what": what } }))
}

#[test]
fn a_worker_tells_and_hears() {
    let (_folder, file) = bits();
    let said = worker(&file, &[], &made_up());
    let shared = &report(&said)["stats"]["shared"];
    assert_eq!(shared["heard"], 2, "{said:?}");
    assert_eq!(shared["told"], facts(&said).len(), "{said:?}");
    assert!(!facts(&said).is_empty(), "{said:?}");
}

#[test]
fn nothing_is_shared_where_nothing_is_to_be_shared() {
    let (_folder, file) = bits();
    let said = worker(&file, &["--share", "off"], &made_up());
    assert!(facts(&said).is_empty() && report(&said)["stats"].get("shared").is_none(), "{said:?}");
    let (_, object) = check_json(&file, &["--share", "off"]);
    assert!(object["stats"].get("shared").is_none(), "{object}");
    // One engine has nobody to share with.
    let (_, object) = check_json(&file, &["--engine", "lazy"]);
    assert!(object["stats"].get("shared").is_none(), "{object}");
}

/// The same about a cell that is not allocated before the run, so that no engine is done at once.
const CELL: &str = "
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
extern void *malloc(unsigned long);
int main(void) {
  unsigned *x = malloc(4), y = 8, n = __VERIFIER_nondet_uint();
  *x = __VERIFIER_nondet_uint() & ~3u;
  while (n != 0) { *x = *x + 4; y = (y ^ *x) & ~3u; n--; }
  if ((*x & 3) != 0 || (y & 1) == 1) reach_error();
  return 0;
}
";

/// Through the supervisor. When a fact arrives depends on the machine, so one of a few runs has to show it.
#[test]
fn a_fact_travels_from_one_worker_to_another() {
    let (_folder, file) = written(CELL);
    let mut seen = Vec::new();
    for _ in 0..5 {
        let (code, object) = check_json(&file, &[]);
        assert_eq!(code, 0, "{object}");
        let heard = object["stats"]["shared"]["heard"].as_u64().unwrap_or(0);
        if heard > 0 {
            return;
        }
        seen.push(object["stats"].clone());
    }
    panic!("{seen:?}");
}

#[test]
fn verdicts_do_not_depend_on_sharing() {
    for name in ["funlock", "funlock-bug1", "block-bug1", "bucket", "utf8", "utf8-bug", "driver", "driver-bug"] {
        let file = root().join("examples/c").join(format!("{name}.c")).display().to_string();
        let [on, off] = ["on", "off"].map(|share| check_json(&file, &["--share", share]));
        assert_eq!((on.0, &on.1["verdict"]), (off.0, &off.1["verdict"]), "{name}");
        assert_ne!(on.1["verdict"], "unknown", "{name}: {}", on.1);
    }
}

#[test]
fn what_was_excluded_is_said_where_there_is_no_verdict() {
    let (_folder, file) = written(COLLATZ);
    let args = ["--timeout", "3s", "--property", "unreach-call"];
    let (code, object) = check_json(&file, &args);
    assert_eq!(code, 2, "{object}");
    let notes = object["notes"].as_array().expect("notes");
    assert!(
        notes.iter().any(|note| note.as_str().is_some_and(|n| n.starts_with("no error in runs that repeat"))),
        "{object}"
    );
}
