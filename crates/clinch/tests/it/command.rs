//! Verdicts, exit codes, JSON, limits.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{check_json, clinch, code, example, root, stderr, stdout};

#[test]
fn safe_with_its_proof() {
    let (code, object) = check_json(&example("ticket.gcl"), &["--define", "N=3"]);
    assert_eq!(code, 0);
    assert_eq!(object["verdict"], "safe");
    assert_eq!(object["engine"], "alpha");
    assert_eq!(object["certified"], true);
    assert!(object["time_s"].as_f64().expect("a number") > 0.0);
    let stats = &object["stats"];
    assert_eq!(stats["iterations"], 5);
    let iterations = stats["per_iteration"].as_array().expect("a list");
    assert_eq!(iterations.len(), 5);
    assert_eq!(iterations[0]["concrete_states"], 52);
    assert_eq!(iterations[0]["abstract_states"], 25);
    assert_eq!(iterations[0]["new_predicates"].as_array().expect("a list").len(), 4);
    for key in ["queries", "cache_hits"] {
        assert!(iterations[0][key].is_u64(), "{key}");
    }
}

/// A value that was used up does not make states differ, unless all are to be counted; a trace has it all the same.
#[test]
fn dead_variables_are_forgotten_where_states_are_not_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = |error: &str| {
        let path = folder.path().join(format!("{}.gcl", error.len()));
        let text = "var sum: 0..9 = 0; process P { var n: 0..3 = 2; loc idle, busy; idle -> busy do n := input; \
                    busy -> idle when sum + n <= 9 do sum := sum + n; }";
        std::fs::write(&path, format!("{text} error {error};")).expect("written");
        path.display().to_string()
    };
    let safe = model("sum > 9");
    let states = |args: &[&str]| {
        let (code, object) = check_json(&safe, args);
        assert_eq!((code, &object["certified"]), (0, &serde_json::json!(true)), "{args:?}");
        object["proof"]["states"].as_u64().expect("a number")
    };
    // Idle, with each sum and the last summand; busy, with each sum and summand.
    assert_eq!((states(&["--engine", "explicit", "--dead", "forget"]), states(&["--engine", "explicit"])), (50, 75));
    let shown = stdout(&clinch(&["check", &safe, "--engine", "explicit", "--dead", "forget"]));
    assert!(shown.contains("50 states (apart from dead variables), closed under all steps"), "{shown}");
    let (code, object) = check_json(&model("sum = 3"), &["--engine", "explicit", "--dead", "forget"]);
    assert_eq!((code, &object["certified"]), (1, &serde_json::json!(true)));
    let trace = object["trace"].as_array().expect("a list");
    let last = &trace[trace.len() - 1]["state"]["variables"];
    assert_eq!((trace.len(), &last["P.n"]), (3, &serde_json::json!("3")), "{trace:?}");
    assert_eq!(trace[0]["state"]["variables"]["P.n"], "2");
}

#[test]
fn unsafe_with_its_trace() {
    let (code, object) = check_json(&example("rax-deadlock.gcl"), &["--engine", "alpha"]);
    assert_eq!(code, 1);
    assert_eq!(object["verdict"], "unsafe");
    assert_eq!(object["certified"], true);
    let trace = object["trace"].as_array().expect("a list");
    assert_eq!(trace.len(), 8, "8 states");
    assert_eq!(trace[7]["state"]["variables"]["w2"], "1");
    assert_eq!(trace[7]["state"]["locations"]["P1"], "l4");
}

#[test]
fn unknown_with_its_reason() {
    let (code, object) = check_json(&example("rax.gcl"), &["--engine", "alpha", "--max-iterations", "3"]);
    assert_eq!(code, 2);
    assert_eq!(object["verdict"], "unknown");
    assert_eq!(object["reason"], "iteration limit of 3 reached");
    assert_eq!(object["certified"], false);
    assert_eq!(object["stats"]["iterations"], 3);
}

#[test]
fn explicit_counts_states() {
    let (code, object) = check_json(&example("dining-phil.gcl"), &["--engine", "explicit"]);
    assert_eq!((code, &object["engine"]), (0, &"explicit".into()));
    assert_eq!(object["stats"]["states"], 242);
    assert!(object["stats"]["transitions"].is_u64() && object["stats"]["depth"].is_u64());
    let (code, object) = check_json(&example("dining-phil.gcl"), &["--engine", "explicit", "--deadlock"]);
    assert_eq!((code, &object["error"]), (1, &"no transition is enabled".into()));
}

#[test]
fn every_engine_and_option_from_the_command_line() {
    let hyman = example("hyman.gcl");
    let variants: &[&[&str]] = &[
        &["--engine", "explicit", "--order", "bfs", "--threads", "2"],
        &["--engine", "explicit", "--order", "dfs"],
        &["--engine", "explicit", "--order", "random", "--seed", "5"],
        &["--engine", "alpha", "--order", "dfs"],
        &["--engine", "alpha", "--prover", "off", "--inputs", "brute"],
        &["--engine", "alpha", "--add-all", "2"],
        &["--engine", "alpha", "--scope", "transition", "--lookup", "once"],
        &["--engine", "split", "--strategy", "max-overlap"],
        &["--engine", "split", "--strategy", "min-set"],
        &["--engine", "split", "--strategy", "min-only", "--seed", "9"],
    ];
    for args in variants {
        let (code, object) = check_json(&hyman, args);
        assert_eq!((code, &object["certified"]), (1, &true.into()), "{args:?}");
    }
}

