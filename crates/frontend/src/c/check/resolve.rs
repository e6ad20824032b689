//! Names that turn out to be others, and names that nothing can be said of: known when all units are read.
//!
//! `alias` makes two names one object. A weak function that no unit defines is taken to be absent, as it is in the program that
//! these units make. Uses of both were read before that was known, and are changed here.

use std::hash::Hash;

use clinch_ir::Span;
use rustc_hash::FxHashMap;

use super::Checker;
use super::scope::Symbol;
use crate::c::hir::{Callee, Expr, ExprKind, FunctionId, Hir, Place, PlaceKind, Storage, VariableId};
use crate::c::types::TypeId;
use crate::c::walk::MutVisitor;
use crate::diagnostic::Problem;

/// What uses of a name stand for.
enum Meaning<T> {
    Other(T),
    /// A null pointer; a call is not modelled.
    Absent(String),
    Unsupported(String),
}

/// `alias("target")`, to be looked up at the end of the unit.
pub(super) struct Alias {
    pub(super) of: Symbol,
    pub(super) target: String,
    pub(super) span: Span,
}

#[derive(Default)]
struct Resolver {
    functions: FxHashMap<FunctionId, Meaning<FunctionId>>,
    variables: FxHashMap<VariableId, Meaning<VariableId>>,
    /// Pointers to the types of places.
    pointers: FxHashMap<TypeId, TypeId>,
}

impl Checker<'_> {
    /// Finds what the aliases of the unit stand for.
    pub(super) fn end_of_aliases(&mut self) {
        for Alias { of, target, span } in std::mem::take(&mut self.aliases) {
            match (of, self.scopes[0].names.get(&target).copied()) {
                (Symbol::Function(alias), Some(Symbol::Function(id))) => drop(self.function_aliases.insert(alias, id)),
                (Symbol::Variable(alias), Some(Symbol::Variable(id))) => drop(self.variable_aliases.insert(alias, id)),
                _ => self.problems.push(Problem::new(span, format!("`{target}` is not defined here"))),
            }
        }
    }

    /// Changes the uses of names that are not what they seemed.
    pub(super) fn resolve(&mut self) {
        let mut resolver = Resolver::default();
        let mut assumptions = Vec::new();
        for (i, function) in self.hir.functions.iter().enumerate().filter(|(_, f)| f.body.is_none()) {
            let id = FunctionId(i as u32);
            if let Some(target) = last(&self.function_aliases, id) {
                resolver.functions.insert(id, Meaning::Other(target));
            } else if function.weak {
                let assumption = format!("the weak symbol `{}` is defined nowhere: its address is null", function.name);
                assumptions.push(assumption);
                resolver.functions.insert(id, Meaning::Absent(undefined(&function.name)));
            }
        }
        self.hir.assumptions.append(&mut assumptions);
        for (i, function) in self.hir.functions.iter().enumerate() {
            let id = FunctionId(i as u32);
            if let Some(what) = &function.unsupported {
                let what = format!("{what} of `{}`", function.name);
                resolver.functions.insert(id, Meaning::Unsupported(what));
            }
        }
        self.doubt_own_library_functions(&mut resolver);
        for (i, variable) in self.hir.variables.iter().enumerate().filter(|(_, v)| v.init.is_none()) {
            let id = VariableId(i as u32);
            if let Some(target) = last(&self.variable_aliases, id) {
                resolver.variables.insert(id, Meaning::Other(target));
            } else if variable.external && is_from_elsewhere(&variable.name) {
                resolver.variables.insert(id, Meaning::Unsupported(format!("`{}`", variable.name)));
            } else if variable.weak && variable.external {
                resolver.variables.insert(id, Meaning::Unsupported(undefined(&variable.name)));
            }
        }
        if resolver.functions.is_empty() && resolver.variables.is_empty() {
            return;
        }
        for &id in resolver.variables.keys().collect::<std::collections::BTreeSet<_>>() {
            let ty = self.hir.variables[id.0 as usize].ty;
            let pointer = self.pointer_to(ty);
            resolver.pointers.insert(ty, pointer);
        }
        resolver.program(&mut self.hir);
    }
}

impl Checker<'_> {
    /// Compilers know some functions of the library, and take those of the program for them.
    fn doubt_own_library_functions(&mut self, resolver: &mut Resolver) {
        for (name, signature) in EXPANDED {
            let ty = self.function_of(signature);
            if let Some(own) = self.own_function(name).filter(|own| self.hir.functions[own.0 as usize].ty == ty) {
                let what = format!("the program's own `{name}`, which compilers take for the library's");
                resolver.functions.insert(own, Meaning::Unsupported(what));
            }
        }
        let Some(writer) = WRITERS.into_iter().find(|name| self.own_function(name).is_some()) else { return };
        for (i, function) in self.hir.functions.iter().enumerate() {
            if PRINTERS.contains(&function.name.as_str()) && (function.body.is_none() || function.is_model) {
                let what = format!("`{}`, for which compilers call the program's own `{writer}`", function.name);
                resolver.functions.insert(FunctionId(i as u32), Meaning::Unsupported(what));
            }
        }
    }

    /// A function with external linkage that the program defines.
    fn own_function(&self, name: &str) -> Option<FunctionId> {
        let Some(&Symbol::Function(id)) = self.externals.get(name) else { return None };
        let function = &self.hir.functions[id.0 as usize];
        (function.body.is_some() && !function.is_model).then_some(id)
    }
}

