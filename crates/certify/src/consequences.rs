//! What follows from invariants, once they are checked, at points between those they are about.

use clinch_ir::cfa::blocks::blocks_through;
use clinch_ir::cfa::unfold::{Destination, Point, Step, Unfolding};
use clinch_ir::cfa::{CfaProgram, Invariants, ProcedureId};
use clinch_smt::{Answer, Solver, Z3Solver};
use clinch_terms::{LocId, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

use crate::{Rejection, Stop};

/// Points a block may have.
const BLOCK_POINTS: usize = 20_000;
/// Limits of a query: work, milliseconds.
const LIMITS: (u32, u32) = (2_000_000, 500);

/// A location, with formulas that may hold whenever a run comes there.
#[derive(Clone, Debug)]
pub struct Candidates {
    /// The procedure.
    pub procedure: ProcedureId,
    /// The location in it.
    pub location: LocId,
    /// The formulas.
    pub formulas: Vec<Term>,
}

/// Keeps the formulas that hold at the locations, whatever calls wait there, by what the invariants say where runs come from.
/// What cannot be decided in little time goes. `terms` has the invariants and the formulas.
pub fn consequences(
    program: &CfaProgram,
    proof: &Invariants,
    terms: &mut Terms,
    mut candidates: Vec<Candidates>,
    stop: Stop<'_>,
) -> Result<Vec<Candidates>, Rejection> {
    let Some(mut unfolding) = Unfolding::resume(program, terms).filter(|_| terms.extends(&program.terms)) else {
        return Err(Rejection::Wrong("it is about another program".to_owned()));
    };
    let mut solver = Z3Solver::for_formulas();
    solver.set_limits(LIMITS.0, LIMITS.1);
    let mut passed = vec![false; candidates.len()];
    for (point, invariant) in &proof.points {
        let from = unfolding.intern_point(point.clone());
        let is_wanted = |point: &Point| place(&candidates, point).is_some();
        let blocks = blocks_through(&mut unfolding, terms, from, BLOCK_POINTS, is_wanted)
            .map_err(|_| Rejection::Undecided("a block is too large".to_owned()))?;
        for block in blocks {
            let Destination::Point(to) = block.target else { continue };
            let Some(i) = place(&candidates, unfolding.point(to)) else { continue };
            passed[i] = true;
            let formulas = std::mem::take(&mut candidates[i].formulas);
            candidates[i].formulas = kept(&mut solver, terms, *invariant, &block, formulas, stop)?;
        }
    }
    let mut passed = passed.into_iter();
    candidates.retain(|one| passed.next() == Some(true) && !one.formulas.is_empty());
    Ok(candidates)
}

fn place(candidates: &[Candidates], point: &Point) -> Option<usize> {
    candidates.iter().position(|p| (p.procedure, p.location) == (point.procedure, point.location))
}

/// The formulas that hold where the block ends.
fn kept(
    solver: &mut Z3Solver,
    terms: &mut Terms,
    invariant: Term,
    block: &Step,
    formulas: Vec<Term>,
    stop: Stop<'_>,
) -> Result<Vec<Term>, Rejection> {
    let values: FxHashMap<Symbol, Term> = block.effect.updates.iter().copied().collect();
    let with_meaning = |formula| (formula, terms.substitute_symbols(formula, &values));
    let mut left: Vec<(Term, Term)> = formulas.into_iter().map(with_meaning).collect();
    solver.push();
    solver.assert(terms, invariant);
    solver.assert(terms, block.effect.guard);
    let kept = loop {
        if stop() {
            break Err(Rejection::Stopped);
        }
        let before = left.len();
        let all = terms.all(left.iter().map(|f| f.1));
        match solver.check(terms, &[(all, false)]) {
            Answer::Unsat => break Ok(left),
            // One run breaks many of them.
            Answer::Sat => left.retain(|f| solver.value(terms, f.1) == Some(1)),
            Answer::Unknown => {
                left.retain(|f| !stop() && solver.check(terms, &[(f.1, false)]) == Answer::Unsat);
                break Ok(left);
            }
        }
        if left.len() == before {
            left.clear();
        }
    };
    solver.pop();
    kept.map(|kept| kept.into_iter().map(|f| f.0).collect())
}
