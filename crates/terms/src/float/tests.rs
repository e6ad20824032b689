use num_traits::ToPrimitive;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::circuit::{
    Layout, Template, binary_template, build, extended_binary_template, extended_unary_template, fma_template,
    unary_template,
};
use super::extended::{self, ExtendedOp};
use super::{FloatBinOp, FloatUnOp, Format, Integral, value};
use crate::evaluate::{Assignment, evaluate};
use crate::{BinOp, Node, Sort, Symbol, Term, Terms, Value};

const INTEGRAL: [Integral; 5] = [Integral::Down, Integral::Up, Integral::Zero, Integral::Even, Integral::Away];

/// What a template says for given operands.
fn applied(template: &Template, operands: &[u64]) -> u64 {
    let wide: Vec<u128> = operands.iter().map(|&bits| bits.into()).collect();
    u64::try_from(applied_wide(template, &wide)).expect("few bits")
}

fn applied_wide(template: &Template, operands: &[u128]) -> u128 {
    let mut assignment = Assignment::default();
    for (&symbol, &bits) in template.operands.iter().zip(operands) {
        let Sort::BitVec(width) = *template.terms.symbol_sort(symbol) else { unreachable!("operands are bits") };
        assignment.insert(symbol, Value::BitVec { width, bits: bits.into() });
    }
    match evaluate(&template.terms, &assignment, template.result).expect("it has a value") {
        Value::Bool(holds) => holds.into(),
        Value::BitVec { bits, .. } => bits.to_u128().expect("at most 128 bits"),
        other => unreachable!("{other} is no result"),
    }
}

/// A number of a small layout, exactly.
fn decoded(layout: Layout, bits: u64) -> f64 {
    let sign = if bits >> (layout.width() - 1) == 1 { -1.0 } else { 1.0 };
    let exponent = (bits >> layout.fraction) & ((1 << layout.exponent) - 1);
    let fraction = bits & ((1 << layout.fraction) - 1);
    let scaled = |significand: u64, exponent: u64| {
        let power = exponent as i32 - layout.bias() as i32 - layout.fraction as i32;
        sign * significand as f64 * 2_f64.powi(power)
    };
    match exponent {
        0 => scaled(fraction, 1),
        e if e == (1 << layout.exponent) - 1 && fraction == 0 => sign * f64::INFINITY,
        e if e == (1 << layout.exponent) - 1 => f64::NAN,
        e => scaled(fraction | 1 << layout.fraction, e),
    }
}

/// The nearest number of a small layout, found by looking at all of them.
fn encoded(layout: Layout, value: f64) -> u64 {
    let sign = if value.is_sign_negative() { 1 << (layout.width() - 1) } else { 0 };
    let infinity = ((1_u64 << layout.exponent) - 1) << layout.fraction;
    if value.is_nan() {
        return 1 << (layout.width() - 1) | infinity | 1 << (layout.fraction - 1);
    }
    let magnitude = value.abs();
    // The number after the greatest one would be as far from it as infinity begins.
    let after = 2.0 * decoded(layout, infinity - (1 << layout.fraction));
    let number = |bits: u64| if bits == infinity { after } else { decoded(layout, bits) };
    let distance = |bits: u64| (number(bits) - magnitude).abs();
    let best = (0..=infinity).min_by(|&a, &b| {
        let order = distance(a).partial_cmp(&distance(b)).expect("numbers");
        order.then((a & 1).cmp(&(b & 1)))
    });
    sign | if magnitude.is_infinite() { infinity } else { best.expect("there are numbers") }
}

/// Every pair of numbers of a layout with 8 bits, for every operation: computed with doubles, which are exact or round alike.
#[test]
fn small_numbers_are_computed_exactly() {
    let layout = Layout { exponent: 3, fraction: 3 };
    let nan = encoded(layout, f64::NAN);
    let is_nan = |bits: u64| decoded(layout, bits).is_nan();
    for op in FloatBinOp::ALL {
        let template = build(&[layout.width(); 2], |circuit, x| circuit.binary(op, layout, x[0], x[1]));
        for (a, b) in (0..1 << layout.width()).flat_map(|a| (0..1 << layout.width()).map(move |b| (a, b))) {
            let (x, y) = (decoded(layout, a), decoded(layout, b));
            let expected = match op {
                FloatBinOp::Add => encoded(layout, x + y),
                FloatBinOp::Sub => encoded(layout, x - y),
                FloatBinOp::Mul => encoded(layout, x * y),
                FloatBinOp::Div => encoded(layout, x / y),
                FloatBinOp::Eq => (x == y).into(),
                FloatBinOp::Lt => (x < y).into(),
                FloatBinOp::Le => (x <= y).into(),
            };
            let quiet = 1 << (layout.fraction - 1);
            let expected = match () {
                () if op.compares() => expected,
                () if is_nan(a) => a | quiet,
                () if is_nan(b) => b | quiet,
                () if is_nan(expected) => nan,
                () => expected,
            };
            assert_eq!(applied(&template, &[a, b]), expected, "{op:?} {a:#x} {b:#x}");
        }
    }
}

