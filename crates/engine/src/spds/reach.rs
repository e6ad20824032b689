//! post*: the reachable heads of a system, with procedure summaries that all calls share.
//!
//! What is known of a control point is a relation between the values at the entry of its procedure and those now. It comes in
//! *layers*, one each time the point is processed, with the rules that contributed to it: the witness graph. A layer only has causes
//! among earlier ones, so the graph has no cycle; a procedure is there once for all its calls.
//!
//! Points are processed in the order of the program, all rules of one at once. Where an input chooses among steps (a process of many
//! that moves, an event) this is a breadth-first search, whose layers are large diagrams. The rules of such points are *chained*
//! instead (Burch, Clarke, Long, 1991; Roig, Cortadella, Pastor, 1995): one after the other, each applied to all that is reached by then.

use std::collections::BTreeSet;

use clinch_bdd::{Bdd, OutOfNodes};
use clinch_ir::Reason;
use rustc_hash::FxHashMap;

use super::Obstacle;
use super::system::{FrameId, Kind, PointId, Prepared, RuleId};
use crate::budget::Budget;

/// A layer of a control point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct LayerId(pub(super) u32);

impl LayerId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a layer came to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// The start.
    Start,
    /// A step from a layer, or a call from it.
    Rule(RuleId, LayerId),
    /// A call from a layer came back: with one of the effects known then.
    Called(RuleId, FrameId, LayerId),
    /// A procedure came to an end in a layer: for a call from one of the layers of a point known then.
    Ended { call: RuleId, from: PointId, end: RuleId, exit: LayerId },
}

/// States of a control point that are new at some time.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub(super) point: PointId,
    pub(super) states: Bdd,
    pub(super) causes: Vec<Cause>,
}

/// When to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Until {
    /// At the first target.
    FirstTarget,
    /// When nothing is new.
    Fixpoint,
}

/// What can be reached.
#[derive(Debug)]
pub(super) struct Reach {
    pub(super) layers: Vec<Layer>,
    /// The layers of each point.
    pub(super) of_point: Vec<Vec<LayerId>>,
    /// All states of each point.
    pub(super) reached: Vec<Bdd>,
    /// The effects of each procedure with the layers in which they ended.
    pub(super) effects: Vec<Vec<(LayerId, RuleId, Bdd)>>,
    /// The most nodes there were.
    pub(super) peak_nodes: usize,
}

impl Reach {
    /// The first layer of a point.
    pub(super) fn first(&self, point: PointId) -> Option<LayerId> {
        self.of_point[point.index()].first().copied()
    }
}

/// Computes what can be reached; targets in `ignored` do not count.
pub(super) fn post_star(
    system: &Prepared<'_>,
    until: Until,
    ignored: &BTreeSet<PointId>,
    budget: &Budget,
) -> Result<Reach, Obstacle> {
    let mut search = Search::new(system);
    let start = system.spds.start;
    search.add(start, &system.bdds.tt(), Cause::Start)?;
    while let Some((_, point)) = search.waiting.pop_first() {
        budget.check()?;
        let layer = search.new_layer(point)?;
        let is_target = system.spds.targets.contains(&point) && !ignored.contains(&point);
        match layer {
            Some(_) if until == Until::FirstTarget && is_target => break,
            _ if system.spds.chained.contains(&point) => search.apply_next(point)?,
            Some(layer) => search.apply_all(point, layer)?,
            None => {}
        }
        search.watch_nodes(budget)?;
    }
    search.watch_nodes(budget)?;
    Ok(search.reach)
}

struct Search<'s, 'a> {
    system: &'s Prepared<'a>,
    reach: Reach,
    /// States that wait to be processed, with their causes.
    pending: Vec<(Bdd, Vec<Cause>)>,
    waiting: BTreeSet<(u32, PointId)>,
    /// How many layers of its point each rule was applied to, where rules are chained.
    applied: Vec<usize>,
    /// The rule whose turn it is, for each point where rules are chained.
    turn: FxHashMap<PointId, usize>,
    /// The union of the effects of each procedure.
    summaries: Vec<Bdd>,
    /// Garbage is collected when there are so many nodes.
    collect_at: usize,
}

impl<'s, 'a> Search<'s, 'a> {
    fn new(system: &'s Prepared<'a>) -> Self {
        let (points, frames) = (system.spds.points.len(), system.spds.frames.len());
        let none = system.bdds.ff();
        let reach = Reach {
            layers: Vec::new(),
            of_point: vec![Vec::new(); points],
            reached: vec![none.clone(); points],
            effects: vec![Vec::new(); frames],
            peak_nodes: 0,
        };
        Search {
            system,
            reach,
            pending: vec![(none.clone(), Vec::new()); points],
            waiting: BTreeSet::new(),
            applied: vec![0; system.spds.rules.len()],
            turn: FxHashMap::default(),
            summaries: vec![none; frames],
            collect_at: 1 << 20,
        }
    }

    fn add(&mut self, point: PointId, states: &Bdd, cause: Cause) -> Result<(), OutOfNodes> {
        self.add_from(point, states, [cause])
    }

