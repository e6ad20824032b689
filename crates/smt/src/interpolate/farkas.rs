//! Interpolants from a refutation: clauses and linear atoms, conflict-driven search, Farkas certificates.

use clinch_ir::Term;

use super::Query;
use super::arithmetic::Arithmetic;
use super::combine::Refutation;
use super::formula::Formulas;
use super::problem::Problem;
use super::sat::{Outcome, Sat};

/// Candidates by position, or why there are none.
pub(super) fn interpolants(query: &mut Query<'_>) -> Result<Vec<Term>, String> {
    let mut problem = Problem::default();
    for (position, conjuncts) in query.core.iter().enumerate() {
        for &conjunct in conjuncts {
            problem.assert(query.terms, position, conjunct);
        }
    }
    let clauses = problem.clauses.iter().map(|(lits, _)| lits.clone()).collect();
    let variables = problem.propositions.len();
    let mut sat = Sat::new(Arithmetic::new(problem));
    for _ in 0..variables {
        sat.new_var();
    }
    let empty = match sat.solve(clauses, query.config.conflicts, query.stop) {
        Outcome::Refuted(empty) => empty,
        Outcome::Model => return Err("a model in linear arithmetic".to_owned()),
        Outcome::GaveUp(reason) => return Err(reason),
    };
    let Sat { theory: Arithmetic { mut problem, .. }, clauses, .. } = sat;
    let mut formulas = Formulas::new();
    let mut refutation =
        Refutation { problem: &mut problem, clauses: &clauses, empty, tree: query.tree, config: query.config };
    let ids = refutation.interpolants(&mut formulas);
    ids.into_iter()
        .map(|id| formulas.term(query.terms, &problem, id).ok_or_else(|| "a local name in an interpolant".to_owned()))
        .collect()
}
