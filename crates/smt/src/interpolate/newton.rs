//! Strongest postconditions restricted to the conjuncts that matter and to the symbols that are still needed ("Newton"
//! refinement). Also for formulas that linear arithmetic does not cover, as long as substitution gets rid of what is local.

use clinch_terms::{Symbol, Term};
use rustc_hash::FxHashSet;

use super::eliminate::eliminate;
use super::{Failure, Query};

/// Conjuncts that one node may have before it is given up.
const CONJUNCTS: usize = 2_000;

/// Candidates by position, or why there are none.
pub(super) fn interpolants(query: &mut Query<'_>) -> Result<Vec<Term>, Failure> {
    let mut posts: Vec<Vec<Term>> = Vec::new();
    for position in 0..query.tree.len() {
        if (query.stop)() {
            return Err("stopped".into());
        }
        let mut conjuncts = query.core[position].clone();
        conjuncts.extend(query.tree.children[position].iter().flat_map(|&c| posts[c].clone()));
        let shared: FxHashSet<Symbol> = query.shared_in_core(position).into_iter().collect();
        let post = eliminate(query.terms, conjuncts, &shared);
        if post.len() > CONJUNCTS {
            return Err("too many conjuncts".into());
        }
        posts.push(post);
    }
    Ok(posts.into_iter().map(|post| query.terms.all(post)).collect())
}
