//! How terms with operations on floats are made.

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::extended::{self, ExtendedOp};
use super::{FloatBinOp, FloatUnOp, Format, value};
use crate::{BinOp, Node, Term, Terms, UnOp};

/// The operands are bit-vectors of the format's width.
impl Terms {
    /// An operation on two floats, folded where both are constants.
    pub fn float_binary(&mut self, op: FloatBinOp, format: Format, a: Term, b: Term) -> Term {
        if let (Some(x), Some(y)) = (self.small_bits(a), self.small_bits(b)) {
            let result = value::binary(op, format, x, y);
            return if op.compares() { self.bool(result == 1) } else { self.bit_vec(format.width(), result) };
        }
        self.simpler(op, format, a, b).unwrap_or_else(|| self.intern(Node::Binary(BinOp::Float(op, format), a, b)))
    }

    /// An operation on a float, or one that makes a float of an integer, folded for constants.
    pub fn float_unary(&mut self, op: FloatUnOp, format: Format, a: Term) -> Term {
        if let Some(bits) = self.small_bits(a) {
            let width = self.bv_width(a);
            return self.bit_vec(op.width(format), value::unary(op, format, width, bits));
        }
        self.back_again(op, format, a).unwrap_or_else(|| self.intern(Node::Unary(UnOp::Float(op, format), a)))
    }

    /// `a * b + c`, rounded once, folded for constants.
    pub fn fma(&mut self, format: Format, a: Term, b: Term, c: Term) -> Term {
        let constants = [a, b, c].map(|operand| self.small_bits(operand));
        if let [Some(x), Some(y), Some(z)] = constants {
            return self.bit_vec(format.width(), value::fma(format, x, y, z));
        }
        self.intern(Node::Fma(format, a, b, c))
    }

    pub(super) fn small_bits(&self, term: Term) -> Option<u64> {
        match self.node(term) {
            Node::BitVec(width, bits) if width <= 64 => Some(bits),
            _ => None,
        }
    }

    /// Whether the outermost operation of a term is one on floats, or makes one.
    pub fn is_float_operation(&self, term: Term) -> bool {
        matches!(
            self.node(term),
            Node::Unary(UnOp::Float(..) | UnOp::Extended(_), _)
                | Node::Binary(BinOp::Float(..) | BinOp::Extended(_), ..)
                | Node::Fma(..)
        )
    }

    /// Whether a float is a NaN.
    pub fn is_nan(&mut self, format: Format, a: Term) -> Term {
        let (magnitude, infinity) = (self.float_magnitude(format, a), self.bit_vec(format.width(), format.infinity()));
        self.bv_ult(infinity, magnitude)
    }

    /// A float without its sign.
    pub fn float_magnitude(&mut self, format: Format, a: Term) -> Term {
        let mask = self.bit_vec(format.width(), !format.sign());
        self.bv(BinOp::BvAnd, a, mask)
    }

    /// A float with the other sign.
    pub fn float_negation(&mut self, format: Format, a: Term) -> Term {
        let sign = self.bit_vec(format.width(), format.sign());
        self.bv(BinOp::BvXor, a, sign)
    }

    /// An operation on two numbers of 80 bits, folded where both are constants.
    pub fn extended_binary(&mut self, op: FloatBinOp, a: Term, b: Term) -> Term {
        if let (Some(x), Some(y)) = (self.constant_bits(a), self.constant_bits(b)) {
            let result = extended::binary(op, x, y);
            return if op.compares() {
                self.bool(result == 1)
            } else {
                self.big_bit_vec(extended::WIDTH, BigUint::from(result))
            };
        }
        self.intern(Node::Binary(BinOp::Extended(op), a, b))
    }

    /// An operation on one number, folded for constants.
    pub fn extended_unary(&mut self, op: ExtendedOp, a: Term) -> Term {
        if let Some(bits) = self.constant_bits(a) {
            let result = extended::unary(op, self.bv_width(a), bits);
            return self.big_bit_vec(op.width(), BigUint::from(result));
        }
        self.intern(Node::Unary(UnOp::Extended(op), a))
    }

    fn constant_bits(&self, term: Term) -> Option<u128> {
        self.as_bit_vec(term)?.1.to_u128()
    }
}
