//! What is known of tracked variables.

use rustc_hash::FxHashMap;

use clinch_terms::{Node, Symbol, Term, Terms};

/// Cells of one region that may be known.
const CELLS: usize = 64;

/// What is known of tracked variables: of a scalar its value; of a region some of its cells, as the region with these constants
/// stored at constant addresses (ascending). A variable that is not here may have any value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Valuation(Box<[(Symbol, Term)]>);

impl Valuation {
    pub(super) fn new(mut known: Vec<(Symbol, Term)>) -> Self {
        known.sort_unstable();
        Valuation(known.into())
    }

    /// The variables with what is known of them, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, Term)> + '_ {
        self.0.iter().copied()
    }

    /// What is known of a variable.
    pub fn get(&self, symbol: Symbol) -> Option<Term> {
        self.0.binary_search_by_key(&symbol, |(s, _)| *s).ok().map(|i| self.0[i].1)
    }

    /// As a substitution.
    pub fn values(&self) -> FxHashMap<Symbol, Term> {
        self.iter().collect()
    }

    /// As a formula.
    pub fn formula(&self, terms: &mut Terms) -> Term {
        let mut facts = Vec::new();
        for (symbol, value) in self.iter() {
            let own = terms.symbol(symbol);
            match terms.node(value) {
                Node::Store(..) => {
                    for (address, contents) in cells(terms, value).0 {
                        let cell = terms.select(own, address);
                        facts.push(terms.eq(cell, contents));
                    }
                }
                _ => facts.push(terms.eq(own, value)),
            }
        }
        terms.all(facts)
    }
}

pub(super) fn is_constant(terms: &Terms, term: Term) -> bool {
    matches!(terms.node(term), Node::BitVec(..) | Node::BigBitVec(..) | Node::Int(_) | Node::Big(_) | Node::Bool(_))
}

/// What is constant of a variable's value. Cells at addresses that the program names count where all cells are the same.
pub(super) fn constant_part(terms: &mut Terms, symbol: Symbol, value: Term, named: &[Term]) -> Option<Term> {
    if is_constant(terms, value) {
        return Some(value);
    }
    if !matches!(terms.node(value), Node::Store(..) | Node::ConstArray(..)) {
        return None;
    }
    let (mut known, rest) = cells(terms, value);
    if let Node::ConstArray(_, element) = terms.node(rest) {
        for &address in named {
            if !known.iter().any(|(a, _)| *a == address) {
                known.push((address, element));
            }
        }
    }
    known.retain(|&(_, contents)| is_constant(terms, contents));
    if known.is_empty() || known.len() > CELLS {
        return None;
    }
    let own = terms.symbol(symbol);
    Some(with_cells(terms, own, known))
}

/// The cells written at constant addresses on top of an array, the last write to each, and what is below.
fn cells(terms: &Terms, mut array: Term) -> (Vec<(Term, Term)>, Term) {
    let mut found: Vec<(Term, Term)> = Vec::new();
    while let Node::Store(below, address, contents) = terms.node(array) {
        if !is_constant(terms, address) {
            break;
        }
        if !found.iter().any(|(a, _)| *a == address) {
            found.push((address, contents));
        }
        array = below;
    }
    (found, array)
}

fn with_cells(terms: &mut Terms, array: Term, mut cells: Vec<(Term, Term)>) -> Term {
    cells.sort_unstable();
    cells.into_iter().fold(array, |array, (address, contents)| terms.store(array, address, contents))
}

/// The array without what `known` says of it: the cells there may be anything.
pub(super) fn without(terms: &mut Terms, array: Term, known: Term) -> Term {
    let (of_known, _) = cells(terms, known);
    let (mut rest, base) = cells(terms, array);
    rest.retain(|(address, _)| !of_known.iter().any(|(a, _)| a == address));
    with_cells(terms, base, rest)
}

/// The array with what `known` says of it on top.
pub(super) fn with(terms: &mut Terms, array: Term, known: Term) -> Term {
    let (of_known, _) = cells(terms, known);
    let mut own = of_known;
    own.sort_unstable();
    own.into_iter().fold(array, |array, (address, contents)| terms.store(array, address, contents))
}
