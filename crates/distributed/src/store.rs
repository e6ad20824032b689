//! The states of a worker, and where they came from: in memory, and on disk when they do not fit.

use std::io;
use std::ops::Range;
use std::path::PathBuf;

use clinch_engine::concrete::StateTable;

use crate::disk::Disk;
use crate::run::Run;

/// A state: the worker that has it, and its number there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Place {
    pub(crate) worker: u16,
    pub(crate) number: u32,
}

/// Home of the parent of an initial state.
const NOWHERE: u16 = u16::MAX;

/// Workers and states of one of them, at most.
pub(crate) const WORKERS: usize = NOWHERE as usize;
pub(crate) const STATES: usize = u32::MAX as usize - 1;

/// A place in one word, as [`Memory::packed_parent`] gives it.
pub(crate) fn unpack(packed: u64) -> Option<Place> {
    let place = Place { worker: (packed >> 32) as u16, number: packed as u32 };
    (place.worker != NOWHERE).then_some(place)
}

/// States in memory, numbered as they came.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) table: StateTable,
    /// The number of the parent, at its worker.
    parents: Vec<u32>,
    /// The worker that has the parent.
    homes: Vec<u16>,
}

impl Memory {
    fn new(words: usize) -> Self {
        Memory { table: StateTable::new(words), parents: Vec::new(), homes: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    fn bytes(&self) -> usize {
        self.table.bytes() + 4 * self.parents.capacity() + 2 * self.homes.capacity()
    }

    /// Where the parent of a state is, in one word.
    pub(crate) fn packed_parent(&self, number: usize) -> u64 {
        (u64::from(self.homes[number]) << 32) | u64::from(self.parents[number])
    }

    fn insert(&mut self, home: u16, successors: &[u64]) {
        let Memory { table, parents, homes } = self;
        table.insert_batch(successors, |parent| {
            parents.push(parent);
            homes.push(home);
        });
    }
}

/// When states go to disk: the folder, and the bytes that a worker may have in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Limit {
    pub(crate) folder: PathBuf,
    pub(crate) bytes: usize,
}

/// The states of a worker.
#[derive(Debug)]
pub(crate) struct Store {
    /// All states; with a disk, the candidates for the next level.
    memory: Memory,
    disk: Option<Disk>,
    limit: Option<Limit>,
    /// The states of the levels that are complete.
    known: usize,
}

/// All states of a worker, for the re-check.
#[derive(Debug)]
pub(crate) enum States {
    /// One after the other.
    Memory(Vec<u64>),
    /// In ascending order.
    Disk(Run),
}

impl Store {
    /// Without any state of so many words.
    pub(crate) fn new(words: usize, limit: Option<Limit>) -> Self {
        Store { memory: Memory::new(words), disk: None, limit, known: 0 }
    }

    /// Words of a state.
    pub(crate) fn words(&self) -> usize {
        self.memory.table.words()
    }

    /// How many states are known, with those that may be new.
    pub(crate) fn len(&self) -> usize {
        self.disk.as_ref().map_or(0, Disk::len) + self.memory.len()
    }

    /// Bytes held in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.memory.bytes()
    }

    /// Bytes of the states on disk.
    pub(crate) fn bytes_on_disk(&self) -> usize {
        self.disk.as_ref().map_or(0, |disk| disk.len() * (2 * self.words() + 1) * 8)
    }

    /// Adds an initial state, or one whose parent is not known yet; whether it is new. `tag` is a part of its hash.
    pub(crate) fn insert_first(&mut self, words: &[u64], tag: u32) -> bool {
        let is_new = self.memory.table.insert(words, tag).is_ok();
        if is_new {
            self.memory.parents.push(0);
            self.memory.homes.push(NOWHERE);
        }
        is_new
    }

    /// Says where the parent of a state in memory is.
    pub(crate) fn set_parent(&mut self, number: usize, parent: Place) {
        (self.memory.homes[number], self.memory.parents[number]) = (parent.worker, parent.number);
    }

    /// Adds those that are new, of successors of states at a worker: each is a part of its hash with the number of its parent, and the state.
    pub(crate) fn insert(&mut self, home: u16, successors: &[u64]) -> Result<(), String> {
        self.memory.insert(home, successors);
        match &self.limit {
            Some(limit) if self.memory.bytes() > limit.bytes && self.memory.len() > self.least() => {
                self.spill().map_err(|error| self.failed(&error))
            }
            _ => Ok(()),
        }
    }

    /// Fewer states are not worth a run: tables have a least size.
    fn least(&self) -> usize {
        if self.disk.is_some() { 64 } else { 0 }
    }

    fn failed(&self, error: &io::Error) -> String {
        let folder = self.limit.as_ref().map(|limit| limit.folder.display().to_string());
        format!("states cannot be kept in {}: {error}", folder.unwrap_or_default())
    }

    /// Takes what is in memory to disk.
    fn spill(&mut self) -> io::Result<()> {
        let empty = Memory::new(self.words());
        let memory = std::mem::replace(&mut self.memory, empty);
        if let Some(disk) = &mut self.disk {
            return disk.take_candidates(&memory, 0);
        }
        let Some(limit) = &self.limit else { return Ok(()) };
        let mut disk = Disk::new(&limit.folder, memory.table.words())?;
        disk.take_all(&memory, 0..self.known)?;
        self.disk = Some(disk);
        Ok(())
    }

    /// All successors of a level were added: those that are new are the next one. Returns their numbers.
    pub(crate) fn close_level(&mut self) -> Result<Range<usize>, String> {
        let first = self.known;
        if let Some(disk) = &mut self.disk {
            let settled = disk.settle(&self.memory);
            settled.map_err(|error| self.failed(&error))?;
            self.memory = Memory::new(self.words());
        }
        self.known = self.len();
        Ok(first..self.known)
    }

    /// Appends known states to `into`, each with its parent in one word: see [`unpack`].
    pub(crate) fn read(&self, states: Range<usize>, into: &mut Vec<u64>) -> Result<(), String> {
        if let Some(disk) = &self.disk {
            return disk.read(states, into).map_err(|error| self.failed(&error));
        }
        for number in states {
            into.extend_from_slice(self.memory.table.get(number));
            into.push(self.memory.packed_parent(number));
        }
        Ok(())
    }

    /// All states.
    pub(crate) fn into_states(self) -> Result<States, String> {
        let failed = |error: io::Error| format!("states cannot be read: {error}");
        match self.disk {
            None => Ok(States::Memory(self.memory.table.into_vectors())),
            Some(disk) => Ok(States::Disk(disk.into_run().map_err(failed)?)),
        }
    }
}
