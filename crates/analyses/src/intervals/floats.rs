//! What is known of floats: between which numbers they are. Results at the bounds of operands bound results, for rounding is monotonic.

use std::collections::BTreeSet;

use clinch_ir::cfa::CfaProgram;
use clinch_terms::float::interval::{Floats, truncated};
use clinch_terms::float::{FloatBinOp, FloatUnOp, Format};
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp};
use rustc_hash::FxHashMap;

use super::known::{FUEL, Known};
use super::range::Range;

/// Numbers of a program that its loops may grow to.
const THRESHOLDS: usize = 64;
/// A choice costs as much as so many other terms, for what is known is copied.
const CHOICE: u32 = 16;

/// The floats that a variable may hold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FloatRange {
    /// How its bits are read.
    pub format: Format,
    /// The numbers.
    pub floats: Floats,
}

impl FloatRange {
    pub(super) fn is_full(&self) -> bool {
        self.floats == Floats::ALL
    }

    /// What holds of both; everything, where they are read in two ways.
    pub(super) fn join(self, other: FloatRange) -> FloatRange {
        let floats = if self.format == other.format { self.floats.join(other.floats) } else { Floats::ALL };
        FloatRange { floats, ..self }
    }

    /// What this, which grew to `new`, is taken to grow to: the next thresholds, or everything.
    pub(super) fn widen(self, new: FloatRange, thresholds: &[f64]) -> FloatRange {
        let (old, new) = (self.floats, self.join(new).floats);
        let least = thresholds.iter().rev().copied().find(|t| *t <= new.lo).unwrap_or(f64::NEG_INFINITY);
        let most = thresholds.iter().copied().find(|t| *t >= new.hi).unwrap_or(f64::INFINITY);
        let lo = if new.lo < old.lo { least } else { new.lo };
        let hi = if new.hi > old.hi { most } else { new.hi };
        FloatRange { floats: Floats { lo, hi, nan: new.nan }, ..self }
    }
}

/// The bounds of a variable as formulas over its bits.
pub(super) fn bounds(terms: &mut Terms, symbol: Symbol, range: FloatRange) -> Vec<Term> {
    let FloatRange { format, floats } = range;
    if floats.nan || !floats.has_numbers() {
        return Vec::new();
    }
    let x = terms.symbol(symbol);
    if floats.lo == floats.hi {
        let value = constant(terms, format, floats.lo);
        return vec![terms.float_binary(FloatBinOp::Eq, format, x, value)];
    }
    let mut found = Vec::new();
    // The weakest bound says that it is no NaN.
    if floats.lo > f64::NEG_INFINITY || floats.hi == f64::INFINITY {
        let least = constant(terms, format, floats.lo);
        found.push(terms.float_binary(FloatBinOp::Le, format, least, x));
    }
    if floats.hi < f64::INFINITY {
        let most = constant(terms, format, floats.hi);
        found.push(terms.float_binary(FloatBinOp::Le, format, x, most));
    }
    found
}

fn constant(terms: &mut Terms, format: Format, number: f64) -> Term {
    let bits = match format {
        Format::Single => (number as f32).to_bits().into(),
        Format::Double => number.to_bits(),
    };
    terms.bit_vec(format.width(), bits)
}

/// The variables that are declared as floats.
pub(super) fn formats(program: &CfaProgram) -> FxHashMap<Symbol, Format> {
    let format = |ty: &str| match ty {
        "float" => Some(Format::Single),
        "double" => Some(Format::Double),
        _ => None,
    };
    program.variables.iter().filter_map(|(symbol, info)| Some((*symbol, format(&info.ty)?))).collect()
}

/// The numbers that a program computes and compares with, and multiples of the latter, in order; singles, so that all formats have them.
pub(super) fn thresholds(program: &CfaProgram) -> Vec<f64> {
    let terms = &program.terms;
    let mut found = BTreeSet::new();
    for term in terms.all_terms() {
        let Node::Binary(BinOp::Float(op, format), a, b) = terms.node(term) else { continue };
        for operand in [a, b] {
            let Node::BitVec(_, bits) = terms.node(operand) else { continue };
            let number = Floats::constant(format, bits).magnitude().hi;
            let factors: &[f64] = if op.compares() { &[1.0, 1.001, 2.0, 10.0] } else { &[1.0] };
            if found.len() < THRESHOLDS {
                found.extend(factors.iter().map(|factor| ((number * factor) as f32).next_up().to_bits()));
                found.insert((number as f32).to_bits());
            }
        }
    }
    if found.is_empty() {
        return Vec::new();
    }
    let mut numbers: Vec<f64> =
        found.into_iter().map(f32::from_bits).filter(|n| n.is_finite()).map(f64::from).collect();
    numbers.extend([0.0, 1.0]);
    numbers.extend(numbers.clone().into_iter().map(|number| -number));
    numbers.sort_by(f64::total_cmp);
    numbers.dedup_by(|a, b| a == b);
    numbers
}

