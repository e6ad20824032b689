//! Simplified clauses have the verdict of the original ones, and their evidence can be taken back.

use clinch_engine::horn::{Simplified, SimplifyOptions, simplify};
use clinch_ir::{Application, Clause, HornSystem, HornVerdict, PredId, Source, Span};
use clinch_terms::{BinOp, Sort, Symbol, Term, Terms, UnOp};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::horn_oracle::{check_refutation, check_solution, interpolate, show, show_term, solve};

/// Clauses are written with these: a closure that is given the store and makes terms.
pub(crate) struct Builder {
    pub(crate) system: HornSystem,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Builder { system: HornSystem::new(Source { name: String::new(), text: String::new() }) }
    }

    pub(crate) fn predicate(&mut self, name: &str, sorts: &[Sort]) -> PredId {
        self.system.add_predicate(name, sorts)
    }

    pub(crate) fn int(&mut self, name: &str) -> Term {
        self.system.terms.fresh(name, Sort::Int)
    }

    pub(crate) fn k(&mut self, value: i64) -> Term {
        self.system.terms.int(value)
    }

    pub(crate) fn plus(&mut self, a: Term, k: i64) -> Term {
        let k = self.k(k);
        self.system.terms.add(a, k)
    }

    pub(crate) fn eq(&mut self, a: Term, b: Term) -> Term {
        self.system.terms.eq(a, b)
    }

    /// `lo <= a <= hi`.
    pub(crate) fn within(&mut self, a: Term, lo: i64, hi: i64) -> Term {
        let (lo, hi) = (self.k(lo), self.k(hi));
        let (above, below) = (self.system.terms.le(lo, a), self.system.terms.le(a, hi));
        self.system.terms.and(above, below)
    }

    pub(crate) fn clause(&mut self, body: &[(PredId, &[Term])], constraint: &[Term], head: Option<(PredId, &[Term])>) {
        let application = |&(predicate, args): &(PredId, &[Term])| Application { predicate, args: args.to_vec() };
        let body: Vec<Application> = body.iter().map(application).collect();
        let head = head.as_ref().map(application);
        let terms = &mut self.system.terms;
        let constraint = terms.all(constraint.iter().copied());
        let vars = HornSystem::collect_vars(terms, &body, constraint, head.as_ref());
        self.system.clauses.push(Clause { vars, body, constraint, head, span: Span::default() });
    }
}

/// Simplifies, solves and takes the evidence back. What was simplified, and whether the clauses have a solution.
fn round_trip(system: &HornSystem, options: &SimplifyOptions) -> Option<(Simplified, bool)> {
    let simplified = simplify(system, options, &|| false);
    let again = simplify(system, options, &|| false);
    assert_eq!(show(&simplified.system), show(&again.system), "the same again");
    let about = || format!("{}\nsimplified:\n{}", show(system), show(&simplified.system));
    match solve(&simplified.system, FACTS)? {
        HornVerdict::Safe(solution) => {
            check_solution(&simplified.system, &solution).unwrap();
            let solution = simplified.solution(system, solution, &mut interpolate).ok()?;
            let formulas = || {
                let formula = |&f: &Term| show_term(&solution.terms, f);
                solution.formulas.iter().map(formula).collect::<Vec<_>>().join("\n")
            };
            check_solution(system, &solution).unwrap_or_else(|e| panic!("{e}\n{}\n{}", about(), formulas()));
            Some((simplified, true))
        }
        HornVerdict::Unsafe(derivation) => {
            check_refutation(&simplified.system, &derivation).unwrap();
            let original = simplified.refutation(system, &derivation).unwrap();
            check_refutation(system, &original).unwrap_or_else(|e| panic!("{e}\n{}", about()));
            Some((simplified, false))
        }
        HornVerdict::Unknown(reason) => panic!("{reason}"),
    }
}

fn none() -> SimplifyOptions {
    SimplifyOptions { inline: false, slice: false, constants: false, ..SimplifyOptions::default() }
}

