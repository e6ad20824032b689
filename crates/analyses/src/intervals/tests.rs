//! Ranges against all values of few bits, and bounds of small programs.

use super::*;

const WIDTH: u32 = 4;

fn ranges() -> Vec<Range> {
    let full = Range::full(WIDTH);
    let mut found = Vec::new();
    for lo in 0..16 {
        for hi in lo..16 {
            found.extend(full.unsigned_between(lo, hi));
            found.extend(full.signed_between(lo - 8, hi - 8));
        }
    }
    found
}

fn values(range: Range) -> Vec<u64> {
    (0..16).filter(|&v| range.contains(v)).collect()
}

fn signed(bits: u64) -> i64 {
    if bits >= 8 { bits as i64 - 16 } else { bits as i64 }
}

/// An operation on ranges holds every result of the operation on values.
fn holds(name: &str, ranges: &[Range], range: impl Fn(Range, Range) -> Range, value: impl Fn(u64, u64) -> u64) {
    for &a in ranges {
        for &b in ranges.iter().step_by(7) {
            let result = range(a, b);
            for x in values(a) {
                for y in values(b) {
                    assert!(result.contains(value(x, y)), "{name}: {x} {y} in {a:?} {b:?} {result:?}");
                }
            }
        }
    }
}

#[test]
fn operations_hold_all_results() {
    let all = ranges();
    holds("add", &all, Range::plus, |x, y| (x + y) & 15);
    holds("sub", &all, Range::minus, |x, y| x.wrapping_sub(y) & 15);
    holds("mul", &all, Range::times, |x, y| (x * y) & 15);
    holds("and", &all, Range::and, |x, y| x & y);
    holds("or", &all, Range::or, |x, y| x | y);
    holds("xor", &all, Range::xor, |x, y| x ^ y);
    holds("join", &all, Range::join, |x, _| x);
    for by in 1..8_u64 {
        holds("udiv", &all, |a, _| a.unsigned_quotient(by), |x, _| x / by);
        holds("urem", &all, |a, _| a.unsigned_remainder(by), |x, _| x % by);
        let divided = |x: u64| (signed(x) / by as i64) as u64 & 15;
        holds("sdiv", &all, |a, _| a.signed_quotient(by.into()), |x, _| divided(x));
        let rest = |x: u64| (signed(x) % by as i64) as u64 & 15;
        holds("srem", &all, |a, _| a.signed_remainder(by.into()), |x, _| rest(x));
    }
    holds("zext", &all, |a, _| a.extend(6, false), |x, _| x);
    holds("sext", &all, |a, _| a.extend(6, true), |x, _| signed(x) as u64 & 63);
    holds("low bits", &all, |a, _| a.truncate(3), |x, _| x & 7);
}

#[test]
fn what_is_in_both_stays() {
    let all = ranges();
    for &a in &all {
        for &b in all.iter().step_by(5) {
            let both: Vec<u64> = values(a).into_iter().filter(|&v| b.contains(v)).collect();
            match a.meet(b) {
                Some(meet) => assert!(both.iter().all(|&v| meet.contains(v)), "{a:?} {b:?}"),
                None => assert!(both.is_empty(), "{a:?} {b:?}"),
            }
        }
    }
}

#[test]
fn one_side_of_the_jump_tells_about_the_other_reading() {
    let range = Range::full(8).signed_between(-3, -1).expect("not empty");
    assert_eq!(range.unsigned(), (253, 255));
    assert_eq!(Range::full(8).unsigned_between(0, 9).expect("not empty").signed(), (0, 9));
    assert_eq!(Range::full(8).plus(Range::constant(8, 1)), Range::full(8));
    assert_eq!(Range::constant(8, 255).plus(Range::constant(8, 2)).as_constant(), Some(1));
}

/// `x < a[0]` says nothing of `x`, and can be true.
#[test]
fn memory_is_any_value() {
    let mut terms = Terms::new();
    let sort = |width| clinch_terms::Sort::BitVec(width);
    let cells = terms.declare("a", clinch_terms::Sort::array(sort(64), sort(8)));
    let x = terms.declare("x", sort(8));
    let (array, at, variable) = (terms.symbol(cells), terms.bit_vec(64, 0), terms.symbol(x));
    let cell = terms.select(array, at);
    let condition = terms.bv_ult(variable, cell);
    let known = Known::default().assume(&terms, condition, true).expect("possible");
    assert_eq!(known.get(x).map(|r| r.unsigned()), Some((0, 254)));
}
