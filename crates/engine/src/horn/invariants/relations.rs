//! Disequalities and choices between two values as candidates for invariants: `x` differs from `y`, or `x` is `y` or `z`, for what
//! clauses compare.
//!
//! A search stops where it finds something, so no element before that place is equal to it; a property may say that a cell holds one of
//! two values. Affine hulls and bounds can express neither.

use clinch_ir::{Application, Clause, HornSystem};
use clinch_terms::{BinOp, Node, Terms};
use num_bigint::BigInt;

use super::InvariantOptions;
use super::affine::Affine;
use super::templates::{Preference, Projection, Sum, canonical};
use clinch_terms::linear::Linear;

/// Forms of one predicate, and pairs of them.
const MAX_FORMS: usize = 12;

/// The relations to try for one predicate.
#[derive(Clone, Default, Debug)]
pub(super) struct Relations {
    /// Forms that may never be zero.
    pub(super) compared: Vec<Affine>,
    /// Two forms one of which may always be zero.
    pub(super) alternatives: Vec<(Affine, Affine)>,
}

/// The relations to try for each predicate.
pub(super) fn relations(system: &HornSystem, options: &InvariantOptions) -> Vec<Relations> {
    let mut found = vec![Relations::default(); system.predicates.len()];
    if !options.relations {
        return found;
    }
    for clause in &system.clauses {
        let equations = equations(&system.terms, clause);
        for application in clause.body.iter().chain(&clause.head) {
            for preference in [Preference::First, Preference::Last] {
                let projection = Projection::new(&system.terms, application, preference);
                let forms: Vec<Affine> = equations.iter().filter_map(|sum| projection.project(sum)).collect();
                let into = &mut found[application.predicate.index()];
                forms.iter().for_each(|form| into.add(form));
                if clause.head.is_none() {
                    equal_arguments(system, application).iter().for_each(|form| into.add(form));
                    into.add_alternatives(&forms);
                }
            }
        }
    }
    for _ in 0..options.propagation {
        system.clauses.iter().for_each(|clause| propagate(system, clause, &mut found));
    }
    found
}

impl Relations {
    fn add(&mut self, form: &Affine) {
        if let Some(form) = normal(form)
            && self.compared.len() < MAX_FORMS
            && !self.compared.contains(&form)
        {
            self.compared.push(form);
        }
    }

    fn add_alternatives(&mut self, forms: &[Affine]) {
        let forms: Vec<Affine> = forms.iter().filter_map(normal).collect();
        for (i, a) in forms.iter().enumerate() {
            for b in forms[i + 1..].iter().filter(|b| *b != a) {
                let pair = (a.clone(), b.clone());
                if self.alternatives.len() < MAX_FORMS && !self.alternatives.contains(&pair) {
                    self.alternatives.push(pair);
                }
            }
        }
    }
}

/// One form for all multiples of it. Its constant is rounded: what does not fit is no relation that holds, and is dropped as such.
fn normal(form: &Affine) -> Option<Affine> {
    let (form, threshold) = canonical(form)?;
    Some(Affine { constant: -threshold, ..form })
}

/// The equations of a clause, of either sign, as sums that are compared with zero.
fn equations(terms: &Terms, clause: &Clause) -> Vec<Sum> {
    let mut sums = Vec::new();
    terms.visit(clause.constraint, &mut |node| {
        if let Node::Binary(BinOp::Eq, a, b) = node
            && let Some(difference) = Linear::difference(terms, a, b)
        {
            sums.push(Sum::of(&difference));
        }
    });
    sums
}

/// What an application says by its arguments: two are equal up to a constant, or one is a constant.
fn equal_arguments(system: &HornSystem, application: &Application) -> Vec<Affine> {
    let params = &system.predicate(application.predicate).params;
    let is_numeric = |i: &usize| system.terms.symbol_sort(params[*i]).is_numeric();
    let numeric: Vec<usize> = (0..params.len()).filter(is_numeric).collect();
    let mut forms = Vec::new();
    for (n, &i) in numeric.iter().enumerate() {
        let Some(argument) = Linear::of(&system.terms, application.args[i]) else { continue };
        if let Some(constant) = argument.as_constant() {
            forms.push(Affine { constant: -BigInt::from(constant), ..Affine::parameter(i) });
        }
        for &j in &numeric[n + 1..] {
            let difference = Linear::difference(&system.terms, application.args[i], application.args[j]);
            if let Some(distance) =
                difference.and_then(|d| d.as_constant()).filter(|_| argument.as_constant().is_none())
            {
                let mut form = Affine { constant: -BigInt::from(distance), ..Affine::parameter(i) };
                form.add(&Affine::parameter(j), &BigInt::from(-1));
                forms.push(form);
            }
        }
    }
    forms
}

/// Relations go along the clause from predicate to predicate.
fn propagate(system: &HornSystem, clause: &Clause, found: &mut [Relations]) {
    let applications: Vec<&Application> = clause.body.iter().chain(&clause.head).collect();
    for to in &applications {
        let projection = Projection::new(&system.terms, to, Preference::First);
        for from in applications.iter().filter(|from| from.predicate != to.predicate) {
            let moved = |form: &Affine| projection.project(&Sum::of_arguments(&system.terms, form, &from.args)?);
            let Relations { compared, alternatives } = &found[from.predicate.index()];
            let compared: Vec<Affine> = compared.iter().filter_map(moved).collect();
            let pairs: Vec<[Affine; 2]> =
                alternatives.iter().filter_map(|(a, b)| Some([moved(a)?, moved(b)?])).collect();
            let into = &mut found[to.predicate.index()];
            compared.iter().for_each(|form| into.add(form));
            pairs.iter().for_each(|pair| into.add_alternatives(pair));
        }
    }
}
