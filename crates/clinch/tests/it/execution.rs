//! Execution decides: a counterexample that the compiled program does not show is not reported.

use std::process::Command;

use crate::c::{on_files, on_text};

/// Checks a program: its exit code and what was printed.
fn check(text: &str, args: &[&str]) -> (i32, String) {
    on_text("check", text, &[&["--timeout", "20s"], args].concat())
}

fn is_confirmed(text: &str, args: &[&str]) {
    let (code, shown) = check(text, args);
    assert_eq!(code, 1, "{text}\n{shown}");
    assert!(shown.contains("; confirmed by execution"), "{text}\n{shown}");
}

/// There is no verdict, and the report says why.
fn is_not_confirmed(text: &str, args: &[&str], why: &str) {
    let (code, shown) = check(text, args);
    assert_eq!(code, 2, "{text}\n{shown}");
    assert!(shown.contains("does not confirm the error found") && shown.contains(why), "{text}\n{shown}");
}

/// The body of `main`, with its surroundings.
fn program(declarations: &str, body: &str) -> String {
    format!(
        "void reach_error(void);\nint __VERIFIER_nondet_int(void);\n{declarations}\nint main(void) {{ {body} return 0; }}\n"
    )
}

/// What the library computes is not chosen: nothing stands in for its functions.
#[test]
fn functions_of_the_library_are_not_replaced() {
    for (declaration, condition) in [
        ("int rand(void);", "rand() < 0"),
        ("int getchar(void);", "getchar() == 4711"),
        ("unsigned ntohl(unsigned);", "ntohl(1) == 5"),
        ("typedef __WCHAR_TYPE__ wchar_t; unsigned long wcslen(const wchar_t *);", "wcslen(L\"abc\") == 7"),
        ("int getpagesize(void);", "getpagesize() == 3"),
    ] {
        let text = program(declaration, &format!("if ({condition}) reach_error();"));
        let (code, shown) = check(&text, &[]);
        assert_ne!(code, 1, "{condition}: {shown}");
    }
    is_not_confirmed(&program("int rand(void);", "if (rand() == 7) reach_error();"), &[], "`rand` is the C library's");
}

/// What comes from outside is what the run needs: arguments, the environment, what is read, the time.
#[test]
fn what_comes_from_outside_is_an_input() {
    for condition in [
        "getchar() == 65 && getc(stdin) == -1",
        "(text = getenv(\"HOME\")) && text[0] == '!' && text[1] == 0 && !getenv(\"A\") && getenv(\"HOME\") == text",
        "fgets(line, sizeof line, stdin) && line[0] == 'a' && line[1] == '\\n'",
        "fgets(line, 3, stdin) && atoi(line) == 77",
        "scanf(\"%d %hhd\", &number, &small) == 2 && number == -5 && small == 3",
        "read(0, line, 3) == 2 && line[1] == 'z' && line[0] == 'y'",
        "fread(line, 2, 2, stdin) == 1 && line[0] == 'q'",
        "time(0) == 77",
        "argc == 2 && argv[1][0] == 'q' && argv[1][1] == 'z' && !argv[1][2]",
    ] {
        let text = format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n#include <unistd.h>\nvoid reach_error(void);\n\
             int main(int argc, char **argv) {{ char line[8], *text; int number; signed char small; if ({condition}) reach_error(); return 0; }}\n"
        );
        is_confirmed(&text, &["--check", "assertions"]);
    }
    // Blocks are counted behind those of the arguments.
    let text = "#include <stdlib.h>\nvoid reach_error(void);\nint main(int argc, char **argv) { int *p = malloc(8), *q = malloc(8); if (argc == 3 && argv[2][0] == 'a' && p[0] == 7 && q[1] == 9) reach_error(); return 0; }\n";
    is_confirmed(text, &["--check", "assertions"]);
}

#[test]
fn variables_of_the_library_are_not_replaced() {
    for (declaration, condition) in [
        ("extern int optind;", "optind == 5"),
        ("struct _IO_FILE; extern struct _IO_FILE *stdout;", "stdout == 0"),
        ("extern char **environ;", "environ == 0"),
    ] {
        let (code, shown) = check(&program(declaration, &format!("if ({condition}) reach_error();")), &[]);
        assert_ne!(code, 1, "{condition}: {shown}");
    }
}

