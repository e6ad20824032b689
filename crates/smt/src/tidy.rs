//! Formulas for people: equivalent ones without what says nothing.
//!
//! A formula becomes a conjunction of literals and disjunctions of such, what all cases of a disjunction have in common is
//! said once, bounds of one term become the narrowest ones, or an equation, and parts that follow from the rest are left out. What
//! follows is asked of Z3, so often and no more: a formula that is not as short as it could be is still right.

use clinch_terms::{BinOp, Node, Sort, Term, Terms, UnOp};
use num_bigint::BigInt;
use num_traits::{One, Zero};

use crate::solver::{Answer, Solver};
use crate::z3_solver::Z3Solver;

/// Work for one question.
const LIMITS: (u32, u32) = (300_000, 1_000);
/// Formulas with more parts are left as they are.
const PARTS: usize = 2_000;

/// How a formula becomes short.
#[derive(Clone, Copy)]
pub struct Tidy<'a> {
    /// How many questions may be asked.
    pub questions: usize,
    /// Which literals are wanted: the others are left out, and the result is weaker than the formula.
    pub keep: &'a dyn Fn(&Terms, Term) -> bool,
    /// Whether there is no time for questions any more.
    pub stop: &'a dyn Fn() -> bool,
}

/// An equivalent formula with fewer parts; or a weaker one, if some literals are not wanted. If it has too many parts for that,
/// there is none.
pub fn tidy(terms: &mut Terms, formula: Term, how: Tidy<'_>) -> Option<Term> {
    let mut parts = 0;
    let parsed = parse(terms, formula, true, &mut parts, how.keep)?;
    let mut tidier = Tidier { solver: Z3Solver::for_formulas(), left: how.questions, stop: how.stop };
    tidier.solver.set_limits(LIMITS.0, LIMITS.1);
    let factored = parsed.factored(terms);
    let short = tidier.shorten(terms, factored, &[]);
    let short = short.factored(terms);
    Some(short.term(terms))
}

/// Negations are at literals only; a conjunction has no conjunction in it, a disjunction no disjunction.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Formula {
    Literal(Term),
    And(Vec<Formula>),
    Or(Vec<Formula>),
}

fn parse(
    terms: &mut Terms,
    term: Term,
    positive: bool,
    parts: &mut usize,
    keep: &dyn Fn(&Terms, Term) -> bool,
) -> Option<Formula> {
    *parts += 1;
    if *parts > PARTS {
        return None;
    }
    match terms.node(term) {
        Node::Bool(value) => Some(if value == positive { Formula::And(Vec::new()) } else { Formula::Or(Vec::new()) }),
        Node::Unary(UnOp::Not, inner) => parse(terms, inner, !positive, parts, keep),
        Node::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
            let (a, b) = (parse(terms, a, positive, parts, keep)?, parse(terms, b, positive, parts, keep)?);
            Some(if (op == BinOp::And) == positive { Formula::and([a, b]) } else { Formula::or([a, b]) })
        }
        Node::Ite(c, a, b) if terms.sort(a) == Sort::Bool => {
            let not_c = parse(terms, c, false, parts, keep)?;
            let c = parse(terms, c, true, parts, keep)?;
            let (a, b) = (parse(terms, a, positive, parts, keep)?, parse(terms, b, positive, parts, keep)?);
            Some(Formula::or([Formula::and([c, a]), Formula::and([not_c, b])]))
        }
        _ => {
            let literal = if positive { term } else { terms.not(term) };
            Some(if keep(terms, literal) { Formula::Literal(literal) } else { Formula::And(Vec::new()) })
        }
    }
}

