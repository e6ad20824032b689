//! Bit-vectors: what the operations mean, and how terms with them are made.
//!
//! The meaning is that of SMT-LIB's theory of fixed-size bit-vectors, where every operation is total. Constants are folded
//! by the same functions that evaluate formulas.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};

use crate::{BinOp, Node, Sort, Term, Terms, UnOp, Value};

/// `2^width`.
fn modulus(width: u32) -> BigUint {
    BigUint::one() << width
}

/// `2^width - 1`: all bits are set.
pub fn all_ones(width: u32) -> BigUint {
    modulus(width) - 1u32
}

/// The lowest bits of a number.
fn truncate(width: u32, bits: BigUint) -> BigUint {
    if bits.bits() <= u64::from(width) { bits } else { bits & all_ones(width) }
}

/// An integer modulo `2^width`.
pub fn of_integer(width: u32, value: &BigInt) -> BigUint {
    let rest = value.mod_floor(&modulus(width).into());
    rest.magnitude().clone()
}

/// The integer a bit-vector stands for in two's complement.
pub fn signed(width: u32, bits: &BigUint) -> BigInt {
    let value = BigInt::from(bits.clone());
    if is_negative(width, bits) { value - BigInt::from(modulus(width)) } else { value }
}

fn is_negative(width: u32, bits: &BigUint) -> bool {
    bits.bits() == u64::from(width)
}

/// The value of a unary operation on bit-vectors.
pub fn unary(op: UnOp, width: u32, bits: &BigUint) -> Option<Value> {
    let bits = match op {
        UnOp::BvNot => all_ones(width) - bits,
        UnOp::BvNeg => truncate(width, modulus(width) - bits),
        UnOp::BvToNat => return Some(Value::Int(bits.clone().into())),
        _ => return None,
    };
    Some(Value::BitVec { width, bits })
}

/// The value of a binary operation on bit-vectors. `None` for other operations and for different widths, which only
/// concatenation allows.
pub fn binary(op: BinOp, (width, x): (u32, &BigUint), (other, y): (u32, &BigUint)) -> Option<Value> {
    if op == BinOp::BvConcat {
        return Some(Value::BitVec { width: width + other, bits: (x << other) | y });
    }
    if width != other {
        return None;
    }
    let number = |bits: &BigUint| signed(width, bits);
    let bits = match op {
        BinOp::Eq => return Some(Value::Bool(x == y)),
        BinOp::BvUlt => return Some(Value::Bool(x < y)),
        BinOp::BvUle => return Some(Value::Bool(x <= y)),
        BinOp::BvSlt => return Some(Value::Bool(number(x) < number(y))),
        BinOp::BvSle => return Some(Value::Bool(number(x) <= number(y))),
        BinOp::BvAdd => truncate(width, x + y),
        BinOp::BvSub => truncate(width, modulus(width) + x - y),
        BinOp::BvMul => truncate(width, x * y),
        BinOp::BvAnd => x & y,
        BinOp::BvOr => x | y,
        BinOp::BvXor => x ^ y,
        BinOp::BvShl | BinOp::BvLshr | BinOp::BvAshr => shift(op, width, x, y),
        _ => divide(op, width, x, y)?,
    };
    Some(Value::BitVec { width, bits })
}

fn shift(op: BinOp, width: u32, x: &BigUint, y: &BigUint) -> BigUint {
    let distance = y.to_u32().unwrap_or(width).min(width);
    match op {
        BinOp::BvShl => truncate(width, x << distance),
        BinOp::BvAshr if is_negative(width, x) => (x >> distance) | (all_ones(distance) << (width - distance)),
        _ => x >> distance,
    }
}

fn divide(op: BinOp, width: u32, x: &BigUint, y: &BigUint) -> Option<BigUint> {
    let (a, b) = (signed(width, x), signed(width, y));
    Some(match op {
        BinOp::BvUdiv if y.is_zero() => all_ones(width),
        BinOp::BvSdiv if y.is_zero() && is_negative(width, x) => BigUint::one(),
        BinOp::BvSdiv if y.is_zero() => all_ones(width),
        BinOp::BvUrem | BinOp::BvSrem | BinOp::BvSmod if y.is_zero() => x.clone(),
        BinOp::BvUdiv => x / y,
        BinOp::BvUrem => x % y,
        BinOp::BvSdiv => of_integer(width, &(a / b)),
        BinOp::BvSrem => of_integer(width, &(a % b)),
        BinOp::BvSmod => of_integer(width, &a.mod_floor(&b)),
        _ => return None,
    })
}

