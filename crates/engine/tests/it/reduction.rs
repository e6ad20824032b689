//! Partial-order reduction: the same verdicts with fewer states, and relations between transitions that hold in every reachable state.

use clinch_certify::{Rejection, check_proof};
use clinch_engine::explicit;
use clinch_ir::{
    Dead, Evaluator, Independence, InputDomain, Interpreter, Program, Proof, ReducedSet, State, TraceEnd, TransId,
    TransitionSet, Verdict,
};
use clinch_terms::{EvalError, Term};
use clinch_testing::cases;
use proptest::prelude::*;

use crate::naive;
use crate::random::model;
use crate::support::{Answer, gcl, run_explicit};

fn reduced_agrees(program: &Program) {
    let Some(naive) = naive::search(program) else { return };
    for (threads, forget) in [(1, false), (2, true)] {
        let config = explicit::Config { threads, forget, reduce: true, ..explicit::Config::default() };
        let (answer, verdict, stats) = run_explicit(program, &config);
        assert_eq!(answer, naive.answer);
        assert!(answer != Answer::Safe || stats.states <= 2 * naive.states as u64, "{} states", stats.states);
        if let Verdict::Unsafe(trace) = verdict {
            // Faults alone may be further away.
            let (_, full, _) = run_explicit(program, &explicit::Config { threads: 1, ..explicit::Config::default() });
            let Verdict::Unsafe(nearest) = full else { panic!("there is an error") };
            let is_fault = matches!(nearest.end, TraceEnd::Fault(..));
            let (length, least) = (trace.steps.len(), nearest.steps.len());
            assert!(length == least || is_fault && length > least, "{trace:?} for {nearest:?}");
        }
    }
}

/// The reachable states, a few hundred at most.
fn reachable(program: &Program) -> Vec<State> {
    let interpreter = Interpreter::new(program);
    let (mut found, mut open) = (Vec::new(), Vec::new());
    interpreter.for_each_initial(InputDomain::default(), |state| open.push(state));
    let mut seen = std::collections::BTreeSet::new();
    while let Some(state) = open.pop().filter(|_| found.len() < 300) {
        if seen.insert(state.clone()) {
            program.transition_ids().for_each(|id| open.extend(successors(program, &state, id).into_iter().flatten()));
            found.push(state);
        }
    }
    found
}

/// What a transition may do in a state; `None` for a fault.
fn successors(program: &Program, state: &State, id: TransId) -> Vec<Option<State>> {
    let interpreter = Interpreter::new(program);
    let mut next = Vec::new();
    interpreter.for_each_input(id, InputDomain::default(), |inputs| match interpreter.fire(state, id, inputs) {
        Ok(successor) => next.extend(successor.map(Some)),
        Err(EvalError::Fault(_)) => next.push(None),
        Err(EvalError::Overflow) => {}
    });
    next.sort();
    next.dedup();
    next
}

/// All that comes of two transitions one after the other.
fn both(program: &Program, state: &State, first: TransId, second: TransId) -> Vec<Option<State>> {
    let after = successors(program, state, first).into_iter().flatten();
    let mut ends: Vec<_> = after.flat_map(|state| successors(program, &state, second)).collect();
    ends.sort();
    ends.dedup();
    ends
}

fn in_place(program: &Program, state: &State, id: TransId) -> bool {
    program.transition(id).moves.iter().all(|m| state.locs[m.process.index()] == m.from)
}

/// Transitions that accord do so in this state, and what changes is said to change.
fn relations_hold(program: &Program, independence: &Independence, state: &State) {
    let evaluator = Evaluator::with_terms(program, &independence.terms);
    let value = |term: Term, state: &State| evaluator.value(term, state).ok();
    for t in program.transition_ids() {
        let next = successors(program, state, t);
        let is_false = |&&c: &&Term| value(c, state) == Some(0);
        if in_place(program, state, t) {
            let excuse = independence.conditions(t).iter().find(is_false);
            assert_eq!(excuse.is_some(), next.is_empty(), "{} is disabled for a reason", program.transition(t).name);
        }
        for after in next.iter().flatten() {
            for test in 0..independence.test_count() {
                let Some(before) = value(independence.test(test), state) else { continue };
                let changed = value(independence.test(test), after) != Some(before);
                assert!(!changed || independence.changes(test, before).contains(t), "{}", program.transition(t).name);
            }
        }
        for u in program.transition_ids().filter(|&u| u != t && !independence.dependent(t).contains(u)) {
            let other = successors(program, state, u);
            if next.is_empty() || other.is_empty() || next.contains(&None) || other.contains(&None) {
                continue;
            }
            let (one, two) = (both(program, state, t, u), both(program, state, u, t));
            assert!(!one.is_empty() && one == two, "{} and {}", program.transition(t).name, program.transition(u).name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(800), max_shrink_iters: 4000, ..ProptestConfig::default() })]

    #[test]
    fn reduced_search_agrees_with_the_naive_search(text in model(), deadlock: bool) {
        let mut program = gcl(&text);
        program.property.deadlock = deadlock;
        reduced_agrees(&program);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(100), max_shrink_iters: 400, ..ProptestConfig::default() })]

    #[test]
    fn relations_between_transitions_hold_in_every_state(text in model()) {
        let program = gcl(&text);
        let independence = Independence::of(&program).expect("small");
        reachable(&program).iter().for_each(|state| relations_hold(&program, &independence, state));
    }
}

