//! Tests: small programs with known verdicts, random ones against `explicit`. Every verdict is re-checked.

use std::fmt::Write as _;
use std::time::Duration;

use clinch_certify::{Rejection, check_induction, check_input_trace};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::explicit::{RunsConfig, check_runs};
use crate::{Silent, testing};

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
    extern void reach_error(void); extern void *malloc(unsigned long);\n";

fn program(text: &str) -> CfaProgram {
    testing::program(&format!("{HEAD}{text}"))
}

/// The verdict, whose evidence is checked: the proof, or that there is an error.
fn verdict(program: &CfaProgram, rounds: u64) -> Result<Option<cfa::Induction>, Reason> {
    let budget = Budget::unlimited().with_max_iterations(Some(rounds)).with_timeout(Some(Duration::from_secs(20)));
    match check(program, &Config::default(), &budget, &mut Silent).0 {
        CfaVerdict::Safe(CfaProof::Induction(proof)) => {
            check_induction(program, &proof, &|| false).expect("a proof is accepted");
            Ok(Some(proof))
        }
        CfaVerdict::Safe(_) => unreachable!("proofs are inductions"),
        CfaVerdict::Unsafe(trace) => {
            check_input_trace(program, &trace, &|| false).expect("a trace is accepted");
            Ok(None)
        }
        CfaVerdict::Unknown(reason) => Err(reason),
    }
}

#[track_caller]
fn is_safe(text: &str) -> cfa::Induction {
    verdict(&program(text), 8).unwrap().expect("safe")
}

/// Whatever is found out, it is not that there is no error.
#[track_caller]
fn is_not_safe(text: &str) {
    let found = verdict(&program(text), 4);
    assert!(!matches!(found, Ok(Some(_))), "{found:?}");
}

#[test]
fn loops_without_end_are_safe_by_their_last_iteration() {
    is_safe("int main() { unsigned x = 0; while (1) { if (x % 2) reach_error(); x += 2; } }");
    is_not_safe("int main() { unsigned x = 0; while (1) { if (x == 4000) reach_error(); x += 2; } }");
}

/// What the proof needs is a product, or is about a variable that the loop does not touch.
#[test]
fn equalities_of_polynomials_are_guessed_from_states() {
    let input =
        |name: &str| format!("int {name} = __VERIFIER_nondet_int(); if ({name} < 1 || {name} > 1000) return 0;");
    let (n, m) = (input("n"), input("m"));
    is_safe(&format!(
        "int main() {{ {n} int s = 0, i = 1; while (i <= n) {{ s += i; i++; }} if (2 * s != n * (n + 1)) reach_error(); }}"
    ));
    is_not_safe(&format!(
        "int main() {{ {n} int s = 0, i = 1; while (i <= n) {{ s += i; i++; }} if (2 * s == 420) reach_error(); }}"
    ));
    is_safe(&format!(
        "int main() {{ {n} {m} int x = n, y = m; while (x) {{ x--; y--; }} if (n == m && y) reach_error(); }}"
    ));
}

#[test]
fn some_properties_need_more_than_one_iteration() {
    // Two steps back it was the other one.
    let text = |error| {
        format!(
            "int main() {{ int a = 0, b = 1, c = 2; while (1) {{ int t = a; a = b; b = c; c = t; if ({error}) reach_error(); }} }}"
        )
    };
    assert!(is_safe(&text("a == b")).loops[0].depth >= 1);
    is_not_safe(&text("a == 2 && b == 0"));
    let counter =
        "int main() { unsigned char i = 0; while (1) { i++; if (i == 6) i = 0; if (i == 9) reach_error(); } }";
    assert!(is_safe(counter).loops[0].depth <= 4);
}

#[test]
fn candidates_from_templates_become_invariants() {
    let text = "int main() { int n = __VERIFIER_nondet_int(), i = 0, k = 0; while (i < n) { i++; k++; }
        for (int j = 0; j < n; j++) { if (k <= 0) reach_error(); k--; } }";
    let proof = is_safe(text);
    assert_eq!(proof.loops.len(), 2);
    assert!(proof.loops.iter().all(|l| !matches!(proof.terms.node(l.invariant), Node::Bool(_))));
    is_not_safe(&text.replace("k <= 0", "k <= 1"));
}

#[test]
fn inner_loops_are_cut_inside_of_outer_ones() {
    let text = "int main() { unsigned n = __VERIFIER_nondet_int(), x = 0; while (__VERIFIER_nondet_int()) {
        for (unsigned i = 0; i < n; i++) { x += 2; if (x & 1) reach_error(); } if (x & 1) reach_error(); } }";
    assert_eq!(is_safe(text).loops.len(), 2);
    is_not_safe(&text.replace("x += 2", "x += 2 + (i == 300)"));
    is_not_safe(&text.replace("if (x & 1) reach_error(); } }", "if (x == 202) reach_error(); } }"));
}

#[test]
fn what_a_loop_calls_is_forgotten_too() {
    let text = "static int g, *p = &g; static void step(void) { (*p)++; }
        int main() { int h = 7; while (__VERIFIER_nondet_int()) { step(); if (h != 7) reach_error(); } ERROR }";
    is_safe(&text.replace("ERROR", ""));
    is_not_safe(&text.replace("ERROR", "if (g == 500) reach_error();"));
}

