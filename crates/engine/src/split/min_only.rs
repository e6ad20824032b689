//! `MinOnly` ([Split, section 4.3]).

use rand::Rng;

use super::Threshold;

/// One predicate for each abstract state that can be split, chosen at random among those `eligible` lists for it: one
/// `x > min(x)` for each of its cells that is not unique. Without repetition, in the order of the states.
pub fn min_only(eligible: impl Iterator<Item = Vec<Threshold>>, rng: &mut impl Rng) -> Vec<Threshold> {
    let mut seen = rustc_hash::FxHashSet::default();
    let choices = eligible.map(|choices| choices[rng.random_range(0..choices.len())]);
    choices.filter(|&split| seen.insert(split)).collect()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    /// Figure 4.3: the minimum of `x` is 6 and not unique, so `x > 6` is added.
    #[test]
    fn figure_4_3() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let eligible = vec![vec![Threshold { cell: 0, above: 6 }]];
        assert_eq!(min_only(eligible.into_iter(), &mut rng), [Threshold { cell: 0, above: 6 }]);
    }

    #[test]
    fn one_of_the_cells_for_each_state() {
        let (x, y) = (Threshold { cell: 0, above: 1 }, Threshold { cell: 1, above: 2 });
        let choose = |seed| min_only([vec![x, y]].into_iter(), &mut Xoshiro256PlusPlus::seed_from_u64(seed));
        let choices: Vec<Vec<Threshold>> = (0..20).map(choose).collect();
        assert!(choices.contains(&vec![x]) && choices.contains(&vec![y]));
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        assert_eq!(min_only([vec![x], vec![y], vec![x]].into_iter(), &mut rng), [x, y]);
    }
}
