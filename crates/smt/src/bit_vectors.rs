//! Bit-vectors, to Z3 and back.

use clinch_terms::{BinOp, Term, Terms, UnOp, Value};
use num_bigint::BigUint;
use z3::ast::{Ast, BV, Bool, Dynamic, Int};
use z3::{DeclKind, FuncDecl};

use crate::expr::Expr;

pub(crate) fn constant(terms: &Terms, term: Term) -> BV {
    let (width, bits) = terms.as_bit_vec(term).expect("a constant");
    BV::from_str(width, &bits.to_string()).expect("a numeral")
}

pub(crate) fn encode_unary(op: UnOp, a: &BV) -> Expr {
    match op {
        UnOp::BvNot => Expr::BitVec(a.bvnot()),
        UnOp::BvNeg => Expr::BitVec(a.bvneg()),
        UnOp::BvToNat => Expr::Int(Int::from_bv(a, false)),
        _ => unreachable!("{op:?} is not an operation on bit-vectors"),
    }
}

pub(crate) fn encode_binary(op: BinOp, a: &BV, b: &BV) -> Expr {
    let comparison: Bool = match op {
        BinOp::Eq => a.eq(b),
        BinOp::BvUlt => a.bvult(b),
        BinOp::BvUle => a.bvule(b),
        BinOp::BvSlt => a.bvslt(b),
        BinOp::BvSle => a.bvsle(b),
        _ => return Expr::BitVec(operation(op, a, b)),
    };
    Expr::Bool(comparison)
}

fn operation(op: BinOp, a: &BV, b: &BV) -> BV {
    match op {
        BinOp::BvAdd => a.bvadd(b),
        BinOp::BvSub => a.bvsub(b),
        BinOp::BvMul => a.bvmul(b),
        BinOp::BvUdiv => a.bvudiv(b),
        BinOp::BvUrem => a.bvurem(b),
        BinOp::BvSdiv => a.bvsdiv(b),
        BinOp::BvSrem => a.bvsrem(b),
        BinOp::BvSmod => a.bvsmod(b),
        BinOp::BvAnd => a.bvand(b),
        BinOp::BvOr => a.bvor(b),
        BinOp::BvXor => a.bvxor(b),
        BinOp::BvShl => a.bvshl(b),
        BinOp::BvLshr => a.bvlshr(b),
        BinOp::BvAshr => a.bvashr(b),
        BinOp::BvConcat => a.concat(b),
        _ => unreachable!("{op:?} is not an operation on bit-vectors"),
    }
}

/// A constant; where it is long, as Z3 prints it: `#x0f`, `#b01`.
pub(crate) fn value(expr: &BV) -> Option<(u32, BigUint)> {
    if let Some(bits) = expr.as_u64() {
        return Some((expr.get_size(), bits.into()));
    }
    let text = expr.to_string();
    let (digits, radix) = match text.strip_prefix("#x") {
        Some(digits) => (digits, 16),
        None => (text.strip_prefix("#b")?, 2),
    };
    Some((expr.get_size(), BigUint::parse_bytes(digits.as_bytes(), radix)?))
}

/// The same as a value.
pub(crate) fn decode_value(expr: &BV) -> Option<Value> {
    value(expr).map(|(width, bits)| Value::BitVec { width, bits })
}

/// The width in `(_ BitVec 8)`.
pub(crate) fn width(sort: &z3::Sort) -> Option<u32> {
    sort.to_string().strip_prefix("(_ BitVec ")?.strip_suffix(')')?.parse().ok()
}

/// An operation of Z3 on bit-vectors, applied to decoded arguments; `None` if it is none.
pub(crate) fn decode(terms: &mut Terms, expr: &Dynamic, declaration: &FuncDecl, args: &[Term]) -> Option<Term> {
    let kind = declaration.kind();
    match (kind, args) {
        (DeclKind::Bnum | DeclKind::Bit0 | DeclKind::Bit1, []) => {
            let (width, bits) = value(&expr.as_bv()?)?;
            Some(terms.big_bit_vec(width, bits))
        }
        (DeclKind::Bnot, &[a]) => Some(terms.bv_not(a)),
        (DeclKind::Bneg, &[a]) => Some(terms.bv_neg(a)),
        (DeclKind::Bv2int, &[a]) => Some(terms.bv_to_nat(a)),
        (DeclKind::Int2bv, &[a]) => Some(terms.int_to_bv(expr.as_bv()?.get_size(), a)),
        (DeclKind::ZeroExt | DeclKind::SignExt, &[a]) => {
            Some(terms.resize(kind == DeclKind::SignExt, expr.as_bv()?.get_size(), a))
        }
        (DeclKind::Extract | DeclKind::Bit2bool | DeclKind::Repeat, &[a])
        | (DeclKind::RotateLeft | DeclKind::RotateRight, &[a]) => decode_indexed(terms, expr, declaration, a),
        (DeclKind::Bredor | DeclKind::Bredand, &[a]) => Some(reduction(terms, kind, a)),
        (DeclKind::Bsdiv0 | DeclKind::Budiv0 | DeclKind::Bsrem0 | DeclKind::Burem0 | DeclKind::Bsmod0, &[a]) => {
            let width = terms.bv_width(a);
            let zero = terms.bit_vec(width, 0);
            decode_binary(terms, kind, a, zero)
        }
        (DeclKind::Concat, _)
        | (DeclKind::Badd | DeclKind::Bmul, _)
        | (DeclKind::Band | DeclKind::Bor | DeclKind::Bxor, _) => {
            args.iter().copied().map(Some).reduce(|a, b| decode_binary(terms, kind, a?, b?))?
        }
        (_, &[a, b]) => decode_binary(terms, kind, a, b),
        _ => None,
    }
}

