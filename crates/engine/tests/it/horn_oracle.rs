//! Horn clauses with finitely many facts, solved by deriving all of them; and checks of both kinds of evidence.

use clinch_ir::{Application, Derivation, DerivationStep, HornSystem, HornVerdict, Interpretation, PredId};
use clinch_smt::{Answer, Solver, Z3Solver};
use clinch_terms::evaluate::{Assignment, evaluate};
use clinch_terms::{Node, Symbol, Term, Terms, Value};

/// A derived fact.
struct Fact {
    predicate: PredId,
    values: Vec<Value>,
}

/// Derives facts until there are no more, or a contradiction. `None` if there are more than `limit`.
pub(crate) fn solve(system: &HornSystem, limit: usize) -> Option<HornVerdict> {
    let mut search = Search { system, terms: system.terms.clone(), facts: Vec::new(), steps: Vec::new(), limit };
    if search.fire(None)? {
        return Some(HornVerdict::Unsafe(Derivation { steps: search.steps }));
    }
    let mut next = 0;
    while next < search.facts.len() {
        if search.fire(Some(next))? {
            return Some(HornVerdict::Unsafe(Derivation { steps: search.steps }));
        }
        next += 1;
    }
    Some(HornVerdict::Safe(search.solution()))
}

struct Search<'a> {
    system: &'a HornSystem,
    terms: Terms,
    facts: Vec<Fact>,
    /// The step of each fact, in the same order.
    steps: Vec<DerivationStep>,
    limit: usize,
}

impl Search<'_> {
    /// Fires all clauses on all premises up to `newest` that include it. Whether a contradiction was derived.
    fn fire(&mut self, newest: Option<usize>) -> Option<bool> {
        for (id, clause) in self.system.clause_ids().zip(&self.system.clauses) {
            let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
            for application in &clause.body {
                let fits = |&f: &usize| self.facts[f].predicate == application.predicate;
                let facts: Vec<usize> = (0..newest.map_or(0, |n| n + 1)).filter(fits).collect();
                let extend = |c: &Vec<usize>| facts.iter().map(|&f| [c.as_slice(), &[f]].concat()).collect::<Vec<_>>();
                choices = choices.iter().flat_map(extend).collect();
            }
            for premises in choices.into_iter().filter(|c| c.iter().max().copied() == newest) {
                if self.fire_clause(id, &premises)? {
                    return Some(true);
                }
            }
        }
        Some(false)
    }

    /// All consequences of a clause with these premises.
    fn fire_clause(&mut self, id: clinch_ir::ClauseId, premises: &[usize]) -> Option<bool> {
        let clause = self.system.clause(id);
        let mut solver = solver();
        solver.assert(&self.terms, clause.constraint);
        for (application, &fact) in clause.body.iter().zip(premises) {
            for (&arg, value) in application.args.iter().zip(&self.facts[fact].values) {
                let value = constant(&mut self.terms, value);
                let equation = self.terms.eq(arg, value);
                solver.assert(&self.terms, equation);
            }
        }
        for fact in self.facts.iter().filter(|f| clause.head.as_ref().is_some_and(|h| h.predicate == f.predicate)) {
            let args = &clause.head.as_ref().unwrap().args;
            exclude(&mut self.terms, &mut solver, args, &fact.values);
        }
        while solver.check(&self.terms, &[]) == Answer::Sat {
            let values: Vec<Value> =
                clause.vars.iter().map(|&s| solver.symbol_value(&self.terms, s).unwrap()).collect();
            let assignment: Assignment = clause.vars.iter().copied().zip(values.iter().cloned()).collect();
            self.steps.push(DerivationStep { clause: id, values, premises: premises.to_vec() });
            let Some(head) = &clause.head else { return Some(true) };
            let fact: Vec<Value> = head.args.iter().map(|&t| evaluate(&self.terms, &assignment, t).unwrap()).collect();
            exclude(&mut self.terms, &mut solver, &head.args, &fact);
            self.facts.push(Fact { predicate: head.predicate, values: fact });
            if self.facts.len() > self.limit {
                return None;
            }
        }
        Some(false)
    }

    /// Each predicate is the disjunction of its facts.
    fn solution(mut self) -> Interpretation {
        let mut formulas = vec![self.terms.ff(); self.system.predicates.len()];
        for fact in &self.facts {
            let params = &self.system.predicate(fact.predicate).params;
            let params: Vec<Term> = params.iter().map(|&s| self.terms.symbol(s)).collect();
            let here = equal(&mut self.terms, &params, &fact.values);
            let formula = &mut formulas[fact.predicate.index()];
            *formula = self.terms.or(*formula, here);
        }
        Interpretation { terms: self.terms, formulas }
    }
}

/// A solver that is not in a hurry: tests run on busy machines.
fn solver() -> Z3Solver {
    let solver = Z3Solver::for_formulas();
    solver.set_limits(100_000_000, 60_000);
    solver
}

fn exclude(terms: &mut Terms, solver: &mut Z3Solver, args: &[Term], values: &[Value]) {
    let same = equal(terms, args, values);
    let different = terms.not(same);
    solver.assert(terms, different);
}

fn equal(terms: &mut Terms, args: &[Term], values: &[Value]) -> Term {
    let mut conjuncts = Vec::new();
    for (&arg, value) in args.iter().zip(values) {
        let value = constant(terms, value);
        conjuncts.push(terms.eq(arg, value));
    }
    terms.all(conjuncts)
}