/// A loop `x = 0; while x < 3 { x += 1 }` over two locations, with a second variable that does not matter, one that is
/// constant, and an assertion `x <= bound` at the end.
fn counter(bound: i64) -> HornSystem {
    let mut b = Builder::new();
    let sorts = [Sort::Int, Sort::Int, Sort::Int];
    let [head, body, end] = ["head", "body", "end"].map(|name| b.predicate(name, &sorts));
    let (y, zero, seven) = (b.int("y"), b.k(0), b.k(7));
    let fits = b.within(y, 0, 1);
    b.clause(&[], &[fits], Some((head, &[zero, y, seven])));
    let [x, y, c] = ["x", "y", "c"].map(|n| b.int(n));
    let below = b.within(x, 0, 2);
    b.clause(&[(head, &[x, y, c])], &[below], Some((body, &[x, y, c])));
    let [x, y, c, next] = ["x", "y", "c", "next"].map(|n| b.int(n));
    let sum = b.plus(x, 1);
    let step = b.eq(next, sum);
    b.clause(&[(body, &[x, y, c])], &[step], Some((head, &[next, y, c])));
    let [x, y, c] = ["x", "y", "c"].map(|n| b.int(n));
    let three = b.within(x, 3, 9);
    b.clause(&[(head, &[x, y, c])], &[three], Some((end, &[x, y, c])));
    let [x, y, c] = ["x", "y", "c"].map(|n| b.int(n));
    let above = b.within(x, bound + 1, 100);
    b.clause(&[(end, &[x, y, c])], &[above], None);
    b.system
}

#[test]
fn a_loop_becomes_its_head() {
    for (bound, safe) in [(3, true), (2, false)] {
        let (simplified, found) = round_trip(&counter(bound), &SimplifyOptions::default()).unwrap();
        assert_eq!(found, safe);
        let size = simplified.stats.after;
        assert_eq!((size.predicates, size.arguments, size.clauses), (1, 1, 3), "{}", show(&simplified.system));
        assert_eq!(simplified.stats.inlined, 2);
        let (simplified, found) = round_trip(&counter(bound), &none()).unwrap();
        assert_eq!((found, simplified.stats.after.arguments), (safe, 9));
    }
}

#[test]
fn slicing_and_constants_drop_arguments() {
    let slice = SimplifyOptions { slice: true, ..none() };
    let constants = SimplifyOptions { constants: true, ..none() };
    for bound in [2, 3] {
        let (simplified, _) = round_trip(&counter(bound), &slice).unwrap();
        assert_eq!(simplified.stats.after.arguments, 3);
        let (simplified, _) = round_trip(&counter(bound), &constants).unwrap();
        assert_eq!(simplified.stats.after.arguments, 6);
    }
}

#[test]
fn equal_parameters_are_one() {
    let mut b = Builder::new();
    let p = b.predicate("p", &[Sort::Int, Sort::Int]);
    let x = b.int("x");
    let fits = b.within(x, 0, 3);
    b.clause(&[], &[fits], Some((p, &[x, x])));
    let [x, y] = ["x", "y"].map(|n| b.int(n));
    let below = b.within(x, 0, 2);
    let (x1, y1) = (b.plus(x, 1), b.plus(y, 1));
    b.clause(&[(p, &[x, y])], &[below], Some((p, &[x1, y1])));
    let [x, y] = ["x", "y"].map(|n| b.int(n));
    let same = b.eq(x, y);
    let different = b.system.terms.not(same);
    b.clause(&[(p, &[x, y])], &[different], None);
    let (simplified, safe) = round_trip(&b.system, &SimplifyOptions::default()).unwrap();
    assert!(safe && simplified.stats.after.clauses == 0, "{}", show(&simplified.system));
}

