//! Sets of transitions, as bits.

use crate::program::{Program, TransId};

/// A set of transitions of a program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TransitionSet(Box<[u64]>);

impl TransitionSet {
    /// No transition of a program.
    pub fn empty(program: &Program) -> Self {
        TransitionSet(vec![0; program.transitions.len().div_ceil(64)].into())
    }

    /// Every transition of a program.
    pub fn all(program: &Program) -> Self {
        let mut all = Self::empty(program);
        program.transition_ids().for_each(|id| all.insert(id));
        all
    }

    /// Adds a transition.
    pub fn insert(&mut self, id: TransId) {
        self.0[id.index() / 64] |= 1 << (id.index() % 64);
    }

    /// Adds all of another set.
    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, others)| *mine |= others);
    }

    /// Removes all.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Whether a transition is in it.
    pub fn contains(&self, id: TransId) -> bool {
        self.0.get(id.index() / 64).is_some_and(|word| word >> (id.index() % 64) & 1 == 1)
    }

    /// Whether all of another set are in it.
    pub fn includes(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(mine, others)| others & !mine == 0)
    }

    /// How many of another set are not in it.
    pub fn lacks(&self, other: &Self) -> u32 {
        self.0.iter().zip(&other.0).map(|(mine, others)| (others & !mine).count_ones()).sum()
    }

    /// Its transitions, ascending.
    pub fn iter(&self) -> impl Iterator<Item = TransId> + '_ {
        let bits = |(word, &bits): (usize, &u64)| {
            let rest = std::iter::successors(Some(bits), |bits| Some(bits & (bits - 1)));
            rest.take_while(|&bits| bits != 0).map(move |bits| word * 64 + bits.trailing_zeros() as usize)
        };
        self.0.iter().enumerate().flat_map(bits).map(TransId::from_index)
    }
}