#[test]
fn loops_that_are_left_in_the_middle_or_entered_there() {
    let text = "int main() { int i = 0, last = 0; while (1) { if (__VERIFIER_nondet_int()) { last = 1; break; } i += 2;
        if (i > 1000) return 0; } ERROR }";
    is_safe(&text.replace("ERROR", "if (i & 1) reach_error(); if (!last) reach_error();"));
    is_not_safe(&text.replace("ERROR", "if (i == 900) reach_error();"));
    let entered = "int main() { int i = 0; if (__VERIFIER_nondet_int()) goto in; while (i < 700) { i++; in: i++; }
        if (i == 701) reach_error(); }";
    is_not_safe(entered);
}

#[test]
fn loops_that_allocate_are_not_cut() {
    let text = "int main() { int *p = 0; for (int i = 0; i < 3; i++) { int *q = malloc(4); if (q == p) reach_error(); p = q; } }";
    assert!(is_safe(text).loops.is_empty());
}

#[test]
fn proofs_of_something_else_are_rejected() {
    let text = "int main() { int n = __VERIFIER_nondet_int(), i = 0, k = 0; while (i < n) { i++; k++; if (i != k) reach_error(); } }";
    let program = program(text);
    let good = is_safe(text);
    let rejected = |change: &dyn Fn(&mut cfa::Induction)| {
        let mut proof = good.clone();
        change(&mut proof);
        assert!(matches!(check_induction(&program, &proof, &|| false), Err(Rejection::Wrong(_))), "{proof:?}");
    };
    rejected(&|proof| proof.loops[0].depth = 0);
    rejected(&|proof| proof.loops[0].invariant = proof.terms.ff());
    rejected(&|proof| proof.loops.clear());
    rejected(&|proof| proof.loops[0].head = LocId::from_index(0));
    rejected(&|proof| {
        let other = proof.terms.fresh("other", Sort::Bool);
        proof.loops[0].invariant = other;
    });
    // Without its invariant the error is only excluded by what came before.
    let weak = "int main() { unsigned i = 0, k = 0; while (__VERIFIER_nondet_int()) { i++; k++; } if (i != k) reach_error(); }";
    let (program, mut proof) = (self::program(weak), is_safe(weak));
    proof.loops[0].invariant = proof.terms.tt();
    assert!(matches!(check_induction(&program, &proof, &|| false), Err(Rejection::Wrong(_))));
}

/// A loop over small numbers, perhaps with another one inside, that goes on as long as an input says.
fn random_program(rng: &mut Xoshiro256PlusPlus) -> String {
    fn statement(rng: &mut Xoshiro256PlusPlus, depth: u32, out: &mut String) {
        let v = ["a", "b", "c"];
        let (x, y) = (*v.choose(rng).expect("not empty"), *v.choose(rng).expect("not empty"));
        let k = rng.random_range(0..8);
        match rng.random_range(0..if depth < 2 { 8 } else { 5 }) {
            0 => writeln!(out, "{x} = ({y} + {k}) & 7;"),
            1 => writeln!(out, "{x} = {y} ^ {k};"),
            2 => writeln!(out, "if ({x} < {y}) {x} = {k};"),
            3 => writeln!(out, "if ({x} == {k}) {y} = {x};"),
            4 => writeln!(out, "if ({x} == {k} && {y} == {}) reach_error();", rng.random_range(0..8)),
            5 => {
                let _ = writeln!(out, "for ({x} = 0; {x} < {k}; {x}++) {{");
                statement(rng, depth + 1, out);
                writeln!(out, "if ({y} > {k}) break; }}")
            }
            6 => {
                let _ = writeln!(out, "if (__VERIFIER_nondet_uchar() & 1) {{");
                statement(rng, depth + 1, out);
                writeln!(out, "}} else {x} = {k};")
            }
            _ => {
                let _ = writeln!(out, "while (__VERIFIER_nondet_uchar() & 1) {{");
                statement(rng, depth + 1, out);
                writeln!(out, "}}")
            }
        }
        .expect("a string takes everything");
    }
    let mut out = format!("int main() {{ unsigned char a = 0, b = {}, c = 1;\n", rng.random_range(0..8));
    out += "while (__VERIFIER_nondet_uchar() & 1) {\n";
    (0..3).for_each(|_| statement(rng, 0, &mut out));
    out += "}\n";
    statement(rng, 1, &mut out);
    let _ = writeln!(out, "if (((a ^ b) & 7) == {}) reach_error(); }}", rng.random_range(0..8));
    out
}

#[test]
fn random_loops_agree_with_the_exhaustive_search() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2011);
    let (mut safe, mut decided, mut programs) = (0, 0, 0);
    while programs < 60 {
        let text = random_program(&mut rng);
        let program = program(&text);
        let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(2)));
        let expected = match check_runs(&program, &RunsConfig::default(), &budget, &mut Silent).0 {
            CfaVerdict::Safe(_) => true,
            CfaVerdict::Unsafe(_) => false,
            CfaVerdict::Unknown(_) => continue,
        };
        programs += 1;
        safe += usize::from(expected);
        if let Ok(found) = verdict(&program, 6) {
            assert_eq!(found.is_some(), expected, "{text}");
            decided += 1;
        }
    }
    assert!(safe >= 10 && programs - safe >= 10, "{safe} of {programs} are safe");
    assert!(decided >= programs / 2, "{decided} of {programs}");
}