impl Formula {
    fn and(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Formula::And(inner) => all.extend(inner),
                Formula::Or(inner) if inner.is_empty() => return Formula::Or(Vec::new()),
                other => all.push(other),
            }
        }
        dedup(&mut all);
        if all.len() == 1 { all.remove(0) } else { Formula::And(all) }
    }

    fn or(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Formula::Or(inner) => all.extend(inner),
                Formula::And(inner) if inner.is_empty() => return Formula::And(Vec::new()),
                other => all.push(other),
            }
        }
        dedup(&mut all);
        if all.len() == 1 { all.remove(0) } else { Formula::Or(all) }
    }

    fn conjuncts(self) -> Vec<Formula> {
        match self {
            Formula::And(parts) => parts,
            other => vec![other],
        }
    }

    /// Common parts of cases are said once, and bounds become narrow.
    fn factored(self, terms: &mut Terms) -> Formula {
        match self {
            Formula::Literal(_) => Formula::and(narrowed(terms, vec![self])),
            Formula::And(parts) => {
                let parts = parts.into_iter().map(|p| p.factored(terms)).collect::<Vec<_>>();
                let parts = Formula::and(parts).conjuncts();
                Formula::and(narrowed(terms, parts))
            }
            Formula::Or(parts) => {
                let cases: Vec<Vec<Formula>> = parts.into_iter().map(|p| p.factored(terms).conjuncts()).collect();
                let Some(first) = cases.first() else { return Formula::Or(Vec::new()) };
                let common: Vec<Formula> =
                    first.iter().filter(|part| cases.iter().all(|case| case.contains(part))).cloned().collect();
                let rest = cases.into_iter().map(|case| Formula::and(case.into_iter().filter(|p| !common.contains(p))));
                let rest = Formula::or(rest.collect::<Vec<_>>());
                Formula::and(common.into_iter().chain([rest]))
            }
        }
    }

    fn term(&self, terms: &mut Terms) -> Term {
        match self {
            Formula::Literal(term) => *term,
            Formula::And(parts) => {
                let parts: Vec<Term> = parts.iter().map(|p| p.term(terms)).collect();
                terms.all(parts)
            }
            Formula::Or(parts) => {
                let parts: Vec<Term> = parts.iter().map(|p| p.term(terms)).collect();
                terms.any(parts)
            }
        }
    }
}

/// Keeps the first of equal parts.
fn dedup(parts: &mut Vec<Formula>) {
    let mut kept: Vec<Formula> = Vec::new();
    for part in parts.drain(..) {
        if !kept.contains(&part) {
            kept.push(part);
        }
    }
    *parts = kept;
}

struct Tidier<'a> {
    solver: Z3Solver,
    left: usize,
    stop: &'a dyn Fn() -> bool,
}

impl Tidier<'_> {
    /// Whether there is nothing that satisfies all of these.
    fn excluded(&mut self, terms: &Terms, facts: &[Term]) -> bool {
        if self.left == 0 || (self.stop)() {
            return false;
        }
        self.left -= 1;
        let assumptions: Vec<(Term, bool)> = facts.iter().map(|&fact| (fact, true)).collect();
        self.solver.check(terms, &assumptions) == Answer::Unsat
    }

    /// Leaves out what follows from the rest and from what is known.
    fn shorten(&mut self, terms: &mut Terms, formula: Formula, known: &[Term]) -> Formula {
        match formula {
            Formula::And(parts) => self.shorten_all(terms, parts, known),
            Formula::Or(cases) => self.shorten_any(terms, cases, known),
            literal @ Formula::Literal(_) => literal,
        }
    }

    fn shorten_all(&mut self, terms: &mut Terms, mut parts: Vec<Formula>, known: &[Term]) -> Formula {
        // Disjunctions and inequalities go before equations, which say most.
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by_key(|&i| (weight(terms, &parts[i]), std::cmp::Reverse(i)));
        let mut gone = vec![false; parts.len()];
        for &i in &order {
            let mut facts = known.to_vec();
            for j in (0..parts.len()).filter(|&j| j != i && !gone[j]) {
                facts.push(parts[j].term(terms));
            }
            let part = parts[i].term(terms);
            facts.push(terms.not(part));
            gone[i] = self.excluded(terms, &facts);
        }
        let mut index = 0;
        parts.retain(|_| {
            index += 1;
            !gone[index - 1]
        });
        for i in 0..parts.len() {
            if matches!(parts[i], Formula::Or(_)) {
                let mut facts = known.to_vec();
                for j in (0..parts.len()).filter(|&j| j != i) {
                    facts.push(parts[j].term(terms));
                }
                parts[i] = self.shorten(terms, parts[i].clone(), &facts);
            }
        }
        Formula::and(parts)
    }

    fn shorten_any(&mut self, terms: &mut Terms, cases: Vec<Formula>, known: &[Term]) -> Formula {
        let mut kept: Vec<Formula> = Vec::new();
        for (i, case) in cases.iter().enumerate() {
            let mut facts = known.to_vec();
            facts.push(case.term(terms));
            for other in kept.iter().chain(&cases[i + 1..]) {
                let other = other.term(terms);
                facts.push(terms.not(other));
            }
            if !self.excluded(terms, &facts) {
                let short = self.shorten(terms, case.clone(), known);
                kept.push(short);
            }
        }
        Formula::or(kept)
    }
}

/// What is left out first: the heaviest.
fn weight(terms: &Terms, formula: &Formula) -> u8 {
    match formula {
        Formula::Or(_) | Formula::And(_) => 0,
        Formula::Literal(term) => match terms.node(*term) {
            Node::Unary(UnOp::Not, _) => 1,
            Node::Binary(BinOp::Eq, ..) => 3,
            _ => 2,
        },
    }
}

