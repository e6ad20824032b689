//! Conversions (C11 6.3): promotions, usual arithmetic conversions, assignment.

use clinch_ir::Span;
use clinch_ir::cfa::Integers;

use super::literal::unsupported;
use super::{Checked, Checker};
use crate::c::hir::{Expr, ExprKind, Place, PlaceKind};
use crate::c::types::{Rank, Type, TypeId};
use crate::diagnostic::Problem;

/// gcc computes with as many bits as such a field has, not with those of its type.
pub(super) const WIDE_BIT_FIELD: &str = "arithmetic on a bit-field wider than `int`";

impl Checker<'_> {
    /// Makes a conversion explicit, unless nothing changes. Constants are converted at once.
    pub(super) fn convert(&self, expr: Expr, ty: TypeId) -> Expr {
        if expr.ty == ty {
            return expr;
        }
        let to_integer = self.hir.types.is_integer(ty) || self.hir.types.is_pointer(ty);
        match expr.kind {
            // Mathematical integers are not cut, and constants are no exception.
            ExprKind::Int(value)
                if to_integer && (self.integers == Integers::Machine || self.hir.types.wrap(value, ty) == value) =>
            {
                self.int(value, ty, expr.span)
            }
            _ => {
                let span = expr.span;
                Expr { kind: ExprKind::Convert(Box::new(expr)), ty, span }
            }
        }
    }

    /// The width of the bit-field whose value an expression has, if it is one: read or, as in gcc, just written.
    pub(super) fn bit_field(&self, expr: &Expr) -> Option<u32> {
        match &expr.kind {
            ExprKind::Load(place) | ExprKind::Assign(place, _) => self.bit_field_width(place),
            ExprKind::Update(update) => self.bit_field_width(&update.place),
            ExprKind::Comma(_, value) | ExprKind::Statements(_, Some(value)) => self.bit_field(value),
            _ => None,
        }
    }

    /// The width of a place that is a bit-field.
    pub(super) fn bit_field_width(&self, place: &Place) -> Option<u32> {
        let PlaceKind::Field(_, record, field) = place.kind else { return None };
        self.hir.types.record(record).fields.get(field)?.bits.map(|b| b.width)
    }

    /// The type an integer is promoted to; other types stay.
    pub(super) fn promoted_type(&self, ty: TypeId, bit_field: Option<u32>) -> TypeId {
        match *self.hir.types.get(ty) {
            Type::Bool => self.basic.int,
            Type::Int { rank: Rank::Char | Rank::SignedChar | Rank::Short, .. } => self.basic.int,
            Type::Int { signed, .. } => match bit_field {
                Some(width) if width < 32 || width == 32 && signed => self.basic.int,
                // `unsigned long x : 32` counts as 32 bits in gcc.
                Some(32) => self.basic.unsigned,
                _ => ty,
            },
            _ => ty,
        }
    }

    pub(super) fn promote(&self, expr: Expr) -> Expr {
        let width = self.bit_field(&expr);
        if width.is_some_and(|w| (33..64).contains(&w)) {
            let kind = ExprKind::Unsupported(WIDE_BIT_FIELD.to_owned());
            return Expr { kind, ..expr };
        }
        let ty = self.promoted_type(expr.ty, width);
        self.convert(expr, ty)
    }

    /// An argument that no prototype describes.
    pub(super) fn default_promote(&self, expr: Expr) -> Expr {
        match self.hir.types.get(expr.ty) {
            Type::Float(32) => self.convert(expr, self.basic.double),
            _ => self.promote(expr),
        }
    }

    /// The common type of two promoted arithmetic types.
    pub(super) fn common_type(&mut self, left: TypeId, right: TypeId) -> TypeId {
        match (self.hir.types.get(left), self.hir.types.get(right)) {
            (&Type::Float(l), &Type::Float(r)) => self.types().intern(Type::Float(l.max(r))),
            (Type::Float(_), _) => left,
            (_, Type::Float(_)) => right,
            (&Type::Int { rank: l, signed: sl }, &Type::Int { rank: r, signed: sr }) => {
                if sl == sr {
                    return if l >= r { left } else { right };
                }
                let (unsigned, unsigned_rank, signed_rank) = if sl { (right, r, l) } else { (left, l, r) };
                if unsigned_rank >= signed_rank {
                    return unsigned;
                }
                // The signed type wins if it holds all values; otherwise its unsigned twin does.
                let wider = self.hir.types.bits_of_rank(signed_rank) > self.hir.types.bits_of_rank(unsigned_rank);
                self.types().intern(Type::Int { rank: signed_rank, signed: wider })
            }
            _ => left,
        }
    }

    /// The usual arithmetic conversions.
    pub(super) fn usual(&mut self, left: Expr, right: Expr) -> (Expr, Expr, TypeId) {
        let (left, right) = (self.promote(left), self.promote(right));
        let ty = self.common_type(left.ty, right.ty);
        (self.convert(left, ty), self.convert(right, ty), ty)
    }

    /// Converts as if by assignment to an object of a type; refuses what gcc refuses.
    pub(super) fn convert_assigned(&self, expr: Expr, ty: TypeId, span: Span) -> Checked<Expr> {
        if let Some(unsupported) = self.opaque_value(&expr, ty) {
            return Ok(unsupported);
        }
        let types = &self.hir.types;
        let from = expr.ty;
        if let Some(what) = types.opaque(ty).filter(|_| from != ty) {
            return Ok(unsupported(what, ty, span));
        }
        let fine = match (types.get(ty), types.get(from)) {
            _ if from == ty => from != self.basic.void,
            (Type::Bool | Type::Int { .. } | Type::Float(_), Type::Bool | Type::Int { .. } | Type::Float(_)) => true,
            (Type::Pointer(_), Type::Pointer(_) | Type::Int { .. } | Type::Bool) => true,
            (Type::Int { .. } | Type::Bool, Type::Pointer(_)) => true,
            (&Type::Record(to), &Type::Record(from)) => self.same_record(to, from),
            _ => false,
        };
        if !fine {
            let (from, to) = (self.name_of(from), self.name_of(ty));
            return Err(Problem::new(span, format!("expected `{to}`, found `{from}`")));
        }
        Ok(self.convert(expr, ty))
    }

    /// Records of two units are one type if they have the same name and size.
    fn same_record(&self, left: crate::c::types::RecordId, right: crate::c::types::RecordId) -> bool {
        let (l, r) = (self.hir.types.record(left), self.hir.types.record(right));
        l.name == r.name && l.size == r.size && l.complete && r.complete && l.span != r.span
    }

    /// Refuses what is not a scalar, as a condition must be.
    pub(super) fn scalar(&self, expr: Expr) -> Checked<Expr> {
        if let Some(unsupported) = self.opaque_value(&expr, self.basic.int) {
            return Ok(unsupported);
        }
        if self.hir.types.is_scalar(expr.ty) {
            return Ok(expr);
        }
        Err(Problem::new(expr.span, format!("expected a number or a pointer, found `{}`", self.name_of(expr.ty))))
    }

    /// Whether an expression is `0` or `(void *)0`.
    pub(super) fn is_null(&self, expr: &Expr) -> bool {
        let fits = self.hir.types.is_integer(expr.ty) || expr.ty == self.basic.void_pointer;
        fits && self.constant_int(expr) == Some(0)
    }
}
