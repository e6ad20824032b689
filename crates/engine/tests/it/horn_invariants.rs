//! Invariants found before the search are inductive, hold of everything that can be derived, and say what they should.

use std::time::Duration;

use clinch_engine::horn::{InvariantOptions, Invariants, invariants, strengthen};
use clinch_ir::{HornSystem, HornVerdict, Interpretation, PredId};
use clinch_smt::{Answer, Solver, Z3Solver};
use clinch_terms::{BinOp, Sort, Term, Terms};
use proptest::prelude::*;

use crate::horn_oracle::{check_solution, show, show_term, solve};
use crate::horn_simplify::{Builder, random_system};

/// Time does not matter here.
fn options() -> InvariantOptions {
    InvariantOptions { time: Duration::from_secs(3), ..InvariantOptions::default() }
}

fn implies(terms: &mut Terms, a: Term, b: Term) -> bool {
    let mut solver = Z3Solver::for_formulas();
    solver.assert(terms, a);
    let outside = terms.not(b);
    solver.assert(terms, outside);
    solver.check(terms, &[]) == Answer::Unsat
}

/// The clauses that derive something.
fn definite(system: &HornSystem) -> HornSystem {
    let mut definite = system.clone();
    definite.clauses.retain(|c| c.head.is_some());
    definite
}

fn interpretation(found: &Invariants) -> Interpretation {
    Interpretation { terms: found.terms.clone(), formulas: found.formulas.clone() }
}

/// `i = 0, x = 3 n, 1 <= n <= 4; while i < 1000 { i += 1; x += 1 }`, and the invariant over `(i, x, n)`.
fn counters() -> (HornSystem, PredId) {
    let mut b = Builder::new();
    let p = b.predicate("p", &[Sort::Int, Sort::Int, Sort::Int]);
    let [n, zero, three] = [b.int("n"), b.k(0), b.k(3)];
    let (range, x) = (b.within(n, 1, 4), b.system.terms.mul(three, n));
    b.clause(&[], &[range], Some((p, &[zero, x, n])));
    let [i, x, n] = ["i", "x", "n"].map(|name| b.int(name));
    let (thousand, next, sum) = (b.k(1000), b.plus(i, 1), b.plus(x, 1));
    let below = b.system.terms.lt(i, thousand);
    b.clause(&[(p, &[i, x, n])], &[below], Some((p, &[next, sum, n])));
    let [i, x, n] = ["i", "x", "n"].map(|name| b.int(name));
    let limit = b.k(1012);
    let above = b.system.terms.lt(limit, x);
    b.clause(&[(p, &[i, x, n])], &[above], None);
    (b.system, p)
}

#[test]
fn equations_and_bounds_of_a_loop() {
    let (system, p) = counters();
    let mut found = invariants(&system, &options(), &|| false);
    let [i, x, n] = system.predicate(p).params[..] else { unreachable!() };
    let terms = &mut found.terms;
    let [i, x, n] = [i, x, n].map(|s| terms.symbol(s));
    let three = terms.int(3);
    let product = terms.mul(three, n);
    let sum = terms.add(i, product);
    let equation = terms.eq(x, sum);
    let mut expected = vec![equation];
    for (t, lo, hi) in [(i, 0, 1000), (n, 1, 4)] {
        let (lo, hi) = (terms.int(lo), terms.int(hi));
        expected.extend([terms.le(lo, t), terms.le(t, hi)]);
    }
    let formula = found.formulas[p.index()];
    for fact in expected {
        assert!(implies(terms, formula, fact), "{} of {}", show_term(terms, fact), show_term(terms, formula));
    }
    let solution = interpretation(&found);
    check_solution(&system, &solution).expect("these invariants are a solution");
}

