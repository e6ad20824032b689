//! How far the values of each cell reach among the concrete states that matched an abstract state.

use clinch_ir::layout::Field;

use super::{Strategy, Threshold};
use crate::concrete::Model;

/// The values of one cell in one abstract state: two different ones at least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// The abstract state.
    pub state: u32,
    /// Smallest value.
    pub min: i64,
    /// Largest value, greater than `min`.
    pub max: i64,
}

/// For each abstract state and cell, the minimum of the values, and either their maximum ([Split, sections 4.1, 4.2])
/// or whether there is just one (section 4.3).
#[derive(Debug)]
pub(super) struct Extents {
    fields: Vec<Field>,
    words: usize,
    /// Packed like states.
    min: Vec<u64>,
    upper: Upper,
}

#[derive(Debug)]
enum Upper {
    /// The maxima, packed like states.
    Max(Vec<u64>),
    /// For each abstract state as many words; a bit is set where the cell is not `unique`.
    Spread(Vec<u64>, usize),
}

impl Extents {
    pub(super) fn new(model: &Model<'_>, strategy: Strategy) -> Self {
        let fields = model.layout.cells.clone();
        let upper = match strategy {
            Strategy::MaxOverlap | Strategy::MinSet => Upper::Max(Vec::new()),
            Strategy::MinOnly => Upper::Spread(Vec::new(), fields.len().div_ceil(64)),
        };
        Extents { fields, words: model.layout.words, min: Vec::new(), upper }
    }

    /// A new abstract state, met by this concrete state.
    pub(super) fn push(&mut self, state: &[u64]) {
        self.min.extend_from_slice(state);
        match &mut self.upper {
            Upper::Max(max) => max.extend_from_slice(state),
            Upper::Spread(bits, words) => bits.resize(bits.len() + *words, 0),
        }
    }

    /// Another concrete state, given by its cells, matched the abstract state.
    #[inline]
    pub(super) fn widen(&mut self, number: usize, cells: &[i64]) {
        let min = &mut self.min[number * self.words..][..self.words];
        match &mut self.upper {
            Upper::Max(max) => {
                let max = &mut max[number * self.words..][..self.words];
                for (field, &value) in self.fields.iter().zip(cells) {
                    if value < field.get(min) {
                        field.set(min, value);
                    }
                    if value > field.get(max) {
                        field.set(max, value);
                    }
                }
            }
            Upper::Spread(bits, words) => {
                let bits = &mut bits[number * *words..][..*words];
                for (cell, (field, &value)) in self.fields.iter().zip(cells).enumerate() {
                    let least = field.get(min);
                    bits[cell / 64] |= u64::from(value != least) << (cell % 64);
                    if value < least {
                        field.set(min, value);
                    }
                }
            }
        }
    }

    /// Whether the extents of an abstract state cover a concrete one, given by its cells.
    pub(super) fn cover(&self, number: usize, cells: &[i64]) -> bool {
        let min = &self.min[number * self.words..][..self.words];
        self.fields.iter().zip(cells).enumerate().all(|(cell, (field, &value))| match &self.upper {
            Upper::Max(max) => (field.get(min)..=field.get(&max[number * self.words..][..self.words])).contains(&value),
            Upper::Spread(bits, words) => {
                let spread = bits[number * words + cell / 64] >> (cell % 64) & 1 != 0;
                value == field.get(min) || spread && value > field.get(min)
            }
        })
    }

    /// `Eligible(Phi)` cell by cell: the segments of all abstract states. Empty where maxima are not kept.
    pub(super) fn segments(&self) -> Vec<Vec<Segment>> {
        let mut segments = vec![Vec::new(); self.fields.len()];
        let Upper::Max(max) = &self.upper else { return segments };
        let both = self.min.chunks_exact(self.words).zip(max.chunks_exact(self.words));
        for (number, (min, max)) in both.enumerate().filter(|(_, (min, max))| min != max) {
            for (field, segments) in self.fields.iter().zip(&mut segments) {
                let (min, max) = (field.get(min), field.get(max));
                if min != max {
                    segments.push(Segment { state: number as u32, min, max });
                }
            }
        }
        segments
    }

    /// `Eligible(Phi)` state by state: for each member, `x > min(x)` for all its cells that are not unique. Empty where
    /// uniqueness is not kept.
    pub(super) fn spread_cells(&self) -> impl Iterator<Item = Vec<Threshold>> {
        let (bits, words) = match &self.upper {
            Upper::Spread(bits, words) => (bits.as_slice(), (*words).max(1)),
            Upper::Max(_) => (&[][..], 1),
        };
        let states = bits.chunks_exact(words).zip(self.min.chunks_exact(self.words));
        states.filter(|(bits, _)| bits.iter().any(|&b| b != 0)).map(|(bits, min)| {
            let spread = (0..self.fields.len()).filter(|cell| bits[cell / 64] >> (cell % 64) & 1 != 0);
            spread.map(|cell| Threshold { cell: cell as u32, above: self.fields[cell].get(min) }).collect()
        })
    }
}
