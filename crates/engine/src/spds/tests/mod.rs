//! Tests: the paper's programs, recursion, and random Boolean programs against explicit saturation.

mod explicit;
mod heap;
mod paper;
mod pre;
mod random;

use std::time::Duration;

use super::*;
use crate::{Silent, testing};

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern _Bool __VERIFIER_nondet_bool(void);\n\
                    extern void reach_error(void);\n";

fn program(text: &str) -> CfaProgram {
    testing::program(&format!("{HEAD}{text}"))
}

/// The verdict, whose evidence is checked: true for safe.
fn verdict(program: &CfaProgram, config: &Config) -> (Option<bool>, Stats) {
    let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(60))).with_max_iterations(Some(200));
    let (verdict, stats) = check(program, config, &budget, &mut Silent);
    let safe = match verdict {
        CfaVerdict::Safe(CfaProof::Summaries(proof)) => {
            clinch_certify::check_summaries(program, &proof, &|| false)
                .unwrap_or_else(|why| panic!("{why:?} {config:?}"));
            Some(true)
        }
        CfaVerdict::Safe(_) => unreachable!("proofs are summaries"),
        CfaVerdict::Unsafe(trace) => {
            clinch_certify::check_input_trace(program, &trace, &|| false).unwrap();
            Some(false)
        }
        CfaVerdict::Unknown(_) => None,
    };
    (safe, stats)
}

fn small() -> Config {
    Config { nodes: 1 << 22, abstraction: Abstraction::Dag, ..Config::default() }
}

fn configurations() -> Vec<Config> {
    let mut all = vec![Config { abstraction: Abstraction::None, ..small() }];
    let kinds = [Interpolants::Strongest, Interpolants::Weakest, Interpolants::Conciliated, Interpolants::Minimal];
    for abstraction in [Abstraction::Single, Abstraction::Dag] {
        all.extend(kinds.map(|interpolants| Config { abstraction, interpolants, ..small() }));
    }
    all.push(Config { calls: Calls::WeakEffect, ..small() });
    all
}

/// Strategies that the paper advises against may give up.
#[track_caller]
fn most_say(text: &str, int_bits: Option<u32>, safe: bool) {
    let program = program(text);
    for config in configurations() {
        let good = config.abstraction != Abstraction::Single
            && matches!(config.interpolants, Interpolants::Conciliated | Interpolants::Minimal);
        // Little room: those that give up do so soon.
        let nodes = if good { config.nodes } else { 1 << 17 };
        let config = Config { int_bits, nodes, ..config };
        match verdict(&program, &config).0 {
            None => assert!(!good, "{config:?}\n{text}"),
            found => assert_eq!(found, Some(safe), "{config:?}\n{text}"),
        }
    }
}

#[track_caller]
fn all_say(text: &str, int_bits: Option<u32>, safe: bool) {
    let program = program(text);
    for config in configurations() {
        let config = Config { int_bits, ..config };
        assert_eq!(verdict(&program, &config).0, Some(safe), "{config:?}\n{text}");
    }
}

#[test]
fn recursion() {
    let text = "int id(int n) { if (n == 0) return 0; return id(n - 1) + 1; }\n\
                int main() { int x = 7; if (id(x) != 7) reach_error(); }";
    most_say(text, Some(4), true);
    assert_eq!(verdict(&program(text), &Config { abstraction: Abstraction::Both, ..small() }).0, Some(true));
    let text = "int id(int n) { if (n == 0) return 0; return id(n - 1) + 1; }\n\
                int main() { int x = __VERIFIER_nondet_int(); if (x >= 0 && x < 7 && id(x) == 5) reach_error(); }";
    most_say(text, Some(4), false);
    assert_eq!(verdict(&program(text), &Config { abstraction: Abstraction::Both, ..small() }).0, Some(false));
}

#[test]
fn globals_across_calls() {
    let text = "int g = 1, h = 2;\n\
                void swap(int depth) { int t; if (depth > 0) { swap(depth - 1); return; } t = g; g = h; h = t; }\n\
                int main() { swap(3); if (g != 2 || h != 1) reach_error(); }";
    all_say(text, Some(4), true);
    let text = "int g = 1;\n int inc(int x) { g = g + x; return g; }\n\
                int main() { int x = __VERIFIER_nondet_int(); g = inc(x); g = inc(g); if (g == 6) reach_error(); }";
    all_say(text, Some(4), false);
}

#[test]
fn arrays() {
    let text = "int a[4]; void set(int i, int v) { a[i] = v; }\n\
                int main() { int i; for (i = 0; i < 4; i++) set(i, i + 1); if (a[2] != 3) reach_error(); }";
    let program = program(text);
    let config = Config { int_bits: Some(4), abstraction: Abstraction::None, ..small() };
    assert_eq!(verdict(&program, &config).0, Some(true));
}

/// An error that needs more bits is not there in four; one that is there only in four is not reported.
#[test]
fn narrow_integers() {
    let wide = program("int main() { int x = __VERIFIER_nondet_int(); if (x == 100) reach_error(); }");
    let config = Config { int_bits: Some(4), ..small() };
    assert_eq!(verdict(&wide, &config).0, Some(true));
    let narrow = program("int main() { int x = 7; x = x + 1; if (x < 0) reach_error(); }");
    assert_eq!(verdict(&narrow, &config).0, None);
    assert_eq!(verdict(&narrow, &small()).0, Some(true));
}
