//! Numbers of \[Alpha\]'s tables 1 to 3.

use clinch_engine::alpha::{self, Stats};
use clinch_frontend::Options;
use clinch_ir::{Reason, Verdict};

use crate::support::{Answer, example, example_with, own, reason, run_alpha, run_explicit, run_split};

fn counts(stats: &Stats) -> Vec<(u64, u64)> {
    stats.per_iteration.iter().map(|i| (i.concrete_states, i.abstract_states)).collect()
}

fn new_predicates(stats: &Stats) -> Vec<usize> {
    stats.per_iteration.iter().map(|i| i.new_predicates.len()).collect()
}

#[test]
fn ticket_with_two_processes() {
    let (answer, _, stats) = run_alpha(&example("ticket.gcl", &[("N", 2)]), &alpha::Config::default(), 10);
    assert_eq!(answer, Answer::Safe);
    assert_eq!(counts(&stats), [(15, 9); 4]);
    assert_eq!(new_predicates(&stats).iter().sum::<usize>(), 6);
}

#[test]
fn ticket_with_three_processes_as_in_table_2() {
    let (answer, _, stats) = run_alpha(&example("ticket.gcl", &[("N", 3)]), &alpha::Config::default(), 10);
    assert_eq!(answer, Answer::Safe);
    assert_eq!(counts(&stats), [(52, 25), (58, 31), (58, 31), (58, 31), (58, 31)]);
    let mut listed: Vec<Vec<String>> = stats.per_iteration.into_iter().map(|i| i.new_predicates).collect();
    listed.iter_mut().for_each(|l| l.sort());
    let a = |i: usize, rest: &str| format!("P[{i}].a <= s + {rest}");
    assert_eq!(listed[0], [a(0, "1"), a(1, "1"), a(2, "1"), "t <= s".to_owned()]);
    assert_eq!(listed[1], [a(0, "2"), a(1, "2"), a(2, "2"), "t + 1 <= s".to_owned(), "t <= s + 1".to_owned()]);
    assert_eq!(listed[2], ["t <= s + 2"]);
    assert_eq!(listed[3], ["t <= s + 3"]);
    assert!(listed[4].is_empty());
}

#[test]
fn ticket_with_a_seeded_error() {
    let (answer, _, stats) = run_alpha(&example("ticket-err.gcl", &[("N", 2)]), &alpha::Config::default(), 10);
    assert_eq!(answer, Answer::Unsafe);
    assert_eq!(counts(&stats), [(15, 9), (31, 17)]);
    assert_eq!(new_predicates(&stats), [3, 2]);
}

#[test]
fn rax_refines_for_ever_as_in_table_3() {
    let (_, verdict, stats) = run_alpha(&example("rax.gcl", &[]), &alpha::Config::default(), 4);
    assert_eq!(reason(&verdict), &Reason::Iterations(4));
    assert_eq!(counts(&stats), [(69, 44), (101, 65), (101, 65), (101, 65)]);
    let listed: Vec<&[String]> = stats.per_iteration.iter().map(|i| i.new_predicates.as_slice()).collect();
    assert_eq!(listed[0], ["e1 = 0", "e2 = 0"]);
    assert_eq!(listed[1], ["e1 = -1", "e2 = -1"]);
    assert_eq!(listed[2], ["e1 = -2", "e2 = -2"]);
}

#[test]
fn rax_ends_with_two_predicates_given() {
    let predicates = vec!["e1 >= 0".to_owned(), "e2 >= 0".to_owned()];
    let program = example_with("rax.gcl", &Options { predicates, ..Options::default() });
    let (answer, _, stats) = run_alpha(&program, &alpha::Config::default(), 10);
    assert_eq!(answer, Answer::Safe);
    assert_eq!(counts(&stats), [(69, 44), (101, 65)]);
    assert_eq!(new_predicates(&stats), [2, 0]);
}

