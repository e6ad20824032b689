//! Terms as words of Boolean functions: the meaning of SMT-LIB's bit-vectors, once for all who read terms.

use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp};
use rustc_hash::FxHashMap;

use crate::words::{Fill, Word, bitwise, not, select};
use crate::{Bdd, Bdds, OutOfNodes};

/// Why a term has no words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unread {
    /// No room, or no time.
    OutOfNodes,
    /// Something in it that is not finite, or not known.
    Unsupported(String),
}

impl From<OutOfNodes> for Unread {
    fn from(_: OutOfNodes) -> Self {
        Unread::OutOfNodes
    }
}

type Result<T> = std::result::Result<T, Unread>;

/// What the variables of terms are.
pub trait Leaves {
    /// The value of a scalar, or the lowest bits of it.
    fn scalar(&mut self, bdds: &Bdds, terms: &Terms, symbol: Symbol) -> Result<Word>;

    /// The cell of an array at an address.
    fn cell(&mut self, bdds: &Bdds, terms: &Terms, array: Symbol, address: &[Bdd]) -> Result<Word>;
}

/// Reads terms of a store, which may grow.
#[derive(Debug)]
pub struct Reader<L> {
    /// What the variables are.
    pub leaves: L,
    known: FxHashMap<(Term, u32), Word>,
}

impl<L: Leaves> Reader<L> {
    /// With these variables.
    pub fn new(leaves: L) -> Self {
        Reader { leaves, known: FxHashMap::default() }
    }

    /// Forgets what was read: variables are others from now on.
    pub fn forget(&mut self) {
        self.known.clear();
    }

    /// A truth value.
    pub fn truth(&mut self, bdds: &Bdds, terms: &Terms, term: Term) -> Result<Bdd> {
        let word = self.low(bdds, terms, term, 1)?;
        Ok(word.into_iter().next().expect("a truth value is one bit"))
    }

    /// The lowest bits of a value; a truth value is one bit.
    pub fn low(&mut self, bdds: &Bdds, terms: &Terms, term: Term, need: u32) -> Result<Word> {
        Reading { bdds, terms, reader: self }.low(term, need)
    }

    /// All bits of a value.
    pub fn full(&mut self, bdds: &Bdds, terms: &Terms, term: Term) -> Result<Word> {
        Reading { bdds, terms, reader: self }.full(term)
    }
}

/// A reader at work.
struct Reading<'a, L> {
    bdds: &'a Bdds,
    terms: &'a Terms,
    reader: &'a mut Reader<L>,
}

