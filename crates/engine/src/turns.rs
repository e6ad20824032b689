//! Engines that take turns, where they are to do the same things in the same order in every run.
//!
//! A turn is so much work, on the clock of the thread (see [`clinch_terms::work`]). It ends where the engine looks at its limits.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use clinch_terms::work;
use nix::time::{ClockId, clock_gettime};

/// The clock of this thread: the work that it has done, if it counts that, and the processor's time that it has used otherwise.
pub(crate) fn thread_time() -> Duration {
    let used = || clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from);
    work::done().unwrap_or_else(used)
}

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
    /// What was left of it when it was extended.
    extended: Mutex<Option<Duration>>,
    rota: Arc<dyn Rota>,
}

impl Turn {
    /// The engine of this thread waits for its first turn.
    pub fn first(rota: Arc<dyn Rota>) -> Turn {
        let end = thread_time() + rota.wait();
        Turn { end: AtomicU64::new(nanoseconds(end)), extended: Mutex::default(), rota }
    }

    /// The turn goes on until at least so much more is done, and as much again as was done so far.
    pub fn extend(&self, least: Duration) {
        let done = thread_time();
        let end = self.end.fetch_max(nanoseconds(done + least.max(done)), Ordering::Relaxed);
        let left = Duration::from_nanos(end).saturating_sub(done);
        self.extended().get_or_insert(left);
    }

    /// What it was extended for is done: what was left before is left again.
    pub fn no_longer_extended(&self) {
        if let Some(left) = self.extended().take() {
            self.end.store(nanoseconds(thread_time() + left), Ordering::Relaxed);
        }
    }

    fn extended(&self) -> MutexGuard<'_, Option<Duration>> {
        self.extended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It is the last turn that anyone has.
    pub fn keep(&self) {
        self.end.store(u64::MAX, Ordering::Relaxed);
    }

    pub(crate) fn pass_on_if_over(&self) {
        let done = thread_time();
        if nanoseconds(done) >= self.end.load(Ordering::Relaxed) {
            self.extended().take();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives turns of ten, and notes when they are over.
    #[derive(Default)]
    struct Tens(Mutex<Vec<Duration>>);

    impl Rota for Tens {
        fn over(&self, done: Duration) {
            self.0.lock().expect("nobody panicked").push(done);
        }

        fn wait(&self) -> Duration {
            Duration::from_nanos(10)
        }
    }

    /// The times at which turns end while this happens.
    fn ends(steps: impl FnOnce(&dyn Fn(u64), &Turn)) -> Vec<u128> {
        work::count();
        let rota = Arc::new(Tens::default());
        let turn = Turn::first(rota.clone());
        let work_of = |nanoseconds: u64| {
            for _ in 0..nanoseconds {
                work::add(1);
                turn.pass_on_if_over();
            }
        };
        steps(&work_of, &turn);
        rota.0.lock().expect("nobody panicked").iter().map(Duration::as_nanos).collect()
    }

    #[test]
    fn turns_end_when_the_work_is_done() {
        assert_eq!(ends(|work, _| work(25)), [10, 20]);
    }

    /// A re-check that fails leaves of the turn what was left before.
    #[test]
    fn an_extended_turn_goes_on_where_it_was() {
        let ends = ends(|work, turn| {
            work(4);
            turn.extend(Duration::from_nanos(50));
            work(30);
            turn.no_longer_extended();
            work(20);
        });
        assert_eq!(ends, [40, 50]);
    }

    /// One that takes longer than the extension passes the turn on, and has the next one to itself.
    #[test]
    fn an_extension_ends() {
        let ends = ends(|work, turn| {
            work(4);
            turn.extend(Duration::from_nanos(20));
            work(25);
            turn.no_longer_extended();
            work(10);
        });
        assert_eq!(ends, [24, 34]);
    }
}
