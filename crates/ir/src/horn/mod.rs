//! Constrained Horn clauses: the form in which the over-approximating engines see a program.
//!
//! A clause `P1(t1) and ... and Pn(tn) and constraint -> P(t)` says that its head holds wherever its body does; a clause
//! without head says that its body never holds. A *solution* ([`Interpretation`]) gives every predicate a formula that
//! makes all clauses true: the program is safe. A *refutation* ([`Derivation`]) derives a contradiction: it is not.

mod print;

pub use print::{model_to_smtlib, refutation_to_smtlib, to_smtlib};

use clinch_terms::{Symbol, Term, Terms, Value};
use rustc_hash::FxHashMap;

use crate::answer::Answer;
use crate::program::{Source, Span};

clinch_terms::index_type! {
    /// A predicate of a [`HornSystem`].
    PredId
}
clinch_terms::index_type! {
    /// A clause of a [`HornSystem`].
    ClauseId
}

/// A set of clauses over common predicates.
#[derive(Clone, Debug)]
pub struct HornSystem {
    /// All terms and symbols used below.
    pub terms: Terms,
    /// The predicates.
    pub predicates: Vec<Predicate>,
    /// The clauses.
    pub clauses: Vec<Clause>,
    /// The text it came from.
    pub source: Source,
}

/// An unknown relation.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// Its name in the source.
    pub name: String,
    /// Its formal parameters: interpretations are formulas over them. No other predicate or clause uses these symbols.
    pub params: Vec<Symbol>,
}

/// A predicate applied to terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Application {
    /// The predicate.
    pub predicate: PredId,
    /// One term per parameter, of the same sort.
    pub args: Vec<Term>,
}

/// One clause. All its symbols are universally quantified.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The symbols it speaks about, in the order in which a [`Derivation`] lists their values. No other clause uses them.
    pub vars: Vec<Symbol>,
    /// The predicates that must hold.
    pub body: Vec<Application>,
    /// What else must hold.
    pub constraint: Term,
    /// What follows; nothing: a contradiction.
    pub head: Option<Application>,
    /// Where it stands in the source.
    pub span: Span,
}

/// A formula for each predicate, over its parameters.
#[derive(Clone, Debug)]
pub struct Interpretation {
    /// The store of the formulas; it extends the system's.
    pub terms: Terms,
    /// One formula per predicate.
    pub formulas: Vec<Term>,
}

/// A proof that the clauses contradict each other: a tree (or a graph, where a premise is used twice) of clause instances.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Derivation {
    /// Premises stand before conclusions; the last step is the contradiction.
    pub steps: Vec<DerivationStep>,
}

/// A clause instance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DerivationStep {
    /// The clause.
    pub clause: ClauseId,
    /// The values of its symbols, in the order of [`Clause::vars`].
    pub values: Vec<Value>,
    /// For each application in its body the step that derives it, as a position in [`Derivation::steps`].
    pub premises: Vec<usize>,
}

/// What an engine says of Horn clauses.
pub type HornVerdict = Answer<Interpretation, Derivation>;

impl HornSystem {
    /// No clauses, read from `source`.
    pub fn new(source: Source) -> Self {
        HornSystem { terms: Terms::new(), predicates: Vec::new(), clauses: Vec::new(), source }
    }

    /// Adds a predicate with parameters of these sorts.
    pub fn add_predicate(&mut self, name: impl Into<String>, sorts: &[clinch_terms::Sort]) -> PredId {
        let name = name.into();
        let params = sorts.iter().enumerate().map(|(i, s)| self.terms.declare(format!("{name}!{i}"), s.clone()));
        let params = params.collect();
        self.predicates.push(Predicate { name, params });
        PredId::from_index(self.predicates.len() - 1)
    }

    /// A predicate.
    pub fn predicate(&self, id: PredId) -> &Predicate {
        &self.predicates[id.index()]
    }

    /// A clause.
    pub fn clause(&self, id: ClauseId) -> &Clause {
        &self.clauses[id.index()]
    }

    /// All clause ids, in order.
    pub fn clause_ids(&self) -> impl Iterator<Item = ClauseId> + use<> {
        (0..self.clauses.len()).map(ClauseId::from_index)
    }

    /// All predicate ids, in order.
    pub fn predicate_ids(&self) -> impl Iterator<Item = PredId> + use<> {
        (0..self.predicates.len()).map(PredId::from_index)
    }

    /// Whether every clause has at most one application in its body.
    pub fn is_linear(&self) -> bool {
        self.clauses.iter().all(|c| c.body.len() <= 1)
    }

    /// Finds the symbols of a clause: all that occur in it, ascending.
    pub fn collect_vars(
        terms: &Terms,
        body: &[Application],
        constraint: Term,
        head: Option<&Application>,
    ) -> Vec<Symbol> {
        let args = body.iter().chain(head).flat_map(|a| a.args.iter().copied());
        let mut vars: Vec<Symbol> = args.chain([constraint]).flat_map(|t| terms.symbols(t)).collect();
        vars.sort_unstable();
        vars.dedup();
        vars
    }
}

impl Clause {
    /// A clause with symbols that no other has, in the order of those it is written with.
    pub fn with_own_symbols(
        terms: &mut Terms,
        body: Vec<Application>,
        constraint: Term,
        head: Option<Application>,
    ) -> Self {
        let vars = HornSystem::collect_vars(terms, &body, constraint, head.as_ref());
        let own = |terms: &mut Terms, symbol| {
            terms.declare(terms.symbol_name(symbol).to_owned(), terms.symbol_sort(symbol).clone())
        };
        let map = vars.iter().map(|&symbol| (symbol, own(terms, symbol))).collect();
        Clause { vars, body, constraint, head, span: Span::default() }.renamed(terms, &map)
    }

    /// The clause with other symbols for all of its own.
    #[must_use]
    pub fn renamed(self, terms: &mut Terms, map: &FxHashMap<Symbol, Symbol>) -> Self {
        let to_terms = map.iter().map(|(&from, &to)| (from, terms.symbol(to))).collect();
        let mut rename = |a: Application| Application {
            predicate: a.predicate,
            args: a.args.iter().map(|&t| terms.substitute_symbols(t, &to_terms)).collect(),
        };
        let body = self.body.into_iter().map(&mut rename).collect();
        let head = self.head.map(&mut rename);
        let constraint = terms.substitute_symbols(self.constraint, &to_terms);
        Clause { vars: self.vars.iter().map(|symbol| map[symbol]).collect(), body, constraint, head, span: self.span }
    }
}

impl Application {
    /// A formula over the predicate's parameters, about the arguments instead.
    pub fn instantiate(&self, terms: &mut Terms, params: &[Symbol], formula: Term) -> Term {
        let map = params.iter().copied().zip(self.args.iter().copied()).collect();
        terms.substitute_symbols(formula, &map)
    }
}
