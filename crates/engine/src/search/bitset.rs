//! Sets of small numbers.

/// A set of small numbers, one bit each. Trailing zero words are not stored, so equal sets are equal values.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a number.
    pub fn insert(&mut self, element: usize) {
        let word = element / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (element % 64);
    }

    /// Whether the number is in the set.
    pub fn contains(&self, element: usize) -> bool {
        self.words.get(element / 64).is_some_and(|w| w >> (element % 64) & 1 == 1)
    }

    /// Whether every element is in `other` too.
    pub fn is_subset(&self, other: &BitSet) -> bool {
        self.words.len() <= other.words.len() && self.words.iter().zip(&other.words).all(|(a, b)| a & !b == 0)
    }

    /// What is in both.
    #[must_use]
    pub fn intersection(&self, other: &BitSet) -> BitSet {
        let mut words: Vec<u64> = self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect();
        while words.last() == Some(&0) {
            words.pop();
        }
        BitSet { words }
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The elements, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(i * 64 + bit)
            })
        })
    }
}

impl FromIterator<usize> for BitSet {
    fn from_iter<I: IntoIterator<Item = usize>>(elements: I) -> Self {
        let mut set = BitSet::new();
        for element in elements {
            set.insert(element);
        }
        set
    }
}
