//! Symbolic pushdown systems with abstraction refinement (\[Spds\]): J. Esparza, S. Kiefer, S. Schwoon, *Abstraction Refinement with
//! Craig Interpolation and Symbolic Pushdown Systems*, JSAT 5, 2008: Moped with abstraction refinement.
//!
//! A program over bits is a pushdown system whose rules are relations, given as decision diagrams; recursion is treated exactly. In each
//! cycle an abstract system is searched whose variables are predicates, one list for each control point. What leads to an error there
//! is a graph of counterexamples; it is followed in the concrete system, and if it is spurious, interpolants computed by quantification
//! alone become new predicates.
//!
//! | paper                                         | here                                                        |
//! |-----------------------------------------------|-------------------------------------------------------------|
//! | SPDS `(G, Γ × L, Δ, γ₀)`, definition 3.1      | `system::Spds`, from a program by `model::read`             |
//! | `G_in`, `G`, `G'`; `L_in`, `L`, `L'`, `L''`   | `system::Version`                                              |
//! | post*, witness graph \[14\]                   | `reach::post_star`, `reach::Layer` and its causes           |
//! | counterexample DAG `D`                        | `dag::Dag`                                                  |
//! | whether `F_D` is satisfiable                  | `feasible::reached`                                         |
//! | `S_n`, `W_n`, `W_{m>}`, `W_{<f}` (table 1)    | `refine::strongest`, `refine::Weakest`                      |
//! | `P_n`, `P_{m>}`, `P_{<f}` (4.3)               | `refine::Found`, kept in `abstraction::Precision`           |
//! | `SI`, `WI`, figures 1 and 2                   | `interpolant`                                               |
//! | `[n]`, `Abs`, `push`, `eval`, `pop` (5.2)     | `abstraction::Abstractor`                                   |
//!
//! **Invariant of the loop.** The abstract system has the runs of the concrete one: each relation is the existential abstraction of the
//! concrete relation. A graph that was refined by is excluded from all later systems (tracking property).
//!
//! **Soundness.** Where no target is reached, the concretisations of the abstract heads are procedure summaries: they hold at every
//! entry, are kept by every rule, and a call that comes back is covered by the composition of the caller's with the callee's. They
//! are handed over as formulas and certified with the SMT solver, without decision diagrams. A counterexample is executed.
//!
//! **Deviations.**
//! - D1. A relation has the identity on what it does not write, instead of spelling it out; entry copies exist only for what a procedure
//!   may change; dead locals are forgotten.
//! - D2. A return has its own control point in the concrete system too, so that the abstract one has the same rules.
//! - D3. A layer of the witness graph has all causes that brought something new when it was processed, in reverse post-order:
//!   diamonds are complete, but a loop's second round is a layer of its own only if it brings new abstract states.
//! - D4. Of two conciliated interpolants the weak one is taken; the paper does not say.
//! - D5. "A single counterexample" is what one abstract run uses; a procedure that it calls twice is refined once.
//! - D6. Of the conditions on the caller and on the effect of a call the second may be kept weak instead of the first ([`Calls`]).
//! - D7. Whether a graph is real is asked with the states that its calls hand over, not with `S_{f₀}` of table 1, which is the
//!   identity on all states: a summary of a procedure for all heaps may be too large where that for one heap is tiny.
//! - D8. [`Abstraction::Both`] follows the advice of section 6.6: first without abstraction, then with it.

#![allow(
    clippy::mutable_key_type,
    reason = "the hash of a decision diagram is that of its node, which does not change"
)]

mod abstraction;
mod backward;
mod cegar;
mod choices;
mod config;
mod dag;
mod drawing;
mod evidence;
mod feasible;
mod footprint;
mod force;
mod interpolant;
mod layout;
mod model;
mod options;
mod order;
mod question;
mod reach;
mod refine;
mod system;
#[cfg(test)]
mod tests;
mod trace;
mod translate;
mod widths;
mod witness;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clinch_bdd::terms::Unread;
use clinch_bdd::{Bdds, OutOfNodes};
use clinch_ir::Reason;
use clinch_ir::cfa::{CfaProgram, CfaProof, CfaVerdict};
use clinch_terms::work;
use serde::Serialize;

