//! Bit-vectors in Horn clauses.

use clinch_ir::HornSystem;
use clinch_ir::horn::to_smtlib;
use clinch_terms::Value;
use clinch_terms::evaluate::{Assignment, evaluate};
use expect_test::expect;

use crate::chc::{check_invariants, read_chc};

/// Reads `formula` over `x` and `y` of 8 bits, prints it, and reads that again.
fn constraint(formula: &str) -> HornSystem {
    let text = format!(
        "(declare-fun P ((_ BitVec 8) (_ BitVec 8)) Bool)
        (assert (forall ((x (_ BitVec 8)) (y (_ BitVec 8))) (=> {formula} (P x y))))"
    );
    let system = read_chc(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    check_invariants(&system);
    let printed = to_smtlib(&system).expect("printable");
    let again = read_chc(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(to_smtlib(&again).expect("printable"), printed);
    system
}

fn holds(system: &HornSystem, x: u32, y: u32) -> bool {
    let clause = &system.clauses[0];
    let value = |bits: u32| Value::BitVec { width: 8, bits: bits.into() };
    let assignment: Assignment = clause
        .vars
        .iter()
        .map(|&v| (v, if system.terms.symbol_name(v) == "x" { value(x) } else { value(y) }))
        .collect();
    match evaluate(&system.terms, &assignment, clause.constraint) {
        Some(Value::Bool(holds)) => holds,
        other => panic!("{other:?}"),
    }
}

/// The formula holds for just these values.
fn means(formula: &str, expected: impl Fn(u8, u8) -> bool) {
    let system = constraint(formula);
    for x in (0..=255_u8).step_by(3).chain([1, 127, 128, 254]) {
        for y in [0, 1, 2, 7, 8, 100, 127, 128, 129, 200, 254, 255] {
            assert_eq!(holds(&system, x.into(), y.into()), expected(x, y), "{formula} at {x}, {y}");
        }
    }
}

#[test]
fn operations() {
    means("(= y (bvadd x #x03 #b00000001 (_ bv2 8)))", |x, y| y == x.wrapping_add(6));
    means("(= y (bvsub x y))", |x, y| y == x.wrapping_sub(y));
    means("(= x (bvmul y y #x03))", |x, y| x == y.wrapping_mul(y).wrapping_mul(3));
    means("(= #x03 (bvudiv x y))", |x, y| x.checked_div(y).unwrap_or(255) == 3);
    means("(= #x03 (bvurem x y))", |x, y| x.checked_rem(y).unwrap_or(x) == 3);
    means("(bvslt (bvsdiv x y) #x00)", |x, y| {
        let (x, y) = (x as i8, y as i8);
        if y == 0 { x >= 0 } else { x.wrapping_div(y) < 0 }
    });
    means("(= (bvsrem x y) #xff)", |x, y| {
        let (x, y) = (x as i8, y as i8);
        if y == 0 { x == -1 } else { x.wrapping_rem(y) == -1 }
    });
    means("(bvsge (bvsmod x y) #x00)", |x, y| {
        let (x, y) = (i32::from(x as i8), i32::from(y as i8));
        if y == 0 { x >= 0 } else { x.rem_euclid(y.abs()) == 0 || y > 0 }
    });
    means("(= (bvnand x y) (bvnor x y))", |x, y| !(x & y) == !(x | y));
    means("(= (bvxnor x y) (bvor (bvand x y) (bvneg x)))", |x, y| !(x ^ y) == ((x & y) | x.wrapping_neg()));
    means("(= (bvshl x y) #x80)", |x, y| y < 8 && x << y == 0x80);
    means("(= (bvlshr x y) #x01)", |x, y| y < 8 && x >> y == 1);
    means("(= (bvashr x y) #xff)", |x, y| (x as i8) >> y.min(7) == -1);
    means("(distinct x y #x00)", |x, y| x != y && x != 0 && y != 0);
    means("(= (bvcomp x y) #b1)", |x, y| x == y);
    means("(and (bvugt x y) (bvsle x y))", |x, y| x > y && x as i8 <= y as i8);
    means("(or (bvuge x y) (bvsgt x y))", |x, y| x >= y || x as i8 > y as i8);
    means("(= (bvredor x) (bvredand y))", |x, y| (x != 0) == (y == 255));
}

#[test]
fn indexed_operations() {
    means("(= ((_ extract 3 0) x) ((_ extract 7 4) y))", |x, y| x & 15 == y >> 4);
    means("(= (concat ((_ extract 3 0) x) ((_ extract 7 4) x)) y)", |x, y| x.rotate_left(4) == y);
    means("(= ((_ rotate_left 11) x) ((_ rotate_right 1) y))", |x, y| x.rotate_left(3) == y.rotate_right(1));
    means("(= ((_ repeat 2) ((_ extract 3 0) x)) y)", |x, y| (x & 15) * 17 == y);
    means("(bvult (bvadd ((_ zero_extend 1) x) ((_ zero_extend 1) y)) #b100000000)", |x, y| x.checked_add(y).is_some());
    means("(bvslt ((_ sign_extend 8) x) ((_ sign_extend 8) y))", |x, y| (x as i8) < y as i8);
    means("((_ bit2bool 7) x)", |x, _| x >= 128);
    means("(< (bv2nat x) (+ (ubv_to_int y) 3))", |x, y| i32::from(x) < i32::from(y) + 3);
    means("(< (sbv_to_int x) (+ (sbv_to_int y) 3))", |x, y| i32::from(x as i8) < i32::from(y as i8) + 3);
    means("(= ((_ int2bv 8) (* 3 (bv2nat x))) ((_ int_to_bv 8) (- (bv2nat y))))", |x, y| {
        x.wrapping_mul(3) == y.wrapping_neg()
    });
}

#[test]
fn overflows() {
    means("(bvuaddo x y)", |x, y| x.checked_add(y).is_none());
    means("(bvsaddo x y)", |x, y| (x as i8).checked_add(y as i8).is_none());
    means("(bvusubo x y)", |x, y| x.checked_sub(y).is_none());
    means("(bvssubo x y)", |x, y| (x as i8).checked_sub(y as i8).is_none());
    means("(bvumulo x y)", |x, y| x.checked_mul(y).is_none());
    means("(bvsmulo x y)", |x, y| (x as i8).checked_mul(y as i8).is_none());
    means("(bvsdivo x y)", |x, y| x == 128 && y == 255);
    means("(bvnego x)", |x, _| x == 128);
}

#[test]
fn what_is_printed() {
    let system = constraint("(and (bvult x (bvadd #x01 y)) (= ((_ extract 1 0) x) #b10))");
    expect![[r#"
        (set-logic HORN)

        (declare-fun P ((_ BitVec 8) (_ BitVec 8)) Bool)

        (assert (forall ((x (_ BitVec 8)) (y (_ BitVec 8)))
          (=> (and (bvult x (bvadd y #x01)) (= ((_ extract 1 0) x) #b10)) (P x y))))

        (check-sat)
    "#]]
    .assert_eq(&to_smtlib(&system).expect("printable"));
}

/// Arrays over and of bit-vectors, long constants, sharing.
#[test]
fn other_sorts() {
    let text = "(define-sort Word () (_ BitVec 70))
        (declare-fun M ((Array (_ BitVec 3) Word) Word) Bool)
        (assert (forall ((a (Array (_ BitVec 3) Word)) (w Word))
          (=> (= (select a #b101) (bvnot (_ bv5 70))) (M (store a ((_ extract 2 0) w) #b01) w))))"
        .replace("#b01)", "((_ zero_extend 68) #b01))");
    let system = read_chc(&text).unwrap_or_else(|e| panic!("{e}"));
    check_invariants(&system);
    let printed = to_smtlib(&system).expect("printable");
    assert!(printed.contains("(_ BitVec 70)") && printed.contains("#b1111111111"), "{printed}");
    let again = read_chc(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(to_smtlib(&again).expect("printable"), printed);
}

#[test]
fn what_is_wrong() {
    let refused = |script: &str, expected: &str| {
        let text = format!("(declare-fun P ((_ BitVec 8)) Bool)\n{script}");
        let error = read_chc(&text).expect_err(script).to_string();
        assert!(error.contains(expected), "{error}\ndoes not say\n{expected}");
    };
    refused("(assert (P #xfff))", "expected (_ BitVec 8), found (_ BitVec 12)");
    refused("(assert (P 1))", "expected (_ BitVec 8), found Int");
    refused("(assert (P (bvadd #x01 #b1)))", "`bvadd` of bit-vectors with 8 and 1 bits");
    refused("(assert (P (bvadd #x01 1)))", "`bvadd` takes bit-vectors, not Int");
    refused("(assert (P (bvadd #x01)))", "`bvadd` takes at least 2 arguments, not 1");
    refused("(assert (P (bvsub #x01 #x01 #x01)))", "`bvsub` takes 2 arguments, not 3");
    refused("(assert (= #xff #b1))", "(_ BitVec 8) is compared with (_ BitVec 1)");
    refused("(assert (P ((_ extract 9 2) #xff)))", "a bit-vector with 8 bits has no such bits");
    refused("(assert (P ((_ extract 1 2) #xff)))", "a bit-vector with 8 bits has no such bits");
    refused("(assert (P ((_ extract 7 0 0) #xff)))", "unknown indexed identifier");
    refused("(assert (P (_ bv256 8)))", "the number has more than 8 bits");
    refused("(assert (P (_ bvx 8)))", "unknown indexed identifier");
    refused("(assert (P ((_ repeat 0) #xff)))", "`repeat` takes a number above 0");
    refused("(declare-fun Q ((_ BitVec 0)) Bool)", "a bit-vector has at least one bit");
    refused("(declare-fun Q (BitVec) Bool)", "expected `(_ BitVec width)`");
    refused("(declare-fun Q ((_ BitVec 99999999999999)) Bool)", "bit-vectors of more than 16384 bits");
    refused("(assert (P ((_ zero_extend 4294967295) #xff)))", "bit-vectors of more than 16384 bits");
    refused("(assert (P ((_ repeat 4000000000) #xff)))", "bit-vectors of more than 16384 bits");
}
