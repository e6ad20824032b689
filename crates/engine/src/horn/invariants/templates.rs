//! Linear forms that are bounded, and the bounds that are tried.
//!
//! Forms are single parameters, sums and differences of two, and what the constraints of the clauses compare with
//! constants. Constants of the clauses are the bounds.

use std::collections::BTreeMap;

use clinch_ir::{Application, Clause, HornSystem};
use clinch_terms::{BinOp, Node, Symbol, Term, Terms};
use indexmap::IndexMap;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashMap;

use super::InvariantOptions;
use super::affine::Affine;
use clinch_terms::linear::{Linear, as_symbol};

/// Thresholds of one form.
const MAX_THRESHOLDS: usize = 16;
/// Forms of one predicate that come from constraints.
const MAX_FORMS: usize = 40;
/// Constants that are tried for all parameters.
const MAX_CONSTANTS: usize = 8;
/// Divisors that are tried for all parameters.
const MAX_MODULI: usize = 3;

/// `form <= threshold`, for increasing thresholds.
#[derive(Clone, Debug)]
pub(super) struct Template {
    pub(super) form: Affine,
    thresholds: Vec<BigInt>,
}

impl Template {
    /// The smallest threshold that is no less.
    pub(super) fn threshold(&self, value: &BigRational) -> Option<BigRational> {
        let ceiling = value.ceil().to_integer();
        let at = self.thresholds.partition_point(|t| *t < ceiling);
        self.thresholds.get(at).cloned().map(BigRational::from_integer)
    }
}

/// The forms of a predicate with their thresholds; a form and its negation stand together, under the one whose first
/// coefficient is positive.
type Forms = IndexMap<Affine, Vec<BigInt>>;

/// The templates of each predicate.
pub(super) fn templates(system: &HornSystem, options: &InvariantOptions) -> Vec<Vec<Template>> {
    let mut forms: Vec<Forms> = vec![Forms::default(); system.predicates.len()];
    let mut constants = Vec::new();
    for clause in &system.clauses {
        let atoms = atoms_of(&system.terms, clause, &mut constants);
        for application in clause.body.iter().chain(&clause.head) {
            let projection = Projection::new(&system.terms, application, Preference::First);
            let forms = &mut forms[application.predicate.index()];
            atoms.iter().filter_map(|a| projection.project(a)).for_each(|form| insert(forms, &form));
        }
    }
    for _ in 0..options.propagation {
        system.clauses.iter().for_each(|c| propagate(system, c, &mut forms));
    }
    constants.sort_by_key(|c: &BigInt| (c.abs(), c.is_negative()));
    constants.dedup();
    constants.truncate(MAX_CONSTANTS);
    let predicates = forms.into_iter().zip(&system.predicates);
    predicates.map(|(forms, p)| complete(&system.terms, &p.params, forms, &constants, options)).collect()
}

/// The comparisons of a clause as sums that are compared with zero; constants are collected.
fn atoms_of(terms: &Terms, clause: &Clause, constants: &mut Vec<BigInt>) -> Vec<Sum> {
    let mut atoms = Vec::new();
    terms.visit(clause.constraint, &mut |node| {
        if let Node::Binary(BinOp::Le | BinOp::Lt | BinOp::Eq, a, b) = node
            && let Some(atom) = Linear::difference(terms, a, b)
        {
            constants.extend([BigInt::from(atom.constant), -BigInt::from(atom.constant)]);
            atoms.push(Sum::of(&atom));
        }
    });
    let args = clause.body.iter().chain(&clause.head).flat_map(|a| &a.args);
    constants.extend(args.filter_map(|&t| terms.as_integer(t)));
    atoms
}

/// A sum over the symbols of a clause, compared with zero.
#[derive(Default)]
pub(super) struct Sum {
    summands: BTreeMap<Term, BigInt>,
    constant: BigInt,
}

impl Sum {
    pub(super) fn of(linear: &Linear) -> Sum {
        let mut sum = Sum::default();
        sum.add(linear, &BigInt::one());
        sum
    }

    fn add(&mut self, linear: &Linear, factor: &BigInt) {
        for (&t, &c) in &linear.summands {
            *self.summands.entry(t).or_default() += factor * c;
        }
        self.constant += factor * linear.constant;
    }

    /// A form over parameters, of the arguments.
    pub(super) fn of_arguments(terms: &Terms, form: &Affine, args: &[Term]) -> Option<Sum> {
        let mut sum = Sum { constant: form.constant.clone(), ..Sum::default() };
        for (&i, c) in &form.coefficients {
            sum.add(&Linear::of(terms, args[i])?, c);
        }
        Some(sum)
    }
}

/// Which of several parameters with the same argument stands for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Preference {
    First,
    Last,
}

/// Writes sums over the symbols of a clause as forms over the parameters of one of its applications.
pub(super) struct Projection {
    /// For symbols the forms that they equal.
    definitions: BTreeMap<Term, Affine>,
}

impl Projection {
    pub(super) fn new(terms: &Terms, application: &Application, preference: Preference) -> Projection {
        let mut definitions = BTreeMap::new();
        for (i, &arg) in application.args.iter().enumerate() {
            let Some(linear) = Linear::of(terms, arg) else { continue };
            let mut summands = linear.summands.iter();
            if let (Some((&t, &c @ (1 | -1))), None) = (summands.next(), summands.next())
                && as_symbol(terms, t).is_some_and(|s| terms.symbol_sort(s).is_numeric())
            {
                // The argument is `c * symbol + constant`.
                let mut form = Affine::parameter(i);
                form.constant = -BigInt::from(linear.constant);
                if preference == Preference::Last || !definitions.contains_key(&t) {
                    definitions.insert(t, form.scaled(&c.into()));
                }
            }
        }
        Projection { definitions }
    }

