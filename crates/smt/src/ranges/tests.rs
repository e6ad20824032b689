use clinch_terms::evaluate::{Assignment, evaluate};
use clinch_terms::float::{FloatBinOp, FloatUnOp, Format, Integral};
use clinch_terms::{BinOp, Sort, Symbol, Term, Terms, UnOp, Value};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::refute;

fn is_refuted(terms: &Terms, formula: Term) -> bool {
    refute(terms, &terms.parts(formula), formula, 50).one.is_empty()
}

struct Formulas {
    terms: Terms,
    random: Xoshiro256PlusPlus,
    symbols: [Symbol; 2],
    integer: Symbol,
}

const NUMBERS: [f32; 10] = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e-40, f32::MAX, f32::INFINITY, f32::NAN];

impl Formulas {
    fn new(seed: u64) -> Self {
        let mut terms = Terms::new();
        let symbols = ["x", "y"].map(|name| terms.declare(name, Sort::BitVec(32)));
        let integer = terms.declare("i", Sort::BitVec(32));
        Formulas { terms, random: Xoshiro256PlusPlus::seed_from_u64(seed), symbols, integer }
    }

    fn number(&mut self, depth: u32) -> Term {
        let format = Format::Single;
        if depth == 0 {
            return match self.random.random_range(0..3) {
                0 => {
                    let number = NUMBERS[self.random.random_range(0..NUMBERS.len())];
                    self.terms.bit_vec(32, number.to_bits().into())
                }
                _ => self.terms.symbol(self.symbols[self.random.random_range(0..2)]),
            };
        }
        let (a, b) = (self.number(depth - 1), self.number(depth - 1));
        let binary = [FloatBinOp::Add, FloatBinOp::Sub, FloatBinOp::Mul, FloatBinOp::Div];
        match self.random.random_range(0..10) {
            op @ 0..4 => self.terms.binary(BinOp::Float(binary[op], format), a, b),
            4 => self.terms.unary(UnOp::Float(FloatUnOp::Sqrt, format), a),
            5 => self.terms.unary(UnOp::Float(FloatUnOp::Integral(Integral::Down), format), a),
            6 => self.terms.float_negation(format, a),
            7 => self.terms.float_magnitude(format, a),
            8 => {
                let wide = self.terms.unary(UnOp::Float(FloatUnOp::Convert, format), a);
                let sum = self.terms.binary(BinOp::Float(FloatBinOp::Add, Format::Double), wide, wide);
                self.terms.unary(UnOp::Float(FloatUnOp::Convert, Format::Double), sum)
            }
            _ => {
                let i = self.terms.symbol(self.integer);
                let other = self.terms.unary(UnOp::Float(FloatUnOp::FromSigned, format), i);
                let condition = self.condition(0);
                self.terms.ite(condition, a, other)
            }
        }
    }

    fn condition(&mut self, depth: u32) -> Term {
        let (a, b) = (self.number(depth), self.number(depth));
        let ops = [FloatBinOp::Lt, FloatBinOp::Le, FloatBinOp::Eq];
        let atom = match self.random.random_range(0..5) {
            op @ 0..3 => self.terms.binary(BinOp::Float(ops[op], Format::Single), a, b),
            3 => self.terms.is_nan(Format::Single, a),
            _ => {
                let (op, k) = (FloatUnOp::ToSigned(32), self.random.random_range(0..5));
                let (whole, k) = (self.terms.unary(UnOp::Float(op, Format::Single), a), self.terms.bit_vec(32, k));
                self.terms.bv_sle(whole, k)
            }
        };
        if self.random.random() { self.terms.not(atom) } else { atom }
    }

    fn formula(&mut self) -> Term {
        let mut all = self.condition(2);
        for _ in 0..3 {
            let next = self.condition(1);
            all =
                if self.random.random_range(0..4) == 0 { self.terms.or(all, next) } else { self.terms.and(all, next) };
        }
        all
    }

    /// Values that may well satisfy something.
    fn values(&mut self) -> Assignment {
        let mut values = Assignment::default();
        for symbol in self.symbols {
            let bits = match self.random.random_range(0..3) {
                0 => NUMBERS[self.random.random_range(0..NUMBERS.len())].to_bits(),
                1 => (f32::from(self.random.random_range(-9_i8..9)) / 4.0).to_bits(),
                _ => self.random.random(),
            };
            values.insert(symbol, Value::BitVec { width: 32, bits: bits.into() });
        }
        let integer = self.random.random_range(-3_i32..5) as u32;
        values.insert(self.integer, Value::BitVec { width: 32, bits: integer.into() });
        values
    }
}

