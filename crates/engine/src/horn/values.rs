//! Values as terms.

use clinch_terms::{Sort, Term, Terms, Value};

/// The term has the value.
pub(crate) fn equals(terms: &mut Terms, term: Term, value: &Value) -> Option<Term> {
    match value {
        Value::Bool(true) => Some(term),
        Value::Bool(false) => Some(terms.not(term)),
        Value::Real(q) => {
            let (numerator, denominator) = (terms.big(q.numer().clone()), terms.big(q.denom().clone()));
            let multiple = terms.mul(denominator, term);
            Some(terms.eq(multiple, numerator))
        }
        _ => {
            let sort = terms.sort(term);
            let literal = literal(terms, &sort, value)?;
            Some(terms.eq(term, literal))
        }
    }
}

/// The value as a term; none for fractions.
pub(crate) fn literal(terms: &mut Terms, sort: &Sort, value: &Value) -> Option<Term> {
    match (value, sort) {
        (Value::Bool(b), _) => Some(terms.bool(*b)),
        (Value::Int(n), _) => Some(terms.big(n.clone())),
        (Value::Real(q), _) => q.is_integer().then(|| terms.big(q.to_integer())),
        (Value::BitVec { width, bits }, _) => Some(terms.big_bit_vec(*width, bits.clone())),
        (Value::Array { default, entries }, Sort::Array(of)) => {
            let default = literal(terms, &of.1, default)?;
            let mut array = terms.const_array(sort.clone(), default);
            for (index, element) in entries {
                let (index, element) = (literal(terms, &of.0, index)?, literal(terms, &of.1, element)?);
                array = terms.store(array, index, element);
            }
            Some(array)
        }
        (Value::Array { .. }, _) => None,
    }
}
