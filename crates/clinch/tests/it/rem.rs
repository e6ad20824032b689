//! Remopla programs on the command line.

use serde_json::Value;

use crate::{clinch, code, root, stderr, stdout};

fn example(name: &str) -> String {
    root().join("examples/rem").join(name).display().to_string()
}

/// Runs clinch on a text; the exit code, and what it prints, with the file called `p.rem`.
fn on_text(command: &str, text: &str, args: &[&str]) -> (i32, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.rem").display().to_string();
    std::fs::write(&file, text).expect("written");
    let output = clinch(&[&[command, &file], args].concat());
    (code(&output), (stdout(&output) + &stderr(&output)).replace(&file, "p.rem"))
}

#[test]
fn examples_have_the_verdicts_they_announce() {
    let mut files: Vec<_> = ["rem", "bp"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(root().join("examples").join(folder)).expect("examples").flatten())
        .collect();
    files.sort_by_key(std::fs::DirEntry::path);
    let mut seen = 0;
    for file in files {
        let text = std::fs::read_to_string(file.path()).expect("text");
        let expected = text.lines().find_map(|l| l.split_once("expect: ")).expect("an announcement").1;
        for engine in ["auto", "explicit", "cegar", "lazy", "spds"] {
            let path = file.path().display().to_string();
            let output = clinch(&[
                "check",
                &path,
                "--engine",
                engine,
                "--timeout",
                if engine == "auto" { "1s" } else { "500ms" },
                "--json",
            ]);
            let answer: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
            let verdict = answer["verdict"].as_str().expect("a verdict");
            assert!(verdict == expected || verdict == "unknown", "{path}, {engine}: {verdict}");
            // The first runs find every bug.
            assert!(engine != "auto" || expected == "safe" || verdict == "unsafe", "{path}: {verdict}");
        }
        seen += 1;
    }
    assert!(seen >= 20, "{seen} examples");
}

#[test]
fn all_runs_of_small_programs_are_tried() {
    let run = |name: &str, bits: &str| {
        let define = format!("DEFAULT_INT_BITS={bits}");
        code(&clinch(&["check", &example(name), "--engine", "explicit", "--define", &define, "--timeout", "30s"]))
    };
    for (name, bits) in
        [("fig3.rem", "4"), ("fig4.rem", "4"), ("fig9.rem", "2"), ("fig10.rem", "1"), ("ackermann.rem", "3")]
    {
        assert_eq!(run(name, bits), 0, "{name}");
    }
    // Beyond two bits the wrong branch is not reached.
    assert_eq!(run("fig9-bug.rem", "2"), 1);
    assert_eq!(run("fig9-bug.rem", "1"), 0);
}

#[test]
fn a_trace_shows_calls() {
    let output = clinch(&["check", &example("mccarthy91-bug.rem")]);
    assert_eq!(code(&output), 1);
    let text = stdout(&output);
    assert!(text.starts_with("UNSAFE: assert m == 91 at "), "{text}");
    assert!(text.contains("mccarthy91-bug.rem:21:3"), "{text}");
    for line in ["n = {0..101}", "m = f(n)", "  [n > 101]", "m = 92", "evidence: the run was replayed on the model\n"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let json: Value =
        serde_json::from_str(&stdout(&clinch(&["check", &example("fig11-bug.rem"), "--json"]))).expect("JSON");
    assert_eq!(json["error"]["what"], "label error");
    assert_eq!(json["certified"], true);
    assert_eq!(json["inputs"][0]["from"], "B[0]");
    let steps = json["trace"].as_array().expect("a trace");
    assert!(steps.iter().any(|s| s["statement"] == "[B[1] != C[2]]"), "{steps:?}");
}

#[test]
fn malformed_files_are_bad_input() {
    for (text, expected) in [
        ("", "p.rem:1:1: error: the file is empty"),
        ("module void main() {\n  x = 1;\n}\n", "p.rem:2:3: error: `x` is not declared"),
        ("module void main() { if :: true -> skip; }", "p.rem:1:42: error: expected `::` or `fi`, found `}`"),
        ("int x(99); module void main() { }", "p.rem:1:7: error: an `int` has between 1 and 64 bits"),
    ] {
        for command in ["check", "run", "cfa"] {
            let (code, shown) = on_text(command, text, &[]);
            assert_eq!(code, 65, "{shown}");
            assert!(shown.starts_with(expected), "{shown}");
        }
    }
    let (code, shown) = on_text("check", "module void main() { }", &["--label", "l"]);
    assert_eq!(code, 65, "{shown}");
    assert!(shown.starts_with("--label:1:1: error: the program has no label `l`"), "{shown}");
    let output = clinch(&["check", &example("fig3.rem"), &example("fig4.rem")]);
    assert_eq!(output.status.code(), Some(65));
}

#[test]
fn a_fault_gives_no_proof() {
    let text = "bool a[3]; int i(2); module void main() { a[i] = true; }";
    for engine in ["explicit", "cegar", "lazy"] {
        let (code, shown) = on_text("check", text, &["--engine", engine, "--timeout", "5s"]);
        assert_eq!(code, 2, "{shown}");
        assert!(shown.contains("an index outside of its array of 3 elements"), "{shown}");
    }
}

#[test]
fn other_labels_and_commands() {
    let text = "module void main() { int x(2); if :: x == 2 -> goto there; :: else -> skip; fi return; there: skip; }";
    let (code, shown) = on_text("check", text, &[]);
    assert_eq!(code, 2, "{shown}");
    assert!(shown.starts_with("UNKNOWN: the program has no error label (see --label): nothing was checked"), "{shown}");
    let (code, shown) = on_text("check", text, &["--label", "there"]);
    assert_eq!(code, 1);
    assert!(shown.starts_with("UNSAFE: label there at p.rem:1:88"), "{shown}");
    assert_eq!(on_text("run", text, &["--label", "there", "--inputs", "2"]).0, 1);
    assert_eq!(on_text("run", text, &["--label", "there", "--inputs", "1"]).0, 0);
    assert_eq!(on_text("run", text, &["--label", "there"]).0, 2);
    let (code, shown) = on_text("cfa", text, &[]);
    assert_eq!(code, 0);
    assert!(shown.contains("procedure main()"), "{shown}");
    let (code, shown) = on_text("convert", text, &["--to", "chc", "--label", "there"]);
    assert_eq!(code, 0, "{shown}");
    let (code, shown) = on_text("check", text, &["--engine", "split", "--prover", "off"]);
    assert_eq!(code, 64, "{shown}");
}

#[test]
fn tables_of_the_paper() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("tables.html");
    let file = page.to_str().expect("a name");
    let output = clinch(&["reproduce", "spds", "--only", "table 5", "--bound", "10ms", "--html", file]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("[Spds] ") && text.contains("\n[Spds] table 5: DAG example\n"), "{text}");
    assert!(text.contains("(10750)"), "{text}");
    let page = std::fs::read_to_string(page).expect("a page");
    for part in ["<h2>[Spds] table 5: DAG example</h2>", "(10750)</td>", "<svg", "lazy (BLAST), the paper"] {
        assert!(page.contains(part), "{part}\n{page}");
    }
}
