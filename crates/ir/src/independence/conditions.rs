//! Formulas as Boolean combinations of *tests*, and what changes those.

use clinch_terms::{BinOp, Node, Term, Terms, UnOp};
use rustc_hash::FxHashMap;

use super::footprint::{Footprint, locations_seen};
use super::scalar::{Scalars, is_total, total_conditions};
use super::set::TransitionSet;
use crate::dead::cells_read_in;
use crate::program::Program;
use crate::range::{Interval, of_operation, range};

/// A part of a formula that is looked at as a whole.
#[derive(Debug)]
pub(super) struct Test {
    pub(super) term: Term,
    /// The values it can have.
    range: Interval,
    /// Transitions that may change it where it is 0, and where it is not.
    changes: [TransitionSet; 2],
}

/// The tests of some formulas.
#[derive(Debug, Default)]
pub(super) struct Tests {
    pub(super) all: Vec<Test>,
    number: FxHashMap<Term, usize>,
}

impl Tests {
    /// The transitions that may change a test which has this value.
    pub(super) fn changes(&self, test: usize, value: i64) -> &TransitionSet {
        &self.all[test].changes[usize::from(value != 0)]
    }

    /// The tests in a formula, from left to right.
    pub(super) fn of(&self, terms: &Terms, formula: Term) -> Vec<usize> {
        match self.number.get(&formula) {
            Some(&test) => vec![test],
            None => {
                let mut found: Vec<usize> = terms.children(formula).flat_map(|child| self.of(terms, child)).collect();
                let mut seen = vec![false; self.all.len()];
                found.retain(|&test| !std::mem::replace(&mut seen[test], true));
                found
            }
        }
    }

    /// The values a formula can have where some tests have these values, and the others any.
    pub(super) fn possible(
        &self,
        terms: &Terms,
        formula: Term,
        known: &mut impl FnMut(usize) -> Option<i64>,
    ) -> Interval {
        if let Some(&test) = self.number.get(&formula) {
            return known(test).map_or(self.all[test].range, |value| Interval::new(value, value));
        }
        let mut possible = |term| self.possible(terms, term, known);
        match terms.node(formula) {
            Node::Bool(value) => Interval::new(value.into(), value.into()),
            Node::Int(value) => Interval::new(value, value),
            Node::Unary(UnOp::BoolToInt, a) => possible(a),
            Node::Unary(UnOp::Neg, a) => possible(a).neg(),
            Node::Unary(UnOp::Not, a) => Interval::new(1, 1).add(possible(a).neg()),
            Node::Binary(op, a, b) => {
                let (x, y) = (possible(a), possible(b));
                combined(op, x, y)
            }
            Node::Ite(c, a, b) => {
                let condition = possible(c);
                let (x, y) = (possible(a), possible(b));
                if condition.contains(0) && condition.contains(1) {
                    x.hull(y)
                } else if condition.contains(1) {
                    x
                } else {
                    y
                }
            }
            _ => Interval::ALL,
        }
    }
}

fn combined(op: BinOp, x: Interval, y: Interval) -> Interval {
    let truth = |certain: bool, possible: bool| Interval::new(certain.into(), possible.into());
    match op {
        BinOp::And => Interval { lo: x.lo.min(y.lo), hi: x.hi.min(y.hi) },
        BinOp::Or => Interval { lo: x.lo.max(y.lo), hi: x.hi.max(y.hi) },
        BinOp::Le => truth(x.hi <= y.lo, x.lo <= y.hi),
        BinOp::Lt => truth(x.hi < y.lo, x.lo < y.hi),
        BinOp::Eq => truth(x.lo == x.hi && x == y, x.lo <= y.hi && y.lo <= x.hi),
        BinOp::Add | BinOp::Sub | BinOp::Mul => of_operation(op, x, y),
        _ => Interval::ALL,
    }
}

/// Finds the tests of formulas.
pub(super) struct Finder<'a> {
    pub(super) program: &'a Program,
    pub(super) terms: &'a mut Terms,
    pub(super) footprints: &'a [Footprint],
    pub(super) scalars: Scalars<'a>,
    pub(super) tests: Tests,
}

impl Finder<'_> {
    /// Formulas one of which is false wherever the transition is disabled although its processes are in place: conjuncts of its guard. While
    /// one of them is false and what it depends on does not change, the transition is not enabled and no fault.
    pub(super) fn conditions(&mut self, guard: Term) -> Vec<Term> {
        let parts = super::footprint::conjuncts(&self.program.terms, guard);
        let mut conditions = total_conditions(self.program, self.terms, guard);
        conditions.iter().for_each(|&condition| self.add(condition));
        // The last one is asked about only where all others hold; in the middle, what comes before must not change either.
        let rest = match parts.len() - conditions.len() {
            0 => None,
            1 => parts.last().copied(),
            _ => Some(guard),
        };
        if let Some(rest) = rest {
            self.test(rest);
            conditions.push(rest);
        }
        conditions
    }

    /// Adds the tests of a formula that has a value in every state.
    pub(super) fn add(&mut self, formula: Term) {
        match self.terms.node(formula) {
            Node::Bool(_) | Node::Int(_) => {}
            Node::Unary(UnOp::Not | UnOp::BoolToInt | UnOp::Neg, a) => self.add(a),
            Node::Binary(op, a, b) if self.is_split(op, formula) => {
                self.add(a);
                self.add(b);
            }
            Node::Ite(c, a, b) => [c, a, b].into_iter().for_each(|part| self.add(part)),
            _ => self.test(formula),
        }
    }

    /// Whether the operands have tests of their own. Sums of locations have, for one of those may be far from changing.
    fn is_split(&self, op: BinOp, formula: Term) -> bool {
        match op {
            BinOp::And | BinOp::Or => true,
            BinOp::Eq | BinOp::Le | BinOp::Lt | BinOp::Add | BinOp::Sub | BinOp::Mul => {
                !locations_seen(self.terms, formula).is_empty()
            }
            _ => false,
        }
    }

    fn test(&mut self, term: Term) {
        if self.tests.number.contains_key(&term) {
            return;
        }
        self.tests.number.insert(term, self.tests.all.len());
        let changes = [false, true].map(|from| self.changes(term, from));
        self.tests.all.push(Test { term, range: range(self.program, self.terms, term), changes });
    }

    fn changes(&mut self, term: Term, from: bool) -> TransitionSet {
        let mut changes = TransitionSet::empty(self.program);
        let cells = cells_read_in(self.program, self.terms, term);
        let locations = locations_seen(self.terms, term);
        let at = matches!(self.terms.node(term), Node::At(..));
        let truths = self.scalars.truths(term).filter(|_| is_total(self.program, self.terms, term));
        for id in self.program.transition_ids() {
            let writes = &self.footprints[id.index()].writes;
            let writes = cells.iter().any(|cell| writes.binary_search(cell).is_ok());
            let moves = self.program.transition(id).moves.iter().any(|m| {
                let crosses =
                    |&(p, l): &_| m.process == p && (m.from == l) != (m.to == l) && !(at && (m.from == l) != from);
                locations.iter().any(crosses)
            });
            let flips = |scalars: &mut Scalars<'_>| truths.as_ref().is_none_or(|t| scalars.flips(id, t, from));
            if moves || writes && flips(&mut self.scalars) {
                changes.insert(id);
            }
        }
        changes
    }
}
