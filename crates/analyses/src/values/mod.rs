//! Values as control: blocks between control points together with what some variables are known to be.
//!
//! Programs keep much of their control in data: the state of a protocol, the status of a thread, a flag. Where such variables
//! are *tracked*, a place is a control point with a [`Valuation`] of them. From a place, conditions on what is known are
//! decided and only the ways that a run can take are followed; ways that end with different values end at different places.
//! Nothing is lost: the blocks that leave a place cover all runs that leave the point with these values.
//!
//! Where many ways that know different values come to one point, blocks are cut there: each combination of what several threads did
//! would be a block of its own from every place, and with places at that point they are found once.

mod classify;
mod valuation;
mod walk;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use clinch_ir::cfa::blocks::{TooLarge, points_of};
use clinch_ir::cfa::unfold::{Destination, PointId, Step, Unfolding};
use clinch_ir::cfa::{CfaProgram, Liveness, Op, Target};
use clinch_terms::{BinOp, Node, Symbol, Term, Terms};

pub use classify::control_variables;
pub use valuation::Valuation;
use walk::Stopped;

/// A block that starts at a place, and what is known where it ends.
#[derive(Clone, Debug)]
pub struct ValuedBlock {
    /// The block. Tracked variables that are known where it starts do not occur in its guard.
    pub block: Step,
    /// What is known where it ends.
    pub known: Valuation,
}

/// Everything between a point and the next loop heads, in topological order.
struct Area {
    points: Vec<PointId>,
    position: FxHashMap<PointId, usize>,
    steps: Vec<Vec<Step>>,
    /// How many steps lead to each point.
    entries: Vec<usize>,
}

impl Area {
    /// The position of the point that a step leads to, if the walk goes on there.
    fn inside(&self, from: PointId, target: Destination) -> Option<usize> {
        match target {
            Destination::Point(to) if to != from => self.position.get(&to).copied(),
            _ => None,
        }
    }

    /// Whether ways may join at a point.
    fn is_join(&self, at: usize) -> bool {
        self.entries[at] > 1
    }

    /// From which points steps lead to a target.
    fn leading_to(&self, from: PointId, target: Destination) -> Vec<bool> {
        let mut leads = vec![false; self.points.len()];
        for at in (0..self.points.len()).rev() {
            leads[at] = self.steps[at].iter().any(|step| match self.inside(from, step.target) {
                Some(position) => leads[position],
                None => step.target == target,
            });
        }
        leads
    }
}

/// Makes blocks between places.
pub struct ValuedBlocks {
    limit: usize,
    areas: FxHashMap<PointId, Rc<Area>>,
    /// Points at which blocks end, beside loop heads.
    cuts: FxHashSet<PointId>,
    liveness: Vec<Liveness>,
    /// The procedure a variable belongs to, and its position there. Globals and regions belong to none.
    owner: FxHashMap<Symbol, (usize, usize)>,
    /// Addresses of cells that the program names, by region.
    cells: FxHashMap<Symbol, Vec<Term>>,
}

impl ValuedBlocks {
    /// For a program; blocks of more than `limit` points are not made.
    pub fn new(program: &CfaProgram, limit: usize) -> Self {
        let total = vec![false; program.terms.len()];
        let liveness = program
            .procedures
            .iter()
            .map(|p| Liveness::new(&program.terms, p, &total, &FxHashSet::default()))
            .collect();
        let mut owner = FxHashMap::default();
        for (i, procedure) in program.procedures.iter().enumerate() {
            for (position, &symbol) in procedure.params.iter().chain(&procedure.locals).enumerate() {
                owner.insert(symbol, (i, position));
            }
        }
        let (areas, cuts, cells) = (FxHashMap::default(), FxHashSet::default(), named_cells(program));
        ValuedBlocks { limit, areas, cuts, liveness, owner, cells }
    }

    /// What is known of tracked variables before the program starts.
    pub fn initially(&self, terms: &mut Terms, unfolding: &Unfolding<'_>, tracked: &FxHashSet<Symbol>) -> Valuation {
        let values: FxHashMap<Symbol, Term> = unfolding.initial_values(terms).into_iter().collect();
        let start = unfolding.start();
        self.known(terms, unfolding, start, &values, tracked)
    }

    /// The points at which blocks end though they are no loop heads. As there are more of them, blocks made before are not among those
    /// made after.
    pub fn cuts(&self) -> &FxHashSet<PointId> {
        &self.cuts
    }

