//! Options, lists and task files of C programs that make no sense: what is said, word for word, and the exit code.

use std::path::Path;

use tempfile::TempDir;

use crate::{code, plain_clinch, stderr, stdout};

const PROGRAM: &str = "int main(void) { return 0; }\nint f(int *p) { return p ? *p : 0; }\n";

/// A folder with programs, and files that are none.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("p.c", PROGRAM);
    write("hidden.c", "static int g(void) { return 0; }\n");
    write("m.gcl", "var x: 0..3 = 0; command do x := 1");
    folder
}

/// The exit code and the first line of what is said about a file, without the folder.
fn said(folder: &Path, file: &str, args: &[&str]) -> (i32, String) {
    let name = folder.join(file).display().to_string();
    let output = plain_clinch(&[&["check", &name], args].concat());
    let errors = stderr(&output);
    assert!(code(&output) < 64 || stdout(&output).is_empty(), "{file} {args:?}: {}", stdout(&output));
    let first = errors.lines().next().unwrap_or_default();
    (code(&output), first.replace(&format!("{}/", folder.display()), ""))
}

fn are_refused(cases: &[(&str, &str)], code: i32) {
    let folder = folder();
    for (line, message) in cases {
        let mut words = line.split(' ');
        let (file, args) = (words.next().unwrap_or_default(), words.map(|w| if w == "''" { "" } else { w }));
        let found = said(folder.path(), file, &args.collect::<Vec<_>>());
        assert_eq!((found.0, found.1.as_str()), (code, *message), "{line}");
    }
}

#[test]
fn a_list_of_checks_has_names_of_checks() {
    let expected = "expected one of assertions, overflow, arithmetic, float, memory, leaks, uninitialised, unsigned, conversions, unreachable";
    let folder = folder();
    for (list, wrong) in
        [("speling", "speling"), ("", ""), ("memory,", ""), ("memory,,leaks", ""), ("memory,leeks", "leeks")]
    {
        let message = format!("error: invalid value '{wrong}' for '--check <LIST>': {expected}");
        assert_eq!(said(folder.path(), "p.c", &["--check", list]), (64, message), "{list}");
    }
    // Twice the same is no contradiction.
    for list in [&["--check", "memory,memory"][..], &["--check", "memory", "--check", "leaks"]] {
        assert_eq!(said(folder.path(), "p.c", list), (0, String::new()), "{list:?}");
    }
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    are_refused(
        &[
            (
                "p.c --property speling",
                "error: invalid value 'speling' for '--property <NAME>': expected one of unreach-call, no-overflow, valid-memsafety, valid-memcleanup",
            ),
            (
                "p.c --property no-overflow --check overflow",
                "error: the argument '--property <NAME>' cannot be used with '--check <LIST>'",
            ),
            (
                "p.c --property no-overflow --property unreach-call",
                "error: the argument '--property <NAME>' cannot be used multiple times",
            ),
            ("p.c --check", "error: a value is required for '--check <LIST>' but none was supplied"),
            ("p.c --check unreachable,memory", "error: --check unreachable does not go with the other checks"),
            ("p.c --check leaks --check unreachable", "error: --check unreachable does not go with the other checks"),
            ("p.c --check unreachable --entry all", "error: --check unreachable does not go with --entry all"),
            ("p.c --check unreachable --harness h.c", "error: --check unreachable does not go with --harness"),
            (
                "p.c --malloc-may-fail --malloc-may-fail",
                "error: the argument '--malloc-may-fail' cannot be used multiple times",
            ),
            ("p.c --extern sometimes", "error: invalid value 'sometimes' for '--extern <WHAT>'"),
            (
                "p.c --extern writes --check overflow",
                "error: --extern writes needs checks of memory: --check memory, or none given",
            ),
            ("p.c --integers mathematical --check memory", "error: memory is checked with --integers machine only"),
            (
                "p.c --integers mathematical --check assertions,overflow",
                "error: limits of types are checked with --integers machine only",
            ),
            (
                "p.c --integers mathematical --property no-overflow",
                "error: limits of types are checked with --integers machine only",
            ),
            (
                "p.c --integers mathematical --check uninitialised",
                "error: values that were never set are checked with --integers machine only",
            ),
            (
                "m.gcl --check memory",
                "error: --check does not apply to guarded commands (.gcl): it is for C (.c), preprocessed C (.i), task files (.yml)",
            ),
            (
                "m.gcl --property no-overflow",
                "error: --property does not apply to guarded commands (.gcl): it is for C (.c), preprocessed C (.i), task files (.yml)",
            ),
        ],
        64,
    );
}

