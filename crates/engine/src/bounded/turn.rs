//! The iterations of loops that are cut ([`super::cut`]), as they are executed.

use clinch_terms::Node;

use super::cut::{CutLoop, Cuts};
use super::path::PathId;
use super::state::{Place, State};
use super::walk::{Turns, Walk};

/// Symbols for what is forgotten have numbers from here on; see `Memory::fresh`.
const FORGOTTEN: u32 = 1 << 24;

impl Walk<'_, '_> {
    /// What is left of a state at the head of a loop that is cut. `at` is where the key has the iteration.
    pub(super) fn cut(&mut self, place: &Place, at: usize, cut: &CutLoop, mut state: State) -> Option<State> {
        let (depth, most) = self.cuts.map_or((1, 0), |cuts| (cuts.depth, cuts.forced));
        let iteration = place.key[at];
        let last = self.turns.remove(&place.key[..at]).filter(|_| iteration > 0);
        let mut since = last.as_ref().and_then(|last| last.since);
        let forced = last.as_ref().is_none_or(|last| last.forced && last.path == state.path);
        if let Some(last) = &last {
            state.path = self.changed(last, &state)?;
        }
        if since.is_none() && iteration >= depth && (!forced || iteration >= most) {
            self.forget(place, cut, &mut state);
            since = Some(iteration);
        }
        let examined = since.is_none_or(|since| iteration == since + depth);
        match since {
            Some(since) if iteration > since + depth => return None,
            _ if examined && !self.all_is_well(place) => self.examine(cut, &state),
            _ => {}
        }
        // Nothing is forgotten in the first iterations: they need no help.
        if since.is_some() {
            state.path = self.suppose(cut, &state)?;
        }
        let (values, saved) = (state.values.clone(), state.saved.clone());
        let turns = Turns { price: 0, left: false, path: state.path, values, saved, since, forced };
        self.turns.insert(place.key[..at].into(), turns);
        Some(state)
    }

    /// What the loop changes is any.
    fn forget(&mut self, place: &Place, cut: &CutLoop, state: &mut State) {
        for &variable in &cut.changed {
            if self.layout.is_dead(place.procedure, place.location, variable) {
                continue;
            }
            let Node::Symbol(like) = self.memory.terms.node(self.layout.anything[variable]) else { continue };
            let any = self.memory.fresh(&place.key, FORGOTTEN + variable as u32, like);
            state.values[variable] = self.memory.terms.symbol(any);
        }
    }

    /// Candidates that do not hold are none.
    fn examine(&mut self, cut: &CutLoop, state: &State) {
        for candidate in &cut.candidates {
            let holds = self.evaluate(state, candidate.formula);
            let broken = self.memory.folder.not(&mut self.memory.terms, holds);
            if let Some(path) = self.memory.paths.decide(&mut self.memory.terms, state.path, broken) {
                self.round.broken.push((candidate.number, path));
            }
        }
    }

    /// The path on which all that are still candidates hold.
    fn suppose(&mut self, cut: &CutLoop, state: &State) -> Option<PathId> {
        let mut path = state.path;
        for candidate in &cut.candidates {
            let holds = self.evaluate(state, candidate.formula);
            let super::walk::Memory { terms, folder, paths, .. } = &mut *self.memory;
            let inactive = folder.not(terms, candidate.active);
            let supposed = folder.or(terms, inactive, holds);
            path = paths.decide(terms, path, supposed)?;
        }
        Some(path)
    }

    /// Whether a place is in an iteration in which nothing happened that must not.
    pub(super) fn all_is_well(&self, place: &Place) -> bool {
        let Some(cuts) = self.cuts else { return false };
        let mut at = Some(place);
        while let Some(place) = at {
            let depth = self.layout.of(place.procedure).order.loops_around(place.location).len();
            if self.is_supposed(cuts, place, 0, depth) {
                return true;
            }
            at = place.calls.as_deref().map(|frame| &frame.caller);
        }
        false
    }

    /// Whether a run that leaves the loops around a place from some depth on stands for none.
    pub(super) fn leaves_early(&self, place: &Place, from: usize, to: usize) -> bool {
        self.cuts.is_some_and(|cuts| self.is_supposed(cuts, place, from, to))
    }

    fn is_supposed(&self, cuts: &Cuts, place: &Place, from: usize, to: usize) -> bool {
        (from..to).any(|depth| {
            let at = place.base + 2 * depth + 1;
            let since = self.turns.get(&place.key[..at]).and_then(|turns| turns.since);
            since.is_some_and(|since| (since..since + cuts.depth).contains(&place.key[at]))
        })
    }
}
