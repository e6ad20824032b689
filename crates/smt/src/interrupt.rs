//! Stopping Z3 from another thread: its own limits do not always hold.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use z3::{Context, ContextHandle, Params};

static ALLOWED: AtomicBool = AtomicBool::new(false);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static HANDLES: Mutex<Vec<ContextHandle<'static>>> = Mutex::new(Vec::new());

thread_local! {
    static REGISTERED: Cell<bool> = const { Cell::new(false) };
}

/// From now on solvers can be interrupted. The Z3 contexts of threads that use one then live as long as the process.
pub fn allow_interrupts() {
    ALLOWED.store(true, Ordering::Relaxed);
}

/// Whether anything was interrupted so far. What Z3 answers while it is being interrupted is not to be relied upon.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Makes the queries under way in all threads give up, and all later ones: the run is over.
pub fn interrupt_all() {
    INTERRUPTED.store(true, Ordering::SeqCst);
    let handles = HANDLES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    handles.iter().for_each(ContextHandle::interrupt);
}

/// Called wherever a thread starts to use Z3.
pub(crate) fn register() {
    if !ALLOWED.load(Ordering::Relaxed) || REGISTERED.replace(true) {
        return;
    }
    // Leaked, so that the handle never outlives its context.
    let context: &'static Context = Box::leak(Box::new(Context::thread_local()));
    HANDLES.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(context.handle());
}

/// Parameters to start from. Z3 catches Ctrl-C for itself during a query, which is then lost for us.
pub(crate) fn params() -> Params {
    let mut params = Params::new();
    params.set_bool("ctrl_c", false);
    params
}
