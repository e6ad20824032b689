//! Where terms and assignments have a meaning.
//!
//! A step *faults* when its guard cannot be evaluated, or when it is enabled and one of its assignments cannot be
//! executed: division by zero, an index outside its array, a bitwise operation on more than 32 bits, a value outside
//! the target's domain. A fault is an error of the model and, for every property, an error state: a program is safe
//! only if no reachable step faults. An error condition without a value is a fault too ([`violated`]).

use clinch_terms::{BinOp, Node, Term, Terms, UnOp};
use rustc_hash::FxHashMap;

use crate::program::{Domain, Program};
use crate::range::range;

/// The condition under which evaluating `term` meets no fault.
pub fn defined(program: &Program, terms: &mut Terms, term: Term) -> Term {
    defined_memo(program, terms, term, &mut FxHashMap::default())
}

/// Shared subterms are looked at once.
fn defined_memo(program: &Program, terms: &mut Terms, term: Term, memo: &mut FxHashMap<Term, Term>) -> Term {
    if let Some(&known) = memo.get(&term) {
        return known;
    }
    let mut defined = |terms: &mut Terms, t: Term| defined_memo(program, terms, t, memo);
    let condition = match terms.node(term) {
        Node::Bool(_) | Node::Int(_) | Node::Var(_) | Node::At(..) | Node::Input(_) => terms.tt(),
        // Formulas are total.
        Node::Big(_) | Node::Symbol(_) | Node::ConstArray(..) => terms.tt(),
        Node::BitVec(..) | Node::BigBitVec(..) => terms.tt(),
        Node::Extract { of, .. } | Node::Extend { of, .. } | Node::IntToBv(_, of) => defined(terms, of),
        Node::Unary(UnOp::BitNot, a) => {
            let (argument, own) = (defined(terms, a), is_bit_operand(program, terms, a));
            terms.and(argument, own)
        }
        Node::Unary(_, a) => defined(terms, a),
        Node::Binary(BinOp::And, a, b) => {
            let (da, db) = (defined(terms, a), defined(terms, b));
            let skipped = terms.not(a);
            let right = terms.or(skipped, db);
            let right = if is_true(terms, db) { db } else { right };
            terms.and(da, right)
        }
        Node::Binary(BinOp::Or, a, b) => {
            let (da, db) = (defined(terms, a), defined(terms, b));
            let right = if is_true(terms, db) { db } else { terms.or(a, db) };
            terms.and(da, right)
        }
        Node::Ite(c, a, b) => {
            let (dc, da, db) = (defined(terms, c), defined(terms, a), defined(terms, b));
            let branch = terms.ite(c, da, db);
            terms.and(dc, branch)
        }
        Node::Binary(op, a, b) => {
            let (da, db) = (defined(terms, a), defined(terms, b));
            let args = terms.and(da, db);
            let own = operation_defined(program, terms, op, a, b);
            terms.and(args, own)
        }
        Node::Store(a, i, v) | Node::Fma(_, a, i, v) => {
            let parts = [a, i, v].map(|t| defined(terms, t));
            terms.all(parts)
        }
    };
    memo.insert(term, condition);
    condition
}

/// The error states of a condition: those in which it holds, and those in which it has no value.
pub fn violated(program: &Program, terms: &mut Terms, error: Term) -> Term {
    let defined = defined(program, terms, error);
    let undefined = terms.not(defined);
    terms.or(undefined, error)
}

/// The formula, made false where it is undefined.
pub fn total(program: &Program, terms: &mut Terms, formula: Term) -> Term {
    let defined = defined(program, terms, formula);
    terms.and(defined, formula)
}

fn is_true(terms: &Terms, term: Term) -> bool {
    terms.node(term) == Node::Bool(true)
}

/// The condition of the operation itself, its arguments being defined.
fn operation_defined(program: &Program, terms: &mut Terms, op: BinOp, a: Term, b: Term) -> Term {
    match op {
        BinOp::Div | BinOp::Rem => {
            if !range(program, terms, b).contains(0) {
                return terms.tt();
            }
            let zero = terms.int(0);
            let is_zero = terms.eq(b, zero);
            terms.not(is_zero)
        }
        BinOp::Select => match array_len(program, terms, a) {
            Some(len) => between(program, terms, b, 0, i64::from(len) - 1),
            None => terms.tt(),
        },
        BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => {
            let (left, right) = (is_bit_operand(program, terms, a), is_bit_operand(program, terms, b));
            terms.and(left, right)
        }
        BinOp::Shl | BinOp::Shr => {
            let left = is_bit_operand(program, terms, a);
            let right = between(program, terms, b, 0, 31);
            terms.and(left, right)
        }
        _ => terms.tt(),
    }
}

/// Bitwise operations are those of 32-bit numbers.
fn is_bit_operand(program: &Program, terms: &mut Terms, term: Term) -> Term {
    between(program, terms, term, i32::MIN.into(), i32::MAX.into())
}

fn array_len(program: &Program, terms: &Terms, array: Term) -> Option<u32> {
    match terms.node(array) {
        Node::Var(v) => program.var(v).len,
        Node::Store(base, ..) => array_len(program, terms, base),
        _ => None,
    }
}

/// The condition under which the value of `term` belongs to the domain.
pub fn in_domain(program: &Program, terms: &mut Terms, domain: &Domain, term: Term) -> Term {
    match domain {
        Domain::Bool | Domain::Unbounded => terms.tt(),
        _ => {
            let (lo, hi) = domain.bounds().expect("bounded");
            between(program, terms, term, lo, hi)
        }
    }
}

fn between(program: &Program, terms: &mut Terms, term: Term, lo: i64, hi: i64) -> Term {
    if range(program, terms, term).within(lo, hi) {
        return terms.tt();
    }
    let (low, high) = (terms.int(lo), terms.int(hi));
    let (above, below) = (terms.le(low, term), terms.le(term, high));
    terms.and(above, below)
}
