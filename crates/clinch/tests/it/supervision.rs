//! A check always answers: at an interrupt, at a limit, and when the process that does the work is gone.

use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::code;

/// Multiplication, and loops without a bound: no engine gets far.
const HARD_C: &str = "
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
unsigned f(unsigned x, unsigned n) { return n == 0 ? x : f(x * 2654435761u + n, n - 1); }
int main(void) {
  unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint(), n = __VERIFIER_nondet_uint(), a[64];
  for (unsigned i = 0; i < 64; i++) a[i] = i * x;
  for (unsigned i = 0; i < n; i++) { x = x * 2654435761u + (y ^ (x >> 7)); y = y * x + a[x % 64]; a[y % 64] ^= x; }
  if (x * y == 0x12345678u && f(x, n) == 0x9abcdef1u && (x ^ y) % 1000003u == 77u) reach_error();
  return 0;
}
";
const HARD_FINITE: &str = "
var a: 0..99 = 0, b: 0..99 = 0, c: 0..99 = 0, d: 0..99 = 0, e: 0..99 = 0;
command when a < 99 do a := a + 1;
command when b < 99 do b := b + 1;
command when c < 99 do c := c + 1;
command when d < 99 do d := d + 1;
command when e < 99 do e := e + 1;
error a * b * c + d * e * e = 1234567 and a * d = 77 * e + 1 and b * e > 98 * 98;
";
const HARD_INFINITE: &str = "
var x: int = 1, y: int = 1, z: int = 0;
process P {
  loc l, m;
  l -> m when x < y * z + 7 do x := x * 3 - y;
  m -> l do y := y + x * x, z := z + 1;
  l -> l when x >= y * z + 7 do x := x - z * y;
}
error x * x * x = y * y + z * 1234567 + 3 and z > 5;
";
const HARD_CLAUSES: &str = "
(set-logic HORN)
(declare-fun P (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (= x 1) (= y 1) (= z 0)) (P x y z))))
(assert (forall ((x Int) (y Int) (z Int) (u Int) (v Int)) (=> (and (P x y z) (= u (+ (* 3 x) y))
  (= v (ite (= (mod x 7) 3) (+ y (* 2 z)) (- y x)))) (P u v (+ z 1)))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (P x y z) (= (+ x (* 2 y)) (+ 1234567 z)) (> z 4)) false)))
(check-sat)
";

/// A file with this text that lives as long as the folder.
fn write(folder: &tempfile::TempDir, name: &str, text: &str) -> String {
    let file = folder.path().join(name).display().to_string();
    std::fs::write(&file, text).expect("written");
    file
}

/// One question, where there could be several: what may be asked of C beside assertions is another matter.
fn start(file: &str, args: &[&str]) -> Child {
    let one = if file.ends_with(".c") { ["--property", "unreach-call"].as_slice() } else { &[] };
    Command::new(env!("CARGO_BIN_EXE_clinch"))
        .args(["check", file, "--json"])
        .args(one)
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("clinch starts")
}

fn send(signal: &str, process: u32) {
    let sent = Command::new("kill").args([signal, &process.to_string()]).status().expect("kill runs");
    assert!(sent.success(), "{signal} to {process}");
}

/// The process that does the work, once there is one.
fn worker_of(supervisor: u32) -> u32 {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        let children = std::fs::read_to_string(format!("/proc/{supervisor}/task/{supervisor}/children"));
        if let Some(child) = children.unwrap_or_default().split_whitespace().next() {
            return child.parse().expect("a number");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("no worker was started");
}

fn object(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

/// Ctrl-C ends a run of every engine at once, with a report.
#[test]
fn an_interrupt_is_answered_within_a_second() {
    let folder = tempfile::tempdir().expect("a folder");
    let c = write(&folder, "hard.c", HARD_C);
    let finite = write(&folder, "finite.gcl", HARD_FINITE);
    let infinite = write(&folder, "infinite.gcl", HARD_INFINITE);
    let clauses = write(&folder, "hard.smt2", HARD_CLAUSES);
    let of_c =
        ["auto", "explicit", "bounded", "kinduction", "lazy", "cegar", "spacer", "spds"].map(|engine| (&c, engine));
    let of_finite = ["explicit", "alpha", "split", "cegar", "spacer"].map(|engine| (&finite, engine));
    let of_infinite = ["alpha", "cegar", "kinduction", "lazy", "spacer"].map(|engine| (&infinite, engine));
    let of_clauses = ["cegar", "kinduction", "lazy", "spacer"].map(|engine| (&clauses, engine));
    let mut interrupted = 0;
    for (file, engine) in of_c.into_iter().chain(of_finite).chain(of_infinite).chain(of_clauses) {
        let mut child = start(file, &["--engine", engine, "--timeout", "60s"]);
        std::thread::sleep(Duration::from_millis(500));
        if child.try_wait().expect("a child").is_some() {
            // It had an answer before.
            continue;
        }
        let interrupt = Instant::now();
        send("-INT", child.id());
        let output = child.wait_with_output().expect("it ends");
        let (taken, object) = (interrupt.elapsed(), object(&output));
        if code(&output) == 0 {
            // It had one at that moment.
            continue;
        }
        interrupted += 1;
        assert_eq!((code(&output), &object["verdict"]), (2, &"unknown".into()), "{engine} on {file}: {object}");
        let reason = object["reason"].as_str().expect("a reason");
        assert!(reason.starts_with("interrupted"), "{engine} on {file}: {reason}");
        assert!(object["stats"].is_object(), "{engine} on {file}");
        // A second, and what a busy machine needs to start and end processes.
        assert!(taken < Duration::from_secs(3), "{engine} on {file} took {taken:?}");
    }
    assert!(interrupted >= 14, "only {interrupted} of 22 were interrupted");
}

#[test]
fn a_worker_that_is_killed_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "finite.gcl", HARD_FINITE);
    for (signal, reason) in [("-ABRT", "engine crashed: signal 6"), ("-KILL", "engine crashed: signal 9")] {
        let child = start(&file, &["--engine", "alpha", "--timeout", "60s"]);
        let worker = worker_of(child.id());
        std::thread::sleep(Duration::from_millis(500));
        send(signal, worker);
        let output = child.wait_with_output().expect("it ends");
        let object = object(&output);
        assert_eq!((code(&output), &object["reason"]), (2, &reason.into()), "{object}");
        assert_eq!(object["engine"], "alpha");
    }
}

