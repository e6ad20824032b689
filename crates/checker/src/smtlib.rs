//! Horn clauses and their evidence in SMT-LIB; a comment where they have parts that cannot be written so.

use clinch_ir::horn::{model_to_smtlib, refutation_to_smtlib};
use clinch_ir::{Derivation, HornSystem, Interpretation};

/// A solution.
pub(crate) fn model(system: &HornSystem, solution: &Interpretation) -> String {
    model_to_smtlib(system, solution).unwrap_or_else(|e| format!("; {e}"))
}

/// A refutation.
pub(crate) fn refutation(system: &HornSystem, derivation: &Derivation) -> String {
    refutation_to_smtlib(system, derivation).unwrap_or_else(|e| format!("; {e}"))
}
