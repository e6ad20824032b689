//! Large blocks: between two cut points one formula for all ways without a loop.
//!
//! Cut points are the entry and the exit, heads of loops, locations that nothing leaves, and the ends of edges that are no
//! formulas: calls, memory management, ends of runs. Those edges stay edges.

use rustc_hash::FxHashMap;

use crate::cfa::{CfaProgram, EdgeId, InputId, Op, Procedure, ProcedureId, Target};
use crate::program::LocId;
use crate::term::{Symbol, Term, Terms};

/// An input that a block takes.
#[derive(Clone, Copy, Debug)]
pub struct BlockInput {
    /// Stands for its value in the block.
    pub symbol: Symbol,
    /// The site.
    pub input: InputId,
    /// The edge.
    pub edge: EdgeId,
}

/// All ways without a loop from one cut point to the next.
#[derive(Clone, Debug)]
pub struct Block {
    /// Where they start.
    pub from: LocId,
    /// Where they end.
    pub to: LocId,
    /// Holds where one of them is taken: over the variables before and the inputs. For the blocks of one location these
    /// exclude each other.
    pub guard: Term,
    /// The new values of variables and regions, over the same. The others keep theirs.
    pub updates: Vec<(Symbol, Term)>,
    /// The inputs, in the order of the edges on each way.
    pub inputs: Vec<BlockInput>,
}

/// A procedure in large blocks.
#[derive(Clone, Debug)]
pub struct LargeBlocks {
    /// The cut points, ascending.
    pub cuts: Vec<LocId>,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// The edges that are no formulas. They start and end at cut points.
    pub edges: Vec<EdgeId>,
}

impl Block {
    /// The block as a formula over variables before and after: `post` says which symbol stands for a variable after.
    pub fn formula(&self, terms: &mut Terms, post: &[(Symbol, Symbol)]) -> Term {
        let updates: FxHashMap<Symbol, Term> = self.updates.iter().copied().collect();
        let mut formula = self.guard;
        for &(before, after) in post {
            let value = updates.get(&before).copied().unwrap_or_else(|| terms.symbol(before));
            let after = terms.symbol(after);
            let equal = terms.eq(after, value);
            formula = terms.and(formula, equal);
        }
        formula
    }
}

/// What holds at a location inside a block.
#[derive(Clone)]
struct Reached {
    guard: Term,
    values: Vec<(Symbol, Term)>,
}

/// The large blocks of a procedure. The new terms are added to the program's.
pub fn large_blocks(program: &mut CfaProgram, procedure: ProcedureId) -> LargeBlocks {
    let body = program.procedure(procedure).clone();
    let successors = body.successors();
    let is_cut = cut_points(&body, &successors);
    let cuts: Vec<LocId> = (0..is_cut.len()).filter(|&l| is_cut[l]).map(LocId::from_index).collect();
    let edges = (0..body.edges.len()).filter(|&e| !is_formula(&body.edges[e].op)).map(EdgeId::from_index).collect();
    let mut builder = Builder { terms: &mut program.terms, body: &body, successors: &successors, is_cut: &is_cut };
    let blocks = cuts.iter().flat_map(|&cut| builder.from(cut)).collect();
    LargeBlocks { cuts, blocks, edges }
}

fn is_formula(op: &Op) -> bool {
    matches!(op, Op::Skip | Op::Assume(_) | Op::Assign(_) | Op::Input(..) | Op::Return(_) | Op::Print(_))
}

fn cut_points(body: &Procedure, successors: &[Vec<EdgeId>]) -> Vec<bool> {
    let mut is_cut = body.loop_heads();
    is_cut[body.entry.index()] = true;
    is_cut[body.exit.index()] = true;
    for (at, edges) in successors.iter().enumerate() {
        is_cut[at] |= edges.is_empty();
    }
    for edge in body.edges.iter().filter(|e| !is_formula(&e.op)) {
        is_cut[edge.from.index()] = true;
        is_cut[edge.to.index()] = true;
    }
    is_cut
}

struct Builder<'a> {
    terms: &'a mut Terms,
    body: &'a Procedure,
    successors: &'a [Vec<EdgeId>],
    is_cut: &'a [bool],
}