/// Ctrl-C ends the whole check, not only one of its rounds.
#[test]
fn an_interrupt_ends_all_rounds() {
    let folder = tempfile::tempdir().expect("a folder");
    let c = write(&folder, "hard.c", HARD_C);
    let mut check = Command::new(env!("CARGO_BIN_EXE_clinch"));
    let child = check.args(["check", &c, "--timeout", "60s"]).stdout(Stdio::piped()).spawn().expect("clinch starts");
    std::thread::sleep(Duration::from_millis(800));
    let interrupt = Instant::now();
    send("-INT", child.id());
    let output = child.wait_with_output().expect("it ends");
    assert!(interrupt.elapsed() < Duration::from_millis(1500), "it took {:?}", interrupt.elapsed());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains(" unknown") && text.contains(": interrupted ("), "{text}");
}

/// In a portfolio only the engine that crashed is lost.
#[test]
fn a_portfolio_goes_on_after_a_crash() {
    let file = clinch_testing::package().join("../../examples/c/serial.c");
    let child = start(&file.display().to_string(), &["--timeout", "60s"]);
    let worker = worker_of(child.id());
    // The engine that executes single runs is the first, and does not end by itself; a proof takes seconds.
    std::thread::sleep(Duration::from_millis(300));
    send("-ABRT", worker);
    let output = child.wait_with_output().expect("it ends");
    let object = object(&output);
    assert_eq!((code(&output), &object["verdict"]), (0, &"safe".into()), "{object}");
    let crashed = serde_json::json!({ "engine": "explicit", "reason": "engine crashed: signal 6" });
    let before = object["stats"]["engines_before"].as_array().expect("a list");
    assert!(before.contains(&crashed), "{object}");
}

/// Whoever ends the supervisor ends the worker too.
#[test]
fn no_worker_is_left_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "finite.gcl", HARD_FINITE);
    let mut child = start(&file, &["--engine", "alpha", "--timeout", "60s"]);
    let worker = worker_of(child.id());
    send("-KILL", child.id());
    child.wait().expect("it ends");
    let start = Instant::now();
    while std::fs::exists(format!("/proc/{worker}/statm")).expect("proc") {
        assert!(start.elapsed() < Duration::from_secs(5), "the worker goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The limit holds where nobody looks at it, and the report names it.
#[test]
fn time_limits_hold_for_every_engine() {
    let folder = tempfile::tempdir().expect("a folder");
    let c = write(&folder, "hard.c", HARD_C);
    for engine in ["auto", "bounded", "kinduction", "lazy", "cegar", "spacer", "spds"] {
        let begin = Instant::now();
        let output = start(&c, &["--engine", engine, "--timeout", "1s"]).wait_with_output().expect("it ends");
        let object = object(&output);
        assert_eq!(code(&output), 2, "{engine}: {object}");
        assert!(begin.elapsed() < Duration::from_secs(4), "{engine} took {:?}", begin.elapsed());
    }
}

/// Engines that wait for their turns when the time is over say so themselves, and do not have to be ended.
#[test]
fn those_that_wait_are_asked_to_stop() {
    let folder = tempfile::tempdir().expect("a folder");
    let c = write(&folder, "hard.c", HARD_C);
    let output = start(&c, &["--threads", "1", "--timeout", "6s"]).wait_with_output().expect("it ends");
    let object = object(&output);
    let given_up = object["stats"]["engines_before"].as_array().map_or(0, Vec::len);
    // How many of them get to the end of what they are at before all are killed is a matter of the machine's speed.
    assert!(given_up >= 1, "{object}");
}

#[test]
fn the_version_names_the_solver() {
    let output = crate::clinch(&["--version"]);
    let text = crate::stdout(&output);
    assert!(text.starts_with("clinch 0.") && text.contains("Z3 5."), "{text}");
}

/// Engines that lose are killed while they compile and write: what they leave behind goes too.
#[test]
fn no_file_is_left_behind() {
    let (folder, scratch) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let hard = write(&folder, "hard.c", HARD_C);
    let bug = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
        int main(void) { int n = __VERIFIER_nondet_int(); if (n == 7) reach_error(); return 0; }";
    let bug = write(&folder, "bug.c", bug);
    for (file, expected) in [(&bug, 1), (&bug, 1), (&hard, 2)] {
        let mut check = Command::new(env!("CARGO_BIN_EXE_clinch"));
        check.args(["check", file, "--timeout", "700ms"]).env("TMPDIR", scratch.path());
        assert_eq!(code(&check.output().expect("it runs")), expected);
    }
    let left: Vec<_> = std::fs::read_dir(scratch.path()).expect("a folder").flatten().map(|e| e.path()).collect();
    assert!(left.is_empty(), "{left:?}");
}
