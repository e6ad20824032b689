//! Which worker has a state, and what is on its way there.

use crate::format::{Format, seal, write_number};
use crate::rounds::Outbox;

/// Bytes of a batch, about: enough for what a message costs to matter little, few enough for a hundred workers to have one each.
pub(crate) const BATCH: usize = 1 << 14;

/// The worker, of so many, that owns a state with this hash. The lower bits are for its table.
#[inline]
pub(crate) fn owner(hash: u64, workers: usize) -> usize {
    (((hash >> 32) * workers as u64) >> 32) as usize
}

/// States on their way to a worker, each with the number of its parent, which grows.
#[derive(Debug, Default)]
pub(crate) struct Lane {
    bytes: Vec<u8>,
    last_parent: u64,
}

impl Lane {
    /// Adds a state with the number of its parent; sends what there is when it is enough.
    #[inline]
    pub(crate) fn push(&mut self, to: usize, parent: u64, words: &[u64], format: &Format, out: &mut Outbox) {
        write_number(parent - self.last_parent, &mut self.bytes);
        self.last_parent = parent;
        format.write(words, &mut self.bytes);
        if self.bytes.len() >= BATCH {
            self.flush(to, out);
        }
    }

    /// Sends what there is.
    pub(crate) fn flush(&mut self, to: usize, out: &mut Outbox) {
        if self.bytes.is_empty() {
            return;
        }
        seal(&mut self.bytes);
        let bytes = std::mem::replace(&mut self.bytes, Vec::with_capacity(BATCH + 64));
        self.last_parent = 0;
        out.send(to as u32, bytes);
    }
}
