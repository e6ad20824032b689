//! A program without recursion as one automaton: control points are locations with the calls that wait for them.
//!
//! No procedure is active twice at a time, so its variables need no copies: a call assigns parameters, a return assigns the
//! result, and everything else is control. Points are made when they are first asked for.

use clinch_terms::{LocId, Symbol, Term, Terms, index_type};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::effects::Effects;
use super::{CfaProgram, EdgeId, Op, ProcedureId};
use crate::effect::Effect;

index_type! {
    /// A control point of an unfolding.
    PointId
}

/// A location with the calls that wait for its procedure to return, the outermost first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Point {
    /// The calls: the procedure that waits, and its edge with the call.
    pub calls: Box<[(ProcedureId, EdgeId)]>,
    /// The procedure.
    pub procedure: ProcedureId,
    /// The location in it.
    pub location: LocId,
}

/// Where a step leads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Destination {
    /// To another point.
    Point(PointId),
    /// To the end of the run, without error.
    End,
    /// To the error of an edge.
    Error(ProcedureId, EdgeId),
    /// To something without verdict: an edge that is not modelled or undefined, or a call of a procedure that is active already.
    Open(ProcedureId, EdgeId),
}

/// Something open in a step: the symbol that stands for it, and the edge that leaves it open.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Open {
    /// Where the edge starts.
    pub point: PointId,
    /// The edge.
    pub edge: EdgeId,
    /// Stands for any value.
    pub symbol: Symbol,
}

/// A step from a point: along an edge, or along all loop-free ways to another point ([`blocks`](super::blocks)).
#[derive(Clone, Debug)]
pub struct Step {
    /// Where it starts.
    pub from: PointId,
    /// Where it leads.
    pub target: Destination,
    /// What it does to the variables.
    pub effect: Effect<Symbol, Open>,
}

/// The unfolding of a program, as far as it was asked for.
#[derive(Clone, Debug)]
pub struct Unfolding<'p> {
    program: &'p CfaProgram,
    effects: Effects<'p>,
    points: IndexSet<Point, FxBuildHasher>,
    /// The edges that leave each location of each procedure.
    successors: Vec<Vec<Vec<EdgeId>>>,
    /// Whether each location of each procedure is the head of a loop.
    loop_heads: Vec<Vec<bool>>,
}

impl<'p> Unfolding<'p> {
    /// The unfolding; it starts at [`Unfolding::start`].
    pub fn new(program: &'p CfaProgram, terms: &mut Terms) -> Self {
        let entry = program.procedure(program.entry);
        let start = Point { calls: Box::default(), procedure: program.entry, location: entry.entry };
        Unfolding {
            program,
            effects: Effects::new(program, terms),
            points: IndexSet::from_iter([start]),
            successors: program.procedures.iter().map(|p| p.successors()).collect(),
            loop_heads: program.procedures.iter().map(|p| p.loop_heads()).collect(),
        }
    }

    /// The unfolding again, in a store that was used for one: the variables are the same.
    pub fn resume(program: &'p CfaProgram, terms: &Terms) -> Option<Self> {
        let mut probe = program.terms.clone();
        let unfolding = Unfolding::new(program, &mut probe);
        let counter = unfolding.effects.next_address;
        let known = counter.index() < terms.symbol_count()
            && terms.symbol_name(counter) == probe.symbol_name(counter)
            && terms.symbol_sort(counter) == probe.symbol_sort(counter);
        known.then_some(unfolding)
    }

    /// The variables that have a value at the start, with it; the others have any.
    pub fn initial_values(&self, terms: &mut Terms) -> Vec<(Symbol, Term)> {
        self.effects.initial_values(terms)
    }

    /// The id of a point, which may be new.
    pub fn intern_point(&mut self, point: Point) -> PointId {
        PointId::from_index(self.points.insert_full(point).0)
    }

    /// The program.
    pub fn program(&self) -> &'p CfaProgram {
        self.program
    }

    /// How edges are read.
    pub fn effects(&self) -> &Effects<'p> {
        &self.effects
    }

    /// Where runs start.
    pub fn start(&self) -> PointId {
        PointId(0)
    }

    /// A point.
    pub fn point(&self, id: PointId) -> &Point {
        self.points.get_index(id.index()).expect("an id of this unfolding")
    }

    /// The id of a point, if it was made.
    pub fn find(&self, point: &Point) -> Option<PointId> {
        self.points.get_index_of(point).map(PointId::from_index)
    }

    /// How many points were made.
    pub fn point_count(&self) -> usize {
        self.points.len()
    }

    /// Whether a loop closes at a point.
    pub fn is_loop_head(&self, id: PointId) -> bool {
        let point = self.point(id);
        self.loop_heads[point.procedure.index()][point.location.index()]
    }

    /// The steps that leave a point.
    pub fn steps(&mut self, terms: &mut Terms, id: PointId) -> Vec<Step> {
        let point = self.point(id).clone();
        let edges = self.successors[point.procedure.index()][point.location.index()].clone();
        edges.into_iter().map(|edge| self.step(terms, (id, &point), edge)).collect()
    }

    fn step(&mut self, terms: &mut Terms, (from, point): (PointId, &Point), id: EdgeId) -> Step {
        let edge = &self.program.procedure(point.procedure).edges[id.index()];
        let mut updates = Vec::new();
        let target = match &edge.op {
            Op::Error(_) => Destination::Error(point.procedure, id),
            Op::Unsupported(_) | Op::Undefined(_) => Destination::Open(point.procedure, id),
            Op::Exit(_) | Op::Abort => Destination::End,
            Op::Call { callee, args, .. } => {
                let parameters = &self.program.procedure(*callee).params;
                updates.extend(parameters.iter().copied().zip(args.iter().copied()));
                self.call(point, id, *callee)
            }
            Op::Return(value) => self.return_from(point, *value, &mut updates),
            op => {
                let Effect { guard, updates, open } = self.effects.of(terms, op);
                let open = open.into_iter().map(|symbol| Open { point: from, edge: id, symbol }).collect();
                let target = self.at(Point { location: edge.to, ..point.clone() });
                return Step { from, target, effect: Effect { guard, updates, open } };
            }
        };
        Step { from, target, effect: Effect::of_updates(terms, updates) }
    }

    fn call(&mut self, point: &Point, edge: EdgeId, callee: ProcedureId) -> Destination {
        let active = point.calls.iter().map(|(p, _)| *p).chain([point.procedure]);
        if active.into_iter().any(|p| p == callee) {
            return Destination::Open(point.procedure, edge);
        }
        let calls = point.calls.iter().copied().chain([(point.procedure, edge)]).collect();
        let location = self.program.procedure(callee).entry;
        self.at(Point { calls, procedure: callee, location })
    }

    fn return_from(&mut self, point: &Point, value: Option<Term>, updates: &mut Vec<(Symbol, Term)>) -> Destination {
        let Some((&(caller, edge), calls)) = point.calls.split_last() else { return Destination::End };
        let edge = &self.program.procedure(caller).edges[edge.index()];
        if let Op::Call { result, .. } = &edge.op {
            updates.extend(result.zip(value));
        }
        self.at(Point { calls: calls.into(), procedure: caller, location: edge.to })
    }

    fn at(&mut self, point: Point) -> Destination {
        Destination::Point(self.intern_point(point))
    }
}
