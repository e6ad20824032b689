//! Formulas that travel from one process to another.
//!
//! A [`Term`] is an index into a store that only one process has. Processes that read one program in the same way agree on its symbols and
//! on nothing else, so a [`Portable`] formula names symbols, by position, name and sort, and writes out all the rest. Whoever reads
//! one checks it as any other input: a formula that does not fit the store is none.

mod sorts;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use num_bigint::{BigInt, BigUint};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::float::Format;
use crate::{BinOp, Node, Sort, Term, Terms, UnOp};
use sorts::is_well_sorted;

/// Bit-vectors that are wider are not taken.
const MAX_WIDTH: u32 = 4096;

/// A formula without a store: its distinct parts, each after its own parts; the last one is the formula.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Portable {
    parts: Vec<Part>,
}

/// A node of a formula. Arguments are positions in the list of parts.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
enum Part {
    Bool(bool),
    Int(i64),
    /// Digits of a larger integer.
    Big(String),
    BitVec(u32, u64),
    /// Width, and the digits of a larger value.
    BigBitVec(u32, String),
    /// Position of the declaration, name and sort.
    Symbol(u32, String, PortableSort),
    ConstArray(PortableSort, u32),
    Unary(UnOp, u32),
    Binary(BinOp, u32, u32),
    Ite(u32, u32, u32),
    Store(u32, u32, u32),
    Fma(Format, u32, u32, u32),
    Extract(u32, u32, u32),
    Extend(bool, u32, u32),
    IntToBv(u32, u32),
}

/// A sort of a formula about programs with procedures.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
enum PortableSort {
    Bool,
    Int,
    BitVec(u32),
    Array(Box<(PortableSort, PortableSort)>),
}

impl Portable {
    /// The formula, if it has at most `limit` distinct parts and is about nothing but symbols.
    pub fn write(terms: &Terms, formula: Term, limit: usize) -> Option<Portable> {
        let found = parts_within(terms, formula, limit)?;
        let position: FxHashMap<Term, u32> = found.iter().zip(0..).map(|(&term, i)| (term, i)).collect();
        let parts = found.iter().map(|&term| Part::write(terms, term, &position)).collect::<Option<_>>()?;
        Some(Portable { parts })
    }

    /// The formula in a store that has its symbols. `None` if the store lacks one, or if it makes no sense there.
    pub fn read(&self, terms: &mut Terms) -> Option<Term> {
        let mut here: Vec<Term> = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let term = part.read(terms, &here)?;
            here.push(term);
        }
        here.last().copied()
    }

    /// The positions of its symbols in a store.
    pub fn symbols(&self) -> impl Iterator<Item = usize> + '_ {
        self.parts.iter().filter_map(|part| match part {
            Part::Symbol(index, ..) => Some(*index as usize),
            _ => None,
        })
    }
}

/// The distinct parts of a term, each after its own parts, unless there are too many.
fn parts_within(terms: &Terms, term: Term, limit: usize) -> Option<BTreeSet<Term>> {
    let mut found = BTreeSet::from([term]);
    let mut waiting = vec![term];
    while let Some(part) = waiting.pop() {
        if found.len() > limit {
            return None;
        }
        waiting.extend(terms.children(part).filter(|&child| found.insert(child)));
    }
    // A part is made before the terms that have it.
    Some(found)
}

