//! What is known of one predicate: the elements of the abstract domain.

use clinch_terms::{BinOp, Sort, Term, Terms, Value};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::Zero;

use super::affine::{Affine, Hull};
use super::relations::Relations;
use super::templates::Template;

/// For so many points bounds are relaxed to what is needed and not to the next threshold.
const EXACT_POINTS: usize = 3;
/// And for so many if the point is one of a clause without premises: these often have a small range.
const EXACT_FACTS: usize = 16;

/// The values of a predicate's parameters: truth values are 0 and 1, and so are values of other sorts, which do not count.
pub(super) type Point = Vec<BigRational>;

/// The value as a coordinate.
pub(super) fn coordinate(value: Value) -> BigRational {
    match value {
        Value::Int(n) => BigRational::from_integer(n),
        Value::Real(q) => q,
        Value::Bool(b) => BigRational::from_integer(BigInt::from(u8::from(b))),
        Value::BitVec { .. } | Value::Array { .. } => BigRational::zero(),
    }
}

/// The coordinate as a value of a sort.
pub(super) fn value(sort: &Sort, coordinate: &BigRational) -> Option<Value> {
    match sort {
        Sort::Int => Some(Value::Int(coordinate.to_integer())),
        Sort::Real => Some(Value::Real(coordinate.clone())),
        Sort::Bool => Some(Value::Bool(!coordinate.is_zero())),
        _ => None,
    }
}

/// How a point is added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// Everything is kept that the domain can say about all points.
    Join,
    /// The same for a point that needs no premises.
    JoinFact,
    /// What the point violates is dropped.
    Widen,
}

/// A fact about parameters that are not compared in size.
#[derive(Clone, Debug)]
enum Fact {
    /// A Boolean parameter has this value.
    Is(usize, bool),
    /// Two Boolean parameters are equal, or are not.
    Same(usize, usize, bool),
    /// The remainder of an integer parameter.
    Residue(usize, BigInt, BigInt),
    /// A form is not zero.
    Differs(Affine),
    /// One of two forms is zero.
    Either(Affine, Affine),
}

impl Fact {
    fn holds(&self, point: &Point) -> bool {
        match self {
            Fact::Is(i, value) => point[*i].is_zero() != *value,
            Fact::Same(i, j, value) => (point[*i] == point[*j]) == *value,
            Fact::Residue(i, modulus, residue) => point[*i].to_integer().mod_floor(modulus) == *residue,
            Fact::Differs(form) => !form.value(point).is_zero(),
            Fact::Either(a, b) => a.value(point).is_zero() || b.value(point).is_zero(),
        }
    }

    fn term(&self, terms: &mut Terms, args: &[Term]) -> Term {
        match self {
            Fact::Is(i, true) => args[*i],
            Fact::Is(i, false) => terms.not(args[*i]),
            Fact::Same(i, j, value) => {
                let same = terms.eq(args[*i], args[*j]);
                if *value { same } else { terms.not(same) }
            }
            Fact::Residue(i, modulus, residue) => {
                let (modulus, residue) = (terms.big(modulus.clone()), terms.big(residue.clone()));
                let rest = terms.binary(BinOp::Mod, args[*i], modulus);
                terms.eq(rest, residue)
            }
            Fact::Differs(form) => {
                let zero = form.is_zero(terms, args);
                terms.not(zero)
            }
            Fact::Either(a, b) => {
                let (a, b) = (a.is_zero(terms, args), b.is_zero(terms, args));
                terms.or(a, b)
            }
        }
    }
}

/// What is known: all conjuncts hold at all points that were added.
#[derive(Clone, Debug)]
pub(super) struct Element {
    points: usize,
    hull: Hull,
    facts: Vec<Fact>,
    /// Goals that hold.
    pub(super) goals: Vec<Term>,
    /// For each template that is still bounded its position and its bound.
    bounds: Vec<(usize, BigRational)>,
}

