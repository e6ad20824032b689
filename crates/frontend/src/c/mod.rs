//! C: from preprocessed text to a [`CfaProgram`](clinch_ir::cfa::CfaProgram).

pub mod hir;
pub mod types;
