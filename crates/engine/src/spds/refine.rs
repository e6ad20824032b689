//! Predicates from a graph of counterexamples ([Spds, section 4, table 1]).
//!
//! The characteristic formula of the graph is unsatisfiable iff the strongest interpolants are false at the targets. Then the weakest
//! ones are computed upwards, and downwards again one is chosen at each node between what the choices so far imply and the
//! weakest (proposition 2.8): whatever is chosen has the tracking property.

use std::collections::BTreeMap;

use clinch_bdd::{Bdd, OutOfNodes};

use super::config::{Calls, Config, Interpolants};
use super::dag::{Dag, Node, Role};
use super::interpolant::between;
use super::system::{FrameId, Kind, PointId, Prepared, RuleId};
use super::trace::Link;

type Result<T> = std::result::Result<T, OutOfNodes>;

/// The predicates of a refinement.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// `P_n`, and `P_{m>}` at the points where calls come back.
    pub(super) at_points: Vec<(PointId, Bdd)>,
    /// `P_{<f}`.
    pub(super) effects: Vec<(FrameId, Bdd)>,
}

/// What a call does that ends in a node, by a rule.
type End = (usize, RuleId);

/// The strongest interpolants: what reaches each node.
pub(super) fn strongest(system: &Prepared<'_>, dag: &Dag) -> Result<Vec<Bdd>> {
    let mut states: Vec<Bdd> = Vec::with_capacity(dag.nodes.len());
    for node in &dag.nodes {
        system.bdds.check_deadline()?;
        states.push(along_links(system, &node.links, &states, entered(system, node))?);
    }
    Ok(states)
}

pub(super) fn follow(system: &Prepared<'_>, rule: RuleId, states: &Bdd) -> Result<Bdd> {
    match system.rule(rule).kind {
        Kind::Push(..) => system.enter(rule, states),
        _ => system.step(rule, states),
    }
}

/// These states, and what comes along links.
pub(super) fn along_links(system: &Prepared<'_>, links: &[Link], states: &[Bdd], mut own: Bdd) -> Result<Bdd> {
    for &link in links {
        let part = match link {
            Link::Start => system.bdds.tt(),
            Link::Rule(rule, from) => follow(system, rule, &states[from])?,
            Link::Return { call, caller, end, exit } => {
                system.come_back(call, &states[caller], &system.effect(end, &states[exit])?)?
            }
        };
        own = own.or(&part)?;
    }
    Ok(own)
}

/// `(G_in ↔ G) ∧ (L_in ↔ L)` at the entry of a procedure that comes back.
fn entered(system: &Prepared<'_>, node: &Node) -> Bdd {
    let frame = system.spds.points[node.point.index()];
    if node.role == Role::Callee && system.spds.frames[frame.index()].entry == node.point {
        system.identity(frame).clone()
    } else {
        system.bdds.ff()
    }
}

/// The weakest interpolants.
struct Weakest {
    /// `W_n`.
    nodes: Vec<Bdd>,
    /// `W_{m>}`, for each call and node where it comes back.
    pushed: BTreeMap<(RuleId, usize, usize), Bdd>,
    /// `W_{<f}`.
    effects: BTreeMap<End, Bdd>,
}

fn weakest(system: &Prepared<'_>, dag: &Dag, strongest: &[Bdd], calls: Calls) -> Result<Weakest> {
    let tt = system.bdds.tt();
    let mut weakest =
        Weakest { nodes: vec![tt.clone(); dag.nodes.len()], pushed: BTreeMap::new(), effects: BTreeMap::new() };
    dag.targets.iter().for_each(|&t| weakest.nodes[t] = system.bdds.ff());
    for n in (0..dag.nodes.len()).rev() {
        system.bdds.check_deadline()?;
        // All calls that this node is the end of come back later: their effects are known.
        let ends = weakest.effects.range((n, RuleId(0))..=(n, RuleId(u32::MAX)));
        let ends: Vec<(RuleId, Bdd)> = ends.map(|((_, r), w)| (*r, w.clone())).collect();
        for (end, effect) in ends {
            let before = system.before_pop(end, &effect)?;
            weakest.nodes[n] = weakest.nodes[n].and(&before)?;
        }
        let own = weakest.nodes[n].clone();
        for &link in &dag.nodes[n].links {
            if let Link::Rule(rule, from) = link {
                let before = match system.rule(rule).kind {
                    Kind::Push(..) => system.before_enter(rule, &own)?,
                    _ => system.before_step(rule, &own)?,
                };
                weakest.nodes[from] = weakest.nodes[from].and(&before)?;
            }
        }
        match calls {
            Calls::WeakCaller => weakest.weak_callers(system, dag, n, strongest)?,
            Calls::WeakEffect => weakest.weak_effects(system, dag, n, strongest)?,
        }
    }
    Ok(weakest)
}

