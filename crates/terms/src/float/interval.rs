//! Intervals of floats.
//!
//! Rounding to nearest is monotonic: the bounds of a result are results at the bounds, exactly.

use super::{FloatBinOp, FloatUnOp, Format, value};

/// The numbers between two, both included, and possibly NaNs. Zeros of either sign are one number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Floats {
    /// The least number.
    pub lo: f64,
    /// The greatest number. There is none where it is less than the least one.
    pub hi: f64,
    /// Whether a NaN is among them.
    pub nan: bool,
}

impl Floats {
    /// Everything.
    pub const ALL: Floats = Floats { lo: f64::NEG_INFINITY, hi: f64::INFINITY, nan: true };
    /// NaNs and no number.
    pub const NAN: Floats = Floats { lo: f64::INFINITY, hi: f64::NEG_INFINITY, nan: true };

    /// The numbers between two.
    pub fn between(lo: f64, hi: f64) -> Floats {
        Floats { lo, hi, nan: false }
    }

    /// One number, or a NaN.
    pub fn constant(format: Format, bits: u64) -> Floats {
        let number = number(format, bits);
        if number.is_nan() { Floats::NAN } else { Floats::between(number, number) }
    }

    /// Whether a number is among them.
    pub fn has_numbers(self) -> bool {
        self.lo <= self.hi
    }

    /// Whether nothing is among them.
    pub fn is_empty(self) -> bool {
        !self.has_numbers() && !self.nan
    }

    /// What is in both.
    pub fn meet(self, other: Floats) -> Floats {
        Floats { lo: self.lo.max(other.lo), hi: self.hi.min(other.hi), nan: self.nan && other.nan }
    }

