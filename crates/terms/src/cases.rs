//! Comparisons of choices as choices between comparisons.

use rustc_hash::FxHashMap;

use crate::{BinOp, Node, Sort, Term, Terms, offsets};

/// Comparisons that one becomes, at most.
const CHOICES: usize = 5_000;

/// The same formula, in which choices between comparisons stand for comparisons of choices: what was compared before is compared again.
pub fn distributed(terms: &mut Terms, root: Term) -> Term {
    let mut known: FxHashMap<Term, Term> = FxHashMap::default();
    for part in terms.parts(root) {
        let mut new = terms.map_children(part, |_, child| known[&child]);
        match terms.node(new) {
            Node::Binary(op @ (BinOp::BvAdd | BinOp::BvSub), a, b) => new = offsets::sum(terms, op, a, b),
            Node::Binary(op, a, b) if is_comparison(op) && matches!(terms.sort(a), Sort::BitVec(_)) => {
                new = compare(terms, (op, a, b), &mut FxHashMap::default()).unwrap_or(new);
            }
            _ => {}
        }
        known.insert(part, new);
    }
    known[&root]
}

/// Whether numbers of bits are compared.
pub fn is_comparison(op: BinOp) -> bool {
    matches!(op, BinOp::Eq | BinOp::BvUlt | BinOp::BvUle | BinOp::BvSlt | BinOp::BvSle)
}

/// A comparison; constants that are added to what is equated are on one side.
pub fn comparison(terms: &mut Terms, op: BinOp, a: Term, b: Term) -> Term {
    if op == BinOp::Eq { offsets::equation(terms, a, b) } else { terms.binary(op, a, b) }
}

/// A comparison of what is chosen, for each choice; none if there are too many.
fn compare(
    terms: &mut Terms,
    (op, a, b): (BinOp, Term, Term),
    known: &mut FxHashMap<(Term, Term), Term>,
) -> Option<Term> {
    if let Some(&known) = known.get(&(a, b)) {
        return Some(known);
    }
    let left = choice(terms, a).map(|(condition, first, second)| (condition, (first, b), (second, b)));
    let chosen =
        left.or_else(|| choice(terms, b).map(|(condition, first, second)| (condition, (a, first), (a, second))));
    let compared = match chosen {
        Some((condition, first, second)) => {
            let first = compare(terms, (op, first.0, first.1), known)?;
            let second = compare(terms, (op, second.0, second.1), known)?;
            terms.ite(condition, first, second)
        }
        None => comparison(terms, op, a, b),
    };
    known.insert((a, b), compared);
    (known.len() <= CHOICES).then_some(compared)
}

/// A choice between two terms, or a sum with one.
fn choice(terms: &mut Terms, term: Term) -> Option<(Term, Term, Term)> {
    match terms.node(term) {
        Node::Ite(condition, a, b) => Some((condition, a, b)),
        Node::Binary(op @ (BinOp::BvAdd | BinOp::BvSub), a, b) => {
            if let Some((condition, first, second)) = choice(terms, a) {
                return Some((condition, terms.bv(op, first, b), terms.bv(op, second, b)));
            }
            let (condition, first, second) = choice(terms, b)?;
            Some((condition, terms.bv(op, a, first), terms.bv(op, a, second)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_compared_before_is_compared_again() {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.declare(name, Sort::BitVec(8)));
        let [x, y] = [x, y].map(|symbol| terms.symbol(symbol));
        let condition = terms.declare("c", Sort::Bool);
        let condition = terms.symbol(condition);
        let one = terms.bit_vec(8, 1);
        let next = terms.bv(BinOp::BvAdd, x, one);
        let chosen = terms.ite(condition, next, x);
        let [after, y_after] = [chosen, y].map(|term| terms.bv(BinOp::BvAdd, term, one));
        let question = terms.eq(after, y_after);
        let (now, later) = (terms.eq(x, y), terms.eq(next, y));
        let answer = terms.ite(condition, later, now);
        assert_eq!(distributed(&mut terms, question), answer);
        let below = terms.bv_ult(chosen, y);
        let (now, later) = (terms.bv_ult(x, y), terms.bv_ult(next, y));
        let answer = terms.ite(condition, later, now);
        assert_eq!(distributed(&mut terms, below), answer);
    }
}
