//! Horn clauses in SMT-LIB.

use clinch_frontend::{Input, Language, Options, ReadError, read};
use clinch_ir::HornSystem;
use clinch_ir::horn::to_smtlib;
use clinch_terms::evaluate::{Assignment, evaluate};
use expect_test::{Expect, expect};

pub(crate) fn read_chc(text: &str) -> Result<HornSystem, ReadError> {
    match read(Language::Chc, "model", text.as_bytes(), &Options::default())? {
        Input::Horn(system) => Ok(*system),
        Input::Program(_) => unreachable!("it is no program"),
    }
}

/// What the documentation of Horn clauses promises.
pub(crate) fn check_invariants(system: &HornSystem) {
    let mut owned = vec![false; system.terms.symbol_count()];
    let mut own = |symbol: clinch_terms::Symbol| {
        assert!(!std::mem::replace(&mut owned[symbol.index()], true), "{} is shared", system.terms.symbol_name(symbol));
    };
    system.predicates.iter().flat_map(|p| &p.params).for_each(|&s| own(s));
    for clause in &system.clauses {
        clause.vars.iter().for_each(|&s| own(s));
        let vars = HornSystem::collect_vars(&system.terms, &clause.body, clause.constraint, clause.head.as_ref());
        assert_eq!(vars, clause.vars);
        assert_eq!(system.terms.sort(clause.constraint), clinch_terms::Sort::Bool);
        for application in clause.body.iter().chain(&clause.head) {
            let params = &system.predicate(application.predicate).params;
            assert_eq!(params.len(), application.args.len());
            for (param, arg) in params.iter().zip(&application.args) {
                let (wanted, found) = (system.terms.symbol_sort(*param), system.terms.sort(*arg));
                let constant = system.terms.as_integer(*arg).is_some();
                assert!(*wanted == found || constant && wanted.is_numeric(), "{found} for {wanted}");
            }
        }
    }
}

