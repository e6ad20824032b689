//! Arrays through one cell at a time, and procedures that call themselves: what is found holds, and what does not hold is rejected.

use std::time::Duration;

use clinch_analyses::clauses::Encoding;
use clinch_analyses::encoding::Overflow;
use clinch_certify::{check_invariants, check_summaries};
use clinch_ir::cfa::{CfaProgram, CfaProof, CfaVerdict, Invariants};

use super::{Config, check, check_cells, check_software};
use crate::horn::InvariantOptions;
use crate::{Budget, Silent, testing};

fn program(body: &str) -> CfaProgram {
    testing::program(&format!("extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n{body}"))
}

/// A proof with quantifiers, if one is found.
fn prove(program: &CfaProgram, seconds: u64) -> Option<Invariants> {
    let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(seconds)));
    let invariants =
        InvariantOptions { time: Duration::from_secs(60), share: 70, relations: true, ..InvariantOptions::default() };
    let config = Config { invariants: Some(invariants), ..Config::default() };
    let encoding = Encoding::Integers(Overflow::Ignored);
    let solve = |system: &_, budget: &_, observer: &mut dyn crate::Observer| check(system, &config, budget, observer);
    match check_cells(program, encoding, &budget, &mut Silent, solve)?.0 {
        CfaVerdict::Safe(CfaProof::Invariants(proof)) => Some(proof),
        _ => None,
    }
}

fn filled(value: &str) -> String {
    format!(
        "int a[1000]; int main() {{ int i, x = __VERIFIER_nondet_int();\n\
         for (i = 0; i < 1000; i++) a[i] = {value};\n\
         if (x >= 0 && x < 1000 && a[x] != 42) reach_error(); }}"
    )
}

#[test]
fn an_array_is_filled() {
    let program = program(&filled("42"));
    let proof = prove(&program, 120).expect("a proof");
    check_invariants(&program, &proof, &|| false).expect("it holds");
    assert!(proof.bound.is_some());

    let nothing = Invariants { bound: None, ..proof.clone() };
    let read: Vec<_> = proof.bound.iter().flat_map(|b| &b.cells).collect();
    assert!(!read.is_empty());
    check_invariants(&program, &nothing, &|| false).expect_err("what is known of other cells is not used");

    let mut weaker = proof.clone();
    for (_, formula) in &mut weaker.points {
        *formula = weaker.terms.tt();
    }
    check_invariants(&program, &weaker, &|| false).expect_err("nothing is known");

    // One place may be in one case of a disjunction and others in another: that is no contradiction.
    let bound = weaker.bound.as_ref().expect("there is one");
    let place = weaker.terms.symbol(bound.symbol);
    for (_, formula) in &mut weaker.points {
        let one = weaker.terms.bit_vec(64, 1);
        let (below, above) = (weaker.terms.bv_slt(place, one), weaker.terms.bv_sle(one, place));
        *formula = weaker.terms.or(below, above);
    }
    check_invariants(&program, &weaker, &|| false).expect_err("that says nothing either");
}

#[test]
fn one_cell_is_wrong() {
    let program = program(&filled("i == 500 ? 41 : 42"));
    if let Some(proof) = prove(&program, 2) {
        check_invariants(&program, &proof, &|| false).expect_err("there is an error");
    }
}

#[test]
fn arrays_are_compared() {
    let program = program(
        "int a[1000], b[1000]; int main() { int i, x = __VERIFIER_nondet_int();\n\
         for (i = 0; i < 1000; i++) a[i] = __VERIFIER_nondet_int();\n\
         for (i = 0; i < 1000; i++) b[i] = a[i];\n\
         if (x >= 0 && x < 1000 && a[x] != b[x]) reach_error(); }",
    );
    let proof = prove(&program, 120).expect("a proof");
    check_invariants(&program, &proof, &|| false).expect("it holds");
}

/// Cells are read as the program reads them, so that the order of unsigned numbers is a plain one.
#[test]
fn unsigned_cells_are_compared() {
    let program = program(
        "extern unsigned __VERIFIER_nondet_uint(void); unsigned a[1000]; int main() { unsigned i;\n\
         for (i = 0; i < 1000; i++) { unsigned t = __VERIFIER_nondet_uint(); if (t <= i) return 0; a[i] = t; }\n\
         for (i = 0; i < 1000; i++) if (a[i] <= i) reach_error(); }",
    );
    let proof = prove(&program, 120).expect("a proof");
    check_invariants(&program, &proof, &|| false).expect("it holds");
}

/// Before the place where a search stops nothing is what it looks for.
#[test]
fn a_search_has_found_nothing_so_far() {
    let program = program(
        "int a[1000]; int main() { int i, e = __VERIFIER_nondet_int();\n\
         for (i = 0; i < 1000; i++) a[i] = __VERIFIER_nondet_int();\n\
         for (i = 0; i < 1000 && a[i] != e; i++) ;\n\
         for (int x = 0; x < i; x++) if (a[x] == e) reach_error(); }",
    );
    let proof = prove(&program, 120).expect("a proof");
    check_invariants(&program, &proof, &|| false).expect("it holds");
}

/// What is said of a program whose procedures call themselves.
/// A proof, and a program with an error that differs in one word has none.
fn proved_unless(text: &str, (right, wrong): (&str, &str)) {
    let correct = program(text);
    let proof = prove(&correct, 120).expect("a proof");
    check_invariants(&correct, &proof, &|| false).expect("it holds");
    let changed = text.replacen(right, wrong, 1);
    assert_ne!(changed, text);
    let faulty = program(&changed);
    if let Some(proof) = prove(&faulty, 2) {
        check_invariants(&faulty, &proof, &|| false).expect_err("there is an error");
    }
}

