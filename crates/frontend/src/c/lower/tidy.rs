//! What is left out of a finished automaton: unreachable code, hidden variables that only pass a value on.

use clinch_ir::cfa::{Assign, Check, Edge, Location, Op, Target};
use clinch_terms::{LocId, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::body::{Body, EXIT};

/// The parts of a procedure.
pub(super) struct Tidy {
    pub(super) params: Vec<Symbol>,
    pub(super) locals: Vec<Symbol>,
    pub(super) result: Option<Symbol>,
    pub(super) locations: Vec<Location>,
    pub(super) edges: Vec<Edge>,
    pub(super) entry: LocId,
    pub(super) exit: LocId,
    /// Hidden variables that are not needed any more.
    pub(super) dropped: Vec<Symbol>,
}

pub(super) fn tidy(terms: &mut Terms, body: Body, entry: LocId) -> Tidy {
    let entry = body.find(entry);
    let mut edges: Vec<Edge> = body
        .edges
        .iter()
        .map(|e| Edge { from: body.find(e.from), to: body.find(e.to), op: e.op.clone(), span: e.span })
        .collect();
    prune(&mut edges, body.locations.len(), entry);
    let mut fold = Fold { terms, temporaries: &body.temporaries, locations: &body.locations, entry };
    while fold.pass(&mut edges) {
        prune(&mut edges, body.locations.len(), entry);
    }
    let used = mentioned(terms, &edges);
    let (locals, dropped) = body.locals.into_iter().partition(|s| !body.temporaries.contains(s) || used.contains(s));
    let mut tidy = Tidy {
        params: body.params,
        locals,
        result: body.result,
        locations: Vec::new(),
        edges,
        entry,
        exit: EXIT,
        dropped,
    };
    renumber(&mut tidy, body.locations);
    tidy
}

/// Drops the edges that nothing leads to, except for those that mark code as such.
fn prune(edges: &mut Vec<Edge>, locations: usize, entry: LocId) {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); locations];
    for (i, edge) in edges.iter().enumerate() {
        out[edge.from.index()].push(i);
    }
    let mut reached = vec![false; locations];
    reached[entry.index()] = true;
    let mut todo = vec![entry];
    while let Some(at) = todo.pop() {
        for &i in &out[at.index()] {
            let to = edges[i].to;
            if !std::mem::replace(&mut reached[to.index()], true) {
                todo.push(to);
            }
        }
    }
    let is_mark = |op: &Op| matches!(op, Op::Error(failure) if failure.check == Check::Unreachable);
    edges.retain(|e| reached[e.from.index()] || is_mark(&e.op));
}

/// Numbers the locations in the order of the source, the entry first.
fn renumber(tidy: &mut Tidy, mut locations: Vec<Location>) {
    let mut number: FxHashMap<LocId, LocId> = FxHashMap::default();
    let mut order = vec![tidy.entry];
    for edge in &tidy.edges {
        order.extend([edge.from, edge.to]);
    }
    order.retain(|&l| l != EXIT);
    order.push(EXIT);
    for loc in order {
        number.entry(loc).or_insert_with(|| {
            tidy.locations.push(std::mem::take(&mut locations[loc.index()]));
            LocId::from_index(tidy.locations.len() - 1)
        });
    }
    for edge in &mut tidy.edges {
        (edge.from, edge.to) = (number[&edge.from], number[&edge.to]);
    }
    (tidy.entry, tidy.exit) = (number[&tidy.entry], number[&EXIT]);
}

/// The terms an operation reads.
fn reads(op: &Op) -> Vec<Term> {
    match op {
        Op::Assume(t) | Op::Exit(t) | Op::Free(t) | Op::BlockSize(_, t) => vec![*t],
        Op::Assign(assigns) => assigns
            .iter()
            .flat_map(|a| {
                let address = match a.target {
                    Target::Cell(_, address) => Some(address),
                    Target::Var(_) => None,
                };
                [Some(a.value), address].into_iter().flatten()
            })
            .collect(),
        Op::Call { args, .. } => args.clone(),
        Op::Return(value) => value.iter().copied().collect(),
        Op::Alloc { size, .. } => vec![*size],
        Op::Print(print) => print.args.clone(),
        Op::SameObject(a, b) => vec![*a, *b],
        _ => Vec::new(),
    }
}

