//! One question about a large formula: what symbolic execution asks.

use std::collections::BTreeSet;

use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, Value};
use rustc_hash::FxHashSet;
use z3::Tactic;

use crate::bits::{self, Bit, Blaster, Formulas};
use crate::decode;
use crate::encode::z3_sort;
use crate::expr::Expr;
use crate::ranges::{self, Question};
use crate::solver::{Answer, Solver};
use crate::z3_solver::Z3Solver;

/// A formula that is asked about once. If it is about bits alone it becomes a circuit, which a SAT solver decides.
#[derive(Debug)]
pub struct LargeQuestion {
    solver: Z3Solver,
    way: Way,
}

#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one at a time")]
enum Way {
    Circuit {
        blaster: Blaster,
        formulas: Formulas,
        /// After `Sat`: the values of the gates asked about so far.
        values: Vec<bool>,
    },
    /// Terms of Z3. Arrays that are read at constants only are no arrays for the solver but one unknown for each cell; these
    /// are the others.
    Terms { arrays: FxHashSet<Symbol> },
    /// Intervals show that there is no model.
    Refuted,
}

/// Parts of a formula from which on a circuit is sooner made than a formula of Z3's.
const MANY: usize = 300;

/// What decides formulas that are no circuits.
const OTHER: [&str; 6] = ["simplify", "propagate-values", "solve-eqs", "elim-uncnstr", "simplify", "smt"];

impl LargeQuestion {
    /// The question whether the formula has a model, to be answered in so many milliseconds.
    pub fn new(terms: &Terms, formula: Term, milliseconds: u32) -> Self {
        let parts = terms.parts(formula);
        let cases = ranges::refute(terms, &parts, formula, milliseconds);
        if cases.one.is_empty() {
            return LargeQuestion { solver: Z3Solver::for_formulas(), way: Way::Refuted };
        }
        let question = match as_circuit(terms, &cases) {
            Some((solver, way)) => LargeQuestion { solver, way },
            None => as_terms(terms, &parts, formula, &cases.refuted),
        };
        question.solver.set_limits(0, milliseconds.max(1));
        question
    }

    /// Whether conditions are about bits alone, and large.
    pub fn is_about_bits(terms: &Terms, conditions: &[Term]) -> bool {
        let mut parts = BTreeSet::new();
        conditions.iter().for_each(|&condition| add_parts(terms, condition, |_| false, &mut parts));
        parts.len() >= MANY && bits::is_in_bits(terms, &Vec::from_iter(parts))
    }

    /// The question about a circuit; none if it would be too large, or the formula is not about bits alone.
    pub fn about_bits(terms: &Terms, formula: Term, milliseconds: u32) -> Option<Self> {
        let cases = Question { all: Vec::new(), one: vec![formula], refuted: Vec::new() };
        let (solver, way) = as_circuit(terms, &cases)?;
        solver.set_limits(0, milliseconds.max(1));
        Some(LargeQuestion { solver, way })
    }

    /// Asks.
    pub fn answer(&mut self, terms: &Terms) -> Answer {
        if matches!(self.way, Way::Refuted) {
            return Answer::Unsat;
        }
        let answer = self.solver.check(terms, &[]);
        if let (Way::Circuit { blaster, formulas, values }, Some(model)) = (&mut self.way, self.solver.model()) {
            *values = formulas.values(&blaster.circuit, model);
        }
        answer
    }

    /// After `Sat`: the value of a term.
    pub fn value(&mut self, terms: &Terms, term: Term) -> Option<Value> {
        match &mut self.way {
            Way::Circuit { blaster, values, .. } => {
                let parts = unknown_parts(terms, term, |part| blaster.knows(part));
                let word = blaster.word(terms, &parts, term)?;
                blaster.circuit.evaluate_to(blaster.circuit.len(), values);
                bits::value(&terms.sort(term), &word, values)
            }
            Way::Terms { arrays } => {
                let parts = unknown_parts(terms, term, |part| self.solver.encoder.knows(part));
                encode(&mut self.solver, arrays, terms, &parts);
                let expr = self.solver.encoder.term(terms, term).dynamic();
                decode::value(&self.solver.model()?.eval(&expr, true)?)
            }
            Way::Refuted => None,
        }
    }
}

