//! Programs with procedures (C) through their clauses: large blocks between loop heads.

use clinch_ir::cfa::{CfaProgram, CfaVerdict};
use clinch_ir::horn::{CfaClauses, Encoding};
use clinch_ir::{HornSystem, HornVerdict, Reason};

use crate::budget::{Budget, Observer};

/// Control points of the unfolded program.
const POINTS: usize = 200_000;

/// Reads a program as clauses, solves them and takes the answer back. In an encoding by integers a proof may be wrong: the
/// caller has it certified in bits before it counts. A counterexample is one: it was executed.
pub fn check_software<S: Default>(
    program: &CfaProgram,
    encoding: Encoding,
    budget: &Budget,
    observer: &mut dyn Observer,
    solve: impl FnOnce(&HornSystem, &Budget, &mut dyn Observer) -> (HornVerdict, S),
) -> (CfaVerdict, S) {
    let clauses = match CfaClauses::new(program, encoding, POINTS) {
        Ok(clauses) => clauses,
        Err(reason) => return (CfaVerdict::Unknown(reason), S::default()),
    };
    let (verdict, stats) = solve(&clauses.system, budget, observer);
    let verdict = match verdict {
        HornVerdict::Unknown(reason) => CfaVerdict::Unknown(reason),
        HornVerdict::Sat(solution) => match clauses.proof(&solution) {
            Some(proof) => CfaVerdict::Safe(proof),
            None => CfaVerdict::Unknown(Reason::Uncertified("an invariant cannot be said in bits".to_owned())),
        },
        HornVerdict::Unsat(derivation) => match clauses.trace(program, &derivation) {
            Ok(trace) => CfaVerdict::Unsafe(trace),
            Err(reason) => CfaVerdict::Unknown(reason),
        },
    };
    (verdict, stats)
}
