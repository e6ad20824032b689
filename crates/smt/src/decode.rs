//! Values of a Z3 model as values of ours.

use std::collections::BTreeMap;

use clinch_ir::Value;
use num_bigint::BigInt;
use num_rational::BigRational;
use z3::ast::{Ast, Dynamic};
use z3::{DeclKind, Model};

/// The value an evaluated expression stands for. `None` for what is not a plain value, such as a function given by cases
/// over itself.
pub(crate) fn value(model: &Model, expr: &Dynamic) -> Option<Value> {
    if let Some(b) = expr.as_bool() {
        return b.as_bool().map(Value::Bool);
    }
    if let Some(i) = expr.as_int() {
        return integer(&i.to_string()).map(Value::Int);
    }
    if expr.as_real().is_some() {
        return rational(expr).map(Value::Real);
    }
    array(model, expr)
}

/// A numeral as Z3 prints it: `7`, or `(- 7)`.
pub(crate) fn integer(text: &str) -> Option<BigInt> {
    match text.strip_prefix("(- ").and_then(|t| t.strip_suffix(')')) {
        Some(magnitude) => magnitude.parse::<BigInt>().ok().map(|n| -n),
        None => text.parse().ok(),
    }
}

/// `(/ 1.0 2.0)`, `(- (/ 1.0 2.0))`, `3.0`.
pub(crate) fn rational(expr: &Dynamic) -> Option<BigRational> {
    let text = expr.to_string();
    let (negative, text) = match text.strip_prefix("(- ").and_then(|t| t.strip_suffix(')')) {
        Some(inner) => (true, inner.to_owned()),
        None => (false, text),
    };
    let whole = |t: &str| t.strip_suffix(".0").unwrap_or(t).parse::<BigInt>().ok();
    let magnitude = match text.strip_prefix("(/ ").and_then(|t| t.strip_suffix(')')) {
        Some(fraction) => {
            let (numerator, denominator) = fraction.split_once(' ')?;
            BigRational::new(whole(numerator)?, whole(denominator)?)
        }
        None => BigRational::from_integer(whole(&text)?),
    };
    Some(if negative { -magnitude } else { magnitude })
}

fn array(model: &Model, expr: &Dynamic) -> Option<Value> {
    let kind = expr.safe_decl().ok()?.kind();
    let children = expr.children();
    match (kind, children.as_slice()) {
        (DeclKind::ConstArray, [element]) => {
            Some(Value::Array { default: Box::new(value(model, element)?), entries: BTreeMap::new() })
        }
        (DeclKind::Store, [base, index, element]) => {
            Some(array(model, base)?.store(value(model, index)?, value(model, element)?))
        }
        _ => None,
    }
}
