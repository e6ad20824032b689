//! Tests: small programs with known verdicts, random ones against `explicit`. Every verdict is re-checked.

use clinch_certify::{Rejection, check_input_trace, check_unrolling};
use clinch_ir::cfa::{CfaProof, Integers, Unrolling};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::Silent;
use crate::explicit::{RunsConfig, check_runs};
use crate::testing::program_in;

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
    extern void reach_error(void); extern void __VERIFIER_assume(int); extern void *malloc(unsigned long);\n";

fn program(text: &str) -> CfaProgram {
    program_in(Integers::Machine, &format!("{HEAD}{text}"))
}

/// The verdict, whose evidence is checked: true for safe, with the proof.
fn verdict(program: &CfaProgram, rounds: u64) -> Result<Option<Unrolling>, Reason> {
    let budget = Budget::unlimited().with_max_iterations(Some(rounds)).with_memory(Some(2 << 30));
    match check(program, &Config::default(), &budget, &mut Silent).0 {
        CfaVerdict::Safe(CfaProof::Unrolled(proof)) => {
            check_unrolling(program, &proof, &|| false).unwrap();
            Ok(Some(proof))
        }
        CfaVerdict::Safe(_) => unreachable!("proofs are bounds"),
        CfaVerdict::Unsafe(trace) => {
            check_input_trace(program, &trace, &|| false).unwrap();
            Ok(None)
        }
        CfaVerdict::Unknown(reason) => Err(reason),
    }
}

#[track_caller]
fn is_safe(text: &str) -> Unrolling {
    verdict(&program(text), 8).unwrap().expect("safe")
}

#[track_caller]
fn is_unsafe(text: &str) {
    assert_eq!(verdict(&program(text), 8), Ok(None));
}

#[test]
fn loops_with_constant_bounds_unroll_at_once() {
    let text = "int main() { int s = 0; for (int i = 0; i < 100; i++) for (int j = 0; j < i % 3; j++) s += j;";
    let proof = is_safe(&format!("{text} if (s != 33) reach_error(); }}"));
    assert_eq!(proof.loops.iter().map(|l| l.2).max(), Some(100));
    is_unsafe(&format!("{text} if (s == 33) reach_error(); }}"));
}

#[test]
fn bounds_grow_as_far_as_they_must() {
    let text = "int main() { unsigned char n = __VERIFIER_nondet_uchar(), i = 0; __VERIFIER_assume(n < 11);
        while (i < n) i++;";
    let proof = is_safe(&format!("{text} if (i != n) reach_error(); }}"));
    assert!((10..=16).contains(&proof.loops[0].2), "{proof:?}");
    is_unsafe(&format!("{text} if (i == 10) reach_error(); }}"));
}

#[test]
fn loops_may_be_left_in_the_middle() {
    let text = "int main() { int i, found = -1, key = __VERIFIER_nondet_int(); int a[5] = { 3, 1, 4, 1, 5 };
        for (i = 0; i < 5; i++) { if (a[i] == key) { found = i; break; } if (a[i] < 0) return 1; }";
    is_safe(&format!("{text} if (found >= 0 && a[found] != key) reach_error(); }}"));
    is_safe(&format!("{text} if (found == 3) reach_error(); }}"));
    is_unsafe(&format!("{text} if (found == 4) reach_error(); }}"));
}

#[test]
fn recursion_unrolls() {
    let text = "int f(int n) { int before = n; if (n > 100) return n - 10; int m = f(n + 11); return f(m); }
        int main() { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 97 && x < 104); int r = f(x);";
    let proof = is_safe(&format!("{text} if (r != 91 && x <= 101) reach_error(); }}"));
    assert!(!proof.calls.is_empty());
    is_unsafe(&format!("{text} if (r == 93) reach_error(); }}"));
    let sum = "int sum(int n) { int own = n; if (n == 0) return 0; int rest = sum(n - 1); return rest + own; }";
    is_safe(&format!("{sum} int main() {{ if (sum(9) != 45) reach_error(); }}"));
    is_unsafe(&format!("{sum} int main() {{ if (sum(__VERIFIER_nondet_uchar() % 5) == 6) reach_error(); }}"));
}

