//! Pointers from outside the program: results of functions without body, parameters of the entry function, contents of
//! memory that nothing wrote.
//!
//! What they point to is not known, but two of them may be equal, one may point into what the other points to, and they may
//! point to a global that others know. Types are all there is to tell them apart (strict aliasing, C11 6.5 §7): memory
//! outside that is used with one type is one abstract object, part of it is whatever may contain that type, and characters
//! are part of everything. A pointer that is used as the address of a record points to such a record: what is
//! accessed in it, by whatever casts and sums, belongs to the record.
//!
//! All of this holds for pointers that the program is given, by a caller or as a result. Of those that it finds in memory
//! outside, or that nobody set, it is assumed that they do not lead into the middle of a record of another type.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::super::hir::{Hir, Storage, Variable, VariableId};
use super::super::types::{Rank, Type, TypeId, Types};
use super::Analysis;
use super::flow::Flow;
use super::graph::{Cell, NodeId};
use super::layout::Val;

/// How an object is used: where it starts in an abstract object, and the record it is.
type Views = FxHashMap<NodeId, BTreeSet<(i64, TypeId)>>;

/// How memory is used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Used {
    /// Byte by byte.
    Bytes,
    /// As an object of a type.
    As(TypeId),
}

/// How memory outside is used, and whether the program was given a pointer to it.
pub(crate) type Outside = (Used, bool);

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

    /// A pointer to a record is seen.
    pub(super) fn view(&mut self, value: Val, ty: TypeId) {
        if let Type::Pointer(to) = *self.hir.types.get(ty)
            && matches!(self.hir.types.get(to), Type::Record(_))
            && is_object(&self.hir.types, to)
        {
            self.viewed.insert((value, to));
        }
    }

    /// Makes one object of all that pointers from outside may reach with types that may alias. Whether that was news.
    pub(super) fn join_outside(&mut self) -> bool {
        let views = self.views();
        let mut joins: Vec<(Outside, Cell)> = Vec::new();
        for i in 0..self.dereferenced.len() {
            let (value, used) = self.dereferenced[i];
            let cell = self.graph.target(value);
            if !self.graph.is_outside(cell.node) || matches!(used, Used::As(ty) if !is_object(&self.hir.types, ty)) {
                continue;
            }
            let given = self.graph.is_given(cell.node);
            let records = self.records_around(&views, cell, used);
            if records.is_empty() {
                joins.push(((used, given), cell));
            }
            joins.extend(records.into_iter().map(|(start, record)| ((Used::As(record), given), start)));
        }
        let mut news = false;
        for (used, cell) in joins {
            let home = self.outside_of(used);
            news |= self.graph.unify_anew(home, cell);
        }
        news
    }

    /// The records that pointers see, by abstract object.
    fn views(&mut self) -> Views {
        let mut views = Views::default();
        for (value, record) in self.viewed.clone() {
            if let Some(cell) = self.graph.link(value)
                && self.graph.is_outside(cell.node)
            {
                let cell = self.graph.normal(cell);
                views.entry(cell.node).or_default().insert((cell.offset, record));
            }
        }
        views
    }

    /// The records which an access is a part of.
    fn records_around(&mut self, views: &Views, cell: Cell, used: Used) -> Vec<(Cell, TypeId)> {
        let cell = self.graph.normal(cell);
        let Some(seen) = views.get(&cell.node) else { return Vec::new() };
        let types = &self.hir.types;
        let is_part = |&&(start, record): &&(i64, TypeId)| match used {
            Used::Bytes => types.size(record).is_some_and(|size| (0..size as i64).contains(&(cell.offset - start))),
            Used::As(ty) => holds_at(types, record, cell.offset - start, ty),
        };
        let around: Vec<(i64, TypeId)> = seen.iter().filter(is_part).copied().collect();
        // What is part of another record is found with that.
        let is_whole = |&&(start, record): &&(i64, TypeId)| {
            let contains = |&(at, other): &(i64, TypeId)| {
                other != record && start >= at && holds_at(types, other, start - at, record)
            };
            !around.iter().any(contains)
        };
        around.iter().filter(is_whole).map(|&(offset, record)| (Cell { offset, spread: 0, ..cell }, record)).collect()
    }

    /// The memory outside that is used in a way, and what else may be there: globals, and memory used in other ways.
    fn outside_of(&mut self, outside: Outside) -> Cell {
        if let Some(&home) = self.outside.get(&outside) {
            return home;
        }
        let home = Cell::start(self.graph.outside_node());
        if let Used::As(ty) = outside.0 {
            self.arrays(home, ty);
        }
        let others: Vec<(Outside, Cell)> = self.outside.iter().map(|(&other, &cell)| (other, cell)).collect();
        self.outside.insert(outside, home);
        let hir = self.hir;
        for (i, variable) in hir.variables.iter().enumerate() {
            let id = VariableId(i as u32);
            if is_known_outside(variable) && self.variables.contains_key(&id) {
                let cell = self.variable(id);
                self.overlap((home, outside), (cell, Used::As(variable.ty)));
            }
        }
        for (other, cell) in others {
            self.overlap((home, outside), (cell, other.0));
            self.overlap((cell, other), (home, outside.0));
        }
        home
    }

    /// What is used in one way may be a part of what is used in another one.
    fn overlap(&mut self, (part, outside): (Cell, Outside), (whole, as_whole): (Cell, Used)) {
        match (outside, as_whole) {
            ((Used::Bytes, true), _) => {
                self.graph.unify(part, whole);
                self.graph.blur(part);
            }
            (_, Used::As(ty)) => {
                for offset in places_of(&self.hir.types, outside, ty) {
                    self.graph.unify(part, whole.plus(offset));
                }
            }
            ((Used::Bytes, false), Used::Bytes) => self.graph.unify(part, whole),
            ((Used::As(_), _), Used::Bytes) => {}
        }
    }

    /// The ways in which memory outside is accessed.
    pub(super) fn outside_types(&self) -> BTreeSet<Outside> {
        self.outside.keys().copied().collect()
    }
}

