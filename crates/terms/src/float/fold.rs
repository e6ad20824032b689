//! Operations that are known to be simpler ones.
//!
//! C makes a `double` of a `float` before it compares it with one. That is exact, so it keeps the order: floats are compared as what they
//! are, and are the same when they become a `float` again. What operations make of a NaN is quiet.

use super::extended::ExtendedOp;
use super::{FloatBinOp, FloatUnOp, Format, value};
use crate::{BinOp, Node, Term, Terms, UnOp};

impl Terms {
    /// A simpler term for an operation on two numbers.
    pub(super) fn simpler(&mut self, op: FloatBinOp, format: Format, a: Term, b: Term) -> Option<Term> {
        match op {
            FloatBinOp::Mul if self.is_one(format, a) => self.quiet(format, b),
            FloatBinOp::Mul | FloatBinOp::Div if self.is_one(format, b) => self.quiet(format, a),
            _ if op.compares() && format == Format::Double => self.compared_before_widening(op, a, b),
            _ => None,
        }
    }

    /// The number, where it is converted to binary64 and back.
    pub(super) fn back_again(&mut self, op: FloatUnOp, format: Format, a: Term) -> Option<Term> {
        if (op, format) != (FloatUnOp::Convert, Format::Double) {
            return None;
        }
        let x = self.before_widening(a)?;
        self.quiet(Format::Single, x)
    }

    fn is_one(&self, format: Format, a: Term) -> bool {
        self.small_bits(a) == Some(value::unary(FloatUnOp::FromUnsigned, format, 64, 1))
    }

    /// A comparison of numbers of binary64 as one of binary32, where both are conversions, or one is and the other one is constant.
    fn compared_before_widening(&mut self, op: FloatBinOp, a: Term, b: Term) -> Option<Term> {
        match (self.before_widening(a), self.before_widening(b)) {
            (Some(x), Some(y)) => Some(self.float_binary(op, Format::Single, x, y)),
            (Some(x), None) => {
                let limit = f64::from_bits(self.small_bits(b)?);
                Some(self.compared_with_constant(op, x, limit, Side::Right))
            }
            (None, Some(y)) => {
                let limit = f64::from_bits(self.small_bits(a)?);
                Some(self.compared_with_constant(op, y, limit, Side::Left))
            }
            (None, None) => None,
        }
    }

    /// Compares a number of binary32 with a constant that may be between two of them.
    fn compared_with_constant(&mut self, op: FloatBinOp, x: Term, limit: f64, constant: Side) -> Term {
        let nearest = limit as f32;
        let is_exact = f64::from(nearest) == limit;
        if limit.is_nan() || op == FloatBinOp::Eq && !is_exact {
            return self.bool(false);
        }
        // The last number on the side of the constant where the comparison holds.
        let (op, last) = match constant {
            _ if is_exact => (op, nearest),
            Side::Right if f64::from(nearest) < limit => (FloatBinOp::Le, nearest),
            Side::Right => (FloatBinOp::Le, nearest.next_down()),
            Side::Left if f64::from(nearest) > limit => (FloatBinOp::Le, nearest),
            Side::Left => (FloatBinOp::Le, nearest.next_up()),
        };
        let last = self.bit_vec(Format::Single.width(), last.to_bits().into());
        match constant {
            Side::Left => self.float_binary(op, Format::Single, last, x),
            Side::Right => self.float_binary(op, Format::Single, x, last),
        }
    }

    /// The number, quiet if it is a NaN.
    fn quiet(&mut self, format: Format, x: Term) -> Option<Term> {
        match self.node(x) {
            // The operand is written three times: that is for what has no operands.
            Node::Symbol(_) | Node::Var(_) => {
                let is_nan = self.is_nan(format, x);
                let quiet = self.bit_vec(format.width(), format.quiet());
                let quiet = self.bv(BinOp::BvOr, x, quiet);
                Some(self.ite(is_nan, quiet, x))
            }
            node => (format_made(node) == Some(format)).then_some(x),
        }
    }

    /// The number of binary32 that was converted to this one of binary64.
    fn before_widening(&self, a: Term) -> Option<Term> {
        match self.node(a) {
            Node::Unary(UnOp::Float(FloatUnOp::Convert, Format::Single), x) => Some(x),
            _ => None,
        }
    }
}

/// Where the constant of a comparison is.
#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

/// The format of what an operation makes, if it is a number: its NaNs are quiet.
fn format_made(node: Node) -> Option<Format> {
    match node {
        Node::Unary(UnOp::Float(op, format), _) => match op {
            FloatUnOp::Sqrt | FloatUnOp::Integral(_) | FloatUnOp::FromSigned | FloatUnOp::FromUnsigned => Some(format),
            FloatUnOp::Convert => Some(format.other()),
            FloatUnOp::ToSigned(_) | FloatUnOp::ToUnsigned(_) => None,
        },
        Node::Unary(UnOp::Extended(ExtendedOp::ToFloat(format)), _) | Node::Fma(format, ..) => Some(format),
        Node::Binary(BinOp::Float(op, format), ..) => (!op.compares()).then_some(format),
        _ => None,
    }
}
