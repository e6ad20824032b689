//! Pieces of code, for `--check unreachable`: where one begins there is a mark, an error by itself, behind which the code goes on.
//!
//! A piece begins where control may come from elsewhere, or may not come any more: with a function, an arm of a branch, the body of a loop, behind
//! a label, a loop, a call. Marks stay where nothing leads to them, so that whoever looks for them finds those of dead code too.

use clinch_ir::Span;
use clinch_ir::cfa::{Check, Edge, Failure, Location, Op, Procedure};
use clinch_terms::LocId;

use super::super::hir::{FunctionId, Stmt};
use super::Lowering;

impl Lowering<'_> {
    /// Statements one after the other.
    pub(super) fn statements(&mut self, body: &[Stmt]) {
        let mut begins = true;
        for statement in body {
            if begins && let Some(span) = first_span(statement) {
                self.mark_piece(span);
            }
            let before = self.body.edges.len();
            self.statement(statement);
            begins = is_control(statement) || self.body.edges[before..].iter().any(|edge| may_not_return(&edge.op));
        }
    }

    fn mark_piece(&mut self, span: Span) {
        if self.is_looked_at(span) {
            let text = self.source.excerpt(span);
            self.body.emit(piece(text), span);
        }
    }

    /// Functions that are called from nowhere are pieces of their own, to which nothing leads.
    pub(super) fn mark_uncalled(&self, start: &mut Procedure) {
        for (number, function) in self.hir.functions.iter().enumerate() {
            let is_called = self.points.reached().contains(&FunctionId(number as u32));
            if function.body.is_none() || is_called || !self.is_looked_at(function.span) {
                continue;
            }
            let from = LocId::from_index(start.locations.len());
            start.locations.push(Location { label: None, span: function.span });
            let op = piece(format!("the function {}, which is never called", function.name));
            start.edges.push(Edge { from, to: start.exit, op, span: function.span });
        }
    }

    /// Whether unreachable code counts at a place: in the files of the user.
    fn is_looked_at(&self, span: Span) -> bool {
        self.counts(Check::Unreachable, span) && !self.source.is_system(span)
    }
}

fn piece(text: String) -> Op {
    Op::Error(Failure { check: Check::Unreachable, text })
}

/// Where the code of a statement begins; nothing if the statements inside of it have marks of their own, or there is no code.
fn first_span(statement: &Stmt) -> Option<Span> {
    match statement {
        Stmt::Expr(e) | Stmt::If(e, ..) | Stmt::While(e, _) | Stmt::Switch(e, _) => Some(e.span),
        Stmt::For { init, condition, .. } => init.as_ref().or(condition.as_ref()).map(|e| e.span),
        Stmt::Declare(_, Some(_), span)
        | Stmt::Goto(_, span)
        | Stmt::Break(span)
        | Stmt::Continue(span)
        | Stmt::Return(_, span)
        | Stmt::Assembly(_, _, span)
        | Stmt::Unsupported(_, span) => Some(*span),
        Stmt::Declare(_, None, _)
        | Stmt::Cleanup(..)
        | Stmt::Block(_)
        | Stmt::DoWhile(..)
        | Stmt::Case(..)
        | Stmt::Default(_)
        | Stmt::Label(..) => None,
    }
}

/// Whether control may come from elsewhere behind a statement, or come no more.
fn is_control(statement: &Stmt) -> bool {
    !matches!(statement, Stmt::Expr(_) | Stmt::Declare(..) | Stmt::Cleanup(..))
}

fn may_not_return(op: &Op) -> bool {
    matches!(op, Op::Call { .. } | Op::Exit(_) | Op::Abort)
}
