//! Candidates for invariants, from templates over what a loop is about: the values that are written, bounds, orders, sums, parities.
//!
//! Nothing here has to be true. What is too much costs time; what is missing costs a proof.

use std::collections::{BTreeMap, BTreeSet};

use clinch_ir::cfa::{CfaProgram, Op, ProcedureId, Target};
use clinch_terms::{BinOp, LocId, Node, Sort, Term, Terms};

use super::domains::Domains;
use super::floats::{Chain, FloatFacts};
use super::memory::about_memory;
use super::places::{Place, live_around, places, places_in};
use super::polynomials::{Equalities, equalities};
use crate::bounded::Bounded;
use crate::bounded::cut::CutLoop;
use crate::share::{self, Concrete};

/// The most candidates of one loop.
const MOST: usize = 400;
/// The most constants that a place is compared with.
const CONSTANTS: usize = 8;
/// Places of which pairs, and of which sums are made.
const IN_PAIRS: usize = 12;
const IN_SUMS: usize = 6;

/// A head of a loop.
type Head = (ProcedureId, LocId);

/// Candidates for all loops.
#[derive(Default)]
pub(super) struct Proposed {
    pub(super) formulas: Vec<(Head, Term)>,
    /// Equalities of products: dear in bits.
    pub(super) products: Vec<(Head, Term)>,
    /// Bounds of floats.
    pub(super) chains: Vec<(Head, Chain)>,
}

/// Proposes candidates for all loops; states that runs were in suggest equalities.
pub(super) fn propose(
    bounded: &mut Bounded<'_>,
    loops: &BTreeMap<Head, CutLoop>,
    states: &BTreeMap<share::Place, Vec<Concrete>>,
) -> Proposed {
    let program = bounded.layout.program;
    let (domains, constants, floats) = (Domains::new(program), Constants::new(program), FloatFacts::new(program));
    let mut all = Proposed::default();
    for (&head, cut) in loops {
        let (layout, terms) = bounded.parts();
        let places = places(layout, terms, head, cut);
        let at = share::Place { procedure: head.0, location: head.1 };
        let seen = states.get(&at).map_or(&[][..], Vec::as_slice);
        let around = live_around(layout, terms, head, &places);
        let Equalities { linear, products } = equalities(terms, &[&places[..], &around].concat(), seen);
        all.products.extend(products.into_iter().map(|formula| (head, formula)));
        let mut templates = Templates { terms, found: Vec::new(), known: BTreeSet::new() };
        linear.into_iter().for_each(|formula| templates.add(formula));
        templates.values(&places, &domains);
        let about_memory = about_memory(layout, templates.terms, head);
        about_memory.into_iter().for_each(|formula| templates.add(formula));
        let (numbers, places): (Vec<Place>, Vec<Place>) = places.into_iter().partition(|place| floats.contains(place));
        for place in numbers.iter().filter(|place| place.changed) {
            let chains = floats.chains(templates.terms, place);
            all.chains.extend(chains.into_iter().map(|chain| (head, chain)));
        }
        templates.bounds(&places, &constants);
        templates.orders(&places);
        templates.sums(&places);
        templates.parities(&places, &constants);
        templates.found.truncate(MOST);
        all.formulas.extend(templates.found.into_iter().map(|formula| (head, formula)));
    }
    all
}

/// The constants of a program, by the places that they have to do with.
struct Constants {
    of: BTreeMap<Term, BTreeSet<u64>>,
    /// Divisors.
    moduli: BTreeSet<u64>,
}

