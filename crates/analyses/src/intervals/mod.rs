//! A data-flow pass: between which bounds variables stay at each location, wrap-around respected.
//!
//! Memory is not looked into. What holds in a procedure holds for all its calls. Loops are widened, first to the constants that
//! the program compares with, and narrowed again afterwards: the result is inductive.

#[cfg(test)]
mod float_tests;
mod floats;
mod known;
mod range;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use clinch_terms::float::Format;
use rustc_hash::{FxHashMap, FxHashSet};

pub use floats::FloatRange;
pub use known::{Fact, Known};
pub use range::Range;

use clinch_ir::cfa::{CfaProgram, EdgeId, Op, Procedure, ProcedureId, Target};
use clinch_terms::{LocId, Node, Symbol, Term, Terms};

/// Programs with more locations are not looked at.
const LOCATIONS: usize = 50_000;
/// Steps per location before all that still grows is given up.
const STEPS_PER_LOCATION: usize = 60;
/// Thresholds: programs with more constants use the first ones.
const THRESHOLDS: usize = 64;
/// How often a loop head grows by thresholds before it grows without bounds.
const PATIENCE: u32 = 12;
/// Sweeps that narrow.
const SWEEPS: usize = 3;

/// The bounds of variables at all locations.
#[derive(Clone, Debug)]
pub struct Intervals {
    /// By procedure and location; `None` where no run comes.
    at: Vec<Vec<Option<Known>>>,
}

impl Intervals {
    /// The bounds in a program; nothing if it is too large.
    pub fn new(program: &CfaProgram) -> Option<Intervals> {
        if program.procedures.iter().map(|p| p.locations.len()).sum::<usize>() > LOCATIONS {
            return None;
        }
        let mut flow = Flow::new(program);
        flow.ascend().then(|| flow.descend()).map(|()| Intervals { at: flow.at })
    }

    /// What is known at a location; `None` if no run comes there.
    pub fn at(&self, procedure: ProcedureId, location: LocId) -> Option<&Known> {
        self.at[procedure.index()][location.index()].as_ref()
    }
}

/// What is known of a variable as formulas over its bits. Integers are read with sign or without, as one likes best and where that
/// has bounds.
pub fn bounds(terms: &mut Terms, symbol: Symbol, fact: Fact, with_sign: bool) -> Vec<Term> {
    let range = match fact {
        Fact::Integers(range) => range,
        Fact::Floats(floats) => return floats::bounds(terms, symbol, floats),
    };
    let x = terms.symbol(symbol);
    let (width, full) = (range.width(), Range::full(range.width()));
    let mut constant = |value: i128| terms.bit_vec(width, (value & full.unsigned().1) as u64);
    if let Some(bits) = range.as_constant() {
        let value = constant(i128::from(bits));
        return vec![terms.eq(x, value)];
    }
    let with_sign = if with_sign { range.signed() != full.signed() } else { range.unsigned() == full.unsigned() };
    let ((lo, hi), all) = if with_sign { (range.signed(), full.signed()) } else { (range.unsigned(), full.unsigned()) };
    let (first, last) = (constant(lo), constant(hi));
    let mut found = Vec::new();
    if lo != all.0 {
        found.push(if with_sign { terms.bv_sle(first, x) } else { terms.bv_ule(first, x) });
    }
    if hi != all.1 {
        found.push(if with_sign { terms.bv_sle(x, last) } else { terms.bv_ule(x, last) });
    }
    found
}

/// Whether the ranges of all values show that a formula always holds, or never.
pub fn is_trivial(terms: &Terms, formula: Term) -> bool {
    [true, false].into_iter().any(|value| Known::default().assume(terms, formula, value).is_none())
}