#[test]
fn an_entry_is_a_function_and_its_objects_have_limits() {
    are_refused(
        &[
            ("p.c --entry f --entry main", "error: the argument '--entry <FUNCTION>' cannot be used multiple times"),
            ("hidden.c --entry all", "error: there is no function that other files may call"),
            ("m.gcl --entry all", "error: --entry all is for C files (.c, .i), and m.gcl is none"),
            (
                "p.c --entry all --witness w.yml",
                "error: --witness is about one function: check its file with --entry FUNCTION",
            ),
            ("p.c --entry f --depth 9", "error: invalid value '9' for '--depth <N>': 9 is not in 0..=8"),
            ("p.c --entry f --depth -1", "error: invalid value '-1' for '--depth <N>': -1 is not in 0..=8"),
            (
                "p.c --entry f --depth two",
                "error: invalid value 'two' for '--depth <N>': invalid digit found in string",
            ),
            ("p.c --entry f --length 0", "error: invalid value '0' for '--length <N>': 0 is not in 1..=255"),
            ("p.c --entry f --length 256", "error: invalid value '256' for '--length <N>': 256 is not in 1..=255"),
            (
                "p.c --entry f --length ''",
                "error: invalid value '' for '--length <N>': cannot parse integer from empty string",
            ),
            ("p.c --length 3", "error: --length is for a function that --entry names"),
            ("p.c --entry main --depth 3", "error: --depth is for a function that --entry names"),
            (
                "p.c --entry f --check assertions --depth 3",
                "error: --depth needs checks of memory: --check memory, or none given",
            ),
            (
                "p.c --entry f --property unreach-call --length 3",
                "error: --length needs checks of memory: --check memory, or none given",
            ),
        ],
        64,
    );
    are_refused(
        &[
            ("p.c --entry speling", "p.c:1:1: error: there is no function `speling`"),
            ("p.c --entry ''", "p.c:1:1: error: there is no function ``"),
            ("missing.c", "missing.c:1:1: error: cannot read: No such file or directory (os error 2)"),
        ],
        65,
    );
}

/// A task file, the options beside it, the exit code and what is said.
type Case<'a> = (&'a str, &'a [&'a str], i32, &'a str);

