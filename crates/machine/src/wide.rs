//! Terms with parts of more than 64 bits: evaluated as formulas, slowly. C has few of them.

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use clinch_terms::evaluate::{Assignment, evaluate};
use clinch_terms::{Sort, Terms, Value};

use super::code::{Slot, WideTerm};

impl WideTerm {
    /// Its value. `None` where an operation has none, or the value does not fit.
    pub(super) fn value(&self, terms: &Terms, slot: impl Fn(Slot) -> u64) -> Option<u64> {
        let mut assignment = Assignment::default();
        for &(symbol, place) in &self.leaves {
            assignment.insert(symbol, to_value(terms.symbol_sort(symbol), slot(place))?);
        }
        from_value(&evaluate(terms, &assignment, self.term)?)
    }
}

/// The value in a slot of a sort. `None` for sorts that have no slots.
pub(super) fn to_value(sort: &Sort, bits: u64) -> Option<Value> {
    match sort {
        Sort::Bool => Some(Value::Bool(bits != 0)),
        Sort::Int => Some(Value::int(bits as i64)),
        Sort::BitVec(width) => Some(Value::BitVec { width: *width, bits: BigUint::from(bits) }),
        Sort::Real | Sort::Array(_) => None,
    }
}

/// The slot of a value.
pub(super) fn from_value(value: &Value) -> Option<u64> {
    match value {
        Value::Bool(b) => Some((*b).into()),
        Value::Int(n) => n.to_i64().map(|v| v as u64),
        Value::BitVec { bits, .. } => bits.to_u64(),
        Value::Real(_) | Value::Array { .. } => None,
    }
}
