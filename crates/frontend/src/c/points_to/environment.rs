//! Pointers from outside the program: results of functions without body, parameters of the entry function, contents of
//! memory that nothing wrote.
//!
//! What they point to is not known, but two of them may be equal, and they may point to a global. So all memory that is
//! reached from outside with one type is one abstract object, and the globals that contain the type are part of it (the type
//! that a pointer has where it is dereferenced: strict aliasing, C11 6.5 §7).

use std::collections::BTreeSet;

use super::super::hir::{Hir, Storage, VariableId};
use super::super::types::{Type, TypeId, Types};
use super::Analysis;
use super::constraints::Flow;
use super::graph::Cell;

impl Analysis<'_> {
    /// A value from outside: the pointers in it may point to anything of their type.
    pub(super) fn outside_value(&mut self, ty: TypeId) -> Flow {
        let flow = self.shape(ty, "outside");
        let values = match &flow {
            Flow::Scalar(value) if self.hir.types.is_pointer(ty) => vec![*value],
            Flow::Leaves(values) => values.iter().flatten().copied().collect(),
            _ => Vec::new(),
        };
        for value in values {
            self.graph.point_outside(value);
        }
        flow
    }

    /// Makes one object of all that pointers from outside may reach with one type. Whether that was news.
    pub(super) fn join_outside(&mut self) -> bool {
        let mut news = false;
        for i in 0..self.dereferenced.len() {
            let (value, ty) = self.dereferenced[i];
            let cell = self.graph.target(value);
            if self.graph.is_outside(cell.node) && is_object(&self.hir.types, ty) {
                let home = self.outside_of(ty);
                news |= self.graph.unify_anew(home, cell);
            }
        }
        news
    }

    /// The memory outside that is reached with a type, and the globals that contain it.
    fn outside_of(&mut self, ty: TypeId) -> Cell {
        if let Some(&home) = self.outside.get(&ty) {
            return home;
        }
        let home = Cell::start(self.graph.outside_node());
        self.arrays(home, ty);
        self.outside.insert(ty, home);
        let hir = self.hir;
        for (i, variable) in hir.variables.iter().enumerate() {
            let id = VariableId(i as u32);
            if variable.storage != Storage::Static || !self.variables.contains_key(&id) {
                continue;
            }
            let mut offsets = Vec::new();
            places_of(&hir.types, ty, variable.ty, 0, &mut offsets);
            for offset in offsets {
                let cell = self.variable(id).plus(offset);
                self.graph.unify(home, cell);
            }
        }
        home
    }

    /// The types with which memory outside is accessed.
    pub(super) fn outside_types(&self) -> BTreeSet<TypeId> {
        self.outside.keys().copied().collect()
    }
}

/// Globals that pointers from outside may point to live in memory: notes that their addresses are taken.
pub(crate) fn expose(hir: &mut Hir, types: &BTreeSet<TypeId>) {
    let contains = |ty: TypeId| {
        let mut offsets = Vec::new();
        types.iter().for_each(|&of| places_of(&hir.types, of, ty, 0, &mut offsets));
        !offsets.is_empty()
    };
    let exposed: Vec<bool> = hir.variables.iter().map(|v| v.storage == Storage::Static && contains(v.ty)).collect();
    for (variable, exposed) in hir.variables.iter_mut().zip(exposed) {
        variable.address_taken |= exposed;
    }
}

/// Whether pointers of the type point to objects whose size is known.
fn is_object(types: &Types, ty: TypeId) -> bool {
    !matches!(types.get(ty), Type::Void | Type::Function { .. }) && types.size(ty).is_some_and(|size| size > 0)
}

/// Where an object of one type contains objects of another one; one element stands for all of an array. A character may be
/// any byte, but is looked for in arrays of characters only.
fn places_of(types: &Types, wanted: TypeId, ty: TypeId, offset: i64, found: &mut Vec<i64>) {
    if ty == wanted {
        found.push(offset);
        return;
    }
    match *types.get(ty) {
        Type::Array(element, _) => places_of(types, wanted, element, offset, found),
        Type::Record(record) => {
            for field in &types.record(record).fields {
                if field.bits.is_none() {
                    places_of(types, wanted, field.ty, offset + field.offset as i64, found);
                }
            }
        }
        _ => {}
    }
}