fn decode_binary(terms: &mut Terms, kind: DeclKind, a: Term, b: Term) -> Option<Term> {
    let op = match kind {
        DeclKind::Badd => BinOp::BvAdd,
        DeclKind::Bsub => BinOp::BvSub,
        DeclKind::Bmul => BinOp::BvMul,
        DeclKind::Budiv | DeclKind::BudivI | DeclKind::Budiv0 => BinOp::BvUdiv,
        DeclKind::Burem | DeclKind::BuremI | DeclKind::Burem0 => BinOp::BvUrem,
        DeclKind::Bsdiv | DeclKind::BsdivI | DeclKind::Bsdiv0 => BinOp::BvSdiv,
        DeclKind::Bsrem | DeclKind::BsremI | DeclKind::Bsrem0 => BinOp::BvSrem,
        DeclKind::Bsmod | DeclKind::BsmodI | DeclKind::Bsmod0 => BinOp::BvSmod,
        DeclKind::Band => BinOp::BvAnd,
        DeclKind::Bor => BinOp::BvOr,
        DeclKind::Bxor => BinOp::BvXor,
        DeclKind::Bshl => BinOp::BvShl,
        DeclKind::Blshr => BinOp::BvLshr,
        DeclKind::Bashr => BinOp::BvAshr,
        DeclKind::Concat => BinOp::BvConcat,
        DeclKind::Ult => BinOp::BvUlt,
        DeclKind::Uleq => BinOp::BvUle,
        DeclKind::Slt => BinOp::BvSlt,
        DeclKind::Sleq => BinOp::BvSle,
        _ => return decode_derived(terms, kind, a, b),
    };
    Some(terms.bv(op, a, b))
}

/// What is another operation with its arguments exchanged or its result complemented.
fn decode_derived(terms: &mut Terms, kind: DeclKind, a: Term, b: Term) -> Option<Term> {
    let complement = |terms: &mut Terms, op| {
        let plain = terms.bv(op, a, b);
        Some(terms.bv_not(plain))
    };
    match kind {
        DeclKind::Ugt => Some(terms.bv_ult(b, a)),
        DeclKind::Ugeq => Some(terms.bv_ule(b, a)),
        DeclKind::Sgt => Some(terms.bv_slt(b, a)),
        DeclKind::Sgeq => Some(terms.bv_sle(b, a)),
        DeclKind::Bnand => complement(terms, BinOp::BvAnd),
        DeclKind::Bnor => complement(terms, BinOp::BvOr),
        DeclKind::Bxnor => complement(terms, BinOp::BvXor),
        DeclKind::Bcomp => {
            let same = terms.eq(a, b);
            Some(bit(terms, same))
        }
        _ => None,
    }
}

/// The bit-vector of width 1 for a truth value.
fn bit(terms: &mut Terms, condition: Term) -> Term {
    let (one, zero) = (terms.bit_vec(1, 1), terms.bit_vec(1, 0));
    terms.ite(condition, one, zero)
}

/// Whether some bit is set, or all are, as a bit.
fn reduction(terms: &mut Terms, kind: DeclKind, a: Term) -> Term {
    let width = terms.bv_width(a);
    let zero = terms.bit_vec(width, 0);
    if kind == DeclKind::Bredand {
        let ones = terms.bv_not(zero);
        let same = terms.eq(a, ones);
        return bit(terms, same);
    }
    let same = terms.eq(a, zero);
    let other = terms.not(same);
    bit(terms, other)
}

fn decode_indexed(terms: &mut Terms, expr: &Dynamic, declaration: &FuncDecl, a: Term) -> Option<Term> {
    let width = expr.nth_child(0)?.as_bv()?.get_size();
    match (declaration.kind(), indices(declaration, width)?.as_slice()) {
        (DeclKind::Extract, &[hi, lo]) if lo <= hi && hi < width => Some(terms.extract(hi, lo, a)),
        (DeclKind::Bit2bool, &[i]) if i < width => {
            let (own, one) = (terms.extract(i, i, a), terms.bit_vec(1, 1));
            Some(terms.eq(own, one))
        }
        (DeclKind::Repeat, &[times]) => (1..times).try_fold(a, |sum, _| Some(terms.bv(BinOp::BvConcat, sum, a))),
        (DeclKind::RotateLeft, &[by]) => Some(terms.rotate_left(by % width, a)),
        (DeclKind::RotateRight, &[by]) => Some(terms.rotate_left((width - by % width) % width, a)),
        _ => None,
    }
}

/// The numbers in `(_ extract 7 4)`: Z3's interface gives them only in print.
fn indices(declaration: &FuncDecl, width: u32) -> Option<Vec<u32>> {
    let applied = declaration.apply(&[&BV::new_const("x", width)]).to_string();
    let head = applied.strip_prefix("((_ ")?.split(')').next()?;
    head.split_whitespace().skip(1).map(|index| index.parse().ok()).collect()
}