/// The bits `hi..=lo`.
pub fn extract(hi: u32, lo: u32, bits: &BigUint) -> BigUint {
    truncate(hi - lo + 1, bits >> lo)
}

/// The same number with `by` bits more.
pub fn extend(signed: bool, by: u32, width: u32, bits: &BigUint) -> BigUint {
    if signed && is_negative(width, bits) { bits | (all_ones(by) << width) } else { bits.clone() }
}

/// What a constant argument of an operation is, where that matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Special {
    Zero,
    One,
    AllOnes,
    /// Not a constant, or none of these.
    Other,
}

/// Constructors. Widths must fit: callers check what they read.
impl Terms {
    /// What memory of a sort holds that was cleared: zero, or false.
    pub fn zero(&mut self, sort: &Sort) -> Term {
        match *sort {
            Sort::BitVec(width) => self.bit_vec(width, 0),
            Sort::Bool => self.ff(),
            _ => self.int(0),
        }
    }

    /// A bit-vector constant: the lowest bits of a number.
    pub fn bit_vec(&mut self, width: u32, bits: u64) -> Term {
        let bits = if width < 64 { bits & ((1 << width) - 1) } else { bits };
        self.intern(Node::BitVec(width, bits))
    }

    /// A bit-vector constant of any size: the lowest bits of a number.
    pub fn big_bit_vec(&mut self, width: u32, bits: BigUint) -> Term {
        let bits = truncate(width, bits);
        if let Some(small) = bits.to_u64() {
            return self.intern(Node::BitVec(width, small));
        }
        let id = self.intern_big(bits.into());
        self.intern(Node::BigBitVec(width, id))
    }

    /// The width and value of a bit-vector constant.
    pub fn as_bit_vec(&self, term: Term) -> Option<(u32, BigUint)> {
        match self.node(term) {
            Node::BitVec(width, bits) => Some((width, bits.into())),
            Node::BigBitVec(width, id) => Some((width, self.big_value(id).magnitude().clone())),
            _ => None,
        }
    }

    /// The width of a term that is a bit-vector.
    pub fn bv_width(&self, term: Term) -> u32 {
        match self.sort_id(term).map(|id| self.sort_of_id(id)) {
            Some(Sort::BitVec(width)) => *width,
            other => unreachable!("{other:?} is not a sort of bit-vectors"),
        }
    }

    /// A binary operation or comparison of bit-vectors.
    pub fn bv(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        let (a, b) = if is_commutative(op) && self.is_bv_constant(a) { (b, a) } else { (a, b) };
        if let (Some((v, x)), Some((w, y))) = (self.as_bit_vec(a), self.as_bit_vec(b))
            && let Some(value) = binary(op, (v, &x), (w, &y))
        {
            return self.constant(value);
        }
        let simpler = match op {
            BinOp::BvConcat => self.simpler_concat(a, b),
            _ if a == b => self.of_itself(op, a),
            _ => self.with_right_constant(op, a, b).or_else(|| self.with_left_constant(op, a, b)),
        };
        simpler.unwrap_or_else(|| self.intern(Node::Binary(op, a, b)))
    }

    fn is_bv_constant(&self, term: Term) -> bool {
        matches!(self.node(term), Node::BitVec(..) | Node::BigBitVec(..))
    }

    fn constant(&mut self, value: Value) -> Term {
        match value {
            Value::Bool(b) => self.bool(b),
            Value::Int(n) => self.big(n),
            Value::BitVec { width, bits } => self.big_bit_vec(width, bits),
            other => unreachable!("{other} does not come from bit-vectors"),
        }
    }

    fn special(&self, term: Term) -> Special {
        match self.as_bit_vec(term) {
            Some((_, bits)) if bits.is_zero() => Special::Zero,
            Some((width, bits)) if bits == all_ones(width) => Special::AllOnes,
            Some((_, bits)) if bits.is_one() => Special::One,
            _ => Special::Other,
        }
    }

