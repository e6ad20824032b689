//! What names mean.

use clinch_terms::{LocId, VarId};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::Problem;
use crate::expr::Name;

/// What a name in an expression stands for.
#[derive(Clone, Copy)]
pub(super) enum Entity {
    Constant(i64),
    Var(VarId),
    /// Its declaration is wrong, which has been reported.
    Broken,
}

/// Variables and constants by name.
pub(super) type Scope<'s> = FxHashMap<&'s str, Entity>;

/// States and local names of a process.
pub(super) struct ProcessNames<'s> {
    pub(super) states: IndexMap<&'s str, ()>,
    pub(super) scope: Scope<'s>,
}

impl ProcessNames<'_> {
    pub(super) fn state(&self, name: Name<'_>) -> Result<LocId, Problem> {
        let state = self.states.get_index_of(name.text).map(LocId::from_index);
        state.ok_or_else(|| Problem::new(name.span, format!("the process has no state `{}`", name.text)))
    }
}

/// All names of a model.
#[derive(Default)]
pub(super) struct Names<'s> {
    pub(super) globals: Scope<'s>,
    pub(super) channels: FxHashSet<&'s str>,
    /// In the order of the program's processes.
    pub(super) processes: IndexMap<&'s str, ProcessNames<'s>>,
}