fn are_read(cases: &[Case<'_>]) {
    let folder = folder();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("elsewhere.prp", "CHECK( init(speling()), LTL(G ! overflow) )\n");
    write("half.prp", "CHECK( init(main()), LTL(G valid-free) )\n");
    write("other.prp", "CHECK( init(main()), LTL(F end) )\n");
    write(
        "all.prp",
        &["valid-memtrack", "valid-free", "valid-deref"]
            .map(|p| format!("CHECK( init(main()), LTL(G {p}) )\n"))
            .concat(),
    );
    for (text, args, code, message) in cases {
        write("t.yml", text);
        let found = said(folder.path(), "t.yml", args);
        assert_eq!((found.0, found.1.as_str()), (*code, *message), "{text}{args:?}");
    }
}

#[test]
fn task_files_have_a_form() {
    are_read(&[
        ("", &[], 65, "t.yml:1:1: error: unexpected end of input"),
        ("{}", &[], 65, "t.yml:1:1: error: missing field `input_files`"),
        ("input_files: []\n", &[], 65, "t.yml:1:14: error: a file has no name: `input_files` is the program"),
        ("input_files: ''\n", &[], 65, "t.yml:1:14: error: a file has no name: `input_files` is the program"),
        ("input_files: 't.yml'\n", &[], 65, "t.yml:1:1: error: not a C file: expected .c or .i"),
        ("input_files: 'm.gcl'\n", &[], 65, "m.gcl:1:1: error: not a C file: expected .c or .i"),
        ("input_files: 'no.c'\n", &[], 65, "no.c:1:1: error: cannot read: No such file or directory (os error 2)"),
        ("input_files: 'p.c'\nproperties: no-overflow.prp\n", &[], 65, "t.yml:2:13: error: expected sequence start"),
        (
            "input_files: 'p.c'\noptions:\n  language: Java\n  data_model: LP64\n",
            &[],
            65,
            "t.yml:3:13: error: unknown language `Java`: expected C",
        ),
        (
            "input_files: 'p.c'\noptions:\n  language: C\n  data_model: LP65\n",
            &[],
            65,
            "t.yml:4:15: error: unknown data model `LP65`: expected ILP32 or LP64",
        ),
    ]);
}

#[test]
fn task_files_name_properties() {
    let known = "expected one of unreach-call, no-overflow, valid-memsafety, valid-memcleanup";
    let unknown = |name: &str, line: u32| format!("t.yml:{line}:20: error: unknown property `{name}`: {known}");
    let cases: &[Case<'_>] = &[
        ("  - property_file: speling.prp\n", &[], 65, &unknown("speling.prp", 3)),
        ("  - property_file: other.prp\n", &[], 65, &unknown("other.prp", 3)),
        // One of the three parts of memory safety is another property.
        ("  - property_file: half.prp\n", &[], 65, &unknown("half.prp", 3)),
        ("  - property_file: all.prp\n", &["--property", "valid-memsafety"], 0, ""),
        ("  - expected_verdict: true\n", &[], 65, "t.yml:3:5: error: missing field `property_file`"),
        (
            "  - property_file: no-overflow.prp\n    expected_verdict: maybe\n",
            &[],
            65,
            "t.yml:4:23: error: invalid boolean",
        ),
        (
            "  - property_file: no-overflow.prp\n    expected_verdict: true\n  - property_file: no-overflow.prp\n    expected_verdict: false\n",
            &[],
            65,
            "t.yml:5:20: error: the task expects both true and false of no-overflow",
        ),
        ("  - property_file: elsewhere.prp\n", &[], 65, "p.c:1:1: error: there is no function `speling`"),
        (
            "  - property_file: speling.prp\n",
            &["--property", "no-overflow"],
            64,
            "error: t.yml: the task does not ask for no-overflow",
        ),
        (
            "  - property_file: no-overflow.prp\n",
            &["--property", "unreach-call"],
            64,
            "error: t.yml: the task does not ask for unreach-call",
        ),
        (
            "  - property_file: no-overflow.prp\n",
            &["--check", "unreachable"],
            64,
            "error: --check unreachable does not go with a task file",
        ),
        (
            "  - property_file: no-overflow.prp\n",
            &["--entry", "all"],
            64,
            "error: --entry all is for C files (.c, .i), and t.yml is none",
        ),
        // Of two properties the known one is checked; what is said of others is of no interest where checks are named.
        ("  - property_file: speling.prp\n  - property_file: no-overflow.prp\n", &[], 0, ""),
        ("  - property_file: speling.prp\n", &["--check", "overflow"], 0, ""),
    ];
    let texts: Vec<String> = cases.iter().map(|case| format!("input_files: 'p.c'\nproperties:\n{}", case.0)).collect();
    let whole = texts.iter().zip(cases).map(|(text, &(_, args, code, message))| (text.as_str(), args, code, message));
    are_read(&whole.collect::<Vec<_>>());
}
