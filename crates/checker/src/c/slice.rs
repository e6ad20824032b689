//! The steps of a run that matter for its end: a dynamic slice (Korel and Laski 1988), backwards from the last step.
//!
//! A step matters if a step that matters reads what it wrote, or was only taken because of it: the last branch before, whose two sides have not
//! joined yet, or the call of the procedure. Where memory is read counts as reading its whole region. What the checks of clinch decide
//! is no branch of the program.

use clinch_ir::cfa::{CfaProgram, Edge, EdgeId, InputKind, Op, Procedure, ProcedureId};
use clinch_machine::{Observer, TracedEdge};
use clinch_terms::{LocId, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a step reads or writes; variables of each call are their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Place {
    Global(Symbol),
    Local(Symbol, usize),
    Region(Symbol),
    /// The result of a call.
    Result(usize),
}

/// Notes the steps of a run.
pub(super) struct Slice<'p> {
    program: &'p CfaProgram,
    globals: FxHashSet<Symbol>,
    steps: Vec<Step>,
    calls: Vec<Call>,
    /// How many calls there were.
    count: usize,
    joins: FxHashMap<ProcedureId, Joins>,
}

struct Step {
    procedure: ProcedureId,
    edge: Option<EdgeId>,
    /// The call it belongs to.
    call: usize,
    /// The call that ends with it.
    ended: Option<usize>,
    writes: Vec<Place>,
    /// The step because of which it was taken.
    because: Option<usize>,
}

/// A call that is active.
struct Call {
    number: usize,
    /// The step that made it.
    made_by: Option<usize>,
    /// Branches whose sides have not joined: the step, its location, and where they join.
    open: Vec<(usize, LocId, Option<LocId>)>,
}

impl<'p> Slice<'p> {
    pub(super) fn new(program: &'p CfaProgram) -> Self {
        let globals = program.globals.iter().map(|global| global.symbol).collect();
        let first = Call { number: 0, made_by: None, open: Vec::new() };
        Slice { program, globals, steps: Vec::new(), calls: vec![first], count: 0, joins: FxHashMap::default() }
    }

    /// For each step whether it matters.
    pub(super) fn matters(&self) -> Vec<bool> {
        let mut matters = vec![false; self.steps.len()];
        if let Some(last) = matters.last_mut() {
            *last = true;
        }
        let mut wanted: FxHashSet<Place> = FxHashSet::default();
        for (number, step) in self.steps.iter().enumerate().rev() {
            if !matters[number] && !step.writes.iter().any(|place| wanted.contains(place)) {
                continue;
            }
            matters[number] = true;
            for place in step.writes.iter().filter(|place| !matches!(place, Place::Region(_))) {
                wanted.remove(place);
            }
            wanted.extend(self.reads(step));
            step.because.into_iter().for_each(|because| matters[because] = true);
        }
        matters
    }

    fn op(&self, step: &Step) -> Option<&'p Op> {
        let program: &'p CfaProgram = self.program;
        step.edge.map(|edge| &program.procedure(step.procedure).edges[edge.index()].op)
    }

    fn reads(&self, step: &Step) -> Vec<Place> {
        if let Some(ended) = step.ended {
            return vec![Place::Result(ended)];
        }
        let symbols = match self.op(step) {
            // Who counts lost blocks looks everywhere.
            Some(Op::Input(_, site)) if matches!(self.program.inputs[site.index()].kind, InputKind::Lost) => {
                let regions = self.program.regions.iter().filter(|region| !region.ghost).map(|region| region.symbol);
                self.program.globals.iter().map(|global| global.symbol).chain(regions).collect()
            }
            Some(op) => op.reads(&self.program.terms),
            None => Vec::new(),
        };
        symbols.into_iter().map(|symbol| self.place(symbol, step.call)).collect()
    }

    fn place(&self, symbol: Symbol, call: usize) -> Place {
        match symbol {
            _ if self.globals.contains(&symbol) => Place::Global(symbol),
            _ if self.program.region(symbol).is_some() => Place::Region(symbol),
            _ => Place::Local(symbol, call),
        }
    }

    /// Notes that a branch was taken, which decides what comes until its sides join.
    fn branch(&mut self, number: usize, procedure: ProcedureId, from: LocId, edge: EdgeId) {
        let program = self.program;
        let joins = self.joins.entry(procedure).or_insert_with(|| Joins::new(program.procedure(procedure)));
        let fails = joins.fails[edge.index()];
        if !joins.branches[from.index()] && !fails {
            return;
        }
        let join = if fails { None } else { joins.join[from.index()] };
        let Some(call) = self.calls.last_mut() else { return };
        // The next iteration of a loop: how the one before was decided is known from it.
        if call.open.last().is_some_and(|&(_, at, _)| at == from) {
            call.open.pop();
        }
        call.open.push((number, from, join));
    }
}

