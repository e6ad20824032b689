//! Tests: the paper's examples, aliasing, and small random programs against `explicit`.

use clinch_analyses::encoding::Overflow;
use clinch_ir::cfa::CfaProof;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::Silent;
use crate::explicit::{RunsConfig, check_runs};
use crate::testing::program;

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n";
const INT: Encoding = Encoding::Integers(Overflow::Ignored);
const ENCODINGS: [Encoding; 3] = [INT, Encoding::Integers(Overflow::Wraps), Encoding::Bits];

fn example(name: &str) -> CfaProgram {
    let path = clinch_testing::package().join("../../examples/c").join(name);
    program(&std::fs::read_to_string(path).unwrap())
}

/// The verdict, whose evidence is checked: true for safe.
fn verdict(program: &CfaProgram, encoding: Encoding, config: &Config) -> Option<bool> {
    let budget = Budget::unlimited().with_max_iterations(Some(60));
    let (verdict, _) = check(program, encoding, config, &budget, &mut Silent);
    match verdict {
        CfaVerdict::Safe(CfaProof::Invariants(proof)) => {
            match clinch_certify::check_invariants(program, &proof, &|| false) {
                Ok(()) => Some(true),
                Err(why) if encoding == Encoding::Bits => panic!("{why:?}"),
                Err(_) => None,
            }
        }
        CfaVerdict::Safe(_) => unreachable!("proofs are invariants"),
        CfaVerdict::Unsafe(trace) => {
            clinch_certify::check_input_trace(program, &trace, &|| false).unwrap();
            Some(false)
        }
        CfaVerdict::Unknown(_) => None,
    }
}

fn configurations() -> Vec<Config> {
    let edges = Config { blocks: BlockSize::Edge, order: Order::BreadthFirst, ..Config::blast() };
    let boolean = Config { abstraction: Abstraction::Boolean, values: Values::None, ..Config::default() };
    let all_values = Config { values: Values::All, ..Config::default() };
    vec![Config::default(), Config::blast(), edges, boolean, all_values]
}

/// Each strategy once, beside the default or the paper's choice.
fn strategies() -> Vec<Config> {
    let (modern, paper) = (Config::default(), Config::blast());
    let mut all = configurations();
    all.extend([
        Config { order: Order::SubsumerFirst, ..modern.clone() },
        Config { order: Order::DepthFirst, ..modern.clone() },
        Config { order: Order::BreadthFirst, ..modern.clone() },
        Config { abstraction: Abstraction::Cartesian, ..modern.clone() },
        Config { scope: Scope::Subtree, ..modern.clone() },
        Config { focus: Focus::Core, ..modern.clone() },
        Config { part: Part::WholePath, ..modern.clone() },
        Config { grain: Grain::Conjuncts, split_equations: false, ..modern },
        Config { order: Order::SubsumerFirst, focus: Focus::Interpolants, ..paper.clone() },
        Config { subtree: Subtree::Keep, ..paper },
    ]);
    all
}

#[track_caller]
fn all_say(text: &str, safe: bool) {
    let program = program(&format!("{HEAD}{text}"));
    for config in configurations() {
        for encoding in [INT, Encoding::Bits] {
            assert_eq!(verdict(&program, encoding, &config), Some(safe), "{encoding:?} {config:?}\n{text}");
        }
    }
}

/// [Lazy, figures 3 to 8]: at most four predicates, and that about `got_lock` only where it is needed.
#[test]
fn the_running_example_needs_different_abstractions() {
    let program = example("funlock.c");
    let (config, budget) = (Config::blast(), Budget::unlimited());
    for encoding in ENCODINGS {
        let mut lazy = Lazy::new(&program, encoding, &config, &budget);
        assert!(matches!(lazy.run(&mut Silent), Ok(CfaVerdict::Safe(_))));
        lazy.close();
        assert!(lazy.stats.predicates.total <= 4, "{:?}", lazy.stats);
        let about = |p: usize| {
            let symbols = lazy.predicates.symbols(p as PredicateId);
            symbols.iter().any(|&s| lazy.terms.symbol_name(s).starts_with("got_lock"))
        };
        let line = |n: NodeId| match lazy.tree.node(n).place {
            Destination::Point(point) => lazy.place_text(point).rsplit(':').next().and_then(|l| l.parse::<u32>().ok()),
            _ => None,
        };
        let (mut with, mut without) = (0, 0);
        for id in (0..lazy.tree.nodes.len() as NodeId).filter(|&id| lazy.tree.node(id).mark != Mark::Removed) {
            let in_right_subtree = lazy.tree.path_to(id).into_iter().any(|n| matches!(line(n), Some(33..=44)));
            if lazy.tree.node(id).support.iter().any(about) {
                assert!(in_right_subtree, "{}", lazy.draw(5_000).dot());
                with += 1;
            } else {
                without += u32::from(!in_right_subtree);
            }
        }
        assert!(with > 0 && without > 0, "{with} {without}");
    }
}

