//! Arithmetic on words of bits, whatever a bit is: a gate of a circuit, a Boolean function. The lowest bit comes first.
//!
//! The meaning is that of SMT-LIB's theory of fixed-size bit-vectors: every operation is total, results wrap around;
//! [`bitvec`](crate::bitvec) is the reference.

use crate::BinOp;

/// Operations on bits, and what follows from them for words. Both words of an operation have the same width, but for
/// distances of shifts and for concatenation.
pub trait Words {
    /// A bit.
    type Bit: Clone;

    /// A bit that is known.
    fn constant(&self, value: bool) -> Self::Bit;

    /// The value of a bit, if it is known.
    fn as_constant(&self, a: &Self::Bit) -> Option<bool>;

    /// Negation.
    fn not(&mut self, a: &Self::Bit) -> Self::Bit;

    /// Conjunction.
    fn and(&mut self, a: &Self::Bit, b: &Self::Bit) -> Self::Bit;

    /// Disjunction.
    fn or(&mut self, a: &Self::Bit, b: &Self::Bit) -> Self::Bit;

    /// Exclusive disjunction.
    fn xor(&mut self, a: &Self::Bit, b: &Self::Bit) -> Self::Bit;

    /// If-then-else.
    fn ite(&mut self, condition: &Self::Bit, a: &Self::Bit, b: &Self::Bit) -> Self::Bit;

    /// A binary operation with a bit-vector as its result; `None` if it is another one.
    fn operation(&mut self, op: BinOp, a: &[Self::Bit], b: &[Self::Bit]) -> Option<Vec<Self::Bit>> {
        Some(match op {
            BinOp::BvAdd => self.add(a, b),
            BinOp::BvSub => self.subtract(a, b).0,
            BinOp::BvMul => self.multiply(a, b),
            BinOp::BvAnd => a.iter().zip(b).map(|(x, y)| self.and(x, y)).collect(),
            BinOp::BvOr => a.iter().zip(b).map(|(x, y)| self.or(x, y)).collect(),
            BinOp::BvXor => a.iter().zip(b).map(|(x, y)| self.xor(x, y)).collect(),
            BinOp::BvUdiv => self.divide(a, b).0,
            BinOp::BvUrem => self.divide(a, b).1,
            BinOp::BvSdiv | BinOp::BvSrem | BinOp::BvSmod => self.divide_signed(op, a, b),
            BinOp::BvShl => {
                let reversed: Vec<Self::Bit> = a.iter().rev().cloned().collect();
                let mut shifted = self.shift(&reversed, b, &self.constant(false));
                shifted.reverse();
                shifted
            }
            BinOp::BvLshr => self.shift(a, b, &self.constant(false)),
            BinOp::BvAshr => self.shift(a, b, sign(a)),
            BinOp::BvConcat => b.iter().chain(a).cloned().collect(),
            _ => return None,
        })
    }

    /// A comparison; `None` if it is another operation.
    fn comparison(&mut self, op: BinOp, a: &[Self::Bit], b: &[Self::Bit]) -> Option<Self::Bit> {
        Some(match op {
            BinOp::Eq => self.equal(a, b),
            BinOp::BvUlt => self.less(a, b),
            BinOp::BvSlt => {
                let (a, b) = (self.flipped(a), self.flipped(b));
                self.less(&a, &b)
            }
            BinOp::BvUle => {
                let more = self.less(b, a);
                self.not(&more)
            }
            BinOp::BvSle => {
                let more = self.comparison(BinOp::BvSlt, b, a)?;
                self.not(&more)
            }
            _ => return None,
        })
    }

    /// A word of bits that are all 0.
    fn zeros(&self, width: usize) -> Vec<Self::Bit> {
        vec![self.constant(false); width]
    }

    /// If-then-else.
    fn choose(&mut self, condition: &Self::Bit, a: &[Self::Bit], b: &[Self::Bit]) -> Vec<Self::Bit> {
        a.iter().zip(b).map(|(x, y)| self.ite(condition, x, y)).collect()
    }

    /// Whether two words are equal.
    fn equal(&mut self, a: &[Self::Bit], b: &[Self::Bit]) -> Self::Bit {
        a.iter().zip(b).fold(self.constant(true), |all, (x, y)| {
            let differ = self.xor(x, y);
            let same = self.not(&differ);
            self.and(&all, &same)
        })
    }

    /// Whether `a < b`, without sign: the highest bit in which they differ decides.
    fn less(&mut self, a: &[Self::Bit], b: &[Self::Bit]) -> Self::Bit {
        a.iter().zip(b).fold(self.constant(false), |less, (x, y)| {
            let differ = self.xor(x, y);
            self.ite(&differ, y, &less)
        })
    }

    /// The sum.
    fn add(&mut self, a: &[Self::Bit], b: &[Self::Bit]) -> Vec<Self::Bit> {
        self.add_with_carry(a, b, self.constant(false)).0
    }

