//! Existential quantification over a conjunction: by equations first, then Fourier and Motzkin's way on inequalities, then
//! by Z3. What is returned follows from the conjunction; it may be weaker than the quantified formula.

use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp};
use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHashSet};
use z3::ast::{Ast, Bool, Dynamic, exists_const};
use z3::{Goal, Tactic};

use super::formula::sum_term;
use super::linear::Linear;
use super::problem::Problem;
use super::rational::Rational;
use crate::decode::{self, Names};
use crate::encode::{Encoder, symbol_constant};
use crate::work;

/// Inequalities that one elimination may produce.
const PRODUCTS: usize = 200;
/// How many milliseconds Z3 may take for one elimination.
const PATIENCE: u32 = 500;

/// Consequences of the conjuncts over the symbols to keep.
pub(super) fn eliminate(terms: &mut Terms, parts: Vec<Term>, keep: &FxHashSet<Symbol>) -> Vec<Term> {
    let mut parts: Vec<Term> = parts.into_iter().flat_map(|p| terms.facts(p)).collect();
    while let Some((at, symbol, value)) = solve(terms, &parts, keep) {
        parts.remove(at);
        let map: FxHashMap<Symbol, Term> = [(symbol, value)].into_iter().collect();
        let replaced: Vec<Term> = parts.iter().map(|&p| terms.substitute_symbols(p, &map)).collect();
        parts = replaced.into_iter().flat_map(|p| terms.facts(p)).collect();
        tidy(terms, &mut parts);
    }
    let local = |terms: &Terms, part: Term| terms.symbols(part).iter().any(|s| !keep.contains(s));
    let (mut open, mut done): (Vec<Term>, Vec<Term>) = parts.into_iter().partition(|&p| local(terms, p));
    if !open.is_empty() {
        open = match combine_inequalities(terms, &open, keep) {
            Some((projected, true)) => projected,
            inexact => ask(terms, &open, keep).or(inexact.map(|(projected, _)| projected)).unwrap_or_default(),
        };
        done.extend(open.into_iter().filter(|&p| !local(terms, p)));
    }
    tidy(terms, &mut done);
    done
}

/// Removes what is true or said twice.
fn tidy(terms: &Terms, parts: &mut Vec<Term>) {
    let mut seen = FxHashSet::default();
    parts.retain(|&p| terms.node(p) != Node::Bool(true) && seen.insert(p));
}

/// An equation that gives the value of a symbol that is not kept.
fn solve(terms: &mut Terms, parts: &[Term], keep: &FxHashSet<Symbol>) -> Option<(usize, Symbol, Term)> {
    for (at, &part) in parts.iter().enumerate() {
        let (inner, value) = match terms.node(part) {
            Node::Unary(UnOp::Not, inner) => (inner, false),
            _ => (part, true),
        };
        let solved = match terms.node(inner) {
            Node::Symbol(symbol) if !keep.contains(&symbol) => Some((symbol, terms.bool(value))),
            Node::Binary(BinOp::Eq, a, b) if value => directly(terms, a, b, keep)
                .or_else(|| directly(terms, b, a, keep))
                .or_else(|| linearly(terms, a, b, keep)),
            _ => None,
        };
        if let Some((symbol, value)) = solved {
            return Some((at, symbol, value));
        }
    }
    None
}

fn directly(terms: &Terms, a: Term, b: Term, keep: &FxHashSet<Symbol>) -> Option<(Symbol, Term)> {
    match terms.node(a) {
        Node::Symbol(symbol) if !keep.contains(&symbol) => {
            let fits = terms.symbol_sort(symbol) == &terms.sort(b) && terms.symbols(b).binary_search(&symbol).is_err();
            fits.then_some((symbol, b))
        }
        _ => None,
    }
}

/// Solves `a = b` for a symbol with coefficient 1 or -1.
fn linearly(terms: &mut Terms, a: Term, b: Term, keep: &FxHashSet<Symbol>) -> Option<(Symbol, Term)> {
    if !terms.sort(a).is_numeric() {
        return None;
    }
    let mut problem = Problem::default();
    let (left, right) = (problem.linear(terms, 0, a), problem.linear(terms, 0, b));
    let difference = left.plus(&Rational::int(-1), &right);
    let unit = |q: &Rational| *q == Rational::ONE || *q == Rational::int(-1);
    let (number, coefficient) = difference.entries.iter().find(|(n, c)| {
        unit(c)
            && problem.numbers[*n].term.is_some_and(|t| matches!(terms.node(t), Node::Symbol(s) if !keep.contains(&s)))
    })?;
    let term = problem.numbers[*number].term?;
    let Node::Symbol(symbol) = terms.node(term) else { return None };
    let rest = difference.plus(&-coefficient, &Linear::variable(*number)).times(&-coefficient);
    let value = sum(terms, &problem, &rest)?;
    let fits = terms.symbols(value).binary_search(&symbol).is_err();
    let sorts = terms.symbol_sort(symbol) == &terms.sort(value) || *terms.symbol_sort(symbol) == Sort::Real;
    (fits && sorts).then_some((symbol, value))
}

/// A sum with integer coefficients as a term.
fn sum(terms: &mut Terms, problem: &Problem, sum: &Linear) -> Option<Term> {
    if !sum.constant.is_integer() || sum.entries.iter().any(|(_, c)| !c.is_integer()) {
        return None;
    }
    let parts = sum.entries.iter().map(|(n, c)| Some((problem.numbers[*n].term?, c.numerator())));
    let parts = parts.collect::<Option<Vec<(Term, BigInt)>>>()?;
    Some(sum_term(terms, &parts, &sum.constant.numerator()))
}

/// `sum <= 0`, or `sum < 0`.
struct Inequality {
    sum: Linear,
    strict: bool,
}

