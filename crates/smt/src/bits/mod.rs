//! Formulas over truth values, bit-vectors and arrays of them as circuits, for a SAT solver.
//!
//! Z3 can do that too, but rewrites formulas first and makes two to four times as many clauses of what symbolic execution builds:
//! deep choices between few values that share most of their parts. Here terms become gates as they are. Gates go to Z3 as
//! Boolean formulas, which its SAT solver takes without further ado.
//!
//! A read of an array is a chain of choices: what an earlier read found, if that one was at the same index, and otherwise anything.
//! So two reads at equal indices find the same, and nothing else is known of the contents.

mod circuit;
mod clauses;
mod sums;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use clinch_terms::float::circuit::{
    Template, binary_template, extended_binary_template, extended_unary_template, fma_template, unary_template,
};
use clinch_terms::words::Words;
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp, Value};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use circuit::Circuit;
pub(crate) use circuit::{Bit, Gate};
pub(crate) use clauses::Formulas;
use sums::Sums;

/// Gates at most: for the sake of memory.
const GATES: usize = 1 << 23;
/// Reads of arrays at indices that are no constants, at most: each is compared with all others.
const READS: usize = 256;

/// A word that several terms share.
type Bits = Rc<[Bit]>;

/// Terms as parts of one circuit.
#[derive(Default, Debug)]
pub(crate) struct Blaster {
    pub(crate) circuit: Circuit,
    words: FxHashMap<Term, Bits>,
    sums: Sums,
    /// What was read in arrays of unknown contents, and where.
    contents: FxHashMap<Symbol, Vec<(Bits, Bits)>>,
    /// Elements of all arrays, by index.
    elements: FxHashMap<(Term, Bits), Bits>,
}

/// Whether a formula with these parts can be made a circuit, of bearable size.
pub(crate) fn is_in_bits(terms: &Terms, parts: &[Term]) -> bool {
    let mut reads = 0;
    parts.iter().all(|&part| {
        if let Node::Binary(BinOp::Select, _, index) = terms.node(part) {
            reads += usize::from(terms.as_bit_vec(index).is_none());
        }
        reads <= READS && is_supported(terms, part)
    })
}

fn is_supported(terms: &Terms, part: Term) -> bool {
    let of_bits = |sort: &Sort| matches!(sort, Sort::Bool | Sort::BitVec(_));
    match (terms.sort(part), terms.node(part)) {
        (_, Node::Binary(BinOp::Eq, a, _)) => of_bits(&terms.sort(a)),
        (Sort::Array(of), _) => matches!(of.0, Sort::BitVec(_)) && of_bits(&of.1),
        (sort, _) => of_bits(&sort),
    }
}

impl Blaster {
    /// The bits of a term that is a truth value or a bit-vector; none if the circuit gets too large, or a part is of another sort.
    /// `parts` has the parts that may be new, each after its own parts.
    pub(crate) fn word(&mut self, terms: &Terms, parts: &[Term], term: Term) -> Option<Rc<[Bit]>> {
        for &part in parts {
            if !matches!(terms.sort(part), Sort::Array(_)) && !self.words.contains_key(&part) {
                let word = self.translate(terms, part)?;
                self.words.insert(part, word);
            }
            if self.circuit.len() > GATES {
                return None;
            }
        }
        self.words.get(&term).cloned()
    }

    /// Whether a term was translated.
    pub(crate) fn knows(&self, term: Term) -> bool {
        self.words.contains_key(&term)
    }

    fn translate(&mut self, terms: &Terms, term: Term) -> Option<Bits> {
        let word: Vec<Bit> = match terms.node(term) {
            Node::Bool(value) => vec![Bit::constant(value)],
            Node::BitVec(..) | Node::BigBitVec(..) => {
                let (width, bits) = terms.as_bit_vec(term)?;
                (0..u64::from(width)).map(|i| Bit::constant(bits.bit(i))).collect()
            }
            Node::Symbol(_) => return self.anything(&terms.sort(term)),
            Node::Unary(UnOp::BvNeg, a) => {
                let a = self.words.get(&a)?.clone();
                let zero: Bits = vec![Bit::FALSE; a.len()].into();
                return Some(self.sums.add(&mut self.circuit, &zero, &a, true));
            }
            Node::Unary(UnOp::Not | UnOp::BvNot, a) => self.words.get(&a)?.iter().map(|&bit| !bit).collect(),
            Node::Binary(op @ (BinOp::BvAdd | BinOp::BvSub), a, b) => {
                let (a, b) = (self.words.get(&a)?.clone(), self.words.get(&b)?.clone());
                return Some(self.sums.add(&mut self.circuit, &a, &b, op == BinOp::BvSub));
            }
            Node::Binary(BinOp::Select, array, index) => {
                let index = self.words.get(&index)?.clone();
                return self.select(terms, array, &index);
            }
            Node::Unary(UnOp::Float(op, format), a) => {
                return self.instance(&unary_template(op, format, terms.bv_width(a)), &[a]);
            }
            Node::Binary(BinOp::Float(op, format), a, b) => {
                return self.instance(&binary_template(op, format), &[a, b]);
            }
            Node::Unary(UnOp::Extended(op), a) => {
                return self.instance(&extended_unary_template(op, terms.bv_width(a)), &[a]);
            }
            Node::Binary(BinOp::Extended(op), a, b) => return self.instance(&extended_binary_template(op), &[a, b]),
            Node::Fma(format, a, b, c) => return self.instance(&fma_template(format), &[a, b, c]),
            Node::Binary(op, a, b) => self.binary(terms, op, a, b)?,
            Node::Ite(c, a, b) => {
                let [c, a, b] = [c, a, b].map(|part| self.words.get(&part).cloned());
                self.circuit.choose(&c?[0], &a?, &b?)
            }
            Node::Extract { hi, lo, of } => self.words.get(&of)?[lo as usize..=hi as usize].into(),
            Node::Extend { signed, by, of } => {
                let word = self.words.get(&of)?;
                let above = if signed { *word.last()? } else { Bit::FALSE };
                word.iter().copied().chain(std::iter::repeat_n(above, by as usize)).collect()
            }
            _ => return None,
        };
        Some(word.into())
    }

