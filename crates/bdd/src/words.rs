//! Words: vectors of functions, the lowest bit first. Their operations are those of [`clinch_terms::words`].

use clinch_terms::BinOp;
use clinch_terms::words::Words;

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

    /// A word of another width: cut, or filled.
    pub fn resize(&self, a: &[Bdd], width: u32, fill: Fill) -> Word {
        let above = match fill {
            Fill::Zero => self.ff(),
            Fill::Sign => a.last().cloned().unwrap_or_else(|| self.ff()),
        };
        (0..width as usize).map(|i| a.get(i).unwrap_or(&above).clone()).collect()
    }

    /// Two's complement.
    pub fn neg(&self, a: &[Bdd]) -> Result<Word> {
        self.attempt(|words| words.negate(a))
    }

    /// A binary operation with a bit-vector as its result; `None` if it is another one.
    pub fn operation(&self, op: BinOp, a: &[Bdd], b: &[Bdd]) -> Result<Option<Word>> {
        self.attempt(|words| words.operation(op, a, b))
    }

    /// A comparison of bit-vectors; `None` if it is another operation.
    pub fn comparison(&self, op: BinOp, a: &[Bdd], b: &[Bdd]) -> Result<Option<Bdd>> {
        self.attempt(|words| words.comparison(op, a, b))
    }

    /// Equality.
    pub fn eq(&self, a: &[Bdd], b: &[Bdd]) -> Result<Bdd> {
        self.check_deadline()?;
        let mut same = self.tt();
        // Low bits come first in the order of variables: from the last one up, each step looks at its own level alone.
        for (x, y) in a.iter().zip(b).rev() {
            same = x.iff(y)?.and(&same)?;
        }
        Ok(same)
    }

    fn attempt<T>(&self, compute: impl FnOnce(&mut Attempt<'_>) -> T) -> Result<T> {
        let mut attempt = Attempt { bdds: self, failed: Ok(()) };
        let result = compute(&mut attempt);
        attempt.failed.map(|()| result)
    }
}

/// A computation with words. Once there is no room, its results mean nothing.
struct Attempt<'a> {
    bdds: &'a Bdds,
    failed: Result<()>,
}

impl Attempt<'_> {
    fn keep(&mut self, compute: impl FnOnce() -> Result<Bdd>) -> Bdd {
        match self.failed.and_then(|()| compute()) {
            Ok(function) => function,
            Err(failure) => {
                self.failed = Err(failure);
                self.bdds.ff()
            }
        }
    }
}

impl Words for Attempt<'_> {
    type Bit = Bdd;

    fn constant(&self, value: bool) -> Bdd {
        self.bdds.constant(value)
    }

    fn as_constant(&self, a: &Bdd) -> Option<bool> {
        (a.is_true() || a.is_false()).then(|| a.is_true())
    }

    fn not(&mut self, a: &Bdd) -> Bdd {
        self.keep(|| a.negation())
    }

    fn and(&mut self, a: &Bdd, b: &Bdd) -> Bdd {
        self.keep(|| a.and(b))
    }

    fn or(&mut self, a: &Bdd, b: &Bdd) -> Bdd {
        self.keep(|| a.or(b))
    }

    fn xor(&mut self, a: &Bdd, b: &Bdd) -> Bdd {
        self.keep(|| a.xor(b))
    }

    fn ite(&mut self, condition: &Bdd, a: &Bdd, b: &Bdd) -> Bdd {
        let bdds = self.bdds;
        self.keep(|| bdds.check_deadline().and_then(|()| condition.ite(a, b)))
    }

    fn equal(&mut self, a: &[Bdd], b: &[Bdd]) -> Bdd {
        let bdds = self.bdds;
        self.keep(|| bdds.eq(a, b))
    }
}

/// Complement of every bit.
pub fn not(a: &[Bdd]) -> Result<Word> {
    a.iter().map(Bdd::negation).collect()
}

/// `then` where the condition holds, `otherwise` elsewhere.
pub fn select(condition: &Bdd, then: &[Bdd], otherwise: &[Bdd]) -> Result<Word> {
    then.iter().zip(otherwise).map(|(x, y)| condition.ite(x, y)).collect()
}
