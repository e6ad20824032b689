//! Slicing: what cannot influence whether an error is reached is left out.
//!
//! The slice keeps the ends of runs (errors, exits, what is not modelled, assumptions that may block), the conditions that
//! decide whether one of those or another kept edge is reached (control dependence, from postdominators), and the
//! assignments to whatever kept edges read (without regard to their order). Loops that only compute other things go, even
//! if they may not terminate, and so do computations that may be undefined: the slice reaches every error that the
//! original reaches, and maybe more. "No error" carries over to the original; a trace counts only once it is replayed there.

use rustc_hash::FxHashSet;

use super::collapse::collapse;
use super::{Back, Transformed};
use crate::cfa::{CfaProgram, Edge, EdgeId, Op, Procedure, ProcedureId, Target};
use crate::program::{LocId, Span};
use crate::term::{BinOp, Node, Symbol, Term, Terms, UnOp};

/// Procedures with more locations keep all their conditions.
const MAX_LOCATIONS: usize = 8_000;

/// Leaves out what does not matter for errors.
pub fn slice(original: &CfaProgram) -> Transformed {
    let mut slicer = Slicer::new(original);
    slicer.solve();
    let mut program = original.clone();
    let mut back = Back::identity(original);
    for index in 0..program.procedures.len() {
        slicer.rewrite(&mut program, index, &mut back);
    }
    collapse(&mut program, &mut back);
    Transformed { program, back }
}

/// What is known about one procedure.
struct Shape {
    successors: Vec<Vec<EdgeId>>,
    /// The nearest location that every way to an end goes through, where there is one.
    postdominator: Vec<Option<LocId>>,
    /// The branching locations that decide whether a location is reached.
    controls: Vec<Vec<LocId>>,
    /// Branches that may not be replaced by a way to their postdominator.
    fixed: Vec<bool>,
}

struct Slicer<'p> {
    program: &'p CfaProgram,
    shapes: Vec<Shape>,
    regions: FxHashSet<Symbol>,
    /// Variables and regions that matter.
    relevant: FxHashSet<Symbol>,
    /// Edges that are kept.
    kept: Vec<Vec<bool>>,
    /// Procedures with kept edges.
    active: Vec<bool>,
    changed: bool,
}

impl<'p> Slicer<'p> {
    fn new(program: &'p CfaProgram) -> Self {
        let shapes: Vec<Shape> = program.procedures.iter().map(|p| Shape::new(&program.terms, p)).collect();
        let kept = program.procedures.iter().map(|p| vec![false; p.edges.len()]).collect();
        let regions = program.regions.iter().map(|r| r.symbol).collect();
        let active = vec![false; shapes.len()];
        Slicer { program, shapes, regions, relevant: FxHashSet::default(), kept, active, changed: false }
    }

    fn solve(&mut self) {
        self.active[self.program.entry.index()] = true;
        loop {
            self.changed = false;
            for p in 0..self.program.procedures.len() {
                for e in 0..self.program.procedures[p].edges.len() {
                    if !self.kept[p][e] && self.matters(p, e) {
                        self.keep(p, e);
                    }
                    self.pass_values(p, e);
                }
            }
            if !self.changed {
                return;
            }
        }
    }

    /// Whether an edge matters by itself, or by what it writes.
    fn matters(&self, p: usize, e: usize) -> bool {
        let procedure = &self.program.procedures[p];
        let edge = &procedure.edges[e];
        let memory = || !self.relevant.is_disjoint(&self.regions);
        match &edge.op {
            Op::Error(_) | Op::Exit(_) | Op::Abort | Op::Unsupported(_) | Op::Undefined(_) => true,
            Op::Assume(_) => self.shapes[p].fixed[edge.from.index()],
            Op::Assign(assigns) => assigns.iter().any(|a| self.relevant.contains(&target(a.target))),
            Op::Enter(_) | Op::Leave(_) | Op::Free(_) | Op::SameObject(..) => memory(),
            Op::Alloc { target, .. } => memory() || self.relevant.contains(target),
            Op::Call { callee, result, .. } => {
                self.active[callee.index()] || result.is_some_and(|r| self.relevant.contains(&r))
            }
            op => procedure.writes(op).iter().any(|s| self.relevant.contains(s)),
        }
    }

    /// Keeps an edge: what it reads matters, and what decides whether it is reached.
    fn keep(&mut self, p: usize, e: usize) {
        let program = self.program;
        let mut work = vec![e];
        while let Some(e) = work.pop() {
            if std::mem::replace(&mut self.kept[p][e], true) {
                continue;
            }
            (self.active[p], self.changed) = (true, true);
            let edge = &program.procedures[p].edges[e];
            match &edge.op {
                // Only the arguments and assignments that matter themselves.
                Op::Call { .. } | Op::Assign(_) => {}
                op => self.reads(op.reads(&program.terms)),
            }
            let shape = &self.shapes[p];
            let own = matches!(edge.op, Op::Assume(_)).then_some(edge.from);
            for branch in shape.controls[edge.from.index()].iter().copied().chain(own) {
                work.extend(shape.successors[branch.index()].iter().map(|next| next.index()));
            }
        }
    }

