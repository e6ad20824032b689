//! Every engine, with every strategy, gives the verdict of the naive search, and evidence that is accepted.

use std::time::Duration;

use clinch_engine::alpha::{self, Inputs, Order, PredicateScope, ProverUse};
use clinch_engine::explicit::RunsConfig;
use clinch_engine::{Budget, Silent, bounded, explicit, kinduction, spds, split};
use clinch_ir::interleaving::Interleaving;
use clinch_ir::{InputDomain, Program, Verdict};
use clinch_testing::cases;
use proptest::prelude::*;

use crate::naive;
use crate::random::{model, unbounded_model};
use crate::support::{Answer, budget, certified, gcl, run_alpha, run_alpha_within, run_explicit, run_split};

fn trace_length(verdict: &Verdict) -> Option<usize> {
    match verdict {
        Verdict::Unsafe(trace) => Some(trace.steps.len()),
        _ => None,
    }
}

/// Explicit search in all orders, against the naive search.
fn explicit_agrees(program: &Program) {
    let Some(naive) = naive::search(program) else { return };
    let base = explicit::Config::default();
    for threads in [1, 2] {
        let (answer, verdict, stats) = run_explicit(program, &explicit::Config { threads, ..base.clone() });
        assert_eq!(answer, naive.answer);
        assert_eq!(trace_length(&verdict), naive.distance, "breadth first finds a nearest error");
        if answer == Answer::Safe {
            assert_eq!((stats.states, stats.transitions), (naive.states as u64, naive.transitions as u64));
        }
    }
    for order in [explicit::Order::DepthFirst, explicit::Order::RandomDepthFirst] {
        let (answer, _, stats) = run_explicit(program, &explicit::Config { order, ..base.clone() });
        assert_eq!(answer, naive.answer, "{order:?}");
        if answer == Answer::Safe {
            assert_eq!((stats.states, stats.transitions), (naive.states as u64, naive.transitions as u64));
        }
    }
}

/// What is dead may be forgotten: the same verdict, an error as near. A cell that another process writes while it is dead keeps that value, so
/// now and then there is a state more.
fn forgetting_agrees(program: &Program) {
    let Some(naive) = naive::search(program) else { return };
    let config = explicit::Config { forget: true, threads: 1, ..explicit::Config::default() };
    let (answer, verdict, stats) = run_explicit(program, &config);
    assert_eq!(answer, naive.answer);
    assert_eq!(trace_length(&verdict), naive.distance, "breadth first finds a nearest error");
    assert!(answer != Answer::Safe || stats.states <= 2 * naive.states as u64, "{} states", stats.states);
}

fn split_agrees(program: &Program) {
    let Some(naive) = naive::search(program) else { return };
    for strategy in [split::Strategy::MaxOverlap, split::Strategy::MinSet, split::Strategy::MinOnly] {
        let (answer, _, _) = run_split(program, &split::Config { strategy, ..split::Config::default() });
        assert_eq!(answer, naive.answer, "{strategy:?}");
    }
}

/// Processes read as one procedure: executed by the machine, and symbolically with decision diagrams.
fn interleaving_agrees(program: &Program) {
    let Some(naive) = naive::search(program) else { return };
    let procedure = Interleaving::new(program).expect("small domains");
    let runs = explicit::check_runs(&procedure.automaton, &RunsConfig::default(), &budget(), &mut Silent).0;
    assert_eq!(certified(program, &procedure.verdict(program, runs)), naive.answer, "by runs");
    let diagrams = spds::check(&procedure.automaton, &spds::Config::default(), &budget(), &mut Silent).0;
    assert_eq!(certified(program, &procedure.verdict(program, diagrams)), naive.answer, "by decision diagrams");
}

/// Unrolled and by induction. Both may give up.
fn unrolling_agrees(program: &Program) {
    let Some(naive) = naive::search(program) else { return };
    let procedure = Interleaving::new(program).expect("small domains");
    let limited = || Budget::unlimited().with_timeout(Some(Duration::from_millis(100)));
    let bounded = bounded::check(&procedure.automaton, &bounded::Config::default(), &limited(), &mut Silent).0;
    let config = kinduction::Config { base_case: true };
    let induction = kinduction::check(&procedure.automaton, &config, &limited(), &mut Silent).0;
    for verdict in [bounded, induction] {
        let answer = certified(program, &procedure.verdict(program, verdict));
        assert!(answer == naive.answer || answer == Answer::Unknown, "{answer:?} against {:?}", naive.answer);
    }
}