const SPECIAL: [u64; 24] = [
    0,
    1 << 63,
    1,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x3ff0_0000_0000_0000,
    0x3fe0_0000_0000_0000,
    0xbfe0_0000_0000_0000,
    0x3ff8_0000_0000_0000,
    0x4004_0000_0000_0000,
    0xc004_0000_0000_0000,
    0x3fef_ffff_ffff_ffff,
    0x3ff0_0000_0000_0001,
    0x7fef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x7ff0_0000_0000_0001,
    0xfff8_0000_0000_1234,
    0x41e0_0000_0000_0000,
    0xc1e0_0000_0000_0000,
    0x43e0_0000_0000_0000,
    0x43f0_0000_0000_0000,
    0x47ef_ffff_f000_0000,
];

/// The special numbers of a format.
fn special(format: Format) -> Vec<u64> {
    let convert = |&bits: &u64| match format {
        Format::Single => value::unary(FloatUnOp::Convert, Format::Double, 64, bits),
        Format::Double => bits,
    };
    SPECIAL.iter().map(convert).collect()
}

/// A number that is likely to be a hard case.
fn sample(random: &mut Xoshiro256PlusPlus, format: Format) -> u64 {
    let special = SPECIAL[random.random_range(0..SPECIAL.len())];
    match (random.random_range(0..4), format) {
        (0, Format::Double) => special,
        (0, Format::Single) => value::unary(FloatUnOp::Convert, Format::Double, 64, special),
        // Small integers and halves.
        (1, Format::Double) => (f64::from(random.random_range(-20_i8..20)) / 2.0).to_bits(),
        (1, Format::Single) => (f32::from(random.random_range(-20_i8..20)) / 2.0).to_bits().into(),
        // Near to one, so that sums cancel and quotients are near.
        (2, _) => {
            let one = (format.infinity() >> 1) & format.infinity();
            let bits: u64 = random.random();
            ((one ^ ((bits >> 58) << format.fraction())) + (bits & (format.quiet() - 1))) | (bits & format.sign())
        }
        (_, Format::Double) => random.random(),
        (_, Format::Single) => random.random::<u32>().into(),
    }
}

#[test]
fn circuits_agree_with_the_machine() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(17);
    for format in [Format::Single, Format::Double] {
        for op in FloatBinOp::ALL {
            let template = binary_template(op, format);
            let special = special(format);
            let pairs = special.iter().flat_map(|&a| special.iter().map(move |&b| (a, b)));
            let others = (0..200).map(|_| (sample(&mut random, format), sample(&mut random, format)));
            for (a, b) in pairs.chain(others) {
                assert_eq!(
                    applied(&template, &[a, b]),
                    value::binary(op, format, a, b),
                    "{op:?} {format:?} {a:#x} {b:#x}"
                );
            }
        }
        let widths = [8, 16, 32, 64];
        let to_signed = widths.map(|w| FloatUnOp::ToSigned(w as u8));
        let to_unsigned = widths.map(|w| FloatUnOp::ToUnsigned(w as u8));
        let of_floats = [FloatUnOp::Sqrt, FloatUnOp::Convert].into_iter().chain(INTEGRAL.map(FloatUnOp::Integral));
        for op in of_floats.chain(to_signed).chain(to_unsigned) {
            let template = unary_template(op, format, format.width());
            let others = (0..300).map(|_| sample(&mut random, format));
            for a in special(format).into_iter().chain(others) {
                let expected = value::unary(op, format, format.width(), a);
                assert_eq!(applied(&template, &[a]), expected, "{op:?} {format:?} {a:#x}");
            }
        }
        for (op, width) in
            [FloatUnOp::FromSigned, FloatUnOp::FromUnsigned].iter().flat_map(|&op| widths.map(|w| (op, w)))
        {
            let template = unary_template(op, format, width);
            for _ in 0..300 {
                let bits: u64 = random.random();
                let a = bits >> (64 - width) >> random.random_range(0..width);
                let a = if random.random() { a } else { a.wrapping_neg() & (u64::MAX >> (64 - width)) };
                assert_eq!(
                    applied(&template, &[a]),
                    value::unary(op, format, width, a),
                    "{op:?} {format:?} {width} {a:#x}"
                );
            }
        }
    }
}