/// What is nobody's is given by the harness: functions, and variables, constant ones and records included.
#[test]
fn what_nobody_defines_is_an_input() {
    is_confirmed(&program("int sensor(void);", "if (sensor() == 4711) reach_error();"), &[]);
    let declarations =
        "extern int limit; extern const short top; struct point { int x, y; }; extern struct point origin;";
    is_confirmed(&program(declarations, "if (limit == 77 && top == -9 && origin.y == 3) reach_error();"), &[]);
}

#[test]
fn static_globals_are_given_their_values() {
    let text = program(
        "static int hidden = 1; struct s { short a; } part;",
        "if (hidden == 12 && part.a == -2) reach_error();",
    );
    is_confirmed(&text, &["--globals-as-inputs"]);
}

/// An assertion that holds is not an error, whoever has the function.
#[test]
fn an_assertion_that_holds_is_passed() {
    let text = program(
        "void __VERIFIER_assert(int); int rand(void);",
        "__VERIFIER_assert(1); if (rand() == 5) __VERIFIER_assert(0);",
    );
    is_not_confirmed(&text, &[], "it ends with status 0");
}

/// A call through a pointer is an error only if it calls the error function.
#[test]
fn calls_of_the_error_through_pointers() {
    let declarations = "int rand(void); void reach_error(void) {} static void fine(void) {}";
    let by_input = "void (*f)(void) = __VERIFIER_nondet_int() == 8 ? reach_error : fine; f();";
    is_confirmed(&program(declarations, by_input), &[]);
    let by_library = "void (*f)(void) = rand() == 7 ? reach_error : fine; f();";
    is_not_confirmed(&program(declarations, by_library), &[], "it ends with status 0");
}

/// Inputs with a body of their own: the body is what is executed.
#[test]
fn a_body_wins_over_the_harness() {
    let text = "void reach_error(void);\nint __VERIFIER_nondet_int(void) { return 5; }\nint main(void) { if (__VERIFIER_nondet_int() == 6) reach_error(); return 0; }\n";
    let (code, shown) = check(text, &[]);
    assert_ne!(code, 1, "{shown}");
}

/// No declaration: the result is an `int` that holds what the name says.
#[test]
fn undeclared_inputs_have_the_values_of_their_types() {
    let text = |ty: &str, condition: &str| {
        format!(
            "void reach_error(void);\nint main(void) {{ int x = __VERIFIER_nondet_{ty}(); if ({condition}) reach_error(); return 0; }}\n"
        )
    };
    for (ty, never) in
        [("bool", "x > 1 || x < 0"), ("uchar", "x > 255 || x < 0"), ("char", "x > 127"), ("ushort", "x < 0")]
    {
        let (code, shown) = check(&text(ty, never), &[]);
        assert_eq!(code, 0, "{ty}: {shown}");
    }
    for (ty, sometimes) in [("bool", "x == 1"), ("char", "x == -3"), ("short", "x == -30000"), ("uint", "x == -5")] {
        is_confirmed(&text(ty, sometimes), &[]);
    }
}

/// The system starts `main` with one argument at least, and as many strings as it says.
#[test]
fn main_is_started_as_the_system_does() {
    let text = |condition: &str| {
        format!(
            "void reach_error(void);\nint main(int argc, char **argv) {{ if ({condition}) reach_error(); return 0; }}\n"
        )
    };
    is_confirmed(&text("argc == 7"), &[]);
    for never in ["argc < 0", "argv == 0"] {
        let (code, shown) = check(&text(never), &[]);
        assert_ne!(code, 1, "{never}: {shown}");
    }
}

/// Blocks of the real library hold what the run reads of them, and keep it where they are moved.
#[test]
fn unwritten_blocks_are_filled() {
    let declarations = "void *malloc(unsigned long); void *realloc(void *, unsigned long); void free(void *);";
    let body = "int *p = malloc(8), *q = malloc(20000000); free(q); if (p[1] == 12) { p = realloc(p, 80); \
                if (p[1] == 12 && p[15] == 3) reach_error(); }";
    is_confirmed(&program(declarations, body), &[]);
}

#[test]
fn the_label_is_seen() {
    let text = "int __VERIFIER_nondet_int(void);\nint main(void) { if (__VERIFIER_nondet_int() != 3) return 0; ERROR: return 1; }\n";
    is_confirmed(text, &[]);
}

