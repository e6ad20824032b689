//! Linear sums.

use super::rational::Rational;
use super::simplex::add_multiple;

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
