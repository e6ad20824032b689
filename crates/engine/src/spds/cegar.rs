//! The refinement cycle.

use std::collections::BTreeSet;

use clinch_bdd::Bdds;
use clinch_ir::Reason;
use clinch_ir::cfa::{CfaProof, CfaVerdict};

use super::abstraction::{Abstractor, Precision};
use super::config::Abstraction;
use super::dag::{Dag, Labelled};
use super::feasible::reached;
use super::question::Question;
use super::reach::{Layer, LayerId, Reach, Until, post_star};
use super::refine::{predicates, strongest};
use super::system::{PointId, Prepared, VERSIONS};
use super::trace::trace;
use super::translate::OPEN;
use super::{Obstacle, Setting, Stats, evidence};
use crate::budget::{Observer, Progress};

impl Setting<'_> {
    /// Checks abstract systems, each finer than the one before.
    pub(super) fn refine(
        &self,
        bdds: &mut Bdds,
        observer: &mut dyn Observer,
        stats: &mut Stats,
    ) -> Result<CfaVerdict, Obstacle> {
        let base = self.model.layout.bits + OPEN / VERSIONS;
        // Decision variables cannot be made while systems refer to the manager: room for many predicates at once.
        bdds.make_variables(VERSIONS * (base + 2 * MAX_PREDICATES));
        let system = Prepared::new(bdds, &self.model.spds)?;
        let mut abstractor = Abstractor::new(&system, base)?;
        let mut precision = Precision::new(&self.model.spds);
        let mut ignored: BTreeSet<PointId> = BTreeSet::new();
        let mut open: Option<Reason> = None;
        loop {
            if abstractor.variables(&precision) > bdds.variable_count() {
                return Err(Obstacle::Unsupported(format!("more than {MAX_PREDICATES} predicates at a point")));
            }
            let spds = abstractor.system(&precision)?;
            let abstract_system = Prepared::new(bdds, &spds)?;
            let reach = post_star(&abstract_system, self.until(), &ignored, self.budget)?;
            self.count(&reach, &precision, stats);
            let targets = self.targets(&reach, &ignored);
            let meant = |layer: &Layer| abstractor.concretise(&precision, layer.point, &layer.states);
            if targets.is_empty() {
                stats.drawing = self.draw((system.bdds, &reach), &[], &meant);
                return match open {
                    Some(reason) => Ok(CfaVerdict::Unknown(reason)),
                    None => self.proof(&abstractor, &precision, &reach),
                };
            }
            let dag = self.dag(&abstract_system, &reach, &targets)?;
            let states = reached(&system, &dag)?;
            watch_nodes(bdds, stats);
            if let Some(question) = self.feasible(&dag, &states) {
                if question.error {
                    stats.drawing = self.draw((system.bdds, &reach), &dag.layers(), &meant);
                    return self.counterexample(&system, &dag, &states, question.point);
                }
                if open.is_none() || !question.is_exhaustion(self.widths) {
                    open = Some(question.open_reason(self.program, self.widths, self.config));
                }
                ignored.insert(question.point);
                continue;
            }
            let strongest = if dag.has_calls() { strongest(&system, &dag)? } else { states };
            let found = predicates(&system, &dag, &strongest, self.config)?;
            watch_nodes(bdds, stats);
            let new = precision.add(found)?;
            stats.refinements += 1;
            stats.predicates += new;
            let (iteration, states) = (stats.refinements, reach.layers.len() as u64);
            observer.progress(Progress { iteration, predicates: stats.predicates, states, ..Progress::default() });
            if new == 0 {
                return Err(Obstacle::Reason(Reason::NoProgress));
            }
            self.budget.check_iteration(stats.refinements)?;
        }
    }

    fn until(&self) -> Until {
        if self.config.abstraction == Abstraction::Single { Until::FirstTarget } else { Until::Fixpoint }
    }

    fn count(&self, reach: &Reach, precision: &Precision, stats: &mut Stats) {
        stats.post_star_iterations += reach.layers.len() as u64;
        stats.peak_bdd_nodes = stats.peak_bdd_nodes.max(reach.peak_nodes as u64);
        let most = |lists: &[Vec<_>]| lists.iter().map(Vec::len).max().unwrap_or(0) as u64;
        stats.local_variables = most(&precision.points);
        stats.global_variables = most(&precision.effects);
    }

    fn targets(&self, reach: &Reach, ignored: &BTreeSet<PointId>) -> Vec<LayerId> {
        let asked = self.model.questions.iter().filter(|q| !ignored.contains(&q.point));
        let mut layers: Vec<LayerId> = asked.flat_map(|q| reach.of_point[q.point.index()].iter().copied()).collect();
        layers.sort_unstable();
        layers
    }

    fn question(&self, point: PointId) -> Question {
        *self.model.questions.iter().find(|q| q.point == point).expect("targets are questions")
    }

    /// The counterexamples to exclude at once.
    fn dag(&self, system: &Prepared<'_>, reach: &Reach, targets: &[LayerId]) -> Result<Dag, Obstacle> {
        if self.config.abstraction == Abstraction::Single {
            let silent = vec![false; self.model.spds.frames.len()];
            let run = trace(system, reach, targets[0].index(), &silent, self.budget)?;
            return Ok(Dag::single(reach, &run, targets[0]));
        }
        Ok(Dag::whole(system, reach, targets)?)
    }

    /// A target that is really reached, an error if there is one.
    fn feasible(&self, dag: &Dag, states: &[clinch_bdd::Bdd]) -> Option<Question> {
        let real = dag.targets.iter().filter(|n| !states[**n].is_false());
        real.map(|&n| self.question(dag.nodes[n].point)).min_by_key(|q| !q.error)
    }

    fn counterexample(
        &self,
        system: &Prepared<'_>,
        dag: &Dag,
        states: &[clinch_bdd::Bdd],
        point: PointId,
    ) -> Result<CfaVerdict, Obstacle> {
        let reached = |n: &&usize| dag.nodes[**n].point == point && !states[**n].is_false();
        let node = *dag.targets.iter().find(reached).expect("a target that is reached");
        let run = trace(system, &Labelled { dag, states }, node, &self.model.silent, self.budget)?;
        let found = evidence::counterexample(self, &run.steps)?;
        Ok(CfaVerdict::Unsafe(found))
    }

    fn proof(
        &self,
        abstractor: &Abstractor<'_, '_>,
        precision: &Precision,
        reach: &Reach,
    ) -> Result<CfaVerdict, Obstacle> {
        let mut concrete = Vec::with_capacity(reach.reached.len());
        for (i, states) in reach.reached.iter().enumerate() {
            self.budget.check()?;
            concrete.push(if states.is_false() {
                states.clone()
            } else {
                abstractor.concretise(precision, PointId(i as u32), states)?
            });
        }
        let states = |point: PointId| concrete[point.index()].clone();
        let proof = evidence::summaries(self, states);
        Ok(CfaVerdict::Safe(CfaProof::Summaries(proof)))
    }
}

fn watch_nodes(bdds: &Bdds, stats: &mut Stats) {
    stats.peak_bdd_nodes = stats.peak_bdd_nodes.max(bdds.node_count() as u64);
}

/// Predicates at a point, at most.
const MAX_PREDICATES: u32 = 2000;
