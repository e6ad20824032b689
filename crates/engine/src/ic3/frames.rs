//! What is known of runs that are not long: for each location, cubes that runs of so many blocks do not reach.

use clinch_smt::{Gates, Lit};

use super::cube::Cube;

/// A cube that no run reaches in so many blocks.
#[derive(Clone, Debug)]
pub(super) struct Lemma {
    pub(super) cube: Cube,
    pub(super) level: usize,
}

/// The lemmas of a location. `F_k` is all of them whose level is at least `k`.
#[derive(Debug, Default)]
pub(super) struct Frames {
    lemmas: Vec<Lemma>,
    /// Assumed to have the lemmas of just this level.
    active: Vec<Lit>,
}

impl Frames {
    pub(super) fn lemmas(&self) -> &[Lemma] {
        &self.lemmas
    }

    /// What is to be assumed for `F_k`.
    pub(super) fn assumptions(&self, level: usize) -> impl Iterator<Item = Lit> {
        self.active.iter().skip(level).copied()
    }

    /// Whether a lemma says that a cube is not reached.
    pub(super) fn excludes(&self, cube: &Cube, level: usize) -> bool {
        self.lemmas.iter().any(|lemma| lemma.level >= level && lemma.cube.contains(cube))
    }

    /// Adds a lemma, of which `literals` are the bits; weaker ones go.
    pub(super) fn add(&mut self, gates: &mut Gates, lemma: Lemma, literals: impl Iterator<Item = Lit>) {
        while self.active.len() <= lemma.level {
            self.active.push(gates.fresh());
        }
        let active = self.active[lemma.level];
        gates.add(literals.map(|literal| !literal).chain([!active]));
        self.lemmas.retain(|old| old.level > lemma.level || !lemma.cube.contains(&old.cube));
        self.lemmas.push(lemma);
    }
}
