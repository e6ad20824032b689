//! Arrays that are written down element by element.

use clinch_terms::{Node, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::part::{Domain, hull, signed};

/// What an array holds.
#[derive(Clone)]
pub(super) struct Table {
    /// At known places, in their order.
    known: Vec<(i128, usize)>,
    /// What may be at any place, and what is at all other ones.
    anywhere: Vec<usize>,
    other: usize,
}

/// The most elements of an array that are looked at.
const ELEMENTS: usize = 4_096;

impl Table {
    pub(super) fn read(terms: &Terms, array: Term, places: &FxHashMap<Term, usize>) -> Option<Table> {
        let (mut known, mut anywhere, mut seen) = (Vec::new(), Vec::new(), FxHashSet::default());
        let mut rest = array;
        for _ in 0..ELEMENTS {
            match terms.node(rest) {
                Node::Store(below, place, element) => {
                    let element = *places.get(&element)?;
                    match terms.node(place) {
                        Node::BitVec(width, bits) => {
                            let place = signed(width, bits);
                            known.extend(seen.insert(place).then_some((place, element)));
                        }
                        _ => anywhere.push(element),
                    }
                    rest = below;
                }
                Node::ConstArray(_, element) => {
                    known.sort_unstable();
                    return Some(Table { known, anywhere, other: *places.get(&element)? });
                }
                _ => return None,
            }
        }
        None
    }

    /// What may be at the places between two.
    pub(super) fn between(&self, (low, high): (i128, i128), domains: &[Domain]) -> Domain {
        let from = self.known.partition_point(|(place, _)| *place < low);
        let to = self.known.partition_point(|(place, _)| *place <= high).max(from);
        let known = self.known[from..to].iter().map(|(_, element)| *element);
        let has_others = high.saturating_sub(low) >= (to - from) as i128;
        let all = known.chain(self.anywhere.iter().copied()).chain(has_others.then_some(self.other));
        all.map(|element| domains[element]).reduce(hull).unwrap_or(domains[self.other])
    }
}
