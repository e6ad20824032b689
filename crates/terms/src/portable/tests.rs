use proptest::prelude::*;

use super::*;

/// A store with some symbols of a program.
fn store() -> Terms {
    let mut terms = Terms::new();
    for (name, width) in [("x", 32), ("y", 32), ("c", 8)] {
        terms.declare(name, Sort::BitVec(width));
    }
    terms.declare("n", Sort::Int);
    terms.declare("b", Sort::Bool);
    terms.declare("m", Sort::array(Sort::BitVec(32), Sort::BitVec(8)));
    terms
}

/// Makes a formula of numbers: each takes the next ones as it needs them.
struct Maker<'a> {
    terms: &'a mut Terms,
    choices: std::slice::Iter<'a, u16>,
}

impl Maker<'_> {
    fn next(&mut self) -> u16 {
        self.choices.next().copied().unwrap_or(0)
    }

    fn symbol(&mut self, index: usize) -> Term {
        let symbol = self.terms.symbol_at(index).expect("declared");
        self.terms.symbol(symbol)
    }

    fn formula(&mut self, depth: u32) -> Term {
        let choice = if depth == 0 { 0 } else { self.next() % 8 };
        match choice {
            0 => self.symbol(4),
            1 => {
                let a = self.formula(depth - 1);
                self.terms.not(a)
            }
            2 | 3 => {
                let (a, b) = (self.formula(depth - 1), self.formula(depth - 1));
                if choice == 2 { self.terms.and(a, b) } else { self.terms.or(a, b) }
            }
            4 => {
                let (a, b) = (self.word(depth - 1), self.word(depth - 1));
                self.terms.bv_sle(a, b)
            }
            5 => {
                let (a, b) = (self.word(depth - 1), self.word(depth - 1));
                self.terms.eq(a, b)
            }
            6 => {
                let (a, b) = (self.integer(depth - 1), self.integer(depth - 1));
                self.terms.le(a, b)
            }
            _ => {
                let (c, a, b) = (self.formula(depth - 1), self.formula(depth - 1), self.formula(depth - 1));
                self.terms.ite(c, a, b)
            }
        }
    }

    /// 32 bits.
    fn word(&mut self, depth: u32) -> Term {
        const OPS: [BinOp; 6] = [BinOp::BvAdd, BinOp::BvMul, BinOp::BvSdiv, BinOp::BvXor, BinOp::BvShl, BinOp::BvUrem];
        let choice = if depth == 0 { self.next() % 3 } else { self.next() % 8 };
        match choice {
            0 | 1 => self.symbol(choice.into()),
            2 => {
                let bits = u64::from(self.next()) * 65_537;
                self.terms.bit_vec(32, bits)
            }
            3 | 4 => {
                let op = OPS[usize::from(self.next()) % OPS.len()];
                let (a, b) = (self.word(depth - 1), self.word(depth - 1));
                self.terms.bv(op, a, b)
            }
            5 => {
                let (memory, index) = (self.symbol(5), self.word(depth - 1));
                let (at, value) = (self.word(depth - 1), self.symbol(2));
                let memory = self.terms.store(memory, at, value);
                let read = self.terms.select(memory, index);
                self.terms.resize(depth.is_multiple_of(2), 32, read)
            }
            6 => {
                let a = self.word(depth - 1);
                let part = self.terms.extract(19, 4, a);
                self.terms.zero_extend(16, part)
            }
            _ => {
                let a = self.integer(depth - 1);
                self.terms.int_to_bv(32, a)
            }
        }
    }

    fn integer(&mut self, depth: u32) -> Term {
        let choice = if depth == 0 { self.next() % 3 } else { self.next() % 5 };
        match choice {
            0 => self.symbol(3),
            1 => {
                let n = i64::from(self.next()) - 30_000;
                self.terms.int(n)
            }
            2 => {
                let n = BigInt::from(self.next() + 1) << 90;
                self.terms.big(n)
            }
            3 => {
                let (a, b) = (self.integer(depth - 1), self.integer(depth - 1));
                self.terms.add(a, b)
            }
            _ => {
                let a = self.word(depth - 1);
                self.terms.bv_to_nat(a)
            }
        }
    }
}

proptest! {
    #[test]
    fn what_is_read_is_what_was_written(choices in proptest::collection::vec(any::<u16>(), 0..200)) {
        let mut terms = store();
        let formula = Maker { terms: &mut terms, choices: choices.iter() }.formula(6);
        let written = Portable::write(&terms, formula, usize::MAX).expect("a formula over symbols");
        let text = serde_json::to_string(&written).expect("plain data");
        let back: Portable = serde_json::from_str(&text).expect("what was written");
        prop_assert_eq!(&back, &written);
        prop_assert_eq!(back.read(&mut terms), Some(formula));
        // In another store, too, it is the same formula.
        let mut other = store();
        let there = back.read(&mut other).expect("the same symbols");
        prop_assert_eq!(Portable::write(&other, there, usize::MAX).map(|p| p.read(&mut terms)), Some(Some(formula)));
    }

    /// Whatever comes over a wire is a formula or nothing.
    #[test]
    fn nonsense_is_nothing(
        choices in proptest::collection::vec(any::<u16>(), 0..100),
        (at, argument) in (any::<prop::sample::Index>(), 0u32..12),
    ) {
        let mut terms = store();
        let formula = Maker { terms: &mut terms, choices: choices.iter() }.formula(5);
        let mut changed = Portable::write(&terms, formula, usize::MAX).expect("a formula over symbols");
        let index = at.index(changed.parts.len());
        match &mut changed.parts[index] {
            Part::Unary(_, a) | Part::Binary(_, a, _) | Part::Ite(a, ..) | Part::Store(_, a, _) => *a = argument,
            Part::Extract(hi, ..) => *hi = argument * 9,
            Part::Extend(_, by, _) | Part::IntToBv(by, _) | Part::BitVec(by, _) => *by = argument * 500,
            Part::Symbol(index, ..) => *index = argument,
            _ => {}
        }
        if let Some(term) = changed.read(&mut terms) {
            prop_assert!(terms.sort_id(term).is_some());
        }
    }
}

#[test]
fn a_symbol_must_be_the_same_there() {
    let mut terms = store();
    let x = terms.symbol_at(0).map(|x| terms.symbol(x)).expect("declared");
    let zero = terms.bit_vec(32, 0);
    let formula = terms.bv_sle(zero, x);
    let written = Portable::write(&terms, formula, 10).expect("small");
    assert_eq!(written.symbols().collect::<Vec<_>>(), [0]);
    for (name, sort) in [("z", Sort::BitVec(32)), ("x", Sort::BitVec(16)), ("x", Sort::Int)] {
        let mut other = Terms::new();
        other.declare(name, sort);
        assert_eq!(written.read(&mut other), None, "{name}");
    }
    assert_eq!(written.read(&mut Terms::new()), None);
}

#[test]
fn a_large_formula_stays_at_home() {
    let mut terms = store();
    let x = terms.symbol_at(0).map(|x| terms.symbol(x)).expect("declared");
    let sum = (2..52).fold(x, |sum, i| {
        let i = terms.bit_vec(32, i);
        terms.bv(BinOp::BvMul, sum, i)
    });
    let same = terms.eq(sum, x);
    assert!(Portable::write(&terms, same, 20).is_none());
}
