//! Floating point: what is folded, what is evaluated, and what solvers are told agree, for every operation.

use clinch_smt::{Answer, LargeQuestion, Solver, Z3Solver};
use clinch_terms::float::{FloatBinOp, FloatUnOp, Format, Integral};
use clinch_terms::{BinOp, Sort, Symbol, Term, Terms, UnOp};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustc_hash::FxHashMap;

fn unary() -> Vec<FloatUnOp> {
    let integral = [Integral::Down, Integral::Up, Integral::Zero, Integral::Even, Integral::Away];
    let mut ops = vec![FloatUnOp::Sqrt, FloatUnOp::Convert, FloatUnOp::FromSigned, FloatUnOp::FromUnsigned];
    ops.extend(integral.map(FloatUnOp::Integral));
    ops.extend([8, 32, 64].map(FloatUnOp::ToSigned));
    ops.extend([8, 32, 64].map(FloatUnOp::ToUnsigned));
    ops
}

/// All operations on two symbols of a format.
fn results(terms: &mut Terms, format: Format, x: Symbol, y: Symbol) -> Vec<Term> {
    let (a, b) = (terms.symbol(x), terms.symbol(y));
    let mut results: Vec<Term> = FloatBinOp::ALL.map(|op| terms.binary(BinOp::Float(op, format), a, b)).to_vec();
    results.extend(unary().into_iter().map(|op| terms.unary(UnOp::Float(op, format), a)));
    results
}

/// Zeros, subnormal numbers, the greatest one, infinities, NaNs; numbers near to each other; any.
fn sample(random: &mut Xoshiro256PlusPlus, format: Format) -> u64 {
    let (sign, infinity, quiet) = (format.sign(), format.infinity(), format.quiet());
    let one = infinity >> 1 & infinity;
    let special = [0, 1, quiet, infinity - 1, infinity, infinity | 1, infinity | quiet, one, one - 1, one + quiet];
    let bits: u64 = random.random();
    let bits = match random.random_range(0..3) {
        0 => special[random.random_range(0..special.len())] | (bits & sign),
        1 => (one + ((bits % 64) << (format.fraction() - 2))) | (bits & sign),
        _ => bits,
    };
    bits & (sign | (sign - 1))
}

#[test]
fn folding_and_solvers_agree() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    for format in [Format::Single, Format::Double] {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.declare(name, Sort::BitVec(format.width())));
        let results = results(&mut terms, format, x, y);
        for _ in 0..12 {
            let [a, b] = [(); 2].map(|()| sample(&mut random, format));
            let [a, b] = [a, b].map(|bits| terms.bit_vec(format.width(), bits));
            let map: FxHashMap<Symbol, Term> = [(x, a), (y, b)].into_iter().collect();
            let (first, second) = (terms.symbol(x), terms.symbol(y));
            let (first, second) = (terms.eq(first, a), terms.eq(second, b));
            let given = terms.and(first, second);
            let mut same = terms.tt();
            for &result in &results {
                let folded = terms.substitute_symbols(result, &map);
                assert!(terms.children(folded).next().is_none(), "constants are folded");
                let equal = terms.iff(result, folded);
                same = terms.and(same, equal);
            }
            let differ = terms.not(same);
            let question = terms.and(given, differ);
            let mut solver = Z3Solver::for_formulas();
            solver.set_limits(100_000_000, 60_000);
            solver.assert(&terms, question);
            assert_eq!(solver.check(&terms, &[]), Answer::Unsat, "{format:?} {a:?} {b:?}");
            assert_eq!(LargeQuestion::new(&terms, question, 60_000).answer(&terms), Answer::Unsat);
        }
    }
}

#[test]
fn solvers_round_fused_operations_once() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
    for format in [Format::Single, Format::Double] {
        for _ in 0..3 {
            let mut terms = Terms::new();
            let mut given = terms.tt();
            let operands = ["x", "y", "z"].map(|name| {
                let number = terms.bit_vec(format.width(), sample(&mut random, format));
                let symbol = terms.fresh(name, Sort::BitVec(format.width()));
                let equal = terms.eq(symbol, number);
                given = terms.and(given, equal);
                (symbol, number)
            });
            let [(x, a), (y, b), (z, c)] = operands;
            let (result, folded) = (terms.fma(format, x, y, z), terms.fma(format, a, b, c));
            let differ = terms.eq(result, folded);
            let differ = terms.not(differ);
            let question = terms.and(given, differ);
            let mut solver = Z3Solver::for_formulas();
            solver.set_limits(100_000_000, 60_000);
            solver.assert(&terms, question);
            assert_eq!(solver.check(&terms, &[]), Answer::Unsat, "{format:?} {a:?} {b:?} {c:?}");
            assert_eq!(LargeQuestion::new(&terms, question, 60_000).answer(&terms), Answer::Unsat);
        }
    }
}

/// What a solver finds is a solution.
#[test]
fn models_are_models() {
    let mut terms = Terms::new();
    let x = terms.fresh("x", Sort::BitVec(64));
    let three = terms.bit_vec(64, 3_f64.to_bits());
    let (product, square) = (
        terms.binary(BinOp::Float(FloatBinOp::Mul, Format::Double), x, three),
        terms.binary(BinOp::Float(FloatBinOp::Add, Format::Double), x, x),
    );
    let wanted = terms.bit_vec(64, 0.3_f64.to_bits());
    let equal = terms.binary(BinOp::Float(FloatBinOp::Eq, Format::Double), product, wanted);
    let mut question = LargeQuestion::new(&terms, equal, 60_000);
    assert_eq!(question.answer(&terms), Answer::Sat);
    let Some(clinch_terms::Value::BitVec { bits, .. }) = question.value(&terms, x) else { panic!("it has a value") };
    let found = f64::from_bits(u64::try_from(bits).unwrap());
    assert_eq!(found * 3.0, 0.3);
    let Some(clinch_terms::Value::BitVec { bits, .. }) = question.value(&terms, square) else { panic!("so has this") };
    assert_eq!(f64::from_bits(u64::try_from(bits).unwrap()), found + found);
}
