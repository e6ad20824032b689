//! k-induction on transition systems and clauses: against the naive search, on properties that are inductive for some `k` only.

use std::time::Duration;

use clinch_analyses::clauses::ProgramClauses;
use clinch_engine::horn::InvariantOptions;
use clinch_engine::kinduction::clauses::{self, Config, Stats};
use clinch_engine::{Budget, Silent};
use clinch_ir::{HornVerdict, Program, Reason, Verdict};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use crate::random::model;
use crate::spacer::certified_horn;
use crate::support::{Answer, certified, example, gcl};
use crate::{horn, naive};

fn run(program: &Program, timeout: Duration) -> (Answer, Verdict, Stats) {
    run_with(program, &Config::default(), timeout)
}

fn run_with(program: &Program, config: &Config, timeout: Duration) -> (Answer, Verdict, Stats) {
    let system = ProgramClauses::new(program, 100_000).expect("few locations");
    let budget = Budget::unlimited().with_timeout(Some(timeout));
    let (verdict, stats) = clauses::check(&system.system, config, &budget, &mut Silent);
    let verdict = system.verdict(program, verdict);
    (certified(program, &verdict), verdict, stats)
}

/// A run never says what is wrong, and mostly says something.
#[test]
fn agrees_with_the_naive_search() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Default::default(), rng);
    let (mut asked, mut decided) = (0, 0);
    for _ in 0..300 {
        let text = model().new_tree(&mut runner).expect("a model").current();
        let program = gcl(&text);
        let Some(naive) = naive::search(&program) else { continue };
        let (answer, verdict, _) = run(&program, Duration::from_secs(2));
        assert!(answer == naive.answer || answer == Answer::Unknown, "{verdict:?} against {:?}\n{text}", naive.answer);
        asked += 1;
        decided += usize::from(answer != Answer::Unknown);
    }
    assert!(asked > 100 && decided * 10 > asked * 9, "{decided} of {asked}");
}

/// Clauses over integers, truth values, real numbers and maps; those with several premises are not for this engine.
#[test]
fn small_systems() {
    let mut decided = 0;
    for (system, expected) in horn::all() {
        let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(20)));
        let (verdict, _) = clauses::check(&system, &Config::default(), &budget, &mut Silent);
        let answer = certified_horn(&system, &verdict);
        assert!(answer == expected || answer == Answer::Unknown, "{}: {verdict:?}", system.source.name);
        decided += usize::from(answer != Answer::Unknown);
    }
    assert!(decided >= 4, "only {decided}");
}

/// Three values that go round, of which the first must not become 9.
fn round(third: i64) -> Program {
    gcl(&format!(
        "var a: int = 1, b: int = 2, c: int = {third};
         process P {{ loc l; l -> l do a := b, b := c, c := a; }}
         error a = 9;"
    ))
}

fn without_invariants() -> Config {
    Config { invariants: InvariantOptions { max_clauses: 0, ..InvariantOptions::default() } }
}

/// An iteration limit is one of `k`.
#[test]
fn iterations_are_limited() {
    let system = ProgramClauses::new(&round(3), 10).expect("one location");
    let budget = Budget::unlimited().with_max_iterations(Some(2));
    let (verdict, _) = clauses::check(&system.system, &without_invariants(), &budget, &mut Silent);
    assert!(matches!(verdict, HornVerdict::Unknown(Reason::Iterations(2))), "{verdict:?}");
}

/// Values go round: that one of them is never 9 follows from three steps without, and from no fewer.
#[test]
fn three_steps_are_needed() {
    let nothing = without_invariants();
    let (answer, verdict, stats) = run_with(&round(3), &nothing, Duration::from_secs(20));
    assert_eq!((answer, stats.depth, stats.cubes), (Answer::Safe, 3, 3), "{verdict:?}");
    let (answer, verdict, _) = run_with(&round(9), &nothing, Duration::from_secs(20));
    let Verdict::Unsafe(trace) = &verdict else { panic!("{verdict:?}") };
    assert_eq!((answer, trace.steps.len()), (Answer::Unsafe, 2));
}

#[test]
fn decides_the_examples() {
    for (name, expected) in [("ticket.gcl", Answer::Safe), ("ticket-err.gcl", Answer::Unsafe)] {
        let (answer, verdict, stats) = run(&example(name, &[]), Duration::from_secs(20));
        assert_eq!(answer, expected, "{name}: {verdict:?} {stats:?}");
    }
}
