//! Several verdicts from one run: round after round, without what is known to fail.
//!
//! The first round is about all checks. A check that fails is left out of the next ones: runs end there. If all that is left is proved at once,
//! that is it. If nobody knows, the checks are divided and each half has a round of its own, so that one hard check does not hide what is known
//! of the others.
//!
//! That is a pass. The first one takes a few seconds, whatever the limit is, so that a longer limit makes no answer later; what nobody
//! knows after it has all of the time that is left.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use clinch_ir::Reason;
use clinch_ir::cfa::{Check, Checks};

use crate::report::{CheckResult, Checked, Counterexample, ProgramRun, Report, Telling, Verdict};
use crate::sites::Site;
use crate::task::Error;

/// How long the other checks are looked at, at least, when one has failed; or as long as the first one took.
const AFTER_FAILURE: Duration = Duration::from_millis(1500);
/// A round that would be shorter is none.
const SHORTEST: Duration = Duration::from_millis(150);
/// When the first pass is over.
const FIRST_PASS: Duration = Duration::from_secs(10);
/// The part of a pass that is kept for rounds about some of the checks, and how much of it at most.
const RESERVE: u32 = 3;
const MOST_RESERVE: Duration = Duration::from_secs(20);

/// A round.
#[derive(Clone, Default, Debug)]
pub(crate) struct Round {
    /// How much time is gone since the check began.
    pub(crate) elapsed: Duration,
    /// When the round is over, from the beginning of the check.
    pub(crate) until: Option<Duration>,
    /// When it is over if there are several checks.
    pub(crate) until_if_several: Option<Duration>,
    /// The errors that count, where every check has a verdict of its own.
    pub(crate) checks: Option<Checks>,
    /// The numbers of checks that are left out.
    pub(crate) left_out: Vec<u64>,
}

/// What came of a round: the report, and all checks of the program.
pub(crate) struct Played {
    pub(crate) report: Report,
    pub(crate) sites: Vec<Site>,
}

/// Plays one round, or as many as it takes if several verdicts are wanted, until the check is stopped.
pub(crate) fn verdicts(
    wanted: Option<Checks>,
    limit: Option<Duration>,
    is_stopped: impl Fn() -> bool,
    mut play: impl FnMut(&Round) -> Result<Played, Error>,
) -> Result<Report, Error> {
    let start = Instant::now();
    let pass = limit.map_or(FIRST_PASS, |limit| limit.min(FIRST_PASS));
    let until_if_several = wanted.map(|_| pass - reserve(pass));
    let first = Round { until: limit, until_if_several, checks: wanted, ..Round::default() };
    let Some(checks) = wanted else { return play(&first).map(|played| played.report) };
    let Played { report, sites } = play(&first)?;
    let results: Vec<_> = sites.iter().map(|site| site.reached.then_some(CheckResult::Reached)).collect();
    let open = (0..sites.len()).filter(|&site| results[site].is_none()).collect();
    let (waiting, late, reports) = (VecDeque::new(), Vec::new(), Vec::new());
    let (soon, after_failure) = (None, None);
    let mut rounds =
        Rounds { start, limit, pass: Some(pass), soon, after_failure, checks, sites, results, waiting, late, reports };
    rounds.take(Part { sites: open, without_memory: false, is_all: true }, report);
    while let Some(part) = rounds.next_part() {
        match rounds.next(&part) {
            _ if is_stopped() => rounds.give_up(&part.sites, &Reason::Interrupted.to_string()),
            Some(round) => {
                let played = play(&round)?;
                rounds.take(part, played.report);
            }
            None => rounds.give_up_late(&part),
        }
    }
    Ok(rounds.report())
}

/// How much of so much time is for rounds about some of the checks.
fn reserve(time: Duration) -> Duration {
    (time / RESERVE).min(MOST_RESERVE)
}

/// Checks that have a round of their own.
#[derive(Clone)]
struct Part {
    sites: Vec<usize>,
    /// Whether memory is not looked at.
    without_memory: bool,
    /// Whether it is all that a pass is about.
    is_all: bool,
}

struct Rounds {
    start: Instant,
    /// When all is over; sooner once a check has failed, which gives the others some more time.
    limit: Option<Duration>,
    /// When this pass is over; the last one ends at the limit.
    pass: Option<Duration>,
    soon: Option<Duration>,
    after_failure: Option<Duration>,
    /// What was asked for.
    checks: Checks,
    sites: Vec<Site>,
    /// What is known of each of them.
    results: Vec<Option<CheckResult>>,
    waiting: VecDeque<Part>,
    /// What had not enough time in this pass.
    late: Vec<Part>,
    /// All reports, in the order in which they came.
    reports: Vec<Report>,
}

