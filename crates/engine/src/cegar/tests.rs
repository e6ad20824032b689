//! Arrays through one cell at a time: what is found holds, and what does not hold is rejected.

use std::time::Duration;

use clinch_certify::check_invariants;
use clinch_ir::cfa::encoding::Overflow;
use clinch_ir::cfa::{CfaProgram, CfaProof, CfaVerdict, Invariants};
use clinch_ir::horn::Encoding;

use super::{Config, check, check_cells};
use crate::horn::InvariantOptions;
use crate::{Budget, Silent, testing};

fn program(body: &str) -> CfaProgram {
    testing::program(&format!("extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n{body}"))
}

/// A proof with quantifiers, if one is found.
fn prove(program: &CfaProgram, seconds: u64) -> Option<Invariants> {
    let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(seconds)));
    let invariants =
        InvariantOptions { time: Duration::from_secs(10), share: 70, relations: true, ..InvariantOptions::default() };
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
    let proof = prove(&program, 30).expect("a proof");
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
    let proof = prove(&program, 30).expect("a proof");
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
    let proof = prove(&program, 30).expect("a proof");
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
    let proof = prove(&program, 30).expect("a proof");
    check_invariants(&program, &proof, &|| false).expect("it holds");
}
