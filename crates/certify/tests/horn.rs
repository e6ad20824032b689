//! The certifier can say no to evidence about Horn clauses that is almost right.

use clinch_certify::{Rejection, check_refutation, check_solution};
use clinch_ir::horn::Application;
use clinch_ir::{Clause, ClauseId, Derivation, DerivationStep, HornSystem, Interpretation, PredId, Source, Span};
use clinch_terms::{Sort, Term, Terms, Value};

fn source() -> Source {
    Source { name: "test.smt2".to_owned(), text: "(check-sat)".to_owned() }
}

fn add(system: &mut HornSystem, body: Vec<Application>, constraint: Term, head: Option<Application>) {
    let vars = HornSystem::collect_vars(&system.terms, &body, constraint, head.as_ref());
    system.clauses.push(Clause { vars, body, constraint, head, span: Span::default() });
}

fn apply(predicate: PredId, args: &[Term]) -> Application {
    Application { predicate, args: args.to_vec() }
}

/// `x = 0 -> p(x)`, `p(x) and x < 5 -> p(x + 1)`, `p(x) -> q(x)`, `q(x) and p(y) and x = y and x >= bad -> false`.
fn counter(bad: i64) -> HornSystem {
    let mut s = HornSystem::new(source());
    let (p, q) = (s.add_predicate("p", &[Sort::Int]), s.add_predicate("q", &[Sort::Int]));
    let (zero, one, five, bad) = (s.terms.int(0), s.terms.int(1), s.terms.int(5), s.terms.int(bad));
    let x = s.terms.fresh("x", Sort::Int);
    let start = s.terms.eq(x, zero);
    add(&mut s, vec![], start, Some(apply(p, &[x])));
    let x = s.terms.fresh("x", Sort::Int);
    let (below, next) = (s.terms.lt(x, five), s.terms.add(x, one));
    add(&mut s, vec![apply(p, &[x])], below, Some(apply(p, &[next])));
    let x = s.terms.fresh("x", Sort::Int);
    let tt = s.terms.tt();
    add(&mut s, vec![apply(p, &[x])], tt, Some(apply(q, &[x])));
    let (x, y) = (s.terms.fresh("x", Sort::Int), s.terms.fresh("y", Sort::Int));
    let (same, large) = (s.terms.eq(x, y), s.terms.le(bad, x));
    let constraint = s.terms.and(same, large);
    add(&mut s, vec![apply(q, &[x]), apply(p, &[y])], constraint, None);
    s
}

/// `lo <= param <= hi` for each predicate.
fn intervals(system: &HornSystem, bounds: &[(i64, i64)]) -> Interpretation {
    let mut terms = system.terms.clone();
    let mut formulas = Vec::new();
    for (predicate, &(lo, hi)) in system.predicates.iter().zip(bounds) {
        let (x, lo, hi) = (terms.symbol(predicate.params[0]), terms.int(lo), terms.int(hi));
        let (above, below) = (terms.le(lo, x), terms.le(x, hi));
        formulas.push(terms.and(above, below));
    }
    Interpretation { terms, formulas }
}

fn rejected(result: Result<(), Rejection>, why: &str) {
    match result {
        Err(Rejection::Wrong(text)) => assert!(text.contains(why), "{text}"),
        other => panic!("expected a rejection because of \"{why}\", got {other:?}"),
    }
}

#[test]
fn solutions() {
    let s = counter(7);
    let check = |solution: &Interpretation| check_solution(&s, solution, &|| false);
    check(&intervals(&s, &[(0, 5), (0, 5)])).expect("the reachable values");
    check(&intervals(&s, &[(0, 6), (-3, 6)])).expect("more than that");
    rejected(check(&intervals(&s, &[(1, 5), (0, 5)])), "it violates clause 1 (test.smt2:1:1)");
    rejected(check(&intervals(&s, &[(0, 4), (0, 5)])), "it violates clause 2");
    rejected(check(&intervals(&s, &[(0, 5), (0, 4)])), "it violates clause 3");
    rejected(check(&intervals(&s, &[(0, 9), (0, 9)])), "it violates clause 4");
    let right = intervals(&s, &[(0, 5), (0, 5)]);
    assert_eq!(check_solution(&s, &right, &|| true), Err(Rejection::Stopped));
}

