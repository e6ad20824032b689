//! Single functions, checked without a harness.

use serde_json::Value;

use crate::c::on_text;
use crate::{code, plain_clinch, stderr, stdout};

/// Functions as a library has them, right and wrong ones.
const LIBRARY: &str = "
#include <stdlib.h>
struct item { int key; struct item *next; };

int length(const struct item *list) {
  int n = 0;
  for (; list; list = list->next) n++;
  return n;
}

int first(const struct item *list) { return list->key; }

int second(const struct item *list) {
  if (!list) return -1;
  return list->next->key;
}

unsigned hash(const char *text) {
  unsigned h = 5381;
  if (text)
    while (*text) h = h * 33 + (unsigned char)*text++;
  return h;
}

static int unused(int *p) { return *p; }

void fill(unsigned char *to, unsigned n) {
  if (!to) return;
  for (unsigned i = 0; i < n; i++) to[i] = 0;
}
";

fn on_library(args: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("lib.c").display().to_string();
    std::fs::write(&file, LIBRARY).expect("written");
    let output = plain_clinch(&[&["check", &file, "--timeout", "20s"], args].concat());
    (code(&output), stdout(&output), stderr(&output))
}

#[test]
fn errors_of_a_function_are_found_and_confirmed() {
    for (function, line, what) in [
        ("first", 11, "list->key (memory)"),
        ("second", 15, "list->next->key (memory)"),
        ("unused", 25, "*p (memory)"),
        ("fill", 29, "to[i] = 0 (memory)"),
    ] {
        let (code, shown, _) = on_library(&["--entry", function]);
        assert_eq!(code, 1, "{function}: {shown}");
        let failing = shown.lines().find(|line| line.contains("  FAILS  ") || line.starts_with("UNSAFE: invalid"));
        let failing = failing.unwrap_or_else(|| panic!("{function}: {shown}"));
        assert!(failing.contains(&format!("lib.c:{line}:")), "{function}: {shown}");
        assert!(failing.contains(what) || failing.starts_with("UNSAFE"), "{function}: {shown}");
        assert!(shown.contains("confirmed by execution"), "{function}: {shown}");
    }
}

#[test]
fn functions_are_proved_for_the_objects_they_get() {
    for (function, assumed) in [("length", "null behind 2 others (--depth)"), ("hash", "strings that end")] {
        let (code, shown, _) = on_library(&["--entry", function]);
        assert_eq!(code, 0, "{function}: {shown}");
        let assumptions: Vec<&str> = shown.lines().filter(|line| line.starts_with("assumed: ")).collect();
        assert!(assumptions.iter().any(|line| line.contains(assumed)), "{function}: {shown}");
        assert!(
            assumptions.iter().any(|line| line.contains("of at most 8 elements (--length)")),
            "{function}: {shown}"
        );
    }
}

/// An error behind three pointers needs a list of three, one behind nine characters a string as long.
#[test]
fn depth_and_length_are_as_asked_for() {
    let (code, shown, _) = on_library(&["--entry", "second", "--depth", "0"]);
    assert_eq!(code, 0, "{shown}");
    let (code, shown, _) = on_library(&["--entry", "hash", "--length", "3"]);
    assert!(code == 0 && shown.contains("of at most 3 elements"), "{shown}");
    for (option, code_of) in [("--depth", 64), ("--length", 64)] {
        let (code, _, errors) = on_library(&[option, "3"]);
        assert_eq!(code, code_of, "{errors}");
        assert!(errors.contains(&format!("error: {option} is for a function that --entry names")), "{errors}");
    }
}

#[test]
fn all_functions_that_others_may_call() {
    let (code, shown, _) = on_library(&["--entry", "all"]);
    assert_eq!(code, 1, "{shown}");
    let verdicts: Vec<(&str, &str)> = shown
        .lines()
        .filter(|line| !line.starts_with(' '))
        .map(|line| {
            let (function, rest) = line.split_once(' ').expect("a verdict behind the name");
            (function, rest.trim_start().split(':').next().unwrap_or_default())
        })
        .collect();
    let expected =
        [("length", "SAFE"), ("first", "UNSAFE"), ("second", "UNSAFE"), ("hash", "SAFE"), ("fill", "UNSAFE")];
    assert_eq!(verdicts, expected, "{shown}");
    let (code, shown, _) = on_library(&["--entry", "all", "--json"]);
    assert_eq!(code, 1, "{shown}");
    let reports: Vec<Value> = serde_json::from_str(&shown).expect("JSON");
    let found: Vec<(&str, &str)> = reports
        .iter()
        .map(|report| (report["function"].as_str().unwrap_or_default(), report["verdict"].as_str().unwrap_or_default()))
        .collect();
    assert_eq!(
        found,
        expected.map(|(function, verdict)| (function, if verdict == "SAFE" { "safe" } else { "unsafe" }))
    );
}

