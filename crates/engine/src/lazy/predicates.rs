//! The predicates: atoms over the program's variables, numbered. Their numbers are the variables of the BDDs.

use clinch_bdd::{Bdd, Literal};
use clinch_terms::predicate::{Atom, atoms};
use clinch_terms::{BinOp, Node, Symbol, Term, Terms, UnOp};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// A predicate, by number.
pub(super) type PredicateId = u32;

/// All predicates in use.
#[derive(Debug, Default)]
pub(super) struct Predicates {
    formulas: IndexSet<Term, FxBuildHasher>,
    symbols: Vec<Box<[Symbol]>>,
}

/// Disjunctions of more conjunctions than this are written as decisions instead.
const CUBES: usize = 64;

impl Predicates {
    pub(super) fn len(&self) -> usize {
        self.formulas.len()
    }

    pub(super) fn formula(&self, predicate: PredicateId) -> Term {
        *self.formulas.get_index(predicate as usize).expect("an id of this list")
    }

    /// The symbols of a predicate, sorted.
    pub(super) fn symbols(&self, predicate: PredicateId) -> &[Symbol] {
        &self.symbols[predicate as usize]
    }

    /// Whether a predicate is about some of these variables.
    pub(super) fn touches(&self, predicate: PredicateId, symbols: &FxHashSet<Symbol>) -> bool {
        self.symbols(predicate).iter().any(|s| symbols.contains(s))
    }

    /// The number of a predicate, and whether its value is the formula's or the opposite: no formula here has a negation in
    /// front.
    pub(super) fn find(&self, terms: &Terms, formula: Term) -> Option<Literal> {
        match terms.node(formula) {
            Node::Unary(UnOp::Not, inner) => self.formulas.get_index_of(&inner).map(|i| (i as u32, false)),
            _ => self.formulas.get_index_of(&formula).map(|i| (i as u32, true)),
        }
    }

    /// The atoms of a formula as predicates. With `split`, an equation between numbers becomes two inequalities.
    pub(super) fn add_atoms(&mut self, terms: &mut Terms, formula: Term, split: bool) -> Vec<PredicateId> {
        let mut found = Vec::new();
        let mut work: Vec<Atom> = atoms(terms, formula);
        work.reverse();
        while let Some(atom) = work.pop() {
            let Atom::Predicate { key, .. } = atom else { continue };
            match terms.node(key) {
                Node::Binary(BinOp::Eq, a, b) if split && terms.sort(a).is_numeric() => {
                    let (le, ge) = (terms.le(a, b), terms.le(b, a));
                    for half in [ge, le] {
                        work.extend(atoms(terms, half));
                    }
                }
                node => {
                    let key = match node {
                        Node::Binary(BinOp::Eq, a, b) => oriented(terms, a, b),
                        _ => key,
                    };
                    let id = self.add(terms, key);
                    if !found.contains(&id) {
                        found.push(id);
                    }
                }
            }
        }
        found
    }

    /// A formula that is one atom as a literal.
    pub(super) fn add_literal(&mut self, terms: &mut Terms, formula: Term) -> Option<Literal> {
        let [Atom::Predicate { term, .. }] = atoms(terms, formula)[..] else { return None };
        let (formula, value) = match terms.node(term) {
            Node::Unary(UnOp::Not, inner) => (inner, false),
            Node::Binary(BinOp::Eq, a, b) => (oriented(terms, a, b), true),
            _ => (term, true),
        };
        Some((self.add(terms, formula), value))
    }

    /// The conjuncts of a formula as predicates, each whole.
    pub(super) fn add_conjuncts(&mut self, terms: &mut Terms, formula: Term, split: bool) -> Vec<PredicateId> {
        let mut found = Vec::new();
        for conjunct in terms.facts(formula) {
            let inner = match terms.node(conjunct) {
                Node::Unary(UnOp::Not, inner) => inner,
                _ => conjunct,
            };
            let new = match terms.node(inner) {
                Node::Binary(BinOp::And | BinOp::Or, ..) | Node::Ite(..) => vec![self.add(terms, inner)],
                _ => self.add_atoms(terms, inner, split),
            };
            found.extend(new);
        }
        found
    }

    fn add(&mut self, terms: &Terms, formula: Term) -> PredicateId {
        let (index, new) = self.formulas.insert_full(formula);
        if new {
            let mut symbols = terms.symbols(formula);
            symbols.sort_unstable();
            symbols.dedup();
            self.symbols.push(symbols.into());
        }
        index as PredicateId
    }

    /// A literal as a formula.
    pub(super) fn literal(&self, terms: &mut Terms, (predicate, value): Literal) -> Term {
        let formula = self.formula(predicate);
        if value { formula } else { terms.not(formula) }
    }

    /// A Boolean combination of predicates as a formula.
    pub(super) fn concretise(&self, terms: &mut Terms, region: &Bdd) -> Term {
        let Some(cubes) = region.cubes(CUBES) else {
            return self.decisions(terms, region, &mut FxHashMap::default());
        };
        let mut disjuncts = Vec::new();
        for cube in cubes {
            let literals: Vec<Term> = cube.into_iter().map(|l| self.literal(terms, l)).collect();
            disjuncts.push(terms.all(literals));
        }
        terms.any(disjuncts)
    }

    fn decisions(&self, terms: &mut Terms, region: &Bdd, memo: &mut FxHashMap<Bdd, Term>) -> Term {
        if let Some(&known) = memo.get(region) {
            return known;
        }
        let formula = match region.split() {
            None => terms.bool(!region.is_false()),
            Some((predicate, then, otherwise)) => {
                let condition = self.formula(predicate);
                let (then, otherwise) = (self.decisions(terms, &then, memo), self.decisions(terms, &otherwise, memo));
                terms.ite(condition, then, otherwise)
            }
        };
        memo.insert(region.clone(), formula);
        formula
    }
}

/// An equation, always the same way round, constants to the right.
fn oriented(terms: &mut Terms, a: Term, b: Term) -> Term {
    let constant = |t: Term| terms.as_bit_vec(t).is_some() || terms.as_integer(t).is_some();
    let swap = (constant(a), a) > (constant(b), b);
    if swap { terms.eq(b, a) } else { terms.eq(a, b) }
}