#[test]
fn members_of_structures_are_at_one_place() {
    let text = "struct S { int p, n, rest; } a[1000]; int main() { int i;\n\
        for (i = 0; i < 1000; i++) { int n = __VERIFIER_nondet_int(); a[i].n = n; a[i].p = n == 0 ? 10 : 20; }\n\
        a[3].p = 30; a[3].n = 0;\n\
        for (i = 0; i < 1000; i++) if (i != 3 && a[i].n == 0 && a[i].p != 10) reach_error(); }";
    proved_unless(text, ("i != 3", "i != 4"));
}

#[test]
fn arrays_on_the_heap_are_added_up() {
    let text = "void *malloc(unsigned long); int main() { int n = __VERIFIER_nondet_int(), i;\n\
        if (n > 1 && n < 1000) { long sum = 0, *a = malloc(n * sizeof(long));\n\
        for (i = 0; i < n; i++) a[i] = 1;\n\
        for (i = 0; i < n; i++) sum += a[i];\n\
        for (i = 0; i < n; i++) sum -= a[i];\n\
        if (sum != 0) reach_error(); } }";
    proved_unless(text, ("a[i] = 1", "a[i] = i"));
}

#[test]
fn what_is_asked_at_the_end_holds_before() {
    let text = "unsigned char a[1000]; unsigned short b[1000]; int main() { int i;\n\
        for (i = 0; i < 1000; i++) { a[i] = 5; b[i] = 5; }\n\
        for (i = 0; i < 1000; i++) if (__VERIFIER_nondet_int()) {\n\
            unsigned char k = __VERIFIER_nondet_int(); a[i] = k; b[i] = k * k; }\n\
        for (i = 0; i < 1000; i++) if (a[i] != b[i] && b[i] != a[i] * a[i]) reach_error(); }";
    proved_unless(text, ("b[i] = k * k", "b[i] = k * 2"));
}

fn recursive(program: &CfaProgram, overflow: Overflow) -> CfaVerdict {
    let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(30)));
    let solve = |system: &_, _, budget: &_, observer: &mut dyn crate::Observer| {
        check(system, &Config::default(), budget, observer)
    };
    check_software(program, (Encoding::Integers(overflow), &[]), &budget, &mut Silent, solve).0
}

/// Counts down, and up again: by the result, by two procedures in turn, by a global variable, by memory.
const COUNTERS: [&str; 4] = [
    "int f(int n) { return n <= 0 ? 0 : 1 + f(n - 1); } #define RUN f(n)",
    "int odd(int n); int even(int n) { return n <= 0 ? 0 : 1 + odd(n - 1); }
     int odd(int n) { return n <= 0 ? 0 : 1 + even(n - 1); } #define RUN even(n)",
    "int g; void f(int n) { if (n > 0) { g++; f(n - 1); } } #define RUN (f(n), g)",
    "void f(int *p, int n) { if (n > 0) { *p += 1; f(p, n - 1); } } int c; #define RUN (f(&c, n), c)",
];

fn counting(counter: &str, wrong: &str) -> CfaProgram {
    let (functions, run) = counter.split_once("#define RUN ").expect("what is run");
    program(&format!(
        "{functions}\nint main() {{ int n = __VERIFIER_nondet_int(); if (n < 0 || n > 1000000) return 0;
         int r = {run}; if ({wrong}) reach_error(); }}"
    ))
}

#[test]
fn summaries_of_recursive_procedures() {
    for counter in &COUNTERS[..2] {
        let program = counting(counter, "r != n");
        let CfaVerdict::Safe(CfaProof::Summaries(proof)) = recursive(&program, Overflow::Excluded) else {
            panic!("{counter}: no proof");
        };
        check_summaries(&program, &proof, &|| false).expect("it holds");
        let mut weaker = proof.clone();
        for point in &mut weaker.points {
            point.formula = weaker.terms.tt();
        }
        check_summaries(&program, &weaker, &|| false).expect_err("nothing is known");
    }
}

#[test]
fn a_counterexample_through_recursive_calls() {
    for counter in COUNTERS {
        let program = counting(counter, "r == 2 && __VERIFIER_nondet_int() == 77");
        let CfaVerdict::Unsafe(trace) = recursive(&program, Overflow::Ignored) else { panic!("{counter}: no trace") };
        let inputs: Vec<u64> = trace.inputs.iter().map(|i| i.bits).collect();
        assert_eq!(inputs, [2, 77], "{counter}");
    }
}

/// Twice an unbounded integer that is not negative is not negative either; with a machine's it may be.
#[test]
fn overflow_is_not_forgotten() {
    let text = |most: &str| {
        format!(
            "int f(int n, int m) {{ return m <= 0 ? n : f(n + n, m - 1); }}
             int main() {{ int n = __VERIFIER_nondet_int(); if (n < 0 || n > {most}) return 0;
             if (f(n, 1) < 0) reach_error(); }}"
        )
    };
    let large = program(&text("2147483647"));
    if let CfaVerdict::Safe(CfaProof::Summaries(proof)) = recursive(&large, Overflow::Ignored) {
        check_summaries(&large, &proof, &|| false).expect_err("the sum overflows");
    }
    assert!(matches!(recursive(&large, Overflow::Excluded), CfaVerdict::Unknown(_)), "the sum overflows");
    let small = program(&text("1000"));
    let CfaVerdict::Safe(CfaProof::Summaries(proof)) = recursive(&small, Overflow::Excluded) else {
        panic!("no proof")
    };
    check_summaries(&small, &proof, &|| false).expect("nothing overflows");
}
