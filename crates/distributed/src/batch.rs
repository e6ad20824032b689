//! What travels between workers: bytes for one worker, many states at a time.

use std::io::Write;

use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};

/// What a batch holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Kind {
    /// Records of the part that runs.
    #[default]
    Records,
    /// What one worker says to all when it is done with a round.
    Note,
}

/// Bytes for one worker.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Batch {
    pub(crate) target: u32,
    pub(crate) from: u32,
    pub(crate) kind: Kind,
    pub(crate) bytes: Vec<u8>,
}

/// Bytes of a batch on the wire, beside its records: their number, the sender and the kind.
const HEAD: usize = 16;

impl Accountable for Batch {
    fn record_count(&self) -> i64 {
        1
    }
}

impl ContainerBytes for Batch {
    fn from_bytes(bytes: Bytes) -> Self {
        let number = |at: usize| {
            let field: [u8; 4] = bytes[at..at + 4].try_into().expect("four bytes");
            u32::from_le_bytes(field)
        };
        let kind = if number(8) == 0 { Kind::Records } else { Kind::Note };
        let bytes = bytes[HEAD..HEAD + number(0) as usize].to_vec();
        Batch { target: number(12), from: number(4), kind, bytes }
    }

    fn length_in_bytes(&self) -> usize {
        HEAD + self.bytes.len().next_multiple_of(8)
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let fields = [self.bytes.len() as u32, self.from, self.kind as u32, self.target];
        let padding = self.bytes.len().next_multiple_of(8) - self.bytes.len();
        let mut write = |bytes: &[u8]| writer.write_all(bytes).expect("timely provides the room it was told of");
        fields.iter().for_each(|field| write(&field.to_le_bytes()));
        write(&self.bytes);
        write(&[0; 8][..padding]);
    }
}

/// Brings each batch to its worker.
#[derive(Debug)]
pub(crate) struct ToTarget;

impl Distributor<Batch> for ToTarget {
    fn partition<T: Clone, P: Push<Message<T, Batch>>>(&mut self, batch: &mut Batch, time: &T, pushers: &mut [P]) {
        let target = batch.target as usize;
        Message::push_at(batch, time.clone(), &mut pushers[target]);
    }

    fn flush<T: Clone, P: Push<Message<T, Batch>>>(&mut self, _: &T, pushers: &mut [P]) {
        pushers.iter_mut().for_each(P::done);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_comes_back_as_it_was() {
        for length in 0..20 {
            let bytes = (0..length).map(|i| 7 * i as u8).collect();
            let batch = Batch { target: 3, from: 70_000, kind: Kind::Note, bytes };
            let mut written = Vec::new();
            batch.into_bytes(&mut written);
            assert_eq!(written.len(), batch.length_in_bytes());
            let mut slab = timely::bytes::arc::BytesMut::from(written);
            let all = slab.len();
            assert_eq!(Batch::from_bytes(slab.extract_to(all)), batch);
        }
    }
}
