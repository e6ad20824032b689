//! Conjunctions that imply a formula, read off a model.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::evaluate::{Environment, Memo, evaluate_with};
use crate::{BinOp, Node, Sort, Term, Terms, UnOp, Value};

/// What formulas are in a model.
pub trait Model {
    /// Whether elements of arrays that were written to are looked up, which asks for the order of addresses in the model.
    const READS_THROUGH_STORES: bool;

    /// Whether a formula holds; `None` if it has no value.
    fn holds(&mut self, terms: &mut Terms, formula: Term) -> Option<bool>;
}

/// The model that an environment is.
struct Evaluated<'a, E>(&'a E, Memo);

impl<E: Environment> Model for Evaluated<'_, E> {
    const READS_THROUGH_STORES: bool = true;

    fn holds(&mut self, terms: &mut Terms, formula: Term) -> Option<bool> {
        match evaluate_with(terms, self.0, formula, &mut self.1)? {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }
}

/// Literals without choices that hold in an environment and imply all these formulas, which hold too. `None` if something has no value.
pub fn implicant(terms: &mut Terms, formulas: &[Term], environment: &impl Environment) -> Option<Vec<Term>> {
    implicant_in(terms, formulas, &mut Evaluated(environment, Memo::default()))
}

/// The same in any model.
pub fn implicant_in<M: Model>(terms: &mut Terms, formulas: &[Term], model: &mut M) -> Option<Vec<Term>> {
    let (seen, known) = (FxHashSet::default(), FxHashMap::default());
    let mut reading = Reading { model, literals: Vec::new(), seen, known };
    for &formula in formulas {
        reading.add(terms, formula, true)?;
    }
    Some(reading.literals)
}

struct Reading<'a, M> {
    model: &'a mut M,
    literals: Vec<Term>,
    seen: FxHashSet<(Term, bool)>,
    /// Terms with their choices made.
    known: FxHashMap<Term, Term>,
}

impl<M: Model> Reading<'_, M> {
    /// Adds what makes a formula true, or false.
    fn add(&mut self, terms: &mut Terms, formula: Term, holds: bool) -> Option<()> {
        if !self.seen.insert((formula, holds)) {
            return Some(());
        }
        match terms.node(formula) {
            Node::Bool(_) => Some(()),
            Node::Unary(UnOp::Not, inner) => self.add(terms, inner, !holds),
            Node::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
                if holds == (op == BinOp::And) {
                    self.add(terms, a, holds)?;
                    return self.add(terms, b, holds);
                }
                // One of them is enough.
                let enough = if self.model.holds(terms, a)? == holds { a } else { b };
                self.add(terms, enough, holds)
            }
            Node::Binary(BinOp::Eq, a, b) if terms.sort(a) == Sort::Bool => {
                let value = self.model.holds(terms, a)?;
                self.add(terms, a, value)?;
                self.add(terms, b, value == holds)
            }
            Node::Ite(condition, a, b) => {
                let value = self.model.holds(terms, condition)?;
                self.add(terms, condition, value)?;
                self.add(terms, if value { a } else { b }, holds)
            }
            _ => self.add_atom(terms, formula, holds),
        }
    }

    fn add_atom(&mut self, terms: &mut Terms, atom: Term, holds: bool) -> Option<()> {
        let atom = self.decided(terms, atom)?;
        let literal = match terms.node(atom) {
            // What is different is smaller or larger: that can be projected.
            Node::Binary(BinOp::Eq, a, b) if !holds && terms.sort(a).is_numeric() => {
                let less = terms.lt(a, b);
                if self.model.holds(terms, less)? { less } else { terms.lt(b, a) }
            }
            _ if holds => atom,
            _ => terms.not(atom),
        };
        self.literals.push(literal);
        Some(())
    }

    /// The term with all choices inside it made; their conditions are literals.
    fn decided(&mut self, terms: &mut Terms, term: Term) -> Option<Term> {
        if let Some(&known) = self.known.get(&term) {
            return Some(known);
        }
        let decided = match terms.node(term) {
            Node::Ite(condition, a, b) => {
                let value = self.model.holds(terms, condition)?;
                self.add(terms, condition, value)?;
                self.decided(terms, if value { a } else { b })?
            }
            Node::Unary(UnOp::BoolToInt, condition) => {
                let value = self.model.holds(terms, condition)?;
                self.add(terms, condition, value)?;
                terms.int(i64::from(value))
            }
            Node::Binary(BinOp::Select, array, index) if M::READS_THROUGH_STORES => {
                self.element(terms, array, index)?
            }
            _ => {
                let children: Vec<Term> = terms.children(term).collect();
                let decided: Option<Vec<Term>> = children.iter().map(|&child| self.decided(terms, child)).collect();
                let mut decided = decided?.into_iter();
                terms.map_children(term, |_, child| decided.next().unwrap_or(child))
            }
        };
        self.known.insert(term, decided);
        Some(decided)
    }

    /// The element of an array that was written to: whether it is the one written is a choice too.
    fn element(&mut self, terms: &mut Terms, array: Term, index: Term) -> Option<Term> {
        match terms.node(array) {
            Node::Store(base, at, value) => {
                let same = terms.eq(at, index);
                let holds = self.model.holds(terms, same)?;
                self.add(terms, same, holds)?;
                if holds { self.decided(terms, value) } else { self.element(terms, base, index) }
            }
            Node::Ite(condition, a, b) => {
                let value = self.model.holds(terms, condition)?;
                self.add(terms, condition, value)?;
                self.element(terms, if value { a } else { b }, index)
            }
            _ => {
                let index = self.decided(terms, index)?;
                Some(terms.select(array, index))
            }
        }
    }
}
