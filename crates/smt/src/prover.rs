//! Validity of implications "these predicates have these values, hence that one has that value".
//!
//! [Alpha, section 8]: queries are cached, and before an implication is asked, its right side is tried alone; those
//! results are cached too. Premises that share no variable with the conclusion, directly or through others, need not be
//! given ([`Prover::connected`]): all premises hold together in some state, so they cannot help. More queries are then
//! equal.

use clinch_ir::Program;
use clinch_terms::{Node, Term, Terms, VarId};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::solver::{Answer, Solver};
use crate::z3_solver::Z3Solver;

/// A predicate and its value.
pub type Literal = (Term, bool);

/// How often the prover was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Calls of the solver.
    pub queries: u64,
    /// Questions answered from the caches.
    pub cache_hits: u64,
}

/// Answers implications.
pub struct Prover {
    solver: Z3Solver,
    implications: FxHashMap<(Box<[Literal]>, Literal), bool>,
    tautologies: FxHashMap<Literal, bool>,
    vars: FxHashMap<Term, Box<[VarId]>>,
    counters: Counters,
}

impl Prover {
    /// For terms over the program's variables.
    pub fn new(program: &Program) -> Self {
        Prover {
            solver: Z3Solver::new(program),
            implications: FxHashMap::default(),
            tautologies: FxHashMap::default(),
            vars: FxHashMap::default(),
            counters: Counters::default(),
        }
    }

    /// What was asked so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Whether the premises imply the conclusion. `false` also when the solver cannot say.
    ///
    /// The premises must hold together in some state.
    pub fn implies(&mut self, terms: &Terms, premises: &[Literal], conclusion: Literal) -> bool {
        match terms.node(conclusion.0) {
            Node::Bool(value) => return value == conclusion.1,
            _ if premises.contains(&conclusion) => return true,
            _ => {}
        }
        if self.is_tautology(terms, conclusion) {
            return true;
        }
        if premises.is_empty() {
            return false;
        }
        let key = (premises.into(), conclusion);
        if let Some(&known) = self.implications.get(&key) {
            self.counters.cache_hits += 1;
            return known;
        }
        let valid = self.ask(terms, &key.0, conclusion);
        self.implications.insert(key, valid);
        valid
    }

    fn is_tautology(&mut self, terms: &Terms, literal: Literal) -> bool {
        if let Some(&known) = self.tautologies.get(&literal) {
            self.counters.cache_hits += 1;
            return known;
        }
        let valid = self.ask(terms, &[], literal);
        self.tautologies.insert(literal, valid);
        valid
    }

    fn ask(&mut self, terms: &Terms, premises: &[Literal], (conclusion, value): Literal) -> bool {
        self.counters.queries += 1;
        let mut assumptions = premises.to_vec();
        assumptions.push((conclusion, !value));
        self.solver.check(terms, &assumptions) == Answer::Unsat
    }

    /// Positions of the predicates connected to the conclusion by shared variables.
    pub fn connected(&mut self, terms: &Terms, predicates: &[Term], conclusion: Term) -> Vec<usize> {
        let mut reached: Vec<VarId> = self.vars_of(terms, conclusion).to_vec();
        let mut taken = vec![false; predicates.len()];
        loop {
            let before = reached.len();
            for (i, &predicate) in predicates.iter().enumerate() {
                let vars = self.vars_of(terms, predicate);
                if !taken[i] && vars.iter().any(|v| reached.contains(v)) {
                    taken[i] = true;
                    let new: Vec<VarId> = vars.iter().copied().filter(|v| !reached.contains(v)).collect();
                    reached.extend(new);
                }
            }
            if reached.len() == before {
                break;
            }
        }
        (0..predicates.len()).filter(|&i| taken[i]).collect()
    }

    fn vars_of(&mut self, terms: &Terms, term: Term) -> &[VarId] {
        self.vars.entry(term).or_insert_with(|| terms.vars(term).into())
    }
}
