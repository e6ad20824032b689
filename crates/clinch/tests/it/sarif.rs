//! SARIF: valid against the published schema, with fingerprints that survive edits elsewhere.

use serde_json::Value;

use crate::{code, plain_clinch, root, stdout};

/// The log that clinch writes for a file.
fn log(file: &str, args: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("log.sarif");
    let output = plain_clinch(&[&["check", file, "--sarif", out.to_str().expect("a name")], args].concat());
    assert!(code(&output) <= 2, "{output:?}");
    let text = std::fs::read_to_string(&out).unwrap_or_else(|error| panic!("{error}: {}", stdout(&output)));
    serde_json::from_str(&text).expect("JSON")
}

fn results(log: &Value) -> &[Value] {
    log["runs"][0]["results"].as_array().expect("results")
}

#[test]
fn logs_are_valid() {
    let schema = root().join("crates/reports/tests/schemas/sarif-schema-2.1.0.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).expect("the schema")).expect("JSON");
    for (example, expected) in [
        ("c/ring-bug.c", 1),
        ("c/dangling-bug.c", 1),
        ("bp/lock.bp", 0),
        ("gcl/ticket-err.gcl", 1),
        ("rem/parity-bug.rem", 1),
    ] {
        let file = root().join("examples").join(example).display().to_string();
        let log = log(&file, &[]);
        let wrong = crate::schema::errors(&schema, &log);
        assert!(wrong.is_empty(), "{example}: {wrong:?}");
        assert_eq!(results(&log).len(), expected, "{example}: {log}");
        for result in results(&log) {
            assert!(!result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("a flow").is_empty());
        }
    }
}

/// The same text fails twice in one function.
const TWICE: &str = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  if (b == 7)
    return 1 / a;
  return 1 / a;
}
";

#[test]
fn fingerprints_survive_edits_elsewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("twice.c");
    let name = file.to_str().expect("a name");
    let found = |text: &str| {
        std::fs::write(&file, text).expect("a file");
        let log = log(name, &["--check", "arithmetic"]);
        let mut all: Vec<(String, String, u64)> = results(&log)
            .iter()
            .map(|result| {
                let text = |value: &Value| value.as_str().expect("text").to_owned();
                let line = result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64().expect("a line");
                (text(&result["ruleId"]), text(&result["partialFingerprints"]["clinchLine/v1"]), line)
            })
            .collect();
        all.sort();
        all
    };
    let before = found(TWICE);
    assert_eq!(before.iter().map(|(rule, ..)| rule.as_str()).collect::<Vec<_>>(), ["arithmetic"; 2]);
    let after =
        found(&TWICE.replace("int main", "/* three\n   more\n   lines */\nint main").replace("return 1", "return   1"));
    let prints = |all: &[(String, String, u64)]| all.iter().map(|(_, print, _)| print.clone()).collect::<Vec<_>>();
    assert_eq!(prints(&before), prints(&after));
    let lines = |all: &[(String, String, u64)]| all.iter().map(|(_, _, line)| *line).collect::<Vec<_>>();
    assert_ne!(lines(&before), lines(&after));
    let changed = found(&TWICE.replace("1 / a", "2 / a"));
    assert_ne!(prints(&before), prints(&changed));
}