/// `x = 0; while * { x += 2; b = !c }` where `c = !b` at first, and a predicate without facts.
#[test]
fn remainders_truth_values_and_unreached_predicates() {
    let mut b = Builder::new();
    let p = b.predicate("p", &[Sort::Int, Sort::Bool, Sort::Bool]);
    let q = b.predicate("q", &[Sort::Int]);
    let (zero, c) = (b.k(0), b.system.terms.fresh("c", Sort::Bool));
    let not = b.system.terms.not(c);
    b.clause(&[], &[], Some((p, &[zero, not, c])));
    let x = b.int("x");
    let [b1, c1, c2] = ["b1", "c1", "c2"].map(|name| b.system.terms.fresh(name, Sort::Bool));
    let (not, two) = (b.system.terms.not(c2), b.plus(x, 2));
    b.clause(&[(p, &[x, b1, c1])], &[], Some((p, &[two, not, c2])));
    let (x, two) = (b.int("x"), b.k(2));
    let rest = b.system.terms.binary(BinOp::Mod, x, two);
    let one = b.k(1);
    let odd = b.eq(rest, one);
    let [b1, c1] = ["b1", "c1"].map(|name| b.system.terms.fresh(name, Sort::Bool));
    b.clause(&[(p, &[x, b1, c1])], &[odd], None);
    let [x, b1, c1] = [b.int("x"), b1, c1];
    b.clause(&[(q, &[x])], &[], Some((p, &[x, b1, c1])));
    let found = invariants(&b.system, &options(), &|| false);
    assert_eq!(show_term(&found.terms, found.formulas[q.index()]), "false");
    check_solution(&b.system, &interpretation(&found)).expect("x is even");
    let mut terms = found.terms.clone();
    let params: Vec<Term> = b.system.predicate(p).params.iter().map(|&s| terms.symbol(s)).collect();
    let same = terms.eq(params[1], params[2]);
    let different = terms.not(same);
    assert!(implies(&mut terms, found.formulas[p.index()], different));
}

#[test]
fn little_budget_gives_weaker_invariants() {
    let (system, _) = counters();
    let mut conjuncts = Vec::new();
    for max_queries in (0..80).chain([1000]) {
        let found = invariants(&system, &InvariantOptions { max_queries, ..options() }, &|| false);
        check_solution(&definite(&system), &interpretation(&found)).expect("the invariants are inductive");
        conjuncts.push(found.stats.conjuncts);
    }
    assert_eq!(conjuncts[0], 0);
    let found = invariants(&system, &options(), &|| true);
    assert_eq!(found.stats.conjuncts, 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(clinch_testing::cases(20)))]

    #[test]
    fn invariants_of_linear_clauses(system in random_system(1)) {
        check_random(&system)?;
    }

    #[test]
    fn invariants_of_nonlinear_clauses(system in random_system(2)) {
        check_random(&system)?;
    }
}

/// Inductive, true of all facts, and useful: the strengthened clauses have the same verdict, and its evidence comes back.
fn check_random(system: &HornSystem) -> Result<(), TestCaseError> {
    let found = invariants(system, &options(), &|| false);
    let definite = definite(system);
    check_solution(&definite, &interpretation(&found))
        .map_err(|e| TestCaseError::fail(format!("{e}\n{}", show(system))))?;
    if let Some(HornVerdict::Safe(facts)) = solve(&definite, 300) {
        for p in system.predicate_ids() {
            // Both stores extend the system's; the invariant is looked at in its own.
            let mut terms = found.terms.clone();
            let derived = copy(&facts, p, &mut terms);
            prop_assert!(implies(&mut terms, derived, found.formulas[p.index()]), "{}", show(system));
        }
    }
    let strong = strengthen(system, &found);
    match (solve(system, 300), solve(&strong, 300)) {
        (Some(HornVerdict::Safe(_)), Some(HornVerdict::Safe(solution))) => {
            check_solution(system, &found.solution(system, solution)).map_err(TestCaseError::fail)?;
        }
        (Some(HornVerdict::Unsafe(_)), Some(HornVerdict::Unsafe(derivation))) => {
            crate::horn_oracle::check_refutation(system, &derivation).map_err(TestCaseError::fail)?;
        }
        (None, _) | (_, None) => {}
        (one, other) => prop_assert!(false, "{one:?} and {other:?} of {}", show(system)),
    }
    Ok(())
}

/// A formula of another store that extends the same system's.
fn copy(from: &Interpretation, p: PredId, terms: &mut Terms) -> Term {
    fn rebuild(from: &Terms, term: Term, terms: &mut Terms) -> Term {
        use clinch_terms::{Node, UnOp};
        match from.node(term) {
            Node::Unary(UnOp::Not, a) => {
                let a = rebuild(from, a, terms);
                terms.not(a)
            }
            Node::Binary(op, a, b) => {
                let (a, b) = (rebuild(from, a, terms), rebuild(from, b, terms));
                terms.binary(op, a, b)
            }
            node => terms.intern(node),
        }
    }
    rebuild(&from.terms, from.formulas[p.index()], terms)
}
