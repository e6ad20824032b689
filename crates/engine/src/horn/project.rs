//! Elimination of existential quantifiers, where it is easy: by equations, by pairing bounds (Fourier and Motzkin; exact
//! over the integers as long as the coefficient is 1), and for few Boolean symbols by cases.

use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp};
use rustc_hash::FxHashMap;

use super::equations::{Elimination, Limits};
use super::rewrite::Rewriting;
use super::work::{conjunction, symbols_of};
use clinch_terms::linear::{Linear, as_symbol};

/// The most pairs of bounds that are made for one symbol.
const MAX_PAIRS: usize = 16;
/// The most Boolean symbols that are eliminated by cases.
const MAX_CASES: usize = 4;
/// Conjuncts times symbols: beyond that, only equations are used.
const MAX_WORK: usize = 10_000;

/// A formula over some symbols only, or with others left.
pub(crate) struct Projection {
    /// Equivalent to the given formula once the symbols left are quantified existentially.
    pub(crate) formula: Term,
    /// Whether no symbol is left.
    pub(crate) exact: bool,
}

/// Eliminates all symbols but those of `keep` (ascending) from a conjunction.
pub(crate) fn project(terms: &mut Terms, conjuncts: Vec<Term>, keep: &[Symbol], reals: bool) -> Projection {
    let mut elimination = Elimination { conjuncts, others: Vec::new(), definitions: Vec::new() };
    let rank = |s: Symbol| keep.binary_search(&s).is_err().then_some(0);
    let limits = Limits { reals, max_definition: usize::MAX };
    if !elimination.run(terms, limits, &rank) {
        return Projection { formula: terms.ff(), exact: true };
    }
    let mut conjuncts = elimination.conjuncts;
    let left = others(terms, &conjuncts, keep);
    if left.len() * conjuncts.len() <= MAX_WORK {
        let of_sort = |terms: &Terms, sort: Sort| -> Vec<Symbol> {
            left.iter().filter(|s| *terms.symbol_sort(**s) == sort).copied().collect()
        };
        for symbol in of_sort(terms, Sort::Int).into_iter().filter(|_| !reals) {
            eliminate_bounded(terms, &mut conjuncts, symbol);
        }
        let bools = of_sort(terms, Sort::Bool);
        for &symbol in bools.iter().filter(|_| bools.len() <= MAX_CASES) {
            eliminate_by_cases(terms, &mut conjuncts, symbol);
        }
    }
    let exact = others(terms, &conjuncts, keep).is_empty();
    Projection { formula: conjunction(terms, &conjuncts), exact }
}

fn others(terms: &Terms, conjuncts: &[Term], keep: &[Symbol]) -> Vec<Symbol> {
    let mut symbols = symbols_of(terms, conjuncts.iter().copied());
    symbols.retain(|s| keep.binary_search(s).is_err());
    symbols
}

/// What a conjunct says of a symbol.
enum Bound {
    /// It is at least this.
    Lower(Linear),
    /// It is at most this.
    Upper(Linear),
    /// It is different from something.
    Different,
}

/// Replaces the conjuncts with an integer symbol by what follows for the others, if all of them are bounds.
fn eliminate_bounded(terms: &mut Terms, conjuncts: &mut Vec<Term>, symbol: Symbol) {
    let (about, mut rest): (Vec<Term>, Vec<Term>) =
        conjuncts.iter().partition(|&&c| symbols_of(terms, [c]).binary_search(&symbol).is_ok());
    let (mut lower, mut upper, mut different) = (Vec::new(), Vec::new(), false);
    for conjunct in about {
        match bound(terms, conjunct, symbol) {
            Some(Bound::Lower(l)) => lower.push(l),
            Some(Bound::Upper(u)) => upper.push(u),
            Some(Bound::Different) => different = true,
            None => return,
        }
    }
    // Without bounds on one side there is always a value, also one that is different from finitely many.
    let open = lower.is_empty() || upper.is_empty();
    if !open && (different || lower.len() * upper.len() > MAX_PAIRS) {
        return;
    }
    let mut rewriting = Rewriting::new(FxHashMap::default(), false);
    for l in &lower {
        let l = l.term(terms);
        for u in &upper {
            let u = u.term(terms);
            let fits = terms.le(l, u);
            rest.push(rewriting.apply(terms, fits));
        }
    }
    *conjuncts = rest;
}

/// The bound that a conjunct puts on a symbol, if it says nothing else of it.
fn bound(terms: &Terms, conjunct: Term, symbol: Symbol) -> Option<Bound> {
    let (op, a, b) = match terms.node(conjunct) {
        Node::Binary(op @ (BinOp::Le | BinOp::Lt), a, b) => (op, a, b),
        Node::Unary(UnOp::Not, inner) => match terms.node(inner) {
            Node::Binary(BinOp::Eq, a, b) if terms.sort(a).is_numeric() => (BinOp::Eq, a, b),
            _ => return None,
        },
        _ => return None,
    };
    // The sum is at most zero, or different from it.
    let mut sum = Linear::difference(terms, a, b)?;
    if op == BinOp::Lt {
        sum.constant = sum.constant.checked_add(1)?;
    }
    let (itself, others): (Vec<Term>, Vec<Term>) =
        sum.summands.keys().partition(|&&t| as_symbol(terms, t) == Some(symbol));
    let itself = *itself.first()?;
    if symbols_of(terms, others).binary_search(&symbol).is_ok() {
        return None;
    }
    let coefficient = sum.summands[&itself];
    let (_, value) = sum.solutions().find(|(t, _)| *t == itself)?;
    Some(match (op, coefficient) {
        (BinOp::Eq, _) => Bound::Different,
        (_, 1) => Bound::Upper(value),
        _ => Bound::Lower(value),
    })
}

/// Replaces the conjuncts with a Boolean symbol by their disjunction over both values.
fn eliminate_by_cases(terms: &mut Terms, conjuncts: &mut Vec<Term>, symbol: Symbol) {
    let (about, mut rest): (Vec<Term>, Vec<Term>) =
        conjuncts.iter().partition(|&&c| symbols_of(terms, [c]).binary_search(&symbol).is_ok());
    let about = conjunction(terms, &about);
    let [yes, no] = [true, false].map(|value| {
        let value = terms.bool(value);
        Rewriting::new(FxHashMap::from_iter([(symbol, value)]), true).apply(terms, about)
    });
    rest.push(terms.or(yes, no));
    *conjuncts = rest;
}
