//! Types, and the scalars that variables consist of.
//!
//! Arrays and structs are no memory: each of their elements is a variable of the program, so that every engine sees scalars
//! only and a local array is as recursive as its module.

use clinch_ir::Span;
use clinch_terms::{Sort, Symbol};

/// Most bits of a number: what the machine computes with.
pub(super) const MAX_BITS: u32 = 64;

/// Most scalars of all variables together, and of one.
pub(super) const MAX_SCALARS: u64 = 1 << 16;

/// A type of variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Bool,
    /// Numbers without sign of so many bits.
    Int(u32),
    Array(Box<Type>, u32),
    Struct(usize),
}

/// The type of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scalar {
    Bool,
    Int(u32),
}

impl Scalar {
    pub(super) fn sort(self) -> Sort {
        match self {
            Scalar::Bool => Sort::Bool,
            Scalar::Int(bits) => Sort::BitVec(bits),
        }
    }

    /// As it is written.
    pub(super) fn text(self) -> String {
        match self {
            Scalar::Bool => "bool".to_owned(),
            Scalar::Int(bits) => format!("int({bits})"),
        }
    }
}

/// A declared struct.
#[derive(Clone, Debug)]
pub(super) struct Struct {
    pub(super) name: String,
    pub(super) members: Vec<(String, Type)>,
}

impl Type {
    /// The type as one of a scalar.
    pub(super) fn scalar(&self) -> Option<Scalar> {
        match self {
            Type::Bool => Some(Scalar::Bool),
            Type::Int(bits) => Some(Scalar::Int(*bits)),
            Type::Array(..) | Type::Struct(_) => None,
        }
    }

    /// How many scalars it has.
    pub(super) fn size(&self, structs: &[Struct]) -> u64 {
        match self {
            Type::Bool | Type::Int(_) => 1,
            Type::Array(element, len) => element.size(structs).saturating_mul(u64::from(*len)),
            Type::Struct(index) => {
                structs[*index].members.iter().map(|(_, ty)| ty.size(structs)).fold(0, u64::saturating_add)
            }
        }
    }

    /// Its scalars with the text behind the variable's name: `[2].pos`. The size is known to be small.
    pub(super) fn scalars(&self, structs: &[Struct], prefix: &str, found: &mut Vec<(String, Scalar)>) {
        match self {
            Type::Bool => found.push((prefix.to_owned(), Scalar::Bool)),
            Type::Int(bits) => found.push((prefix.to_owned(), Scalar::Int(*bits))),
            Type::Array(element, len) => {
                for i in 0..*len {
                    element.scalars(structs, &format!("{prefix}[{i}]"), found);
                }
            }
            Type::Struct(index) => {
                for (name, ty) in &structs[*index].members {
                    ty.scalars(structs, &format!("{prefix}.{name}"), found);
                }
            }
        }
    }

    /// For messages.
    pub(super) fn text(&self, structs: &[Struct]) -> String {
        match self {
            Type::Bool => "bool".to_owned(),
            Type::Int(bits) => format!("int({bits})"),
            Type::Array(..) => "an array".to_owned(),
            Type::Struct(index) => format!("struct {}", structs[*index].name),
        }
    }
}

/// A variable and its scalars.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) ty: Type,
    pub(super) symbols: Vec<Symbol>,
    /// Where it is declared.
    pub(super) span: Span,
}
