//! Arrays as cells: a formula that looks at arrays at few constant places speaks about variables instead, one for each place.
//!
//! Every array is what it holds at these places and the rest. A read elsewhere, at an address that is computed, is one of these
//! variables or a read of the rest. Whatever satisfies the old formula makes the new one true as well, with the contents at
//! these places for the variables, and zeros there in the rest: so a contradiction in the new formula is one in the old.

use std::collections::BTreeSet;

use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

/// More places than these stay in arrays.
const MANY: usize = 512;

/// The variables for cells.
#[derive(Default)]
pub(crate) struct Cells {
    of: FxHashMap<(Symbol, u64), Term>,
}

impl Cells {
    /// The conditions over cells.
    pub(crate) fn separate(&mut self, terms: &mut Terms, conditions: &[Term]) -> Vec<Term> {
        let parts = parts(terms, conditions);
        let places = places(terms, &parts);
        if places.is_empty() || places.len() > MANY {
            return conditions.to_vec();
        }
        let places = places.into_iter().collect();
        let mut pass = Pass { cells: self, places, known: FxHashMap::default(), reads: FxHashMap::default() };
        // Parts come before what they are part of.
        for &part in &parts {
            if !matches!(terms.sort(part), Sort::Array(_)) {
                let separate = pass.separate(terms, part);
                pass.known.insert(part, separate);
            }
        }
        conditions.iter().map(|c| pass.known[c]).collect()
    }
}

fn parts(terms: &Terms, conditions: &[Term]) -> Vec<Term> {
    let mut found: BTreeSet<Term> = BTreeSet::new();
    let mut work = conditions.to_vec();
    while let Some(term) = work.pop() {
        if found.insert(term) {
            work.extend(terms.children(term));
        }
    }
    found.into_iter().collect()
}

/// The constant places that are looked at, of arrays over bit-vectors.
fn places(terms: &Terms, parts: &[Term]) -> BTreeSet<(u32, u64)> {
    let place = |term: Term| match terms.node(term) {
        Node::BitVec(width, value) => Some((width, value)),
        _ => None,
    };
    let of = |&part: &Term| match terms.node(part) {
        Node::Binary(BinOp::Select, _, index) | Node::Store(_, index, _) => place(index),
        _ => None,
    };
    parts.iter().filter_map(of).collect()
}

struct Pass<'a> {
    cells: &'a mut Cells,
    /// Widths of indices, and places.
    places: Vec<(u32, u64)>,
    known: FxHashMap<Term, Term>,
    reads: FxHashMap<(Term, Term), Term>,
}

impl Pass<'_> {
    /// The term, whose parts are known.
    fn separate(&mut self, terms: &mut Terms, term: Term) -> Term {
        match terms.node(term) {
            Node::Binary(BinOp::Select, array, index) => self.read(terms, array, self.known[&index]),
            Node::Binary(BinOp::Eq, a, b) if matches!(terms.sort(a), Sort::Array(_)) => self.equal(terms, a, b),
            _ => {
                let known = &self.known;
                terms.map_children(term, |_, child| known.get(&child).copied().unwrap_or(child))
            }
        }
    }

    /// What an array holds at a place.
    fn read(&mut self, terms: &mut Terms, array: Term, index: Term) -> Term {
        if let Some(&known) = self.reads.get(&(array, index)) {
            return known;
        }
        let value = match terms.node(array) {
            Node::Symbol(symbol) => self.cell(terms, symbol, array, index),
            Node::Store(before, at, value) => {
                let (at, value) = (self.known[&at], self.known[&value]);
                let here = terms.eq(at, index);
                match terms.node(here) {
                    Node::Bool(true) => value,
                    Node::Bool(false) => self.read(terms, before, index),
                    _ => {
                        let otherwise = self.read(terms, before, index);
                        terms.ite(here, value, otherwise)
                    }
                }
            }
            Node::Ite(condition, a, b) => {
                let (condition, a, b) =
                    (self.known[&condition], self.read(terms, a, index), self.read(terms, b, index));
                terms.ite(condition, a, b)
            }
            Node::ConstArray(_, value) => self.known[&value],
            _ => {
                let whole = self.whole(terms, array);
                terms.select(whole, index)
            }
        };
        self.reads.insert((array, index), value);
        value
    }

    fn cell(&mut self, terms: &mut Terms, symbol: Symbol, array: Term, index: Term) -> Term {
        if let Node::BitVec(width, place) = terms.node(index)
            && self.places.contains(&(width, place))
        {
            return self.variable(terms, symbol, place);
        }
        let mut value = terms.select(array, index);
        let Sort::BitVec(width) = terms.sort(index) else { return value };
        for (_, place) in self.places.clone().into_iter().filter(|(w, _)| *w == width) {
            let at = terms.bit_vec(width, place);
            let here = terms.eq(index, at);
            let cell = self.variable(terms, symbol, place);
            value = terms.ite(here, cell, value);
        }
        value
    }

    /// The variable for the cell of an array.
    fn variable(&mut self, terms: &mut Terms, symbol: Symbol, place: u64) -> Term {
        let Sort::Array(of) = terms.symbol_sort(symbol).clone() else { unreachable!("only arrays have cells") };
        let name = || format!("{}[{place}]", terms.symbol_name(symbol));
        match self.cells.of.get(&(symbol, place)) {
            Some(&known) => known,
            None => {
                let name = name();
                let cell = terms.fresh(name, of.1.clone());
                self.cells.of.insert((symbol, place), cell);
                cell
            }
        }
    }

    /// Two arrays are equal: their cells are, and so is the rest.
    fn equal(&mut self, terms: &mut Terms, a: Term, b: Term) -> Term {
        let (Node::Symbol(x), Node::Symbol(y)) = (terms.node(a), terms.node(b)) else {
            let (a, b) = (self.whole(terms, a), self.whole(terms, b));
            return terms.eq(a, b);
        };
        let mut all = vec![terms.eq(a, b)];
        for place in self.places_of(terms, x) {
            let (one, other) = (self.variable(terms, x, place), self.variable(terms, y, place));
            all.push(terms.eq(one, other));
        }
        terms.all(all)
    }

    fn places_of(&self, terms: &Terms, symbol: Symbol) -> Vec<u64> {
        let Sort::Array(of) = terms.symbol_sort(symbol) else { return Vec::new() };
        self.places.iter().filter(|(width, _)| of.0 == Sort::BitVec(*width)).map(|(_, place)| *place).collect()
    }

    /// An array, put together from its cells and the rest.
    fn whole(&mut self, terms: &mut Terms, array: Term) -> Term {
        match terms.node(array) {
            Node::Symbol(symbol) => {
                let Sort::Array(of) = terms.symbol_sort(symbol).clone() else { return array };
                let mut whole = array;
                for place in self.places_of(terms, symbol) {
                    let Sort::BitVec(width) = of.0 else { continue };
                    let (at, cell) = (terms.bit_vec(width, place), self.variable(terms, symbol, place));
                    whole = terms.store(whole, at, cell);
                }
                whole
            }
            Node::Store(before, at, value) => {
                let before = self.whole(terms, before);
                terms.store(before, self.known[&at], self.known[&value])
            }
            Node::Ite(condition, a, b) => {
                let (a, b) = (self.whole(terms, a), self.whole(terms, b));
                terms.ite(self.known[&condition], a, b)
            }
            Node::ConstArray(_, value) => terms.const_array(terms.sort(array), self.known[&value]),
            _ => array,
        }
    }
}
