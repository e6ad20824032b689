//! What can go wrong without an assertion: each kind of error is found and confirmed, and its correct twin is proved.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::c::on_text;
use crate::{code, plain_clinch, root, stdout};

/// A program with an error, the text that makes it correct instead, and what is said of the error.
struct Pair {
    check: &'static str,
    text: &'static str,
    wrong: &'static str,
    right: &'static str,
    what: &'static str,
}

const HEAD: &str = "extern int __VERIFIER_nondet_int(void);\nvoid *malloc(unsigned long);\nvoid free(void *);\n";

const PAIRS: &[Pair] = &[
    Pair {
        check: "overflow",
        text: "int main(void) { int x = __VERIFIER_nondet_int(); if (x > LIMIT) return 0; return x + 1 > x; }",
        wrong: "2147483647",
        right: "2147483646",
        what: "signed overflow: x + 1",
    },
    Pair {
        check: "overflow",
        text: "int main(void) { int x = __VERIFIER_nondet_int(); if (x == LIMIT) return 0; return -x; }",
        wrong: "0",
        right: "-2147483647 - 1",
        what: "signed overflow: -x",
    },
    Pair {
        check: "overflow",
        text: "int main(void) { unsigned char x = __VERIFIER_nondet_int(); return (int)x << LIMIT; }",
        wrong: "24",
        right: "23",
        what: "signed overflow: (int)x << 24",
    },
    Pair {
        check: "unsigned",
        text: "int main(void) { unsigned x = __VERIFIER_nondet_int(); if (x > LIMIT) return 0; return x * 3u + 1u == 7u; }",
        wrong: "1431655765u",
        right: "1431655764u",
        what: "unsigned overflow: x * 3u + 1u",
    },
    Pair {
        check: "unsigned",
        text: "int main(void) { unsigned x = __VERIFIER_nondet_int(), y = 5; if (x LIMIT y) return 0; return y - x == 1u; }",
        wrong: "==",
        right: ">",
        what: "unsigned overflow: y - x",
    },
    Pair {
        check: "conversions",
        text: "int main(void) { int x = __VERIFIER_nondet_int(); if (x < 0 || x > LIMIT) return 0; unsigned char c = x; unsigned long l = x; return c == l; }",
        wrong: "256",
        right: "255",
        what: "a conversion changes the value: x",
    },
    Pair {
        check: "conversions",
        text: "int main(void) { int x = __VERIFIER_nondet_int(); unsigned y = LIMITx; unsigned char c = (unsigned char)x; return y == c; }",
        wrong: "",
        right: "(unsigned)",
        what: "a conversion changes the value: x",
    },
    Pair {
        check: "conversions",
        text: "int main(void) { unsigned char c = (unsigned char)__VERIFIER_nondet_int(); if (c > LIMIT) return 0; c += 5; return c == 7; }",
        wrong: "251",
        right: "250",
        what: "a conversion changes the value: c += 5",
    },
    Pair {
        check: "conversions",
        text: "int main(void) { int i = __VERIFIER_nondet_int(); short s = 1; unsigned u = 5; if (i LIMIT 0 || i > 9) return 0; u *= i; s++; return u == s; }",
        wrong: "< -1 || i ==",
        right: "<",
        what: "a conversion changes the value: i",
    },
    Pair {
        check: "memory",
        text: "void *memcpy(void *, const void *, unsigned long); int main(void) { char b[16] = \"hello\"; unsigned n = __VERIFIER_nondet_int(); if (n > 8) return 0; memcpy(b + LIMIT, b, n); return 0; }",
        wrong: "7",
        right: "8",
        what: "blocks that overlap: memcpy(b + 7, b, n)",
    },
    Pair {
        check: "memory",
        text: "char *strcpy(char *, const char *); int main(void) { char b[16] = \"hello\"; strcpy(b, LIMIT); return 0; }",
        wrong: "b + 1",
        right: "b",
        what: "blocks that overlap: strcpy(b, b + 1)",
    },
    Pair {
        check: "memory",
        text: "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1) n = 1; char *s = __builtin_alloca(n), *p = s; LIMIT while (*p) p++; return p - s; }",
        wrong: "s[n - 1] = 1;",
        right: "s[n - 1] = 0;",
        what: "invalid read: *p",
    },
    Pair {
        check: "uninitialised",
        text: "int main(void) { int x, y = __VERIFIER_nondet_int(); if (y LIMIT 0) x = 1; if (y > 1) return x == 1; return 0; }",
        wrong: "> 2 && y !=",
        right: ">",
        what: "value that was never set: return x == 1;",
    },
    Pair {
        check: "uninitialised",
        text: "struct s { unsigned a : 3, b : 5; }; int main(void) { struct s v, *p = malloc(sizeof *p); v.a = 1; p->a = 2; if (v.a == p->LIMIT) return 1; free(p); return 0; }",
        wrong: "b",
        right: "a",
        what: "value that was never set: v.a == p->b",
    },
    Pair {
        check: "uninitialised",
        text: "int put(int i) { int a[3]; a[i] = i; return a[LIMIT]; } int main(void) { if (put(1)) return put(0); return 2; }",
        wrong: "1",
        right: "i",
        what: "value that was never set: return put(0);",
    },
    Pair {
        check: "uninitialised",
        text: "static int zeros[4]; int main(void) { int own[4], i = __VERIFIER_nondet_int() & 3, *p = i % 2 LIMIT ? zeros : own; own[0] = own[2] = 1; if (p[i]) return 1; return 0; }",
        wrong: "== 0",
        right: "== 1",
        what: "value that was never set: p[i]",
    },
    Pair {
        check: "arithmetic",
        text: "int main(void) { int x = __VERIFIER_nondet_int(); if (x LIMIT 7) return 0; return 100 / (x - 7); }",
        wrong: ">",
        right: "==",
        what: "division by zero: 100 / (x - 7)",
    },
    Pair {
        check: "memory",
        text: "int main(void) { int a[10]; int n = __VERIFIER_nondet_int(); if (n < 0 || n > LIMIT) return 0; a[n] = 1; return a[n]; }",
        wrong: "10",
        right: "9",
        what: "invalid write: a[n] = 1",
    },
    Pair {
        check: "memory",
        text: "int main(void) { int *p = malloc(sizeof *p); *p = 1; free(p); LIMIT return 0; }",
        wrong: "*p = 2;",
        right: "",
        what: "invalid write: *p = 2",
    },
    Pair {
        check: "memory",
        text: "int main(void) { char *p = malloc(2); free(p LIMIT); return 0; }",
        wrong: "+ 1",
        right: "",
        what: "invalid free: free(p + 1)",
    },
    Pair {
        check: "memory",
        text: "void *realloc(void *, unsigned long); int main(void) { int *p = malloc(4), r; *p = __VERIFIER_nondet_int(); int *q = realloc(p, 8); r = *LIMIT; free(q); return r == 3; }",
        wrong: "p",
        right: "q",
        what: "invalid read: r = *p",
    },
    Pair {
        check: "memory",
        text: "int *f(void) { LIMIT int x; x = 3; return &x; }\nint main(void) { return *f(); }",
        wrong: "",
        right: "static",
        what: "invalid read: return *f();",
    },
    Pair {
        check: "memory",
        text: "struct list { struct list *next; };\n\
               int main(void) { struct list a = { 0 }, b = { &a }; struct list *p = &b; p = p->next; LIMIT return p->next != 0; }",
        wrong: "p = p->next;",
        right: "",
        what: "invalid read: return p->next != 0;",
    },
    Pair {
        check: "memory",
        text: "struct s { int x[3], y; };\nint main(void) { struct s a = { { 1 } }; a.x[LIMIT] = 2; return a.y; }",
        wrong: "3",
        right: "2",
        what: "index outside of an array in a record: a.x[3]",
    },
    Pair {
        check: "memory",
        text: "struct s { char name[4]; int age; };\nint main(void) { struct s a = { \"abc\", 7 }; int n = 0; while (a.name[n] && n < 3) n++; return a.name[LIMIT] == 0; }",
        wrong: "n + 1",
        right: "n",
        what: "index outside of an array in a record: a.name[n + 1]",
    },
    Pair {
        check: "memory",
        text: "struct stack { int data[3], top; };\nint main(void) { struct stack *s = malloc(sizeof *s); s->top = 0; while (s->top < LIMIT) s->data[s->top++] = 1; free(s); return 0; }",
        wrong: "4",
        right: "3",
        what: "index outside of an array in a record: s->data[s->top++]",
    },
    Pair {
        check: "memory",
        text: "int main(void) { int m[2][3] = { 0 }, n = __VERIFIER_nondet_int(); if (n < 0 || n > LIMIT) return 0; m[0][n] = 1; return m[1][0]; }",
        wrong: "3",
        right: "2",
        what: "index outside of an array in another array: m[0][n]",
    },
    Pair {
        check: "memory",
        text: "char *strcpy(char *, const char *), *strcat(char *, const char *);\nstruct s { char name[4]; int age; };\nint main(void) { struct s a, *p = &a; p->age = 1; strcpy(p->name, \"ab\"); strcat(p->name, LIMIT); return p->age; }",
        wrong: "\"cd\"",
        right: "\"c\"",
        what: "string copied behind the end of a member: strcat(p->name, \"cd\")",
    },
];