#[test]
fn what_is_not_between_facts_and_queries_goes() {
    let mut b = Builder::new();
    let [p, q, r, s] = ["p", "q", "r", "s"].map(|name| b.predicate(name, &[Sort::Int]));
    let zero = b.k(0);
    b.clause(&[], &[], Some((p, &[zero])));
    let x = b.int("x");
    b.clause(&[(q, &[x])], &[], Some((q, &[x])));
    let x = b.int("x");
    b.clause(&[(q, &[x]), (p, &[x])], &[], None);
    let x = b.int("x");
    b.clause(&[(p, &[x])], &[], Some((r, &[x])));
    let x = b.int("x");
    let never = b.system.terms.ff();
    b.clause(&[(p, &[x])], &[never], Some((s, &[x])));
    let x = b.int("x");
    b.clause(&[(s, &[x])], &[], None);
    let (simplified, safe) = round_trip(&b.system, &none()).unwrap();
    assert!(safe && simplified.stats.after == Default::default(), "{}", show(&simplified.system));
}

/// A predicate whose definition needs a quantifier on both sides gets an interpolant.
#[test]
fn interpolants_where_equations_do_not_suffice() {
    let mut b = Builder::new();
    let p = b.predicate("p", &[Sort::Int]);
    let [x, y] = ["x", "y"].map(|n| b.int(n));
    let (fits, also, double) = (b.within(x, 0, 6), b.within(y, 0, 3), b.system.terms.add(y, y));
    let even = b.eq(x, double);
    b.clause(&[], &[fits, also, even], Some((p, &[x])));
    let [x, y, v] = ["x", "y", "v"].map(|n| b.int(n));
    let (fits, sum, double) = (b.within(v, 0, 9), b.system.terms.add(x, y), b.system.terms.add(v, v));
    let double = b.plus(double, 1);
    let odd = b.eq(sum, double);
    b.clause(&[(p, &[x]), (p, &[y])], &[fits, odd], None);
    let (simplified, safe) = round_trip(&b.system, &SimplifyOptions::default()).unwrap();
    assert!(safe && simplified.stats.after.predicates == 0);
    let solution = match solve(&simplified.system, 10).unwrap() {
        HornVerdict::Safe(solution) => solution,
        other => panic!("{other:?}"),
    };
    let mut asked = 0;
    let mut ask = |terms: &mut Terms, a: Term, b: Term| {
        asked += 1;
        interpolate(terms, a, b)
    };
    let given = simplified.solution(&b.system, solution.clone(), &mut ask).unwrap();
    check_solution(&b.system, &given).unwrap();
    assert!(asked > 0);
    let lost = simplified.solution(&b.system, solution, &mut |_, _, _| None).unwrap_err();
    assert_eq!(lost.to_string(), "no interpolant for the predicate p");
}

/// `c != 0` and `(c = 0) = (a <= 0)` say `a > 0`, without `c`: no interpolant is needed.
#[test]
fn conjuncts_are_used_inside_others() {
    let mut b = Builder::new();
    let p = b.predicate("p", &[Sort::Int]);
    let [a, c] = ["a", "c"].map(|n| b.int(n));
    let zero = b.k(0);
    let (is_zero, below) = (b.eq(c, zero), b.system.terms.le(a, zero));
    let (not_zero, same) = (b.system.terms.not(is_zero), b.eq(is_zero, below));
    b.clause(&[], &[same, not_zero], Some((p, &[a])));
    let [a, c] = ["a", "c"].map(|n| b.int(n));
    let (sum, below) = (b.system.terms.add(a, c), b.system.terms.le(a, zero));
    let big = b.system.terms.le(zero, sum);
    b.clause(&[(p, &[a])], &[big, below], None);
    let simplified = simplify(&b.system, &SimplifyOptions::default(), &|| false);
    let Some(HornVerdict::Safe(solution)) = solve(&simplified.system, 10) else { panic!("it is safe") };
    let solution = simplified.solution(&b.system, solution, &mut |_, _, _| None).unwrap();
    check_solution(&b.system, &solution).unwrap();
}

