//! Folding changes no value: random formulas against evaluation.

use clinch_testing::Random;

use super::*;
use crate::Value;
use crate::cases::distributed;
use crate::evaluate::{Assignment, evaluate};

const WIDTH: u32 = 4;

struct World {
    terms: Terms,
    random: Random,
    conditions: Vec<Symbol>,
    numbers: Vec<Symbol>,
    memory: Symbol,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut terms = Terms::new();
        let conditions = (0..3).map(|i| terms.declare(format!("c{i}"), Sort::Bool)).collect();
        let numbers = (0..3).map(|i| terms.declare(format!("x{i}"), Sort::BitVec(WIDTH))).collect();
        let memory = terms.declare("m", Sort::array(Sort::BitVec(WIDTH), Sort::BitVec(WIDTH)));
        World { terms, random: Random(seed), conditions, numbers, memory }
    }

    fn constant(&mut self) -> Term {
        let bits = self.random.number();
        self.terms.bit_vec(WIDTH, bits)
    }

    fn condition(&mut self, depth: u32) -> Term {
        if depth == 0 {
            let symbol = self.conditions[self.random.below(3) as usize];
            return self.terms.symbol(symbol);
        }
        match self.random.below(6) {
            0 => {
                let a = self.condition(depth - 1);
                self.terms.not(a)
            }
            1 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                self.terms.and(a, b)
            }
            2 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                self.terms.or(a, b)
            }
            3 => {
                let (a, b) = (self.number(depth - 1), self.number(depth - 1));
                self.terms.eq(a, b)
            }
            n => {
                let (a, b) = (self.number(depth - 1), self.number(depth - 1));
                self.terms.bv(if n == 4 { BinOp::BvUlt } else { BinOp::BvSle }, a, b)
            }
        }
    }

    fn number(&mut self, depth: u32) -> Term {
        if depth == 0 {
            if self.random.below(2) == 0 {
                return self.constant();
            }
            let symbol = self.numbers[self.random.below(3) as usize];
            return self.terms.symbol(symbol);
        }
        match self.random.below(8) {
            0 | 1 => {
                let c = self.condition(depth - 1);
                let (a, b) = (self.number(depth - 1), self.number(depth - 1));
                self.terms.ite(c, a, b)
            }
            2 => {
                let (array, index) = (self.array(depth - 1), self.number(depth - 1));
                self.terms.intern(Node::Binary(BinOp::Select, array, index))
            }
            3 => {
                let of = self.number(depth - 1);
                let part = self.terms.extract(1, 0, of);
                self.terms.resize(self.random.below(2) == 0, WIDTH, part)
            }
            n => {
                let op = [BinOp::BvAdd, BinOp::BvSub, BinOp::BvMul, BinOp::BvAnd][n as usize - 4];
                let (a, b) = (self.number(depth - 1), self.number(depth - 1));
                self.terms.bv(op, a, b)
            }
        }
    }

    fn array(&mut self, depth: u32) -> Term {
        if depth == 0 {
            return self.terms.symbol(self.memory);
        }
        match self.random.below(4) {
            0 => {
                let c = self.condition(depth - 1);
                let (a, b) = (self.array(depth - 1), self.array(depth - 1));
                self.terms.ite(c, a, b)
            }
            1 => {
                let zero = self.constant();
                self.terms.const_array(Sort::array(Sort::BitVec(WIDTH), Sort::BitVec(WIDTH)), zero)
            }
            _ => {
                let (array, value) = (self.array(depth - 1), self.number(depth - 1));
                let index = if self.random.below(2) == 0 { self.constant() } else { self.number(depth - 1) };
                self.terms.store(array, index, value)
            }
        }
    }

    fn assignment(&mut self) -> Assignment {
        let mut values = Assignment::default();
        for &symbol in &self.conditions {
            values.insert(symbol, Value::Bool(self.random.below(2) == 0));
        }
        let value = |random: &mut Random| Value::BitVec { width: WIDTH, bits: random.below(1 << WIDTH).into() };
        for &symbol in &self.numbers {
            values.insert(symbol, value(&mut self.random));
        }
        let mut array = Value::Array { default: Box::new(value(&mut self.random)), entries: Default::default() };
        for _ in 0..6 {
            array = array.store(value(&mut self.random), value(&mut self.random));
        }
        values.insert(self.memory, array);
        values
    }
}