pub use self::options::OPTIONS;
use crate::CfaOutcome;
use crate::budget::{Budget, Observer, Progress};
use crate::drawing::Drawing;
pub use config::{Abstraction, Calls, Config, Interpolants};
use model::Model;
use reach::{Layer, LayerId, Reach, Until, post_star};
use system::{PointId, Prepared};
use trace::trace;
use widths::Widths;

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
    /// Bits of dynamic memory, where there is some.
    pub heap_bits: Option<u32>,
    /// The witness graph of the last search, where it is drawn.
    #[serde(skip)]
    pub drawing: Option<Drawing>,
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

impl From<Unread> for Obstacle {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::OutOfNodes => Obstacle::Room,
            Unread::Unsupported(text) => Obstacle::Unsupported(text),
        }
    }
}

impl From<Reason> for Obstacle {
    fn from(reason: Reason) -> Self {
        Obstacle::Reason(reason)
    }
}

/// Without abstraction and with it, in turns: the processor's time of the first ones.
const TURNS: [(Abstraction, Duration); 2] =
    [(Abstraction::None, Duration::from_secs(1)), (Abstraction::Dag, Duration::from_secs(2))];
/// As many times longer is the first turn without abstraction where steps are chosen by inputs: predicates seldom help there.
const CHOSEN: u32 = 8;
/// How much longer than the last turn the next one is: how long an answer takes does not depend on the limit.
const GROWTH: u32 = 3;
/// The part of the nodes that a search without abstraction may have.
const FIRST_NODES: usize = 8;

/// The nanoseconds that a new node takes, about, with all that is done to find out that it is new.
const NODE: u64 = 1_000;

/// Results of operations on decision diagrams that are remembered.
const CACHE: usize = 1 << 20;

