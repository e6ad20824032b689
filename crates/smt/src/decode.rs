//! What Z3 answers, as ours: the values of a model, and expressions as terms.

use std::collections::BTreeMap;

use clinch_terms::{BinOp, Sort, Term, Terms, UnOp, Value};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashMap;
use z3::ast::{Ast, AstKind, Dynamic};
use z3::{DeclKind, SortKind};

use crate::bit_vectors;

/// The value an evaluated expression stands for. `None` for what is not a plain value, such as a function given by cases
/// over itself.
pub(crate) fn value(expr: &Dynamic) -> Option<Value> {
    if let Some(b) = expr.as_bool() {
        return b.as_bool().map(Value::Bool);
    }
    // Printing takes Z3 longer than many a query.
    if let Some(i) = expr.as_int() {
        return i.as_i64().map(BigInt::from).or_else(|| integer(&i.to_string())).map(Value::Int);
    }
    if let Some(r) = expr.as_real() {
        let small = r.as_rational().map(|(n, d)| BigRational::new(n.into(), d.into()));
        return small.or_else(|| rational(expr)).map(Value::Real);
    }
    if let Some(v) = expr.as_bv() {
        return bit_vectors::decode_value(&v);
    }
    array(expr)
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

fn array(expr: &Dynamic) -> Option<Value> {
    let kind = expr.safe_decl().ok()?.kind();
    let children = expr.children();
    match (kind, children.as_slice()) {
        (DeclKind::ConstArray, [element]) => {
            Some(Value::Array { default: Box::new(value(element)?), entries: BTreeMap::new() })
        }
        (DeclKind::Store, [base, index, element]) => Some(array(base)?.store(value(index)?, value(element)?)),
        _ => None,
    }
}

/// What the free names of an expression mean.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names<'a> {
    /// Terms for constants, by name.
    pub(crate) constants: &'a FxHashMap<String, Term>,
    /// Terms for variables `(:var 0)`, `(:var 1)`, ..
    pub(crate) bound: &'a [Term],
}

/// A Z3 expression as a term. `None` for quantifiers, names without a meaning, operations without a counterpart, and
/// rational constants that do not disappear when comparisons are multiplied out.
pub(crate) fn term(terms: &mut Terms, expr: &Dynamic, names: Names<'_>) -> Option<Term> {
    let mut decoder = Decoder { names, memo: FxHashMap::default() };
    decoder.plain(terms, expr)
}

/// A term, and the positive number its value must be divided by. Terms have no rational constants; this way `x / 2 <= y`
/// becomes `x <= 2 * y`.
type Scaled = (Term, BigInt);

struct Decoder<'a> {
    names: Names<'a>,
    memo: FxHashMap<Dynamic, Option<Scaled>>,
}

