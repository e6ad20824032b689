//! Addresses of allocated blocks.

use std::collections::hash_map::Entry;
use std::rc::Rc;

use clinch_ir::cfa::{Addresses, AllocKind, CfaProgram};
use rustc_hash::FxHashMap;

use super::state::Key;

/// Addresses of blocks. A block has one address whatever the way to its allocation, so that pointers stay constants.
pub(super) struct Blocks {
    addresses: Addresses,
    known: FxHashMap<(Key, u64), u64>,
    /// Those of unknown size, with the bytes that they may have.
    open: FxHashMap<Key, (u64, u64)>,
}

impl Blocks {
    pub(super) fn new(program: &CfaProgram) -> Self {
        Blocks { addresses: Addresses::new(program), known: FxHashMap::default(), open: FxHashMap::default() }
    }

    /// The address of a block of at most this size; none if there is no room.
    pub(super) fn of(&mut self, key: &Key, size: u64) -> Option<u64> {
        match self.known.entry((Rc::clone(key), size)) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(new) => Some(*new.insert(self.addresses.make(size)?)),
        }
    }

    /// The address of a block of unknown size, and the bytes that it may have.
    pub(super) fn of_unknown(&mut self, key: &Key, kind: AllocKind) -> Option<(u64, u64)> {
        match self.open.entry(Rc::clone(key)) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(new) => {
                let room = self.addresses.room(kind);
                Some(*new.insert((self.addresses.make(room)?, room)))
            }
        }
    }
}
