//! Horn clauses over bit-vectors, by both engines, re-checked.

use std::time::Duration;

use clinch_engine::{Budget, Silent, cegar, spacer};
use clinch_frontend::{Input, Language, Options, read};
use clinch_ir::horn::{model_to_smtlib, refutation_to_smtlib};
use clinch_ir::{HornSystem, HornVerdict};

use crate::support::Answer;

fn system(text: &str) -> HornSystem {
    match read(Language::Chc, "bits.smt2", text.as_bytes(), &Options::default()) {
        Ok(Input::Horn(system)) => *system,
        other => panic!("{other:?}"),
    }
}

fn certified(system: &HornSystem, verdict: &HornVerdict) -> Answer {
    match verdict {
        HornVerdict::Safe(solution) => {
            clinch_certify::check_solution(system, solution, &|| false).expect("a solution is accepted");
            readable(system, &model_to_smtlib(system, solution).expect("printable"));
            Answer::Safe
        }
        HornVerdict::Unsafe(derivation) => {
            clinch_certify::check_refutation(system, derivation).expect("a refutation is accepted");
            refutation_to_smtlib(system, derivation).expect("printable");
            Answer::Unsafe
        }
        HornVerdict::Unknown(_) => Answer::Unknown,
    }
}

/// The definitions of a model can be read back, and with them the clauses hold trivially or not at all.
fn readable(system: &HornSystem, model: &str) {
    let definitions = model.trim().trim_start_matches('(').trim_end().strip_suffix(')').expect("a list");
    let text = clinch_ir::horn::to_smtlib(system).expect("printable");
    let assertions = &text[text.find("(assert").expect("there are clauses")..];
    let script = format!("(set-logic HORN)\n{definitions}\n{assertions}");
    assert_eq!(
        read(Language::Chc, "model", script.as_bytes(), &Options::default()).map(|_| ()).map_err(|e| e.to_string()),
        Ok(()),
        "{script}"
    );
}

fn budget() -> Budget {
    Budget::unlimited().with_timeout(Some(Duration::from_secs(20)))
}

fn by_spacer(system: &HornSystem) -> (Answer, HornVerdict) {
    let verdict = spacer::check(system, &budget(), &mut Silent).0;
    (certified(system, &verdict), verdict)
}

fn by_cegar(system: &HornSystem) -> (Answer, HornVerdict) {
    let verdict = cegar::check(system, &cegar::Config::default(), &budget(), &mut Silent).0;
    (certified(system, &verdict), verdict)
}

fn both(text: &str, expected: Answer) {
    let system = system(text);
    for (answer, verdict) in [by_spacer(&system), by_cegar(&system)] {
        assert_eq!(answer, expected, "{verdict:?}\n{text}");
    }
}

fn cegar_decides(text: &str, expected: Answer) {
    let (answer, verdict) = by_cegar(&system(text));
    assert_eq!(answer, expected, "{verdict:?}\n{text}");
}

/// A loop over `x` and `y` of some bits.
fn looping(bits: u32, init: &str, step: &str, bad: &str) -> String {
    let vars = format!("(x (_ BitVec {bits})) (y (_ BitVec {bits}))");
    format!(
        "(declare-fun inv ((_ BitVec {bits}) (_ BitVec {bits})) Bool)
        (assert (forall ({vars}) (=> {init} (inv x y))))
        (assert (forall ({vars}) (=> (inv x y) {step})))
        (assert (forall ({vars}) (=> (and (inv x y) {bad}) false)))"
    )
}

#[test]
fn counters_wrap_around() {
    let zero = "(and (= x #xf8) (= y #x00))";
    both(&looping(8, zero, "(inv (bvadd x #x01) y)", "(bvult x #x10)"), Answer::Unsafe);
    both(&looping(8, zero, "(=> (bvult x #xff) (inv (bvadd x #x01) y))", "(bvult x #x10)"), Answer::Safe);
    both(&looping(8, zero, "(=> (bvsle x #x05) (inv (bvadd x #x01) y))", "(= x #x07)"), Answer::Safe);
    both(&looping(8, zero, "(=> (bvsle x #x05) (inv (bvadd x #x01) y))", "(= x #x06)"), Answer::Unsafe);
}

