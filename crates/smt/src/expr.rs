//! Expressions of Z3, by what they stand for.

use clinch_terms::Sort;
use z3::ast::{self, BV, Bool, Dynamic, Int, Real};

/// A Z3 expression.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Bool(Bool),
    Int(Int),
    Real(Real),
    BitVec(BV),
    /// An array of constant size, element by element.
    Array(Vec<Expr>),
    /// A total map.
    Map(ast::Array),
}

impl Expr {
    pub(crate) fn bool(self) -> Bool {
        match self {
            Expr::Bool(b) => b,
            other => unreachable!("{other:?} is not Boolean"),
        }
    }

    pub(crate) fn int(self) -> Int {
        match self {
            Expr::Int(i) => i,
            other => unreachable!("{other:?} is not an integer"),
        }
    }

    pub(crate) fn bit_vec(self) -> BV {
        match self {
            Expr::BitVec(v) => v,
            other => unreachable!("{other:?} is not a bit-vector"),
        }
    }

    /// As a rational number; integers may stand among them.
    pub(crate) fn real(self) -> Real {
        match self {
            Expr::Real(q) => q,
            other => other.int().to_real(),
        }
    }

    pub(crate) fn dynamic(self) -> Dynamic {
        match self {
            Expr::Bool(b) => b.into(),
            Expr::Int(i) => i.into(),
            Expr::Real(q) => q.into(),
            Expr::BitVec(v) => v.into(),
            Expr::Map(a) => a.into(),
            Expr::Array(_) => unreachable!("arrays of constant size are no elements"),
        }
    }

    /// As an expression of the sort: integers may stand for rational numbers.
    pub(crate) fn of_sort(self, sort: &Sort) -> Dynamic {
        if *sort == Sort::Real { self.real().into() } else { self.dynamic() }
    }

    pub(crate) fn of_dynamic(expr: &Dynamic) -> Expr {
        expr.as_int()
            .map(Expr::Int)
            .or_else(|| expr.as_bool().map(Expr::Bool))
            .or_else(|| expr.as_real().map(Expr::Real))
            .or_else(|| expr.as_bv().map(Expr::BitVec))
            .or_else(|| expr.as_array().map(Expr::Map))
            .expect("one of our sorts")
    }

    pub(crate) fn ite(condition: &Bool, then: &Expr, otherwise: &Expr) -> Expr {
        match (then, otherwise) {
            (Expr::Bool(a), Expr::Bool(b)) => Expr::Bool(condition.ite(a, b)),
            (Expr::Int(a), Expr::Int(b)) => Expr::Int(condition.ite(a, b)),
            (Expr::BitVec(a), Expr::BitVec(b)) => Expr::BitVec(condition.ite(a, b)),
            (Expr::Map(a), Expr::Map(b)) => Expr::Map(condition.ite(a, b)),
            (Expr::Real(_), _) | (_, Expr::Real(_)) => {
                Expr::Real(condition.ite(&then.clone().real(), &otherwise.clone().real()))
            }
            (Expr::Array(a), Expr::Array(b)) => {
                Expr::Array(a.iter().zip(b).map(|(x, y)| Expr::ite(condition, x, y)).collect())
            }
            _ => unreachable!("branches have one sort"),
        }
    }
}