/// What has a model is not refuted.
#[test]
fn nothing_with_a_model_is_refuted() {
    let mut refuted = 0;
    for seed in 0..800 {
        let mut formulas = Formulas::new(seed);
        let formula = formulas.formula();
        if !is_refuted(&formulas.terms, formula) {
            continue;
        }
        refuted += 1;
        for _ in 0..100 {
            let values = formulas.values();
            let holds = evaluate(&formulas.terms, &values, formula);
            assert_ne!(holds, Some(Value::Bool(true)), "seed {seed}: {values:?}");
        }
    }
    assert!(refuted > 50, "{refuted}");
}

/// A polynomial of a double stays between bounds: too hard bit by bit.
#[test]
fn bounds_of_a_polynomial() {
    let mut terms = Terms::new();
    let x = terms.fresh("x", Sort::BitVec(64));
    let op = |terms: &mut Terms, op, a, b| terms.binary(BinOp::Float(op, Format::Double), a, b);
    let mut constant = |x: f64| terms.bit_vec(64, x.to_bits());
    let (low, high, six, limit) = (constant(-1.5), constant(1.5), constant(6.0), constant(1.0));
    let above = op(&mut terms, FloatBinOp::Le, low, x);
    let below = op(&mut terms, FloatBinOp::Le, x, high);
    let square = op(&mut terms, FloatBinOp::Mul, x, x);
    let cube = op(&mut terms, FloatBinOp::Mul, square, x);
    let part = op(&mut terms, FloatBinOp::Div, cube, six);
    let sine = op(&mut terms, FloatBinOp::Sub, x, part);
    let fine = op(&mut terms, FloatBinOp::Le, sine, limit);
    let wrong = terms.not(fine);
    let formula = terms.all([above, below, wrong]);
    assert!(is_refuted(&terms, formula));
    let tight = terms.bit_vec(64, 0.9_f64.to_bits());
    let fine = op(&mut terms, FloatBinOp::Le, sine, tight);
    let wrong = terms.not(fine);
    let formula = terms.all([above, below, wrong]);
    assert!(!is_refuted(&terms, formula));
}

/// So many steps of a second-order filter, after which its value is to exceed a bound that it had so far.
fn filter(steps: usize, bound: f64) -> (Terms, Term) {
    let mut terms = Terms::new();
    let op = |terms: &mut Terms, op, a, b| terms.binary(BinOp::Float(op, Format::Double), a, b);
    let constant = |terms: &mut Terms, x: f64| terms.bit_vec(64, x.to_bits());
    let [zero, one, low, high] = [0.0, 1.0, -bound, bound].map(|x| constant(&mut terms, x));
    let factors = [0.7, 1.3, 1.1, 1.4, 0.7].map(|x| constant(&mut terms, x));
    let mut all = Vec::new();
    let unknown = |terms: &mut Terms, all: &mut Vec<Term>, (low, high): (Term, Term)| {
        let x = terms.fresh("x", Sort::BitVec(64));
        all.push(op(terms, FloatBinOp::Le, low, x));
        all.push(op(terms, FloatBinOp::Le, x, high));
        x
    };
    let (mut e0, mut e) = (unknown(&mut terms, &mut all, (zero, one)), unknown(&mut terms, &mut all, (zero, one)));
    let (mut s0, mut s) = (unknown(&mut terms, &mut all, (low, high)), unknown(&mut terms, &mut all, (low, high)));
    for step in 0..steps {
        let e1 = std::mem::replace(&mut e0, e);
        e = unknown(&mut terms, &mut all, (zero, one));
        let s1 = std::mem::replace(&mut s0, s);
        let products: Vec<Term> = [e, e0, e1, s0, s1]
            .into_iter()
            .zip(factors)
            .map(|(x, factor)| op(&mut terms, FloatBinOp::Mul, x, factor))
            .collect();
        let mut sum = op(&mut terms, FloatBinOp::Sub, products[0], products[1]);
        sum = op(&mut terms, FloatBinOp::Add, sum, products[2]);
        sum = op(&mut terms, FloatBinOp::Add, sum, products[3]);
        s = op(&mut terms, FloatBinOp::Sub, sum, products[4]);
        let (above, below) = (op(&mut terms, FloatBinOp::Le, low, s), op(&mut terms, FloatBinOp::Le, s, high));
        let fine = terms.and(above, below);
        all.push(if step + 1 < steps { fine } else { terms.not(fine) });
    }
    let formula = terms.all(all);
    (terms, formula)
}

/// The value of a filter stays bounded: what it was long ago counts for little. That is seen in the sum, not in intervals.
#[test]
fn filters_forget() {
    for (steps, bound, expected) in [(2, 4.0, false), (16, 4.0, true), (16, 2.0, false), (24, 3.2, true)] {
        let (terms, formula) = filter(steps, bound);
        assert_eq!(is_refuted(&terms, formula), expected, "{steps} {bound}");
    }
}
