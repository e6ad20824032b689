//! Formulas over integers as formulas over bit-vectors, evaluated wide enough not to wrap.

use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp, bitvec};
use rustc_hash::FxHashMap;

use super::View;
use super::equations::paired;
use super::memory::region_of;

/// Wider than this is not tried.
const MAX_WIDTH: u32 = 512;

/// The least width of a C type, if there is one, that is not less: invariants are also read by people.
fn natural(width: u32) -> u32 {
    [8, 16, 32, 64, 128].into_iter().find(|&w| width <= w).unwrap_or(width)
}

/// The formula about bit-vectors that says the same of the bits: `symbols` maps integer symbols to bit-vector symbols and
/// their views. `None` where it cannot be said.
pub fn widen(terms: &mut Terms, formula: Term, symbols: &FxHashMap<Symbol, (Symbol, View)>) -> Option<Term> {
    let formula = paired(terms, formula);
    let (memo, needs, numbers) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
    Widening { symbols, memo, needs, numbers }.formula(terms, formula)
}

struct Widening<'a> {
    symbols: &'a FxHashMap<Symbol, (Symbol, View)>,
    memo: FxHashMap<Term, Option<Term>>,
    needs: FxHashMap<Term, Option<u32>>,
    numbers: FxHashMap<(Term, u32), Option<Term>>,
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
                    let (sort, _) = self.array_sort(terms, a).or_else(|| self.array_sort(terms, b))?;
                    let (a, b) = (self.array(terms, a, &sort)?, self.array(terms, b, &sort)?);
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

    /// Both numbers at one width, at which nothing in them overflows.
    fn same_width(&mut self, terms: &mut Terms, a: Term, b: Term) -> Option<(Term, Term)> {
        let width = natural(self.need(terms, a)?.max(self.need(terms, b)?));
        if width > MAX_WIDTH {
            return None;
        }
        Some((self.number(terms, a, width)?, self.number(terms, b, width)?))
    }

    /// Two unsigned variables, or one and a constant that it can equal, as they are: no comparison of them needs a sign.
    fn unsigned(&mut self, terms: &mut Terms, a: Term, b: Term) -> Option<(Term, Term)> {
        let literal = |terms: &mut Terms, width: u32, t: Term| {
            let bits = terms.as_integer(t)?.to_biguint()?;
            (bits.bits() <= u64::from(width)).then(|| terms.big_bit_vec(width, bits))
        };
        let (left, right) = (self.unsigned_variable(terms, a), self.unsigned_variable(terms, b));
        let (left, right) = match (left, right) {
            (Some(left), Some(right)) => (left, right),
            (Some(left), None) => (left, literal(terms, terms.bv_width(left), b)?),
            (None, Some(right)) => (literal(terms, terms.bv_width(right), a)?, right),
            (None, None) => return None,
        };
        (terms.bv_width(left) == terms.bv_width(right)).then_some((left, right))
    }

    /// The bits of an unsigned variable, or of a cell in a region of such.
    fn unsigned_variable(&mut self, terms: &mut Terms, term: Term) -> Option<Term> {
        match terms.node(term) {
            Node::Symbol(symbol) => match *self.symbols.get(&symbol)? {
                (bits, View::Unsigned) => {
                    matches!(terms.symbol_sort(bits), Sort::BitVec(_)).then(|| terms.symbol(bits))
                }
                _ => None,
            },
            Node::Binary(BinOp::Select, array, index) => {
                let Node::Symbol(region) = terms.node(array) else { return None };
                let (bits, View::Unsigned) = *self.symbols.get(&region)? else { return None };
                let Sort::Array(of) = terms.symbol_sort(bits).clone() else { return None };
                let index = self.cut(terms, index, &of.0)?;
                let array = terms.symbol(bits);
                Some(terms.select(array, index))
            }
            _ => None,
        }
    }

    /// The sort of an array in bits, and how its cells are read: as those of the variable in it.
    fn array_sort(&self, terms: &Terms, array: Term) -> Option<(Sort, View)> {
        let (bits, view) = *self.symbols.get(&region_of(terms, array)?)?;
        Some((terms.symbol_sort(bits).clone(), view))
    }

    fn array(&mut self, terms: &mut Terms, term: Term, sort: &Sort) -> Option<Term> {
        let Sort::Array(of) = sort else { return None };
        match terms.node(term) {
            Node::Symbol(symbol) => {
                let (bits, _) = *self.symbols.get(&symbol)?;
                // Arrays of integers can be equal whose elements have different widths in bits.
                (terms.symbol_sort(bits) == sort).then(|| terms.symbol(bits))
            }
            Node::Store(array, index, value) => {
                let array = self.array(terms, array, sort)?;
                let (index, value) = (self.cut(terms, index, &of.0)?, self.cut(terms, value, &of.1)?);
                Some(terms.store(array, index, value))
            }
            Node::ConstArray(_, value) => {
                let value = self.cut(terms, value, &of.1)?;
                Some(terms.const_array(sort.clone(), value))
            }
            Node::Ite(c, a, b) => {
                let (c, a, b) = (self.formula(terms, c)?, self.array(terms, a, sort)?, self.array(terms, b, sort)?);
                Some(terms.ite(c, a, b))
            }
            _ => None,
        }
    }

    /// What is read from an array that is not a variable: the cases are told apart by conditions on the index.
    fn read(terms: &mut Terms, array: Term, index: Term) -> Option<Term> {
        match terms.node(array) {
            Node::Store(array, at, value) => {
                let (here, other) = (terms.eq(index, at), terms.select(array, index));
                Some(terms.ite(here, value, other))
            }
            Node::ConstArray(_, value) => Some(value),
            Node::Ite(c, a, b) => {
                let (a, b) = (terms.select(a, index), terms.select(b, index));
                Some(terms.ite(c, a, b))
            }
            _ => None,
        }
    }

    /// The lowest bits of a number. Where it has more, as an index that is no address, the formula is weaker than meant or wrong,
    /// which its check will show.
    fn cut(&mut self, terms: &mut Terms, number: Term, sort: &Sort) -> Option<Term> {
        let Sort::BitVec(width) = *sort else { return None };
        let wide = self.need(terms, number)?.max(width);
        if wide > MAX_WIDTH {
            return None;
        }
        let number = self.number(terms, number, wide)?;
        Some(terms.resize(true, width, number))
    }

    /// The bits that a number takes in two's complement, at most, and all numbers it is computed from.
    fn need(&mut self, terms: &mut Terms, term: Term) -> Option<u32> {
        if let Some(&known) = self.needs.get(&term) {
            return known;
        }
        let result = self.new_need(terms, term);
        self.needs.insert(term, result);
        result
    }

    fn new_need(&mut self, terms: &mut Terms, term: Term) -> Option<u32> {
        if let Some(value) = terms.as_integer(term) {
            return u32::try_from(value.bits()).ok().map(|bits| bits + 1);
        }
        match terms.node(term) {
            Node::Symbol(symbol) => {
                let (bits, view) = *self.symbols.get(&symbol)?;
                let Sort::BitVec(width) = *terms.symbol_sort(bits) else { return None };
                Some(width + u32::from(view == View::Unsigned))
            }
            Node::Binary(BinOp::Select, array, index) => {
                if let Some(value) = Self::read(terms, array, index) {
                    return self.need(terms, value);
                }
                let (Sort::Array(of), view) = self.array_sort(terms, array)? else { return None };
                let Sort::BitVec(width) = of.1 else { return None };
                Some(width + u32::from(view == View::Unsigned))
            }
            Node::Unary(UnOp::Neg, a) => Some(self.need(terms, a)? + 1),
            Node::Binary(BinOp::Add | BinOp::Sub | BinOp::Mod | BinOp::FloorDiv, a, b) => {
                Some(self.need(terms, a)?.max(self.need(terms, b)?) + 1)
            }
            Node::Binary(BinOp::Mul, a, b) => Some(self.need(terms, a)? + self.need(terms, b)?),
            Node::Ite(_, a, b) => Some(self.need(terms, a)?.max(self.need(terms, b)?)),
            _ => None,
        }
    }

    /// The number as a signed bit-vector of a width that is enough for it.
    fn number(&mut self, terms: &mut Terms, term: Term, width: u32) -> Option<Term> {
        if let Some(&known) = self.numbers.get(&(term, width)) {
            return known;
        }
        let result = self.new_number(terms, term, width);
        self.numbers.insert((term, width), result);
        result
    }

    fn new_number(&mut self, terms: &mut Terms, term: Term, width: u32) -> Option<Term> {
        if let Some(value) = terms.as_integer(term) {
            return Some(terms.big_bit_vec(width, bitvec::of_integer(width, &value)));
        }
        match terms.node(term) {
            Node::Symbol(symbol) => {
                let (bits, view) = *self.symbols.get(&symbol)?;
                let bits = terms.symbol(bits);
                Some(terms.resize(view == View::Signed, width, bits))
            }
            Node::Binary(BinOp::Select, array, index) => {
                if let Some(value) = Self::read(terms, array, index) {
                    return self.number(terms, value, width);
                }
                let (sort, view) = self.array_sort(terms, array)?;
                let array = self.array(terms, array, &sort)?;
                let Sort::Array(of) = sort else { return None };
                let index = self.cut(terms, index, &of.0)?;
                let element = terms.select(array, index);
                Some(terms.resize(view == View::Signed, width, element))
            }
            Node::Unary(UnOp::Neg, a) => {
                let a = self.number(terms, a, width)?;
                Some(terms.bv_neg(a))
            }
            Node::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Mod | BinOp::FloorDiv), a, b) => {
                let (a, b) = (self.number(terms, a, width)?, self.number(terms, b, width)?);
                Some(match op {
                    BinOp::Add => terms.bv(BinOp::BvAdd, a, b),
                    BinOp::Sub => terms.bv(BinOp::BvSub, a, b),
                    BinOp::Mul => terms.bv(BinOp::BvMul, a, b),
                    // The divisor is positive, so this is the remainder rounded down.
                    BinOp::Mod => terms.bv(BinOp::BvSmod, a, b),
                    _ => {
                        let rest = terms.bv(BinOp::BvSmod, a, b);
                        let whole = terms.bv(BinOp::BvSub, a, rest);
                        terms.bv(BinOp::BvSdiv, whole, b)
                    }
                })
            }
            Node::Ite(c, a, b) => {
                let c = self.formula(terms, c)?;
                let (a, b) = (self.number(terms, a, width)?, self.number(terms, b, width)?);
                Some(terms.ite(c, a, b))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two arrays of integers that stand for arrays of bit-vectors with these widths.
    fn equal_arrays(left: u32, right: u32) -> Option<Term> {
        let mut terms = Terms::new();
        let mut symbols = FxHashMap::default();
        let mut array = |terms: &mut Terms, width: u32| {
            let integers = terms.declare("a", Sort::array(Sort::Int, Sort::Int));
            let bits = terms.declare("b", Sort::array(Sort::BitVec(64), Sort::BitVec(width)));
            symbols.insert(integers, (bits, View::Signed));
            terms.symbol(integers)
        };
        let (a, b) = (array(&mut terms, left), array(&mut terms, right));
        let same = terms.eq(a, b);
        widen(&mut terms, same, &symbols)
    }

    #[test]
    fn arrays_of_different_widths_are_not_compared() {
        assert!(equal_arrays(32, 32).is_some());
        assert_eq!(equal_arrays(64, 32), None);
        assert_eq!(equal_arrays(32, 64), None);
    }
}
