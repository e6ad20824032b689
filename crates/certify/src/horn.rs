//! Solutions and refutations of Horn clauses.
//!
//! A solution is checked clause by clause, with a fresh query each: the formulas of the body and the constraint imply the
//! formula of the head. A refutation is evaluated, without a solver.

use std::collections::BTreeSet;

use clinch_ir::{Application, Clause, ClauseId, Derivation, DerivationStep, HornSystem, Interpretation};
use clinch_smt::{Answer, Solver, Z3Solver};
use clinch_terms::evaluate::{Assignment, evaluate};
use clinch_terms::float::extended;
use clinch_terms::{BinOp, Node, Sort, Term, Terms, UnOp, Value};
use rustc_hash::FxHashMap;

use crate::{Rejection, Stop};

/// Limits of a query before it is split, and of the parts that cannot be split further: work, milliseconds.
const FIRST: (u32, u32) = (2_000_000, 1_000);
const LAST: (u32, u32) = (20_000_000, 10_000);
/// How often a query is split.
const DEPTH: usize = 6;

/// Checks that a solution satisfies all clauses.
pub fn check_solution(system: &HornSystem, solution: &Interpretation, stop: Stop<'_>) -> Result<(), Rejection> {
    check_shape(system, solution)?;
    let mut checker = SolutionChecker { system, solution, terms: solution.terms.clone(), stop };
    system.clause_ids().try_for_each(|id| checker.check_clause(id))
}

/// Checks that a derivation consists of instances of clauses and ends in a contradiction.
pub fn check_refutation(system: &HornSystem, derivation: &Derivation) -> Result<(), Rejection> {
    let mut facts: Vec<Option<Fact>> = Vec::new();
    for (number, step) in derivation.steps.iter().enumerate() {
        let fact = check_step(system, &facts, step).map_err(|e| in_step(number, e))?;
        facts.push(fact);
    }
    match facts.last() {
        Some(None) => Ok(()),
        Some(Some(_)) => Err(Rejection::Wrong("the refutation does not end in a contradiction".to_owned())),
        None => Err(Rejection::Wrong("the refutation is empty".to_owned())),
    }
}

/// The solution speaks about this system: formulas over the parameters of their predicates.
fn check_shape(system: &HornSystem, solution: &Interpretation) -> Result<(), Rejection> {
    if !solution.terms.extends(&system.terms) || solution.formulas.len() != system.predicates.len() {
        return wrong("it is about another system");
    }
    for (predicate, &formula) in system.predicates.iter().zip(&solution.formulas) {
        if formula.index() >= solution.terms.len() || checked_sort(&solution.terms, formula) != Some(Sort::Bool) {
            return wrong(&format!("what it says of {} is not a formula", predicate.name));
        }
        if solution.terms.symbols(formula).iter().any(|s| !predicate.params.contains(s)) {
            return wrong(&format!("what it says of {} is about other symbols", predicate.name));
        }
    }
    Ok(())
}

/// The sort of a formula's term, if all its parts have one. Parts have smaller indices than what they are parts of.
fn checked_sort(terms: &Terms, term: Term) -> Option<Sort> {
    let mut parts = BTreeSet::from([term]);
    let mut waiting = vec![term];
    while let Some(part) = waiting.pop() {
        waiting.extend(terms.children(part).filter(|&child| parts.insert(child)));
    }
    let mut sorts: FxHashMap<Term, Sort> = FxHashMap::default();
    for part in parts {
        let sort = node_sort(terms, terms.node(part), |t| sorts.get(&t).cloned())?;
        sorts.insert(part, sort);
    }
    sorts.remove(&term)
}