/// An operation on the bits of a float that changes only its sign.
enum Sign {
    Opposite,
    Positive,
}

fn of_sign(terms: &Terms, term: Term, format: Format) -> Option<(Sign, Term)> {
    let Node::Binary(op @ (BinOp::BvXor | BinOp::BvAnd), a, b) = terms.node(term) else { return None };
    let Node::BitVec(_, bits) = terms.node(b) else { return None };
    match op {
        BinOp::BvXor if bits == format.sign() => Some((Sign::Opposite, a)),
        BinOp::BvAnd if bits == format.sign() - 1 => Some((Sign::Positive, a)),
        _ => None,
    }
}

impl Known {
    /// What a variable is when a term is assigned to it, if one of them is known to be a float.
    pub(super) fn assigned_float(&self, terms: &Terms, value: Term, declared: Option<Format>) -> Option<FloatRange> {
        let format = declared.or_else(|| self.format_of(terms, value, 8))?;
        let holds_it = terms.sort(value) == Sort::BitVec(format.width());
        holds_it.then(|| self.float(terms, value, format))
    }

    fn format_of(&self, terms: &Terms, term: Term, depth: u32) -> Option<Format> {
        match terms.node(term) {
            Node::Symbol(symbol) => self.float_range(symbol).map(|known| known.format),
            Node::Binary(BinOp::Float(op, format), ..) if !op.compares() => Some(format),
            Node::Fma(format, ..) => Some(format),
            Node::Unary(UnOp::Float(op, format), _) => match op {
                FloatUnOp::ToSigned(_) | FloatUnOp::ToUnsigned(_) => None,
                FloatUnOp::Convert => Some(format.other()),
                _ => Some(format),
            },
            Node::Ite(_, a, b) if depth > 0 => {
                self.format_of(terms, a, depth - 1).or_else(|| self.format_of(terms, b, depth - 1))
            }
            _ => None,
        }
    }

    /// The floats that a term of bits may be.
    pub(super) fn float(&self, terms: &Terms, term: Term, format: Format) -> FloatRange {
        FloatRange { format, floats: self.float_at(terms, term, format, &mut { FUEL }) }
    }

    pub(super) fn float_at(&self, terms: &Terms, term: Term, format: Format, fuel: &mut u32) -> Floats {
        let Some(less) = fuel.checked_sub(1) else { return Floats::ALL };
        *fuel = less;
        let floats = self.computed(terms, term, format, fuel);
        self.part(term).filter(|known| known.format == format).map_or(floats, |known| floats.meet(known.floats))
    }

    fn computed(&self, terms: &Terms, term: Term, format: Format, fuel: &mut u32) -> Floats {
        if let Some((sign, a)) = of_sign(terms, term, format) {
            let floats = self.float_at(terms, a, format, fuel);
            return match sign {
                Sign::Opposite => floats.negation(),
                Sign::Positive => floats.magnitude(),
            };
        }
        let mut of = |term: Term, format: Format| self.float_at(terms, term, format, fuel);
        match terms.node(term) {
            Node::BitVec(_, bits) => Floats::constant(format, bits),
            Node::Symbol(symbol) => self.float_of(symbol, format),
            Node::Binary(BinOp::Float(op, own), a, b) if own == format && !op.compares() => {
                let x = of(a, format);
                if a == b && op == FloatBinOp::Mul {
                    return Floats::binary(op, format, x.magnitude(), x.magnitude());
                }
                Floats::binary(op, format, x, of(b, format))
            }
            Node::Fma(own, a, b, c) if own == format => {
                Floats::fused(format, of(a, format), of(b, format), of(c, format))
            }
            Node::Unary(UnOp::Float(op, own), a) => match op {
                FloatUnOp::Sqrt | FloatUnOp::Integral(_) if own == format => Floats::unary(op, own, of(a, own)),
                FloatUnOp::Convert if own.other() == format => Floats::unary(op, own, of(a, own)),
                FloatUnOp::FromSigned | FloatUnOp::FromUnsigned if own == format => {
                    self.of_integer(terms, a, format, op == FloatUnOp::FromSigned)
                }
                _ => Floats::ALL,
            },
            Node::Ite(condition, a, b) => {
                *fuel = fuel.saturating_sub(CHOICE);
                let mut branch = |value: bool, term: Term| {
                    let known = self.clone().supposing(terms, condition, value)?;
                    Some(known.float_at(terms, term, format, fuel))
                };
                match (branch(true, a), branch(false, b)) {
                    (Some(x), Some(y)) => x.join(y),
                    (one, other) => one.or(other).unwrap_or(Floats::ALL),
                }
            }
            _ => Floats::ALL,
        }
    }

