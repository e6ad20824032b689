//! How far it is to an error, at least: in edges, through calls and back from them.

use clinch_ir::cfa::{CfaProgram, Edge, Op, ProcedureId};
use clinch_terms::LocId;

use super::state::Frame;

/// Numbers of edges; [`FAR`] where there is no way.
pub(super) struct Distances {
    /// From each location of each procedure to an error, in it or in what it calls.
    to_error: Vec<Vec<u32>>,
    /// To the exit of the procedure.
    to_exit: Vec<Vec<u32>>,
}

const FAR: u32 = u32::MAX;

impl Distances {
    pub(super) fn new(program: &CfaProgram) -> Self {
        let nowhere = || program.procedures.iter().map(|p| vec![FAR; p.locations.len()]).collect();
        let mut this = Distances { to_error: nowhere(), to_exit: nowhere() };
        for (procedure, distances) in program.procedures.iter().zip(&mut this.to_exit) {
            distances[procedure.exit.index()] = 0;
        }
        while this.propagate(program) {}
        this
    }

    /// Goes over all edges once. Whether a distance became shorter.
    fn propagate(&mut self, program: &CfaProgram) -> bool {
        let mut changed = false;
        for (p, procedure) in program.procedures.iter().enumerate() {
            for edge in procedure.edges.iter().rev() {
                let (exit, error) = (self.exit_over(program, p, edge), self.error_over(program, p, edge));
                let from = edge.from.index();
                for (distance, shorter) in [(&mut self.to_exit[p][from], exit), (&mut self.to_error[p][from], error)] {
                    changed |= shorter < *distance;
                    *distance = shorter.min(*distance);
                }
            }
        }
        changed
    }

    fn exit_over(&self, program: &CfaProgram, procedure: usize, edge: &Edge) -> u32 {
        self.length(program, edge).saturating_add(self.to_exit[procedure][edge.to.index()])
    }

    fn error_over(&self, program: &CfaProgram, procedure: usize, edge: &Edge) -> u32 {
        let inside = match edge.op {
            Op::Error(_) => return 1,
            Op::Call { callee, .. } => entry_distance(program, &self.to_error, callee).saturating_add(1),
            _ => FAR,
        };
        inside.min(self.length(program, edge).saturating_add(self.to_error[procedure][edge.to.index()]))
    }

    /// How many edges it takes to come to the end of one.
    fn length(&self, program: &CfaProgram, edge: &Edge) -> u32 {
        match edge.op {
            Op::Call { callee, .. } => entry_distance(program, &self.to_exit, callee).saturating_add(1),
            Op::Exit(_) | Op::Abort | Op::Error(_) | Op::Undefined(_) | Op::Unsupported(_) => FAR,
            _ => 1,
        }
    }

    /// The distance of a state whose calls are these, the outermost first. Nothing if it comes to no error.
    pub(super) fn of<'f>(
        &self,
        program: &CfaProgram,
        frames: impl DoubleEndedIterator<Item = &'f Frame>,
        top: LocId,
    ) -> Option<u32> {
        let (mut best, mut back) = (FAR, 0u32);
        for (i, frame) in frames.rev().enumerate() {
            let location = if i == 0 { top } else { frame.continues_at(program) };
            let (procedure, location) = (frame.procedure.index(), location.index());
            best = best.min(back.saturating_add(self.to_error[procedure][location]));
            back = back.saturating_add(self.to_exit[procedure][location]).saturating_add(1);
            if back == FAR {
                break;
            }
        }
        (best != FAR).then_some(best)
    }
}

/// The distance from where a procedure is entered.
fn entry_distance(program: &CfaProgram, distances: &[Vec<u32>], callee: ProcedureId) -> u32 {
    distances[callee.index()][program.procedure(callee).entry.index()]
}
