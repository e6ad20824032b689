//! Bad input: a diagnostic with file, line and column, and exit code 65.

use crate::{clinch, code, example, stderr};

/// File name, content, and what the first line of the diagnostic says behind the file's name.
const BAD: &[(&str, &str, &str)] = &[
    ("token.gcl", "var x: int = 0;\nvar y: int = 1 @ 2;\n", ":2:16: error:"),
    ("name.gcl", "var x: int = 0;\ncommand do x := z;\n", ":2:17: error:"),
    ("type.gcl", "var x: int = 0;\ncommand when x do x := 1;\n", ":2:14: error:"),
    ("range.gcl", "var x: 0..3 = 7;\n", ":1:15: error:"),
    ("duplicate.gcl", "var x: int = 0;\nvar x: int = 0;\n", ":2:5: error:"),
    ("empty.gcl", "", ":1:1: error:"),
    ("semicolon.gcl", "var x: int = 0\nvar y: int = 0;\n", ":2:1: error:"),
    ("comment.gcl", "var x: int = 0; /* open", ":1:17: error:"),
    ("twice.gcl", "var x: int = 0;\ncommand do x := 1, x := 2;\n", ":2:20: error:"),
    ("location.gcl", "process P { loc a; a -> b; }\n", ":1:25: error:"),
    ("constant.gcl", "var n: int = 0;\nvar a: int[n] = 0;\n", ":2:12: error:"),
    ("chain.gcl", "var x: int = 0;\nerror 1 < x < 3;\n", ":2:13: error:"),
    (
        "token.dve",
        "byte x;\nprocess P { state a; init a; trans a -> a { guard x $ 1; }; }\nsystem async;\n",
        ":2:53: error:",
    ),
    ("name.dve", "process P { state a; init a; trans a -> a { effect y = 1; }; }\nsystem async;\n", ":1:52: error:"),
    ("state.dve", "process P { state a; init b; trans a -> a {}; }\nsystem async;\n", ":1:27: error:"),
    (
        "duplicate.dve",
        "byte x;\nint x;\nprocess P { state a; init a; trans a -> a {}; }\nsystem async;\n",
        ":2:5: error:",
    ),
    ("system.dve", "process P { state a; init a; trans a -> a {}; }\n", ":2:1: error:"),
    ("sync.dve", "process P { state a; init a; trans a -> a {}; }\nsystem sync;\n", ":2:8: error:"),
    ("channel.dve", "process P { state a; init a; trans a -> a { sync c!; }; }\nsystem async;\n", ":1:50: error:"),
    ("empty.dve", "// nothing\n", ":2:1: error:"),
];

fn check_bad(name: &str, content: &[u8], place: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    std::fs::write(&file, content).expect("written");
    let output = clinch(&["check", &file.display().to_string()]);
    let text = stderr(&output);
    assert_eq!(code(&output), 65, "{name}: {text}");
    let first = text.lines().next().unwrap_or_default();
    assert!(first.contains(&format!("{name}{place}")), "{name}: expected {place} in: {first}");
    assert!(text.len() < 20_000, "{name}: {} bytes of diagnostics", text.len());
}

#[test]
fn malformed_files_have_a_precise_diagnostic() {
    for (name, content, place) in BAD {
        check_bad(name, content.as_bytes(), place);
    }
}

#[test]
fn hostile_files_have_one_too() {
    let noise: Vec<u8> = (0..4096_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    check_bad("noise.gcl", &noise, ":");
    check_bad("noise.dve", &noise, ":");
    let deep = format!("var x: int = {}1{};\n", "(".repeat(100_000), ")".repeat(100_000));
    check_bad("deep.gcl", deep.as_bytes(), ":1:");
    let long = format!("var x: int = 0;\nerror {}x = 1;\n", "x = 1 or ".repeat(1_100_000));
    check_bad("long.gcl", long.as_bytes(), ":2:");
    let deep = format!("byte x = {}1;\n", "-".repeat(200_000));
    check_bad("deep.dve", deep.as_bytes(), ":1:");
}

#[test]
fn options_that_are_source_text_are_diagnosed() {
    let ticket = example("ticket.gcl");
    for (args, place) in [
        (["--error", "t = = 1"], "--error:1:5: error:"),
        (["--error", "nothing = 1"], "--error:1:1: error:"),
        (["--predicate", "t + 1"], "--predicate:1:1: error:"),
        (["--define", "M=3"], "--define:1:1: error:"),
    ] {
        let output = clinch(&["check", &ticket, args[0], args[1]]);
        assert_eq!(code(&output), 65, "{args:?}");
        assert!(stderr(&output).starts_with(place), "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn files_that_cannot_be_read() {
    for file in ["/nonexistent/model.gcl", "model.txt", "."] {
        let output = clinch(&["check", file]);
        assert_eq!(code(&output), 65, "{file}");
        assert!(stderr(&output).contains("error:"), "{file}: {}", stderr(&output));
    }
}
