//! What processes that work together must agree on.

use std::fmt::Write;

use clinch_ir::Program;
use sha2::{Digest, Sha256};

use crate::cluster::Fingerprint;

/// Of the program, its property, and what else decides how it is searched.
pub(crate) fn fingerprint(program: &Program, rest: &str) -> Fingerprint {
    let mut text = String::new();
    let terms = &program.terms;
    let nodes: Vec<_> = terms.all_terms().map(|term| terms.node(term)).collect();
    let parts = (&program.vars, &program.processes, &program.transitions, &program.property, nodes, rest);
    write!(text, "{} {parts:?}", env!("CARGO_PKG_VERSION")).expect("a string takes everything");
    Sha256::digest(text.as_bytes()).into()
}