/// The computation of a fixed point.
struct Flow<'p> {
    program: &'p CfaProgram,
    terms: &'p Terms,
    globals: FxHashSet<Symbol>,
    successors: Vec<Vec<Vec<EdgeId>>>,
    heads: Vec<Vec<bool>>,
    /// Where each procedure is called.
    callers: Vec<BTreeSet<(ProcedureId, LocId)>>,
    thresholds: Vec<i128>,
    float_thresholds: Vec<f64>,
    /// Of the variables that are declared as floats.
    formats: FxHashMap<Symbol, Format>,
    at: Vec<Vec<Option<Known>>>,
    /// How often each head grew.
    grown: Vec<Vec<u32>>,
}

/// A location of a procedure.
type Place = (ProcedureId, LocId);

impl<'p> Flow<'p> {
    fn new(program: &'p CfaProgram) -> Self {
        let mut callers = vec![BTreeSet::new(); program.procedures.len()];
        for (i, procedure) in program.procedures.iter().enumerate() {
            for edge in &procedure.edges {
                if let Op::Call { callee, .. } = edge.op {
                    callers[callee.index()].insert((ProcedureId::from_index(i), edge.from));
                }
            }
        }
        let unreached = |p: &Procedure| vec![None; p.locations.len()];
        Flow {
            program,
            terms: &program.terms,
            globals: program.globals.iter().map(|g| g.symbol).collect(),
            successors: program.procedures.iter().map(Procedure::successors).collect(),
            heads: program.procedures.iter().map(Procedure::loop_heads).collect(),
            callers,
            thresholds: thresholds(program),
            float_thresholds: floats::thresholds(program),
            formats: floats::formats(program),
            at: program.procedures.iter().map(unreached).collect(),
            grown: program.procedures.iter().map(|p| vec![0; p.locations.len()]).collect(),
        }
    }

    fn start(&self) -> (Place, Known) {
        let mut known = Known::default();
        for global in &self.program.globals {
            self.assign(&mut known, global.symbol, global.init, &Known::default());
        }
        ((self.program.entry, self.program.procedure(self.program.entry).entry), known)
    }

    /// Upwards, with widening, until nothing changes. Whether that was reached.
    fn ascend(&mut self) -> bool {
        let (start, known) = self.start();
        let locations: usize = self.at.iter().map(Vec::len).sum();
        let mut work = BTreeSet::from([start]);
        self.at[start.0.index()][start.1.index()] = Some(known);
        for _ in 0..(locations + 1) * STEPS_PER_LOCATION {
            let Some(place) = work.pop_first() else { return true };
            for (to, known) in self.step(place) {
                if self.grow(to, known) {
                    work.insert(to);
                    let (procedure, location) = to;
                    if location == self.program.procedure(procedure).exit {
                        let reached = |c: &&Place| self.at[c.0.index()][c.1.index()].is_some();
                        work.extend(self.callers[procedure.index()].iter().filter(reached));
                    }
                }
            }
        }
        false
    }

    /// Downwards: what comes along the edges may be less than what widening made of it.
    fn descend(&mut self) {
        for _ in 0..SWEEPS {
            let (start, known) = self.start();
            let mut next: Vec<Vec<Option<Known>>> = self.at.iter().map(|l| vec![None; l.len()]).collect();
            next[start.0.index()][start.1.index()] = Some(known);
            for (procedure, locations) in self.at.iter().enumerate() {
                for location in 0..locations.len() {
                    let place = (ProcedureId::from_index(procedure), LocId::from_index(location));
                    for (to, known) in self.step(place) {
                        match &mut next[to.0.index()][to.1.index()] {
                            Some(old) => old.join(&known),
                            new => *new = Some(known),
                        }
                    }
                }
            }
            if next == self.at {
                return;
            }
            self.at = next;
        }
    }

    /// More is possible at a place. Whether that is new.
    fn grow(&mut self, (procedure, location): Place, known: Known) -> bool {
        let old = &mut self.at[procedure.index()][location.index()];
        let Some(old) = old else {
            *old = Some(known);
            return true;
        };
        let mut new = old.clone();
        new.join(&known);
        if new == *old {
            return false;
        }
        // Calls in loops feed each other through entries as well.
        let entry = self.program.procedure(procedure).entry == location;
        if entry || self.heads[procedure.index()][location.index()] {
            let grown = &mut self.grown[procedure.index()][location.index()];
            *grown += 1;
            let patient = *grown <= PATIENCE;
            let integers = if patient { &self.thresholds[..] } else { &[] };
            old.widen(&new, integers, if patient { &self.float_thresholds } else { &[] });
        } else {
            *old = new;
        }
        true
    }