impl<L: Leaves> Reading<'_, L> {
    fn truth(&mut self, term: Term) -> Result<Bdd> {
        let word = self.low(term, 1)?;
        Ok(word.into_iter().next().expect("a truth value is one bit"))
    }

    fn low(&mut self, term: Term, need: u32) -> Result<Word> {
        if need == 0 {
            return Ok(Word::new());
        }
        if let Some(known) = self.reader.known.get(&(term, need)) {
            return Ok(known.clone());
        }
        let word = self.compute(term, need)?;
        debug_assert_eq!(word.len(), need as usize);
        self.reader.known.insert((term, need), word.clone());
        Ok(word)
    }

    fn width(&self, term: Term) -> Result<u32> {
        match self.terms.sort(term) {
            Sort::Bool => Ok(1),
            Sort::BitVec(width) => Ok(width),
            other => Err(Unread::Unsupported(format!("unbounded data: a term of sort {other}"))),
        }
    }

    fn full(&mut self, term: Term) -> Result<Word> {
        let width = self.width(term)?;
        self.low(term, width)
    }

    fn compute(&mut self, term: Term, need: u32) -> Result<Word> {
        let bdds = self.bdds;
        Ok(match self.terms.node(term) {
            Node::Bool(value) => vec![bdds.constant(value)],
            Node::BitVec(_, value) => bdds.word(need, value),
            Node::BigBitVec(..) => {
                let bits = self.terms.as_bit_vec(term).map(|(_, bits)| bits).unwrap_or_default();
                (0..need).map(|i| bdds.constant(bits.bit(u64::from(i)))).collect()
            }
            Node::Symbol(symbol) => {
                let value = self.reader.leaves.scalar(bdds, self.terms, symbol)?;
                bdds.resize(&value, need, Fill::Zero)
            }
            Node::Unary(op, a) => self.unary(op, a, need)?,
            Node::Binary(op, a, b) => self.binary(op, a, b, need)?,
            Node::Ite(condition, a, b) => {
                let (condition, a, b) = (self.truth(condition)?, self.low(a, need)?, self.low(b, need)?);
                select(&condition, &a, &b)?
            }
            Node::Extract { lo, of, .. } => self.low(of, lo + need)?.split_off(lo as usize),
            Node::Extend { signed, of, .. } => {
                let width = self.width(of)?;
                let inner = self.low(of, need.min(width))?;
                bdds.resize(&inner, need, if signed { Fill::Sign } else { Fill::Zero })
            }
            other => return Err(Unread::Unsupported(format!("the term {other:?}"))),
        })
    }

    fn unary(&mut self, op: UnOp, a: Term, need: u32) -> Result<Word> {
        let word = match op {
            UnOp::Not | UnOp::BvNot | UnOp::BvNeg => self.low(a, need)?,
            _ => return Err(Unread::Unsupported(format!("unbounded data: the operation {op:?}"))),
        };
        Ok(if op == UnOp::BvNeg { self.bdds.neg(&word)? } else { not(&word)? })
    }

    fn binary(&mut self, op: BinOp, a: Term, b: Term, need: u32) -> Result<Word> {
        let bdds = self.bdds;
        Ok(match op {
            BinOp::BvAdd => bdds.add(&self.low(a, need)?, &self.low(b, need)?)?,
            BinOp::BvSub => bdds.sub(&self.low(a, need)?, &self.low(b, need)?)?,
            BinOp::BvMul => bdds.mul(&self.low(a, need)?, &self.low(b, need)?)?,
            BinOp::BvAnd | BinOp::And => bitwise(&self.low(a, need)?, &self.low(b, need)?, Bdd::and)?,
            BinOp::BvOr | BinOp::Or => bitwise(&self.low(a, need)?, &self.low(b, need)?, Bdd::or)?,
            BinOp::BvXor => bitwise(&self.low(a, need)?, &self.low(b, need)?, Bdd::xor)?,
            BinOp::BvShl => {
                let by = self.full(b)?;
                bdds.shl(&self.low(a, need)?, &by)?
            }
            BinOp::BvConcat => {
                let width = self.width(b)?;
                let mut word = self.low(b, need.min(width))?;
                if need > width {
                    word.extend(self.low(a, need - width)?);
                }
                word
            }
            BinOp::Select => {
                let address = self.full(b)?;
                let mut cell = self.select(a, &address)?;
                cell.truncate(need as usize);
                cell
            }
            BinOp::Eq => vec![self.equal(a, b)?],
            BinOp::BvUlt | BinOp::BvUle | BinOp::BvSlt | BinOp::BvSle => vec![self.compare(op, a, b)?],
            _ => {
                let mut word = self.divide_or_shift(op, a, b)?;
                word.truncate(need as usize);
                word
            }
        })
    }

    fn equal(&mut self, a: Term, b: Term) -> Result<Bdd> {
        let (a, b) = (self.full(a)?, self.full(b)?);
        Ok(self.bdds.eq(&a, &b)?)
    }

    fn compare(&mut self, op: BinOp, a: Term, b: Term) -> Result<Bdd> {
        let (a, b) = (self.full(a)?, self.full(b)?);
        Ok(match op {
            BinOp::BvUlt => self.bdds.ult(&a, &b)?,
            BinOp::BvUle => self.bdds.ule(&a, &b)?,
            BinOp::BvSlt => self.bdds.slt(&a, &b)?,
            _ => self.bdds.sle(&a, &b)?,
        })
    }

    fn divide_or_shift(&mut self, op: BinOp, a: Term, b: Term) -> Result<Word> {
        if !op.on_bit_vectors() {
            return Err(Unread::Unsupported(format!("unbounded data: the operation {op:?}")));
        }
        let bdds = self.bdds;
        let (a, b) = (self.full(a)?, self.full(b)?);
        Ok(match op {
            BinOp::BvUdiv => bdds.udiv_rem(&a, &b)?.0,
            BinOp::BvUrem => bdds.udiv_rem(&a, &b)?.1,
            BinOp::BvSdiv => bdds.sdiv(&a, &b)?,
            BinOp::BvSrem => bdds.srem(&a, &b)?,
            BinOp::BvSmod => bdds.smod(&a, &b)?,
            BinOp::BvLshr => bdds.shr(&a, &b, Fill::Zero)?,
            BinOp::BvAshr => bdds.shr(&a, &b, Fill::Sign)?,
            _ => return Err(Unread::Unsupported(format!("the operation {op:?}"))),
        })
    }

    /// The cell of an array at an address.
    fn select(&mut self, array: Term, address: &[Bdd]) -> Result<Word> {
        let bdds = self.bdds;
        match self.terms.node(array) {
            Node::Symbol(array) => self.reader.leaves.cell(bdds, self.terms, array, address),
            Node::Store(of, at, value) => {
                let (at, value) = (self.full(at)?, self.full(value)?);
                let here = bdds.eq(address, &at)?;
                Ok(select(&here, &value, &self.select(of, address)?)?)
            }
            Node::ConstArray(_, value) => self.full(value),
            Node::Ite(condition, a, b) => {
                let condition = self.truth(condition)?;
                Ok(select(&condition, &self.select(a, address)?, &self.select(b, address)?)?)
            }
            other => Err(Unread::Unsupported(format!("the array {other:?}"))),
        }
    }
}
