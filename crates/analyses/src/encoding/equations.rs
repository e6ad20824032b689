//! Equations in formulas about integers. Two bounds that leave one value are written as an equation; and an equation between sums can be
//! weakened to one modulo the width of its variables, which still holds where the sums overflow.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use clinch_ir::cfa::{CfaProof, Invariants, Summaries};
use clinch_terms::{BinOp, Node, Sort, Term, Terms, UnOp};

use clinch_terms::linear::Linear;

/// What must not be positive for an inequation of integers to hold.
fn bound(terms: &Terms, conjunct: Term) -> Option<Linear> {
    let (negated, inner) = match terms.node(conjunct) {
        Node::Unary(UnOp::Not, inner) => (true, inner),
        _ => (false, conjunct),
    };
    let Node::Binary(op @ (BinOp::Le | BinOp::Lt), a, b) = terms.node(inner) else { return None };
    if terms.sort(a) != Sort::Int {
        return None;
    }
    let mut sum = if negated { Linear::difference(terms, b, a)? } else { Linear::difference(terms, a, b)? };
    sum.constant = sum.constant.checked_add(i64::from((op == BinOp::Lt) != negated))?;
    Some(sum)
}

/// The formula, with equations in place of pairs of bounds that leave one value.
pub(super) fn paired(terms: &mut Terms, formula: Term) -> Term {
    paired_in(terms, formula, &mut FxHashMap::default())
}

fn paired_in(terms: &mut Terms, formula: Term, known: &mut FxHashMap<Term, Term>) -> Term {
    if let Some(&result) = known.get(&formula) {
        return result;
    }
    let result = match terms.node(formula) {
        Node::Binary(BinOp::Or, a, b) => {
            let (a, b) = (paired_in(terms, a, known), paired_in(terms, b, known));
            terms.or(a, b)
        }
        Node::Binary(BinOp::And, ..) => {
            let parts = terms.conjuncts(formula);
            let parts: Vec<Term> = parts.into_iter().map(|part| paired_in(terms, part, known)).collect();
            with_equations(terms, &parts)
        }
        _ => formula,
    };
    known.insert(formula, result);
    result
}

fn with_equations(terms: &mut Terms, conjuncts: &[Term]) -> Term {
    let bounds: Vec<Option<Linear>> = conjuncts.iter().map(|&c| bound(terms, c)).collect();
    let at: FxHashMap<(&BTreeMap<Term, i64>, i64), usize> =
        bounds.iter().enumerate().filter_map(|(i, b)| b.as_ref().map(|b| ((&b.summands, b.constant), i))).collect();
    let partner = |sum: &Linear| {
        let negated = sum.clone().negated()?;
        at.get(&(&negated.summands, negated.constant)).copied()
    };
    // What each sum without its constant equals: further bounds of it that follow would not survive a reading modulo the width.
    let mut equal: FxHashMap<&BTreeMap<Term, i64>, i64> = FxHashMap::default();
    for sum in bounds.iter().flatten().filter(|sum| partner(sum).is_some()) {
        equal.insert(&sum.summands, sum.constant);
    }
    let follows = |sum: &Linear| equal.get(&sum.summands).is_some_and(|&constant| sum.constant <= constant);
    let mut parts = Vec::new();
    for (i, &conjunct) in conjuncts.iter().enumerate() {
        match bounds[i].as_ref().map(|sum| (sum, partner(sum))) {
            Some((sum, Some(other))) if i < other => parts.push(sum.is_zero(terms)),
            Some((_, Some(_))) => {}
            Some((sum, None)) if follows(sum) => {}
            _ => parts.push(conjunct),
        }
    }
    terms.all(parts)
}

/// The proof with equations between sums modulo the width of their variables, if it has some. It says less, so that it may hold
/// where sums overflow, and may be too little.
pub fn modulo_width(proof: &CfaProof) -> Option<CfaProof> {
    match proof {
        CfaProof::Invariants(proof) if proof.bound.is_none() => {
            let mut proof: Invariants = proof.clone();
            let formulas = proof.points.iter_mut().map(|point| &mut point.1);
            reduce(&mut proof.terms, formulas).then_some(CfaProof::Invariants(proof))
        }
        CfaProof::Summaries(proof) => {
            let mut proof: Summaries = proof.clone();
            let formulas = proof.points.iter_mut().map(|point| &mut point.formula);
            reduce(&mut proof.terms, formulas).then_some(CfaProof::Summaries(proof))
        }
        _ => None,
    }
}

