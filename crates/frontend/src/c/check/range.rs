//! `[lo ... hi] = value`: every element gets the value, which is computed once.

use lang_c::ast::Designator;
use lang_c::span::Node;

use super::constant::Constant;
use super::expr::Operand;
use super::extended_constant::is_nan;
use super::init::{Cursor, Part};
use super::{Checked, Checker};
use crate::c::hir::{Expr, ExprKind, Init, InitItem, Storage, VariableId};
use crate::c::types::TypeId;
use crate::diagnostic::Problem;

/// A value that can be had again.
enum Known {
    Constant(Constant),
    Variable(VariableId),
}

impl Checker<'_> {
    /// Initialises the elements `lo` to `hi` of an array, or the parts of them that the other designators lead to.
    pub(super) fn range(
        &mut self,
        (array, element): (Part, TypeId),
        (lo, hi): (u64, u64),
        rest: &[Node<Designator>],
        cursor: &mut Cursor<'_>,
    ) -> Checked<()> {
        let (start, first) = (cursor.next, self.filled.items.len());
        self.designated(self.element_part(array, element, lo), rest, cursor)?;
        let constant = self.filled.items[first..].iter().all(|item| self.is_load_time_constant(&item.value));
        if lo == hi || constant {
            for i in lo + 1..=hi {
                cursor.next = start;
                self.designated(self.element_part(array, element, i), rest, cursor)?;
            }
            return Ok(());
        }
        let mut known = Vec::new();
        for mut item in self.filled.items.split_off(first) {
            known.push(self.keep(&mut item)?);
            self.filled.items.push(item);
        }
        let size = self.hir.types.size(element).unwrap_or(0);
        for i in 1..=hi - lo {
            for (j, known) in known.iter().enumerate() {
                let InitItem { offset, ty, bits, ref value } = self.filled.items[first + j];
                let value = self.known_value(known, ty, value.span)?;
                self.filled.items.push(InitItem { offset: offset + i * size, ty, bits, value });
            }
        }
        Ok(())
    }

    /// Lets an item leave its value in a hidden variable, unless it is constant.
    fn keep(&mut self, item: &mut InitItem) -> Checked<Known> {
        // An invalid operation makes another NaN when it is executed.
        let is_nan = |constant: &Constant| match *constant {
            Constant::Int(_) => false,
            Constant::Float(value) => value.is_nan(),
            Constant::Extended(bits) => is_nan(bits),
        };
        if let Some(constant) = self.constant(&item.value).filter(|constant| !is_nan(constant)) {
            return Ok(Known::Constant(constant));
        }
        let Some(function) = self.function.as_ref().map(|f| f.id) else { return Err(Problem::consequence()) };
        let (ty, span) = (item.ty, item.value.span);
        let id = self.new_variable("value of a range".to_owned(), ty, Storage::Local(function), span);
        let value = self.value(Operand::Place(self.variable_place(id, span)))?;
        let zero = self.int(0, self.basic.int, span);
        let first = InitItem { offset: 0, ty, bits: None, value: std::mem::replace(&mut item.value, zero) };
        let init = Init { zero_fill: false, items: vec![first] };
        item.value = Expr { kind: ExprKind::InitThen(id, Box::new(init), Box::new(value)), ty, span };
        Ok(Known::Variable(id))
    }

    fn known_value(&mut self, known: &Known, ty: TypeId, span: clinch_ir::Span) -> Checked<Expr> {
        match *known {
            Known::Constant(Constant::Int(value)) => Ok(self.int(value, ty, span)),
            Known::Constant(Constant::Float(value)) => Ok(Expr { kind: ExprKind::Float(value), ty, span }),
            Known::Constant(Constant::Extended(bits)) => Ok(Expr { kind: ExprKind::Extended(bits), ty, span }),
            Known::Variable(id) => self.value(Operand::Place(self.variable_place(id, span))),
        }
    }
}
