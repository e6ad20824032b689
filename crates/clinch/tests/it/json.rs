//! The JSON that `--json` prints is what its schema says.

use serde_json::Value;

use crate::{plain_clinch, root, stdout};

#[test]
fn reports_fit_the_schema() {
    let schema = std::fs::read_to_string(root().join("docs/json-schema.json")).expect("the schema");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    for (example, args) in [
        ("c/dangling-bug.c", &[][..]),
        ("c/bounds.c", &["--timeout", "1ms"]),
        ("gcl/ticket-err.gcl", &[]),
        ("gcl/ticket.gcl", &["-DN=2"]),
        ("armc/seesaw.armc", &[]),
        ("armc/seesaw-err.armc", &["--engine", "cegar"]),
        ("rem/parity-bug.rem", &[]),
        ("bp/lock.bp", &[]),
    ] {
        let file = root().join("examples").join(example).display().to_string();
        let output = plain_clinch(&[&["check", &file, "--json"], args].concat());
        let report: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{example}: {e}: {output:?}"));
        let wrong = crate::schema::errors(&schema, &report);
        assert!(wrong.is_empty(), "{example} {args:?}: {wrong:?}\n{}", stdout(&output));
        assert_eq!(report["schema_version"], 1, "{example}");
    }
}
