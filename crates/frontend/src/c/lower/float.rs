//! Floating point: a `float` or `double` is the bits of its number, and operations on it are operations on bits that have names
//! of their own (`clinch_terms::float`). `long double` has operations of its own (`extended`).

use clinch_ir::Span;
use clinch_ir::cfa::{Check, Op};
use clinch_terms::float::{FloatBinOp, FloatUnOp, Format, Integral, value};
use clinch_terms::{BinOp, Symbol, Term, Terms};

use super::super::hir::{BinaryOp, Call, Expr, ExprKind, UnaryOp, VariableId};
use super::super::models::ROUNDING;
use super::super::points_to::FloatFunction;
use super::super::types::{DataModel, Type, TypeId};
use super::Lowering;
use super::storage::Spot;
use super::values::Value;

/// The rounding modes of `fesetround` on x86, but for the nearest number, which is 0.
const DOWNWARD: u64 = 0x400;
const UPWARD: u64 = 0x800;
const TOWARD_ZERO: u64 = 0xc00;

/// Why a run ends that would show which of two NaNs an operation takes.
pub(super) const WHICH_NAN: &str = "the bits of a NaN that was made of two different ones";

impl Lowering<'_> {
    /// The format of a floating type that is modelled.
    pub(super) fn format(&self, ty: TypeId) -> Option<Format> {
        match *self.hir.types.get(ty) {
            Type::Float(bits) if !self.mathematical() => Format::of_width(bits),
            _ => None,
        }
    }

    /// Whether a type is a floating one that is not modelled.
    pub(super) fn is_opaque_float(&self, ty: TypeId) -> bool {
        self.is_float(ty) && self.format(ty).is_none()
    }

    /// The bits of a floating constant.
    pub(super) fn float_constant(&mut self, value: f64, ty: TypeId) -> Term {
        let bits = match self.hir.types.get(ty) {
            Type::Float(32) => value::unary(FloatUnOp::Convert, Format::Double, 64, value.to_bits()),
            _ => value.to_bits(),
        };
        self.number(self.bits(ty), i128::from(bits))
    }

    /// `-a`
    pub(super) fn float_negation(&mut self, ty: TypeId, a: Term, span: Span) -> Term {
        match self.format(ty) {
            Some(format) => self.terms.float_negation(format, a),
            None => self.opaque(ty, "floating-point arithmetic", span),
        }
    }

    /// An arithmetic operation on floats of a type.
    pub(super) fn float_operation(&mut self, op: BinaryOp, ty: TypeId, (a, b): (Term, Term), span: Span) -> Term {
        let Some(format) = self.format(ty) else {
            return self.opaque(ty, "floating-point arithmetic", span);
        };
        let op = match op {
            BinaryOp::Add => FloatBinOp::Add,
            BinaryOp::Sub => FloatBinOp::Sub,
            BinaryOp::Mul => FloatBinOp::Mul,
            BinaryOp::Div => FloatBinOp::Div,
            _ => unreachable!("not an operation on floats"),
        };
        self.guard_rounding(span);
        self.guard_nans(format, (a, b), span);
        let result = self.terms.float_binary(op, format, a, b);
        self.check_result(format, result, &[a, b], span);
        result
    }

    /// A NaN that is made of numbers, and an infinity that is made of finite ones, where those count.
    fn check_result(&mut self, format: Format, result: Term, operands: &[Term], span: Span) {
        if self.counts(Check::FloatNan, span) {
            let is_nan = self.terms.is_nan(format, result);
            let of_nans: Vec<Term> = operands.iter().map(|&operand| self.terms.is_nan(format, operand)).collect();
            let (is_number, of_nan) = (self.not(is_nan), self.terms.any(of_nans));
            let fine = self.terms.or(is_number, of_nan);
            self.check(Check::FloatNan, fine, "an operation that makes a NaN", span);
        }
        if self.counts(Check::FloatInfinite, span) {
            let is_infinite = self.is_infinite(format, result);
            let of_others: Vec<Term> = operands
                .iter()
                .map(|&operand| {
                    let (infinite, nan) = (self.is_infinite(format, operand), self.terms.is_nan(format, operand));
                    self.terms.or(infinite, nan)
                })
                .collect();
            let (is_finite, of_other) = (self.not(is_infinite), self.terms.any(of_others));
            let fine = self.terms.or(is_finite, of_other);
            self.check(Check::FloatInfinite, fine, "an infinite result of finite operands", span);
        }
    }

    fn is_infinite(&mut self, format: Format, a: Term) -> Term {
        let (magnitude, infinity) =
            (self.terms.float_magnitude(format, a), self.terms.bit_vec(format.width(), format.infinity()));
        self.terms.eq(magnitude, infinity)
    }

    /// Of two NaNs a processor takes the first one, but compilers exchange operands: where a program looks at bits, it must not
    /// matter.
    fn guard_nans(&mut self, format: Format, (a, b): (Term, Term), span: Span) {
        if !self.points.sees_float_bits() || a == b {
            return;
        }
        let (first, second) = (self.terms.is_nan(format, a), self.terms.is_nan(format, b));
        let both = self.terms.and(first, second);
        let one_is_none = self.not(both);
        let same = self.equal(a, b);
        let fine = self.terms.or(one_is_none, same);
        self.guard(fine, Op::Unsupported(WHICH_NAN.to_owned()), span);
    }

    /// What is left of a float that a function returns: on 32 bits it comes in a register that makes signalling NaNs quiet.
    pub(super) fn returned_float(&mut self, a: Term, ty: TypeId) -> Term {
        let ilp32 = self.hir.types.model == DataModel::Ilp32;
        let Some(format) = self.format(ty).filter(|_| ilp32 && self.points.tells_nans_apart()) else { return a };
        let (is_nan, quiet) = (self.terms.is_nan(format, a), self.terms.bit_vec(format.width(), format.quiet()));
        let made_quiet = self.terms.bv(BinOp::BvOr, a, quiet);
        self.terms.ite(is_nan, made_quiet, a)
    }

    /// Where a program chooses how results are rounded, it must have chosen the nearest number for arithmetic.
    pub(super) fn guard_rounding(&mut self, span: Span) {
        let Some(mode) = self.storage.rounding else { return };
        let mode = self.terms.symbol(mode);
        let changed = self.nonzero(mode);
        let nearest = self.not(changed);
        let what = "floating-point arithmetic that does not round to the nearest number".to_owned();
        self.guard(nearest, Op::Unsupported(what), span);
    }

    /// The variable of the model of `fesetround`, if the program calls it.
    pub(super) fn rounding_mode(&self) -> Option<Symbol> {
        let variable = self.hir.variables.iter().position(|v| v.name == ROUNDING)?;
        match self.storage.variables.get(&VariableId(variable as u32))? {
            Spot::Symbol(symbol) => Some(*symbol),
            _ => None,
        }
    }

    /// Whether an operation on floats has no guard.
    pub(super) fn is_plain_arithmetic(&self) -> bool {
        let counts =
            [Check::FloatNan, Check::FloatInfinite].into_iter().any(|check| self.options.checks.contains(check));
        !counts && !self.points.sees_float_bits() && self.storage.rounding.is_none()
    }

    /// A comparison of floats.
    pub(super) fn float_comparison(&mut self, op: BinaryOp, ty: TypeId, a: Term, b: Term, span: Span) -> Term {
        let Some(format) = self.format(ty) else {
            return self.opaque_truth("a floating-point comparison", span);
        };
        let mut holds = |op, a, b| self.terms.float_binary(op, format, a, b);
        match op {
            BinaryOp::Eq => holds(FloatBinOp::Eq, a, b),
            BinaryOp::Ne => {
                let equal = holds(FloatBinOp::Eq, a, b);
                self.not(equal)
            }
            BinaryOp::Lt => holds(FloatBinOp::Lt, a, b),
            BinaryOp::Le => holds(FloatBinOp::Le, a, b),
            BinaryOp::Gt => holds(FloatBinOp::Lt, b, a),
            BinaryOp::Ge => holds(FloatBinOp::Le, b, a),
            _ => unreachable!("not a comparison"),
        }
    }

    /// Whether a float is not zero.
    pub(super) fn float_truth(&mut self, ty: TypeId, a: Term, span: Span) -> Term {
        let zero = self.number(self.bits(ty), 0);
        self.float_comparison(BinaryOp::Ne, ty, a, zero, span)
    }

    /// A conversion of a value from or to a floating type.
    pub(super) fn float_conversion(&mut self, a: Term, from: TypeId, to: TypeId, span: Span) -> Term {
        if from == to || self.is_float(from) && self.is_float(to) && self.bits_of(from) == self.bits_of(to) {
            return a;
        }
        if matches!(self.hir.types.get(to), Type::Bool) {
            let condition = self.float_truth(from, a, span);
            return self.truth_value(condition, to);
        }
        match (self.format(from), self.format(to)) {
            (Some(from), Some(_)) => {
                if from == Format::Double {
                    self.guard_rounding(span);
                }
                let converted = self.terms.float_unary(FloatUnOp::Convert, from, a);
                if from == Format::Double {
                    self.check_narrowed(converted, a, span);
                }
                converted
            }
            (Some(format), None) if !self.is_float(to) && !self.is_int128(to) => {
                self.float_to_integer(a, format, to, span)
            }
            (None, Some(format)) if !self.is_float(from) && !self.is_int128(from) => {
                let signed = self.hir.types.is_signed(from);
                if self.bits(from) > format.fraction() + 1 {
                    self.guard_rounding(span);
                }
                let op = if signed { FloatUnOp::FromSigned } else { FloatUnOp::FromUnsigned };
                self.terms.float_unary(op, format, a)
            }
            _ => self.opaque(to, "a floating-point conversion", span),
        }
    }

    /// A number that is too large for the type it is converted to becomes infinite.
    fn check_narrowed(&mut self, converted: Term, a: Term, span: Span) {
        if !self.counts(Check::FloatInfinite, span) {
            return;
        }
        let (infinite, before) = (self.is_infinite(Format::Single, converted), self.is_infinite(Format::Double, a));
        let is_finite = self.not(infinite);
        let fine = self.terms.or(is_finite, before);
        self.check(Check::FloatInfinite, fine, "an infinite result of finite operands", span);
    }

    fn bits_of(&self, ty: TypeId) -> Option<u32> {
        self.hir.types.scalar_bits(ty)
    }

    /// The integral part of a number must be one of the type; otherwise the behaviour is undefined.
    fn float_to_integer(&mut self, a: Term, format: Format, to: TypeId, span: Span) -> Term {
        let (width, signed) = (self.bits(to), self.hir.types.is_signed(to));
        let fits = self.fits_integer(a, format, width, signed);
        self.check(Check::FloatConversion, fits, "conversion of a number that does not fit", span);
        let width = width as u8;
        let op = if signed { FloatUnOp::ToSigned(width) } else { FloatUnOp::ToUnsigned(width) };
        self.terms.float_unary(op, format, a)
    }

    /// Whether a number is above the least integer of a type minus 1, and below the greatest one plus 1.
    fn fits_integer(&mut self, a: Term, format: Format, width: u32, signed: bool) -> Term {
        let (below, above) = match signed {
            true => (-(2_f64.powi(width as i32 - 1)) - 1.0, 2_f64.powi(width as i32 - 1)),
            false => (-1.0, 2_f64.powi(width as i32)),
        };
        // The number before the least one, where the format has it: otherwise nothing is between the two.
        let digits = format.fraction() + 1;
        let exact = !signed || width <= digits;
        let (least, op) =
            if exact { (below, FloatBinOp::Lt) } else { (-(2_f64.powi(width as i32 - 1)), FloatBinOp::Le) };
        let mut constant = |x: f64| {
            let bits = match format {
                Format::Single => u64::from((x as f32).to_bits()),
                Format::Double => x.to_bits(),
            };
            self.terms.bit_vec(format.width(), bits)
        };
        let (least, above) = (constant(least), constant(above));
        let low = self.terms.float_binary(op, format, least, a);
        let high = self.terms.float_binary(FloatBinOp::Lt, format, a, above);
        self.terms.and(low, high)
    }

    /// Whether an operation from, to or on floats is a term without guards, if its operands are.
    pub(super) fn is_pure_float(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Float(_) => true,
            ExprKind::Unary(UnaryOp::Neg, a) => self.is_pure(a),
            ExprKind::Unary(UnaryOp::Not, a) => self.format(a.ty).is_some() && self.is_pure(a),
            ExprKind::Binary(op, a, b) => {
                let compares = !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div);
                (compares || self.is_plain_arithmetic())
                    && self.format(a.ty).is_some()
                    && self.is_pure(a)
                    && self.is_pure(b)
            }
            ExprKind::Convert(a) => self.is_pure_conversion(a, e) && self.is_pure(a),
            _ => false,
        }
    }

    fn is_pure_conversion(&self, a: &Expr, e: &Expr) -> bool {
        let types = &self.hir.types;
        match (self.format(a.ty), self.format(e.ty)) {
            (Some(_), None) => matches!(types.get(e.ty), Type::Bool),
            (Some(from), Some(_)) => {
                let counts = from == Format::Double && self.options.checks.contains(Check::FloatInfinite);
                !counts && self.storage.rounding.is_none()
            }
            (None, Some(_)) => types.is_integer(a.ty) && !self.is_int128(a.ty) && self.storage.rounding.is_none(),
            (None, None) => false,
        }
    }

    /// A function of the library that is an operation on floats.
    pub(super) fn float_function(&mut self, function: FloatFunction, args: &[Value], call: &Call, e: &Expr) -> Term {
        let formats: Vec<Option<Format>> = call.args.iter().map(|arg| self.format(arg.ty)).collect();
        let fits = formats.len() == function.operands() && formats.iter().all(|format| *format == formats[0]);
        let is_truth = matches!(function, FloatFunction::SignBit | FloatFunction::Signalling);
        let of_result = is_truth || formats.first() == Some(&self.format(e.ty));
        let (Some(&Some(format)), true) = (formats.first(), fits && of_result) else {
            return self.opaque(e.ty, "a floating-point function", e.span);
        };
        let a = self.scalar_arg(args, 0);
        match function {
            FloatFunction::Magnitude => self.terms.float_magnitude(format, a),
            FloatFunction::CopySign => {
                let (sign, b) = (self.terms.bit_vec(format.width(), format.sign()), self.scalar_arg(args, 1));
                let (magnitude, sign) = (self.terms.float_magnitude(format, a), self.terms.bv(BinOp::BvAnd, b, sign));
                self.terms.bv(BinOp::BvOr, magnitude, sign)
            }
            FloatFunction::SignBit => {
                let sign = self.terms.bit_vec(format.width(), format.sign());
                let bit = self.terms.bv(BinOp::BvAnd, a, sign);
                let condition = self.nonzero(bit);
                self.truth_value(condition, e.ty)
            }
            FloatFunction::Signalling => {
                let quiet = self.terms.bit_vec(format.width(), format.quiet());
                let bit = self.terms.bv(BinOp::BvAnd, a, quiet);
                let (is_nan, is_quiet) = (self.terms.is_nan(format, a), self.nonzero(bit));
                let is_loud = self.not(is_quiet);
                let condition = self.terms.and(is_nan, is_loud);
                self.truth_value(condition, e.ty)
            }
            FloatFunction::Fma => {
                let (b, c) = (self.scalar_arg(args, 1), self.scalar_arg(args, 2));
                self.fma(format, [a, b, c], e.span)
            }
            FloatFunction::Sqrt => {
                self.guard_rounding(e.span);
                self.terms.float_unary(FloatUnOp::Sqrt, format, a)
            }
            FloatFunction::Integral(how) => self.terms.float_unary(FloatUnOp::Integral(how), format, a),
            FloatFunction::Rint => self.rint(format, a),
            FloatFunction::Next => {
                let b = self.scalar_arg(args, 1);
                self.next(format, a, b)
            }
        }
    }

    /// The number beside one in the direction of another one that differs from it: the bits of numbers of one sign have their order.
    fn next(&mut self, format: Format, a: Term, b: Term) -> Term {
        let [zero, one, sign] = [0, 1, format.sign()].map(|bits| self.terms.bit_vec(format.width(), bits));
        let (away, toward) = (self.terms.bv(BinOp::BvAdd, a, one), self.terms.bv(BinOp::BvSub, a, one));
        let (is_less, is_positive) = (
            self.terms.float_binary(FloatBinOp::Lt, format, a, b),
            self.terms.float_binary(FloatBinOp::Lt, format, zero, a),
        );
        let grows = self.terms.eq(is_less, is_positive);
        let moved = self.terms.ite(grows, away, toward);
        // From zero to the least number of the sign of the other one.
        let sign = self.terms.bv(BinOp::BvAnd, b, sign);
        let least = self.terms.bv(BinOp::BvOr, sign, one);
        let is_zero = self.terms.float_binary(FloatBinOp::Eq, format, a, zero);
        self.terms.ite(is_zero, least, moved)
    }

    /// `a * b + c`, rounded once.
    fn fma(&mut self, format: Format, [a, b, c]: [Term; 3], span: Span) -> Term {
        self.guard_rounding(span);
        for pair in [(a, b), (a, c), (b, c)] {
            self.guard_nans(format, pair, span);
        }
        let result = self.terms.fma(format, a, b, c);
        if self.points.sees_float_bits() {
            // The processor's instruction takes the summand, the library's function the NaN of the product.
            let product = self.terms.float_binary(FloatBinOp::Mul, format, a, b);
            let of_numbers = [a, b].map(|factor| self.terms.is_nan(format, factor));
            let (of_nan, invalid) = (self.terms.any(of_numbers), self.terms.is_nan(format, product));
            let is_nan = self.terms.is_nan(format, c);
            let (is_number, valid) = (self.not(is_nan), self.not(invalid));
            let fine = self.terms.any([of_nan, is_number, valid]);
            self.guard(fine, Op::Unsupported(WHICH_NAN.to_owned()), span);
        }
        self.check_result(format, result, &[a, b, c], span);
        result
    }

    /// The integral number that the rounding mode chooses.
    fn rint(&mut self, format: Format, a: Term) -> Term {
        self.rounded_by_mode(|terms, how| terms.float_unary(FloatUnOp::Integral(how), format, a))
    }

    /// What rounding makes in the mode that is set.
    pub(super) fn rounded_by_mode(&mut self, round: impl Fn(&mut Terms, Integral) -> Term) -> Term {
        let nearest = round(&mut self.terms, Integral::Even);
        let Some(mode) = self.storage.rounding else { return nearest };
        let mode = self.terms.symbol(mode);
        let width = self.terms.bv_width(mode);
        [(DOWNWARD, Integral::Down), (UPWARD, Integral::Up), (TOWARD_ZERO, Integral::Zero)].into_iter().fold(
            nearest,
            |otherwise, (number, how)| {
                let (number, rounded) = (self.terms.bit_vec(width, number), round(&mut self.terms, how));
                let chosen = self.equal(mode, number);
                self.terms.ite(chosen, rounded, otherwise)
            },
        )
    }
}
