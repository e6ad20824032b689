//! `MaxOverlap` ([Split, section 4.1]).

use rand::Rng;

use super::{Segment, Threshold};

/// The predicate that splits most abstract states, given the segments of each cell; `None` if there are none.
///
/// For each cell a point that most segments contain, then the best of these points; ties are broken at random.
/// `cell > c` splits a segment iff `min <= c < max`, so the most segments contain some minimum: only those are tried.
pub fn max_overlap(segments: &[Vec<Segment>], rng: &mut impl Rng) -> Option<Threshold> {
    let mut best = Best::default();
    for (cell, segments) in segments.iter().enumerate() {
        if let Some((above, overlap)) = deepest_point(segments, rng) {
            best.offer((cell, above), overlap, rng);
        }
    }
    best.choice.map(|(cell, above)| Threshold { cell: cell as u32, above })
}

/// A point that most segments contain, and how many do: a sweep over their ends.
fn deepest_point(segments: &[Segment], rng: &mut impl Rng) -> Option<(i64, u64)> {
    let mut starts: Vec<i64> = segments.iter().map(|s| s.min).collect();
    let mut ends: Vec<i64> = segments.iter().map(|s| s.max).collect();
    starts.sort_unstable();
    ends.sort_unstable();
    let mut best = Best::default();
    let mut ended = 0;
    for (i, &start) in starts.iter().enumerate() {
        // All segments that start here, the last of them at position i.
        if starts.get(i + 1) != Some(&start) {
            while ends[ended] <= start {
                ended += 1;
            }
            best.offer(start, (i + 1 - ended) as u64, rng);
        }
    }
    best.choice.map(|point| (point, best.score))
}

/// The best of several offers, each of the best ones with the same probability.
struct Best<T> {
    choice: Option<T>,
    score: u64,
    ties: u32,
}

impl<T> Default for Best<T> {
    fn default() -> Self {
        Best { choice: None, score: 0, ties: 0 }
    }
}

impl<T> Best<T> {
    fn offer(&mut self, choice: T, score: u64, rng: &mut impl Rng) {
        if self.choice.is_none() || score > self.score {
            *self = Best { choice: Some(choice), score, ties: 1 };
        } else if score == self.score {
            self.ties += 1;
            if rng.random_range(0..self.ties) == 0 {
                self.choice = Some(choice);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    fn segments(cells: &[&[(u32, i64, i64)]]) -> Vec<Vec<Segment>> {
        let cell =
            |cell: &&[(u32, i64, i64)]| cell.iter().map(|&(state, min, max)| Segment { state, min, max }).collect();
        cells.iter().map(cell).collect()
    }

    /// Figure 4.1: three states that overlap from 3 on; `x > 3` splits all of them.
    #[test]
    fn figure_4_1() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let segments = segments(&[&[(0, 1, 5), (1, 2, 4), (2, 3, 8)]]);
        assert_eq!(max_overlap(&segments, &mut rng), Some(Threshold { cell: 0, above: 3 }));
    }

    #[test]
    fn the_cell_that_splits_most_wins() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let segments = segments(&[&[(0, 0, 1), (1, 1, 2)], &[], &[(0, 4, 9), (1, 0, 5)]]);
        assert_eq!(max_overlap(&segments, &mut rng), Some(Threshold { cell: 2, above: 4 }));
    }

    #[test]
    fn ties_are_broken_at_random() {
        let segments = segments(&[&[(0, 0, 1), (1, 5, 6)], &[(0, 7, 9)]]);
        let choices: std::collections::BTreeSet<Threshold> =
            (0..50).filter_map(|seed| max_overlap(&segments, &mut Xoshiro256PlusPlus::seed_from_u64(seed))).collect();
        assert_eq!(choices.len(), 3);
    }

    proptest! {
        /// No constant of any cell splits more states.
        #[test]
        fn nothing_splits_more(cells in vec(vec((-5..5_i64, 1..6_i64), 0..8), 1..4)) {
            let segment = |(i, &(min, len)): (usize, &(i64, i64))| Segment { state: i as u32, min, max: min + len };
            let segments: Vec<Vec<Segment>> =
                cells.iter().map(|cell| cell.iter().enumerate().map(segment).collect()).collect();
            let split_by = |cell: usize, above| segments[cell].iter().filter(|s| (s.min..s.max).contains(&above)).count();
            let all = (0..segments.len()).flat_map(|cell| (-6..12).map(move |above| (cell, above)));
            let most = all.map(|(cell, above)| split_by(cell, above)).max();
            let choice = max_overlap(&segments, &mut Xoshiro256PlusPlus::seed_from_u64(1));
            let got = choice.map_or(0, |s| split_by(s.cell as usize, s.above));
            prop_assert_eq!(Some(got), most);
        }
    }
}
