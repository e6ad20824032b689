//! What SMT-LIB has and clinch does not: recognised, so that the refusal can name it.

use clinch_terms::Sort;

use super::Stop;
use super::sexpr::{Kind, Sexp, Tree};

const DATA_TYPES: &str = "algebraic data types";
const STRINGS: &str = "strings and sequences";
const FLOATING_POINT: &str = "floating-point numbers";

/// A sort that is not one of ours.
pub(super) fn sort(tree: &Tree, at: Sexp) -> Stop {
    let span = tree.span(at);
    let mut items = tree.items(at);
    let name = match (tree.kind(at), items.next()) {
        (Kind::List, Some(head)) if tree.is(head, "_") => items.next().and_then(|n| tree.symbol(n)),
        (Kind::List, head) => head.and_then(|h| tree.symbol(h)),
        _ => tree.symbol(at),
    };
    match name {
        Some("BitVec") => Stop::bad(span, "expected `(_ BitVec width)`"),
        Some("String" | "RegLan" | "RegEx" | "Seq" | "Unicode") => Stop::unsupported(span, STRINGS),
        Some("FloatingPoint" | "RoundingMode" | "Float16" | "Float32" | "Float64" | "Float128") => {
            Stop::unsupported(span, FLOATING_POINT)
        }
        Some(name) => Stop::bad(span, format!("`{name}` is not a sort")),
        None => Stop::bad(span, "expected a sort"),
    }
}

/// The theory a function of this name belongs to.
pub(super) fn theory_of(name: &str) -> Option<&'static str> {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|p| name.starts_with(p));
    match name {
        _ if starts(&["str.", "re.", "seq.", "int.to.str", "char."]) => Some(STRINGS),
        _ if starts(&["fp.", "to_fp"]) || name == "fp" => Some(FLOATING_POINT),
        "is" | "match" | "update-field" => Some(DATA_TYPES),
        "lambda" | "as-array" | "map" => Some("functions as values"),
        "^" | "exp" | "sin" | "cos" => Some("powers and transcendental functions"),
        "to_int" | "is_int" => Some("conversion of real numbers to integers"),
        "divisible" => Some("`divisible`"),
        _ => None,
    }
}

/// A literal or an indexed identifier that is not ours.
pub(super) fn literal(tree: &Tree, at: Sexp) -> Stop {
    let span = tree.span(at);
    match tree.kind(at) {
        Kind::Text => Stop::unsupported(span, STRINGS),
        Kind::List => {
            let name = tree.items(at).nth(1).and_then(|n| tree.symbol(n));
            match name.and_then(theory_of) {
                Some(theory) => Stop::unsupported(span, theory),
                None => Stop::bad(span, "unknown indexed identifier"),
            }
        }
        _ => Stop::bad(span, "expected a term"),
    }
}

/// A command that is not ours, if SMT-LIB has it.
pub(super) fn command(name: &str) -> Option<&'static str> {
    Some(match name {
        "declare-datatypes" | "declare-datatype" => DATA_TYPES,
        "declare-sort" => "uninterpreted sorts",
        "define-fun-rec" | "define-funs-rec" => "recursive functions",
        "push" | "pop" | "reset" | "reset-assertions" | "check-sat-assuming" => "incremental scripts",
        "assert-soft" | "minimize" | "maximize" => "optimisation",
        _ => return None,
    })
}

/// How a function that is declared, but not a predicate, is refused.
pub(super) fn function(name: &str, result: &Sort) -> String {
    format!("uninterpreted functions: `{name}` has values in {result}, only predicates are solved for")
}