/// What a literal says of one term: it is in an interval.
struct Bound {
    /// The term, and whether its bits are read with a sign (for integers, always).
    of: (Term, bool),
    low: Option<BigInt>,
    high: Option<BigInt>,
}

/// The literals of a conjunction with the narrowest bounds of each term.
fn narrowed(terms: &mut Terms, parts: Vec<Formula>) -> Vec<Formula> {
    let mut bounds: Vec<Bound> = Vec::new();
    let mut result: Vec<Result<Formula, usize>> = Vec::new();
    for part in parts {
        let found = match &part {
            Formula::Literal(literal) => bound(terms, *literal),
            _ => None,
        };
        let Some(found) = found else {
            result.push(Ok(part));
            continue;
        };
        match bounds.iter().position(|b| b.of == found.of) {
            None => {
                result.push(Err(bounds.len()));
                bounds.push(found);
            }
            Some(i) => {
                let old = &mut bounds[i];
                old.low = [old.low.take(), found.low].into_iter().flatten().max();
                old.high = [old.high.take(), found.high].into_iter().flatten().min();
            }
        }
    }
    result
        .into_iter()
        .flat_map(|part| match part {
            Ok(part) => vec![part],
            Err(i) => literals(terms, &bounds[i]),
        })
        .collect()
}

/// The least and the greatest value of a term.
fn range(terms: &Terms, (of, signed): (Term, bool)) -> (Option<BigInt>, Option<BigInt>) {
    match terms.sort(of) {
        Sort::BitVec(width) => {
            let half = BigInt::one() << (width - 1);
            let (low, high) = if signed { (-&half, &half - 1) } else { (BigInt::zero(), &half * 2 - 1) };
            (Some(low), Some(high))
        }
        _ => (None, None),
    }
}

fn literals(terms: &mut Terms, bound: &Bound) -> Vec<Formula> {
    let (least, greatest) = range(terms, bound.of);
    let low = bound.low.clone().filter(|low| least.as_ref().is_none_or(|l| low > l));
    let high = bound.high.clone().filter(|high| greatest.as_ref().is_none_or(|g| high < g));
    let (term, signed) = bound.of;
    let wide = terms.sort(term);
    let value = |terms: &mut Terms, n: &BigInt| match wide {
        Sort::BitVec(width) => terms.big_bit_vec(width, clinch_terms::bitvec::of_integer(width, n)),
        _ => terms.big(n.clone()),
    };
    let exact = bound.low.as_ref().or(least.as_ref()).zip(bound.high.as_ref().or(greatest.as_ref()));
    if let Some((low, high)) = exact
        && low == high
    {
        let value = value(terms, low);
        return vec![Formula::Literal(terms.eq(term, value))];
    }
    let mut found = Vec::new();
    if let Some(low) = low {
        // `x >= 3`, as people write it: not `3 <= x`.
        let low = value(terms, &low);
        let less = match (&wide, signed) {
            (Sort::BitVec(_), true) => terms.bv_slt(term, low),
            (Sort::BitVec(_), false) => terms.bv_ult(term, low),
            _ => terms.lt(term, low),
        };
        found.push(Formula::Literal(terms.not(less)));
    }
    if let Some(high) = high {
        let high = value(terms, &high);
        found.push(Formula::Literal(match (&wide, signed) {
            (Sort::BitVec(_), true) => terms.bv_sle(term, high),
            (Sort::BitVec(_), false) => terms.bv_ule(term, high),
            _ => terms.le(term, high),
        }));
    }
    found
}

/// What a comparison with a constant says.
fn bound(terms: &mut Terms, literal: Term) -> Option<Bound> {
    let (atom, positive) = match terms.node(literal) {
        Node::Unary(UnOp::Not, inner) => (inner, false),
        _ => (literal, true),
    };
    let Node::Binary(op, a, b) = terms.node(atom) else { return None };
    let (signed, strict) = match op {
        BinOp::Eq if positive => (true, false),
        BinOp::Le | BinOp::BvSle => (true, false),
        BinOp::Lt | BinOp::BvSlt => (true, true),
        BinOp::BvUle => (false, false),
        BinOp::BvUlt => (false, true),
        _ => return None,
    };
    let (of, value, left) = match (number(terms, a, signed), number(terms, b, signed)) {
        (None, Some(value)) => (a, value, true),
        (Some(value), None) => (b, value, false),
        _ => return None,
    };
    if !matches!(terms.sort(of), Sort::Int | Sort::BitVec(_)) {
        return None;
    }
    if op == BinOp::Eq {
        return Some(narrow(terms, Bound { of: (of, signed), low: Some(value.clone()), high: Some(value) }));
    }
    let step = BigInt::from(u8::from(strict));
    // `of <= value`, or `value <= of`; negated, the other way round without the bound itself.
    let (low, high) = match (left, positive) {
        (true, true) => (None, Some(value - step)),
        (true, false) => (Some(value + 1 - step), None),
        (false, true) => (Some(value + step), None),
        (false, false) => (None, Some(value - 1 + step)),
    };
    Some(narrow(terms, Bound { of: (of, signed), low, high }))
}

