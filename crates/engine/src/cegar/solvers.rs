//! The solvers of the clauses.

use clinch_ir::{ClauseId, HornSystem};
use clinch_smt::{Solver, Z3Solver};
use clinch_terms::Terms;

/// A solver for each clause, in which its constraint stands: it keeps what it learns. With very many clauses there is one
/// for all of them instead, into which the constraint in question is put: solvers take time to make, and memory.
pub(super) enum Solvers {
    /// One each, made when needed.
    Own(Vec<Option<Z3Solver>>),
    /// One for all, and whose constraint it holds.
    Shared(Box<Z3Solver>, Option<ClauseId>),
}

/// More clauses than this share a solver.
const MAX_SOLVERS: usize = 400;

impl Solvers {
    pub(super) fn new(system: &HornSystem) -> Self {
        if system.clauses.len() <= MAX_SOLVERS {
            Solvers::Own(system.clauses.iter().map(|_| None).collect())
        } else {
            Solvers::Shared(Box::new(Z3Solver::for_formulas()), None)
        }
    }

    /// A solver that holds the constraint of the clause.
    pub(super) fn of(&mut self, system: &HornSystem, terms: &Terms, clause: ClauseId) -> &mut Z3Solver {
        let constraint = system.clause(clause).constraint;
        match self {
            Solvers::Own(solvers) => solvers[clause.index()].get_or_insert_with(|| {
                let mut solver = Z3Solver::for_formulas();
                solver.assert(terms, constraint);
                solver
            }),
            Solvers::Shared(solver, holds) => {
                if *holds != Some(clause) {
                    if holds.is_some() {
                        solver.pop();
                    }
                    solver.push();
                    solver.assert(terms, constraint);
                    *holds = Some(clause);
                }
                solver
            }
        }
    }
}