    /// The blocks that leave a place.
    pub fn leaving(
        &mut self,
        unfolding: &mut Unfolding<'_>,
        terms: &mut Terms,
        (from, known): (PointId, &Valuation),
        tracked: &FxHashSet<Symbol>,
    ) -> Result<Vec<ValuedBlock>, TooLarge> {
        loop {
            let area = self.area(unfolding, terms, from)?;
            match walk::blocks(self, (unfolding, terms), &area, (from, known), tracked) {
                Ok(blocks) => return Ok(blocks),
                Err(Stopped::TooLarge) => return Err(TooLarge),
                Err(Stopped::Crowded(point)) => {
                    self.cuts.insert(point);
                    self.areas.clear();
                }
            }
        }
    }

    /// The places at the target that values alone do not rule out after these places. At an error nothing is known: one place says
    /// that it is not ruled out. `None` if there are more than `limit`.
    pub fn follow(
        &mut self,
        unfolding: &mut Unfolding<'_>,
        terms: &mut Terms,
        (from, places): (PointId, &[Valuation]),
        target: Destination,
        (tracked, limit): (&FxHashSet<Symbol>, usize),
    ) -> Option<Vec<Valuation>> {
        let area = self.area(unfolding, terms, from).ok()?;
        walk::follow(self, (unfolding, terms), &area, (from, places), target, (tracked, limit))
    }

    fn area(&mut self, unfolding: &mut Unfolding<'_>, terms: &mut Terms, from: PointId) -> Result<Rc<Area>, TooLarge> {
        if let Some(known) = self.areas.get(&from) {
            return Ok(Rc::clone(known));
        }
        let (mut points, mut by_point) = points_of(unfolding, terms, from, self.limit, &self.cuts)?;
        points.reverse();
        let position: FxHashMap<PointId, usize> = points.iter().enumerate().map(|(i, &p)| (p, i)).collect();
        let steps: Vec<Vec<Step>> = points.iter().map(|p| by_point.remove(p).unwrap_or_default()).collect();
        let mut entries = vec![0; points.len()];
        let targets = steps.iter().flatten().filter_map(|step| match step.target {
            Destination::Point(to) => position.get(&to),
            _ => None,
        });
        targets.for_each(|&to| entries[to] += 1);
        let area = Rc::new(Area { points, position, steps, entries });
        self.areas.insert(from, Rc::clone(&area));
        Ok(area)
    }

    /// Whether a variable may be read after a point, before it is written.
    pub fn is_live(&self, unfolding: &Unfolding<'_>, at: PointId, symbol: Symbol) -> bool {
        let Some(&(procedure, position)) = self.owner.get(&symbol) else { return true };
        let point = unfolding.point(at);
        if point.procedure.index() == procedure {
            return self.liveness[procedure].is_live(point.location, position);
        }
        match point.calls.iter().find(|(caller, _)| caller.index() == procedure) {
            Some(&(caller, edge)) => {
                let back = unfolding.program().procedure(caller).edges[edge.index()].to;
                self.liveness[procedure].is_live(back, position)
            }
            None => false,
        }
    }

    /// What is known of tracked variables that matter later.
    fn known(
        &self,
        terms: &mut Terms,
        unfolding: &Unfolding<'_>,
        at: PointId,
        values: &FxHashMap<Symbol, Term>,
        tracked: &FxHashSet<Symbol>,
    ) -> Valuation {
        let mut known = Vec::new();
        #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
        for (&symbol, &value) in values {
            if tracked.contains(&symbol) && self.is_live(unfolding, at, symbol) {
                let named = self.cells.get(&symbol).map_or(&[][..], |cells| cells);
                known.extend(valuation::constant_part(terms, symbol, value, named).map(|part| (symbol, part)));
            }
        }
        Valuation::new(known)
    }
}

/// The constant addresses at which the program reads or writes each region.
fn named_cells(program: &CfaProgram) -> FxHashMap<Symbol, Vec<Term>> {
    let terms = &program.terms;
    let mut cells: FxHashMap<Symbol, Vec<Term>> = FxHashMap::default();
    let mut add = |region: Symbol, address: Term| {
        if valuation::is_constant(terms, address) {
            cells.entry(region).or_default().push(address);
        }
    };
    for op in program.procedures.iter().flat_map(|p| &p.edges).map(|e| &e.op) {
        if let Op::Assign(assigns) = op {
            for assign in assigns {
                if let Target::Cell(region, address) = assign.target {
                    add(region, address);
                }
            }
        }
        for term in op.terms() {
            terms.visit(term, &mut |node| {
                if let Node::Binary(BinOp::Select, array, address) = node
                    && let Node::Symbol(region) = terms.node(array)
                {
                    add(region, address);
                }
            });
        }
    }
    #[allow(clippy::iter_over_hash_type, reason = "each entry on its own")]
    for addresses in cells.values_mut() {
        addresses.sort_unstable();
        addresses.dedup();
    }
    cells
}
