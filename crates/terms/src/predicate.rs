//! Predicates: atoms in normal form, so that `t + 1 <= s + 1`, `t <= s` and `not (s < t)` are one predicate.
//!
//! A linear atom over integers becomes `sum <= sum` or `sum = sum` with coprime coefficients, variables and constant on
//! the side where they are positive: `a <= s + 1`. The *key* of an atom is its normal form up to negation.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::linear::Linear;
use crate::{BinOp, Node, Sort, Term, Terms, UnOp};

/// An atom in normal form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atom {
    /// It is the same in all states.
    Constant(bool),
    /// It depends on the state.
    Predicate {
        /// Normal form, in the polarity it was given.
        term: Term,
        /// Equal for equivalent atoms and their negations.
        key: Term,
    },
}

/// The atoms of a Boolean term, in order of occurrence, each in normal form. If-then-else inside an atom is lifted out
/// of it (`ite(c, a, b) <= s` has the atoms of `c`, `a <= s` and `b <= s`), up to a limit. Program counters are left out:
/// they are control.
pub fn atoms(terms: &mut Terms, formula: Term) -> Vec<Atom> {
    let mut found = Vec::new();
    collect(terms, formula, LIFT_LIMIT, &mut found);
    found
}

/// How many if-then-elses are lifted out of one atom before it is taken whole.
const LIFT_LIMIT: u32 = 6;

fn collect(terms: &mut Terms, formula: Term, lifts: u32, found: &mut Vec<Atom>) {
    match terms.node(formula) {
        Node::Bool(_) | Node::At(..) => {}
        Node::Unary(UnOp::Not, a) => collect(terms, a, lifts, found),
        Node::Binary(BinOp::And | BinOp::Or, a, b) => {
            collect(terms, a, lifts, found);
            collect(terms, b, lifts, found);
        }
        Node::Binary(BinOp::Eq, a, b) if is_boolean(terms, a) || is_boolean(terms, b) => {
            collect(terms, a, lifts, found);
            collect(terms, b, lifts, found);
        }
        Node::Ite(c, a, b) => {
            collect(terms, c, lifts, found);
            collect(terms, a, lifts, found);
            collect(terms, b, lifts, found);
        }
        _ => match (lifts > 0).then(|| find_ite(terms, formula)).flatten() {
            Some((condition, inner, then, otherwise)) => {
                collect(terms, condition, lifts - 1, found);
                for branch in [then, otherwise] {
                    let lifted = terms.replace(formula, &mut |_, t| (t == inner).then_some(branch));
                    collect(terms, lifted, lifts - 1, found);
                }
            }
            None => {
                let atom = normal_atom(terms, formula);
                if !found.contains(&atom) {
                    found.push(atom);
                }
            }
        },
    }
}

/// Whether a term is certainly Boolean by its shape. Variables are not known here; an equality of two Boolean variables
/// is a fine atom as it is.
fn is_boolean(terms: &Terms, term: Term) -> bool {
    matches!(
        terms.node(term),
        Node::Bool(_)
            | Node::At(..)
            | Node::Unary(UnOp::Not, _)
            | Node::Binary(BinOp::And | BinOp::Or | BinOp::Eq | BinOp::Le | BinOp::Lt, ..)
            | Node::Binary(BinOp::BvUlt | BinOp::BvUle | BinOp::BvSlt | BinOp::BvSle, ..)
    )
}

fn is_bit_vector(terms: &Terms, term: Term) -> bool {
    terms.sort_id(term).is_some_and(|id| matches!(terms.sort_of_id(id), Sort::BitVec(_)))
}

/// An if-then-else (or a Boolean read as a number) inside a term: condition, the subterm, its two values.
fn find_ite(terms: &mut Terms, term: Term) -> Option<(Term, Term, Term, Term)> {
    let mut seen = FxHashSet::default();
    let mut stack = vec![term];
    while let Some(t) = stack.pop() {
        match terms.node(t) {
            Node::Ite(c, a, b) => return Some((c, t, a, b)),
            Node::Unary(UnOp::BoolToInt, b) => {
                let (one, zero) = (terms.int(1), terms.int(0));
                return Some((b, t, one, zero));
            }
            _ if seen.insert(t) => {
                let children: Vec<Term> = terms.children(t).collect();
                stack.extend(children.into_iter().rev());
            }
            _ => {}
        }
    }
    None
}