impl Builder<'_> {
    fn from(&mut self, cut: LocId) -> Vec<Block> {
        let mut inputs = Vec::new();
        let mut reached: FxHashMap<LocId, Reached> = FxHashMap::default();
        let mut ends: Vec<(LocId, Reached)> = Vec::new();
        let start = Reached { guard: self.terms.tt(), values: Vec::new() };
        for at in self.order(cut) {
            let state = if at == cut { start.clone() } else { reached.remove(&at).expect("reached in this order") };
            for &edge in &self.successors[at.index()] {
                let Some(next) = self.step(&state, edge, &mut inputs) else { continue };
                let to = self.body.edges[edge.index()].to;
                if !self.is_cut[to.index()] {
                    let merged = match reached.remove(&to) {
                        Some(other) => self.merge(other, next),
                        None => next,
                    };
                    reached.insert(to, merged);
                } else if let Some(position) = ends.iter().position(|e| e.0 == to) {
                    let other = ends[position].1.clone();
                    ends[position].1 = self.merge(other, next);
                } else {
                    ends.push((to, next));
                }
            }
        }
        let block = |(to, end): (LocId, Reached)| Block {
            from: cut,
            to,
            guard: end.guard,
            updates: end.values,
            inputs: inputs.clone(),
        };
        ends.into_iter().map(block).collect()
    }

    /// The locations of the blocks that start at a cut point, each after all that lead to it.
    fn order(&self, cut: LocId) -> Vec<LocId> {
        let mut seen = vec![false; self.is_cut.len()];
        let (mut order, mut path) = (Vec::new(), vec![(cut, 0)]);
        while let Some((at, next)) = path.last_mut() {
            let Some(edge) = self.successors[at.index()].get(*next) else {
                order.push(*at);
                path.pop();
                continue;
            };
            *next += 1;
            let edge = &self.body.edges[edge.index()];
            let inside = !self.is_cut[edge.to.index()] && is_formula(&edge.op);
            if inside && !std::mem::replace(&mut seen[edge.to.index()], true) {
                path.push((edge.to, 0));
            }
        }
        order.reverse();
        order
    }

    fn step(&mut self, state: &Reached, edge: EdgeId, inputs: &mut Vec<BlockInput>) -> Option<Reached> {
        let map: FxHashMap<Symbol, Term> = state.values.iter().copied().collect();
        let mut next = state.clone();
        match &self.body.edges[edge.index()].op {
            Op::Skip | Op::Print(_) | Op::Return(None) => {}
            Op::Assume(condition) => {
                let condition = self.terms.substitute_deep(*condition, &map);
                next.guard = self.terms.and(state.guard, condition);
            }
            Op::Return(Some(value)) => {
                if let Some(result) = self.body.result {
                    let value = self.terms.substitute_deep(*value, &map);
                    next.set(result, value);
                }
            }
            Op::Input(target, input) => {
                let (name, sort) =
                    (self.terms.symbol_name(*target).to_owned(), self.terms.symbol_sort(*target).clone());
                let symbol = self.terms.declare(name, sort);
                inputs.push(BlockInput { symbol, input: *input, edge });
                let value = self.terms.symbol(symbol);
                next.set(*target, value);
            }
            Op::Assign(assigns) => {
                for assign in assigns {
                    let value = self.terms.substitute_deep(assign.value, &map);
                    match assign.target {
                        Target::Var(symbol) => next.set(symbol, value),
                        Target::Cell(region, address) => {
                            let address = self.terms.substitute_deep(address, &map);
                            let array = next.get(self.terms, region);
                            let array = self.terms.store(array, address, value);
                            next.set(region, array);
                        }
                    }
                }
            }
            _ => return None,
        }
        Some(next)
    }

    /// Two ways that meet. At most one of them is taken.
    fn merge(&mut self, a: Reached, b: Reached) -> Reached {
        let mut merged = Reached { guard: self.terms.or(a.guard, b.guard), values: Vec::new() };
        let written = a.values.iter().chain(b.values.iter().filter(|v| a.values.iter().all(|w| w.0 != v.0)));
        for symbol in written.map(|v| v.0).collect::<Vec<_>>() {
            let (x, y) = (a.get(self.terms, symbol), b.get(self.terms, symbol));
            let value = if x == y { x } else { self.terms.ite(a.guard, x, y) };
            merged.values.push((symbol, value));
        }
        merged
    }
}

impl Reached {
    fn get(&self, terms: &mut Terms, symbol: Symbol) -> Term {
        let known = self.values.iter().find(|v| v.0 == symbol).map(|v| v.1);
        known.unwrap_or_else(|| terms.symbol(symbol))
    }

    fn set(&mut self, symbol: Symbol, value: Term) {
        match self.values.iter_mut().find(|v| v.0 == symbol) {
            Some(old) => old.1 = value,
            None => self.values.push((symbol, value)),
        }
    }
}
