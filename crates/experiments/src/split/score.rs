//! Points for finding errors ([Split, section 5.5.1]).

use clinch_engine::Sighting;

use super::{COLUMNS, Engine, IMPLEMENTATIONS, Implementation};

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Category {
    /// Time until the error is found (table 5.1).
    Time,
    /// States stored by then (table 5.3).
    States,
    /// Length of the counterexample (table 5.4).
    Depth,
    /// Predicates in use by then (table 5.5).
    Predicates,
}

impl Category {
    /// What an implementation needed for an error: the less, the better. `None` if it does not compete.
    fn measure(self, implementation: Implementation, sighting: &Sighting) -> Option<u128> {
        match self {
            Category::Time => Some(sighting.time.as_nanos()),
            Category::States => Some(sighting.states.into()),
            Category::Depth => Some(sighting.depth.into()),
            Category::Predicates if implementation.engine == Engine::Explicit => None,
            Category::Predicates => Some(sighting.predicates.into()),
        }
    }
}

/// Points of each implementation: one for each error for which none needed less. `sightings` has one list per
/// implementation, all of the same errors; whoever did not find an error gets no point for it.
pub(super) fn points(category: Category, sightings: [&[Option<Sighting>]; COLUMNS]) -> [u32; COLUMNS] {
    let errors = sightings.iter().map(|s| s.len()).min().unwrap_or(0);
    let measure = |column: usize, error: usize| {
        let sighting = sightings[column][error].as_ref()?;
        category.measure(IMPLEMENTATIONS[column], sighting)
    };
    let mut points = [0; COLUMNS];
    for measures in (0..errors).map(|error| std::array::from_fn::<_, COLUMNS, _>(|column| measure(column, error))) {
        let Some(least) = measures.iter().flatten().min().copied() else { continue };
        for (points, measure) in points.iter_mut().zip(measures) {
            *points += u32::from(measure == Some(least));
        }
    }
    points
}

/// Relative to the best; all 0 if nobody has points.
pub(super) fn normalised(points: [f64; COLUMNS]) -> [f64; COLUMNS] {
    let best = points.iter().copied().fold(0.0, f64::max);
    points.map(|p| if best > 0.0 { p / best } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn after(millis: u64) -> Option<Sighting> {
        Some(Sighting { time: Duration::from_millis(millis), states: 1, ..Sighting::default() })
    }

    /// The example of section 5.5.1: 40 errors, of which MinOnly finds 20 the quickest and MaxOverlap 10.
    #[test]
    fn scores_the_example_of_the_thesis() {
        let nothing = vec![None; 40];
        let min_only: Vec<_> = (0..40).map(|e| if e < 20 { after(1) } else { None }).collect();
        let max_overlap: Vec<_> = (0..40).map(|e| if e < 30 { after(2) } else { None }).collect();
        let mut sightings = [nothing.as_slice(); COLUMNS];
        sightings[3] = &min_only;
        sightings[4] = &max_overlap;
        let time = points(Category::Time, sightings);
        assert_eq!(time, [0, 0, 0, 20, 10, 0, 0]);
        assert_eq!(normalised(time.map(f64::from)), [0.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.0]);
        // Ties give a point to all.
        assert_eq!(points(Category::States, sightings), [0, 0, 0, 20, 30, 0, 0]);
    }

    #[test]
    fn random_search_does_not_compete_for_predicates() {
        let found = [after(1)];
        let points = points(Category::Predicates, [found.as_slice(); COLUMNS]);
        assert_eq!(points, [1, 0, 1, 1, 1, 1, 1]);
    }
}
