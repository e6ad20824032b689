//! Lazy abstraction of transition systems by way of their clauses: it agrees with the naive search, and its evidence is accepted.

use std::time::Duration;

use clinch_engine::lazy::{Config, Order, check_clauses};
use clinch_engine::{Budget, Silent};
use clinch_ir::Program;
use clinch_ir::horn::ProgramClauses;
use proptest::prelude::*;

use crate::naive;
use crate::random::{model, unbounded_model};
use crate::support::{Answer, certified, example, gcl};

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

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 100, ..ProptestConfig::default() })]

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
