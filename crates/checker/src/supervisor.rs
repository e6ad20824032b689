//! Starts processes that check, watches them and their limits, and reports.
//!
//! An engine runs in a process of its own: a crash, an exception or a query of the solver that does not end cost that engine,
//! never the answer. By default all engines that may help run at a time, and the operating system shares the cores between
//! them; those that would have answered by now if they could stand back. Where fewer are allowed, they take turns in slices that
//! grow. The first verdict that was re-checked is the answer.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use clinch_engine::Budget;
use clinch_ir::Reason;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::options::{EngineName, Given, Options};
use crate::outbox::Outbox;
use crate::protocol::{Assignment, Message, Request};
use crate::report::{GivenUp, Report, Telling, Verdict};
use crate::store::Store;
use crate::task::{Error, Task};

/// How often the limits are looked at.
const EVERY: Duration = Duration::from_millis(20);
/// How long a worker may take to end by itself at a limit.
const GRACE: Duration = Duration::from_millis(600);
/// How long after an engine the next one starts: most questions are easy.
const STAGGER: Duration = Duration::from_millis(30);
/// How long others wait for the re-check of a verdict: most take no longer, and those that do may fail.
const WAIT_FOR_RECHECK: Duration = Duration::from_secs(1);
/// How much an engine that is past its best time stands back (as `nice` counts: it gets a tenth of a share).
const STAND_BACK: i32 = 10;
/// How long an engine runs before it is another one's turn, at first.
const SLICE: Duration = Duration::from_millis(200);

/// In what the system counts processor time.
const TICKS_PER_SECOND: u64 = 100;

/// Checks in processes of their own. `launch` makes the command that starts a process which calls [`crate::worker::run`] with
/// the same task and options; the check ends early when `stop` is raised.
pub fn run(
    task: &Task,
    options: &Options,
    stop: Arc<AtomicBool>,
    launch: &dyn Fn(&Assignment) -> std::io::Result<Command>,
) -> Result<Report, Error> {
    let alone = options.engine != EngineName::Auto || Given::new(&task.reading, options).is_for_some_engine();
    let first = if alone { None } else { Some(first_engine(task)) };
    let (sender, messages) = channel();
    let mut run = Run {
        launch,
        memory: options.limits.memory.unwrap_or(u64::MAX),
        budget: Budget::unlimited().with_timeout(options.limits.timeout).with_stop(stop),
        threads: options.threads.filter(|_| !alone).unwrap_or(usize::MAX).max(1),
        sender,
        messages,
        workers: Vec::new(),
        waiting: VecDeque::from([first]),
        patience: HashMap::new(),
        asked_for_others: alone,
        last_start: None,
        store: Store::default(),
        given_up: Vec::new(),
        internal_errors: Vec::new(),
        over: None,
        scratch: tempfile::Builder::new().prefix("clinch-").tempdir().ok(),
    };
    run.answer().unwrap_or_else(|| Ok(run.give_up()))
}

/// The engine that reads the input first, and says which others may help.
pub(crate) fn first_engine(task: &Task) -> EngineName {
    match task.kinds().first() {
        Some(kind) if kind.may_be_clauses() => EngineName::Cegar,
        _ => EngineName::Explicit,
    }
}

/// One check.
struct Run<'a> {
    launch: &'a dyn Fn(&Assignment) -> std::io::Result<Command>,
    memory: u64,
    budget: Budget,
    /// How many engines run at a time, at most.
    threads: usize,
    sender: Sender<(usize, Message)>,
    messages: Receiver<(usize, Message)>,
    workers: Vec<Worker>,
    /// Engines that have not started; none stands for the one that the options name.
    waiting: VecDeque<Option<EngineName>>,
    /// The milliseconds of processor time in which engines mostly answer, if they do.
    patience: HashMap<EngineName, u64>,
    /// Whether it is known which engines may help.
    asked_for_others: bool,
    last_start: Option<Instant>,
    /// What the workers told each other.
    store: Store,
    given_up: Vec<GivenUp>,
    internal_errors: Vec<String>,
    /// The limit that is reached, and when.
    over: Option<(Instant, Reason)>,
    /// Where workers, and compilers that they start, put their files: those of a worker that is killed go with it. Workers are gone
    /// before it is.
    scratch: Option<TempDir>,
}