    /// The least interval with what is in one of them.
    pub fn join(self, other: Floats) -> Floats {
        match (self.has_numbers(), other.has_numbers()) {
            (_, false) => Floats { nan: self.nan || other.nan, ..self },
            (false, _) => Floats { nan: self.nan || other.nan, ..other },
            _ => Floats { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi), nan: self.nan || other.nan },
        }
    }

    /// With the other sign.
    pub fn negation(self) -> Floats {
        Floats { lo: -self.hi, hi: -self.lo, nan: self.nan }
    }

    /// Without sign.
    pub fn magnitude(self) -> Floats {
        if !self.has_numbers() || self.lo >= 0.0 {
            return self;
        }
        if self.hi <= 0.0 {
            return self.negation();
        }
        Floats { lo: 0.0, hi: self.hi.max(-self.lo), nan: self.nan }
    }

    fn has_zero(self) -> bool {
        self.lo <= 0.0 && self.hi >= 0.0
    }

    fn has_infinity(self) -> bool {
        self.has_numbers() && (self.lo == f64::NEG_INFINITY || self.hi == f64::INFINITY)
    }

    /// The results of an operation that is no comparison.
    pub fn binary(op: FloatBinOp, format: Format, a: Floats, b: Floats) -> Floats {
        if !a.has_numbers() || !b.has_numbers() {
            return Floats::NAN;
        }
        let nan = a.nan || b.nan;
        match op {
            FloatBinOp::Add => Floats::sum(format, a, b),
            FloatBinOp::Sub => Floats::sum(format, a, b.negation()),
            FloatBinOp::Mul => {
                let invalid = a.has_zero() && b.has_infinity() || b.has_zero() && a.has_infinity();
                Floats { nan: nan || invalid, ..corners(op, format, a, b) }
            }
            FloatBinOp::Div if b.has_zero() || a.has_infinity() && b.has_infinity() => Floats::ALL,
            _ => Floats { nan, ..corners(op, format, a, b) },
        }
    }

    /// The results of `a * b + c`, rounded once: the fused operation is monotonic in each operand.
    pub fn fused(format: Format, a: Floats, b: Floats, c: Floats) -> Floats {
        let all = [a, b, c];
        if !all.iter().all(|x| x.has_numbers()) {
            return Floats::NAN;
        }
        if all.iter().any(|x| x.has_infinity()) {
            return Floats::ALL;
        }
        let at = |x: f64, y: f64, z: f64| {
            let [x, y, z] = [x, y, z].map(|number| bits(format, number));
            number(format, value::fma(format, x, y, z))
        };
        let pairs = [(a.lo, b.lo), (a.lo, b.hi), (a.hi, b.lo), (a.hi, b.hi)];
        let lo = pairs.map(|(x, y)| at(x, y, c.lo)).into_iter().fold(f64::INFINITY, f64::min);
        let hi = pairs.map(|(x, y)| at(x, y, c.hi)).into_iter().fold(f64::NEG_INFINITY, f64::max);
        Floats { nan: all.iter().any(|x| x.nan), ..Floats::between(lo, hi) }
    }

    fn sum(format: Format, a: Floats, b: Floats) -> Floats {
        let (lo, hi) = (apply(FloatBinOp::Add, format, a.lo, b.lo), apply(FloatBinOp::Add, format, a.hi, b.hi));
        let invalid =
            a.hi == f64::INFINITY && b.lo == f64::NEG_INFINITY || a.lo == f64::NEG_INFINITY && b.hi == f64::INFINITY;
        Floats {
            lo: if lo.is_nan() { f64::NEG_INFINITY } else { lo },
            hi: if hi.is_nan() { f64::INFINITY } else { hi },
            nan: a.nan || b.nan || invalid,
        }
    }

    /// The results of an operation that makes floats of floats.
    pub fn unary(op: FloatUnOp, format: Format, a: Floats) -> Floats {
        if !a.has_numbers() {
            return Floats::NAN;
        }
        let at = |x: f64| number(result(op, format), value::unary(op, format, format.width(), bits(format, x)));
        match op {
            FloatUnOp::Sqrt if a.hi < 0.0 => Floats::NAN,
            FloatUnOp::Sqrt => Floats { lo: at(a.lo.max(0.0)), hi: at(a.hi), nan: a.nan || a.lo < 0.0 },
            FloatUnOp::Integral(_) | FloatUnOp::Convert => Floats { lo: at(a.lo), hi: at(a.hi), nan: a.nan },
            _ => Floats::ALL,
        }
    }

    /// What the operands of an arithmetic operation may be, of which this is the result: real arithmetic in the other direction,
    /// from what is rounded to the result. Where it may be a NaN nothing is said.
    pub fn operands(self, op: FloatBinOp, format: Format, (a, b): (Floats, Floats)) -> Option<(Floats, Floats)> {
        let finite = |x: Floats| x.has_numbers() && x.lo.is_finite() && x.hi.is_finite();
        if self.nan || !self.has_numbers() || !finite(a) || !finite(b) {
            return None;
        }
        let exact = Floats::between(below(format, self.lo), above(format, self.hi));
        let pair = match op {
            FloatBinOp::Add => (exact.real_sum(b.negation()), exact.real_sum(a.negation())),
            FloatBinOp::Sub => (exact.real_sum(b), a.real_sum(exact.negation())),
            FloatBinOp::Mul => (exact.real_quotient(b), exact.real_quotient(a)),
            FloatBinOp::Div => (exact.real_product(b), a.real_quotient(exact)),
            _ => return None,
        };
        Some((pair.0.in_format(format), pair.1.in_format(format)))
    }

    /// What a number may be of which this is the square.
    pub fn root(self, format: Format) -> Option<Floats> {
        if self.nan || !self.has_numbers() {
            return None;
        }
        let most = above(format, self.hi).max(0.0).sqrt().next_up();
        Some(Floats::between(-most, most).in_format(format))
    }

    /// What a number may be of which this is the square root.
    pub fn square(self, format: Format) -> Option<Floats> {
        if self.nan || !self.has_numbers() || self.hi < 0.0 {
            return None;
        }
        let (lo, hi) = (below(format, self.lo).max(0.0), above(format, self.hi).max(0.0));
        Some(Floats::between((lo * lo).next_down().max(0.0), (hi * hi).next_up()).in_format(format))
    }

    fn real_sum(self, other: Floats) -> Floats {
        Floats::outward(self.lo + other.lo, self.hi + other.hi)
    }

    fn real_product(self, other: Floats) -> Floats {
        Floats::outward_of([self.lo * other.lo, self.lo * other.hi, self.hi * other.lo, self.hi * other.hi])
    }

    /// Everything, if the divisor may be zero.
    fn real_quotient(self, other: Floats) -> Floats {
        if other.has_zero() {
            return Floats { nan: false, ..Floats::ALL };
        }
        Floats::outward_of([self.lo / other.lo, self.lo / other.hi, self.hi / other.lo, self.hi / other.hi])
    }

    fn outward_of(corners: [f64; 4]) -> Floats {
        // Infinity times nothing, or by infinity: nothing is known.
        if corners.iter().any(|x| x.is_nan()) {
            return Floats { nan: false, ..Floats::ALL };
        }
        let (lo, hi) = (
            corners.iter().copied().fold(f64::INFINITY, f64::min),
            corners.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        );
        Floats::outward(lo, hi)
    }

    /// Between two bounds that were rounded to the nearest double; what is no bound is none.
    fn outward(lo: f64, hi: f64) -> Floats {
        let lo = if lo.is_nan() { f64::NEG_INFINITY } else { lo.next_down() };
        let hi = if hi.is_nan() { f64::INFINITY } else { hi.next_up() };
        Floats::between(lo, hi)
    }

    /// The numbers of a format in an interval of doubles.
    pub fn in_format(self, format: Format) -> Floats {
        match format {
            // What a conversion to doubles keeps.
            Format::Single => self.before_conversion(Format::Single),
            Format::Double => self,
        }
    }

    /// The operands of a conversion with these results.
    pub fn before_conversion(self, from: Format) -> Floats {
        match from {
            // Every single is a double.
            Format::Single => {
                let (lo, hi) = (self.lo as f32, self.hi as f32);
                let lo = if f64::from(lo) < self.lo { above(Format::Single, lo.into()) } else { lo.into() };
                let hi = if f64::from(hi) > self.hi { below(Format::Single, hi.into()) } else { hi.into() };
                Floats { lo, hi, nan: self.nan }
            }
            Format::Double if self.has_numbers() => {
                Floats { lo: below(Format::Single, self.lo), hi: above(Format::Single, self.hi), nan: self.nan }
            }
            Format::Double => self,
        }
    }

    /// What is made integral to these numbers.
    pub fn before_rounding(self) -> Floats {
        if !self.has_numbers() {
            return self;
        }
        Floats { nan: self.nan, ..Floats::outward(self.lo - 1.0, self.hi + 1.0) }
    }

    /// Between which integers an integer is that was rounded to one of these numbers.
    pub fn whole(self, format: Format) -> Option<(i128, i128)> {
        let (lo, hi) = (below(format, self.lo), above(format, self.hi));
        let fits = self.has_numbers() && lo.abs() < 1e30 && hi.abs() < 1e30;
        fits.then(|| (lo.floor() as i128, hi.ceil() as i128))
    }

    /// Whether a comparison holds, if that is certain.
    pub fn compare(op: FloatBinOp, a: Floats, b: Floats) -> Option<bool> {
        let possible = a.has_numbers()
            && b.has_numbers()
            && match op {
                FloatBinOp::Lt => a.lo < b.hi,
                FloatBinOp::Le => a.lo <= b.hi,
                _ => a.lo <= b.hi && b.lo <= a.hi,
            };
        let certain = match op {
            FloatBinOp::Lt => a.hi < b.lo,
            FloatBinOp::Le => a.hi <= b.lo,
            _ => a.lo == a.hi && b.lo == b.hi && a.lo == b.lo,
        };
        match () {
            () if !possible => Some(false),
            () if certain && !a.nan && !b.nan => Some(true),
            () => None,
        }
    }

    /// What is left of two operands of a comparison that holds.
    pub fn ordered(op: FloatBinOp, format: Format, a: Floats, b: Floats) -> (Floats, Floats) {
        let (a, b) = (Floats { nan: false, ..a }, Floats { nan: false, ..b });
        match op {
            FloatBinOp::Lt => {
                (Floats { hi: a.hi.min(below(format, b.hi)), ..a }, Floats { lo: b.lo.max(above(format, a.lo)), ..b })
            }
            FloatBinOp::Le => (Floats { hi: a.hi.min(b.hi), ..a }, Floats { lo: b.lo.max(a.lo), ..b }),
            _ => (a.meet(b), a.meet(b)),
        }
    }
}