    /// What comes out of a place, and where.
    fn step(&self, (procedure, location): Place) -> Vec<(Place, Known)> {
        let Some(known) = &self.at[procedure.index()][location.index()] else { return Vec::new() };
        let mut found = Vec::new();
        for edge in &self.successors[procedure.index()][location.index()] {
            let edge = &self.program.procedure(procedure).edges[edge.index()];
            let to = (procedure, edge.to);
            if let Op::Call { callee, args, result } = &edge.op {
                found.push(self.called(known, *callee, args));
                found.extend(self.returned(known, *callee, *result).map(|after| (to, after)));
            } else if let Some(after) = self.after(self.program.procedure(procedure), &edge.op, known) {
                found.push((to, after));
            }
        }
        found
    }

    fn called(&self, known: &Known, callee: ProcedureId, args: &[Term]) -> (Place, Known) {
        let procedure = self.program.procedure(callee);
        let mut inside = known.clone();
        inside.retain(|s| self.globals.contains(&s));
        for (&param, &arg) in procedure.params.iter().zip(args) {
            self.assign(&mut inside, param, arg, known);
        }
        ((callee, procedure.entry), inside)
    }

    fn returned(&self, known: &Known, callee: ProcedureId, result: Option<Symbol>) -> Option<Known> {
        let procedure = self.program.procedure(callee);
        let mut outside = self.at[callee.index()][procedure.exit.index()].clone()?;
        let value = procedure.result.map(|r| (outside.get(r), outside.float_range(r)));
        outside.retain(|s| self.globals.contains(&s));
        let mut after = known.clone();
        after.retain(|s| !self.globals.contains(&s));
        after.extend(&outside);
        if let Some(result) = result {
            let (range, floats) = value.unwrap_or_default();
            after.set(result, range, floats);
        }
        Some(after)
    }

    /// What is known behind an edge; `None` if it is never taken.
    fn after(&self, procedure: &Procedure, op: &Op, known: &Known) -> Option<Known> {
        let mut after = known.clone();
        match op {
            Op::Assume(condition) => return after.assume(self.terms, *condition, true),
            Op::Assign(assigns) => {
                for assign in assigns {
                    if let Target::Var(symbol) = assign.target {
                        self.assign(&mut after, symbol, assign.value, known);
                    }
                }
            }
            Op::Return(value) => match (procedure.result, value) {
                (Some(result), Some(value)) => self.assign(&mut after, result, *value, known),
                (Some(result), None) => after.forget(result),
                (None, _) => {}
            },
            _ => procedure.writes(op).into_iter().for_each(|symbol| after.forget(symbol)),
        }
        Some(after)
    }

    /// A variable gets the value that a term has where something was known before.
    fn assign(&self, after: &mut Known, symbol: Symbol, value: Term, before: &Known) {
        let floats = before.assigned_float(self.terms, value, self.formats.get(&symbol).copied());
        after.set(symbol, before.range(self.terms, value), floats);
    }
}

/// The constants of conditions and their neighbours, in order: where a loop that goes on changing a variable may stop.
fn thresholds(program: &CfaProgram) -> Vec<i128> {
    let mut found = BTreeSet::from([-1, 0, 1]);
    for procedure in &program.procedures {
        for edge in &procedure.edges {
            let Op::Assume(condition) = edge.op else { continue };
            program.terms.visit(condition, &mut |node| {
                if let Node::BitVec(width @ 1..=64, bits) = node
                    && found.len() < THRESHOLDS
                {
                    let range = Range::constant(width, bits);
                    for value in [range.unsigned().0, range.signed().0] {
                        found.extend([value - 1, value, value + 1]);
                    }
                }
            });
        }
    }
    found.into_iter().collect()
}
