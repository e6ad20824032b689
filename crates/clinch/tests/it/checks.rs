//! What can go wrong without an assertion: each kind of error is found and confirmed, and its correct twin is proved.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::c::on_text;

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
];

#[test]
fn errors_are_found_and_their_twins_proved() {
    for Pair { check, text, wrong, right, what } in PAIRS {
        let (bad, good) =
            (format!("{HEAD}{}", text.replace("LIMIT", wrong)), format!("{HEAD}{}", text.replace("LIMIT", right)));
        let (code, shown) = on_text("check", &bad, &["--check", check]);
        assert_eq!(code, 1, "{bad}\n{shown}");
        assert!(shown.starts_with(&format!("UNSAFE: {what} at ")), "{bad}\n{shown}");
        assert!(shown.contains("confirmed by execution: "), "{bad}\n{shown}");
        let (code, shown) = on_text("check", &good, &["--check", check]);
        assert_eq!(code, 0, "{good}\n{shown}");
        // What is not asked for is no error.
        let (code, shown) = on_text("check", &bad, &["--check", "assertions"]);
        assert_ne!(code, 1, "{bad}\n{shown}");
    }
}

/// A local object of one iteration is not that of the next. Nobody sees it in an execution: there is no verdict, but no proof either.
#[test]
fn objects_of_earlier_iterations_are_gone() {
    let text = "int main(void) { int *p; for (int i = 0; i < 2; i++) { int a[2]; if (i == 0) p = a; else p[0] = 1; } return 0; }";
    let (code, shown) = on_text("check", text, &["--check", "memory"]);
    assert_eq!(code, 2, "{shown}");
    let (code, shown) = on_text("check", &text.replace("int a[2]", "static int a[2]"), &["--check", "memory"]);
    assert_eq!(code, 0, "{shown}");
}

/// Properties of SV-COMP, with what each of them is violated by.
#[test]
fn properties_have_their_own_errors() {
    let lost = format!("{HEAD}int main(void) {{ int *p = malloc(4); p = malloc(4); free(p); return 0; }}");
    let (code, shown) = on_text("check", &lost, &["--property", "valid-memsafety", "--json"]);
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("\"subproperty\":\"valid-memtrack\""), "{shown}");
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

#[test]
fn unknown_checks_and_contradictions_are_errors() {
    let text = "int main(void) { return 0; }";
    for (args, message) in [
        (&["--check", "speling"][..], "expected one of assertions, overflow, arithmetic, memory, leaks"),
        (
            &["--property", "speling"][..],
            "expected one of unreach-call, no-overflow, valid-memsafety, valid-memcleanup",
        ),
        (&["--property", "no-overflow", "--check", "overflow"][..], "cannot be used with"),
    ] {
        let (code, shown) = on_text("check", text, args);
        assert_eq!(code, 64, "{shown}");
        assert!(shown.contains(message), "{shown}");
    }
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
                        on_text("check", program, &["--check", "memory", "--timeout", "5s", "--threads", "1"]);
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