/// The normal form of one atom.
pub fn normal_atom(terms: &mut Terms, atom: Term) -> Atom {
    let (relation, a, b) = match terms.node(atom) {
        Node::Bool(value) => return Atom::Constant(value),
        Node::Binary(_, a, _) if is_bit_vector(terms, a) => return Atom::Predicate { term: atom, key: atom },
        Node::Binary(BinOp::Le, a, b) => (Relation::Le { strict: 0 }, a, b),
        Node::Binary(BinOp::Lt, a, b) => (Relation::Le { strict: 1 }, a, b),
        Node::Binary(BinOp::Eq, a, b) => (Relation::Eq, a, b),
        _ => return Atom::Predicate { term: atom, key: atom },
    };
    let mut memo = FxHashMap::default();
    let difference = sum_of(terms, a, &mut memo).and_then(|x| x.plus(&sum_of(terms, b, &mut memo)?, -1));
    let difference = difference.filter(Linear::is_moderate);
    match (difference, relation) {
        (Some(sum), Relation::Le { strict }) => sum.at_most_zero(terms, strict),
        (Some(sum), Relation::Eq) => sum.equals_zero(terms),
        // Beyond 64 bits the atom stays as it is.
        (None, _) => Atom::Predicate { term: atom, key: atom },
    }
}

#[derive(Clone, Copy)]
enum Relation {
    Le { strict: i64 },
    Eq,
}

/// Sums of shared subterms; `None` where 64 bits do not suffice.
type SumMemo = FxHashMap<Term, Option<Linear>>;

/// The sum that a term is, its summands in normal form.
fn sum_of(terms: &mut Terms, term: Term, memo: &mut SumMemo) -> Option<Linear> {
    if let Some(known) = memo.get(&term) {
        return known.clone();
    }
    let sum = compute_sum(terms, term, memo);
    memo.insert(term, sum.clone());
    sum
}

fn compute_sum(terms: &mut Terms, term: Term, memo: &mut SumMemo) -> Option<Linear> {
    match terms.node(term) {
        Node::Int(v) => Some(Linear::constant(v)),
        Node::Unary(UnOp::Neg, a) => sum_of(terms, a, memo)?.negated(),
        Node::Binary(BinOp::Add, a, b) => sum_of(terms, a, memo)?.plus(&sum_of(terms, b, memo)?, 1),
        Node::Binary(BinOp::Sub, a, b) => sum_of(terms, a, memo)?.plus(&sum_of(terms, b, memo)?, -1),
        Node::Binary(BinOp::Mul, a, b) => {
            let (x, y) = (sum_of(terms, a, memo)?, sum_of(terms, b, memo)?);
            match (x.as_constant(), y.as_constant()) {
                (Some(factor), _) => Linear::default().plus(&y, factor),
                (_, Some(factor)) => Linear::default().plus(&x, factor),
                _ => Some(opaque(terms, term, memo)),
            }
        }
        _ => Some(opaque(terms, term, memo)),
    }
}

/// A term that is not a sum: it counts as a variable, with its own arguments in normal form.
fn opaque(terms: &mut Terms, term: Term, memo: &mut SumMemo) -> Linear {
    let term = terms.map_children(term, |terms, child| match sum_of(terms, child, memo) {
        Some(sum) if !is_boolean(terms, child) => sum.term(terms),
        _ => child,
    });
    match terms.node(term) {
        Node::Int(v) => Linear::constant(v),
        _ => Linear::summand(term),
    }
}

