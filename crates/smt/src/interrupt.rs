//! Stopping Z3 from another thread: its own limits do not always hold, and its own timer costs two changes of threads for each query, which
//! is more than most queries take where all cores are busy.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use nix::unistd::gettid;
use z3::{Context, ContextHandle, Params};

/// How often the limits of queries are looked at.
const EVERY: Duration = Duration::from_millis(10);

static ALLOWED: AtomicBool = AtomicBool::new(false);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static THREADS: Mutex<Vec<&'static Thread>> = Mutex::new(Vec::new());

thread_local! {
    static REGISTERED: Cell<Option<&'static Thread>> = const { Cell::new(None) };
}

/// A thread that uses Z3.
struct Thread {
    context: ContextHandle<'static>,
    /// The processor's time that it has used: a query is not to fail because other engines are busy.
    clock: ClockId,
    query: Mutex<Query>,
}

/// Its query.
#[derive(Default)]
struct Query {
    /// When it is to be over, on the clock of its thread.
    end: Option<Duration>,
    /// Whether it was interrupted then.
    late: bool,
}

impl Thread {
    fn query(&self) -> MutexGuard<'_, Query> {
        self.query.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn interrupt_if_late(&self) {
        let mut query = self.query();
        if query.end.is_some_and(|end| self.now() >= end) {
            query.late = true;
            self.context.interrupt();
        }
    }

    /// The time on its clock. Where that cannot be read, a query is late.
    fn now(&self) -> Duration {
        clock_gettime(self.clock).map_or(Duration::MAX, Duration::from)
    }
}

/// The clock of this thread, for other threads: Linux makes its number from that of the thread. Where the system has none it is the usual one.
fn clock_of_this_thread() -> ClockId {
    const OF_ONE_THREAD: i32 = 0b110;
    let own = ClockId::from_raw(!gettid().as_raw() << 3 | OF_ONE_THREAD);
    if clock_gettime(own).is_ok() { own } else { ClockId::CLOCK_MONOTONIC }
}

fn threads() -> MutexGuard<'static, Vec<&'static Thread>> {
    THREADS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on solvers can be interrupted. The Z3 contexts of threads that use one then live as long as the process.
pub fn allow_interrupts() {
    if ALLOWED.load(Ordering::Relaxed) {
        return;
    }
    let watch = || loop {
        std::thread::sleep(EVERY);
        threads().iter().for_each(|thread| thread.interrupt_if_late());
    };
    // Without this thread Z3 looks at the clock itself.
    let watched = std::thread::Builder::new().name("queries".to_owned()).spawn(watch);
    ALLOWED.store(watched.is_ok(), Ordering::Relaxed);
}

/// Whether anything was interrupted so far. What Z3 answers while it is being interrupted is not to be relied upon.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Makes the queries under way in all threads give up, and all later ones: the run is over.
pub fn interrupt_all() {
    INTERRUPTED.store(true, Ordering::SeqCst);
    threads().iter().for_each(|thread| thread.context.interrupt());
}

/// Called wherever a thread starts to use Z3.
pub(crate) fn register() {
    if !ALLOWED.load(Ordering::Relaxed) || REGISTERED.get().is_some() {
        return;
    }
    // Leaked, so that the handle never outlives its context.
    let context: &'static Context = Box::leak(Box::new(Context::thread_local()));
    let thread: &'static Thread = Box::leak(Box::new(Thread {
        context: context.handle(),
        clock: clock_of_this_thread(),
        query: Mutex::default(),
    }));
    REGISTERED.set(Some(thread));
    threads().push(thread);
}

/// Whether queries of this thread are watched: Z3 need not do that then.
pub(crate) fn is_watched() -> bool {
    REGISTERED.get().is_some()
}

/// The result of a query, if it was done in so much time of the processor. What interrupts it does not interrupt the next.
pub(crate) fn within<R>(milliseconds: u32, query: impl FnOnce() -> R) -> Option<R> {
    let Some(thread) = REGISTERED.get() else { return Some(query()) };
    let end = thread.now().saturating_add(Duration::from_millis(milliseconds.into()));
    *thread.query() = Query { end: Some(end), late: false };
    let result = query();
    let late = std::mem::take(&mut *thread.query()).late;
    (!late).then_some(result)
}

/// Parameters to start from. Z3 catches Ctrl-C for itself during a query, which is then lost for us.
pub(crate) fn params() -> Params {
    let mut params = Params::new();
    params.set_bool("ctrl_c", false);
    params
}
