//! Many pairs against clinch.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::{Pair, draw, truth};
use crate::batches::on_batches;

/// Which pairs, and how clinch is asked.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The first seed.
    pub seed: u64,
    /// How many pairs.
    pub pairs: u64,
    /// The executable.
    pub clinch: PathBuf,
    /// The time limit of a question.
    pub timeout: Duration,
    /// Questions at a time.
    pub jobs: usize,
}

/// What came of a pair, or of many.
#[derive(Clone, Default, Debug)]
pub struct Tally {
    /// Pairs that the sanitizers agree to.
    pub pairs: usize,
    /// Errors that were found, with their kind and place.
    pub found: usize,
    /// Those that an execution confirmed.
    pub confirmed: usize,
    /// Versions without error that were proved.
    pub proved: usize,
    /// Answers that are unknown, with the reason.
    pub unknown: Vec<String>,
    /// Pairs that the sanitizers do not agree to.
    pub dropped: Vec<String>,
    /// What is wrong.
    pub wrong: Vec<String>,
}

impl Campaign {
    /// Asks about all pairs.
    pub fn run(&self) -> Tally {
        let ask = |first, count| (first..first + count).map(|seed| self.ask(seed)).collect();
        on_batches((self.seed, self.pairs), 4, self.jobs, ask).into_iter().fold(Tally::default(), Tally::and)
    }

    fn ask(&self, seed: u64) -> Tally {
        let (pair, mut tally) = (draw(seed), Tally::default());
        let asked = tempfile::tempdir().map_err(|error| error.to_string()).and_then(|folder| {
            truth::complaint(folder.path(), &pair)?;
            let wrong = self.report(folder.path(), &pair, &pair.wrong)?;
            Ok((wrong, self.report(folder.path(), &pair, &pair.right)?))
        });
        match asked {
            Ok((wrong, right)) => {
                tally.pairs = 1;
                tally.judge_wrong(seed, &pair, &wrong);
                tally.judge_right(seed, &pair, &right);
            }
            Err(why) => tally.dropped.push(why),
        }
        tally
    }

    /// What clinch says of a version of a program.
    fn report(&self, folder: &Path, pair: &Pair, text: &str) -> Result<Value, String> {
        let file = folder.join("p.c");
        std::fs::write(&file, text).map_err(|error| error.to_string())?;
        let timeout = format!("{}ms", self.timeout.as_millis());
        let mut command = Command::new(&self.clinch);
        command.args(["check", "--json", "--timeout", &timeout]).arg(&file);
        if pair.is_leak() {
            command.args(["--check", &pair.check]);
        }
        let output = command.output().map_err(|error| error.to_string())?;
        let said = serde_json::from_slice(&output.stdout);
        Ok(said.unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&output.stderr).into_owned())))
    }
}

impl Tally {
    fn and(mut self, other: Tally) -> Tally {
        self.pairs += other.pairs;
        self.found += other.found;
        self.confirmed += other.confirmed;
        self.proved += other.proved;
        self.unknown.extend(other.unknown);
        self.dropped.extend(other.dropped);
        self.wrong.extend(other.wrong);
        self
    }

    /// The version with the error: it is found, where and as it is.
    fn judge_wrong(&mut self, seed: u64, pair: &Pair, report: &Value) {
        // What is lost is told where the program ends.
        let is_there = |error: &Value| pair.is_leak() || error["line"].as_u64() == Some(pair.line() as u64);
        let is_meant = |error: &&Value| error["check"].as_str() == Some(&*pair.check) && is_there(error);
        match report["verdict"].as_str() {
            Some("unsafe") if failing(report).iter().all(is_meant) => {
                self.found += 1;
                self.confirmed += usize::from(report["confirmed"] == true);
                if report["confirmed"] != true {
                    self.unknown.push(format!("{seed}: {}: not confirmed: {}", pair.name, report["confirmation"]));
                }
            }
            Some("unknown") => self.unknown.push(format!("{seed}: {} with error: {}", pair.name, report["reason"])),
            _ => self.wrong.push(format!("seed {seed}, {} with error: {}\n{}", pair.name, told(report), pair.wrong)),
        }
    }

    /// The version without: nothing is found.
    fn judge_right(&mut self, seed: u64, pair: &Pair, report: &Value) {
        match report["verdict"].as_str() {
            Some("safe") => self.proved += 1,
            Some("unknown") => self.unknown.push(format!("{seed}: {} without error: {}", pair.name, report["reason"])),
            _ => self.wrong.push(format!("seed {seed}, {} without error: {}\n{}", pair.name, told(report), pair.right)),
        }
    }
}

/// The checks that fail.
fn failing(report: &Value) -> Vec<&Value> {
    let checks = report["checks"].as_array().map(Vec::as_slice).unwrap_or_default();
    let failing: Vec<&Value> = checks.iter().filter(|check| check["verdict"] == "fails").collect();
    if failing.is_empty() { vec![&report["error"]] } else { failing }
}

fn told(report: &Value) -> String {
    match report["verdict"].as_str() {
        Some(verdict) => format!("{verdict}, {:?}", failing(report)),
        None => report.to_string(),
    }
}
