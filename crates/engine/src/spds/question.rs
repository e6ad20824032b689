//! What is asked of a program: whether control points can be reached.

use clinch_ir::Reason;
use clinch_ir::cfa::{CfaProgram, EdgeId, ProcedureId};
use clinch_machine::guided;

use super::config::Config;
use super::system::PointId;
use super::widths::Widths;

/// A control point in question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Question {
    pub(super) point: PointId,
    pub(super) procedure: ProcedureId,
    pub(super) edge: EdgeId,
    /// Whether it is an error; otherwise it has no verdict.
    pub(super) error: bool,
}

impl Question {
    /// Whether it is whether the heap is exhausted.
    pub(super) fn is_exhaustion(&self, widths: &Widths) -> bool {
        widths.exhausted.contains(&(self.procedure, self.edge.index()))
    }

    /// Why there is no verdict where it is reached and no error.
    pub(super) fn open_reason(&self, program: &CfaProgram, widths: &Widths, config: &Config) -> Reason {
        if !self.is_exhaustion(widths) {
            return guided::open_reason(program, self.procedure, self.edge);
        }
        let place = program.source.place(program.procedure(self.procedure).edges[self.edge.index()].span);
        let at = format!("{}:{}:{}", place.file, place.line, place.column);
        let integers = config.int_bits.map_or(String::new(), |n| format!(" and {n}-bit integers"));
        let what = format!("safe for a heap of {} bits{integers}, but the program may need more", config.heap_bits);
        Reason::Unsupported(format!("{what}, at {at} (--heap-bits)"))
    }
}
