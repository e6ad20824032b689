//! Solutions and refutations of Horn clauses as they are printed.

use clinch_ir::horn::{model_to_smtlib, refutation_to_smtlib};
use clinch_ir::{ClauseId, Derivation, DerivationStep, HornSystem, Interpretation};
use clinch_terms::show::show_term;
use clinch_terms::{BinOp, Value};
use expect_test::expect;

use crate::chc::read_chc;

const COUNTER: &str = "(declare-fun |the loop| (Int (Array Int Int)) Bool) (declare-fun done () Bool)
(assert (forall ((a (Array Int Int))) (|the loop| 0 a)))
(assert (forall ((x Int) (a (Array Int Int)) (y Int)) (=> (|the loop| x a) (= y (- x 1)) (|the loop| y (store a x y)))))
(assert (forall ((x Int) (a (Array Int Int))) (=> (|the loop| x a) (< x 0) done)))
(assert (not done))";

fn counter() -> HornSystem {
    read_chc(COUNTER).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_solution_is_a_list_of_definitions() {
    let system = counter();
    let mut terms = system.terms.clone();
    let x = terms.symbol(system.predicates[0].params[0]);
    let (zero, ff) = (terms.int(0), terms.ff());
    let formula = terms.le(zero, x);
    let solution = Interpretation { terms, formulas: vec![formula, ff] };
    expect![[r#"
        (
        (define-fun |the loop| ((x0 Int) (x1 (Array Int Int))) Bool
          (<= 0 x0))
        (define-fun done () Bool
          false)
        )
    "#]]
    .assert_eq(&model_to_smtlib(&system, &solution).expect("printable"));
}

#[test]
fn a_refutation_is_a_list_of_steps() {
    let system = counter();
    let array = |entries: &[(i64, i64)]| {
        let empty = Value::Array { default: Box::new(Value::int(0)), entries: Default::default() };
        entries.iter().fold(empty, |array, &(i, v)| array.store(Value::int(i), Value::int(v)))
    };
    let step = |clause, values: Vec<Value>, premises: &[usize]| DerivationStep {
        clause: ClauseId(clause),
        values,
        premises: premises.to_vec(),
    };
    let refutation = Derivation {
        steps: vec![
            step(0, vec![array(&[])], &[]),
            step(1, vec![Value::int(0), array(&[]), Value::int(-1)], &[0]),
            step(2, vec![Value::int(-1), array(&[(0, -1)])], &[1]),
            step(3, vec![], &[2]),
        ],
    };
    expect![[r#"
        (step 1 (|the loop| 0 ((as const (Array Int Int)) 0)) :clause 1 :premises () :values ((a ((as const (Array Int Int)) 0))))
        (step 2 (|the loop| (- 1) (store ((as const (Array Int Int)) 0) 0 (- 1))) :clause 2 :premises (1) :values ((x 0) (a ((as const (Array Int Int)) 0)) (y (- 1))))
        (step 3 done :clause 3 :premises (2) :values ((x (- 1)) (a (store ((as const (Array Int Int)) 0) 0 (- 1)))))
        (step 4 false :clause 4 :premises (3) :values ())
    "#]]
    .assert_eq(&refutation_to_smtlib(&system, &refutation).expect("printable"));
}

/// Operations of programs are written by what SMT-LIB has, or not at all.
#[test]
fn operations_of_programs() {
    let mut terms = clinch_terms::Terms::new();
    let (x, y) = (terms.fresh("x", clinch_terms::Sort::Int), terms.fresh("y", clinch_terms::Sort::Int));
    let mut show = |op| {
        let term = terms.binary(op, x, y);
        show_term(&terms, term).unwrap_or_else(|e| e.to_string())
    };
    assert_eq!(show(BinOp::Div), "(ite (<= 0 x) (div x y) (- (div (- x) y)))");
    assert_eq!(show(BinOp::Rem), "(- x (* y (ite (<= 0 x) (div x y) (- (div (- x) y)))))");
    assert_eq!(show(BinOp::BitAnd), "the operation BitAnd cannot be written in SMT-LIB");
    let three = terms.int(3);
    let shifted = terms.binary(BinOp::Shl, x, three);
    assert_eq!(show_term(&terms, shifted).expect("printable"), "(* x 8)");
}

/// A term that is used often is named, once.
#[test]
fn shared_terms_are_named() {
    let mut terms = clinch_terms::Terms::new();
    let mut term = terms.fresh("a!1", clinch_terms::Sort::Int);
    for _ in 0..6 {
        let one = terms.int(1);
        let next = terms.add(term, one);
        term = terms.mul(next, next);
    }
    expect![[r#"
        (let ((a!1!1 (+ (* (+ a!1 1) (+ a!1 1)) 1)))
        (let ((a!2 (+ (* (+ (* a!1!1 a!1!1) 1) (+ (* a!1!1 a!1!1) 1)) 1)))
        (let ((a!3 (+ (* (+ (* a!2 a!2) 1) (+ (* a!2 a!2) 1)) 1)))
        (* a!3 a!3))))"#]]
    .assert_eq(&show_term(&terms, term).expect("printable"));
}