/// Every pair of numbers of a layout with 6 bits, with every fourth summand: product and sum are exact in doubles.
#[test]
fn small_fused_operations_are_computed_exactly() {
    let layout = Layout { exponent: 3, fraction: 2 };
    let template = build(&[layout.width(); 3], |circuit, x| circuit.fused(layout, [x[0], x[1], x[2]]));
    let numbers = 0..1_usize << layout.width();
    for (a, b) in numbers.clone().flat_map(|a| numbers.clone().map(move |b| (a, b))) {
        for c in numbers.clone().skip((a ^ b) % 4).step_by(4) {
            let [a, b, c] = [a, b, c].map(|bits| bits as u64);
            let [x, y, z] = [a, b, c].map(|bits| decoded(layout, bits));
            let result = encoded(layout, x * y + z);
            let quieted = [a, b, c].into_iter().find(|&bits| decoded(layout, bits).is_nan());
            let expected = quieted.map_or(result, |nan| nan | 1 << (layout.fraction - 1));
            assert_eq!(applied(&template, &[a, b, c]), expected, "{a:#x} * {b:#x} + {c:#x}");
        }
    }
}

/// Sums that cancel, or that only the last bits of the product decide.
#[test]
fn fused_operations_agree_with_the_machine() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(18);
    for format in [Format::Single, Format::Double] {
        let template = fma_template(format);
        for k in 0..1500 {
            let [a, b, c] = [(); 3].map(|()| sample(&mut random, format));
            let product = value::binary(FloatBinOp::Mul, format, a, b);
            let near = product.wrapping_add(random.random_range(0..3)).wrapping_sub(1) ^ format.sign();
            let c = if k % 3 == 0 { near & (format.sign() | (format.sign() - 1)) } else { c };
            let expected = value::fma(format, a, b, c);
            assert_eq!(applied(&template, &[a, b, c]), expected, "{format:?} {a:#x} {b:#x} {c:#x}");
        }
    }
}

/// A number of extended precision that is likely to be a hard case: small and special ones, near to each other, any.
fn extended_sample(random: &mut Xoshiro256PlusPlus) -> u128 {
    let (one, bits) = (0x3fff_u128 << 64 | 1 << 63, u128::from(random.random::<u64>()));
    let sign = u128::from(random.random::<bool>()) << 79;
    match random.random_range(0..5) {
        0 => {
            let double = sample(random, Format::Double);
            extended::unary(ExtendedOp::FromFloat(Format::Double), 64, double.into())
        }
        1 => extended::unary(ExtendedOp::FromSigned, 64, bits >> random.random_range(0..64)),
        2 => (one + (bits & 3 << 62) + (bits & 7)) | sign,
        // About the least numbers, and any others.
        3 => u128::from(random.random_range(0..3_u16)) << 64 | bits >> random.random_range(0..64) | sign,
        _ => u128::from(random.random_range(0x3f80..0x4080_u16)) << 64 | bits | sign,
    }
}

#[test]
fn circuits_of_extended_precision_agree_with_software() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(80);
    for op in FloatBinOp::ALL {
        let template = extended_binary_template(op);
        for _ in 0..400 {
            let (a, b) = (extended_sample(&mut random), extended_sample(&mut random));
            assert_eq!(applied_wide(&template, &[a, b]), extended::binary(op, a, b), "{op:?} {a:#x} {b:#x}");
        }
    }
    let formats = [Format::Single, Format::Double];
    let widths = [8, 16, 32, 64];
    let to = formats.map(ExtendedOp::ToFloat).into_iter().chain(INTEGRAL.map(ExtendedOp::Integral));
    let to = to.chain([ExtendedOp::Sqrt]);
    let to = to.chain(widths.map(ExtendedOp::ToSigned)).chain(widths.map(ExtendedOp::ToUnsigned));
    for op in to {
        let template = extended_unary_template(op, extended::WIDTH);
        for _ in 0..400 {
            let a = extended_sample(&mut random);
            assert_eq!(applied_wide(&template, &[a]), extended::unary(op, extended::WIDTH, a), "{op:?} {a:#x}");
        }
    }
    let of_floats = formats.map(|format| (ExtendedOp::FromFloat(format), format.width()));
    let of_integers = [8, 32, 64].map(|width| (ExtendedOp::FromSigned, width)).into_iter();
    let of_integers = of_integers.chain([8, 32, 64].map(|width| (ExtendedOp::FromUnsigned, width)));
    for (op, width) in of_floats.into_iter().chain(of_integers) {
        let template = extended_unary_template(op, width);
        for _ in 0..300 {
            let a = match op {
                ExtendedOp::FromFloat(format) => sample(&mut random, format),
                _ => random.random::<u64>() >> (64 - width) >> random.random_range(0..width),
            };
            let a = u128::from(a);
            assert_eq!(applied_wide(&template, &[a]), extended::unary(op, width, a), "{op:?} {width} {a:#x}");
        }
    }
}