fn number(terms: &Terms, term: Term, signed: bool) -> Option<BigInt> {
    if let Some(value) = terms.as_integer(term) {
        return Some(value);
    }
    let (width, bits) = terms.as_bit_vec(term)?;
    let value = BigInt::from(bits);
    let wraps = signed && value >= BigInt::one() << (width - 1);
    Some(if wraps { value - (BigInt::one() << width) } else { value })
}

/// A bound of a term that was widened is one of the term itself, where it can be said there.
fn narrow(terms: &mut Terms, bound: Bound) -> Bound {
    let (wide, wide_signed) = bound.of;
    let (extended, plus) = match terms.node(wide) {
        Node::Binary(BinOp::BvAdd, a, b) => match (number(terms, a, true), number(terms, b, true)) {
            (Some(n), None) => (b, n),
            (None, Some(n)) => (a, n),
            _ => return bound,
        },
        _ => (wide, BigInt::zero()),
    };
    let Node::Extend { signed, of, .. } = terms.node(extended) else { return bound };
    let (width, inner) = (terms.bv_width(wide), terms.bv_width(of));
    // Two bits more are room for the sign and for a carry.
    let room = inner + 2 <= width && plus.bits() < u64::from(inner);
    if !(wide_signed && (room || (plus.is_zero() && (signed || inner < width)))) {
        return bound;
    }
    let (least, greatest) = range(terms, (of, signed));
    let fits = |n: &BigInt| least.as_ref().is_none_or(|l| n >= l) && greatest.as_ref().is_none_or(|g| n <= g);
    let (low, high) = (bound.low.clone().map(|n| n - &plus), bound.high.clone().map(|n| n - &plus));
    if low.as_ref().is_none_or(fits) && high.as_ref().is_none_or(fits) {
        return Bound { of: (of, signed), low, high };
    }
    bound
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that a formula over two numbers and its tidy form agree everywhere, and how long the latter is.
    fn check(make: impl FnOnce(&mut Terms, Term, Term) -> Term, expected: impl FnOnce(&mut Terms, Term, Term) -> Term) {
        let mut terms = Terms::new();
        let x = terms.declare("x", Sort::BitVec(8));
        let y = terms.declare("y", Sort::BitVec(8));
        let (x, y) = (terms.symbol(x), terms.symbol(y));
        let formula = make(&mut terms, x, y);
        let how = Tidy { questions: 100, keep: &|_, _| true, stop: &|| false };
        let short = tidy(&mut terms, formula, how).expect("few parts");
        let same = terms.eq(formula, short);
        let mut solver = Z3Solver::for_formulas();
        assert_eq!(solver.check(&terms, &[(same, false)]), Answer::Unsat);
        assert_eq!(short, expected(&mut terms, x, y));
    }

    #[test]
    fn two_bounds_are_an_equation() {
        let three = |t: &mut Terms| t.bit_vec(8, 3);
        check(
            |t, x, _| {
                let three = three(t);
                let (le, ge) = (t.bv_sle(x, three), t.bv_sle(three, x));
                t.and(le, ge)
            },
            |t, x, _| {
                let three = three(t);
                t.eq(x, three)
            },
        );
    }

    #[test]
    fn what_follows_is_left_out() {
        check(
            |t, x, y| {
                let (zero, one) = (t.bit_vec(8, 0), t.bit_vec(8, 1));
                let (a, b) = (t.eq(x, zero), t.eq(y, one));
                let (c, d) = (t.bv_slt(x, y), t.eq(x, y));
                let d = t.not(d);
                let first = t.all([a, b, c]);
                let second = t.all([a, d, b]);
                t.or(first, second)
            },
            |t, x, y| {
                let (zero, one) = (t.bit_vec(8, 0), t.bit_vec(8, 1));
                let (a, b) = (t.eq(x, zero), t.eq(y, one));
                t.and(a, b)
            },
        );
    }

    #[test]
    fn widened_terms_are_themselves() {
        check(
            |t, x, _| {
                let wide = t.zero_extend(8, x);
                let (four, ten) = (t.bit_vec(16, 4), t.bit_vec(16, 10));
                let sum = t.bv(BinOp::BvAdd, wide, four);
                t.bv_sle(sum, ten)
            },
            |t, x, _| {
                let six = t.bit_vec(8, 6);
                t.bv_ule(x, six)
            },
        );
    }
}