/// The format of the result.
fn result(op: FloatUnOp, format: Format) -> Format {
    if op == FloatUnOp::Convert { format.other() } else { format }
}

fn corners(op: FloatBinOp, format: Format, a: Floats, b: Floats) -> Floats {
    let all = [(a.lo, b.lo), (a.lo, b.hi), (a.hi, b.lo), (a.hi, b.hi)];
    let results = all.map(|(x, y)| {
        let result = apply(op, format, x, y);
        // Zero times infinity is a NaN, and zero beside it.
        if result.is_nan() { 0.0 } else { result }
    });
    let lo = results.iter().copied().fold(f64::INFINITY, f64::min);
    let hi = results.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Floats::between(lo, hi)
}

fn apply(op: FloatBinOp, format: Format, x: f64, y: f64) -> f64 {
    number(format, value::binary(op, format, bits(format, x), bits(format, y)))
}

/// The number with these bits.
pub fn number(format: Format, bits: u64) -> f64 {
    match format {
        Format::Single => f32::from_bits(bits as u32).into(),
        Format::Double => f64::from_bits(bits),
    }
}

/// The bits of a number that the format has.
pub fn bits(format: Format, x: f64) -> u64 {
    match format {
        Format::Single => (x as f32).to_bits().into(),
        Format::Double => x.to_bits(),
    }
}

