//! Operations on words of bits, the lowest bit first. Their meaning is that of SMT-LIB; `clinch_terms::bitvec` is the reference.

use clinch_terms::BinOp;

use super::circuit::{Bit, Circuit};

/// A bit-vector.
pub(crate) type Word = Box<[Bit]>;

impl Circuit {
    /// A binary operation with a bit-vector as its result.
    pub(crate) fn operation(&mut self, op: BinOp, a: &[Bit], b: &[Bit]) -> Option<Word> {
        Some(match op {
            BinOp::BvMul => self.multiply(a, b),
            BinOp::BvAnd => self.zip(a, b, Circuit::and),
            BinOp::BvOr => self.zip(a, b, Circuit::or),
            BinOp::BvXor => self.zip(a, b, Circuit::xor),
            BinOp::BvUdiv => self.divide(a, b).0,
            BinOp::BvUrem => self.divide(a, b).1,
            BinOp::BvSdiv | BinOp::BvSrem | BinOp::BvSmod => self.divide_signed(op, a, b),
            BinOp::BvShl => {
                let reversed: Word = a.iter().rev().copied().collect();
                self.shift(&reversed, b, Bit::FALSE).iter().rev().copied().collect()
            }
            BinOp::BvLshr => self.shift(a, b, Bit::FALSE),
            BinOp::BvAshr => self.shift(a, b, sign(a)),
            BinOp::BvConcat => b.iter().chain(a).copied().collect(),
            _ => return None,
        })
    }

    /// A comparison.
    pub(crate) fn comparison(&mut self, op: BinOp, a: &[Bit], b: &[Bit]) -> Option<Bit> {
        Some(match op {
            BinOp::Eq => self.equal(a, b),
            BinOp::BvUlt => self.less(a, b),
            BinOp::BvUle => !self.less(b, a),
            BinOp::BvSlt => self.less(&flipped(a), &flipped(b)),
            BinOp::BvSle => !self.less(&flipped(b), &flipped(a)),
            _ => return None,
        })
    }

    fn zip(&mut self, a: &[Bit], b: &[Bit], op: fn(&mut Circuit, Bit, Bit) -> Bit) -> Word {
        a.iter().zip(b).map(|(&x, &y)| op(self, x, y)).collect()
    }

    /// If-then-else.
    pub(crate) fn choose(&mut self, condition: Bit, a: &[Bit], b: &[Bit]) -> Word {
        a.iter().zip(b).map(|(&x, &y)| self.ite(condition, x, y)).collect()
    }

    pub(crate) fn equal(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        a.iter().zip(b).fold(Bit::TRUE, |all, (&x, &y)| {
            let differ = self.xor(x, y);
            self.and(all, !differ)
        })
    }

    /// Whether `a < b`, without sign: the highest bit in which they differ decides.
    fn less(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        a.iter().zip(b).fold(Bit::FALSE, |less, (&x, &y)| {
            let differ = self.xor(x, y);
            self.ite(differ, y, less)
        })
    }

    /// The sum, and the carry.
    pub(super) fn add(&mut self, a: &[Bit], b: &[Bit], mut carry: Bit) -> (Word, Bit) {
        let mut sum = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            let differ = self.xor(x, y);
            sum.push(self.xor(differ, carry));
            carry = self.ite(differ, carry, x);
        }
        (sum.into(), carry)
    }

    /// The difference, and whether it is not negative.
    pub(super) fn subtract(&mut self, a: &[Bit], b: &[Bit]) -> (Word, Bit) {
        self.add(a, &complement(b), Bit::TRUE)
    }

    /// Two's complement.
    pub(crate) fn negate(&mut self, a: &[Bit]) -> Word {
        self.subtract(&vec![Bit::FALSE; a.len()], a).0
    }

    /// One addition for each bit of the factor with more constant bits.
    pub(super) fn multiply(&mut self, a: &[Bit], b: &[Bit]) -> Word {
        let constants = |word: &[Bit]| word.iter().filter(|bit| bit.as_constant().is_some()).count();
        let (a, b) = if constants(a) > constants(b) { (b, a) } else { (a, b) };
        let mut product: Word = vec![Bit::FALSE; a.len()].into();
        for (i, &bit) in b.iter().enumerate().filter(|(_, bit)| **bit != Bit::FALSE) {
            let shifted: Word = a[..a.len() - i].iter().map(|&x| self.and(x, bit)).collect();
            let upper = self.add(&product[i..], &shifted, Bit::FALSE).0;
            product[i..].copy_from_slice(&upper);
        }
        product
    }

    /// Quotient and remainder without sign, as in writing. A divisor 0 is never larger than what is left: then all bits of the
    /// quotient are 1 and nothing is subtracted.
    fn divide(&mut self, a: &[Bit], b: &[Bit]) -> (Word, Word) {
        let divisor: Word = b.iter().copied().chain([Bit::FALSE]).collect();
        let mut rest: Word = vec![Bit::FALSE; a.len() + 1].into();
        let mut quotient: Word = vec![Bit::FALSE; a.len()].into();
        for (i, &bit) in a.iter().enumerate().rev() {
            rest.rotate_right(1);
            rest[0] = bit;
            let (less, fits) = self.subtract(&rest, &divisor);
            rest = self.choose(fits, &less, &rest);
            quotient[i] = fits;
        }
        (quotient, rest[..a.len()].into())
    }

    fn divide_signed(&mut self, op: BinOp, a: &[Bit], b: &[Bit]) -> Word {
        let (negative, divisor_negative) = (sign(a), sign(b));
        let (size, divisor_size) = (self.absolute(a), self.absolute(b));
        let (quotient, rest) = self.divide(&size, &divisor_size);
        if op == BinOp::BvSdiv {
            let differ = self.xor(negative, divisor_negative);
            return self.negate_if(differ, &quotient);
        }
        let rest = self.negate_if(negative, &rest);
        if op == BinOp::BvSrem {
            return rest;
        }
        // A remainder with another sign than the divisor's is one divisor away.
        let differ = self.xor(negative, divisor_negative);
        let exact = self.equal(&rest, &vec![Bit::FALSE; rest.len()]);
        let other = self.and(differ, !exact);
        let moved = self.add(&rest, b, Bit::FALSE).0;
        self.choose(other, &moved, &rest)
    }

    fn absolute(&mut self, a: &[Bit]) -> Word {
        self.negate_if(sign(a), a)
    }

    fn negate_if(&mut self, condition: Bit, a: &[Bit]) -> Word {
        let negated = self.negate(a);
        self.choose(condition, &negated, a)
    }

    /// To the right by a distance, power of two by power of two; what comes in from the left is `fill`.
    fn shift(&mut self, a: &[Bit], distance: &[Bit], fill: Bit) -> Word {
        let mut word: Word = a.into();
        for (power, &bit) in distance.iter().enumerate() {
            let by = 1_usize.checked_shl(power as u32).filter(|&by| by < a.len()).unwrap_or(a.len());
            let shifted: Word = word[by..].iter().copied().chain(std::iter::repeat_n(fill, by)).collect();
            word = self.choose(bit, &shifted, &word);
        }
        word
    }
}

/// The sign of a number in two's complement.
fn sign(a: &[Bit]) -> Bit {
    *a.last().expect("a bit-vector has bits")
}

fn complement(a: &[Bit]) -> Word {
    a.iter().map(|&bit| !bit).collect()
}

/// With the other sign: two's complement in the order of numbers without sign.
fn flipped(a: &[Bit]) -> Word {
    let mut word: Word = a.into();
    let last = word.len() - 1;
    word[last] = !word[last];
    word
}
