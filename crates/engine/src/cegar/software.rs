//! Programs with procedures (C) through their clauses: large blocks between loop heads.

use clinch_analyses::clauses::{CfaClauses, Encoding, SummaryClauses};
use clinch_ir::cfa::{BoundCell, CfaProgram, CfaProof, CfaVerdict, InputTrace};
use clinch_ir::{Derivation, HornSystem, HornVerdict, Interpretation, PredId, Reason};
use clinch_terms::Symbol;

use super::sharing::{AboutProgram, seeds};
use super::{Seed, layout};
use crate::budget::{Budget, Observer};
use crate::horn::{Cells, InvariantOptions, Layout, Quantified, decided, invariants, strengthen};
use crate::share::Fact;

/// Control points of the unfolded program.
const POINTS: usize = 200_000;

/// Reads a program as clauses, solves them and takes the answer back. What other engines found out becomes predicates to start
/// from. In an encoding by integers a proof may be wrong: the caller has it certified in bits before it counts. A counterexample is
/// one: it was executed.
pub fn check_software<S: Default>(
    program: &CfaProgram,
    (encoding, facts): (Encoding, &[Fact]),
    budget: &Budget,
    observer: &mut dyn Observer,
    solve: impl FnOnce(&HornSystem, Vec<Seed>, &Budget, &mut dyn Observer) -> (HornVerdict, S),
) -> (CfaVerdict, S) {
    if program.is_recursive() {
        // Clauses with summaries.
        let clauses = match SummaryClauses::new(program, encoding, POINTS) {
            Ok(clauses) => clauses,
            Err(reason) => return (CfaVerdict::Unknown(reason), S::default()),
        };
        let (verdict, stats) = solve(&clauses.system, Vec::new(), budget, observer);
        return (taken_back(verdict, |found| clauses.proof(found), |found| clauses.trace(program, found)), stats);
    }
    let mut clauses = match CfaClauses::new(program, encoding, POINTS) {
        Ok(clauses) => clauses,
        Err(reason) => return (CfaVerdict::Unknown(reason), S::default()),
    };
    let seeds = seeds(program, &mut clauses, facts);
    let mut observer = AboutProgram { observer, program, clauses: &clauses };
    let (verdict, stats) = solve(&clauses.system, seeds, budget, &mut observer);
    (taken_back(verdict, |found| clauses.proof(found), |found| clauses.trace(program, found)), stats)
}

/// The same, with arrays seen through one cell at a time ([`Cells`]): proofs only, with quantifiers over addresses. `None` if
/// there are no arrays to speak of.
pub fn check_cells<S: Default>(
    program: &CfaProgram,
    encoding: Encoding,
    budget: &Budget,
    observer: &mut dyn Observer,
    solve: impl FnOnce(&HornSystem, &Budget, &mut dyn Observer) -> (HornVerdict, S),
) -> Option<(CfaVerdict, S)> {
    if program.is_recursive() {
        return None;
    }
    let clauses = CfaClauses::new(program, encoding, POINTS).ok()?;
    // What holds of numbers alone leaves fewer zones to look at, and proofs in bits need it at places so far away that addresses wrap around.
    let options = InvariantOptions::default().within(budget);
    let numbers = invariants(&clauses.system, &options, &|| budget.check().is_err());
    let strong = decided(&strengthen(&clauses.system, &numbers));
    let cells = Cells::new(&strong, |predicate, i| layout::of(program, clauses.region(predicate, i)))?;
    let (verdict, stats) = solve(&cells.system, budget, observer);
    let verdict = match verdict {
        HornVerdict::Unknown(reason) => CfaVerdict::Unknown(reason),
        HornVerdict::Unsafe(_) => CfaVerdict::Unknown(Reason::NoProgress),
        HornVerdict::Safe(solution) => {
            let Quantified { solution, place, values } = cells.solution(&clauses.system, &solution);
            let cell = |id: usize, (i, value, layout): (usize, Symbol, Layout)| {
                let region = clauses.region(PredId::from_index(id), i);
                (value, BoundCell { region, stride: layout.stride, origin: layout.origin })
            };
            let values = values.into_iter().enumerate();
            let values: Vec<Vec<_>> = values.map(|(id, own)| own.into_iter().map(|v| cell(id, v)).collect()).collect();
            safe(clauses.proof_for_all(&solution, &numbers.formulas, place, &values))
        }
    };
    Some((verdict, stats))
}

/// What is said of clauses as something that is said of the program.
fn taken_back(
    verdict: HornVerdict,
    proof: impl FnOnce(&Interpretation) -> Option<CfaProof>,
    trace: impl FnOnce(&Derivation) -> Result<InputTrace, Reason>,
) -> CfaVerdict {
    match verdict {
        HornVerdict::Unknown(reason) => CfaVerdict::Unknown(reason),
        HornVerdict::Safe(solution) => safe(proof(&solution)),
        HornVerdict::Unsafe(derivation) => trace(&derivation).map_or_else(CfaVerdict::Unknown, CfaVerdict::Unsafe),
    }
}

fn safe(proof: Option<CfaProof>) -> CfaVerdict {
    match proof {
        Some(proof) => CfaVerdict::Safe(proof),
        None => CfaVerdict::Unknown(Reason::Uncertified("an invariant cannot be said in bits".to_owned())),
    }
}