/// The same operation on other terms.
pub(in crate::c) fn map_reads(op: &Op, mut f: impl FnMut(Term) -> Term) -> Op {
    let mut op = op.clone();
    match &mut op {
        Op::Assume(t) | Op::Exit(t) | Op::Free(t) | Op::BlockSize(_, t) => *t = f(*t),
        Op::SameObject(a, b) => (*a, *b) = (f(*a), f(*b)),
        Op::Assign(assigns) => {
            for assign in assigns {
                assign.value = f(assign.value);
                if let Target::Cell(_, address) = &mut assign.target {
                    *address = f(*address);
                }
            }
        }
        Op::Call { args, .. } => args.iter_mut().for_each(|t| *t = f(*t)),
        Op::Return(Some(t)) => *t = f(*t),
        Op::Alloc { size, .. } => *size = f(*size),
        Op::Print(print) => print.args.iter_mut().for_each(|t| *t = f(*t)),
        _ => {}
    }
    op
}

/// The variables an operation writes.
fn writes(op: &Op) -> Vec<Symbol> {
    match op {
        Op::Assign(assigns) => assigns
            .iter()
            .map(|a| match a.target {
                Target::Var(s) | Target::Cell(s, _) => s,
            })
            .collect(),
        Op::Input(s, _) | Op::BlockSize(s, _) | Op::Alloc { target: s, .. } => vec![*s],
        Op::Call { result, .. } => result.iter().copied().collect(),
        _ => Vec::new(),
    }
}

fn mentioned(terms: &Terms, edges: &[Edge]) -> FxHashSet<Symbol> {
    let mut symbols = FxHashSet::default();
    for edge in edges {
        symbols.extend(writes(&edge.op));
        for term in reads(&edge.op) {
            symbols.extend(terms.symbols(term));
        }
    }
    symbols
}

/// Removes hidden variables by putting the terms they hold where they are read.
struct Fold<'a> {
    terms: &'a mut Terms,
    temporaries: &'a FxHashSet<Symbol>,
    locations: &'a [Location],
    entry: LocId,
}

