//! One question about a large formula: what symbolic execution asks.

use std::collections::BTreeSet;

use clinch_ir::{BinOp, Node, Sort, Symbol, Term, Terms, Value};
use rustc_hash::FxHashSet;
use z3::Tactic;

use crate::decode;
use crate::encode::{Expr, z3_sort};
use crate::solver::{Answer, Solver};
use crate::z3_solver::Z3Solver;

/// A formula that is asked about once. Arrays that are read at constants only are no arrays for the solver but one unknown
/// for each cell; what is left is decided by a SAT solver, if it is about bits alone.
#[derive(Debug)]
pub struct LargeQuestion {
    solver: Z3Solver,
    /// Arrays that are used in other ways.
    arrays: FxHashSet<Symbol>,
}

/// What decides formulas over truth values and bit-vectors.
const BITS: [&str; 8] =
    ["simplify", "propagate-values", "solve-eqs", "elim-uncnstr", "simplify", "bit-blast", "simplify", "sat"];
/// What decides other formulas.
const OTHER: [&str; 6] = ["simplify", "propagate-values", "solve-eqs", "elim-uncnstr", "simplify", "smt"];

impl LargeQuestion {
    /// The question whether the formula has a model, to be answered in so many milliseconds.
    pub fn new(terms: &Terms, formula: Term, milliseconds: u32) -> Self {
        let parts = terms.parts(formula);
        let arrays = used_as_arrays(terms, &parts);
        let in_bits = parts.iter().all(|&part| match (terms.sort(part), terms.node(part)) {
            (Sort::Bool | Sort::BitVec(_), _) => true,
            (Sort::Array(_), Node::Symbol(symbol)) => !arrays.contains(&symbol),
            _ => false,
        });
        let steps: &[&str] = if in_bits { &BITS } else { &OTHER };
        let tactic = steps.iter().map(|name| Tactic::new(name)).reduce(|all, next| all.and_then(&next));
        let solver = Z3Solver::with_tactic(&tactic.expect("there are steps"));
        solver.set_limits(0, milliseconds.max(1));
        let mut question = LargeQuestion { solver, arrays };
        question.encode(terms, &parts);
        question.solver.assert(terms, formula);
        question
    }

    /// Asks.
    pub fn answer(&mut self, terms: &Terms) -> Answer {
        self.solver.check(terms, &[])
    }

    /// After `Sat`: the value of a term.
    pub fn value(&mut self, terms: &Terms, term: Term) -> Option<Value> {
        self.encode(terms, &self.unknown_parts(terms, term));
        let expr = self.solver.encoder.term(terms, term).dynamic();
        decode::value(&self.solver.model()?.eval(&expr, true)?)
    }

    /// The parts of a term that were not translated yet, each after its own parts.
    fn unknown_parts(&self, terms: &Terms, term: Term) -> Vec<Term> {
        let (mut parts, mut waiting) = (BTreeSet::new(), vec![term]);
        while let Some(part) = waiting.pop() {
            if !self.solver.encoder.knows(part) && parts.insert(part) {
                waiting.extend(terms.children(part));
            }
        }
        parts.into_iter().collect()
    }

    /// Translates parts before what they are parts of, for formulas may be deep.
    fn encode(&mut self, terms: &Terms, parts: &[Term]) {
        for &part in parts {
            match cell(terms, part) {
                Some((array, _)) if !self.arrays.contains(&array) => {
                    let name = format!("{}@{}", terms.symbol_name(array), part.index());
                    let constant = z3::ast::Dynamic::new_const(name, &z3_sort(&terms.sort(part)));
                    self.solver.encoder.define(part, Expr::of_dynamic(&constant));
                }
                _ if matches!(terms.node(part), Node::Symbol(_)) && matches!(terms.sort(part), Sort::Array(_)) => {}
                _ => {
                    self.solver.encoder.term(terms, part);
                }
            }
        }
    }
}

/// The array and the index of a read of a cell with unknown contents.
fn cell(terms: &Terms, part: Term) -> Option<(Symbol, Term)> {
    let Node::Binary(BinOp::Select, array, index) = terms.node(part) else { return None };
    match (terms.node(array), terms.node(index)) {
        (Node::Symbol(symbol), Node::BitVec(..) | Node::Int(_)) => Some((symbol, index)),
        _ => None,
    }
}

fn used_as_arrays(terms: &Terms, parts: &[Term]) -> FxHashSet<Symbol> {
    let mut arrays = FxHashSet::default();
    for &part in parts {
        if cell(terms, part).is_some() {
            continue;
        }
        for child in terms.children(part) {
            if let (Node::Symbol(symbol), Sort::Array(_)) = (terms.node(child), terms.sort(child)) {
                arrays.insert(symbol);
            }
        }
    }
    arrays
}
