//! Whether the others are still there.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clinch_engine::Budget;
use clinch_ir::Reason;

/// How long a worker waits for what is on its way from a process that ended in order.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a worker waits at a limit for the others to stop, too.
const GRACE: Duration = Duration::from_millis(500);

/// What is known of the other workers, and of the connections to them.
#[derive(Debug, Default)]
pub(crate) struct Health {
    is_ill: AtomicBool,
    trouble: Mutex<Trouble>,
    /// Bytes that left this process, and that came in.
    pub(crate) sent: AtomicU64,
    pub(crate) received: AtomicU64,
    /// Whether the workers of this process have finished.
    is_over: AtomicBool,
}

#[derive(Debug, Default)]
struct Trouble {
    lost: Option<Reason>,
    /// When the first of the others ended in order.
    first_end: Option<(Instant, String)>,
}

impl Health {
    /// The reason to stop because others do not answer any more.
    pub(crate) fn check(&self) -> Result<(), Reason> {
        if !self.is_ill.load(Ordering::Relaxed) {
            return Ok(());
        }
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        match &trouble.first_end {
            _ if trouble.lost.is_some() => Err(trouble.lost.clone().expect("it was looked at")),
            Some((when, who)) if when.elapsed() > PATIENCE => Err(lost(who, "it ended before the search did")),
            _ => Ok(()),
        }
    }

    /// The same for a worker that waits for others: a limit that they should have told of counts, too.
    pub(crate) fn check_waiting(&self, budget: &Budget, since: &mut Option<Instant>) -> Result<(), Reason> {
        self.check()?;
        let Err(reason) = budget.check() else { return Ok(()) };
        let since = since.get_or_insert_with(Instant::now);
        if since.elapsed() > GRACE { Err(reason) } else { Ok(()) }
    }

    /// Nothing is to be expected of anybody any more.
    pub(crate) fn give_up(&self, reason: Reason) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_over.load(Ordering::Relaxed) {
            trouble.lost.get_or_insert(reason);
            self.is_ill.store(true, Ordering::Relaxed);
        }
    }

    /// A connection ended without a farewell.
    pub(crate) fn lose(&self, who: &str, how: &str) {
        self.give_up(lost(who, how));
    }

    /// A process has ended its part of the conversation.
    pub(crate) fn end(&self, who: &str) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.first_end.get_or_insert((Instant::now(), who.to_owned()));
        self.is_ill.store(true, Ordering::Relaxed);
    }

    /// The workers of this process have finished: connections may end.
    pub(crate) fn finish(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// A connection is gone.
pub(crate) fn lost(who: &str, how: &str) -> Reason {
    Reason::Crashed(format!("the connection to {who} was lost: {how}"))
}