const WORKERS: &str = "
    process P(i: 0..5) {
      var n: 0..9 = 0;
      loc idle, busy, done;
      idle -> busy do n := n + 1;
      busy -> done do n := n + 1;
    }
    ";

/// Six processes that have nothing to do with each other: 3^6 states, and one order of their steps is enough.
#[test]
fn processes_apart_are_looked_at_one_after_the_other() {
    for (property, expected) in [("error P[0].n = 3;", Answer::Safe), ("error P[0].n + P[1].n = 4;", Answer::Unsafe)] {
        let mut program = gcl(&format!("{WORKERS}{property}"));
        let states = |program: &Program, reduce: bool| {
            let (answer, verdict, stats) =
                run_explicit(program, &explicit::Config { reduce, ..explicit::Config::default() });
            assert_eq!(answer, expected);
            if let Verdict::Unsafe(trace) = verdict {
                assert_eq!(trace.steps.len(), 4);
            }
            stats.states
        };
        let (all, some) = (states(&program, false), states(&program, true));
        assert!(some <= 20 && all > 2 * some, "{some} of {all} states");
        if expected == Answer::Safe {
            program.property.deadlock = true;
            let (_, verdict, stats) =
                run_explicit(&program, &explicit::Config { reduce: true, ..explicit::Config::default() });
            let Verdict::Unsafe(trace) = verdict else { panic!("they all stop") };
            assert_eq!((trace.steps.len(), trace.end), (12, TraceEnd::Deadlock));
            assert!(stats.states <= 20, "{} states", stats.states);
        }
    }
}

/// A fault far from a process that never stops: it is not put off for ever.
#[test]
fn a_fault_does_not_wait_for_ever() {
    let program = gcl("
        var x: 0..3 = 0;
        process A { loc l, m; l -> m; m -> l; }
        process B { loc l; l -> l do x := x + 1; }
        error x = 9;");
    let (answer, verdict, _) = run_explicit(&program, &explicit::Config { reduce: true, ..Default::default() });
    assert_eq!(answer, Answer::Unsafe, "{verdict:?}");
}

fn reduced_set(program: &Program) -> ReducedSet {
    let (_, verdict, _) = run_explicit(program, &explicit::Config { reduce: true, ..Default::default() });
    match verdict {
        Verdict::Safe(Proof::ReducedSet(set, _)) => set,
        other => panic!("{other:?}"),
    }
}

fn rejected(program: &Program, set: ReducedSet, why: &str) {
    match check_proof(program, &Proof::ReducedSet(set, Dead::default()), &|| false) {
        Err(Rejection::Wrong(text)) => assert!(text.contains(why), "{text}, not {why}"),
        other => panic!("expected a rejection because of \"{why}\", got {other:?}"),
    }
}

/// Whatever is taken away from a proof, or claimed in it, is noticed.
#[test]
fn a_spoiled_proof_is_rejected() {
    let program = gcl(&format!("{WORKERS}error P[0].n = 3;"));
    let set = reduced_set(&program);
    let words = set.states.layout.words;
    let places = |set: &ReducedSet| -> Vec<(usize, usize)> {
        let chunks = set.tried.iter().enumerate();
        chunks.flat_map(|(chunk, tried)| (0..tried.len()).map(move |number| (chunk, number))).collect()
    };
    let mut with_none = set.clone();
    with_none.sets.push(TransitionSet::empty(&program));
    for (chunk, number) in places(&set) {
        let mut spoiled = set.clone();
        spoiled.states.chunks[chunk].drain(number * words..(number + 1) * words);
        spoiled.tried[chunk].remove(number);
        rejected(&program, spoiled, "");
        let mut spoiled = with_none.clone();
        spoiled.tried[chunk][number] = set.sets.len() as u32;
        rejected(&program, spoiled, "");
    }
    let mut levels = set.clone();
    levels.levels.iter_mut().for_each(Vec::clear);
    rejected(&program, levels, "may wait for ever");
    let mut sets = set.clone();
    sets.sets.pop();
    rejected(&program, sets, "all sets");
    // One order of the first two steps is not enough where the error is between them.
    let both = gcl(&format!("{WORKERS}error P[0].n + P[5].n = 5;"));
    let mut other = set;
    other.states.layout = reduced_set(&both).states.layout;
    rejected(&both, other, "");
}