impl Constants {
    fn new(program: &CfaProgram) -> Self {
        let mut constants = Constants { of: BTreeMap::new(), moduli: BTreeSet::new() };
        for op in program.procedures.iter().flat_map(|p| &p.edges).map(|edge| &edge.op) {
            if let Op::Assign(assigns) = op {
                for assign in assigns {
                    let written = match assign.target {
                        Target::Var(symbol) => program.terms.find(Node::Symbol(symbol)),
                        Target::Cell(..) => None,
                    };
                    if let (Some(written), Some(value)) = (written, constant(&program.terms, assign.value)) {
                        constants.of.entry(written).or_default().insert(value);
                    }
                }
            }
            op.terms().into_iter().for_each(|term| constants.compared(&program.terms, term));
        }
        for global in &program.globals {
            if let (Some(place), Some(value)) =
                (program.terms.find(Node::Symbol(global.symbol)), constant(&program.terms, global.init))
            {
                constants.of.entry(place).or_default().insert(value);
            }
        }
        constants
    }

    /// What a term compares with constants.
    fn compared(&mut self, terms: &Terms, term: Term) {
        for part in terms.parts(term) {
            let Node::Binary(op, a, b) = terms.node(part) else { continue };
            if matches!(op, BinOp::BvUrem | BinOp::BvSrem | BinOp::Rem | BinOp::Mod | BinOp::BvUdiv | BinOp::BvSdiv) {
                self.moduli.extend(constant(terms, b));
            }
            if !matches!(op, BinOp::Eq | BinOp::Le | BinOp::Lt) && !op.compares_bit_vectors() {
                continue;
            }
            for (side, other) in [(a, b), (b, a)] {
                let Some(value) = constant(terms, side) else { continue };
                for place in places_in(terms, other) {
                    self.of.entry(place).or_default().insert(value);
                }
            }
        }
    }

    /// Those of a place, the smallest ones first.
    fn get(&self, place: Term) -> impl Iterator<Item = u64> {
        let own = self.of.get(&place).into_iter().flatten().copied();
        let mut all: Vec<u64> = own.chain([0, 1]).collect();
        all.sort_by_key(|&value| (value as i64).unsigned_abs());
        all.dedup();
        all.into_iter().take(CONSTANTS)
    }
}

fn constant(terms: &Terms, term: Term) -> Option<u64> {
    match terms.node(term) {
        Node::BitVec(_, bits) => Some(bits),
        Node::Int(value) => Some(value as u64),
        Node::Extend { of, signed: false, .. } => constant(terms, of),
        _ => None,
    }
}

/// Makes formulas.
struct Templates<'a> {
    terms: &'a mut Terms,
    found: Vec<Term>,
    known: BTreeSet<Term>,
}

