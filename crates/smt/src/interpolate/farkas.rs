//! Interpolants from refutations: clauses and linear atoms, conflict-driven search, Farkas certificates.
//!
//! A row of choices makes exponentially many paths, and a refutation has to deal with all of them. So formulas are first
//! cut down to a few of their cases (`Cases`), and interpolants of what is left are tried on the whole formulas. Where
//! they fail, the case that shows it is added. Few paths also make simple interpolants.

use clinch_terms::Term;

use super::arithmetic::Arithmetic;
use super::cases::Cases;
use super::combine::Refutation;
use super::formula::Formulas;
use super::problem::Problem;
use super::sat::{Outcome, Sat};
use super::weaken::weaken;
use super::{Failure, Query};

/// How often cases may be added before all are taken.
const ROUNDS: usize = 60;
/// Conflicts that a refutation of few cases may have, as a part of what is allowed.
const SHARE: u64 = 4;

/// Interpolants by position, checked.
pub(super) fn interpolants(query: &mut Query<'_>) -> Result<Vec<Term>, Failure> {
    if let Some(mut cases) = Cases::new(query) {
        for _ in 0..ROUNDS {
            if (query.stop)() {
                return Err("stopped".into());
            }
            let formulas = cases.formulas(query.terms);
            let candidates = match refute(query, &formulas, query.config.conflicts / SHARE) {
                Ok(candidates) => candidates,
                Err(Failure::Satisfiable) => return Err(Failure::Satisfiable),
                Err(_) => break,
            };
            let result = weaken(query, candidates, &mut |terms, solver, position| cases.add(terms, solver, position));
            match result {
                Ok(interpolants) => return Ok(interpolants),
                Err(added) if added => {}
                Err(_) => break,
            }
        }
    }
    let candidates = refute(query, query.core, query.config.conflicts)?;
    weaken(query, candidates, &mut |_, _, _| false).map_err(|_| Failure::Rejected)
}

/// Candidates by position from a refutation of these formulas.
fn refute(query: &mut Query<'_>, formulas: &[Vec<Term>], conflicts: u64) -> Result<Vec<Term>, Failure> {
    let mut problem = Problem::default();
    for (position, conjuncts) in formulas.iter().enumerate() {
        for &conjunct in conjuncts {
            problem.assert(query.terms, position, conjunct);
        }
    }
    let clauses = problem.clauses.iter().map(|(lits, _)| lits.clone()).collect();
    let variables = problem.propositions.len();
    let abstracted = problem.abstracted;
    let mut sat = Sat::new(Arithmetic::new(problem));
    for _ in 0..variables {
        sat.new_var();
    }
    let empty = match sat.solve(clauses, conflicts, query.stop) {
        Outcome::Refuted(empty) => empty,
        Outcome::Model if !abstracted => return Err(Failure::Satisfiable),
        Outcome::Model => return Err("a model in linear arithmetic".into()),
        Outcome::GaveUp(reason) => return Err(Failure::GaveUp(reason)),
    };
    let Sat { theory: Arithmetic { mut problem, .. }, clauses, .. } = sat;
    let mut formulas = Formulas::new();
    let mut refutation = Refutation { problem: &mut problem, clauses: &clauses, empty, tree: query.tree };
    let ids = refutation.interpolants(&mut formulas);
    ids.into_iter()
        .map(|id| formulas.term(query.terms, &problem, id))
        .collect::<Option<Vec<Term>>>()
        .ok_or_else(|| "a local name in an interpolant".into())
}
