//! Lines for a process that may be slow to read them, or stopped.
//!
//! A pipe that is full blocks whoever writes to it. So lines are written by a thread of their own, and those that find too many
//! before them are dropped: whoever sends one never waits.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Lines that may wait.
const MOST: usize = 1024;

/// The sender's end. When it goes out of scope the pipe is closed.
pub(crate) struct Outbox(Arc<Queue>);

#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    lines: VecDeque<String>,
    closed: bool,
}

impl Outbox {
    /// Starts to write to a pipe.
    pub(crate) fn new(mut pipe: impl Write + Send + 'static) -> std::io::Result<Outbox> {
        let queue: Arc<Queue> = Arc::default();
        let lines = Arc::clone(&queue);
        std::thread::Builder::new().name("outbox".to_owned()).spawn(move || {
            while let Some(line) = lines.next() {
                // A reader that is gone needs no lines.
                if pipe.write_all(line.as_bytes()).and_then(|()| pipe.flush()).is_err() {
                    return;
                }
            }
        })?;
        Ok(Outbox(queue))
    }

    /// Whether nothing waits.
    pub(crate) fn is_idle(&self) -> bool {
        self.0.waiting().lines.is_empty()
    }

    /// Sends a line, unless too many wait. Whether it will be written.
    pub(crate) fn send(&self, line: String) -> bool {
        let mut waiting = self.0.waiting();
        let room = waiting.lines.len() < MOST;
        if room {
            waiting.lines.push_back(line);
        }
        self.0.changed.notify_one();
        room
    }

    /// Sends a line instead of all that wait.
    pub(crate) fn send_now(&self, line: String) {
        self.0.waiting().lines.clear();
        self.send(line);
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        self.0.waiting().closed = true;
        self.0.changed.notify_one();
    }
}

impl Queue {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // Nothing is done under the lock that could leave the list half changed.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next line to write; `None` when there will be none.
    fn next(&self) -> Option<String> {
        let mut waiting = self.waiting();
        loop {
            if waiting.closed {
                return None;
            }
            if let Some(line) = waiting.lines.pop_front() {
                return Some(line);
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::time::{Duration, Instant};

    use super::*;

    /// As long as a pipe holds, and more.
    fn long(text: &str) -> String {
        format!("{}\n", text.repeat(100_000))
    }

    #[test]
    fn nobody_waits_for_a_reader_that_does_not_read() {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        let outbox = Outbox::new(writer).expect("a thread");
        let start = Instant::now();
        let written = (0..3 * MOST).filter(|_| outbox.send(long("x"))).count();
        assert!((MOST..=MOST + 2).contains(&written), "{written}");
        outbox.send_now("stop\n".to_owned());
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        assert!(!outbox.is_idle());
        // What was being written is finished, and then comes what is urgent.
        let mut lines = BufReader::new(reader).lines().map_while(Result::ok);
        let stop = lines.by_ref().take(3).position(|line| line == "stop");
        assert!(stop.is_some_and(|at| at <= 1), "{stop:?}");
        drop(outbox);
        assert_eq!(lines.next(), None);
    }

    #[test]
    fn a_reader_that_is_gone_is_no_error() {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let outbox = Outbox::new(writer).expect("a thread");
        (0..10).for_each(|_| _ = outbox.send(long("x")));
    }
}
