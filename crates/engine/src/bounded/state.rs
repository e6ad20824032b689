//! Symbolic states, and where they are.

use std::rc::Rc;

use clinch_ir::cfa::{EdgeId, ProcedureId};
use clinch_terms::fold::Folder;
use clinch_terms::{LocId, Term, Terms};

use super::path::{PathId, Paths};

/// Identifies a control point with its calls and the iterations of their loops. Keys grow along every run: what comes first in
/// their order comes first in time.
pub(super) type Key = Rc<[u32]>;

/// A call that waits.
#[derive(Debug)]
pub(super) struct Frame {
    /// Who waits.
    pub(super) procedure: ProcedureId,
    /// The edge with the call.
    pub(super) edge: EdgeId,
    /// Who was called.
    pub(super) callee: ProcedureId,
    /// The point of the call.
    pub(super) caller: Place,
    /// How often the callee is active now.
    pub(super) activations: u32,
    /// What its activations cost so far; see `Walk::price`.
    pub(super) price: u32,
    /// The path when it was called.
    pub(super) path: PathId,
    /// Values saved for the activation before: how many.
    pub(super) saved: usize,
}

/// A control point.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) key: Key,
    /// How much of the key belongs to the callers.
    pub(super) base: usize,
    pub(super) procedure: ProcedureId,
    pub(super) location: LocId,
    pub(super) calls: Option<Rc<Frame>>,
}

/// The states of all runs that come to a place: values under a condition.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) path: PathId,
    /// By the number of the variable.
    pub(super) values: Vec<Term>,
    /// Variables of activations below the current one of a procedure.
    pub(super) saved: Vec<Term>,
}

/// States that come to one place, as one. `dead` gives the value of a variable that does not matter there.
pub(super) fn merge(
    terms: &mut Terms,
    folder: &mut Folder,
    paths: &mut Paths,
    mut states: Vec<State>,
    dead: &dyn Fn(usize) -> Option<Term>,
) -> State {
    while states.len() > 1 {
        let (i, j) = closest(paths, &states);
        let other = states.remove(j);
        merge_into(terms, folder, paths, &mut states[i], other, dead);
    }
    states.pop().expect("a state comes to a place that waits")
}

/// The two states that parted last.
fn closest(paths: &Paths, states: &[State]) -> (usize, usize) {
    const COMPARED: usize = 12;
    let from = states.len().saturating_sub(COMPARED);
    let pairs = (from..states.len()).flat_map(|i| (i + 1..states.len()).map(move |j| (i, j)));
    pairs.max_by_key(|&(i, j)| paths.common_depth(states[i].path, states[j].path)).expect("there are two states")
}

fn merge_into(
    terms: &mut Terms,
    folder: &mut Folder,
    paths: &mut Paths,
    state: &mut State,
    other: State,
    dead: &dyn Fn(usize) -> Option<Term>,
) {
    let meeting = paths.meet(terms, folder, state.path, other.path);
    state.path = meeting.path;
    for (i, (value, new)) in state.values.iter_mut().zip(other.values).enumerate() {
        if *value != new {
            *value = dead(i).unwrap_or_else(|| folder.ite(terms, meeting.second, new, *value));
        }
    }
    for (value, new) in state.saved.iter_mut().zip(other.saved) {
        *value = folder.ite(terms, meeting.second, new, *value);
    }
}
