//! The predicates of the abstraction, location by location.

use clinch_ir::{HornSystem, PredId};
use clinch_terms::predicate::{Atom, normal_atom};
use clinch_terms::{BinOp, Node, Sort, Term, Terms, UnOp};

/// For each predicate of the clauses (a location), formulas over its parameters.
#[derive(Clone, Debug, Default)]
pub struct Precision {
    formulas: Vec<Vec<Term>>,
}

impl Precision {
    /// No predicates anywhere.
    pub fn empty(system: &HornSystem) -> Self {
        Precision { formulas: vec![Vec::new(); system.predicates.len()] }
    }

    /// The predicates at a location, in the order in which they were found.
    pub fn at(&self, location: PredId) -> &[Term] {
        &self.formulas[location.index()]
    }

    /// How many there are in all.
    pub fn len(&self) -> usize {
        self.formulas.iter().map(Vec::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds what a formula says as predicates: one for each conjunct, so that their conjunction is the formula. An equation
    /// between numbers is two inequalities, of which one may survive alone. Returns how many are new.
    pub fn add(&mut self, terms: &mut Terms, location: PredId, formula: Term) -> usize {
        let mut new = 0;
        let mut stack = vec![formula];
        while let Some(formula) = stack.pop() {
            match terms.node(formula) {
                Node::Bool(_) => {}
                Node::Binary(BinOp::And, a, b) => stack.extend([b, a]),
                Node::Binary(BinOp::Eq, a, b) if terms.sort(a).is_numeric() => {
                    stack.extend([terms.le(b, a), terms.le(a, b)]);
                }
                Node::Unary(UnOp::Not, a) => match terms.node(a) {
                    Node::Binary(BinOp::Or, x, y) => stack.extend([terms.not(y), terms.not(x)]),
                    Node::Binary(op, x, y) if op.converse_of_negation().is_some() => {
                        let op = op.converse_of_negation().expect("just asked");
                        stack.push(terms.binary(op, y, x));
                    }
                    _ => new += self.add_one(terms, location, formula),
                },
                _ => new += self.add_one(terms, location, formula),
            }
        }
        new
    }

    fn add_one(&mut self, terms: &mut Terms, location: PredId, formula: Term) -> usize {
        let formula = match over_integers(terms, formula).then(|| normal_atom(terms, formula)) {
            Some(Atom::Constant(_)) => return 0,
            Some(Atom::Predicate { term, .. }) => term,
            None => formula,
        };
        let here = &mut self.formulas[location.index()];
        if here.contains(&formula) {
            return 0;
        }
        here.push(formula);
        1
    }
}

/// Whether a formula is a comparison of integers, whose normal form may use that they are integers.
fn over_integers(terms: &Terms, formula: Term) -> bool {
    match terms.node(formula) {
        Node::Binary(BinOp::Le | BinOp::Lt | BinOp::Eq, a, b) => {
            terms.sort(a) == Sort::Int && terms.sort(b) == Sort::Int
        }
        _ => false,
    }
}