#[test]
fn errors_are_found_and_their_twins_proved() {
    for Pair { check, text, wrong, right, what } in PAIRS {
        let (bad, good) =
            (format!("{HEAD}{}", text.replace("LIMIT", wrong)), format!("{HEAD}{}", text.replace("LIMIT", right)));
        let (code, shown) = on_text("check", &bad, &["--check", check]);
        assert_eq!(code, 1, "{bad}\n{shown}");
        let said = [format!("UNSAFE: {what} at "), format!("FAILS    {what} ({check})")];
        assert!(said.iter().any(|said| shown.contains(said)), "{bad}\n{shown}");
        // What C defines no sanitizer complains about.
        let is_defined = matches!(*check, "unsigned" | "conversions");
        let seen = if *check == "uninitialised" {
            "the compiler has no sanitizer for values that were never set"
        } else if what.starts_with("string copied") {
            "the compiler has no sanitizer for strings that leave a member of a record"
        } else if is_defined {
            "the compiled program comes to this place"
        } else {
            "confirmed by execution: "
        };
        assert!(shown.contains(seen), "{bad}\n{shown}");
        let (code, shown) = on_text("check", &good, &["--check", check]);
        assert_eq!(code, 0, "{good}\n{shown}");
        // What is not asked for is no error.
        let (code, shown) = on_text("check", &bad, &["--check", "assertions", "--timeout", "500ms"]);
        assert_ne!(code, 1, "{bad}\n{shown}");
    }
}