impl Linear {
    /// Whether there is room to turn signs and add one.
    fn is_moderate(&self) -> bool {
        let room = |c: i64| c.checked_abs().is_some_and(|c| c < i64::MAX - 1);
        room(self.constant) && self.summands.values().all(|&c| room(c))
    }

    fn gcd(&self) -> i64 {
        self.summands.values().fold(0_i64, |acc, &c| gcd(acc.unsigned_abs(), c.unsigned_abs()) as i64)
    }

    fn divided(&self, divisor: i64, constant: i64) -> Linear {
        let summands = self.summands.iter().map(|(&t, &c)| (t, c / divisor)).collect();
        Linear { summands, constant, leaves: self.leaves }
    }

    fn leads_positive(&self) -> bool {
        self.summands.values().next().is_some_and(|&c| c > 0)
    }

    /// `self + strict <= 0`, over the integers.
    fn at_most_zero(mut self, terms: &mut Terms, strict: i64) -> Atom {
        let Some(constant) = self.constant.checked_add(strict) else { return self.unchanged(terms, BinOp::Lt) };
        self.constant = constant;
        if self.summands.is_empty() {
            return Atom::Constant(constant <= 0);
        }
        let g = self.gcd();
        // ceil(constant / g): the sum of multiples of g is at most -constant, hence at most floor(-constant / g) * g.
        let sum = self.divided(g, -(-constant).div_euclid(g));
        let Some(opposite) = sum.clone().negated().and_then(|s| s.plus(&Linear::constant(1), 1)) else {
            return self.unchanged(terms, BinOp::Le);
        };
        let term = sum.relation(terms, BinOp::Le);
        let key = if sum.leads_positive() { term } else { opposite.relation(terms, BinOp::Le) };
        Atom::Predicate { term, key }
    }

    /// `self = 0`, over the integers.
    fn equals_zero(self, terms: &mut Terms) -> Atom {
        if self.summands.is_empty() {
            return Atom::Constant(self.constant == 0);
        }
        let g = self.gcd();
        if self.constant % g != 0 {
            return Atom::Constant(false);
        }
        let sum = self.divided(g, self.constant / g);
        let sum = if sum.leads_positive() { sum } else { sum.clone().negated().unwrap_or(sum) };
        let term = sum.relation(terms, BinOp::Eq);
        Atom::Predicate { term, key: term }
    }

    fn unchanged(&self, terms: &mut Terms, op: BinOp) -> Atom {
        let term = self.relation(terms, op);
        Atom::Predicate { term, key: term }
    }

    /// `self op 0` with everything on the side where it is positive; a lone negative constant stays on the right
    /// (`x <= -1`, not `x + 1 <= 0`).
    fn relation(&self, terms: &mut Terms, op: BinOp) -> Term {
        let mut sides = [Linear::default(), Linear::default()];
        for (&term, &c) in &self.summands {
            sides[usize::from(c < 0)].summands.insert(term, c.saturating_abs());
        }
        let [mut left, mut right] = sides;
        if left.summands.is_empty() && op == BinOp::Eq {
            std::mem::swap(&mut left, &mut right);
        }
        match (self.constant, left.summands.is_empty(), right.summands.is_empty()) {
            (c, true, _) => left.constant = c,
            (c, _, true) => right.constant = c.saturating_neg(),
            (c, ..) if c < 0 => right.constant = c.saturating_neg(),
            (c, ..) => left.constant = c,
        }
        let (left, right) = (left.term(terms), right.term(terms));
        terms.binary(op, left, right)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bounds of 64-bit numbers have no normal form, and do no harm.
    #[test]
    fn extreme_constants_stay_as_they_are() {
        let mut terms = Terms::new();
        let x = terms.fresh("x", Sort::Int);
        for bound in [i64::MIN, i64::MIN + 1, i64::MAX] {
            let bound = terms.int(bound);
            for atom in [terms.le(bound, x), terms.lt(x, bound), terms.eq(x, bound)] {
                assert_eq!(normal_atom(&mut terms, atom), Atom::Predicate { term: atom, key: atom });
            }
        }
    }
}
