//! Starts processes that check, watches them and their limits, and reports.
//!
//! An engine runs in a process of its own: a crash, an exception or a query of the solver that does not end cost that engine,
//! never the answer. By default all engines that may help run at a time, and the operating system shares the cores between
//! them; those that would have answered by now if they could stand back. Where fewer are allowed, they take turns that grow (`turns`).
//! The first verdict that was re-checked is the answer.

mod turns;
mod worker;

use std::collections::{HashMap, VecDeque};
use std::num::NonZero;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use clinch_engine::Budget;
use clinch_ir::Reason;
use clinch_ir::cfa::Checks;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::counted::{AtWork, Onlooker, Sample};
use crate::given::Given;
use crate::options::{EngineName, Options};
use crate::protocol::{Assignment, Message, Prospects, Request};
use crate::report::{GivenUp, Ran, Report, Verdict};
use crate::rounds::{self, Played, Round};
use crate::sites::Site;
use crate::store::Store;
use crate::task::{Error, Task};
use worker::{State, Worker};

/// How often the limits are looked at.
const EVERY: Duration = Duration::from_millis(20);
/// How long a worker may take to end by itself at a limit.
const GRACE: Duration = Duration::from_millis(600);
/// How often an onlooker sees who is at work.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long after an engine the next one starts: most questions are easy.
const STAGGER: Duration = Duration::from_millis(30);

/// Makes the command that starts a process for an assignment.
pub type Launch<'l> = dyn Fn(&Assignment) -> std::io::Result<Command> + 'l;

/// Checks in processes of their own. `launch` makes the command that starts a process which calls [`crate::worker::run`] with
/// the same task and options; the check ends early when `stop` is raised. `onlooker` is told how it goes on.
pub fn run(
    task: &Task,
    options: &Options,
    stop: Arc<AtomicBool>,
    launch: &Launch<'_>,
    onlooker: &mut dyn Onlooker,
) -> Result<Report, Error> {
    let play = |round: &Round| play(task, options, round, Arc::clone(&stop), (launch, onlooker));
    rounds::verdicts(task.checks(), options.limits.timeout, || stop.load(Ordering::Relaxed), play)
}

/// One round.
fn play(
    task: &Task,
    options: &Options,
    round: &Round,
    stop: Arc<AtomicBool>,
    (launch, onlooker): (&Launch<'_>, &mut dyn Onlooker),
) -> Result<Played, Error> {
    let alone = options.engine != EngineName::Auto || Given::new(&task.reading, options).is_for_some_engine();
    let first = if alone { None } else { Some(first_engine(task)) };
    let (sender, messages) = channel();
    let mut run = Check {
        launch,
        onlooker,
        looked: None,
        memory: options.limits.memory.unwrap_or(u64::MAX),
        budget: Budget::unlimited().with_elapsed(round.elapsed).with_timeout(round.until).with_stop(stop),
        round,
        threads: options.threads.filter(|&threads| !alone && threads > 0).unwrap_or(usize::MAX),
        sender,
        messages,
        workers: Vec::new(),
        waiting: VecDeque::from([first]),
        prospects: HashMap::new(),
        one_run: false,
        asked_for_others: alone,
        last_start: None,
        store: Store::default(),
        sites: Vec::new(),
        given_up: Vec::new(),
        internal_errors: Vec::new(),
        over: None,
        scratch: tempfile::Builder::new().prefix("clinch-").tempdir().ok(),
    };
    let report = run.answer().unwrap_or_else(|| Ok(run.give_up()))?;
    Ok(Played { report, sites: std::mem::take(&mut run.sites) })
}

/// The engine that reads the input first, and says which others may help.
pub(crate) fn first_engine(task: &Task) -> EngineName {
    match task.kinds().first() {
        Some(kind) if kind.may_be_clauses() => EngineName::Cegar,
        _ => EngineName::Explicit,
    }
}

/// One check.
struct Check<'a> {
    launch: &'a Launch<'a>,
    onlooker: &'a mut dyn Onlooker,
    /// When the onlooker looked last.
    looked: Option<Instant>,
    memory: u64,
    budget: Budget,
    round: &'a Round,
    /// How many engines run at a time, at most.
    threads: usize,
    sender: Sender<(usize, Message)>,
    messages: Receiver<(usize, Message)>,
    workers: Vec<Worker>,
    /// Engines that have not started; none stands for the one that the options name.
    waiting: VecDeque<Option<EngineName>>,
    prospects: HashMap<EngineName, Prospects>,
    /// Whether the program has but one run.
    one_run: bool,
    /// Whether it is known which engines may help.
    asked_for_others: bool,
    last_start: Option<Instant>,
    /// What the workers told each other.
    store: Store,
    /// The single checks of the program.
    sites: Vec<Site>,
    given_up: Vec<GivenUp>,
    internal_errors: Vec<String>,
    /// The limit that is reached, and when.
    over: Option<(Instant, Reason)>,
    /// Where workers, and compilers that they start, put their files: those of a worker that is killed go with it. Workers are gone
    /// before it is.
    scratch: Option<TempDir>,
}

