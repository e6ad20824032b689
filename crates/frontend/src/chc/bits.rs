//! SMT-LIB's bit-vectors: literals and operators, on values. What clinch has no operation for is written with others, as
//! the standard defines it.

use clinch_ir::Span;
use clinch_terms::{BinOp, Sort, Term, Terms};
use num_bigint::{BigInt, BigUint};

use super::Stop;
use super::sorts::checked_width;
use super::value::{Context, Value, sort_of};
use crate::junction::combine;

/// An operator that takes bit-vectors or makes one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    Not,
    Neg,
    /// Of two arguments, or of many where it is associative.
    Binary(BinOp),
    /// The complement of an operation.
    Complement(BinOp),
    Compare(BinOp),
    /// A comparison with its sides exchanged.
    Converse(BinOp),
    /// Equality as a bit.
    Comp,
    /// Whether some bit is set, as a bit.
    RedOr,
    /// Whether all bits are set, as a bit.
    RedAnd,
    /// Whether the result does not fit, signed or not.
    Overflow(BinOp, bool),
    NegOverflow,
    Extract(u32, u32),
    /// By how many bits, signed or not.
    Extend(u32, bool),
    RotateLeft(u32),
    RotateRight(u32),
    Repeat(u32),
    BitToBool(u32),
    IntToBv(u32),
    ToNat,
    /// The number in two's complement.
    ToInt,
}

impl Op {
    pub(super) fn of_name(name: &str) -> Option<Op> {
        Some(match name {
            "bvnot" => Op::Not,
            "bvneg" => Op::Neg,
            "bvnand" => Op::Complement(BinOp::BvAnd),
            "bvnor" => Op::Complement(BinOp::BvOr),
            "bvxnor" => Op::Complement(BinOp::BvXor),
            "bvult" => Op::Compare(BinOp::BvUlt),
            "bvule" => Op::Compare(BinOp::BvUle),
            "bvslt" => Op::Compare(BinOp::BvSlt),
            "bvsle" => Op::Compare(BinOp::BvSle),
            "bvugt" => Op::Converse(BinOp::BvUlt),
            "bvuge" => Op::Converse(BinOp::BvUle),
            "bvsgt" => Op::Converse(BinOp::BvSlt),
            "bvsge" => Op::Converse(BinOp::BvSle),
            "bvcomp" => Op::Comp,
            "bvredor" => Op::RedOr,
            "bvredand" => Op::RedAnd,
            "bv2nat" | "bv2int" | "ubv_to_int" => Op::ToNat,
            "sbv_to_int" => Op::ToInt,
            "bvnego" => Op::NegOverflow,
            "bvuaddo" => Op::Overflow(BinOp::BvAdd, false),
            "bvsaddo" => Op::Overflow(BinOp::BvAdd, true),
            "bvusubo" => Op::Overflow(BinOp::BvSub, false),
            "bvssubo" => Op::Overflow(BinOp::BvSub, true),
            "bvumulo" => Op::Overflow(BinOp::BvMul, false),
            "bvsmulo" => Op::Overflow(BinOp::BvMul, true),
            "bvsdivo" => Op::Overflow(BinOp::BvSdiv, true),
            _ => Op::Binary(operation(name)?),
        })
    }

    /// `(_ name index ...)`.
    pub(super) fn of_indexed(name: &str, indices: &[u32]) -> Option<Op> {
        Some(match (name, indices) {
            ("extract", &[hi, lo]) => Op::Extract(hi, lo),
            ("zero_extend", &[by]) => Op::Extend(by, false),
            ("sign_extend", &[by]) => Op::Extend(by, true),
            ("rotate_left", &[by]) => Op::RotateLeft(by),
            ("rotate_right", &[by]) => Op::RotateRight(by),
            ("repeat", &[times]) => Op::Repeat(times),
            ("bit2bool", &[i]) => Op::BitToBool(i),
            ("int2bv" | "int_to_bv", &[width]) => Op::IntToBv(width),
            _ => return None,
        })
    }

    /// The least and the largest number of arguments.
    pub(super) fn arity(self) -> (usize, usize) {
        match self {
            Op::Binary(op) if is_associative(op) => (2, usize::MAX),
            Op::Binary(_) | Op::Complement(_) | Op::Compare(_) | Op::Converse(_) | Op::Comp | Op::Overflow(..) => {
                (2, 2)
            }
            _ => (1, 1),
        }
    }
}

