//! Sorts of symbols, and the values of each sort.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;

/// The sort of a symbol or of a term over symbols.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Mathematical integers.
    Int,
    /// Rational numbers (as in linear real arithmetic).
    Real,
    /// Bit-vectors of a width, which is not 0.
    BitVec(u32),
    /// Total maps from an index sort to an element sort.
    Array(Arc<(Sort, Sort)>),
}

impl Sort {
    /// Maps from `index` to `element`.
    pub fn array(index: Sort, element: Sort) -> Sort {
        Sort::Array(Arc::new((index, element)))
    }

    /// Whether its values are numbers.
    pub fn is_numeric(&self) -> bool {
        matches!(self, Sort::Int | Sort::Real)
    }
}

/// As SMT-LIB writes it.
impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => f.write_str("Bool"),
            Sort::Int => f.write_str("Int"),
            Sort::Real => f.write_str("Real"),
            Sort::BitVec(width) => write!(f, "(_ BitVec {width})"),
            Sort::Array(of) => write!(f, "(Array {} {})", of.0, of.1),
        }
    }
}

/// A value of some sort.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(BigInt),
    /// A rational number.
    Real(BigRational),
    /// A bit-vector, as the number it stands for without sign.
    BitVec {
        /// How many bits it has.
        width: u32,
        /// Less than `2^width`.
        bits: BigUint,
    },
    /// A map that is constant but for finitely many places. Entries that equal the default are left out, so equal maps
    /// over an infinite index sort are equal values.
    Array {
        /// The value everywhere else.
        default: Box<Value>,
        /// The places that differ.
        entries: BTreeMap<Value, Value>,
    },
}

impl Value {
    /// The element of an array at an index.
    pub fn element(&self, index: &Value) -> Option<Value> {
        let Value::Array { default, entries } = self else { return None };
        Some(entries.get(index).unwrap_or(default).clone())
    }

    /// An integer.
    pub fn int(value: i64) -> Value {
        Value::Int(value.into())
    }

    /// A value of the sort, for symbols that do not matter.
    pub fn default_of(sort: &Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::Int => Value::int(0),
            Sort::Real => Value::Real(BigRational::from_integer(0.into())),
            Sort::BitVec(width) => Value::BitVec { width: *width, bits: BigUint::ZERO },
            Sort::Array(of) => Value::Array { default: Box::new(Value::default_of(&of.1)), entries: BTreeMap::new() },
        }
    }

    /// Whether it belongs to the sort.
    pub fn has_sort(&self, sort: &Sort) -> bool {
        match (self, sort) {
            (Value::Bool(_), Sort::Bool) | (Value::Int(_), Sort::Int) | (Value::Real(_), Sort::Real) => true,
            (Value::BitVec { width, bits }, Sort::BitVec(expected)) => {
                width == expected && bits.bits() <= u64::from(*width)
            }
            (Value::Array { default, entries }, Sort::Array(of)) => {
                default.has_sort(&of.1) && entries.iter().all(|(i, v)| i.has_sort(&of.0) && v.has_sort(&of.1))
            }
            _ => false,
        }
    }

    /// The same number as a value of the sort, also inside arrays: an integer among real numbers is a real number.
    #[must_use]
    pub fn into_sort(self, sort: &Sort) -> Value {
        match (self, sort) {
            (Value::Int(n), Sort::Real) => Value::Real(BigRational::from_integer(n)),
            (Value::Array { default, entries }, Sort::Array(of)) => Value::Array {
                default: Box::new(default.into_sort(&of.1)),
                entries: entries.into_iter().map(|(i, v)| (i.into_sort(&of.0), v.into_sort(&of.1))).collect(),
            },
            (value, _) => value,
        }
    }

    /// Whether two values of one sort are the same. Arrays over finitely many indices can be written in several ways; for
    /// arrays indexed by arrays this is not always known.
    pub fn same(&self, other: &Value) -> Option<bool> {
        let (Value::Array { default, entries }, Value::Array { default: other_default, entries: others }) =
            (self, other)
        else {
            return Some(self == other);
        };
        if self == other {
            return Some(true);
        }
        let places: BTreeSet<&Value> = entries.keys().chain(others.keys()).collect();
        if places.iter().any(|place| place.may_be_written_otherwise()) {
            return None;
        }
        let mut same = match places.first() {
            Some(place) if place.all_of_sort().is_some_and(|all| all == BigUint::from(places.len())) => true,
            _ => default.same(other_default)?,
        };
        for place in places {
            same &= entries.get(place).unwrap_or(default).same(others.get(place).unwrap_or(other_default))?;
        }
        Some(same)
    }

    /// Whether it may be an array over finitely many indices, or with such arrays inside.
    fn may_be_written_otherwise(&self) -> bool {
        match self {
            Value::Array { default, entries } => {
                entries.is_empty()
                    || default.may_be_written_otherwise()
                    || entries
                        .iter()
                        .any(|(i, v)| !matches!(i, Value::Int(_) | Value::Real(_)) || v.may_be_written_otherwise())
            }
            _ => false,
        }
    }

    /// How many values its sort has, if they are finitely many.
    fn all_of_sort(&self) -> Option<BigUint> {
        match self {
            Value::Bool(_) => Some(BigUint::from(2u32)),
            Value::BitVec { width, .. } => Some(BigUint::from(1u32) << *width),
            _ => None,
        }
    }

    /// The array with `value` at `index`.
    #[must_use]
    pub fn store(self, index: Value, value: Value) -> Value {
        match self {
            Value::Array { default, mut entries } => {
                if value == *default {
                    entries.remove(&index);
                } else {
                    entries.insert(index, value);
                }
                Value::Array { default, entries }
            }
            other => unreachable!("{other:?} is not an array"),
        }
    }
}

/// As SMT-LIB writes it; arrays as `{default, index: value, ..}`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(n) if n.sign() == num_bigint::Sign::Minus => write!(f, "(- {})", n.magnitude()),
            Value::Int(n) => write!(f, "{n}"),
            Value::Real(q) => {
                let magnitude = format!("(/ {}.0 {}.0)", q.numer().magnitude(), q.denom());
                if q.numer().sign() == num_bigint::Sign::Minus {
                    write!(f, "(- {magnitude})")
                } else {
                    f.write_str(&magnitude)
                }
            }
            Value::BitVec { width, bits } => f.write_str(&bit_vec_literal(*width, bits)),
            Value::Array { default, entries } => {
                write!(f, "{{{default}")?;
                for (index, value) in entries {
                    write!(f, ", {index}: {value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

/// A bit-vector as SMT-LIB writes it: hexadecimal where the width allows.
pub fn bit_vec_literal(width: u32, bits: &BigUint) -> String {
    if width.is_multiple_of(4) {
        format!("#x{:0>digits$}", bits.to_str_radix(16), digits = width as usize / 4)
    } else {
        format!("#b{:0>digits$}", bits.to_str_radix(2), digits = width as usize)
    }
}
