//! Ranges of bit-vectors that respect wrap-around: an interval of the values read without sign, and one of the values read with it.

/// A non-empty set of bit-vectors of up to 64 bits. Each interval tightens the other where it lies on one side of the jump.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    width: u32,
    unsigned: (i128, i128),
    signed: (i128, i128),
}

/// An interval, which may be empty.
type Span = (i128, i128);

fn meet(a: Span, b: Span) -> Span {
    (a.0.max(b.0), a.1.min(b.1))
}

impl Range {
    /// All bit-vectors of a width.
    pub fn full(width: u32) -> Range {
        debug_assert!((1..=64).contains(&width));
        let half = 1_i128 << (width - 1);
        Range { width, unsigned: (0, 2 * half - 1), signed: (-half, half - 1) }
    }

    /// One bit-vector.
    pub fn constant(width: u32, bits: u64) -> Range {
        Range::full(width).unsigned_between(bits.into(), bits.into()).expect("a value of the width")
    }

    /// The width.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The least and the greatest value, read without sign.
    pub fn unsigned(&self) -> (i128, i128) {
        self.unsigned
    }

    /// The least and the greatest value, read with sign.
    pub fn signed(&self) -> (i128, i128) {
        self.signed
    }

    /// Whether nothing is known.
    pub fn is_full(&self) -> bool {
        *self == Range::full(self.width)
    }

    /// The only value, as bits.
    pub fn as_constant(&self) -> Option<u64> {
        (self.unsigned.0 == self.unsigned.1).then_some(self.unsigned.0 as u64)
    }

    /// Whether a value, as bits, is in it.
    #[cfg(test)]
    pub(super) fn contains(&self, bits: u64) -> bool {
        let unsigned = i128::from(bits) & ((1 << self.width) - 1);
        let half = 1_i128 << (self.width - 1);
        let signed = if unsigned >= half { unsigned - 2 * half } else { unsigned };
        let within = |(lo, hi): Span, v| lo <= v && v <= hi;
        within(self.unsigned, unsigned) && within(self.signed, signed)
    }

    /// What of it lies in an interval of values without sign.
    pub fn unsigned_between(self, lo: i128, hi: i128) -> Option<Range> {
        Range { unsigned: meet(self.unsigned, (lo, hi)), ..self }.reduced()
    }

    /// What of it lies in an interval of values with sign.
    pub fn signed_between(self, lo: i128, hi: i128) -> Option<Range> {
        Range { signed: meet(self.signed, (lo, hi)), ..self }.reduced()
    }

    /// What is in both.
    pub fn meet(self, other: Range) -> Option<Range> {
        let (unsigned, signed) = (meet(self.unsigned, other.unsigned), meet(self.signed, other.signed));
        Range { unsigned, signed, ..self }.reduced()
    }

    /// The least range with what is in one of them.
    pub fn join(self, other: Range) -> Range {
        let hull = |a: Span, b: Span| (a.0.min(b.0), a.1.max(b.1));
        Range {
            width: self.width,
            unsigned: hull(self.unsigned, other.unsigned),
            signed: hull(self.signed, other.signed),
        }
    }

    /// What a range that grew to `new` is taken to grow to: the next thresholds, or everything.
    pub fn widen(self, new: Range, thresholds: &[i128]) -> Range {
        let full = Range::full(self.width);
        let grow = |old: Span, new: Span, all: Span| {
            let lo = match new.0 < old.0 {
                true => thresholds.iter().rev().copied().find(|t| *t <= new.0 && *t >= all.0).unwrap_or(all.0),
                false => old.0,
            };
            let hi = match new.1 > old.1 {
                true => thresholds.iter().copied().find(|t| *t >= new.1 && *t <= all.1).unwrap_or(all.1),
                false => old.1,
            };
            (lo, hi)
        };
        Range {
            width: self.width,
            unsigned: grow(self.unsigned, new.unsigned, full.unsigned),
            signed: grow(self.signed, new.signed, full.signed),
        }
    }

    /// Each interval says what it can of the other one.
    fn reduced(mut self) -> Option<Range> {
        let half = 1_i128 << (self.width - 1);
        for _ in 0..2 {
            match self.unsigned {
                (_, hi) if hi < half => self.signed = meet(self.signed, self.unsigned),
                (lo, hi) if lo >= half => self.signed = meet(self.signed, (lo - 2 * half, hi - 2 * half)),
                _ => {}
            }
            match self.signed {
                (lo, hi) if lo >= 0 => self.unsigned = meet(self.unsigned, (lo, hi)),
                (lo, hi) if hi < 0 => self.unsigned = meet(self.unsigned, (lo + 2 * half, hi + 2 * half)),
                _ => {}
            }
        }
        (self.unsigned.0 <= self.unsigned.1 && self.signed.0 <= self.signed.1).then_some(self)
    }