/// A local object of one iteration is not that of the next. Nobody sees it in an execution: the replay stands. Who jumps back in a block
/// stays in it, and so do its objects: no verdict, but no proof either.
#[test]
fn objects_of_earlier_iterations_are_gone() {
    let text = "int main(void) { int *p; for (int i = 0; i < 2; i++) { int a[2]; if (i == 0) p = a; else p[0] = 1; } return 0; }";
    let (code, shown) = on_text("check", text, &["--check", "memory"]);
    assert!(code == 1 && shown.contains("invalid write: p[0] = 1"), "{shown}");
    assert!(shown.contains("access: a local object of an iteration before, which is no more"), "{shown}");
    assert!(shown.contains("to the compiler, the local objects of all iterations are one"), "{shown}");
    let (code, shown) = on_text("check", &text.replace("int a[2]", "static int a[2]"), &["--check", "memory"]);
    assert_eq!(code, 0, "{shown}");
    let jumps = "int main(void) { int *p = 0; again: ; int x = 1; if (p) { *p = 2; return 0; } p = &x; goto again; }";
    let (code, shown) = on_text("check", jumps, &["--check", "memory", "--timeout", "3s"]);
    assert_eq!(code, 2, "{shown}");
}

/// A pointer that is any value is no object's; one that somebody returns is meant to be used.
#[test]
fn pointers_may_be_any_value() {
    let text = "void *GIVE(void);\nvoid free(void *);\nint main(void) { void *p = GIVE(); if (p) free(p); return 0; }";
    let any = text.replace("GIVE", "__VERIFIER_nondet_pointer");
    let (code, shown) = on_text("check", &any, &["--property", "valid-memsafety", "--json"]);
    assert!(code == 1 && shown.contains("\"subproperty\":\"valid-free\""), "{shown}");
    let unused = any.replace("if (p) free(p);", "");
    assert_eq!(on_text("check", &unused, &["--property", "valid-memsafety"]).0, 0);
    assert_eq!(on_text("check", text, &["--property", "valid-memsafety", "--timeout", "3s"]).0, 2);
}

