//! A set of equally long word vectors, numbered in the order they came.
//!
//! Open addressing over 64-bit entries: the low half is the number of the vector plus one, the high half 32 bits of its
//! hash. Those bits also give the bucket, so growing the table never touches the vectors, and a vector is compared
//! only when all 32 bits agree.

/// Vectors of a batch that are looked for at a time: the memory system is asked for all of them at once.
const AHEAD: usize = 16;

/// The set.
#[derive(Clone, Debug)]
pub struct StateTable {
    words: usize,
    vectors: Vec<u64>,
    entries: Vec<u64>,
    /// Keeps the look-ahead loads of [`StateTable::warm`] alive.
    warmth: u64,
}

/// A hash of a word vector with good bits everywhere (folded multiplication).
#[inline]
pub fn hash_words(words: &[u64]) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
    for &word in words {
        let product = u128::from(hash ^ word) * u128::from(0xa076_1d64_78bd_642f_u64);
        hash = (product >> 64) as u64 ^ product as u64;
    }
    let product = u128::from(hash) * u128::from(0xe703_7ed1_a0b4_28db_u64);
    (product >> 64) as u64 ^ product as u64
}

/// Equality of short vectors, without the call that comparing slices makes.
#[inline]
fn same(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).fold(0, |difference, (x, y)| difference | (x ^ y)) == 0
}

impl StateTable {
    /// An empty set of vectors of `words` words.
    pub fn new(words: usize) -> Self {
        StateTable { words, vectors: Vec::new(), entries: vec![0; 1 << 10], warmth: 0 }
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.vectors.len() / self.words
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }

    /// Words per vector.
    pub fn words(&self) -> usize {
        self.words
    }

    /// A vector by its number.
    pub fn get(&self, number: usize) -> &[u64] {
        &self.vectors[number * self.words..][..self.words]
    }

    /// Bytes held, spare room included.
    pub fn bytes(&self) -> usize {
        8 * (self.vectors.capacity() + self.entries.capacity())
    }

    /// All vectors, one after the other.
    pub fn into_vectors(self) -> Vec<u64> {
        self.vectors
    }

    fn bucket(&self, tag: u32) -> usize {
        tag as usize & (self.entries.len() - 1)
    }

    /// Loads what inserting vectors with these hashes will read. The loads do not depend on each other, so the memory
    /// system works on many at once; done one by one, each would wait for the one before.
    fn warm(&mut self, hashes: impl Iterator<Item = u32>) {
        let mut sum = 0;
        for tag in hashes {
            let entry = self.entries[self.bucket(tag)];
            if (entry >> 32) as u32 == tag && entry != 0 {
                sum ^= self.vectors[(entry as u32 as usize - 1) * self.words];
            }
        }
        self.warmth ^= sum;
    }

    /// The number of a vector, if it is there. `tag` are 32 bits of its hash.
    pub fn find(&self, words: &[u64], tag: u32) -> Option<usize> {
        let mut bucket = self.bucket(tag);
        loop {
            let number = (self.entries[bucket] as u32).checked_sub(1)? as usize;
            if (self.entries[bucket] >> 32) as u32 == tag && same(self.get(number), words) {
                return Some(number);
            }
            bucket = (bucket + 1) & (self.entries.len() - 1);
        }
    }

    /// Adds the vectors of a batch: each with a head before it, whose upper half are 32 bits of the vector's hash. `new` hears the lower half of the heads
    /// of those that were not there.
    pub fn insert_batch(&mut self, batch: &[u64], mut new: impl FnMut(u32)) {
        let stride = self.words + 1;
        for group in batch.chunks(AHEAD * stride) {
            self.warm(group.iter().step_by(stride).map(|&head| (head >> 32) as u32));
            for entry in group.chunks_exact(stride) {
                if self.insert(&entry[1..], (entry[0] >> 32) as u32).is_ok() {
                    new(entry[0] as u32);
                }
            }
        }
    }

    /// Adds a vector; the number of the equal one if there is one already. `tag` are 32 bits of its hash.
    #[inline]
    pub fn insert(&mut self, words: &[u64], tag: u32) -> Result<usize, usize> {
        let mask = self.entries.len() - 1;
        let mut bucket = self.bucket(tag);
        loop {
            let entry = self.entries[bucket];
            if entry == 0 {
                break;
            }
            if (entry >> 32) as u32 == tag {
                let number = entry as u32 as usize - 1;
                if same(self.get(number), words) {
                    return Err(number);
                }
            }
            bucket = (bucket + 1) & mask;
        }
        let number = self.len();
        self.vectors.extend_from_slice(words);
        self.entries[bucket] = (u64::from(tag) << 32) | (number as u64 + 1);
        if number * 8 >= self.entries.len() * 5 {
            self.grow();
        }
        Ok(number)
    }

    fn grow(&mut self) {
        let larger = vec![0; self.entries.len() * 2];
        let entries = std::mem::replace(&mut self.entries, larger);
        let mask = self.entries.len() - 1;
        for entry in entries.into_iter().filter(|&e| e != 0) {
            let mut bucket = self.bucket((entry >> 32) as u32);
            while self.entries[bucket] != 0 {
                bucket = (bucket + 1) & mask;
            }
            self.entries[bucket] = entry;
        }
    }
}
