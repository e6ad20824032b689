//! The workers of this process, from the outside.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clinch_certify::Judged;
use clinch_engine::{Budget, Observer, Progress};
use clinch_ir::{Answer, InputDomain, Program, Reason, Verdict};
use serde::Serialize;
use timely::WorkerConfig;
use timely::communication::WorkerGuards;
use timely::execute::execute_from;
use timely::worker::Worker;

use crate::cluster::{Cluster, Fingerprint};
use crate::fingerprint::fingerprint;
use crate::health::Health;
use crate::store::{Limit, WORKERS};
use crate::worker;

/// How often is looked whether there is news.
const EVERY: Duration = Duration::from_millis(50);
/// How long this process waits for the others to take leave.
const FAREWELL: Duration = Duration::from_secs(5);

/// How a program is searched by several workers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// Where they are.
    pub cluster: Cluster,
    /// Values for unbounded inputs.
    pub inputs: InputDomain,
    /// Whether they re-check what they found.
    pub certify: bool,
    /// The folder to write a checkpoint to.
    pub checkpoint: Option<PathBuf>,
    /// The folder with a checkpoint to go on from.
    pub resume: Option<PathBuf>,
    /// The folder for states that do not fit into memory.
    pub spill: Option<PathBuf>,
    /// Bytes of memory for this process, if they are limited.
    pub memory: Option<u64>,
}

/// What all workers did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    /// Distinct states found.
    pub states: u64,
    /// Steps between them.
    pub transitions: u64,
    /// Distance of the farthest state.
    pub depth: u64,
    /// Memory for the stored states, per state.
    pub bytes_per_state: f64,
    /// Bytes of the states on disk.
    pub bytes_on_disk: u64,
    /// How many workers there were.
    pub workers: u64,
    /// Milliseconds until the search ended.
    pub search_ms: u64,
    /// Batches of states that workers sent to others in the search.
    pub messages: u64,
    /// The bytes of those batches.
    pub bytes_exchanged: u64,
    /// The most memory that this process held until the search ended.
    pub peak_bytes: u64,
    /// Bytes that this process sent to others, of search and re-check.
    pub bytes_sent: u64,
    /// Bytes that came from others.
    pub bytes_received: u64,
}

/// What was found, with what the workers did, and what of the time was spent on re-checking.
#[derive(Debug)]
pub struct Found {
    /// The verdict, re-checked if that was asked for.
    pub verdict: Judged<Verdict>,
    /// What they did.
    pub stats: Stats,
    /// The time for the re-check.
    pub certify_time: Duration,
}

impl Found {
    pub(crate) fn unknown(reason: Reason) -> Self {
        let verdict = Judged::Unchecked(Answer::Unknown(reason));
        Found { verdict, stats: Stats::default(), certify_time: Duration::ZERO }
    }
}

/// What every worker of this process needs.
pub(crate) struct Job {
    /// Tells the model, its property and the values of inputs from others.
    pub(crate) model: Fingerprint,
    pub(crate) program: Program,
    pub(crate) config: Config,
    pub(crate) budget: Budget,
    pub(crate) health: Arc<Health>,
}

/// The part of its memory that a worker fills with states before they go to disk: tables double, and are twice there while they do.
const PART: u64 = 6;

impl Job {
    /// When the states of a worker go to disk.
    pub(crate) fn limit(&self) -> Option<Limit> {
        let (folder, memory) = (self.config.spill.clone()?, self.config.memory?);
        Some(Limit { folder, bytes: (memory / PART) as usize / self.config.cluster.threads })
    }
}

/// What a worker tells the thread that waits for it.
type Answers = Sender<Result<Found, String>>;