    fn reads(&mut self, symbols: Vec<Symbol>) {
        for symbol in symbols {
            self.changed |= self.relevant.insert(symbol);
        }
    }

    /// Values that matter where an edge writes them matter where they come from.
    fn pass_values(&mut self, p: usize, e: usize) {
        let (program, terms) = (self.program, &self.program.terms);
        let edge = &program.procedures[p].edges[e];
        match &edge.op {
            Op::Assign(assigns) => {
                for assign in assigns.iter().filter(|a| self.relevant.contains(&target(a.target))).collect::<Vec<_>>() {
                    self.reads(terms.symbols(assign.value));
                    if let Target::Cell(_, address) = assign.target {
                        self.reads(terms.symbols(address));
                    }
                }
            }
            Op::Call { callee, args, result } if self.kept[p][e] => {
                let callee = program.procedure(*callee);
                for (param, &arg) in callee.params.iter().zip(args) {
                    if self.relevant.contains(param) {
                        self.reads(terms.symbols(arg));
                    }
                }
                if let (Some(result), Some(inner)) = (result, callee.result)
                    && self.relevant.contains(result)
                {
                    self.reads(vec![inner]);
                }
            }
            _ => {}
        }
    }

    fn rewrite(&self, program: &mut CfaProgram, index: usize, back: &mut Back) {
        let id = ProcedureId::from_index(index);
        let shape = &self.shapes[index];
        let procedure = &self.program.procedures[index];
        let mut edges = Vec::new();
        for (at, successors) in shape.successors.iter().enumerate() {
            let from = LocId::from_index(at);
            let branches = successors.iter().any(|e| matches!(procedure.edges[e.index()].op, Op::Assume(_)));
            let kept = successors.iter().any(|e| self.kept[index][e.index()]);
            if let (true, false, Some(to)) = (branches, kept, shape.postdominator[at]) {
                edges.push(Edge { from, to, op: Op::Skip, span: Span::default() });
                continue;
            }
            for &e in successors {
                let edge = &procedure.edges[e.index()];
                let op = if self.kept[index][e.index()] { self.part(&mut program.terms, edge) } else { dropped(edge) };
                if op == Op::Skip && matches!(edge.op, Op::Input(..)) {
                    back.dropped.insert((id, e));
                }
                edges.push(Edge { op, ..edge.clone() });
            }
        }
        program.procedures[index].edges = edges;
    }

    /// The part of a kept operation that matters.
    fn part(&self, terms: &mut Terms, edge: &Edge) -> Op {
        match &edge.op {
            Op::Assign(assigns) => {
                let matters = |a: &&crate::cfa::Assign| self.relevant.contains(&target(a.target));
                Op::Assign(assigns.iter().filter(matters).copied().collect())
            }
            Op::Call { callee, args, result } => {
                let params = &self.program.procedure(*callee).params;
                let pairs = params.iter().zip(args);
                let args = pairs.map(|(p, &a)| if self.relevant.contains(p) { a } else { any_value(terms, a) });
                let result = result.filter(|r| self.relevant.contains(r));
                Op::Call { callee: *callee, args: args.collect(), result }
            }
            op => op.clone(),
        }
    }
}

/// A constant of the same sort.
fn any_value(terms: &mut Terms, like: Term) -> Term {
    match terms.sort(like) {
        crate::sort::Sort::Bool => terms.ff(),
        crate::sort::Sort::BitVec(width) => terms.bit_vec(width, 0),
        _ => terms.int(0),
    }
}

/// What is left of an edge that is not kept. A condition that stands here goes only with its location.
fn dropped(edge: &Edge) -> Op {
    match &edge.op {
        Op::Assume(condition) => Op::Assume(*condition),
        // Goes to the exit, as the edge does.
        _ => Op::Skip,
    }
}

fn target(target: Target) -> Symbol {
    match target {
        Target::Var(symbol) | Target::Cell(symbol, _) => symbol,
    }
}

impl Shape {
    fn new(terms: &Terms, procedure: &Procedure) -> Self {
        let successors = procedure.successors();
        let count = procedure.locations.len();
        let blocks: Vec<bool> = successors.iter().map(|s| may_block(terms, procedure, s)).collect();
        let sets = if count <= MAX_LOCATIONS { postdominators(procedure, &successors, &blocks) } else { Vec::new() };
        let mut shape = Shape {
            postdominator: vec![None; count],
            controls: vec![Vec::new(); count],
            fixed: vec![false; count],
            successors,
        };
        let size = |s: &Option<Vec<u64>>| s.iter().flatten().map(|w| w.count_ones()).sum::<u32>();
        let sizes: Vec<u32> = sets.iter().map(size).collect();
        for at in 0..count {
            let branches = shape.successors[at].len() > 1;
            if branches && !sets.is_empty() {
                shape.postdominator[at] = nearest(&sets, &sizes, at);
            }
            // A location from which no end is reached keeps its conditions.
            shape.fixed[at] = blocks[at] || (branches && (sets.is_empty() || sets[at].is_none()));
        }
        if !sets.is_empty() {
            shape.find_controls(procedure, &sets);
        }
        shape
    }

