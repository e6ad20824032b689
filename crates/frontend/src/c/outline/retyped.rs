//! Functions that may be called through pointers of another type than theirs.
//!
//! C leaves such calls undefined, and compiled programs do them all the same. Where a conversion or a union in the text shows that there may be
//! one, calls through pointers reach more functions. In large programs, what gets its type by a conversion of pointers to memory is told as an
//! assumption only: they convert the addresses of records with function pointers everywhere.

use super::super::Environment;
use super::super::hir::{Expr, ExprKind, FunctionId, Place, PlaceKind};
use super::super::types::{RecordId, Type, TypeId};
use super::super::walk::{Each, Visitor};
use super::Outline;

/// Which functions those are.
#[derive(Default)]
pub(super) struct Retyped {
    /// Functions whose own address is converted.
    functions: Vec<FunctionId>,
    /// Whether pointers are converted that may lead to any function.
    any: bool,
}

impl Retyped {
    /// Whether calls of any type may reach a function.
    pub(super) fn contains(&self, function: FunctionId) -> bool {
        self.any || self.functions.contains(&function)
    }
}

impl Outline<'_> {
    /// Looks at all conversions of the program.
    pub(super) fn find_retyped(&mut self) {
        let hir = self.hir;
        let mut found = Retyped::default();
        let mut see = Each(|e: &Expr| self.see(e, &mut found));
        hir.variables.iter().flat_map(|v| &v.init).for_each(|init| see.init(init));
        hir.functions.iter().flat_map(|f| &f.body).for_each(|body| see.statements(body));
        self.retyped = found;
    }

    fn see(&self, e: &Expr, found: &mut Retyped) {
        match &e.kind {
            ExprKind::Convert(inner) => self.see_conversion(e, inner, found),
            ExprKind::Load(place) | ExprKind::AddressOf(place) => found.any |= self.is_in_mixed_union(place),
            _ => {}
        }
    }

    fn see_conversion(&self, e: &Expr, inner: &Expr, found: &mut Retyped) {
        let (to, from) = (self.function_behind(e.ty), self.function_behind(inner.ty));
        let same = to.zip(from).is_some_and(|(to, from)| self.is_called_alike(to, from));
        match inner.kind {
            _ if same => {}
            ExprKind::Function(f) => found.functions.push(f),
            // A null pointer, or an address that is no function's.
            ExprKind::Int(_) => {}
            _ => found.any |= to.is_some() || self.retypes_memory(e.ty, inner.ty),
        }
    }

    /// Whether a pointer is converted to or from one that leads to memory with function pointers in it.
    fn retypes_memory(&self, to: TypeId, from: TypeId) -> bool {
        let behind = |ty| self.hir.types.pointee(ty).map(|object| self.functions_in(object)).unwrap_or_default();
        let alike = || matches!(self.hir.types.pointee(to).zip(self.hir.types.pointee(from)), Some((a, b)) if a == b);
        self.environment == Environment::Strict && !(behind(to).is_empty() && behind(from).is_empty()) && !alike()
    }

    /// Whether a place is in a union that holds pointers to functions of one kind or of another.
    fn is_in_mixed_union(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Field(base, record, _) => self.is_mixed_union(*record) || self.is_in_mixed_union(base),
            PlaceKind::Variable(_) | PlaceKind::Deref(_) | PlaceKind::String(_) | PlaceKind::Value(_) => false,
        }
    }

    fn is_mixed_union(&self, record: RecordId) -> bool {
        let record = self.hir.types.record(record);
        if !record.is_union || record.fields.len() < 2 {
            return false;
        }
        let functions: Vec<TypeId> = record.fields.iter().flat_map(|field| self.functions_in(field.ty)).collect();
        let Some(&first) = functions.first() else { return false };
        // A pointer may also be written as a number or as bytes.
        self.environment == Environment::Strict || functions.iter().any(|&other| !self.is_called_alike(first, other))
    }

    /// The types of the functions that an object has pointers to.
    fn functions_in(&self, object: TypeId) -> Vec<TypeId> {
        match *self.hir.types.get(object) {
            Type::Pointer(_) => self.function_behind(object).into_iter().collect(),
            Type::Array(element, _) => self.functions_in(element),
            Type::Record(record) => {
                self.hir.types.record(record).fields.iter().flat_map(|field| self.functions_in(field.ty)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The type of the function that a pointer leads to.
    fn function_behind(&self, ty: TypeId) -> Option<TypeId> {
        let Type::Pointer(to) = *self.hir.types.get(ty) else { return None };
        matches!(self.hir.types.get(to), Type::Function { .. }).then_some(to)
    }

    /// Whether functions of both types take and return the same kinds of values.
    fn is_called_alike(&self, a: TypeId, b: TypeId) -> bool {
        let types = &self.hir.types;
        match (types.get(a), types.get(b)) {
            (
                Type::Function { result: r, parameters: p, variadic: v, unspecified: false, .. },
                Type::Function { result: s, parameters: q, variadic: w, unspecified: false, .. },
            ) => {
                let alike = |(&x, &y): (&TypeId, &TypeId)| self.kind(x) == self.kind(y);
                v == w && self.kind(*r) == self.kind(*s) && p.len() == q.len() && p.iter().zip(q).all(alike)
            }
            _ => a == b,
        }
    }
}
