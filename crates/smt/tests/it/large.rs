//! Questions about random formulas over bits and arrays: Z3 says the same, and models are models.

use clinch_smt::{Answer, LargeQuestion, Solver, Z3Solver};
use clinch_terms::{BinOp, Node, Sort, Term, Terms, Value};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const WIDTH: u32 = 6;

struct Generator {
    rng: Xoshiro256PlusPlus,
    terms: Terms,
    numbers: Vec<Term>,
    conditions: Vec<Term>,
    memories: Vec<Term>,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let mut terms = Terms::new();
        let memory = Sort::array(Sort::BitVec(WIDTH), Sort::BitVec(WIDTH));
        let numbers = (0..3).map(|_| terms.fresh("x", Sort::BitVec(WIDTH))).collect();
        let conditions = (0..2).map(|_| terms.fresh("c", Sort::Bool)).collect();
        let memories = (0..2).map(|_| terms.fresh("m", memory.clone())).collect();
        Generator { rng: Xoshiro256PlusPlus::seed_from_u64(seed), terms, numbers, conditions, memories }
    }

    fn one_of(&mut self, of: &[Term]) -> Term {
        of[self.rng.random_range(0..of.len())]
    }

    fn number(&mut self, depth: u32) -> Term {
        if depth == 0 {
            let k = self.rng.random_range(0..1 << WIDTH);
            let constant = self.terms.bit_vec(WIDTH, k);
            return if self.rng.random() { constant } else { self.one_of(&self.numbers.clone()) };
        }
        let (a, b) = (self.number(depth - 1), self.number(depth - 1));
        match self.rng.random_range(0..10) {
            0 | 1 => {
                let c = self.condition(depth - 1);
                self.terms.ite(c, a, b)
            }
            2 | 3 => {
                let memory = self.memory(depth - 1);
                self.terms.intern(Node::Binary(BinOp::Select, memory, a))
            }
            n => {
                let ops = [BinOp::BvAdd, BinOp::BvSub, BinOp::BvMul, BinOp::BvUdiv, BinOp::BvSrem, BinOp::BvShl];
                self.terms.bv(ops[n as usize - 4], a, b)
            }
        }
    }

    fn memory(&mut self, depth: u32) -> Term {
        if depth == 0 {
            return self.one_of(&self.memories.clone());
        }
        let below = self.memory(depth - 1);
        if self.rng.random() {
            let (at, value) = (self.number(depth - 1), self.number(depth - 1));
            return self.terms.store(below, at, value);
        }
        let (c, other) = (self.condition(depth - 1), self.memory(depth - 1));
        self.terms.ite(c, below, other)
    }

    fn condition(&mut self, depth: u32) -> Term {
        if depth == 0 {
            return self.one_of(&self.conditions.clone());
        }
        match self.rng.random_range(0..4) {
            0 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                let b = self.terms.not(b);
                self.terms.and(a, b)
            }
            1 => {
                let (a, b) = (self.number(depth - 1), self.number(depth - 1));
                self.terms.bv(BinOp::BvSlt, a, b)
            }
            _ => {
                let (a, b) = (self.number(depth - 1), self.number(depth - 1));
                self.terms.eq(a, b)
            }
        }
    }
}

#[test]
fn answers_are_those_of_z3() {
    let mut counts = [0, 0];
    for seed in 0..300 {
        let mut random = Generator::new(seed);
        let conditions: Vec<Term> = (0..4).map(|_| random.condition(3)).collect();
        let formula = random.terms.all(conditions.iter().copied());
        let mut solver = Z3Solver::for_one_question();
        solver.set_limits(0, 20_000);
        solver.assert(&random.terms, formula);
        let expected = solver.check(&random.terms, &[]);
        let mut question = LargeQuestion::new(&random.terms, formula, 20_000);
        assert_eq!(question.answer(&random.terms), expected, "seed {seed}");
        match expected {
            Answer::Sat => {
                counts[0] += 1;
                for condition in conditions {
                    let value = question.value(&random.terms, condition);
                    assert_eq!(value, Some(Value::Bool(true)), "seed {seed}");
                }
            }
            _ => counts[1] += 1,
        }
    }
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}

#[test]
fn integers_are_no_circuits() {
    let mut terms = Terms::new();
    let x = terms.fresh("x", Sort::Int);
    let (zero, two) = (terms.int(0), terms.int(2));
    let (low, high) = (terms.lt(zero, x), terms.lt(x, two));
    let formula = terms.and(low, high);
    let mut question = LargeQuestion::new(&terms, formula, 10_000);
    assert_eq!(question.answer(&terms), Answer::Sat);
    assert_eq!(question.value(&terms, x), Some(Value::int(1)));
}