/// What local objects hold when they come to life is any, and each time something else.
#[test]
fn memory_that_was_never_set() {
    is_unsafe("int main(void) { int a[4]; if (a[2] == 12345) reach_error(); return 0; }");
    is_unsafe(
        "int main(void) { int a[4], i = __VERIFIER_nondet_int(); if (i < 0 || i > 3) return 0;
           if (a[i] == 12345) reach_error(); return 0; }",
    );
    is_unsafe(
        "int main(void) { for (int i = 0; i < 2; i++) { int c[2]; if (c[0] != (i ? 4242 : 17)) return 0; }
           reach_error(); return 0; }",
    );
    is_unsafe(
        "static int f(int *a) { int b[2]; return b[1] == 77 && a[2] == 12345 && a[0] == b[1] + 1; }
         int main(void) { int a[4]; if (f(a)) reach_error(); return 0; }",
    );
}

#[test]
fn memory_is_seen() {
    let text = "int a[8]; int main() { int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int();
        __VERIFIER_assume(0 <= i && i < 8 && 0 <= j && j < 8); a[i] = 1; a[j] = 2;";
    is_safe(&format!("{text} if (i != j && a[i] != 1) reach_error(); }}"));
    is_unsafe(&format!("{text} if (a[i] != 1) reach_error(); }}"));
    let list = "struct n { int v; struct n *next; }; int main() { struct n *l = 0; int k = __VERIFIER_nondet_int();
        for (int i = 0; i < 3; i++) { struct n *p = malloc(sizeof *p); p->v = i + k; p->next = l;
        if (__VERIFIER_nondet_int()) l = p; } int s = 0; while (l) { s += l->v - k; l = l->next; }";
    is_safe(&format!("{list} if (s < 0 || s > 3) reach_error(); }}"));
    is_unsafe(&format!("{list} if (s == 2) reach_error(); }}"));
}

#[test]
fn what_is_in_a_block_at_first_is_an_input() {
    let text = "struct s { int a, b; }; int main() { int c = __VERIFIER_nondet_int(); if (c) malloc(100);
        struct s *p = malloc(sizeof *p), *q = malloc(sizeof *q); int *r = malloc(12 + (c & 4)); p->a = q->a = 1;";
    is_unsafe(&format!("{text} if (p->b == 5 && q->b == 7 && r[2] == 11) reach_error(); }}"));
    is_unsafe(&format!("{text} if (c && p->b == 5 && q->b == 7 && r[2] == 11) reach_error(); }}"));
    is_safe(&format!("{text} q->b = p->b; if (p->b == 5 && q->b == 7) reach_error(); }}"));
}

#[test]
fn contents_of_locals_are_forgotten() {
    let text = "int f(int w) { int x[2]; if (w) x[0] = 7; int *p = x; return *p; }";
    is_unsafe(&format!("{text} int main() {{ f(1); if (f(0) != 7) reach_error(); }}"));
    is_safe(&format!("{text} int main() {{ f(0); if (f(1) != 7) reach_error(); }}"));
}

#[test]
fn mathematical_integers_do_not_wrap() {
    let text = "int main() { int x = __VERIFIER_nondet_int(), y = x; for (int i = 0; i < 3; i++) y++;";
    let safe = program_in(Integers::Mathematical, &format!("{HEAD}{text} if (y < x) reach_error(); }}"));
    assert!(matches!(verdict(&safe, 4), Ok(Some(_))));
    is_unsafe(&format!("{text} if (y < x) reach_error(); }}"));
}

#[test]
fn endless_loops_have_no_verdict() {
    let text = "int main() { unsigned x = 0; while (1) { if (__VERIFIER_nondet_int()) x++;";
    assert_eq!(
        verdict(&program(&format!("{text} if (x == 4000000000) reach_error(); }} }}")), 3),
        Err(Reason::Iterations(3))
    );
    is_unsafe(&format!("{text} if (x == 3) reach_error(); }} }}"));
}

/// Runs that come back to where they were are not followed.
#[test]
fn loops_that_wait_need_no_bound() {
    is_safe("int main() { int x = 0; while (1) { x = __VERIFIER_nondet_int(); if (x == 5) x = 0; } }");
    let text = "int turn[3]; int main() { unsigned char round = 0; while (turn[round] == 0) {
        unsigned char k = __VERIFIER_nondet_uchar(); __VERIFIER_assume(round + k < 3); round += k;";
    is_safe(&format!("{text} if (round == 2) turn[round] = round; }} if (round != 2) reach_error(); }}"));
    is_unsafe(&format!("{text} if (round == 1) turn[round] = round; }} if (round == 1) reach_error(); }}"));
}

