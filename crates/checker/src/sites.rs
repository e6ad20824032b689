//! The single checks of a program: what may be wrong, and where.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use clinch_engine::explicit::covered;
use clinch_frontend::c::fresh::CALLER_FILES;
use clinch_ir::Span;
use clinch_ir::cfa::{CfaProgram, Check, EdgeId, Failure, Op, ProcedureId};
use serde::{Deserialize, Serialize};

use crate::c::load::Loaded;
use crate::report::ProgramRun;

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

    /// The check that a run shows to fail.
    pub(crate) fn of_run(run: &ProgramRun) -> Site {
        let (file, check, what) = (run.file.clone(), run.check.clone(), run.error.clone());
        Site { file, line: run.line, column: run.column, check, what, reached: false }
    }

    /// A number for it, the same in every process. No two checks may share one, so it is a hash that mixes well.
    pub(crate) fn number(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

impl Loaded {
    /// The checks, in the order of their places.
    pub(crate) fn sites(&self) -> Vec<Site> {
        let edges = self.program.procedures.iter().flat_map(|p| &p.edges);
        let failures = edges.filter_map(|edge| match &edge.op {
            Op::Error(failure) => Some(Site::new(&self.program, failure, edge.span)),
            _ => None,
        });
        // Who calls a function with fresh arguments makes no mistakes.
        let failures = failures.filter(|site| !site.file.starts_with(CALLER_FILES));
        let failures = failures.chain(self.reached.iter().cloned());
        failures.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Runs simply end where one of these checks fails; in code whose reachability is known they go on.
    pub(crate) fn leave_out(&mut self, numbers: &[u64]) {
        if numbers.is_empty() {
            return;
        }
        let mut procedures = std::mem::take(&mut self.program.procedures);
        for edge in procedures.iter_mut().flat_map(|p| &mut p.edges) {
            if let Op::Error(failure) = &edge.op
                && numbers.contains(&Site::new(&self.program, failure, edge.span).number())
            {
                edge.op = if failure.check == Check::Unreachable { Op::Skip } else { Op::Abort };
            }
        }
        self.program.procedures = procedures;
    }

    /// Leaves out the pieces of code that random runs reach: they need no engine.
    pub(crate) fn leave_out_reached(&mut self) {
        let marks = marks(&self.program);
        let mut open = self.program.clone();
        for &(procedure, edge) in &marks {
            open.procedures[procedure.index()].edges[edge.index()].op = Op::Skip;
        }
        let covered = covered(&open);
        for (procedure, id) in marks.into_iter().filter(|mark| covered.contains(mark)) {
            let edge = &self.program.procedures[procedure.index()].edges[id.index()];
            let Op::Error(failure) = &edge.op else { continue };
            let site = Site::new(&self.program, failure, edge.span);
            self.reached.push(Site { reached: true, ..site });
            self.program.procedures[procedure.index()].edges[id.index()].op = Op::Skip;
        }
    }
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
