//! Affine forms over the parameters of a predicate, and affine hulls of points.

use std::collections::BTreeMap;

use clinch_terms::{Term, Terms, UnOp};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// Equations whose numbers need more bits are dropped: nobody wants to reason with them.
const MAX_COEFFICIENT_BITS: u64 = 32;
const MAX_CONSTANT_BITS: u64 = 80;

/// `sum of coefficient * parameter + constant`.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Affine {
    /// By position of the parameter; none is zero.
    pub(super) coefficients: BTreeMap<usize, BigInt>,
    pub(super) constant: BigInt,
}

impl Affine {
    /// A parameter.
    pub(super) fn parameter(i: usize) -> Affine {
        Affine { coefficients: [(i, BigInt::one())].into(), constant: BigInt::zero() }
    }

    /// Adds `factor * other`.
    pub(super) fn add(&mut self, other: &Affine, factor: &BigInt) {
        for (&i, c) in &other.coefficients {
            let sum = self.coefficients.entry(i).or_default();
            *sum += c * factor;
            if sum.is_zero() {
                self.coefficients.remove(&i);
            }
        }
        self.constant += &other.constant * factor;
    }

    /// The form times an integer other than zero.
    pub(super) fn scaled(&self, factor: &BigInt) -> Affine {
        let coefficients = self.coefficients.iter().map(|(&i, c)| (i, c * factor)).collect();
        Affine { coefficients, constant: &self.constant * factor }
    }

    /// The greatest common divisor of the coefficients.
    pub(super) fn content(&self) -> BigInt {
        self.coefficients.values().fold(BigInt::zero(), |g, c| g.gcd(c))
    }

    /// Its value at a point.
    pub(super) fn value(&self, point: &[BigRational]) -> BigRational {
        let start = BigRational::from_integer(self.constant.clone());
        self.coefficients.iter().fold(start, |sum, (&i, c)| sum + &point[i] * c)
    }

    /// The sum without the constant, of the arguments.
    pub(super) fn sum(&self, terms: &mut Terms, args: &[Term]) -> Term {
        let mut sum: Option<Term> = None;
        let (plus, minus): (Vec<_>, Vec<_>) = self.coefficients.iter().partition(|(_, c)| c.is_positive());
        for (&i, c) in plus {
            let product = scaled(terms, args[i], c);
            sum = Some(sum.map_or(product, |sum| terms.add(sum, product)));
        }
        for (&i, c) in minus {
            let product = scaled(terms, args[i], &-c);
            sum = Some(match sum {
                Some(sum) => terms.sub(sum, product),
                None => terms.unary(UnOp::Neg, product),
            });
        }
        sum.unwrap_or_else(|| terms.int(0))
    }

    /// That the form is zero at the arguments.
    pub(super) fn is_zero(&self, terms: &mut Terms, args: &[Term]) -> Term {
        let (sum, right) = (self.sum(terms, args), terms.big(-&self.constant));
        terms.eq(sum, right)
    }

    fn is_small(&self) -> bool {
        self.coefficients.values().all(|c| c.bits() <= MAX_COEFFICIENT_BITS)
            && self.constant.bits() <= MAX_CONSTANT_BITS
    }

    /// The same zeros, with smaller numbers.
    fn reduce(&mut self) {
        let divisor = self.content().gcd(&self.constant);
        if divisor > BigInt::one() {
            self.coefficients.values_mut().for_each(|c| *c /= &divisor);
            self.constant /= &divisor;
        }
    }
}

fn scaled(terms: &mut Terms, term: Term, factor: &BigInt) -> Term {
    if factor.is_one() {
        return term;
    }
    let factor = terms.big(factor.clone());
    terms.mul(factor, term)
}

/// The smallest affine space around some points, as the equations that hold in it.
#[derive(Clone, Default, Debug)]
pub(super) struct Hull {
    pub(super) equations: Vec<Affine>,
}

impl Hull {
    /// One point; only the given coordinates count.
    pub(super) fn point(point: &[BigRational], numeric: &[usize]) -> Hull {
        let equation = |&i: &usize| {
            let coefficients = [(i, point[i].denom().clone())].into();
            Affine { coefficients, constant: -point[i].numer() }
        };
        Hull { equations: numeric.iter().map(equation).collect() }
    }

    /// Adds a point. Equations that it violates are combined so that what remains are just those of the larger hull:
    /// one equation fewer. Whether anything changed.
    pub(super) fn join(&mut self, point: &[BigRational]) -> bool {
        let errors: Vec<BigRational> = self.equations.iter().map(|e| e.value(point)).collect();
        let violated = (0..errors.len()).filter(|&i| !errors[i].is_zero());
        let Some(pivot) = violated.min_by_key(|&i| self.equations[i].coefficients.len()) else { return false };
        let with = self.equations[pivot].clone();
        for (i, error) in errors.iter().enumerate().filter(|(_, e)| !e.is_zero()) {
            let ratio = error / &errors[pivot];
            let equation = &mut self.equations[i];
            *equation = equation.scaled(ratio.denom());
            equation.add(&with, &-ratio.numer());
            equation.reduce();
        }
        self.equations.retain(|e| !e.coefficients.is_empty() && e.is_small());
        true
    }

    /// Drops what a point violates, whatever else is lost. Whether anything changed.
    pub(super) fn widen(&mut self, point: &[BigRational]) -> bool {
        let before = self.equations.len();
        self.equations.retain(|e| e.value(point).is_zero());
        self.equations.len() < before
    }
}
