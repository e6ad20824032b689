//! Whether the arguments of an operation have the sorts that it takes.

use num_traits::Signed;

use super::MAX_WIDTH;
use crate::float::extended;
use crate::{BinOp, Node, Sort, Term, Terms, UnOp};

/// Whether a node over terms of a store makes sense: terms that make none may be made, but have no meaning.
pub(super) fn is_well_sorted(terms: &Terms, node: Node) -> bool {
    let sort = |t: Term| terms.sort_id(t).map(|id| terms.sort_of_id(id));
    let width = |t: Term| match sort(t) {
        Some(Sort::BitVec(width)) => Some(*width),
        _ => None,
    };
    match node {
        Node::Bool(_) | Node::Int(_) => true,
        Node::BitVec(width, bits) => (1..=MAX_WIDTH).contains(&width) && (width >= 64 || bits >> width == 0),
        Node::ConstArray(id, element) => match terms.sort_of_id(id) {
            Sort::Array(of) => sort(element) == Some(&of.1),
            _ => false,
        },
        Node::Unary(op, a) => match op {
            UnOp::Not | UnOp::BoolToInt => sort(a) == Some(&Sort::Bool),
            UnOp::Neg | UnOp::BitNot => sort(a) == Some(&Sort::Int),
            UnOp::BvNot | UnOp::BvNeg | UnOp::BvToNat => width(a).is_some(),
            UnOp::Float(op, format) if op.takes_float() => {
                width(a) == Some(format.width()) && (1..=64).contains(&op.width(format))
            }
            UnOp::Extended(op) => width(a).is_some_and(|width| op.takes(width)),
            UnOp::Float(..) => width(a).is_some_and(|width| width <= 64),
        },
        Node::Binary(op, a, b) => is_well_sorted_binary(terms, op, a, b),
        Node::Ite(condition, a, b) => sort(condition) == Some(&Sort::Bool) && sort(a).is_some() && sort(a) == sort(b),
        Node::Store(array, index, value) => match sort(array) {
            Some(Sort::Array(of)) => sort(index) == Some(&of.0) && sort(value) == Some(&of.1),
            _ => false,
        },
        Node::Fma(format, a, b, c) => [a, b, c].iter().all(|&operand| width(operand) == Some(format.width())),
        Node::Extract { hi, lo, of } => lo <= hi && width(of).is_some_and(|width| hi < width),
        Node::Extend { by, of, .. } => width(of).is_some_and(|width| by > 0 && by <= MAX_WIDTH - width.min(MAX_WIDTH)),
        Node::IntToBv(width, a) => (1..=MAX_WIDTH).contains(&width) && sort(a) == Some(&Sort::Int),
        Node::Big(_) | Node::BigBitVec(..) | Node::Symbol(_) => true,
        Node::Var(_) | Node::At(..) | Node::Input(_) => false,
    }
}

fn is_well_sorted_binary(terms: &Terms, op: BinOp, a: Term, b: Term) -> bool {
    let sort = |t: Term| terms.sort_id(t).map(|id| terms.sort_of_id(id));
    let both = |wanted: &Sort| sort(a) == Some(wanted) && sort(b) == Some(wanted);
    match op {
        BinOp::And | BinOp::Or => both(&Sort::Bool),
        BinOp::Eq => sort(a).is_some() && sort(a) == sort(b),
        BinOp::Select => match sort(a) {
            Some(Sort::Array(of)) => sort(b) == Some(&of.0),
            _ => false,
        },
        BinOp::BvConcat => match (sort(a), sort(b)) {
            (Some(Sort::BitVec(x)), Some(Sort::BitVec(y))) => x.saturating_add(*y) <= MAX_WIDTH,
            _ => false,
        },
        BinOp::Mod | BinOp::FloorDiv => {
            both(&Sort::Int) && terms.as_integer(b).is_some_and(|divisor| divisor.is_positive())
        }
        BinOp::Float(_, format) => both(&Sort::BitVec(format.width())),
        BinOp::Extended(_) => both(&Sort::BitVec(extended::WIDTH)),
        op if op.on_bit_vectors() => matches!(sort(a), Some(Sort::BitVec(_))) && sort(a) == sort(b),
        _ => both(&Sort::Int),
    }
}
