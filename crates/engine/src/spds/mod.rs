//! Symbolic pushdown systems with abstraction refinement (\[Spds\]): J. Esparza, S. Kiefer, S. Schwoon, *Abstraction Refinement with
//! Craig Interpolation and Symbolic Pushdown Systems*, JSAT 5, 2008.

#![allow(
    clippy::mutable_key_type,
    reason = "the hash of a decision diagram is that of its node, which does not change"
)]

mod abstraction;
mod backward;
mod cegar;
mod config;
mod dag;
mod evidence;
mod footprint;
mod interpolant;
mod layout;
mod model;
mod order;
#[cfg(test)]
mod pre;
mod reach;
mod refine;
mod system;
#[cfg(test)]
mod tests;
mod trace;
mod translate;
mod witness;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Instant;

use clinch_bdd::{Bdds, OutOfNodes};
use clinch_ir::cfa::guided::open_reason;
use clinch_ir::cfa::passes::{Narrowing, narrow};
use clinch_ir::cfa::{CfaProgram, CfaProof, CfaVerdict, ProcedureId};
use clinch_ir::{LocId, Reason, Symbol};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::budget::{Budget, Observer, Progress};
pub use config::{Abstraction, Config, Interpolants};
use model::Model;
use reach::{Reach, Until, post_star};
use system::{PointId, Prepared};
use trace::trace;

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

/// Why the engine cannot go on.
#[derive(Clone, Debug)]
enum Obstacle {
    /// No room for decision diagrams, or no time.
    Room,
    /// Something that is not modelled.
    Unsupported(String),
    /// Anything else.
    Reason(Reason),
}

impl From<OutOfNodes> for Obstacle {
    fn from(_: OutOfNodes) -> Self {
        Obstacle::Room
    }
}

impl From<Reason> for Obstacle {
    fn from(reason: Reason) -> Self {
        Obstacle::Reason(reason)
    }
}

/// Results of operations on decision diagrams that are remembered.
const CACHE: usize = 1 << 20;

/// Checks a program.
pub fn check(
    program: &CfaProgram,
    config: &Config,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> (CfaVerdict, Stats) {
    let mut stats = Stats { int_bits: config.int_bits, ..Stats::default() };
    let verdict = run(program, config, budget, observer, &mut stats).unwrap_or_else(|obstacle| {
        CfaVerdict::Unknown(match obstacle {
            Obstacle::Reason(reason) => reason,
            Obstacle::Unsupported(what) => Reason::Unsupported(what),
            Obstacle::Room => budget.check().err().unwrap_or_else(|| {
                Reason::Unsupported(format!("decision diagrams of more than {} nodes", config.nodes))
            }),
        })
    });
    (verdict, stats)
}

fn run(
    original: &CfaProgram,
    config: &Config,
    budget: &Budget,
    observer: &mut dyn Observer,
    stats: &mut Stats,
) -> Result<CfaVerdict, Obstacle> {
    let (program, narrowed) = match config.int_bits {
        Some(bits) => {
            let narrowed = narrow(original, bits);
            (Cow::Owned(narrowed.program), Widths { variables: narrowed.variables, uncut: narrowed.uncut })
        }
        None => (Cow::Borrowed(original), Widths::default()),
    };
    let mut bdds = Bdds::with_cache(config.nodes, CACHE);
    bdds.set_deadline(budget.remaining().map(|left| Instant::now() + left));
    let model = model::read(&mut bdds, &program, &narrowed.variables)?;
    stats.control_points = model.spds.points.len() as u64;
    stats.rules = model.spds.rules.len() as u64;
    let run = Run { original, program: &program, narrowed: &narrowed, config, budget, model: &model };
    match config.abstraction {
        Abstraction::None => run.search(&bdds, observer, stats),
        Abstraction::Single | Abstraction::Dag => run.refine(&mut bdds, observer, stats),
    }
}

/// Which variables hold fewer bits than their sort has.
#[derive(Clone, Debug, Default)]
struct Widths {
    variables: FxHashMap<Symbol, Narrowing>,
    /// Where a variable has all its bits for a moment.
    uncut: FxHashMap<(ProcedureId, LocId), Symbol>,
}

struct Run<'a> {
    original: &'a CfaProgram,
    /// With narrow integers, if that is asked for.
    program: &'a CfaProgram,
    narrowed: &'a Widths,
    config: &'a Config,
    budget: &'a Budget,
    model: &'a Model,
}

impl Run<'_> {
    /// Without abstraction: post* of the program itself.
    fn search(&self, bdds: &Bdds, observer: &mut dyn Observer, stats: &mut Stats) -> Result<CfaVerdict, Obstacle> {
        let system = Prepared::new(bdds, &self.model.spds)?;
        let mut ignored = BTreeSet::new();
        ignored.extend(self.model.questions.iter().filter(|q| !q.error).map(|q| q.point));
        let reach = post_star(&system, Until::FirstTarget, &ignored, self.budget)?;
        stats.post_star_iterations += reach.layers.len() as u64;
        stats.peak_bdd_nodes = stats.peak_bdd_nodes.max(reach.peak_nodes as u64);
        observer.progress(Progress { iteration: 1, states: reach.layers.len() as u64, ..Progress::default() });
        self.verdict(&system, &reach)
    }

    fn verdict(&self, system: &Prepared<'_>, reach: &Reach) -> Result<CfaVerdict, Obstacle> {
        let reached = |point: PointId| reach.first(point);
        let questions = &self.model.questions;
        if let Some(layer) = questions.iter().filter(|q| q.error).find_map(|q| reached(q.point)) {
            let run = trace(system, reach, layer.index(), self.budget)?;
            let found =
                evidence::counterexample(self.original, self.program, self.model, &run.steps, self.config.int_bits)?;
            return Ok(CfaVerdict::Unsafe(found));
        }
        if let Some(question) = questions.iter().find(|q| reached(q.point).is_some()) {
            return Ok(CfaVerdict::Unknown(open_reason(self.program, question.procedure, question.edge)));
        }
        let states = |point: PointId| reach.reached[point.index()].clone();
        let proof = evidence::summaries(self.program, self.narrowed, self.config.int_bits, self.model, states);
        Ok(CfaVerdict::Safe(CfaProof::Summaries(proof)))
    }
}
