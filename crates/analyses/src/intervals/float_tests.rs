//! What is known of floats against values, and loops over them.

use clinch_ir::cfa::{Op, ProcedureId};
use clinch_terms::evaluate::{Assignment, evaluate};
use clinch_terms::float::interval::{Floats, number};
use clinch_terms::float::{FloatBinOp, FloatUnOp, Format, Integral};
use clinch_terms::{BinOp, Sort, Symbol, Term, Terms, UnOp, Value};
use clinch_testing::{Build, ENTRY, Random, cases, set};

use super::*;

const NUMBERS: [f32; 12] =
    [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -2.5, 1e-40, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];

/// Random terms over two singles, a double and an integer.
struct Formulas {
    terms: Terms,
    random: Random,
    singles: [Symbol; 2],
    double: Symbol,
    integer: Symbol,
}

impl Formulas {
    fn new(seed: u64) -> Self {
        let mut terms = Terms::new();
        let singles = ["x", "y"].map(|name| terms.declare(name, Sort::BitVec(32)));
        let (double, integer) = (terms.declare("d", Sort::BitVec(64)), terms.declare("i", Sort::BitVec(32)));
        Formulas { terms, random: Random(seed.wrapping_mul(2) + 1), singles, double, integer }
    }

    fn one(&mut self) -> f32 {
        match self.random.below(3) {
            0 => NUMBERS[self.random.below(NUMBERS.len() as u64) as usize],
            1 => (self.random.below(40) as f32 - 20.0) / 4.0,
            _ => f32::from_bits(self.random.number() as u32),
        }
    }

    fn float(&mut self, depth: u32) -> Term {
        let format = Format::Single;
        if depth == 0 {
            return match self.random.below(3) {
                0 => {
                    let bits = self.one().to_bits();
                    self.terms.bit_vec(32, bits.into())
                }
                which => self.terms.symbol(self.singles[which as usize - 1]),
            };
        }
        let (a, b) = (self.float(depth - 1), self.float(depth - 1));
        let binary = [FloatBinOp::Add, FloatBinOp::Sub, FloatBinOp::Mul, FloatBinOp::Div];
        match self.random.below(12) {
            op @ 0..4 => self.terms.binary(BinOp::Float(binary[op as usize], format), a, b),
            4 => self.terms.unary(UnOp::Float(FloatUnOp::Sqrt, format), a),
            5 => self.terms.unary(UnOp::Float(FloatUnOp::Integral(Integral::Even), format), a),
            6 => self.terms.float_negation(format, a),
            7 => self.terms.float_magnitude(format, a),
            8 => self.terms.fma(format, a, b, a),
            9 => {
                let (d, wide) = (self.terms.symbol(self.double), self.wide(a));
                let sum = self.terms.float_binary(FloatBinOp::Add, Format::Double, wide, d);
                self.terms.unary(UnOp::Float(FloatUnOp::Convert, Format::Double), sum)
            }
            10 => self.terms.binary(BinOp::Float(FloatBinOp::Mul, format), a, a),
            _ => {
                let i = self.terms.symbol(self.integer);
                let other = self.terms.unary(UnOp::Float(FloatUnOp::FromSigned, format), i);
                let condition = self.condition(0);
                self.terms.ite(condition, a, other)
            }
        }
    }

    fn wide(&mut self, a: Term) -> Term {
        self.terms.unary(UnOp::Float(FloatUnOp::Convert, Format::Single), a)
    }

    fn condition(&mut self, depth: u32) -> Term {
        let (a, b) = (self.float(depth), self.float(depth));
        let op = [FloatBinOp::Lt, FloatBinOp::Le, FloatBinOp::Eq][self.random.below(3) as usize];
        let atom = match self.random.below(5) {
            0 => {
                let (a, d) = (self.wide(a), self.terms.symbol(self.double));
                self.terms.binary(BinOp::Float(op, Format::Double), d, a)
            }
            1 => {
                let whole = self.terms.unary(UnOp::Float(FloatUnOp::ToSigned(32), Format::Single), a);
                let i = self.terms.symbol(self.integer);
                self.terms.bv_sle(whole, i)
            }
            2 => self.terms.binary(BinOp::Float(op, Format::Single), a, a),
            _ => self.terms.binary(BinOp::Float(op, Format::Single), a, b),
        };
        if self.random.below(2) == 0 { self.terms.not(atom) } else { atom }
    }

