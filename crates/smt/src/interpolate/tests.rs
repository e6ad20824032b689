//! The search against brute force, the simplex algorithm against Z3; proofs and certificates are checked.

use std::collections::BTreeSet;

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use z3::SatResult;
use z3::ast::Int;

use super::rational::{Delta, Rational};
use super::sat::{Clause, Complete, Lemma, Lit, Origin, Outcome, Sat, Theory};
use super::simplex::{Side, Simplex};

/// Everything is consistent.
#[derive(Default)]
struct NoTheory;

impl Theory for NoTheory {
    fn assert(&mut self, _: Lit, _: usize) -> Result<(), Lemma> {
        Ok(())
    }
    fn check(&mut self) -> Result<(), Lemma> {
        Ok(())
    }
    fn implied(&mut self, _: Lit, _: &[Option<bool>]) -> Vec<(Lit, Lemma)> {
        Vec::new()
    }
    fn complete(&mut self) -> Complete {
        Complete::Model
    }
    fn undo(&mut self, _: usize) {}
}

/// The clause that a chain derives, with each step a proper resolution.
fn replay(clauses: &[Clause], inputs: &[Vec<Lit>], id: usize) -> BTreeSet<Lit> {
    let set = |lits: &[Lit]| lits.iter().copied().collect::<BTreeSet<Lit>>();
    match &clauses[id].origin {
        Origin::Input(number) => {
            assert_eq!(set(&clauses[id].lits), set(&inputs[*number]));
        }
        Origin::Theory(_) => {}
        Origin::Chain(first, steps) => {
            let mut derived = set(&clauses[*first].lits);
            for (pivot, other) in steps {
                let (positive, negative) = (Lit::new(*pivot, true), Lit::new(*pivot, false));
                let mut other = set(&clauses[*other].lits);
                let clash = (derived.remove(&positive) && other.remove(&negative))
                    || (derived.remove(&negative) && other.remove(&positive));
                assert!(clash, "the pivot occurs on both sides");
                derived.extend(other);
            }
            assert_eq!(derived, set(&clauses[id].lits));
        }
    }
    set(&clauses[id].lits)
}

#[test]
fn search_agrees_with_brute_force() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut refuted = 0;
    for _ in 0..500 {
        let vars = rng.random_range(3..10);
        let clauses: Vec<Vec<Lit>> = (0..rng.random_range(2 * vars..6 * vars))
            .map(|_| {
                let lits: BTreeSet<Lit> =
                    (0..rng.random_range(1..4)).map(|_| Lit::new(rng.random_range(0..vars), rng.random())).collect();
                lits.into_iter().collect()
            })
            .collect();
        let satisfied = |m: u32| clauses.iter().all(|c| c.iter().any(|l| (m >> l.var() & 1 == 1) == l.is_positive()));
        let has_model = (0..1_u32 << vars).any(satisfied);
        let mut sat = Sat::new(NoTheory);
        for _ in 0..vars {
            sat.new_var();
        }
        match sat.solve(clauses.clone(), u64::MAX, &|| false) {
            Outcome::Refuted(empty) => {
                assert!(!has_model);
                refuted += 1;
                for id in 0..=empty {
                    replay(&sat.clauses, &clauses, id);
                }
                assert!(replay(&sat.clauses, &clauses, empty).is_empty());
            }
            outcome => assert!(has_model, "{outcome:?}"),
        }
    }
    assert!(refuted > 50, "{refuted}");
}

/// A sum of variables and its bounds.
type Constraint = (Vec<i64>, Side, i64);

fn holds_somewhere(constraints: &[Constraint], vars: usize) -> bool {
    let solver = z3::Solver::new();
    let reals: Vec<z3::ast::Real> = (0..vars).map(|i| z3::ast::Real::new_const(format!("x{i}"))).collect();
    for (coefficients, side, bound) in constraints {
        let parts = reals.iter().zip(coefficients);
        let parts: Vec<z3::ast::Real> =
            parts.map(|(x, &c)| z3::ast::Real::mul(&[x.clone(), Int::from_i64(c).to_real()])).collect();
        let (sum, bound) = (z3::ast::Real::add(&parts), Int::from_i64(*bound).to_real());
        solver.assert(if *side == Side::Upper { sum.le(&bound) } else { sum.ge(&bound) });
    }
    solver.check() == SatResult::Sat
}

#[test]
fn simplex_agrees_with_z3() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut conflicts = 0;
    for _ in 0..150 {
        let vars = rng.random_range(1..5);
        let constraints: Vec<Constraint> = (0..rng.random_range(2..9))
            .map(|_| {
                let coefficients = (0..vars).map(|_| rng.random_range(-3..4)).collect();
                let side = if rng.random() { Side::Upper } else { Side::Lower };
                (coefficients, side, rng.random_range(-5..6))
            })
            .collect();
        let mut simplex = Simplex::default();
        let columns: Vec<usize> = (0..vars).map(|_| simplex.column()).collect();
        let sums: Vec<usize> = constraints
            .iter()
            .map(|(coefficients, ..)| {
                let sum: Vec<_> = columns.iter().zip(coefficients).filter(|(_, c)| **c != 0).collect();
                let sum: Vec<_> = sum.into_iter().map(|(&x, &c)| (x, Rational::int(c))).collect();
                simplex.define(&sum)
            })
            .collect();
        // Once from the start, once after some bounds came and went.
        for keep in [constraints.len() / 2, 0] {
            let mut result = Ok(());
            for (i, (_, side, bound)) in constraints.iter().enumerate().skip(keep) {
                let value = Delta { real: Rational::int(*bound), delta: Rational::ZERO };
                result = simplex.assert(sums[i], *side, value, Lit::new(i, true)).and_then(|()| simplex.check());
                if result.is_err() {
                    break;
                }
            }
            assert_eq!(result.is_ok(), holds_somewhere(&constraints[keep..], vars));
            if let Err(farkas) = result {
                conflicts += 1;
                let mut sum = vec![Rational::ZERO; vars];
                let mut constant = Rational::ZERO;
                for (lit, factor) in farkas {
                    let (coefficients, side, bound) = &constraints[lit.var()];
                    assert!(factor.is_positive());
                    let factor = if *side == Side::Upper { factor } else { -&factor };
                    for (sum, &c) in sum.iter_mut().zip(coefficients) {
                        *sum = &*sum + &(&factor * &Rational::int(c));
                    }
                    constant = &constant + &(&factor * &Rational::int(*bound));
                }
                assert!(sum.iter().all(Rational::is_zero) && constant.is_negative());
            }
            simplex.undo(0);
        }
    }
    assert!(conflicts > 30, "{conflicts}");
}
