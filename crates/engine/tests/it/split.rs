//! The splitting engine against explicit search; all evidence is re-checked.

use std::time::Duration;

use clinch_engine::split::{self, Config, Stats, Strategy};
use clinch_engine::{Budget, Goals, Sighting, Silent, explicit};
use clinch_frontend::Options;
use clinch_ir::symbolic::{cell_equals, cell_term};
use clinch_ir::{InputDomain, Layout, Program, Proof, Property, Reason, Verdict};
use clinch_terms::{ProcId, VarId};
use proptest::prelude::*;
use proptest::strategy::Strategy as Generator;

use crate::support::{example_with, gcl, own};

const STRATEGIES: [Strategy; 3] = [Strategy::MaxOverlap, Strategy::MinSet, Strategy::MinOnly];

/// [Alpha, figure 4]: weakest preconditions never end here.
const FIGURE_4: &str = "var x: int = 0, y: int = 0;
process Main { loc zero, one; zero -> zero when y >= 0 do y := y + x; zero -> one when y < 0; }
error Main.one;";

/// The example, with five rounds and an error of the test.
fn branches(error: &str) -> Program {
    let options = Options { defines: own(&[("N", 5)]), error: Some(error.to_owned()), ..Options::default() };
    example_with("branches.gcl", &options)
}

fn config(strategy: Strategy) -> Config {
    Config { strategy, ..Config::default() }
}

fn run(program: &Program, config: &Config) -> (Verdict, Stats) {
    let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(60)));
    let (verdict, stats) = split::check(program, config, &budget, &mut Silent);
    match &verdict {
        Verdict::Safe(proof) => clinch_certify::check_proof(program, proof, &|| false).expect("the proof holds"),
        Verdict::Unsafe(trace) => clinch_certify::check_trace(program, trace).expect("the trace is a run"),
        Verdict::Unknown(_) => {}
    }
    (verdict, stats)
}

fn name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Safe(_) => "safe",
        Verdict::Unsafe(_) => "unsafe",
        Verdict::Unknown(_) => "unknown",
    }
}

/// All strategies say the same as explicit search.
fn agree(program: &Program) -> Result<(), TestCaseError> {
    let (expected, found) = explicit::check(program, &explicit::Config::default(), &Budget::unlimited(), &mut Silent);
    for strategy in STRATEGIES {
        let (verdict, stats) = run(program, &config(strategy));
        prop_assert_eq!(name(&verdict), name(&expected), "{:?}", strategy);
        if let Verdict::Safe(Proof::ReachedSet(states)) = &verdict {
            prop_assert_eq!(states.len() as u64, found.states);
            prop_assert_eq!(stats.states, found.states);
        }
        prop_assert!(stats.per_iteration.iter().rev().skip(1).all(|i| !i.new_predicates.is_empty()));
    }
    Ok(())
}

#[test]
fn agrees_with_explicit_search() {
    for error in ["x + y > n", "x = 2 and y = 2", "n = 5 and x = 5"] {
        agree(&branches(error)).unwrap_or_else(|failure| panic!("{failure}\nerror {error}"));
    }
    let models = [
        FIGURE_4,
        // No cells at all.
        "process P { loc a, b; a -> b; }\nerror P.b;",
        // Negative values, a fault, arrays, Booleans, several initial states, inputs.
        "var x: -3..3 = 0;\nprocess P { loc a; a -> a do x := x - 1; }",
        "var a: 0..2[3] = 0, i: 0..2 = 0, b: bool = false;
         process P { loc l; l -> l when i < 2 do a[i] := i + 1, i := i + 1, b := not b; l -> l do b := input; }
         error a[2] > 0;",
        "var x: 0..9, y: 0..9 = 0;\nprocess P { loc l; l -> l when y < x do y := y + 1; }\nerror y > x;",
        "var x: int = 0;\nprocess P { loc l; l -> l when x < 9 do x := x + 1; l -> l when x > -9 do x := x - 2; }
         error x = -8;",
    ];
    for model in models {
        agree(&gcl(model)).unwrap_or_else(|error| panic!("{error}\n{model}"));
    }
}

#[test]
fn proves_what_weakest_preconditions_do_not() {
    for strategy in STRATEGIES {
        let (verdict, stats) = run(&gcl(FIGURE_4), &config(strategy));
        assert_eq!(name(&verdict), "safe");
        assert_eq!((stats.iterations, stats.predicates, stats.states), (1, 0, 1));
    }
}

#[test]
fn finds_deadlocks() {
    let text = "var x: 0..5 = 0;\nprocess P { loc a; a -> a when x < 5 do x := x + 1; }";
    for (deadlock, expected) in [(true, "unsafe"), (false, "safe")] {
        let mut program = gcl(text);
        program.property.deadlock = deadlock;
        for strategy in STRATEGIES {
            assert_eq!(name(&run(&program, &config(strategy)).0), expected);
        }
    }
}

#[test]
fn overflow_and_unbounded_inputs_are_unknown() {
    let growing = gcl("var x: int = 1;\nprocess P { loc a; a -> a do x := x * 1000; }");
    let open = gcl("var x: int = 1;\nprocess P { loc a; a -> a do x := input; }\nerror x = 7;");
    for strategy in STRATEGIES {
        assert!(matches!(run(&growing, &config(strategy)).0, Verdict::Unknown(Reason::Overflow(_))));
        assert!(matches!(run(&open, &config(strategy)).0, Verdict::Unknown(Reason::InfiniteInputs(_))));
        let with = |lo, hi| Config { inputs: InputDomain(Some((lo, hi))), ..config(strategy) };
        assert!(matches!(run(&open, &with(0, 5)).0, Verdict::Unknown(Reason::RestrictedInputs(0, 5))));
        assert_eq!(name(&run(&open, &with(0, 9)).0), "unsafe");
    }
}

