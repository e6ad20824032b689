//! The experiment on a small model.

use std::time::Duration;

use clinch_frontend::{Language, Options, parse};
use clinch_ir::Program;

use super::{COLUMNS, Engine, IMPLEMENTATIONS, Setup, search_all};

const BRANCHES: &str = "const N = 5;
var n: 0..N = 0, x: 0..N = 0, y: 0..N = 0;
process Main {
  loc branch, grow, shrink;
  branch -> grow when n < N;
  branch -> shrink when n < N;
  grow -> branch do x := x + 1, n := n + 1;
  grow -> branch do y := y + 1, n := n + 1;
  shrink -> branch when x > y do x := x - y, n := n + 1;
  shrink -> branch when x <= y do y := y - x, n := n + 1;
}";

fn program(text: &str) -> Program {
    parse(Language::Gcl, "test.gcl", text.as_bytes(), &Options::default()).expect("the model is right")
}

#[test]
fn all_implementations_meet_goals() {
    let models = [("Branches".to_string(), program(&format!("{BRANCHES}\nerror x > 0;")))];
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
    let models = [("Open".to_string(), program("var x: int = 1;\nprocess P { loc a; a -> a do x := input; }"))];
    let setup = Setup { seeds: vec![1], errors: 40, bound: Duration::from_secs(5) };
    let refused = search_all(&models, &setup, &mut |_| {});
    assert!(refused.is_err_and(|text| text.starts_with("Open: ")));
}
