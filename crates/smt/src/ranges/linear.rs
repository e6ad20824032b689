//! Linear forms of floats: what intervals forget, that the same unknown is in two operands.
//!
//! In a box where all operands are finite numbers, the result of an operation is that of real arithmetic and a small error. So a
//! float is a sum of other parts with factors, and a rest between two bounds (A. Miné, *Relational Abstract Domains for the
//! Detection of Floating-Point Run-Time Errors*, ESOP 2004, section 6; L. de Figueiredo, J. Stolfi, *Affine Arithmetic*, 2004). A sum in which
//! a part meets itself again is bounded better than by the intervals of its operands: that is what a filter is about, of which
//! many steps are looked at together.
//!
//! Factors and bounds are doubles, computed with bounds rounded outward; an error of a factor goes into the rest.

use clinch_terms::float::{FloatBinOp, Format, Integral};

use super::part::Domain;

/// The most parts of a form.
const MOST: usize = 48;

/// The most parts by which two forms are added up.
const SHARED: usize = 4;

/// A sum of parts with factors and of a rest.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Linear {
    /// In the order of the parts.
    factors: Vec<(usize, f64)>,
    /// The rest, at least and at most.
    lo: f64,
    hi: f64,
}

/// The bounds of a part that is a finite number in the whole box.
pub(super) fn finite(domains: &[Domain], part: usize) -> Option<(f64, f64)> {
    match domains.get(part) {
        Some(Domain::Bits { floats, .. }) => {
            let known = !floats.nan && floats.lo <= floats.hi && floats.lo.is_finite() && floats.hi.is_finite();
            known.then_some((floats.lo, floats.hi))
        }
        _ => None,
    }
}

/// The greatest magnitude of a part that has bounds.
fn magnitude(domains: &[Domain], part: usize) -> f64 {
    finite(domains, part).map_or(f64::INFINITY, |(lo, hi)| lo.abs().max(hi.abs()))
}

impl Linear {
    /// A part as itself; a constant is its value.
    pub(super) fn of_part(domains: &[Domain], part: usize) -> Option<Linear> {
        let (lo, hi) = finite(domains, part)?;
        Some(if lo == hi {
            Linear { factors: Vec::new(), lo, hi }
        } else {
            Linear { factors: vec![(part, 1.0)], lo: 0.0, hi: 0.0 }
        })
    }

    /// The result of an operation of arithmetic on two forms, whose parts are `a` and `b`, in the place of a part that has bounds.
    pub(super) fn of_operation(
        op: FloatBinOp,
        format: Format,
        domains: &[Domain],
        (own, a, b): (usize, usize, usize),
        (x, y): (&Linear, &Linear),
    ) -> Option<Linear> {
        let ((lo, hi), (p, q)) = (finite(domains, a)?, finite(domains, b)?);
        let exact = match op {
            FloatBinOp::Add => x.plus(y, domains)?,
            FloatBinOp::Sub => x.plus(&y.negation(), domains)?,
            FloatBinOp::Mul if p == q => x.scaled(p, domains)?,
            FloatBinOp::Mul if lo == hi => y.scaled(lo, domains)?,
            FloatBinOp::Mul => x.times(y, (lo, hi), (p, q), a == b, domains)?,
            FloatBinOp::Div if p == q && p != 0.0 => x.divided(p, domains)?,
            _ => return None,
        };
        exact.rounded(format, magnitude(domains, own))
    }

    /// A form rounded to a format, in the place of a part of at most this magnitude.
    pub(super) fn rounded(self, format: Format, magnitude: f64) -> Option<Linear> {
        // Half of the distance of two numbers, relative to the result; for subnormal results, absolute.
        let (relative, absolute) = match format {
            Format::Single => (2_f64.powi(-24), 2_f64.powi(-149)),
            Format::Double => (2_f64.powi(-53), f64::from_bits(1)),
        };
        let error = ((magnitude * relative).next_up() + absolute).next_up();
        self.widened(error)
    }

