//! The operations as formulas over bits: what solvers are told.
//!
//! A [`Template`] has symbols for its operands. Numbers are taken apart into sign, exponent and significand, the exact result is
//! computed with a few more bits than fit, of which the lowest says whether there would have been any below it, and rounded once.
//! The formulas are made for any `Layout`, so that tests can look at every pair of numbers of a small one.

mod arithmetic;
mod conversions;

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use super::extended::{self, ExtendedOp};
use super::{FloatBinOp, FloatUnOp, Format, Integral};
use crate::{BinOp, Sort, Symbol, Term, Terms};

/// An operation with symbols for its operands.
#[derive(Clone, Debug)]
pub struct Template {
    /// The store of its terms.
    pub terms: Terms,
    /// Its operands.
    pub operands: Vec<Symbol>,
    /// Its result.
    pub result: Term,
}

/// A binary operation with symbols for its operands, made once.
pub fn binary_template(op: FloatBinOp, format: Format) -> Arc<Template> {
    template(Key::Binary(op, format), || {
        let layout = Layout::of(format);
        build(&[layout.width(), layout.width()], |circuit, x| circuit.binary(op, layout, x[0], x[1]))
    })
}

/// A unary operation on an operand of `width` bits.
pub fn unary_template(op: FloatUnOp, format: Format, width: u32) -> Arc<Template> {
    template(Key::Unary(op, format, width), || build(&[width], |circuit, x| circuit.unary(op, format, x[0])))
}

/// An operation on two numbers of extended precision.
pub fn extended_binary_template(op: FloatBinOp) -> Arc<Template> {
    template(Key::ExtendedBinary(op), || {
        build(&[extended::WIDTH; 2], |circuit, x| {
            let [a, b] = [x[0], x[1]].map(|operand| circuit.without_leading_bit(operand));
            let result = circuit.binary(op, EXTENDED, a, b);
            if op.compares() { result } else { circuit.with_leading_bit(result) }
        })
    })
}

/// An operation on one number of extended precision, or one that makes such a number, for an operand of `width` bits.
pub fn extended_unary_template(op: ExtendedOp, width: u32) -> Arc<Template> {
    template(Key::ExtendedUnary(op, width), || build(&[width], |circuit, x| circuit.extended_unary(op, x[0])))
}

