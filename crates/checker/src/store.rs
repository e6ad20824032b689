//! What the engines of a check told each other, in one place.
//!
//! Every fact is kept once, with the engine that told it first, and is handed to every other engine once: to those that start later,
//! too.

use std::time::{Duration, Instant};

use clinch_engine::share::{Fact, Known};
use rustc_hash::FxHashSet;
use serde_json::json;

use crate::report::Report;

/// Facts of all engines together; what comes later is not kept.
const MOST: usize = 10_000;
/// Facts that are handed over at a time.
const BATCH: usize = 256;

/// The facts of a check.
pub(crate) struct Store {
    known: FxHashSet<Known>,
    /// With the number of the member that told them, in the order in which they came.
    facts: Vec<(usize, Fact)>,
    /// Facts on the way, and when they arrive.
    late: Vec<(Instant, usize, Fact)>,
    /// How many of the facts each member was handed, or told itself.
    handed: Vec<usize>,
    /// How long the next fact is on the way.
    delay: Box<dyn FnMut() -> Duration + Send>,
}

impl Default for Store {
    fn default() -> Self {
        Store::with_delay(Box::new(|| Duration::ZERO))
    }
}

impl Store {
    /// A store in which facts take their time. Nothing but the time of an answer may depend on it.
    pub(crate) fn with_delay(delay: Box<dyn FnMut() -> Duration + Send>) -> Store {
        Store { known: FxHashSet::default(), facts: Vec::new(), late: Vec::new(), handed: Vec::new(), delay }
    }

    /// A member, by number and name, tells something.
    pub(crate) fn tell(&mut self, member: usize, name: &str, what: Known) {
        if self.known.len() >= MOST || !self.known.insert(what.clone()) {
            return;
        }
        let fact = Fact { from: name.to_owned(), what };
        match (self.delay)() {
            Duration::ZERO => self.facts.push((member, fact)),
            delay => self.late.push((Instant::now() + delay, member, fact)),
        }
    }

    /// How often everything may be repeated, at most, in runs of which someone says that they reach no error.
    pub(crate) fn no_error_within(&self) -> Option<u32> {
        let bounds = self.known.iter().filter_map(|known| match known {
            Known::NoErrorWithin(bounds) => Some(bounds.least()),
            _ => None,
        });
        bounds.max()
    }

    /// Some of what others told that a member was not handed yet.
    pub(crate) fn hand_to(&mut self, member: usize) -> Vec<Fact> {
        let now = Instant::now();
        let arrived = self.late.extract_if(.., |(when, ..)| *when <= now);
        self.facts.extend(arrived.map(|(_, member, fact)| (member, fact)));
        if self.handed.len() <= member {
            self.handed.resize(member + 1, 0);
        }
        let (from, to) = (self.handed[member], (self.handed[member] + BATCH).min(self.facts.len()));
        self.handed[member] = to;
        self.facts[from..to].iter().filter(|(teller, _)| *teller != member).map(|(_, fact)| fact.clone()).collect()
    }
}

/// How much a member shared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counts {
    /// Facts that it told.
    pub(crate) told: usize,
    /// Facts that it took notice of.
    pub(crate) heard: usize,
}

impl Counts {
    /// Says it in the statistics of a report, if there is something to say.
    pub(crate) fn add_to(self, report: &mut Report) {
        if self != Counts::default() && (report.stats.is_object() || report.stats.is_null()) {
            report.stats["shared"] = json!({ "told": self.told, "heard": self.heard });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(of: u32) -> Known {
        Known::Control(vec![of])
    }

    fn told(facts: &[Fact]) -> Vec<(&str, &Known)> {
        facts.iter().map(|f| (f.from.as_str(), &f.what)).collect()
    }

    #[test]
    fn every_fact_is_handed_to_every_other_member_once() {
        let mut store = Store::default();
        store.tell(0, "explicit", control(1));
        store.tell(1, "lazy", control(2));
        store.tell(1, "lazy", control(1));
        assert_eq!(told(&store.hand_to(0)), [("lazy", &control(2))]);
        assert!(store.hand_to(0).is_empty());
        // Whoever comes later hears all of it.
        assert_eq!(told(&store.hand_to(2)), [("explicit", &control(1)), ("lazy", &control(2))]);
        store.tell(2, "cegar", control(3));
        assert_eq!(told(&store.hand_to(0)), [("cegar", &control(3))]);
    }

    #[test]
    fn a_late_fact_arrives() {
        let mut delays = [30, 0, 10].into_iter().map(Duration::from_millis);
        let mut store = Store::with_delay(Box::new(move || delays.next().unwrap_or_default()));
        (1..=3).for_each(|of| store.tell(0, "explicit", control(of)));
        assert_eq!(told(&store.hand_to(1)), [("explicit", &control(2))]);
        std::thread::sleep(Duration::from_millis(40));
        let rest = store.hand_to(1);
        assert_eq!(rest.len(), 2, "{rest:?}");
    }
}
