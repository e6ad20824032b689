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

/// Formulas that given values satisfy: terms over symbols with constraints that say what their values are, or what they are between.
struct Planted {
    terms: Terms,
    random: Xoshiro256PlusPlus,
    values: Assignment,
    /// Terms of 32 and of 64 bits.
    numbers: [Vec<Term>; 2],
    conditions: Vec<Term>,
}

impl Planted {
    fn new(seed: u64) -> Self {
        let random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let values = Assignment::default();
        Planted { terms: Terms::new(), random, values, numbers: [Vec::new(), Vec::new()], conditions: Vec::new() }
    }

    fn format(which: usize) -> Format {
        [Format::Single, Format::Double][which]
    }

    fn bits(&mut self, which: usize) -> u64 {
        let small = f64::from(self.random.random_range(-40_i8..40)) / 8.0;
        let special = [0.0, -0.0, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE, f64::MAX, 1e-310, 16_777_217.0, 1e300];
        let double = match self.random.random_range(0..8) {
            0 => special[self.random.random_range(0..special.len())],
            1 | 2 => self.random.random_range(-10.0..10.0),
            3 => self.random.random_range(-1.0..1.0) * 1e-3,
            4 => self.random.random_range(-1e6..1e6),
            _ => small,
        };
        match which {
            0 if self.random.random_range(0..20) == 0 => self.random.random::<u32>().into(),
            1 if self.random.random_range(0..20) == 0 => self.random.random(),
            0 => (double as f32).to_bits().into(),
            _ => double.to_bits(),
        }
    }

    fn value(&self, term: Term) -> Value {
        evaluate(&self.terms, &self.values, term).expect("it has a value")
    }

    fn constant_of(&mut self, term: Term) -> Term {
        let Value::BitVec { width, bits } = self.value(term) else { unreachable!("bits") };
        self.terms.big_bit_vec(width, bits)
    }

    fn pick(&mut self, which: usize) -> Term {
        let all = &self.numbers[which];
        let recent = all.len().saturating_sub(6);
        let from = if self.random.random() { recent } else { 0 };
        all[self.random.random_range(from..all.len())]
    }

    /// One more term.
    fn grow(&mut self) {
        let which = self.random.random_range(0..2);
        let format = Planted::format(which);
        let width = format.width();
        if self.numbers[which].len() < 2 || self.random.random_range(0..6) == 0 {
            let bits = self.bits(which);
            let symbol = self.terms.declare(format!("s{}", self.values.len()), Sort::BitVec(width));
            self.values.insert(symbol, Value::BitVec { width, bits: bits.into() });
            let term = if self.random.random_range(0..4) == 0 {
                self.terms.bit_vec(width, bits)
            } else {
                self.terms.symbol(symbol)
            };
            self.numbers[which].push(term);
            return;
        }
        let (a, b) = (self.pick(which), self.pick(which));
        let arithmetic = [FloatBinOp::Add, FloatBinOp::Sub, FloatBinOp::Mul, FloatBinOp::Div];
        let integral = [Integral::Down, Integral::Up, Integral::Zero, Integral::Even, Integral::Away];
        let unary = |this: &mut Self, op, a| this.terms.unary(UnOp::Float(op, format), a);
        let shift = self.terms.bit_vec(width, 1);
        let new = match self.random.random_range(0..19) {
            op @ 0..8 => self.terms.binary(BinOp::Float(arithmetic[op % 4], format), a, b),
            8 => unary(self, FloatUnOp::Sqrt, a),
            9 => {
                let how = integral[self.random.random_range(0..5)];
                unary(self, FloatUnOp::Integral(how), a)
            }
            10 => self.terms.float_negation(format, a),
            11 => self.terms.float_magnitude(format, a),
            12 => {
                let whole = unary(self, FloatUnOp::ToSigned(width as u8), a);
                unary(self, FloatUnOp::FromSigned, whole)
            }
            13 => {
                let condition = self.comparison(which);
                self.terms.ite(condition, a, b)
            }
            14 => self.terms.bv(BinOp::BvLshr, a, shift),
            15 => self.terms.bv(BinOp::BvAshr, a, shift),
            16 => self.terms.bv(BinOp::BvSub, a, b),
            17 => {
                let c = self.pick(which);
                self.terms.fma(format, a, b, c)
            }
            _ => {
                let converted = unary(self, FloatUnOp::Convert, a);
                self.numbers[1 - which].push(converted);
                return;
            }
        };
        self.numbers[which].push(new);
    }