    /// The range of results whose exact values, before they wrap around, lie in `without` where the operands are read without sign
    /// and in `with` where they are read with it.
    fn wrapped(width: u32, without: Span, with: Span) -> Range {
        let all = Range::full(width);
        let size = 1_i128 << width;
        let fold = |(lo, hi): Span, (first, _): Span, whole: Span| {
            let turns = (lo - first).div_euclid(size);
            if turns == (hi - first).div_euclid(size) { (lo - turns * size, hi - turns * size) } else { whole }
        };
        let unsigned = fold(without, all.unsigned, all.unsigned);
        let signed = fold(with, all.signed, all.signed);
        Range { width, unsigned, signed }.reduced().unwrap_or(all)
    }

    /// Sums.
    pub fn plus(self, other: Range) -> Range {
        let sum = |a: Span, b: Span| (a.0 + b.0, a.1 + b.1);
        Range::wrapped(self.width, sum(self.unsigned, other.unsigned), sum(self.signed, other.signed))
    }

    /// Differences.
    pub fn minus(self, other: Range) -> Range {
        let difference = |a: Span, b: Span| (a.0 - b.1, a.1 - b.0);
        Range::wrapped(self.width, difference(self.unsigned, other.unsigned), difference(self.signed, other.signed))
    }

    /// Products.
    pub fn times(self, other: Range) -> Range {
        // Below 2^64 each, so the corners of the unsigned ones may need 128 bits and a sign.
        let product = |a: Span, b: Span| -> Option<Span> {
            let mut corners = [0; 4];
            for (corner, (x, y)) in corners.iter_mut().zip([(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)]) {
                *corner = x.checked_mul(y).filter(|p| p.abs() < 1 << 120)?;
            }
            Some((*corners.iter().min()?, *corners.iter().max()?))
        };
        let none = (0, i128::MAX >> 1);
        let without = product(self.unsigned, other.unsigned).unwrap_or(none);
        let with = product(self.signed, other.signed).unwrap_or(none);
        Range::wrapped(self.width, without, with)
    }

    /// Quotients without sign by a constant that is not 0.
    pub fn unsigned_quotient(self, by: u64) -> Range {
        let by = i128::from(by);
        let (lo, hi) = self.unsigned;
        Range::full(self.width).unsigned_between(lo / by, hi / by).expect("bounds in order")
    }

    /// Quotients with sign by a positive constant.
    pub fn signed_quotient(self, by: i128) -> Range {
        let (lo, hi) = self.signed;
        Range::full(self.width).signed_between(lo / by, hi / by).expect("bounds in order")
    }

    /// Remainders without sign by a constant that is not 0.
    pub fn unsigned_remainder(self, by: u64) -> Range {
        let last = i128::from(by) - 1;
        if self.unsigned.1 <= last {
            return self;
        }
        Range::full(self.width).unsigned_between(0, last).expect("bounds in order")
    }

    /// Remainders with the sign of the dividend, by a positive constant.
    pub fn signed_remainder(self, by: i128) -> Range {
        let (lo, hi) = self.signed;
        if -by < lo && hi < by {
            return self;
        }
        let (first, last) = (if lo < 0 { (1 - by).max(lo) } else { 0 }, if hi > 0 { (by - 1).min(hi) } else { 0 });
        Range::full(self.width).signed_between(first, last).expect("bounds in order")
    }

    /// Conjunctions bit by bit.
    pub fn and(self, other: Range) -> Range {
        let last = self.unsigned.1.min(other.unsigned.1);
        Range::full(self.width).unsigned_between(0, last).expect("bounds in order")
    }

    /// Disjunctions bit by bit.
    pub fn or(self, other: Range) -> Range {
        let first = self.unsigned.0.max(other.unsigned.0);
        Range::full(self.width).unsigned_between(first, self.ones(other)).expect("bounds in order")
    }

    /// Exclusive disjunctions bit by bit.
    pub fn xor(self, other: Range) -> Range {
        Range::full(self.width).unsigned_between(0, self.ones(other)).expect("bounds in order")
    }

    /// The greatest value that has no bit above those of both.
    fn ones(self, other: Range) -> i128 {
        let last = self.unsigned.1.max(other.unsigned.1);
        (1_i128 << (128 - last.leading_zeros())) - 1
    }

    /// With more bits above.
    pub fn extend(self, width: u32, sign: bool) -> Range {
        let all = Range::full(width);
        let (lo, hi) = if sign { self.signed } else { self.unsigned };
        let result = if sign { all.signed_between(lo, hi) } else { all.unsigned_between(lo, hi) };
        result.expect("a value of fewer bits")
    }

    /// The lowest bits.
    pub fn truncate(self, width: u32) -> Range {
        Range::wrapped(width, self.unsigned, self.signed)
    }

    /// What the argument of [`extend`](Range::extend) is, where the result is in this range.
    pub fn before_extension(self, argument: Range, sign: bool) -> Option<Range> {
        let (lo, hi) = if sign { self.signed } else { self.unsigned };
        if sign { argument.signed_between(lo, hi) } else { argument.unsigned_between(lo, hi) }
    }
}