fn constant(terms: &mut Terms, value: &Value) -> Term {
    match value {
        Value::Bool(b) => terms.bool(*b),
        Value::Int(n) => terms.big(n.clone()),
        Value::Real(q) => {
            // A fresh symbol would have to be defined: only integers are needed.
            assert!(q.is_integer(), "{q} is not used here");
            terms.big(q.to_integer())
        }
        other => panic!("{other} is not used here"),
    }
}

/// A brute-force interpolant: all values of the shared symbols for which `a` has a model.
pub(crate) fn interpolate(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let theirs = terms.symbols(b);
    let shared: Vec<Symbol> = terms.symbols(a).into_iter().filter(|s| theirs.contains(s)).collect();
    let symbols: Vec<Term> = shared.iter().map(|&s| terms.symbol(s)).collect();
    let mut solver = solver();
    solver.assert(terms, a);
    let mut disjuncts = Vec::new();
    while solver.check(terms, &[]) == Answer::Sat {
        if disjuncts.len() > 300 {
            return None;
        }
        let values: Vec<Value> = shared.iter().map(|&s| solver.symbol_value(terms, s).unwrap()).collect();
        exclude(terms, &mut solver, &symbols, &values);
        disjuncts.push(equal(terms, &symbols, &values));
    }
    Some(terms.any(disjuncts))
}

/// Whether the formulas make all clauses true.
pub(crate) fn check_solution(system: &HornSystem, solution: &Interpretation) -> Result<(), String> {
    let mut terms = solution.terms.clone();
    assert!(terms.extends(&system.terms));
    for (p, &formula) in system.predicates.iter().zip(&solution.formulas) {
        let foreign = terms.symbols(formula).into_iter().any(|s| !p.params.contains(&s));
        if foreign {
            return Err(format!("the formula of {} mentions other symbols", p.name));
        }
    }
    for (i, clause) in system.clauses.iter().enumerate() {
        let mut solver = solver();
        solver.assert(&terms, clause.constraint);
        let mut formula = |a: &Application| {
            a.instantiate(&mut terms, &system.predicate(a.predicate).params, solution.formulas[a.predicate.index()])
        };
        let body: Vec<Term> = clause.body.iter().map(&mut formula).collect();
        let head = clause.head.as_ref().map(formula);
        body.into_iter().for_each(|f| solver.assert(&terms, f));
        if let Some(head) = head {
            let negated = terms.not(head);
            solver.assert(&terms, negated);
        }
        let answer = solver.check(&terms, &[]);
        if answer != Answer::Unsat {
            return Err(format!("clause {i}: {answer:?}"));
        }
    }
    Ok(())
}

/// Whether each step is an instance of its clause on its premises, and the last one a contradiction.
pub(crate) fn check_refutation(system: &HornSystem, derivation: &Derivation) -> Result<(), String> {
    let mut facts: Vec<Option<(PredId, Vec<Value>)>> = Vec::new();
    for (i, step) in derivation.steps.iter().enumerate() {
        let clause = system.clause(step.clause);
        if step.values.len() != clause.vars.len() || step.premises.len() != clause.body.len() {
            return Err(format!("step {i}: wrong number of values or premises"));
        }
        let values: Assignment = clause.vars.iter().copied().zip(step.values.iter().cloned()).collect();
        let value = |t: Term| evaluate(&system.terms, &values, t).ok_or(format!("step {i}: a term without value"));
        let fact = |a: &Application| {
            Ok::<_, String>((a.predicate, a.args.iter().map(|&t| value(t)).collect::<Result<Vec<_>, _>>()?))
        };
        if value(clause.constraint)? != Value::Bool(true) {
            return Err(format!("step {i}: the constraint of clause {} is false", step.clause.index()));
        }
        for (application, &premise) in clause.body.iter().zip(&step.premises) {
            if facts.get(premise) != Some(&Some(fact(application)?)) {
                return Err(format!("step {i}: premise {premise} is another fact"));
            }
        }
        facts.push(clause.head.as_ref().map(fact).transpose()?);
    }
    if facts.last() == Some(&None) { Ok(()) } else { Err("no contradiction at the end".to_owned()) }
}

/// A clause system as text, for failures.
pub(crate) fn show(system: &HornSystem) -> String {
    let terms = &system.terms;
    let application = |a: &Application| {
        let args: Vec<String> = a.args.iter().map(|&t| show_term(terms, t)).collect();
        format!("{}({})", system.predicate(a.predicate).name, args.join(", "))
    };
    let clause = |c: &clinch_ir::Clause| {
        let body = c.body.iter().map(application).chain([show_term(terms, c.constraint)]);
        let head = c.head.as_ref().map_or("false".to_owned(), application);
        format!("{} -> {head}\n", body.collect::<Vec<_>>().join(" & "))
    };
    system.clauses.iter().map(clause).collect()
}

/// A term as text.
pub(crate) fn show_term(terms: &Terms, term: Term) -> String {
    let show = |t| show_term(terms, t);
    match terms.node(term) {
        Node::Symbol(s) => format!("{}_{}", terms.symbol_name(s), s.index()),
        Node::Bool(b) => b.to_string(),
        Node::Int(n) => n.to_string(),
        Node::Unary(op, a) => format!("{op:?}({})", show(a)),
        Node::Binary(op, a, b) => format!("({} {op:?} {})", show(a), show(b)),
        Node::Ite(c, a, b) => format!("ite({}, {}, {})", show(c), show(a), show(b)),
        node => format!("{node:?}"),
    }
}