/// Mathematical integers are not the machine's: the program is not executed, and what needs an execution has no verdict.
#[test]
fn mathematical_integers_are_replayed_only() {
    let text = program("", "int x = __VERIFIER_nondet_int(); if (x > 5) reach_error();");
    let (code, shown) = check(&text, &["--integers", "mathematical"]);
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("not confirmed by execution: the compiled program has the machine's integers"), "{shown}");
    let text = program("int rand(void);", "if (rand() == 7) reach_error();");
    is_not_confirmed(&text, &["--integers", "mathematical"], "it was not executed, and depends on `rand`");
}

/// Types of the headers have their sizes in the other data model, with or without 32-bit headers on the machine.
#[test]
fn headers_fit_the_data_model() {
    let text = "#include <stdint.h>\n#include <stddef.h>\n#include <limits.h>\nvoid reach_error(void);\nint main(void) {\n  int64_t x = 1;\n  x <<= 40;\n  if (sizeof(int64_t) != 8 || x == 0 || sizeof(size_t) != 4 || sizeof(intptr_t) != 4 || LONG_MAX != 2147483647L) reach_error();\n  return 0;\n}\n";
    let (code, shown) = check(text, &["--data-model", "ilp32"]);
    assert_eq!(code, 0, "{shown}");
    let (code, shown) = check(text, &[]);
    assert_eq!(code, 1, "{shown}");
}

/// A compiler without headers for the data model: what needs none is read, the rest is an error that says what to do.
#[test]
fn missing_headers_are_an_error_with_its_remedy() {
    let Ok(_) = Command::new("cc").arg("--version").output() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let compiler = folder.path().join("cc-without-headers");
    let script = "#!/bin/sh\nfor a in \"$@\"; do\n  case \"$a\" in -print-multiarch) exit 0;; -m32) m32=-nostdinc;; esac\ndone\nexec cc $m32 \"$@\"\n";
    std::fs::write(&compiler, script).expect("written");
    let run = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("written");
        let chmod = Command::new("chmod").arg("+x").arg(&compiler).status().expect("chmod runs");
        assert!(chmod.success());
        let output = Command::new(env!("CARGO_BIN_EXE_clinch"))
            .args(["check", "--data-model", "ilp32"])
            .arg(&file)
            .env("CC", &compiler)
            .output()
            .expect("clinch starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, shown) = run("stdio.c", "#include <stdio.h>\nint main(void) { return 0; }\n");
    assert_eq!(code, Some(65), "{shown}");
    assert!(shown.contains("stdio.c:1:1: error: ") && shown.contains("gcc-multilib"), "{shown}");
    let (code, shown) =
        run("plain.c", "void reach_error(void);\nint main(void) { if (sizeof(long) != 4) reach_error(); return 0; }\n");
    assert_eq!(code, Some(0), "{shown}");
}

/// The harness for users leaves the library alone, and says how the program is started.
#[test]
fn a_written_harness_has_nothing_of_the_library() {
    let folder = tempfile::tempdir().expect("a folder");
    let harness = folder.path().join("h.c");
    let text = "int abs(int); int puts(const char *); int sensor(void); void reach_error(void); int getpid(void);\nint main(int argc, char **argv) { puts(\"x\"); if (getpid() != 0 && argc == 3 && sensor() == 5) reach_error(); return 0; }\n";
    let (code, shown) =
        on_files(folder.path(), "check", &[("p.c", text)], &["--harness", &harness.display().to_string()]);
    assert_eq!(code, 1, "{shown}");
    let written = std::fs::read_to_string(&harness).expect("a harness");
    assert!(written.contains("sensor()") && !written.contains("getpid"), "{written}");
    assert!(written.contains("Run it with 2 arguments: $'' $''"), "{written}");
}

/// A run of millions of steps is shown from its beginning and up to its error, whatever it does in between.
#[test]
fn long_runs_are_shown_at_both_ends() {
    let body = "unsigned sum = __VERIFIER_nondet_int() & 1; for (unsigned i = 0; i < 3000000; i++) sum += i & 1; \
                if (sum >= 1500000) reach_error();";
    let (code, shown) = check(&program("", body), &["--engine", "explicit"]);
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("; confirmed by execution"), "{shown}");
    let gap = shown.lines().find(|line| line.contains(" steps ...")).unwrap_or_else(|| panic!("{shown}"));
    let left_out: u64 = gap.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
    assert!(left_out > 8_000_000, "{shown}");
    let (first, last) = shown.split_once(gap).unwrap_or_default();
    assert!(first.contains("(input)") && first.contains("i = 1"), "{shown}");
    assert!(last.contains("i = 2999999") && last.contains("reach_error()"), "{shown}");
    assert!(!last.contains("i = 2000000"), "{shown}");
}
