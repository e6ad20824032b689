//! Operands whose order of evaluation is open.

use rustc_hash::FxHashSet;

use super::super::hir::{Expr, ExprKind, Place, PlaceKind, Storage, VariableId};
use super::super::walk::{Each, Visitor};
use super::Outline;

impl Outline<'_> {
    /// Whether the operands mean the same in whatever order they are evaluated, as far as can be seen at once: at most one of them
    /// changes something, and nothing that another one reads.
    pub(super) fn any_order_will_do(&self, operands: &[&Expr], places: &[&Place]) -> bool {
        let (with_effects, others): (Vec<&Expr>, Vec<&Expr>) = operands.iter().partition(|e| e.has_effects());
        let moving: Vec<&&Place> = places.iter().filter(|p| p.has_effects()).collect();
        match (&with_effects[..], &moving[..]) {
            ([], []) => true,
            ([e], []) => {
                let written = self.writes(e);
                !others.iter().any(|other| self.reads(other, &written))
            }
            // The other operands are read before or after.
            ([], [place]) => {
                let mut written = Written::default();
                Each(|e: &Expr| written.note(e)).place(place);
                !others.iter().any(|other| self.reads(other, &written))
            }
            _ => false,
        }
    }

    fn writes(&self, e: &Expr) -> Written {
        let mut written = Written::default();
        Each(|part: &Expr| written.note(part)).expr(e);
        written
    }

    /// Whether an operand reads a variable that may be written.
    fn reads(&self, e: &Expr, written: &Written) -> bool {
        let mut found = false;
        Each(|part: &Expr| {
            if let ExprKind::Load(place) = &part.kind
                && let PlaceKind::Variable(id) = place.kind
                && self.is_tracked(id)
            {
                let is_static = self.hir.variables[id.0 as usize].storage == Storage::Static;
                found |= written.by_statements || written.variables.contains(&id) || (written.by_calls && is_static);
            }
        })
        .expr(e);
        found
    }
}

/// The variables that an expression writes.
#[derive(Default)]
struct Written {
    variables: FxHashSet<VariableId>,
    /// Whether functions are called, which may write any static variable.
    by_calls: bool,
    /// Whether there are statements: what they write is not looked at one by one.
    by_statements: bool,
}

impl Written {
    fn note(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Assign(place, _) => self.note_place(place),
            ExprKind::Update(update) => self.note_place(&update.place),
            ExprKind::InitThen(variable, ..) => {
                self.variables.insert(*variable);
            }
            ExprKind::Call(_) => self.by_calls = true,
            ExprKind::Statements(..) => self.by_statements = true,
            _ => {}
        }
    }

    fn note_place(&mut self, place: &Place) {
        if let PlaceKind::Variable(id) = place.kind {
            self.variables.insert(id);
        }
    }
}
