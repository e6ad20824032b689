//! Terms as words of Boolean functions: the meaning of SMT-LIB's bit-vectors, once for all who read terms.

use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp};
use rustc_hash::FxHashMap;

use crate::words::{Fill, Word, not, select};
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
        let mut word = match op {
            // Their lowest bits depend on those of the operands alone.
            BinOp::BvAdd | BinOp::BvSub | BinOp::BvMul | BinOp::BvAnd | BinOp::BvOr | BinOp::BvXor => {
                let (a, b) = (self.low(a, need)?, self.low(b, need)?);
                bdds.operation(op, &a, &b)?
            }
            BinOp::And => Some(vec![self.truth(a)?.and(&self.truth(b)?)?]),
            BinOp::Or => Some(vec![self.truth(a)?.or(&self.truth(b)?)?]),
            BinOp::BvShl => {
                let by = self.full(b)?;
                bdds.operation(op, &self.low(a, need)?, &by)?
            }
            BinOp::BvConcat => {
                let width = self.width(b)?;
                let mut word = self.low(b, need.min(width))?;
                if need > width {
                    word.extend(self.low(a, need - width)?);
                }
                Some(word)
            }
            BinOp::Select => {
                let address = self.full(b)?;
                Some(self.select(a, &address)?)
            }
            _ if op == BinOp::Eq || op.on_bit_vectors() => {
                let (a, b) = (self.full(a)?, self.full(b)?);
                match bdds.comparison(op, &a, &b)? {
                    Some(truth) => Some(vec![truth]),
                    None => bdds.operation(op, &a, &b)?,
                }
            }
            _ => return Err(Unread::Unsupported(format!("unbounded data: the operation {op:?}"))),
        }
        .ok_or_else(|| Unread::Unsupported(format!("the operation {op:?}")))?;
        word.truncate(need as usize);
        Ok(word)
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
