//! Formulas with predicates in them. What has no predicate and no quantifier inside is an ordinary term; only the rest
//! is kept apart here, until it is cut into clauses.

use clinch_ir::PredId;
use clinch_terms::{Symbol, Term, Terms};
use indexmap::IndexSet;
use num_bigint::BigInt;
use rustc_hash::FxHashMap;

/// A formula: an index into its [`Formulas`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Formula(u32);

/// An argument of a predicate: `term / divisor`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Argument {
    pub(super) term: Term,
    /// 1, but for fractions.
    pub(super) divisor: BigInt,
}

/// The two quantifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Quantifier {
    Forall,
    Exists,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Shape {
    /// No predicate inside.
    Term(Term),
    Predicate(PredId, Vec<Argument>),
    Not(Formula),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    /// Both or neither.
    Iff(Formula, Formula),
    Ite(Formula, Formula, Formula),
    Quantified(Quantifier, Vec<Symbol>, Formula),
}

/// The store of all formulas: equal formulas are the same.
#[derive(Default)]
pub(super) struct Formulas {
    shapes: IndexSet<Shape, rustc_hash::FxBuildHasher>,
    depths: Vec<u32>,
}

impl Formulas {
    pub(super) fn shape(&self, formula: Formula) -> &Shape {
        &self.shapes[formula.0 as usize]
    }

    /// The longest way down.
    pub(super) fn depth(&self, formula: Formula) -> u32 {
        self.depths[formula.0 as usize]
    }

    /// How many formulas there are.
    pub(super) fn len(&self) -> usize {
        self.shapes.len()
    }

    fn intern(&mut self, shape: Shape) -> Formula {
        let depth = 1 + match &shape {
            Shape::Term(_) | Shape::Predicate(..) => 0,
            Shape::Not(a) | Shape::Quantified(_, _, a) => self.depth(*a),
            Shape::And(of) | Shape::Or(of) => of.iter().map(|f| self.depth(*f)).max().unwrap_or(0),
            Shape::Iff(a, b) => self.depth(*a).max(self.depth(*b)),
            Shape::Ite(c, a, b) => self.depth(*c).max(self.depth(*a)).max(self.depth(*b)),
        };
        let (index, new) = self.shapes.insert_full(shape);
        if new {
            self.depths.push(depth);
        }
        Formula(u32::try_from(index).expect("fewer than 2^32 formulas"))
    }

    pub(super) fn term(&mut self, term: Term) -> Formula {
        self.intern(Shape::Term(term))
    }

    pub(super) fn predicate(&mut self, predicate: PredId, args: Vec<Argument>) -> Formula {
        self.intern(Shape::Predicate(predicate, args))
    }

    pub(super) fn not(&mut self, formula: Formula) -> Formula {
        match self.shape(formula) {
            Shape::Not(inner) => *inner,
            _ => self.intern(Shape::Not(formula)),
        }
    }

    pub(super) fn and(&mut self, parts: Vec<Formula>) -> Formula {
        let mut flat = IndexSet::<Formula, rustc_hash::FxBuildHasher>::default();
        for part in parts {
            match self.shape(part) {
                Shape::And(inner) => flat.extend(inner.iter().copied()),
                _ => drop(flat.insert(part)),
            }
        }
        match flat.len() {
            1 => flat[0],
            _ => self.intern(Shape::And(flat.into_iter().collect())),
        }
    }

    pub(super) fn or(&mut self, parts: Vec<Formula>) -> Formula {
        let mut flat = IndexSet::<Formula, rustc_hash::FxBuildHasher>::default();
        for part in parts {
            match self.shape(part) {
                Shape::Or(inner) => flat.extend(inner.iter().copied()),
                _ => drop(flat.insert(part)),
            }
        }
        match flat.len() {
            1 => flat[0],
            _ => self.intern(Shape::Or(flat.into_iter().collect())),
        }
    }

    pub(super) fn iff(&mut self, a: Formula, b: Formula) -> Formula {
        self.intern(Shape::Iff(a, b))
    }

    pub(super) fn ite(&mut self, condition: Formula, then: Formula, otherwise: Formula) -> Formula {
        if then == otherwise { then } else { self.intern(Shape::Ite(condition, then, otherwise)) }
    }

    pub(super) fn quantified(&mut self, quantifier: Quantifier, symbols: Vec<Symbol>, body: Formula) -> Formula {
        if symbols.is_empty() { body } else { self.intern(Shape::Quantified(quantifier, symbols, body)) }
    }

    /// The formula with terms for symbols. Quantified symbols get new ones: two instances of a macro must not share them.
    pub(super) fn substitute(
        &mut self,
        terms: &mut Terms,
        formula: Formula,
        map: &FxHashMap<Symbol, Term>,
        memo: &mut FxHashMap<Formula, Formula>,
    ) -> Formula {
        if let Some(&done) = memo.get(&formula) {
            return done;
        }
        let result = match self.shape(formula).clone() {
            Shape::Term(term) => {
                let term = terms.substitute_symbols(term, map);
                self.term(term)
            }
            Shape::Predicate(predicate, mut args) => {
                for arg in &mut args {
                    arg.term = terms.substitute_symbols(arg.term, map);
                }
                self.predicate(predicate, args)
            }
            Shape::Not(a) => {
                let a = self.substitute(terms, a, map, memo);
                self.not(a)
            }
            Shape::And(of) => {
                let of = of.into_iter().map(|f| self.substitute(terms, f, map, memo)).collect();
                self.and(of)
            }
            Shape::Or(of) => {
                let of = of.into_iter().map(|f| self.substitute(terms, f, map, memo)).collect();
                self.or(of)
            }
            Shape::Iff(a, b) => {
                let [a, b] = [a, b].map(|f| self.substitute(terms, f, map, memo));
                self.iff(a, b)
            }
            Shape::Ite(c, a, b) => {
                let [c, a, b] = [c, a, b].map(|f| self.substitute(terms, f, map, memo));
                self.ite(c, a, b)
            }
            Shape::Quantified(quantifier, symbols, body) => {
                let mut inner = map.clone();
                let fresh = symbols.iter().map(|&s| redeclare(terms, s)).collect::<Vec<_>>();
                for (old, new) in symbols.iter().zip(&fresh) {
                    let new = terms.symbol(*new);
                    inner.insert(*old, new);
                }
                let body = self.substitute(terms, body, &inner, &mut FxHashMap::default());
                self.quantified(quantifier, fresh, body)
            }
        };
        memo.insert(formula, result);
        result
    }
}

/// A new symbol with the name and sort of another.
pub(super) fn redeclare(terms: &mut Terms, symbol: Symbol) -> Symbol {
    let (name, sort) = (terms.symbol_name(symbol).to_owned(), terms.symbol_sort(symbol).clone());
    terms.declare(name, sort)
}
