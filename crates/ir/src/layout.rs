//! States as bit vectors: every location and cell takes just the bits its domain needs, none crosses a word.

use clinch_terms::LocId;

use crate::eval::State;
use crate::program::Program;

/// Where one location or cell lies in a packed state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Which word.
    pub word: u32,
    /// Lowest bit in it.
    pub shift: u32,
    /// The bits, at the bottom of a word.
    pub mask: u64,
    /// The value that is stored as 0.
    pub base: i64,
}

impl Field {
    /// Reads the field.
    pub fn get(&self, words: &[u64]) -> i64 {
        self.base.wrapping_add(((words[self.word as usize] >> self.shift) & self.mask) as i64)
    }

    /// Writes the field; the value must belong to its domain.
    pub fn set(&self, words: &mut [u64], value: i64) {
        let bits = (value.wrapping_sub(self.base) as u64) & self.mask;
        let word = &mut words[self.word as usize];
        *word = (*word & !(self.mask << self.shift)) | (bits << self.shift);
    }
}

/// The packing of a program's states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The location of each process.
    pub locs: Vec<Field>,
    /// Each cell.
    pub cells: Vec<Field>,
    /// Words per state, at least 1.
    pub words: usize,
}

impl Layout {
    /// The packing for a program. Wide fields are placed first, so that little is lost at word ends.
    pub fn new(program: &Program) -> Self {
        let locs = program.processes.iter().map(|p| (0, bits_for(p.locations.len() as u64 - 1)));
        let cells = program.cell_domains().map(|domain| match domain.bounds() {
            Some((lo, hi)) => (lo, bits_for(hi.wrapping_sub(lo) as u64)),
            None => (0, 64),
        });
        let fields: Vec<(i64, u32)> = locs.chain(cells).collect();
        let (placed, words) = place(&fields);
        let (locs, cells) = placed.split_at(program.processes.len());
        Layout { locs: locs.to_vec(), cells: cells.to_vec(), words }
    }

    /// Packs a state.
    pub fn pack(&self, state: &State, words: &mut [u64]) {
        words.fill(0);
        for (field, loc) in self.locs.iter().zip(&state.locs) {
            field.set(words, i64::from(loc.0));
        }
        for (field, &value) in self.cells.iter().zip(&state.cells) {
            field.set(words, value);
        }
    }

    /// Unpacks a state.
    pub fn unpack(&self, words: &[u64]) -> State {
        let mut state = State::default();
        self.unpack_into(words, &mut state);
        state
    }

    /// Unpacks a state into the memory of another one.
    pub fn unpack_into(&self, words: &[u64], state: &mut State) {
        state.locs.clear();
        state.locs.extend(self.locs.iter().map(|f| LocId(f.get(words) as u32)));
        state.cells.clear();
        state.cells.extend(self.cells.iter().map(|f| f.get(words)));
    }
}

fn bits_for(largest: u64) -> u32 {
    u64::BITS - largest.leading_zeros()
}

/// First-fit decreasing.
fn place(fields: &[(i64, u32)]) -> (Vec<Field>, usize) {
    let mut order: Vec<usize> = (0..fields.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(fields[i].1), i));
    let mut used: Vec<u32> = Vec::new();
    let mut placed = vec![Field { word: 0, shift: 0, mask: 0, base: 0 }; fields.len()];
    for i in order {
        let (base, bits) = fields[i];
        let word = used.iter().position(|&u| u + bits <= 64).unwrap_or_else(|| {
            used.push(0);
            used.len() - 1
        });
        let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        // A field of no bits has no place of its own; any shift in range will do.
        placed[i] = Field { word: word as u32, shift: used[word].min(63), mask, base };
        used[word] += bits;
    }
    (placed, used.len().max(1))
}

/// A set of packed states, in chunks.
#[derive(Clone, Debug)]
pub struct StateSet {
    /// How they are packed.
    pub layout: Layout,
    /// The states, one after the other, `layout.words` words each.
    pub chunks: Vec<Vec<u64>>,
}

impl StateSet {
    /// How many states there are.
    pub fn len(&self) -> usize {
        self.chunks.iter().map(Vec::len).sum::<usize>() / self.layout.words
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.chunks.iter().all(Vec::is_empty)
    }
}