fn node_sort(terms: &Terms, node: Node, of: impl Fn(Term) -> Option<Sort>) -> Option<Sort> {
    let number = |t: Term| of(t).filter(Sort::is_numeric);
    // An integer may stand where a rational number is expected.
    let join = |a: Sort, b: Sort| match (a, b) {
        (a, b) if a == b => Some(a),
        (Sort::Int, Sort::Real) | (Sort::Real, Sort::Int) => Some(Sort::Real),
        _ => None,
    };
    match node {
        Node::Bool(_) => Some(Sort::Bool),
        Node::Int(_) | Node::Big(_) => Some(Sort::Int),
        Node::BitVec(width, _) | Node::BigBitVec(width, _) => Some(Sort::BitVec(width)),
        Node::IntToBv(width, a) => of(a).filter(|s| *s == Sort::Int).map(|_| Sort::BitVec(width)),
        Node::Symbol(symbol) if symbol.index() < terms.symbol_count() => Some(terms.symbol_sort(symbol).clone()),
        Node::ConstArray(id, element) => match terms.sort_of_id(id) {
            sort @ Sort::Array(parts) if of(element)? == parts.1 => Some(sort.clone()),
            _ => None,
        },
        Node::Unary(UnOp::Not, a) => of(a).filter(|s| *s == Sort::Bool),
        Node::Unary(UnOp::BoolToInt, a) => of(a).filter(|s| *s == Sort::Bool).map(|_| Sort::Int),
        Node::Unary(UnOp::Neg, a) => number(a),
        Node::Binary(BinOp::And | BinOp::Or, a, b) => {
            (of(a)? == Sort::Bool && of(b)? == Sort::Bool).then_some(Sort::Bool)
        }
        Node::Binary(BinOp::Eq, a, b) => join(of(a)?, of(b)?).map(|_| Sort::Bool),
        Node::Binary(BinOp::Le | BinOp::Lt, a, b) => join(number(a)?, number(b)?).map(|_| Sort::Bool),
        Node::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, a, b) => join(number(a)?, number(b)?),
        Node::Binary(BinOp::Select, array, index) => match of(array)? {
            Sort::Array(parts) if of(index)? == parts.0 => Some(parts.1.clone()),
            _ => None,
        },
        Node::Binary(op, a, b) if !op.on_bit_vectors() && !matches!(op, BinOp::Float(..) | BinOp::Extended(_)) => {
            (of(a)? == Sort::Int && of(b)? == Sort::Int).then_some(Sort::Int)
        }
        Node::Ite(c, a, b) => join(of(a)?, of(b)?).filter(|_| of(c) == Some(Sort::Bool)),
        Node::Store(array, index, value) => match of(array)? {
            Sort::Array(parts) if of(index)? == parts.0 && of(value)? == parts.1 => Some(Sort::Array(parts)),
            _ => None,
        },
        Node::Symbol(_) | Node::Unary(UnOp::BitNot, _) | Node::Var(_) | Node::At(..) | Node::Input(_) => None,
        on_bits => bit_vector_sort(on_bits, of),
    }
}

/// The sort of an operation whose operands are bit-vectors.
fn bit_vector_sort(node: Node, of: impl Fn(Term) -> Option<Sort>) -> Option<Sort> {
    let width = |t: Term| match of(t)? {
        Sort::BitVec(width) => Some(width),
        _ => None,
    };
    match node {
        Node::Extract { hi, lo, of: a } => (lo <= hi && hi < width(a)?).then(|| Sort::BitVec(hi - lo + 1)),
        Node::Extend { by, of: a, .. } => Some(Sort::BitVec(width(a)?.checked_add(by)?)),
        Node::Unary(UnOp::BvNot | UnOp::BvNeg, a) => width(a).map(Sort::BitVec),
        Node::Unary(UnOp::BvToNat, a) => width(a).map(|_| Sort::Int),
        Node::Unary(UnOp::Float(op, format), a) => {
            let fits = if op.takes_float() { width(a)? == format.width() } else { width(a)? <= 64 };
            (fits && (1..=64).contains(&op.width(format))).then(|| Sort::BitVec(op.width(format)))
        }
        Node::Binary(BinOp::Float(op, format), a, b) => {
            let fits = [a, b].iter().all(|&t| width(t) == Some(format.width()));
            fits.then(|| if op.compares() { Sort::Bool } else { Sort::BitVec(format.width()) })
        }
        Node::Unary(UnOp::Extended(op), a) => op.takes(width(a)?).then(|| Sort::BitVec(op.width())),
        Node::Binary(BinOp::Extended(op), a, b) => {
            let fits = [a, b].iter().all(|&t| width(t) == Some(extended::WIDTH));
            fits.then(|| if op.compares() { Sort::Bool } else { Sort::BitVec(extended::WIDTH) })
        }
        Node::Fma(format, a, b, c) => {
            let fits = [a, b, c].iter().all(|&t| width(t) == Some(format.width()));
            fits.then(|| Sort::BitVec(format.width()))
        }
        Node::Binary(BinOp::BvConcat, a, b) => Some(Sort::BitVec(width(a)?.checked_add(width(b)?)?)),
        Node::Binary(op, a, b) if op.on_bit_vectors() => {
            let common = width(a).filter(|&w| width(b) == Some(w))?;
            Some(if op.compares_bit_vectors() { Sort::Bool } else { Sort::BitVec(common) })
        }
        _ => None,
    }
}

