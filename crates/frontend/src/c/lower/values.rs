//! Values of expressions, and terms for C's operations in both readings of integers.

use clinch_ir::cfa::Integers;
use clinch_terms::{BinOp, Node, Sort, Term, UnOp};
use num_bigint::BigInt;

use super::super::hir::BinaryOp;
use super::super::points_to::Cell;
use super::super::types::{Type, TypeId};
use super::Lowering;

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// None.
    Void,
    /// A scalar.
    Scalar(Term),
    /// The scalars of a record, with their offsets.
    Leaves(Vec<(u64, TypeId, Term)>),
    /// A record in memory.
    Block {
        /// Where.
        address: Term,
        /// Where, for the pointer analysis.
        cell: Option<Cell>,
    },
}

impl Lowering<'_> {
    pub(super) fn mathematical(&self) -> bool {
        self.options.integers == Integers::Mathematical
    }

    /// Bits of the variable that holds a value of a scalar type. A `long double` is not modelled: 64 bits stand for it.
    pub(super) fn bits(&self, ty: TypeId) -> u32 {
        self.hir.types.scalar_bits(ty).unwrap_or(32).min(64)
    }

    pub(super) fn sort(&self, ty: TypeId) -> Sort {
        self.sort_of_bits(self.bits(ty))
    }

    pub(super) fn sort_of_bits(&self, bits: u32) -> Sort {
        if self.mathematical() { Sort::Int } else { Sort::BitVec(bits) }
    }

    pub(super) fn is_float(&self, ty: TypeId) -> bool {
        matches!(self.hir.types.get(ty), Type::Float(_))
    }

    pub(super) fn is_int128(&self, ty: TypeId) -> bool {
        matches!(self.hir.types.get(ty), Type::Int { rank: super::super::types::Rank::Int128, .. })
    }

    pub(super) fn constant(&mut self, ty: TypeId, value: i128) -> Term {
        self.number(self.bits(ty), value)
    }

    pub(super) fn number(&mut self, bits: u32, value: i128) -> Term {
        if self.mathematical() { self.terms.big(BigInt::from(value)) } else { self.terms.bit_vec(bits, value as u64) }
    }

    /// An address, or a distance between two.
    pub(super) fn address(&mut self, address: u64) -> Term {
        self.number(self.pointer_bits(), i128::from(address))
    }

    pub(super) fn pointer_bits(&self) -> u32 {
        self.hir.types.model.pointer_bits()
    }

    pub(super) fn is_constant(&self, term: Term) -> bool {
        matches!(self.terms.node(term), Node::Int(_) | Node::Big(_) | Node::BitVec(..) | Node::Bool(_))
    }

    pub(super) fn is_zero(&self, term: Term) -> bool {
        matches!(self.terms.node(term), Node::Int(0) | Node::BitVec(_, 0))
    }

    pub(super) fn add(&mut self, a: Term, b: Term) -> Term {
        if self.is_zero(b) {
            return a;
        }
        if self.mathematical() {
            return if self.is_zero(a) { b } else { self.terms.add(a, b) };
        }
        // Offsets of members add up.
        if let (Node::Binary(BinOp::BvAdd, base, k), Node::BitVec(..)) = (self.terms.node(a), self.terms.node(b))
            && self.is_constant(k)
        {
            let k = self.terms.bv(BinOp::BvAdd, k, b);
            return self.terms.bv(BinOp::BvAdd, base, k);
        }
        self.terms.bv(BinOp::BvAdd, a, b)
    }

    /// An address some bytes further.
    pub(super) fn plus(&mut self, address: Term, bytes: u64) -> Term {
        let bytes = self.address(bytes);
        self.add(address, bytes)
    }

    pub(super) fn sub(&mut self, a: Term, b: Term) -> Term {
        if self.mathematical() { self.terms.sub(a, b) } else { self.terms.bv(BinOp::BvSub, a, b) }
    }

    pub(super) fn mul(&mut self, a: Term, b: Term) -> Term {
        if !self.mathematical() {
            return self.terms.bv(BinOp::BvMul, a, b);
        }
        match (self.terms.node(a), self.terms.node(b)) {
            (_, Node::Int(1)) => a,
            (Node::Int(1), _) => b,
            _ => self.terms.mul(a, b),
        }
    }

    pub(super) fn neg(&mut self, a: Term) -> Term {
        if self.mathematical() { self.terms.unary(UnOp::Neg, a) } else { self.terms.bv_neg(a) }
    }

    pub(super) fn bit_not(&mut self, a: Term) -> Term {
        if self.mathematical() { self.terms.unary(UnOp::BitNot, a) } else { self.terms.bv_not(a) }
    }

    /// An arithmetic operation on integers of a type.
    pub(super) fn arithmetic(&mut self, op: BinaryOp, ty: TypeId, a: Term, b: Term) -> Term {
        if self.mathematical() {
            return self.mathematical_op(op, a, b);
        }
        let signed = self.hir.types.is_signed(ty);
        let op = match op {
            BinaryOp::Add => return self.add(a, b),
            BinaryOp::Sub => BinOp::BvSub,
            BinaryOp::Mul => BinOp::BvMul,
            BinaryOp::Div if signed => BinOp::BvSdiv,
            BinaryOp::Div => BinOp::BvUdiv,
            BinaryOp::Rem if signed => BinOp::BvSrem,
            BinaryOp::Rem => BinOp::BvUrem,
            BinaryOp::BitAnd => BinOp::BvAnd,
            BinaryOp::BitOr => BinOp::BvOr,
            BinaryOp::BitXor => BinOp::BvXor,
            BinaryOp::Shl | BinaryOp::Shr => return self.shift(op, signed, a, b),
            _ => unreachable!("comparisons are made elsewhere"),
        };
        let partial = matches!(op, BinOp::BvSdiv | BinOp::BvUdiv | BinOp::BvSrem | BinOp::BvUrem);
        if partial && self.terms.as_bit_vec(b).is_none_or(|(_, divisor)| divisor.bits() == 0) {
            return self.may_fail(op, a, b);
        }
        self.terms.bv(op, a, b)
    }

    /// An operation that is undefined for some operands: it must not be simplified away.
    fn may_fail(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        self.terms.intern(Node::Binary(op, a, b))
    }

    /// The distance has a type of its own; it is brought to the width of what is shifted without losing high bits.
    fn shift(&mut self, op: BinaryOp, signed: bool, a: Term, b: Term) -> Term {
        let (width, other) = (self.terms.bv_width(a), self.terms.bv_width(b));
        let distance = if other <= width {
            // A negative distance is out of range in either width.
            self.terms.resize(true, width, b)
        } else {
            let limit = self.terms.bit_vec(other, u64::from(width));
            let low = self.terms.extract(width - 1, 0, b);
            let too_far = self.terms.bit_vec(width, u64::MAX);
            let in_range = self.terms.bv_ult(b, limit);
            self.terms.ite(in_range, low, too_far)
        };
        let op = match op {
            BinaryOp::Shl => BinOp::BvShl,
            _ if signed => BinOp::BvAshr,
            _ => BinOp::BvLshr,
        };
        let in_range = |bits: &num_bigint::BigUint| *bits < num_bigint::BigUint::from(width);
        if self.terms.as_bit_vec(distance).is_some_and(|(_, bits)| in_range(&bits)) {
            self.terms.bv(op, a, distance)
        } else {
            self.may_fail(op, a, distance)
        }
    }

    fn mathematical_op(&mut self, op: BinaryOp, a: Term, b: Term) -> Term {
        let distance = match self.terms.node(b) {
            Node::Int(k) if (0..62).contains(&k) => Some(k),
            _ => None,
        };
        let op = match (op, distance) {
            (BinaryOp::Add, _) => return self.add(a, b),
            (BinaryOp::Sub, _) if self.is_zero(b) => return a,
            (BinaryOp::Sub, _) => BinOp::Sub,
            (BinaryOp::Mul, _) => return self.mul(a, b),
            (BinaryOp::Div, _) => BinOp::Div,
            (BinaryOp::Rem, _) => BinOp::Rem,
            (BinaryOp::BitAnd, _) => BinOp::BitAnd,
            (BinaryOp::BitOr, _) => BinOp::BitOr,
            (BinaryOp::BitXor, _) => BinOp::BitXor,
            (BinaryOp::Shl, Some(k)) => {
                let factor = self.terms.int(1 << k);
                return self.mul(a, factor);
            }
            (BinaryOp::Shr, Some(k)) => {
                let divisor = self.terms.int(1 << k);
                return self.terms.binary(BinOp::FloorDiv, a, divisor);
            }
            (BinaryOp::Shl, None) => BinOp::Shl,
            (BinaryOp::Shr, None) => BinOp::Shr,
            _ => unreachable!("comparisons are made elsewhere"),
        };
        self.terms.binary(op, a, b)
    }

    /// 1 for true, 0 for false.
    pub(super) fn truth_value(&mut self, condition: Term, ty: TypeId) -> Term {
        let (one, zero) = (self.constant(ty, 1), self.constant(ty, 0));
        self.terms.ite(condition, one, zero)
    }

    /// Whether a value is not 0.
    pub(super) fn nonzero(&mut self, term: Term) -> Term {
        let zero = if self.terms.sort(term) == Sort::Int {
            self.terms.int(0)
        } else {
            let width = self.terms.bv_width(term);
            self.terms.bit_vec(width, 0)
        };
        let equal = self.equal(term, zero);
        self.not(equal)
    }

    /// Equality. A comparison that was made a number is a comparison again.
    pub(super) fn equal(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = if self.is_constant(a) { (b, a) } else { (a, b) };
        if let Node::Ite(c, x, y) = self.terms.node(a)
            && self.is_constant(b)
            && self.is_constant(x)
            && self.is_constant(y)
        {
            return match (x == b, y == b) {
                (true, true) => self.terms.tt(),
                (true, false) => c,
                (false, true) => self.not(c),
                (false, false) => self.terms.ff(),
            };
        }
        self.terms.eq(a, b)
    }

    /// Negation, with orders turned round.
    pub(super) fn not(&mut self, a: Term) -> Term {
        let turned = match self.terms.node(a) {
            Node::Binary(BinOp::BvUlt, x, y) => Some((BinOp::BvUle, y, x)),
            Node::Binary(BinOp::BvUle, x, y) => Some((BinOp::BvUlt, y, x)),
            Node::Binary(BinOp::BvSlt, x, y) => Some((BinOp::BvSle, y, x)),
            Node::Binary(BinOp::BvSle, x, y) => Some((BinOp::BvSlt, y, x)),
            Node::Binary(BinOp::Lt, x, y) => Some((BinOp::Le, y, x)),
            Node::Binary(BinOp::Le, x, y) => Some((BinOp::Lt, y, x)),
            _ => None,
        };
        match turned {
            Some((op, x, y)) => self.terms.binary(op, x, y),
            None => self.terms.not(a),
        }
    }

    /// A comparison of integers or pointers.
    pub(super) fn compare(&mut self, op: BinaryOp, signed: bool, a: Term, b: Term) -> Term {
        let (strict, weak) = match (self.mathematical(), signed) {
            (true, _) => (BinOp::Lt, BinOp::Le),
            (false, true) => (BinOp::BvSlt, BinOp::BvSle),
            (false, false) => (BinOp::BvUlt, BinOp::BvUle),
        };
        match op {
            BinaryOp::Eq => self.equal(a, b),
            BinaryOp::Ne => {
                let equal = self.equal(a, b);
                self.not(equal)
            }
            BinaryOp::Lt => self.terms.binary(strict, a, b),
            BinaryOp::Le => self.terms.binary(weak, a, b),
            BinaryOp::Gt => self.terms.binary(strict, b, a),
            BinaryOp::Ge => self.terms.binary(weak, b, a),
            _ => unreachable!("not a comparison"),
        }
    }

    /// Conversion between integers, pointers and `_Bool`.
    pub(super) fn convert(&mut self, term: Term, from: TypeId, to: TypeId) -> Term {
        match (self.hir.types.get(from), self.hir.types.get(to)) {
            (Type::Bool, Type::Bool) => return term,
            (_, Type::Bool) => {
                let condition = self.nonzero(term);
                return self.truth_value(condition, to);
            }
            _ if self.mathematical() => return term,
            _ => {}
        }
        // gcc extends pointers with their sign.
        let signed = self.hir.types.is_signed(from) || self.hir.types.is_pointer(from);
        let bits = self.bits(to);
        if let Node::Ite(c, x, y) = self.terms.node(term)
            && self.is_constant(x)
            && self.is_constant(y)
        {
            let (x, y) = (self.terms.resize(signed, bits, x), self.terms.resize(signed, bits, y));
            return self.terms.ite(c, x, y);
        }
        self.terms.resize(signed, bits, term)
    }
}
