//! Arithmetic on words: vectors of functions, the lowest bit first.
//!
//! The meaning is that of SMT-LIB's theory of fixed-size bit-vectors: every operation is total, results wrap around.

use crate::{Bdd, Bdds, OutOfNodes};

/// A vector of functions, the lowest bit first.
pub type Word = Vec<Bdd>;

type Result<T> = std::result::Result<T, OutOfNodes>;

/// How the bits above a word are filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    /// With zeros.
    Zero,
    /// With copies of the highest bit.
    Sign,
}

impl Bdds {
    /// The lowest bits of a number.
    pub fn word(&self, width: u32, value: u64) -> Word {
        (0..width).map(|i| self.constant(i < 64 && value >> i & 1 == 1)).collect()
    }

    /// The value of a word of constants.
    pub fn constant_value(&self, word: &[Bdd]) -> Option<u64> {
        let mut value = 0;
        for (i, bit) in word.iter().enumerate() {
            match (bit.is_true(), bit.is_false()) {
                (true, _) if i >= 64 => return None,
                (true, _) => value |= 1 << i,
                (_, true) => {}
                _ => return None,
            }
        }
        Some(value)
    }

    /// A word of another width: cut, or filled.
    pub fn resize(&self, a: &[Bdd], width: u32, fill: Fill) -> Word {
        let above = match fill {
            Fill::Zero => self.ff(),
            Fill::Sign => a.last().cloned().unwrap_or_else(|| self.ff()),
        };
        (0..width as usize).map(|i| a.get(i).unwrap_or(&above).clone()).collect()
    }

    /// Sum.
    pub fn add(&self, a: &[Bdd], b: &[Bdd]) -> Result<Word> {
        self.sum(a, b, self.ff())
    }

    fn sum(&self, a: &[Bdd], b: &[Bdd], mut carry: Bdd) -> Result<Word> {
        let mut sum = Vec::with_capacity(a.len());
        for (x, y) in a.iter().zip(b) {
            self.check_deadline()?;
            let either = x.xor(y)?;
            sum.push(either.xor(&carry)?);
            carry = either.ite(&carry, x)?;
        }
        Ok(sum)
    }

    /// Difference.
    pub fn sub(&self, a: &[Bdd], b: &[Bdd]) -> Result<Word> {
        self.sum(a, &not(b)?, self.tt())
    }

    /// Two's complement.
    pub fn neg(&self, a: &[Bdd]) -> Result<Word> {
        self.sub(&self.word(a.len() as u32, 0), a)
    }

    /// Product.
    pub fn mul(&self, a: &[Bdd], b: &[Bdd]) -> Result<Word> {
        let width = a.len() as u32;
        // Rows of constants cost nothing where they are zero.
        let constant = |w: &[Bdd]| w.iter().filter(|x| x.is_true() || x.is_false()).count();
        let (a, b) = if constant(a) > constant(b) { (b, a) } else { (a, b) };
        let mut product = self.word(width, 0);
        for (i, bit) in b.iter().enumerate() {
            if bit.is_false() {
                continue;
            }
            let row = a[..a.len() - i].iter().map(|x| x.and(bit)).collect::<Result<Word>>()?;
            let upper = self.add(&product[i..], &row)?;
            product.splice(i.., upper);
        }
        Ok(product)
    }

    /// Unsigned quotient and remainder; for divisor 0 all ones and the dividend.
    pub fn udiv_rem(&self, a: &[Bdd], b: &[Bdd]) -> Result<(Word, Word)> {
        let width = a.len();
        let divisor = self.resize(b, width as u32 + 1, Fill::Zero);
        let mut rest = self.word(width as u32 + 1, 0);
        let mut quotient = self.word(width as u32, 0);
        for i in (0..width).rev() {
            rest.insert(0, a[i].clone());
            rest.pop();
            let fits = self.ule(&divisor, &rest)?;
            let less = self.sub(&rest, &divisor)?;
            rest = select(&fits, &less, &rest)?;
            quotient[i] = fits;
        }
        rest.pop();
        Ok((quotient, rest))
    }

    /// Signed quotient, truncated toward zero; -1 or 1 for divisor 0.
    pub fn sdiv(&self, a: &[Bdd], b: &[Bdd]) -> Result<Word> {
        let quotient = self.udiv_rem(&self.magnitude(a)?, &self.magnitude(b)?)?.0;
        let differ = sign(a).xor(sign(b))?;
        select(&differ, &self.neg(&quotient)?, &quotient)
    }

    /// Signed remainder with the sign of the dividend, which it is for divisor 0.
    pub fn srem(&self, a: &[Bdd], b: &[Bdd]) -> Result<Word> {
        let rest = self.udiv_rem(&self.magnitude(a)?, &self.magnitude(b)?)?.1;
        select(sign(a), &self.neg(&rest)?, &rest)
    }

