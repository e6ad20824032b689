//! Stopping Z3 from another thread: its own limits do not always hold, and its own timer costs two changes of threads for each query, which
//! is more than most queries take where all cores are busy.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

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
    query: Mutex<Query>,
}

/// Its query.
#[derive(Default)]
struct Query {
    /// When it is to be over.
    end: Option<Instant>,
    /// Whether it was interrupted then.
    late: bool,
}

impl Thread {
    fn query(&self) -> MutexGuard<'_, Query> {
        self.query.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn interrupt_if_late(&self, now: Instant) {
        let mut query = self.query();
        if query.end.is_some_and(|end| now >= end) {
            query.late = true;
            self.context.interrupt();
        }
    }
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
        let now = Instant::now();
        threads().iter().for_each(|thread| thread.interrupt_if_late(now));
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
    let thread: &'static Thread =
        Box::leak(Box::new(Thread { context: context.handle(), query: Mutex::new(Query::default()) }));
    REGISTERED.set(Some(thread));
    threads().push(thread);
}

/// Whether queries of this thread are watched: Z3 need not do that then.
pub(crate) fn is_watched() -> bool {
    REGISTERED.get().is_some()
}

/// The result of a query, if it was done in time. What interrupts it does not interrupt the next.
pub(crate) fn within<R>(milliseconds: u32, query: impl FnOnce() -> R) -> Option<R> {
    let Some(thread) = REGISTERED.get() else { return Some(query()) };
    let end = Instant::now() + Duration::from_millis(milliseconds.into());
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