    /// The sum, and the carry.
    fn add_with_carry(
        &mut self,
        a: &[Self::Bit],
        b: &[Self::Bit],
        mut carry: Self::Bit,
    ) -> (Vec<Self::Bit>, Self::Bit) {
        let mut sum = Vec::with_capacity(a.len());
        for (x, y) in a.iter().zip(b) {
            let differ = self.xor(x, y);
            sum.push(self.xor(&differ, &carry));
            carry = self.ite(&differ, &carry, x);
        }
        (sum, carry)
    }

    /// The difference, and whether it is not negative.
    fn subtract(&mut self, a: &[Self::Bit], b: &[Self::Bit]) -> (Vec<Self::Bit>, Self::Bit) {
        let complement: Vec<Self::Bit> = b.iter().map(|bit| self.not(bit)).collect();
        self.add_with_carry(a, &complement, self.constant(true))
    }

    /// Two's complement.
    fn negate(&mut self, a: &[Self::Bit]) -> Vec<Self::Bit> {
        self.subtract(&self.zeros(a.len()), a).0
    }

    /// One addition for each bit of the factor with more constant bits.
    fn multiply(&mut self, a: &[Self::Bit], b: &[Self::Bit]) -> Vec<Self::Bit> {
        let constants = |word: &[Self::Bit]| word.iter().filter(|bit| self.as_constant(bit).is_some()).count();
        let (a, b) = if constants(a) > constants(b) { (b, a) } else { (a, b) };
        let mut product = self.zeros(a.len());
        for (i, bit) in b.iter().enumerate() {
            if self.as_constant(bit) != Some(false) {
                let shifted: Vec<Self::Bit> = a[..a.len() - i].iter().map(|x| self.and(x, bit)).collect();
                let upper = self.add(&product[i..], &shifted);
                product.splice(i.., upper);
            }
        }
        product
    }

    /// Quotient and remainder without sign, as in writing. A divisor 0 is never larger than what is left: then all bits of the
    /// quotient are 1 and nothing is subtracted.
    fn divide(&mut self, a: &[Self::Bit], b: &[Self::Bit]) -> (Vec<Self::Bit>, Vec<Self::Bit>) {
        let divisor: Vec<Self::Bit> = b.iter().cloned().chain([self.constant(false)]).collect();
        let mut rest = self.zeros(a.len() + 1);
        let mut quotient = self.zeros(a.len());
        for (i, bit) in a.iter().enumerate().rev() {
            rest.rotate_right(1);
            rest[0] = bit.clone();
            let (less, fits) = self.subtract(&rest, &divisor);
            rest = self.choose(&fits, &less, &rest);
            quotient[i] = fits;
        }
        rest.pop();
        (quotient, rest)
    }

    /// A quotient truncated toward zero, a remainder with the sign of the dividend, or one with that of the divisor.
    fn divide_signed(&mut self, op: BinOp, a: &[Self::Bit], b: &[Self::Bit]) -> Vec<Self::Bit> {
        let (size, divisor_size) = (self.negate_if(sign(a), a), self.negate_if(sign(b), b));
        let (quotient, rest) = self.divide(&size, &divisor_size);
        if op == BinOp::BvSdiv {
            let differ = self.xor(sign(a), sign(b));
            return self.negate_if(&differ, &quotient);
        }
        let rest = self.negate_if(sign(a), &rest);
        if op == BinOp::BvSrem {
            return rest;
        }
        // A remainder with another sign than the divisor's is one divisor away.
        let differ = self.xor(sign(a), sign(b));
        let exact = self.equal(&rest, &self.zeros(rest.len()));
        let inexact = self.not(&exact);
        let other = self.and(&differ, &inexact);
        let moved = self.add(&rest, b);
        self.choose(&other, &moved, &rest)
    }

    /// Two's complement where a condition holds.
    fn negate_if(&mut self, condition: &Self::Bit, a: &[Self::Bit]) -> Vec<Self::Bit> {
        let negated = self.negate(a);
        self.choose(condition, &negated, a)
    }

    /// To the right by a distance, power of two by power of two; what comes in from the left is `fill`.
    fn shift(&mut self, a: &[Self::Bit], distance: &[Self::Bit], fill: &Self::Bit) -> Vec<Self::Bit> {
        let mut word = a.to_vec();
        for (power, bit) in distance.iter().enumerate() {
            let by = 1_usize.checked_shl(power as u32).filter(|&by| by < a.len()).unwrap_or(a.len());
            let filling = std::iter::repeat_n(fill, by);
            let shifted: Vec<Self::Bit> = word[by..].iter().chain(filling).cloned().collect();
            word = self.choose(bit, &shifted, &word);
        }
        word
    }

    /// With the other sign: two's complement in the order of numbers without sign.
    fn flipped(&mut self, a: &[Self::Bit]) -> Vec<Self::Bit> {
        let mut word = a.to_vec();
        if let Some(sign) = word.last_mut() {
            *sign = self.not(sign);
        }
        word
    }
}

/// The sign of a number in two's complement.
fn sign<B>(a: &[B]) -> &B {
    a.last().expect("a bit-vector has bits")
}
