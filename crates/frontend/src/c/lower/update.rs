//! Assignments and updates.

use clinch_ir::Span;
use clinch_terms::Term;

use super::super::hir::{Expr, Place, Update, UpdateOp};
use super::super::points_to::{is_record, update_key};
use super::super::types::TypeId;
use super::Lowering;
use super::place::Lvalue;

impl Lowering<'_> {
    /// `place = value`, the value not used.
    pub(super) fn assignment(&mut self, place: &Place, value: &Expr, span: Span) {
        if is_record(&self.hir.types, place.ty) {
            self.record_assignment(place, value, span);
            return;
        }
        let target = self.target_before(place, value);
        let value = self.value_for(&target, value);
        self.store(&target, place.ty, value, span);
    }

    /// The place that is assigned to, evaluated before the value.
    fn target_before(&mut self, place: &Place, value: &Expr) -> Lvalue {
        let mut target = self.target(place);
        if value.has_effects()
            && let Lvalue::Memory { address, .. } = &mut target
        {
            *address = self.save(*address, place.span);
        }
        target
    }

    /// `place = value`; the value of the place afterwards.
    pub(super) fn assignment_value(&mut self, place: &Place, value: &Expr, span: Span) -> Term {
        let target = self.target_before(place, value);
        let value = self.value_for(&target, value);
        self.store_and_keep(&target, place.ty, value, span)
    }

    /// Stores a value that is used afterwards.
    fn store_and_keep(&mut self, target: &Lvalue, ty: TypeId, value: Term, span: Span) -> Term {
        if let Lvalue::Symbol(symbol) = target {
            self.store(target, ty, value, span);
            return self.terms.symbol(*symbol);
        }
        let value = self.save(value, span);
        self.store(target, ty, value, span);
        self.after_store(target, ty, value)
    }

    /// `place op= operand`; the value is kept where it is wanted.
    pub(super) fn update(&mut self, update: &Update, ty: TypeId, span: Span, wanted: bool) -> Term {
        let place = &update.place;
        let target = self.target_before(place, &update.operand);
        let operand = self.scalar(&update.operand);
        let mut old = self.read(&target, place.ty, place.span);
        if wanted && update.postfix {
            old = self.save(old, span);
        }
        let new = match update.op {
            UpdateOp::Pointer(size) => self.offset(old, operand, size),
            UpdateOp::Arithmetic(op, at) => {
                let left = self.converted(old, place.ty, at, span);
                self.guard_change((place.ty, old), (at, left), span);
                self.guard_observation(update_key(update), old, Some(operand), span);
                let result = self.operation(op, at, left, operand, span);
                let new = self.converted(result, at, place.ty, span);
                if self.is_float(at) {
                    self.guard_bit_field(&target, place.ty, new, span);
                }
                self.guard_change((at, result), (place.ty, new), span);
                new
            }
        };
        match (wanted, update.postfix) {
            (true, false) => self.store_and_keep(&target, place.ty, new, span),
            (true, true) => {
                self.store(&target, place.ty, new, span);
                old
            }
            (false, _) => {
                self.store(&target, place.ty, new, span);
                self.constant(ty, 0)
            }
        }
    }

    /// A conversion of a value.
    pub(super) fn converted(&mut self, value: Term, from: TypeId, to: TypeId, span: Span) -> Term {
        match (self.is_float(from), self.is_float(to)) {
            (false, false) => self.convert(value, from, to),
            _ => self.float_conversion(value, from, to, span),
        }
    }
}
