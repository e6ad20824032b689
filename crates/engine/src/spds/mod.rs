//! Symbolic pushdown systems with abstraction refinement (\[Spds\]): J. Esparza, S. Kiefer, S. Schwoon, *Abstraction Refinement with
//! Craig Interpolation and Symbolic Pushdown Systems*, JSAT 5, 2008.

mod config;

use clinch_ir::Reason;
use clinch_ir::cfa::{CfaProgram, CfaVerdict};
use serde::Serialize;

use crate::budget::{Budget, Observer};
pub use config::{Abstraction, Config, Interpolants};

/// What a run did ([Spds, tables 2 to 4]).
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    /// Spurious counterexamples (or graphs of them) that were excluded: the paper's cycles.
    pub refinements: u64,
    /// Predicates found in all.
    pub predicates: u64,
    /// Global variables (bits) of the last system searched.
    pub global_variables: u64,
    /// Local variables (bits) of the last system searched: the most at one control point.
    pub local_variables: u64,
    /// Control points of the concrete system.
    pub control_points: u64,
    /// Rules of the concrete system.
    pub rules: u64,
    /// Heads that were processed in all computations of post*.
    pub post_star_iterations: u64,
    /// Nodes of decision diagrams at a time, at most.
    pub peak_bdd_nodes: u64,
    /// Bits of an integer variable, where they were limited.
    pub int_bits: Option<u32>,
}

/// Checks a program.
pub fn check(
    _program: &CfaProgram,
    config: &Config,
    _budget: &Budget,
    _observer: &mut dyn Observer,
) -> (CfaVerdict, Stats) {
    let stats = Stats { int_bits: config.int_bits, ..Stats::default() };
    (CfaVerdict::Unknown(Reason::Unsupported("symbolic pushdown systems".to_owned())), stats)
}