impl Part {
    fn write(terms: &Terms, term: Term, position: &FxHashMap<Term, u32>) -> Option<Part> {
        let at = |t: Term| position.get(&t).copied();
        Some(match terms.node(term) {
            Node::Bool(b) => Part::Bool(b),
            Node::Int(n) => Part::Int(n),
            Node::Big(id) => Part::Big(terms.big_value(id).to_string()),
            Node::BitVec(width, bits) => Part::BitVec(width, bits),
            Node::BigBitVec(width, id) => Part::BigBitVec(width, terms.big_value(id).to_string()),
            Node::Symbol(symbol) => {
                let sort = PortableSort::write(terms.symbol_sort(symbol))?;
                Part::Symbol(u32::try_from(symbol.index()).ok()?, terms.symbol_name(symbol).to_owned(), sort)
            }
            Node::ConstArray(id, element) => Part::ConstArray(PortableSort::write(terms.sort_of_id(id))?, at(element)?),
            Node::Unary(op, a) => Part::Unary(op, at(a)?),
            Node::Binary(op, a, b) => Part::Binary(op, at(a)?, at(b)?),
            Node::Ite(c, a, b) => Part::Ite(at(c)?, at(a)?, at(b)?),
            Node::Store(array, index, value) => Part::Store(at(array)?, at(index)?, at(value)?),
            Node::Fma(format, a, b, c) => Part::Fma(format, at(a)?, at(b)?, at(c)?),
            Node::Extract { hi, lo, of } => Part::Extract(hi, lo, at(of)?),
            Node::Extend { signed, by, of } => Part::Extend(signed, by, at(of)?),
            Node::IntToBv(width, a) => Part::IntToBv(width, at(a)?),
            Node::Var(_) | Node::At(..) | Node::Input(_) => return None,
        })
    }

    /// The term, with arguments among those read before.
    fn read(&self, terms: &mut Terms, before: &[Term]) -> Option<Term> {
        let at = |position: &u32| before.get(*position as usize).copied();
        let node = match self {
            Part::Bool(b) => Node::Bool(*b),
            Part::Int(n) => Node::Int(*n),
            Part::Big(digits) => return Some(terms.big(digits.parse::<BigInt>().ok()?)),
            Part::BitVec(width, bits) => Node::BitVec(*width, *bits),
            Part::BigBitVec(width, digits) => {
                let bits: BigUint = digits.parse().ok()?;
                let fits = *width <= MAX_WIDTH && bits.bits() <= u64::from(*width) && *width > 0;
                return fits.then(|| terms.big_bit_vec(*width, bits));
            }
            Part::Symbol(index, name, sort) => {
                let symbol = terms.symbol_at(*index as usize)?;
                let same = terms.symbol_name(symbol) == name && *terms.symbol_sort(symbol) == sort.read()?;
                return same.then(|| terms.symbol(symbol));
            }
            Part::ConstArray(sort, element) => {
                let id = terms.intern_sort(sort.read()?);
                Node::ConstArray(id, at(element)?)
            }
            Part::Unary(op, a) => Node::Unary(*op, at(a)?),
            Part::Binary(op, a, b) => Node::Binary(*op, at(a)?, at(b)?),
            Part::Ite(c, a, b) => Node::Ite(at(c)?, at(a)?, at(b)?),
            Part::Store(array, index, value) => Node::Store(at(array)?, at(index)?, at(value)?),
            Part::Fma(format, a, b, c) => Node::Fma(*format, at(a)?, at(b)?, at(c)?),
            Part::Extract(hi, lo, of) => Node::Extract { hi: *hi, lo: *lo, of: at(of)? },
            Part::Extend(signed, by, of) => Node::Extend { signed: *signed, by: *by, of: at(of)? },
            Part::IntToBv(width, a) => Node::IntToBv(*width, at(a)?),
        };
        // What was written was simplified by the writer: as it stands, it is the same term here.
        is_well_sorted(terms, node).then(|| terms.intern(node))
    }
}

impl PortableSort {
    fn write(sort: &Sort) -> Option<PortableSort> {
        Some(match sort {
            Sort::Bool => PortableSort::Bool,
            Sort::Int => PortableSort::Int,
            Sort::BitVec(width) => PortableSort::BitVec(*width),
            Sort::Array(of) => {
                PortableSort::Array(Box::new((PortableSort::write(&of.0)?, PortableSort::write(&of.1)?)))
            }
            Sort::Real => return None,
        })
    }

    fn read(&self) -> Option<Sort> {
        Some(match self {
            PortableSort::Bool => Sort::Bool,
            PortableSort::Int => Sort::Int,
            PortableSort::BitVec(width) => return (1..=MAX_WIDTH).contains(width).then_some(Sort::BitVec(*width)),
            PortableSort::Array(of) => Sort::array(of.0.read()?, of.1.read()?),
        })
    }
}