#[test]
fn its_bugs_are_found() {
    for name in ["funlock-bug1.c", "funlock-bug2.c"] {
        let program = example(name);
        for config in configurations() {
            for encoding in ENCODINGS {
                assert_eq!(verdict(&program, encoding, &config), Some(false), "{name} {config:?}");
            }
        }
    }
    let program = example("funlock.c");
    for config in configurations() {
        for encoding in ENCODINGS {
            assert_eq!(verdict(&program, encoding, &config), Some(true), "{config:?}");
        }
    }
}

/// [Lazy, figure 9]: with the subtree kept the search goes on for ever, with the subtree removed it ends.
#[test]
fn keeping_subtrees_may_loop() {
    let program =
        program(&format!("{HEAD}int main() {{ int x = 0; while (__VERIFIER_nondet_int()) ; if (x) reach_error(); }}"));
    let remove = Config::blast();
    assert_eq!(verdict(&program, Encoding::Bits, &remove), Some(true));
    let keep = Config { subtree: Subtree::Keep, ..Config::blast() };
    let budget = Budget::unlimited().with_max_iterations(Some(25));
    let (verdict, stats) = check(&program, Encoding::Bits, &keep, &budget, &mut Silent);
    assert!(matches!(verdict, CfaVerdict::Unknown(Reason::Iterations(25))), "{verdict:?} {stats:?}");
}

/// A protocol in memory: its states are values, and no predicate is needed. A counter is none of them.
#[test]
fn states_of_a_protocol_are_control() {
    let text = |last: u32| {
        format!(
            "{HEAD}extern void *malloc(unsigned long);
            struct session {{ int state; int sent; }};
            int main(void) {{
                struct session *s = malloc(sizeof(struct session));
                int round = 0;
                s->state = 10; s->sent = 0;
                while (__VERIFIER_nondet_int()) {{
                    round++;
                    if (s->state == 10) s->state = 20;
                    else if (s->state == 20) {{ s->sent = 1; s->state = 30; }}
                    else if (s->state == 30 && s->sent != {last}) reach_error();
                }}
            }}"
        )
    };
    let (correct, wrong) = (program(&text(1)), program(&text(2)));
    for encoding in ENCODINGS {
        assert_eq!(verdict(&correct, encoding, &Config::default()), Some(true));
        assert_eq!(verdict(&wrong, encoding, &Config::default()), Some(false));
    }
    let (_, stats) = check(&correct, INT, &Config::default(), &Budget::unlimited(), &mut Silent);
    assert_eq!(stats.predicates.total, 0);
    assert!(stats.tracked.iter().all(|name| name != "round"), "{:?}", stats.tracked);
}

/// [Lazy, 5.2.1].
#[test]
fn aliases_are_seen() {
    all_say("int main() { int x = 5, *p = &x; *p = 1; x = 0; if (*p != 0) reach_error(); }", true);
    all_say("int main() { int x = 5, *p = &x; *p = 1; x = 0; if (*p != 1) reach_error(); }", false);
    let choice = "int x, y; int main() { int *p = __VERIFIER_nondet_int() ? &x : &y; *p = 1; x = 0;";
    all_say(&format!("{choice} if (p == &x ? *p : !*p) reach_error(); }}"), true);
    all_say(&format!("{choice} if (!*p) reach_error(); }}"), false);
    let locks = "struct s { int lock; int data; } a, b; int main() { struct s *p = &a, *q = &b;";
    let swap = "while (__VERIFIER_nondet_int()) { p->lock = 1; q->lock = 0; struct s *t = p; p = q; q = t;";
    all_say(&format!("{locks} {swap} if (p->lock == q->lock) reach_error(); }} }}"), true);
    all_say(&format!("{locks} {swap} if (p->lock != 1) reach_error(); }} }}"), false);
}

