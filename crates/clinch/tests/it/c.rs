//! C programs on the command line.

use std::path::Path;
use std::process::Command;

use expect_test::{Expect, expect};
use serde_json::Value;

use crate::{clinch, code, root, stderr, stdout};

/// Runs clinch on a program in a folder of its own; the file's name is all that is shown of its place.
pub(crate) fn on_text(command: &str, text: &str, args: &[&str]) -> (i32, String) {
    let folder = tempfile::tempdir().expect("a folder");
    on_files(folder.path(), command, &[("program.c", text)], args)
}

pub(crate) fn on_files(folder: &Path, command: &str, files: &[(&str, &str)], args: &[&str]) -> (i32, String) {
    let mut all = vec![command.to_owned()];
    for (name, text) in files {
        let file = folder.join(name);
        std::fs::write(&file, text).expect("written");
        all.push(file.display().to_string());
    }
    all.extend(args.iter().map(|a| (*a).to_owned()));
    let output = clinch(&all.iter().map(String::as_str).collect::<Vec<_>>());
    let text = stdout(&output) + &stderr(&output);
    (code(&output), without_times(&text.replace(&format!("{}/", folder.display()), "")))
}

/// `1.23 s` is different every time.
fn without_times(text: &str) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    for i in 1..words.len() {
        if words[i].starts_with('s') && words[i - 1].parse::<f64>().is_ok() && words[i - 1].contains('.') {
            words[i - 1] = "T".to_owned();
        }
    }
    words.join(" ")
}

fn check(text: &str, expected_code: i32, expected: &Expect) {
    // One engine at a time, so that the same one answers each time.
    let (code, shown) = on_text("check", text, &["--timeout", "10s", "--threads", "1"]);
    expected.assert_eq(&shown);
    assert_eq!(code, expected_code, "{shown}");
}

