//! Horn clauses and their evidence in SMT-LIB.

use clinch_ir::{Derivation, HornSystem, Interpretation};

// STAND-IN: each body becomes one call of `clinch_ir::horn::print::{to_smtlib, model_to_smtlib, refutation_to_smtlib}`.

/// The clauses.
pub(crate) fn clauses(_: &HornSystem) -> String {
    "; not written yet".to_owned()
}

/// A solution.
pub(crate) fn model(_: &HornSystem, _: &Interpretation) -> String {
    "; not written yet".to_owned()
}

/// A refutation.
pub(crate) fn refutation(_: &HornSystem, _: &Derivation) -> String {
    "; not written yet".to_owned()
}
