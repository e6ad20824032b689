//! `clinch check` as users see it: a process that always answers.
//!
//! The work is done by a child, the same program started again ([`crate::worker`]). A crash of the solver, a stack that
//! overflows, memory that runs away or a query that does not come back end the child only: from here it is asked to stop
//! at an interrupt, killed where it does not react to a limit, and what is known by then is reported. In a portfolio the
//! engine that crashed is left out, and another child goes on with the next one.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use clinch_engine::Budget;
use clinch_ir::Reason;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde_json::Value;

use crate::cli::{CheckArgs, Format};
use crate::protocol::{Assignment, GivenUp, Message, Resume};
use crate::{exit, report};

/// How often the limits are looked at.
const EVERY: Duration = Duration::from_millis(20);
/// How long a worker may take to end by itself at a limit.
const GRACE: Duration = Duration::from_millis(600);
/// Below this a new worker would not get anywhere.
const WORTH_A_START: Duration = Duration::from_millis(50);

/// Checks in a process of its own.
pub(crate) fn run(args: &CheckArgs) -> u8 {
    let stop = on_interrupt();
    let budget = Budget::unlimited().with_timeout(Some(args.limits.timeout)).with_stop(stop);
    let mut run = Run { format: args.output(), memory: args.limits.memory, budget, known: Known::default() };
    loop {
        let ended = match Worker::start(&run.assignment()) {
            Ok(worker) => run.attend(worker),
            Err(error) => Ended::Crashed(format!("it could not be started: {error}")),
        };
        match ended {
            Ended::Reported(output, code) => {
                output.iter().for_each(|text| report::line(text));
                return code;
            }
            Ended::Stopped(reason) => return run.give_up(reason),
            Ended::Crashed(how) => {
                if let Err(reason) = run.budget.check() {
                    return run.give_up(reason);
                }
                if !run.go_on_without(&how) {
                    return run.give_up(Reason::Crashed(how));
                }
            }
        }
    }
}

/// The flag that Ctrl-C raises.
fn on_interrupt() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    let handler = move || {
        if raised.swap(true, Ordering::Relaxed) {
            #[allow(clippy::exit, reason = "the second Ctrl-C must end the process")]
            std::process::exit(130);
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        report::error(&format!("warning: Ctrl-C ends clinch without a report: {error}"));
    }
    stop
}

/// How the work of a child ended.
enum Ended {
    /// With an outcome: what to print, and the exit code.
    Reported(Option<String>, u8),
    /// At a limit.
    Stopped(Reason),
    /// Otherwise.
    Crashed(String),
}

/// One check, perhaps by several workers one after the other.
struct Run {
    format: Format,
    memory: u64,
    budget: Budget,
    known: Known,
}

/// What workers said so far.
#[derive(Default)]
struct Known {
    engine: Option<String>,
    busy: Option<String>,
    progress: Value,
    turn: Option<(usize, String)>,
    given_up: Vec<GivenUp>,
    panic: Option<String>,
}

impl Run {
    fn assignment(&self) -> Assignment {
        let turn = self.known.turn.as_ref().map_or(0, |(number, _)| number + 1);
        Assignment {
            elapsed_ms: self.budget.elapsed().as_millis() as u64,
            resume: Resume { turn, given_up: self.known.given_up.clone() },
        }
    }

