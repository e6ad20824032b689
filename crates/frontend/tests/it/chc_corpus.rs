//! The CHC-COMP tasks, where they are at hand: all are read, and what is printed of them is read back as it was.

use std::fs;
use std::path::PathBuf;

use clinch_ir::horn::to_smtlib;

use crate::chc::read_chc;

fn corpus() -> Option<PathBuf> {
    let dir = clinch_testing::package().join("../../../shared/corpus/chc");
    dir.join("tasks").is_dir().then_some(dir)
}

/// File, predicates and rules of each task.
fn tasks() -> Vec<(String, String, usize, usize)> {
    let Some(dir) = corpus() else { return Vec::new() };
    let index = fs::read_to_string(dir.join("index.csv")).expect("index");
    let lines = index.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let text = fs::read_to_string(dir.join("tasks").join(fields[0])).expect("task");
        let number = |i: usize| fields[i].parse::<usize>().expect("a number");
        (fields[0].to_owned(), text, number(8), number(9))
    });
    lines.collect()
}

#[test]
fn all_tasks_are_read() {
    for (file, text, predicates, rules) in tasks() {
        let system = read_chc(&text).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert_eq!(system.predicates.len(), predicates, "{file}");
        // Clauses that hold by themselves are dropped; those whose head is in the body, for one.
        assert!(
            (rules.div_ceil(2)..=rules).contains(&system.clauses.len()),
            "{file}: {} clauses",
            system.clauses.len()
        );
        crate::chc::check_invariants(&system);
    }
}

#[test]
fn what_is_printed_is_read_as_it_was() {
    for (file, text, ..) in tasks() {
        let system = read_chc(&text).expect("it is read");
        let printed = to_smtlib(&system).unwrap_or_else(|e| panic!("{file}: {e}"));
        let again = read_chc(&printed).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert_eq!(to_smtlib(&again).expect("printable"), printed, "{file}");
    }
}
