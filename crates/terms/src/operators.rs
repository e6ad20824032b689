//! What kinds of operations there are.

use crate::{BinOp, UnOp};

impl UnOp {
    /// Whether it takes a bit-vector, and not one that is a float.
    pub fn on_bit_vectors(self) -> bool {
        matches!(self, UnOp::BvNot | UnOp::BvNeg | UnOp::BvToNat)
    }
}

impl BinOp {
    /// Whether it takes two bit-vectors and nothing else, and does not read them as floats.
    pub fn on_bit_vectors(self) -> bool {
        self >= BinOp::BvAdd && !matches!(self, BinOp::Float(..) | BinOp::Extended(_))
    }

    /// For an order the one that holds, with the sides exchanged, where it does not: `not (a < b)` is `b <= a`.
    pub fn converse_of_negation(self) -> Option<BinOp> {
        Some(match self {
            BinOp::Le => BinOp::Lt,
            BinOp::Lt => BinOp::Le,
            BinOp::BvUle => BinOp::BvUlt,
            BinOp::BvUlt => BinOp::BvUle,
            BinOp::BvSle => BinOp::BvSlt,
            BinOp::BvSlt => BinOp::BvSle,
            _ => return None,
        })
    }

    /// Whether it compares two bit-vectors, not as floats.
    pub fn compares_bit_vectors(self) -> bool {
        self >= BinOp::BvUlt && !matches!(self, BinOp::Float(..) | BinOp::Extended(_))
    }
}
