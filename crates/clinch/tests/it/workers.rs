//! Explicit search by several workers, as users start it.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{check_json, code, example, plain_clinch, stderr, stdout};

/// A file with addresses at which nobody listens.
fn hosts(folder: &tempfile::TempDir, number: usize) -> String {
    let listeners: Vec<TcpListener> = (0..number).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
    let address = |listener: &TcpListener| format!("{}\n", listener.local_addr().expect("an address"));
    let file = folder.path().join("hosts.txt");
    std::fs::write(&file, listeners.iter().map(address).collect::<String>()).expect("written");
    file.display().to_string()
}

fn start(file: &str, process: usize, args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clinch"));
    command.args(["check", file, "--engine", "explicit", "--json", "--process", &process.to_string()]);
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("clinch starts")
}

/// The exit code and the report.
fn finish(child: Child) -> (i32, Value) {
    let output = child.wait_with_output().expect("it ends");
    let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    (code(&output), report)
}

#[test]
fn threads_and_processes_find_what_one_machine_does() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, expected) in [("stack.gcl", 0), ("hyman.gcl", 1)] {
        let file = example(name);
        let alone = check_json(&file, &["--engine", "explicit"]);
        assert_eq!(alone.0, expected);
        let hosts = hosts(&folder, 2);
        let running: Vec<Child> =
            (0..2).map(|process| start(&file, process, &["--hosts", &hosts, "--workers", "2"])).collect();
        let mut together: Vec<(i32, Value)> = running.into_iter().map(finish).collect();
        together.push(check_json(&file, &["--engine", "explicit", "--workers", "3"]));
        for (code, report) in together {
            assert_eq!((code, &report["certified"]), (expected, &true.into()), "{report}");
            let length = |report: &Value| report["trace"].as_array().map(Vec::len);
            assert_eq!(length(&report), length(&alone.1), "{report}");
            for count in ["states", "transitions", "depth"] {
                // Alone it stops at the first error, together they complete its level.
                if expected == 0 {
                    assert_eq!(report["stats"][count], alone.1["stats"][count], "{report}");
                }
            }
        }
    }
}

/// Ends the process that does the work of a check.
fn kill_worker(supervisor: &Child) -> bool {
    let children = format!("/proc/{0}/task/{0}/children", supervisor.id());
    let workers = std::fs::read_to_string(children).unwrap_or_default();
    let mut killed = false;
    for worker in workers.split_whitespace() {
        killed |= Command::new("kill").args(["-KILL", worker]).status().is_ok_and(|status| status.success());
    }
    killed
}

#[test]
fn a_process_that_dies_ends_the_search_of_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, hosts) = (example("multiply-to-n.gcl"), hosts(&folder, 3));
    let checkpoint = folder.path().join("checkpoint");
    let name = checkpoint.display().to_string();
    let args = ["--hosts", &hosts, "--define", "N=200", "--timeout", "60s", "--checkpoint", &name];
    let running: Vec<Child> = (0..3).map(|process| start(&file, process, &args)).collect();
    // They are connected, and search.
    let started = Instant::now();
    while !checkpoint.join("complete.json").exists() && started.elapsed() < Duration::from_secs(50) {
        std::thread::sleep(Duration::from_millis(50));
    }
    while !kill_worker(&running[1]) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let killed = Instant::now();
    for (process, child) in running.into_iter().enumerate() {
        let (code, report) = finish(child);
        assert_eq!((code, &report["verdict"]), (2, &"unknown".into()), "{report}");
        let reason = report["reason"].as_str().unwrap_or_default();
        let expected = if process == 1 { "crashed" } else { "lost" };
        assert!(reason.contains(expected), "process {process}: {report}");
    }
    assert!(killed.elapsed() < Duration::from_secs(20), "{:?}", killed.elapsed());
}

/// Those that are there do not wait for a third one when one of them is gone.
#[test]
fn a_process_may_die_before_all_are_connected() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, hosts) = (example("multiply-to-n.gcl"), hosts(&folder, 3));
    let running: Vec<Child> =
        (0..2).map(|process| start(&file, process, &["--hosts", &hosts, "--timeout", "60s"])).collect();
    std::thread::sleep(Duration::from_secs(2));
    assert!(kill_worker(&running[1]));
    let killed = Instant::now();
    for (child, expected) in running.into_iter().zip(["was lost", "crashed"]) {
        let (code, report) = finish(child);
        assert!(code == 2 && report["reason"].as_str().is_some_and(|reason| reason.contains(expected)), "{report}");
    }
    assert!(killed.elapsed() < Duration::from_secs(20), "{:?}", killed.elapsed());
}

#[test]
fn what_workers_cannot_do_is_said() {
    let file = example("stack.gcl");
    let usage = |args: &[&str], what: &str| {
        let output = plain_clinch(&[&["check", &file, "--engine", "explicit"], args].concat());
        assert!(code(&output) == 64 && stderr(&output).contains(what), "{args:?}: {output:?}");
    };
    usage(&["--workers", "2", "--order", "dfs"], "breadth first");
    usage(&["--workers", "2", "--threads", "2"], "--workers");
    usage(&["--workers", "0"], "a number from 1");
    usage(&["--checkpoint", "x", "--resume", "x"], "another folder");
    let unknown = |args: &[&str], what: &str| {
        let output = plain_clinch(&[&["check", &file, "--engine", "explicit", "--timeout", "1s"], args].concat());
        assert!(code(&output) == 2 && stdout(&output).contains(what), "{args:?}: {output:?}");
    };
    unknown(&["--hosts", "/nowhere/hosts.txt"], "No such file");
    unknown(&["--resume", "/nowhere/checkpoint"], "complete.json");
    let folder = tempfile::tempdir().expect("a folder");
    unknown(&["--hosts", &hosts(&folder, 2), "--process", "5"], "no process 5");
    unknown(&["--hosts", &hosts(&folder, 2), "--process", "1"], "time limit");
    std::fs::write(folder.path().join("bad"), "somewhere\n").expect("written");
    unknown(&["--hosts", &folder.path().join("bad").display().to_string()], "expected host:port");
}
