//! Conditions without inputs that decide nothing else: where a run reads a value only to choose its way, some value leads each way.
//!
//! A scheduler asks the environment again and again which thread runs next. Such questions need no prover.

use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp};
use rustc_hash::{FxHashMap, FxHashSet};

/// Rounds of elimination for one condition.
const ROUNDS: usize = 16;

/// A formula that holds where some values of the inputs satisfy the condition. Inputs for which that is not obvious stay in it.
pub(super) fn without_inputs(terms: &mut Terms, condition: Term, inputs: &FxHashSet<Symbol>) -> Term {
    let mut condition = condition;
    if inputs.is_empty() {
        return condition;
    }
    for _ in 0..ROUNDS {
        let choices = Choices::of(terms, condition, inputs);
        let next = match choices.pure() {
            pure if !pure.is_empty() => replaced(terms, condition, &pure),
            _ => match choices.first().and_then(|choice| either_way(terms, condition, choice)) {
                Some(next) => next,
                None => return condition,
            },
        };
        condition = next;
    }
    condition
}

/// The condition with one choice made either way, unless that makes it larger.
fn either_way(terms: &mut Terms, condition: Term, choice: Term) -> Option<Term> {
    let [yes, no] = [true, false].map(|value| {
        let value = terms.bool(value);
        replaced(terms, condition, &FxHashMap::from_iter([(choice, value)]))
    });
    let either = terms.or(yes, no);
    (terms.parts(either).len() < terms.parts(condition).len()).then_some(either)
}

fn replaced(terms: &mut Terms, condition: Term, by: &FxHashMap<Term, Term>) -> Term {
    terms.replace(condition, &mut |_, part| by.get(&part).copied())
}

/// How an atom occurs in a condition.
#[derive(Clone, Copy, Default)]
struct Polarity {
    positive: bool,
    negative: bool,
}

/// The atoms of a condition that can be made true and false by an input that occurs nowhere else in it.
struct Choices {
    atoms: Vec<(Term, Polarity)>,
    values: [Term; 2],
}

impl Choices {
    fn of(terms: &mut Terms, condition: Term, inputs: &FxHashSet<Symbol>) -> Self {
        let values = [terms.ff(), terms.tt()];
        let mut atoms = atoms(terms, condition);
        let mut occurs: FxHashMap<Symbol, usize> = FxHashMap::default();
        for &(atom, _) in &atoms {
            for symbol in terms.symbols(atom) {
                *occurs.entry(symbol).or_default() += 1;
            }
        }
        let free = |symbol: Symbol| inputs.contains(&symbol) && occurs.get(&symbol) == Some(&1);
        atoms.retain(|&(atom, _)| is_choice(terms, atom, &free));
        Choices { atoms, values }
    }

    /// The atoms that occur with one sign only, with the value that helps.
    fn pure(&self) -> FxHashMap<Term, Term> {
        let pure = self.atoms.iter().filter(|(_, p)| p.positive != p.negative);
        pure.map(|&(atom, p)| (atom, self.values[usize::from(p.positive)])).collect()
    }

    fn first(&self) -> Option<Term> {
        self.atoms.first().map(|a| a.0)
    }
}

/// Whether an atom compares a free symbol with something else, for equality: it can be made true and false whatever that is.
fn is_choice(terms: &Terms, atom: Term, free: &dyn Fn(Symbol) -> bool) -> bool {
    let Node::Binary(BinOp::Eq, a, b) = terms.node(atom) else { return false };
    [(a, b), (b, a)].into_iter().any(|(side, other)| match terms.node(side) {
        Node::Symbol(symbol) => {
            free(symbol)
                && matches!(terms.symbol_sort(symbol), Sort::BitVec(_))
                && terms.symbols(other).binary_search(&symbol).is_err()
        }
        _ => false,
    })
}

/// The atoms of a condition, each with the signs it occurs with.
fn atoms(terms: &Terms, condition: Term) -> Vec<(Term, Polarity)> {
    let mut found: Vec<(Term, Polarity)> = Vec::new();
    let mut position: FxHashMap<Term, usize> = FxHashMap::default();
    let mut seen: FxHashSet<(Term, bool)> = FxHashSet::default();
    let mut work = vec![(condition, true)];
    while let Some((part, sign)) = work.pop() {
        if !seen.insert((part, sign)) {
            continue;
        }
        match terms.node(part) {
            Node::Bool(_) => {}
            Node::Unary(UnOp::Not, a) => work.push((a, !sign)),
            Node::Binary(BinOp::And | BinOp::Or, a, b) => work.extend([(a, sign), (b, sign)]),
            Node::Ite(c, a, b) => work.extend([(c, true), (c, false), (a, sign), (b, sign)]),
            _ => {
                let at = *position.entry(part).or_insert(found.len());
                if at == found.len() {
                    found.push((part, Polarity::default()));
                }
                let polarity = &mut found[at].1;
                *(if sign { &mut polarity.positive } else { &mut polarity.negative }) = true;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x` is a variable, `a` and `b` are inputs.
    fn symbols(terms: &mut Terms) -> ([Term; 3], FxHashSet<Symbol>) {
        let symbols = ["x", "a", "b"].map(|name| terms.declare(name, Sort::BitVec(32)));
        (symbols.map(|s| terms.symbol(s)), symbols[1..].iter().copied().collect())
    }

    #[test]
    fn inputs_that_choose_a_way_are_left_out() {
        let mut terms = Terms::new();
        let ([x, a, b], inputs) = symbols(&mut terms);
        let zero = terms.bit_vec(32, 0);
        let (known, first, second) = (terms.eq(x, zero), terms.eq(a, zero), terms.eq(b, x));
        let not_first = terms.not(first);
        let condition = terms.all([known, not_first, second]);
        assert_eq!(without_inputs(&mut terms, condition, &inputs), known);

        let [one, other] = [terms.and(first, known), terms.and(not_first, second)];
        let condition = terms.or(one, other);
        assert_eq!(without_inputs(&mut terms, condition, &inputs), terms.tt(), "the second way is always there");
    }

    #[test]
    fn inputs_that_occur_twice_stay() {
        let mut terms = Terms::new();
        let ([x, a, _], inputs) = symbols(&mut terms);
        let (zero, one) = (terms.bit_vec(32, 0), terms.bit_vec(32, 1));
        let (first, second) = (terms.eq(a, zero), terms.eq(a, one));
        let condition = terms.and(first, second);
        assert_eq!(without_inputs(&mut terms, condition, &inputs), condition, "no value satisfies both");
        let sum = terms.bv(BinOp::BvAdd, x, a);
        let itself = terms.eq(a, sum);
        assert_eq!(without_inputs(&mut terms, itself, &inputs), itself, "it depends on x alone");
    }
}