    pub(super) fn negation(&self) -> Linear {
        let factors = self.factors.iter().map(|&(part, factor)| (part, -factor)).collect();
        Linear { factors, lo: -self.hi, hi: -self.lo }
    }

    /// What is between two bounds, made integral.
    pub(super) fn rounded_to_integer(&self, how: Integral, (lo, hi): (f64, f64)) -> Option<Linear> {
        let (down, up) = match how {
            Integral::Down => (-1.0, 0.0),
            Integral::Up => (0.0, 1.0),
            Integral::Zero => (if hi > 0.0 { -1.0 } else { 0.0 }, if lo < 0.0 { 1.0 } else { 0.0 }),
            Integral::Even | Integral::Away => (-0.5, 0.5),
        };
        self.shifted(down, up)
    }

    /// With something added that is between two bounds.
    fn shifted(&self, lo: f64, hi: f64) -> Option<Linear> {
        let factors = self.factors.clone();
        Linear { factors, lo: (self.lo + lo).next_down(), hi: (self.hi + hi).next_up() }.widened(0.0)
    }

    /// With a rest that is larger by an error.
    fn widened(self, error: f64) -> Option<Linear> {
        let (lo, hi) = ((self.lo - error).next_down(), (self.hi + error).next_up());
        let fits = lo.is_finite() && hi.is_finite() && self.factors.len() <= MOST;
        fits.then_some(Linear { factors: self.factors, lo, hi })
    }

    pub(super) fn plus(&self, other: &Linear, domains: &[Domain]) -> Option<Linear> {
        let mut factors = Vec::with_capacity(self.factors.len() + other.factors.len());
        let (mut ours, mut theirs) = (self.factors.iter().peekable(), other.factors.iter().peekable());
        let mut error = 0.0_f64;
        loop {
            let (x, y) = (ours.peek().copied().copied(), theirs.peek().copied().copied());
            match (x, y) {
                (Some((p, a)), Some((q, b))) if p == q => {
                    ours.next();
                    theirs.next();
                    // Opposite factors vanish exactly.
                    if a != -b {
                        factors.push((p, a + b));
                        error = (error + factor_error(a + b, domains, p)).next_up();
                    }
                }
                (Some((p, a)), other) if other.is_none_or(|(q, _)| p < q) => {
                    ours.next();
                    factors.push((p, a));
                }
                (_, Some(next)) => {
                    theirs.next();
                    factors.push(next);
                }
                _ => break,
            }
        }
        let sum = Linear { factors, lo: (self.lo + other.lo).next_down(), hi: (self.hi + other.hi).next_up() };
        sum.widened(error)
    }

    fn scaled(&self, by: f64, domains: &[Domain]) -> Option<Linear> {
        self.each_factor(domains, |x| x * by, by < 0.0)
    }

    fn divided(&self, by: f64, domains: &[Domain]) -> Option<Linear> {
        self.each_factor(domains, |x| x / by, by < 0.0)
    }

    /// Factors and rest through a function that is monotonic but for its rounding.
    fn each_factor(&self, domains: &[Domain], f: impl Fn(f64) -> f64, falls: bool) -> Option<Linear> {
        let mut error = 0.0_f64;
        let mut factors = Vec::with_capacity(self.factors.len());
        for &(part, factor) in &self.factors {
            let new = f(factor);
            error = (error + factor_error(new, domains, part)).next_up();
            factors.push((part, new));
        }
        let (lo, hi) = if falls { (self.hi, self.lo) } else { (self.lo, self.hi) };
        Linear { factors, lo: f(lo).next_down(), hi: f(hi).next_up() }.widened(error)
    }