    /// Signed remainder with the sign of the divisor; the dividend for divisor 0.
    pub fn smod(&self, a: &[Bdd], b: &[Bdd]) -> Result<Word> {
        let rest = self.srem(a, b)?;
        let zero = self.eq(&rest, &self.word(a.len() as u32, 0))?;
        let differ = sign(a).xor(sign(b))?;
        let moved = self.add(&rest, b)?;
        select(&differ.minus(&zero)?, &moved, &rest)
    }

    fn magnitude(&self, a: &[Bdd]) -> Result<Word> {
        select(sign(a), &self.neg(a)?, a)
    }

    /// Shift to the left.
    pub fn shl(&self, a: &[Bdd], by: &[Bdd]) -> Result<Word> {
        let reversed: Word = a.iter().rev().cloned().collect();
        let mut shifted = self.shift_down(&reversed, by, &self.ff())?;
        shifted.reverse();
        Ok(shifted)
    }

    /// Shift to the right.
    pub fn shr(&self, a: &[Bdd], by: &[Bdd], fill: Fill) -> Result<Word> {
        match fill {
            Fill::Zero => self.shift_down(a, by, &self.ff()),
            Fill::Sign => self.shift_down(a, by, sign(a)),
        }
    }

    fn shift_down(&self, a: &[Bdd], by: &[Bdd], fill: &Bdd) -> Result<Word> {
        self.check_deadline()?;
        let mut shifted = a.to_vec();
        for (i, bit) in by.iter().enumerate() {
            let distance = if i < 32 { 1usize << i } else { usize::MAX };
            let moved: Word =
                (0..a.len()).map(|k| shifted.get(k.saturating_add(distance)).unwrap_or(fill).clone()).collect();
            shifted = select(bit, &moved, &shifted)?;
        }
        Ok(shifted)
    }

    /// Equality.
    pub fn eq(&self, a: &[Bdd], b: &[Bdd]) -> Result<Bdd> {
        self.check_deadline()?;
        let mut same = self.tt();
        for (x, y) in a.iter().zip(b).rev() {
            same = x.iff(y)?.and(&same)?;
        }
        Ok(same)
    }

    /// Unsigned "less or equal".
    pub fn ule(&self, a: &[Bdd], b: &[Bdd]) -> Result<Bdd> {
        self.check_deadline()?;
        let mut below = self.tt();
        for (x, y) in a.iter().zip(b) {
            // A difference in a higher bit decides.
            below = x.xor(y)?.ite(y, &below)?;
        }
        Ok(below)
    }

    /// Unsigned "less".
    pub fn ult(&self, a: &[Bdd], b: &[Bdd]) -> Result<Bdd> {
        self.ule(b, a)?.negation()
    }

    /// Signed "less or equal".
    pub fn sle(&self, a: &[Bdd], b: &[Bdd]) -> Result<Bdd> {
        self.ule(&flip_sign(a)?, &flip_sign(b)?)
    }

    /// Signed "less".
    pub fn slt(&self, a: &[Bdd], b: &[Bdd]) -> Result<Bdd> {
        self.sle(b, a)?.negation()
    }

    /// The cell of a table whose address is the index; `otherwise` if there is none.
    pub fn lookup<'t>(
        &self,
        table: impl IntoIterator<Item = (u64, &'t [Bdd])>,
        index: &[Bdd],
        otherwise: &[Bdd],
    ) -> Result<Word> {
        let mut found = otherwise.to_vec();
        for (address, cell) in table {
            let here = self.eq(index, &self.word(index.len() as u32, address))?;
            found = select(&here, cell, &found)?;
        }
        Ok(found)
    }
}

/// Complement of every bit.
pub fn not(a: &[Bdd]) -> Result<Word> {
    a.iter().map(Bdd::negation).collect()
}

/// An operation bit by bit.
pub fn bitwise(a: &[Bdd], b: &[Bdd], op: impl Fn(&Bdd, &Bdd) -> Result<Bdd>) -> Result<Word> {
    a.iter().zip(b).map(|(x, y)| op(x, y)).collect()
}

/// `then` where the condition holds, `otherwise` elsewhere.
pub fn select(condition: &Bdd, then: &[Bdd], otherwise: &[Bdd]) -> Result<Word> {
    then.iter().zip(otherwise).map(|(x, y)| condition.ite(x, y)).collect()
}

fn sign(a: &[Bdd]) -> &Bdd {
    a.last().expect("a word has bits")
}

fn flip_sign(a: &[Bdd]) -> Result<Word> {
    let mut flipped = a.to_vec();
    if let Some(sign) = flipped.last_mut() {
        *sign = sign.negation()?;
    }
    Ok(flipped)
}