fn operation(name: &str) -> Option<BinOp> {
    Some(match name {
        "bvadd" => BinOp::BvAdd,
        "bvsub" => BinOp::BvSub,
        "bvmul" => BinOp::BvMul,
        "bvudiv" => BinOp::BvUdiv,
        "bvurem" => BinOp::BvUrem,
        "bvsdiv" => BinOp::BvSdiv,
        "bvsrem" => BinOp::BvSrem,
        "bvsmod" => BinOp::BvSmod,
        "bvand" => BinOp::BvAnd,
        "bvor" => BinOp::BvOr,
        "bvxor" => BinOp::BvXor,
        "bvshl" => BinOp::BvShl,
        "bvlshr" => BinOp::BvLshr,
        "bvashr" => BinOp::BvAshr,
        "concat" => BinOp::BvConcat,
        _ => return None,
    })
}

fn is_associative(op: BinOp) -> bool {
    matches!(op, BinOp::BvAdd | BinOp::BvMul | BinOp::BvAnd | BinOp::BvOr | BinOp::BvXor | BinOp::BvConcat)
}

impl Context {
    /// The value of `#b...` or `#x...`.
    pub(super) fn bit_literal(&mut self, text: &str, span: Span) -> Result<Value, Stop> {
        let (digits, radix, each) = match text.strip_prefix("#x") {
            Some(digits) => (digits, 16, 4),
            None => (text.strip_prefix("#b").unwrap_or(text), 2, 1),
        };
        let width = checked_width((digits.len() as u64).saturating_mul(each), span)?;
        let bits = BigUint::parse_bytes(digits.as_bytes(), radix).expect("the lexer lets only digits through");
        Ok(bit_vec(self.system.terms.big_bit_vec(width, bits), width))
    }

    /// The value of `(_ bv13 8)`.
    pub(super) fn bv_literal(&mut self, digits: &str, width: u32, span: Span) -> Result<Value, Stop> {
        let width = checked_width(width.into(), span)?;
        // Three bits a digit, at least.
        let short = digits.trim_start_matches('0').len() <= width as usize / 3 + 1;
        let bits = if short { digits.parse::<BigUint>().ok() } else { None };
        match bits.filter(|bits| bits.bits() <= u64::from(width)) {
            Some(bits) => Ok(bit_vec(self.system.terms.big_bit_vec(width, bits), width)),
            None => Err(Stop::bad(span, format!("the number has more than {width} bits"))),
        }
    }

    /// The operator applied to values; their number was checked.
    pub(super) fn bits(&mut self, op: Op, name: &str, args: &[Value], span: Span) -> Result<Value, Stop> {
        if let Op::IntToBv(width) = op {
            let (width, number) = (checked_width(width.into(), span)?, self.coerce(&args[0], &Sort::Int, span)?);
            return Ok(bit_vec(self.system.terms.int_to_bv(width, number), width));
        }
        let args = args.iter().map(|arg| match arg {
            Value::Term(term, Sort::BitVec(width)) => Ok((*term, *width)),
            other => Err(Stop::bad(span, format!("`{name}` takes bit-vectors, not {}", sort_of(other)))),
        });
        let args = args.collect::<Result<Vec<_>, _>>()?;
        match args.as_slice() {
            &[(a, width)] => self.unary_bits(op, a, width, span),
            _ if op == Op::Binary(BinOp::BvConcat) => self.concat(&args, span),
            [(_, width), rest @ ..] => match rest.iter().find(|(_, other)| other != width) {
                None => Ok(self.same_width(op, &args, *width)),
                Some((_, other)) => {
                    Err(Stop::bad(span, format!("`{name}` of bit-vectors with {width} and {other} bits")))
                }
            },
            [] => unreachable!("the arity was checked"),
        }
    }

    fn concat(&mut self, args: &[(Term, u32)], span: Span) -> Result<Value, Stop> {
        let width = checked_width(args.iter().map(|(_, width)| u64::from(*width)).sum(), span)?;
        let parts = args.iter().map(|(term, _)| *term).collect::<Vec<_>>();
        let join = &mut |terms: &mut Terms, a, b| terms.bv(BinOp::BvConcat, a, b);
        Ok(bit_vec(combine(&mut self.system.terms, &parts, join), width))
    }

    fn same_width(&mut self, op: Op, args: &[(Term, u32)], width: u32) -> Value {
        let terms = &mut self.system.terms;
        let (a, b) = (args[0].0, args[1].0);
        match op {
            Op::Binary(op) => {
                let parts = args.iter().map(|(term, _)| *term).collect::<Vec<_>>();
                bit_vec(combine(terms, &parts, &mut |terms, a, b| terms.bv(op, a, b)), width)
            }
            Op::Complement(op) => {
                let plain = terms.bv(op, a, b);
                bit_vec(terms.bv_not(plain), width)
            }
            Op::Compare(op) => truth(terms.bv(op, a, b)),
            Op::Converse(op) => truth(terms.bv(op, b, a)),
            Op::Overflow(op, signed) => truth(overflow(terms, op, signed, (a, b), width)),
            _ => {
                let same = terms.eq(a, b);
                bit_vec(as_bit(terms, same), 1)
            }
        }
    }