struct SolutionChecker<'a> {
    system: &'a HornSystem,
    solution: &'a Interpretation,
    terms: Terms,
    stop: Stop<'a>,
}

impl SolutionChecker<'_> {
    fn check_clause(&mut self, id: ClauseId) -> Result<(), Rejection> {
        let clause = self.system.clause(id);
        let mut facts: Vec<Term> = clause.body.iter().map(|a| self.meaning(a)).collect();
        facts.push(clause.constraint);
        let goal = match &clause.head {
            Some(head) => self.meaning(head),
            None => self.terms.ff(),
        };
        match self.implied(facts, goal, DEPTH)? {
            Answer::Unsat => Ok(()),
            Answer::Sat => wrong(&format!("it violates {}", place(self.system, id))),
            Answer::Unknown => Err(Rejection::Undecided(format!("the solver gave up on {}", place(self.system, id)))),
        }
    }

    /// What the solution says of an application.
    fn meaning(&mut self, application: &Application) -> Term {
        let formula = self.solution.formulas[application.predicate.index()];
        let params = &self.system.predicate(application.predicate).params;
        application.instantiate(&mut self.terms, params, formula)
    }

    /// Whether the facts imply the goal: `Unsat` says yes. Where the solver gives up, the cases of a disjunction among the
    /// facts, or the parts of a conjunction as goal, are asked one by one.
    fn implied(&mut self, facts: Vec<Term>, goal: Term, depth: usize) -> Result<Answer, Rejection> {
        let facts = self.terms.operands(BinOp::And, &facts);
        if facts.contains(&goal) || facts.iter().any(|&f| self.terms.node(f) == Node::Bool(false)) {
            return Ok(Answer::Unsat);
        }
        match self.ask(&facts, goal, FIRST)? {
            Answer::Unknown => {}
            known => return Ok(known),
        }
        let parts = if depth > 0 { self.split(&facts, goal) } else { Vec::new() };
        if parts.is_empty() {
            return self.ask(&facts, goal, LAST);
        }
        for (facts, goal) in parts {
            match self.implied(facts, goal, depth - 1)? {
                Answer::Unsat => {}
                other => return Ok(other),
            }
        }
        Ok(Answer::Unsat)
    }

    /// Smaller queries that together answer this one.
    fn split(&self, facts: &[Term], goal: Term) -> Vec<(Vec<Term>, Term)> {
        let goals = self.terms.conjuncts(goal);
        if goals.len() > 1 {
            return goals.into_iter().map(|g| (facts.to_vec(), g)).collect();
        }
        let cases = |&f: &Term| self.terms.disjuncts(f);
        let Some(at) = facts.iter().position(|f| cases(f).len() > 1) else { return Vec::new() };
        let with = |case: Term| {
            let mut facts = facts.to_vec();
            facts[at] = case;
            (facts, goal)
        };
        cases(&facts[at]).into_iter().map(with).collect()
    }

    fn ask(&mut self, facts: &[Term], goal: Term, limits: (u32, u32)) -> Result<Answer, Rejection> {
        if (self.stop)() {
            return Err(Rejection::Stopped);
        }
        let mut solver = Z3Solver::for_one_question();
        solver.set_limits(limits.0, limits.1);
        for &fact in facts {
            solver.assert(&self.terms, fact);
        }
        let not_goal = self.terms.not(goal);
        solver.assert(&self.terms, not_goal);
        Ok(solver.check(&self.terms, &[]))
    }
}

/// What a step derives: a predicate with its arguments' values.
struct Fact {
    predicate: clinch_ir::PredId,
    args: Vec<Value>,
}

