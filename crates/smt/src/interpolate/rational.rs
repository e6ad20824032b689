//! Exact rational numbers: two machine words while they fit, big integers beyond.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// A rational number in lowest terms. Numbers that fit are always `Small`, so equal numbers are equal values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Rational {
    /// Numerator (not the least `i64`, so that it can be negated) and positive denominator.
    Small(i64, i64),
    Big(Box<BigRational>),
}

use Rational::{Big, Small};

impl Rational {
    pub(super) const ZERO: Rational = Small(0, 1);
    pub(super) const ONE: Rational = Small(1, 1);

    pub(super) fn int(n: i64) -> Rational {
        Rational::of_big(BigRational::from_integer(n.into()))
    }

    pub(super) fn of_integer(n: &BigInt) -> Rational {
        Rational::of_big(BigRational::from_integer(n.clone()))
    }

    pub(super) fn of_big(q: BigRational) -> Rational {
        match (i64::try_from(q.numer()), i64::try_from(q.denom())) {
            (Ok(n), Ok(d)) if n != i64::MIN => Small(n, d),
            _ => Big(Box::new(q)),
        }
    }

    pub(super) fn to_big(&self) -> BigRational {
        match self {
            Small(n, d) => BigRational::new_raw((*n).into(), (*d).into()),
            Big(q) => (**q).clone(),
        }
    }

    /// `numerator / denominator`, for a positive denominator.
    fn reduced(numerator: i128, denominator: i128) -> Rational {
        let gcd = match (u64::try_from(numerator.unsigned_abs()), u64::try_from(denominator)) {
            (Ok(n), Ok(d)) => i128::from(n.gcd(&d)),
            _ => numerator.gcd(&denominator),
        };
        let (n, d) = (numerator / gcd, denominator / gcd);
        match (i64::try_from(n), i64::try_from(d)) {
            (Ok(n), Ok(d)) if n != i64::MIN => Small(n, d),
            _ => Big(Box::new(BigRational::new_raw(n.into(), d.into()))),
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        matches!(self, Small(0, _))
    }

    pub(super) fn is_positive(&self) -> bool {
        self.signum() == Ordering::Greater
    }

    pub(super) fn is_negative(&self) -> bool {
        self.signum() == Ordering::Less
    }

    fn signum(&self) -> Ordering {
        match self {
            Small(n, _) => n.cmp(&0),
            Big(q) => q.numer().cmp(&BigInt::zero()),
        }
    }

    pub(super) fn is_integer(&self) -> bool {
        match self {
            Small(_, d) => *d == 1,
            Big(q) => q.is_integer(),
        }
    }

    pub(super) fn abs(&self) -> Rational {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// One divided by a number that is not zero.
    pub(super) fn recip(&self) -> Rational {
        match self {
            Small(n, d) if *n > 0 => Small(*d, *n),
            Small(n, d) => Small(-d, -n),
            Big(q) => Rational::of_big(q.recip()),
        }
    }

    pub(super) fn floor(&self) -> Rational {
        match self {
            Small(n, d) => Small(n.div_euclid(*d), 1),
            Big(q) => Rational::of_big(q.floor()),
        }
    }

    pub(super) fn denominator(&self) -> BigInt {
        match self {
            Small(_, d) => (*d).into(),
            Big(q) => q.denom().clone(),
        }
    }

    pub(super) fn numerator(&self) -> BigInt {
        match self {
            Small(n, _) => (*n).into(),
            Big(q) => q.numer().clone(),
        }
    }

    /// The positive factor that makes these numbers integers without a common divisor.
    pub(super) fn primitive_factor<'a>(numbers: impl Iterator<Item = &'a Rational>) -> Rational {
        let (mut gcd, mut lcm) = (BigInt::zero(), BigInt::one());
        for number in numbers {
            gcd = gcd.gcd(&number.numerator());
            lcm = lcm.lcm(&number.denominator());
        }
        if gcd.is_zero() { Rational::ONE } else { Rational::of_big(BigRational::new(lcm, gcd.abs())) }
    }
}

impl Add for &Rational {
    type Output = Rational;
    fn add(self, other: &Rational) -> Rational {
        match (self, other) {
            (Small(a, 1), Small(b, 1)) => match a.checked_add(*b) {
                Some(sum) if sum != i64::MIN => Small(sum, 1),
                _ => Rational::of_big(self.to_big() + other.to_big()),
            },
            (&Small(a, b), &Small(c, d)) => {
                let (a, b, c, d) = (i128::from(a), i128::from(b), i128::from(c), i128::from(d));
                Rational::reduced(a * d + c * b, b * d)
            }
            _ => Rational::of_big(self.to_big() + other.to_big()),
        }
    }
}

impl Sub for &Rational {
    type Output = Rational;
    fn sub(self, other: &Rational) -> Rational {
        self + &-other
    }
}

impl Mul for &Rational {
    type Output = Rational;
    fn mul(self, other: &Rational) -> Rational {
        match (self, other) {
            (&Small(a, b), &Small(c, d)) => {
                let (a, b, c, d) = (i128::from(a), i128::from(b), i128::from(c), i128::from(d));
                Rational::reduced(a * c, b * d)
            }
            _ => Rational::of_big(self.to_big() * other.to_big()),
        }
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        match self {
            Small(n, d) => Small(-n, *d),
            Big(q) => Rational::of_big(-&**q),
        }
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        match (self, other) {
            (Small(a, b), Small(c, d)) if b == d => a.cmp(c),
            (&Small(a, b), &Small(c, d)) => (i128::from(a) * i128::from(d)).cmp(&(i128::from(c) * i128::from(b))),
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A rational number plus a multiple of an infinitely small positive one: strict bounds of real numbers are bounds of
/// this kind [Dutertre and de Moura, CAV 2006, section 3.3].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Delta {
    pub(super) real: Rational,
    pub(super) delta: Rational,
}

impl Delta {
    pub(super) const ZERO: Delta = Delta { real: Rational::ZERO, delta: Rational::ZERO };

    pub(super) fn plus(&self, factor: &Rational, other: &Delta) -> Delta {
        let delta = if other.delta.is_zero() { self.delta.clone() } else { &self.delta + &(factor * &other.delta) };
        Delta { real: &self.real + &(factor * &other.real), delta }
    }

    pub(super) fn minus(&self, other: &Delta) -> Delta {
        self.plus(&Small(-1, 1), other)
    }

    pub(super) fn times(&self, factor: &Rational) -> Delta {
        Delta { real: &self.real * factor, delta: &self.delta * factor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_big_rationals() {
        let mut numbers = vec![Rational::ZERO, Rational::ONE, Rational::int(i64::MAX), Rational::int(i64::MIN)];
        for n in [-7, -3, 2, 10, i64::MAX - 1] {
            for d in [1, 2, 3, 1 << 40, i64::MAX] {
                numbers.push(Rational::of_big(BigRational::new(n.into(), d.into())));
            }
        }
        for a in &numbers {
            assert_eq!((-a).to_big(), -a.to_big());
            assert_eq!(a.floor().to_big(), a.to_big().floor());
            for b in &numbers {
                assert_eq!((a + b).to_big(), a.to_big() + b.to_big());
                assert_eq!((a - b).to_big(), a.to_big() - b.to_big());
                assert_eq!((a * b).to_big(), a.to_big() * b.to_big());
                assert_eq!(a.cmp(b), a.to_big().cmp(&b.to_big()));
                assert_eq!(a + b, Rational::of_big(a.to_big() + b.to_big()), "the representation is unique");
            }
        }
    }
}
