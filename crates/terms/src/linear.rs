//! Linear sums of terms with constant coefficients in 64 bits.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use crate::{BinOp, Node, Symbol, Term, Terms, UnOp};

/// Sums with more summands than this are left alone.
const MAX_SUMMANDS: usize = 64;

/// `constant + sum of coefficient * term`, where no term is a sum itself.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Linear {
    /// Coefficients by term; none is zero.
    pub summands: BTreeMap<Term, i64>,
    /// What is added to them.
    pub constant: i64,
    /// How many leaves the sum had before equal ones were added up.
    pub leaves: usize,
}

impl Linear {
    /// The sum that a term is, if it is not too large and all coefficients fit in 64 bits.
    pub fn of(terms: &Terms, term: Term) -> Option<Linear> {
        let mut linear = Linear::default();
        linear.add(terms, term, 1)?;
        Some(linear)
    }

    /// A sum without summands.
    pub fn constant(constant: i64) -> Linear {
        Linear { constant, leaves: 1, ..Linear::default() }
    }

    /// A term as a sum of its own.
    pub fn summand(term: Term) -> Linear {
        Linear { summands: BTreeMap::from([(term, 1)]), constant: 0, leaves: 1 }
    }

    /// The sum `a - b`.
    pub fn difference(terms: &Terms, a: Term, b: Term) -> Option<Linear> {
        let mut linear = Linear::of(terms, a)?;
        linear.add(terms, b, -1)?;
        Some(linear)
    }

    /// Its value, if it is the same for all values of the summands.
    pub fn as_constant(&self) -> Option<i64> {
        self.summands.is_empty().then_some(self.constant)
    }

    fn add(&mut self, terms: &Terms, term: Term, factor: i64) -> Option<()> {
        let mut todo = vec![(term, factor)];
        while let Some((t, factor)) = todo.pop() {
            match terms.node(t) {
                Node::Int(c) => {
                    self.constant = self.constant.checked_add(c.checked_mul(factor)?)?;
                    self.leaves += 1;
                }
                Node::Unary(UnOp::Neg, a) => todo.push((a, factor.checked_neg()?)),
                Node::Binary(BinOp::Add, a, b) => todo.extend([(a, factor), (b, factor)]),
                Node::Binary(BinOp::Sub, a, b) => todo.extend([(a, factor), (b, factor.checked_neg()?)]),
                Node::Binary(BinOp::Mul, a, b) => match (terms.node(a), terms.node(b)) {
                    (Node::Int(c), _) => todo.push((b, factor.checked_mul(c)?)),
                    (_, Node::Int(c)) => todo.push((a, factor.checked_mul(c)?)),
                    _ => self.add_summand(t, factor)?,
                },
                _ => self.add_summand(t, factor)?,
            }
            if self.leaves + todo.len() > MAX_SUMMANDS {
                return None;
            }
        }
        Some(())
    }

    fn add_summand(&mut self, term: Term, factor: i64) -> Option<()> {
        self.leaves += 1;
        let coefficient = self.summands.entry(term).or_insert(0);
        *coefficient = coefficient.checked_add(factor)?;
        if *coefficient == 0 {
            self.summands.remove(&term);
        }
        Some(())
    }

    /// This sum with a multiple of another one added.
    pub fn plus(mut self, other: &Linear, factor: i64) -> Option<Linear> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        self.leaves += other.leaves;
        for (&term, &c) in &other.summands {
            let coefficient = self.summands.entry(term).or_insert(0);
            *coefficient = coefficient.checked_add(c.checked_mul(factor)?)?;
            if *coefficient == 0 {
                self.summands.remove(&term);
            }
        }
        Some(self)
    }

    /// How many leaves it has when written down again.
    pub fn written(&self) -> usize {
        (self.summands.len() + usize::from(self.constant != 0)).max(1)
    }

    /// As a term: what is added first, then what is subtracted, then the constant.
    pub fn term(&self, terms: &mut Terms) -> Term {
        let mut sum: Option<Term> = None;
        for (&t, &c) in self.summands.iter().filter(|(_, c)| **c > 0) {
            let product = scaled(terms, t, c);
            sum = Some(sum.map_or(product, |sum| terms.add(sum, product)));
        }
        for (&t, &c) in self.summands.iter().filter(|(_, c)| **c < 0) {
            sum = Some(match (sum, c.checked_neg()) {
                (Some(sum), Some(c)) => {
                    let product = scaled(terms, t, c);
                    terms.sub(sum, product)
                }
                (sum, _) => {
                    let product = scaled(terms, t, c);
                    sum.map_or(product, |sum| terms.add(sum, product))
                }
            });
        }
        let (constant, negated) = (terms.int(self.constant), self.constant.checked_neg());
        match (sum, negated) {
            (None, _) => constant,
            (Some(sum), _) if self.constant == 0 => sum,
            (Some(sum), Some(negated)) if negated > 0 => {
                let negated = terms.int(negated);
                terms.sub(sum, negated)
            }
            (Some(sum), _) => terms.add(sum, constant),
        }
    }

    /// The sums that symbols must equal for this sum to be zero: for each symbol with coefficient 1 or -1.
    pub fn solutions(&self) -> impl Iterator<Item = (Term, Linear)> {
        self.summands.iter().filter(|(_, c)| c.abs_diff(0) == 1).filter_map(|(&t, &c)| {
            let mut rest = self.clone();
            rest.summands.remove(&t);
            if c == 1 {
                rest = rest.negated()?;
            }
            Some((t, rest))
        })
    }

    /// That it is zero: what is added on one side, what is subtracted on the other.
    pub fn is_zero(&self, terms: &mut Terms) -> Term {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (&term, &coefficient) in &self.summands {
            let side = if coefficient > 0 { &mut left } else { &mut right };
            let size = terms.big(BigInt::from(coefficient.unsigned_abs()));
            side.push(if coefficient.unsigned_abs() == 1 { term } else { terms.mul(size, term) });
        }
        if self.constant != 0 {
            right.push(terms.big(-BigInt::from(self.constant)));
        }
        let zero = terms.int(0);
        let added =
            |side: Vec<Term>, terms: &mut Terms| side.into_iter().reduce(|sum, t| terms.add(sum, t)).unwrap_or(zero);
        let (left, right) = (added(left, terms), added(right, terms));
        terms.eq(left, right)
    }

    /// The sum times -1.
    pub fn negated(mut self) -> Option<Linear> {
        self.constant = self.constant.checked_neg()?;
        for c in self.summands.values_mut() {
            *c = c.checked_neg()?;
        }
        Some(self)
    }
}

fn scaled(terms: &mut Terms, term: Term, factor: i64) -> Term {
    match factor {
        1 => term,
        -1 => terms.unary(UnOp::Neg, term),
        _ => {
            let factor = terms.int(factor);
            terms.mul(factor, term)
        }
    }
}

/// The symbol that a term is.
pub fn as_symbol(terms: &Terms, term: Term) -> Option<Symbol> {
    match terms.node(term) {
        Node::Symbol(s) => Some(s),
        _ => None,
    }
}