/// What a step derives; nothing if it is a contradiction. Only earlier steps are in `facts`.
fn check_step(system: &HornSystem, facts: &[Option<Fact>], step: &DerivationStep) -> Result<Option<Fact>, Rejection> {
    let Some(clause) = system.clauses.get(step.clause.index()) else {
        return wrong_step("there is no such clause");
    };
    let fits = |(symbol, value): (&clinch_terms::Symbol, &Value)| {
        value.has_sort(system.terms.symbol_sort(*symbol)) && is_canonical(value)
    };
    if step.values.len() != clause.vars.len() || !clause.vars.iter().zip(&step.values).all(fits) {
        return wrong_step("it does not give a value to each symbol");
    }
    if looks_up_finite_maps(&system.terms, clause) {
        return Err(Rejection::Undecided("arrays with finitely many indices are indices".to_owned()));
    }
    let assignment: Assignment = clause.vars.iter().copied().zip(step.values.iter().cloned()).collect();
    match evaluate(&system.terms, &assignment, clause.constraint) {
        Some(Value::Bool(true)) => {}
        Some(_) => return wrong_step("its constraint does not hold"),
        None => return Err(Rejection::Undecided("its constraint cannot be evaluated".to_owned())),
    }
    if step.premises.len() != clause.body.len() {
        return wrong_step("it does not have a premise for each application in its body");
    }
    for (application, &premise) in clause.body.iter().zip(&step.premises) {
        let Some(Some(fact)) = facts.get(premise) else {
            return wrong_step("a premise is not derived before it");
        };
        let args = values_of(system, &assignment, application)?;
        if fact.predicate != application.predicate || !fact.args.iter().zip(&args).all(|(a, b)| a.same(b) == Some(true))
        {
            return wrong_step("a premise derives something else");
        }
    }
    let derive =
        |head: &Application| Ok(Fact { predicate: head.predicate, args: values_of(system, &assignment, head)? });
    clause.head.as_ref().map(derive).transpose()
}

fn values_of(system: &HornSystem, assignment: &Assignment, application: &Application) -> Result<Vec<Value>, Rejection> {
    let params = &system.predicate(application.predicate).params;
    let values = application.args.iter().zip(params).map(|(&arg, &param)| {
        let value = evaluate(&system.terms, assignment, arg)?;
        Some(value.into_sort(system.terms.symbol_sort(param)))
    });
    let values: Option<Vec<Value>> = values.collect();
    values.ok_or_else(|| Rejection::Undecided("an argument cannot be evaluated".to_owned()))
}

/// Whether equal maps are equal values: none of its entries equals its default.
fn is_canonical(value: &Value) -> bool {
    match value {
        Value::Array { default, entries } => {
            is_canonical(default)
                && entries.iter().all(|(i, v)| v != default.as_ref() && is_canonical(i) && is_canonical(v))
        }
        _ => true,
    }
}

/// Whether the clause looks up maps with finitely many indices in other maps: equal ones may be different values.
fn looks_up_finite_maps(terms: &Terms, clause: &Clause) -> bool {
    let mut found = clause.vars.iter().any(|&v| has_finite_map_as_index(terms.symbol_sort(v)));
    let args = clause.body.iter().chain(&clause.head).flat_map(|a| a.args.iter().copied());
    for term in args.chain([clause.constraint]) {
        terms.visit(term, &mut |node| {
            if let Node::ConstArray(sort, _) = node {
                found |= has_finite_map_as_index(terms.sort_of_id(sort));
            }
        });
    }
    found
}

fn has_finite_map_as_index(sort: &Sort) -> bool {
    match sort {
        Sort::Array(of) => has_finite_map(&of.0) || has_finite_map_as_index(&of.1),
        _ => false,
    }
}

fn has_finite_map(sort: &Sort) -> bool {
    match sort {
        Sort::Array(of) => {
            matches!(of.0, Sort::Bool | Sort::BitVec(_)) || has_finite_map(&of.0) || has_finite_map(&of.1)
        }
        _ => false,
    }
}

/// A clause for people.
fn place(system: &HornSystem, id: ClauseId) -> String {
    let (line, column) = system.source.line_column(system.clause(id).span.start);
    format!("clause {} ({}:{line}:{column})", id.index() + 1, system.source.name)
}

fn in_step(number: usize, rejection: Rejection) -> Rejection {
    let say = |text: String| format!("step {} of the refutation: {text}", number + 1);
    match rejection {
        Rejection::Wrong(text) => Rejection::Wrong(say(text)),
        Rejection::Undecided(text) => Rejection::Undecided(say(text)),
        Rejection::Stopped => Rejection::Stopped,
    }
}

fn wrong_step<T>(what: &str) -> Result<T, Rejection> {
    Err(Rejection::Wrong(what.to_owned()))
}

fn wrong<T>(what: &str) -> Result<T, Rejection> {
    Err(Rejection::Wrong(format!("the solution is none: {what}")))
}