#[test]
fn recursion_is_named() {
    let program = program(
        "int f(int n) { return n > 0 ? f(n - 1) : 0; } extern void reach_error(void);
         int main() { if (f(3)) reach_error(); }",
    );
    let (verdict, _) = check(&program, Encoding::Bits, &Config::default(), &Budget::unlimited(), &mut Silent);
    let CfaVerdict::Unknown(reason) = verdict else { panic!("{verdict:?}") };
    assert!(reason.to_string().contains("f calls itself"), "{reason}");
}

/// At the limit one learns which loop was unrolled, and how often.
#[test]
fn the_last_spurious_path_is_described() {
    let text = "int main(void) {\n  unsigned x = 0;\n  while (__VERIFIER_nondet_int()) {\n    x += 2;\n  }\n  if (x == 7) reach_error();\n}";
    let program = program(&format!("{HEAD}{text}"));
    let budget = Budget::unlimited().with_max_iterations(Some(3));
    let (verdict, stats) = check(&program, INT, &Config::default(), &budget, &mut Silent);
    assert!(matches!(verdict, CfaVerdict::Unknown(_)), "{verdict:?}");
    let path = stats.last_path.expect("a spurious path");
    assert_eq!(path.at, "test.c:4");
    assert!(path.to_string().starts_with("the last spurious path comes "), "{path}");
}

/// A small program with a loop, over variables with few values.
fn random_program(random: &mut impl Rng) -> String {
    let variables = ["a", "b", "c"];
    let mut body = String::new();
    let mut statement = |random: &mut dyn rand::RngCore, indent: usize| {
        let v = variables[random.random_range(0..3)];
        let w = variables[random.random_range(0..3)];
        let k = random.random_range(0..4);
        let text = match random.random_range(0..6) {
            0 => format!("{v} = ({w} + {k}) & 3;"),
            1 => format!("if ({v} < {k}) {w} = {v}; else {w} = {k};"),
            2 => format!("if ({v} == {w}) {v} = {k};"),
            3 => format!("{v} = __VERIFIER_nondet_bool() ? {k} : {w};"),
            4 => format!("if ({v} != {k}) {{ if ({w} > {v}) {w} = {v}; }}"),
            _ => format!("set(&{v}, {w});"),
        };
        body.push_str(&format!("{:indent$}{text}\n", ""));
    };
    statement(random, 2);
    (0..3).for_each(|_| statement(random, 4));
    let (v, w, k) = (random.random_range(0..3), random.random_range(0..3), random.random_range(0..4));
    let lines: Vec<&str> = body.lines().collect();
    format!(
        "extern _Bool __VERIFIER_nondet_bool(void); extern void reach_error(void);\n\
         int a = {v}, b = {w}, c;\nvoid set(int *p, int v) {{ if (*p < v) *p = v; }}\n\
         int main() {{\n{}\n  while (__VERIFIER_nondet_bool()) {{\n{}\n  }}\n  if (a == {k} && b {} c) reach_error();\n}}\n",
        lines[0],
        lines[1..].join("\n"),
        ["==", "!=", "<"][random.random_range(0..3)],
    )
}

#[test]
fn agrees_with_explicit_search() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut decided = 0;
    let (mut tried, strategies) = (0, strategies());
    for round in 0..28 {
        let text = random_program(&mut random);
        let program = program(&text);
        let (expected, _) = check_runs(&program, &RunsConfig::default(), &Budget::unlimited(), &mut Silent);
        let expected = match expected {
            CfaVerdict::Safe(_) => true,
            CfaVerdict::Unsafe(_) => false,
            CfaVerdict::Unknown(reason) => panic!("{reason}\n{text}"),
        };
        // All strategies have their turn, with each encoding.
        for i in 0..3 {
            let config = &strategies[(3 * round + i) % strategies.len()];
            let encoding = ENCODINGS[(round + i) % ENCODINGS.len()];
            tried += 1;
            if let Some(found) = verdict(&program, encoding, config) {
                assert_eq!(found, expected, "{encoding:?} {config:?}\n{text}");
                decided += 1;
            }
        }
    }
    assert!(10 * decided >= 8 * tried, "{decided} of {tried}");
}