impl Rounds {
    /// What the next round is about: what waits, or in a pass of its own all that was late in the first one.
    fn next_part(&mut self) -> Option<Part> {
        if let Some(part) = self.waiting.pop_front() {
            return Some(part);
        }
        if self.pass != self.limit && self.soon.is_none() {
            self.pass = self.limit;
            for without_memory in [false, true] {
                let late = self.late.iter().filter(|part| part.without_memory == without_memory);
                let sites: Vec<usize> = late.flat_map(|part| part.sites.iter().copied()).collect();
                if !sites.is_empty() {
                    self.waiting.push_back(Part { sites, without_memory, is_all: true });
                }
            }
        }
        self.waiting.pop_front()
    }

    /// The next round: about this part alone.
    fn next(&self, part: &Part) -> Option<Round> {
        let elapsed = self.start.elapsed();
        let end = self.soon.map_or(self.pass, |soon| Some(self.limit.map_or(soon, |limit| limit.min(soon))));
        let time = end.map(|end| end.saturating_sub(elapsed) / (self.waiting.len() as u32 + 1));
        // Some of it is for its halves.
        let time = match part.sites.len() {
            0 | 1 => time,
            _ if part.is_all && self.pass == self.limit => time.map(|time| time - reserve(time)),
            // After a failure there is little: a quarter of it tells what is quickly told.
            _ if self.soon.is_some() => time.map(|time| time - time / 4),
            _ => time.map(|time| time / 2),
        };
        if time.is_some_and(|time| time < SHORTEST) {
            return None;
        }
        let others = (0..self.sites.len()).filter(|site| !part.sites.contains(site));
        Some(Round {
            elapsed,
            until: time.map(|time| elapsed + time),
            until_if_several: None,
            checks: Some(if part.without_memory { without_memory(self.checks) } else { self.checks }),
            left_out: others.map(|site| self.sites[site].number()).collect(),
        })
    }

    /// What a round says of its checks.
    fn take(&mut self, part: Part, report: Report) {
        match &report.verdict {
            Verdict::Safe { .. } => part.sites.iter().for_each(|&site| self.results[site] = Some(CheckResult::Proved)),
            Verdict::Unsafe { counterexample: Counterexample::Run(run), .. } => self.fails(part, run.clone()),
            Verdict::Unsafe { .. } => {}
            Verdict::Unknown { reason, telling, .. } => self.divide(part, reason, *telling),
        }
        self.reports.push(report);
    }

    fn fails(&mut self, mut part: Part, run: ProgramRun) {
        let failed = run.site();
        let about_code = self.checks.contains(Check::Unreachable);
        if !about_code {
            let elapsed = self.start.elapsed();
            let more = *self.after_failure.get_or_insert(elapsed.max(AFTER_FAILURE));
            self.soon = Some(elapsed + more);
        }
        let Some(site) = self.sites.iter().position(|site| *site == failed) else {
            // It cannot be left out, so nobody looks behind it.
            self.give_up(&part.sites, "another check fails before");
            self.sites.push(failed);
            return self.results.push(Some(CheckResult::Fails(Box::new(run))));
        };
        let result = if about_code { CheckResult::Reached } else { CheckResult::Fails(Box::new(run)) };
        self.results[site] = Some(result);
        part.sites.retain(|&other| other != site);
        if !part.sites.is_empty() {
            self.waiting.push_front(part);
        }
    }

    /// Nobody knows of all of them together.
    fn divide(&mut self, part: Part, reason: &str, telling: Telling) {
        if telling >= Telling::Unsupported && !part.without_memory {
            return self.leave_memory(&part.sites, reason);
        }
        if telling < Telling::Unsupported && part.sites.len() > 1 {
            let (first, second) = part.sites.split_at(part.sites.len() / 2);
            for half in [first, second] {
                self.waiting.push_back(Part { sites: half.to_vec(), is_all: false, ..part });
            }
        } else if telling == Telling::Limit && self.sites.len() > 1 {
            self.give_up_late(&part);
        } else {
            self.give_up(&part.sites, reason);
        }
    }