    fn values(&mut self) -> Assignment {
        let mut values = Assignment::default();
        for symbol in self.singles {
            let bits = self.one().to_bits();
            values.insert(symbol, Value::BitVec { width: 32, bits: bits.into() });
        }
        let double = f64::from(self.one()).to_bits();
        values.insert(self.double, Value::BitVec { width: 64, bits: double.into() });
        let integer = self.random.below(9) as u32;
        values.insert(self.integer, Value::BitVec { width: 32, bits: integer.wrapping_sub(4).into() });
        values
    }
}

fn bits_of(value: &Value) -> u64 {
    match value {
        Value::BitVec { bits, .. } => bits.iter_u64_digits().next().unwrap_or(0),
        other => unreachable!("{other} has no bits"),
    }
}

fn holds(known: &Known, symbol: Symbol, bits: u64) -> bool {
    known.get(symbol).is_none_or(|range| range.contains(bits))
        && known.float_range(symbol).is_none_or(|known| has(known.floats, known.format, bits))
}

fn has(floats: Floats, format: Format, bits: u64) -> bool {
    let number = number(format, bits);
    if number.is_nan() { floats.nan } else { floats.lo <= number && number <= floats.hi }
}

/// What a condition says of variables holds for all values that satisfy it, and what is known of terms for their values.
#[test]
fn no_value_that_satisfies_a_condition_is_lost() {
    let (mut satisfied, mut learnt) = (0, 0);
    for seed in 0..cases(3000).into() {
        let mut formulas = Formulas::new(seed);
        let (first, second, term) = (formulas.condition(1), formulas.condition(2), formulas.float(2));
        let both = formulas.terms.and(first, second);
        let known = Known::default().assume(&formulas.terms, both, true);
        learnt += u32::from(known.as_ref().is_none_or(|known| known.facts().count() > 0));
        for _ in 0..12 {
            let values = formulas.values();
            if evaluate(&formulas.terms, &values, both) != Some(Value::Bool(true)) {
                continue;
            }
            satisfied += 1;
            let known = known.as_ref().unwrap_or_else(|| panic!("seed {seed}: values satisfy what cannot be"));
            for symbol in [formulas.singles[0], formulas.singles[1], formulas.double, formulas.integer] {
                let value = &values[&symbol];
                assert!(holds(known, symbol, bits_of(value)), "seed {seed}: {value} is lost in {known:?}");
            }
            let value = bits_of(&evaluate(&formulas.terms, &values, term).expect("a value"));
            let floats = known.float(&formulas.terms, term, Format::Single).floats;
            assert!(has(floats, Format::Single, value), "seed {seed}: {value:#x} is not in {floats:?}");
        }
    }
    assert!(satisfied > 2000 && learnt > 1000, "{satisfied} {learnt}");
}

/// A filter that forgets, with its input between -1 and 1 and its output cut off: bounds are found, and that it is no NaN.
#[test]
fn a_clamped_filter_has_bounds() {
    let (mut b, p) = (Build::new(), ProcedureId::from_index(0));
    let [x, input] = ["x", "input"].map(|name| {
        let symbol = b.local(p, name, Sort::BitVec(64));
        b.program.variables.get_mut(&symbol).expect("it is declared").ty = "double".to_owned();
        symbol
    });
    let terms = &mut b.program.terms;
    let number = |terms: &mut Terms, value: f64| terms.bit_vec(64, value.to_bits());
    let [zero, one, minus_one, factor, most, least] =
        [0.0, 1.0, -1.0, 0.9, 8.0, -8.0].map(|value| number(terms, value));
    let (state, given) = (terms.symbol(x), terms.symbol(input));
    let le = |terms: &mut Terms, a, b| terms.float_binary(FloatBinOp::Le, Format::Double, a, b);
    let (above, below) = (le(terms, minus_one, given), le(terms, given, one));
    let kept = terms.float_binary(FloatBinOp::Mul, Format::Double, factor, state);
    let next = terms.float_binary(FloatBinOp::Add, Format::Double, kept, given);
    let too_large = terms.float_binary(FloatBinOp::Lt, Format::Double, most, next);
    let cut = terms.ite(too_large, most, next);
    let too_small = terms.float_binary(FloatBinOp::Lt, Format::Double, cut, least);
    let clamped = terms.ite(too_small, least, cut);
    let nondet = b.nondet();
    let head = b.chain(p, ENTRY, [set(x, zero)]);
    let ops = [Op::Input(input, nondet), Op::Assume(above), Op::Assume(below), set(x, clamped)];
    let end = b.chain(p, head, ops);
    b.edge(p, end, head, Op::Skip);
    let intervals = Intervals::new(&b.program).expect("a small program");
    let known = intervals.at(p, head).expect("reached").float_range(x).expect("a float");
    assert!(known.floats.lo >= -8.0 && known.floats.hi <= 8.0 && !known.floats.nan, "{known:?}");
}
