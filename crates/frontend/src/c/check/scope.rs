//! Names and what they stand for.

use clinch_ir::Span;
use rustc_hash::FxHashMap;

use super::attribute::TypeAlign;
use super::{Checked, Checker};
use crate::c::hir::{FunctionId, VariableId};
use crate::c::types::{RecordId, TypeId};
use crate::diagnostic::Problem;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Symbol {
    Variable(VariableId),
    Function(FunctionId),
    /// A type, its alignment, and the variable that holds its length if that is known at run
    /// time only.
    Typedef(TypeId, TypeAlign, Option<VariableId>),
    Enumerator(i128, TypeId),
    /// A declaration that went wrong: uses of it are not reported.
    Poison,
}

/// What a tag stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tag {
    Record(RecordId),
    /// The integer type of an enumeration; none before its enumerators are known.
    Enum(Option<TypeId>),
}

/// The names of a block or a file.
#[derive(Default)]
pub(super) struct Scope {
    pub(super) names: FxHashMap<String, Symbol>,
    pub(super) tags: FxHashMap<String, Tag>,
}

impl Checker<'_> {
    pub(super) fn lookup(&self, name: &str) -> Option<Symbol> {
        self.scopes.iter().rev().find_map(|s| s.names.get(name).copied())
    }

    pub(super) fn lookup_tag(&self, name: &str) -> Option<Tag> {
        self.scopes.iter().rev().find_map(|s| s.tags.get(name).copied())
    }

    pub(super) fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("the scope of the file is always there")
    }

    /// Declares a name that must be new in its scope.
    pub(super) fn declare_new(&mut self, name: &str, symbol: Symbol, span: Span) -> Checked<()> {
        match self.scope().names.insert(name.to_owned(), symbol) {
            None | Some(Symbol::Poison) => Ok(()),
            Some(_) => Err(Problem::new(span, format!("`{name}` is declared twice"))),
        }
    }

    /// Runs a step in a scope of its own.
    pub(super) fn in_scope<T>(&mut self, step: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Scope::default());
        let result = step(self);
        self.scopes.pop();
        result
    }
}