/// Functions whose calls compilers replace by what they do, if they have the library's types (see `builtin::signature`).
const EXPANDED: [(&str, &str); 10] = [
    ("abs", "ii"),
    ("labs", "ll"),
    ("llabs", "LL"),
    ("imaxabs", "ll"),
    ("isdigit", "ii"),
    ("isascii", "ii"),
    ("toascii", "ii"),
    ("index", "ssi"),
    ("rindex", "ssi"),
    ("bcmp", "ippz"),
];

/// Functions whose calls compilers replace by simpler ones, and those.
const PRINTERS: [&str; 8] =
    ["printf", "fprintf", "vprintf", "vfprintf", "__printf_chk", "__fprintf_chk", "__vprintf_chk", "__vfprintf_chk"];
const WRITERS: [&str; 5] = ["puts", "putchar", "fputc", "fputs", "fwrite"];

/// What an alias stands for in the end. Compilers refuse circles.
fn last<T: Copy + Eq + Hash>(aliases: &FxHashMap<T, T>, alias: T) -> Option<T> {
    let mut targets = std::iter::successors(aliases.get(&alias), |target| aliases.get(target));
    targets.by_ref().take(aliases.len()).last().copied()
}

/// Whether a variable that no unit defines is the linker's, or shares its memory with functions of the library.
fn is_from_elsewhere(name: &str) -> bool {
    name.starts_with("__start_")
        || name.starts_with("__stop_")
        || matches!(name.trim_start_matches('_'), "end" | "edata" | "etext" | "bss_start" | "executable_start")
        || matches!(name.trim_start_matches('_'), "data_start" | "environ")
}

fn undefined(name: &str) -> String {
    format!("the weak symbol `{name}`, which is not defined")
}

impl Resolver {
    fn program(&mut self, hir: &mut Hir) {
        for i in 0..hir.functions.len() {
            if let Some(mut body) = hir.functions[i].body.take() {
                self.statements(&mut body);
                hir.functions[i].body = Some(body);
            }
            if let Some(Meaning::Other(target)) = self.functions.get(&FunctionId(i as u32)) {
                hir.functions[target.0 as usize].address_taken |= hir.functions[i].address_taken;
            }
        }
        for i in 0..hir.variables.len() {
            let variable = &mut hir.variables[i];
            variable.init.iter_mut().for_each(|init| self.init(init));
            variable.runtime_length.iter_mut().for_each(|length| self.expr(length));
            if let Some(Meaning::Other(target)) = self.variables.get(&VariableId(i as u32)) {
                let taken = variable.address_taken;
                variable.external = false;
                debug_assert!(variable.storage == Storage::Static, "only globals have aliases");
                hir.variables[target.0 as usize].address_taken |= taken;
            }
        }
        hir.cleanups.iter_mut().for_each(|call| self.expr(call));
    }
}

impl MutVisitor for Resolver {
    fn expr(&mut self, e: &mut Expr) {
        self.walk_expr(e);
        match &mut e.kind {
            ExprKind::Function(id) => match self.functions.get(id) {
                Some(Meaning::Other(target)) => *id = *target,
                Some(Meaning::Absent(_)) => e.kind = ExprKind::Int(0),
                Some(Meaning::Unsupported(what)) => e.kind = ExprKind::Unsupported(what.clone()),
                None => {}
            },
            ExprKind::Call(call) => {
                let Callee::Direct(id) = &mut call.callee else { return };
                match self.functions.get(id) {
                    Some(Meaning::Other(target)) => *id = *target,
                    Some(Meaning::Absent(what) | Meaning::Unsupported(what)) => {
                        e.kind = ExprKind::Unsupported(what.clone());
                    }
                    None => {}
                }
            }
            _ => {}
        }
    }

    fn place(&mut self, place: &mut Place) {
        self.walk_place(place);
        let PlaceKind::Variable(id) = &mut place.kind else { return };
        match self.variables.get(id) {
            Some(Meaning::Other(target)) => *id = *target,
            Some(Meaning::Absent(what) | Meaning::Unsupported(what)) => {
                let kind = ExprKind::Unsupported(what.clone());
                let ty = self.pointers.get(&place.ty).copied().unwrap_or(place.ty);
                place.kind = PlaceKind::Deref(Box::new(Expr { kind, ty, span: place.span }));
            }
            None => {}
        }
    }
}