/// Old code has an array of one element at the end of a record, and means as many as there is memory for.
#[test]
fn arrays_of_one_element_may_end_a_record() {
    let text = "#include <stdlib.h>\nstruct s { int n; long list[1]; };\nstruct outer { struct s s; long after; };\n\
                static long sum(struct s *s) { long all = 0; for (int i = 0; i < s->n; i++) all += s->list[i]; return all; }\n\
                int main(void) { struct s *s = malloc(sizeof *s + 2 * sizeof(long)); s->n = 3; s->list[0] = 1; s->list[1] = 2; s->list[LIMIT] = 3;\n\
                long all = sum(s); free(s); struct outer o = { { 2, { 5 } }, 6 }; return all == 6 && sum(&o.s) == 11; }\n";
    let (code, shown) = on_text("check", &text.replace("LIMIT", "2"), &["--check", "memory"]);
    assert_eq!(code, 0, "{shown}");
    let (code, shown) = on_text("check", &text.replace("LIMIT", "3"), &["--check", "memory"]);
    assert!(code == 1 && shown.contains("confirmed by execution: AddressSanitizer: heap-buffer-overflow"), "{shown}");
}

/// An array of characters may hold a pointer that is copied there byte by byte.
#[test]
fn pointers_are_followed_through_bytes() {
    let text = format!(
        "{HEAD}void *memcpy(void *, const void *, unsigned long);\nchar a[sizeof(int *)];\n\
         void put(void) {{ int *p = malloc(8); memcpy(a, &p, sizeof p); }}\n\
         int main(void) {{ void *p; put(); memcpy(&p, a, sizeof p); free(p); return 0; }}"
    );
    let (code, shown) = on_text("check", &text, &["--check", "memory"]);
    assert_eq!(code, 0, "{shown}");
}

/// The status of a program that returns no value is any, also one that means something to who executes it.
#[test]
fn programs_may_end_with_any_status() {
    let text = format!("{HEAD}int main(void) {{ int *p = malloc(4); *p = 3; if (*p != 3) return 1; }}");
    let (code, shown) = on_text("check", &text, &["--property", "valid-memsafety"]);
    assert_eq!(code, 1, "{shown}");
}

/// Properties of SV-COMP, with what each of them is violated by.
#[test]
fn properties_have_their_own_errors() {
    let lost = format!("{HEAD}int main(void) {{ int *p = malloc(4); p = malloc(4); free(p); return 0; }}");
    let (code, shown) = on_text("check", &lost, &["--property", "valid-memsafety", "--json"]);
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("\"subproperty\":\"valid-memtrack\""), "{shown}");
    let (_, shown) = on_text("check", &lost, &["--property", "valid-memsafety"]);
    assert!(shown.contains("\nviolates: valid-memtrack\n"), "{shown}");
    assert!(!on_text("check", &lost, &["--check", "memory,leaks"]).1.contains("violates: "));
    let held = format!("{HEAD}int *p;\nint main(void) {{ p = malloc(4); return 0; }}");
    let (code, shown) = on_text("check", &held, &["--property", "valid-memcleanup", "--json"]);
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("\"subproperty\":\"valid-memcleanup\""), "{shown}");
    // Something points to the block, but that is not seen.
    assert_ne!(on_text("check", &held, &["--property", "valid-memsafety"]).0, 1);
    let freed = format!("{HEAD}int main(void) {{ int *p = malloc(4); free(p); return 0; }}");
    for property in ["valid-memsafety", "valid-memcleanup", "no-overflow", "unreach-call"] {
        let (code, shown) = on_text("check", &freed, &["--property", property]);
        assert_eq!(code, 0, "{property}: {shown}");
    }
}

/// A run that does not end may lose memory where no check looks.
#[test]
fn a_proof_about_endless_runs_says_nothing_of_leaks() {
    let text = format!(
        "{HEAD}int main(void) {{ for (;;) {{ int *p = malloc(4); *p = 1; if (__VERIFIER_nondet_int()) free(p); }} }}"
    );
    let (code, shown) = on_text("check", &text, &["--property", "valid-memsafety", "--timeout", "3s"]);
    assert_eq!(code, 2, "{shown}");
}

