//! A condition without a value is a fault, in properties as in steps.

use crate::{check_json, root};

/// Checks a text with every engine for models: `expected` says what the error is; giving up is allowed but for the first.
fn every_engine(extension: &str, text: &str, args: &[&str], expected: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(format!("model.{extension}")).display().to_string();
    std::fs::write(&file, text).expect("written");
    for engine in ["explicit", "alpha", "split", "cegar", "lazy", "spacer"] {
        let (code, object) = check_json(&file, &[&["--engine", engine, "--timeout", "20s"], args].concat());
        if code == 2 && engine != "explicit" {
            continue;
        }
        assert_eq!(code, 1, "{engine} on {text}: {object}");
        let error = object["error"].as_str().expect("what is wrong");
        assert!(error.contains(expected), "{engine} on {text}: {error}");
        assert_eq!(object["certified"], true, "{engine} on {text}");
    }
}

#[test]
fn error_conditions_without_a_value() {
    let counter = "var x: 0..3 = 0;\nvar a: 0..2[2] = 0;\ncommand when x < 3 do x := x + 1;\n";
    for (error, what) in [
        ("a[x] = 0 and a[x] != 0", "the error condition has no value: index 2 out of range 0..1"),
        ("x = 2 and (a[x] = 0 or a[x] != 0)", "the error condition has no value: index 2"),
        ("6 / (x - 2) = 1000", "the error condition has no value: division by zero"),
        ("5 % (x - 2) = 1000", "the error condition has no value: division by zero"),
        ("1 << (x - 1) = 1000", "the error condition has no value: operand -1"),
        ("not (6 / (x - 2) != 1000)", "the error condition has no value: division by zero"),
    ] {
        every_engine("gcl", &format!("{counter}error {error};\n"), &[], what);
        every_engine("gcl", counter, &["--error", error], what);
    }
}

#[test]
fn error_conditions_of_other_languages() {
    let text =
        "byte x = 0;\nprocess P { state q; init q; trans q -> q { guard x < 3; effect x = x + 1; }; }\nsystem async;\n";
    every_engine(
        "dve",
        text,
        &["--error", "1 / (x - 2) == 1000"],
        "the error condition has no value: division by zero",
    );
}

/// What is not looked at need not have a value.
#[test]
fn only_what_is_needed_is_evaluated() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("model.gcl").display().to_string();
    let text = "var x: 0..3 = 0;\nvar a: 0..2[2] = 0;\ncommand when x < 3 do x := x + 1;\n";
    std::fs::write(&file, format!("{text}error x < 2 and a[x] = 1 or x != 2 and 6 / (x - 2) = 1000;\n"))
        .expect("written");
    for engine in ["explicit", "alpha", "split", "cegar", "lazy"] {
        let (code, object) = check_json(&file, &["--engine", engine, "--timeout", "20s"]);
        assert_eq!(code, 0, "{engine}: {object}");
    }
}

#[test]
fn complements_are_those_of_32_bits() {
    let start = "var x: int = 2147483646; var y: int = 0;\ncommand when x < 2147483650 do x := x + 1";
    every_engine(
        "gcl",
        &format!("{start};\nerror ~x = 5;\n"),
        &[],
        "the error condition has no value: operand 2147483648",
    );
    every_engine(
        "gcl",
        &format!("{start}, y := ~x;\nerror false;\n"),
        &[],
        "operand 2147483648 of a bitwise operation",
    );
    every_engine(
        "gcl",
        &format!("{start}, y := x & 1;\nerror false;\n"),
        &[],
        "operand 2147483648 of a bitwise operation",
    );
}

#[test]
fn the_pages_say_so() {
    for page in ["docs/gcl.md", "docs/dve.md"] {
        let text = std::fs::read_to_string(root().join(page)).expect("the page");
        assert!(text.contains("condition itself has no value"), "{page}");
    }
}
