//! Z3's engine, and programs as clauses.

use std::time::Duration;

use clinch_analyses::clauses::ProgramClauses;
use clinch_engine::{Budget, Silent, spacer};
use clinch_ir::{HornSystem, HornVerdict, Program, Verdict};

use crate::horn;
use crate::support::{Answer, certified, example, examples, gcl};

fn run(system: &HornSystem, limit: Duration) -> HornVerdict {
    let budget = Budget::unlimited().with_timeout(Some(limit));
    spacer::check(system, &budget, &mut Silent).0
}

/// Re-checks a verdict about clauses.
pub(crate) fn certified_horn(system: &HornSystem, verdict: &HornVerdict) -> Answer {
    match verdict {
        HornVerdict::Safe(solution) => {
            clinch_certify::check_solution(system, solution, &|| false).expect("a solution is accepted");
            Answer::Safe
        }
        HornVerdict::Unsafe(derivation) => {
            clinch_certify::check_refutation(system, derivation).expect("a refutation is accepted");
            Answer::Unsafe
        }
        HornVerdict::Unknown(_) => Answer::Unknown,
    }
}

#[test]
fn small_systems() {
    for (system, expected) in horn::all() {
        let verdict = run(&system, Duration::from_secs(20));
        assert_eq!(certified_horn(&system, &verdict), expected, "{}: {verdict:?}", system.source.name);
    }
}

/// Runs on the clauses of a program; the verdict on the clauses and on the program are both re-checked.
fn run_program(program: &Program, limit: Duration) -> (Answer, String) {
    let clauses = ProgramClauses::new(program, 100_000).expect("few locations");
    let verdict = run(&clauses.system, limit);
    let answer = certified_horn(&clauses.system, &verdict);
    let verdict = match verdict {
        HornVerdict::Safe(solution) => Verdict::Safe(clauses.proof(program, &solution)),
        HornVerdict::Unsafe(derivation) => {
            Verdict::Unsafe(clauses.trace(program, &derivation).expect("a refutation is a run"))
        }
        HornVerdict::Unknown(reason) => return (answer, reason.to_string()),
    };
    assert_eq!(certified(program, &verdict), answer);
    (answer, String::new())
}

/// The models of examples/gcl have the verdict their header says, or none within the time.
#[test]
fn examples_as_clauses() {
    let mut names: Vec<String> = std::fs::read_dir(examples())
        .expect("the examples")
        .map(|entry| entry.expect("readable").file_name().into_string().expect("a plain name"))
        .filter(|name| name.ends_with(".gcl"))
        .collect();
    names.sort();
    let mut known = 0;
    for name in &names {
        let text = std::fs::read_to_string(examples().join(name)).expect("readable");
        let line = text.lines().find_map(|l| l.strip_prefix("// expect: ")).unwrap_or_else(|| panic!("{name}"));
        let (answer, _) = run_program(&example(name, &[]), Duration::from_millis(500));
        match answer {
            Answer::Safe => assert!(line.starts_with("safe"), "{name}: {line}"),
            Answer::Unsafe => assert!(line.starts_with("unsafe"), "{name}: {line}"),
            Answer::Unknown => continue,
        }
        known += 1;
    }
    assert!(known >= 10, "{known} of {}", names.len());
}

#[test]
fn faults_deadlocks_and_inputs() {
    let cases = [
        ("var x: 0..3 = 0; command do x := x + 2;", false, Answer::Unsafe),
        ("var x: 0..3 = 0; command when x < 2 do x := x + 2;", false, Answer::Safe),
        ("var x: 0..3 = 0; command when x < 2 do x := x + 2;", true, Answer::Unsafe),
        ("var a: int[3] = 0; var i: int = 0; command do a[i] := 1, i := i + 1;", false, Answer::Unsafe),
        (
            "var a: int[3] = 0; var i: 0..2 = 0; command when i < 2 do a[i] := 1, i := i + 1; error a[2] = 1;",
            false,
            Answer::Safe,
        ),
        (
            "var b: bool = false; var x: int = 5; command when not b do b := x > 3; error b and x = 5;",
            false,
            Answer::Unsafe,
        ),
    ];
    for (text, deadlock, expected) in cases {
        let mut program = gcl(text);
        program.property.deadlock = deadlock;
        let (answer, why) = run_program(&program, Duration::from_secs(10));
        assert_eq!(answer, expected, "{text}: {why}");
    }
}
