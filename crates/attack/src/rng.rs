//! Random choices, the same for a seed on every machine.

/// SplitMix64.
pub struct Rng(u64);

impl Rng {
    /// The choices of a seed.
    pub fn new(seed: u64) -> Self {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def0)
    }

    /// Any 64 bits.
    #[allow(clippy::should_implement_trait, reason = "it has no end")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// A number between two, both included.
    pub fn range(&mut self, lo: usize, hi: usize) -> usize {
        lo + self.below(hi - lo + 1)
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, p: u64) -> bool {
        self.next() % 100 < p
    }

    /// One of several, which are not empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// A value for an input: small, near a boundary of some width, or any.
    pub fn value(&mut self) -> u64 {
        match self.below(5) {
            0 => self.next() % 20,
            1 => (self.next() % 20).wrapping_neg(),
            2 => (1u64 << self.below(64)).wrapping_add(self.next() % 3).wrapping_sub(1),
            3 => (1u64 << self.below(64)).wrapping_neg(),
            _ => self.next(),
        }
    }
}
