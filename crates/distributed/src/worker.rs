//! One worker: search, then trace or re-check, then the verdict, which is the same for all.

use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use clinch_certify::{Judged, Rejection, Tally, certify_parts};
use clinch_engine::Progress;
use clinch_engine::concrete::{Event, Expander, Model, trace_of};
use clinch_ir::{Proof, Reason, StateSet, TraceEnd, Verdict};
use timely::worker::Worker;

use crate::checkpoint::{Writer, read_complete};
use crate::format::Format;
use crate::recheck::Recheck;
use crate::resume::Resuming;
use crate::rounds;
use crate::search::{End, Found as FoundError, Search, Totals};
use crate::store::{States, Store};
use crate::team::{Found, Job, Stats};
use crate::trace::Tracing;

/// Why there is no verdict.
enum Failure {
    Unknown(Reason),
    /// The verdict does not hold.
    Wrong(String),
}

impl From<Reason> for Failure {
    fn from(reason: Reason) -> Self {
        Failure::Unknown(reason)
    }
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Self {
        match rejection {
            Rejection::Wrong(text) => Failure::Wrong(text),
            other => Failure::Unknown(Reason::Uncertified(other.to_string())),
        }
    }
}

/// Does the work of one worker. A verdict that does not hold is an error.
pub(crate) fn run(worker: &mut Worker, job: &Job, told: Sender<Progress>) -> Result<Found, String> {
    let model = match Model::new(&job.program, job.config.inputs) {
        Ok(model) => model,
        Err(reason) => return Ok(Found::unknown(reason)),
    };
    let start = Instant::now();
    let told = worker.index().is_multiple_of(job.config.cluster.threads).then_some(told);
    let mut search = match checkpoint(worker, job) {
        Ok(checkpoint) => {
            Search::new(&model, (worker.index(), worker.peers()), &job.budget, job.limit(), (told, checkpoint))
        }
        Err(reason) => return Ok(Found::unknown(reason)),
    };
    let outcome =
        resume(worker, job, &mut search).and_then(|()| rounds::run(worker, &mut search, &job.health, &job.budget));
    let stats = stats(&search.totals, worker.peers(), start.elapsed());
    let mut verdict = AfterSearch { worker, job, model: &model, certify_time: Duration::ZERO };
    let judged = match outcome.map_err(Failure::Unknown).and_then(|()| verdict.verdict(search)) {
        Ok(judged) => judged,
        Err(Failure::Unknown(reason)) => Judged::Unchecked(Verdict::Unknown(reason)),
        Err(Failure::Wrong(text)) => return Err(text),
    };
    Ok(Found { verdict: judged, stats, certify_time: verdict.certify_time })
}

/// The file for the checkpoint, if one was asked for.
fn checkpoint(worker: &Worker, job: &Job) -> Result<Option<Writer>, Reason> {
    let folder = job.config.checkpoint.as_deref();
    let writer = folder.map(|folder| Writer::new(folder, worker.index(), job.model));
    writer.transpose().map_err(Reason::Unsupported)
}

/// Goes on from a checkpoint, if there is one to go on from.
fn resume(worker: &mut Worker, job: &Job, search: &mut Search<'_>) -> Result<(), Reason> {
    let Some(folder) = job.config.resume.as_deref() else { return Ok(()) };
    let complete = read_complete(folder, &job.model).map_err(Reason::Unsupported)?;
    let old = (folder, &job.model, &complete);
    let place = (worker.index(), worker.peers());
    let mut resuming = Resuming::new(old, (search.format.clone(), job.limit()), place, &job.budget);
    rounds::run(worker, &mut resuming, &job.health, &job.budget)?;
    let (store, before) = resuming.into_store()?;
    search.resume(store, before, &complete);
    Ok(())
}

fn stats(totals: &Totals, workers: usize, time: Duration) -> Stats {
    Stats {
        states: totals.states,
        transitions: totals.transitions,
        depth: totals.depth,
        bytes_per_state: totals.bytes as f64 / totals.states.max(1) as f64,
        bytes_on_disk: totals.disk,
        workers: workers as u64,
        search_ms: time.as_millis() as u64,
        messages: totals.messages,
        bytes_exchanged: totals.exchanged,
        peak_bytes: peak_bytes().unwrap_or(0),
        ..Stats::default()
    }
}

