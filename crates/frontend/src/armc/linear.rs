//! Sums of variables with rational coefficients.

use std::collections::BTreeMap;

use clinch_terms::{Term, Terms, UnOp};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::clause::VarIndex;

/// Most digits of a number, and most decimal places by its exponent: more would be an attack.
const MAX_DIGITS: usize = 1000;

/// `sum of coefficient * variable + constant`.
#[derive(Clone, Debug, Default)]
pub(super) struct Linear {
    coefficients: BTreeMap<VarIndex, BigRational>,
    constant: BigRational,
}

impl Linear {
    pub(super) fn constant(constant: BigRational) -> Self {
        Linear { coefficients: BTreeMap::new(), constant }
    }

    pub(super) fn variable(var: VarIndex) -> Self {
        Linear { coefficients: BTreeMap::from([(var, BigRational::one())]), constant: BigRational::zero() }
    }

    /// Its value, if it has no variables.
    pub(super) fn as_constant(&self) -> Option<&BigRational> {
        self.coefficients.is_empty().then_some(&self.constant)
    }

    pub(super) fn coefficient(&self, var: VarIndex) -> BigRational {
        self.coefficients.get(&var).cloned().unwrap_or_default()
    }

    /// `self + factor * other`.
    pub(super) fn plus(mut self, other: &Linear, factor: &BigRational) -> Linear {
        self.constant += &other.constant * factor;
        for (var, c) in &other.coefficients {
            let entry = self.coefficients.entry(*var).or_default();
            *entry += c * factor;
            if entry.is_zero() {
                self.coefficients.remove(var);
            }
        }
        self
    }

    pub(super) fn times(&self, factor: &BigRational) -> Linear {
        Linear::default().plus(self, factor)
    }

    fn numbers(&self) -> impl Iterator<Item = &BigRational> {
        self.coefficients.values().chain([&self.constant])
    }

    /// Whether all coefficients and the constant are integers.
    pub(super) fn is_integral(&self) -> bool {
        self.numbers().all(BigRational::is_integer)
    }

    /// A positive multiple that is integral.
    pub(super) fn scaled(&self) -> Linear {
        let denominator = self.numbers().fold(BigInt::one(), |lcm, c| lcm.lcm(c.denom()));
        self.times(&BigRational::from_integer(denominator))
    }

    /// The largest magnitude among the numbers of an integral sum.
    pub(super) fn largest(&self) -> BigInt {
        self.numbers().map(|c| c.numer().abs()).max().unwrap_or_default()
    }

    /// Two sums without negative numbers whose difference it is.
    pub(super) fn sides(&self) -> (Linear, Linear) {
        let (mut left, mut right) = (Linear::default(), Linear::default());
        for (var, c) in &self.coefficients {
            let side = if c.is_negative() { &mut right } else { &mut left };
            side.coefficients.insert(*var, c.abs());
        }
        let side = if self.constant.is_negative() { &mut right } else { &mut left };
        side.constant = self.constant.abs();
        (left, right)
    }

    /// The term of an integral sum; `value` knows the variables.
    pub(super) fn to_term(&self, terms: &mut Terms, mut value: impl FnMut(VarIndex) -> Term) -> Term {
        let mut sum: Option<Term> = None;
        for (var, c) in &self.coefficients {
            let var = value(*var);
            let part = if c.abs().is_one() {
                var
            } else {
                let factor = terms.big(c.numer().abs());
                terms.mul(factor, var)
            };
            sum = Some(match (sum, c.is_negative()) {
                (None, false) => part,
                (None, true) => terms.unary(UnOp::Neg, part),
                (Some(sum), false) => terms.add(sum, part),
                (Some(sum), true) => terms.sub(sum, part),
            });
        }
        let magnitude = terms.big(self.constant.numer().abs());
        match sum {
            None => terms.big(self.constant.numer().clone()),
            Some(sum) if self.constant.is_zero() => sum,
            Some(sum) if self.constant.is_negative() => terms.sub(sum, magnitude),
            Some(sum) => terms.add(sum, magnitude),
        }
    }
}

/// The value of a number as written; `None` if it is too long.
pub(super) fn number(text: &str) -> Option<BigRational> {
    if let Some(code) = text.strip_prefix("0'") {
        let code = code.chars().next()?;
        return Some(BigRational::from_integer(u32::from(code).into()));
    }
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if mantissa.len() > MAX_DIGITS {
        return None;
    }
    let exponent: i64 = exponent.parse().ok().filter(|e: &i64| e.unsigned_abs() <= MAX_DIGITS as u64)?;
    let digits: BigInt = format!("{whole}{fraction}").parse().ok()?;
    let exponent = exponent - fraction.len() as i64;
    let power = BigInt::from(10).pow(exponent.unsigned_abs() as u32);
    Some(if exponent < 0 { BigRational::new(digits, power) } else { BigRational::from_integer(digits * power) })
}
