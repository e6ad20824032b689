//! The examples of the documentation are models, and do what it says.

use clinch_frontend::Language;
use clinch_ir::Evaluator;

use crate::{explore, read_ok};

/// The first block of code in a document.
fn example(document: &str) -> &str {
    document.split("```").nth(1).expect("a block of code").trim_start()
}

#[test]
fn gcl() {
    let program = read_ok(Language::Gcl, example(include_str!("../../../../docs/gcl.md")));
    let error = program.property.error.expect("it has one");
    let (states, _) = explore(&program);
    assert!(states.len() > 10);
    assert!(states.iter().all(|s| Evaluator::new(&program).holds(error, s) == Ok(false)));
}

#[test]
fn dve() {
    let program = read_ok(Language::Dve, example(include_str!("../../../../docs/dve.md")));
    assert_eq!(explore(&program).0.len(), 3);
}

#[test]
fn chc() {
    let system = crate::chc::read_chc(example(include_str!("../../../../docs/chc.md"))).expect("it is read");
    assert_eq!(system.clauses.len(), 3);
}
