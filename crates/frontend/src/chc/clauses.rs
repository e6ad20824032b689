//! Cuts an asserted formula into Horn clauses.
//!
//! A formula holds iff no conjunct of the disjunctive normal form of its negation does. The normal form is made over the
//! parts with predicates only: what has none stays one constraint. Each conjunct `P1 and ... and Pn and constraint and
//! not Q` is a clause; with two negated predicates it is not Horn.

use std::rc::Rc;

use clinch_ir::{Application, Clause, HornSystem, Span};
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms};
use indexmap::IndexSet;
use num_bigint::BigInt;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::Stop;
use super::formula::{Argument, Formula, Formulas, Quantifier, Shape, redeclare};
use crate::junction::{conjunction, disjunction};

/// Largest number of conjuncts a single assertion is cut into, counting intermediate ones, and of their parts.
const MAX_CONJUNCTS: usize = 20_000;
const MAX_PARTS: usize = 4_000_000;

/// Largest number of predicates in one conjunct.
const MAX_PREDICATES: usize = 2000;

/// Whether a formula is wanted as it is or negated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Polarity {
    Positive,
    Negative,
}

impl Polarity {
    fn flip(self) -> Self {
        match self {
            Polarity::Positive => Polarity::Negative,
            Polarity::Negative => Polarity::Positive,
        }
    }
}

/// One conjunct of a normal form.
#[derive(Clone, Default, Debug)]
struct Conjunct {
    /// Predicates that hold.
    body: Vec<Formula>,
    /// Predicates that do not.
    heads: Vec<Formula>,
    constraint: Vec<Term>,
}

impl Conjunct {
    fn extend(&mut self, other: &Conjunct) {
        for (mine, theirs) in [(&mut self.body, &other.body), (&mut self.heads, &other.heads)] {
            for formula in theirs {
                if !mine.contains(formula) {
                    mine.push(*formula);
                }
            }
        }
        self.constraint.extend(&other.constraint);
    }

    fn and(&self, other: &Conjunct) -> Conjunct {
        let mut both = self.clone();
        both.extend(other);
        both
    }

    /// Whether no predicate is in it.
    fn is_constraint(&self) -> bool {
        self.body.is_empty() && self.heads.is_empty()
    }

    fn parts(&self) -> usize {
        self.body.len() + self.heads.len() + self.constraint.len()
    }
}

/// Adds the clauses of assertions to a system.
pub(super) struct Clausifier<'a> {
    pub(super) system: &'a mut HornSystem,
    pub(super) formulas: &'a Formulas,
    /// For each symbol whether a clause has it already; no two clauses share one.
    pub(super) owned: &'a mut Vec<bool>,
    pub(super) span: Span,
}