/// Many locations in a row, where five variables are permuted and counted up.
fn chain(n: usize) -> HornSystem {
    let mut b = Builder::new();
    let locations: Vec<PredId> = (0..n).map(|i| b.predicate(&format!("l{i}"), &vec![Sort::Int; 5])).collect();
    let zeros = vec![b.k(0); 5];
    b.clause(&[], &[], Some((locations[0], &zeros)));
    for (i, pair) in locations.windows(2).enumerate() {
        let vars = ["v", "w", "x", "y", "z"].map(|n| b.int(n));
        let next = ["v1", "w1", "x1", "y1", "z1"].map(|n| b.int(n));
        let mut constraint = Vec::new();
        for k in 0..5 {
            let value = b.plus(vars[(k + i) % 5], i64::from(i % 5 == k));
            constraint.push(b.eq(next[k], value));
        }
        b.clause(&[(pair[0], &vars)], &constraint, Some((pair[1], &next)));
    }
    let vars = ["v", "w", "x", "y", "z"].map(|n| b.int(n));
    let above = b.within(vars[0], 100_000, 100_001);
    b.clause(&[(locations[n - 1], &vars)], &[above], None);
    b.system
}

#[test]
fn long_chains_take_no_time() {
    let system = chain(1000);
    let options = SimplifyOptions { constants: false, ..SimplifyOptions::default() };
    for options in [options, SimplifyOptions::default()] {
        let (simplified, safe) = round_trip(&system, &options).unwrap();
        assert!(safe && simplified.stats.after.clauses == 0);
    }
}

#[test]
fn stopping_leaves_equisatisfiable_clauses() {
    let system = counter(2);
    for after in 0..40 {
        let calls = std::cell::Cell::new(0);
        let stop = || calls.replace(calls.get() + 1) >= after;
        let simplified = simplify(&system, &SimplifyOptions::default(), &stop);
        let HornVerdict::Unsafe(derivation) = solve(&simplified.system, FACTS).unwrap() else { panic!("it is unsafe") };
        check_refutation(&system, &simplified.refutation(&system, &derivation).unwrap()).unwrap();
    }
}

/// A loop-free program over arrays is one clause; its evidence has arrays as values.
#[test]
fn arrays_come_back() {
    for (expected, safe) in [(5, true), (6, false)] {
        let mut b = Builder::new();
        let array = Sort::array(Sort::Int, Sort::Int);
        let [p, q] = ["p", "q"].map(|name| b.predicate(name, &[array.clone(), Sort::Int]));
        let (a, i) = (b.system.terms.fresh("a", array.clone()), b.int("i"));
        let fits = b.within(i, 7, 8);
        b.clause(&[], &[fits], Some((p, &[a, i])));
        let [a, next] = ["a", "next"].map(|n| b.system.terms.fresh(n, array.clone()));
        let (i, five) = (b.int("i"), b.k(5));
        let stored = b.system.terms.store(a, i, five);
        let step = b.eq(next, stored);
        b.clause(&[(p, &[a, i])], &[step], Some((q, &[next, i])));
        let (a, i, expected) = (b.system.terms.fresh("a", array.clone()), b.int("i"), b.k(expected));
        let element = b.system.terms.select(a, i);
        let same = b.eq(element, expected);
        let different = b.system.terms.not(same);
        b.clause(&[(q, &[a, i])], &[different], None);
        let (simplified, found) = round_trip(&b.system, &SimplifyOptions::default()).unwrap();
        assert_eq!((found, simplified.stats.after.predicates), (safe, 0));
    }
}

/// Integer constants among real numbers are not substituted for symbols.
#[test]
fn real_numbers_come_back() {
    for (bound, safe) in [(3, true), (0, false)] {
        let mut b = Builder::new();
        let [p, q] = ["p", "q"].map(|name| b.predicate(name, &[Sort::Real]));
        let r = b.system.terms.fresh("r", Sort::Real);
        let one = b.k(1);
        let half = b.system.terms.add(r, r);
        let half = b.eq(half, one);
        b.clause(&[], &[half], Some((p, &[r])));
        let r = b.system.terms.fresh("r", Sort::Real);
        let fixed = b.eq(r, one);
        b.clause(&[], &[fixed], Some((p, &[r])));
        let [r, s] = ["r", "s"].map(|n| b.system.terms.fresh(n, Sort::Real));
        let (sum, positive) = (b.system.terms.add(r, one), b.system.terms.lt(one, s));
        let step = b.eq(s, sum);
        b.clause(&[(p, &[r])], &[step, positive], Some((q, &[s])));
        let (s, bound) = (b.system.terms.fresh("s", Sort::Real), b.k(bound));
        let above = b.system.terms.lt(bound, s);
        b.clause(&[(q, &[s])], &[above], None);
        let (simplified, found) = round_trip(&b.system, &SimplifyOptions::default()).unwrap();
        assert_eq!((found, simplified.stats.after.predicates), (safe, 0), "{}", show(&simplified.system));
    }
}

