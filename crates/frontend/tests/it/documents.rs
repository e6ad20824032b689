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
fn armc() {
    let text = example(include_str!("../../../../docs/armc.md"));
    let input = clinch_frontend::read(Language::Armc, "model", text.as_bytes(), &Default::default());
    let Ok(clinch_frontend::Input::Program(program)) = input else { panic!("{input:?}") };
    let names: Vec<&str> = program.transitions.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["1: init -> loop", "2: x := 2*x", "3: loop -> loop~3", "3: loop~3 -> loop", "4: loop -> bad"]);
    assert_eq!(program.predicates.len(), 1);
}

#[test]
fn chc() {
    let system = crate::chc::read_chc(example(include_str!("../../../../docs/chc.md"))).expect("it is read");
    assert_eq!(system.clauses.len(), 3);
}