    fn unary_bits(&mut self, op: Op, a: Term, width: u32, span: Span) -> Result<Value, Stop> {
        let terms = &mut self.system.terms;
        Ok(match op {
            Op::Not => bit_vec(terms.bv_not(a), width),
            Op::Neg => bit_vec(terms.bv_neg(a), width),
            Op::Extract(hi, lo) if lo <= hi && hi < width => bit_vec(terms.extract(hi, lo, a), hi - lo + 1),
            Op::BitToBool(i) if i < width => {
                let bit = terms.extract(i, i, a);
                truth(is_one(terms, bit))
            }
            Op::Extract(..) | Op::BitToBool(_) => {
                return Err(Stop::bad(span, format!("a bit-vector with {width} bits has no such bits")));
            }
            Op::Extend(by, signed) => {
                let to = checked_width(u64::from(width) + u64::from(by), span)?;
                bit_vec(terms.resize(signed, to, a), to)
            }
            Op::RotateLeft(by) => bit_vec(terms.rotate_left(by % width, a), width),
            Op::RotateRight(by) => bit_vec(terms.rotate_left((width - by % width) % width, a), width),
            Op::Repeat(0) => return Err(Stop::bad(span, "`repeat` takes a number above 0")),
            Op::Repeat(times) => {
                checked_width(u64::from(width) * u64::from(times), span)?;
                return self.concat(&vec![(a, width); times as usize], span);
            }
            Op::RedOr | Op::RedAnd => {
                let condition = reduction(terms, op, a, width);
                bit_vec(as_bit(terms, condition), 1)
            }
            Op::NegOverflow => {
                let least = least(terms, width);
                truth(terms.eq(a, least))
            }
            Op::ToInt => Value::Term(signed_number(terms, a, width), Sort::Int),
            _ => Value::Term(terms.bv_to_nat(a), Sort::Int),
        })
    }
}

fn bit_vec(term: Term, width: u32) -> Value {
    Value::Term(term, Sort::BitVec(width))
}

fn truth(term: Term) -> Value {
    Value::Term(term, Sort::Bool)
}

fn is_one(terms: &mut Terms, bit: Term) -> Term {
    let one = terms.bit_vec(1, 1);
    terms.eq(bit, one)
}

fn as_bit(terms: &mut Terms, condition: Term) -> Term {
    let (one, zero) = (terms.bit_vec(1, 1), terms.bit_vec(1, 0));
    terms.ite(condition, one, zero)
}

fn reduction(terms: &mut Terms, op: Op, a: Term, width: u32) -> Term {
    let zero = terms.bit_vec(width, 0);
    if op == Op::RedAnd {
        let ones = terms.bv_not(zero);
        return terms.eq(a, ones);
    }
    let none = terms.eq(a, zero);
    terms.not(none)
}

/// The least number in two's complement.
fn least(terms: &mut Terms, width: u32) -> Term {
    terms.big_bit_vec(width, BigUint::from(1u32) << (width - 1))
}

/// The number in two's complement.
fn signed_number(terms: &mut Terms, a: Term, width: u32) -> Term {
    if let Some((width, bits)) = terms.as_bit_vec(a) {
        return terms.big(clinch_terms::bitvec::signed(width, &bits));
    }
    let sign = terms.extract(width - 1, width - 1, a);
    let (negative, number) = (is_one(terms, sign), terms.bv_to_nat(a));
    let modulus = terms.big(BigInt::from(1) << width);
    let below = terms.sub(number, modulus);
    terms.ite(negative, below, number)
}

/// Whether the result of an operation needs more bits: computed with enough of them, it is not what the lowest say.
fn overflow(terms: &mut Terms, op: BinOp, signed: bool, (a, b): (Term, Term), width: u32) -> Term {
    if op == BinOp::BvSdiv {
        let zero = terms.bit_vec(width, 0);
        let (least, minus_one) = (least(terms, width), terms.bv_not(zero));
        let (is_least, is_minus_one) = (terms.eq(a, least), terms.eq(b, minus_one));
        return terms.and(is_least, is_minus_one);
    }
    let wide = if op == BinOp::BvMul { 2 * width } else { width + 1 };
    let (a, b) = (terms.resize(signed, wide, a), terms.resize(signed, wide, b));
    let exact = terms.bv(op, a, b);
    let low = terms.resize(signed, width, exact);
    let again = terms.resize(signed, wide, low);
    let fits = terms.eq(exact, again);
    terms.not(fits)
}
