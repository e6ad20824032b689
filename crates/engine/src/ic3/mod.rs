//! Property-directed reachability, on the bits of a program.
//!
//! \[Ic3\] A. Bradley: *SAT-Based Model Checking without Unrolling*, VMCAI 2011; N. Een, A. Mishchenko, R. Brayton: *Efficient
//! Implementation of Property Directed Reachability*, FMCAD 2011; T. Lange, M. Neuhäußer, T. Noll: *IC3 Software Model Checking on Control
//! Flow Automata*, FMCAD 2015.
//!
//! Frames `F_1`, `F_2`, ... say what is known of the states that runs reach in so many blocks (a block is all loop-free ways from one loop head
//! to the next). States that lead from the last frame to an error become obligations: they are shown not to be reached, for which those before them
//! are to be excluded, or they are reached, and a run is found. What is excluded is made as large as the solver allows, and becomes a lemma. When all
//! lemmas of a frame hold in the next, too, they are an invariant.
//!
//! Frames belong to locations, as in the third paper: a lemma speaks of one loop head of the unfolding, and a question of one block. Blocks are functions
//! of the state and their inputs, so there are no variables for the state after them: `then` is a gate.
//!
//! What a SAT solver sees is exact but for memory: cells of objects with fixed addresses are variables, everything else may be anything. So a proof
//! holds, and a run is executed before it is believed.

mod constants;
mod cube;
mod evidence;
mod frames;
mod needed;
mod search;
mod system;
#[cfg(test)]
mod tests;

use clinch_ir::Reason;
use clinch_ir::cfa::{CfaProgram, CfaProof, CfaVerdict, Integers};
use clinch_machine::guided::open_reason;
use serde::Serialize;

use crate::CfaOutcome;
use crate::budget::{Budget, Observer};
use search::{Counterexample, Search};
use system::{System, Target};

/// What a run did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    /// Loop heads with the calls that wait, and the start.
    pub locations: u64,
    /// Bits of the state that matter.
    pub bits: u64,
    /// Bits that are constant at a location.
    pub constant: u64,
    /// The frames.
    pub frames: u64,
    /// Cubes that were excluded.
    pub lemmas: u64,
    /// Those of them that the proof has.
    pub invariant: u64,
    /// Sets of states that were to be excluded.
    pub obligations: u64,
    /// Questions to the solver.
    pub queries: u64,
}

/// Checks a program without recursion.
pub fn check(program: &CfaProgram, budget: &Budget, observer: &mut dyn Observer) -> CfaOutcome<Stats> {
    let mut stats = Stats::default();
    let verdict = search(program, budget, observer, &mut stats);
    (verdict.unwrap_or_else(CfaVerdict::Unknown), stats)
}

fn search(
    program: &CfaProgram,
    budget: &Budget,
    observer: &mut dyn Observer,
    stats: &mut Stats,
) -> Result<CfaVerdict, Reason> {
    if program.is_recursive() {
        return Err(Reason::Recursion("variables would have to be there several times".to_owned()));
    }
    if program.integers == Integers::Mathematical {
        return Err(Reason::Unsupported("mathematical integers have no bits".to_owned()));
    }
    let mut system = System::new(program, budget)?;
    stats.locations = system.locations.len() as u64 - 1;
    stats.bits = system.variables.iter().map(|variable| u64::from(variable.width)).sum();
    let constants = constants::constants(&system, budget)?;
    stats.constant = constants.iter().flatten().map(|cube| cube.bits().len() as u64).sum();
    let mut search = Search::new(&mut system, constants, budget, stats);
    match search.run(observer)? {
        Ok(level) => {
            let invariants = search.invariants(level)?;
            stats.invariant = invariants.iter().flatten().map(|invariant| invariant.excluded.len() as u64).sum();
            Ok(CfaVerdict::Safe(CfaProof::Invariants(evidence::invariants(&system, &invariants))))
        }
        Err(Counterexample { target: Target::Open(procedure, edge), .. }) => Err(open_reason(program, procedure, edge)),
        Err(found) => evidence::trace(program, &system, &found).map(CfaVerdict::Unsafe),
    }
}
