//! Operations on numbers of type `long double`, which are records of two words (`super::super::extended`).

use clinch_ir::Span;
use clinch_ir::cfa::{Check, Op};
use clinch_terms::float::FloatBinOp;
use clinch_terms::float::extended::{self, ExtendedOp};
use clinch_terms::{BinOp, Term};
use num_bigint::BigUint;

use super::super::hir::{BinaryOp, Call, Expr};
use super::super::points_to::{ExtendedFunction, FloatFunction, leaves};
use super::super::types::{Type, TypeId};
use super::Lowering;
use super::float::WHICH_NAN;
use super::values::Value;

/// The bit of the sign in the word of the exponent.
const SIGN: u64 = 0x8000;

/// Why a run ends that would show what the processor does with bits that it never makes.
const INVALID: &str = "a `long double` whose bits are those of no number";

impl Lowering<'_> {
    /// A call of a function that `extended` makes calls of.
    pub(super) fn extended_function(
        &mut self,
        function: ExtendedFunction,
        args: &[Value],
        call: &Call,
        e: &Expr,
    ) -> Value {
        if self.mathematical() {
            self.body.stop(Op::Unsupported("`long double` among mathematical integers".to_owned()), e.span);
            return self.default_record(e.ty);
        }
        let from = call.args.first().map_or(e.ty, |arg| arg.ty);
        match function {
            ExtendedFunction::Of => {
                let words = [self.scalar_arg(args, 0), self.scalar_arg(args, 1)];
                self.number_of_words(words, e.ty)
            }
            ExtendedFunction::From => {
                let a = self.scalar_arg(args, 0);
                let op = match self.format(from) {
                    Some(format) => ExtendedOp::FromFloat(format),
                    None if self.hir.types.is_signed(from) => ExtendedOp::FromSigned,
                    None => ExtendedOp::FromUnsigned,
                };
                let number = self.terms.extended_unary(op, a);
                self.extended_value(number, e.ty)
            }
            ExtendedFunction::To => {
                let a = self.extended_arg(args, 0, e.span);
                Value::Scalar(self.narrowed(a, e.ty, e.span))
            }
            ExtendedFunction::Negation => self.with_other_sign(args, e),
            ExtendedFunction::Function(function) => self.function_of_extended(function, args, e),
            ExtendedFunction::Operator(op) => {
                let (a, b) = (self.extended_arg(args, 0, e.span), self.extended_arg(args, 1, e.span));
                self.extended_operator(op, (a, b), e)
            }
        }
    }

    fn with_other_sign(&mut self, args: &[Value], e: &Expr) -> Value {
        let Some([significand, exponent]) = words(args, 0) else { return self.default_record(e.ty) };
        let sign = self.terms.bit_vec(16, SIGN);
        let exponent = self.terms.bv(BinOp::BvXor, exponent, sign);
        self.number_of_words([significand, exponent], e.ty)
    }

    /// A function of the library that is an operation on numbers of type `long double`.
    fn function_of_extended(&mut self, function: FloatFunction, args: &[Value], e: &Expr) -> Value {
        let makes_truth = matches!(function, FloatFunction::SignBit | FloatFunction::Signalling);
        let (Some([significand, exponent]), true) = (words(args, 0), makes_truth != self.hir.types.is_extended(e.ty))
        else {
            self.body.stop(Op::Unsupported("a call with another type than that of the function".to_owned()), e.span);
            return self.default_record(e.ty);
        };
        let (sign, others) = (self.terms.bit_vec(16, SIGN), self.terms.bit_vec(16, !SIGN & 0xffff));
        let magnitude = self.terms.bv(BinOp::BvAnd, exponent, others);
        match function {
            FloatFunction::Magnitude => return self.number_of_words([significand, magnitude], e.ty),
            FloatFunction::CopySign => {
                let b = self.extended_arg(args, 1, e.span);
                let of_sign = self.terms.extract(79, 64, b);
                let sign = self.terms.bv(BinOp::BvAnd, of_sign, sign);
                let exponent = self.terms.bv(BinOp::BvOr, magnitude, sign);
                return self.number_of_words([significand, exponent], e.ty);
            }
            FloatFunction::SignBit => {
                let sign = self.terms.bv(BinOp::BvAnd, exponent, sign);
                let is_set = self.nonzero(sign);
                return Value::Scalar(self.truth_value(is_set, e.ty));
            }
            _ => {}
        }
        let a = self.extended_arg(args, 0, e.span);
        let result = match function {
            FloatFunction::Signalling => {
                let (is_nan, quiet) = (self.is_extended_nan(a), self.terms.extract(62, 62, significand));
                let is_quiet = self.nonzero(quiet);
                let is_loud = self.not(is_quiet);
                let condition = self.terms.and(is_nan, is_loud);
                return Value::Scalar(self.truth_value(condition, e.ty));
            }
            FloatFunction::Next => {
                let b = self.extended_arg(args, 1, e.span);
                self.next_extended(a, b)
            }
            FloatFunction::Integral(how) => self.terms.extended_unary(ExtendedOp::Integral(how), a),
            FloatFunction::Rint => {
                self.rounded_by_mode(|terms, how| terms.extended_unary(ExtendedOp::Integral(how), a))
            }
            _ => {
                self.guard_rounding(e.span);
                self.terms.extended_unary(ExtendedOp::Sqrt, a)
            }
        };
        self.extended_value(result, e.ty)
    }

    /// As [`Lowering::next`]: the bits of numbers of one sign have their order, where the leading bit of the significand, which
    /// follows from the exponent, is left out.
    fn next_extended(&mut self, a: Term, b: Term) -> Term {
        let (high, low) = (self.terms.extract(79, 64, a), self.terms.extract(62, 0, a));
        let bits = self.terms.bv(BinOp::BvConcat, high, low);
        let one = self.terms.bit_vec(79, 1);
        let (away, toward) = (self.terms.bv(BinOp::BvAdd, bits, one), self.terms.bv(BinOp::BvSub, bits, one));
        let nothing = self.terms.bit_vec(extended::WIDTH, 0);
        let (is_less, is_positive, is_zero) = (
            self.terms.extended_binary(FloatBinOp::Lt, a, b),
            self.terms.extended_binary(FloatBinOp::Lt, nothing, a),
            self.terms.extended_binary(FloatBinOp::Eq, a, nothing),
        );
        let grows = self.terms.eq(is_less, is_positive);
        let moved = self.terms.ite(grows, away, toward);
        // From zero to the least number of the sign of the other one.
        let (sign, rest) = (self.terms.extract(79, 79, b), self.terms.extract(77, 0, one));
        let least = self.terms.bv(BinOp::BvConcat, sign, rest);
        let next = self.terms.ite(is_zero, least, moved);
        let (exponent, fraction) = (self.terms.extract(77, 63, next), self.terms.extract(62, 0, next));
        let is_normal = self.nonzero(exponent);
        let (set, clear) = (self.terms.bit_vec(1, 1), self.terms.bit_vec(1, 0));
        let leading = self.terms.ite(is_normal, set, clear);
        let high = self.terms.extract(78, 63, next);
        let significand = self.terms.bv(BinOp::BvConcat, leading, fraction);
        self.terms.bv(BinOp::BvConcat, high, significand)
    }

    fn extended_operator(&mut self, op: BinaryOp, (a, b): (Term, Term), e: &Expr) -> Value {
        let arithmetic = match op {
            BinaryOp::Add => FloatBinOp::Add,
            BinaryOp::Sub => FloatBinOp::Sub,
            BinaryOp::Mul => FloatBinOp::Mul,
            BinaryOp::Div => FloatBinOp::Div,
            _ => return self.extended_comparison(op, (a, b), e),
        };
        self.guard_rounding(e.span);
        self.guard_extended_nans((a, b), e.span);
        let result = self.terms.extended_binary(arithmetic, a, b);
        self.extended_value(result, e.ty)
    }

    fn extended_comparison(&mut self, op: BinaryOp, (a, b): (Term, Term), e: &Expr) -> Value {
        let mut holds = |op, a, b| self.terms.extended_binary(op, a, b);
        let condition = match op {
            BinaryOp::Lt => holds(FloatBinOp::Lt, a, b),
            BinaryOp::Le => holds(FloatBinOp::Le, a, b),
            BinaryOp::Gt => holds(FloatBinOp::Lt, b, a),
            BinaryOp::Ge => holds(FloatBinOp::Le, b, a),
            BinaryOp::Eq => holds(FloatBinOp::Eq, a, b),
            _ => {
                let equal = holds(FloatBinOp::Eq, a, b);
                self.not(equal)
            }
        };
        Value::Scalar(self.truth_value(condition, e.ty))
    }

    /// A conversion to `float`, `double` or an integer type.
    fn narrowed(&mut self, a: Term, to: TypeId, span: Span) -> Term {
        if let Some(format) = self.format(to) {
            self.guard_rounding(span);
            return self.terms.extended_unary(ExtendedOp::ToFloat(format), a);
        }
        let (width, signed) = (self.bits(to), self.hir.types.is_signed(to));
        // Both are numbers, for 64 bits of an integer fit.
        let limit = |text: String| extended::parse(&text).expect("it is a number");
        let (below, above) = match signed {
            true => (format!("-{}", (1_u128 << (width - 1)) + 1), 1_u128 << (width - 1)),
            false => ("-1".to_owned(), 1_u128 << width),
        };
        let [below, above] = [limit(below), limit(above.to_string())]
            .map(|bits| self.terms.big_bit_vec(extended::WIDTH, BigUint::from(bits)));
        let low = self.terms.extended_binary(FloatBinOp::Lt, below, a);
        let high = self.terms.extended_binary(FloatBinOp::Lt, a, above);
        let fits = self.terms.and(low, high);
        self.check(Check::FloatConversion, fits, "conversion of a number that does not fit", span);
        let op = if signed { ExtendedOp::ToSigned(width as u8) } else { ExtendedOp::ToUnsigned(width as u8) };
        self.terms.extended_unary(op, a)
    }

    /// An argument as a number of 80 bits.
    fn extended_arg(&mut self, args: &[Value], i: usize, span: Span) -> Term {
        let Some([significand, exponent]) = words(args, i) else {
            self.body.stop(Op::Unsupported("this value of type `long double`".to_owned()), span);
            return self.terms.bit_vec(extended::WIDTH, 0);
        };
        if self.points.sees_float_bits() {
            self.guard_leading_bit(significand, exponent, span);
        }
        self.terms.bv(BinOp::BvConcat, exponent, significand)
    }

    /// A program that writes bits must write those that numbers have: the leading bit of the significand says what the exponent says.
    fn guard_leading_bit(&mut self, significand: Term, exponent: Term, span: Span) {
        let (leading, exponent) = (self.terms.extract(63, 63, significand), self.terms.extract(14, 0, exponent));
        let (is_set, is_normal) = (self.nonzero(leading), self.nonzero(exponent));
        let fine = self.terms.iff(is_set, is_normal);
        self.guard(fine, Op::Unsupported(INVALID.to_owned()), span);
    }

    /// Of two NaNs x87 takes the larger one: where a program looks at bits, it must not matter.
    fn guard_extended_nans(&mut self, (a, b): (Term, Term), span: Span) {
        if !self.points.sees_float_bits() || a == b {
            return;
        }
        let (first, second) = (self.is_extended_nan(a), self.is_extended_nan(b));
        let both = self.terms.and(first, second);
        let (one_is_none, same) = (self.not(both), self.equal(a, b));
        let fine = self.terms.or(one_is_none, same);
        self.guard(fine, Op::Unsupported(WHICH_NAN.to_owned()), span);
    }

    fn is_extended_nan(&mut self, a: Term) -> Term {
        let equal = self.terms.extended_binary(FloatBinOp::Eq, a, a);
        self.not(equal)
    }

    fn extended_value(&mut self, number: Term, ty: TypeId) -> Value {
        let words = [self.terms.extract(63, 0, number), self.terms.extract(extended::WIDTH - 1, 64, number)];
        self.number_of_words(words, ty)
    }

    fn number_of_words(&mut self, words: [Term; 2], ty: TypeId) -> Value {
        let leaves = leaves(&self.hir.types, ty).unwrap_or_default();
        Value::Leaves(leaves.iter().zip(words).map(|(leaf, word)| (leaf.offset, leaf.ty, word)).collect())
    }

    /// A value for code that is never reached.
    fn default_record(&mut self, ty: TypeId) -> Value {
        match self.hir.types.get(ty) {
            Type::Record(_) => self.any_record(ty),
            _ => Value::Scalar(self.constant(ty, 0)),
        }
    }
}

/// Significand, and sign and exponent, of an argument.
pub(super) fn words(args: &[Value], i: usize) -> Option<[Term; 2]> {
    match args.get(i)? {
        Value::Leaves(leaves) => match leaves[..] {
            [(_, _, significand), (_, _, exponent)] => Some([significand, exponent]),
            _ => None,
        },
        _ => None,
    }
}
