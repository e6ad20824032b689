//! Words against machine arithmetic: all operands of small widths.

use clinch_terms::BinOp;

use crate::words::{Fill, Word, not, select};
use crate::{Bdd, Bdds};

fn signed(width: u32, x: u64) -> i64 {
    ((x << (64 - width)) as i64) >> (64 - width)
}

fn divide(width: u32, x: u64, y: u64) -> (u64, u64) {
    x.checked_div(y).map_or((mask(width), x), |quotient| (quotient, x % y))
}

fn signed_divide(width: u32, x: u64, y: u64) -> (u64, u64, u64) {
    let (a, b) = (signed(width, x), signed(width, y));
    if b == 0 {
        return (if a < 0 { 1 } else { mask(width) }, x, x);
    }
    let floor = a.rem_euclid(b.abs());
    let modulo = if b < 0 && floor != 0 { floor + b } else { floor };
    ((a.wrapping_div(b)) as u64 & mask(width), (a % b) as u64 & mask(width), modulo as u64 & mask(width))
}

fn mask(width: u32) -> u64 {
    (1 << width) - 1
}

/// Operands whose bits alternate in the order of variables.
fn operands(bdds: &mut Bdds, width: u32) -> (Word, Word) {
    bdds.make_variables(2 * width);
    let word = |start: u32| (0..width).map(|i| bdds.variable(2 * i + start).unwrap()).collect::<Word>();
    (word(0), word(1))
}

fn value(word: &[Bdd], width: u32, x: u64, y: u64) -> u64 {
    let literals: Vec<(u32, bool)> =
        (0..width).flat_map(|i| [(2 * i, x >> i & 1 == 1), (2 * i + 1, y >> i & 1 == 1)]).collect();
    word.iter().enumerate().fold(0, |v, (i, bit)| v | u64::from(bit.value(&literals)) << i)
}

#[test]
fn arithmetic_of_all_operands() {
    for width in 1..=5 {
        let mut bdds = Bdds::new(1 << 18);
        let (a, b) = operands(&mut bdds, width);
        let m = mask(width);
        let operation = |op| bdds.operation(op, &a, &b).unwrap().unwrap();
        let comparison = |op| vec![bdds.comparison(op, &a, &b).unwrap().unwrap()];
        type Expected = Box<dyn Fn(u64, u64) -> u64>;
        let shift = move |x: u64, y: u64| if y >= u64::from(width) { (0, 0) } else { (x << y & m, x >> y) };
        let arithmetic = move |x: u64, y: u64| (signed(width, x) >> y.min(u64::from(width) - 1)) as u64 & m;
        let cases: Vec<(&str, Word, Expected)> = vec![
            ("add", operation(BinOp::BvAdd), Box::new(move |x, y| x.wrapping_add(y) & m)),
            ("sub", operation(BinOp::BvSub), Box::new(move |x, y| x.wrapping_sub(y) & m)),
            ("neg", bdds.neg(&a).unwrap(), Box::new(move |x, _| x.wrapping_neg() & m)),
            ("mul", operation(BinOp::BvMul), Box::new(move |x, y| x.wrapping_mul(y) & m)),
            ("udiv", operation(BinOp::BvUdiv), Box::new(move |x, y| divide(width, x, y).0)),
            ("urem", operation(BinOp::BvUrem), Box::new(move |x, y| divide(width, x, y).1)),
            ("sdiv", operation(BinOp::BvSdiv), Box::new(move |x, y| signed_divide(width, x, y).0)),
            ("srem", operation(BinOp::BvSrem), Box::new(move |x, y| signed_divide(width, x, y).1)),
            ("smod", operation(BinOp::BvSmod), Box::new(move |x, y| signed_divide(width, x, y).2)),
            ("shl", operation(BinOp::BvShl), Box::new(move |x, y| shift(x, y).0)),
            ("lshr", operation(BinOp::BvLshr), Box::new(move |x, y| shift(x, y).1)),
            ("ashr", operation(BinOp::BvAshr), Box::new(arithmetic)),
            ("not", not(&a).unwrap(), Box::new(move |x, _| !x & m)),
            ("and", operation(BinOp::BvAnd), Box::new(|x, y| x & y)),
            ("xor", operation(BinOp::BvXor), Box::new(|x, y| x ^ y)),
            ("ite", select(&a[0], &a, &b).unwrap(), Box::new(|x, y| if x & 1 == 1 { x } else { y })),
            ("eq", comparison(BinOp::Eq), Box::new(|x, y| u64::from(x == y))),
            ("ult", comparison(BinOp::BvUlt), Box::new(|x, y| u64::from(x < y))),
            ("ule", comparison(BinOp::BvUle), Box::new(|x, y| u64::from(x <= y))),
            ("slt", comparison(BinOp::BvSlt), Box::new(move |x, y| u64::from(signed(width, x) < signed(width, y)))),
            ("sle", comparison(BinOp::BvSle), Box::new(move |x, y| u64::from(signed(width, x) <= signed(width, y)))),
            (
                "wide",
                bdds.resize(&a, width + 2, Fill::Sign),
                Box::new(move |x, _| signed(width, x) as u64 & mask(width + 2)),
            ),
            ("cut", bdds.resize(&a, 1, Fill::Zero), Box::new(|x, _| x & 1)),
        ];
        for (name, word, expected) in &cases {
            for x in 0..=m {
                for y in 0..=m {
                    assert_eq!(value(word, width, x, y), expected(x, y), "{name} {x} {y} in {width} bits");
                }
            }
        }
    }
}
