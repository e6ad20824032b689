//! Nothing was checked is not safe; and what `--strict` asks.

use crate::c::on_text;
use crate::{clinch, code, stderr, stdout};

/// Runs clinch on a file of a name.
fn on_file(name: &str, text: &str, args: &[&str]) -> (i32, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    std::fs::write(&file, text).expect("written");
    let output = clinch(&[&["check", &file.display().to_string()], args].concat());
    (code(&output), stdout(&output) + &stderr(&output))
}

#[test]
fn a_c_program_without_error_says_so() {
    let text = "int main(void) { return 0; }\n";
    let (code, shown) = on_text("check", text, &[]);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("note: the program contains no error: nothing was checked"), "{shown}");
    let (code, shown) = on_text("check", text, &["--strict"]);
    assert_eq!(code, 2, "{shown}");
    assert!(shown.contains("strict: not accepted as safe"), "{shown}");
    let (code, shown) = on_text("check", text, &["--strict", "--json"]);
    assert_eq!(code, 2, "{shown}");
    assert!(shown.contains("\"strictly_safe\":false"), "{shown}");
}

/// An error in a function that nobody calls is not in reach; one behind a constant condition was checked.
#[test]
fn an_error_counts_where_calls_lead() {
    let lonely =
        "void reach_error(void);\nvoid nobody_calls(int x) { if (x) reach_error(); }\nint main(void) { return 0; }\n";
    let (code, shown) = on_text("check", lonely, &["--strict"]);
    assert_eq!(code, 2, "{shown}");
    let constant = "#include <assert.h>\nint main(void) { assert(sizeof(int) == 4); return 0; }\n";
    let (code, shown) = on_text("check", constant, &["--strict"]);
    assert_eq!(code, 0, "{shown}");
    assert!(!shown.contains("note:"), "{shown}");
}

#[test]
fn strict_refuses_assumptions() {
    let text = "void reach_error(void);\nint sensor(void);\nint main(void) { int x = sensor() & 1; if (x == 2) reach_error(); return 0; }\n";
    let (code, shown) = on_text("check", text, &[]);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("assumed: "), "{shown}");
    let (code, shown) = on_text("check", text, &["--strict"]);
    assert_eq!(code, 2, "{shown}");
    let (code, shown) = on_text(
        "check",
        &text
            .replace("int sensor(void)", "int __VERIFIER_nondet_int(void)")
            .replace("sensor()", "__VERIFIER_nondet_int()"),
        &["--strict"],
    );
    assert_eq!(code, 0, "{shown}");
}

#[test]
fn a_model_without_property_has_no_verdict() {
    let divine =
        "byte x;\nprocess P { state a; init a; trans a -> a { guard x < 9; effect x = x + 1; }; }\nsystem async;\n";
    let cases: &[(&str, &str, &[&str], &str)] = &[
        ("m.gcl", "var x: 0..3 = 0;\ncommand when x < 3 do x := x + 1;\n", &[], "the model has no property"),
        ("m.dve", divine, &[], "the model has no property"),
        (
            "m.gcl",
            "var x: 0..3 = 0;\nprocess P { loc a, b; a -> a; }\nerror P.b;\n",
            &[],
            "no transition leads to the error location b",
        ),
        ("m.rem", "module void main() { skip; }", &[], "the program has no error label"),
    ];
    for (name, text, args, why) in cases {
        let (code, shown) = on_file(name, text, args);
        assert_eq!(code, 2, "{name}: {shown}");
        assert!(shown.starts_with("UNKNOWN: ") && shown.contains(why), "{name}: {shown}");
        let (code, shown) = on_file(name, text, &["--json"]);
        assert!(code == 2 && shown.contains("\"verdict\":\"unknown\"") && shown.contains(why), "{name}: {shown}");
    }
    let (code, shown) = on_file("m.dve", divine, &["--error", "x > 10"]);
    assert_eq!(code, 0, "{shown}");
}