/// The most memory that this process held so far, where the system tells.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib << 10)
}

/// A worker whose search has ended.
struct AfterSearch<'a, 'm> {
    worker: &'a mut Worker,
    job: &'a Job,
    model: &'a Model<'m>,
    certify_time: Duration,
}

impl AfterSearch<'_, '_> {
    fn verdict(&mut self, search: Search<'_>) -> Result<Judged<Verdict>, Failure> {
        let (end, states) = (search.end.clone(), search.totals.states);
        let Search { store, .. } = search;
        match end {
            None => Err(Reason::Crashed("the search did not come to an end".to_owned()).into()),
            Some(End::Stopped(reason)) => Err(reason.into()),
            Some(End::Error(error)) => self.trace(&store, &error),
            Some(End::Closed) => match self.model.exhausted() {
                Some(reason) => Err(reason.into()),
                None => self.proof(store, states),
            },
        }
    }

    /// The trace to an error, replayed.
    fn trace(&mut self, store: &Store, error: &FoundError) -> Result<Judged<Verdict>, Failure> {
        let mut tracing = Tracing::new(store, self.worker.index(), error.place);
        rounds::run(self.worker, &mut tracing, &self.job.health, &self.job.budget)?;
        let unreadable = || Reason::Unsupported("a state of the trace cannot be read".to_owned());
        let path = tracing.into_path().ok_or_else(unreadable)?;
        let Some(end) = what_is_wrong(self.model, &error.words) else {
            return Err(Failure::Wrong("the state found is no error".to_owned()));
        };
        let verdict = Verdict::Unsafe(trace_of(self.model, &path, end));
        self.judge(verdict, &[])
    }

    /// All states, re-checked where they are.
    fn proof(&mut self, store: Store, states: u64) -> Result<Judged<Verdict>, Failure> {
        let verdict = Verdict::Safe(Proof::ReachedElsewhere(states));
        if !self.job.config.certify {
            return Ok(Judged::Unchecked(verdict));
        }
        let start = Instant::now();
        let layout = &self.model.layout;
        let tallies = match store.into_states().map_err(Reason::Unsupported)? {
            States::Memory(states) => {
                let set = StateSet { layout: layout.clone(), chunks: vec![states] };
                self.recheck(clinch_certify::Part::new(&self.job.program, &set)?)?
            }
            States::Disk(run) => {
                let room = self.job.limit().map_or(0, |limit| limit.bytes / 8);
                self.recheck(clinch_certify::Part::sorted(&self.job.program, layout, &run, room)?)?
            }
        };
        self.certify_time = start.elapsed();
        self.judge(verdict, &tallies)
    }

    fn recheck(&mut self, part: clinch_certify::Part<'_>) -> Result<Vec<Tally>, Failure> {
        let place = (self.worker.index(), self.worker.peers());
        let mut recheck = Recheck::new(part, Format::new(&self.model.layout), place, &self.job.budget);
        rounds::run(self.worker, &mut recheck, &self.job.health, &self.job.budget)?;
        Ok(recheck.tallies()?)
    }

    fn judge(&self, verdict: Verdict, tallies: &[Tally]) -> Result<Judged<Verdict>, Failure> {
        if self.job.config.certify {
            Ok(certify_parts(&self.job.program, verdict, tallies)?)
        } else {
            Ok(Judged::Unchecked(verdict))
        }
    }
}

/// What makes a state an error.
fn what_is_wrong(model: &Model<'_>, words: &[u64]) -> Option<TraceEnd> {
    let mut expander = Expander::new(model);
    expander.load(words);
    if expander.is_error() == Ok(true) {
        return Some(TraceEnd::Error);
    }
    let mut fault = None;
    let mut has_step = false;
    expander.for_each(|event| match event {
        Event::Step(_) => has_step = true,
        Event::Fault(t, inputs, what) => {
            fault.get_or_insert_with(|| TraceEnd::Fault(t, inputs.to_vec(), what));
        }
        Event::Overflow(_) => {}
    });
    let deadlock = !has_step && model.program.property.deadlock;
    fault.or(deadlock.then_some(TraceEnd::Deadlock))
}
