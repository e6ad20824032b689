//! The experiment on a small model.

use std::time::Duration;

use clinch_frontend::{Language, Options, parse};
use clinch_ir::Program;

use super::super::text_of;
use super::{COLUMNS, Engine, IMPLEMENTATIONS, Setup, search_all};

fn program(text: &str, options: &Options) -> Program {
    parse(Language::Gcl, "test.gcl", text.as_bytes(), options).expect("the model is right")
}

#[test]
fn all_implementations_meet_goals() {
    let options = Options { defines: vec![("N".to_owned(), 5)], error: Some("x > 0".to_owned()), ..Options::default() };
    let models = [("Branches".to_string(), program(text_of("branches"), &options))];
    let setup = Setup { seeds: vec![1, 2], errors: 10, bound: Duration::from_secs(5) };
    let mut lines = 0;
    let tables = search_all(&models, &setup, &mut |_| lines += 1).expect("the experiment runs");
    assert_eq!(lines, 1 + 3 + 4 * 2);
    assert_eq!(tables.runs.len(), 3 + 4 * 2);
    let found = &tables.table(None).expect("there is a table of errors found").rows[0];
    for (implementation, share) in IMPLEMENTATIONS.into_iter().zip(found.ours) {
        assert!(share > 0.0, "{} found nothing", implementation.name);
        let complete = !matches!(implementation.engine, Engine::Alpha(_, None));
        assert!(!complete || share == 1.0, "{} found {share}", implementation.name);
    }
    for table in &tables.tables {
        assert_eq!(table.rows.len(), 1);
        assert!(table.rows[0].thesis.is_some());
        assert!(table.rows[0].ours.contains(&1.0));
    }
    let text = tables.document().to_string();
    let lines: Vec<&str> = text.lines().filter(|l| l.trim_start().starts_with("Branches")).collect();
    assert_eq!(lines.len(), 5);
    assert!(lines.iter().all(|l| l.matches('(').count() == COLUMNS));
}

#[test]
fn models_without_finite_state_space_are_refused() {
    let text = "var x: int = 1;\nprocess P { loc a; a -> a do x := input; }";
    let models = [("Open".to_string(), program(text, &Options::default()))];
    let setup = Setup { seeds: vec![1], errors: 40, bound: Duration::from_secs(5) };
    let refused = search_all(&models, &setup, &mut |_| {});
    assert!(refused.is_err_and(|text| text.starts_with("Open: ")));
}
