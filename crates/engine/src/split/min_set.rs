//! `MinSet` ([Split, section 4.2]).

use std::collections::BinaryHeap;

use rand::Rng;

use super::{Segment, Threshold};

/// A small set of predicates that splits every abstract state that has a segment; states are numbered below `states`.
///
/// For each cell the smallest set of points such that every segment contains one; then, of all these candidates, the
/// greedy cover: again and again the one that splits most of the states not split yet, ties broken at random.
///
/// The thesis writes a table of candidates times abstract states and searches it for each choice. A segment contains a
/// contiguous span of the sorted candidates of its cell, so a tree over them (`Stabs`) counts and lists the states a
/// candidate splits. Counts only fall, so a heap of outdated counts yields the candidates in the same order as
/// searching the table would (`Entry`); altogether `O(n log n)` for `n` segments.
pub fn min_set(segments: &[Vec<Segment>], states: usize, rng: &mut impl Rng) -> Vec<Threshold> {
    let candidates: Vec<Vec<i64>> = segments.iter().map(|s| stabbing_points(s)).collect();
    let spans = Spans::new(segments, &candidates, states);
    let mut stabs: Vec<Stabs> = candidates.iter().map(|c| Stabs::new(c.len())).collect();
    for state in 0..states {
        spans.of(state).iter().for_each(|span| stabs[span.cell as usize].insert(span, state as u32));
    }
    let mut heap: BinaryHeap<Entry> = BinaryHeap::new();
    for (cell, candidates) in candidates.iter().enumerate() {
        let entries = (0..candidates.len()).map(|i| (stabs[cell].count(i), rng.random(), cell, i));
        heap.extend(entries);
    }
    let mut chosen = Vec::new();
    let mut is_split = vec![false; states];
    while let Some((count, tie, cell, i)) = heap.pop() {
        match stabs[cell].count(i) {
            0 => {}
            now if now < count => heap.push((now, tie, cell, i)),
            _ => {
                chosen.push(Threshold { cell: cell as u32, above: candidates[cell][i] });
                for state in stabs[cell].take(i) {
                    if !std::mem::replace(&mut is_split[state as usize], true) {
                        spans.of(state as usize).iter().for_each(|span| stabs[span.cell as usize].forget(span));
                    }
                }
            }
        }
    }
    chosen
}

/// How many states a candidate splits, or once did; a random number for ties; the candidate: cell and position.
type Entry = (u32, u64, usize, usize);

/// The fewest constants such that each segment is split by one: always the largest that splits the segment that ends
/// first among those not split yet.
fn stabbing_points(segments: &[Segment]) -> Vec<i64> {
    let mut by_end: Vec<&Segment> = segments.iter().collect();
    by_end.sort_unstable_by_key(|s| s.max);
    let mut points: Vec<i64> = Vec::new();
    for segment in by_end {
        if points.last().is_none_or(|&last| last < segment.min) {
            points.push(segment.max - 1);
        }
    }
    points
}

/// The candidates of one cell that split a state: positions from `first` to before `end`.
#[derive(Clone, Copy, Default)]
struct Span {
    cell: u32,
    first: u32,
    end: u32,
}

/// The spans of each state, one after the other.
struct Spans {
    spans: Vec<Span>,
    /// Where those of each state start, and at last where all end.
    starts: Vec<u32>,
}

impl Spans {
    fn new(segments: &[Vec<Segment>], candidates: &[Vec<i64>], states: usize) -> Self {
        let mut starts = vec![0; states + 1];
        for segment in segments.iter().flatten() {
            starts[segment.state as usize + 1] += 1;
        }
        for state in 0..states {
            starts[state + 1] += starts[state];
        }
        let mut spans = vec![Span::default(); starts[states] as usize];
        let mut free = starts.clone();
        for (cell, (segments, candidates)) in segments.iter().zip(candidates).enumerate() {
            for segment in segments {
                let before = |value: i64| candidates.partition_point(|&c| c < value) as u32;
                let place = &mut free[segment.state as usize];
                spans[*place as usize] =
                    Span { cell: cell as u32, first: before(segment.min), end: before(segment.max) };
                *place += 1;
            }
        }
        Spans { spans, starts }
    }

    fn of(&self, state: usize) -> &[Span] {
        &self.spans[self.starts[state] as usize..self.starts[state + 1] as usize]
    }
}

/// Spans of candidates of one cell with the states they belong to: a segment tree. A span is listed at the few nodes
/// that together are its candidates; the spans that contain a candidate are listed on its way to the root.
struct Stabs {
    leaves: usize,
    states: Vec<Vec<u32>>,
    /// Of those listed at each node, how many are not split yet.
    counts: Vec<u32>,
}

impl Stabs {
    fn new(leaves: usize) -> Self {
        Stabs { leaves, states: vec![Vec::new(); 2 * leaves], counts: vec![0; 2 * leaves] }
    }

    fn insert(&mut self, span: &Span, state: u32) {
        for node in nodes(self.leaves, span) {
            self.states[node].push(state);
            self.counts[node] += 1;
        }
    }