impl Weakest {
    /// The calls that come back in a node, as table 1 has them.
    fn weak_callers(&mut self, system: &Prepared<'_>, dag: &Dag, n: usize, strongest: &[Bdd]) -> Result<()> {
        let own = self.nodes[n].clone();
        let returns: Vec<_> = returns(&dag.nodes[n]).collect();
        for &(call, caller, end, exit) in &returns {
            let back = system.with_outputs(call, &own)?;
            let effect = system.effect(end, &strongest[exit])?;
            let before = system.before_effect(call, &effect, &back)?;
            let pushed = self.pushed.entry((call, caller, n)).or_insert_with(|| system.bdds.tt());
            *pushed = pushed.and(&before)?;
        }
        for &(call, caller, end, exit) in &returns {
            let back = system.with_outputs(call, &own)?;
            let pushed = &self.pushed[&(call, caller, n)];
            let weakest = system.weakest_effect(call, pushed, &back)?;
            let effect = self.effects.entry((exit, end)).or_insert_with(|| system.bdds.tt());
            *effect = effect.and(&weakest)?;
            let before = system.before_push(call, pushed)?;
            self.nodes[caller] = self.nodes[caller].and(&before)?;
        }
        Ok(())
    }

    /// The calls that come back in a node: `W_{<f} ≡ ∀ G_in, L_in, L''. (S_{m>} → W)` and `W_{m>} ≡ ∀ G'. (W_{<f} → W)`.
    fn weak_effects(&mut self, system: &Prepared<'_>, dag: &Dag, n: usize, strongest: &[Bdd]) -> Result<()> {
        let own = self.nodes[n].clone();
        for (call, caller, end, exit) in returns(&dag.nodes[n]) {
            let back = system.with_outputs(call, &own)?;
            let weakest = system.weakest_effect(call, &system.pushed(call, &strongest[caller])?, &back)?;
            let effect = self.effects.entry((exit, end)).or_insert_with(|| system.bdds.tt());
            *effect = effect.and(&weakest)?;
            let pushed = system.before_effect(call, &weakest, &back)?;
            let before = system.before_push(call, &pushed)?;
            self.nodes[caller] = self.nodes[caller].and(&before)?;
            self.pushed.insert((call, caller, n), pushed);
        }
        Ok(())
    }
}

fn returns(node: &Node) -> impl Iterator<Item = (RuleId, usize, RuleId, usize)> {
    node.links.iter().filter_map(|link| match *link {
        Link::Return { call, caller, end, exit } => Some((call, caller, end, exit)),
        _ => None,
    })
}

/// The predicates that exclude all counterexamples of the graph; `strongest` says that they are spurious.
pub(super) fn predicates(system: &Prepared<'_>, dag: &Dag, strongest: &[Bdd], config: &Config) -> Result<Found> {
    let weakest = weakest(system, dag, strongest, config.calls)?;
    let kind = config.interpolants;
    let mut choice =
        Choice { system, kind, weakest, chosen: Vec::new(), effects: BTreeMap::new(), found: Found::default() };
    for (n, node) in dag.nodes.iter().enumerate() {
        system.bdds.check_deadline()?;
        choice.node(n, node)?;
    }
    Ok(choice.found)
}

struct Choice<'s, 'a> {
    system: &'s Prepared<'a>,
    kind: Interpolants,
    weakest: Weakest,
    /// `P_n`.
    chosen: Vec<Bdd>,
    /// `P_{<f}`.
    effects: BTreeMap<End, Bdd>,
    found: Found,
}

impl Choice<'_, '_> {
    fn between(&self, lower: &Bdd, upper: &Bdd) -> Result<Bdd> {
        if cfg!(any(test, debug_assertions)) {
            assert!(lower.implies(upper)?, "the tracking property");
        }
        between(self.system.bdds, self.kind, lower, upper)
    }

    fn node(&mut self, n: usize, node: &Node) -> Result<()> {
        let mut lower = entered(self.system, node);
        for &link in &node.links {
            let part = match link {
                Link::Start => self.system.bdds.tt(),
                Link::Rule(rule, from) => follow(self.system, rule, &self.chosen[from])?,
                Link::Return { call, caller, end, exit } => self.back(n, call, caller, (exit, end))?,
            };
            lower = lower.or(&part)?;
        }
        // Where a call comes back the predicates are those of the call: the step from there sees them with the effect.
        if returns(node).next().is_some() {
            self.chosen.push(lower);
            return Ok(());
        }
        let predicate = self.between(&lower, &self.weakest.nodes[n])?;
        self.found.at_points.push((node.point, predicate.clone()));
        self.chosen.push(predicate);
        Ok(())
    }

    /// `P_{m>}` and `P_{<f}`, and what they imply of the states where the call comes back.
    fn back(&mut self, n: usize, call: RuleId, caller: usize, end: End) -> Result<Bdd> {
        let Kind::Push(frame, back) = self.system.rule(call).kind else { unreachable!("only a push comes back") };
        let lower = self.system.pushed(call, &self.chosen[caller])?;
        let pushed = self.between(&lower, &self.weakest.pushed[&(call, caller, n)])?;
        if !self.effects.contains_key(&end) {
            let lower = self.system.effect(end.1, &self.chosen[end.0])?;
            let effect = self.between(&lower, &self.weakest.effects[&end])?;
            self.found.effects.push((frame, effect.clone()));
            self.effects.insert(end, effect);
        }
        self.found.at_points.push((back, pushed.clone()));
        self.system.combine(call, &pushed, &self.effects[&end])
    }
}
