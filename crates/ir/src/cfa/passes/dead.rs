//! Dead variables: what is assigned but does not matter is not assigned, what is read from outside but does not matter is
//! not read. Computations that may fail stay: every run ends as before.

use rustc_hash::FxHashSet;

use super::collapse::collapse;
use super::{Back, Transformed};
use crate::cfa::{Assign, CfaProgram, EdgeId, Liveness, Op, Procedure, ProcedureId, Target, partial_terms};
use crate::program::LocId;
use crate::term::Symbol;

/// Removes assignments to dead variables, and inputs that nobody looks at.
pub fn remove_dead(original: &CfaProgram) -> Transformed {
    let mut program = original.clone();
    let mut back = Back::identity(original);
    let partial = partial_terms(&program.terms);
    let dead = unread_globals(&program);
    for index in 0..program.procedures.len() {
        let procedure = &program.procedures[index];
        let liveness = Liveness::new(&program.terms, procedure, &partial, &dead);
        let pass = Pass { procedure, liveness, partial: &partial, dead: &dead };
        let ops: Vec<Op> = procedure.edges.iter().map(|e| pass.op(&e.op, e.to)).collect();
        for (i, op) in ops.into_iter().enumerate() {
            let edge = &mut program.procedures[index].edges[i];
            if matches!(edge.op, Op::Input(..)) && op == Op::Skip {
                back.dropped.insert((ProcedureId::from_index(index), EdgeId::from_index(i)));
            }
            edge.op = op;
        }
    }
    collapse(&mut program, &mut back);
    Transformed { program, back }
}

/// Globals that no term reads.
fn unread_globals(program: &CfaProgram) -> FxHashSet<Symbol> {
    let edges = program.procedures.iter().flat_map(|p| &p.edges);
    let read: FxHashSet<Symbol> = edges.flat_map(|e| e.op.reads(&program.terms)).collect();
    program.globals.iter().map(|g| g.symbol).filter(|s| !read.contains(s)).collect()
}

struct Pass<'a> {
    procedure: &'a Procedure,
    liveness: Liveness,
    partial: &'a [bool],
    dead: &'a FxHashSet<Symbol>,
}

impl Pass<'_> {
    fn is_dead(&self, symbol: Symbol, after: LocId) -> bool {
        let own = self.procedure.params.iter().chain(&self.procedure.locals).position(|&s| s == symbol);
        own.map_or_else(|| self.dead.contains(&symbol), |i| !self.liveness.is_live(after, i))
    }

    fn op(&self, op: &Op, after: LocId) -> Op {
        match op {
            Op::Assign(assigns) => {
                let matters = |a: &&Assign| match a.target {
                    Target::Var(symbol) => self.partial[a.value.index()] || !self.is_dead(symbol, after),
                    Target::Cell(..) => true,
                };
                let kept: Vec<Assign> = assigns.iter().filter(matters).copied().collect();
                if kept.is_empty() { Op::Skip } else { Op::Assign(kept) }
            }
            Op::Input(symbol, _) if self.is_dead(*symbol, after) => Op::Skip,
            Op::Call { callee, args, result: Some(result) } if self.is_dead(*result, after) => {
                Op::Call { callee: *callee, args: args.clone(), result: None }
            }
            other => other.clone(),
        }
    }
}
