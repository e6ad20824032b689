//! Horn clauses on the command line.

use std::time::{Duration, Instant};

use crate::{check_json, clinch, code, example, stderr, stdout};

/// `y` is twice `x` when `x` has counted to 4; is `y` then other than `end`?
fn double(end: i64) -> String {
    format!(
        "(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (inv x y))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (< x 4)) (inv (+ x 1) (+ y 2)))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (>= x 4) (not (= y {end}))) false)))
(check-sat)
"
    )
}

/// Runs `f` with a file of this content.
fn with_file<T>(name: &str, content: &str, f: impl FnOnce(&str) -> T) -> T {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    std::fs::write(&file, content).expect("written");
    f(&file.display().to_string())
}

#[test]
fn a_solution() {
    with_file("double.smt2", &double(8), |file| {
        let (code_, object) = check_json(file, &["--engine", "spacer"]);
        assert_eq!((code_, &object["verdict"], &object["certified"]), (0, &"safe".into(), &true.into()));
        assert_eq!(object["solution"][0]["predicate"], "inv");
        assert_eq!(object["solution"][0]["params"][1]["sort"], "Int");
        assert!(object["solution"][0]["formula"].is_string());
        assert!(object["stats"]["verdict_time_s"].is_f64());
        let output = clinch(&["check", file, "--engine", "spacer"]);
        assert!(stdout(&output).starts_with("SAFE: the clauses have a solution, sat (spacer"), "{}", stdout(&output));
        let output = clinch(&["check", file, "--engine", "spacer", "--format", "smtlib"]);
        assert!(stdout(&output).starts_with("sat\n"), "{}", stdout(&output));
        assert!(stdout(&output).contains("(define-fun inv ("), "{}", stdout(&output));
    });
}

#[test]
fn a_refutation() {
    with_file("double.smt2", &double(7), |file| {
        let (code_, object) = check_json(file, &["--engine", "spacer"]);
        assert_eq!((code_, &object["verdict"], &object["certified"]), (1, &"unsafe".into(), &true.into()));
        let steps = object["refutation"].as_array().expect("a list");
        assert_eq!(steps.len(), 6);
        assert_eq!(steps[4]["conclusion"], "inv(4, 8)");
        assert_eq!(steps[4]["premises"][0], 3);
        assert_eq!((&steps[5]["conclusion"], &steps[5]["line"]), (&"false".into(), &5.into()));
        assert_eq!(steps[5]["values"]["y"], "8");
        let output = clinch(&["check", file, "--engine", "spacer"]);
        assert!(stdout(&output).starts_with("UNSAFE: the clauses contradict each other, unsat (spacer"));
        assert!(stdout(&output).contains("refutation in 6 steps"), "{}", stdout(&output));
        let output = clinch(&["check", file, "--engine", "spacer", "--format", "smtlib"]);
        assert!(stdout(&output).starts_with("unsat\n"), "{}", stdout(&output));
    });
}

#[test]
fn what_is_not_modelled_is_unknown() {
    let text = "(set-logic HORN)\n(declare-fun p (String) Bool)\n(check-sat)\n";
    with_file("strings.smt2", text, |file| {
        let (code_, object) = check_json(file, &[]);
        assert_eq!((code_, &object["verdict"]), (2, &"unknown".into()));
        let reason = object["reason"].as_str().expect("a reason");
        assert!(reason.starts_with("unsupported: ") && reason.contains(", at "), "{reason}");
        assert!(reason.contains("strings.smt2:2:"), "{reason}");
        let output = clinch(&["check", file]);
        assert!(stdout(&output).starts_with("UNKNOWN: unsupported: "), "{}", stdout(&output));
        let output = clinch(&["check", file, "--format", "smtlib"]);
        assert_eq!(code(&output), 2);
        assert!(stdout(&output).starts_with("unknown\n; unsupported: "), "{}", stdout(&output));
    });
}

#[test]
fn malformed_clauses_are_bad_input() {
    with_file("open.smt2", "(set-logic HORN)\n(assert (forall ((x Int)) (=> (p x)", |file| {
        let output = clinch(&["check", file]);
        assert_eq!(code(&output), 65);
        assert!(stderr(&output).contains("open.smt2:2:"), "{}", stderr(&output));
    });
}

