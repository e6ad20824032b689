//! What a run may use, and who watches it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clinch_ir::Reason;
use clinch_terms::{Term, Terms, work};

use crate::goals::Goals;
use crate::share::{Fact, Known, Standing};
use crate::turns::{Turn, thread_time};

/// Limits of a run.
#[derive(Clone, Debug)]
pub struct Budget {
    start: Instant,
    timeout: Option<Duration>,
    memory: Option<u64>,
    in_use: Arc<InUse>,
    max_iterations: Option<u64>,
    stop: Arc<AtomicBool>,
    /// Where only a part of the time may be used.
    part: Option<Part>,
    /// Where engines take turns.
    turn: Option<Arc<Turn>>,
}

/// The memory that the process held when the operating system was asked last.
#[derive(Debug, Default)]
struct InUse {
    bytes: AtomicU64,
    /// When to ask again, in nanoseconds since the start.
    next: AtomicU64,
}

impl InUse {
    /// An answer takes microseconds, and is as good for some milliseconds.
    const EVERY: Duration = Duration::from_millis(5);

    fn bytes(&self, elapsed: Duration) -> u64 {
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        if nanoseconds(elapsed) >= self.next.load(Ordering::Relaxed) {
            self.next.store(nanoseconds(elapsed + Self::EVERY), Ordering::Relaxed);
            self.bytes.store(resident_bytes("self").unwrap_or(0), Ordering::Relaxed);
        }
        self.bytes.load(Ordering::Relaxed)
    }
}

/// A part of the time, for one of several attempts, on the clock of the thread: what else the machine does, and that other engines
/// have their turns, is not the fault of the attempt.
#[derive(Clone, Copy, Debug)]
struct Part {
    length: Duration,
    end: Duration,
}

/// How much longer than its processor's time an attempt may be expected to take.
const SHARED: u32 = 4;

/// The nanoseconds between two times that a limit is asked for, about, beside what is counted elsewhere.
const BETWEEN_CHECKS: u64 = 500;

impl Default for Budget {
    fn default() -> Self {
        Budget {
            start: Instant::now(),
            timeout: None,
            memory: None,
            in_use: Arc::default(),
            max_iterations: None,
            stop: Arc::default(),
            part: None,
            turn: None,
        }
    }
}

impl Budget {
    /// No limits; the clock starts now.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Stops after this time.
    pub fn with_timeout(self, timeout: Option<Duration>) -> Self {
        Budget { timeout, ..self }
    }

    /// When it stops, from its start.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Stops when the process holds this many bytes.
    pub fn with_memory(self, memory: Option<u64>) -> Self {
        Budget { memory, ..self }
    }

    /// Stops after this many refinement iterations.
    pub fn with_max_iterations(self, max_iterations: Option<u64>) -> Self {
        Budget { max_iterations, ..self }
    }

    /// The clock started that long ago.
    #[must_use]
    pub fn with_elapsed(self, elapsed: Duration) -> Self {
        Budget { start: self.start.checked_sub(elapsed).unwrap_or(self.start), ..self }
    }

    /// Stops when the flag is raised.
    pub fn with_stop(self, stop: Arc<AtomicBool>) -> Self {
        Budget { stop, ..self }
    }

    /// The thread that asks whether to stop waits there for its turn.
    #[must_use]
    pub fn with_turn(self, turn: Arc<Turn>) -> Self {
        Budget { turn: Some(turn), ..self }
    }

    /// So much of the time that is left, from now: for the thread that asks.
    #[must_use]
    pub fn part(&self, length: Duration) -> Self {
        let end = thread_time().saturating_add(length);
        let end = self.part.map_or(end, |part| part.end.min(end));
        Budget { part: Some(Part { length, end }), ..self.clone() }
    }

    /// So many per cent of the time that is left, and not more than `most`.
    #[must_use]
    pub fn share(&self, percent: u32, most: Duration) -> Self {
        let left = match self.part {
            Some(part) => Some(part.end.saturating_sub(thread_time())),
            None => self.remaining(),
        };
        self.part(left.map_or(most, |left| (left * percent / 100).min(most)))
    }

