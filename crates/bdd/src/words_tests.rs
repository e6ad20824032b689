//! Words against machine arithmetic: all operands of small widths.

use crate::words::{Fill, Word, bitwise, not, select};
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
        let (quotient, rest) = bdds.udiv_rem(&a, &b).unwrap();
        type Expected = Box<dyn Fn(u64, u64) -> u64>;
        let shift = move |x: u64, y: u64| if y >= u64::from(width) { (0, 0) } else { (x << y & m, x >> y) };
        let arithmetic = move |x: u64, y: u64| (signed(width, x) >> y.min(u64::from(width) - 1)) as u64 & m;
        let cases: Vec<(&str, Word, Expected)> = vec![
            ("add", bdds.add(&a, &b).unwrap(), Box::new(move |x, y| x.wrapping_add(y) & m)),
            ("sub", bdds.sub(&a, &b).unwrap(), Box::new(move |x, y| x.wrapping_sub(y) & m)),
            ("neg", bdds.neg(&a).unwrap(), Box::new(move |x, _| x.wrapping_neg() & m)),
            ("mul", bdds.mul(&a, &b).unwrap(), Box::new(move |x, y| x.wrapping_mul(y) & m)),
            ("udiv", quotient, Box::new(move |x, y| divide(width, x, y).0)),
            ("urem", rest, Box::new(move |x, y| divide(width, x, y).1)),
            ("sdiv", bdds.sdiv(&a, &b).unwrap(), Box::new(move |x, y| signed_divide(width, x, y).0)),
            ("srem", bdds.srem(&a, &b).unwrap(), Box::new(move |x, y| signed_divide(width, x, y).1)),
            ("smod", bdds.smod(&a, &b).unwrap(), Box::new(move |x, y| signed_divide(width, x, y).2)),
            ("shl", bdds.shl(&a, &b).unwrap(), Box::new(move |x, y| shift(x, y).0)),
            ("lshr", bdds.shr(&a, &b, Fill::Zero).unwrap(), Box::new(move |x, y| shift(x, y).1)),
            ("ashr", bdds.shr(&a, &b, Fill::Sign).unwrap(), Box::new(arithmetic)),
            ("not", not(&a).unwrap(), Box::new(move |x, _| !x & m)),
            ("and", bitwise(&a, &b, Bdd::and).unwrap(), Box::new(|x, y| x & y)),
            ("xor", bitwise(&a, &b, Bdd::xor).unwrap(), Box::new(|x, y| x ^ y)),
            ("ite", select(&a[0], &a, &b).unwrap(), Box::new(|x, y| if x & 1 == 1 { x } else { y })),
            ("eq", vec![bdds.eq(&a, &b).unwrap()], Box::new(|x, y| u64::from(x == y))),
            ("ult", vec![bdds.ult(&a, &b).unwrap()], Box::new(|x, y| u64::from(x < y))),
            ("ule", vec![bdds.ule(&a, &b).unwrap()], Box::new(|x, y| u64::from(x <= y))),
            (
                "slt",
                vec![bdds.slt(&a, &b).unwrap()],
                Box::new(move |x, y| u64::from(signed(width, x) < signed(width, y))),
            ),
            (
                "sle",
                vec![bdds.sle(&a, &b).unwrap()],
                Box::new(move |x, y| u64::from(signed(width, x) <= signed(width, y))),
            ),
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

#[test]
fn tables_are_looked_up() {
    let mut bdds = Bdds::new(1 << 12);
    let (a, _) = operands(&mut bdds, 4);
    let cells: Vec<(u64, Word)> = [(2, 7), (5, 1), (11, 4)].map(|(at, v)| (at, bdds.word(3, v))).into();
    let table = cells.iter().map(|(at, cell)| (*at, cell.as_slice()));
    let found = bdds.lookup(table, &a, &bdds.word(3, 0)).unwrap();
    for x in 0..16 {
        let expected = match x {
            2 => 7,
            5 => 1,
            11 => 4,
            _ => 0,
        };
        assert_eq!(value(&found, 4, x, 0), expected);
    }
}