impl Decoder<'_> {
    fn plain(&mut self, terms: &mut Terms, expr: &Dynamic) -> Option<Term> {
        self.scaled(terms, expr).filter(|(_, divisor)| divisor.is_one()).map(|(term, _)| term)
    }

    fn scaled(&mut self, terms: &mut Terms, expr: &Dynamic) -> Option<Scaled> {
        if let Some(done) = self.memo.get(expr) {
            return done.clone();
        }
        let result = self.decode(terms, expr);
        self.memo.insert(expr.clone(), result.clone());
        result
    }

    fn decode(&mut self, terms: &mut Terms, expr: &Dynamic) -> Option<Scaled> {
        if expr.kind() == AstKind::Var {
            let text = expr.to_string();
            let index = text.strip_prefix("(:var ")?.strip_suffix(')')?.parse::<usize>().ok()?;
            return Some(one(*self.names.bound.get(index)?));
        }
        let declaration = expr.safe_decl().ok()?;
        let kind = declaration.kind();
        let arguments = expr.children();
        match kind {
            DeclKind::Anum => {
                let value = numeral(expr)?;
                Some((terms.big(value.numer().clone()), value.denom().clone()))
            }
            DeclKind::Uninterpreted if arguments.is_empty() => {
                self.names.constants.get(&declaration.name()).copied().map(one)
            }
            DeclKind::Add | DeclKind::Sub | DeclKind::Mul | DeclKind::Uminus | DeclKind::ToReal | DeclKind::Div => {
                self.arithmetic(terms, kind, &arguments)
            }
            DeclKind::Ite => {
                let condition = self.plain(terms, &arguments[0])?;
                let (branches, divisor) = self.common(terms, &arguments[1..])?;
                Some((terms.ite(condition, branches[0], branches[1]), divisor))
            }
            DeclKind::Le | DeclKind::Ge | DeclKind::Lt | DeclKind::Gt | DeclKind::Eq | DeclKind::Iff => {
                let (sides, _) = self.common(terms, &arguments)?;
                compare(terms, kind, &sides).map(one)
            }
            DeclKind::Distinct => {
                let (sides, _) = self.common(terms, &arguments)?;
                Some(one(distinct(terms, &sides)))
            }
            DeclKind::Idiv | DeclKind::Mod => self.division(terms, kind, &arguments).map(one),
            DeclKind::ConstArray => {
                let element = self.plain(terms, &arguments[0])?;
                let sort = sort(&expr.get_sort())?;
                Some(one(terms.const_array(sort, element)))
            }
            _ => {
                let parts = arguments.iter().map(|a| self.plain(terms, a)).collect::<Option<Vec<_>>>()?;
                let decoded = logical(terms, kind, &parts);
                decoded.or_else(|| bit_vectors::decode(terms, expr, &declaration, &parts)).map(one)
            }
        }
    }

    /// The arguments as multiples by one number of their values.
    fn common(&mut self, terms: &mut Terms, arguments: &[Dynamic]) -> Option<(Vec<Term>, BigInt)> {
        let parts = arguments.iter().map(|a| self.scaled(terms, a)).collect::<Option<Vec<_>>>()?;
        let divisor = parts.iter().fold(BigInt::one(), |lcm, (_, d)| lcm.lcm(d));
        let multiples = parts.into_iter().map(|(term, d)| times(terms, &divisor / d, term)).collect();
        Some((multiples, divisor))
    }

    fn arithmetic(&mut self, terms: &mut Terms, kind: DeclKind, arguments: &[Dynamic]) -> Option<Scaled> {
        match kind {
            DeclKind::Mul => {
                let mut product = one(terms.int(1));
                for argument in arguments {
                    let (factor, divisor) = self.scaled(terms, argument)?;
                    product = (multiply(terms, product.0, factor), product.1 * divisor);
                }
                Some(product)
            }
            DeclKind::Div => {
                let by = numeral(arguments.get(1)?).filter(|by| !by.is_zero())?.recip();
                let (term, divisor) = self.scaled(terms, &arguments[0])?;
                Some((times(terms, by.numer().clone(), term), divisor * by.denom()))
            }
            DeclKind::Uminus => {
                let (term, divisor) = self.scaled(terms, &arguments[0])?;
                Some((terms.unary(UnOp::Neg, term), divisor))
            }
            DeclKind::ToReal => self.scaled(terms, &arguments[0]),
            _ => {
                let op = if kind == DeclKind::Sub { BinOp::Sub } else { BinOp::Add };
                let (parts, divisor) = self.common(terms, arguments)?;
                let sum = parts.into_iter().reduce(|sum, part| terms.binary(op, sum, part))?;
                Some((sum, divisor))
            }
        }
    }

    /// Division by a constant, rounded so that the remainder is not negative.
    fn division(&mut self, terms: &mut Terms, kind: DeclKind, arguments: &[Dynamic]) -> Option<Term> {
        let by = numeral(arguments.get(1)?).filter(|by| !by.is_zero())?;
        let dividend = self.plain(terms, &arguments[0])?;
        let divisor = terms.big(by.numer().abs());
        if kind == DeclKind::Mod {
            return Some(terms.binary(BinOp::Mod, dividend, divisor));
        }
        let quotient = terms.binary(BinOp::FloorDiv, dividend, divisor);
        Some(if by.is_negative() { terms.unary(UnOp::Neg, quotient) } else { quotient })
    }
}

