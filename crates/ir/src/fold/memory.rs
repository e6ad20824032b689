//! Reads and writes of memory: arrays that are written at many constant indices and few others.

use super::{Folder, is_constant};
use crate::term::{BinOp, Node, Term, Terms};

/// Constant indices that a read at an unknown index is compared with.
const CELLS: usize = 300;

impl Folder {
    /// The array with an element at an index.
    pub fn store(&mut self, terms: &mut Terms, array: Term, index: Term, element: Term) -> Term {
        if let Node::Store(below, at, _) = terms.node(array)
            && at == index
        {
            return terms.store(below, index, element);
        }
        terms.store(array, index, element)
    }

    /// The element at an index.
    pub fn select(&mut self, terms: &mut Terms, array: Term, index: Term) -> Term {
        if is_constant(terms, index) {
            return self.read(terms, array, index);
        }
        if let Node::Ite(c, x, y) = terms.node(index)
            && self.constants(terms, index).is_some()
        {
            let (x, y) = (self.select(terms, array, x), self.select(terms, array, y));
            return self.ite(terms, c, x, y);
        }
        if let Some(&known) = self.reads.get(&(array, index)) {
            return known;
        }
        let result = self.read_somewhere(terms, array, index);
        self.reads.insert((array, index), result);
        result
    }

    /// The element at a constant index: behind writes at other constants, and in both branches of a choice.
    fn read(&mut self, terms: &mut Terms, array: Term, index: Term) -> Term {
        let mut at = array;
        while let Node::Store(below, place, element) = terms.node(at) {
            if place == index {
                return element;
            }
            if !is_constant(terms, place) {
                break;
            }
            at = below;
        }
        if let Some(&known) = self.reads.get(&(at, index)) {
            return known;
        }
        let result = match terms.node(at) {
            Node::Store(below, place, element) => {
                let below = self.read(terms, below, index);
                let same = self.binary(terms, BinOp::Eq, place, index);
                self.ite(terms, same, element, below)
            }
            Node::Ite(c, x, y) => {
                let (x, y) = (self.read(terms, x, index), self.read(terms, y, index));
                self.ite(terms, c, x, y)
            }
            Node::ConstArray(_, element) => element,
            _ => terms.intern(Node::Binary(BinOp::Select, at, index)),
        };
        self.reads.insert((at, index), result);
        result
    }

    /// The element at an unknown index: one of those at the constant indices that were written, or another one.
    fn read_somewhere(&mut self, terms: &mut Terms, array: Term, index: Term) -> Term {
        let Some(places) = written(terms, array) else {
            return self.read_in_order(terms, array, index);
        };
        let other = self.without_constants(terms, array);
        let mut result = self.read_in_order(terms, other, index);
        for place in places.into_iter().rev() {
            let same = self.binary(terms, BinOp::Eq, index, place);
            if !matches!(terms.node(same), Node::Bool(false)) {
                let element = self.read(terms, array, place);
                result = self.ite(terms, same, element, result);
            }
        }
        result
    }

    /// The element at an index, write by write.
    fn read_in_order(&mut self, terms: &mut Terms, array: Term, index: Term) -> Term {
        match terms.node(array) {
            Node::Store(below, place, element) => {
                if place == index {
                    return element;
                }
                let below = self.read_in_order(terms, below, index);
                let same = self.binary(terms, BinOp::Eq, place, index);
                self.ite(terms, same, element, below)
            }
            Node::ConstArray(_, element) => element,
            _ => terms.intern(Node::Binary(BinOp::Select, array, index)),
        }
    }

    /// The array without its writes at constant indices.
    fn without_constants(&mut self, terms: &mut Terms, array: Term) -> Term {
        let mut at = array;
        while let Node::Store(below, place, _) = terms.node(at)
            && is_constant(terms, place)
        {
            at = below;
        }
        if let Some(&known) = self.stripped.get(&at) {
            return known;
        }
        let result = match terms.node(at) {
            Node::Store(below, place, element) => {
                let below = self.without_constants(terms, below);
                self.store(terms, below, place, element)
            }
            Node::Ite(c, x, y) => {
                let (x, y) = (self.without_constants(terms, x), self.without_constants(terms, y));
                self.ite(terms, c, x, y)
            }
            _ => at,
        };
        self.stripped.insert(at, result);
        result
    }
}

/// The constant indices at which an array was written, ascending by number; none if they are too many.
fn written(terms: &Terms, array: Term) -> Option<Vec<Term>> {
    let mut seen = rustc_hash::FxHashSet::default();
    let (mut places, mut waiting) = (rustc_hash::FxHashSet::default(), vec![array]);
    while let Some(at) = waiting.pop() {
        if !seen.insert(at) {
            continue;
        }
        match terms.node(at) {
            Node::Store(below, place, _) => {
                if is_constant(terms, place) {
                    places.insert(place);
                }
                waiting.push(below);
            }
            Node::Ite(_, x, y) => waiting.extend([x, y]),
            _ => {}
        }
        if places.len() > CELLS {
            return None;
        }
    }
    #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
    let mut places: Vec<Term> = places.into_iter().collect();
    places.sort_unstable();
    Some(places)
}