    /// `x op x`.
    fn of_itself(&mut self, op: BinOp, x: Term) -> Option<Term> {
        match op {
            BinOp::BvAnd | BinOp::BvOr => Some(x),
            BinOp::BvUle | BinOp::BvSle => Some(self.tt()),
            BinOp::BvUlt | BinOp::BvSlt => Some(self.ff()),
            BinOp::BvSub | BinOp::BvXor | BinOp::BvUrem | BinOp::BvSrem | BinOp::BvSmod => {
                let width = self.bv_width(x);
                Some(self.bit_vec(width, 0))
            }
            _ => None,
        }
    }

    fn with_right_constant(&mut self, op: BinOp, a: Term, b: Term) -> Option<Term> {
        use BinOp::{
            BvAdd, BvAnd, BvAshr, BvLshr, BvMul, BvOr, BvSdiv, BvShl, BvSmod, BvSrem, BvSub, BvUdiv, BvUle, BvUlt,
            BvUrem, BvXor,
        };
        match (op, self.special(b)) {
            (BvAdd | BvSub | BvOr | BvXor | BvShl | BvLshr | BvAshr, Special::Zero) => Some(a),
            (BvUrem | BvSrem | BvSmod, Special::Zero) => Some(a),
            (BvAnd | BvMul, Special::Zero) | (BvOr, Special::AllOnes) => Some(b),
            (BvAnd, Special::AllOnes) | (BvMul | BvUdiv | BvSdiv, Special::One) => Some(a),
            (BvUrem | BvSrem | BvSmod, Special::One) => {
                let width = self.bv_width(a);
                Some(self.bit_vec(width, 0))
            }
            (BvUdiv, Special::Zero) => {
                let width = self.bv_width(a);
                Some(self.big_bit_vec(width, all_ones(width)))
            }
            (BvXor, Special::AllOnes) => Some(self.bv_not(a)),
            (BvUlt, Special::Zero) => Some(self.ff()),
            (BvUle, Special::AllOnes) => Some(self.tt()),
            _ => None,
        }
    }

    fn with_left_constant(&mut self, op: BinOp, a: Term, b: Term) -> Option<Term> {
        match (op, self.special(a)) {
            (BinOp::BvShl | BinOp::BvLshr | BinOp::BvAshr, Special::Zero) => Some(a),
            (BinOp::BvAshr, Special::AllOnes) => Some(a),
            (BinOp::BvSub, Special::Zero) => Some(self.bv_neg(b)),
            (BinOp::BvUle, Special::Zero) => Some(self.tt()),
            (BinOp::BvUlt, Special::AllOnes) => Some(self.ff()),
            _ => None,
        }
    }

    /// Neighbouring parts of one bit-vector are a part of it; zeros above it extend it.
    fn simpler_concat(&mut self, a: Term, b: Term) -> Option<Term> {
        match (self.node(a), self.node(b)) {
            (Node::Extract { hi, lo: above, of: x }, Node::Extract { hi: below, lo, of: y })
                if x == y && above == below + 1 =>
            {
                Some(self.extract(hi, lo, x))
            }
            (Node::BitVec(by, 0), _) => Some(self.zero_extend(by, b)),
            _ => None,
        }
    }

    pub(crate) fn bv_unary(&mut self, op: UnOp, a: Term) -> Term {
        if let Some((width, bits)) = self.as_bit_vec(a)
            && let Some(value) = unary(op, width, &bits)
        {
            return self.constant(value);
        }
        match (op, self.node(a)) {
            (UnOp::BvNot, Node::Unary(UnOp::BvNot, inner)) | (UnOp::BvNeg, Node::Unary(UnOp::BvNeg, inner)) => inner,
            _ => self.intern(Node::Unary(op, a)),
        }
    }

    /// Complement of every bit.
    pub fn bv_not(&mut self, a: Term) -> Term {
        self.bv_unary(UnOp::BvNot, a)
    }

    /// Two's complement.
    pub fn bv_neg(&mut self, a: Term) -> Term {
        self.bv_unary(UnOp::BvNeg, a)
    }

    /// Unsigned `a < b`.
    pub fn bv_ult(&mut self, a: Term, b: Term) -> Term {
        self.bv(BinOp::BvUlt, a, b)
    }

    /// Unsigned `a <= b`.
    pub fn bv_ule(&mut self, a: Term, b: Term) -> Term {
        self.bv(BinOp::BvUle, a, b)
    }

