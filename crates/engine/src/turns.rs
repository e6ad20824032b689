//! Engines that take turns, where they are to do the same things in the same order in every run.
//!
//! A turn is so much work, on the clock of the thread (see [`clinch_ir::work`]). It ends where the engine looks at its limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::budget::thread_time;

/// Decides whose turn it is.
pub trait Rota: Send + Sync {
    /// The turn of this engine is over; it has done so much work in all its turns.
    fn over(&self, done: Duration);

    /// Returns when it is the turn of this engine, and says how much work it may do.
    fn wait(&self) -> Duration;
}

/// The turn of one engine.
pub struct Turn {
    /// When it is over, in nanoseconds.
    end: AtomicU64,
    rota: Arc<dyn Rota>,
}

impl Turn {
    /// The engine of this thread waits for its first turn.
    pub fn first(rota: Arc<dyn Rota>) -> Turn {
        let end = thread_time() + rota.wait();
        Turn { end: AtomicU64::new(nanoseconds(end)), rota }
    }

    /// The turn goes on until at least so much more is done, and as much again as was done so far.
    pub fn extend(&self, least: Duration) {
        let done = thread_time();
        self.end.fetch_max(nanoseconds(done + least.max(done)), Ordering::Relaxed);
    }

    /// It is the last turn that anyone has.
    pub fn keep(&self) {
        self.end.store(u64::MAX, Ordering::Relaxed);
    }

    pub(crate) fn pass_on_if_over(&self) {
        let done = thread_time();
        if nanoseconds(done) >= self.end.load(Ordering::Relaxed) {
            self.rota.over(done);
            self.end.store(nanoseconds(done + self.rota.wait()), Ordering::Relaxed);
        }
    }
}

impl std::fmt::Debug for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turn").field("end", &self.end).finish_non_exhaustive()
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