impl Check<'_> {
    /// Attends to the workers until one has an answer; nothing if none has.
    fn answer(&mut self) -> Option<Result<Report, Error>> {
        loop {
            if self.threads == 1 {
                self.give_turns();
            } else {
                self.start_some();
                self.share_cores();
            }
            if let Ok((number, message)) = self.messages.recv_timeout(EVERY)
                && let Some(report) = self.hear(number, message)
            {
                return Some(report);
            }
            while let Ok((number, message)) = self.messages.try_recv() {
                if let Some(report) = self.hear(number, message) {
                    return Some(report);
                }
            }
            if self.threads > 1 {
                self.pass_on();
                self.let_others_pass();
            }
            self.bury();
            self.show();
            self.check_limits();
            let nobody = self.waiting.is_empty() && self.workers.iter().all(|worker| worker.state == State::Ended);
            let too_late = self.over.as_ref().is_some_and(|(since, _)| since.elapsed() > GRACE);
            if nobody || too_late {
                return None;
            }
        }
    }

    /// Starts the next engine, if it may.
    fn start_some(&mut self) {
        let busy = self.workers.iter().any(Worker::is_finishing);
        let soon = self.last_start.is_some_and(|last| last.elapsed() < STAGGER);
        let running = self.workers.iter().filter(|worker| worker.state == State::Running).count();
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let others_first = running >= cores && self.next_waits();
        if self.over.is_some() || busy || soon || running >= self.threads || others_first {
            return;
        }
        self.start_next();
    }

    /// Whether the next engine is not to start yet.
    fn next_waits(&self) -> bool {
        let next = self.waiting.front().copied().flatten().and_then(|engine| self.prospects.get(&engine));
        let in_this_round = self.budget.elapsed().saturating_sub(self.round.elapsed);
        next.is_some_and(|prospects| in_this_round < Duration::from_millis(prospects.waits_ms))
    }

    /// Starts the next engine, if there is one.
    fn start_next(&mut self) -> Option<&mut Worker> {
        let member = self.waiting.pop_front()?;
        let elapsed_ms = self.budget.elapsed().as_millis() as u64;
        let assignment = Assignment {
            elapsed_ms,
            member,
            takes_turns: self.threads == 1,
            until_ms: self.budget.timeout().map(|until| until.as_millis() as u64),
            checks: self.round.checks.map(Checks::groups),
            left_out: self.round.left_out.clone(),
            entry: None,
            segment: None,
            prepared: None,
        };
        self.last_start = Some(Instant::now());
        match self.launch(&assignment) {
            Ok(worker) => {
                self.workers.push(worker);
                self.workers.last_mut()
            }
            Err(error) => {
                let reason = Reason::Crashed(format!("it could not be started: {error}"));
                self.note(member.unwrap_or(EngineName::Auto).name(), &reason);
                None
            }
        }
    }

    fn launch(&self, assignment: &Assignment) -> std::io::Result<Worker> {
        let mut command = (self.launch)(assignment)?;
        if let Some(scratch) = &self.scratch {
            command.env("TMPDIR", scratch.path());
        }
        Worker::start(command, self.workers.len(), assignment, self.sender.clone())
    }

    /// Engines that would have answered by now if they could stand back.
    fn let_others_pass(&mut self) {
        for worker in self.workers.iter_mut().filter(|worker| !worker.stands_back && worker.state == State::Running) {
            let prospects = worker.member.and_then(|member| self.prospects.get(&member));
            if let Some(patience) = prospects.and_then(|prospects| prospects.patience)
                && worker.processor_time().is_some_and(|used| used > Duration::from_millis(patience.ms))
            {
                worker.stand_back(patience.nice);
                worker.rests = prospects.is_some_and(|prospects| prospects.rests);
            }
        }
        self.let_rest();
    }

    /// Passes on what workers told. One that does not read gets the rest when it does.
    fn pass_on(&mut self) {
        for (number, worker) in self.workers.iter().enumerate() {
            if worker.state == State::Running && worker.outbox.is_idle() {
                self.store.hand_to(number).into_iter().for_each(|fact| worker.send(&Request::Fact(fact)));
            }
        }
    }

    /// What a worker says.
    fn hear(&mut self, number: usize, message: Message) -> Option<Result<Report, Error>> {
        match message {
            Message::Engine(name) => self.workers[number].is_prepared(name),
            Message::Helpful { sites, .. } if self.asked_for_others => self.know_sites(sites),
            Message::Helpful { engines, one_run, sites } => {
                self.know_sites(sites);
                self.asked_for_others = true;
                self.one_run = one_run;
                let member = self.workers[number].member;
                self.prospects = engines.iter().copied().collect();
                self.waiting.extend(engines.into_iter().map(|e| Some(e.0)).filter(|engine| *engine != member));
            }
            Message::Busy(what) => self.workers[number].busy = Some(what),
            Message::Progress(counted) => {
                let (at, worker) = (self.budget.elapsed(), &mut self.workers[number]);
                worker.samples.push(Sample { at, counted });
                let name = worker.name();
                self.onlooker.hear(at, &name, counted);
            }
            Message::Found => self.workers[number].has_found(),
            Message::Settled => self.workers[number].settled = true,
            Message::Rejected => self.workers[number].is_rejected(),
            Message::GaveUp(given_up, internal_errors) => {
                self.tell_of_turn(number);
                self.workers[number].end();
                self.given_up.push(given_up);
                self.internal_errors.extend(internal_errors);
            }
            Message::TurnOver(milliseconds) => self.turn_over(number, Duration::from_millis(milliseconds)),
            Message::Fact(what) if self.threads == 1 => self.workers[number].told.push(what),
            Message::Fact(what) => self.store.tell(number, &self.workers[number].name(), what),
            Message::Panicked(what) => self.workers[number].panic = Some(what),
            Message::BadInput(text) => return Some(Err(Error::Input(text))),
            Message::BadUsage(text) => return Some(Err(Error::Usage(text))),
            Message::Report(report) if report.is_contradicted_by(&self.given_up) => {
                self.workers[number].end();
                self.given_up.push(GivenUp::contradicted(self.workers[number].name()));
            }
            Message::Report(report) => return Some(Ok(self.completed(*report))),
        }
        None
    }

    /// Where there are several checks, some time is kept for rounds about some of them.
    fn know_sites(&mut self, sites: Vec<Site>) {
        if self.sites.is_empty() && sites.len() > 1 && self.round.until_if_several.is_some() {
            self.budget = self.budget.clone().with_timeout(self.round.until_if_several);
        }
        self.sites = sites;
    }

    /// The report of an engine, with what became of the others.
    fn completed(&mut self, mut report: Report) -> Report {
        report.given_up = std::mem::take(&mut self.given_up);
        report.internal_errors.append(&mut self.internal_errors);
        report.timeline = self.workers.iter().map(|worker| self.ran(worker)).collect();
        report
    }

    /// When an engine ran, from the start of the check.
    fn ran(&self, worker: &Worker) -> Ran {
        let now = self.budget.elapsed();
        let time = |of: Instant| now.saturating_sub(of.elapsed());
        Ran {
            engine: worker.name(),
            from: time(worker.started),
            to: worker.ended.map_or(now, time),
            stints: worker.all_stints().into_iter().map(|(from, to)| (time(from), time(to))).collect(),
            found: worker.found.filter(|_| worker.settled).map(|(since, _)| time(since)),
            samples: worker.samples.list(),
        }
    }

    /// Lets the onlooker see who is at work.
    fn show(&mut self) {
        if self.looked.is_some_and(|last| last.elapsed() < LOOK_EVERY) {
            return;
        }
        self.looked = Some(Instant::now());
        let at_work = self.workers.iter().filter_map(|worker| {
            let counted = worker.samples.last().unwrap_or_default();
            Some(AtWork { engine: worker.name(), doing: worker.doing()?, counted })
        });
        self.onlooker.look(self.budget.elapsed(), &at_work.collect::<Vec<_>>());
    }

    /// Workers that ended without a word.
    fn bury(&mut self) {
        for number in 0..self.workers.len() {
            let worker = &mut self.workers[number];
            if worker.state == State::Ended || !worker.is_gone() {
                continue;
            }
            // What it said last may still be on its way.
            if worker.gone.get_or_insert_with(Instant::now).elapsed() < EVERY * 2 {
                continue;
            }
            let (name, how) = (worker.name(), worker.cause());
            worker.end();
            self.note(&name, &Reason::Crashed(how));
        }
    }

    fn note(&mut self, engine: &str, reason: &Reason) {
        self.given_up.push(GivenUp::new(engine, reason));
    }

    fn check_limits(&mut self) {
        if self.over.is_some() {
            return;
        }
        if let Err(reason) = self.budget.check() {
            for worker in &mut self.workers {
                // Those at work look at the time themselves.
                if reason == Reason::Interrupted || matches!(worker.state, State::Paused | State::Waiting) {
                    worker.ask_to_stop();
                }
            }
            self.over = Some((Instant::now(), reason));
            return;
        }
        let used = |worker: &Worker| worker.resident_bytes().unwrap_or(0);
        if self.workers.iter().map(used).sum::<u64>() <= self.memory {
            return;
        }
        let running = self.workers.iter().filter(|worker| worker.state != State::Ended).count();
        let reason = Reason::Memory(self.memory >> 20);
        if running == 1 && self.waiting.is_empty() {
            self.over = Some((Instant::now(), reason));
        } else if let Some(largest) = self.workers.iter_mut().max_by_key(|worker| used(worker)) {
            let name = largest.name();
            largest.end();
            self.note(&name, &reason);
        }
    }

    /// There is no verdict.
    fn give_up(&mut self) -> Report {
        let at_work = self.workers.iter().filter(|worker| worker.member.is_none() || worker.state != State::Ended);
        let busy = at_work.filter_map(|worker| worker.busy.clone()).next_back();
        let engine = match &self.workers[..] {
            [only] => only.engine.clone().unwrap_or_else(|| "none".to_owned()),
            _ => EngineName::Auto.name().to_owned(),
        };
        let limit = self.over.as_ref().map(|(_, limit)| limit);
        let verdict = Verdict::of_none(&self.given_up, limit, busy);
        let mut report = Report::unknown(&engine, verdict, self.budget.elapsed(), self.statistics());
        report.notes.extend(self.excluded());
        self.completed(report)
    }

    /// What was excluded, if that was about all checks.
    fn excluded(&self) -> Option<String> {
        let about_all = self.round.checks.is_none() && self.round.left_out.is_empty();
        let most = self.store.no_error_within().filter(|&most| most > 0 && about_all)?;
        Some(format!(
            "no error in runs that repeat each loop and each recursive call at most {most} times (not re-checked)"
        ))
    }

    /// What is known of runs that did not end by themselves.
    fn statistics(&self) -> Value {
        match &self.workers[..] {
            [] => json!({}),
            [only] => only.samples.last().unwrap_or_default().statistics(),
            several => {
                let known = several.iter().filter_map(|w| Some((w.name(), w.samples.last()?.statistics())));
                json!({ "engines": known.collect::<serde_json::Map<_, _>>() })
            }
        }
    }
}