impl Clausifier<'_> {
    /// Adds what `formula` asserts.
    pub(super) fn assert(&mut self, formula: Formula) -> Result<(), Stop> {
        let mut normal = NormalForm {
            formulas: self.formulas,
            system: self.system,
            span: self.span,
            memo: FxHashMap::default(),
            conjuncts: 0,
            parts: 0,
        };
        let conjuncts = normal.of(formula, Polarity::Negative)?;
        for conjunct in conjuncts.iter() {
            self.add(conjunct)?;
        }
        Ok(())
    }

    fn add(&mut self, conjunct: &Conjunct) -> Result<(), Stop> {
        let ff = self.system.terms.ff();
        let mut constraint = conjunct.constraint.clone();
        let tautology = conjunct.heads.iter().any(|h| conjunct.body.contains(h));
        if constraint.contains(&ff) || tautology {
            return Ok(());
        }
        if conjunct.heads.len() > 1 {
            let names = conjunct.heads[..2].iter().map(|h| self.name(*h)).collect::<Vec<_>>().join("` or `");
            return Err(Stop::unsupported(self.span, format!("the assertion is not Horn: it says `{names}`")));
        }
        let body = conjunct.body.iter().map(|&f| self.application(f, &mut constraint)).collect::<Vec<_>>();
        let head = conjunct.heads.first().map(|&f| self.application(f, &mut constraint));
        let constraint = flat_conjunction(&mut self.system.terms, constraint);
        if constraint == ff {
            return Ok(());
        }
        let clause = Clause { vars: Vec::new(), body, constraint, head, span: self.span };
        let clause = self.with_own_symbols(clause);
        self.system.clauses.push(clause);
        Ok(())
    }

    fn name(&self, formula: Formula) -> &str {
        match self.formulas.shape(formula) {
            Shape::Predicate(predicate, _) => &self.system.predicate(*predicate).name,
            other => unreachable!("{other:?} is not a predicate"),
        }
    }

    fn application(&mut self, formula: Formula, constraint: &mut Vec<Term>) -> Application {
        let Shape::Predicate(predicate, args) = self.formulas.shape(formula) else {
            unreachable!("conjuncts hold predicates only");
        };
        let args = args.iter().map(|arg| self.argument(arg, constraint)).collect();
        Application { predicate: *predicate, args }
    }

    /// Terms have no fractions: `t / n` becomes a new symbol `x` with `n * x = t`.
    fn argument(&mut self, arg: &Argument, constraint: &mut Vec<Term>) -> Term {
        if arg.divisor == BigInt::from(1) {
            return arg.term;
        }
        let terms = &mut self.system.terms;
        let (quotient, divisor) = (terms.fresh("fraction", Sort::Real), terms.big(arg.divisor.clone()));
        let product = terms.mul(divisor, quotient);
        let definition = terms.eq(product, arg.term);
        constraint.push(definition);
        quotient
    }

    fn with_own_symbols(&mut self, mut clause: Clause) -> Clause {
        let vars = |terms: &_, c: &Clause| HornSystem::collect_vars(terms, &c.body, c.constraint, c.head.as_ref());
        let terms = &mut self.system.terms;
        clause.vars = vars(terms, &clause);
        let taken = |owned: &Vec<bool>, s: Symbol| owned.get(s.index()).copied().unwrap_or(false);
        if clause.vars.iter().any(|&s| taken(self.owned, s)) {
            let mut map = FxHashMap::default();
            for &var in &clause.vars {
                let own = redeclare(terms, var);
                map.insert(var, terms.symbol(own));
            }
            for arg in clause.body.iter_mut().chain(&mut clause.head).flat_map(|a| &mut a.args) {
                *arg = terms.substitute_symbols(*arg, &map);
            }
            clause.constraint = terms.substitute_symbols(clause.constraint, &map);
            clause.vars = vars(terms, &clause);
        }
        self.owned.resize(terms.symbol_count(), false);
        for var in &clause.vars {
            self.owned[var.index()] = true;
        }
        clause
    }
}

/// The conjunction of all conjuncts, each once; false if one is, which the constructors of terms do not see everywhere.
fn flat_conjunction(terms: &mut Terms, parts: Vec<Term>) -> Term {
    let mut conjuncts: IndexSet<Term, FxBuildHasher> = IndexSet::default();
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut stack = parts;
    stack.reverse();
    while let Some(part) = stack.pop() {
        match terms.node(part) {
            Node::Bool(true) => {}
            Node::Bool(false) => return part,
            Node::Binary(BinOp::And, a, b) => {
                if seen.insert(part) {
                    stack.extend([b, a]);
                }
            }
            _ => drop(conjuncts.insert(part)),
        }
    }
    conjunction(terms, &conjuncts.into_iter().collect::<Vec<_>>())
}

/// The disjunctive normal form over predicates.
struct NormalForm<'a> {
    formulas: &'a Formulas,
    system: &'a mut HornSystem,
    span: Span,
    memo: FxHashMap<(Formula, Polarity), Rc<Vec<Conjunct>>>,
    conjuncts: usize,
    parts: usize,
}