#[test]
fn wrong_bounds_are_rejected() {
    let text = "int main() { unsigned char n = __VERIFIER_nondet_uchar() % 9, i = 0; while (i < n) i++;";
    let safe = program(&format!("{text} if (i != n) reach_error(); }}"));
    let proof = verdict(&safe, 8).unwrap().expect("safe");
    let small = Unrolling { loops: proof.loops.iter().map(|&(p, l, _)| (p, l, 7)).collect(), ..proof.clone() };
    assert!(matches!(check_unrolling(&safe, &small, &|| false), Err(Rejection::Wrong(_))));
    assert!(matches!(check_unrolling(&safe, &Unrolling::default(), &|| false), Err(Rejection::Wrong(_))));
    let wrong = program(&format!("{text} if (i == 8) reach_error(); }}"));
    assert!(matches!(check_unrolling(&wrong, &proof, &|| false), Err(Rejection::Wrong(_))));
    let recursive = program("int f(int n) { return n ? f(n - 1) : 0; } int main() { if (f(3)) reach_error(); }");
    let proof = verdict(&recursive, 8).unwrap().expect("safe");
    assert_eq!(proof.calls.iter().map(|c| c.1).max(), Some(4));
    assert!(matches!(check_unrolling(&recursive, &Unrolling::default(), &|| false), Err(Rejection::Wrong(_))));
}

/// Nothing is decided in the deeper calls that was not decided before, but no run gets there.
#[test]
fn impossible_recursion_ends() {
    let text = "int count(int n) { int own = n & 3; if (own == 0) return 0; return 1 + count(own - 1); }";
    let choice = "int a = __VERIFIER_nondet_int() ? 1 : __VERIFIER_nondet_int() ? 2 : 3;";
    let proof = is_safe(&format!("{text} int main() {{ {choice} if (count(a) != a) reach_error(); }}"));
    assert!(proof.calls[0].1 < 16, "{proof:?}");
}

/// A small program with bounded loops, memory and calls.
fn random_program(random: &mut impl Rng) -> String {
    let variables = ["a", "b", "c", "m[0]", "m[1]", "m[a & 1]"];
    let statement = |random: &mut dyn rand::RngCore| {
        let v = variables[random.random_range(0..6)];
        let w = variables[random.random_range(0..6)];
        let k = random.random_range(0..4);
        match random.random_range(0..8) {
            0 => format!("{v} = ({w} + {k}) & 3;"),
            1 => format!("if ({v} < {k}) {w} = {v}; else {w} = {k};"),
            2 => format!("if ({v} == {w}) {{ {v} = {k}; if (b) break; }}"),
            3 => format!("{v} = __VERIFIER_nondet_bool() ? {k} : {w};"),
            4 => format!("if ({v} != {k}) {{ if ({w} > {v}) continue; {w} = {k}; }}"),
            5 => format!("{v} = count({w}, {k});"),
            6 => format!("for (int j = 0; j < {k}; j++) {{ if ({v} == j) {w} = j; }}"),
            _ => format!("set(&{v}, {w});"),
        }
    };
    let lines: Vec<String> = (0..5).map(|_| statement(random)).collect();
    let (v, w, k) = (random.random_range(0..3), random.random_range(0..3), random.random_range(0..4));
    format!(
        "extern _Bool __VERIFIER_nondet_bool(void); extern void reach_error(void);\n\
         int a = {v}, b = {w}, c, m[2];\nvoid set(int *p, int v) {{ if (*p < v) *p = v; }}\n\
         int count(int n, int k) {{ int own = n & 3; if (own == 0) return k; int r = count(own - 1, k); return (r + own) & 3; }}\n\
         int main() {{\n  for (int i = 0; i < 3; i++) {{\n    {}\n  }}\n  if (a == {k} && b {} m[1]) reach_error();\n}}\n",
        lines.join("\n    "),
        ["==", "!=", "<"][random.random_range(0..3)],
    )
}

#[test]
fn agrees_with_explicit_search() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    let mut safe = 0;
    for _ in 0..150 {
        let text = random_program(&mut random);
        let program = program_in(Integers::Machine, &text);
        let search = RunsConfig { probing: 0, ..RunsConfig::default() };
        let budget = Budget::unlimited().with_timeout(Some(std::time::Duration::from_secs(600)));
        let (expected, _) = check_runs(&program, &search, &budget, &mut Silent);
        let expected = match expected {
            CfaVerdict::Safe(_) => true,
            CfaVerdict::Unsafe(_) => false,
            CfaVerdict::Unknown(reason) => panic!("{reason}\n{text}"),
        };
        let found = verdict(&program, 8).unwrap_or_else(|reason| panic!("{reason}\n{text}"));
        assert_eq!(found.is_some(), expected, "{text}");
        safe += u32::from(expected);
    }
    assert!((20..130).contains(&safe), "{safe} of 150");
}
