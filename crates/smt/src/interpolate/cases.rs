//! Formulas cut down to some of their cases: implicants read off models.

use clinch_terms::implicant::{Model, implicant_in};
use clinch_terms::{BinOp, Node, Sort, Term, Terms, UnOp};
use rustc_hash::FxHashMap;

use super::Query;
use crate::solver::{Answer, Solver};
use crate::z3_solver::Z3Solver;

/// What a query for cases that agree may use.
const RESOURCES: u32 = 100_000;
const MILLISECONDS: u32 = 100;

/// A conjunct of a node.
struct Conjunct {
    formula: Term,
    /// Conjunctions of literals, each of which implies the formula; none if the formula is taken as it is.
    cubes: Option<Vec<Term>>,
}

impl Conjunct {
    fn cut_down(&self, terms: &mut Terms) -> Term {
        match &self.cubes {
            None => self.formula,
            Some(cubes) => terms.any(cubes.iter().copied()),
        }
    }
}

/// Some cases of each conjunct.
pub(super) struct Cases {
    by_position: Vec<Vec<Conjunct>>,
}

impl Cases {
    /// One case of each, from models of one node after the other that agree where possible. `None` if there are no cases
    /// to choose from.
    pub(super) fn new(query: &mut Query<'_>) -> Option<Cases> {
        let mut by_position = Vec::new();
        let mut any = false;
        for conjuncts in query.core {
            let conjuncts: Vec<Conjunct> = conjuncts
                .iter()
                .map(|&formula| {
                    let cubes = has_cases(query.terms, formula).then(Vec::new);
                    any |= cubes.is_some();
                    Conjunct { formula, cubes }
                })
                .collect();
            by_position.push(conjuncts);
        }
        if !any {
            return None;
        }
        let mut cases = Cases { by_position };
        cases.start(query);
        Some(cases)
    }

    fn start(&mut self, query: &mut Query<'_>) {
        let mut solver = Z3Solver::for_formulas();
        // A contradiction may be hard to find, and does not matter here.
        solver.set_limits(RESOURCES, MILLISECONDS);
        for position in 0..query.core.len() {
            for &formula in &query.core[position] {
                solver.assert(query.terms, formula);
            }
            // What was asserted stays while it has a model with the new node.
            if solver.check(query.terms, &[]) != Answer::Sat {
                solver = Z3Solver::for_formulas();
                for &formula in &query.core[position] {
                    solver.assert(query.terms, formula);
                }
                if solver.check(query.terms, &[]) != Answer::Sat {
                    continue;
                }
            }
            self.add(query.terms, &mut solver, position);
        }
    }

    /// The formulas cut down, by position.
    pub(super) fn formulas(&self, terms: &mut Terms) -> Vec<Vec<Term>> {
        self.by_position.iter().map(|conjuncts| conjuncts.iter().map(|c| c.cut_down(terms)).collect()).collect()
    }

    /// Adds the cases of a node that the solver's model is in. Whether there were new ones.
    pub(super) fn add(&mut self, terms: &mut Terms, solver: &mut Z3Solver, position: usize) -> bool {
        let mut new = false;
        for conjunct in &mut self.by_position[position] {
            let Some(cubes) = &mut conjunct.cubes else { continue };
            let (values, resolved) = (FxHashMap::default(), FxHashMap::default());
            let mut model = Solved { solver, values, resolved };
            let Some(mut literals) = implicant_in(terms, &[conjunct.formula], &mut model) else { continue };
            literals.sort_unstable();
            literals.dedup();
            let cube = terms.all(literals);
            if !cubes.contains(&cube) {
                cubes.push(cube);
                new = true;
            }
        }
        new
    }
}

/// Whether a formula is more than a literal. (Two cases of a disequality are not worth it.)
fn has_cases(terms: &Terms, formula: Term) -> bool {
    let inner = match terms.node(formula) {
        Node::Unary(UnOp::Not, inner) => inner,
        _ => formula,
    };
    let mut found = false;
    terms.visit(inner, &mut |node| {
        found |= match node {
            Node::Binary(BinOp::And | BinOp::Or, ..) | Node::Ite(..) | Node::Unary(UnOp::BoolToInt, _) => true,
            Node::Binary(BinOp::Eq, a, _) => terms.sort(a) == Sort::Bool,
            _ => false,
        };
    });
    found
}

/// A model of the solver. Formulas share their parts, so nothing is looked at twice; and Z3 reads a model slowly, so it is only asked
/// about atoms in which all choices are made.
struct Solved<'a> {
    solver: &'a mut Z3Solver,
    values: FxHashMap<Term, bool>,
    resolved: FxHashMap<Term, Term>,
}

impl Model for Solved<'_> {
    const READS_THROUGH_STORES: bool = false;

    fn holds(&mut self, terms: &mut Terms, formula: Term) -> Option<bool> {
        if let Some(&known) = self.values.get(&formula) {
            return Some(known);
        }
        let value = match terms.node(formula) {
            Node::Bool(value) => value,
            Node::Unary(UnOp::Not, a) => !self.holds(terms, a)?,
            Node::Binary(BinOp::And, a, b) => self.holds(terms, a)? && self.holds(terms, b)?,
            Node::Binary(BinOp::Or, a, b) => self.holds(terms, a)? || self.holds(terms, b)?,
            Node::Ite(c, a, b) => {
                let chosen = if self.holds(terms, c)? { a } else { b };
                self.holds(terms, chosen)?
            }
            Node::Binary(BinOp::Eq, a, b) if terms.sort(a) == Sort::Bool => {
                self.holds(terms, a)? == self.holds(terms, b)?
            }
            Node::Binary(..) => {
                let atom = self.resolve(terms, formula)?;
                self.solver.value(terms, atom)? != 0
            }
            _ => self.solver.value(terms, formula)? != 0,
        };
        self.values.insert(formula, value);
        Some(value)
    }
}

impl Solved<'_> {
    /// The term with its choices made as in the model.
    fn resolve(&mut self, terms: &mut Terms, term: Term) -> Option<Term> {
        if let Some(&known) = self.resolved.get(&term) {
            return Some(known);
        }
        let result = match terms.node(term) {
            Node::Ite(c, a, b) => {
                let chosen = if self.holds(terms, c)? { a } else { b };
                self.resolve(terms, chosen)?
            }
            Node::Unary(UnOp::BoolToInt, c) => {
                let value = self.holds(terms, c)?;
                terms.int(i64::from(value))
            }
            _ => {
                let children: Vec<Term> = terms.children(term).collect();
                let mut resolved = Vec::new();
                for child in children {
                    resolved.push(if terms.sort(child) == Sort::Bool { child } else { self.resolve(terms, child)? });
                }
                let mut next = resolved.into_iter();
                terms.map_children(term, |_, child| next.next().unwrap_or(child))
            }
        };
        self.resolved.insert(term, result);
        Some(result)
    }
}
