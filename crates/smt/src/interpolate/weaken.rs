//! The check of interpolants, from the root downward: what a parent does not need of its children's formulas is dropped.

use clinch_ir::Term;
use rustc_hash::FxHashSet;

use super::Query;
use super::check::in_vocabulary;
use super::problem::conjuncts;
use crate::solver::{Answer, Solver};
use crate::z3_solver::Z3Solver;

/// Interpolants made of conjuncts of the candidates; `None` if the candidates are none.
pub(super) fn weaken(query: &mut Query<'_>, mut candidates: Vec<Term>) -> Option<Vec<Term>> {
    let root = candidates.len().checked_sub(1)?;
    candidates[root] = query.terms.ff();
    let mut solver = Z3Solver::for_formulas();
    for position in (0..candidates.len()).rev() {
        let children = &query.tree.children[position];
        let parts: Vec<Vec<Term>> = children.iter().map(|&c| conjuncts(query.terms, candidates[c])).collect();
        let mut assumptions: Vec<(Term, bool)> = vec![(candidates[position], false)];
        assumptions.extend(query.core[position].iter().map(|&t| (t, true)));
        assumptions.extend(parts.iter().flatten().map(|&t| (t, true)));
        // In a scope of its own: Z3 need not care for what was said of other nodes.
        solver.push();
        if solver.check(query.terms, &assumptions) != Answer::Unsat {
            return None;
        }
        let needed: FxHashSet<Term> = solver.core().into_iter().map(|i| assumptions[i].0).collect();
        solver.pop();
        for (&child, parts) in children.iter().zip(parts) {
            candidates[child] = query.terms.all(parts.into_iter().filter(|p| needed.contains(p)));
        }
        if !in_vocabulary(query.terms, query.tree, position, candidates[position]) {
            return None;
        }
    }
    Some(candidates)
}
