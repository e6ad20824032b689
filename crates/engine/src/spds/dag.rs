//! The counterexample graph of a search ([Spds, 4.2 and 4.3]): what leads to the targets, and no more.
//!
//! Procedures that the counterexamples leave unfinished are the *spine*; those that come back are there once, whoever calls
//! them, with what relates their end to their entry. A layer may have both roles.

use std::collections::BTreeMap;

use clinch_bdd::{Bdd, OutOfNodes};

use super::reach::{LayerId, Reach};
use super::system::{Kind, PointId, Prepared};
use super::trace::{Link, Run, Witness};

/// What a node is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Role {
    /// In a procedure that has come back: the states are relative to its entry.
    Callee,
    /// In a procedure that is not finished: the states are those of the run.
    Spine,
}

/// A node.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) layer: LayerId,
    pub(super) point: PointId,
    pub(super) role: Role,
    /// Where it comes from; none for the entry of a procedure that comes back.
    pub(super) links: Vec<Link>,
}

/// A graph of counterexamples: links lead from earlier nodes to later ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Dag {
    pub(super) nodes: Vec<Node>,
    /// Those at targets.
    pub(super) targets: Vec<usize>,
}

type Key = (LayerId, Role);

impl Dag {
    /// Everything that leads to the layers.
    pub(super) fn whole(system: &Prepared<'_>, reach: &Reach, targets: &[LayerId]) -> Result<Dag, OutOfNodes> {
        let mut links: BTreeMap<Key, Vec<Link>> = BTreeMap::new();
        let mut work: Vec<Key> = targets.iter().map(|&t| (t, Role::Spine)).collect();
        while let Some(key) = work.pop() {
            if links.contains_key(&key) {
                continue;
            }
            let mut own = Vec::new();
            for link in reach.links(key.0.index()) {
                if belongs(system, key.1, link) && contributes(system, reach, key.0, link)? {
                    own.push(link);
                    work.extend(sources(key.1, link));
                }
            }
            links.insert(key, own);
        }
        Ok(Dag::new(reach, links, targets))
    }

    /// The layers that its nodes are of.
    pub(super) fn layers(&self) -> Vec<LayerId> {
        self.nodes.iter().map(|node| node.layer).collect()
    }

    /// Whether a call comes back in it.
    pub(super) fn has_calls(&self) -> bool {
        self.nodes.iter().any(|n| n.role == Role::Callee)
    }

    /// One run.
    pub(super) fn single(reach: &Reach, run: &Run, target: LayerId) -> Dag {
        let mut links: BTreeMap<Key, Vec<Link>> = BTreeMap::new();
        for &(node, spine, link) in &run.links {
            let role = if spine { Role::Spine } else { Role::Callee };
            let own = links.entry((LayerId(node as u32), role)).or_default();
            if let Some(link) = link.filter(|a| !own.contains(a)) {
                own.push(link);
            }
        }
        Dag::new(reach, links, &[target])
    }

    fn new(reach: &Reach, links: BTreeMap<Key, Vec<Link>>, targets: &[LayerId]) -> Dag {
        let index: BTreeMap<Key, usize> = links.keys().enumerate().map(|(i, &k)| (k, i)).collect();
        let nodes = links.into_iter().map(|((layer, role), links)| {
            let place = |node: usize, role: Role| index[&(LayerId(node as u32), role)];
            let links = links.into_iter().map(|link| match link {
                Link::Start => Link::Start,
                Link::Rule(rule, from) => Link::Rule(rule, place(from, role)),
                Link::Return { call, caller, end, exit } => {
                    Link::Return { call, caller: place(caller, role), end, exit: place(exit, Role::Callee) }
                }
            });
            Node { layer, point: reach.layers[layer.index()].point, role, links: links.collect() }
        });
        Dag { nodes: nodes.collect(), targets: targets.iter().map(|&t| index[&(t, Role::Spine)]).collect() }
    }
}

/// Whether an link matters for a role: one who comes back does not ask who called.
fn belongs(system: &Prepared<'_>, role: Role, link: Link) -> bool {
    match link {
        Link::Rule(rule, _) => role == Role::Spine || !matches!(system.rule(rule).kind, Kind::Push(..)),
        _ => true,
    }
}

/// Whether a call with an end leads into the layer.
fn contributes(system: &Prepared<'_>, reach: &Reach, layer: LayerId, link: Link) -> Result<bool, OutOfNodes> {
    let Link::Return { call, caller, end, exit } = link else { return Ok(true) };
    let effect = system.effect(end, reach.states(exit))?;
    let back = system.come_back(call, reach.states(caller), &effect)?;
    Ok(!back.and(reach.states(layer.index()))?.is_false())
}

fn sources(role: Role, link: Link) -> Vec<Key> {
    let key = |node: usize, role: Role| (LayerId(node as u32), role);
    match link {
        Link::Start => Vec::new(),
        Link::Rule(_, from) => vec![key(from, role)],
        Link::Return { caller, exit, .. } => vec![key(caller, role), key(exit, Role::Callee)],
    }
}

/// The graph with the states that reach its nodes.
pub(super) struct Labelled<'a> {
    pub(super) dag: &'a Dag,
    pub(super) states: &'a [Bdd],
}

impl Witness for Labelled<'_> {
    fn point(&self, node: usize) -> PointId {
        self.dag.nodes[node].point
    }

    fn states(&self, node: usize) -> &Bdd {
        &self.states[node]
    }

    fn links(&self, node: usize) -> Vec<Link> {
        self.dag.nodes[node].links.clone()
    }
}
