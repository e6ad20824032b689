//! Witnesses: what clinch writes it confirms, and wrong ones it rejects, with the reason and the place.

use std::path::{Path, PathBuf};

use crate::{clinch, code, plain_clinch, root, stderr, stdout};

const BUG: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int twice(int x) { return x + x; }
int main(void) {
  int n = __VERIFIER_nondet_int();
  int m = __VERIFIER_nondet_int();
  if (n < 0 || n > 1000 || m < 0 || m > 1000)
    return 0;
  if (twice(n) == 14 && m == n + 1) {
    reach_error();
  }
  return 0;
}
";

const LOOP: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  int i = 0, s = 0;
  if (n < 0 || n > 1000)
    return 0;
  while (i < n) {
    i = i + 1;
    s = s + 2;
  }
  if (s != 2 * n)
    reach_error();
  return 0;
}
";

/// A folder with a program.
struct Case {
    folder: tempfile::TempDir,
    program: PathBuf,
}

impl Case {
    fn new(name: &str, text: &str) -> Case {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join(name);
        std::fs::write(&program, text).expect("a file");
        Case { folder, program }
    }

    fn program(&self) -> &str {
        self.program.to_str().expect("a name")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The witness that clinch writes.
    fn witness(&self, args: &[&str]) -> String {
        let file = self.file("witness.yml");
        let output = clinch(&[&["check", self.program(), "--witness", file.to_str().expect("a name")], args].concat());
        assert!(code(&output) < 2, "{}{}", stdout(&output), stderr(&output));
        std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{e}: {}", stderr(&output)))
    }

    /// What is said of a witness.
    fn validate(&self, text: &str) -> (i32, String) {
        let file = self.file("given.yml");
        std::fs::write(&file, text).expect("a file");
        let output = plain_clinch(&["validate", self.program(), file.to_str().expect("a name"), "--timeout", "30s"]);
        let said = stdout(&output) + &stderr(&output);
        (code(&output), said.replace(&format!("{}/", self.folder.path().display()), ""))
    }

    /// The witness with other content: what stands behind `content:`.
    fn with_content(&self, written: &str, content: &str) -> String {
        let (head, _) = written.split_once("  content:").expect("a witness");
        format!("{head}  content:\n{content}").replace("PROGRAM", self.program())
    }
}

#[test]
fn a_run_is_written_and_confirmed() {
    let case = Case::new("bug.c", BUG);
    let text = case.witness(&[]);
    for part in ["violation_sequence", "format_version: \"2.0\"", "\\result == 7", "acsl_expression", "type: target"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let (code, said) = case.validate(&text);
    assert_eq!(code, 0, "{said}");
    assert!(said.starts_with("CONFIRMED: a run along its 3 waypoints reaches: reach_error"), "{said}");
    let newer = case.witness(&["--witness-version", "2.1"]);
    assert!(newer.contains("format_version: \"2.1\"") && newer.contains("ext_c_expression"), "{newer}");
    assert_eq!(case.validate(&newer).0, 0);
}

#[test]
fn a_proof_is_written_and_confirmed() {
    let case = Case::new("loop.c", LOOP);
    let text = case.witness(&["--engine", "lazy"]);
    assert!(text.contains("type: loop_invariant") && text.contains("line: 8"), "{text}");
    let (code, said) = case.validate(&text);
    assert_eq!(code, 0, "{said}");
    assert!(said.starts_with("CONFIRMED: its "), "{said}");
}

/// What holds of unbounded integers need not hold of those that other tools would check it with.
#[test]
fn a_witness_is_about_the_integers_of_the_machine() {
    let case = Case::new("loop.c", LOOP);
    let file = case.file("witness.yml");
    let file = file.to_str().expect("a name");
    let output = clinch(&["check", case.program(), "--integers", "mathematical", "--witness", file]);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    let said = stderr(&output);
    assert!(said.contains("warning: there is no witness: it would be about the integers of the machine"), "{said}");
    assert!(!Path::new(file).exists());
}

/// More inputs than a witness has waypoints: those that are given come from a table, the others are open.
#[test]
fn runs_with_thousands_of_inputs_go_round() {
    let text = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[20000], b[20000];
int main(void) {
  for (int i = 0; i < 20000; i++) {
    a[i] = __VERIFIER_nondet_int();
    b[i] = __VERIFIER_nondet_int();
  }
  for (int i = 0; i < 20000; i++)
    if (a[i] != b[i])
      reach_error();
  return 0;
}
";
    let case = Case::new("many.c", text);
    let witness = case.witness(&["--engine", "explicit"]);
    assert_eq!(witness.matches("function_return").count(), 500);
    let (code, said) = case.validate(&witness);
    assert_eq!(code, 0, "{said}");
    // A value that the input cannot have is found in the table as well.
    let first = witness.find("\\result == ").expect("a constraint");
    let wrong = format!("{}\\result == 5000000000{}", &witness[..first], &witness[first + "\\result == 0".len()..]);
    assert_eq!(case.validate(&wrong).0, 1);
}

/// Where a pointer may lead to any global, the variable that counts waypoints is a cell of memory.
#[test]
fn waypoints_are_counted_in_memory_too() {
    let text = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *malloc(unsigned long);
struct device { int *flag; int version; };
int main(void) {
  struct device *device = malloc(sizeof(struct device));
  device->version = __VERIFIER_nondet_int();
  if (device->flag)
    *device->flag = 1;
  if (device->version == 7)
    reach_error();
  return 0;
}
";
    let case = Case::new("device.c", text);
    let witness = case.witness(&[]);
    assert!(witness.contains("\\result == 7"), "{witness}");
    let (code, said) = case.validate(&witness);
    assert_eq!(code, 0, "{said}");
}

/// Lines of a preprocessed file are its own, whatever its line markers say.
#[test]
fn preprocessed_files_have_their_own_lines() {
    let text = format!("# 1 \"other.c\"\n# 41 \"other.c\"\n{BUG}");
    let case = Case::new("bug.i", &text);
    let written = case.witness(&[]);
    assert!(written.contains("line: 12") && !written.contains("line: 50"), "{written}");
    assert_eq!(case.validate(&written).0, 0);
}

#[test]
fn graphml_has_the_inputs() {
    let case = Case::new("bug.c", BUG);
    let file = case.file("witness.graphml");
    let output = clinch(&["check", case.program(), "--witness", file.to_str().expect("a name")]);
    assert_eq!(code(&output), 1);
    let text = std::fs::read_to_string(&file).expect("a witness");
    for part in ["violation_witness", "\\result == 7;", "\\result == 8;", "<data key=\"startline\">10</data>", "64bit"]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let safe = Case::new("loop.c", LOOP);
    let file = safe.file("witness.graphml");
    let output = clinch(&["check", safe.program(), "--witness", file.to_str().expect("a name")]);
    assert!(stderr(&output).contains("warning: there is no witness: GraphML is for violation witnesses"), "{output:?}");
    assert!(!file.exists());
}

#[test]
fn a_witness_is_for_c() {
    let model = root().join("examples/gcl/ticket.gcl").display().to_string();
    let output = clinch(&["check", &model, "--witness", "w.yml"]);
    assert_eq!((code(&output), stderr(&output).contains("--witness does not apply")), (64, true), "{output:?}");
    let output = plain_clinch(&["validate", &model, "w.yml"]);
    assert_eq!((code(&output), stderr(&output).contains("is not a C file")), (64, true), "{output:?}");
}

/// Waypoints of every kind, in a witness that another tool could have written.
#[test]
fn all_kinds_of_waypoints_are_followed() {
    let case = Case::new("bug.c", BUG);
    let written = case.witness(&[]);
    let content = "  - segment:
    - waypoint: {type: assumption, action: follow, location: {file_name: bug.c, line: 6}, constraint: {value: 'n == 7', format: c_expression}}
  - segment:
    - waypoint: {type: branching, action: avoid, location: {file_name: bug.c, line: 7, column: 3}, constraint: {value: true}}
    - waypoint: {type: function_enter, action: follow, location: {file_name: bug.c, line: 9, column: 14, function: main}}
  - segment:
    - waypoint: {type: function_return, action: follow, location: {file_name: bug.c, line: 9}, constraint: {value: '\\result >= 14', format: acsl_expression}}
  - segment:
    - waypoint: {type: branching, action: follow, location: {file_name: bug.c, line: 9, column: 3}, constraint: {value: 'true'}}
  - segment:
    - waypoint: {type: target, action: follow, location: {file_name: bug.c, line: 10}}
";
    let (code, said) = case.validate(&case.with_content(&written, content));
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("its 5 waypoints"), "{said}");
}

/// What is wrong with a witness, and what is said of it.
#[test]
fn wrong_violation_witnesses_are_rejected() {
    let case = Case::new("bug.c", BUG);
    let good = case.witness(&[]);
    let hash = good.lines().find(|line| line.contains("bug.c: ")).expect("a hash").rsplit(' ').next().expect("a word");
    let hash = hash.trim_matches('"').to_owned();
    let other_hash = good.replace(&hash, &"0".repeat(64));
    let wrong: [(&str, String, i32, &str); 9] = [
        ("another program", other_hash, 1, "it is about another bug.c, with SHA-256 0000"),
        (
            "the first value",
            good.replace("result == 7", "result == 6"),
            1,
            "runs pass all its waypoints, but none of them violates the specification at bug.c:10:5",
        ),
        (
            "a value that is none",
            good.replace("result == 7", "result == 70000000000"),
            1,
            "no run passes this waypoint: function_return, \\result == 70000000000, at bug.c:5:33",
        ),
        ("the line of a call", good.replacen("line: 5", "line: 3", 1), 1, "no call ends at bug.c:3:33"),
        (
            "the line of the error",
            good.replace("line: 10", "line: 12"),
            1,
            "no statement or controlling expression begins at bug.c:12:5",
        ),
        (
            "a statement without error",
            good.replace("line: 10", "line: 12").replace("column: 5\n", "column: 3\n"),
            1,
            "nothing can violate the specification at bug.c:12:3",
        ),
        ("malformed YAML", good.replacen("  metadata:", " metadata", 1), 65, "given.yml:"),
        (
            "an unknown version",
            good.replace("\"2.0\"", "\"3.0\""),
            65,
            "error: unknown format_version `3.0`: expected 2.0 or 2.1",
        ),
        (
            "no target",
            good.replace("type: target", "type: function_enter"),
            65,
            "the target is the last waypoint of the last segment",
        ),
    ];
    for (what, text, expected, said) in wrong {
        assert_ne!(text, good, "{what}");
        let (code, found) = case.validate(&text);
        assert_eq!(code, expected, "{what}: {found}\n{text}");
        assert!(found.contains(said), "{what}: {found}\n{text}");
        let start = if expected == 1 { "REJECTED: given.yml:" } else { "given.yml:" };
        assert!(found.starts_with(start), "{what}: {found}");
    }
}

#[test]
fn wrong_correctness_witnesses_are_rejected() {
    let case = Case::new("loop.c", LOOP);
    let written = case.witness(&[]);
    let invariant = |kind: &str, line: u32, value: &str| {
        format!(
            "  - invariant: {{type: {kind}, location: {{file_name: loop.c, line: {line}, function: main}}, value: '{value}', format: c_expression}}\n"
        )
    };
    let judged = |content: &str| case.validate(&case.with_content(&written, content));
    for (content, expected, said) in [
        // It holds, but is not inductive without the other.
        (invariant("loop_invariant", 8, "s <= 2000"), 0, "its invariant holds"),
        (invariant("loop_invariant", 8, "s == 2 * i && i <= n"), 0, "its invariant holds"),
        (invariant("location_invariant", 12, "i == n"), 0, "its invariant holds"),
        (
            invariant("loop_invariant", 8, "s == i"),
            1,
            "the invariant `s == i` at loop.c:8 does not hold in the run with inputs",
        ),
        (invariant("location_invariant", 10, "s < 1998"), 1, "`s < 1998` at loop.c:10 does not hold"),
        (invariant("loop_invariant", 9, "s == 2 * i"), 1, "no loop begins at loop.c:9"),
        (invariant("location_invariant", 11, "1"), 1, "no statement begins at loop.c:11"),
        (invariant("loop_invariant", 8, "t == 2 * i"), 1, "an expression makes no sense at its place: loop.c:8:"),
        (invariant("loop_invariant", 8, "(s = 2 * i)"), 1, "`=` has no place in an expression without side effects"),
        (invariant("loop_invariant", 8, "__VERIFIER_nondet_int()"), 1, "it calls `__VERIFIER_nondet_int`"),
        (invariant("loop_variant", 8, "s"), 65, "unknown type of invariant `loop_variant`"),
        (invariant("loop_transition_invariant", 8, "s"), 2, "transition invariants are not read"),
        (
            invariant("loop_invariant", 8, "1").replace("main", "twice"),
            1,
            "loop.c:8 is in the function main, not in twice",
        ),
        (invariant("loop_invariant", 8, "1").replace("loop.c", "other.c"), 1, "`other.c` is none of the program"),
    ] {
        let (code, found) = judged(&content);
        assert_eq!(code, expected, "{content}{found}");
        assert!(found.contains(said), "{content}{found}");
    }
    let (code, found) = judged("  - contract: {ensures: '1'}\n");
    assert_eq!((code, found.contains("contracts of functions are not read")), (2, true), "{found}");
}

/// A program with the error has no correctness witness.
#[test]
fn the_program_decides() {
    let case = Case::new("loop.c", LOOP);
    let written = case.witness(&[]);
    let wrong = Case::new("loop.c", &LOOP.replace("s + 2", "s + 3"));
    let hash = |case: &Case| {
        let text = case.witness(&[]);
        let line = text.lines().find(|line| line.contains("loop.c: ")).expect("a hash").to_owned();
        line.rsplit(' ').next().expect("a word").to_owned()
    };
    let content = "    []\n";
    let text = case.with_content(&written, content).replace(&hash(&case), &hash(&wrong));
    let (code, said) = wrong.validate(&text);
    assert_eq!(code, 1, "{said}");
    assert!(
        said.contains("the program violates the specification: reach_error at loop.c:13 in the run with inputs"),
        "{said}"
    );
}

/// Other specifications than "no error is called".
#[test]
fn overflows_and_memory_have_witnesses() {
    let overflow = "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x > 5)\n    x = x + 2147483640;\n  return x;\n}\n";
    let memory = "extern int __VERIFIER_nondet_int(void);\nint a[4];\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x >= 0 && x < 5)\n    return a[x];\n  return 0;\n}\n";
    for (text, property, formula) in
        [(overflow, "no-overflow", "G ! overflow"), (memory, "valid-memsafety", "G valid-deref")]
    {
        let case = Case::new("bug.c", text);
        let written = case.witness(&["--property", property]);
        assert!(written.contains(formula), "{written}");
        let (code, said) = case.validate(&written);
        assert_eq!(code, 0, "{said}\n{written}");
        let fixed = text.replace("x > 5", "x > 5 && x < 7").replace("x < 5", "x < 4");
        let case = Case::new("good.c", &fixed);
        let written = case.witness(&["--property", property]);
        let (code, said) = case.validate(&written);
        assert_eq!(code, 0, "{said}\n{written}");
    }
    let division = "extern int __VERIFIER_nondet_int(void);\nint main(void) { return 1 / __VERIFIER_nondet_int(); }\n";
    let case = Case::new("division.c", division);
    let file = case.file("w.yml");
    let output =
        clinch(&["check", case.program(), "--check", "arithmetic", "--witness", file.to_str().expect("a name")]);
    assert!(stderr(&output).contains("the competition has no specification that this violates"), "{output:?}");
}

/// Checks an example and validates the witness. What is asserted there is what counts.
fn round_trip(name: &str, engine: &str) {
    let program = root().join("examples/c").join(name);
    let folder = tempfile::tempdir().expect("a folder");
    let witness = folder.path().join("witness.yml");
    let (program, file) = (program.to_str().expect("a name"), witness.to_str().expect("a name"));
    let checked = clinch(&["check", program, "--engine", engine, "--witness", file]);
    assert!(code(&checked) < 2, "{name}: {}", stdout(&checked));
    assert!(Path::new(file).exists(), "{name}: {}", stderr(&checked));
    let validated = plain_clinch(&["validate", program, file]);
    let text = std::fs::read_to_string(file).unwrap_or_default();
    assert_eq!(code(&validated), 0, "{name}: {}{}\n{text}", stdout(&validated), stderr(&validated));
}

#[test]
fn runs_of_examples_go_round() {
    for name in
        ["block-bug1.c", "bucket-bug.c", "driver-bug.c", "funlock-bug1.c", "list-bug.c", "parity-bug.c", "ring-bug.c"]
    {
        round_trip(name, "auto");
    }
}

#[test]
fn proofs_of_examples_go_round() {
    for name in ["bounds.c", "bucket.c", "driver.c", "funlock.c", "popcount.c", "searchtree.c"] {
        round_trip(name, "auto");
    }
    // Invariants about single bits.
    round_trip("driver.c", "ic3");
}
