//! The definition of tree interpolants, asked of Z3.

use clinch_terms::{Node, Term, Terms};

use super::ItpNode;
use super::tree::Tree;
use crate::solver::{Answer, Solver};
use crate::z3_solver::Z3Solver;

/// What a query may use (see [`Z3Solver::set_limits`]).
pub(super) const RESOURCES: u32 = 5_000_000;
pub(super) const MILLISECONDS: u32 = 10_000;

/// Whether the formulas are interpolants of the tree: vocabulary, inductiveness, and false at the root.
pub fn check(terms: &mut Terms, tree: &[ItpNode], candidates: &[Term]) -> bool {
    let Some(shape) = Tree::new(terms, tree) else { return false };
    candidates.len() == tree.len()
        && terms.node(candidates[tree.len() - 1]) == Node::Bool(false)
        && (0..tree.len()).all(|i| in_vocabulary(terms, &shape, shape.position[i], candidates[i]))
        && (0..tree.len()).all(|i| is_inductive(terms, &tree[i], candidates, candidates[i]))
}

/// Whether the symbols of a formula occur both below and outside the node at the position.
pub(super) fn in_vocabulary(terms: &Terms, tree: &Tree, position: usize, formula: Term) -> bool {
    terms.symbols(formula).into_iter().all(|symbol| tree.is_shared(symbol, position))
}

fn is_inductive(terms: &mut Terms, node: &ItpNode, candidates: &[Term], conclusion: Term) -> bool {
    let mut solver = Z3Solver::for_formulas();
    solver.set_limits(RESOURCES, MILLISECONDS);
    solver.assert(terms, node.formula);
    for &child in &node.children {
        solver.assert(terms, candidates[child]);
    }
    let negation = terms.not(conclusion);
    solver.assert(terms, negation);
    solver.check(terms, &[]) == Answer::Unsat
}