/// Whether intervals show that a formula about floats has no model, in so many milliseconds.
pub fn refuted_by_intervals(terms: &Terms, formula: Term, milliseconds: u32) -> bool {
    ranges::refute(terms, &terms.parts(formula), formula, milliseconds).one.is_empty()
}

/// The cases that are left.
fn as_circuit(terms: &Terms, cases: &Question) -> Option<(Z3Solver, Way)> {
    let mut parts = BTreeSet::new();
    cases.all.iter().chain(&cases.one).for_each(|&root| add_parts(terms, root, |_| false, &mut parts));
    let parts: Vec<Term> = parts.into_iter().collect();
    if !bits::is_in_bits(terms, &parts) {
        return None;
    }
    let mut blaster = Blaster::default();
    let mut word = |term: Term| blaster.word(terms, &parts, term).map(|word| word[0]);
    let one: Vec<Bit> = cases.one.iter().map(|&case| word(case)).collect::<Option<_>>()?;
    let all: Vec<Bit> = cases.all.iter().map(|&root| word(root)).collect::<Option<_>>()?;
    let circuit = &mut blaster.circuit;
    let one = one.into_iter().fold(Bit::FALSE, |one, case| circuit.or(one, case));
    let goal = all.into_iter().fold(one, |goal, root| circuit.and(goal, root));
    let mut solver = Z3Solver::with_tactic(&Tactic::new("sat"));
    let formulas = Formulas::new(&blaster.circuit, goal);
    formulas.goals(&blaster.circuit).iter().for_each(|goal| solver.assert_formula(goal));
    Some((solver, Way::Circuit { blaster, formulas, values: Vec::new() }))
}

fn as_terms(terms: &Terms, parts: &[Term], formula: Term, impossible: &[Term]) -> LargeQuestion {
    let arrays = used_as_arrays(terms, parts);
    let tactic = OTHER.iter().map(|name| Tactic::new(name)).reduce(|all, next| all.and_then(&next));
    let mut solver = Z3Solver::with_tactic(&tactic.expect("there are steps"));
    encode(&mut solver, &arrays, terms, parts);
    solver.assert(terms, formula);
    impossible.iter().for_each(|&case| solver.assert_literal(terms, case, false));
    LargeQuestion { solver, way: Way::Terms { arrays } }
}

/// The parts of a term that are not known, each after its own parts.
fn unknown_parts(terms: &Terms, term: Term, knows: impl Fn(Term) -> bool) -> Vec<Term> {
    let mut parts = BTreeSet::new();
    add_parts(terms, term, knows, &mut parts);
    parts.into_iter().collect()
}

fn add_parts(terms: &Terms, term: Term, knows: impl Fn(Term) -> bool, parts: &mut BTreeSet<Term>) {
    let mut waiting = vec![term];
    while let Some(part) = waiting.pop() {
        if !knows(part) && parts.insert(part) {
            waiting.extend(terms.children(part));
        }
    }
}

/// Translates parts before what they are parts of, for formulas may be deep.
fn encode(solver: &mut Z3Solver, arrays: &FxHashSet<Symbol>, terms: &Terms, parts: &[Term]) {
    for &part in parts {
        match cell(terms, part) {
            Some((array, _)) if !arrays.contains(&array) => {
                let name = format!("{}@{}", terms.symbol_name(array), part.index());
                let constant = z3::ast::Dynamic::new_const(name, &z3_sort(&terms.sort(part)));
                solver.encoder.define(part, Expr::of_dynamic(&constant));
            }
            _ if matches!(terms.node(part), Node::Symbol(_)) && matches!(terms.sort(part), Sort::Array(_)) => {}
            _ => {
                solver.encoder.term(terms, part);
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
