//! A process that checks.

use std::io::{BufRead, BufReader};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use clinch_engine::share::Known;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::counted::{Doing, Samples};
use crate::options::EngineName;
use crate::outbox::Outbox;
use crate::protocol::{Assignment, Message, Request};

/// How long others wait for the re-check of a verdict, or as long as the search took: most take no longer, and those that do may fail.
const WAIT_FOR_RECHECK: Duration = Duration::from_millis(250);
/// How long it may take to read what a process said that is gone.
const READING: Duration = Duration::from_secs(5);
/// How long an engine runs before it is another one's turn, at first.
const SLICE: Duration = Duration::from_millis(200);

/// How many times are remembered at which a worker ran.
const MOST_STINTS: usize = 200;

/// In what the system counts processor time.
const TICKS_PER_SECOND: u64 = 100;

/// What a worker does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    Running,
    /// Stopped from outside.
    Paused,
    /// For its turn.
    Waiting,
    Ended,
}

/// The child and everything it started; killed when it goes out of scope.
pub(super) struct Worker {
    child: Child,
    /// Reads what it says.
    reader: JoinHandle<()>,
    /// When the process was seen to be gone.
    exit: Option<Instant>,
    pub(super) outbox: Outbox,
    pub(super) member: Option<EngineName>,
    pub(super) state: State,
    /// When it was started, and when it ended.
    pub(super) started: Instant,
    pub(super) ended: Option<Instant>,
    /// Since when it runs, or waits.
    pub(super) since: Instant,
    /// How long it runs before it is another one's turn.
    pub(super) slice: Duration,
    /// The length of its turn, and the processor's time that it had used before.
    pub(super) turn: (Duration, Duration),
    /// Whether it was interrupted in an earlier turn, which goes on.
    pub(super) resumed: bool,
    /// The work of all its turns.
    pub(super) work: Duration,
    /// What it told in this turn.
    pub(super) told: Vec<Known>,
    /// Whether it has what the others leave.
    pub(super) stands_back: bool,
    /// Whether it runs only now and then.
    pub(super) rests: bool,
    /// Since when it has a verdict, and re-checks it; and the processor's time that it had used by then.
    pub(super) found: Option<(Instant, Duration)>,
    /// Whether its verdict holds.
    pub(super) settled: bool,
    /// Since when its process is no more.
    pub(super) gone: Option<Instant>,
    pub(super) engine: Option<String>,
    pub(super) busy: Option<String>,
    pub(super) samples: Samples,
    pub(super) panic: Option<String>,
    /// When it ran, but for the time since it runs now.
    pub(super) stints: Vec<(Instant, Instant)>,
}

impl Worker {
    pub(super) fn start(
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
        let reader = std::thread::Builder::new().name("messages".to_owned()).spawn(move || {
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
            reader,
            exit: None,
            outbox,
            member: assignment.member,
            state: State::Running,
            started: Instant::now(),
            ended: None,
            since: Instant::now(),
            slice: SLICE,
            turn: (SLICE, Duration::ZERO),
            resumed: false,
            work: Duration::ZERO,
            told: Vec::new(),
            stands_back: false,
            rests: false,
            found: None,
            settled: false,
            gone: None,
            engine: None,
            busy: None,
            samples: Samples::default(),
            panic: None,
            stints: Vec::new(),
        })
    }

    /// Whether it re-checks a verdict, and will soon be done.
    pub(super) fn is_finishing(&self) -> bool {
        let soon = || self.found.is_some_and(|(since, search)| since.elapsed() < WAIT_FOR_RECHECK.max(search));
        self.state == State::Running && (self.settled || soon())
    }

    pub(super) fn name(&self) -> String {
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

    pub(super) fn pause(&mut self) {
        self.signal(Signal::SIGSTOP);
        self.becomes(State::Paused);
    }

    pub(super) fn resume(&mut self) {
        self.signal(Signal::SIGCONT);
        self.becomes(State::Running);
    }

    /// From now on it does that.
    pub(super) fn becomes(&mut self, state: State) {
        let now = Instant::now();
        if self.state == State::Running {
            let are_many = self.stints.len() >= MOST_STINTS;
            match self.stints.last_mut().filter(|_| are_many) {
                Some(last) => last.1 = now,
                None => self.stints.push((self.since, now)),
            }
        }
        (self.state, self.since) = (state, now);
    }

    /// When it ran.
    pub(super) fn all_stints(&self) -> Vec<(Instant, Instant)> {
        let current = (self.state == State::Running).then(|| (self.since, Instant::now()));
        self.stints.iter().copied().chain(current).collect()
    }

    /// What it does, for people; nothing if it is no more.
    pub(super) fn doing(&self) -> Option<Doing> {
        match self.state {
            State::Ended => None,
            State::Paused | State::Waiting => Some(Doing::Waiting),
            State::Running if self.found.is_some() => Some(Doing::Checking),
            State::Running if self.engine.is_none() => Some(Doing::Reading),
            State::Running => Some(Doing::Searching),
        }
    }

    pub(super) fn send(&self, request: &Request) {
        if let Some(line) = request.line() {
            self.outbox.send(line);
        }
    }

    /// From now on it has what the others leave, more or less.
    pub(super) fn stand_back(&mut self, nice: i32) {
        self.stands_back = true;
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            // Where the system does not let it, it competes as before.
            let _ = rustix::process::setpriority_pgrp(Some(group), nice);
        }
    }

    /// The processor time it used, where the system tells.
    pub(super) fn processor_time(&self) -> Option<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // The name, in brackets, may hold spaces. Behind it, user and system time are the numbers 12 and 13.
        let numbers: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = numbers.get(11)?.parse::<u64>().ok()? + numbers.get(12)?.parse::<u64>().ok()?;
        Some(Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND))
    }

    pub(super) fn ask_to_stop(&mut self) {
        if let Some(line) = Request::Stop.line() {
            self.outbox.send_now(line);
        }
        if self.state == State::Paused {
            self.resume();
        }
    }

    /// Whether the process is no more, and all it said was read, which may take longer: a report may be large.
    pub(super) fn is_gone(&mut self) -> bool {
        if matches!(self.child.try_wait(), Ok(None)) {
            return false;
        }
        let exit = *self.exit.get_or_insert_with(Instant::now);
        self.reader.is_finished() || exit.elapsed() > READING
    }

    /// What a crash looks like from outside.
    pub(super) fn cause(&mut self) -> String {
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

    pub(super) fn end(&mut self) {
        self.ended.get_or_insert_with(Instant::now);
        self.signal(Signal::SIGKILL);
        let _ = self.child.wait();
        self.becomes(State::Ended);
    }

    /// Memory it holds, where the system tells.
    pub(super) fn resident_bytes(&self) -> Option<u64> {
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
