//! The check of interpolants, from the root downward: what a parent does not need of its children's formulas is dropped.

use clinch_terms::{Term, Terms};
use rustc_hash::FxHashSet;

use super::Query;
use super::check::{MILLISECONDS, RESOURCES, in_vocabulary};
use crate::solver::{Answer, Solver};
use crate::z3_solver::Z3Solver;

/// Interpolants made of conjuncts of the candidates. At nodes where candidates fail, `learn` may look at the model that
/// shows it; the error says whether it learned anything.
pub(super) fn weaken(
    query: &mut Query<'_>,
    mut candidates: Vec<Term>,
    learn: &mut dyn FnMut(&mut Terms, &mut Z3Solver, usize) -> bool,
) -> Result<Vec<Term>, bool> {
    let root = candidates.len().checked_sub(1).ok_or(false)?;
    candidates[root] = query.terms.ff();
    let mut solver = Z3Solver::for_formulas();
    solver.set_limits(RESOURCES, MILLISECONDS);
    let (mut failed, mut learned) = (false, false);
    for position in (0..candidates.len()).rev() {
        let children = &query.tree.children[position];
        let parts: Vec<Vec<Term>> = children.iter().map(|&c| query.terms.facts(candidates[c])).collect();
        let mut assumptions: Vec<(Term, bool)> = vec![(candidates[position], false)];
        assumptions.extend(parts.iter().flatten().map(|&t| (t, true)));
        // In a scope of its own: Z3 need not care for what was said of other nodes.
        solver.push();
        for &conjunct in &query.core[position] {
            solver.assert(query.terms, conjunct);
        }
        if solver.check(query.terms, &assumptions) == Answer::Unsat {
            let needed: FxHashSet<Term> = solver.core().into_iter().map(|i| assumptions[i].0).collect();
            for (&child, parts) in children.iter().zip(parts) {
                candidates[child] = query.terms.all(parts.into_iter().filter(|p| needed.contains(p)));
            }
        } else {
            failed = true;
            learned |= learn(query.terms, &mut solver, position);
        }
        solver.pop();
        if !in_vocabulary(query.terms, query.tree, position, candidates[position]) {
            return Err(learned);
        }
    }
    if failed { Err(learned) } else { Ok(candidates) }
}