fn logical(terms: &mut Terms, kind: DeclKind, parts: &[Term]) -> Option<Term> {
    match (kind, parts) {
        (DeclKind::True, _) => Some(terms.tt()),
        (DeclKind::False, _) => Some(terms.ff()),
        (DeclKind::And, _) => Some(terms.all(parts.iter().copied())),
        (DeclKind::Or, _) => Some(terms.any(parts.iter().copied())),
        (DeclKind::Not, &[a]) => Some(terms.not(a)),
        (DeclKind::Xor, &[a, b]) => {
            let same = terms.eq(a, b);
            Some(terms.not(same))
        }
        (DeclKind::Implies, &[a, b]) => {
            let not = terms.not(a);
            Some(terms.or(not, b))
        }
        (DeclKind::Select, &[array, index]) => Some(terms.select(array, index)),
        (DeclKind::Store, &[array, index, element]) => Some(terms.store(array, index, element)),
        _ => None,
    }
}

fn one(term: Term) -> Scaled {
    (term, BigInt::one())
}

fn times(terms: &mut Terms, factor: BigInt, term: Term) -> Term {
    let factor = terms.big(factor);
    multiply(terms, factor, term)
}

fn multiply(terms: &mut Terms, a: Term, b: Term) -> Term {
    match (terms.as_integer(a), terms.as_integer(b)) {
        (Some(x), Some(y)) => terms.big(x * y),
        (Some(x), _) if x.is_one() => b,
        (_, Some(y)) if y.is_one() => a,
        _ => terms.mul(a, b),
    }
}

fn compare(terms: &mut Terms, kind: DeclKind, sides: &[Term]) -> Option<Term> {
    let &[a, b] = sides else { return None };
    Some(match kind {
        DeclKind::Le => terms.le(a, b),
        DeclKind::Ge => terms.le(b, a),
        DeclKind::Lt => terms.lt(a, b),
        DeclKind::Gt => terms.lt(b, a),
        _ => terms.eq(a, b),
    })
}

fn distinct(terms: &mut Terms, sides: &[Term]) -> Term {
    let mut all = terms.tt();
    for (i, &a) in sides.iter().enumerate() {
        for &b in &sides[i + 1..] {
            let same = terms.eq(a, b);
            let other = terms.not(same);
            all = terms.and(all, other);
        }
    }
    all
}

/// A constant number, also where Z3 writes it as an operation on constants.
fn numeral(expr: &Dynamic) -> Option<BigRational> {
    if expr.as_int().is_some() {
        return integer(&expr.to_string()).map(BigRational::from_integer);
    }
    rational(expr)
}