const SEVERAL: &str = "extern int __VERIFIER_nondet_int(void);
#include <assert.h>
int main(void) {
  int a[4] = {0}, n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
  if (n == 100)
    a[n / 25] = 1;
  if (m == 7)
    n = 5 / (m - 7);
  int k = m < 1000 ? m + 1 : 0;
  assert(k <= 1000);
  if (n > 10 && n < 20)
    n = n * n;
  assert(n != 144);
  return k + n;
}
";

/// Every check has a verdict of its own, and each that fails is found and confirmed.
#[test]
fn all_checks_that_fail_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("several.c");
    std::fs::write(&file, SEVERAL).expect("written");
    let output = plain_clinch(&["check", &file.display().to_string(), "--json"]);
    assert_eq!(code(&output), 1);
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let checks = answer["checks"].as_array().expect("checks");
    let of = |verdict: &str| -> Vec<(u64, &str)> {
        let those = checks.iter().filter(|check| check["verdict"] == verdict);
        those.map(|c| (c["line"].as_u64().expect("a line"), c["check"].as_str().expect("a kind"))).collect()
    };
    let failing = [(6, "memory"), (8, "arithmetic"), (13, "assertions"), (14, "overflow")];
    assert_eq!(of("fails"), failing, "{answer}");
    assert!(of("proved").contains(&(10, "assertions")), "{answer}");
    let confirmed = checks.iter().filter(|check| check["verdict"] == "fails").all(|check| check["confirmed"] == true);
    assert!(confirmed, "{answer}");
    let output = plain_clinch(&["check", &file.display().to_string()]);
    let shown = stdout(&output);
    assert!(shown.contains("UNSAFE: 4 of "), "{shown}");
    assert!(shown.contains("access: 4 bytes at offset 16 of a, which has 16 bytes"), "{shown}");
    assert!(shown.contains("failure 4: signed overflow"), "{shown}");
}

/// One check that nobody can decide does not hide what is known of the others.
#[test]
fn a_hard_check_does_not_hide_the_others() {
    let text = "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
        int main(void) {
          unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(), x[4] = {0};
          if (a < 4) x[a] = 1;
          unsigned share = 100 / (x[3] + 1);
          if (a > 1 && b > 1 && (unsigned long)a * b == 9633832748884915969ul) reach_error();
          return (int)share;
        }";
    let (code, shown) = on_text("check", text, &["--check", "assertions,memory,arithmetic", "--timeout", "12s"]);
    assert_eq!(code, 2, "{shown}");
    assert!(shown.contains("UNKNOWN: 2 of 3 checks proved, 1 unknown"), "{shown}");
    assert!(shown.contains("unknown  reach_error: time limit (assertions)"), "{shown}");
}

/// What is not modelled where memory is checked does not matter for an assertion.
#[test]
fn assertions_are_checked_where_memory_cannot_be() {
    let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
        struct s { int *p; }; struct s g; struct s *q = &g;
        int f(int c) { int x[2]; x[0] = 1; if (c) { q->p = x; return 0; } return q->p[0]; }
        int main(void) { f(1); f(0); int n = __VERIFIER_nondet_int(); if (n > 3 && n < 3) reach_error(); return 0; }";
    let (code, shown) = on_text("check", text, &["--check", "assertions,memory"]);
    assert_eq!(code, 2, "{shown}");
    let open = shown.lines().filter(|line| line.contains("  unknown  "));
    assert!(open.clone().count() > 0 && open.clone().all(|line| line.ends_with("(memory)")), "{shown}");
    // The assertion is proved, if memory is used as it should be.
    assert!(shown.contains("note: what is proved assumes: memory is accessed inside of live objects only"), "{shown}");
}

