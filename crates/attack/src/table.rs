//! Counts of answers, by engine and family.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use crate::engines::Answer;
use crate::family::Family;
use crate::twin::Expected;

/// Answers of one engine on one family.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Right verdicts.
    pub correct: usize,
    /// No verdict.
    pub unknown: usize,
    /// Wrong verdicts.
    pub wrong: usize,
    /// Crashes, hangs, programs rejected.
    pub failed: usize,
}

impl Counts {
    /// All answers.
    pub fn total(self) -> usize {
        self.correct + self.unknown + self.wrong + self.failed
    }

    fn add(&mut self, other: Counts) {
        self.correct += other.correct;
        self.unknown += other.unknown;
        self.wrong += other.wrong;
        self.failed += other.failed;
    }
}

/// All counts.
#[derive(Default, Debug)]
pub struct Table(BTreeMap<String, BTreeMap<Family, Counts>>);

impl Table {
    /// Counts an answer.
    pub fn count(&mut self, engine: &str, family: Family, answer: &Answer, expected: Expected) {
        let counts = self.0.entry(engine.to_owned()).or_default().entry(family).or_default();
        match answer {
            Answer::Verdict(verdict) if *verdict == expected => counts.correct += 1,
            Answer::Verdict(_) => counts.wrong += 1,
            Answer::Unknown(_) => counts.unknown += 1,
            Answer::Failure(_) => counts.failed += 1,
        }
    }

    /// The answers of an engine on all families.
    pub fn of(&self, engine: &str) -> Counts {
        let mut sum = Counts::default();
        self.0.get(engine).into_iter().flat_map(BTreeMap::values).for_each(|counts| sum.add(*counts));
        sum
    }

    /// The answers of all engines.
    pub fn all(&self) -> Counts {
        let mut sum = Counts::default();
        self.0.keys().for_each(|engine| sum.add(self.of(engine)));
        sum
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<10} {:<12} {:>8} {:>8} {:>6} {:>7}",
            "engine", "family", "correct", "unknown", "wrong", "failed"
        )?;
        let mut row = |engine: &str, family: &str, c: Counts| {
            writeln!(f, "{engine:<10} {family:<12} {:>8} {:>8} {:>6} {:>7}", c.correct, c.unknown, c.wrong, c.failed)
        };
        for (engine, families) in &self.0 {
            for (family, counts) in families {
                row(engine, family.name(), *counts)?;
            }
            row(engine, "all", self.of(engine))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_counted_by_what_was_expected() {
        let mut table = Table::default();
        let safe = Answer::Verdict(Expected::Safe);
        table.count("auto", Family::Memory, &safe, Expected::Safe);
        table.count("auto", Family::Memory, &safe, Expected::Unsafe);
        table.count("auto", Family::Layout, &Answer::Unknown(String::new()), Expected::Safe);
        table.count("lazy", Family::Layout, &Answer::Failure(String::new()), Expected::Safe);
        assert_eq!(table.of("auto"), Counts { correct: 1, unknown: 1, wrong: 1, failed: 0 });
        assert_eq!(table.all().total(), 4);
    }
}