#[test]
fn functions_without_body_return_inputs() {
    let text = "extern int sensor(void);\nextern void reach_error(void);\nint main(void) {\n    int x = sensor();\n    if (x == 4711) reach_error();\n    return 0;\n}\n";
    check(
        text,
        1,
        &expect![[r#"
        UNSAFE: reach_error at program.c:5:20 (auto, T s)
        inputs: 4711
        trace:
          program.c:4  x                                         x = 4711  (input)
          program.c:5  [x == 4711]
          program.c:5  reach_error()
        evidence: the run was replayed on the model; confirmed by execution
        assumed: `sensor` has no body: it returns any value and changes nothing
    "#]],
    );
}

#[test]
fn calls_through_pointers_are_followed() {
    let text = "extern void reach_error(void);\nextern _Bool __VERIFIER_nondet_bool(void);\nstatic int twice(int x) { return 2 * x; }\nstatic int square(int x) { return x * x; }\nint main(void) {\n    int (*f)(int) = __VERIFIER_nondet_bool() ? twice : square;\n    if (f(3) == 9) reach_error();\n    return 0;\n}\n";
    check(
        text,
        1,
        &expect![[r#"
        UNSAFE: reach_error at program.c:7:20 (auto, T s)
        inputs: 0
        trace:
          program.c:6  __VERIFIER_nondet_bool()                  value = 0  (input)
          program.c:6  __VERIFIER_nondet_bool() ? twice : square  f = &square
          program.c:7  f(3)                                      x = 3
          program.c:7  f(3)                                      value = 9
          program.c:7  [f(3) == 9]
          program.c:7  reach_error()
        evidence: the run was replayed on the model; confirmed by execution
    "#]],
    );
}

#[test]
fn a_quadruple_float_on_the_critical_path_has_no_verdict() {
    let text = "extern void reach_error(void);\nint main(void) {\n    _Float128 d = 0.1 + 0.2;\n    if (d != 0.3) reach_error();\n    return 0;\n}\n";
    check(
        text,
        2,
        &expect![[r#"
        UNKNOWN: unsupported: a condition depends on a value that is not modelled, at program.c:4:9 (auto, T s)
    "#]],
    );
}

#[test]
fn a_float_elsewhere_does_not_matter() {
    let text = "extern int printf(const char *, ...);\nextern void reach_error(void);\nextern _Bool __VERIFIER_nondet_bool(void);\nint main(void) {\n    double d = 0.1 + 0.2;\n    printf(\"%f\\n\", d);\n    int x = __VERIFIER_nondet_bool();\n    if (x > 1) reach_error();\n    return 0;\n}\n";
    check(
        text,
        0,
        &expect![[r#"
        SAFE: no error is reachable (auto, T s)
        proof: all runs, 1 states at inputs; re-checked in T s
    "#]],
    );
}

#[test]
fn what_no_standard_fixes_has_bounds() {
    let text = "extern void reach_error(void);\nextern double sin(double);\n\nint main(void) {\n    if (sin(2.0) > 2) reach_error();\n    return 0;\n}\n";
    check(
        text,
        0,
        &expect![[r#"
            SAFE: no error is reachable (auto, T s)
            proof: invariants at 1 points; re-checked in T s
              at <clinch:bounded.c>:20: least == -1.0 && most == 1.0
              at <clinch:bounded.c>:22: least == -1.0 && most == 1.0
              at <clinch:bounded.c>:27: most == 1.0 && x == 2.0
              at <clinch:bounded.c>:36: x == 2.0
              at <clinch:bounded.c>:45: -1.0 <= r && r <= 1.0 && x == 2.0
            assumed: functions such as `sin`, `exp` and `pow` return numbers within the bounds that docs/c.md names
        "#]],
    );
}

#[test]
fn inline_assembly_has_no_verdict() {
    let text = "extern void reach_error(void);\nint main(void) {\n    int x = 1;\n    __asm__ volatile(\"incl %0\" : \"+r\"(x));\n    if (x == 2) reach_error();\n    return 0;\n}\n";
    check(
        text,
        2,
        &expect![[r#"
        UNKNOWN: unsupported: inline assembly, at program.c:4:5 (auto, T s)
    "#]],
    );
}

#[test]
fn an_incomplete_type_is_bad_input() {
    check(
        "struct later;\nint main(void) {\n    struct later s;\n    return 0;\n}\n",
        65,
        &expect![[r#"
        program.c:3:18: error: `s` has the incomplete type `struct later`
           ╭─[ program.c:3:18 ]
           │
         3 │     struct later s;
           │                  ┬  
           │                  ╰── here
        ───╯
    "#]],
    );
}

#[test]
fn a_syntax_error_is_bad_input() {
    check(
        "int main(void) {\n    int x = 1 +;\n    return x;\n}\n",
        65,
        &expect![[r#"
        program.c:2:16: error: syntax error at `;`
           ╭─[ program.c:2:16 ]
           │
         2 │     int x = 1 +;
           │                ┬  
           │                ╰── here
        ───╯
    "#]],
    );
}

#[test]
fn a_missing_include_is_bad_input() {
    check(
        "#include \"nowhere.h\"\nint main(void) { return 0; }\n",
        65,
        &expect![[r#"
        program.c:1:10: fatal error: nowhere.h: No such file or directory
            1 | #include "nowhere.h"
              |          ^~~~~~~~~~~
        compilation terminated.
    "#]],
    );
}

#[test]
fn a_missing_entry_is_bad_input() {
    check(
        "int f(void) { return 0; }\n",
        65,
        &expect![[r#"
        program.c:1:1: error: there is no function `main`; --entry names the one to start with, --entry all takes each
    "#]],
    );
}

#[test]
fn undefined_behaviour_has_no_verdict() {
    let text = "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n    int a[4] = {0};\n    int i = __VERIFIER_nondet_int();\n    return a[i];\n}\n";
    // Whoever proves that there is no error: it was seen to misbehave.
    for engine in ["explicit", "bounded", "lazy", "cegar", "auto"] {
        let (code, shown) = on_text("check", text, &["--engine", engine]);
        assert_eq!(code, 2, "{shown}");
        assert!(shown.starts_with("UNKNOWN: undefined behaviour: access "), "{shown}");
    }
    // A proof says what it rests on.
    let text = text.replace("a[i]", "a[i & 3]");
    let (code, shown) = on_text("check", &text, &["--engine", "cegar"]);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("assumed: memory is accessed inside of live objects only"), "{shown}");
}

#[test]
fn recursion_runs() {
    let text = "extern int printf(const char *, ...);\nint fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\nint main(void) { printf(\"%d\\n\", fib(20)); return 3; }\n";
    let (code, shown) = on_text("run", text, &[]);
    assert_eq!((code, shown.as_str()), (0, "6765\nexit status 3\n"));
}

#[test]
fn a_run_takes_its_inputs_in_order() {
    let text = "extern int printf(const char *, ...);\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();\n    printf(\"%d\\n\", x - y);\n}\n";
    assert_eq!(on_text("run", text, &["--inputs", "7,-3"]), (0, "10\nexit status 0\n".to_owned()));
    let (code, shown) = on_text("run", text, &["--inputs", "7"]);
    assert_eq!((code, shown.as_str()), (2, "out of inputs: __VERIFIER_nondet_int() asks for one, at program.c:4:38\n"));
    let (first, again) = (on_text("run", text, &["--seed", "5"]), on_text("run", text, &["--seed", "5"]));
    assert_eq!(first, again);
}

#[test]
fn division_by_zero_is_noticed_whatever_is_divided() {
    let text =
        "extern int __VERIFIER_nondet_int(void);\nint main(void) { int x = __VERIFIER_nondet_int(); return x % x; }\n";
    let (code, shown) = on_text("run", text, &["--inputs", "0"]);
    assert_eq!(code, 2, "{shown}");
    assert!(shown.starts_with("undefined behaviour: a division by zero, at program.c:2:"), "{shown}");
}

#[test]
fn several_files_are_linked() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [
        (
            "a.c",
            "extern int counter; void step(void);\nvoid reach_error(void);\nint main(void) { step(); step(); if (counter == 2) reach_error(); return 0; }\n",
        ),
        ("b.c", "int counter; static int by = 1;\nvoid step(void) { counter += by; }\n"),
    ];
    let (code, shown) = on_files(folder.path(), "check", &files, &[]);
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("; confirmed by execution"), "{shown}");
}

/// What two files say of one name must go together; where it does not, there is no verdict.
#[test]
fn files_that_disagree_are_not_linked_silently() {
    let main = |declared: &str, condition: &str| {
        format!("{declared}\nvoid reach_error(void);\nint main(void) {{ if ({condition}) reach_error(); return 0; }}\n")
    };
    for (declared, condition, other, expected) in [
        (
            "extern int x;",
            "x == 5",
            "long x = 0x700000005;",
            (65, "`x` is declared as `long`, and in another file as `int`"),
        ),
        (
            "unsigned char g(void);",
            "g() == 1",
            "int g(void) { return 257; }",
            (2, "another type in another file of `g`"),
        ),
        ("inline int f(void) { return 1; }", "f() == 1", "int f(void) { return 2; }", (2, "two definitions")),
        ("struct s; extern struct s *p;", "p != 0", "struct s { int a; } *p;", (0, "SAFE")),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let files = [("a.c", &main(declared, condition)[..]), ("b.c", other)];
        let (code, shown) = on_files(folder.path(), "check", &files, &[]);
        assert_eq!(code, expected.0, "{declared}: {shown}");
        assert!(shown.contains(expected.1), "{declared}: {shown}");
    }
}

/// A tag belongs to its file: records of one name are one type only where they are laid out in the same way.
#[test]
fn records_of_two_files_are_told_apart() {
    for (first, second, answer) in [
        ("struct S { char a; int b; };", "#pragma pack(1)\nstruct S { char a; int b; };", "sizeof(struct S)"),
        (
            "struct S { unsigned a : 3, b : 4; };",
            "struct S { unsigned a : 3; unsigned : 5; unsigned b : 4; };",
            "4 + ({ union { unsigned i; struct S s; } u; u.i = 0x100; u.s.b; })",
        ),
        (
            "struct S { struct T *t; }; struct T { int x, y; };",
            "struct S { struct T *t; }; struct T { int y, x; };",
            "({ struct T t = { 5, 6 }; struct S s = { &t }; s.t->y; })",
        ),
        (
            "struct S { struct S *next; int x; };",
            "struct S { struct S *next; char pad[8]; int z; };",
            "({ struct S s = { &s, {0}, 5 }; s.next->z; })",
        ),
    ] {
        for (wanted, expected) in [(5, 0), (4, 1)] {
            let main = format!(
                "{first}\nint answer(void);\nvoid reach_error(void);\nint main(void) {{ struct S s; (void)s; if (answer() != {wanted}) reach_error(); return 0; }}\n"
            );
            let other = format!("{second}\nint answer(void) {{ return {answer}; }}\n");
            let folder = tempfile::tempdir().expect("a folder");
            let (code, shown) = on_files(folder.path(), "check", &[("a.c", &main), ("b.c", &other)], &[]);
            assert_eq!(code, expected, "{second}: {shown}");
        }
    }
}

/// Options that change the language would make it another program.
#[test]
fn only_options_for_the_preprocessor_are_taken() {
    let text = "void reach_error(void);\nint main(void) { char c = -1; if (c > 0) reach_error(); return 0; }\n";
    let (code, shown) = on_text("check", text, &["--cpp-flag", "-funsigned-char"]);
    assert_eq!(code, 64, "{shown}");
    assert!(shown.contains("--cpp-flag -funsigned-char: only options for the preprocessor"), "{shown}");
}

#[test]
fn an_entry_function_has_its_parameters_as_inputs() {
    let text = "#include <assert.h>\nint limit = 10;\nint clamp(int x, unsigned char y) { if (x > limit) x = limit; assert(x <= 10 || y != 77); return x; }\n";
    let (code, shown) = on_text("check", text, &["--entry", "clamp"]);
    assert_eq!(code, 0, "{shown}");
    let (code, shown) = on_text("check", text, &["--entry", "clamp", "--globals-as-inputs"]);
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("; confirmed by execution"), "{shown}");
}

#[test]
fn arguments_of_main_are_inputs() {
    let text = "void reach_error(void);\nint __VERIFIER_nondet_int(void);\nint main(int argc, char **argv) { int x = __VERIFIER_nondet_int(); if (argc == 7 && x == 9) reach_error(); return 0; }\n";
    let (code, shown) = on_text("check", text, &[]);
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("; confirmed by execution"), "{shown}");
}

/// Nothing wrote what it reads: the harness fills the arrays, each time the block is entered with what is read then.
#[test]
fn unwritten_locals_are_filled_for_the_execution() {
    let text = "void reach_error(void);\nint main(void) {\n  struct pair { int x, y; } p[2], *q = p;\n  int found = 0;\n  \
                for (int i = 0; i < 2; i++) {\n    short a[3];\n    short *at = a;\n    \
                if (at[i + 1] == 700 + i) found++;\n  }\n  \
                if (found == 2 && q[1].y == 5) reach_error();\n  return 0;\n}\n";
    let (code, shown) = on_text("check", text, &[]);
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("; confirmed by execution"), "{shown}");
}

#[test]
fn a_harness_triggers_the_bug() {
    let Ok(_) = Command::new("cc").arg("--version").output() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let program = root().join("examples/c/ring-bug.c").display().to_string();
    let harness = folder.path().join("harness.c").display().to_string();
    let output = clinch(&["check", &program, "--harness", &harness]);
    assert_eq!(code(&output), 1);
    let binary = folder.path().join("bug");
    let compiled = Command::new("cc").args(["-w", "-fwrapv", &program, &harness, "-o"]).arg(&binary).status();
    assert!(compiled.expect("cc").success());
    let run = Command::new(&binary).output().expect("runs");
    assert_eq!(run.status.code(), Some(1));
    assert_eq!(stderr(&run), "clinch: error reached\n");
}

#[test]
fn a_task_file_names_program_and_property() {
    let folder = tempfile::tempdir().expect("a folder");
    let program =
        "void reach_error(void);\nint main(void) { long x = 1L << 31; if (x < 0) reach_error(); return 0; }\n";
    std::fs::write(folder.path().join("p.i"), program).expect("written");
    let task = |model: &str, property: &str| {
        format!(
            "format_version: '2.0'\ninput_files: 'p.i'\nproperties:\n  - property_file: ../{property}\n    expected_verdict: false\noptions:\n  language: C\n  data_model: {model}\n"
        )
    };
    let run = |text: &str| on_files(folder.path(), "check", &[("t.yml", text)], &[]);
    let (code, shown) = run(&task("ILP32", "unreach-call.prp"));
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("agrees with the expected one (false)"), "{shown}");
    let (code, shown) = run(&task("LP64", "unreach-call.prp"));
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("DISAGREES with the expected one (false)"), "{shown}");
    let (code, shown) = run(&task("LP64", "termination.prp"));
    assert_eq!(
        (code, shown.trim()),
        (
            65,
            "t.yml:4:20: error: unknown property `../termination.prp`: expected one of unreach-call, no-overflow, valid-memsafety, valid-memcleanup"
        )
    );
    let (code, shown) = run("input_files: [\n");
    assert_eq!(code, 65, "{shown}");
    assert!(shown.starts_with("t.yml:"), "{shown}");
}

#[test]
fn mathematical_integers_do_not_wrap() {
    let text = "void reach_error(void);\nint __VERIFIER_nondet_int(void);\nint main(void) { int x = __VERIFIER_nondet_int(); if (x > 0 && x + 1 < x) reach_error(); return 0; }\n";
    let (code, shown) = on_text("check", text, &["--timeout", "10s"]);
    assert_eq!(code, 1, "{shown}");
    let (code, shown) = on_text("check", text, &["--timeout", "10s", "--integers", "mathematical"]);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("integers: mathematical"), "{shown}");
}

#[test]
fn automata_are_drawn() {
    let program = root().join("examples/c/funlock.c").display().to_string();
    let text = stdout(&clinch(&["cfa", &program, "--function", "main"]));
    assert!(text.contains("main"), "{text}");
    let dot = stdout(&clinch(&["cfa", &program, "--format", "dot"]));
    assert!(dot.starts_with("digraph") && dot.trim_end().ends_with('}'), "{dot}");
    let json: Value = serde_json::from_str(&stdout(&clinch(&["cfa", &program, "--format", "json"]))).expect("JSON");
    assert!(json.is_object());
    assert_eq!(code(&clinch(&["cfa", &program, "--function", "nobody"])), 64);
    let blocks = clinch(&["cfa", &program, "--large-blocks"]);
    assert_eq!(code(&blocks), 0);
    let (first, last) = ("__start:", " cut points\n");
    assert!(stdout(&blocks).starts_with(first) && stdout(&blocks).ends_with(last), "{}", stdout(&blocks));
}

#[test]
fn a_program_can_be_written_as_clauses() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "void reach_error(void);\nint __VERIFIER_nondet_int(void);\nint main(void) {\n    unsigned char x = 1;\n    while (__VERIFIER_nondet_int()) x += 2;\n    if (x == 4) reach_error();\n    return 0;\n}\n";
    std::fs::write(folder.path().join("p.c"), text).expect("written");
    let clauses = stdout(&clinch(&["convert", &folder.path().join("p.c").display().to_string(), "--to", "chc"]));
    std::fs::write(folder.path().join("p.smt2"), clauses).expect("written");
    let answer = clinch(&["check", &folder.path().join("p.smt2").display().to_string(), "--engine", "spacer"]);
    assert_eq!(code(&answer), 0, "{}", stdout(&answer));
}

/// Recursion on the heap: proofs within a heap, errors that are executed, and a heap that is too small.
#[test]
fn bounded_heaps() {
    let check = |name: &str, flags: &[&str]| -> Value {
        let file = root().join("examples/c").join(name).display().to_string();
        let base = ["check", &file, "--engine", "spds", "--abstraction", "none", "--timeout", "20s", "--json"];
        let output = clinch(&base.iter().chain(flags).copied().collect::<Vec<_>>());
        serde_json::from_str(&stdout(&output)).expect("JSON")
    };
    let safe = check("reclist.c", &["--heap-bits", "512"]);
    assert_eq!((&safe["verdict"], &safe["certified"]), (&"safe".into(), &true.into()), "{safe}");
    assert_eq!(safe["proof"]["heap_bits"], 512);
    let small = check("reclist.c", &["--heap-bits", "256"]);
    assert_eq!(small["verdict"], "unknown");
    assert!(small["reason"].as_str().is_some_and(|r| r.contains("safe for a heap of 256 bits")), "{small}");
    let narrow = check("searchtree.c", &["--int-bits", "4", "--heap-bits", "576"]);
    assert!(narrow["reason"].as_str().is_some_and(|r| r.contains("safe for 4-bit integers")), "{narrow}");
    assert_eq!(narrow["certified"], true);
    for (name, bits) in [("reclist-bug.c", "512"), ("searchtree-bug.c", "576")] {
        let found = check(name, &["--heap-bits", bits]);
        assert_eq!((&found["verdict"], &found["confirmed"]), (&"unsafe".into(), &true.into()), "{found}");
    }
}

#[test]
fn examples_have_the_verdicts_they_announce() {
    let mut files: Vec<_> = std::fs::read_dir(root().join("examples/c")).expect("examples").flatten().collect();
    files.sort_by_key(std::fs::DirEntry::path);
    let mut seen = 0;
    for file in files {
        let text = std::fs::read_to_string(file.path()).expect("text");
        let Some(expected) = text.lines().find_map(|l| l.split_once("expect: ")) else { continue };
        // Those without assertion are in `checks`.
        if expected.1.contains('(') {
            continue;
        }
        let unsafe_one = expected.1.starts_with("unsafe");
        // Bugs are found at once; a proof that takes long is not waited for.
        let time = if unsafe_one { "60s" } else { "500ms" };
        let output = clinch(&["check", &file.path().display().to_string(), "--timeout", time, "--json"]);
        let answer: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        let verdict = answer["verdict"].as_str().expect("a verdict");
        if unsafe_one {
            assert_eq!(verdict, "unsafe", "{}", file.path().display());
            assert_eq!(answer["confirmed"], true, "{}", file.path().display());
        } else {
            assert_ne!(verdict, "unsafe", "{}", file.path().display());
        }
        seen += 1;
    }
    assert!(seen >= 12, "{seen} examples");
}

/// Bit-fields of static objects, alone in their storage unit and not: what they hold at first is what gcc puts there.
#[test]
fn bit_fields_of_static_objects_have_their_initial_values() {
    let text = "#include <assert.h>
struct bits { int a : 3; unsigned b : 5, c : 20; short d; };
struct close { unsigned a : 3; char b; unsigned c : 9; };
union both { struct bits bits; unsigned all[2]; };
static struct bits table[3] = { { -2, 17, 70000, 5 }, [2] = { .c = 1, .a = 3, .c = 2 } };
static struct close near[2] = { { 5, 'x', 300 }, { .c = 7, .a = 2 } };
static union both u = { .all = { 255, 3 }, .bits.b = 0 };
int main(void) {
  assert(table[0].a == -2 && table[0].b == 17 && table[0].c == 70000 && table[0].d == 5);
  assert(table[1].a == 0 && table[1].c == 0 && table[2].a == 3 && table[2].b == 0 && table[2].c == 2);
  assert(near[0].a == 5 && near[0].b == 'x' && near[0].c == 300 && near[1].a == 2 && near[1].c == 7);
  assert(u.bits.b == 0);
  return 0;
}
";
    let (code, shown) = on_text("check", text, &[]);
    assert_eq!(code, 0, "{shown}");
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("p.c"), text).expect("written");
    let compiled = Command::new("cc").args(["-w", "-o", &path("p"), &path("p.c")]).status().expect("cc");
    assert!(compiled.success() && Command::new(path("p")).status().expect("runs").success());
}

/// A table of many records inside of a function, with bit-fields, takes no more time to read than its length.
#[test]
fn long_tables_are_read_in_no_time() {
    let rows: String = (0..50_000).map(|i| format!("{{ {}, {}, {{ {i} }} }},\n", i % 8, i % 1000)).collect();
    let text = format!(
        "extern int __VERIFIER_nondet_int(void);\nint main(void) {{\n\
         static const struct {{ unsigned a : 3, b : 10; struct {{ int n; }} c; }} rows[] = {{\n{rows}}};\n\
         return sizeof rows / sizeof *rows != 50000;\n}}\n"
    );
    let start = std::time::Instant::now();
    let (code, shown) = on_text("cfa", &text, &[]);
    assert_eq!(code, 0, "{}", &shown[..shown.len().min(300)]);
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}
