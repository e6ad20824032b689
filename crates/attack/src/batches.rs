//! Work on many seeds, on several threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The threads that are worth it on this machine.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs `work` on consecutive batches of at most `size` seeds; it is given the first seed of a batch and their number.
pub fn on_batches<T: Send>(
    (first, count): (u64, u64),
    size: u64,
    threads: usize,
    work: impl Fn(u64, u64) -> Vec<T> + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let offset = next.fetch_add(1, Ordering::Relaxed) as u64 * size;
                    if offset >= count {
                        return;
                    }
                    let found = work(first + offset, size.min(count - offset));
                    results.lock().expect("no panic").extend(found);
                }
            });
        }
    });
    results.into_inner().expect("no panic")
}