fn system(text: &str) -> HornSystem {
    let system = read_chc(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    check_invariants(&system);
    system
}

/// Checks the assertions that are printed for a script, with `P` and `Q` of an integer and `r` of nothing.
fn check(script: &str, expected: Expect) {
    let declarations = "(declare-fun P (Int) Bool)(declare-fun |Q| (Int) Bool)(declare-fun r () Bool)\n";
    let system = system(&format!("{declarations}{script}"));
    let printed = to_smtlib(&system).expect("printable");
    let again = read_chc(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(to_smtlib(&again).expect("printable"), printed);
    let (_, assertions) = printed.split_once("\n\n(assert").unwrap_or(("", "\n(check-sat)"));
    let assertions = assertions.split_once("\n\n(check-sat)").map_or("", |(of, _)| of);
    expected.assert_eq(&if assertions.is_empty() { String::new() } else { format!("(assert{assertions}") });
}

/// Checks what is said of a script that is not read.
fn refused(script: &str, expected: &str) {
    let declarations = "(declare-fun P (Int) Bool)(declare-fun Q (Int) Bool)(declare-fun r () Bool)\n";
    let error = read_chc(&format!("{declarations}{script}")).expect_err("it is not read");
    let found = match &error {
        ReadError::Bad(diagnostics) => {
            diagnostics.render(true);
            diagnostics.to_string()
        }
        ReadError::Unsupported(diagnostic) => {
            diagnostic.render(true);
            error.to_string()
        }
    };
    assert_eq!(found.replace("model:", "").replace("error: ", ""), expected, "for {script}");
}

#[test]
fn implications() {
    check(
        "(set-logic HORN)
        (assert (forall ((x Int)) (=> (= x 0) (P x))))
        (assert (forall ((x Int) (y Int)) (=> (P x) (> y x) (|Q| y))))
        (assert (forall ((x Int)) (let ((a (P x)) (b (< x 0))) (=> (and a b) false))))
        (assert (forall ((x Int)) (forall ((y Int)) (or (not (and (Q x) (P y))) (not (= x y)) r))))
        (assert (not r))
        (assert (P 1))
        (assert (forall ((x Int)) (! (=> (P x) (! (>= x 0) :named n)) :pattern ((P x)))))
        (check-sat) (get-model) (exit) (this is not read)",
        expect![[r#"
            (assert (forall ((x Int))
              (=> (= x 0) (P x))))
            (assert (forall ((x Int) (y Int))
              (=> (and (P x) (< x y)) (Q y))))
            (assert (forall ((x Int))
              (=> (and (P x) (< x 0)) false)))
            (assert (forall ((x Int) (y Int))
              (=> (and (Q x) (P y) (= x y)) r)))
            (assert (=> r false))
            (assert (=> true (P 1)))
            (assert (forall ((x Int))
              (=> (and (P x) (not (<= 0 x))) false)))"#]],
    );
}

#[test]
fn one_assertion_may_be_many_clauses() {
    check(
        "(assert (forall ((x Int)) (=> (or (P x) (and r (Q x)) (= x 0) (= x 1)) (and (P (+ x 1)) (< x 9)))))
         (assert (forall ((x Int)) (= (P x) (> x 5))))
         (assert (ite (P 0) r true)) (assert (= r (P 4)))",
        expect![[r#"
            (assert (forall ((x Int))
              (=> (and (or (= x 0) (= x 1)) (not (< x 9))) false)))
            (assert (forall ((x Int))
              (=> (or (= x 0) (= x 1)) (P (+ x 1)))))
            (assert (forall ((x Int))
              (=> (and (P x) (not (< x 9))) false)))
            (assert (forall ((x Int))
              (=> (P x) (P (+ x 1)))))
            (assert (forall ((x Int))
              (=> (and r (Q x) (not (< x 9))) false)))
            (assert (forall ((x Int))
              (=> (and r (Q x)) (P (+ x 1)))))
            (assert (forall ((x Int))
              (=> (and (P x) (not (< 5 x))) false)))
            (assert (forall ((x Int))
              (=> (< 5 x) (P x))))
            (assert (=> (P 0) r))
            (assert (=> r (P 4)))
            (assert (=> (P 4) r))"#]],
    );
}

#[test]
fn functions_are_expanded_and_existential_variables_belong_to_the_clause() {
    check(
        "(define-fun step ((x Int) (y Int)) Bool (exists ((d Int)) (and (> d 0) (= y (+ x d)))))
         (define-fun limit () Int 10)
         (define-fun inside ((x Int)) Bool (and (P x) (< x limit)))
         (define-const start Int (- 3))
         (define-sort Index () Int)
         (assert (P start))
         (assert (forall ((x Index) (y Index) (z Index)) (=> (inside x) (step x y) (step y z) (P z))))",
        expect![[r#"
            (assert (=> true (P (- 3))))
            (assert (forall ((x Int) (y Int) (z Int) (d Int) (d!1 Int))
              (=> (and (P x) (< x 10) (< 0 d) (= y (+ x d)) (< 0 d!1) (= z (+ y d!1))) (P z))))"#]],
    );
}

#[test]
fn rules_and_queries() {
    check(
        "(declare-rel inv (Int Bool)) (declare-rel fail ()) (declare-var x Int) (declare-var b Bool)
         (rule (inv 0 true) start)
         (rule (=> (and (inv x b) (< x 5)) (inv (+ x 1) (not b))))
         (rule (=> (and (inv x b) (> x 5)) fail))
         (query fail :print-certificate true) (query inv) (query (and (inv x b) b))",
        expect![[r#"
            (assert (=> true (inv 0 true)))
            (assert (forall ((x Int) (b Bool))
              (=> (and (inv x b) (< x 5)) (inv (+ x 1) (not b)))))
            (assert (forall ((x Int) (b Bool))
              (=> (and (inv x b) (< 5 x)) fail)))
            (assert (=> fail false))
            (assert (forall ((inv!0 Int) (inv!1 Bool))
              (=> (inv inv!0 inv!1) false)))
            (assert (forall ((x Int) (b Bool))
              (=> (and (inv x b) b) false)))"#]],
    );
}

#[test]
fn names_are_kept_apart() {
    check(
        "(declare-fun |a b| (Int Int) Bool) (declare-fun |let| () Bool)
         (assert (forall ((r Int) (x Int)) (=> (|a b| x r) (forall ((x Int) (|c;d| Int)) (=> (P x) |let| (|a b| |c;d| x))))))",
        expect![[r#"
            (assert (forall ((r!1 Int) (x Int) (x!1 Int) (|c;d| Int))
              (=> (and (|a b| x r!1) (P x!1) |let|) (|a b| |c;d| x!1))))"#]],
    );
}

#[test]
fn reals_and_arrays() {
    check(
        "(declare-fun R (Real) Bool) (declare-fun A ((Array Int (Array Int Real))) Bool)
         (assert (R 0.25))
         (assert (forall ((x Real) (y Real)) (=> (R (/ x 3)) (< (+ (* 1.5 x) 1) (/ y (- 2.0))) (R (ite (= x 0.5) y 7)))))
         (assert (forall ((a (Array Int (Array Int Real))) (i Int))
           (=> (A a) (A (store a i (store (select a i) (+ i 1) 2.0))))))
         (assert (A ((as const (Array Int (Array Int Real))) ((as const (Array Int Real)) 0.0))))
         (assert (forall ((a (Array Int Int))) (P (select (store a 1 2) 1))))",
        expect![[r#"
            (assert (forall ((fraction Real))
              (=> (= (* 4.0 fraction) 1.0) (R fraction))))
            (assert (forall ((x Real) (y Real) (fraction Real))
              (=> (and (R fraction) (< (+ (* 3.0 x) 2.0) (* (- 1.0) y)) (= (* 3.0 fraction) x)) (R (ite (= (* 2.0 x) 1.0) y 7.0)))))
            (assert (forall ((a (Array Int (Array Int Real))) (i Int))
              (=> (A a) (A (store a i (store (select a i) (+ i 1) 2.0))))))
            (assert (=> true (A ((as const (Array Int (Array Int Real))) ((as const (Array Int Real)) 0.0)))))
            (assert (=> true (P 2)))"#]],
    );
}

/// The value of an integer term in which `x` has this value.
fn value_of(term: &str, x: i64) -> String {
    let script = format!("(declare-fun P (Int) Bool)(assert (forall ((x Int)) (=> (= x x) (P {term}))))");
    let system = system(&script);
    let clause = &system.clauses[0];
    let assignment: Assignment = clause.vars.iter().map(|&v| (v, clinch_terms::Value::int(x))).collect();
    let arg = clause.head.as_ref().expect("it has one").args[0];
    evaluate(&system.terms, &assignment, arg).expect("it has a value").to_string()
}

/// SMT-LIB's division leaves a remainder that is not negative.
#[test]
fn division() {
    for x in -7i64..=7 {
        for n in [-3i64, -2, -1, 1, 2, 3] {
            let show = |v: i64| if v < 0 { format!("(- {})", -v) } else { v.to_string() };
            for dividend in ["x".to_owned(), show(x)] {
                assert_eq!(value_of(&format!("(div {dividend} {})", show(n)), x), show(x.div_euclid(n)), "{x} {n}");
                assert_eq!(value_of(&format!("(mod {dividend} {})", show(n)), x), show(x.rem_euclid(n)), "{x} {n}");
            }
        }
        assert_eq!(value_of("(abs x)", x), x.abs().to_string());
    }
}

#[test]
fn numbers_of_any_size() {
    assert_eq!(value_of("(- x 100000000000000000000)", 1), "(- 99999999999999999999)");
    assert_eq!(value_of("(- 9223372036854775808)", 0), "(- 9223372036854775808)");
    assert_eq!(value_of("(- x 1 2 3)", 0), "(- 6)");
    assert_eq!(value_of("(* 100000000000 100000000000 x)", 1), "10000000000000000000000");
    assert_eq!(value_of("(div (- 100000000000000000001) 100000000000000000000)", 1), "(- 2)");
    assert_eq!(value_of("(ite (< 100000000000000000000 100000000000000000001) 1 2)", 1), "1");
    assert_eq!(value_of("(ite (distinct x 1 2) 1 2)", 1), "2");
    assert_eq!(value_of("(ite (< 0 x 5 9) 1 2)", 4), "1");
    assert_eq!(value_of("(let ((y 1) (x 2)) (let ((y x) (x y)) (- y x)))", 4), "1");
}

#[test]
fn malformed_scripts() {
    refused("(assert (P 1)", "2:1: `(` is never closed");
    refused(")", "2:1: `)` without `(`");
    refused("(assert (P 1 2))", "2:9: expected 1 arguments, found 2");
    refused("(assert (P true))", "2:9: expected Int, found Bool");
    refused("(assert (S 1))", "2:10: `S` is not declared");
    refused("(assert\n  (P x))", "2:9: `x` is not declared".replace("2:9", "3:6").as_str());
    refused("(assert (and r 1))", "2:9: `and` takes truth values, not Int");
    refused("(assert 1)", "2:9: expected a truth value, found Int");
    refused("(assert (forall (x) r))", "2:18: expected `(name sort)`");
    refused("(assert (forall ((x Foo)) r))", "2:21: `Foo` is not a sort");
    refused("(assert (let ((x)) r))", "2:15: expected `(name term)`");
    refused("(assert (+ 1 true))", "2:9: `+` takes numbers, not Bool");
    refused("(assert (< 1))", "2:9: `<` takes at least 2 arguments, not 1");
    refused("(assert (not r r))", "2:9: `not` takes 1 arguments, not 2");
    refused("(assert (= 1 true))", "2:9: Int is compared with Bool");
    refused("(assert ())", "2:9: `()` is not a term");
    refused("(assert (P (select 1 2)))", "2:12: `select` takes an array, not Int");
    refused("(declare-fun P () Bool)", "2:1: `P` is declared twice");
    refused("(assert)", "2:1: `assert` without a formula");
    refused("(assert r r)", "2:11: `assert` takes 1 arguments");
    refused("foo", "2:1: expected a command in parentheses");
    refused("(prove r)", "2:1: `prove` is not a command");
    refused("(assert #z)", "2:9: `#z` is neither a symbol nor a number");
    refused("(assert 1a)", "2:9: `1a` is neither a symbol nor a number");
    refused("(assert |a", "2:9: `|` is never closed");
    refused("(assert x)\n(assert y)", "2:9: `x` is not declared\n3:9: `y` is not declared");
    assert!(read_chc(" ; nothing").expect("it has no clauses").clauses.is_empty());
    assert!(matches!(read_chc(" "), Err(ReadError::Bad(_))));
}

#[test]
fn what_is_not_modelled() {
    refused("(declare-datatypes ((L 0)) (((nil))))", "unsupported: 2:1: algebraic data types");
    refused("(declare-fun S (String) Bool)", "unsupported: 2:17: strings and sequences");
    refused("(assert (= \"a\" \"b\"))", "unsupported: 2:12: strings and sequences");
    refused("(assert (fp.lt 1 2))", "unsupported: 2:10: floating-point numbers");
    refused("(declare-fun F (Float32) Bool)", "unsupported: 2:17: floating-point numbers");
    refused(
        "(declare-fun f (Int) Int) (assert (P (f 1)))",
        "unsupported: 2:39: uninterpreted functions: `f` has values in Int, only predicates are solved for",
    );
    refused("(push 1)", "unsupported: 2:1: incremental scripts");
    refused("(check-sat)(assert r)", "unsupported: 2:12: incremental scripts: an assertion after `check-sat`");
    refused("(assert (or r (P 1)))", "unsupported: 2:1: the assertion is not Horn: it says `r` or `P`");
    refused(
        "(assert (forall ((x Int)) (=> (forall ((y Int)) (P y)) r)))",
        "unsupported: 2:1: a quantifier that is not universal over the whole clause",
    );
    refused("(assert (P (ite r 1 2)))", "unsupported: 2:12: a predicate or a quantifier inside a term");
    refused(
        "(assert (forall ((x Int)) (P (div 1 x))))",
        "unsupported: 2:30: `div` or `mod` by a term that is not constant",
    );
    refused("(assert (forall ((x Int)) (P (mod x 0))))", "unsupported: 2:30: division by zero");
    refused("(assert (forall ((x Int)) (< (/ x 2) 1)))", "unsupported: 2:30: integers and real numbers in one term");
    refused("(assert (P (to_int 1.5)))", "unsupported: 2:13: conversion of real numbers to integers");
}
