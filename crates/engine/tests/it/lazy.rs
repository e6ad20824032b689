//! Lazy abstraction of transition systems by way of their clauses: it agrees with the naive search, and its evidence is accepted.

use std::time::Duration;

use clinch_analyses::clauses::ProgramClauses;
use clinch_engine::lazy::{Config, Order, check_clauses};
use clinch_engine::{Budget, Silent};
use clinch_ir::{Program, TraceEnd, Verdict};
use proptest::prelude::*;

use crate::naive;
use crate::random::{model, unbounded_model};
use crate::support::{Answer, budget, certified, example, gcl};

fn configurations() -> [Config; 3] {
    [Config::default(), Config::blast(), Config { order: Order::SubsumerFirst, ..Config::default() }]
}

fn run(program: &Program, config: &Config, timeout: Duration) -> Answer {
    let clauses = ProgramClauses::new(program, 10_000).expect("few locations");
    let budget = Budget::unlimited().with_timeout(Some(timeout)).with_max_iterations(Some(50));
    let (verdict, _) = check_clauses(&clauses.system, config, &budget, &mut Silent);
    certified(program, &clauses.verdict(program, verdict))
}

#[test]
fn examples_have_their_verdicts() {
    let expected = [
        ("driver.gcl", Answer::Safe),
        ("driver-err.gcl", Answer::Unsafe),
        ("handshake.gcl", Answer::Safe),
        ("ticket.gcl", Answer::Safe),
        ("ticket-err.gcl", Answer::Unsafe),
        ("rax.gcl", Answer::Safe),
    ];
    for (name, answer) in expected {
        assert_eq!(run(&example(name, &[]), &Config::default(), Duration::from_secs(60)), answer, "{name}");
    }
}

/// The guard has no value where the index is outside: a fault, and never a deadlock as well.
#[test]
fn a_guard_without_a_value_is_no_deadlock() {
    let mut program = gcl("var b: bool; var x: 0..3 = 3; var a: 0..2[2];\n\
         process P { loc l; l -> l when ((b ? 0 : a[x]) = 0) and b; }\n");
    program.property.deadlock = true;
    let clauses = ProgramClauses::new(&program, 10).expect("one location");
    for config in configurations() {
        let (verdict, _) = check_clauses(&clauses.system, &config, &budget(), &mut Silent);
        let verdict = clauses.verdict(&program, verdict);
        assert_eq!(certified(&program, &verdict), Answer::Unsafe);
        let Verdict::Unsafe(trace) = verdict else { unreachable!("just certified") };
        assert!(matches!(trace.end, TraceEnd::Fault(..)), "{:?}", trace.end);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: clinch_testing::cases(30), max_shrink_iters: 100, ..ProptestConfig::default() })]

    #[test]
    fn bounded_models_agree_with_the_naive_search(text in model(), deadlock: bool) {
        let mut program = gcl(&text);
        program.property.deadlock = deadlock;
        let Some(naive) = naive::search(&program) else { return Ok(()) };
        for config in configurations() {
            let answer = run(&program, &config, Duration::from_millis(300));
            prop_assert!(answer == naive.answer || answer == Answer::Unknown, "{answer:?} against {:?}", naive.answer);
        }
    }

    #[test]
    fn strategies_agree_on_unbounded_models(text in unbounded_model()) {
        let program = gcl(&text);
        let answers = configurations().map(|config| run(&program, &config, Duration::from_millis(300)));
        let known: Vec<Answer> = answers.into_iter().filter(|&a| a != Answer::Unknown).collect();
        prop_assert!(known.windows(2).all(|w| w[0] == w[1]), "{known:?}");
    }
}