impl Observer for Slice<'_> {
    const TRACES: bool = true;

    fn edge(&mut self, traced: &TracedEdge<'_>) {
        let number = self.steps.len();
        let procedure = traced.at.procedure;
        let edge = traced.at.edge.map(|edge| &self.program.procedure(procedure).edges[edge.index()]);
        let op = edge.map(|edge| &edge.op);
        let ended = traced.returned.then(|| self.calls.pop().map(|call| call.number)).flatten();
        let Some(call) = self.calls.last_mut() else { return };
        while let (Some(edge), Some((_, _, join))) = (edge, call.open.last())
            && *join == Some(edge.from)
        {
            call.open.pop();
        }
        let because = call.open.last().map(|open| open.0).or(call.made_by);
        let this = call.number;
        let calls = matches!(op, Some(Op::Call { .. })) && !traced.returned;
        if calls {
            self.count += 1;
            self.calls.push(Call { number: self.count, made_by: Some(number), open: Vec::new() });
        }
        // A call sets the parameters of what it calls.
        let owner = if calls { self.count } else { this };
        let mut writes: Vec<Place> = traced.changes.iter().map(|change| self.place(change.symbol, owner)).collect();
        if matches!(op, Some(Op::Return(_))) {
            writes.push(Place::Result(this));
        }
        self.steps.push(Step { procedure, edge: traced.at.edge, call: this, ended, writes, because });
        if let (Some(edge), Some(id)) = (edge, traced.at.edge) {
            self.branch(number, procedure, edge.from, id);
        }
    }
}

/// Where the sides of branches join: the immediate post-dominators.
struct Joins {
    /// For each location whether more than one edge leaves it.
    branches: Vec<bool>,
    join: Vec<Option<LocId>>,
    /// For each edge whether it is a check of clinch that fails.
    fails: Vec<bool>,
}

impl Joins {
    fn new(procedure: &Procedure) -> Self {
        let count = procedure.locations.len();
        let leaving = procedure.successors();
        let ends = |op: &Op| matches!(op, Op::Error(_) | Op::Undefined(_) | Op::Unsupported(_));
        let is_bad = |guard: &Edge| {
            let mut edges = leaving[guard.to.index()].iter().map(|id| &procedure.edges[id.index()]).peekable();
            edges.peek().is_some() && edges.all(|edge| ends(&edge.op) || is_left_out(guard, edge))
        };
        let fails: Vec<bool> = procedure.edges.iter().map(|edge| ends(&edge.op) || is_bad(edge)).collect();
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (edge, _) in procedure.edges.iter().zip(&fails).filter(|(_, fails)| !**fails) {
            next[edge.from.index()].push(edge.to.index());
        }
        let branches = next.iter().map(|next| next.len() > 1).collect();
        let join = joins(&next).into_iter().map(|join| join.map(LocId::from_index)).collect();
        Joins { branches, join, fails }
    }
}

/// The immediate post-dominators of a graph (Cooper, Harvey, Kennedy 2001); nothing where only the end of all paths is one.
fn joins(next: &[Vec<usize>]) -> Vec<Option<usize>> {
    let end = next.len();
    let order = towards_ends(next);
    let mut rank = vec![usize::MAX; end + 1];
    rank[end] = 0;
    order.iter().enumerate().for_each(|(number, &at)| rank[at] = number + 1);
    let mut join = vec![None; end + 1];
    join[end] = Some(end);
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &at in &order {
            let targets = if next[at].is_empty() { vec![end] } else { next[at].clone() };
            let known = targets.into_iter().filter(|&to| join[to].is_some());
            let new = known.reduce(|mut a, mut b| {
                while a != b {
                    while rank[a] > rank[b] {
                        a = join[a].unwrap_or(end);
                    }
                    while rank[b] > rank[a] {
                        b = join[b].unwrap_or(end);
                    }
                }
                a
            });
            changed |= new != join[at];
            join[at] = new;
        }
    }
    join.truncate(end);
    join.into_iter().map(|join| join.filter(|&at| at != end)).collect()
}

/// The locations from which an end is reached, in reverse postorder of the reversed graph: from the ends backwards.
fn towards_ends(next: &[Vec<usize>]) -> Vec<usize> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); next.len()];
    for (at, targets) in next.iter().enumerate() {
        targets.iter().for_each(|&to| before[to].push(at));
    }
    let mut seen: Vec<bool> = vec![false; next.len()];
    let mut order = Vec::new();
    for end in (0..next.len()).filter(|&at| next[at].is_empty()) {
        let mut path = vec![(end, 0)];
        seen[end] = true;
        while let Some((at, child)) = path.last_mut() {
            match before[*at].get(*child) {
                Some(&to) => {
                    *child += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        path.push((to, 0));
                    }
                }
                None => order.extend(path.pop().map(|(at, _)| at)),
            }
        }
    }
    order.reverse();
    order
}

/// Whether an edge was a check behind this guard, which is left out: the run ends at the very place that the guard stands for.
pub(super) fn is_left_out(guard: &Edge, edge: &Edge) -> bool {
    matches!(edge.op, Op::Abort) && edge.span == guard.span
}

#[cfg(test)]
mod tests {
    use super::joins;

    #[test]
    fn branches_join_behind_their_sides() {
        // 0 branches to 1 and 2, which meet in 3; 3 is a loop with 4, left to 5.
        let join = joins(&[vec![1, 2], vec![3], vec![3], vec![4, 5], vec![3], vec![]]);
        assert_eq!(join, [Some(3), Some(3), Some(3), Some(5), Some(3), None]);
    }

    #[test]
    fn sides_that_do_not_meet_join_nowhere() {
        assert_eq!(joins(&[vec![1, 2], vec![], vec![]]), [None, None, None]);
        // Who never leaves a loop does not come to an end.
        assert_eq!(joins(&[vec![1, 2], vec![], vec![2]]), [Some(1), None, None]);
    }
}