#[test]
fn solutions_of_another_shape() {
    let s = counter(7);
    let check = |solution: &Interpretation| check_solution(&s, solution, &|| false);
    let right = intervals(&s, &[(0, 5), (0, 5)]);
    let short = Interpretation { formulas: right.formulas[..1].to_vec(), ..right.clone() };
    rejected(check(&short), "another system");
    let swapped = Interpretation { formulas: vec![right.formulas[1], right.formulas[0]], ..right.clone() };
    rejected(check(&swapped), "about other symbols");
    let foreign = Interpretation { terms: Terms::new(), formulas: right.formulas.clone() };
    rejected(check(&foreign), "another system");
    let mut number = right.clone();
    number.formulas[0] = number.terms.int(1);
    rejected(check(&number), "not a formula");
    let mut mixed = right.clone();
    let (x, tt) = (mixed.terms.symbol(s.predicates[0].params[0]), mixed.terms.tt());
    mixed.formulas[0] = mixed.terms.eq(x, tt);
    rejected(check(&mixed), "not a formula");
    let mut state = right;
    let var = state.terms.var(clinch_terms::VarId(0));
    state.formulas[0] = state.terms.eq(var, x);
    rejected(check(&state), "not a formula");
}

/// A query the solver cannot answer is no verdict. `x^3 + y^3 = z^3` has no positive solution, but who knows that?
#[test]
fn undecided_is_said() {
    let mut s = HornSystem::new(source());
    let p = s.add_predicate("p", &[const { Sort::Int }; 3]);
    let vars = ["x", "y", "z"].map(|n| s.terms.fresh(n, Sort::Int));
    let one = s.terms.int(1);
    let cubes = vars.map(|v| {
        let square = s.terms.mul(v, v);
        s.terms.mul(square, v)
    });
    let sum = s.terms.add(cubes[0], cubes[1]);
    let mut facts: Vec<Term> = vars.iter().map(|&v| s.terms.le(one, v)).collect();
    facts.push(s.terms.eq(sum, cubes[2]));
    let constraint = s.terms.all(facts);
    add(&mut s, vec![apply(p, &vars)], constraint, None);
    let mut terms = s.terms.clone();
    let tt = terms.tt();
    let all = Interpretation { terms, formulas: vec![tt] };
    let start = std::time::Instant::now();
    match check_solution(&s, &all, &|| start.elapsed().as_millis() > 500) {
        Err(Rejection::Undecided(text)) => assert!(text.contains("clause 1"), "{text}"),
        Err(Rejection::Stopped) => {}
        other => panic!("{other:?}"),
    }
}

fn step(clause: usize, values: &[i64], premises: &[usize]) -> DerivationStep {
    let values = values.iter().map(|&v| Value::int(v)).collect();
    DerivationStep { clause: ClauseId::from_index(clause), values, premises: premises.to_vec() }
}

/// `p(0)`, `p(1)`, `q(1)`, and both are at least 1.
fn refutation() -> Derivation {
    Derivation { steps: vec![step(0, &[0], &[]), step(1, &[0], &[0]), step(2, &[1], &[1]), step(3, &[1, 1], &[2, 1])] }
}

fn with(number: usize, step: DerivationStep) -> Derivation {
    let mut changed = refutation();
    changed.steps[number] = step;
    changed
}

