//! Value analysis with procedure summaries, for outlines of large programs: which values the few variables have that matter, call by call.
//!
//! The search is the tabulation of \[Rhs\]: a procedure is searched once for each abstract state in which it is entered, and every call that enters it so
//! comes back with the states found at its exit. What is tracked is found as in \[Esmc\]: nothing at first; where an abstract run leads to an error
//! that it cannot reach, variables are added that show it.
//!
//! | paper | here |
//! |---|---|
//! | procedure entry with a fact | `search::Context` |
//! | path edge | `search::Node` |
//! | summary edge | the nodes at the exit of a context |
//! | precision | the variables of a `state::Layout` |
//! | abstract variable assignment | `state::State`: an interval for each variable, and which of them are equal |
//!
//! **Invariant of the loop.** The states of a context at a location include every state in which a run is there that entered the procedure in a state
//! of the context's entry. **Soundness.** When nothing waits and nothing bad was reached, that is a proof by procedure summaries; it is
//! re-checked edge by edge. An error found is no counterexample: it is one of the outline, whose memory holds any values.
//!
//! **Deviations.**
//! - D1. Which variables show that a run is impossible is found by leaving out what is not needed, not by interpolation. They are tracked everywhere.
//! - D2. Where many states of a context meet, what differs most among them is given up (`Search::give_up`): counters do not end otherwise.

mod path;
mod proof;
mod range;
mod search;
mod state;
#[cfg(test)]
mod tests;

use clinch_ir::Reason;
use clinch_ir::cfa::{CfaProgram, CfaProof, CfaVerdict, Op};
use clinch_terms::Symbol;
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::CfaOutcome;
use crate::budget::{Budget, Observer, Progress};
use search::{Found, Search};
use state::Layout;

/// What a run did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    /// Abstract runs to an error that were impossible.
    pub refinements: u64,
    /// Procedures of the outline, and how many of them the last search entered.
    pub procedures: u64,
    /// Those of them that the last search entered.
    pub procedures_entered: u64,
    /// Locations of the outline.
    pub locations: u64,
    /// Variables of the outline.
    pub variables: u64,
    /// Those that are tracked at the end, by name.
    pub tracked: Vec<String>,
    /// Abstract states of the last search.
    pub states: u64,
    /// Calls that it tells apart.
    pub calls: u64,
}

/// Checks the outline of a program. It is an error of the outline that is found, if one is: then nothing is known of the program.
pub fn check(program: &CfaProgram, budget: &Budget, observer: &mut dyn Observer) -> CfaOutcome<Stats> {
    let mut stats = Stats {
        procedures: program.procedures.len() as u64,
        locations: program.procedures.iter().map(|p| p.locations.len() as u64).sum(),
        variables: program.variables.len() as u64,
        ..Stats::default()
    };
    let verdict = refine(program, budget, observer, &mut stats).unwrap_or_else(CfaVerdict::Unknown);
    (verdict, stats)
}

fn refine(
    program: &CfaProgram,
    budget: &Budget,
    observer: &mut dyn Observer,
    stats: &mut Stats,
) -> Result<CfaVerdict, Reason> {
    let mut tracked: FxHashSet<Symbol> = FxHashSet::default();
    // Those with too many values.
    let mut without: FxHashSet<Symbol> = FxHashSet::default();
    loop {
        budget.check_iteration(stats.refinements)?;
        let mut search = Search::new(program, Layout::new(program, &tracked));
        let found = search.run(budget)?;
        stats.states = search.nodes.len() as u64;
        stats.calls = search.contexts.len() as u64;
        let entered: FxHashSet<_> = search.contexts.iter().map(|context| context.procedure).collect();
        stats.procedures_entered = entered.len() as u64;
        observer.progress(Progress {
            iteration: stats.refinements + 1,
            predicates: tracked.len() as u64,
            states: stats.states,
            ..Progress::default()
        });
        let (node, edge) = match found {
            Found::Closed => return Ok(CfaVerdict::Safe(CfaProof::Summaries(proof::summaries(&search)))),
            Found::Bad(node, edge) => (node, edge),
        };
        let path = path::path_to(&search, node, edge);
        let path = path.ok_or_else(|| Reason::Unsupported("a run through the outline is too long".to_owned()))?;
        let (procedure, edge) = *path.last().expect("a run ends with an edge");
        let edge = &program.procedure(procedure).edges[edge.index()];
        let Some(more) = path::reasons(program, (&tracked, &without), &path) else {
            let place = program.source.place(edge.span);
            return Err(match &edge.op {
                Op::Unsupported(what) => Reason::Unsupported(format!("{what}, at {}:{}", place.file, place.line)),
                Op::Undefined(what) => Reason::Undefined(format!("{what}, at {}:{}", place.file, place.line)),
                _ => Reason::Inconclusive(
                    "the outline of the program has an error, which says nothing of the program".to_owned(),
                ),
            });
        };
        stats.refinements += 1;
        if more.is_empty() {
            // What shows that the run is impossible was given up on the way.
            let before = without.len();
            without.extend(&search.given_up);
            if without.len() == before {
                return Err(Reason::NoProgress);
            }
            tracked.retain(|symbol| !without.contains(symbol));
        }
        tracked.extend(more);
        let mut names: Vec<Symbol> = tracked.iter().copied().collect();
        names.sort_unstable();
        stats.tracked = names.into_iter().map(|symbol| program.terms.symbol_name(symbol).to_owned()).collect();
    }
}