    /// What is not modelled where memory is checked need not matter for the other checks.
    fn leave_memory(&mut self, part: &[usize], reason: &str) {
        let is_memory = |&site: &usize| Checks::of_group(&self.sites[site].check).is_some_and(Checks::are_about_memory);
        let (of_memory, others): (Vec<usize>, Vec<usize>) = part.iter().copied().partition(is_memory);
        self.give_up(&of_memory, reason);
        if !self.checks.are_about_memory() {
            self.give_up(&others, reason);
        } else if !others.is_empty() {
            self.waiting.push_front(Part { sites: others, without_memory: true, is_all: true });
        }
    }

    /// There was not enough time, in this pass. How much a round had of it says nothing.
    fn give_up_late(&mut self, part: &Part) {
        self.late.push(part.clone());
        self.give_up(&part.sites, "time limit");
    }

    fn give_up(&mut self, part: &[usize], reason: &str) {
        part.iter().for_each(|&site| self.results[site] = Some(CheckResult::Unknown(reason.to_owned())));
    }

    /// The report about all checks: that of the first one that fails, of a proof, or of what is not known.
    fn report(mut self) -> Report {
        let (under, time) = (self.under(), self.start.elapsed());
        let checks = self.checked();
        let several = self.reports.len() > 1;
        let certify_time = self.reports.iter().map(|report| report.certify_time).sum();
        let internal_errors =
            self.reports.iter_mut().flat_map(|report| std::mem::take(&mut report.internal_errors)).collect();
        let timeline = self.reports.iter_mut().flat_map(|report| std::mem::take(&mut report.timeline)).collect();
        let chosen = self.reports.iter().position(|report| is_about(report, &checks));
        let mut report = self.reports.swap_remove(chosen.unwrap_or(self.reports.len() - 1));
        match &mut report.verdict {
            Verdict::Safe { under: assumed, .. } | Verdict::Unsafe { under: assumed, .. } => *assumed = under,
            Verdict::Unknown { reason, .. } if checks.len() > 1 => {
                *reason = open_text(&checks).unwrap_or(std::mem::take(reason));
                report.notes.extend(under.into_iter().map(|assumed| format!("what is proved assumes: {assumed}")));
            }
            Verdict::Unknown { .. } => {}
        }
        if several {
            report.time = time.saturating_sub(certify_time);
        }
        Report { checks, certify_time, internal_errors, timeline, ..report }
    }

    /// The checks with what is known of them.
    fn checked(&mut self) -> Vec<Checked> {
        let known = std::mem::take(&mut self.sites).into_iter().zip(std::mem::take(&mut self.results));
        let checked = known.map(|(site, result)| {
            let result = result.unwrap_or_else(|| CheckResult::Unknown("it was not looked at".to_owned()));
            Checked { site, result }
        });
        checked.collect()
    }

    /// What the proofs of all rounds rest on.
    fn under(&self) -> Vec<String> {
        let mut under: Vec<String> = Vec::new();
        for assumption in self.reports.iter().flat_map(|report| report.verdict.under()) {
            if !under.contains(assumption) {
                under.push(assumption.clone());
            }
        }
        under
    }
}

/// Whether a report is the one to show: of the first check that fails, or else of what is not known, or else of a proof.
fn is_about(report: &Report, checks: &[Checked]) -> bool {
    let failed = checks.iter().find_map(|checked| match &checked.result {
        CheckResult::Fails(run) => Some(run.site()),
        CheckResult::Proved | CheckResult::Reached | CheckResult::Unknown(_) => None,
    });
    match (&report.verdict, failed) {
        (Verdict::Unsafe { counterexample: Counterexample::Run(run), .. }, Some(site)) => run.site() == site,
        (Verdict::Safe { .. }, None) => open_text(checks).is_none(),
        (Verdict::Unknown { .. }, None) => open_text(checks).is_some(),
        _ => false,
    }
}

/// How many checks are open, and why the first of them is.
fn open_text(checks: &[Checked]) -> Option<String> {
    let reasons = checks.iter().filter_map(|checked| match &checked.result {
        CheckResult::Unknown(reason) => Some(reason),
        CheckResult::Proved | CheckResult::Reached | CheckResult::Fails(_) => None,
    });
    let reasons: Vec<&String> = reasons.collect();
    Some(format!("{} of {} checks unknown: {}", reasons.len(), checks.len(), reasons.first()?))
}

fn without_memory(checks: Checks) -> Checks {
    let is_memory = |check: Check| Checks::of_group(check.group()).is_some_and(Checks::are_about_memory);
    Check::ALL.into_iter().filter(|&check| checks.contains(check) && !is_memory(check)).collect()
}