#[test]
fn text_for_people() {
    let output = clinch(&["check", &example("ticket-err.gcl"), "--engine", "alpha"]);
    assert_eq!(code(&output), 1);
    let text = stdout(&output);
    assert!(text.starts_with("UNSAFE: the error condition holds after 7 steps (alpha"), "{text}");
    assert!(text.contains("P[1]: wait -> crit"), "{text}");
    assert_eq!(stderr(&output), "", "silent when piped");
}

#[test]
fn faults_name_their_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("fault.gcl");
    std::fs::write(&file, "var x: 0..3 = 0;\ncommand do\n  x := x + 2;\n").expect("written");
    let output = clinch(&["check", &file.display().to_string()]);
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).contains("fault.gcl:2:1): value 4 out of range 0..3"), "{}", stdout(&output));
}

#[test]
fn wrong_usage_is_64() {
    let ticket = example("ticket.gcl");
    let cases: &[&[&str]] = &[
        &[],
        &["frobnicate"],
        &["check"],
        &["check", &ticket, "--engine", "magic"],
        &["check", &ticket, "--define", "N"],
        &["check", &ticket, "--timeout", "soon"],
        &["check", &ticket, "--input-domain", "5..1"],
        &["check", &ticket, "--engine", "explicit", "--prover", "off"],
        &["check", &ticket, "--engine", "alpha", "--order", "random"],
    ];
    for args in cases {
        let output = clinch(args);
        assert_eq!(code(&output), 64, "{args:?}: {}", stderr(&output));
        assert!(!stderr(&output).is_empty(), "{args:?}");
    }
    for args in [&["--help"][..], &["--version"], &["engines"], &["check", "--help"]] {
        assert_eq!(code(&clinch(args)), 0, "{args:?}");
    }
}

const ENDLESS: &str = "var x: int = 0; var y: int = 0; command do x := x + 1; command do y := y + 1;";

#[test]
fn limits_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("endless.gcl").display().to_string();
    std::fs::write(&file, ENDLESS).expect("written");
    let start = Instant::now();
    let (code, object) = check_json(&file, &["--engine", "explicit", "--timeout", "300ms"]);
    assert_eq!((code, &object["reason"]), (2, &"time limit of 0.3 s reached".into()));
    assert!(start.elapsed() < Duration::from_secs(20));
    assert!(object["stats"]["states"].as_u64().expect("states so far") > 1);
    let (code, object) = check_json(&file, &["--engine", "explicit", "--memory", "64MiB"]);
    assert_eq!((code, &object["reason"]), (2, &"memory limit of 64 MiB reached".into()));
}

/// Ctrl-C ends a run with a report.
#[test]
fn an_interrupt_ends_in_unknown() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("endless.gcl").display().to_string();
    std::fs::write(&file, ENDLESS).expect("written");
    let child = Command::new(env!("CARGO_BIN_EXE_clinch"))
        .args(["check", &file, "--engine", "explicit", "--json", "--timeout", "60s"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("clinch starts");
    std::thread::sleep(Duration::from_millis(500));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(code(&output), 2);
    assert!(stdout(&output).contains("\"reason\":\"interrupted\""), "{}", stdout(&output));
}

#[test]
fn the_papers_tables_are_reproduced() {
    let output = clinch(&["reproduce", "alpha", "--bound", "60s"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    for line in ["15,31 (15,31)", "52,58,58,58,58 (52,58,58,58,58)", "69 (69)", "101 (101)", "unsafe, 8 states"] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
    let output = clinch(&["reproduce", "split", "--bound", "100ms", "--seeds", "1", "--errors", "4"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    for table in ["5.1", "5.2", "5.3", "5.4", "5.5", "2.1"] {
        assert!(stdout(&output).contains(table), "table {table}");
    }
}

#[test]
fn readme_commands_exist() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let makefile = std::fs::read_to_string(root().join("Makefile")).expect("Makefile");
    for target in ["demo", "test", "bench"] {
        assert!(readme.contains(&format!("make {target}")), "README does not name make {target}");
        assert!(makefile.contains(&format!("\n{target}:")), "the Makefile has no target {target}");
    }
}

/// Predicates of a run are saved, and suffice for the fixpoint alone.
#[test]
fn predicates_are_saved_and_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("predicates").display().to_string();
    let model = clinch_testing::package().join("../../examples/armc/bakery3.armc").display().to_string();
    let paper = ["--engine", "cegar", "--simplify", "off"];
    let (code, first) = check_json(&model, &[&paper[..], &["--save-predicates", &file]].concat());
    assert_eq!(code, 0);
    let (code, second) = check_json(&model, &[&paper[..], &["--predicates", &file, "--refine", "off"]].concat());
    assert_eq!((code, &second["stats"]["iterations"]), (0, &1.into()));
    assert_eq!(first["stats"]["predicates"], second["stats"]["predicates"]);
    let (code, _) = check_json(&model, &[&paper[..], &["--refine", "off"]].concat());
    assert_eq!(code, 2, "without predicates nothing is proved");
}
