//! Formulas over integers as formulas over bit-vectors, evaluated wide enough not to wrap.

use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use super::View;
use crate::bitvec;
use crate::sort::Sort;
use crate::term::{BinOp, Node, Symbol, Term, Terms, UnOp};

/// Wider than this is not tried.
const MAX_WIDTH: u32 = 512;

/// The least width of a C type, if there is one, that is not less: invariants are also read by people.
fn natural(width: u32) -> u32 {
    [8, 16, 32, 64, 128].into_iter().find(|&w| width <= w).unwrap_or(width)
}

/// The formula about bit-vectors that says the same of the bits: `symbols` maps integer symbols to bit-vector symbols and
/// their views. `None` where it cannot be said.
pub fn widen(terms: &mut Terms, formula: Term, symbols: &FxHashMap<Symbol, (Symbol, View)>) -> Option<Term> {
    Widening { symbols, memo: FxHashMap::default() }.formula(terms, formula)
}

struct Widening<'a> {
    symbols: &'a FxHashMap<Symbol, (Symbol, View)>,
    memo: FxHashMap<Term, Option<Term>>,
}

impl Widening<'_> {
    fn formula(&mut self, terms: &mut Terms, term: Term) -> Option<Term> {
        if let Some(&known) = self.memo.get(&term) {
            return known;
        }
        let result = self.new_formula(terms, term);
        self.memo.insert(term, result);
        result
    }

    fn new_formula(&mut self, terms: &mut Terms, term: Term) -> Option<Term> {
        match terms.node(term) {
            Node::Bool(_) => Some(term),
            Node::Symbol(symbol) => {
                let (bits, _) = *self.symbols.get(&symbol)?;
                Some(terms.symbol(bits))
            }
            Node::Unary(UnOp::Not, a) => {
                let a = self.formula(terms, a)?;
                Some(terms.not(a))
            }
            Node::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
                let (a, b) = (self.formula(terms, a)?, self.formula(terms, b)?);
                Some(terms.binary(op, a, b))
            }
            Node::Ite(c, a, b) => {
                let (c, a, b) = (self.formula(terms, c)?, self.formula(terms, a)?, self.formula(terms, b)?);
                Some(terms.ite(c, a, b))
            }
            Node::Binary(BinOp::Eq, a, b) => match terms.sort(a) {
                Sort::Bool => {
                    let (a, b) = (self.formula(terms, a)?, self.formula(terms, b)?);
                    Some(terms.eq(a, b))
                }
                Sort::Array(_) => {
                    let (a, b) = (self.array(terms, a)?, self.array(terms, b)?);
                    Some(terms.eq(a, b))
                }
                _ => {
                    let (a, b) = match self.unsigned(terms, a, b) {
                        Some(operands) => operands,
                        None => self.same_width(terms, a, b)?,
                    };
                    Some(terms.eq(a, b))
                }
            },
            Node::Binary(BinOp::Le, a, b) => {
                if let Some((a, b)) = self.unsigned(terms, a, b) {
                    return Some(terms.bv_ule(a, b));
                }
                let (a, b) = self.same_width(terms, a, b)?;
                Some(terms.bv_sle(a, b))
            }
            Node::Binary(BinOp::Lt, a, b) => {
                if let Some((a, b)) = self.unsigned(terms, a, b) {
                    return Some(terms.bv_ult(a, b));
                }
                let (a, b) = self.same_width(terms, a, b)?;
                Some(terms.bv_slt(a, b))
            }
            _ => None,
        }
    }

    fn same_width(&mut self, terms: &mut Terms, a: Term, b: Term) -> Option<(Term, Term)> {
        let (a, b) = (self.number(terms, a)?, self.number(terms, b)?);
        let width = terms.bv_width(a).max(terms.bv_width(b));
        Some((terms.resize(true, width, a), terms.resize(true, width, b)))
    }

    /// Two unsigned variables, or one and a constant that it can equal, as they are: no comparison of them needs a sign.
    fn unsigned(&self, terms: &mut Terms, a: Term, b: Term) -> Option<(Term, Term)> {
        let variable = |terms: &mut Terms, t: Term| match terms.node(t) {
            Node::Symbol(symbol) => match self.symbols.get(&symbol) {
                Some(&(bits, View::Unsigned)) if matches!(terms.symbol_sort(bits), Sort::BitVec(_)) => {
                    Some(terms.symbol(bits))
                }
                _ => None,
            },
            _ => None,
        };
        let literal = |terms: &mut Terms, width: u32, t: Term| {
            let bits = terms.as_integer(t)?.to_biguint()?;
            (bits.bits() <= u64::from(width)).then(|| terms.big_bit_vec(width, bits))
        };
        let (left, right) = (variable(terms, a), variable(terms, b));
        let (left, right) = match (left, right) {
            (Some(left), Some(right)) => (left, right),
            (Some(left), None) => (left, literal(terms, terms.bv_width(left), b)?),
            (None, Some(right)) => (literal(terms, terms.bv_width(right), a)?, right),
            (None, None) => return None,
        };
        (terms.bv_width(left) == terms.bv_width(right)).then_some((left, right))
    }

    fn array(&mut self, terms: &mut Terms, term: Term) -> Option<Term> {
        match terms.node(term) {
            Node::Symbol(symbol) => {
                let (bits, _) = *self.symbols.get(&symbol)?;
                Some(terms.symbol(bits))
            }
            _ => None,
        }
    }

    /// A signed bit-vector, of some width, that is the number.
    fn number(&mut self, terms: &mut Terms, term: Term) -> Option<Term> {
        if let Some(value) = terms.as_integer(term) {
            return Some(constant(terms, &value));
        }
        match terms.node(term) {
            Node::Symbol(symbol) => {
                let (bits, view) = *self.symbols.get(&symbol)?;
                let bits = terms.symbol(bits);
                Some(signed(terms, bits, view))
            }
            Node::Binary(BinOp::Select, array, index) => {
                let array = self.array(terms, array)?;
                let Sort::Array(of) = terms.sort(array) else { return None };
                let Sort::BitVec(address) = of.0 else { return None };
                let index = self.number(terms, index)?;
                // An index is an address: where the number is none, the cell is some other one, and the formula weaker
                // than meant or wrong, which its check will show.
                let index = terms.resize(true, address, index);
                let element = terms.select(array, index);
                Some(signed(terms, element, View::Signed))
            }
            Node::Unary(UnOp::Neg, a) => {
                let a = self.number(terms, a)?;
                let zero = terms.bit_vec(1, 0);
                self.operation(terms, BinOp::BvSub, zero, a, 1)
            }
            Node::Binary(BinOp::Add, a, b) => {
                let (a, b) = (self.number(terms, a)?, self.number(terms, b)?);
                self.operation(terms, BinOp::BvAdd, a, b, 1)
            }
            Node::Binary(BinOp::Sub, a, b) => {
                let (a, b) = (self.number(terms, a)?, self.number(terms, b)?);
                self.operation(terms, BinOp::BvSub, a, b, 1)
            }
            Node::Binary(BinOp::Mul, a, b) => {
                let (a, b) = (self.number(terms, a)?, self.number(terms, b)?);
                let more = terms.bv_width(a).min(terms.bv_width(b));
                self.operation(terms, BinOp::BvMul, a, b, more)
            }
            Node::Binary(BinOp::Mod, a, b) => {
                let (a, b) = (self.number(terms, a)?, self.number(terms, b)?);
                // The divisor is positive, so this is the remainder rounded down.
                self.operation(terms, BinOp::BvSmod, a, b, 1)
            }
            Node::Binary(BinOp::FloorDiv, a, b) => {
                let (a, b) = (self.number(terms, a)?, self.number(terms, b)?);
                let rest = self.operation(terms, BinOp::BvSmod, a, b, 1)?;
                let whole = self.operation(terms, BinOp::BvSub, a, rest, 1)?;
                self.operation(terms, BinOp::BvSdiv, whole, b, 1)
            }
            Node::Ite(c, a, b) => {
                let c = self.formula(terms, c)?;
                let (a, b) = self.same_width(terms, a, b)?;
                Some(terms.ite(c, a, b))
            }
            _ => None,
        }
    }

    /// An operation on signed numbers at a width at which it cannot overflow: the wider operand's and `more`.
    fn operation(&mut self, terms: &mut Terms, op: BinOp, a: Term, b: Term, more: u32) -> Option<Term> {
        let width = natural(terms.bv_width(a).max(terms.bv_width(b)) + more);
        if width > MAX_WIDTH {
            return None;
        }
        let (a, b) = (terms.resize(true, width, a), terms.resize(true, width, b));
        Some(terms.bv(op, a, b))
    }
}

/// Bits as a signed number: an unsigned one gets a zero in front.
fn signed(terms: &mut Terms, bits: Term, view: View) -> Term {
    match view {
        View::Signed => bits,
        View::Unsigned => {
            let width = natural(terms.bv_width(bits) + 1);
            terms.resize(false, width, bits)
        }
    }
}

fn constant(terms: &mut Terms, value: &BigInt) -> Term {
    let width = u32::try_from(value.bits()).unwrap_or(MAX_WIDTH) + 1;
    terms.big_bit_vec(width, bitvec::of_integer(width, value))
}
