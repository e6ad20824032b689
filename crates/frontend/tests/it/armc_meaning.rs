//! The steps of a program are those its constraints allow: compared on random transitions and small values.

use std::collections::BTreeSet;

use clinch_frontend::{Input, Language, Options, read};
use clinch_ir::{Interpreter, Program, State, TransId};
use clinch_terms::LocId;
use proptest::prelude::*;

/// Values of the variables, before and after.
const SMALL: std::ops::RangeInclusive<i64> = -1..=1;

/// Values of inputs and of `_Z`: no equation below defines one outside.
const WIDE: std::ops::RangeInclusive<i64> = -10..=10;

const NAMES: [&str; 5] = ["X", "Y", "X1", "Y1", "_Z"];
const RELATIONS: [&str; 6] = ["=", "=<", "<", ">=", ">", "=\\="];

/// `coefficients * NAMES REL constant`.
#[derive(Clone, Debug)]
struct Constraint {
    relation: usize,
    coefficients: [i64; 5],
    constant: i64,
}

impl Constraint {
    fn holds(&self, values: &[i64; 5]) -> bool {
        let sum: i64 = self.coefficients.iter().zip(values).map(|(c, v)| c * v).sum();
        match RELATIONS[self.relation] {
            "=" => sum == self.constant,
            "=<" => sum <= self.constant,
            "<" => sum < self.constant,
            ">=" => sum >= self.constant,
            ">" => sum > self.constant,
            _ => sum != self.constant,
        }
    }

    /// Terms with negative coefficients stand on the right.
    fn text(&self) -> String {
        let side = |sign: i64, constant: i64| {
            let terms = self.coefficients.iter().zip(NAMES).filter(|(c, _)| **c * sign > 0);
            let mut terms: Vec<String> = terms.map(|(c, n)| format!("{}*{n}", c.abs()).replace("1*", "")).collect();
            terms.push(constant.to_string());
            terms.join(" + ").replace(" + 0", "")
        };
        format!("{} {} {}", side(1, 0), RELATIONS[self.relation], side(-1, self.constant))
    }
}

fn constraints() -> impl Strategy<Value = Vec<Constraint>> {
    let relation = prop_oneof![3 => Just(0), 2 => 1..RELATIONS.len()];
    let coefficient = || prop_oneof![3 => Just(0), 2 => Just(1), 1 => Just(-1), 1 => -2..=2i64];
    let z = prop_oneof![4 => Just(0), 1 => Just(1), 1 => Just(-1)];
    let coefficients = (coefficient(), coefficient(), coefficient(), coefficient(), z);
    let constraint = (relation, coefficients, -2..=2i64).prop_map(|(relation, (a, b, c, d, e), constant)| Constraint {
        relation,
        coefficients: [a, b, c, d, e],
        constant,
    });
    prop::collection::vec(constraint, 1..5)
}

fn pairs(range: std::ops::RangeInclusive<i64>) -> impl Iterator<Item = (i64, i64)> {
    range.clone().flat_map(move |a| range.clone().map(move |b| (a, b)))
}

/// The values after the transition, by the constraints.
fn expected(constraints: &[Constraint], x: i64, y: i64) -> BTreeSet<(i64, i64)> {
    let possible = |x1, y1| WIDE.into_iter().any(|z| constraints.iter().all(|c| c.holds(&[x, y, x1, y1, z])));
    pairs(SMALL).filter(|(x1, y1)| possible(*x1, *y1)).collect()
}

/// All vectors of inputs.
fn inputs(count: usize) -> Vec<Vec<i64>> {
    (0..count).fold(vec![Vec::new()], |all, _| {
        all.iter().flat_map(|v| WIDE.map(move |i| [v.as_slice(), &[i]].concat())).collect()
    })
}

/// The values after the transition, by the program: after its one step, or its two.
fn reached(program: &Program, x: i64, y: i64) -> BTreeSet<(i64, i64)> {
    let interpreter = Interpreter::new(program);
    let mut cells = vec![0; program.cell_count()];
    (cells[0], cells[1]) = (x, y);
    let mut states = vec![State { locs: vec![program.processes[0].initial], cells }];
    for i in 0..program.transitions.len() {
        let id = TransId::from_index(i);
        let all = inputs(program.transition(id).inputs().count());
        let fire = |s: &State, values: &Vec<i64>| interpreter.fire(s, id, values).expect("no faults");
        states = states.iter().flat_map(|s| all.iter().filter_map(move |v| fire(s, v))).collect();
    }
    assert!(states.iter().all(|s| s.locs == [LocId(1)] && s.cells[2..].iter().all(|c| *c == 0)));
    let ends = states.iter().map(|s| (s.cells[0], s.cells[1]));
    ends.filter(|(a, b)| SMALL.contains(a) && SMALL.contains(b)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn steps_are_those_the_constraints_allow(constraints in constraints()) {
        let texts: Vec<String> = constraints.iter().map(Constraint::text).collect();
        let text = format!(
            "start(pc(a)). error(pc(b)).\nr(p(pc(a), data(X, Y)), p(pc(b), data(X1, Y1)), [{}], [], 1).",
            texts.join(", ")
        );
        let Ok(Input::Program(program)) = read(Language::Armc, "model", text.as_bytes(), &Options::default()) else {
            panic!("{text}")
        };
        // With more inputs there are too many combinations.
        let most = program.transitions.iter().map(|t| t.inputs().count()).sum::<usize>();
        prop_assume!(most <= 3);
        for (x, y) in pairs(SMALL) {
            prop_assert_eq!(reached(&program, x, y), expected(&constraints, x, y), "{} at {:?}", text, (x, y));
        }
    }
}
