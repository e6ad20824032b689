//! `Phi`, and the abstract states it induces.

use clinch_ir::layout::Field;
use clinch_ir::{Domain, Reason};

use super::Threshold;
use crate::alpha::{Predicates, Scope};
use crate::concrete::{Expander, Model};

/// Domains up to this size have a table from value to rank.
const TABULATED: i64 = 1 << 12;

/// The predicates of a search: constants to compare cells with, and those there were at the start.
///
/// An abstract state is packed like a concrete one, with the *rank* of each cell in place of its value: how many of the
/// cell's constants are below it. There are never more ranks than values, so they fit. The values of the initial
/// predicates follow.
#[derive(Debug)]
pub(super) struct Abstraction<'m> {
    model: &'m Model<'m>,
    /// The bits that hold locations, word by word.
    control: Vec<u64>,
    /// For each cell its constants.
    scales: Vec<Scale>,
    /// The cells that have any.
    compared: Vec<usize>,
    initial: Predicates,
}

/// The constants one cell is compared with.
#[derive(Debug)]
struct Scale {
    field: Field,
    /// Smallest and largest value, if ranks are tabulated.
    bounds: Option<(i64, i64)>,
    /// Sorted, without repetition.
    constants: Vec<i64>,
    /// The rank of each value.
    ranks: Vec<u32>,
}

impl<'m> Abstraction<'m> {
    pub(super) fn new(model: &'m Model<'m>) -> Self {
        let mut control = vec![0; model.layout.words];
        for field in &model.layout.locs {
            control[field.word as usize] |= field.mask << field.shift;
        }
        let scales = model.layout.cells.iter().zip(model.program.cell_domains());
        Abstraction {
            model,
            control,
            scales: scales.map(|(&field, domain)| Scale::new(field, domain)).collect(),
            compared: Vec::new(),
            initial: given(model),
        }
    }

    /// How many predicates there are.
    pub(super) fn len(&self) -> usize {
        self.initial.len() + self.scales.iter().map(|s| s.constants.len()).sum::<usize>()
    }

    /// Words of an abstract state.
    pub(super) fn words(&self) -> usize {
        self.model.layout.words + self.initial.len().div_ceil(64)
    }

    /// Adds predicates.
    pub(super) fn add(&mut self, splits: &[Threshold]) {
        for split in splits {
            self.scales[split.cell as usize].constants.push(split.above);
        }
        self.scales.iter_mut().for_each(Scale::update);
        self.compared = (0..self.scales.len()).filter(|&c| !self.scales[c].constants.is_empty()).collect();
    }

    /// `alpha_Phi(s)` for a packed state that is also loaded.
    #[inline]
    pub(super) fn write_key(&self, state: &[u64], expander: &mut Expander<'_>, key: &mut [u64]) -> Result<(), Reason> {
        let (packed, initial) = key.split_at_mut(self.control.len());
        for ((key, word), mask) in packed.iter_mut().zip(state).zip(&self.control) {
            *key = word & mask;
        }
        let cells = &expander.slots()[self.model.layout.locs.len()..];
        for &cell in &self.compared {
            let scale = &self.scales[cell];
            packed[scale.field.word as usize] |= scale.rank(cells[cell]) << scale.field.shift;
        }
        if self.initial.is_empty() {
            return Ok(());
        }
        initial.fill(0);
        self.initial.write_values(expander, &[], initial)
    }
}

impl Scale {
    fn new(field: Field, domain: &Domain) -> Self {
        let bounds = domain.bounds().filter(|(lo, hi)| hi.saturating_sub(*lo) < TABULATED);
        Scale { field, bounds, constants: Vec::new(), ranks: Vec::new() }
    }

    fn update(&mut self) {
        self.constants.sort_unstable();
        self.constants.dedup();
        if let Some((lo, hi)) = self.bounds {
            self.ranks = (lo..=hi).map(|value| below(&self.constants, value) as u32).collect();
        }
    }

    #[inline]
    fn rank(&self, value: i64) -> u64 {
        match self.bounds {
            Some((lo, _)) => self.ranks[(value - lo) as usize].into(),
            None => below(&self.constants, value) as u64,
        }
    }
}

/// How many of the sorted constants are smaller than the value.
fn below(constants: &[i64], value: i64) -> usize {
    constants.partition_point(|&c| c < value)
}

/// The predicates to start from.
fn given(model: &Model<'_>) -> Predicates {
    let mut terms = model.program.terms.clone();
    let mut given = Predicates::default();
    for &formula in &model.program.predicates {
        given.add(model, &mut terms, formula, Scope::Everywhere);
    }
    given
}