/// Searches for an error. What is wrong with a proof or a trace is an internal error.
pub fn check(
    program: &Program,
    config: &Config,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<Found, String> {
    let health = Arc::new(Health::default());
    match start(program, config, budget, &health) {
        Ok(team) => team.wait(&health, observer),
        Err(reason) => Ok(Found::unknown(reason)),
    }
}

/// The workers of this process at work.
struct Team {
    guards: WorkerGuards<()>,
    answers: Receiver<Result<Found, String>>,
    progress: Receiver<Progress>,
    threads: usize,
}

fn start(program: &Program, config: &Config, budget: &Budget, health: &Arc<Health>) -> Result<Team, Reason> {
    let workers = config.cluster.workers();
    if workers > WORKERS {
        return Err(Reason::Unsupported(format!("more than {WORKERS} workers")));
    }
    let model = fingerprint(program, &format!("{:?}", config.inputs));
    let same = (config.certify, workers, config.checkpoint.is_some(), config.resume.is_some());
    let agreed = fingerprint(program, &format!("{:?} {same:?}", config.inputs));
    let (builders, others) = config.cluster.connect(&agreed, budget, health)?;
    let job = Job {
        model,
        program: program.clone(),
        config: config.clone(),
        budget: budget.clone(),
        health: Arc::clone(health),
    };
    let ((answer, answers), (told, progress)) = (channel(), channel());
    // Timely's workers share what they run.
    let shared = Mutex::new((answer, told));
    let run = move |worker: &mut Worker| {
        let (answer, told) = shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
        work(worker, &job, told, &answer);
    };
    let guards = execute_from(builders, others, WorkerConfig::default(), run)
        .map_err(|error| Reason::Unsupported(format!("workers cannot be started: {error}")))?;
    Ok(Team { guards, answers, progress, threads: config.cluster.threads })
}

fn work(worker: &mut Worker, job: &Job, told: Sender<Progress>, answer: &Answers) {
    let run = AssertUnwindSafe(|| worker::run(worker, job, told));
    let found = catch_unwind(run).unwrap_or_else(|panic| {
        let what = panic.downcast_ref::<String>().cloned();
        let what = what.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        let reason = Reason::Crashed(format!("a worker panicked: {}", what.unwrap_or_default()));
        job.health.give_up(reason.clone());
        for dataflow in worker.installed_dataflows() {
            worker.drop_dataflow(dataflow);
        }
        Ok(Found::unknown(reason))
    });
    // Nobody may wait for it any more.
    let _ = answer.send(found);
}

impl Team {
    fn wait(self, health: &Arc<Health>, observer: &mut dyn Observer) -> Result<Found, String> {
        let mut found: Option<Found> = None;
        let mut are_well = true;
        let mut wrong = None;
        let mut left = self.threads;
        while left > 0 {
            self.progress.try_iter().last().into_iter().for_each(|progress| observer.progress(progress));
            match self.answers.recv_timeout(EVERY) {
                Ok(Ok(one)) => {
                    left -= 1;
                    are_well &= health.check().is_ok();
                    // All know the same; one that lost the others meanwhile knows less.
                    let is_better = found.as_ref().is_none_or(|found| !found.verdict.is_certified());
                    if is_better {
                        found = Some(one);
                    }
                }
                Ok(Err(text)) => {
                    left -= 1;
                    wrong = Some(text);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        health.finish();
        if are_well {
            part(self.guards);
        } else {
            // Threads may wait for a connection that is lost.
            std::mem::forget(self.guards);
        }
        let unknown = || Found::unknown(Reason::Crashed("no worker came to an end".to_owned()));
        let mut found = wrong.map_or_else(|| Ok(found.unwrap_or_else(unknown)), Err)?;
        found.stats.bytes_sent = health.sent.load(Ordering::Relaxed);
        found.stats.bytes_received = health.received.load(Ordering::Relaxed);
        Ok(found)
    }
}

/// Takes leave of the others: they must get what was sent to them last. One that does not answer is not waited for.
fn part(guards: impl Any + Send) {
    let (done, is_done) = channel::<()>();
    std::thread::spawn(move || {
        drop(guards);
        drop(done);
    });
    // Disconnected when they are gone.
    let _ = is_done.recv_timeout(FAREWELL);
}
