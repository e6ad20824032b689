//! Functions that may be called through pointers of another type than theirs.
//!
//! C leaves such calls undefined, and compiled programs do them all the same. Where a conversion in the text shows that there may be one,
//! calls through pointers reach more functions. What gets its type by way of memory is told as an assumption.

use super::super::hir::{Expr, ExprKind, FunctionId};
use super::super::types::{Type, TypeId};
use super::Outline;
use super::sequence::{visit, visit_statement};

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
        let mut see = |e: &Expr| self.see_conversion(e, &mut found);
        for item in hir.variables.iter().flat_map(|v| &v.init).flat_map(|init| &init.items) {
            visit(&item.value, &mut see);
        }
        for statement in hir.functions.iter().flat_map(|f| &f.body).flatten() {
            visit_statement(statement, &mut see);
        }
        self.retyped = found;
    }

    fn see_conversion(&self, e: &Expr, found: &mut Retyped) {
        let ExprKind::Convert(inner) = &e.kind else { return };
        let (to, from) = (self.function_behind(e.ty), self.function_behind(inner.ty));
        let same = to.zip(from).is_some_and(|(to, from)| self.is_called_alike(to, from));
        match inner.kind {
            _ if same => {}
            ExprKind::Function(f) => found.functions.push(f),
            // A null pointer, or an address that is no function's.
            ExprKind::Int(_) => {}
            _ => found.any |= to.is_some(),
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
