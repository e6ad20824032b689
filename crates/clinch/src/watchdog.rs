//! Limits hold even where nobody looks at them: Z3 may overlook its own for minutes.
//!
//! At the limit all queries are interrupted, which ends most runs with a report of their own. One that goes on is reported
//! from here, and the process ends.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use clinch_engine::Budget;
use clinch_ir::Reason;

use crate::cli::Format;
use crate::{exit, report};

/// How often it looks.
const EVERY: Duration = Duration::from_millis(20);
/// How long a run may take to end by itself.
const GRACE: Duration = Duration::from_millis(600);

/// Watches one run.
pub(crate) struct Watchdog {
    shared: Arc<Mutex<Shared>>,
}

struct Shared {
    /// What runs.
    engine: &'static str,
    /// What it was busy with last.
    busy: Option<String>,
    /// Whether the outcome is printed.
    reported: bool,
}

impl Watchdog {
    /// Starts to watch.
    pub(crate) fn start(budget: &Budget, format: Format) -> Self {
        clinch_smt::allow_interrupts();
        let shared = Arc::new(Mutex::new(Shared { engine: "none", busy: None, reported: false }));
        let (watched, budget) = (Arc::clone(&shared), budget.clone());
        let thread = std::thread::Builder::new().name("watchdog".to_owned());
        if let Err(error) = thread.spawn(move || watch(&watched, &budget, format)) {
            report::error(&format!("warning: limits may be exceeded: {error}"));
        }
        Watchdog { shared }
    }

    /// What runs from now on.
    pub(crate) fn set_engine(&self, engine: &'static str) {
        lock(&self.shared).engine = engine;
    }

    /// What keeps it busy.
    pub(crate) fn set_busy(&self, what: &str) {
        lock(&self.shared).busy = Some(what.to_owned());
    }

    /// Prints the outcome; there is only one.
    pub(crate) fn report(&self, print: impl FnOnce()) {
        let mut shared = lock(&self.shared);
        print();
        shared.reported = true;
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn watch(shared: &Mutex<Shared>, budget: &Budget, format: Format) {
    let mut over: Option<(Instant, Reason)> = None;
    while !lock(shared).reported {
        std::thread::sleep(EVERY);
        if over.is_none() {
            over = budget.check_memory().err().map(|reason| (Instant::now(), reason));
        }
        let Some((since, reason)) = &over else { continue };
        // Again and again: the run may start new queries before it looks at its limits.
        clinch_smt::interrupt_all();
        let shared = lock(shared);
        if since.elapsed() > GRACE && !shared.reported {
            let reason = match &shared.busy {
                Some(what) => Reason::Busy(Box::new(reason.clone()), what.clone()),
                None => reason.clone(),
            };
            report::line(&report::unknown(format, shared.engine, &reason, budget.elapsed()));
            #[allow(clippy::exit, reason = "the run does not end")]
            std::process::exit(exit::UNKNOWN.into());
        }
    }
}
