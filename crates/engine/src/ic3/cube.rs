//! Sets of states in which some bits have fixed values.

/// A bit of the state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Bit(u32);

impl Bit {
    pub(super) fn new(number: u32) -> Bit {
        Bit(number)
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A conjunction of bits with their values, sorted.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Cube(Box<[(Bit, bool)]>);

impl Cube {
    pub(super) fn new(mut bits: Vec<(Bit, bool)>) -> Cube {
        bits.sort_unstable();
        bits.dedup();
        Cube(bits.into())
    }

    pub(super) fn bits(&self) -> &[(Bit, bool)] {
        &self.0
    }

    /// The cube without the bits that are not wanted.
    pub(super) fn keeping(&self, is_wanted: impl Fn(Bit) -> bool) -> Cube {
        Cube(self.0.iter().copied().filter(|(bit, _)| is_wanted(*bit)).collect())
    }

    /// Whether all states of the other cube are in this one.
    pub(super) fn contains(&self, other: &Cube) -> bool {
        let mut rest = other.0.iter();
        self.0.len() <= other.0.len() && self.0.iter().all(|bit| rest.by_ref().find(|o| o.0 >= bit.0) == Some(bit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubes_with_fewer_bits_are_larger() {
        let cube = |bits: &[(u32, bool)]| Cube::new(bits.iter().map(|&(bit, value)| (Bit::new(bit), value)).collect());
        let small = cube(&[(7, false), (1, true), (3, true)]);
        assert!(cube(&[(1, true), (7, false)]).contains(&small) && cube(&[]).contains(&small));
        assert!(small.contains(&small));
        for other in [cube(&[(1, true), (7, true)]), cube(&[(2, true)]), cube(&[(9, true)])] {
            assert!(!other.contains(&small) && !small.contains(&other), "{other:?}");
        }
        assert_eq!(small.keeping(|bit| bit.index() > 1), cube(&[(3, true), (7, false)]));
    }
}