/// Whether something was changed.
fn reduce<'a>(terms: &mut Terms, formulas: impl Iterator<Item = &'a mut Term>) -> bool {
    let mut known = FxHashMap::default();
    let mut changed = false;
    for formula in formulas {
        let reduced = reduced(terms, *formula, &mut known);
        changed |= reduced != *formula;
        *formula = reduced;
    }
    changed
}

fn reduced(terms: &mut Terms, formula: Term, known: &mut FxHashMap<Term, Term>) -> Term {
    if let Some(&result) = known.get(&formula) {
        return result;
    }
    let result = match terms.node(formula) {
        Node::Unary(UnOp::Not, a) => {
            let a = reduced(terms, a, known);
            terms.not(a)
        }
        Node::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
            let (a, b) = (reduced(terms, a, known), reduced(terms, b, known));
            terms.binary(op, a, b)
        }
        Node::Binary(BinOp::Eq, a, b) if matches!(terms.sort(a), Sort::BitVec(_)) => {
            reduced_equation(terms, a, b).unwrap_or(formula)
        }
        _ => formula,
    };
    known.insert(formula, result);
    result
}

fn reduced_equation(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let width = widest(terms, a).max(widest(terms, b))?;
    if width >= terms.bv_width(a) {
        return None;
    }
    let (a, b) = (truncated(terms, a, width)?, truncated(terms, b, width)?);
    Some(terms.eq(a, b))
}

/// The width of the widest term that was made wider.
fn widest(terms: &Terms, term: Term) -> Option<u32> {
    match terms.node(term) {
        Node::Extend { of, .. } => Some(terms.bv_width(of)),
        Node::Binary(BinOp::BvAdd | BinOp::BvSub | BinOp::BvMul, a, b) => widest(terms, a).max(widest(terms, b)),
        Node::Unary(UnOp::BvNeg, a) => widest(terms, a),
        _ => None,
    }
}

/// The lowest bits of a sum.
fn truncated(terms: &mut Terms, term: Term, width: u32) -> Option<Term> {
    if let Some((_, bits)) = terms.as_bit_vec(term) {
        return Some(terms.big_bit_vec(width, bits));
    }
    match terms.node(term) {
        Node::Extend { signed, of, .. } => {
            let by = width.checked_sub(terms.bv_width(of))?;
            Some(if by == 0 { of } else { terms.extend(signed, by, of) })
        }
        Node::Binary(op @ (BinOp::BvAdd | BinOp::BvSub | BinOp::BvMul), a, b) => {
            let (a, b) = (truncated(terms, a, width)?, truncated(terms, b, width)?);
            Some(terms.bv(op, a, b))
        }
        Node::Unary(UnOp::BvNeg, a) => {
            let a = truncated(terms, a, width)?;
            Some(terms.bv_neg(a))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_bounds_that_meet_are_an_equation() {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.declare(name, Sort::Int));
        let (x, y) = (terms.symbol(x), terms.symbol(y));
        let (one, zero) = (terms.int(1), terms.int(0));
        let above = terms.add(x, one);
        let (low, high, other) = (terms.le(x, y), terms.lt(y, above), terms.le(zero, x));
        let formula = terms.all([low, other, high]);
        let expected = [terms.eq(x, y), other];
        assert_eq!(paired(&mut terms, formula), terms.all(expected));

        let below = terms.le(y, above);
        let formula = terms.and(low, below);
        assert_eq!(paired(&mut terms, formula), formula, "two values are left");

        let (follows, contradicts) = (terms.all([low, below, high]), terms.lt(y, x));
        assert_eq!(paired(&mut terms, follows), terms.eq(x, y), "the equation says it all");
        let formula = terms.all([low, contradicts, high]);
        assert_ne!(paired(&mut terms, formula), terms.eq(x, y));
    }

    #[test]
    fn sums_are_equal_modulo_their_width() {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.declare(name, Sort::BitVec(32)));
        let (x, y) = (terms.symbol(x), terms.symbol(y));
        let (wide_x, wide_y) = (terms.sign_extend(32, x), terms.sign_extend(32, y));
        let five = terms.bit_vec(64, 5);
        let sum = terms.bv(BinOp::BvAdd, wide_x, wide_y);
        let exact = terms.eq(sum, five);
        let (sum, five) = (terms.bv(BinOp::BvAdd, x, y), terms.bit_vec(32, 5));
        let expected = terms.eq(sum, five);
        assert_eq!(reduced(&mut terms, exact, &mut FxHashMap::default()), expected);
        let bound = terms.bv_sle(wide_x, wide_y);
        assert_eq!(reduced(&mut terms, bound, &mut FxHashMap::default()), bound);
    }
}