#[test]
fn rax_deadlocks_after_seven_steps() {
    let (_, verdict, stats) = run_alpha(&example("rax-deadlock.gcl", &[]), &alpha::Config::default(), 10);
    assert_eq!(counts(&stats), [(69, 44)]);
    match verdict {
        Verdict::Unsafe(trace) => assert_eq!(trace.steps.len(), 7),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_driver_is_proved_in_one_iteration() {
    let (answer, _, stats) = run_alpha(&example("driver.gcl", &[]), &alpha::Config::default(), 10);
    assert_eq!((answer, counts(&stats)), (Answer::Safe, vec![(10, 9)]));
    let (answer, _, stats) = run_alpha(&example("driver-err.gcl", &[]), &alpha::Config::default(), 10);
    assert_eq!((answer, counts(&stats)), (Answer::Unsafe, vec![(10, 10)]));
}

/// Bakery's formulation is not in the paper; these are ours (278/152, 410/221, 537/292 there).
#[test]
fn bakery_is_proved_in_three_iterations() {
    let (answer, _, stats) = run_alpha(&example("bakery.gcl", &[]), &alpha::Config::default(), 10);
    assert_eq!((answer, counts(&stats)), (Answer::Safe, vec![(265, 147), (399, 217), (532, 292)]));
    let (answer, _, stats) = run_alpha(&example("bakery-err.gcl", &[]), &alpha::Config::default(), 10);
    assert_eq!((answer, stats.iterations), (Answer::Unsafe, 1));
}

/// [Alpha, figure 4], [Split, figure 2.1].
#[test]
fn figure_4_needs_add_all_or_split() {
    let program = example("fig4.gcl", &[]);
    let (_, verdict, _) = run_alpha(&program, &alpha::Config::default(), 20);
    assert_eq!(reason(&verdict), &Reason::Iterations(20));
    let (answer, _, _) = run_alpha(&program, &alpha::Config { add_all: Some(3), ..alpha::Config::default() }, 20);
    assert_eq!(answer, Answer::Safe);
    let (answer, _, _) = run_split(&program, &Default::default());
    assert_eq!(answer, Answer::Safe);
}

/// [Alpha, figure 1]: one more predicate makes the abstraction exact.
#[test]
fn figure_1_becomes_exact() {
    let (answer, _, stats) = run_alpha(&example("fig1.gcl", &[]), &alpha::Config::default(), 5);
    assert_eq!((answer, counts(&stats)), (Answer::Safe, vec![(6, 5), (7, 7)]));
}

/// [Alpha, figure 6 (b)]: matching hides the error in the first iteration.
#[test]
fn figure_6_misses_the_error_first() {
    let (answer, _, stats) = run_alpha(&example("fig6a.gcl", &[]), &alpha::Config::default(), 5);
    assert_eq!((answer, stats.iterations), (Answer::Unsafe, 1));
    let (answer, _, stats) = run_alpha(&example("fig6b.gcl", &[]), &alpha::Config::default(), 5);
    assert_eq!((answer, stats.iterations), (Answer::Unsafe, 2));
}

/// The state counts in the headers of the examples, and their verdicts, for every engine that can decide them.
#[test]
fn examples_are_as_their_headers_say() {
    let mut names: Vec<String> = std::fs::read_dir(crate::support::examples())
        .expect("the examples are there")
        .map(|e| e.expect("readable").file_name().into_string().expect("plain names"))
        .filter(|n| n.ends_with(".gcl"))
        .collect();
    names.sort();
    assert!(names.len() >= 25, "{names:?}");
    for name in names {
        let mut program = example_with(&name, &Options { defines: own(&[]), ..Options::default() });
        let header = |key: &str| {
            let line = program.source.text.lines().find_map(|l| l.strip_prefix(&format!("// {key}: ")));
            line.and_then(|l| l.split_whitespace().next()).map(str::to_owned)
        };
        let expected = match header("expect").as_deref() {
            Some("safe") => Answer::Safe,
            Some("unsafe") => Answer::Unsafe,
            other => panic!("{name}: expect: {other:?}"),
        };
        let states = header("states").unwrap_or_else(|| panic!("{name}: no states"));
        let (alpha, _, _) = run_alpha(&program, &alpha::Config::default(), 2);
        assert!(alpha == expected || alpha == Answer::Unknown, "{name}: alpha says {alpha:?}");
        if states == "infinite" {
            continue;
        }
        assert_eq!(run_explicit(&program, &Default::default()).0, expected, "{name}: explicit");
        assert_eq!(run_split(&program, &Default::default()).0, expected, "{name}: split");
        program.property.error = None;
        let (_, _, stats) = run_explicit(&program, &Default::default());
        assert_eq!(stats.states.to_string(), states, "{name}: states");
    }
}
