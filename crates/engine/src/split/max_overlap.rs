//! `MaxOverlap` ([Split, section 4.1]).

use rand::Rng;

use super::{Segment, Split};

/// The predicate that splits most abstract states, given the segments of each cell; `None` if there are none.
///
/// For each cell a point that most segments contain, then the best of these points; ties are broken at random.
/// `cell > c` splits a segment iff `min <= c < max`, so the most segments contain some minimum: only those are tried.
pub fn max_overlap(segments: &[Vec<Segment>], rng: &mut impl Rng) -> Option<Split> {
    let mut best = Best::default();
    for (cell, segments) in segments.iter().enumerate() {
        if let Some((above, overlap)) = deepest_point(segments, rng) {
            best.offer((cell, above), overlap, rng);
        }
    }
    best.choice.map(|(cell, above)| Split { cell: cell as u32, above })
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