/// The fused operation: a product and a sum, rounded once.
pub fn fma_template(format: Format) -> Arc<Template> {
    template(Key::Fma(format), || {
        let layout = Layout::of(format);
        build(&[layout.width(); 3], |circuit, x| circuit.fused(layout, [x[0], x[1], x[2]]))
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Fma(Format),
    ExtendedBinary(FloatBinOp),
    ExtendedUnary(ExtendedOp, u32),
    Binary(FloatBinOp, Format),
    Unary(FloatUnOp, Format, u32),
}

fn template(key: Key, make: impl FnOnce() -> Template) -> Arc<Template> {
    static MADE: Mutex<Option<FxHashMap<Key, Arc<Template>>>> = Mutex::new(None);
    let mut made = MADE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    made.get_or_insert_default().entry(key).or_insert_with(|| Arc::new(make())).clone()
}

pub(super) fn build(widths: &[u32], make: impl FnOnce(&mut Circuit<'_>, &[Term]) -> Term) -> Template {
    let mut terms = Terms::new();
    let operands: Vec<Symbol> = widths.iter().map(|&width| terms.declare("x", Sort::BitVec(width))).collect();
    let symbols: Vec<Term> = operands.iter().map(|&symbol| terms.symbol(symbol)).collect();
    let result = make(&mut Circuit { terms: &mut terms }, &symbols);
    Template { terms, operands, result }
}

/// How the bits of a number are divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    pub(super) exponent: u32,
    pub(super) fraction: u32,
}

impl Layout {
    fn of(format: Format) -> Layout {
        Layout { exponent: format.width() - 1 - format.fraction(), fraction: format.fraction() }
    }

    pub(super) fn width(self) -> u32 {
        1 + self.exponent + self.fraction
    }

    pub(super) fn bias(self) -> u64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The exponent of infinities and NaNs.
    fn most(self) -> u64 {
        (1 << self.exponent) - 1
    }
}

/// Extended precision without the leading bit of the significand, which follows from the exponent.
const EXTENDED: Layout = Layout { exponent: 15, fraction: extended::FRACTION };

/// A number taken apart. It is `significand * 2^(exponent - bias - fraction)`, if it is finite.
#[derive(Clone, Copy)]
struct Parts {
    /// A bit.
    sign: Term,
    /// 1 at least, for subnormal numbers too; as many bits as in the number.
    exponent: Term,
    /// With its leading bit, which is 0 for subnormal numbers.
    significand: Term,
    is_nan: Term,
    is_infinite: Term,
    is_zero: Term,
}

pub(super) struct Circuit<'t> {
    terms: &'t mut Terms,
}

impl Circuit<'_> {
    pub(super) fn binary(&mut self, op: FloatBinOp, layout: Layout, a: Term, b: Term) -> Term {
        match op {
            FloatBinOp::Add => self.sum(layout, a, b),
            FloatBinOp::Sub => self.difference(layout, a, b),
            FloatBinOp::Mul => self.product(layout, a, b),
            FloatBinOp::Div => self.quotient(layout, a, b),
            FloatBinOp::Eq => self.equal(layout, a, b),
            FloatBinOp::Lt => self.less(layout, a, b, false),
            FloatBinOp::Le => self.less(layout, a, b, true),
        }
    }

    fn unary(&mut self, op: FloatUnOp, format: Format, a: Term) -> Term {
        let layout = Layout::of(format);
        match op {
            FloatUnOp::Sqrt => self.square_root(layout, a),
            FloatUnOp::Integral(how) => self.integral(how, layout, a),
            FloatUnOp::Convert => self.convert(layout, Layout::of(format.other()), a),
            FloatUnOp::FromSigned => self.integer_as_float(true, layout, a),
            FloatUnOp::FromUnsigned => self.integer_as_float(false, layout, a),
            FloatUnOp::ToSigned(width) => self.float_as_integer(true, width.into(), layout, a),
            FloatUnOp::ToUnsigned(width) => self.float_as_integer(false, width.into(), layout, a),
        }
    }

    fn extended_unary(&mut self, op: ExtendedOp, a: Term) -> Term {
        match op {
            ExtendedOp::Sqrt => {
                let a = self.without_leading_bit(a);
                let result = self.square_root(EXTENDED, a);
                self.with_leading_bit(result)
            }
            ExtendedOp::Integral(how) => {
                let a = self.without_leading_bit(a);
                let result = self.integral(how, EXTENDED, a);
                self.with_leading_bit(result)
            }
            ExtendedOp::FromFloat(format) => {
                let result = self.convert(Layout::of(format), EXTENDED, a);
                self.with_leading_bit(result)
            }
            ExtendedOp::FromSigned | ExtendedOp::FromUnsigned => {
                let result = self.integer_as_float(op == ExtendedOp::FromSigned, EXTENDED, a);
                self.with_leading_bit(result)
            }
            ExtendedOp::ToFloat(format) => {
                let a = self.without_leading_bit(a);
                self.convert(EXTENDED, Layout::of(format), a)
            }
            ExtendedOp::ToSigned(width) | ExtendedOp::ToUnsigned(width) => {
                let a = self.without_leading_bit(a);
                self.float_as_integer(matches!(op, ExtendedOp::ToSigned(_)), width.into(), EXTENDED, a)
            }
        }
    }

    /// A number of extended precision, laid out as the other formats are.
    fn without_leading_bit(&mut self, a: Term) -> Term {
        let fraction = extended::FRACTION;
        let high = self.terms.extract(extended::WIDTH - 1, fraction + 1, a);
        let low = self.terms.extract(fraction - 1, 0, a);
        self.concat(high, low)
    }

    /// The opposite.
    fn with_leading_bit(&mut self, a: Term) -> Term {
        let fraction = extended::FRACTION;
        let high = self.terms.extract(EXTENDED.width() - 1, fraction, a);
        let exponent = self.terms.extract(EXTENDED.width() - 2, fraction, a);
        let low = self.terms.extract(fraction - 1, 0, a);
        let is_normal = self.is_something(exponent);
        let leading = self.bit(is_normal);
        let high = self.concat(high, leading);
        self.concat(high, low)
    }

    // Bits.

    fn number(&mut self, width: u32, value: u64) -> Term {
        self.terms.bit_vec(width, value)
    }

    /// The number, shifted to the left.
    fn number_at(&mut self, width: u32, value: u64, shift: u32) -> Term {
        let high = self.number(width - shift, value);
        self.append(shift, high)
    }

    fn width(&self, word: Term) -> u32 {
        self.terms.bv_width(word)
    }

    fn op(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        self.terms.bv(op, a, b)
    }

    fn concat(&mut self, high: Term, low: Term) -> Term {
        self.op(BinOp::BvConcat, high, low)
    }

    /// More bits above, all 0.
    fn widen(&mut self, to: u32, word: Term) -> Term {
        let width = self.width(word);
        self.terms.zero_extend(to - width, word)
    }

    /// More bits below, all 0.
    fn append(&mut self, by: u32, word: Term) -> Term {
        let zeros = self.number(by, 0);
        self.concat(word, zeros)
    }

    fn bit(&mut self, condition: Term) -> Term {
        let (one, zero) = (self.number(1, 1), self.number(1, 0));
        self.terms.ite(condition, one, zero)
    }

    fn is_set(&mut self, index: u32, word: Term) -> Term {
        let (bit, one) = (self.terms.extract(index, index, word), self.number(1, 1));
        self.terms.eq(bit, one)
    }

    fn is_nothing(&mut self, word: Term) -> Term {
        let width = self.width(word);
        let zero = self.number(width, 0);
        self.terms.eq(word, zero)
    }

    fn is_something(&mut self, word: Term) -> Term {
        let nothing = self.is_nothing(word);
        self.terms.not(nothing)
    }

    fn is_number(&mut self, word: Term, value: u64) -> Term {
        let width = self.width(word);
        let value = self.number(width, value);
        self.terms.eq(word, value)
    }

    fn add_number(&mut self, word: Term, value: u64) -> Term {
        let width = self.width(word);
        let value = self.number(width, value);
        self.op(BinOp::BvAdd, word, value)
    }

    /// A shift to the right; the lowest bit of the result is set, too, if a bit is lost.
    fn shift_sticky(&mut self, word: Term, by: Term) -> Term {
        let width = self.width(word);
        let mut shifted = word;
        let mut lost = self.terms.ff();
        let bits = self.width(by);
        for k in 0..bits {
            let step = 1_u64 << k.min(32);
            let taken = self.is_set(k, by);
            let (rest, gone) = if step >= u64::from(width) {
                (self.number(width, 0), shifted)
            } else {
                let high = self.terms.extract(width - 1, step as u32, shifted);
                let low = self.terms.extract(step as u32 - 1, 0, shifted);
                (self.widen(width, high), low)
            };
            let some = self.is_something(gone);
            let some = self.terms.and(taken, some);
            lost = self.terms.or(lost, some);
            shifted = self.terms.ite(taken, rest, shifted);
        }
        let (sticky, high) = (self.bit(lost), self.terms.extract(width - 1, 1, shifted));
        let low = self.terms.extract(0, 0, shifted);
        let low = self.op(BinOp::BvOr, low, sticky);
        self.concat(high, low)
    }

    /// Shifts to the left until the highest bit is set, but not beyond exponent 1. The exponent is read without sign.
    fn normalise(&mut self, exponent: Term, word: Term) -> (Term, Term) {
        let (width, bits) = (self.width(word), self.width(exponent));
        let (mut exponent, mut word) = (exponent, word);
        let stages = u32::BITS - (width - 1).leading_zeros();
        for k in (0..stages).rev() {
            let step = 1_u32 << k;
            let (high, low) =
                (self.terms.extract(width - 1, width - step, word), self.terms.extract(width - 1 - step, 0, word));
            let is_free = self.is_nothing(high);
            // An exponent with fewer bits than the distance is certainly less.
            let can = if step.ilog2() < bits {
                let step = self.number(bits, step.into());
                self.terms.bv_ult(step, exponent)
            } else {
                self.terms.ff()
            };
            let shifts = self.terms.and(is_free, can);
            let (moved, less) = (self.append(step, low), self.number(bits, step.into()));
            let less = self.op(BinOp::BvSub, exponent, less);
            word = self.terms.ite(shifts, moved, word);
            exponent = self.terms.ite(shifts, less, exponent);
        }
        (exponent, word)
    }

    // Numbers.

    fn parts(&mut self, layout: Layout, a: Term) -> Parts {
        let (width, fraction) = (layout.width(), layout.fraction);
        let sign = self.terms.extract(width - 1, width - 1, a);
        let field = self.terms.extract(width - 2, fraction, a);
        let low = self.terms.extract(fraction - 1, 0, a);
        let (is_most, is_low, no_fraction) =
            (self.is_number(field, layout.most()), self.is_nothing(field), self.is_nothing(low));
        let has_fraction = self.terms.not(no_fraction);
        let one = self.number(layout.exponent, 1);
        let exponent = self.terms.ite(is_low, one, field);
        let normal = self.terms.not(is_low);
        let leading = self.bit(normal);
        Parts {
            sign,
            exponent,
            significand: self.concat(leading, low),
            is_nan: self.terms.and(is_most, has_fraction),
            is_infinite: self.terms.and(is_most, no_fraction),
            is_zero: self.terms.and(is_low, no_fraction),
        }
    }

    /// The significand with its leading bit set, and the exponent that it has then: a signed number with three bits more than one
    /// in the format. Nothing is said for zero.
    fn normal(&mut self, layout: Layout, parts: Parts) -> (Term, Term) {
        let bits = layout.exponent + 3;
        let exponent = self.widen(bits, parts.exponent);
        // With an offset nothing is negative while it is shifted.
        let offset = 1 << (layout.exponent + 1);
        let exponent = self.add_number(exponent, offset);
        let (exponent, significand) = self.normalise(exponent, parts.significand);
        (self.add_number(exponent, offset.wrapping_neg()), significand)
    }

    fn default_nan(&mut self, layout: Layout) -> Term {
        let ones = (1_u64 << (layout.exponent + 2)) - 1;
        self.number_at(layout.width(), ones, layout.fraction - 1)
    }

    fn infinity(&mut self, layout: Layout, sign: Term) -> Term {
        let magnitude = self.number_at(layout.width() - 1, layout.most(), layout.fraction);
        self.concat(sign, magnitude)
    }

    fn zero(&mut self, layout: Layout, sign: Term) -> Term {
        let magnitude = self.number(layout.width() - 1, 0);
        self.concat(sign, magnitude)
    }

    fn quiet(&mut self, layout: Layout, nan: Term) -> Term {
        let bit = self.number_at(layout.width(), 1, layout.fraction - 1);
        self.op(BinOp::BvOr, nan, bit)
    }

    /// The first NaN among operands, made quiet; otherwise the result.
    fn unless_nan(&mut self, layout: Layout, operands: &[(Term, Parts)], result: Term) -> Term {
        operands.iter().rev().fold(result, |result, &(bits, parts)| {
            let nan = self.quiet(layout, bits);
            self.terms.ite(parts.is_nan, nan, result)
        })
    }

    /// The number nearest to `significand / 2^(width - 1) * 2^(exponent - bias)`. The highest bit of the significand is set, or the
    /// exponent is 1. The exponent is read without sign, and is below `2^(bits - 1)`. The lowest bit of the significand stands for
    /// all that are lost.
    fn round(&mut self, layout: Layout, sign: Term, exponent: Term, significand: Term) -> Term {
        let (width, bits) = (self.width(significand), self.width(exponent));
        let kept = layout.fraction + 1;
        let significand = if width < kept + 2 { self.append(kept + 2 - width, significand) } else { significand };
        let width = width.max(kept + 2);
        let result = self.terms.extract(width - 1, width - kept, significand);
        let half = self.is_set(width - kept - 1, significand);
        let below = self.terms.extract(width - kept - 2, 0, significand);
        let (below, odd) = (self.is_something(below), self.is_set(0, result));
        let up = self.terms.or(below, odd);
        let up = self.terms.and(half, up);
        // The leading bit adds one to the exponent, and so does a carry out of the significand.
        let total = bits + layout.fraction;
        let exponent = self.add_number(exponent, u64::MAX);
        let base = self.append(layout.fraction, exponent);
        let (result, up) = (self.widen(total, result), self.bit(up));
        let up = self.widen(total, up);
        let magnitude = self.op(BinOp::BvAdd, base, result);
        let magnitude = self.op(BinOp::BvAdd, magnitude, up);
        let greatest = self.number_at(total, layout.most(), layout.fraction);
        let overflows = self.terms.bv_ule(greatest, magnitude);
        let fits = self.terms.extract(layout.width() - 2, 0, magnitude);
        let finite = self.concat(sign, fits);
        let infinity = self.infinity(layout, sign);
        self.terms.ite(overflows, infinity, finite)
    }

    /// As [`Circuit::round`] for a leading bit that is set and an exponent with a sign, which may be too small.
    fn round_signed(&mut self, layout: Layout, sign: Term, exponent: Term, significand: Term) -> Term {
        let (width, bits) = (self.width(significand), self.width(exponent));
        let one = self.number(bits, 1);
        let is_small = self.terms.bv_slt(exponent, one);
        let distance = self.op(BinOp::BvSub, one, exponent);
        // Beyond the width all bits are lost anyway.
        let stages = u32::BITS - width.leading_zeros();
        let limit = self.number(bits, u64::from(width));
        let far = self.terms.bv_slt(limit, distance);
        let distance = self.terms.ite(far, limit, distance);
        let none = self.number(bits, 0);
        let distance = self.terms.ite(is_small, distance, none);
        let distance = self.terms.extract(stages - 1, 0, distance);
        let shifted = self.shift_sticky(significand, distance);
        let exponent = self.terms.ite(is_small, one, exponent);
        self.round(layout, sign, exponent, shifted)
    }

    // Operations.

    fn equal(&mut self, layout: Layout, a: Term, b: Term) -> Term {
        let (of_a, of_b) = (self.parts(layout, a), self.parts(layout, b));
        let (same, zeros) = (self.terms.eq(a, b), self.terms.and(of_a.is_zero, of_b.is_zero));
        let equal = self.terms.or(same, zeros);
        self.if_ordered(of_a, of_b, equal)
    }

    fn if_ordered(&mut self, a: Parts, b: Parts, holds: Term) -> Term {
        let unordered = self.terms.or(a.is_nan, b.is_nan);
        let ordered = self.terms.not(unordered);
        self.terms.and(ordered, holds)
    }

    fn less(&mut self, layout: Layout, a: Term, b: Term, or_equal: bool) -> Term {
        let (of_a, of_b) = (self.parts(layout, a), self.parts(layout, b));
        let op = if or_equal { BinOp::BvUle } else { BinOp::BvUlt };
        let (above, below) = (self.op(op, a, b), self.op(op, b, a));
        let (a_negative, b_negative) = (self.is_set(0, of_a.sign), self.is_set(0, of_b.sign));
        let if_negative = self.terms.ite(b_negative, below, a_negative);
        let positive = self.terms.not(b_negative);
        let if_positive = self.terms.and(positive, above);
        let less = self.terms.ite(a_negative, if_negative, if_positive);
        let (zeros, of_zeros) = (self.terms.and(of_a.is_zero, of_b.is_zero), self.terms.bool(or_equal));
        let less = self.terms.ite(zeros, of_zeros, less);
        self.if_ordered(of_a, of_b, less)
    }

    pub(super) fn integral(&mut self, how: Integral, layout: Layout, a: Term) -> Term {
        let parts = self.parts(layout, a);
        let (width, fraction) = (layout.width(), layout.fraction);
        let negative = self.is_set(0, parts.sign);
        let magnitude = self.terms.extract(width - 2, 0, a);
        // How many bits are behind the point, for numbers that are 1 at least.
        let (integral_from, one_from) = (layout.bias() + u64::from(fraction), layout.bias());
        let limit = self.number(layout.exponent, integral_from);
        let is_integral = self.terms.bv_ule(limit, parts.exponent);
        let distance = self.op(BinOp::BvSub, limit, parts.exponent);
        let distance = self.widen(width - 1, distance);
        let unit = self.number(width - 1, 1);
        let unit = self.op(BinOp::BvShl, unit, distance);
        let one = self.number(width - 1, 1);
        let mask = self.op(BinOp::BvSub, unit, one);
        let (low, not_mask) = (self.op(BinOp::BvAnd, magnitude, mask), self.terms.bv_not(mask));
        let (down, exact) = (self.op(BinOp::BvAnd, magnitude, not_mask), self.is_nothing(low));
        let up = self.op(BinOp::BvAdd, down, unit);
        // The carry of the rounded significand goes to the exponent.
        let (shift, inexact) = (self.number(width - 1, 1), self.terms.not(exact));
        let half = self.op(BinOp::BvLshr, unit, shift);
        let (above, tie) = (self.terms.bv_ult(half, low), self.terms.eq(low, half));
        let odd_bit = self.op(BinOp::BvAnd, magnitude, unit);
        let odd = self.is_something(odd_bit);
        let away = self.rounds_away(how, negative, (inexact, above, tie, odd));
        let large = self.terms.ite(away, up, down);
        // Below 1: nothing or 1.
        let (one, nothing) = (self.number_at(width - 1, one_from, fraction), self.number(width - 1, 0));
        let half = self.number_at(width - 1, one_from - 1, fraction);
        let (above, tie) = (self.terms.bv_ult(half, magnitude), self.terms.eq(magnitude, half));
        let (inexact, even) = (self.is_something(magnitude), self.terms.ff());
        let away = self.rounds_away(how, negative, (inexact, above, tie, even));
        let small = self.terms.ite(away, one, nothing);
        let one_from = self.number(layout.exponent, one_from);
        let is_small = self.terms.bv_ult(parts.exponent, one_from);
        let result = self.terms.ite(is_small, small, large);
        let result = self.concat(parts.sign, result);
        let result = self.terms.ite(is_integral, a, result);
        self.unless_nan(layout, &[(a, parts)], result)
    }

    /// Whether a number is rounded away from zero.
    fn rounds_away(
        &mut self,
        how: Integral,
        negative: Term,
        (inexact, above, tie, odd): (Term, Term, Term, Term),
    ) -> Term {
        match how {
            Integral::Zero => self.terms.ff(),
            Integral::Down => self.terms.and(negative, inexact),
            Integral::Up => {
                let positive = self.terms.not(negative);
                self.terms.and(positive, inexact)
            }
            Integral::Away => self.terms.or(above, tie),
            Integral::Even => {
                let up = self.terms.and(tie, odd);
                self.terms.or(above, up)
            }
        }
    }
}