    /// Whether other engines have their turns in between.
    pub fn takes_turns(&self) -> bool {
        self.turn.is_some()
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Time left, if it is limited. Less may be enough to use up a part. Where work is counted, it is what is left of the whole time
    /// for this thread: others are not taken into account, for they may be faster or slower the next time.
    pub fn remaining(&self) -> Option<Duration> {
        let used = work::done().unwrap_or_else(|| self.elapsed());
        let left = self.timeout.map(|t| t.saturating_sub(used));
        let shared = if work::done().is_some() { 1 } else { SHARED };
        let part = self.part.map(|part| part.end.saturating_sub(thread_time()) * shared);
        [left, part].into_iter().flatten().min()
    }

    /// The reason to stop if there is less time left than that.
    pub fn timed_out(&self, margin: Duration) -> Option<Reason> {
        let near = self.remaining().is_some_and(|left| left < margin);
        self.part.map(|part| part.length).or(self.timeout).filter(|_| near).map(Reason::Timeout)
    }

    /// The reason to stop now, if there is one. Cheap enough to be asked thousands of times a second. Where engines take turns,
    /// others may have theirs meanwhile.
    pub fn check(&self) -> Result<(), Reason> {
        work::add(BETWEEN_CHECKS);
        if let Some(turn) = &self.turn {
            turn.pass_on_if_over();
        }
        if self.stop.load(Ordering::Relaxed) {
            return Err(Reason::Interrupted);
        }
        match (self.timeout, self.part) {
            (Some(timeout), _) if self.elapsed() >= timeout => Err(Reason::Timeout(timeout)),
            (_, Some(part)) if thread_time() >= part.end => Err(Reason::Timeout(part.length)),
            _ => Ok(()),
        }
    }

    /// Like [`Budget::check`], and looks at the memory in use.
    pub fn check_memory(&self) -> Result<(), Reason> {
        self.check()?;
        match self.memory {
            Some(limit) if self.in_use.bytes(self.elapsed()) > limit => Err(Reason::Memory(limit >> 20)),
            _ => Ok(()),
        }
    }

    /// The reason not to start the iteration after `done` of them.
    pub fn check_iteration(&self, done: u64) -> Result<(), Reason> {
        self.check_memory()?;
        match self.max_iterations {
            Some(limit) if done >= limit => Err(Reason::Iterations(limit)),
            _ => Ok(()),
        }
    }
}

/// Memory a process (its number, or `self`) holds, where the system tells.
pub fn resident_bytes(process: &str) -> Option<u64> {
    const PAGE: u64 = 4096;
    let statm = std::fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    statm.split_whitespace().nth(1)?.parse::<u64>().ok().map(|pages| pages * PAGE)
}

/// Asks the budget every so often in a hot loop.
#[derive(Debug)]
pub struct Ticker {
    ticks: u32,
}

impl Ticker {
    const MEMORY_EVERY: u32 = 1 << 12;
    const TIME_EVERY: u32 = 1 << 6;

    /// Starts counting.
    pub fn new() -> Self {
        Ticker { ticks: 0 }
    }

    /// One more round.
    pub fn tick(&mut self, budget: &Budget) -> Result<(), Reason> {
        self.ticks = self.ticks.wrapping_add(1);
        match self.ticks {
            t if t % Self::MEMORY_EVERY == 0 => budget.check_memory(),
            t if t % Self::TIME_EVERY == 0 => budget.check(),
            _ => Ok(()),
        }
    }
}

impl Default for Ticker {
    fn default() -> Self {
        Self::new()
    }
}

/// Where a run stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Refinement iteration, from 1; 0 for engines that do not refine.
    pub iteration: u64,
    /// Predicates in use.
    pub predicates: u64,
    /// States stored.
    pub states: u64,
    /// Predicates in use at one place, at most, where that differs.
    pub active: u64,
    /// Calls of the prover, where they are counted.
    pub prover_calls: u64,
    /// How many of them a cache answered.
    pub cached_calls: u64,
}

/// Is told how a run goes on.
pub trait Observer {
    /// Called now and then; must be quick.
    fn progress(&mut self, progress: Progress);

    /// A counterexample was spurious: what it looked like, for people. At a limit the last one is the best reason there is.
    fn spurious(&mut self, _shape: &str) {}

    /// Whether other engines look for the answer as well and share what they find out: otherwise nobody needs to collect it.
    fn shares(&self) -> bool {
        false
    }

    /// Something that may help the others. Must be quick; what is told twice is told once.
    fn tell(&mut self, _fact: Known) {}

    /// The same about a predicate of Horn clauses, by name, and its parameters: whoever made the clauses knows what that means for
    /// the program.
    fn tell_of_predicate(&mut self, _terms: &mut Terms, _predicate: &str, _formula: Term, _standing: Standing) {}

    /// What the others told since the last time this was asked.
    fn heard(&mut self) -> Vec<Fact> {
        Vec::new()
    }

    /// States of which it wants to know when they are met, if any. Searches that abstract or go depth first tell.
    fn goals(&mut self) -> Option<&mut Goals> {
        None
    }
}

/// Does not look.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn progress(&mut self, _: Progress) {}
}

impl Observer for Goals {
    fn progress(&mut self, _: Progress) {}

    fn goals(&mut self) -> Option<&mut Goals> {
        Some(self)
    }
}