    /// A floating-point operation.
    fn instance(&mut self, template: &Template, operands: &[Term]) -> Option<Bits> {
        let mut words = FxHashMap::default();
        for (&symbol, operand) in template.operands.iter().zip(operands) {
            words.insert(template.terms.find(Node::Symbol(symbol))?, self.words.get(operand)?.clone());
        }
        let outside = std::mem::replace(&mut self.words, words);
        let result = self.word(&template.terms, &template.terms.parts(template.result), template.result);
        self.words = outside;
        result
    }

    fn binary(&mut self, terms: &Terms, op: BinOp, a: Term, b: Term) -> Option<Vec<Bit>> {
        let (x, y) = (self.words.get(&a)?.clone(), self.words.get(&b)?.clone());
        let bit = match op {
            BinOp::And => self.circuit.and(x[0], y[0]),
            BinOp::Or => self.circuit.or(x[0], y[0]),
            BinOp::Eq => self.sums.equal(&mut self.circuit, &x, &y),
            _ if matches!(terms.sort(a), Sort::Bool) => return None,
            _ => match self.circuit.comparison(op, &x, &y) {
                Some(bit) => bit,
                None => return self.circuit.operation(op, &x, &y),
            },
        };
        Some(vec![bit])
    }

    /// A word of new inputs.
    fn anything(&mut self, sort: &Sort) -> Option<Bits> {
        let width = match sort {
            Sort::Bool => 1,
            Sort::BitVec(width) => *width,
            _ => return None,
        };
        Some((0..width).map(|_| self.circuit.input()).collect())
    }

    /// The element of an array at an index.
    fn select(&mut self, terms: &Terms, array: Term, index: &Bits) -> Option<Bits> {
        let key = (array, Rc::clone(index));
        if let Some(known) = self.elements.get(&key) {
            return Some(Rc::clone(known));
        }
        let found = match terms.node(array) {
            Node::Symbol(symbol) => self.read(terms, symbol, index)?,
            Node::ConstArray(_, element) => self.words.get(&element)?.clone(),
            Node::Store(below, place, element) => {
                let (place, element) = (self.words.get(&place)?.clone(), self.words.get(&element)?.clone());
                match self.circuit.equal(&place, index) {
                    Bit::TRUE => element,
                    same => {
                        let below = self.select(terms, below, index)?;
                        self.circuit.choose(&same, &element, &below).into()
                    }
                }
            }
            Node::Ite(c, a, b) => {
                let c = self.words.get(&c)?[0];
                let (a, b) = (self.select(terms, a, index)?, self.select(terms, b, index)?);
                self.circuit.choose(&c, &a, &b).into()
            }
            _ => return None,
        };
        self.elements.insert(key, Rc::clone(&found));
        Some(found)
    }

    /// What an array of unknown contents has at an index.
    fn read(&mut self, terms: &Terms, array: Symbol, index: &Bits) -> Option<Bits> {
        let Sort::Array(of) = terms.symbol_sort(array) else { return None };
        let mut found = self.anything(&of.1)?;
        let earlier = self.contents.entry(array).or_default();
        for (place, element) in earlier.iter() {
            let same = self.circuit.equal(place, index);
            found = self.circuit.choose(&same, element, &found).into();
        }
        earlier.push((Rc::clone(index), Rc::clone(&found)));
        Some(found)
    }
}

/// The value of a word, given that of each gate.
pub(crate) fn value(sort: &Sort, word: &[Bit], values: &[bool]) -> Option<Value> {
    let of = |bit: &Bit| values[bit.gate()] != bit.is_negated();
    match sort {
        Sort::Bool => Some(Value::Bool(of(&word[0]))),
        Sort::BitVec(width) => {
            let mut bits = BigUint::default();
            word.iter().zip(0..).for_each(|(bit, i)| bits.set_bit(i, of(bit)));
            Some(Value::BitVec { width: *width, bits })
        }
        _ => None,
    }
}