/// Globals that pointers from outside may point to live in memory: notes that their addresses are taken.
pub(crate) fn expose(hir: &mut Hir, types: &BTreeSet<Outside>) {
    let is_exposed =
        |v: &Variable| is_known_outside(v) && types.iter().any(|&outside| holds(&hir.types, v.ty, outside));
    let exposed: Vec<bool> = hir.variables.iter().map(is_exposed).collect();
    for (variable, exposed) in hir.variables.iter_mut().zip(exposed) {
        variable.address_taken |= exposed;
    }
}

/// Whether the address of a variable may be known outside: of a global by its name, of others if somebody takes it.
fn is_known_outside(variable: &Variable) -> bool {
    variable.storage == Storage::Static && (variable.exported || variable.address_taken)
}

/// Whether pointers of the type point to objects whose size is known.
fn is_object(types: &Types, ty: TypeId) -> bool {
    !matches!(types.get(ty), Type::Void | Type::Function { .. }) && types.size(ty).is_some_and(|size| size > 0)
}

/// How an access through a pointer to a type uses memory.
pub(super) fn used_as(types: &Types, ty: TypeId) -> Used {
    match types.get(ty) {
        Type::Int { rank: Rank::Char | Rank::SignedChar, .. } => Used::Bytes,
        Type::Array(element, _) => used_as(types, *element),
        _ => Used::As(ty),
    }
}

/// Whether objects of a type contain what is used.
fn holds(types: &Types, ty: TypeId, outside: Outside) -> bool {
    outside == (Used::Bytes, true) || !places_of(types, outside, ty).is_empty()
}

/// Whether an object of a type has one of another type at an offset.
fn holds_at(types: &Types, ty: TypeId, offset: i64, wanted: TypeId) -> bool {
    if offset == 0 && may_alias(types, ty, wanted) {
        return true;
    }
    match *types.get(ty) {
        Type::Array(element, _) => {
            let size = types.size(element).unwrap_or(1).max(1) as i64;
            offset >= 0 && holds_at(types, element, offset % size, wanted)
        }
        Type::Record(record) => types.record(record).fields.iter().any(|field| {
            let inside = offset - field.offset as i64;
            let reaches = |size: u64| inside < size as i64;
            inside >= 0 && types.size(field.ty).is_none_or(reaches) && holds_at(types, field.ty, inside, wanted)
        }),
        _ => false,
    }
}

/// Where an object of one type contains what is used; one element stands for all of an array. Whoever was not given a pointer
/// does not look into records.
fn places_of(types: &Types, outside: Outside, ty: TypeId) -> Vec<i64> {
    fn places(types: &Types, outside: Outside, ty: TypeId, offset: i64, found: &mut Vec<i64>) {
        let is_wanted = match outside.0 {
            Used::As(wanted) => may_alias(types, ty, wanted),
            Used::Bytes => used_as(types, ty) == Used::Bytes,
        };
        if is_wanted {
            found.push(offset);
            return;
        }
        match *types.get(ty) {
            Type::Array(element, _) => places(types, outside, element, offset, found),
            Type::Record(record) if outside.1 => {
                for field in types.record(record).fields.iter().filter(|field| field.bits.is_none()) {
                    places(types, outside, field.ty, offset + field.offset as i64, found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    places(types, outside, ty, 0, &mut found);
    found
}

/// Whether one object may be accessed with both types, neither of which is a part of the other: integers of one size, whatever
/// their signs, and pointers, if one is to anything.
fn may_alias(types: &Types, a: TypeId, b: TypeId) -> bool {
    match (types.get(a), types.get(b)) {
        _ if a == b => true,
        (Type::Int { .. }, Type::Int { .. }) => types.size(a) == types.size(b),
        (Type::Pointer(x), Type::Pointer(y)) => {
            [x, y].iter().any(|to| matches!(types.get(**to), Type::Void)) || may_alias(types, *x, *y)
        }
        _ => false,
    }
}
