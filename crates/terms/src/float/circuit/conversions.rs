//! Conversions between formats, and from and to integers.

use super::{Circuit, Layout};
use crate::{BinOp, Term};

impl Circuit<'_> {
    pub(super) fn convert(&mut self, from: Layout, to: Layout, a: Term) -> Term {
        let parts = self.parts(from, a);
        let (exponent, significand) = self.normal(from, parts);
        let bits = from.exponent.max(to.exponent) + 3;
        let width = self.width(exponent);
        let exponent = self.terms.sign_extend(bits - width, exponent);
        let exponent = self.add_number(exponent, to.bias().wrapping_sub(from.bias()));
        let significand = self.shorten(to.fraction + 3, significand);
        let finite = self.round_signed(to, parts.sign, exponent, significand);
        let (zero, infinity) = (self.zero(to, parts.sign), self.infinity(to, parts.sign));
        let payload = self.terms.extract(from.fraction - 1, 0, a);
        let payload = match from.fraction < to.fraction {
            true => self.append(to.fraction - from.fraction, payload),
            false => self.terms.extract(from.fraction - 1, from.fraction - to.fraction, payload),
        };
        let payload = self.widen(to.width(), payload);
        let nan = self.op(BinOp::BvOr, infinity, payload);
        let nan = self.quiet(to, nan);
        let result = self.terms.ite(parts.is_zero, zero, finite);
        let result = self.terms.ite(parts.is_infinite, infinity, result);
        self.terms.ite(parts.is_nan, nan, result)
    }

    pub(super) fn integer_as_float(&mut self, signed: bool, layout: Layout, a: Term) -> Term {
        let width = self.width(a);
        let sign = if signed { self.terms.extract(width - 1, width - 1, a) } else { self.number(1, 0) };
        let (negative, opposite) = (self.is_set(0, sign), self.terms.bv_neg(a));
        let magnitude = self.terms.ite(negative, opposite, a);
        let bits = layout.exponent + 2;
        let exponent = self.number(bits, layout.bias() + u64::from(width) - 1);
        let (exponent, significand) = self.normalise(exponent, magnitude);
        let significand = self.shorten(layout.fraction + 3, significand);
        let finite = self.round(layout, sign, exponent, significand);
        let (is_zero, zero) = (self.is_nothing(a), self.number(layout.width(), 0));
        self.terms.ite(is_zero, zero, finite)
    }

    pub(super) fn float_as_integer(&mut self, signed: bool, width: u32, layout: Layout, a: Term) -> Term {
        let parts = self.parts(layout, a);
        let kept = layout.fraction + 1;
        let word = match width.checked_sub(kept) {
            Some(0) => parts.significand,
            Some(more) => self.append(more, parts.significand),
            None => self.terms.extract(kept - 1, kept - width, parts.significand),
        };
        // The highest bit of the word is the leading one of a number with the greatest exponent that fits.
        let bits = layout.exponent.max(u32::BITS - width.leading_zeros()) + 2;
        let exponent = self.widen(bits, parts.exponent);
        let greatest = self.number(bits, layout.bias() + u64::from(width) - 1);
        let too_large = self.terms.bv_ult(greatest, exponent);
        let distance = self.op(BinOp::BvSub, greatest, exponent);
        let limit = self.number(bits, width.into());
        let vanishes = self.terms.bv_ule(limit, distance);
        let by = self.terms.resize(false, width, distance);
        let (shifted, nothing) = (self.op(BinOp::BvLshr, word, by), self.number(width, 0));
        let magnitude = self.terms.ite(vanishes, nothing, shifted);
        let opposite = self.terms.bv_neg(magnitude);
        let negative = self.is_set(0, parts.sign);
        let result = self.terms.ite(negative, opposite, magnitude);
        let least = self.number(width, 1 << (width - 1));
        let beyond = if signed {
            let op = self.terms.bv_ule(least, magnitude);
            let (is_least, positive) = (self.terms.eq(magnitude, least), self.terms.not(negative));
            let wrong = self.terms.not(is_least);
            let wrong = self.terms.or(wrong, positive);
            self.terms.and(op, wrong)
        } else {
            let some = self.is_something(magnitude);
            self.terms.and(negative, some)
        };
        let invalid = self.terms.or(too_large, beyond);
        self.terms.ite(invalid, least, result)
    }
}