impl Templates<'_> {
    fn add(&mut self, formula: Term) {
        if !matches!(self.terms.node(formula), Node::Bool(_)) && self.known.insert(formula) {
            self.found.push(formula);
        }
    }

    /// One of the values that are written.
    fn values(&mut self, places: &[Place], domains: &Domains) {
        for place in places.iter().filter(|place| place.changed) {
            let Node::Symbol(symbol) = self.terms.node(place.term) else { continue };
            let Some(values) = domains.get(symbol) else { continue };
            let equal: Vec<Term> = values.iter().filter_map(|&v| self.equals(place.term, v)).collect();
            let one = self.terms.any(equal);
            self.add(one);
        }
    }

    /// At most, at least, exactly.
    fn bounds(&mut self, places: &[Place], constants: &Constants) {
        for place in places.iter().filter(|place| place.changed) {
            if self.terms.sort(place.term) == Sort::Bool {
                self.add(place.term);
                let not = self.terms.not(place.term);
                self.add(not);
                continue;
            }
            for value in constants.get(place.term) {
                let Some(value) = self.value(place.term, value) else { continue };
                let (most, least) = (self.at_most(place, place.term, value), self.at_most(place, value, place.term));
                let exactly = self.terms.eq(place.term, value);
                [most, least, exactly].into_iter().for_each(|formula| self.add(formula));
            }
        }
    }

    /// Orders of two places of which at least one changes.
    fn orders(&mut self, places: &[Place]) {
        let first = &places[..places.len().min(IN_PAIRS)];
        for (i, a) in first.iter().enumerate().filter(|(_, a)| a.changed) {
            for (j, b) in first.iter().enumerate() {
                if i == j || (b.changed && j < i) || self.terms.sort(a.term) != self.terms.sort(b.term) {
                    continue;
                }
                let equal = self.terms.eq(a.term, b.term);
                self.add(equal);
                if self.terms.sort(a.term) == Sort::Bool {
                    continue;
                }
                let (most, least) = (self.at_most(a, a.term, b.term), self.at_most(a, b.term, a.term));
                let (more, less) = (self.terms.not(most), self.terms.not(least));
                [most, least, more, less].into_iter().for_each(|formula| self.add(formula));
            }
        }
    }

    /// One place beside the sum of two others, or twice another one.
    fn sums(&mut self, places: &[Place]) {
        let first = &places[..places.len().min(IN_SUMS)];
        for a in first {
            for (i, b) in first.iter().enumerate() {
                for c in &first[i..] {
                    let sorts = [b.term, c.term].map(|t| self.terms.sort(t));
                    if sorts.iter().any(|sort| *sort != self.terms.sort(a.term) || *sort == Sort::Bool)
                        || a.term == b.term
                        || a.term == c.term
                    {
                        continue;
                    }
                    let op = if sorts[0] == Sort::Int { BinOp::Add } else { BinOp::BvAdd };
                    let sum = self.terms.binary(op, b.term, c.term);
                    let equal = self.terms.eq(a.term, sum);
                    let (most, least) = (self.at_most(a, a.term, sum), self.at_most(a, sum, a.term));
                    [equal, most, least].into_iter().for_each(|formula| self.add(formula));
                }
            }
        }
    }

    /// Remainders of 0 and 1.
    fn parities(&mut self, places: &[Place], constants: &Constants) {
        for place in places.iter().filter(|place| place.changed) {
            if self.terms.sort(place.term) == Sort::Bool {
                continue;
            }
            for modulus in constants.moduli.iter().copied().filter(|m| (3..64).contains(m)).take(3).chain([2]) {
                let is_int = self.terms.sort(place.term) == Sort::Int;
                // Bits are cheaper than divisions.
                let (op, by) = match is_int {
                    true => (BinOp::Mod, modulus),
                    false if modulus.is_power_of_two() => (BinOp::BvAnd, modulus - 1),
                    false => (BinOp::BvUrem, modulus),
                };
                let Some(by) = self.value(place.term, by) else { continue };
                let rest = self.terms.binary(op, place.term, by);
                for value in 0..2 {
                    let formula = self.equals(rest, value);
                    formula.into_iter().for_each(|formula| self.add(formula));
                }
            }
        }
    }

    fn at_most(&mut self, place: &Place, a: Term, b: Term) -> Term {
        let op = match (self.terms.sort(place.term), place.signed) {
            (Sort::Int, _) => BinOp::Le,
            (_, true) => BinOp::BvSle,
            (_, false) => BinOp::BvUle,
        };
        self.terms.binary(op, a, b)
    }

    fn equals(&mut self, term: Term, value: u64) -> Option<Term> {
        let value = self.value(term, value)?;
        Some(self.terms.eq(term, value))
    }

    /// A constant of the sort of a term, if it is one of its values.
    fn value(&mut self, like: Term, value: u64) -> Option<Term> {
        match self.terms.sort(like) {
            Sort::BitVec(64) => Some(self.terms.bit_vec(64, value)),
            Sort::BitVec(width) if value >> width == 0 => Some(self.terms.bit_vec(width, value)),
            // The constant was read as a wider number.
            Sort::BitVec(width) if is_small_negative(value, width) => {
                Some(self.terms.bit_vec(width, value & ((1 << width) - 1)))
            }
            Sort::Int => Some(self.terms.int(value as i64)),
            _ => None,
        }
    }
}

/// Whether a number of 64 or 32 bits is a negative one that fits.
fn is_small_negative(value: u64, width: u32) -> bool {
    let signed = if value >> 32 == 0 { i64::from(value as u32 as i32) } else { value as i64 };
    signed < 0 && signed >= -(1 << (width - 1))
}
