//! The generators keep their promise: what they write is C that gcc accepts, sanitisers find nothing in, and optimisation does
//! not change.
#![allow(clippy::print_stderr, reason = "a skipped comparison is told")]

use clinch_attack::families::{self, FAMILIES, Family};
use clinch_attack::trap::Trap;
use clinch_attack::{gcc, truth};
use clinch_testing::cases;

/// Which of the traps have no truth, and why.
fn without_truth(traps: &[Trap]) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    let truths = truth::truths(folder.path(), "traps", traps);
    let failed = traps.iter().zip(truths).filter_map(|(trap, truth)| Some((trap.origin.clone(), truth.err()?)));
    failed.collect()
}

/// A template may have unlucky draws; one that never has a truth is no use. Of twelve, one is tried; with more effort, more.
#[test]
fn templates_have_a_truth() {
    if !gcc::available() {
        eprintln!("skipped: no gcc to tell the truth");
        return;
    }
    for family in FAMILIES.into_iter().filter(|f| *f != Family::Whole) {
        let traps = families::each_template(family, 0).into_iter().step_by(12 / cases(1).min(12) as usize);
        let mut left = without_truth(&traps.collect::<Vec<_>>());
        for seed in 1..5 {
            let mut again = families::each_template(family, seed);
            again.retain(|trap| left.iter().any(|(name, _)| *name == trap.origin));
            left = without_truth(&again);
        }
        assert!(left.is_empty(), "{family}: {left:?}");
    }
}

#[test]
fn random_walks_of_pointers_are_well_defined() {
    if !gcc::available() {
        eprintln!("skipped: no gcc to tell the truth");
        return;
    }
    let traps: Vec<Trap> = (0..u64::from(cases(30))).map(|seed| families::draw(seed, &[Family::Memory])).collect();
    let failed: Vec<_> = without_truth(&traps).into_iter().filter(|(origin, _)| origin == "pointers").collect();
    assert!(failed.is_empty(), "{failed:?}");
}
