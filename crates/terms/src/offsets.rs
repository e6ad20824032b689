//! Sums with constants: one form for all of them, so that predicates that say the same are the same, and circuits are small.

use crate::{BinOp, Node, Term, Terms};

/// A sum or a difference, in which all constants are one.
pub fn sum(terms: &mut Terms, op: BinOp, a: Term, b: Term) -> Term {
    let term = terms.bv(op, a, b);
    let (base, constant) = offset(terms, term);
    with_offset(terms, base, constant)
}

/// An equation, with a constant on one side at most.
pub fn equation(terms: &mut Terms, a: Term, b: Term) -> Term {
    let ((a, over_a), (b, over_b)) = (offset(terms, a), offset(terms, b));
    let (left, right) = match (over_a, over_b) {
        _ if over_a == over_b => (a, b),
        (_, None) if terms.as_bit_vec(b).is_some() => (a, minus(terms, b, over_a)),
        (None, _) if terms.as_bit_vec(a).is_some() => (b, minus(terms, a, over_b)),
        (None, _) => (with_offset(terms, b, over_b), a),
        (Some(over_a), _) => {
            let constant = minus(terms, over_a, over_b);
            (with_offset(terms, a, Some(constant)), b)
        }
    };
    terms.eq(left, right)
}

/// A comparison without the constants that are added to its sides.
pub fn without(terms: &mut Terms, comparison: Term) -> Term {
    let Node::Binary(op, a, b) = terms.node(comparison) else { return comparison };
    let [(a, _), (b, _)] = [a, b].map(|side| offset(terms, side));
    terms.binary(op, a, b)
}

/// A term without the constants that are added to it, and their sum.
fn offset(terms: &mut Terms, mut term: Term) -> (Term, Option<Term>) {
    let mut total = None;
    while let Node::Binary(op @ (BinOp::BvAdd | BinOp::BvSub), rest, constant) = terms.node(term)
        && terms.as_bit_vec(constant).is_some()
    {
        let width = terms.bv_width(constant);
        let before = total.unwrap_or_else(|| terms.bit_vec(width, 0));
        total = Some(terms.bv(op, before, constant));
        term = rest;
    }
    (term, total)
}

fn with_offset(terms: &mut Terms, base: Term, constant: Option<Term>) -> Term {
    constant.map_or(base, |constant| terms.bv(BinOp::BvAdd, base, constant))
}

fn minus(terms: &mut Terms, constant: Term, other: Option<Term>) -> Term {
    other.map_or(constant, |other| terms.bv(BinOp::BvSub, constant, other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sort;

    #[test]
    fn equations_that_say_the_same_are_the_same() {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.declare(name, Sort::BitVec(8)));
        let [x, y] = [x, y].map(|symbol| terms.symbol(symbol));
        let [one, two, three, max] = [1, 2, 3, 255].map(|number| terms.bit_vec(8, number));
        let next = terms.bv(BinOp::BvAdd, x, one);
        let after = terms.bv(BinOp::BvAdd, next, one);
        let back = terms.bv(BinOp::BvSub, after, three);
        assert_eq!(sum(&mut terms, BinOp::BvAdd, next, one), terms.bv(BinOp::BvAdd, x, two));
        assert_eq!(sum(&mut terms, BinOp::BvSub, after, two), x);
        let same = terms.eq(x, y);
        let after_y = terms.bv(BinOp::BvAdd, y, two);
        assert_eq!(equation(&mut terms, after, after_y), same);
        // x + 1 = y + 2, x - 1 = y, and y + 2 - 1 = x.
        let first = equation(&mut terms, next, after_y);
        assert_eq!(equation(&mut terms, back, y), first);
        let x_and_max = terms.bv(BinOp::BvAdd, x, max);
        assert_eq!(terms.eq(x_and_max, y), first);
        assert_eq!(equation(&mut terms, back, two), terms.eq(x, three));
        assert_eq!(equation(&mut terms, three, after), terms.eq(x, one));
    }
}