    fn add_from(
        &mut self,
        point: PointId,
        states: &Bdd,
        origin: impl IntoIterator<Item = Cause>,
    ) -> Result<(), OutOfNodes> {
        let new = states.minus(&self.reach.reached[point.index()])?;
        if new.is_false() {
            return Ok(());
        }
        let (pending, causes) = &mut self.pending[point.index()];
        *pending = pending.or(&new)?;
        causes.extend(origin);
        self.wait(point);
        Ok(())
    }

    /// A point is to be processed. Where rules are chained it waits until all that came of the last one is there.
    fn wait(&mut self, point: PointId) {
        let spds = self.system.spds;
        let priority = if spds.chained.contains(&point) { u32::MAX } else { spds.priorities[point.index()] };
        self.waiting.insert((priority, point));
    }

    fn new_layer(&mut self, point: PointId) -> Result<Option<LayerId>, OutOfNodes> {
        let none = self.system.bdds.ff();
        let (states, causes) = std::mem::replace(&mut self.pending[point.index()], (none, Vec::new()));
        if states.is_false() {
            return Ok(None);
        }
        let reached = &mut self.reach.reached[point.index()];
        *reached = reached.or(&states)?;
        let id = LayerId(self.reach.layers.len() as u32);
        self.reach.layers.push(Layer { point, states, causes });
        self.reach.of_point[point.index()].push(id);
        Ok(Some(id))
    }

    fn apply_all(&mut self, point: PointId, layer: LayerId) -> Result<(), OutOfNodes> {
        let system = self.system;
        system.leaving[point.index()].iter().try_for_each(|&rule| self.apply(rule, layer))
    }

    /// Where rules are chained: applies the next one that was not yet applied to all states of the point.
    fn apply_next(&mut self, point: PointId) -> Result<(), OutOfNodes> {
        let rules = &self.system.leaving[point.index()];
        let layers = self.reach.of_point[point.index()].len();
        let turn = self.turn.get(&point).copied().unwrap_or(0);
        let mut order = (0..rules.len()).map(|i| (turn + i) % rules.len());
        let Some(next) = order.find(|&i| self.applied[rules[i].index()] < layers) else { return Ok(()) };
        let id = rules[next];
        self.turn.insert(point, next + 1);
        self.wait(point);
        let new = self.reach.of_point[point.index()][self.applied[id.index()]..].to_vec();
        self.applied[id.index()] = layers;
        let Kind::Step(to) = self.system.rule(id).kind else { unreachable!("only steps are chained") };
        let after = self.system.step(id, &self.reach.reached[point.index()])?;
        self.add_from(to, &after, new.into_iter().map(|layer| Cause::Rule(id, layer)))
    }

    fn apply(&mut self, id: RuleId, layer: LayerId) -> Result<(), OutOfNodes> {
        let states = self.reach.layers[layer.index()].states.clone();
        match self.system.rule(id).kind {
            Kind::Step(to) => {
                let after = self.system.step(id, &states)?;
                self.add(to, &after, Cause::Rule(id, layer))
            }
            Kind::Push(callee, back) => {
                let entered = self.system.enter(id, &states)?.and(self.system.identity(callee))?;
                let entry = self.system.spds.frames[callee.index()].entry;
                self.add(entry, &entered, Cause::Rule(id, layer))?;
                let after = self.system.come_back(id, &states, &self.summaries[callee.index()])?;
                self.add(back, &after, Cause::Called(id, callee, layer))
            }
            Kind::Pop => self.end(id, layer, &states),
        }
    }

    /// A procedure ends: its calls come back.
    fn end(&mut self, id: RuleId, layer: LayerId, states: &Bdd) -> Result<(), OutOfNodes> {
        let frame: FrameId = self.system.spds.points[self.system.rule(id).from.index()];
        let effect = self.system.effect(id, states)?.minus(&self.summaries[frame.index()])?;
        if effect.is_false() {
            return Ok(());
        }
        let summary = &mut self.summaries[frame.index()];
        *summary = summary.or(&effect)?;
        self.reach.effects[frame.index()].push((layer, id, effect.clone()));
        for &call in &self.system.callers[frame.index()] {
            let rule = self.system.rule(call);
            let Kind::Push(_, back) = rule.kind else { continue };
            let before = &self.reach.reached[rule.from.index()];
            if !before.is_false() {
                let after = self.system.come_back(call, before, &effect)?;
                self.add(back, &after, Cause::Ended { call, from: rule.from, end: id, exit: layer })?;
            }
        }
        Ok(())
    }

    fn watch_nodes(&mut self, budget: &Budget) -> Result<(), Reason> {
        let nodes = self.system.bdds.node_count();
        self.reach.peak_nodes = self.reach.peak_nodes.max(nodes);
        if nodes > self.collect_at {
            self.system.bdds.collect_garbage();
            self.collect_at = (2 * self.system.bdds.node_count()).max(1 << 20);
            budget.check_memory()?;
        }
        Ok(())
    }
}