fn alpha_configs() -> Vec<alpha::Config> {
    let base = alpha::Config::default();
    let brute = Inputs::BruteForce(InputDomain::default());
    vec![
        base.clone(),
        alpha::Config { order: Order::DepthFirst, ..base.clone() },
        alpha::Config { prover: ProverUse::Off, inputs: brute, ..base.clone() },
        alpha::Config { add_all: Some(1), inputs: brute, ..base.clone() },
        alpha::Config { scope: PredicateScope::Transition, ..base.clone() },
    ]
}

/// Alpha may give up, but never errs.
fn alpha_agrees(program: &Program, config: &alpha::Config) {
    let Some(naive) = naive::search(program) else { return };
    let (answer, verdict, _) = run_alpha_within(program, config, 4, Duration::from_millis(100));
    assert!(
        answer == naive.answer || answer == Answer::Unknown,
        "{config:?}: {answer:?} ({verdict:?}) against {:?}",
        naive.answer
    );
}

fn with_deadlock(text: &str, deadlock: bool) -> Program {
    let mut program = gcl(text);
    program.property.deadlock = deadlock;
    program
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(1200), max_shrink_iters: 4000, ..ProptestConfig::default() })]

    #[test]
    fn explicit_agrees_with_the_naive_search(text in model(), deadlock: bool) {
        explicit_agrees(&with_deadlock(&text, deadlock));
    }

    #[test]
    fn forgetting_agrees_with_the_naive_search(text in model(), deadlock: bool) {
        forgetting_agrees(&with_deadlock(&text, deadlock));
    }

    #[test]
    fn split_agrees_with_the_naive_search(text in model(), deadlock: bool) {
        split_agrees(&with_deadlock(&text, deadlock));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(200), max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn interleaving_agrees_with_the_naive_search(text in model(), deadlock: bool) {
        interleaving_agrees(&with_deadlock(&text, deadlock));
    }

    #[test]
    fn unrolling_agrees_with_the_naive_search(text in model(), deadlock: bool) {
        unrolling_agrees(&with_deadlock(&text, deadlock));
    }

    #[test]
    fn alpha_variant_0_agrees_with_the_naive_search(text in model(), deadlock: bool) {
        alpha_agrees(&with_deadlock(&text, deadlock), &alpha_configs()[0]);
    }

    #[test]
    fn alpha_variant_1_agrees_with_the_naive_search(text in model(), deadlock: bool) {
        alpha_agrees(&with_deadlock(&text, deadlock), &alpha_configs()[1]);
    }

    #[test]
    fn alpha_variant_2_agrees_with_the_naive_search(text in model(), deadlock: bool) {
        alpha_agrees(&with_deadlock(&text, deadlock), &alpha_configs()[2]);
    }

    #[test]
    fn alpha_variant_3_agrees_with_the_naive_search(text in model(), deadlock: bool) {
        alpha_agrees(&with_deadlock(&text, deadlock), &alpha_configs()[3]);
    }

    #[test]
    fn alpha_variant_4_agrees_with_the_naive_search(text in model(), deadlock: bool) {
        alpha_agrees(&with_deadlock(&text, deadlock), &alpha_configs()[4]);
    }


    /// Infinite models: what alpha says is re-checked, and a bug that a bounded search finds is not "safe" for alpha.
    #[test]
    fn alpha_is_right_on_unbounded_integers(text in unbounded_model()) {
        let program = gcl(&text);
        let (answer, _, _) = run_alpha(&program, &alpha::Config::default(), 5);
        let bounded = explicit::check(
            &program,
            &explicit::Config::default(),
            &clinch_engine::Budget::unlimited().with_timeout(Some(std::time::Duration::from_millis(20))),
            &mut clinch_engine::Silent,
        );
        match crate::support::certified(&program, &bounded.0) {
            Answer::Unknown => {}
            known => prop_assert!(answer == known || answer == Answer::Unknown),
        }
    }
}
