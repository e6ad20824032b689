//! Clauses with explicit control have the verdict of the original ones, and their evidence can be taken back.

use clinch_certify::{check_refutation, check_solution};
use clinch_engine::horn::{ControlOptions, Split, recover_control};
use clinch_engine::{Budget, Silent, cegar};
use clinch_frontend::{Input, Language, Options, read};
use clinch_ir::{HornSystem, HornVerdict};
use proptest::prelude::*;

use crate::horn_oracle::{self, show, solve};
use crate::horn_simplify::random_system;

fn system(text: &str) -> HornSystem {
    match read(Language::Chc, "test.smt2", text.as_bytes(), &Options::default()) {
        Ok(Input::Horn(system)) => *system,
        Ok(_) => panic!("these are clauses"),
        Err(e) => panic!("{e:?}"),
    }
}

/// A loop whose program counter is two bits: 00 `x = y = 0`, 01 `while x < 10 { x++; y++ }` (the body is 10), 11
/// `assert y <= bound`.
fn bits(bound: i64) -> HornSystem {
    system(&format!(
        "(set-logic HORN)
         (declare-fun s (Bool Bool Int Int) Bool)
         (assert (forall ((x Int) (y Int)) (s false false x y)))
         (assert (forall ((a Bool) (b Bool) (x Int) (y Int) (c Bool) (d Bool) (v Int) (w Int))
           (=> (and (s a b x y)
                    (or a b (and (not c) d (= v 0) (= w 0)))
                    (or a (not b) (>= x 10) (and c (not d) (= v x) (= w y)))
                    (or a (not b) (< x 10) (and c d (= v x) (= w y)))
                    (or (not a) b (and (not c) d (= v (+ x 1)) (= w (+ y 1))))
                    (or (not a) (not b) (and c d (= v x) (= w y))))
               (s c d v w))))
         (assert (forall ((a Bool) (b Bool) (x Int) (y Int)) (=> (and (s a b x y) a b (> y {bound})) false)))
         (check-sat)"
    ))
}

/// The same loop with an integer as program counter, and an input that is no control.
fn number(bound: i64) -> HornSystem {
    system(&format!(
        "(set-logic HORN)
         (declare-fun s (Int Bool Int) Bool)
         (assert (forall ((i Bool) (x Int)) (s 3 i x)))
         (assert (forall ((p Int) (i Bool) (x Int) (q Int) (j Bool) (v Int))
           (=> (and (s p i x)
                    (or (and (= p 3) (= q 5) (= v 0))
                        (and (= p 5) (< x 10) i (= q 5) (= v (+ x 1)))
                        (and (= p 5) (< x 10) (not i) (= q 5) (= v x))
                        (and (= p 5) (>= x 10) (= q 7) (= v x))))
               (s q j v))))
         (assert (forall ((p Int) (i Bool) (x Int)) (=> (and (s p i x) (= p 7) (> x {bound})) false)))
         (check-sat)"
    ))
}

/// Two counters with a Boolean each meet in one clause.
fn pair(bound: i64) -> HornSystem {
    system(&format!(
        "(set-logic HORN)
         (declare-fun p (Bool Int) Bool)
         (assert (p false 0))
         (assert (forall ((b Bool) (x Int) (c Bool) (y Int) (d Bool) (z Int))
           (=> (and (p b x) (p c y) (< x 4) (< y 4) (= d (not b)) (= z (+ x y 1))) (p d z))))
         (assert (forall ((b Bool) (x Int)) (=> (and (p b x) b (> x {bound})) false)))
         (check-sat)"
    ))
}

/// The engine with explicit control decides the system, and its evidence is that of the original clauses.
fn decides(system: &HornSystem, safe: bool) -> cegar::Stats {
    let budget = Budget::unlimited().with_max_iterations(Some(50));
    let config = cegar::Config { control: Some(always()), ..cegar::Config::default() };
    let (verdict, stats) = cegar::check(system, &config, &budget, &mut Silent);
    match verdict {
        HornVerdict::Safe(solution) => {
            assert!(safe);
            check_solution(system, &solution, &|| false).unwrap();
        }
        HornVerdict::Unsafe(derivation) => {
            assert!(!safe);
            check_refutation(system, &derivation).unwrap();
        }
        HornVerdict::Unknown(reason) => panic!("{reason}"),
    }
    stats
}

/// However few locations there are.
fn always() -> ControlOptions {
    ControlOptions { min_locations: 0, ..ControlOptions::default() }
}

fn split(system: &HornSystem) -> Split {
    recover_control(system, &always(), &|| false).expect("there is control")
}