    /// Signed `a < b`.
    pub fn bv_slt(&mut self, a: Term, b: Term) -> Term {
        self.bv(BinOp::BvSlt, a, b)
    }

    /// Signed `a <= b`.
    pub fn bv_sle(&mut self, a: Term, b: Term) -> Term {
        self.bv(BinOp::BvSle, a, b)
    }

    /// The bits `hi..=lo` of a bit-vector.
    pub fn extract(&mut self, hi: u32, lo: u32, t: Term) -> Term {
        if lo == 0 && hi + 1 == self.bv_width(t) {
            return t;
        }
        if let Some((_, bits)) = self.as_bit_vec(t) {
            return self.big_bit_vec(hi - lo + 1, extract(hi, lo, &bits));
        }
        let simpler = match self.node(t) {
            Node::Extract { lo: below, of, .. } => Some(self.extract(hi + below, lo + below, of)),
            Node::Extend { signed, of, .. } => self.extract_of_extension(hi, lo, signed, of),
            Node::Binary(BinOp::BvConcat, a, b) => {
                let below = self.bv_width(b);
                match (hi < below, lo >= below) {
                    (true, _) => Some(self.extract(hi, lo, b)),
                    (_, true) => Some(self.extract(hi - below, lo - below, a)),
                    _ => None,
                }
            }
            _ => None,
        };
        simpler.unwrap_or_else(|| self.intern(Node::Extract { hi, lo, of: t }))
    }

    fn extract_of_extension(&mut self, hi: u32, lo: u32, signed: bool, of: Term) -> Option<Term> {
        let width = self.bv_width(of);
        if hi < width {
            return Some(self.extract(hi, lo, of));
        }
        if lo < width {
            let own = self.extract(width - 1, lo, of);
            return Some(self.extend(signed, hi + 1 - width, own));
        }
        (!signed).then(|| self.bit_vec(hi - lo + 1, 0))
    }

    /// A term with `by` bits more.
    pub fn extend(&mut self, signed: bool, by: u32, t: Term) -> Term {
        if by == 0 {
            return t;
        }
        if let Some((width, bits)) = self.as_bit_vec(t) {
            return self.big_bit_vec(width + by, extend(signed, by, width, &bits));
        }
        match self.node(t) {
            // Above zeros, the sign is 0.
            Node::Extend { signed: inner, by: own, of } if inner == signed || !inner => {
                self.intern(Node::Extend { signed: inner, by: own + by, of })
            }
            _ => self.intern(Node::Extend { signed, by, of: t }),
        }
    }

    /// More bits, all 0.
    pub fn zero_extend(&mut self, by: u32, t: Term) -> Term {
        self.extend(false, by, t)
    }

    /// More bits, all copies of the sign.
    pub fn sign_extend(&mut self, by: u32, t: Term) -> Term {
        self.extend(true, by, t)
    }

    /// The bit-vector with another width: its lowest bits, or more bits above.
    pub fn resize(&mut self, signed: bool, to_width: u32, t: Term) -> Term {
        let width = self.bv_width(t);
        if to_width < width { self.extract(to_width - 1, 0, t) } else { self.extend(signed, to_width - width, t) }
    }

    /// The bits moved toward the highest, which come back at the lowest; by less than the width.
    pub fn rotate_left(&mut self, by: u32, t: Term) -> Term {
        if by == 0 {
            return t;
        }
        let width = self.bv_width(t);
        let (low, high) = (self.extract(width - by - 1, 0, t), self.extract(width - 1, width - by, t));
        self.bv(BinOp::BvConcat, low, high)
    }

    /// An integer modulo `2^width` as a bit-vector.
    pub fn int_to_bv(&mut self, width: u32, t: Term) -> Term {
        if let Some(value) = self.as_integer(t) {
            return self.big_bit_vec(width, of_integer(width, &value));
        }
        match self.node(t) {
            Node::Unary(UnOp::BvToNat, of) => self.resize(false, width, of),
            _ => self.intern(Node::IntToBv(width, t)),
        }
    }

    /// The natural number a bit-vector stands for.
    pub fn bv_to_nat(&mut self, t: Term) -> Term {
        self.bv_unary(UnOp::BvToNat, t)
    }
}

fn is_commutative(op: BinOp) -> bool {
    matches!(op, BinOp::BvAdd | BinOp::BvMul | BinOp::BvAnd | BinOp::BvOr | BinOp::BvXor)
}