/// Checks a program.
pub fn check(program: &CfaProgram, config: &Config, budget: &Budget, observer: &mut dyn Observer) -> CfaOutcome<Stats> {
    let mut stats = Stats::default();
    let found = match config.abstraction {
        Abstraction::Both => take_turns(program, config, budget, observer, &mut stats),
        _ => run(program, config, budget, observer, &mut stats),
    };
    stats.int_bits = config.int_bits;
    let verdict = found.unwrap_or_else(|obstacle| {
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

/// Searches without abstraction and with it, in turns that grow. What ends for another reason than its time does not get another turn,
/// and the last one left has all the time there is.
fn take_turns(
    program: &CfaProgram,
    config: &Config,
    budget: &Budget,
    observer: &mut dyn Observer,
    stats: &mut Stats,
) -> Result<CfaVerdict, Obstacle> {
    let mut found = Err(Obstacle::Room);
    let mut left = TURNS.to_vec();
    let chooses = program.procedures.iter().any(|p| !choices::choices(program, p).is_empty());
    if chooses {
        left[0].1 *= CHOSEN;
    }
    let mut factor = 1;
    while !left.is_empty() {
        for (abstraction, first) in left.clone() {
            let (alone, length) = (left.len() == 1, first * factor);
            let turn = if alone { budget.clone() } else { budget.part(length) };
            let is_first = abstraction == Abstraction::None && !chooses;
            let nodes = if is_first { config.nodes / FIRST_NODES } else { config.nodes };
            *stats = Stats::default();
            found = run(program, &Config { abstraction, nodes, ..*config }, &turn, observer, stats);
            let cut_off = match &found {
                Err(Obstacle::Reason(Reason::Timeout(_))) => true,
                // Decision diagrams do not say whether it was room or time that they lacked.
                Err(Obstacle::Room) => turn.check().is_err(),
                Err(Obstacle::Unsupported(_)) => false,
                Ok(_) | Err(Obstacle::Reason(_)) => return found,
            };
            if budget.check().is_err() {
                return found;
            }
            if alone || !cut_off {
                left.retain(|(other, _)| *other != abstraction);
            }
        }
        factor *= GROWTH;
    }
    found
}

fn run(
    original: &CfaProgram,
    config: &Config,
    budget: &Budget,
    observer: &mut dyn Observer,
    stats: &mut Stats,
) -> Result<CfaVerdict, Obstacle> {
    let (program, widths) = widths::meant(original, config)?;
    let mut bdds = Bdds::with_cache(config.nodes, CACHE);
    let (limits, before) = (budget.clone(), AtomicUsize::new(0));
    bdds.stop_when(move |nodes| {
        let new = nodes.saturating_sub(before.swap(nodes, Ordering::Relaxed));
        work::add(new as u64 * NODE);
        limits.check().is_err()
    });
    let model = model::read(&mut bdds, &program, &widths)?;
    stats.heap_bits = widths.heap_bits;
    stats.control_points = model.spds.points.len() as u64;
    stats.rules = model.spds.rules.len() as u64;
    let setting = Setting { original, program: &program, widths: &widths, config, budget, model: &model };
    match config.abstraction {
        Abstraction::None => setting.search(&bdds, observer, stats),
        Abstraction::Single | Abstraction::Dag | Abstraction::Both => setting.refine(&mut bdds, observer, stats),
    }
}

struct Setting<'a> {
    original: &'a CfaProgram,
    /// With narrow integers, if that is asked for, and a bounded heap, if there is one.
    program: &'a CfaProgram,
    widths: &'a Widths,
    config: &'a Config,
    budget: &'a Budget,
    model: &'a Model,
}

impl Setting<'_> {
    /// Without abstraction: post* of the program itself.
    fn search(&self, bdds: &Bdds, observer: &mut dyn Observer, stats: &mut Stats) -> Result<CfaVerdict, Obstacle> {
        let system = Prepared::new(bdds, &self.model.spds)?;
        let mut ignored = BTreeSet::new();
        ignored.extend(self.model.questions.iter().filter(|q| !q.error).map(|q| q.point));
        let reach = post_star(&system, Until::FirstTarget, &ignored, self.budget)?;
        stats.post_star_iterations += reach.layers.len() as u64;
        stats.peak_bdd_nodes = stats.peak_bdd_nodes.max(reach.peak_nodes as u64);
        observer.progress(Progress { iteration: 1, states: reach.layers.len() as u64, ..Progress::default() });
        self.verdict(&system, &reach, stats)
    }

    fn verdict(&self, system: &Prepared<'_>, reach: &Reach, stats: &mut Stats) -> Result<CfaVerdict, Obstacle> {
        let states = |layer: &Layer| Ok(layer.states.clone());
        let reached = |point: PointId| reach.first(point);
        let questions = &self.model.questions;
        if let Some(layer) = questions.iter().filter(|q| q.error).find_map(|q| reached(q.point)) {
            let run = trace(system, reach, layer.index(), &self.model.silent, self.budget)?;
            let path: Vec<LayerId> = run.links.iter().map(|&(node, ..)| LayerId(node as u32)).collect();
            stats.drawing = self.draw((system.bdds, reach), &path, &states);
            let found = evidence::counterexample(self, &run.steps)?;
            return Ok(CfaVerdict::Unsafe(found));
        }
        let open = questions.iter().filter(|q| reached(q.point).is_some());
        if let Some(question) = open.min_by_key(|q| q.is_exhaustion(self.widths)) {
            return Ok(CfaVerdict::Unknown(question.open_reason(self.program, self.widths, self.config)));
        }
        stats.drawing = self.draw((system.bdds, reach), &[], &states);
        let states = |point: PointId| reach.reached[point.index()].clone();
        let proof = evidence::summaries(self, states);
        Ok(CfaVerdict::Safe(CfaProof::Summaries(proof)))
    }
}