/// From one member of a record into the next: no access outside of an object, but an error all the same.
#[test]
fn an_index_inside_of_a_record_stays_in_its_array() {
    let text = "extern int __VERIFIER_nondet_int(void);
        struct s { int x[3]; int y; };
        static void f(struct s *t, int i) { t->x[i] = 1; }
        int main(void) { struct s a; int n = __VERIFIER_nondet_int(); if (n < 0 || n > LIMIT) return 0; f(&a, n); return 0; }";
    let (code, shown) = on_text("check", &text.replace("LIMIT", "3"), &["--check", "memory"]);
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("index outside of an array in a record: t->x[i]"), "{shown}");
    assert!(shown.contains("confirmed by execution: UndefinedBehaviorSanitizer: index 3 out of bounds"), "{shown}");
    let (code, shown) = on_text("check", &text.replace("LIMIT", "2"), &["--check", "memory"]);
    assert_eq!(code, 0, "{shown}");
    // The address of what would be the next element may be computed.
    let end =
        "struct s { int x[3]; int y; } a; int main(void) { for (int *p = a.x; p < &a.x[3]; p++) *p = 1; return a.y; }";
    let (code, shown) = on_text("check", end, &["--check", "memory"]);
    assert_eq!(code, 0, "{shown}");
    let (code, _) = on_text("check", &text.replace("LIMIT", "3"), &["--property", "valid-memsafety"]);
    assert_eq!(code, 2);
}

/// The examples of each kind of error, and their correct twins, with the checks that count by default or that they name.
#[test]
fn each_kind_of_error_has_an_example() {
    let mut kinds = Vec::new();
    for name in ["bounds", "dangling", "twice", "leak", "overflow", "division", "shift", "literal", "conversion"] {
        for (suffix, wanted) in [("", 0), ("-bug", 1)] {
            let file = root().join("examples/c").join(format!("{name}{suffix}.c")).display().to_string();
            let text = std::fs::read_to_string(&file).expect("an example");
            let option = text.lines().find_map(|line| line.strip_prefix("// check: ")).map(|check| ["--check", check]);
            let args = [&["check", &file, "--json"][..], option.as_ref().map_or(&[][..], |option| option)].concat();
            let output = plain_clinch(&args);
            assert_eq!(code(&output), wanted, "{name}{suffix}: {}", stdout(&output));
            if wanted == 1 {
                let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
                let kind = answer["error"]["check"].as_str().expect("a kind").to_owned();
                assert!(text.contains(&format!("expect: unsafe ({kind})")), "{name}: {kind}");
                assert_eq!(answer["confirmed"], true, "{name}");
                kinds.push(kind);
            }
        }
    }
    kinds.sort();
    kinds.dedup();
    assert_eq!(kinds, ["arithmetic", "leaks", "memory", "overflow"]);
}

/// A counterexample asks for nothing that could be left out, and names cells as the source does.
#[test]
fn counterexamples_are_simple() {
    let file = root().join("examples/c/ring-bug.c").display().to_string();
    let output = plain_clinch(&["check", &file]);
    let shown = stdout(&output);
    assert!(shown.contains("inputs: 1, 1, 1, 1, 1\n"), "{shown}");
    // What is written into the buffer does not matter for how full it is.
    assert!(shown.contains("ring.count = 5") && !shown.contains("ring.data[0] = 4"), "{shown}");
    let shown = shown + &stdout(&plain_clinch(&["check", &file, "--trace", "full"]));
    assert!(shown.contains("ring.data[0] = 4") && !shown.contains("at &"), "{shown}");
    let file = root().join("examples/c/dangling-bug.c").display().to_string();
    let shown = stdout(&plain_clinch(&["check", &file]));
    assert!(shown.contains("allocated at ") && shown.contains("; it was freed at "), "{shown}");
}

/// Declarations of the programs below.
const DECLARATIONS: &str = include_str!("../memory/head.h");

/// Programs in a text, each on a line of its own below one with its name.
fn programs(text: &str) -> Vec<String> {
    text.split("\n\n").filter(|program| !program.trim().is_empty()).map(|p| format!("{DECLARATIONS}{p}\n")).collect()
}

/// Checks memory in all of them; how many have an exit code. None may have the other.
fn count(programs: &[String], wanted: i32, forbidden: i32) -> usize {
    let next = AtomicUsize::new(0);
    let found = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (code, shown) =
                        on_text("check", program, &["--check", "memory", "--timeout", "1500ms", "--threads", "1"]);
                    assert_ne!(code, forbidden, "{program}\n{shown}");
                    assert!(code <= 2, "{program}\n{shown}");
                    found.fetch_add(usize::from(code == wanted), Ordering::Relaxed);
                }
            });
        }
    });
    found.into_inner()
}