#[test]
fn predicates_are_printed_and_iterations_limited() {
    let program = branches("x + y > n");
    let (_, stats) = run(&program, &config(Strategy::MaxOverlap));
    assert!(stats.per_iteration[..stats.per_iteration.len() - 1].iter().all(|i| i.new_predicates.len() == 1));
    assert!(stats.per_iteration[0].new_predicates[0].contains(" > "));
    let budget = Budget::unlimited().with_max_iterations(Some(2));
    let (verdict, stats) = split::check(&program, &config(Strategy::MaxOverlap), &budget, &mut Silent);
    assert!(matches!(verdict, Verdict::Unknown(Reason::Iterations(2))));
    assert_eq!(stats.iterations, 2);
}

#[test]
fn same_seed_same_run() {
    let program = branches("n = 5 and x = 4");
    for strategy in STRATEGIES {
        let with_seed = |seed| run(&program, &Config { seed, ..config(strategy) });
        let (first, second) = (with_seed(3), with_seed(3));
        assert_eq!(first.1, second.1);
        assert_eq!(format!("{:?}", first.0), format!("{:?}", second.0));
    }
    let choices = (0..8).map(|seed| run(&program, &Config { seed, ..config(Strategy::MinOnly) }).1);
    let predicates: std::collections::BTreeSet<Vec<String>> =
        choices.map(|stats| stats.per_iteration[0].new_predicates.clone()).collect();
    assert!(predicates.len() > 1, "the seed makes no difference");
}

/// The program with one state as its only error.
fn marked(program: &Program, words: &[u64]) -> Program {
    let mut marked = program.clone();
    let state = Layout::new(program).unpack(words);
    let terms = &mut marked.terms;
    let mut conjuncts: Vec<_> =
        state.locs.iter().enumerate().map(|(p, &loc)| terms.at(ProcId::from_index(p), loc)).collect();
    for (v, var) in program.vars.iter().enumerate() {
        for offset in 0..var.cells() {
            let cell = cell_term(program, terms, VarId::from_index(v), offset.into());
            let value = state.cells[(var.first_cell + offset) as usize];
            conjuncts.push(cell_equals(terms, &var.domain, cell, value));
        }
    }
    let error = terms.all(conjuncts);
    marked.property = Property { error: Some(error), deadlock: false };
    marked
}

/// One search for all states finds each as a search for it alone does.
#[test]
fn goals_stand_for_errors() {
    let program = branches("x + y > n");
    let (reached, _) = explicit::check(&program, &explicit::Config::default(), &Budget::unlimited(), &mut Silent);
    let Verdict::Safe(Proof::ReachedSet(reached)) = reached else { panic!("the model has no error") };
    let words = reached.layout.words;
    let states: Vec<Box<[u64]>> =
        reached.chunks.iter().flat_map(|c| c.chunks_exact(words)).map(Box::from).step_by(3).collect();
    for strategy in STRATEGIES {
        let mut goals = Goals::new(states.iter().cloned());
        split::check(&program, &config(strategy), &Budget::unlimited(), &mut goals);
        for (state, sighting) in states.iter().zip(goals.into_sightings()) {
            let sighting = sighting.expect("every reachable state is found");
            let (verdict, stats) = run(&marked(&program, state), &config(strategy));
            let Verdict::Unsafe(trace) = verdict else { panic!("the state is reachable") };
            // Alone, the search ends before the state is stored, if it would be.
            let stored = sighting.states - stats.states;
            assert!(stored <= 1);
            let expected = Sighting {
                time: sighting.time,
                states: stats.states + stored,
                predicates: stats.predicates,
                iteration: stats.iterations,
                depth: trace.steps.len() as u64,
            };
            assert_eq!(sighting, expected, "{strategy:?}");
        }
    }
}

/// Small programs over two cells and two processes.
fn arbitrary_model() -> impl Generator<Value = String> {
    let guard = (0..2_u8, 0..3_u8, 0..4_i64).prop_map(|(var, op, value)| {
        format!("{} {} {value}", ["x", "y"][var as usize], ["<=", "=", "!="][op as usize])
    });
    let effect = (0..4_u8, 0..3_i64).prop_map(|(kind, value)| match kind {
        0 => format!("x := (x + {value}) % 4"),
        1 => format!("y := (y + x + {value}) % 5"),
        2 => format!("x := y % 3, y := {value}"),
        _ => format!("y := y + {value}"),
    });
    let edge = (0..2_u8, 0..2_u8, guard.clone(), effect).prop_map(|(from, to, guard, effect)| {
        format!("  {} -> {} when {guard} do {effect};", ["a", "b"][from as usize], ["a", "b"][to as usize])
    });
    let process = proptest::collection::vec(edge, 1..4).prop_map(|edges| edges.join("\n"));
    (process.clone(), process, guard.clone(), guard).prop_map(|(p, q, e, f)| {
        format!(
            "var x: 0..3 = 0, y: 0..9 = 0;\nprocess P {{ loc a, b;\n{p}\n}}\nprocess Q {{ loc a, b;\n{q}\n}}\n\
             error P.b and Q.b and {e} and {f};"
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: clinch_testing::cases(80), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_on_random_models(text in arbitrary_model(), deadlock: bool) {
        let mut program = gcl(&text);
        program.property.deadlock = deadlock;
        agree(&program)?;
    }
}