fn sort(sort: &z3::Sort) -> Option<Sort> {
    match sort.kind() {
        SortKind::Bool => Some(Sort::Bool),
        SortKind::Int => Some(Sort::Int),
        SortKind::Real => Some(Sort::Real),
        SortKind::Bv => Some(Sort::BitVec(bit_vectors::width(sort)?)),
        SortKind::Array => Some(Sort::array(self::sort(&sort.array_domain()?)?, self::sort(&sort.array_range()?)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::Encoder;
    use crate::solver::{Answer, Solver};
    use crate::z3_solver::Z3Solver;

    /// Encoded, simplified by Z3 and decoded, a formula means the same.
    fn round_trip(terms: &mut Terms, formula: Term) {
        let mut constants = FxHashMap::default();
        for symbol in terms.symbols(formula) {
            let name = format!("{}!{}", terms.symbol_name(symbol), symbol.index());
            let term = terms.symbol(symbol);
            constants.insert(name, term);
        }
        let expr = Encoder::default().term(terms, formula).dynamic();
        for expr in [expr.simplify(), expr] {
            let names = Names { constants: &constants, bound: &[] };
            let back = term(terms, &expr, names).unwrap_or_else(|| panic!("{expr} is not decoded"));
            let same = terms.eq(formula, back);
            assert_eq!(Z3Solver::for_formulas().check(terms, &[(same, false)]), Answer::Unsat, "{expr}");
        }
    }

    #[test]
    fn decodes_what_is_encoded() {
        let mut t = Terms::new();
        let (x, y, b) = (t.fresh("x", Sort::Int), t.fresh("y", Sort::Int), t.fresh("b", Sort::Bool));
        let (q, r) = (t.fresh("q", Sort::Real), t.fresh("r", Sort::Real));
        let a = t.fresh("a", Sort::array(Sort::Int, Sort::Int));
        let (two, three) = (t.int(2), t.int(-3));
        let seven = t.int(7);
        let rest = t.binary(BinOp::Mod, x, seven);
        let quotient = t.binary(BinOp::FloorDiv, y, seven);
        let product = t.mul(three, rest);
        let sum = t.add(product, quotient);
        let chosen = t.ite(b, sum, x);
        let le = t.le(chosen, two);
        let (double, triple) = (t.mul(two, q), t.mul(three, r));
        let lt = t.lt(double, triple);
        let same = t.eq(q, r);
        let written = t.store(a, x, y);
        let equal = t.eq(written, a);
        let read = t.select(a, sum);
        let read = t.eq(read, two);
        let not = t.not(lt);
        for formula in [le, lt, same, equal, read, not] {
            round_trip(&mut t, formula);
            let either = t.or(formula, b);
            round_trip(&mut t, either);
        }
    }

    #[test]
    fn decodes_bit_vectors() {
        let mut t = Terms::new();
        let (x, y) = (t.fresh("x", Sort::BitVec(6)), t.fresh("y", Sort::BitVec(6)));
        let constant = t.bit_vec(6, 37);
        let mut op = BinOp::BvAdd;
        for next in BinOp::ON_WORDS.into_iter().skip(1) {
            let (left, right) = (t.bv(op, x, y), t.bv(next, y, constant));
            for relation in [BinOp::Eq, BinOp::BvUlt, BinOp::BvUle, BinOp::BvSlt, BinOp::BvSle] {
                let formula = t.binary(relation, left, right);
                round_trip(&mut t, formula);
            }
            op = next;
        }
        let (not, neg) = (t.bv_not(x), t.bv_neg(y));
        let joined = t.bv(BinOp::BvConcat, not, neg);
        let (part, rotated) = (t.extract(8, 3, joined), t.rotate_left(2, x));
        let (wide, signed) = (t.zero_extend(3, x), t.sign_extend(3, y));
        let (number, three) = (t.bv_to_nat(x), t.int(3));
        let product = t.mul(three, number);
        let back = t.int_to_bv(6, product);
        let ites = t.bv_ult(x, y);
        let chosen = t.ite(ites, part, rotated);
        for (a, b) in [(part, rotated), (wide, signed), (back, y), (chosen, x)] {
            let formula = t.eq(a, b);
            round_trip(&mut t, formula);
        }
    }

    #[test]
    fn rational_constants_are_multiplied_out() {
        let mut t = Terms::new();
        let q = t.fresh("q", Sort::Real);
        let x = z3::ast::Real::new_const("q");
        let half = z3::ast::Real::from_rational(1, 2);
        let expr = z3::ast::Real::add(&[x.clone(), half]).le(z3::ast::Real::from_rational(-5, 3));
        let constants = [("q".to_owned(), q)].into_iter().collect();
        let formula = term(&mut t, &expr.into(), Names { constants: &constants, bound: &[] }).expect("decoded");
        let (six, three, ten) = (t.int(6), t.int(3), t.int(-10));
        let double = t.mul(six, q);
        let sum = t.add(double, three);
        let expected = t.le(sum, ten);
        let same = t.eq(formula, expected);
        assert_eq!(Z3Solver::for_formulas().check(&t, &[(same, false)]), Answer::Unsat);
    }
}