    fn of_integer(&self, terms: &Terms, a: Term, format: Format, signed: bool) -> Floats {
        let Some(range) = self.range(terms, a) else { return Floats::ALL };
        let (lo, hi) = if signed { range.signed() } else { range.unsigned() };
        let nearest = |x: i128| match format {
            Format::Single => f64::from(x as f32),
            Format::Double => x as f64,
        };
        Floats::between(nearest(lo), nearest(hi))
    }

    /// The integers that a conversion of a float makes, where all of them fit.
    pub(super) fn converted(
        &self,
        terms: &Terms,
        op: FloatUnOp,
        format: Format,
        a: Term,
        fuel: &mut u32,
    ) -> Option<Range> {
        let (width, signed) = match op {
            FloatUnOp::ToSigned(width) => (u32::from(width), true),
            FloatUnOp::ToUnsigned(width) => (u32::from(width), false),
            _ => return None,
        };
        let full = Range::full(width);
        let (least, most) = if signed { full.signed() } else { full.unsigned() };
        let (lo, hi) = truncated(self.float_at(terms, a, format, fuel))?;
        match (least <= lo && hi <= most, signed) {
            (false, _) => None,
            (true, true) => full.signed_between(lo, hi),
            (true, false) => full.unsigned_between(lo, hi),
        }
    }

    /// A comparison of two floats holds, or does not.
    pub(super) fn compare_floats(
        mut self,
        terms: &Terms,
        (op, format): (FloatBinOp, Format),
        (a, b): (Term, Term),
        value: bool,
    ) -> Option<Known> {
        let (x, y) = (self.float(terms, a, format).floats, self.float(terms, b, format).floats);
        if Floats::compare(op, x, y) == Some(!value) {
            return None;
        }
        let (x, y) = match (value, op) {
            (true, _) => Floats::ordered(op, format, x, y),
            // A number differs from itself in nothing.
            (false, _) if a == b && op != FloatBinOp::Lt => (x.meet(Floats::NAN), x.meet(Floats::NAN)),
            (false, FloatBinOp::Lt | FloatBinOp::Le) => {
                let converse = if op == FloatBinOp::Lt { FloatBinOp::Le } else { FloatBinOp::Lt };
                let (above, below) = Floats::ordered(converse, format, y, x);
                // Where the other one may be a NaN, nothing is said.
                let left = if y.nan { x } else { Floats { nan: x.nan, ..below } };
                let right = if x.nan { y } else { Floats { nan: y.nan, ..above } };
                (left, right)
            }
            (false, _) => return Some(self),
        };
        self.learn_float(terms, a, format, x)?;
        self.learn_float(terms, b, format, y)?;
        Some(self)
    }

    /// A term is one of some floats: what that says of the variables it is computed from. None, if it cannot be.
    fn learn_float(&mut self, terms: &Terms, term: Term, format: Format, floats: Floats) -> Option<()> {
        if floats.is_empty() {
            return None;
        }
        if !matches!(terms.node(term), Node::Symbol(_) | Node::BitVec(..)) {
            self.set_part(term, FloatRange { format, floats });
        }
        if let Some((sign, a)) = of_sign(terms, term, format) {
            let before = match sign {
                Sign::Opposite => floats.negation(),
                Sign::Positive => Floats { lo: -floats.hi, ..floats },
            };
            return self.learn_float(terms, a, format, before);
        }
        match terms.node(term) {
            Node::Symbol(symbol) => {
                let floats = self.float_of(symbol, format).meet(floats);
                self.set_float(symbol, Some(FloatRange { format, floats }));
                return (!floats.is_empty()).then_some(());
            }
            Node::Unary(UnOp::Float(FloatUnOp::Convert, own), a) if own.other() == format => {
                return self.learn_float(terms, a, own, floats.before_conversion(own));
            }
            Node::Unary(UnOp::Float(FloatUnOp::FromSigned, own), a) if own == format => {
                if let (Some((lo, hi)), Some(range)) = (floats.whole(format), self.range(terms, a)) {
                    return self.learn(terms, a, range.signed_between(lo, hi)?);
                }
            }
            Node::Binary(BinOp::Float(op, own), a, b) if own == format => {
                let operands = (self.float(terms, a, format).floats, self.float(terms, b, format).floats);
                if let Some((x, y)) = floats.operands(op, format, operands) {
                    self.learn_float(terms, a, format, operands.0.meet(x))?;
                    self.learn_float(terms, b, format, operands.1.meet(y))?;
                }
            }
            _ => {}
        }
        Some(())
    }

    fn float_of(&self, symbol: Symbol, format: Format) -> Floats {
        self.float_range(symbol).filter(|known| known.format == format).map_or(Floats::ALL, |known| known.floats)
    }
}