#[test]
fn options_that_do_not_go_with_the_input() {
    with_file("double.smt2", &double(8), |file| {
        for args in [["--engine", "explicit"], ["--engine", "alpha"], ["--engine", "split"]] {
            let output = clinch(&[&["check", file][..], &args].concat());
            assert_eq!(code(&output), 64, "{args:?}");
        }
        let output = clinch(&["check", file, "--engine", "spacer", "--save-predicates", "p.txt"]);
        assert_eq!(code(&output), 64);
    });
    let output = clinch(&["check", &example("ticket.gcl"), "--format", "smtlib"]);
    assert_eq!(code(&output), 64);
    let output = clinch(&["check", &example("ticket.gcl"), "--format", "json", "--json"]);
    assert_eq!(code(&output), 64);
}

/// Programs are checked as clauses, and converted clauses have the same verdict.
#[test]
fn programs_as_clauses() {
    for (name, expected) in [("fig1.gcl", 0), ("fig6a.gcl", 1), ("driver-err.gcl", 1)] {
        let (code_, object) = check_json(&example(name), &["--engine", "spacer"]);
        assert_eq!((code_, &object["certified"]), (expected, &true.into()), "{name}: {object}");
        let output = clinch(&["convert", &example(name), "--to", "chc"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        with_file("converted.smt2", &stdout(&output), |file| {
            let (code_, object) = check_json(file, &["--engine", "spacer"]);
            assert_eq!((code_, &object["certified"]), (expected, &true.into()), "{name}: {object}");
            let again = clinch(&["convert", file, "--to", "chc"]);
            assert_eq!(stdout(&again), stdout(&output), "{name} is read as it is written");
        });
    }
}

/// Z3 does not look at its limits while it prepares the clauses of this model.
#[test]
fn the_time_limit_holds() {
    let start = Instant::now();
    let (code_, object) = check_json(&example("dining-phil.gcl"), &["--engine", "spacer", "--timeout", "500ms"]);
    assert_eq!((code_, &object["reason"]), (2, &"time limit of 0.5 s reached".into()));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

/// Z3 describes predicates that it inlined by formulas with quantifiers: right solutions are not called wrong for that.
#[test]
fn solutions_of_spacer_with_quantifiers() {
    let even = "(set-logic HORN)
(declare-fun entry (Int) Bool)
(declare-fun exit () Bool)
(declare-fun even (Int) Bool)
(assert (forall ((x Int)) (=> (>= x 0) (entry x))))
(assert (forall ((x Int) (y Int)) (=> (and (entry x) (= y (* 2 x))) (even y))))
(assert (forall ((x Int) (n Bool) (o Bool)) (=> (and (even x) (not n) (= o true) (or (not o) (and o n))) exit)))
(assert (=> exit false))
(check-sat)
";
    let stores = "(set-logic HORN)
(declare-fun entry ((Array Int Int)) Bool)
(declare-fun exit () Bool)
(declare-fun loop ((Array Int Int) Int) Bool)
(assert (forall ((B (Array Int Int))) (entry B)))
(assert (forall ((A (Array Int Int)) (N Int) (E Int)) (=> (and (entry A) (> E 0)) (loop (store A N E) N))))
(assert (forall ((B (Array Int Int)) (L Int)) (=> (and (loop B L) (> (select B L) 1))
  (loop (store B L (- (select B L) 1)) L))))
(assert (forall ((B (Array Int Int)) (L Int) (n Bool) (o Bool))
  (=> (and (loop B L) (not n) (= o true) (or (not o) (and o n))) exit)))
(assert (=> exit false))
(check-sat)
";
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [("even.smt2", even), ("stores.smt2", stores)] {
        let file = folder.path().join(name).display().to_string();
        std::fs::write(&file, text).expect("written");
        let (code, object) = check_json(&file, &["--engine", "spacer", "--timeout", "20s"]);
        assert_eq!((code, &object["certified"]), (0, &true.into()), "{name}: {object}");
    }
}