    /// The symbols with the terms over `params` that they equal.
    pub(super) fn in_terms_of(&self, terms: &mut Terms, params: &[Term]) -> FxHashMap<Symbol, Term> {
        let mut map = FxHashMap::default();
        for (&symbol, form) in &self.definitions {
            let mut sum = form.sum(terms, params);
            if !form.constant.is_zero() {
                let constant = terms.big(form.constant.clone());
                sum = terms.add(sum, constant);
            }
            map.extend(as_symbol(terms, symbol).map(|s| (s, sum)));
        }
        map
    }

    /// The form, if all symbols are among the arguments.
    pub(super) fn project(&self, sum: &Sum) -> Option<Affine> {
        let mut form = Affine { constant: sum.constant.clone(), ..Affine::default() };
        for (t, c) in &sum.summands {
            form.add(self.definitions.get(t)?, c);
        }
        (!form.coefficients.is_empty()).then_some(form)
    }
}

/// Adds the form with the thresholds at which it is zero, and those near to it.
fn insert(forms: &mut Forms, form: &Affine) {
    let Some((form, threshold)) = canonical(form) else { return };
    if forms.len() < MAX_FORMS || forms.contains_key(&form) {
        let one = BigInt::one();
        forms.entry(form).or_default().extend([&threshold - &one, threshold.clone(), threshold + one]);
    }
}

/// `form = 0` as `canonical = threshold`, rounded down.
pub(super) fn canonical(form: &Affine) -> Option<(Affine, BigInt)> {
    let (_, first) = form.coefficients.first_key_value()?;
    let divisor = form.content() * first.signum();
    let coefficients = form.coefficients.iter().map(|(&i, c)| (i, c / &divisor)).collect();
    Some((Affine { coefficients, constant: BigInt::default() }, (-&form.constant).div_floor(&divisor)))
}

/// What is compared in one place may matter in another: forms go along the clause from predicate to predicate.
fn propagate(system: &HornSystem, clause: &Clause, forms: &mut [Forms]) {
    let applications: Vec<&Application> = clause.body.iter().chain(&clause.head).collect();
    for to in &applications {
        let projection = Projection::new(&system.terms, to, Preference::First);
        for from in applications.iter().filter(|a| a.predicate != to.predicate) {
            let mut found = Vec::new();
            for (form, thresholds) in &forms[from.predicate.index()] {
                for threshold in thresholds {
                    let form = Affine { constant: -threshold, ..form.clone() };
                    let sum = Sum::of_arguments(&system.terms, &form, &from.args);
                    found.extend(sum.and_then(|s| projection.project(&s)));
                }
            }
            for (form, threshold) in found.iter().filter_map(canonical) {
                let into = &mut forms[to.predicate.index()];
                if into.len() < MAX_FORMS || into.contains_key(&form) {
                    let thresholds = into.entry(form).or_default();
                    if thresholds.len() < MAX_THRESHOLDS && !thresholds.contains(&threshold) {
                        thresholds.push(threshold);
                    }
                }
            }
        }
    }
}

/// Adds single parameters and pairs of them, and makes templates.
fn complete(
    terms: &Terms,
    params: &[Symbol],
    from_atoms: Forms,
    constants: &[BigInt],
    options: &InvariantOptions,
) -> Vec<Template> {
    let numeric: Vec<usize> = (0..params.len()).filter(|&i| terms.symbol_sort(params[i]).is_numeric()).collect();
    let mut forms = Forms::default();
    for &i in &numeric {
        forms.entry(Affine::parameter(i)).or_default().extend(constants.iter().cloned());
    }
    for (form, thresholds) in from_atoms {
        forms.entry(form).or_default().splice(0..0, thresholds);
    }
    if numeric.len() <= options.max_paired {
        for (n, &i) in numeric.iter().enumerate() {
            for &j in &numeric[n + 1..] {
                for sign in [-1, 1] {
                    let mut form = Affine::parameter(i);
                    form.add(&Affine::parameter(j), &sign.into());
                    forms.entry(form).or_default();
                }
            }
        }
    }
    forms.into_iter().flat_map(|(form, thresholds)| both_directions(form, &thresholds)).collect()
}

/// Upper bounds of a form and of its negation.
fn both_directions(form: Affine, thresholds: &[BigInt]) -> [Template; 2] {
    let small = [0, 1, -1].map(BigInt::from);
    let mut up: Vec<BigInt> = Vec::new();
    for t in thresholds.iter().chain(&small) {
        if !up.contains(t) && up.len() < MAX_THRESHOLDS {
            up.push(t.clone());
        }
    }
    up.sort();
    let down: Vec<BigInt> = up.iter().rev().map(|t| -t).collect();
    let negated = form.scaled(&-BigInt::one());
    [Template { form, thresholds: up }, Template { form: negated, thresholds: down }]
}

/// The divisors that the clauses use.
pub(super) fn moduli(system: &HornSystem) -> Vec<BigInt> {
    let mut moduli = Vec::new();
    for clause in &system.clauses {
        for root in clause.body.iter().chain(&clause.head).flat_map(|a| &a.args).chain([&clause.constraint]) {
            system.terms.visit(*root, &mut |node| {
                if let Node::Binary(BinOp::Mod | BinOp::FloorDiv, _, divisor) = node {
                    moduli.extend(system.terms.as_integer(divisor).filter(|d| *d > BigInt::one()));
                }
            });
        }
    }
    moduli.sort();
    moduli.dedup();
    moduli.truncate(MAX_MODULI);
    moduli
}
