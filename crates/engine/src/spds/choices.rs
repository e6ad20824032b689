//! Locations at which an input selects the next step: which process moves, which event comes.

use clinch_ir::cfa::{CfaProgram, Edge, EdgeId, Op, Procedure, Target};
use clinch_terms::{LocId, Symbol};
use rustc_hash::FxHashSet;

/// Fewer steps are no choice.
const STEPS: usize = 3;
/// Edges that a step may have.
const EDGES: usize = 64;

/// A location behind an input, with the edges that it chooses among.
pub(super) struct Choice {
    pub(super) location: LocId,
    chosen: Symbol,
    steps: Vec<EdgeId>,
}

/// The choices in a procedure.
pub(super) fn choices(program: &CfaProgram, procedure: &Procedure) -> Vec<Choice> {
    let leaving = procedure.successors();
    let mut found = Vec::new();
    for edge in &procedure.edges {
        let Op::Input(chosen, _) = edge.op else { continue };
        let depends = |edge: &EdgeId| match procedure.edges[edge.index()].op {
            Op::Assume(condition) => program.terms.symbols(condition).contains(&chosen),
            _ => false,
        };
        let steps = &leaving[edge.to.index()];
        if steps.len() >= STEPS && steps.iter().all(depends) {
            found.push(Choice { location: edge.to, chosen, steps: steps.clone() });
        }
    }
    found
}

impl Choice {
    /// The variables that each step reads or writes, but for the one that chooses.
    pub(super) fn variables(&self, program: &CfaProgram, procedure: &Procedure) -> Vec<Vec<Symbol>> {
        let leaving = procedure.successors();
        let mut entering = vec![0_u32; procedure.locations.len()];
        procedure.edges.iter().for_each(|e| entering[e.to.index()] += 1);
        let of_step = |&first: &EdgeId| {
            let (mut symbols, mut work, mut edges) = (FxHashSet::default(), vec![first], 0);
            while let Some(edge) = work.pop() {
                let edge = &procedure.edges[edge.index()];
                symbols.extend(mentioned(program, edge));
                edges += 1;
                if entering[edge.to.index()] == 1 && edges < EDGES {
                    work.extend(&leaving[edge.to.index()]);
                }
            }
            symbols.remove(&self.chosen);
            let mut symbols: Vec<Symbol> = symbols.into_iter().collect();
            symbols.sort_unstable();
            symbols
        };
        self.steps.iter().map(of_step).collect()
    }
}

fn mentioned(program: &CfaProgram, edge: &Edge) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = edge.op.reads(&program.terms).into_iter().collect();
    match &edge.op {
        Op::Assign(assigns) => symbols.extend(assigns.iter().map(|a| match a.target {
            Target::Var(symbol) | Target::Cell(symbol, _) => symbol,
        })),
        Op::Input(symbol, _) => symbols.push(*symbol),
        _ => {}
    }
    symbols
}
