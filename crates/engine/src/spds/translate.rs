//! Terms become words of Boolean functions of the current bits.

use clinch_bdd::words::{Fill, Word, bitwise, not, select};
use clinch_bdd::{Bdd, Bdds};
use clinch_ir::{BinOp, Node, Sort, Term, Terms, UnOp};
use rustc_hash::FxHashMap;

use super::Obstacle;
use super::layout::{Layout, Storage};
use super::system::{COPIES, Copy};

type Result<T> = std::result::Result<T, Obstacle>;

/// Reads terms. What a read outside of all objects gives is open: a fresh variable each time, which
/// [`Translator::take_open`] hands over for quantification.
pub(super) struct Translator<'a> {
    pub(super) bdds: &'a Bdds,
    pub(super) terms: &'a Terms,
    pub(super) layout: &'a Layout,
    known: FxHashMap<(Term, u32), Word>,
    /// Open variables in use.
    open: u32,
}

/// Open variables there are.
pub(super) const OPEN: u32 = 1024;

impl<'a> Translator<'a> {
    pub(super) fn new(bdds: &'a Bdds, terms: &'a Terms, layout: &'a Layout) -> Self {
        Translator { bdds, terms, layout, known: FxHashMap::default(), open: 0 }
    }

    /// The open variables since the last call.
    pub(super) fn take_open(&mut self) -> Vec<u32> {
        if self.open > 0 {
            // Known words may mention them.
            self.known.clear();
        }
        let first = COPIES * self.layout.bits;
        let open = (first..first + self.open).collect();
        self.open = 0;
        open
    }

    fn fresh(&mut self, width: u32) -> Result<Word> {
        if self.open + width > OPEN {
            return Err(Obstacle::Unsupported("too many open values in one step".to_owned()));
        }
        let first = COPIES * self.layout.bits + self.open;
        self.open += width;
        (first..first + width).map(|v| Ok(self.bdds.variable(v)?)).collect()
    }

    /// The value of a place, in full width.
    pub(super) fn stored(&self, storage: &Storage, copy: Copy) -> Result<Word> {
        let mut value = Word::new();
        for (&bit, &position) in storage.bits.iter().zip(&storage.positions) {
            value.extend((value.len() as u32..position).map(|i| self.bdds.constant(storage.ones >> i & 1 == 1)));
            value.push(self.bdds.variable(bit.at(copy))?);
        }
        let highest = 64 - storage.ones.leading_zeros();
        value.extend((value.len() as u32..highest).map(|i| self.bdds.constant(storage.ones >> i & 1 == 1)));
        Ok(self.bdds.resize(&value, storage.width, storage.fill))
    }

    /// A truth value.
    pub(super) fn truth(&mut self, term: Term) -> Result<Bdd> {
        let word = self.low(term, 1)?;
        Ok(word.into_iter().next().expect("a truth value is one bit"))
    }

    /// The lowest bits of a value; a truth value is one bit.
    pub(super) fn low(&mut self, term: Term, need: u32) -> Result<Word> {
        if need == 0 {
            return Ok(Word::new());
        }
        if let Some(known) = self.known.get(&(term, need)) {
            return Ok(known.clone());
        }
        let word = self.compute(term, need)?;
        debug_assert_eq!(word.len(), need as usize);
        self.known.insert((term, need), word.clone());
        Ok(word)
    }

    fn width(&self, term: Term) -> Result<u32> {
        match self.terms.sort(term) {
            Sort::Bool => Ok(1),
            Sort::BitVec(width) => Ok(width),
            other => Err(Obstacle::Unsupported(format!("unbounded data: a term of sort {other}"))),
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
                let layout = self.layout;
                let storage = layout
                    .scalars
                    .get(&symbol)
                    .ok_or_else(|| Obstacle::Unsupported(format!("the variable {}", self.terms.symbol_name(symbol))))?;
                bdds.resize(&self.stored(storage, Copy::Current)?, need, Fill::Zero)
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
            other => return Err(Obstacle::Unsupported(format!("the term {other:?}"))),
        })
    }

    fn unary(&mut self, op: UnOp, a: Term, need: u32) -> Result<Word> {
        let word = match op {
            UnOp::Not | UnOp::BvNot | UnOp::BvNeg => self.low(a, need)?,
            _ => return Err(Obstacle::Unsupported(format!("unbounded data: the operation {op:?}"))),
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
            return Err(Obstacle::Unsupported(format!("unbounded data: the operation {op:?}")));
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
            _ => return Err(Obstacle::Unsupported(format!("the operation {op:?}"))),
        })
    }

    /// The cell of an array at an address.
    fn select(&mut self, array: Term, address: &[Bdd]) -> Result<Word> {
        let bdds = self.bdds;
        match self.terms.node(array) {
            Node::Symbol(region) => {
                let Sort::Array(of) = self.terms.symbol_sort(region).clone() else {
                    return Err(Obstacle::Unsupported("a cell of no array".to_owned()));
                };
                let width = match of.1 {
                    Sort::Bool => 1,
                    Sort::BitVec(width) => width,
                    ref other => return Err(Obstacle::Unsupported(format!("unbounded data: a cell of sort {other}"))),
                };
                let layout = self.layout;
                let cells = layout.regions.get(&region).map_or(&[][..], Vec::as_slice);
                let mut words = Vec::with_capacity(cells.len());
                let mut covered = bdds.ff();
                for cell in cells {
                    let here = bdds.eq(address, &bdds.word(address.len() as u32, cell.address))?;
                    if here.is_false() {
                        continue;
                    }
                    covered = covered.or(&here)?;
                    words.push((here, self.stored(&cell.storage, Copy::Current)?));
                }
                let mut found = if covered.is_true() { bdds.word(width, 0) } else { self.fresh(width)? };
                for (here, word) in &words {
                    found = select(here, word, &found)?;
                }
                Ok(found)
            }
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
            other => Err(Obstacle::Unsupported(format!("the array {other:?}"))),
        }
    }
}
