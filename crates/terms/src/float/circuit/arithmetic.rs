//! Sums, products, quotients and roots.

use super::{Circuit, Layout, Parts};
use crate::{BinOp, Term};

impl Circuit<'_> {
    pub(super) fn difference(&mut self, layout: Layout, a: Term, b: Term) -> Term {
        let sign = self.number_at(layout.width(), 1, layout.width() - 1);
        let negative = self.op(BinOp::BvXor, b, sign);
        // A NaN keeps its sign.
        let is_nan = self.parts(layout, b).is_nan;
        let b = self.terms.ite(is_nan, b, negative);
        self.sum(layout, a, b)
    }

    pub(super) fn sum(&mut self, layout: Layout, a: Term, b: Term) -> Term {
        let (of_a, of_b) = (self.parts(layout, a), self.parts(layout, b));
        let magnitudes = [a, b].map(|x| self.terms.extract(layout.width() - 2, 0, x));
        let swap = self.terms.bv_ult(magnitudes[0], magnitudes[1]);
        let (greater, less) = (self.choose(swap, of_b, of_a), self.choose(swap, of_a, of_b));
        let distance = self.op(BinOp::BvSub, greater.exponent, less.exponent);
        // Three bits below: with them, cancellation of one leading bit loses nothing, and more bits cancel only without shift.
        let (x, y) = (self.append(3, greater.significand), self.append(3, less.significand));
        let y = self.shift_sticky(y, distance);
        let width = layout.fraction + 5;
        let (x, y) = (self.widen(width, x), self.widen(width, y));
        let same = self.terms.eq(of_a.sign, of_b.sign);
        let (sum, rest) = (self.op(BinOp::BvAdd, x, y), self.op(BinOp::BvSub, x, y));
        let exact = self.terms.ite(same, sum, rest);
        let exponent = self.widen(layout.exponent + 2, greater.exponent);
        let exponent = self.add_number(exponent, 1);
        let (exponent, significand) = self.normalise(exponent, exact);
        let finite = self.round(layout, greater.sign, exponent, significand);
        // Zero has the sign of both, or is positive.
        let (both, vanishes) = (self.op(BinOp::BvAnd, of_a.sign, of_b.sign), self.is_nothing(exact));
        let zero = self.zero(layout, both);
        let result = self.terms.ite(vanishes, zero, finite);
        let opposite = self.terms.not(same);
        let invalid = self.terms.and(less.is_infinite, opposite);
        let (nan, infinity) = (self.default_nan(layout), self.infinity(layout, greater.sign));
        let special = self.terms.ite(invalid, nan, infinity);
        let result = self.terms.ite(greater.is_infinite, special, result);
        self.unless_nan(layout, &[(a, of_a), (b, of_b)], result)
    }

    pub(super) fn choose(&mut self, condition: Term, a: Parts, b: Parts) -> Parts {
        let mut ite = |x, y| self.terms.ite(condition, x, y);
        Parts {
            sign: ite(a.sign, b.sign),
            exponent: ite(a.exponent, b.exponent),
            significand: ite(a.significand, b.significand),
            is_nan: ite(a.is_nan, b.is_nan),
            is_infinite: ite(a.is_infinite, b.is_infinite),
            is_zero: ite(a.is_zero, b.is_zero),
        }
    }

    pub(super) fn product(&mut self, layout: Layout, a: Term, b: Term) -> Term {
        let (of_a, of_b) = (self.parts(layout, a), self.parts(layout, b));
        let sign = self.op(BinOp::BvXor, of_a.sign, of_b.sign);
        let ((ea, x), (eb, y)) = (self.normal(layout, of_a), self.normal(layout, of_b));
        let width = 2 * (layout.fraction + 1);
        let (x, y) = (self.widen(width, x), self.widen(width, y));
        let exact = self.op(BinOp::BvMul, x, y);
        let exponent = self.op(BinOp::BvAdd, ea, eb);
        let exponent = self.add_number(exponent, layout.bias().wrapping_neg());
        let finite = self.round_near(layout, sign, exponent, exact);
        let (zero, infinity) = (self.zero(layout, sign), self.infinity(layout, sign));
        let (is_zero, is_infinite) =
            (self.terms.or(of_a.is_zero, of_b.is_zero), self.terms.or(of_a.is_infinite, of_b.is_infinite));
        let (invalid, nan) = (self.terms.and(is_zero, is_infinite), self.default_nan(layout));
        let result = self.terms.ite(is_zero, zero, finite);
        let result = self.terms.ite(is_infinite, infinity, result);
        let result = self.terms.ite(invalid, nan, result);
        self.unless_nan(layout, &[(a, of_a), (b, of_b)], result)
    }

    /// `a * b + c`: both the product and the other summand are exact until their sum is rounded.
    pub(in crate::float) fn fused(&mut self, layout: Layout, [a, b, c]: [Term; 3]) -> Term {
        let [of_a, of_b, of_c] = [a, b, c].map(|x| self.parts(layout, x));
        let sign = self.op(BinOp::BvXor, of_a.sign, of_b.sign);
        let product_is_zero = self.terms.or(of_a.is_zero, of_b.is_zero);
        let ((ea, x), (eb, y), (ec, z)) =
            (self.normal(layout, of_a), self.normal(layout, of_b), self.normal(layout, of_c));
        let double = 2 * (layout.fraction + 1);
        let (x, y) = (self.widen(double, x), self.widen(double, y));
        let product = self.op(BinOp::BvMul, x, y);
        let exponent = self.op(BinOp::BvAdd, ea, eb);
        let exponent = self.add_number(exponent, layout.bias().wrapping_neg());
        // As the product: two bits before the point.
        let summand = self.append(layout.fraction, z);
        let summand = self.widen(double, summand);
        let same = self.terms.eq(sign, of_c.sign);
        // Where one of them is zero the other one is the greater, whatever their exponents are.
        let above = self.terms.bv_slt(exponent, ec);
        let summand_counts = self.terms.not(of_c.is_zero);
        let above = self.terms.and(above, summand_counts);
        let swap = self.terms.or(product_is_zero, above);
        let (high, low) = ((ec, summand, of_c.sign), (exponent, product, sign));
        let mut ite = |x, y| self.terms.ite(swap, x, y);
        let greater = (ite(high.0, low.0), ite(high.1, low.1), ite(high.2, low.2));
        let less = (ite(low.0, high.0), ite(low.1, high.1));
        let (exact, negated) = self.exact_sum(same, greater.0, greater.1, less);
        let one = self.number(1, 1);
        let opposite = self.op(BinOp::BvXor, greater.2, one);
        let result_sign = self.terms.ite(negated, opposite, greater.2);
        let finite = self.round_sum(layout, result_sign, greater.0, exact);
        // Zero has the sign of both, or is positive.
        let (both, vanishes) = (self.op(BinOp::BvAnd, sign, of_c.sign), self.is_nothing(exact));
        let zero = self.zero(layout, both);
        let result = self.terms.ite(vanishes, zero, finite);
        // A product of zero leaves the summand as it is; the exponent it is made of means nothing.
        let both_vanish = self.terms.and(product_is_zero, of_c.is_zero);
        let alone = self.terms.ite(both_vanish, zero, c);
        let result = self.terms.ite(product_is_zero, alone, result);
        let product_is_infinite = self.terms.or(of_a.is_infinite, of_b.is_infinite);
        let (infinite, nan) = (self.infinity(layout, sign), self.default_nan(layout));
        let result = self.terms.ite(of_c.is_infinite, c, result);
        let cancels = self.terms.not(same);
        let cancels = self.terms.and(of_c.is_infinite, cancels);
        let invalid = self.terms.or(cancels, product_is_zero);
        let infinite = self.terms.ite(invalid, nan, infinite);
        let result = self.terms.ite(product_is_infinite, infinite, result);
        self.unless_nan(layout, &[(a, of_a), (b, of_b), (c, of_c)], result)
    }

    /// The sum or difference of two words with two bits before the point, with three more bits below and one above; whether the
    /// difference was negative and is negated. The one that is less is shifted to the exponent of the other; bits that are lost are in the lowest one.
    fn exact_sum(&mut self, same: Term, exponent: Term, word: Term, less: (Term, Term)) -> (Term, Term) {
        let distance = self.op(BinOp::BvSub, exponent, less.0);
        let (x, y) = (self.append(3, word), self.append(3, less.1));
        // After a shift by two or more no leading bits but one or two cancel; before, nothing is lost.
        let y = self.shift_sticky(y, distance);
        let width = self.width(x) + 1;
        let (x, y) = (self.widen(width, x), self.widen(width, y));
        let (sum, rest, opposite) =
            (self.op(BinOp::BvAdd, x, y), self.op(BinOp::BvSub, x, y), self.op(BinOp::BvSub, y, x));
        let below = self.terms.bv_ult(x, y);
        let differ = self.terms.not(same);
        let negated = self.terms.and(below, differ);
        let rest = self.terms.ite(negated, opposite, rest);
        (self.terms.ite(same, sum, rest), negated)
    }

    /// Rounds what [`Circuit::exact_sum`] makes of words with an exponent, which has a sign.
    fn round_sum(&mut self, layout: Layout, sign: Term, exponent: Term, exact: Term) -> Term {
        // With an offset nothing is negative while it is shifted. The highest bit stands for four.
        let offset = 1 << (layout.exponent + 1);
        let exponent = self.add_number(exponent, offset + 2);
        let (exponent, significand) = self.normalise(exponent, exact);
        let exponent = self.add_number(exponent, offset.wrapping_neg());
        let significand = self.shorten(layout.fraction + 3, significand);
        self.round_signed(layout, sign, exponent, significand)
    }

    /// Rounds a result whose leading bit is the highest one or the one below; the exponent is that of the one below.
    pub(super) fn round_near(&mut self, layout: Layout, sign: Term, exponent: Term, word: Term) -> Term {
        let width = self.width(word);
        let high = self.is_set(width - 1, word);
        let more = self.add_number(exponent, 1);
        let exponent = self.terms.ite(high, more, exponent);
        let low = self.terms.extract(width - 2, 0, word);
        let moved = self.append(1, low);
        let word = self.terms.ite(high, word, moved);
        let word = self.shorten(layout.fraction + 3, word);
        self.round_signed(layout, sign, exponent, word)
    }

    /// The highest bits; the lowest of them stands for those that are lost, too.
    pub(super) fn shorten(&mut self, to: u32, word: Term) -> Term {
        let width = self.width(word);
        if width <= to {
            return word;
        }
        let high = self.terms.extract(width - 1, width - to + 1, word);
        let low = self.terms.extract(width - to, 0, word);
        let some = self.is_something(low);
        let sticky = self.bit(some);
        self.concat(high, sticky)
    }

    pub(super) fn quotient(&mut self, layout: Layout, a: Term, b: Term) -> Term {
        let (of_a, of_b) = (self.parts(layout, a), self.parts(layout, b));
        let sign = self.op(BinOp::BvXor, of_a.sign, of_b.sign);
        let ((ea, x), (eb, y)) = (self.normal(layout, of_a), self.normal(layout, of_b));
        let exact = self.long_division(layout.fraction + 4, x, y);
        let exponent = self.op(BinOp::BvSub, ea, eb);
        let exponent = self.add_number(exponent, layout.bias().wrapping_sub(1));
        let finite = self.round_near(layout, sign, exponent, exact);
        let (zero, infinity) = (self.zero(layout, sign), self.infinity(layout, sign));
        let is_zero = self.terms.or(of_a.is_zero, of_b.is_infinite);
        let is_infinite = self.terms.or(of_a.is_infinite, of_b.is_zero);
        let (both_zero, both_infinite) =
            (self.terms.and(of_a.is_zero, of_b.is_zero), self.terms.and(of_a.is_infinite, of_b.is_infinite));
        let (invalid, nan) = (self.terms.or(both_zero, both_infinite), self.default_nan(layout));
        let result = self.terms.ite(is_zero, zero, finite);
        let result = self.terms.ite(is_infinite, infinity, result);
        let result = self.terms.ite(invalid, nan, result);
        self.unless_nan(layout, &[(a, of_a), (b, of_b)], result)
    }

    /// The first `digits` bits of `x / y`, one of them before the point, and a bit for the rest. Both have their highest bit set.
    pub(super) fn long_division(&mut self, digits: u32, x: Term, y: Term) -> Term {
        let width = self.width(x) + 1;
        let (mut rest, divisor) = (self.widen(width, x), self.widen(width, y));
        let mut quotient = None;
        for _ in 0..digits {
            let (fits, less) = (self.terms.bv_ule(divisor, rest), self.op(BinOp::BvSub, rest, divisor));
            let left = self.terms.ite(fits, less, rest);
            let left = self.terms.extract(width - 2, 0, left);
            rest = self.append(1, left);
            let digit = self.bit(fits);
            quotient = Some(quotient.map_or(digit, |quotient| self.concat(quotient, digit)));
        }
        let some = self.is_something(rest);
        let sticky = self.bit(some);
        self.concat(quotient.expect("there are digits"), sticky)
    }

    pub(super) fn square_root(&mut self, layout: Layout, a: Term) -> Term {
        let parts = self.parts(layout, a);
        let (exponent, significand) = self.normal(layout, parts);
        // With an even exponent: of a number below 4, the root of which is below 2.
        let unbiased = self.add_number(exponent, layout.bias().wrapping_neg());
        let odd = self.is_set(0, unbiased);
        let (single, double) = (self.widen(layout.fraction + 2, significand), self.append(1, significand));
        let radicand = self.terms.ite(odd, double, single);
        let bits = self.width(unbiased);
        let half = self.terms.extract(bits - 1, 1, unbiased);
        let half = self.terms.sign_extend(1, half);
        let exponent = self.add_number(half, layout.bias());
        let root = self.digits_of_root(layout, radicand);
        let positive = self.number(1, 0);
        let result = self.round(layout, positive, exponent, root);
        let (is_negative, nan) = (self.is_set(0, parts.sign), self.default_nan(layout));
        let result = self.terms.ite(parts.is_infinite, a, result);
        let result = self.terms.ite(is_negative, nan, result);
        let result = self.terms.ite(parts.is_zero, a, result);
        self.unless_nan(layout, &[(a, parts)], result)
    }

    /// The root of a number with two bits before the point, digit by digit: two more than the format has, and a bit for the rest.
    pub(super) fn digits_of_root(&mut self, layout: Layout, radicand: Term) -> Term {
        let digits = layout.fraction + 3;
        let width = digits + 3;
        let of = self.width(radicand);
        let (mut root, mut rest) = (self.number(width, 0), self.number(width, 0));
        for i in 0..digits {
            let pair = match of.checked_sub(2 * i + 2) {
                Some(low) => self.terms.extract(low + 1, low, radicand),
                None if of == 2 * i + 1 => {
                    let last = self.terms.extract(0, 0, radicand);
                    self.append(1, last)
                }
                None => self.number(2, 0),
            };
            let kept = self.terms.extract(width - 3, 0, rest);
            rest = self.concat(kept, pair);
            let high = self.terms.extract(width - 3, 0, root);
            let one = self.number(2, 1);
            let candidate = self.concat(high, one);
            let (fits, less) = (self.terms.bv_ule(candidate, rest), self.op(BinOp::BvSub, rest, candidate));
            rest = self.terms.ite(fits, less, rest);
            let (high, digit) = (self.terms.extract(width - 2, 0, root), self.bit(fits));
            root = self.concat(high, digit);
        }
        let (some, root) = (self.is_something(rest), self.terms.extract(digits - 1, 0, root));
        let sticky = self.bit(some);
        self.concat(root, sticky)
    }
}