/// Eliminates from inequalities by adding each lower bound to each upper one, and whether nothing is lost by that. `None`
/// if some part is none, or there are too many.
fn combine_inequalities(terms: &mut Terms, parts: &[Term], keep: &FxHashSet<Symbol>) -> Option<(Vec<Term>, bool)> {
    let mut problem = Problem::default();
    let mut all = Vec::new();
    for &part in parts {
        inequalities(terms, &mut problem, part, &mut all)?;
    }
    // Terms that are not linear hide symbols.
    for number in &problem.numbers {
        let term = number.term?;
        if !matches!(terms.node(term), Node::Symbol(_)) && terms.symbols(term).iter().any(|s| !keep.contains(s)) {
            return None;
        }
    }
    let mut exact = true;
    for (number, info) in problem.numbers.iter().enumerate() {
        if matches!(terms.node(info.term?), Node::Symbol(s) if !keep.contains(&s)) {
            exact &= !info.integer || all.iter().all(|i| has_unit(i, number));
            all = project(all, number)?;
        }
    }
    let mut result = Vec::new();
    for Inequality { sum: mut left, strict } in all {
        let scale = Rational::primitive_factor(left.entries.iter().map(|(_, c)| c).chain([&left.constant]));
        left = left.times(&scale);
        let (left, zero) = (sum(terms, &problem, &left)?, terms.int(0));
        result.push(if strict { terms.lt(left, zero) } else { terms.le(left, zero) });
    }
    Some((result, exact))
}

/// Whether the number occurs with coefficient 1 or -1, if at all, among integers.
fn has_unit(inequality: &Inequality, number: usize) -> bool {
    let entries = &inequality.sum.entries;
    entries.iter().all(|(n, c)| c.is_integer() && (*n != number || c.abs() == Rational::ONE))
}

fn inequalities(terms: &mut Terms, problem: &mut Problem, part: Term, all: &mut Vec<Inequality>) -> Option<()> {
    let mut push = |terms: &mut Terms, a: Term, b: Term, strict: bool| {
        let (a, b) = (problem.linear(terms, 0, a), problem.linear(terms, 0, b));
        let mut sum = a.plus(&Rational::int(-1), &b);
        let integer = sum.entries.iter().all(|(n, c)| problem.numbers[*n].integer && c.is_integer());
        if strict && integer {
            sum.constant = &sum.constant + &Rational::ONE;
        }
        all.push(Inequality { sum, strict: strict && !integer });
    };
    match terms.node(part) {
        Node::Binary(BinOp::Le, a, b) => push(terms, a, b, false),
        Node::Binary(BinOp::Lt, a, b) => push(terms, a, b, true),
        Node::Binary(BinOp::Eq, a, b) if terms.sort(a).is_numeric() => {
            push(terms, a, b, false);
            push(terms, b, a, false);
        }
        Node::Unary(UnOp::Not, inner) => match terms.node(inner) {
            Node::Binary(BinOp::Le, a, b) => push(terms, b, a, true),
            Node::Binary(BinOp::Lt, a, b) => push(terms, b, a, false),
            _ => return None,
        },
        _ => return None,
    }
    Some(())
}

fn project(all: Vec<Inequality>, number: usize) -> Option<Vec<Inequality>> {
    let coefficient = |i: &Inequality| i.sum.entries.iter().find(|(n, _)| *n == number).map(|(_, c)| c.clone());
    let (mut upper, mut lower, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for inequality in all {
        match coefficient(&inequality) {
            None => rest.push(inequality),
            Some(c) => {
                let scaled = Inequality { sum: inequality.sum.times(&c.abs().recip()), strict: inequality.strict };
                if c.is_positive() { &mut upper } else { &mut lower }.push(scaled);
            }
        }
    }
    if upper.len() * lower.len() > PRODUCTS {
        return None;
    }
    for a in &upper {
        for b in &lower {
            rest.push(Inequality { sum: a.sum.plus(&Rational::ONE, &b.sum), strict: a.strict || b.strict });
        }
    }
    rest.retain(|i| !(i.sum.entries.is_empty() && i.sum.constant.is_negative()));
    Some(rest)
}

/// Quantifier elimination by Z3.
fn ask(terms: &mut Terms, parts: &[Term], keep: &FxHashSet<Symbol>) -> Option<Vec<Term>> {
    let mut symbols: Vec<Symbol> = parts.iter().flat_map(|&p| terms.symbols(p)).collect();
    symbols.sort_unstable();
    symbols.dedup();
    if symbols.iter().any(|&s| matches!(terms.symbol_sort(s), Sort::Array(_))) {
        return None;
    }
    let mut encoder = Encoder::default();
    let body: Vec<Bool> = parts.iter().map(|&p| encoder.term(terms, p).bool()).collect();
    let mut constants = FxHashMap::default();
    let mut bound: Vec<Dynamic> = Vec::new();
    for symbol in symbols {
        let constant = symbol_constant(terms, symbol).dynamic();
        if keep.contains(&symbol) {
            constants.insert(constant.safe_decl().ok()?.name(), terms.symbol(symbol));
        } else {
            bound.push(constant);
        }
    }
    let bound: Vec<&dyn Ast> = bound.iter().map(|b| b as &dyn Ast).collect();
    let goal = Goal::new(false, false, false);
    goal.assert(&exists_const(&bound, &[], &Bool::and(&body)));
    let result = work::apply(&Tactic::new("qe2"), &goal, PATIENCE)?;
    // Several goals would be a disjunction.
    let [goal] = &result.list_subgoals().collect::<Vec<Goal>>()[..] else { return None };
    let names = Names { constants: &constants, bound: &[] };
    goal.get_formulas().into_iter().map(|formula| decode::term(terms, &formula.into(), names)).collect()
}
