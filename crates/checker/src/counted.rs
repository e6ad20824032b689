//! How far an engine is, in numbers, and who is told of it while a check goes on.

use std::time::Duration;

use clinch_engine::Progress;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What an engine has counted so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
pub struct Counted {
    /// Refinements, or rounds of a search that starts again with larger bounds; 0 for engines with neither.
    pub iterations: u64,
    /// Predicates in use.
    pub predicates: u64,
    /// Predicates in use at one place, at most, where that differs.
    pub active: u64,
    /// What it stores: states, nodes of a tree, terms.
    pub states: u64,
    /// Calls of the prover.
    pub prover_calls: u64,
    /// How many of them a cache answered.
    pub cached_calls: u64,
}

impl From<Progress> for Counted {
    fn from(progress: Progress) -> Counted {
        let Progress { iteration: iterations, predicates, states, active, prover_calls, cached_calls } = progress;
        Counted { iterations, predicates, active, states, prover_calls, cached_calls }
    }
}

impl Counted {
    /// What is not zero, by name.
    pub fn named(&self) -> Vec<(&'static str, u64)> {
        let all = [
            ("iterations", self.iterations),
            ("predicates", self.predicates),
            ("states", self.states),
            ("prover_calls", self.prover_calls),
        ];
        all.into_iter().filter(|&(_, number)| number > 0).collect()
    }

    /// As statistics.
    pub(crate) fn statistics(&self) -> Value {
        self.named().into_iter().map(|(name, number)| (name.to_owned(), Value::from(number))).collect()
    }

    /// How far the engine is, in its own words.
    pub fn text(&self, engine: &str) -> String {
        let (iteration, states) = words(engine);
        let mut parts = Vec::new();
        if self.states > 0 {
            parts.push(format!("{} {states}", self.states));
        }
        match (self.predicates, self.prover_calls) {
            (0, _) => {}
            (all, 0) => parts.push(format!("{all} predicates")),
            (all, _) => parts.push(format!("{all} predicates ({} active)", self.active)),
        }
        if let Some(rate) = (100 * self.cached_calls).checked_div(self.prover_calls) {
            parts.push(format!("{} prover calls ({rate} % cached)", self.prover_calls));
        }
        let text = parts.join(", ");
        match (self.iterations, text.is_empty()) {
            (0, _) => text,
            (number, true) => format!("{iteration} {number}"),
            (number, false) => format!("{iteration} {number}: {text}"),
        }
    }
}

/// What an engine calls its iterations, and what it stores.
pub fn words(engine: &str) -> (&'static str, &'static str) {
    match engine {
        "lazy" | "cegar" | "outline" => ("refinement", "nodes"),
        "spds" => ("refinement", "layers of states"),
        "bounded" | "kinduction" => ("round", "terms"),
        "spacer" => ("query", "states"),
        _ => ("iteration", "states"),
    }
}

/// What an engine had counted at some time.
#[derive(Clone, Copy, Serialize, Deserialize, Debug)]
pub struct Sample {
    /// From the start of the check.
    pub at: Duration,
    /// What it had counted.
    pub counted: Counted,
}

/// Samples of a run: a few dozen of them, however long it is.
#[derive(Clone, Default, Debug)]
pub(crate) struct Samples {
    kept: Vec<Sample>,
    /// How many are passed over for one that is kept, and for how many more that goes.
    stride: usize,
    passed: usize,
    /// The last one, which always counts.
    last: Option<Sample>,
}

impl Samples {
    /// Twice as many as there are at least, when there are many.
    const MOST: usize = 96;

    pub(crate) fn push(&mut self, sample: Sample) {
        self.last = Some(sample);
        if self.passed > 0 {
            self.passed -= 1;
            return;
        }
        if self.kept.len() == Self::MOST {
            let mut number = 0;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.stride = 2 * self.stride + 1;
        }
        self.kept.push(sample);
        self.passed = self.stride;
    }

    pub(crate) fn last(&self) -> Option<Counted> {
        self.last.map(|sample| sample.counted)
    }

    /// In the order of time.
    pub(crate) fn list(&self) -> Vec<Sample> {
        let newer = self.last.filter(|last| self.kept.last().is_none_or(|kept| kept.at < last.at));
        self.kept.iter().copied().chain(newer).collect()
    }
}

/// What an engine is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doing {
    /// It reads the input.
    Reading,
    /// It looks for a verdict.
    Searching,
    /// Others run.
    Waiting,
    /// It has a verdict, and something else looks at its evidence.
    Checking,
}

/// An engine at work.
#[derive(Clone, Debug)]
pub struct AtWork {
    /// Which.
    pub engine: String,
    /// What it does.
    pub doing: Doing,
    /// How far it is.
    pub counted: Counted,
}

/// Is told how a check goes on.
pub trait Onlooker {
    /// Who is at work, now and then.
    fn look(&mut self, _elapsed: Duration, _at_work: &[AtWork]) {}

    /// An engine says how far it is.
    fn hear(&mut self, _elapsed: Duration, _engine: &str, _counted: Counted) {}
}

/// Nobody looks on.
#[derive(Clone, Copy, Default, Debug)]
pub struct Nobody;

impl Onlooker for Nobody {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_few_and_cover_the_run() {
        for count in [0, 1, 95, 96, 97, 1000, 100_000] {
            let mut samples = Samples::default();
            for number in 0..count {
                let counted = Counted { states: number, ..Counted::default() };
                samples.push(Sample { at: Duration::from_millis(number), counted });
            }
            let list = samples.list();
            assert!(list.len() <= 97 && list.len() as u64 >= count.min(48), "{count}: {}", list.len());
            assert!(list.is_sorted_by(|a, b| a.at < b.at), "{count}");
            assert_eq!(list.last().map(|last| last.counted.states), count.checked_sub(1), "{count}");
            // No part of the run is left out.
            let gap = list.windows(2).map(|pair| pair[1].counted.states - pair[0].counted.states).max();
            assert!(gap.unwrap_or(0) <= 1 + count / 24, "{count}: {gap:?}");
        }
    }

    #[test]
    fn engines_say_how_far_they_are() {
        let counted = |iterations, predicates, states, prover_calls| Counted {
            iterations,
            predicates,
            states,
            prover_calls,
            ..Counted::default()
        };
        assert_eq!(counted(0, 0, 12, 0).text("explicit"), "12 states");
        assert_eq!(counted(3, 0, 0, 0).text("spacer"), "query 3");
        assert_eq!(
            counted(2, 5, 9, 40).text("lazy"),
            "refinement 2: 9 nodes, 5 predicates (0 active), 40 prover calls (0 % cached)"
        );
        assert_eq!(counted(0, 0, 0, 0).text("lazy"), "");
    }
}
