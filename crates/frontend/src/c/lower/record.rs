//! Records by value.

use clinch_ir::Span;
use clinch_ir::cfa::{Assign, Op, Target};
use clinch_terms::Term;

use super::super::control::Branching;
use super::super::hir::{Expr, ExprKind, Place};
use super::super::points_to::leaves;
use super::super::types::TypeId;
use super::Lowering;
use super::place::Lvalue;
use super::values::Value;

impl Lowering<'_> {
    /// The value of an expression that is a record.
    pub(super) fn record(&mut self, e: &Expr) -> Value {
        match &e.kind {
            ExprKind::Load(place) => {
                let target = self.target(place);
                if let (Lvalue::Memory { address, .. }, Some(size)) = (&target, self.hir.types.size(e.ty)) {
                    let (address, size) = (*address, self.address(size));
                    self.touch(address, size, false, e.span);
                }
                self.record_at(&target, e.ty, e.span)
            }
            ExprKind::Assign(place, value) => {
                let target = self.record_store(place, value, e.span);
                self.record_at(&target, e.ty, e.span)
            }
            ExprKind::Call(call) => self.call(call, e),
            ExprKind::Conditional(c, Some(a), b) => self.record_conditional(c, a, b, e),
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.record(b)
            }
            ExprKind::Statements(body, Some(value)) => {
                self.open_scope(body);
                self.statements(body);
                let value = self.record(value);
                if self.scope_has_cleanup() {
                    let what = "a clean-up function in an expression whose value is a record";
                    self.body.stop(Op::Unsupported(what.to_owned()), e.span);
                }
                self.merge_scope();
                value
            }
            ExprKind::InitThen(variable, init, value) => {
                self.declare(*variable, Some(init), e.span);
                self.record(value)
            }
            ExprKind::Convert(a) => self.record(a),
            ExprKind::Unsupported(what) => {
                self.body.stop(Op::Unsupported(what.clone()), e.span);
                self.any_record(e.ty)
            }
            _ => {
                self.body.stop(Op::Unsupported("this record".to_owned()), e.span);
                self.any_record(e.ty)
            }
        }
    }

    /// A value for code that is never reached.
    pub(super) fn any_record(&mut self, ty: TypeId) -> Value {
        let leaves = leaves(&self.hir.types, ty).unwrap_or_default();
        Value::Leaves(leaves.iter().map(|l| (l.offset, l.ty, self.constant(l.ty, 0))).collect())
    }

    /// The record at a place.
    pub(super) fn record_at(&mut self, target: &Lvalue, ty: TypeId, span: Span) -> Value {
        match target {
            Lvalue::Split(split) => {
                Value::Leaves(split.iter().map(|&(o, t, s)| (o, t, self.terms.symbol(s))).collect())
            }
            Lvalue::Value(values) => Value::Leaves(values.clone()),
            Lvalue::Symbol(symbol) => Value::Leaves(vec![(0, ty, self.terms.symbol(*symbol))]),
            Lvalue::Memory { address, cell, .. } => match leaves(&self.hir.types, ty) {
                None => Value::Block { address: *address, cell: *cell },
                Some(leaves) => {
                    let mut values = Vec::new();
                    for leaf in leaves {
                        let at = self.inside(target, leaf.offset);
                        values.push((leaf.offset, leaf.ty, self.read(&at, leaf.ty, span)));
                    }
                    Value::Leaves(values)
                }
            },
        }
    }

    /// A scalar inside a record in memory.
    fn inside(&mut self, target: &Lvalue, offset: u64) -> Lvalue {
        match target {
            Lvalue::Memory { address, cell, .. } => {
                let address = self.plus(*address, offset);
                Lvalue::Memory { address, cell: cell.map(|c| c.plus(offset as i64)), bits: None }
            }
            other => other.clone(),
        }
    }

    /// `place = value` for records.
    pub(super) fn record_assignment(&mut self, place: &Place, value: &Expr, span: Span) {
        self.record_store(place, value, span);
    }

    fn record_store(&mut self, place: &Place, value: &Expr, span: Span) -> Lvalue {
        let mut target = self.target(place);
        if value.has_effects()
            && let Lvalue::Memory { address, .. } = &mut target
        {
            *address = self.save(*address, place.span);
        }
        let value = self.record(value);
        self.store_record(&target, place.ty, &value, span);
        target
    }

    /// Writes a record.
    pub(super) fn store_record(&mut self, target: &Lvalue, ty: TypeId, value: &Value, span: Span) {
        match (target, value) {
            (Lvalue::Memory { address, cell, .. }, Value::Block { address: from, .. }) => {
                let size = self.hir.types.size(ty).unwrap_or(0);
                self.copy_block(*address, *from, *cell, size, span);
            }
            (_, Value::Leaves(values)) => {
                if let Some(assigns) = self.leaf_assigns(target, values, span)
                    && !assigns.is_empty()
                {
                    self.body.emit(Op::Assign(assigns), span);
                }
            }
            _ => {}
        }
    }

    /// The assignments that write the scalars of a record.
    pub(super) fn leaf_assigns(
        &mut self,
        target: &Lvalue,
        values: &[(u64, TypeId, Term)],
        span: Span,
    ) -> Option<Vec<Assign>> {
        let mut assigns = Vec::new();
        for &(offset, ty, value) in values {
            match target {
                Lvalue::Split(split) => {
                    let symbol = split.iter().find(|s| s.0 == offset).map(|s| s.2);
                    assigns.extend(symbol.map(|s| Assign { target: Target::Var(s), value }));
                }
                Lvalue::Memory { .. } => {
                    let at = self.inside(target, offset);
                    assigns.extend(self.assigns(&at, ty, value, span)?);
                }
                Lvalue::Symbol(symbol) => assigns.push(Assign { target: Target::Var(*symbol), value }),
                Lvalue::Value(_) => {}
            }
        }
        Some(assigns)
    }

    /// Keeps the scalars of a record from now on.
    pub(super) fn save_leaves(&mut self, values: Vec<(u64, TypeId, Term)>, span: Span) -> Value {
        let mut assigns = Vec::new();
        let mut kept = Vec::new();
        for (offset, ty, value) in values {
            if self.is_constant(value) || self.is_temporary(value) {
                kept.push((offset, ty, value));
                continue;
            }
            let symbol = self.temporary_of(ty);
            assigns.push(Assign { target: Target::Var(symbol), value });
            kept.push((offset, ty, self.terms.symbol(symbol)));
        }
        if !assigns.is_empty() {
            self.body.emit(Op::Assign(assigns), span);
        }
        Value::Leaves(kept)
    }

    fn record_conditional(&mut self, c: &Expr, a: &Expr, b: &Expr, e: &Expr) -> Value {
        let (yes, no, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.branch(c, yes, no);
        self.body.at(yes);
        let first = self.record(a);
        let result = match &first {
            Value::Leaves(leaves) => {
                Value::Leaves(leaves.iter().map(|&(o, t, _)| (o, t, self.temporary_term(t))).collect())
            }
            Value::Block { cell, .. } => {
                let symbol = self.temporary(self.sort_of_bits(self.pointer_bits()), false);
                Value::Block { address: self.terms.symbol(symbol), cell: *cell }
            }
            other => other.clone(),
        };
        self.copy_value(&result, &first, e.span);
        self.body.goto(after, e.span);
        self.body.at(no);
        let second = self.record(b);
        self.copy_value(&result, &second, e.span);
        self.body.go_on_at(after, e.span);
        result
    }

    fn temporary_term(&mut self, ty: TypeId) -> Term {
        let symbol = self.temporary_of(ty);
        self.terms.symbol(symbol)
    }

    /// Assigns a value to one that consists of hidden variables.
    pub(super) fn copy_value(&mut self, to: &Value, from: &Value, span: Span) {
        let pairs: Vec<(Term, Term)> = match (to, from) {
            (Value::Leaves(a), Value::Leaves(b)) => a.iter().zip(b).map(|(x, y)| (x.2, y.2)).collect(),
            (Value::Block { address: a, .. }, Value::Block { address: b, .. }) => vec![(*a, *b)],
            _ => Vec::new(),
        };
        let assigns: Vec<Assign> = pairs
            .into_iter()
            .filter_map(|(to, value)| match self.terms.node(to) {
                clinch_terms::Node::Symbol(s) => Some(Assign { target: Target::Var(s), value }),
                _ => None,
            })
            .collect();
        if !assigns.is_empty() {
            self.body.emit(Op::Assign(assigns), span);
        }
    }
}