#[test]
fn values_stay() {
    for seed in 1..=3000 {
        let mut world = World::new(seed * 7919);
        let formula = if seed % 2 == 0 { world.condition(4) } else { world.number(4) };
        // Each symbol stands for another term, over the same symbols.
        let mut map: FxHashMap<Symbol, Term> = FxHashMap::default();
        for symbol in world.conditions.clone() {
            map.insert(symbol, world.condition(2));
        }
        for symbol in world.numbers.clone() {
            map.insert(symbol, world.number(3));
        }
        map.insert(world.memory, world.array(4));
        let plain = world.terms.substitute_symbols(formula, &map);
        let mut folder = Folder::default();
        let folded = folder.substitute(&mut world.terms, formula, &mut |s| map[&s]);
        for _ in 0..20 {
            let values = world.assignment();
            let expected = evaluate(&world.terms, &values, plain);
            assert!(expected.is_some());
            assert_eq!(evaluate(&world.terms, &values, folded), expected, "seed {seed}");
        }
    }
}

/// The re-check of invariants trusts this form as it trusts folding.
#[test]
fn comparisons_by_cases_mean_the_same() {
    let mut changed = 0;
    for seed in 1..=3000 {
        let mut world = World::new(seed * 104_729);
        let formula = if seed % 4 == 0 { world.number(5) } else { world.condition(5) };
        let by_cases = distributed(&mut world.terms, formula);
        changed += u32::from(by_cases != formula);
        for _ in 0..20 {
            let values = world.assignment();
            let expected = evaluate(&world.terms, &values, formula);
            assert!(expected.is_some());
            assert_eq!(evaluate(&world.terms, &values, by_cases), expected, "seed {seed}");
        }
    }
    assert!(changed > 1000, "{changed}");
}

#[test]
fn a_constant_decides_on_either_side() {
    let mut world = World::new(1);
    let c = world.terms.symbol(world.conditions[0]);
    let terms = &mut world.terms;
    let (tt, ff) = (terms.tt(), terms.ff());
    assert_eq!([terms.and(c, ff), terms.or(c, tt)], [ff, tt]);
    // Over a program's state what comes first may fail.
    let (one, zero) = (terms.int(1), terms.int(0));
    let fails = terms.binary(BinOp::Div, one, zero);
    let fails = terms.eq(fails, one);
    assert_ne!([terms.and(fails, ff), terms.or(fails, tt)], [ff, tt]);
}

#[test]
fn choices_between_constants_fold() {
    let mut world = World::new(1);
    let c = world.terms.symbol(world.conditions[0]);
    let (five, seven) = (world.terms.bit_vec(WIDTH, 5), world.terms.bit_vec(WIDTH, 7));
    let (mut folder, terms) = (Folder::default(), &mut world.terms);
    let counter = folder.ite(terms, c, five, seven);
    let one = terms.bit_vec(WIDTH, 1);
    let next = folder.binary(terms, BinOp::BvAdd, counter, one);
    let six = terms.bit_vec(WIDTH, 6);
    assert_eq!(folder.binary(terms, BinOp::Eq, next, six), c);
    let (ten, ff) = (terms.bit_vec(WIDTH, 10), terms.ff());
    assert_eq!(folder.binary(terms, BinOp::Eq, next, ten), ff);
}

#[test]
fn reads_find_their_writes() {
    let mut world = World::new(1);
    let (c, m) = (world.terms.symbol(world.conditions[0]), world.terms.symbol(world.memory));
    let (x, y) = (world.terms.symbol(world.numbers[0]), world.terms.symbol(world.numbers[1]));
    let (one, two) = (world.terms.bit_vec(WIDTH, 1), world.terms.bit_vec(WIDTH, 2));
    let (mut folder, terms) = (Folder::default(), &mut world.terms);
    let written = folder.store(terms, m, one, x);
    let other = folder.store(terms, written, two, y);
    let either = folder.ite(terms, c, other, written);
    assert_eq!(folder.select(terms, either, one), x);
}

#[test]
fn arrays_differ_where_they_were_written() {
    let mut compared = 0;
    for seed in 1..=1500 {
        let mut world = World::new(seed * 104_729);
        let (a, b) = (world.array(3), world.array(3));
        let Some(differ) = Folder::default().differ(&mut world.terms, a, b) else { continue };
        for _ in 0..20 {
            let values = world.assignment();
            let (x, y) = (evaluate(&world.terms, &values, a).unwrap(), evaluate(&world.terms, &values, b).unwrap());
            let expected = x.same(&y).map(|same| Value::Bool(!same));
            assert_eq!(evaluate(&world.terms, &values, differ), expected, "seed {seed}");
            compared += 1;
        }
    }
    assert!(compared > 1000, "{compared}");
}
