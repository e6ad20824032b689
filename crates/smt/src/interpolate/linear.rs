//! Terms as linear sums.

use clinch_terms::{BinOp, Node, Sort, Term, Terms, UnOp};
use num_traits::Signed;

use super::problem::Problem;
use super::rational::Rational;
use super::simplex::add_multiple;
use super::tree::Position;

/// A number's position in its [`Problem`].
pub(super) type NumVar = usize;

/// A sum of multiples of numbers, and a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Linear {
    /// Ascending; no coefficient is zero.
    pub(super) entries: Vec<(NumVar, Rational)>,
    pub(super) constant: Rational,
}

impl Linear {
    pub(super) fn constant(constant: Rational) -> Linear {
        Linear { entries: Vec::new(), constant }
    }

    pub(super) fn variable(number: NumVar) -> Linear {
        Linear { entries: vec![(number, Rational::ONE)], constant: Rational::ZERO }
    }

    pub(super) fn plus(&self, factor: &Rational, other: &Linear) -> Linear {
        let mut entries = self.entries.clone();
        add_multiple(&mut entries, factor, &other.entries);
        Linear { entries, constant: &self.constant + &(factor * &other.constant) }
    }

    pub(super) fn times(&self, factor: &Rational) -> Linear {
        Linear::constant(Rational::ZERO).plus(factor, self)
    }
}

impl Problem {
    /// A numeric term of a node as a sum. What is not linear becomes a number of its own.
    pub(super) fn linear(&mut self, terms: &mut Terms, at: Position, term: Term) -> Linear {
        if let Some(value) = terms.as_integer(term) {
            return Linear::constant(Rational::of_integer(&value));
        }
        match terms.node(term) {
            Node::Symbol(_) => Linear::variable(self.number(terms, term, at)),
            Node::Unary(UnOp::Neg, a) => self.linear(terms, at, a).times(&Rational::int(-1)),
            Node::Unary(UnOp::BitNot, a) => {
                Linear::constant(Rational::int(-1)).plus(&Rational::int(-1), &self.linear(terms, at, a))
            }
            Node::Unary(UnOp::BoolToInt, a) => {
                let cases = [a, terms.int(1), terms.int(0)];
                self.choice(terms, at, term, cases)
            }
            Node::Ite(c, a, b) => self.choice(terms, at, term, [c, a, b]),
            Node::Binary(op, a, b) => self.operation(terms, at, term, (op, a, b)),
            _ => self.unknown(terms, at, term),
        }
    }

    fn operation(&mut self, terms: &mut Terms, at: Position, term: Term, (op, a, b): (BinOp, Term, Term)) -> Linear {
        let divisor = terms.as_integer(b).filter(|_| terms.sort(a) == Sort::Int);
        match (op, divisor) {
            (BinOp::Add, _) => self.linear(terms, at, a).plus(&Rational::ONE, &self.linear(terms, at, b)),
            (BinOp::Sub, _) => self.linear(terms, at, a).plus(&Rational::int(-1), &self.linear(terms, at, b)),
            (BinOp::Mul, _) => {
                let (x, y) = (self.linear(terms, at, a), self.linear(terms, at, b));
                if x.entries.is_empty() {
                    y.times(&x.constant)
                } else if y.entries.is_empty() {
                    x.times(&y.constant)
                } else {
                    self.unknown(terms, at, term)
                }
            }
            (BinOp::FloorDiv, Some(by)) if by.is_positive() => self.quotient(terms, at, a, b),
            (BinOp::Mod, Some(by)) if by.is_positive() => {
                let quotient = self.quotient(terms, at, a, b);
                self.linear(terms, at, a).plus(&-&Rational::of_integer(&by), &quotient)
            }
            (BinOp::Div | BinOp::Rem, Some(by)) if by.is_positive() => {
                // Truncated: the quotient of the absolute value, with the sign of the dividend.
                let op = if op == BinOp::Div { BinOp::FloorDiv } else { BinOp::Mod };
                let (zero, minus) = (terms.int(0), terms.unary(UnOp::Neg, a));
                let not_negative = terms.le(zero, a);
                let (up, down) = (terms.binary(op, a, b), terms.binary(op, minus, b));
                let down = terms.unary(UnOp::Neg, down);
                self.choice(terms, at, term, [not_negative, up, down])
            }
            _ => self.unknown(terms, at, term),
        }
    }

    fn unknown(&mut self, terms: &Terms, at: Position, term: Term) -> Linear {
        self.abstracted = true;
        Linear::variable(self.number(terms, term, at))
    }
}
