//! What names mean.

use std::sync::Arc;

use clinch_terms::{LocId, ProcId, VarId};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::constant::duplicate;
use crate::diagnostic::Problem;
use crate::expr::Name;

/// The type of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Bool,
    Int,
    /// An enumeration, by position in [`Globals::enums`].
    Enum(usize),
}

/// What a global name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entity {
    Constant(i64),
    EnumType(usize),
    EnumValue(usize, i64),
    Var(VarId),
    /// A process template, by position in [`Globals::templates`].
    Process(usize),
    /// Its declaration is wrong, which has been reported.
    Broken,
}

/// An enumeration.
pub(super) struct EnumInfo<'s> {
    pub(super) name: &'s str,
    pub(super) values: Arc<[String]>,
}

/// A process declaration and its instances.
pub(super) struct Template<'s> {
    pub(super) name: &'s str,
    pub(super) locations: IndexMap<&'s str, ()>,
    pub(super) instances: IndexMap<Vec<i64>, Instance<'s>>,
}

impl Template<'_> {
    pub(super) fn location(&self, name: &str) -> Option<LocId> {
        self.locations.get_index_of(name).map(LocId::from_index)
    }
}

/// One process.
pub(super) struct Instance<'s> {
    pub(super) process: ProcId,
    pub(super) params: Vec<(&'s str, i64)>,
    pub(super) locals: FxHashMap<&'s str, VarId>,
}

/// All names of the model that are visible everywhere.
#[derive(Default)]
pub(super) struct Globals<'s> {
    pub(super) names: FxHashMap<&'s str, Entity>,
    pub(super) enums: Vec<EnumInfo<'s>>,
    pub(super) templates: Vec<Template<'s>>,
    /// The type of each variable, or of its elements.
    pub(super) var_types: Vec<Type>,
}

impl<'s> Globals<'s> {
    /// Gives a new name its meaning.
    pub(super) fn declare(&mut self, name: Name<'s>, entity: Entity) -> Result<(), Problem> {
        match self.names.insert(name.text, entity) {
            None => Ok(()),
            Some(_) => Err(duplicate(name)),
        }
    }

    pub(super) fn show_type(&self, ty: Type) -> &str {
        match ty {
            Type::Bool => "bool",
            Type::Int => "int",
            Type::Enum(i) => self.enums[i].name,
        }
    }
}

/// The names visible at one place besides the global ones; they hide those.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) params: &'a [(&'a str, i64)],
    pub(super) locals: Option<&'a FxHashMap<&'a str, VarId>>,
}

impl Scope<'static> {
    /// Outside processes.
    pub(super) const GLOBAL: Scope<'static> = Scope { params: &[], locals: None };
}
