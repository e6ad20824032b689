//! Bit-vectors: constant folding, evaluation and Z3 agree.

use clinch_smt::{Answer, Solver, Z3Solver};
use clinch_terms::evaluate::{Assignment, evaluate};
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp, Value};
use num_bigint::BigUint;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn binary() -> Vec<BinOp> {
    [&BinOp::ON_WORDS[..], &[BinOp::BvConcat], &BinOp::ORDERS_OF_WORDS].concat()
}

/// Two symbols, and terms over them with all operations.
struct Fixture {
    terms: Terms,
    x: Symbol,
    y: Symbol,
    results: Vec<Term>,
    width: u32,
}

impl Fixture {
    fn new(width: u32) -> Fixture {
        let mut terms = Terms::new();
        let (x, y) = (terms.declare("x", Sort::BitVec(width)), terms.declare("y", Sort::BitVec(width)));
        let (a, b) = (terms.symbol(x), terms.symbol(y));
        let mut results: Vec<Term> = binary().into_iter().map(|op| terms.bv(op, a, b)).collect();
        results.extend([UnOp::BvNot, UnOp::BvNeg, UnOp::BvToNat].map(|op| terms.unary(op, a)));
        results.push(terms.eq(a, b));
        for lo in [0, width / 2, width - 1] {
            results.push(terms.extract(width - 1, lo, a));
            results.push(terms.extract(lo, 0, a));
            let rotated = terms.rotate_left(lo, a);
            results.push(rotated);
        }
        for to in [1, width, width + 3] {
            results.extend([true, false].map(|signed| terms.resize(signed, to, a)));
            let (nat, minus) = (terms.bv_to_nat(a), terms.int(-3));
            let product = terms.mul(minus, nat);
            results.push(terms.int_to_bv(to, product));
        }
        Fixture { terms, x, y, results, width }
    }

    fn constant(&mut self, value: &Value) -> Term {
        match value {
            Value::Bool(b) => self.terms.bool(*b),
            Value::Int(n) => self.terms.big(n.clone()),
            Value::BitVec { width, bits } => self.terms.big_bit_vec(*width, bits.clone()),
            other => panic!("{other}"),
        }
    }

    /// What is evaluated, what is folded and, with a solver, what Z3 computes.
    fn check(&mut self, x: &BigUint, y: &BigUint, ask: bool) {
        let width = self.width;
        let value = |bits: &BigUint| Value::BitVec { width, bits: bits.clone() };
        let assignment: Assignment = [(self.x, value(x)), (self.y, value(y))].into_iter().collect();
        let (a, b) = (self.constant(&value(x)), self.constant(&value(y)));
        let map = [(self.x, a), (self.y, b)].into_iter().collect();
        let one_side = [(self.x, a)].into_iter().collect();
        let other_side = [(self.y, b)].into_iter().collect();
        let mut claims = Vec::new();
        for term in self.results.clone() {
            let value = evaluate(&self.terms, &assignment, term).expect("all operations are total");
            assert!(value.has_sort(&self.terms.sort(term)), "{value} is not of {}", self.terms.sort(term));
            let expected = self.constant(&value);
            let folded = self.terms.substitute_symbols(term, &map);
            // Products of integers are not folded beyond 64 bits.
            if !matches!(self.terms.node(term), Node::IntToBv(..)) {
                assert_eq!(folded, expected, "{:?} of {x}, {y}", self.terms.node(term));
            }
            assert_eq!(evaluate(&self.terms, &Assignment::default(), folded), Some(value.clone()));
            // With one side constant, other rules apply.
            for map in [&one_side, &other_side] {
                let partial = self.terms.substitute_symbols(term, map);
                assert_eq!(evaluate(&self.terms, &assignment, partial), Some(value.clone()));
            }
            claims.push(self.terms.eq(term, expected));
        }
        if ask {
            let (vx, vy) = (self.terms.symbol(self.x), self.terms.symbol(self.y));
            let (is_x, is_y, all) = (self.terms.eq(vx, a), self.terms.eq(vy, b), self.terms.all(claims));
            for (holds, expected) in [(false, Answer::Unsat), (true, Answer::Sat)] {
                let mut solver = Z3Solver::for_one_question();
                solver.assert(&self.terms, is_x);
                solver.assert(&self.terms, is_y);
                solver.assert_literal(&self.terms, all, holds);
                assert_eq!(solver.check(&self.terms, &[]), expected);
                if holds {
                    assert_eq!(solver.symbol_value(&self.terms, self.x), Some(value(x)));
                }
            }
        }
    }
}