#[test]
fn clauses_without_a_query_say_so() {
    let text =
        "(set-logic HORN)\n(declare-fun p (Int) Bool)\n(assert (forall ((x Int)) (=> (= x 0) (p x))))\n(check-sat)\n";
    let (code, shown) = on_file("m.smt2", text, &[]);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("note: no clause has the conclusion false: nothing was checked"), "{shown}");
    let (code, shown) = on_file("m.smt2", text, &["--strict"]);
    assert_eq!(code, 2, "{shown}");
}

/// Assumptions that exclude each other are suspicious; those that some value satisfies are not.
#[test]
fn contradictory_assumptions_are_noted() {
    let text = |assumption: &str| {
        format!(
            "void reach_error(void);\nvoid __VERIFIER_assume(int);\nint __VERIFIER_nondet_int(void);\n_Bool __VERIFIER_nondet_bool(void);\nint main(void) {{ int x = __VERIFIER_nondet_int(); _Bool a = __VERIFIER_nondet_bool(), b = __VERIFIER_nondet_bool(); __VERIFIER_assume({assumption}); if (x == 77) reach_error(); return a + b; }}\n"
        )
    };
    for never in ["0", "x > 5 && x < 3", "x * x == 2"] {
        let (code, shown) = on_text("check", &text(never), &["--strict"]);
        assert_eq!(code, 2, "{never}: {shown}");
        assert!(shown.contains("note: each of 256 runs tried ends at an assumption"), "{never}: {shown}");
    }
    let (code, shown) = on_text("check", &text("x == 4711 && a && !b"), &["--strict"]);
    assert_eq!(code, 0, "{shown}");
}

/// What produces each assumption that the manual lists: the beginning of its line there, arguments, a program.
const ASSUMING: [(&str, &[&str], &str); 23] = [
    (
        "memory is accessed inside of live objects only",
        &[],
        "int a[4]; int main(void) { unsigned i = __VERIFIER_nondet_uint(); if (i < 4) a[i] = 1; if (a[0] > 1) reach_error(); return 0; }",
    ),
    (
        "`f` has no body: it returns any value, and writes",
        &["--extern", "writes", "--check", "memory"],
        "extern int f(int *p); int main(void) { int x = 1; f(&x); return x == 1; }",
    ),
    ("`f` has no body", &[], "extern int f(void); int main(void) { if (f() * 0) reach_error(); return 0; }"),
    (
        "`assume` has no body",
        &[],
        "extern void assume(int); int main(void) { unsigned n = __VERIFIER_nondet_uint(); assume(n < 3); if (n > 7) reach_error(); return 0; }",
    ),
    (
        "pointers from outside",
        &[],
        "extern double *f(void); int g; int main(void) { double *p = f(); if (p) *p = 1; if (g) reach_error(); return 0; }",
    ),
    ("the parameters of `f`", &["--entry", "f"], "int f(int n) { if (n > 3 && n < 3) reach_error(); return 0; }"),
    (
        "pointers are null, or lead to objects of their own",
        &["--entry", "f", "--check", "memory"],
        "int f(int *p) { return p ? *p : 0; }",
    ),
    (
        "pointers inside of objects",
        &["--entry", "f", "--check", "memory"],
        "struct s { struct s *next; }; int f(struct s *p) { return p && p->next; }",
    ),
    ("arrays of char are strings", &["--entry", "f", "--check", "memory"], "int f(char *p) { return p ? *p : 0; }"),
    (
        "functions that are passed",
        &["--entry", "f", "--check", "memory"],
        "int f(int (*g)(int)) { return g ? g(1) : 0; }",
    ),
    (
        "pointers to `struct s`",
        &["--entry", "f", "--check", "memory"],
        "struct s; int f(struct s *p) { return p != 0; }",
    ),
    (
        "nothing is known of `x`",
        &[],
        "extern int x[]; int main(void) { int i = x[1]; if (i > 3 && i < 3) reach_error(); return 0; }",
    ),
    ("memory is never exhausted", &[], "int main(void) { int *p = malloc(4); if (!p) reach_error(); return 0; }"),
    (
        "the weak symbol `f`",
        &[],
        "extern void f(void) __attribute__((weak)); int main(void) { if (f) reach_error(); return 0; }",
    ),
    (
        "`main` gets its name and at most 3 more arguments",
        &[],
        "int main(int argc, char **argv) { if (argc > 4 && argv[1]) reach_error(); return 0; }",
    ),
    (
        "texts from the environment",
        &[],
        "int main(void) { char *t = getenv(\"HOME\"); if (t && strlen(t) > 255) reach_error(); return 0; }",
    ),
    (
        "`qsort` compares",
        &[],
        "int a[2] = { 2, 1 }; int less(const void *p, const void *q) { return *(const int *)p - *(const int *)q; }
         int main(void) { qsort(a, 2, 4, less); if (a[0] != 1) reach_error(); return 0; }",
    ),
    (
        "characters are classified",
        &[],
        "int main(void) { setlocale(LC_ALL, \"\"); if (isdigit('a')) reach_error(); return 0; }",
    ),
    ("output does not fail", &[], "int main(void) { if (putchar('x') != 'x') reach_error(); return 0; }"),
    (
        "output with a computed format",
        &[],
        "int main(int argc, char **argv) { printf(argv[0]); if (argc < 0) reach_error(); return 0; }",
    ),
    (
        "no block on the stack has more than 64 MiB",
        &[],
        "int main(void) { int n = __VERIFIER_nondet_int(); char *p = __builtin_alloca(n); if (!p) reach_error(); return 0; }",
    ),
    (
        "memory that a loop allocates on the stack",
        &["--check", "memory"],
        "int main(void) { for (int i = 0; i < 2; i++) { int *p = __builtin_alloca(4); *p = i; } return 0; }",
    ),
    (
        "pointers are written before they are read",
        &["--engine", "spds"],
        "struct s { int n; }; int main(void) { struct s *p = malloc(sizeof *p); p->n = 1; if (p->n != 1) reach_error(); return 0; }",
    ),
];

