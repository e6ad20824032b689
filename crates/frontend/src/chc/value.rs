//! What terms of the input stand for, and the system they are translated into.

use clinch_ir::{HornSystem, PredId, Span};
use clinch_terms::{Sort, Term};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use super::Stop;
use super::formula::{Argument, Formula, Formulas, redeclare};

/// Deepest terms and formulas: what works on them later may recurse.
const MAX_DEPTH: u32 = 2000;
const MAX_FORMULA_DEPTH: u32 = 500;

/// Most terms and formulas beyond one per byte of text: defined functions can double them with each definition.
const MAX_TERMS: usize = 1_000_000;

/// What a term of the input stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Value {
    /// A term without predicates.
    Term(Term, Sort),
    /// A real number: the term divided by a constant above 1.
    Fraction(Term, BigInt),
    /// A truth value with predicates or quantifiers in it.
    Formula(Formula),
}

/// Whether its value is a number.
pub(super) fn is_number(value: &Value) -> bool {
    match value {
        Value::Term(_, sort) => sort.is_numeric(),
        Value::Fraction(..) => true,
        Value::Formula(_) => false,
    }
}

/// The sort of a value, for messages.
pub(super) fn sort_of(value: &Value) -> Sort {
    match value {
        Value::Term(_, sort) => sort.clone(),
        Value::Fraction(..) => Sort::Real,
        Value::Formula(_) => Sort::Bool,
    }
}

/// What is translated into.
pub(super) struct Context {
    pub(super) system: HornSystem,
    pub(super) formulas: Formulas,
    depths: FxHashMap<Term, u32>,
}

impl Context {
    pub(super) fn new(system: HornSystem) -> Self {
        Context { system, formulas: Formulas::default(), depths: FxHashMap::default() }
    }

    /// The predicate of new symbols.
    pub(super) fn any_instance(&mut self, id: PredId) -> Formula {
        let params = self.system.predicate(id).params.clone();
        let own = params.into_iter().map(|p| redeclare(&mut self.system.terms, p)).collect::<Vec<_>>();
        let args = own.into_iter().map(|s| Argument { term: self.system.terms.symbol(s), divisor: BigInt::from(1) });
        let args = args.collect();
        self.formulas.predicate(id, args)
    }

    /// Refuses values that later work could not digest.
    pub(super) fn check(&mut self, value: &Value, span: Span) -> Result<(), Stop> {
        let (depth, limit) = match value {
            Value::Term(term, _) | Value::Fraction(term, _) => (self.depth(*term), MAX_DEPTH),
            Value::Formula(formula) => (self.formulas.depth(*formula), MAX_FORMULA_DEPTH),
        };
        if depth > limit {
            return Err(Stop::unsupported(span, format!("the term is nested deeper than {limit}")));
        }
        let limit = MAX_TERMS + self.system.source.text.len();
        if self.system.terms.len() + self.formulas.len() > limit {
            return Err(Stop::unsupported(span, format!("more than {limit} terms")));
        }
        Ok(())
    }

    fn depth(&mut self, term: Term) -> u32 {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.depths.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let mut depth = 0;
            for child in self.system.terms.children(top) {
                match self.depths.get(&child) {
                    Some(known) => depth = depth.max(*known),
                    None => stack.push(child),
                }
            }
            if stack.len() == before {
                self.depths.insert(top, depth + 1);
                stack.pop();
            }
        }
        self.depths[&term]
    }
}