/// Small programs with an error of memory each, of many kinds: none is proved, most are found and confirmed.
#[test]
fn no_program_with_an_error_of_memory_is_proved() {
    let programs = programs(include_str!("../memory/wrong.txt"));
    let found = count(&programs, 1, 0);
    assert!(found * 100 >= programs.len() * 80, "{found} of {} are found", programs.len());
}

/// Small programs without: no error is reported, most are proved.
#[test]
fn no_error_of_memory_is_reported_where_there_is_none() {
    let programs = programs(include_str!("../memory/right.txt"));
    let proved = count(&programs, 0, 1);
    assert!(proved * 100 >= programs.len() * 85, "{proved} of {} are proved", programs.len());
}

/// There may be no memory, on request: who does not look is found, and the library's functions are right.
#[test]
fn allocations_may_fail() {
    let wrong = "#include <stdlib.h>\nint main(void) { int *p = malloc(4), *q; *p = 1; q = realloc(p, 8); free(q); return 0; }\n";
    let (code, shown) = on_text("check", wrong, &["--check", "memory"]);
    assert_eq!(code, 0, "{shown}");
    let (code, shown) = on_text("check", wrong, &["--check", "memory", "--malloc-may-fail"]);
    assert!(code == 1 && shown.contains("invalid write: *p = 1"), "{shown}");
    assert!(shown.contains("confirmed by execution: AddressSanitizer: SEGV"), "{shown}");
    let second = "#include <stdlib.h>\nint main(void) { int *p = malloc(4), *q = calloc(2, 4); if (!p) { free(q); return 0; } *p = 1; q[1] = 2; free(p); free(q); return 0; }\n";
    let (code, shown) = on_text("check", second, &["--check", "memory", "--malloc-may-fail"]);
    assert!(
        code == 1 && shown.contains("invalid write: q[1] = 2") && shown.contains("confirmed by execution"),
        "{shown}"
    );
    let copy = "#include <string.h>\n#include <stdlib.h>\nint main(void) { char *d = strdup(\"abc\"), *(*copy)(const char *, size_t) = strndup, *e = copy(\"abc\", 2); if (!d) { free(e); return 0; } d[0] = 1; e[0] = 2; free(d); free(e); return 0; }\n";
    let (code, shown) = on_text("check", copy, &["--check", "memory", "--malloc-may-fail"]);
    assert!(
        code == 1 && shown.contains("invalid write: e[0] = 2") && shown.contains("confirmed by execution"),
        "{shown}"
    );
    assert_eq!(on_text("check", copy, &["--check", "memory"]).0, 0);
    let right = "#include <stdlib.h>\nint main(void) { int *p = malloc(4), *q; if (!p) return 0; *p = 1; q = realloc(p, 8); if (!q) { *p = 2; free(p); return 0; } q[1] = 3; free(q); return 0; }\n";
    let (code, shown) = on_text("check", right, &["--check", "memory", "--malloc-may-fail"]);
    assert_eq!(code, 0, "{shown}");
    assert!(!shown.contains("memory is never exhausted"), "{shown}");
}

/// A trace is what the failure depends on: not the call whose result nobody uses, nor the loop that only counts.
#[test]
fn steps_that_do_not_matter_are_folded() {
    let text = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int twice(int a) { return a * 2; }
int main(void) {
  int n = __VERIFIER_nondet_int(), noise = 0, sum = 0;
  for (int i = 0; i < 2; i++) noise = twice(i);
  for (int i = 0; i < 2; i++) sum += n & 3;
  if (noise > 5) noise = 1;
  if (sum == 6) reach_error();
}
";
    let (code, shown) = on_text("check", text, &["--check", "assertions"]);
    let lines: Vec<&str> =
        shown.lines().filter_map(|line| line.strip_prefix("  program.c:")?.split(' ').next()).collect();
    assert_eq!((code, lines), (1, "5 5 7 7 7 7 7 7 9 9".split(' ').collect()), "{shown}");
    assert!(shown.contains("steps that do not matter for the failure are not shown: --trace full"), "{shown}");
    let (_, full) = on_text("check", text, &["--check", "assertions", "--trace", "full"]);
    assert!(full.contains("noise = 2") && !full.contains("not shown"), "{full}");
}
