//! Reads and writes of memory: arrays that are written at many constant indices and few others.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::{Folder, is_constant};
use crate::{BinOp, Node, Sort, Term, Terms};

/// Constant indices that a read at an unknown index is compared with.
const CELLS: usize = 300;
/// Indices at which two arrays are compared.
const COMPARED: usize = 48;

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
        if let Some(&known) = self.reads.get(&(array, index)) {
            return known;
        }
        let result = match terms.node(index) {
            Node::Ite(c, x, y) if self.constants(terms, index).is_some() => {
                let (x, y) = (self.select(terms, array, x), self.select(terms, array, y));
                self.ite(terms, c, x, y)
            }
            _ => self.read_somewhere(terms, array, index),
        };
        self.reads.insert((array, index), result);
        result
    }

    /// When two terms of one sort differ; nothing if that is hard to say. Arrays are compared where they were written.
    pub fn differ(&mut self, terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
        if a == b {
            return Some(terms.ff());
        }
        if !matches!(terms.sort(a), Sort::Array(_)) {
            let same = self.binary(terms, BinOp::Eq, a, b);
            return Some(self.not(terms, same));
        }
        let mut written = Written::default();
        let few = written.collect(terms, a, false, COMPARED) && written.collect(terms, b, false, COMPARED);
        if !few || written.bases.len() > 1 {
            return None;
        }
        let mut differ = terms.ff();
        for place in written.places {
            let (x, y) = (self.select(terms, a, place), self.select(terms, b, place));
            let same = self.binary(terms, BinOp::Eq, x, y);
            let not = self.not(terms, same);
            differ = self.or(terms, differ, not);
        }
        Some(differ)
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
        if let Node::ConstArray(_, element) = terms.node(array) {
            return element;
        }
        if let Some(&known) = self.reads.get(&(array, index)) {
            return known;
        }
        let result = match terms.node(array) {
            Node::Store(_, place, element) if place == index => element,
            Node::Store(below, place, element) => {
                let below = self.read_in_order(terms, below, index);
                let same = self.binary(terms, BinOp::Eq, place, index);
                self.ite(terms, same, element, below)
            }
            Node::Ite(c, x, y) => {
                let (x, y) = (self.read_in_order(terms, x, index), self.read_in_order(terms, y, index));
                self.ite(terms, c, x, y)
            }
            _ => terms.intern(Node::Binary(BinOp::Select, array, index)),
        };
        self.reads.insert((array, index), result);
        result
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

/// Where an array was written, and what it was before.
#[derive(Default)]
struct Written {
    /// Indices, ascending by number.
    places: BTreeSet<Term>,
    bases: BTreeSet<Term>,
}

impl Written {
    /// Adds the writes of an array at constant or at all indices; false if there are more than `most`.
    fn collect(&mut self, terms: &Terms, array: Term, only_constants: bool, most: usize) -> bool {
        let mut seen = FxHashSet::default();
        let mut waiting = vec![array];
        while let Some(at) = waiting.pop() {
            if !seen.insert(at) {
                continue;
            }
            match terms.node(at) {
                Node::Store(below, place, _) => {
                    if !only_constants || is_constant(terms, place) {
                        self.places.insert(place);
                    }
                    waiting.push(below);
                }
                Node::Ite(_, x, y) => waiting.extend([x, y]),
                _ => _ = self.bases.insert(at),
            }
            if self.places.len() > most {
                return false;
            }
        }
        true
    }
}

/// The constant indices at which an array was written; none if they are too many.
fn written(terms: &Terms, array: Term) -> Option<BTreeSet<Term>> {
    let mut written = Written::default();
    written.collect(terms, array, true, CELLS).then_some(written.places)
}
