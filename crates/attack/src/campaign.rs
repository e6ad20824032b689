//! The attack: draws traps, asks gcc for the truth and every engine for a verdict.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::batches::on_batches;
use crate::engines::{Answer, Asker};
use crate::families;
use crate::family::Family;
use crate::regression::{self, Finding};
use crate::rng::Rng;
use crate::sources::Written;
use crate::table::Table;
use crate::trap::Trap;
use crate::truth::{self, Truth};
use crate::twin::{self, Twin};

/// Traps in one call of gcc.
const BATCH: u64 = 30;

/// What to attack, and for how long.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The first seed.
    pub seed: u64,
    /// Traps to draw, with two programs each.
    pub traps: u64,
    /// When to stop even so.
    pub time: Duration,
    /// Where traps come from.
    pub families: Vec<Family>,
    /// Whom to ask.
    pub engines: Vec<String>,
    /// The command.
    pub asker: Asker,
    /// Time for the reduction of a finding.
    pub shrink: Duration,
    /// Findings from the same templates that are reduced; further ones are counted only.
    pub alike: usize,
    /// Threads.
    pub jobs: usize,
    /// A folder for files.
    pub folder: PathBuf,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Results {
    /// Counts by engine and family.
    pub table: Table,
    /// Traps drawn.
    pub traps: usize,
    /// Programs the engines were asked about.
    pub programs: usize,
    /// UNKNOWN answers, with the reason, by the templates that programs come from.
    pub unknown: Vec<(String, String)>,
    /// Traps without a truth, with the reason.
    pub dropped: Vec<String>,
    /// Wrong verdicts and failures, reduced.
    pub findings: Vec<Finding>,
}

/// One campaign while it runs.
struct Running<'a> {
    campaign: &'a Campaign,
    start: Instant,
    results: Mutex<Results>,
    tell: &'a (dyn Fn(&str) + Sync),
}

impl Campaign {
    /// Runs it. `tell` is called with a line for each finding, at once.
    pub fn run(&self, tell: &(dyn Fn(&str) + Sync)) -> Results {
        let running = Running { campaign: self, start: Instant::now(), results: Mutex::default(), tell };
        on_batches((self.seed, self.traps), BATCH, self.jobs, |first, count| -> Vec<()> {
            running.batch(first, count);
            Vec::new()
        });
        let mut results = running.results.into_inner().expect("no panic");
        results.findings.sort_by_key(|finding| (finding.seed, finding.expected));
        results
    }
}

impl Running<'_> {
    fn over(&self) -> bool {
        self.start.elapsed() > self.campaign.time
    }

    fn batch(&self, first: u64, count: u64) {
        if self.over() {
            return;
        }
        let seeds: Vec<u64> = (first..first + count).collect();
        let traps: Vec<Trap> = seeds.iter().map(|&seed| families::draw(seed, &self.campaign.families)).collect();
        let truths = truth::truths(&self.campaign.folder, &format!("batch{first}"), &traps);
        for ((seed, trap), truth) in seeds.into_iter().zip(&traps).zip(truths) {
            if self.over() {
                return;
            }
            self.results.lock().expect("no panic").traps += 1;
            match truth {
                Ok(truth) => self.trap(seed, trap, &truth),
                Err(why) => self.dropped(seed, trap, &why),
            }
        }
    }

    fn dropped(&self, seed: u64, trap: &Trap, why: &str) {
        let line = why.lines().find(|l| l.contains("error") || l.contains("ERROR")).unwrap_or(why);
        let text = format!("seed {seed} ({}): {line}", trap.origin);
        self.results.lock().expect("no panic").dropped.push(text);
    }

    fn trap(&self, seed: u64, trap: &Trap, truth: &Truth) {
        let mut rng = Rng::new(seed ^ 0x7717);
        for twin in twin::twins(trap, truth, &mut rng) {
            self.results.lock().expect("no panic").programs += 1;
            let name = format!("s{seed}-{}", twin.expected.name().to_lowercase());
            let Ok(written) = twin.sources.write(&self.campaign.folder, &name) else { continue };
            self.ask(seed, trap, &twin, &written);
            written.remove();
        }
    }

    /// Asks every engine about a program.
    fn ask(&self, seed: u64, trap: &Trap, twin: &Twin, written: &Written) {
        let mut wrong: Vec<(&str, Answer)> = Vec::new();
        for engine in &self.campaign.engines {
            let answer = self.campaign.asker.ask(written, engine);
            self.results.lock().expect("no panic").table.count(engine, trap.family, &answer, twin.expected);
            if let Answer::Unknown(why) = &answer {
                let unknown = (trap.origin.clone(), format!("seed {seed}, {engine}: {why}"));
                self.results.lock().expect("no panic").unknown.push(unknown);
            }
            if answer.is_wrong(twin.expected) || matches!(answer, Answer::Failure(_)) {
                wrong.push((engine, answer));
            }
        }
        if let Some((engine, answer)) = wrong.first() {
            let engines: Vec<&str> = wrong.iter().map(|(engine, _)| *engine).collect();
            (self.tell)(&format!(
                "seed {seed} ({}), expected {}, {}: {answer:?}",
                trap.origin,
                twin.expected.name(),
                engines.join(" ")
            ));
            self.keep(Finding::new(seed, trap, twin, (engine, answer)));
        }
    }

    fn keep(&self, finding: Finding) {
        let alike = |f: &&Finding| f.origin == finding.origin && f.failure == finding.failure;
        let known = self.results.lock().expect("no panic").findings.iter().filter(alike).count();
        if known < self.campaign.alike {
            let reduced =
                regression::reduce(finding, &self.campaign.asker, &self.campaign.folder, self.campaign.shrink);
            self.results.lock().expect("no panic").findings.push(reduced);
        }
    }
}