    /// The state of this span is split.
    fn forget(&mut self, span: &Span) {
        nodes(self.leaves, span).for_each(|node| self.counts[node] -= 1);
    }

    /// How many states that are not split yet the candidate would split.
    fn count(&self, candidate: usize) -> u32 {
        ancestors(self.leaves, candidate).map(|node| self.counts[node]).sum()
    }

    /// The states the candidate splits, some of them split before; they are not listed again.
    fn take(&mut self, candidate: usize) -> Vec<u32> {
        let mut taken = Vec::new();
        for node in ancestors(self.leaves, candidate) {
            taken.append(&mut self.states[node]);
        }
        taken
    }
}

/// A leaf and the nodes above it.
fn ancestors(leaves: usize, leaf: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(leaf + leaves), |&node| Some(node / 2)).take_while(|&node| node > 0)
}

/// The nodes that together cover just the leaves of the span.
fn nodes(leaves: usize, span: &Span) -> impl Iterator<Item = usize> + use<> {
    let (mut first, mut end) = (span.first as usize + leaves, span.end as usize + leaves);
    let mut pending = None;
    std::iter::from_fn(move || {
        if let Some(node) = pending.take() {
            return Some(node);
        }
        while first < end {
            let (mut left, mut right) = (None, None);
            if first % 2 == 1 {
                left = Some(first);
                first += 1;
            }
            if end % 2 == 1 {
                end -= 1;
                right = Some(end);
            }
            (first, end) = (first / 2, end / 2);
            if left.is_some() {
                pending = right;
                return left;
            }
            if right.is_some() {
                return right;
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    fn rng() -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(1)
    }

    /// Figure 4.2: `x > 2` and `x > 6` stab all segments of `x`, `y > 2` and `y > 6` those of `y`. The picture is lost;
    /// the segments fit what the text says of it. Two predicates cover the table.
    #[test]
    fn figure_4_2() {
        let segment = |state, min, max| Segment { state, min, max };
        let x = vec![segment(0, 1, 3), segment(1, 2, 4), segment(2, 5, 7)];
        let y = vec![segment(0, 0, 3), segment(1, 5, 7), segment(2, 6, 9)];
        assert_eq!(stabbing_points(&x), [2, 6]);
        assert_eq!(stabbing_points(&y), [2, 6]);
        let mut chosen = min_set(&[x, y], 3, &mut rng());
        chosen.sort_unstable();
        let (x_2, x_6) = (Threshold { cell: 0, above: 2 }, Threshold { cell: 0, above: 6 });
        let (y_2, y_6) = (Threshold { cell: 1, above: 2 }, Threshold { cell: 1, above: 6 });
        assert!([vec![x_2, x_6], vec![x_2, y_6], vec![y_2, y_6]].contains(&chosen), "{chosen:?}");
    }

    #[test]
    fn a_run_is_covered_by_its_nodes() {
        for leaves in 1..20 {
            for (first, end) in (0..leaves).flat_map(|f| (f + 1..=leaves).map(move |e| (f, e))) {
                let mut stabs = Stabs::new(leaves);
                stabs.insert(&Span { cell: 0, first: first as u32, end: end as u32 }, 7);
                for leaf in 0..leaves {
                    assert_eq!(stabs.count(leaf), u32::from((first..end).contains(&leaf)));
                }
            }
        }
    }

    proptest! {
        /// Each choice splits as many of the remaining states as any candidate would, and in the end all are split: a
        /// greedy search of the thesis' table.
        #[test]
        fn is_the_greedy_cover(
            cells in vec(vec(proptest::option::of((-5..5_i64, 1..6_i64)), 10), 1..4),
        ) {
            let segments: Vec<Vec<Segment>> = cells
                .iter()
                .map(|cell| {
                    let segment = |(i, s): (usize, &Option<(i64, i64)>)| {
                        s.map(|(min, len)| Segment { state: i as u32, min, max: min + len })
                    };
                    cell.iter().enumerate().filter_map(segment).collect()
                })
                .collect();
            let mut left: Vec<u32> =
                (0..10).filter(|&s| segments.iter().flatten().any(|segment| segment.state == s)).collect();
            let splits = |split: &Threshold, state: u32| {
                segments[split.cell as usize].iter().any(|s| s.state == state && (s.min..s.max).contains(&split.above))
            };
            let candidates = |(cell, segments): (usize, &Vec<Segment>)| {
                stabbing_points(segments).into_iter().map(move |above| Threshold { cell: cell as u32, above })
            };
            let table: Vec<Threshold> = segments.iter().enumerate().flat_map(candidates).collect();
            for choice in min_set(&segments, 10, &mut rng()) {
                let gain = |split: &Threshold| left.iter().filter(|&&s| splits(split, s)).count();
                prop_assert_eq!(Some(gain(&choice)), table.iter().map(gain).max());
                left.retain(|&s| !splits(&choice, s));
            }
            prop_assert!(left.is_empty());
        }
    }
}
