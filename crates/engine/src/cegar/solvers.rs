//! Who answers questions about clauses.

use clinch_ir::{Clause, ClauseId, HornSystem};
use clinch_smt::{Answer, Solver, Z3Solver};
use clinch_terms::evaluate::{Assignment, evaluate};
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, Value};
use rustc_hash::FxHashMap;

use crate::search::{BitSet, SubsumptionIndex};

/// A solver for each clause, in which its constraint stands: it keeps what it learns. With very many clauses there is one pool of answers
/// for all of them instead: they say much the same, and solvers take time to make, and memory.
pub(super) enum Solvers {
    /// One each, made when needed.
    Own(Vec<Option<Z3Solver>>),
    /// One for all.
    Pool(Box<Pool>),
}

/// An answer, and whether the solver had to be called for it.
pub(super) struct Found {
    pub(super) answer: Answer,
    /// Unsatisfiable: the literals, by their positions, that are together with the constraint.
    pub(super) core: Vec<usize>,
    /// Satisfiable: values of the clause's symbols, if they are not kept here and can be written down.
    pub(super) model: Option<Assignment>,
    pub(super) called: bool,
}

/// A formula, as it stands or denied.
pub(super) type Literal = (Term, bool);

/// More clauses than this share a pool, and more than this if they are transitions of the plain kind: conjunctions of comparisons.
const MAX_SOLVERS: usize = 400;
const MAX_SOLVERS_OF_TRANSITIONS: usize = 50;

impl Solvers {
    pub(super) fn new(system: &HornSystem) -> Self {
        let clauses = system.clauses.len();
        if clauses > MAX_SOLVERS || clauses > MAX_SOLVERS_OF_TRANSITIONS && is_of_comparisons(system) {
            Solvers::Pool(Box::default())
        } else {
            Solvers::Own(system.clauses.iter().map(|_| None).collect())
        }
    }

    /// Whether literals hold together with the constraint of a clause.
    pub(super) fn ask(&mut self, terms: &Terms, id: ClauseId, clause: &Clause, literals: &[Literal]) -> Found {
        match self {
            Solvers::Own(solvers) => {
                let solver = solvers[id.index()].get_or_insert_with(|| {
                    let mut solver = Z3Solver::for_formulas();
                    solver.assert(terms, clause.constraint);
                    solver
                });
                let answer = solver.check(terms, literals);
                let core = if answer == Answer::Unsat { solver.core() } else { Vec::new() };
                let model = if answer == Answer::Sat { values(terms, solver, &clause.vars) } else { None };
                Found { answer, core, model, called: true }
            }
            Solvers::Pool(pool) => pool.ask(terms, clause, literals),
        }
    }
}

/// Whether clauses have at most one premise and constraints that are conjunctions of comparisons.
fn is_of_comparisons(system: &HornSystem) -> bool {
    let terms = &system.terms;
    system.clauses.iter().all(|clause| {
        let mut conjuncts = terms.conjuncts(clause.constraint).into_iter();
        clause.body.len() <= 1
            && conjuncts.all(|conjunct| {
                matches!(terms.node(conjunct), Node::Bool(_) | Node::Binary(BinOp::Le | BinOp::Lt | BinOp::Eq, ..))
            })
    })
}

/// The values of symbols in the solver's model, if all of them can be written down.
fn values(terms: &Terms, solver: &Z3Solver, symbols: &[Symbol]) -> Option<Assignment> {
    symbols.iter().map(|&s| Some((s, solver.symbol_value(terms, s)?))).collect()
}

/// What is known of conjunctions of formulas, whichever clause asked. The clauses have their symbols in common ([`Common`]), so that what
/// many of them say is one formula.
pub(super) struct Pool {
    solver: Z3Solver,
    literals: Vec<Literal>,
    numbers: FxHashMap<Literal, usize>,
    /// The symbols of all literals.
    symbols: Vec<Symbol>,
    /// Sets of literals that do not hold together; none contains another that was there before.
    contradictions: Vec<BitSet>,
    index: SubsumptionIndex,
    /// The most recent ones last.
    models: Vec<Model>,
}

/// Values, and which of the literals hold of them.
struct Model {
    values: Assignment,
    holds: BitSet,
    /// How many literals were evaluated.
    known: usize,
}

/// Models that are kept.
const MAX_MODELS: usize = 512;

impl Default for Pool {
    fn default() -> Self {
        Pool {
            solver: Z3Solver::for_conjunctions(),
            literals: Vec::new(),
            numbers: FxHashMap::default(),
            symbols: Vec::new(),
            contradictions: Vec::new(),
            index: SubsumptionIndex::new(),
            models: Vec::new(),
        }
    }
}