#[test]
fn signed_and_unsigned() {
    let (init, step) = ("(and (= x #x00000000) (bvsge y x))", "(=> (bvslt x y) (inv (bvadd x #x00000001) y))");
    both(&looping(32, init, step, "(bvsgt x y)"), Answer::Safe);
    both(&looping(32, "(bvsge y x)", step, "(bvult y x)"), Answer::Unsafe);
}

/// Spacer takes words bit by bit here, and finds no end.
#[test]
fn parts_of_words() {
    let odd = "(= ((_ extract 0 0) x) #b1)";
    cegar_decides(
        &looping(8, odd, "(inv (bvor (bvshl x #x01) #x01) (bvadd y x))", "(= (bvand x #x01) #x00)"),
        Answer::Safe,
    );
    cegar_decides(&looping(8, odd, "(inv (bvlshr x #x01) y)", "(= x #x04)"), Answer::Unsafe);
}

/// Arrays of bit-vectors, and integers beside them.
#[test]
fn mixed_sorts() {
    let memory = "(Array (_ BitVec 4) (_ BitVec 8))";
    let text = |wanted: &str| {
        format!(
            "(declare-fun p ({memory} (_ BitVec 4)) Bool)
            (assert (forall ((a {memory})) (=> (= (select a #x0) #x05) (p a #x0))))
            (assert (forall ((a {memory}) (i (_ BitVec 4))) (=> (and (p a i) (bvult i #x3))
              (p (store a (bvadd i #x1) (bvmul #x02 (select a i))) (bvadd i #x1)))))
            (assert (forall ((a {memory}) (i (_ BitVec 4))) (=> (and (p a i) (= (select a i) {wanted})) false)))"
        )
    };
    both(&text("#x28"), Answer::Unsafe);
    let counting = |n: &str| {
        format!(
            "(declare-fun p ((_ BitVec 8) Int) Bool)
            (assert (p #x00 0))
            (assert (forall ((x (_ BitVec 8)) (n Int)) (=> (and (p x n) (< n 100)) (p (bvadd x #x01) (+ n 1)))))
            (assert (forall ((x (_ BitVec 8)) (n Int)) (=> (and (p x n) (> n {n})) false)))"
        )
    };
    both(&counting("100"), Answer::Safe);
    let integers = "(declare-fun p ((_ BitVec 8) Int) Bool)
        (assert (forall ((x (_ BitVec 8))) (p x (bv2nat x))))
        (assert (forall ((x (_ BitVec 8)) (n Int)) (=> (and (p x n) (not (= x ((_ int2bv 8) n)))) false)))";
    both(integers, Answer::Safe);
}

/// Equal maps over finitely many indices are equal, however they are written.
#[test]
fn short_arrays_are_compared() {
    let memory = "(Array (_ BitVec 1) (_ BitVec 2))";
    let text = format!(
        "(declare-fun p ({memory}) Bool)
        (assert (p (store ((as const {memory}) #b00) #b0 #b01)))
        (assert (forall ((a {memory})) (=> (and (p (store a #b1 #b00)) (= (select a #b1) #b11)) (p a))))
        (assert (forall ((a {memory})) (=> (and (p a) (= a (store ((as const {memory}) #b11) #b0 #b01))) false)))"
    );
    both(&text, Answer::Unsafe);
}

/// A solution that is none is rejected.
#[test]
fn wrong_evidence_is_rejected() {
    let text = looping(8, "(= x #x00)", "(inv (bvadd x #x02) y)", "(= x #x03)");
    let system = system(&text);
    let mut terms = system.terms.clone();
    let x = terms.symbol(system.predicates[0].params[0]);
    let (bit, zero, limit) = (terms.extract(0, 0, x), terms.bit_vec(1, 0), terms.bit_vec(8, 3));
    let (even, small) = (terms.eq(bit, zero), terms.bv_ult(x, limit));
    for (formula, right) in [(even, true), (small, false)] {
        let solution = clinch_ir::Interpretation { terms: terms.clone(), formulas: vec![formula] };
        assert_eq!(clinch_certify::check_solution(&system, &solution, &|| false).is_ok(), right);
    }
}
