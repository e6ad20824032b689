//! CEGAR over random transition systems: all search orders agree with the naive search, the invariants of figure 2 hold
//! after every step, and every verdict is re-checked.

use std::time::Duration;

use clinch_analyses::clauses::ProgramClauses;
use clinch_engine::cegar::{self, Order};
use clinch_engine::{Budget, Silent};
use clinch_ir::{Program, Verdict};
use proptest::prelude::*;

use crate::naive;
use crate::random::{model, unbounded_model};
use crate::support::{Answer, certified, example, gcl};

const ORDERS: [Order; 4] = [Order::BreadthFirst, Order::DepthFirst, Order::SubsumerFirst, Order::Priority];

/// By way of the program's clauses.
fn check(program: &Program, config: &cegar::Config, budget: &Budget) -> (Verdict, cegar::Stats) {
    let clauses = ProgramClauses::new(program, 100_000).expect("few vectors of locations");
    let (verdict, stats) = cegar::check(&clauses.system, config, budget, &mut Silent);
    (clauses.verdict(program, verdict), stats)
}

fn run(program: &Program, order: Order, timeout: Duration) -> (Answer, Verdict, cegar::Stats) {
    // The search is what is tested: invariants would leave little for it to do.
    let config = cegar::Config { order, invariants: None, self_check: true, ..cegar::Config::default() };
    let budget = Budget::unlimited().with_timeout(Some(timeout)).with_max_iterations(Some(200));
    let (verdict, stats) = check(program, &config, &budget);
    (certified(program, &verdict), verdict, stats)
}

/// Every order gives the right answer, or none.
fn all_orders_agree(program: &Program, expected: Option<Answer>) -> Vec<Answer> {
    let answers: Vec<Answer> = ORDERS
        .iter()
        .map(|&order| {
            let (answer, verdict, _) = run(program, order, Duration::from_millis(200));
            if let Some(expected) = expected {
                assert!(answer == expected || answer == Answer::Unknown, "{order:?}: {verdict:?} against {expected:?}");
            }
            answer
        })
        .collect();
    let known: Vec<Answer> = answers.iter().copied().filter(|&a| a != Answer::Unknown).collect();
    assert!(known.windows(2).all(|w| w[0] == w[1]), "{answers:?}");
    answers
}

proptest! {
    #![proptest_config(ProptestConfig { cases: clinch_testing::cases(120), max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn orders_agree_with_the_naive_search(text in model(), deadlock: bool) {
        let mut program = gcl(&text);
        program.property.deadlock = deadlock;
        if let Some(naive) = naive::search(&program) {
            all_orders_agree(&program, Some(naive.answer));
        }
    }

    #[test]
    fn orders_agree_on_unbounded_integers(text in unbounded_model()) {
        all_orders_agree(&gcl(&text), None);
    }
}

/// The engine is not there to say "unknown": it decides examples that need predicates.
#[test]
fn decides_the_examples() {
    for (name, expected) in [("ticket.gcl", Answer::Safe), ("ticket-err.gcl", Answer::Unsafe)] {
        for order in ORDERS {
            let (answer, verdict, stats) = run(&example(name, &[]), order, Duration::from_secs(20));
            assert_eq!(answer, expected, "{name}, {order:?}: {verdict:?}");
            assert!(expected == Answer::Unsafe || stats.predicates > 0);
        }
    }
}

/// Invariants change the way, not the answer. On a busy machine they may take too long, and it is decided without them: not each time.
#[test]
fn decides_the_examples_with_invariants() {
    for (name, expected) in [("ticket.gcl", Answer::Safe), ("ticket-err.gcl", Answer::Unsafe)] {
        let program = example(name, &[]);
        let has_invariants = || {
            let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(20)));
            let (verdict, stats) = check(&program, &cegar::Config::default(), &budget);
            assert_eq!(certified(&program, &verdict), expected, "{name}: {verdict:?}");
            stats.invariants.is_some()
        };
        assert!((0..20).any(|_| has_invariants()), "{name}: there are none");
    }
}
