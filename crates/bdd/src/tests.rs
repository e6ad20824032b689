//! Functions against truth tables.

use clinch_terms::BinOp;

use crate::{Bdd, Bdds, Literal, OutOfNodes};

/// All functions of three variables that are built by a few operations agree with their truth tables.
#[test]
fn agrees_with_truth_tables() {
    let mut bdds = Bdds::new(1 << 12);
    let mut known: Vec<(Bdd, u8)> = Vec::new();
    for (variable, table) in [(0, 0b1010_1010), (1, 0b1100_1100), (2, 0b1111_0000)] {
        known.push((bdds.cube(&[(variable, true)]).unwrap(), table));
    }
    for _ in 0..2 {
        let before = known.clone();
        for (a, x) in &before {
            known.push((a.negation().unwrap(), !x));
            for (b, y) in &before {
                known.push((a.and(b).unwrap(), x & y));
                known.push((a.or(b).unwrap(), x | y));
            }
        }
        known.sort_by_key(|k| k.1);
        known.dedup_by_key(|k| k.1);
    }
    assert!(known.len() > 30);
    for (a, x) in &known {
        let table = |cubes: Vec<Vec<Literal>>| {
            let holds = |row: u32| cubes.iter().any(|c| c.iter().all(|&(v, value)| (row >> v & 1 == 1) == value));
            (0..8).filter(|&row| holds(row)).fold(0u8, |t, row| t | 1 << row)
        };
        assert_eq!(table(a.cubes(8).unwrap()), *x);
        assert_eq!(a.is_false(), *x == 0);
        for (b, y) in &known {
            assert_eq!(a.implies(b).unwrap(), x & !y == 0);
            assert_eq!(a == b, x == y);
        }
    }
}

#[test]
fn quantifies() {
    let mut bdds = Bdds::new(1 << 12);
    let both = bdds.cube(&[(0, true), (1, false)]).unwrap();
    assert_eq!(both.exists_in(&bdds.variables(&[0]).unwrap()).unwrap(), bdds.cube(&[(1, false)]).unwrap());
    assert!(both.cubes(0).is_none());
}

/// Quantification, relational product, renaming, support, counting against truth tables of random functions.
#[test]
fn relations_agree_with_truth_tables() {
    const VARIABLES: u32 = 6;
    let mut bdds = Bdds::new(1 << 16);
    bdds.make_variables(2 * VARIABLES);
    let mut seed = 1u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        seed ^ seed >> 29
    };
    for _ in 0..300 {
        let (x, y, set) = (random(), random(), random() as u32 % (1 << VARIABLES));
        let (f, g) = (function(&bdds, VARIABLES, x), function(&bdds, VARIABLES, y));
        let chosen: Vec<u32> = (0..VARIABLES).filter(|v| set >> v & 1 == 1).collect();
        let variables = bdds.variables(&chosen).unwrap();
        let orbit = |row: u32| (0..1 << VARIABLES).filter(move |other| (row ^ other) & !set == 0);
        let some = (0..64).filter(|&r| orbit(r).any(|o| x >> o & 1 == 1)).fold(0, |t, r| t | 1 << r);
        let all = (0..64).filter(|&r| orbit(r).all(|o| x >> o & 1 == 1)).fold(0, |t, r| t | 1 << r);
        let both = (0..64).filter(|&r| orbit(r).any(|o| (x & y) >> o & 1 == 1)).fold(0, |t, r| t | 1 << r);
        let imp = (0..64).filter(|&r| orbit(r).all(|o| (!x | y) >> o & 1 == 1)).fold(0, |t, r| t | 1 << r);
        assert_eq!(f.exists_in(&variables).unwrap(), function(&bdds, VARIABLES, some));
        assert_eq!(f.forall_in(&variables).unwrap(), function(&bdds, VARIABLES, all));
        assert_eq!(f.and_exists(&g, &variables).unwrap(), function(&bdds, VARIABLES, both));
        assert_eq!(f.imp_forall(&g, &variables).unwrap(), function(&bdds, VARIABLES, imp));
        let rows = (0..1_u32 << VARIABLES).filter(|row| {
            let values: Vec<Literal> = (0..VARIABLES).map(|v| (v, row >> v & 1 == 1)).collect();
            f.value(&values)
        });
        assert_eq!(rows.count() as u32, x.count_ones());
        let support: Vec<u32> =
            (0..VARIABLES).filter(|v| (0..64u32).any(|r| (x >> r & 1) != (x >> (r ^ (1 << v)) & 1))).collect();
        assert_eq!(f.support(), support);
        let there: Vec<(u32, u32)> = (0..VARIABLES).map(|v| (v, 2 * VARIABLES - 1 - v)).collect();
        let back: Vec<(u32, u32)> = there.iter().map(|&(a, b)| (b, a)).collect();
        let moved = f.rename(&bdds.renaming(&there).unwrap()).unwrap();
        assert!(moved.support().iter().all(|&v| v >= VARIABLES));
        assert_eq!(moved.rename(&bdds.renaming(&back).unwrap()).unwrap(), f);
        let picked = f.pick().unwrap();
        assert!(bdds.known_cube(&picked).unwrap().implies(&f).unwrap());
    }
}

/// Any map of variables to variables, applied at once: chains, swaps, and several variables that become one.
#[test]
fn renaming_agrees_with_truth_tables() {
    const VARIABLES: u32 = 6;
    let mut bdds = Bdds::new(1 << 16);
    bdds.make_variables(VARIABLES);
    let mut seed = 7u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        seed ^ seed >> 29
    };
    for round in 0..500 {
        let table = random();
        // Few pairs are mostly replaced in steps, many by substitution.
        let pairs: Vec<(u32, u32)> = (0..VARIABLES)
            .filter_map(|v| (random() % 6 < round % 7).then_some((v, (random() >> 7) as u32 % VARIABLES)))
            .collect();
        let source = |v: u32| pairs.iter().find(|p| p.0 == v).map_or(v, |p| p.1);
        let row = |r: u32| (0..VARIABLES).fold(0, |row, v| row | (r >> source(v) & 1) << v);
        let expected = (0..64).filter(|&r| table >> row(r) & 1 == 1).fold(0, |t, r| t | 1 << r);
        let renamed = function(&bdds, VARIABLES, table).rename(&bdds.renaming(&pairs).unwrap()).unwrap();
        assert_eq!(renamed, function(&bdds, VARIABLES, expected), "{pairs:?}");
    }
}

fn function(bdds: &Bdds, variables: u32, table: u64) -> Bdd {
    let row = |r: u32| (0..variables).map(|v| (v, r >> v & 1 == 1)).collect::<Vec<_>>();
    let rows: Vec<Bdd> =
        (0..1 << variables).filter(|r| table >> r & 1 == 1).map(|r| bdds.known_cube(&row(r)).unwrap()).collect();
    bdds.any(&rows).unwrap()
}

#[test]
fn runs_out_of_nodes() {
    let mut bdds = Bdds::new(200);
    bdds.make_variables(64);
    let word = |from: u32| (0..16).map(|i| bdds.variable(from + i).unwrap()).collect::<Vec<_>>();
    assert_eq!(bdds.operation(BinOp::BvMul, &word(0), &word(16)).unwrap_err(), OutOfNodes);
}