#[test]
fn every_assumption_of_the_manual_is_printed() {
    let manual = include_str!("../../../../docs/c.md");
    let table = manual.lines().skip_while(|line| *line != "| assumed | when |").skip(2);
    let rows: Vec<&str> = table.take_while(|line| line.starts_with('|')).collect();
    let includes =
        ["ctype.h", "locale.h", "stdio.h", "stdlib.h", "string.h"].map(|h| format!("#include <{h}>\n")).concat();
    for row in &rows {
        let assumption = row.trim_start_matches("| ").split(" | ").next().unwrap_or_default();
        let produces = ASSUMING.iter().find(|(start, ..)| assumption.starts_with(start));
        let (_, args, program) = produces.unwrap_or_else(|| panic!("no program produces: {assumption}"));
        let head = "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);";
        let (code, shown) = on_text("check", &format!("{includes}{head}\n{program}\n"), args);
        assert!(code == 0 && shown.contains(&format!("assumed: {assumption}\n")), "{assumption}: {shown}");
        let strict = [args, &["--strict", "--timeout", "500ms"][..]].concat();
        let (code, shown) = on_text("check", &format!("{includes}{head}\n{program}\n"), &strict);
        assert_eq!(code, 2, "{assumption}: {shown}");
    }
    assert_eq!(rows.len(), ASSUMING.len());
}

/// What something still points to at the end is no leak to the sanitizer, and what a dead frame still holds is one all the same.
#[test]
fn executions_show_what_is_not_freed() {
    let kept = "#include <stdlib.h>\n#include <stdio.h>\nstatic int *all;\n\
                int main(void) { all = malloc(12); if (all) all[0] = 1; printf(\"done\"); return 0; }\n";
    let (code, shown) = on_text("check", kept, &["--property", "valid-memcleanup"]);
    assert!(code == 1 && shown.contains("confirmed by execution: 12 bytes are not freed at the end"), "{shown}");
    let lost = "#include <stdlib.h>\nstatic void f(void) { int *p = malloc(12); if (p) p[0] = 1; }\n\
                int main(void) { f(); return 0; }\n";
    let (code, shown) = on_text("check", lost, &["--property", "valid-memsafety"]);
    assert!(code == 1 && shown.contains("confirmed by execution: AddressSanitizer: detected memory leaks"), "{shown}");
}