    /// Watches a worker until it ends.
    fn attend(&mut self, mut worker: Worker) -> Ended {
        let mut over: Option<(Instant, Reason)> = None;
        loop {
            match worker.messages.recv_timeout(EVERY) {
                Ok(Message::Report { output, code }) => return Ended::Reported(output, code),
                Ok(message) => self.known.note(message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ended::Crashed(self.cause(worker.end())),
            }
            if over.is_none()
                && let Err(reason) = self.check_limits(&worker)
            {
                // The worker looks at its limits itself.
                if reason == Reason::Interrupted {
                    worker.ask_to_stop();
                }
                over = Some((Instant::now(), reason));
            }
            if let Some((_, reason)) = over.take_if(|(since, _)| since.elapsed() > GRACE) {
                return Ended::Stopped(reason);
            }
        }
    }

    fn check_limits(&self, worker: &Worker) -> Result<(), Reason> {
        self.budget.check()?;
        match worker.resident_bytes() {
            Some(used) if used > self.memory => Err(Reason::Memory(self.memory >> 20)),
            _ => Ok(()),
        }
    }

    /// What a crash looks like from outside.
    fn cause(&mut self, status: Option<ExitStatus>) -> String {
        match (self.known.panic.take(), status) {
            (Some(panic), _) => panic,
            (None, Some(status)) => match (status.signal(), status.code()) {
                (Some(signal), _) => format!("signal {signal}"),
                (None, code) => format!("exit code {}", code.unwrap_or_default()),
            },
            (None, None) => "it does not answer".to_owned(),
        }
    }

    /// Leaves out the engine whose turn it was; false where nobody is left to go on, or no time.
    fn go_on_without(&mut self, how: &str) -> bool {
        let Some((_, engine)) = &self.known.turn else { return false };
        self.known
            .given_up
            .push(GivenUp { engine: engine.clone(), reason: Reason::Crashed(how.to_owned()).to_string() });
        self.known.busy = None;
        self.budget.remaining().is_none_or(|left| left > WORTH_A_START)
    }

    /// Reports that there is no verdict.
    fn give_up(&mut self, reason: Reason) -> u8 {
        let known = std::mem::take(&mut self.known);
        let reason = match known.busy {
            Some(what) => Reason::Busy(Box::new(reason), what),
            None => reason,
        };
        let mut stats = known.progress;
        if stats.is_null() {
            stats = serde_json::json!({});
        }
        if !known.given_up.is_empty() {
            stats["engines_before"] = serde_json::to_value(&known.given_up).unwrap_or_default();
        }
        let engine = known.engine.as_deref().unwrap_or("none");
        report::line(&report::unknown(self.format, engine, &reason, self.budget.elapsed(), &stats));
        exit::UNKNOWN
    }
}

impl Known {
    fn note(&mut self, message: Message) {
        match message {
            Message::Engine(name) => self.engine = Some(name),
            Message::Busy(what) => self.busy = Some(what),
            Message::Progress(numbers) => self.progress = numbers,
            Message::Turn { number, engine } => self.turn = Some((number, engine)),
            Message::GaveUp(engine) => self.given_up.push(engine),
            Message::Panicked(what) => self.panic = Some(what),
            Message::Report { .. } => unreachable!("the end of the run"),
        }
    }
}

/// The child and everything it started; killed when it goes out of scope.
struct Worker {
    child: Child,
    control: Option<ChildStdin>,
    messages: Receiver<Message>,
}

impl Worker {
    fn start(assignment: &Assignment) -> std::io::Result<Worker> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("--worker")
            .arg(serde_json::to_string(assignment)?)
            .args(std::env::args_os().skip(1))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Ctrl-C on a terminal reaches the supervisor alone, and compilers that the child started end with it.
            .process_group(0)
            .spawn()?;
        let (control, output) = (child.stdin.take(), child.stdout.take());
        let (sender, messages) = channel();
        let mut lines = BufReader::new(output.expect("it is piped")).lines();
        std::thread::Builder::new().name("messages".to_owned()).spawn(move || {
            while let Some(Ok(line)) = lines.next() {
                // The last words of a child that dies may be half a line.
                let Ok(message) = serde_json::from_str(&line) else { continue };
                if sender.send(message).is_err() {
                    return;
                }
            }
        })?;
        Ok(Worker { child, control, messages })
    }

    fn ask_to_stop(&mut self) {
        if let Some(control) = &mut self.control {
            let _ = control.write_all(b"stop\n").and_then(|()| control.flush());
        }
    }

    /// How it ended, after it said its last word.
    fn end(&mut self) -> Option<ExitStatus> {
        let start = Instant::now();
        while start.elapsed() < GRACE {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            std::thread::sleep(EVERY / 10);
        }
        None
    }

    /// Memory it holds, where the system tells.
    fn resident_bytes(&self) -> Option<u64> {
        clinch_engine::resident_bytes(&self.child.id().to_string())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Ok(group) = i32::try_from(self.child.id()) {
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
        let _ = self.child.wait();
    }
}
