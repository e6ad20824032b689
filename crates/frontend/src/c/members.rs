//! Where the scalars of objects are: the way from an address back to `p->next`.

use clinch_ir::cfa::Member;
use rustc_hash::{FxHashMap, FxHashSet};

use super::hir::Hir;
use super::types::{Type, TypeId, Types};

/// Objects with more scalars are shown by their addresses.
const MOST: usize = 256;

/// The layouts of all types that variables have or point to, directly or through others.
pub(super) fn layouts(hir: &Hir) -> FxHashMap<String, Vec<Member>> {
    let types = &hir.types;
    let mut layouts = FxHashMap::default();
    let mut seen = FxHashSet::default();
    let mut work: Vec<TypeId> = hir.variables.iter().map(|v| v.ty).collect();
    while let Some(ty) = work.pop() {
        if !seen.insert(ty) {
            continue;
        }
        let mut found = Vec::new();
        if let Some(to) = types.pointee(ty) {
            if push(types, to, (0, String::new()), &mut found).is_some() {
                layouts.insert(format!("*{}", types.name(ty)), named(types, &found));
            }
            work.push(to);
        } else if push(types, ty, (0, String::new()), &mut found).is_some() {
            layouts.insert(types.name(ty), named(types, &found));
        }
        work.extend(found.iter().map(|f| f.2));
    }
    layouts
}

fn named(types: &Types, found: &[(u64, String, TypeId)]) -> Vec<Member> {
    found.iter().map(|(offset, path, ty)| Member { offset: *offset, path: path.clone(), ty: types.name(*ty) }).collect()
}

/// Adds the scalars of a type that starts at an offset. Nothing if there are too many, or members that overlap.
fn push(
    types: &Types,
    ty: TypeId,
    (offset, path): (u64, String),
    found: &mut Vec<(u64, String, TypeId)>,
) -> Option<()> {
    match types.get(ty) {
        Type::Array(element, Some(length)) => {
            let size = types.size(*element)?;
            for i in 0..*length {
                push(types, *element, (offset.checked_add(i.checked_mul(size)?)?, format!("{path}[{i}]")), found)?;
            }
            Some(())
        }
        Type::Record(record) => {
            let record = types.record(*record);
            if record.is_union || !record.complete {
                return None;
            }
            for field in &record.fields {
                if field.bits.is_some() {
                    return None;
                }
                let path = if field.name.is_empty() { path.clone() } else { format!("{path}.{}", field.name) };
                push(types, field.ty, (offset + field.offset, path), found)?;
            }
            Some(())
        }
        Type::Void | Type::Function { .. } | Type::Array(_, None) => None,
        Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Pointer(_) => {
            found.push((offset, path, ty));
            (found.len() <= MOST).then_some(())
        }
    }
}
