//! Which variables live in memory, and which are variables of the automaton.

use super::super::hir::{Hir, VariableId};
use super::super::types::{Type, TypeId, Types};

/// Records with more scalars than this are copied as blocks of memory.
pub(crate) const MAX_LEAVES: usize = 64;

/// A scalar inside a record.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    /// Where it is.
    pub(crate) offset: u64,
    /// What it is.
    pub(crate) ty: TypeId,
    /// How it is reached: `.a.b[2]`.
    pub(crate) path: String,
}

/// The scalars of a type, if values of it can be handled scalar by scalar: not for unions, bit-fields, large arrays.
pub(crate) fn leaves(types: &Types, ty: TypeId) -> Option<Vec<Leaf>> {
    let mut leaves = Vec::new();
    collect(types, ty, 0, "", &mut leaves)?;
    Some(leaves)
}

fn collect(types: &Types, ty: TypeId, offset: u64, path: &str, leaves: &mut Vec<Leaf>) -> Option<()> {
    match *types.get(ty) {
        Type::Record(record) => {
            let record = types.record(record);
            if record.is_union || !record.complete {
                return None;
            }
            for field in &record.fields {
                if field.bits.is_some() {
                    return None;
                }
                let path = if field.name.is_empty() { path.to_owned() } else { format!("{path}.{}", field.name) };
                collect(types, field.ty, offset + field.offset, &path, leaves)?;
            }
        }
        Type::Array(_, None) => {}
        Type::Array(element, Some(length)) => {
            if length > MAX_LEAVES as u64 {
                return None;
            }
            let size = types.size(element)?;
            for i in 0..length {
                collect(types, element, offset + i * size, &format!("{path}[{i}]"), leaves)?;
            }
        }
        Type::Void | Type::Function { .. } => return None,
        _ if leaves.len() >= MAX_LEAVES => return None,
        _ => leaves.push(Leaf { offset, ty, path: path.to_owned() }),
    }
    Some(())
}

/// Whether a type contains an array.
fn has_array(types: &Types, ty: TypeId) -> bool {
    match *types.get(ty) {
        Type::Array(..) => true,
        Type::Record(record) => types.record(record).fields.iter().any(|f| has_array(types, f.ty)),
        _ => false,
    }
}

/// Where the value of a variable is.
#[derive(Clone, Debug)]
pub(crate) enum Residence {
    /// A variable of the automaton.
    Symbol,
    /// A record whose scalars are variables of the automaton.
    Split(Vec<Leaf>),
    /// Memory.
    Memory,
}

/// Where the value of a variable is. A record is split if no one can tell: its address is not taken, and it consists of
/// scalars.
pub(crate) fn residence(hir: &Hir, variable: VariableId) -> Residence {
    let variable = &hir.variables[variable.0 as usize];
    match hir.types.get(variable.ty) {
        _ if variable.address_taken => Residence::Memory,
        Type::Record(_) if !has_array(&hir.types, variable.ty) => {
            leaves(&hir.types, variable.ty).map_or(Residence::Memory, Residence::Split)
        }
        Type::Record(_) | Type::Array(..) | Type::Void | Type::Function { .. } => Residence::Memory,
        _ => Residence::Symbol,
    }
}

/// Whether values of the type are records.
pub(crate) fn is_record(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty), Type::Record(_))
}