    fn comparison(&mut self, which: usize) -> Term {
        let (a, b) = (self.pick(which), self.pick(which));
        let format = Planted::format(which);
        match self.random.random_range(0..6) {
            0 => self.terms.binary(BinOp::Float(FloatBinOp::Lt, format), a, b),
            1 => self.terms.binary(BinOp::Float(FloatBinOp::Eq, format), a, b),
            2 => self.terms.binary(BinOp::BvSlt, a, b),
            3 => self.terms.eq(a, b),
            _ => self.terms.binary(BinOp::Float(FloatBinOp::Le, format), a, b),
        }
    }

    /// Something that is true of the values.
    fn constrain(&mut self) {
        let which = self.random.random_range(0..2);
        if self.numbers[which].is_empty() {
            return;
        }
        let condition = match self.random.random_range(0..5) {
            0 => self.comparison(which),
            1 => {
                let (one, other) = (self.comparison(which), self.comparison(which));
                self.terms.or(one, other)
            }
            2 => {
                let term = self.pick(which);
                let constant = self.constant_of(term);
                self.terms.eq(term, constant)
            }
            // Between what it is and something greater.
            _ => {
                let (term, format) = (self.pick(which), Planted::format(which));
                let (constant, bits) = (self.constant_of(term), self.bits(which));
                let other = self.terms.bit_vec(format.width(), bits);
                let op = BinOp::Float(FloatBinOp::Le, format);
                let (one, two) = (self.terms.binary(op, term, constant), self.terms.binary(op, other, term));
                self.conditions.push(one);
                two
            }
        };
        self.conditions.push(condition);
    }

    fn formula(&mut self) -> Term {
        let conditions = std::mem::take(&mut self.conditions);
        let mut all = Vec::new();
        for condition in conditions {
            let holds = self.value(condition) == Value::Bool(true);
            all.push(if holds { condition } else { self.terms.not(condition) });
        }
        self.terms.all(all)
    }
}

/// What some values satisfy is not refuted, however much is known of them.
#[test]
fn planted_values_are_not_refuted() {
    for seed in 0..u64::from(cases(1_500)) {
        let mut planted = Planted::new(seed);
        for _ in 0..20 {
            planted.grow();
        }
        for _ in 0..12 {
            planted.constrain();
        }
        let formula = planted.formula();
        assert!(!refute(&planted.terms, &planted.terms.parts(formula), formula, 3).one.is_empty(), "seed {seed}");
    }
}

/// Where there are values, some are found soon, before much is split.
#[test]
fn examples_are_found() {
    let mut terms = Terms::new();
    let format = Format::Single;
    let [window, sample] = ["window", "sample"].map(|name| terms.declare(name, Sort::BitVec(32)));
    let next = terms.declare("next", Sort::BitVec(32));
    let [window, sample, next] = [window, sample, next].map(|symbol| terms.symbol(symbol));
    let number = |terms: &mut Terms, number: f32| terms.bit_vec(32, number.to_bits().into());
    let (least, most) = (number(&mut terms, -40.0), number(&mut terms, 120.0));
    let at_most = |terms: &mut Terms, a, b| terms.binary(BinOp::Float(FloatBinOp::Le, format), a, b);
    let [from, to] = [at_most(&mut terms, least, sample), at_most(&mut terms, sample, most)];
    let bound = number(&mut terms, 100.0);
    let before = at_most(&mut terms, window, bound);
    // Of what is written at a place that is any number.
    let three = terms.bit_vec(32, 3);
    let is_there = terms.eq(next, three);
    let written = terms.ite(is_there, sample, window);
    let holds = at_most(&mut terms, written, bound);
    let broken = terms.not(holds);
    let formulas = [from, to, before, broken];
    let formula = terms.all(formulas);
    let parts = terms.parts(formula);
    let mut left = 1_000_000;
    assert!(!super::refute_case(&terms, &parts, &formulas, &mut left));
    // To split until single values are left takes many times more.
    assert!(1_000_000 - left < 100 * parts.len() as u64, "{left}");
    let contradiction = terms.and(formula, holds);
    assert!(is_refuted(&terms, contradiction));
}

/// More cases for long runs.
fn cases(few: u32) -> u32 {
    let effort = std::env::var("CLINCH_EFFORT").ok().and_then(|effort| effort.parse().ok());
    effort.unwrap_or(1) * few
}
