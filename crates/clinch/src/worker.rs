//! The process that checks, as [`crate::supervisor`] sees it.
//!
//! At a limit, or when it is asked to stop, it interrupts the solver's queries, which ends most runs with a report of
//! their own. A run that goes on is ended and reported by the supervisor.

use std::io::{Read, Write};
use std::panic::PanicHookInfo;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clinch_engine::Budget;
use clinch_ir::Reason;

use crate::cli::EngineName;
use crate::protocol::{GivenUp, Message, Telling};
use crate::{exit, report};

/// How often the limits are looked at.
const EVERY: Duration = Duration::from_millis(20);

/// The way to the supervisor.
#[derive(Clone, Copy)]
pub(crate) struct Link;

impl Link {
    /// Starts to watch the limits, and to listen to the supervisor; `stop` is raised when it asks for that.
    pub(crate) fn start(budget: &Budget, stop: Arc<AtomicBool>) -> Self {
        clinch_smt::allow_interrupts();
        std::panic::set_hook(Box::new(tell_panic));
        let budget = budget.clone();
        spawn("limits", move || interrupt_at_limit(&budget));
        spawn("supervisor", move || listen(&stop));
        Link
    }

    /// What runs from now on.
    pub(crate) fn engine(self, name: &str) {
        tell(&Message::Engine(name.to_owned()));
    }

    /// What keeps it busy.
    pub(crate) fn busy(self, what: &str) {
        tell(&Message::Busy(what.to_owned()));
    }

    /// How far it is.
    pub(crate) fn progress(self, numbers: serde_json::Value) {
        tell(&Message::Progress(numbers));
    }

    /// The input was read, and these engines may help with it.
    pub(crate) fn helpful(self, engines: &[EngineName]) {
        tell(&Message::Helpful(engines.to_vec()));
    }

    /// A verdict was found.
    pub(crate) fn found(self) {
        tell(&Message::Found);
        self.busy("a verdict was found, and its re-check did not end");
    }

    /// The engine of a portfolio has no verdict.
    pub(crate) fn gave_up(self, engine: &str, reason: &Reason) {
        let telling = Telling::of(reason);
        tell(&Message::GaveUp(GivenUp { engine: engine.to_owned(), reason: reason.to_string(), telling }));
    }

    /// The outcome; there is only one.
    pub(crate) fn report(self, output: Option<String>, code: u8) {
        tell(&Message::Report { output, code });
    }
}

fn tell(message: &Message) {
    let Ok(line) = serde_json::to_string(message) else { return };
    // One write for each line, so that those of several threads do not mix.
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush());
}

fn tell_panic(info: &PanicHookInfo<'_>) {
    let place = info.location().map_or_else(String::new, |place| format!(" at {}:{}", place.file(), place.line()));
    let what = info.payload_as_str().unwrap_or("no message");
    tell(&Message::Panicked(format!("panic{place}: {what}")));
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) {
    if let Err(error) = std::thread::Builder::new().name(name.to_owned()).spawn(run) {
        report::error(&format!("warning: limits may be exceeded: {error}"));
    }
}

fn interrupt_at_limit(budget: &Budget) {
    let mut over = false;
    loop {
        std::thread::sleep(EVERY);
        over = over || budget.check_memory().is_err();
        if over {
            // Again and again: the run may start new queries before it looks at its limits.
            clinch_smt::interrupt_all();
        }
    }
}

/// Whatever the supervisor sends means: stop. Without a supervisor nobody prints the outcome.
fn listen(stop: &AtomicBool) {
    let mut byte = [0];
    while matches!(std::io::stdin().read(&mut byte), Ok(1)) {
        stop.store(true, Ordering::Relaxed);
    }
    #[allow(clippy::exit, reason = "nobody waits for an answer")]
    std::process::exit(exit::UNKNOWN.into());
}