#[test]
fn bits_become_locations() {
    for bound in [9, 10] {
        let system = bits(bound);
        let split = split(&system);
        assert_eq!((split.stats.explicit, split.stats.dropped), (2, 0));
        assert_eq!(split.system.predicates.len(), 4, "{}", show(&split.system));
        // No constraint is a disjunction any more: one clause for each edge.
        assert_eq!(split.system.clauses.len(), 7, "{}", show(&split.system));
        assert!(decides(&system, bound == 10).control.is_some());
    }
}

#[test]
fn constants_become_locations_and_inputs_do_not() {
    for bound in [9, 10] {
        let system = number(bound);
        let split = split(&system);
        assert_eq!((split.stats.explicit, split.system.predicates.len()), (1, 3), "{}", show(&split.system));
        decides(&system, bound == 10);
    }
}

/// Bits that follow from data only make states, not control flow; one that says whether it is the first step stays.
#[test]
fn dense_graphs_are_no_control_flow() {
    let system = system(
        "(set-logic HORN)
         (declare-fun s (Bool Bool Bool Bool Int) Bool)
         (assert (s true false false false 0))
         (assert (forall ((f Bool) (a Bool) (b Bool) (c Bool) (x Int) (p Bool) (q Bool) (r Bool) (y Int))
           (=> (and (s f a b c x) (= p (> y 3)) (= q (or a (> y 5))) (= r (= y 7)) (or f (< x y)))
               (s false p q r y))))
         (assert (forall ((f Bool) (a Bool) (b Bool) (c Bool) (x Int)) (=> (and (s f a b c x) f (> x 3)) false)))
         (check-sat)",
    );
    let options = ControlOptions { max_degree: 2, ..always() };
    let split = recover_control(&system, &options, &|| false).unwrap();
    assert_eq!((split.stats.explicit, split.stats.dropped), (1, 3), "{}", show(&split.system));
    decides(&system, true);
}

#[test]
fn several_premises() {
    for bound in [6, 7] {
        let system = pair(bound);
        assert_eq!(split(&system).system.predicates.len(), 2);
        decides(&system, bound == 7);
    }
}

#[test]
fn counters_are_data() {
    let system = system(
        "(set-logic HORN)
         (declare-fun p (Int) Bool)
         (assert (p 0))
         (assert (forall ((x Int)) (=> (and (p x) (< x 10)) (p (+ x 1)))))
         (assert (forall ((x Int)) (=> (and (p x) (> x 10)) false)))
         (check-sat)",
    );
    assert!(recover_control(&system, &always(), &|| false).is_none());
}

#[test]
fn stopping_gives_up() {
    let system = bits(10);
    for after in 0..20 {
        let calls = std::cell::Cell::new(0);
        let stop = || calls.replace(calls.get() + 1) >= after;
        if let Some(split) = recover_control(&system, &ControlOptions::default(), &stop) {
            assert_eq!(split.system.predicates.len(), 4);
        }
    }
}

fn options() -> impl Strategy<Value = ControlOptions> {
    (1..12_usize, 1..6_usize, 0..5_usize).prop_map(|(max_locations, max_successors, split_disjunctions)| {
        ControlOptions {
            max_locations,
            max_successors,
            split_disjunctions,
            max_degree: 1 + max_locations % 4,
            ..always()
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(clinch_testing::cases(20)))]

    #[test]
    fn linear_systems_round_trip(system in random_system(1), options in options()) {
        round_trip(&system, &options)?;
    }

    #[test]
    fn nonlinear_systems_round_trip(system in random_system(2), options in options()) {
        round_trip(&system, &options)?;
    }
}

/// The verdict is that of the original clauses, and its evidence comes back.
fn round_trip(system: &HornSystem, options: &ControlOptions) -> Result<(), TestCaseError> {
    let Some(split) = recover_control(system, options, &|| false) else { return Ok(()) };
    let again = recover_control(system, options, &|| false).expect("as before");
    prop_assert_eq!(show(&split.system), show(&again.system), "the same again");
    let about = || format!("{}\nsplit:\n{}", show(system), show(&split.system));
    let (Some(direct), Some(verdict)) = (solve(system, 100), solve(&split.system, 100)) else { return Ok(()) };
    let safe = matches!(direct, HornVerdict::Safe(_));
    prop_assert_eq!(matches!(verdict, HornVerdict::Safe(_)), safe, "{}", about());
    match verdict {
        HornVerdict::Safe(solution) => {
            horn_oracle::check_solution(&split.system, &solution).unwrap();
            let solution = split.solution(system, solution);
            check_solution(system, &solution, &|| false).unwrap_or_else(|e| panic!("{e:?}\n{}", about()));
        }
        HornVerdict::Unsafe(derivation) => {
            horn_oracle::check_refutation(&split.system, &derivation).unwrap();
            let derivation = split.refutation(system, &derivation).unwrap();
            check_refutation(system, &derivation).unwrap_or_else(|e| panic!("{e:?}\n{}", about()));
        }
        HornVerdict::Unknown(reason) => panic!("{reason}"),
    }
    Ok(())
}