/// Bits that gcc's programs show on x86.
#[test]
fn numbers_of_extended_precision_are_those_of_x87() {
    let number = |text| extended::parse(text).expect("a number");
    assert_eq!(number("1"), 0x3fff_8000_0000_0000_0000);
    assert_eq!(number("0.1"), 0x3ffb_cccc_cccc_cccc_cccd);
    assert_eq!(number("1e4932"), 0x7ffe_d72c_b2a9_5c7e_f6cd);
    assert_eq!(number("3.6451995318824746025e-4951"), 1);
    let third = extended::binary(FloatBinOp::Div, number("1"), number("3"));
    assert_eq!(third, 0x3ffd_aaaa_aaaa_aaaa_aaab);
    assert_eq!(extended::unary(ExtendedOp::ToFloat(Format::Double), 80, third), 0x3fd5_5555_5555_5555);
    let root = |bits| extended::unary(ExtendedOp::Sqrt, 80, bits);
    assert_eq!(root(number("2")), 0x3fff_b504_f333_f9de_6484);
    assert_eq!(root(1), 0x1fe0_b504_f333_f9de_6484);
    assert_eq!(root(number("-1")), 0xffff_c000_0000_0000_0000);
    let even = |text| extended::unary(ExtendedOp::Integral(Integral::Even), 80, number(text));
    assert_eq!((even("2.5"), even("-0.5")), (number("2"), number("-0")));
    assert_eq!(extended::binary(FloatBinOp::Div, 0, 0), 0xffff_c000_0000_0000_0000);
}

/// The value of a term over one symbol.
fn value_at(terms: &Terms, (symbol, width): (Symbol, u32), bits: u64, term: Term) -> u64 {
    let assignment = Assignment::from_iter([(symbol, Value::BitVec { width, bits: bits.into() })]);
    match evaluate(terms, &assignment, term).expect("it has a value") {
        Value::Bool(holds) => holds.into(),
        Value::BitVec { bits, .. } => bits.to_u64().expect("few bits"),
        other => unreachable!("{other} is no result"),
    }
}

fn widened(bits: u64) -> u64 {
    value::unary(FloatUnOp::Convert, Format::Single, 32, bits)
}

/// Floats that were made doubles are compared as floats, also with constants that are between two of them.
#[test]
fn widened_floats_are_compared_as_floats() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(32);
    let mut terms = Terms::new();
    let symbol = terms.declare("x", Sort::BitVec(32));
    let x = terms.symbol(symbol);
    let wide = terms.float_unary(FloatUnOp::Convert, Format::Single, x);
    for _ in 0..2000 {
        let (bits, other) = (sample(&mut random, Format::Single), sample(&mut random, Format::Single));
        // A double beside a float, or any.
        let limit = match random.random_range(0..3) {
            0 => sample(&mut random, Format::Double),
            _ => widened(bits).wrapping_add(random.random_range(0..3)).wrapping_sub(1),
        };
        let limits = [limit, widened(other)].map(|bits| (bits, terms.bit_vec(64, bits)));
        for ((limit, constant), op) in
            limits.into_iter().flat_map(|one| [FloatBinOp::Eq, FloatBinOp::Lt, FloatBinOp::Le].map(|op| (one, op)))
        {
            for (a, b, expected) in [
                (wide, constant, value::binary(op, Format::Double, widened(bits), limit)),
                (constant, wide, value::binary(op, Format::Double, limit, widened(bits))),
            ] {
                let folded = terms.float_binary(op, Format::Double, a, b);
                let is_narrow =
                    matches!(terms.node(folded), Node::Bool(_) | Node::Binary(BinOp::Float(_, Format::Single), ..));
                assert!(is_narrow, "{op:?} {limit:#x}");
                assert_eq!(value_at(&terms, (symbol, 32), bits, folded), expected, "{op:?} {bits:#x} {limit:#x}");
            }
        }
    }
    let same = terms.float_binary(FloatBinOp::Lt, Format::Double, wide, wide);
    assert_eq!(same, terms.float_binary(FloatBinOp::Lt, Format::Single, x, x));
}

