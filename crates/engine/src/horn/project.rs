//! Elimination of existential quantifiers, where it is easy.

use clinch_ir::{Symbol, Term, Terms};

use super::equations::{Elimination, Limits};
use super::work::{conjunction, symbols_of};

/// A formula over some symbols only, or with others left.
pub(super) struct Projection {
    /// Equivalent to the given formula once the symbols left are quantified existentially.
    pub(super) formula: Term,
    /// Whether no symbol is left.
    pub(super) exact: bool,
}

/// Eliminates all symbols but those of `keep` (ascending) from a conjunction.
pub(super) fn project(terms: &mut Terms, conjuncts: Vec<Term>, keep: &[Symbol], reals: bool) -> Projection {
    let mut elimination = Elimination { conjuncts, others: Vec::new(), definitions: Vec::new() };
    let rank = |s: Symbol| keep.binary_search(&s).is_err().then_some(0);
    let limits = Limits { reals, max_definition: usize::MAX };
    let formula =
        if elimination.run(terms, limits, &rank) { conjunction(terms, &elimination.conjuncts) } else { terms.ff() };
    let exact = symbols_of(terms, [formula]).iter().all(|s| keep.binary_search(s).is_ok());
    Projection { formula, exact }
}
