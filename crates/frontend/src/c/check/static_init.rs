//! Initialisers of what lives for the whole run: known before the run starts.

use lang_c::ast::Initializer;
use lang_c::span::Node;

use super::constant::Constant;
use super::{Checked, Checker};
use crate::c::hir::{Expr, ExprKind, Init, PlaceKind, Storage};
use crate::c::types::TypeId;

impl Checker<'_> {
    /// Replaces constant expressions by their values.
    pub(super) fn fold_init(&self, mut init: Init) -> Init {
        for item in &mut init.items {
            // Whether a float fits in a bit-field is looked at later.
            let in_bits = item.bits.is_some() && matches!(&item.value.kind, ExprKind::Convert(_));
            if in_bits || matches!(item.value.kind, ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Extended(_)) {
                continue;
            }
            match self.constant(&item.value) {
                Some(Constant::Int(value)) => item.value.kind = ExprKind::Int(value),
                Some(Constant::Float(value)) => item.value.kind = ExprKind::Float(value),
                Some(Constant::Extended(bits)) => item.value.kind = ExprKind::Extended(bits),
                None => {}
            }
        }
        init
    }

    /// The initialiser of something that lives for the whole run, whose type it may complete.
    pub(super) fn static_initializer(&mut self, ty: TypeId, node: &Node<Initializer>) -> Checked<(TypeId, Init)> {
        let outer = std::mem::replace(&mut self.in_static, true);
        let result = self.initializer(ty, node);
        self.in_static = outer;
        let (ty, init) = result?;
        Ok((ty, self.static_init(init)?))
    }

    /// The initialiser of something that lives for the whole run: known before the run starts.
    fn static_init(&self, init: Init) -> Checked<Init> {
        let init = self.fold_init(init);
        match init.items.iter().find(|i| !self.is_load_time_constant(&i.value)) {
            Some(item) => Err(self.wrong_initializer(item.value.span)),
            None => Ok(init),
        }
    }

    pub(super) fn is_load_time_constant(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Extended(_)
            | ExprKind::Function(_)
            | ExprKind::Unsupported(_) => true,
            ExprKind::AddressOf(place) => self.is_static_place(&place.kind),
            // gcc reads constants; qualifiers are not kept, so other variables are let through, too.
            ExprKind::Load(place) => self.is_static_place(&place.kind),
            ExprKind::Convert(inner) | ExprKind::Unary(_, inner) => self.is_load_time_constant(inner),
            ExprKind::Binary(_, l, r) | ExprKind::LogicalAnd(l, r) | ExprKind::LogicalOr(l, r) => {
                self.is_load_time_constant(l) && self.is_load_time_constant(r)
            }
            ExprKind::Offset { pointer, index, .. } => {
                self.is_load_time_constant(pointer) && self.is_load_time_constant(index)
            }
            ExprKind::Difference { left, right, .. } => {
                self.is_load_time_constant(left) && self.is_load_time_constant(right)
            }
            ExprKind::Conditional(c, t, e) => {
                let then = t.as_ref().is_none_or(|t| self.is_load_time_constant(t));
                self.is_load_time_constant(c) && then && self.is_load_time_constant(e)
            }
            _ => false,
        }
    }

    fn is_static_place(&self, place: &PlaceKind) -> bool {
        match place {
            PlaceKind::Variable(id) => self.hir.variables[id.0 as usize].storage == Storage::Static,
            PlaceKind::Field(inner, ..) => self.is_static_place(&inner.kind),
            PlaceKind::String(_) => true,
            PlaceKind::Deref(pointer) => self.is_load_time_constant(pointer),
            PlaceKind::Value(_) => false,
        }
    }
}