/// The next number of the format that is greater.
pub fn above(format: Format, x: f64) -> f64 {
    match format {
        Format::Single => (x as f32).next_up().into(),
        Format::Double => x.next_up(),
    }
}

/// The next number of the format that is less.
pub fn below(format: Format, x: f64) -> f64 {
    match format {
        Format::Single => (x as f32).next_down().into(),
        Format::Double => x.next_down(),
    }
}

/// What bits say of the float that they are, and the float of the bits: between numbers of one sign both orders agree.
pub fn linked(format: Format, (low, high): (i128, i128), floats: Floats) -> ((i128, i128), Floats) {
    let least = -(1_i128 << (format.width() - 1));
    let infinity = i128::from(format.infinity());
    let magnitude = |x: f64| i128::from(bits(format, x) & !format.sign());
    let float = |magnitude: i128| number(format, magnitude.clamp(0, infinity) as u64);
    let (mut low, mut high, mut floats) = (low, high, floats);
    if low >= 0 {
        floats.lo = floats.lo.max(float(low));
        floats.hi = floats.hi.min(float(high));
        floats.nan &= high > infinity;
        if !floats.nan && floats.has_numbers() {
            low = low.max(magnitude(floats.lo));
            high = high.min(magnitude(floats.hi));
        }
    } else if high < 0 {
        floats.hi = floats.hi.min(-float(low - least));
        floats.lo = floats.lo.max(-float(high - least));
        floats.nan &= high - least > infinity;
        if !floats.nan && floats.has_numbers() {
            low = low.max(least + magnitude(floats.hi));
            high = high.min(least + magnitude(floats.lo));
        }
    } else if !floats.nan && floats.has_numbers() && floats.lo > 0.0 {
        (low, high) = (low.max(magnitude(floats.lo)), high.min(magnitude(floats.hi)));
    } else if !floats.nan && floats.has_numbers() && floats.hi < 0.0 {
        (low, high) = (low.max(least + magnitude(floats.hi)), high.min(least + magnitude(floats.lo)));
    }
    ((low, high), floats)
}

/// An integral number between two whole ones, as an interval of integers: `None` if they are no small numbers.
pub fn truncated(a: Floats) -> Option<(i128, i128)> {
    let fits = !a.nan && a.has_numbers() && a.lo.abs() < 1e20 && a.hi.abs() < 1e20;
    fits.then(|| (value_toward_zero(a.lo), value_toward_zero(a.hi)))
}

fn value_toward_zero(x: f64) -> i128 {
    x.trunc() as i128
}