    /// A product: `x * y = x * n + y * m - m * n + (x - m) * (y - n)`, where `m` and `n` are near to the middles.
    fn times(
        &self,
        other: &Linear,
        (lo, hi): (f64, f64),
        (p, q): (f64, f64),
        is_square: bool,
        domains: &[Domain],
    ) -> Option<Linear> {
        let (m, n) = (lo / 2.0 + hi / 2.0, p / 2.0 + q / 2.0);
        let radius = |middle: f64, lo: f64, hi: f64| (hi - middle).next_up().max((middle - lo).next_up());
        let error = (radius(m, lo, hi) * radius(n, p, q)).next_up();
        let (least, most) = ((m * n).next_down(), (m * n).next_up());
        let sum = self.scaled(n, domains)?.plus(&other.scaled(m, domains)?, domains)?;
        // A square is not negative.
        let below = if is_square { 0.0 } else { error };
        let (lo, hi) = ((sum.lo - most).next_down(), (sum.hi - least).next_up());
        Linear { lo: (lo - below).next_down(), hi: (hi + error).next_up(), ..sum }.widened(0.0)
    }

    /// Between what the form is, in a box.
    pub(super) fn bounds(&self, domains: &[Domain]) -> (f64, f64) {
        self.factors.iter().fold((self.lo, self.hi), |(lo, hi), &term| {
            let (least, most) = term_bounds(term, domains);
            ((lo + least).next_down(), (hi + most).next_up())
        })
    }

    /// What is left of the parts if the form is at most zero.
    pub(super) fn not_positive(&self, domains: &[Domain]) -> Vec<(usize, f64, f64)> {
        let mut left = Vec::new();
        for (at, &(part, factor)) in self.factors.iter().enumerate() {
            if factor == 0.0 {
                continue;
            }
            let others = self.factors.iter().enumerate().filter(|(other, _)| *other != at);
            let rest = others.fold(self.lo, |lo, (_, &term)| (lo + term_bounds(term, domains).0).next_down());
            let bound = -rest / factor;
            if bound.is_finite() {
                let (least, most) = if factor > 0.0 {
                    (f64::NEG_INFINITY, bound.next_up())
                } else {
                    (bound.next_down(), f64::INFINITY)
                };
                left.push((part, least, most));
            }
        }
        left
    }

    /// Whether this form and another one cannot both be at most zero, as a sum of them shows in which a part vanishes: one step of the
    /// elimination of Fourier and Motzkin.
    pub(super) fn excludes(&self, other: &Linear, domains: &[Domain]) -> bool {
        let opposite = |&(part, factor): &(usize, f64)| {
            let (_, theirs) = other.factors.iter().find(|(p, _)| *p == part)?;
            Some(-factor / theirs).filter(|ratio| *ratio > 0.0 && ratio.is_finite())
        };
        self.factors.iter().filter_map(opposite).take(SHARED).any(|ratio| {
            let sum = other.scaled(ratio, domains).and_then(|other| self.plus(&other, domains));
            sum.is_some_and(|sum| sum.bounds(domains).0 > 0.0)
        })
    }

    /// Whether it is about several parts.
    pub(super) fn is_relation(&self) -> bool {
        self.factors.len() > 1
    }

    /// How much work it is to look at it.
    pub(super) fn size(&self) -> u64 {
        self.factors.len() as u64
    }
}

/// Between what a part with a factor is.
fn term_bounds((part, factor): (usize, f64), domains: &[Domain]) -> (f64, f64) {
    let Some((lo, hi)) = finite(domains, part) else { return (f64::NEG_INFINITY, f64::INFINITY) };
    let (x, y) = if factor < 0.0 { (factor * hi, factor * lo) } else { (factor * lo, factor * hi) };
    (x.next_down(), y.next_up())
}

/// What the rounding of a factor is worth, at most.
fn factor_error(factor: f64, domains: &[Domain], part: usize) -> f64 {
    let step = factor.abs().next_up() - factor.abs().next_down();
    (step * magnitude(domains, part)).next_up()
}