    /// `at` is controlled by a branch if it is on all ways to an end from one of its edges, but not from the branch.
    fn find_controls(&mut self, procedure: &Procedure, sets: &[Option<Vec<u64>>]) {
        for branch in 0..sets.len() {
            if self.successors[branch].len() < 2 && !self.fixed[branch] {
                continue;
            }
            for edge in &self.successors[branch] {
                let to = procedure.edges[edge.index()].to.index();
                let Some(after) = &sets[to] else {
                    // No end is reached: everything behind is controlled.
                    continue;
                };
                for at in (0..sets.len()).filter(|&a| contains(after, a)) {
                    let always = at != branch && sets[branch].as_ref().is_some_and(|s| contains(s, at));
                    let branch = LocId::from_index(branch);
                    if !always && self.controls[at].last() != Some(&branch) {
                        self.controls[at].push(branch);
                    }
                }
            }
        }
        // Where no end is reached from, every branch before may decide.
        let all: Vec<LocId> =
            (0..sets.len()).filter(|&b| self.successors[b].len() > 1).map(LocId::from_index).collect();
        for (at, set) in sets.iter().enumerate() {
            if set.is_none() {
                self.controls[at] = all.clone();
            }
        }
    }
}

fn contains(set: &[u64], index: usize) -> bool {
    set[index / 64] >> (index % 64) & 1 == 1
}

/// Whether a run may end at a location because no condition holds.
fn may_block(terms: &Terms, procedure: &Procedure, successors: &[EdgeId]) -> bool {
    let condition = |e: EdgeId| match procedure.edges[e.index()].op {
        Op::Assume(term) => Some(term),
        _ => None,
    };
    match successors {
        [one] => condition(*one).is_some(),
        [one, other] => match (condition(*one), condition(*other)) {
            (Some(a), Some(b)) => !are_opposite(terms, a, b),
            _ => true,
        },
        [] => false,
        _ => true,
    }
}

/// Whether one of two conditions holds, as far as their form tells.
pub(super) fn are_opposite(terms: &Terms, a: Term, b: Term) -> bool {
    let weaker = |op| match op {
        BinOp::Lt => Some(BinOp::Le),
        BinOp::BvUlt => Some(BinOp::BvUle),
        BinOp::BvSlt => Some(BinOp::BvSle),
        _ => None,
    };
    let swapped = |a, b| match (terms.node(a), terms.node(b)) {
        (Node::Unary(UnOp::Not, inner), _) => inner == b,
        (Node::Binary(strict, x, y), Node::Binary(weak, v, u)) => weaker(strict) == Some(weak) && (x, y) == (u, v),
        _ => false,
    };
    swapped(a, b) || swapped(b, a)
}

/// For each location the set of locations on all ways from it to an end (itself included); `None` where no end is reached.
/// A location that may block has an end of its own.
fn postdominators(procedure: &Procedure, successors: &[Vec<EdgeId>], blocks: &[bool]) -> Vec<Option<Vec<u64>>> {
    let count = successors.len();
    let words = count.div_ceil(64);
    let only = |at: usize| {
        let mut set = vec![0; words];
        set[at / 64] |= 1 << (at % 64);
        set
    };
    let mut sets: Vec<Option<Vec<u64>>> = vec![None; count];
    let mut entering = vec![Vec::new(); count];
    for edge in &procedure.edges {
        entering[edge.to.index()].push(edge.from.index());
    }
    let ends: Vec<usize> = (0..count).filter(|&a| successors[a].is_empty() || blocks[a]).collect();
    let mut work = ends;
    while let Some(at) = work.pop() {
        let mut new: Option<Vec<u64>> = None;
        if successors[at].is_empty() || blocks[at] {
            new = Some(only(at));
        } else {
            // Ways that reach no end do not count.
            for edge in &successors[at] {
                let Some(after) = &sets[procedure.edges[edge.index()].to.index()] else { continue };
                match &mut new {
                    None => new = Some(after.clone()),
                    Some(set) => set.iter_mut().zip(after).for_each(|(a, b)| *a &= b),
                }
            }
            if let Some(set) = &mut new {
                set[at / 64] |= 1 << (at % 64);
            }
        }
        if new != sets[at] {
            sets[at] = new;
            work.extend(&entering[at]);
        }
    }
    sets
}

/// The postdominator next to a location: the one that has all the others.
fn nearest(sets: &[Option<Vec<u64>>], sizes: &[u32], at: usize) -> Option<LocId> {
    let set = sets[at].as_ref()?;
    let next = |&a: &usize| sizes[a] + 1 == sizes[at] && contains(set, a);
    (0..sets.len()).find(next).map(LocId::from_index)
}