#[test]
fn refutations() {
    let s = counter(1);
    let check = |d: &Derivation| check_refutation(&s, d);
    check(&refutation()).expect("a refutation");
    rejected(check(&Derivation { steps: vec![] }), "empty");
    rejected(check(&Derivation { steps: refutation().steps[..3].to_vec() }), "does not end in a contradiction");
    rejected(check(&with(0, step(9, &[0], &[]))), "step 1 of the refutation: there is no such clause");
    rejected(check(&with(0, step(0, &[1], &[]))), "its constraint does not hold");
    rejected(check(&with(0, step(0, &[], &[]))), "a value to each symbol");
    rejected(check(&with(1, step(1, &[0], &[]))), "a premise for each application");
    rejected(check(&with(1, step(1, &[1], &[0]))), "a premise derives something else");
    rejected(check(&with(2, step(2, &[2], &[1]))), "a premise derives something else");
    rejected(check(&with(3, step(3, &[1, 1], &[1, 2]))), "a premise derives something else");
    rejected(check(&with(3, step(3, &[1, 2], &[2, 1]))), "its constraint does not hold");
    rejected(check(&with(3, step(3, &[1, 1], &[2, 7]))), "not derived before it");
    rejected(check(&with(1, step(1, &[0], &[1]))), "not derived before it");
    rejected(check(&with(1, step(1, &[0], &[2]))), "not derived before it");
    let mut sorts = refutation();
    sorts.steps[0].values[0] = Value::Bool(false);
    rejected(check(&sorts), "a value to each symbol");
    let mut twice = refutation();
    twice.steps.push(step(3, &[1, 1], &[3, 1]));
    rejected(check(&twice), "not derived before it");
    assert!(check_refutation(&counter(2), &refutation()).is_err());
}

/// `a != b -> false` is refuted by different arrays, not by two ways to write one.
#[test]
fn equal_arrays_are_equal() {
    let sort = Sort::array(Sort::Int, Sort::Int);
    let differ = |sort: &Sort| {
        let mut s = HornSystem::new(source());
        let (a, b) = (s.terms.fresh("a", sort.clone()), s.terms.fresh("b", sort.clone()));
        let same = s.terms.eq(a, b);
        let constraint = s.terms.not(same);
        add(&mut s, vec![], constraint, None);
        s
    };
    let zeros = Value::default_of(&sort);
    let write = |entries: &[(i64, i64)]| Value::Array {
        default: Box::new(Value::int(0)),
        entries: entries.iter().map(|&(i, v)| (Value::int(i), Value::int(v))).collect(),
    };
    let s = differ(&sort);
    let claim = |b: Value| Derivation {
        steps: vec![DerivationStep { clause: ClauseId(0), values: vec![zeros.clone(), b], premises: vec![] }],
    };
    check_refutation(&s, &claim(write(&[(3, 1)]))).expect("they differ at 3");
    rejected(check_refutation(&s, &claim(write(&[(3, 0)]))), "a value to each symbol");
    rejected(check_refutation(&s, &claim(write(&[]))), "its constraint does not hold");
    let finite = Sort::array(Sort::Bool, Sort::Int);
    let zeros = Value::default_of(&finite);
    let ones = |places: &[bool]| {
        places.iter().fold(zeros.clone(), |array, &place| array.store(Value::Bool(place), Value::int(1)))
    };
    let everywhere_one = Value::Array { default: Box::new(Value::int(1)), entries: Default::default() };
    let claim = |b: Value| Derivation {
        steps: vec![DerivationStep { clause: ClauseId(0), values: vec![everywhere_one.clone(), b], premises: vec![] }],
    };
    check_refutation(&differ(&finite), &claim(ones(&[true]))).expect("they differ at false");
    rejected(check_refutation(&differ(&finite), &claim(ones(&[true, false]))), "its constraint does not hold");
    // Nor are such arrays told apart as indices.
    let nested = Sort::array(finite, Sort::Int);
    let zeros = Value::default_of(&nested);
    let claim = Derivation {
        steps: vec![DerivationStep { clause: ClauseId(0), values: vec![zeros.clone(), zeros], premises: vec![] }],
    };
    assert!(matches!(check_refutation(&differ(&nested), &claim), Err(Rejection::Undecided(_))));
}
