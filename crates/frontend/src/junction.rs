//! Many terms joined by an operation: long lists must not become deep terms, for terms are walked by recursion.

use clinch_terms::{Term, Terms};

/// Left-associative up to this many parts, then by halves: long lists must not become deep terms.
const MAX_CHAIN: usize = 256;

/// Combines many terms by an associative operation.
pub(crate) fn combine(
    terms: &mut Terms,
    parts: &[Term],
    join: &mut impl FnMut(&mut Terms, Term, Term) -> Term,
) -> Term {
    fn halves(
        terms: &mut Terms,
        parts: &[Term],
        longest: usize,
        join: &mut impl FnMut(&mut Terms, Term, Term) -> Term,
    ) -> Term {
        if parts.len() > longest {
            // Once halved, halves stay well below the limit, so that their printed form is read as it was.
            let (left, right) = parts.split_at(parts.len() / 2);
            let (left, right) = (halves(terms, left, MAX_CHAIN / 2, join), halves(terms, right, MAX_CHAIN / 2, join));
            return join(terms, left, right);
        }
        let first = parts[0];
        parts[1..].iter().fold(first, |all, part| join(terms, all, *part))
    }
    halves(terms, parts, MAX_CHAIN, join)
}

/// All of them.
pub(crate) fn conjunction(terms: &mut Terms, parts: &[Term]) -> Term {
    if parts.is_empty() { terms.tt() } else { combine(terms, parts, &mut Terms::and) }
}

/// One of them.
pub(crate) fn disjunction(terms: &mut Terms, parts: &[Term]) -> Term {
    if parts.is_empty() { terms.ff() } else { combine(terms, parts, &mut Terms::or) }
}
