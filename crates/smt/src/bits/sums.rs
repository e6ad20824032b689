//! Sums in one order: those of the same summands are one word, whichever way the program adds them up.
//!
//! A SAT solver takes very long to see that `(a + b) + c` and `c + (b + a)` are equal, and longer with each summand more.

use std::collections::BTreeMap;
use std::rc::Rc;

use clinch_terms::words::Words;
use num_bigint::BigUint;
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;

use super::Bits;
use super::circuit::{Bit, Circuit};

/// Summands at most.
const SUMMANDS: usize = 100;

/// A sum, modulo the width of its words.
#[derive(Clone, Debug, Default)]
struct Sum {
    /// Each word with how often it is added, or subtracted.
    parts: BTreeMap<Bits, i64>,
    constant: BigUint,
}

/// The sums made so far.
#[derive(Default, Debug)]
pub(super) struct Sums(FxHashMap<Bits, Rc<Sum>>);

impl Sums {
    /// `a + b`, or `a - b`.
    pub(super) fn add(&mut self, circuit: &mut Circuit, a: &Bits, b: &Bits, minus: bool) -> Bits {
        let sum = Sum::plus(&self.of(a), &self.of(b), if minus { -1 } else { 1 }, a.len());
        match sum.filter(|sum| sum.parts.len() <= SUMMANDS) {
            Some(sum) => self.word(circuit, a.len(), sum),
            None if minus => circuit.subtract(a, b).0.into(),
            None => circuit.add(a, b).into(),
        }
    }

    /// `a = b`, without what is on both sides.
    pub(super) fn equal(&mut self, circuit: &mut Circuit, a: &Bits, b: &Bits) -> Bit {
        if !self.0.contains_key(a) && !self.0.contains_key(b) {
            return circuit.equal(a, b);
        }
        let (left, right) = (self.of(a), self.of(b));
        let before = left.parts.len() + right.parts.len();
        match Sum::plus(&left, &right, -1, a.len()) {
            Some(difference) if difference.parts.len() < before => {
                let (added, subtracted) = difference.sides();
                let (x, y) = (self.word(circuit, a.len(), added), self.word(circuit, a.len(), subtracted));
                circuit.equal(&x, &y)
            }
            _ => circuit.equal(a, b),
        }
    }

    fn of(&self, word: &Bits) -> Rc<Sum> {
        if let Some(known) = self.0.get(word) {
            return Rc::clone(known);
        }
        Rc::new(match constant(word) {
            Some(constant) => Sum { constant, ..Sum::default() },
            None => Sum { parts: [(Rc::clone(word), 1)].into(), ..Sum::default() },
        })
    }

    fn word(&mut self, circuit: &mut Circuit, width: usize, sum: Sum) -> Bits {
        let word: Bits = sum.add_up(circuit, width).into();
        // A word stands for itself if it is no sum of others.
        if !sum.parts.contains_key(&word) && constant(&word).is_none() {
            self.0.insert(Rc::clone(&word), Rc::new(sum));
        }
        word
    }
}

impl Sum {
    /// One sum and so many times another, if that can be told.
    fn plus(a: &Sum, b: &Sum, times: i64, width: usize) -> Option<Sum> {
        let mut sum = a.clone();
        for (word, count) in &b.parts {
            let all = sum.parts.entry(Rc::clone(word)).or_default();
            *all = all.checked_add(count.checked_mul(times)?)?;
        }
        sum.parts.retain(|_, count| *count != 0);
        let modulus = BigUint::one() << width;
        let other = if times < 0 { &modulus - &b.constant } else { b.constant.clone() };
        sum.constant = (sum.constant + other) % modulus;
        Some(sum)
    }

    /// What is added, and what is subtracted.
    fn sides(self) -> (Sum, Sum) {
        let (mut added, mut subtracted) = (Sum { constant: self.constant, ..Sum::default() }, Sum::default());
        for (word, count) in self.parts {
            let side = if count > 0 { &mut added } else { &mut subtracted };
            side.parts.insert(word, count.saturating_abs());
        }
        (added, subtracted)
    }

    fn add_up(&self, circuit: &mut Circuit, width: usize) -> Vec<Bit> {
        let mut sum: Option<Vec<Bit>> = None;
        for (word, &count) in &self.parts {
            let times = constant_word(width, &BigUint::from(count.unsigned_abs()));
            let product = circuit.multiply(word, &times);
            sum = Some(match sum {
                Some(sum) if count > 0 => circuit.add(&sum, &product),
                Some(sum) => circuit.subtract(&sum, &product).0,
                None if count > 0 => product,
                None => circuit.negate(&product),
            });
        }
        let constant = constant_word(width, &self.constant);
        match sum {
            Some(sum) if self.constant.is_zero() => sum,
            Some(sum) => circuit.add(&sum, &constant),
            None => constant,
        }
    }
}

fn constant_word(width: usize, number: &BigUint) -> Vec<Bit> {
    (0..width as u64).map(|i| Bit::constant(number.bit(i))).collect()
}

/// The number that a word is, if none of its bits is open.
fn constant(word: &[Bit]) -> Option<BigUint> {
    let mut number = BigUint::zero();
    for (bit, i) in word.iter().zip(0..) {
        number.set_bit(i, bit.as_constant()?);
    }
    Some(number)
}
