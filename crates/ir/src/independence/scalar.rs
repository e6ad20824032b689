//! What transitions do to one cell alone, by trying all its values.

use clinch_terms::{Term, Terms};
use rustc_hash::FxHashMap;

use super::footprint::{conjuncts, locations_seen, may_write};
use crate::dead::cells_read_in;
use crate::definedness::defined;
use crate::eval::{Evaluator, State};
use crate::program::{Domain, Program, Rhs, TransId, Transition};

/// Domains with more values are not tried.
const VALUES: i64 = 256;

/// Values of a cell before and after a step.
type Changes = Vec<(i64, i64)>;

/// Formulas and transitions, as far as they are about one cell.
pub(super) struct Scalars<'a> {
    program: &'a Program,
    /// The values of a cell at which each transition can be taken, as far as its guard is about that cell alone.
    allowed: Vec<FxHashMap<usize, Vec<bool>>>,
    /// For a transition and a cell, value before and after, where the one depends on the other alone.
    steps: FxHashMap<(TransId, usize), Option<Changes>>,
    domains: Vec<Domain>,
    terms: Terms,
}

impl<'a> Scalars<'a> {
    /// `conditions` are formulas one of which is false wherever the transition is disabled although its processes are in place.
    pub(super) fn new(program: &'a Program, terms: &mut Terms) -> Self {
        let total: Vec<Vec<Term>> =
            program.transitions.iter().map(|t| total_conditions(program, terms, t.guard)).collect();
        let domains = program.cell_domains().cloned().collect();
        let mut scalars =
            Scalars { program, allowed: Vec::new(), steps: FxHashMap::default(), domains, terms: terms.clone() };
        scalars.allowed = total.iter().map(|conditions| scalars.allowed_by(conditions)).collect();
        scalars
    }

    fn allowed_by(&self, conditions: &[Term]) -> FxHashMap<usize, Vec<bool>> {
        let mut allowed: FxHashMap<usize, Vec<bool>> = FxHashMap::default();
        for &condition in conditions {
            let Some((cell, truths)) = self.truths(condition) else { continue };
            let values = allowed.entry(cell).or_insert_with(|| vec![true; truths.len()]);
            values.iter_mut().zip(truths).for_each(|(value, truth)| *value &= truth != Some(false));
        }
        allowed
    }

    /// The cell that a formula is about, if there is just one, and for each value of the cell whether the formula holds, where it is defined.
    pub(super) fn truths(&self, formula: Term) -> Option<(usize, Vec<Option<bool>>)> {
        let &[cell] = cells_read_in(self.program, &self.terms, formula).as_slice() else { return None };
        if !locations_seen(&self.terms, formula).is_empty() {
            return None;
        }
        let truths = self.values(cell)?.map(|value| self.value(formula, cell, value).map(|value| value != 0));
        Some((cell, truths.collect()))
    }

    /// Whether no state allows both.
    pub(super) fn exclude(&self, t: TransId, u: TransId) -> bool {
        let (first, second) = (&self.allowed[t.index()], &self.allowed[u.index()]);
        let mut cells: Vec<usize> = self.cells_of(t);
        cells.retain(|cell| second.contains_key(cell));
        cells.iter().any(|cell| !first[cell].iter().zip(&second[cell]).any(|(a, b)| *a && *b))
    }

    fn cells_of(&self, t: TransId) -> Vec<usize> {
        (0..self.domains.len()).filter(|cell| self.allowed[t.index()].contains_key(cell)).collect()
    }

    /// Whether a transition can make a formula about one cell false where it is true (`from`), or true where it is false.
    pub(super) fn flips(&mut self, t: TransId, (cell, truths): &(usize, Vec<Option<bool>>), from: bool) -> bool {
        let Some((least, _)) = self.domains[*cell].bounds() else { return true };
        let key = (t, *cell);
        if !self.steps.contains_key(&key) {
            let steps = self.steps_on(t, *cell);
            self.steps.insert(key, steps);
        }
        let Some(steps) = &self.steps[&key] else { return true };
        let truth = |value: i64| truths[(value - least) as usize];
        steps.iter().any(|&(before, after)| truth(before) == Some(from) && truth(after) != Some(from))
    }

    /// Value before and after a transition, if the one depends on the other alone.
    fn steps_on(&self, t: TransId, cell: usize) -> Option<Vec<(i64, i64)>> {
        let transition = self.program.transition(t);
        let value = self.only_value(transition, cell)?;
        let depends_on_more = cells_read_in(self.program, &self.terms, value).iter().any(|&read| read != cell);
        if depends_on_more || !locations_seen(&self.terms, value).is_empty() {
            return None;
        }
        let allowed = self.allowed[t.index()].get(&cell);
        let least = self.domains[cell].bounds()?.0;
        let before = self.values(cell)?.filter(|v| allowed.is_none_or(|allowed| allowed[(v - least) as usize]));
        // Where it has no value, or one outside of its domain, the step is a fault, and nothing comes after it.
        let step = |before: i64| Some((before, self.value(value, cell, before)?));
        Some(before.filter_map(step).filter(|&(_, after)| self.domains[cell].contains(after)).collect())
    }

    /// What a transition writes to a cell, if just one assignment can write there, and surely does.
    fn only_value(&self, transition: &Transition, cell: usize) -> Option<Term> {
        let mut writers = transition.assigns().filter(|assign| may_write(self.program, assign).contains(&cell));
        match (writers.next()?, writers.next()) {
            (assign, None) if may_write(self.program, assign) == [cell] => match assign.value {
                Rhs::Term(value) => Some(value),
                Rhs::Input => None,
            },
            _ => None,
        }
    }

    fn values(&self, cell: usize) -> Option<impl Iterator<Item = i64> + use<>> {
        let (lo, hi) = self.domains[cell].bounds()?;
        (hi.checked_sub(lo)? < VALUES).then_some(lo..=hi)
    }

    fn value(&self, term: Term, cell: usize, value: i64) -> Option<i64> {
        let mut state = State { locs: Vec::new(), cells: vec![0; self.domains.len()] };
        state.cells[cell] = value;
        Evaluator::with_terms(self.program, &self.terms).value(term, &state).ok()
    }
}

/// The first conjuncts of a guard that have a value in every state. Where one is false, so is the guard.
pub(super) fn total_conditions(program: &Program, terms: &mut Terms, guard: Term) -> Vec<Term> {
    let parts = conjuncts(&program.terms, guard);
    parts.into_iter().take_while(|&part| is_total(program, terms, part)).collect()
}

/// Whether a term has a value in every state.
pub(super) fn is_total(program: &Program, terms: &mut Terms, term: Term) -> bool {
    let condition = defined(program, terms, term);
    condition == terms.tt()
}