/// What a random clause is made of.
#[derive(Clone, Debug)]
struct RandomClause {
    body: Vec<(usize, Vec<RandomTerm>)>,
    head: Option<(usize, Vec<RandomTerm>)>,
    atoms: Vec<(u8, RandomTerm, RandomTerm)>,
}

/// A shape and two symbols; what it means depends on the sort that is needed.
type RandomTerm = (u8, usize, usize);

const PREDICATES: usize = 5;
/// How many facts are derived at most: with two premises each pair of them is tried.
const FACTS: usize = 100;

/// Clauses from facts to queries; the first predicate of a body mostly has a clause before.
fn random_clauses(max_body: usize) -> impl Strategy<Value = Vec<RandomClause>> {
    let term = || (0..10_u8, 0..4_usize, 0..4_usize);
    let application = || (0..PREDICATES, vec(term(), 3));
    let atoms = |count| vec((0..7_u8, term(), term()), count);
    let fact = (application(), atoms(0..3)).prop_map(|(head, atoms)| RandomClause {
        body: Vec::new(),
        head: Some(head),
        atoms,
    });
    let step = (vec(application(), 1..=max_body), application(), atoms(0..3))
        .prop_map(|(body, head, atoms)| RandomClause { body, head: Some(head), atoms });
    let query = (vec(application(), 1..=max_body), atoms(1..4)).prop_map(|(body, atoms)| RandomClause {
        body,
        head: None,
        atoms,
    });
    (vec(fact, 1..3), vec(step, 1..7), vec(query, 1..3)).prop_map(|(facts, steps, queries)| {
        let mut clauses = [facts, steps, queries].concat();
        for i in 1..clauses.len() {
            let (before, rest) = clauses.split_at_mut(i);
            if let Some(first) = rest[0].body.first_mut() {
                let derived: Vec<usize> = before.iter().flat_map(|c| &c.head).map(|h| h.0).collect();
                first.0 = derived[(first.0 + first.1[0].1) % derived.len()];
            }
        }
        clauses
    })
}

pub(crate) fn random_system(max_body: usize) -> impl Strategy<Value = HornSystem> {
    let sorts = vec(prop::collection::vec(any::<bool>(), 0..=3), PREDICATES);
    (sorts, random_clauses(max_body)).prop_map(|(sorts, clauses)| {
        let mut b = Builder::new();
        let sorts: Vec<Vec<Sort>> = sorts
            .into_iter()
            .map(|s| s.into_iter().map(|b| if b { Sort::Bool } else { Sort::Int }).collect())
            .collect();
        for (i, sorts) in sorts.iter().enumerate() {
            b.predicate(&format!("p{i}"), sorts);
        }
        clauses.iter().for_each(|c| add_clause(&mut b, &sorts, c));
        b.system
    })
}

