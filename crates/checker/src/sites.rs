//! The single checks of a program: what may be wrong, and where.

use std::hash::{DefaultHasher, Hash, Hasher};

use clinch_engine::explicit::covered;
use clinch_frontend::c::fresh::CALLER_FILES;
use clinch_ir::Span;
use clinch_ir::cfa::{CfaProgram, Check, EdgeId, Failure, Op, ProcedureId};
use serde::{Deserialize, Serialize};

/// A check: what may be wrong at a place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Debug)]
pub struct Site {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// The kind of error: what `--check` calls it.
    pub check: String,
    /// What is wrong if it fails.
    pub what: String,
    /// Whether it is a piece of code that a run has reached.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reached: bool,
}

impl Site {
    fn new(program: &CfaProgram, failure: &Failure, span: Span) -> Site {
        let place = program.source.place(span);
        let (check, what) = (failure.check.group().to_owned(), failure.text.clone());
        Site { file: place.file, line: place.line, column: place.column, check, what, reached: false }
    }

    /// A number for it, the same in every process. No two checks may share one, so it is a hash that mixes well.
    pub(crate) fn number(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

/// The checks of a program.
pub(crate) fn sites(program: &CfaProgram) -> impl Iterator<Item = Site> {
    let edges = program.procedures.iter().flat_map(|p| &p.edges);
    let failures = edges.filter_map(|edge| match &edge.op {
        Op::Error(failure) => Some(Site::new(program, failure, edge.span)),
        _ => None,
    });
    // Who calls a function with fresh arguments makes no mistakes.
    failures.filter(|site| !site.file.starts_with(CALLER_FILES))
}

/// Runs simply end where one of these checks fails; in code whose reachability is known they go on.
pub(crate) fn leave_out(program: &mut CfaProgram, numbers: &[u64]) {
    if numbers.is_empty() {
        return;
    }
    let mut procedures = std::mem::take(&mut program.procedures);
    for edge in procedures.iter_mut().flat_map(|p| &mut p.edges) {
        if let Op::Error(failure) = &edge.op
            && numbers.contains(&Site::new(program, failure, edge.span).number())
        {
            edge.op = if failure.check == Check::Unreachable { Op::Skip } else { Op::Abort };
        }
    }
    program.procedures = procedures;
}

/// Leaves out the pieces of code that random runs reach, for they need no engine; returns them.
pub(crate) fn leave_out_reached(program: &mut CfaProgram) -> Vec<Site> {
    let marks = marks(program);
    let mut open = program.clone();
    for &(procedure, edge) in &marks {
        open.procedures[procedure.index()].edges[edge.index()].op = Op::Skip;
    }
    let covered = covered(&open);
    let mut reached = Vec::new();
    for (procedure, id) in marks.into_iter().filter(|mark| covered.contains(mark)) {
        let edge = &program.procedures[procedure.index()].edges[id.index()];
        let Op::Error(failure) = &edge.op else { continue };
        reached.push(Site { reached: true, ..Site::new(program, failure, edge.span) });
        program.procedures[procedure.index()].edges[id.index()].op = Op::Skip;
    }
    reached
}

/// Where pieces of code begin.
fn marks(program: &CfaProgram) -> Vec<(ProcedureId, EdgeId)> {
    let procedures = program.procedures.iter().enumerate();
    let marks = procedures.flat_map(|(number, procedure)| {
        let is_mark = |op: &Op| matches!(op, Op::Error(failure) if failure.check == Check::Unreachable);
        let edges = procedure.edges.iter().enumerate().filter(move |(_, edge)| is_mark(&edge.op));
        edges.map(move |(edge, _)| (ProcedureId::from_index(number), EdgeId::from_index(edge)))
    });
    marks.collect()
}