impl Run<'_> {
    /// Attends to the workers until one has an answer; nothing if none has.
    fn answer(&mut self) -> Option<Result<Report, Error>> {
        loop {
            self.start_some();
            self.take_turns();
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
            self.pass_on();
            self.let_others_pass();
            self.bury();
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
        if self.over.is_some() || busy || soon || running >= self.threads {
            return;
        }
        let Some(member) = self.waiting.pop_front() else { return };
        let assignment = Assignment { elapsed_ms: self.budget.elapsed().as_millis() as u64, member };
        self.last_start = Some(Instant::now());
        match self.launch(&assignment) {
            Ok(worker) => self.workers.push(worker),
            Err(error) => {
                let reason = Reason::Crashed(format!("it could not be started: {error}"));
                self.note(member.unwrap_or(EngineName::Auto).name(), &reason);
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
            let patience = worker.member.and_then(|member| self.patience.get(&member));
            if let Some(&patience) = patience
                && worker.processor_time().is_some_and(|used| used > Duration::from_millis(patience))
            {
                worker.stand_back();
            }
        }
    }

    /// Where not all may run, those whose slice is over wait for the others; while a verdict is re-checked, all do for a while.
    fn take_turns(&mut self) {
        if self.workers.iter().any(Worker::is_finishing) {
            let others = self.workers.iter_mut().filter(|w| w.found.is_none() && w.state == State::Running);
            return others.for_each(Worker::pause);
        }
        let is_paused = |worker: &Worker| worker.state == State::Paused;
        let others_wait = !self.waiting.is_empty() || self.workers.iter().any(is_paused);
        let tired = self.workers.iter().position(|worker| {
            worker.state == State::Running && !worker.is_finishing() && worker.since.elapsed() > worker.slice
        });
        if let Some(tired) = tired.filter(|_| others_wait && self.asked_for_others && self.over.is_none()) {
            let running = self.workers.iter().filter(|worker| worker.state == State::Running).count();
            if running >= self.threads {
                self.workers[tired].slice *= 2;
                self.workers[tired].pause();
            }
        }
        let running = self.workers.iter().filter(|worker| worker.state == State::Running).count();
        if running < self.threads && self.waiting.is_empty() {
            let rested = self.workers.iter_mut().filter(|worker| worker.state == State::Paused);
            if let Some(worker) = rested.min_by_key(|worker| worker.since) {
                worker.resume();
            }
        }
    }

    /// Passes on what workers told. One that does not read gets the rest when it does.
    fn pass_on(&mut self) {
        for (number, worker) in self.workers.iter().enumerate() {
            if worker.state == State::Running && worker.outbox.is_idle() {
                for fact in self.store.hand_to(number) {
                    Request::Fact(fact).line().map(|line| worker.outbox.send(line));
                }
            }
        }
    }

    /// What a worker says.
    fn hear(&mut self, number: usize, message: Message) -> Option<Result<Report, Error>> {
        match message {
            Message::Engine(name) => self.workers[number].engine = Some(name),
            Message::Helpful(engines) if !self.asked_for_others => {
                self.asked_for_others = true;
                let member = self.workers[number].member;
                self.patience = engines.iter().filter_map(|&(engine, ms)| Some((engine, ms?))).collect();
                self.waiting.extend(engines.into_iter().map(|e| Some(e.0)).filter(|engine| *engine != member));
            }
            Message::Helpful(_) => {}
            Message::Busy(what) => self.workers[number].busy = Some(what),
            Message::Progress(numbers) => self.workers[number].progress = numbers,
            Message::Found => self.workers[number].found = Some(Instant::now()),
            Message::Rejected => {
                self.workers[number].found = None;
                self.workers[number].busy = None;
            }
            Message::GaveUp(given_up, internal_errors) => {
                self.workers[number].end();
                self.given_up.push(given_up);
                self.internal_errors.extend(internal_errors);
            }
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

    /// The report of an engine, with what became of the others.
    fn completed(&mut self, mut report: Report) -> Report {
        report.given_up = std::mem::take(&mut self.given_up);
        report.internal_errors.append(&mut self.internal_errors);
        report
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
        let telling = Telling::of(reason);
        self.given_up.push(GivenUp { engine: engine.to_owned(), reason: reason.to_string(), telling });
    }

    fn check_limits(&mut self) {
        if self.over.is_some() {
            return;
        }
        if let Err(reason) = self.budget.check() {
            for worker in &mut self.workers {
                // They look at the time themselves.
                if reason == Reason::Interrupted || worker.state == State::Paused {
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
        let best = self.given_up.iter().rev().max_by_key(|g| g.telling);
        let at_work = self.workers.iter().filter(|worker| worker.member.is_none() || worker.state != State::Ended);
        let busy = at_work.filter_map(|worker| worker.busy.clone()).next_back();
        let (reason, telling) = match (&self.over, best) {
            (Some((_, limit)), Some(best)) if best.telling < Telling::Unsupported || *limit == Reason::Interrupted => {
                (at_limit(limit, busy), Telling::Limit)
            }
            (Some((_, limit)), None) => (at_limit(limit, busy), Telling::Limit),
            (_, Some(best)) => (best.reason.clone(), best.telling),
            (None, None) => (Reason::NoProgress.to_string(), Telling::Limit),
        };
        let engine = match &self.workers[..] {
            [only] => only.engine.clone().unwrap_or_else(|| "none".to_owned()),
            _ => EngineName::Auto.name().to_owned(),
        };
        let verdict = Verdict::Unknown { reason, telling, proof: None };
        let report = Report::unknown(&engine, verdict, self.budget.elapsed(), self.statistics());
        self.completed(report)
    }

    /// What is known of runs that did not end by themselves.
    fn statistics(&self) -> Value {
        match &self.workers[..] {
            [only] if !only.progress.is_null() => only.progress.clone(),
            [] | [_] => json!({}),
            several => {
                let known = several.iter().filter(|worker| !worker.progress.is_null());
                json!({ "engines": known.map(|w| (w.name(), w.progress.clone())).collect::<serde_json::Map<_, _>>() })
            }
        }
    }
}

/// A limit, with what kept an engine busy.
fn at_limit(limit: &Reason, busy: Option<String>) -> String {
    match busy {
        Some(what) => Reason::Busy(Box::new(limit.clone()), what).to_string(),
        None => limit.to_string(),
    }
}

/// What a worker does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Running,
    Paused,
    Ended,
}

/// The child and everything it started; killed when it goes out of scope.
struct Worker {
    child: Child,
    outbox: Outbox,
    member: Option<EngineName>,
    state: State,
    /// Since when it runs, or waits.
    since: Instant,
    /// How long it runs before it is another one's turn.
    slice: Duration,
    /// Whether it has what the others leave.
    stands_back: bool,
    /// Since when it has a verdict, and re-checks it.
    found: Option<Instant>,
    /// Since when its process is no more.
    gone: Option<Instant>,
    engine: Option<String>,
    busy: Option<String>,
    progress: Value,
    panic: Option<String>,
}

impl Worker {
    fn start(
        mut command: Command,
        number: usize,
        assignment: &Assignment,
        sender: Sender<(usize, Message)>,
    ) -> std::io::Result<Worker> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Ctrl-C on a terminal reaches the supervisor alone, and compilers that the child started end with it.
            .process_group(0)
            .spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let outbox = Outbox::new(input.expect("it is piped"))?;
        let mut lines = BufReader::new(output.expect("it is piped")).lines();
        std::thread::Builder::new().name("messages".to_owned()).spawn(move || {
            while let Some(Ok(line)) = lines.next() {
                // The last words of a child that dies may be half a line.
                let Ok(message) = serde_json::from_str(&line) else { continue };
                if sender.send((number, message)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Worker {
            child,
            outbox,
            member: assignment.member,
            state: State::Running,
            since: Instant::now(),
            slice: SLICE,
            stands_back: false,
            found: None,
            gone: None,
            engine: None,
            busy: None,
            progress: Value::Null,
            panic: None,
        })
    }

    /// Whether it re-checks a verdict, and will soon be done.
    fn is_finishing(&self) -> bool {
        self.state == State::Running && self.found.is_some_and(|since| since.elapsed() < WAIT_FOR_RECHECK)
    }

    fn name(&self) -> String {
        match (self.member, &self.engine) {
            (Some(member), _) => member.name().to_owned(),
            (None, Some(engine)) => engine.clone(),
            (None, None) => "none".to_owned(),
        }
    }

    fn signal(&self, signal: Signal) {
        if let Ok(group) = i32::try_from(self.child.id()) {
            // One that is gone needs no signal.
            let _ = killpg(Pid::from_raw(group), signal);
        }
    }

    fn pause(&mut self) {
        self.signal(Signal::SIGSTOP);
        (self.state, self.since) = (State::Paused, Instant::now());
    }

    fn resume(&mut self) {
        self.signal(Signal::SIGCONT);
        (self.state, self.since) = (State::Running, Instant::now());
    }

    fn stand_back(&mut self) {
        self.stands_back = true;
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            // Where the system does not let it, it competes as before.
            let _ = rustix::process::setpriority_pgrp(Some(group), STAND_BACK);
        }
    }

    /// The processor time it used, where the system tells.
    fn processor_time(&self) -> Option<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // The name, in brackets, may hold spaces. Behind it, user and system time are the numbers 12 and 13.
        let numbers: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = numbers.get(11)?.parse::<u64>().ok()? + numbers.get(12)?.parse::<u64>().ok()?;
        Some(Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND))
    }

    fn ask_to_stop(&mut self) {
        if let Some(line) = Request::Stop.line() {
            self.outbox.send_now(line);
        }
        if self.state == State::Paused {
            self.resume();
        }
    }

    /// Whether the process is no more.
    fn is_gone(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// What a crash looks like from outside.
    fn cause(&mut self) -> String {
        let status: Option<ExitStatus> = self.child.try_wait().ok().flatten();
        match (self.panic.take(), status) {
            (Some(panic), _) => panic,
            (None, Some(status)) => match (status.signal(), status.code()) {
                (Some(signal), _) => format!("signal {signal}"),
                (None, code) => format!("exit code {}", code.unwrap_or_default()),
            },
            (None, None) => "it does not answer".to_owned(),
        }
    }

    fn end(&mut self) {
        self.signal(Signal::SIGKILL);
        let _ = self.child.wait();
        self.state = State::Ended;
    }

    /// Memory it holds, where the system tells.
    fn resident_bytes(&self) -> Option<u64> {
        if self.state == State::Ended { None } else { clinch_engine::resident_bytes(&self.child.id().to_string()) }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if self.state != State::Ended {
            self.end();
        }
    }
}