#[test]
fn all_pairs_of_short_ones() {
    for width in 1..=4 {
        let mut fixture = Fixture::new(width);
        for x in 0..1_u32 << width {
            for y in 0..1_u32 << width {
                fixture.check(&x.into(), &y.into(), true);
            }
        }
    }
}

#[test]
fn random_longer_ones() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    for width in [8, 16, 32, 64, 70] {
        let mut fixture = Fixture::new(width);
        let mut number = || {
            let bits = (BigUint::from(random.random::<u64>()) << 64) | BigUint::from(random.random::<u64>());
            // Small and extreme ones are often special.
            let bits = match random.random_range(0..6) {
                0 => BigUint::from(random.random_range(0..5_u32)),
                1 => (BigUint::from(1_u32) << width) - 1_u32 - random.random_range(0..3_u32),
                2 => BigUint::from(1_u32) << (width - 1),
                _ => bits,
            };
            bits % (BigUint::from(1_u32) << width)
        };
        for i in 0..60 {
            let (x, y) = (number(), number());
            fixture.check(&x, &y, i % 10 == 0);
        }
    }
}

/// Terms that are simplified mean what they are made of.
#[test]
fn simplifications() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let binary = binary();
    for _ in 0..400 {
        let mut terms = Terms::new();
        let symbols: Vec<Symbol> = (0..3).map(|i| terms.declare(format!("x{i}"), Sort::BitVec(4))).collect();
        // The same terms, with nothing simplified.
        let mut pairs: Vec<(Term, Node)> = Vec::new();
        let mut pool: Vec<Term> = symbols.iter().map(|&s| terms.symbol(s)).collect();
        pool.extend([0, 1, 15, 8].map(|bits| terms.bit_vec(4, bits)));
        for _ in 0..12 {
            let pick = |random: &mut Xoshiro256PlusPlus| pool[random.random_range(0..pool.len())];
            let (a, b) = (pick(&mut random), pick(&mut random));
            let node = match random.random_range(0..6) {
                0 => {
                    let hi = random.random_range(0..terms.bv_width(a));
                    Node::Extract { hi, lo: random.random_range(0..=hi), of: a }
                }
                1 => Node::Extend { signed: random.random(), by: random.random_range(0..4), of: a },
                2 => Node::Binary(BinOp::BvConcat, a, b),
                3 => Node::Unary([UnOp::BvNot, UnOp::BvNeg][random.random_range(0..2)], a),
                _ if terms.bv_width(a) == terms.bv_width(b) => {
                    Node::Binary(binary[random.random_range(0..binary.len())], a, b)
                }
                _ => continue,
            };
            let plain = terms.intern(node);
            let made = terms.map_children(plain, |_, child| child);
            pairs.push((made, node));
            if matches!(terms.sort(made), Sort::BitVec(1..=12)) {
                pool.push(made);
            }
        }
        let assignment: Assignment = symbols
            .iter()
            .map(|&s| (s, Value::BitVec { width: 4, bits: random.random_range(0..16_u32).into() }))
            .collect();
        for (made, node) in pairs {
            let plain = terms.intern(node);
            assert_eq!(terms.sort(made), terms.sort(plain), "{node:?}");
            assert_eq!(evaluate(&terms, &assignment, made), evaluate(&terms, &assignment, plain), "{node:?}");
        }
    }
}

/// Sorts are known without walking: a shared term of exponential size.
#[test]
fn sorts_of_shared_terms() {
    let mut terms = Terms::new();
    let mut x = terms.fresh("x", Sort::BitVec(8));
    let c = terms.fresh("c", Sort::Bool);
    for i in 0..200_000 {
        let one = terms.bit_vec(8, i % 7 + 1);
        let sum = terms.bv(BinOp::BvAdd, x, one);
        let product = terms.bv(BinOp::BvMul, x, sum);
        x = terms.ite(c, sum, product);
        assert_eq!(terms.bv_width(x), 8);
    }
}