impl Element {
    /// The element of one point.
    pub(super) fn of(
        point: &Point,
        sorts: &[Sort],
        templates: &[Template],
        (moduli, relations): (&[BigInt], &Relations),
        goals: Vec<Term>,
    ) -> Element {
        let numeric: Vec<usize> = (0..sorts.len()).filter(|&i| sorts[i].is_numeric()).collect();
        let bounds = templates.iter().enumerate().map(|(i, t)| (i, t.form.value(point))).collect();
        let mut facts = facts_of(point, sorts, moduli);
        facts.extend(relations.compared.iter().cloned().map(Fact::Differs));
        facts.extend(relations.alternatives.iter().cloned().map(|(a, b)| Fact::Either(a, b)));
        facts.retain(|fact| fact.holds(point));
        Element { points: 1, hull: Hull::point(point, &numeric), facts, goals, bounds }
    }

    /// Nothing is known.
    pub(super) fn top() -> Element {
        Element { points: EXACT_FACTS, hull: Hull::default(), facts: Vec::new(), goals: Vec::new(), bounds: Vec::new() }
    }

    /// Adds a point, at which no other goals hold than those given. Whether anything changed.
    pub(super) fn add(&mut self, point: &Point, templates: &[Template], goals: &[Term], mode: Mode) -> bool {
        self.points += 1;
        let mut changed = match mode {
            Mode::Join | Mode::JoinFact => self.hull.join(point),
            Mode::Widen => self.hull.widen(point),
        };
        let before = self.facts.len() + self.goals.len();
        self.facts.retain(|f| f.holds(point));
        self.goals.retain(|g| goals.contains(g));
        changed |= self.facts.len() + self.goals.len() < before;
        let exact = self.points <= if mode == Mode::JoinFact { EXACT_FACTS } else { EXACT_POINTS };
        self.bounds.retain_mut(|(i, bound)| {
            let value = templates[*i].form.value(point);
            if value <= *bound {
                return true;
            }
            changed = true;
            let relaxed = match mode {
                Mode::Widen => None,
                _ if exact => Some(value),
                _ => templates[*i].threshold(&value),
            };
            relaxed.map(|relaxed| *bound = relaxed).is_some()
        });
        changed
    }

    /// The conjuncts at the arguments, what says most first.
    pub(super) fn conjuncts(&self, terms: &mut Terms, args: &[Term], templates: &[Template]) -> Vec<Term> {
        let mut out: Vec<Term> = self.hull.equations.iter().map(|e| e.is_zero(terms, args)).collect();
        out.extend(self.facts.iter().map(|f| f.term(terms, args)));
        for (i, bound) in &self.bounds {
            out.push(at_most(terms, &templates[*i].form, bound, args));
        }
        out
    }
}

/// `form <= bound`.
fn at_most(terms: &mut Terms, form: &Affine, bound: &BigRational, args: &[Term]) -> Term {
    // `-x <= c` reads better as `-c <= x`.
    let negative = form.coefficients.values().all(|c| *c < BigInt::zero());
    let factor = if negative { -bound.denom() } else { bound.denom().clone() };
    let sum = form.scaled(&factor).sum(terms, args);
    if negative {
        let bound = terms.big(-bound.numer());
        terms.le(bound, sum)
    } else {
        let bound = terms.big(bound.numer().clone());
        terms.le(sum, bound)
    }
}

/// Predicates with more Boolean parameters are not asked for equal ones.
const MAX_PAIRED_BOOLEANS: usize = 12;

fn facts_of(point: &Point, sorts: &[Sort], moduli: &[BigInt]) -> Vec<Fact> {
    let booleans: Vec<usize> = (0..sorts.len()).filter(|&i| sorts[i] == Sort::Bool).collect();
    let mut facts: Vec<Fact> = booleans.iter().map(|&i| Fact::Is(i, !point[i].is_zero())).collect();
    if booleans.len() <= MAX_PAIRED_BOOLEANS {
        for (n, &i) in booleans.iter().enumerate() {
            facts.extend(booleans[n + 1..].iter().map(|&j| Fact::Same(i, j, point[i] == point[j])));
        }
    }
    for i in (0..sorts.len()).filter(|&i| sorts[i] == Sort::Int) {
        let residue = |m: &BigInt| Fact::Residue(i, m.clone(), point[i].to_integer().mod_floor(m));
        facts.extend(moduli.iter().map(residue));
    }
    facts
}