impl Fold<'_> {
    /// Looks at every location once. Whether something changed.
    fn pass(&mut self, edges: &mut Vec<Edge>) -> bool {
        let count = self.locations.len();
        let (mut out, mut into) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        let mut readers: FxHashMap<Symbol, Vec<usize>> = FxHashMap::default();
        for (i, edge) in edges.iter().enumerate() {
            out[edge.from.index()].push(i);
            into[edge.to.index()].push(i);
            let mut symbols: Vec<Symbol> = reads(&edge.op).iter().flat_map(|&t| self.terms.symbols(t)).collect();
            symbols.retain(|s| self.temporaries.contains(s));
            symbols.sort_unstable();
            symbols.dedup();
            for symbol in symbols {
                readers.entry(symbol).or_default().push(i);
            }
        }
        let mut touched = vec![false; edges.len()];
        let mut removed = vec![false; edges.len()];
        let mut changed = false;
        for at in 0..count {
            let (firsts, nexts) = (&into[at][..], &out[at][..]);
            let loc = LocId::from_index(at);
            let fixed = loc == self.entry || loc == EXIT || self.locations[at].label.is_some();
            let busy = firsts.iter().any(|&f| touched[f] || nexts.contains(&f)) || nexts.iter().any(|&n| touched[n]);
            if fixed || busy || nexts.is_empty() {
                continue;
            }
            let done = match *firsts {
                [] => false,
                [first] => self.at(edges, first, nexts, &readers, &mut removed),
                _ => self.join(edges, firsts, nexts, &readers, &mut removed),
            };
            if done {
                changed = true;
                firsts.iter().chain(nexts).for_each(|&e| touched[e] = true);
            }
        }
        let mut keep = removed.iter().map(|r| !r);
        edges.retain(|_| keep.next().unwrap_or(true));
        changed
    }

    /// Joins the edge into a location with those out of it, if that removes a hidden variable.
    fn at(
        &mut self,
        edges: &mut [Edge],
        first: usize,
        nexts: &[usize],
        readers: &FxHashMap<Symbol, Vec<usize>>,
        removed: &mut [bool],
    ) -> bool {
        let only_here = |s: &Symbol| readers.get(s).is_none_or(|r| r.iter().all(|i| nexts.contains(i)));
        let written = writes(&edges[first].op);
        match &edges[first].op {
            Op::Assign(assigns) => {
                let assigns = assigns.clone();
                let hidden = |s: &Symbol| self.temporaries.contains(s);
                let only_hidden = written.iter().all(hidden);
                if let (&[next], Op::Assign(later)) = (nexts, &edges[nexts[0]].op) {
                    let later = later.clone();
                    let passes = written.iter().any(|s| hidden(s) && readers.get(s).is_some_and(|r| r.contains(&next)));
                    if !(only_hidden || passes) {
                        return false;
                    }
                    let Some(joined) = self.compose(&assigns, &later, |s| hidden(s) && only_here(s)) else {
                        return false;
                    };
                    edges[first].op = Op::Assign(joined);
                    edges[first].to = edges[next].to;
                    edges[first].span = edges[next].span;
                    removed[next] = true;
                    return true;
                }
                if only_hidden && written.iter().all(only_here) {
                    self.pass_on(edges, first, nexts, &assigns, removed);
                    return true;
                }
                false
            }
            Op::Call { result: Some(s), .. } | Op::Input(s, _) | Op::Alloc { target: s, .. } | Op::BlockSize(s, _) => {
                let s = *s;
                let &[next] = nexts else { return false };
                let Op::Assign(later) = &edges[next].op else { return false };
                let &[Assign { target: Target::Var(x), value }] = &later[..] else { return false };
                let fits = self.terms.node(value) == clinch_terms::Node::Symbol(s);
                if !fits || !self.temporaries.contains(&s) || readers.get(&s).is_none_or(|r| r.len() != 1) {
                    return false;
                }
                match &mut edges[first].op {
                    Op::Call { result, .. } => *result = Some(x),
                    Op::Input(target, _) | Op::Alloc { target, .. } | Op::BlockSize(target, _) => *target = x,
                    _ => {}
                }
                edges[first].to = edges[next].to;
                edges[first].span = edges[next].span;
                removed[next] = true;
                true
            }
            _ => false,
        }
    }

    /// Where branches meet: a hidden variable that each of them sets, only to pass it on, is left out.
    fn join(
        &mut self,
        edges: &mut [Edge],
        firsts: &[usize],
        nexts: &[usize],
        readers: &FxHashMap<Symbol, Vec<usize>>,
        removed: &mut [bool],
    ) -> bool {
        let &[next] = nexts else { return false };
        let Op::Assign(later) = &edges[next].op else { return false };
        let &[Assign { target: Target::Var(x), value }] = &later[..] else { return false };
        let clinch_terms::Node::Symbol(hidden) = self.terms.node(value) else { return false };
        let passed = self.temporaries.contains(&hidden) && readers.get(&hidden).is_some_and(|r| r.len() == 1);
        let sets = |e: &usize| matches!(&edges[*e].op, Op::Assign(a) if matches!(a[..], [Assign { target: Target::Var(s), .. }] if s == hidden));
        if !passed || !firsts.iter().all(sets) {
            return false;
        }
        for &first in firsts {
            if let Op::Assign(assigns) = &mut edges[first].op {
                assigns[0].target = Target::Var(x);
            }
            edges[first].to = edges[next].to;
        }
        removed[next] = true;
        true
    }

    /// The terms hidden variables hold take their place in the edges that follow; the edge that wrote them goes.
    fn pass_on(&mut self, edges: &mut [Edge], first: usize, nexts: &[usize], assigns: &[Assign], removed: &mut [bool]) {
        let map = values(assigns);
        for &next in nexts {
            edges[next].op = map_reads(&edges[next].op, |t| self.terms.substitute_symbols(t, &map));
            edges[next].from = edges[first].from;
        }
        removed[first] = true;
    }

    /// The assignments that do the same as first one list and then the other.
    fn compose(&mut self, first: &[Assign], later: &[Assign], drop: impl Fn(&Symbol) -> bool) -> Option<Vec<Assign>> {
        let regions: Vec<Symbol> = first
            .iter()
            .filter_map(|a| match a.target {
                Target::Cell(s, _) => Some(s),
                Target::Var(_) => None,
            })
            .collect();
        if !regions.is_empty() {
            let op = Op::Assign(later.to_vec());
            let reads_region = reads(&op).iter().any(|&t| self.terms.symbols(t).iter().any(|s| regions.contains(s)));
            if reads_region || writes(&op).iter().any(|s| regions.contains(s)) {
                return None;
            }
        }
        let map = values(first);
        let mut joined: Vec<Assign> = Vec::new();
        for assign in first {
            let dropped = match assign.target {
                Target::Var(s) => drop(&s) || later.iter().any(|l| l.target == assign.target),
                Target::Cell(..) => false,
            };
            if !dropped {
                joined.push(*assign);
            }
        }
        for assign in later {
            let value = self.terms.substitute_symbols(assign.value, &map);
            let target = match assign.target {
                Target::Cell(s, address) => Target::Cell(s, self.terms.substitute_symbols(address, &map)),
                target => target,
            };
            joined.push(Assign { target, value });
        }
        Some(joined)
    }
}

/// What variables hold after assignments.
fn values(assigns: &[Assign]) -> FxHashMap<Symbol, Term> {
    assigns
        .iter()
        .filter_map(|a| match a.target {
            Target::Var(s) => Some((s, a.value)),
            Target::Cell(..) => None,
        })
        .collect()
}