impl Pool {
    fn ask(&mut self, terms: &Terms, clause: &Clause, literals: &[Literal]) -> Found {
        let constraint = terms.conjuncts(clause.constraint).into_iter().map(|conjunct| (conjunct, true));
        let asked: Vec<Literal> = literals.iter().copied().chain(constraint).collect();
        let numbers: Vec<usize> = asked.iter().map(|&literal| self.number(terms, literal)).collect();
        let set: BitSet = numbers.iter().copied().collect();
        let found = |answer, core, called| Found { answer, core, model: None, called };
        if let Some(known) = self.index.find_subset(&set) {
            let contradiction = &self.contradictions[known as usize];
            let core = (0..literals.len()).filter(|&i| contradiction.contains(numbers[i])).collect();
            return found(Answer::Unsat, core, false);
        }
        if self.has_model_of(terms, &set) {
            return found(Answer::Sat, Vec::new(), false);
        }
        let answer = self.solver.check(terms, &asked);
        let mut core = Vec::new();
        match answer {
            Answer::Unsat => {
                core = self.solver.core();
                self.keep_contradiction(core.iter().map(|&i| numbers[i]).collect());
                core.retain(|&i| i < literals.len());
            }
            Answer::Sat => {
                if let Some(values) = values(terms, &self.solver, &self.symbols) {
                    self.keep_model(values);
                }
            }
            Answer::Unknown => {}
        }
        found(answer, core, true)
    }

    fn number(&mut self, terms: &Terms, literal: Literal) -> usize {
        *self.numbers.entry(literal).or_insert_with(|| {
            for symbol in terms.symbols(literal.0) {
                if let Err(position) = self.symbols.binary_search(&symbol) {
                    self.symbols.insert(position, symbol);
                }
            }
            self.literals.push(literal);
            self.literals.len() - 1
        })
    }

    /// Whether values are known of which all these literals hold.
    fn has_model_of(&mut self, terms: &Terms, set: &BitSet) -> bool {
        let position = (0..self.models.len()).rev().find(|&i| {
            let model = &mut self.models[i];
            model.extend(terms, &self.literals);
            set.is_subset(&model.holds)
        });
        if let Some(position) = position {
            // What was of use will be again.
            self.models[position..].rotate_left(1);
        }
        position.is_some()
    }

    fn keep_contradiction(&mut self, set: BitSet) {
        if self.index.find_subset(&set).is_none() {
            self.index.insert(&set, self.contradictions.len() as u32);
            self.contradictions.push(set);
        }
    }

    fn keep_model(&mut self, values: Assignment) {
        if self.models.len() == MAX_MODELS {
            self.models.remove(0);
        }
        self.models.push(Model { values, holds: BitSet::new(), known: 0 });
    }
}

impl Model {
    /// Evaluates the literals that are new.
    fn extend(&mut self, terms: &Terms, literals: &[Literal]) {
        for (i, &(formula, holds)) in literals.iter().enumerate().skip(self.known) {
            if evaluate(terms, &self.values, formula) == Some(Value::Bool(holds)) {
                self.holds.insert(i);
            }
        }
        self.known = literals.len();
    }
}

/// Symbols that clauses have in common: one for each place, by its sort.
#[derive(Default)]
pub(super) struct Common {
    symbols: FxHashMap<(Sort, usize), Symbol>,
}

impl Common {
    /// A clause with the common symbols for its own. Arguments of premises come first, so that the same variable of a program mostly
    /// has the same symbol everywhere.
    pub(super) fn rename(&mut self, terms: &mut Terms, clause: &Clause) -> Clause {
        let arguments = clause.body.iter().flat_map(|application| &application.args);
        let first: Vec<Symbol> = arguments.flat_map(|&argument| terms.symbols(argument)).collect();
        let (mut map, mut counts) = (FxHashMap::default(), FxHashMap::default());
        for &symbol in first.iter().chain(&clause.vars) {
            if map.contains_key(&symbol) {
                continue;
            }
            let sort = terms.symbol_sort(symbol).clone();
            let count: &mut usize = counts.entry(sort.clone()).or_default();
            let common = self.symbols.entry((sort.clone(), *count));
            map.insert(symbol, *common.or_insert_with(|| terms.declare(format!("c{count}"), sort)));
            *count += 1;
        }
        clause.clone().renamed(terms, &map)
    }
}
