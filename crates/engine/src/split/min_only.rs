//! `MinOnly` ([Split, section 4.3]).

use rand::Rng;

use super::Split;

/// One predicate for each abstract state that can be split, chosen at random among those `eligible` lists for it: one
/// `x > min(x)` for each of its cells that is not unique. Without repetition, in the order of the states.
pub fn min_only(eligible: impl Iterator<Item = Vec<Split>>, rng: &mut impl Rng) -> Vec<Split> {
    let mut seen = rustc_hash::FxHashSet::default();
    let choices = eligible.map(|choices| choices[rng.random_range(0..choices.len())]);
    choices.filter(|&split| seen.insert(split)).collect()
}