/// Each function has a page of its own; what is assumed of arguments is too much for `--strict`.
#[test]
fn all_functions_have_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("two.c"), "int half(int x) { return x / 2; }\nint next(int x) { return x + 1; }\n")
        .expect("written");
    let page = |function: &str| std::fs::read_to_string(path(&format!("out-{function}.html"))).expect("a page");
    let output = plain_clinch(&["check", &path("two.c"), "--entry", "all", "--report", &path("out.html")]);
    assert_eq!(code(&output), 1, "{}", stdout(&output));
    assert!(page("half").contains("Why it is safe") && page("next").contains("signed overflow"));
    let output = plain_clinch(&["check", "--files", &path("two.c"), "--report", &path("out.html")]);
    assert!(code(&output) == 64 && stderr(&output).contains("cannot be used with '--report <FILE>'"), "{output:?}");
    std::fs::write(path("two.c"), "int half(int x) { return x / 2; }\n").expect("written");
    for (args, expected) in [(&["--entry", "all"][..], 0), (&["--entry", "all", "--strict"], 2)] {
        let output = plain_clinch(&[&["check", &path("two.c")], args].concat());
        assert_eq!(code(&output), expected, "{args:?}: {}", stdout(&output));
    }
}

/// An argument may lead to a global, or to where another one leads.
#[test]
fn arguments_may_lead_to_the_same_object() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("alias.c").display().to_string();
    for text in [
        "int g; void f(int *p) { g = 1; if (p) *p = 2; assert(g == 1); }",
        "int g; void f(char *p) { g = 1; if (p) *p = 2; assert(g == 1); }",
        "static int g; int *get(void) { return &g; } void f(int *p) { g = 1; if (p) *p = 2; assert(g == 1); }",
        "void f(int *p, int *q) { if (!p || !q) return; *p = 1; *q = 2; assert(*p == 1); }",
        "struct s { int a, b; }; void f(struct s *s, int *p) { if (!s) return; s->b = 1; if (p) *p = 2; assert(s->b == 1); }",
    ] {
        std::fs::write(&file, format!("#include <assert.h>\n{text}\n")).expect("written");
        let output = plain_clinch(&["check", &file, "--entry", "f", "--timeout", "20s"]);
        let shown = stdout(&output);
        assert_eq!(code(&output), 1, "{text}: {shown}");
        assert!(shown.contains("confirmed by execution"), "{text}: {shown}");
    }
}

/// A member that somebody may write byte by byte is a member all the same.
#[test]
fn bytes_are_shown_as_the_member_that_they_are() {
    let text = "extern void reach_error(void);
struct s { int a, b; };
int f(struct s *s, char *p) { if (!s) return 0; s->b = 1; if (p) *p = 2; if (s->b != 1) reach_error(); return 0; }
";
    let (code, shown) = on_text("check", text, &["--entry", "f", "--check", "assertions,memory"]);
    assert!(code == 1 && shown.contains("[s->b != 1]"), "{shown}");
}

/// What an object holds that a function is called with is set where the function is executed, and the harness does it too.
#[test]
fn objects_hold_what_the_run_needs() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let text = "struct s { int a; struct s *next; };\nstatic int g;\nint f(struct s *p) {\n  \
                if (p && p->a == 42 && p->next && p->next->a == 7 && !g)\n    return 1 / (p->a - 42);\n  return 0;\n}\n";
    std::fs::write(path("lib.c"), text).expect("written");
    let output =
        plain_clinch(&["check", &path("lib.c"), "--entry", "f", "--timeout", "20s", "--harness", &path("h.c")]);
    let shown = stdout(&output);
    assert_eq!(code(&output), 1, "{shown}");
    assert!(shown.contains("lib.c:5:12  FAILS    division by zero"), "{shown}");
    assert!(shown.contains("confirmed by execution: UndefinedBehaviorSanitizer: division by zero"), "{shown}");
    let cc = |args: &[&str]| {
        let flags =
            ["-w", "-fwrapv", "-ffp-contract=off", "-fsanitize=integer-divide-by-zero", "-fno-sanitize-recover=all"];
        let run = std::process::Command::new("cc").args(flags).args(args).output().expect("a compiler");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    };
    cc(&["-DCLINCH_PROGRAM", "-c", "-o", &path("program.o"), &path("h.c")]);
    cc(&["-o", &path("run"), &path("program.o"), &path("h.c")]);
    let run = std::process::Command::new(path("run")).output().expect("a program");
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(!run.status.success() && said.contains("runtime error: division by zero"), "{said}");
}
