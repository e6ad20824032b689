//! C types as text.

use super::super::types::{Rank, Type, TypeId, Types};
use super::Lowering;

impl Lowering<'_> {
    pub(super) fn type_name(&self, ty: TypeId) -> String {
        type_name(&self.hir.types, ty)
    }
}

/// A type as C writes it.
pub(crate) fn type_name(types: &Types, ty: TypeId) -> String {
    declare(types, ty, String::new(), 0)
}

/// The declaration of something with a type. The depth is limited: function types may be deep.
fn declare(types: &Types, ty: TypeId, inner: String, depth: u32) -> String {
    if depth > 20 {
        return "...".to_owned();
    }
    let with = |name: &str| if inner.is_empty() { name.to_owned() } else { format!("{name} {inner}") };
    match types.get(ty) {
        Type::Void => with("void"),
        Type::Bool => with("_Bool"),
        Type::Int { rank, signed } => with(integer(*rank, *signed)),
        Type::Float(32) => with("float"),
        Type::Float(64) => with("double"),
        Type::Float(_) => with("long double"),
        Type::Pointer(to) => {
            let wrapped = matches!(types.get(*to), Type::Array(..) | Type::Function { .. });
            let inner = if wrapped { format!("(*{inner})") } else { format!("*{inner}") };
            declare(types, *to, inner, depth + 1)
        }
        Type::Array(element, length) => {
            let length = length.map_or(String::new(), |n| n.to_string());
            declare(types, *element, format!("{inner}[{length}]"), depth + 1)
        }
        Type::Record(record) => {
            let record = types.record(*record);
            with(&format!("{} {}", if record.is_union { "union" } else { "struct" }, record.name))
        }
        Type::Function { result, parameters, variadic, .. } => {
            let mut list: Vec<String> =
                parameters.iter().map(|p| declare(types, *p, String::new(), depth + 1)).collect();
            if *variadic {
                list.push("...".to_owned());
            }
            declare(types, *result, format!("{inner}({})", list.join(", ")), depth + 1)
        }
    }
}

fn integer(rank: Rank, signed: bool) -> &'static str {
    match (rank, signed) {
        (Rank::Char, true) => "char",
        (Rank::Char | Rank::SignedChar, false) => "unsigned char",
        (Rank::SignedChar, true) => "signed char",
        (Rank::Short, true) => "short",
        (Rank::Short, false) => "unsigned short",
        (Rank::Int, true) => "int",
        (Rank::Int, false) => "unsigned int",
        (Rank::Long, true) => "long",
        (Rank::Long, false) => "unsigned long",
        (Rank::LongLong, true) => "long long",
        (Rank::LongLong, false) => "unsigned long long",
        (Rank::Int128, true) => "__int128",
        (Rank::Int128, false) => "unsigned __int128",
    }
}