fn add_clause(b: &mut Builder, sorts: &[Vec<Sort>], random: &RandomClause) {
    let ints: Vec<Term> = (0..4).map(|i| b.int(&format!("x{i}"))).collect();
    let bools: Vec<Term> = (0..4).map(|i| b.system.terms.fresh(format!("b{i}"), Sort::Bool)).collect();
    let symbols = (ints.clone(), bools);
    let application = |b: &mut Builder, (p, args): &(usize, Vec<RandomTerm>), plain: bool| {
        let args = sorts[*p].iter().zip(args).map(|(sort, &(shape, i, j))| {
            // Arguments of the body are mostly symbols.
            let shape = if plain && shape < 8 { 0 } else { shape };
            make(b, &symbols, sort, (shape, i, j))
        });
        (PredId::from_index(*p), args.collect::<Vec<Term>>())
    };
    let body: Vec<(PredId, Vec<Term>)> = random.body.iter().map(|a| application(b, a, true)).collect();
    let head = random.head.as_ref().map(|a| application(b, a, false));
    let mut constraint = Vec::new();
    for &(op, l, r) in &random.atoms {
        let sort = if op == 5 { Sort::Bool } else { Sort::Int };
        let (l, r) = (make(b, &symbols, &sort, l), make(b, &symbols, &sort, r));
        let terms = &mut b.system.terms;
        constraint.push(match op {
            0 => terms.le(l, r),
            1 => terms.lt(l, r),
            6 => {
                let (below, zero) = (terms.lt(l, r), terms.int(0));
                let same = terms.eq(l, zero);
                terms.or(below, same)
            }
            2 => {
                let same = terms.eq(l, r);
                terms.not(same)
            }
            _ => terms.eq(l, r),
        });
    }
    // Facts bound what stands in the body; the rest is bounded here, so that there are finitely many facts.
    let in_body: Vec<Term> = body.iter().flat_map(|a| a.1.iter().copied()).collect();
    let used: Vec<Symbol> = {
        let terms = &b.system.terms;
        let all = body.iter().chain(&head).flat_map(|a| a.1.iter()).chain(&constraint);
        all.flat_map(|&t| terms.symbols(t)).collect()
    };
    for x in ints {
        let clinch_terms::Node::Symbol(s) = b.system.terms.node(x) else { unreachable!() };
        if used.contains(&s) && !in_body.contains(&x) {
            constraint.push(b.within(x, 0, 3));
        }
    }
    let body: Vec<(PredId, &[Term])> = body.iter().map(|(p, args)| (*p, args.as_slice())).collect();
    b.clause(&body, &constraint, head.as_ref().map(|(p, args)| (*p, args.as_slice())));
}

/// A term of the sort.
fn make(b: &mut Builder, symbols: &(Vec<Term>, Vec<Term>), sort: &Sort, (shape, i, j): RandomTerm) -> Term {
    let (ints, bools) = symbols;
    let terms = &mut b.system.terms;
    let (x, y, p, q) = (ints[i], ints[j], bools[i], bools[j]);
    if *sort == Sort::Bool {
        return match shape {
            0..4 => p,
            4 => terms.bool(i % 2 == 0),
            5 => terms.not(p),
            6 => terms.le(x, y),
            7 => terms.eq(x, y),
            8 => terms.or(p, q),
            _ => terms.eq(p, q),
        };
    }
    match shape {
        0..4 => x,
        4 | 5 => terms.int(i as i64),
        6 => {
            let (one, four) = (terms.int(1), terms.int(4));
            let sum = terms.add(x, one);
            terms.binary(BinOp::Mod, sum, four)
        }
        7 => terms.ite(p, x, y),
        8 => terms.sub(x, y),
        _ => {
            let (two, negated) = (terms.int(2), terms.unary(UnOp::Neg, y));
            terms.add(two, negated)
        }
    }
}

fn all_options() -> impl Strategy<Value = SimplifyOptions> {
    (any::<bool>(), any::<bool>(), prop::bool::weighted(0.8), 0..3_usize).prop_map(
        |(slice, constants, inline, growth)| SimplifyOptions {
            slice,
            constants,
            inline,
            growth,
            ..SimplifyOptions::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(clinch_testing::cases(32)))]

    #[test]
    fn linear_systems_round_trip(system in random_system(1), options in all_options()) {
        check_random(&system, &options)?;
    }

    #[test]
    fn nonlinear_systems_round_trip(system in random_system(2), options in all_options()) {
        check_random(&system, &options)?;
    }
}

/// The verdict is that of the original clauses, and its evidence comes back.
fn check_random(system: &HornSystem, options: &SimplifyOptions) -> Result<(), TestCaseError> {
    let Some(direct) = solve(system, FACTS) else { return Ok(()) };
    let safe = matches!(direct, HornVerdict::Safe(_));
    if let Some((_, found)) = round_trip(system, options) {
        prop_assert_eq!(found, safe, "{}", show(system));
    }
    Ok(())
}
