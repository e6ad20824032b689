//! Operands whose order of evaluation is open.

use rustc_hash::FxHashSet;

use super::super::hir::{Callee, Expr, ExprKind, Init, Place, PlaceKind, Stmt, Storage, VariableId};
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
                visit_place(place, &mut |e| written.note(e));
                !others.iter().any(|other| self.reads(other, &written))
            }
            _ => false,
        }
    }

    fn writes(&self, e: &Expr) -> Written {
        let mut written = Written::default();
        visit(e, &mut |part| written.note(part));
        written
    }

    /// Whether an operand reads a variable that may be written.
    fn reads(&self, e: &Expr, written: &Written) -> bool {
        let mut found = false;
        visit(e, &mut |part| {
            if let ExprKind::Load(place) = &part.kind
                && let PlaceKind::Variable(id) = place.kind
                && self.is_tracked(id)
            {
                let is_static = self.hir.variables[id.0 as usize].storage == Storage::Static;
                found |= written.by_statements || written.variables.contains(&id) || (written.by_calls && is_static);
            }
        });
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

/// Shows all parts of an expression, itself included, and those of the statements in it.
pub(super) fn visit(e: &Expr, see: &mut dyn FnMut(&Expr)) {
    see(e);
    match &e.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Extended(_)
        | ExprKind::Function(_)
        | ExprKind::Unsupported(_) => {}
        ExprKind::Load(place) | ExprKind::AddressOf(place) => visit_place(place, see),
        ExprKind::Unary(_, a) | ExprKind::Convert(a) => visit(a, see),
        ExprKind::Binary(_, a, b)
        | ExprKind::LogicalAnd(a, b)
        | ExprKind::LogicalOr(a, b)
        | ExprKind::Comma(a, b)
        | ExprKind::Offset { pointer: a, index: b, .. }
        | ExprKind::Difference { left: a, right: b, .. } => {
            visit(a, see);
            visit(b, see);
        }
        ExprKind::Conditional(c, a, b) => {
            visit(c, see);
            a.iter().for_each(|a| visit(a, see));
            visit(b, see);
        }
        ExprKind::Assign(place, value) => {
            visit_place(place, see);
            visit(value, see);
        }
        ExprKind::Update(update) => {
            visit_place(&update.place, see);
            visit(&update.operand, see);
        }
        ExprKind::Call(call) => {
            if let Callee::Indirect(pointer) = &call.callee {
                visit(pointer, see);
            }
            call.args.iter().for_each(|arg| visit(arg, see));
        }
        ExprKind::Statements(body, value) => {
            body.iter().for_each(|statement| visit_statement(statement, see));
            value.iter().for_each(|value| visit(value, see));
        }
        ExprKind::InitThen(_, init, value) => {
            visit_init(init, see);
            visit(value, see);
        }
    }
}

fn visit_place(place: &Place, see: &mut dyn FnMut(&Expr)) {
    match &place.kind {
        PlaceKind::Variable(_) | PlaceKind::String(_) => {}
        PlaceKind::Deref(e) | PlaceKind::Value(e) => visit(e, see),
        PlaceKind::Field(inner, ..) => visit_place(inner, see),
    }
}

fn visit_init(init: &Init, see: &mut dyn FnMut(&Expr)) {
    init.items.iter().for_each(|item| visit(&item.value, see));
}

pub(super) fn visit_statement(statement: &Stmt, see: &mut dyn FnMut(&Expr)) {
    let all = |body: &[Stmt], see: &mut dyn FnMut(&Expr)| {
        body.iter().for_each(|statement| visit_statement(statement, see));
    };
    match statement {
        Stmt::Expr(e) | Stmt::Return(Some(e), _) => visit(e, see),
        Stmt::Declare(_, Some(init), _) => visit_init(init, see),
        Stmt::Block(body) => all(body, see),
        Stmt::If(e, then, otherwise) => {
            visit(e, see);
            all(then, see);
            all(otherwise, see);
        }
        Stmt::While(e, body) | Stmt::DoWhile(body, e) | Stmt::Switch(e, body) => {
            visit(e, see);
            all(body, see);
        }
        Stmt::For { init, condition, step, body } => {
            [init, condition, step].into_iter().flatten().for_each(|e| visit(e, see));
            all(body, see);
        }
        Stmt::Assembly(outputs, inputs, _) => {
            outputs.iter().for_each(|place| visit_place(place, see));
            inputs.iter().for_each(|input| visit(input, see));
        }
        _ => {}
    }
}