impl NormalForm<'_> {
    fn of(&mut self, formula: Formula, polarity: Polarity) -> Result<Rc<Vec<Conjunct>>, Stop> {
        if let Some(known) = self.memo.get(&(formula, polarity)) {
            return Ok(known.clone());
        }
        let conjuncts = Rc::new(self.compute(formula, polarity)?);
        self.memo.insert((formula, polarity), conjuncts.clone());
        Ok(conjuncts)
    }

    fn compute(&mut self, formula: Formula, polarity: Polarity) -> Result<Vec<Conjunct>, Stop> {
        let positive = polarity == Polarity::Positive;
        let formulas = self.formulas;
        match formulas.shape(formula) {
            Shape::Term(term) => {
                let term = if positive { *term } else { self.system.terms.not(*term) };
                let ff = self.system.terms.ff();
                let conjunct = Conjunct { constraint: vec![term], ..Conjunct::default() };
                Ok(if term == ff { Vec::new() } else { vec![conjunct] })
            }
            Shape::Predicate(..) if positive => Ok(vec![Conjunct { body: vec![formula], ..Conjunct::default() }]),
            Shape::Predicate(..) => Ok(vec![Conjunct { heads: vec![formula], ..Conjunct::default() }]),
            Shape::Not(inner) => Ok(self.of(*inner, polarity.flip())?.to_vec()),
            Shape::And(parts) if positive => self.all(parts.iter().map(|&f| (f, polarity))),
            Shape::Or(parts) if !positive => self.all(parts.iter().map(|&f| (f, polarity))),
            Shape::And(parts) | Shape::Or(parts) => self.any(parts, polarity),
            Shape::Iff(a, b) => {
                let (a, b, other) = (*a, *b, polarity.flip());
                let mut found = self.all([(a, Polarity::Positive), (b, polarity)].into_iter())?;
                found.extend(self.all([(a, Polarity::Negative), (b, other)].into_iter())?);
                Ok(found)
            }
            Shape::Ite(c, a, b) => {
                let mut found = self.all([(*c, Polarity::Positive), (*a, polarity)].into_iter())?;
                found.extend(self.all([(*c, Polarity::Negative), (*b, polarity)].into_iter())?);
                Ok(found)
            }
            Shape::Quantified(quantifier, _, body) => {
                // What is to hold for some value is a symbol of the clause; what is to hold for all is no clause.
                if (*quantifier == Quantifier::Exists) != positive {
                    let message = "a quantifier that is not universal over the whole clause";
                    return Err(Stop::unsupported(self.span, message));
                }
                Ok(self.of(*body, polarity)?.to_vec())
            }
        }
    }

    fn all(&mut self, parts: impl Iterator<Item = (Formula, Polarity)>) -> Result<Vec<Conjunct>, Stop> {
        let mut product = vec![Conjunct::default()];
        for (part, polarity) in parts {
            let conjuncts = self.of(part, polarity)?;
            if let [single] = conjuncts.as_slice() {
                // The usual case, without copies.
                self.count(0, product.len() * single.parts())?;
                product.iter_mut().for_each(|conjunct| conjunct.extend(single));
                self.check_width(&product)?;
                continue;
            }
            let parts = product.iter().map(Conjunct::parts).sum::<usize>().saturating_mul(conjuncts.len());
            self.count(product.len().saturating_mul(conjuncts.len()), parts)?;
            product = product.iter().flat_map(|left| conjuncts.iter().map(|right| left.and(right))).collect();
            self.check_width(&product)?;
        }
        Ok(product)
    }

    fn any(&mut self, parts: &[Formula], polarity: Polarity) -> Result<Vec<Conjunct>, Stop> {
        let mut found = Vec::new();
        let mut constraint = Vec::new();
        for &part in parts {
            let conjuncts = self.of(part, polarity)?;
            let cases = conjuncts.iter().filter(|c| !c.is_constraint()).count();
            self.count(cases, conjuncts.iter().map(Conjunct::parts).sum())?;
            for conjunct in conjuncts.iter() {
                if conjunct.is_constraint() {
                    constraint.push(conjunction(&mut self.system.terms, &conjunct.constraint));
                } else {
                    found.push(conjunct.clone());
                }
            }
        }
        if !constraint.is_empty() {
            let constraint = disjunction(&mut self.system.terms, &constraint);
            found.insert(0, Conjunct { constraint: vec![constraint], ..Conjunct::default() });
        }
        Ok(found)
    }

    fn check_width(&self, conjuncts: &[Conjunct]) -> Result<(), Stop> {
        if conjuncts.iter().any(|c| c.body.len() + c.heads.len() > MAX_PREDICATES) {
            let message = format!("a clause with more than {MAX_PREDICATES} predicates");
            return Err(Stop::unsupported(self.span, message));
        }
        Ok(())
    }

    fn count(&mut self, conjuncts: usize, parts: usize) -> Result<(), Stop> {
        self.conjuncts = self.conjuncts.saturating_add(conjuncts);
        self.parts = self.parts.saturating_add(parts);
        if self.conjuncts > MAX_CONJUNCTS || self.parts > MAX_PARTS {
            return Err(Stop::unsupported(self.span, "the assertion has too many cases to be cut into clauses"));
        }
        Ok(())
    }
}
