//! Work, counted: a clock that shows the same time whenever the same things are done.
//!
//! Where a run is to be repeated exactly, its limits must not depend on what else the machine does, not even on how warm its caches
//! are. So whoever does something that takes time says so, and a thread may go by the sum instead of the time that passes. It is a rough
//! measure, made to be about right on today's machines.

use std::cell::Cell;
use std::time::Duration;

thread_local! {
    static NANOSECONDS: Cell<u64> = const { Cell::new(0) };
    static COUNTED: Cell<bool> = const { Cell::new(false) };
}

/// From now on this thread goes by the work it does.
pub fn count() {
    COUNTED.set(true);
    NANOSECONDS.set(0);
}

/// What is done here goes by the work it does, whatever the thread goes by otherwise.
pub fn counted<T>(f: impl FnOnce() -> T) -> T {
    let before = COUNTED.replace(true);
    let result = f();
    COUNTED.set(before);
    result
}

/// The work that this thread has done, if it goes by that.
pub fn done() -> Option<Duration> {
    COUNTED.get().then(|| Duration::from_nanos(NANOSECONDS.get()))
}

/// This thread has done something that takes about so many nanoseconds.
#[inline]
pub fn add(nanoseconds: u64) {
    NANOSECONDS.set(NANOSECONDS.get().wrapping_add(nanoseconds));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted_where_it_is_asked_for() {
        add(5);
        assert_eq!(done(), None);
        assert!(counted(done).is_some());
        assert_eq!(done(), None);
        count();
        add(7);
        assert_eq!(done(), Some(Duration::from_nanos(7)));
        assert_eq!(std::thread::spawn(done).join().ok(), Some(None));
    }

    /// Another run of the same thing takes as long.
    #[test]
    fn terms_are_work() {
        let build = || {
            count();
            let mut terms = crate::Terms::default();
            let sum = (0..100).fold(terms.int(0), |sum, n| {
                let n = terms.int(n);
                terms.add(sum, n)
            });
            assert!(terms.len() > 1, "{sum:?}");
            done()
        };
        assert_eq!(build(), build());
        assert!(build() > Some(Duration::from_micros(10)));
    }
}