/// A float that was made a double is itself again, but for NaNs that signal.
#[test]
fn floats_come_back_from_doubles() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(33);
    let mut terms = Terms::new();
    let symbol = terms.declare("x", Sort::BitVec(32));
    let x = terms.symbol(symbol);
    let back = |terms: &mut Terms, x: Term| {
        let wide = terms.float_unary(FloatUnOp::Convert, Format::Single, x);
        terms.float_unary(FloatUnOp::Convert, Format::Double, wide)
    };
    let again = back(&mut terms, x);
    assert!(matches!(terms.node(again), Node::Ite(..)));
    for _ in 0..500 {
        let bits = sample(&mut random, Format::Single);
        let expected = value::unary(FloatUnOp::Convert, Format::Double, 64, widened(bits));
        assert_eq!(value_at(&terms, (symbol, 32), bits, again), expected, "{bits:#x}");
    }
    let sum = terms.float_binary(FloatBinOp::Add, Format::Single, x, x);
    assert_eq!(back(&mut terms, sum), sum);
    // The bits of an integer may be those of any NaN.
    let integer = terms.float_unary(FloatUnOp::ToSigned(32), Format::Single, x);
    assert_ne!(back(&mut terms, integer), integer);
}

/// So is what is multiplied with one, or divided by it.
#[test]
fn one_changes_no_number() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(34);
    for format in [Format::Single, Format::Double] {
        let mut terms = Terms::new();
        let (width, one) = (format.width(), value::unary(FloatUnOp::FromSigned, format, 32, 1));
        let symbol = terms.declare("x", Sort::BitVec(width));
        let (x, constant) = (terms.symbol(symbol), terms.bit_vec(width, one));
        let sum = terms.float_binary(FloatBinOp::Add, format, x, x);
        for (op, swapped) in [(FloatBinOp::Mul, false), (FloatBinOp::Mul, true), (FloatBinOp::Div, false)] {
            let mut with_one = |of: Term| {
                let (a, b) = if swapped { (constant, of) } else { (of, constant) };
                terms.float_binary(op, format, a, b)
            };
            assert_eq!(with_one(sum), sum);
            let same = with_one(x);
            for _ in 0..300 {
                let bits = sample(&mut random, format);
                let expected = value::binary(op, format, bits, one);
                assert_eq!(value_at(&terms, (symbol, width), bits, same), expected, "{op:?} {bits:#x}");
            }
        }
        let quotient = terms.float_binary(FloatBinOp::Div, format, constant, x);
        assert!(matches!(terms.node(quotient), Node::Binary(BinOp::Float(FloatBinOp::Div, _), ..)));
    }
}

#[test]
fn nans_are_those_of_sse() {
    let binary = |op, a: f64, b: f64| value::binary(op, Format::Double, a.to_bits(), b.to_bits());
    assert_eq!(binary(FloatBinOp::Div, 0.0, 0.0), 0xfff8_0000_0000_0000);
    assert_eq!(binary(FloatBinOp::Sub, f64::INFINITY, f64::INFINITY), 0xfff8_0000_0000_0000);
    let (one, signalling, other) = (0x3ff0_0000_0000_0000, 0x7ff0_0000_0000_0001, 0xfff8_0000_0000_0007);
    assert_eq!(value::binary(FloatBinOp::Add, Format::Double, one, signalling), 0x7ff8_0000_0000_0001);
    assert_eq!(value::binary(FloatBinOp::Sub, Format::Double, other, signalling), other);
    assert_eq!(value::unary(FloatUnOp::Convert, Format::Double, 64, signalling), 0x7fc0_0000);
    assert_eq!(value::unary(FloatUnOp::Sqrt, Format::Single, 32, 0xbf80_0000), 0xffc0_0000);
}

#[test]
fn conversions_that_fit_are_exact() {
    let to = |op, x: f64| value::unary(op, Format::Double, 64, x.to_bits());
    assert_eq!(to(FloatUnOp::ToSigned(32), 2_147_483_647.9), 0x7fff_ffff);
    assert_eq!(to(FloatUnOp::ToSigned(32), -2_147_483_648.9), 0x8000_0000);
    assert_eq!(to(FloatUnOp::ToSigned(32), 2_147_483_648.0), 0x8000_0000);
    assert_eq!(to(FloatUnOp::ToUnsigned(32), -0.9), 0);
    assert_eq!(to(FloatUnOp::ToUnsigned(64), 18_446_744_073_709_549_568.0), 0xffff_ffff_ffff_f800);
    assert_eq!(to(FloatUnOp::ToSigned(64), f64::NAN), 1 << 63);
}
