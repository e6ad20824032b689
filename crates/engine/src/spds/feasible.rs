//! Whether a graph of counterexamples is real: the states with which runs of the program reach its nodes.
//!
//! The characteristic formula of the graph is satisfiable iff there are some at a target. Unlike the strongest interpolants of
//! [Spds, table 1] a procedure that comes back is followed only from the states with which the graph calls it. A call may come
//! behind the entry that it uses, so there is more than one round; links lead forwards, so the number of rounds is bounded.

use std::collections::BTreeSet;
use std::rc::Rc;

use clinch_bdd::{Bdd, OutOfNodes};

use super::dag::{Dag, Role};
use super::refine::along_links;
use super::system::{Prepared, RuleId};
use super::trace::Link;

type Result<T> = std::result::Result<T, OutOfNodes>;

/// The states that reach each node; in a procedure that comes back, with those at its entry.
pub(super) fn reached(system: &Prepared<'_>, dag: &Dag) -> Result<Vec<Bdd>> {
    let flow = Flow::new(system, dag);
    let mut states = vec![system.bdds.ff(); dag.nodes.len()];
    let mut waiting: BTreeSet<usize> = (0..dag.nodes.len()).collect();
    while let Some(n) = waiting.pop_first() {
        system.bdds.check_deadline()?;
        let own = flow.states(system, n, &states)?;
        if own != states[n] {
            states[n] = own;
            waiting.extend(flow.next[n].iter().copied());
        }
    }
    Ok(states)
}

/// What depends on what.
struct Flow<'d> {
    dag: &'d Dag,
    /// The calls that use a node as the entry of a procedure that comes back.
    calls: Vec<BTreeSet<(RuleId, usize)>>,
    /// The nodes whose states are found with those of a node.
    next: Vec<Vec<usize>>,
}

impl<'d> Flow<'d> {
    fn new(system: &Prepared<'_>, dag: &'d Dag) -> Self {
        let entries = entries(system, dag);
        let count = dag.nodes.len();
        let mut flow = Flow { dag, calls: vec![BTreeSet::new(); count], next: vec![Vec::new(); count] };
        for (n, node) in dag.nodes.iter().enumerate() {
            for &link in &node.links {
                match link {
                    Link::Start => {}
                    Link::Rule(_, from) => flow.next[from].push(n),
                    Link::Return { call, caller, exit, .. } => {
                        flow.next[caller].push(n);
                        flow.next[exit].push(n);
                        for &entry in entries[exit].iter() {
                            flow.calls[entry].insert((call, caller));
                            flow.next[caller].push(entry);
                        }
                    }
                }
            }
        }
        flow
    }

    fn states(&self, system: &Prepared<'_>, n: usize, states: &[Bdd]) -> Result<Bdd> {
        let mut own = system.bdds.ff();
        for &(call, caller) in &self.calls[n] {
            own = own.or(&system.enter(call, &states[caller])?)?;
        }
        if !own.is_false() {
            let frame = system.spds.points[self.dag.nodes[n].point.index()];
            own = own.and(system.identity(frame))?;
        }
        along_links(system, &self.dag.nodes[n].links, states, own)
    }
}

/// The entries from which a node in a procedure that comes back is reached.
fn entries(system: &Prepared<'_>, dag: &Dag) -> Vec<Rc<Vec<usize>>> {
    let none = Rc::new(Vec::new());
    let mut entries: Vec<Rc<Vec<usize>>> = Vec::with_capacity(dag.nodes.len());
    for (n, node) in dag.nodes.iter().enumerate() {
        if node.role == Role::Spine {
            entries.push(Rc::clone(&none));
            continue;
        }
        let frame = system.spds.points[node.point.index()];
        let is_entry = system.spds.frames[frame.index()].entry == node.point;
        let mut own = if is_entry { Rc::new(vec![n]) } else { Rc::clone(&none) };
        for &link in &node.links {
            let (Link::Rule(_, from) | Link::Return { caller: from, .. }) = link else { continue };
            own = union(own, &entries[from]);
        }
        entries.push(own);
    }
    entries
}

/// The members of both sorted lists, shared where possible: most nodes have the entries of the node before.
fn union(a: Rc<Vec<usize>>, b: &Rc<Vec<usize>>) -> Rc<Vec<usize>> {
    if a.is_empty() {
        return Rc::clone(b);
    }
    if Rc::ptr_eq(&a, b) || b.iter().all(|x| a.binary_search(x).is_ok()) {
        return a;
    }
    let both: BTreeSet<usize> = a.iter().chain(b.iter()).copied().collect();
    Rc::new(both.into_iter().collect())
}
