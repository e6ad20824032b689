//! Symbolic execution: errors that need certain inputs, pointers from outside, and nothing that is no error.

use crate::{clinch, code, stderr, stdout};

/// What stands before each program.
const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
    void *malloc(unsigned long); void free(void *); void __VERIFIER_assume(int);
    struct device { struct device *next; int state; void (*go)(struct device *); char name[12]; }; extern struct device *find_device(int);
    static void check(int good) { if (!good) reach_error(); }\n";

/// Exit code and what is said.
fn symex(text: &str, args: &[&str]) -> (i32, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, format!("{HEAD}{text}")).expect("written");
    let output =
        clinch(&[&["check", &file.display().to_string(), "--engine", "symex", "--timeout", "20s"], args].concat());
    (code(&output), stdout(&output) + &stderr(&output))
}

/// Programs with an error that compiled programs come to with the inputs found.
const UNSAFE: [&str; 12] = [
    "int main(void) { int x = __VERIFIER_nondet_int(); check(x * 7 != 7 * 1234567); return 0; }",
    "int main(void) { unsigned n = 0; for (int i = 0; i < 6; i++) if (__VERIFIER_nondet_int() == i * i) n++; check(n < 6); return 0; }",
    "static int f(int n) { return n <= 0 ? 0 : n + f(n - 1); } int main(void) { int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n < 20); check(f(n) != 91); return 0; }",
    "int main(void) { int a[8] = {0}; unsigned i = __VERIFIER_nondet_uint(); if (i < 8) { a[i] = 1; check(!a[5]); } return 0; }",
    "struct n { int v; struct n *next; }; int main(void) { struct n *l = 0; int s = 0;
       while (__VERIFIER_nondet_int()) { struct n *n = malloc(sizeof *n); n->v = __VERIFIER_nondet_int(); n->next = l; l = n; }
       for (int i = 0; l && i < 3; i++, l = l->next) if (l->v == 100 + i) s++; check(s != 3); return 0; }",
    "int main(void) { union { unsigned u; unsigned char c[4]; } x; x.u = __VERIFIER_nondet_uint(); check(x.c[0] != 'f' || x.c[3] != 'l'); return 0; }",
    // Objects that are not there: the environment hands out pointers to them.
    "int main(void) { struct device *d = find_device(1); if (d && d->next && d->next->state == 77) check(d->name[2] != 'x'); return 0; }",
    "int main(void) { struct device *d = find_device(1), *e = find_device(2); if (!d || !e) return 0; d->state = 1; e->state = 2; check(d->state == 1 && d == e); return 0; }",
    "static int opened; static void one(struct device *d) { check(!opened); opened = d->state == 3; } int main(void) { struct device mine = { .go = one };
       for (int i = 0; i < 2; i++) { struct device *d = find_device(i); if (!d) break; d->go = one; mine.state = d->state; mine.go(&mine); } return 0; }",
    // What is freed may be theirs.
    "int main(void) { struct device *d = find_device(1), *e = find_device(2); if (!d || d->state != 3) return 0; free(d->next); free(d); free(e);
       check(!e || !d->next); return 0; }",
    // Assembler text that computes nothing.
    "int main(void) { int y, x = __VERIFIER_nondet_int(); __asm__ volatile (\"\" : : : \"memory\"); __asm__ (\"\" : \"=r\" (y) : \"0\" (x));
       __asm__ volatile (\"mfence\" : : : \"memory\"); check(y != 77); return 0; }",
    "static char *base(struct device *d) { return (char *)d - 64; } int main(void) { struct device *d = find_device(0); if (!d) return 1; check(*(long *)base(d) != 99); return 0; }",
];

#[test]
fn errors_are_found_and_confirmed_by_execution() {
    for text in UNSAFE {
        let (code, said) = symex(text, &[]);
        assert_eq!(code, 1, "{text}\n{said}");
        assert!(said.contains("confirmed by execution"), "{text}\n{said}");
    }
}

/// Programs without error, and such whose error would need more than the environment does.
const NOT_UNSAFE: [&str; 5] = [
    "int main(void) { unsigned x = __VERIFIER_nondet_uint(); check((x & 1) == 0 || x * x % 8 == 1); return 0; }",
    "int main(void) { int n = 0; while (__VERIFIER_nondet_int()) if (n < 10) n++; check(n <= 10); return 0; }",
    // Nobody outside knows the functions of the program.
    "static void set(struct device *d) { check(0); } static struct device own = { .go = set };
     int main(void) { struct device *d = find_device(own.state); if (d) d->go(d); return 0; }",
    // A null pointer leads nowhere, and neither does memory that was given back.
    "int main(void) { struct device *d = find_device(1); if (!d) { check(d->state != 1); } return 0; }",
    "int main(void) { int *p = malloc(sizeof *p); *p = 1; free(p); check(*p == 1); return 0; }",
];

#[test]
fn what_is_no_error_is_none() {
    for text in NOT_UNSAFE {
        let (code, said) = symex(text, &[]);
        assert_eq!(code, 2, "{text}\n{said}");
    }
}

#[test]
fn where_memory_is_checked_pointers_from_outside_are_not_trusted() {
    let text = "int main(void) { struct device *d = find_device(1); if (d) d->state = 1; return 0; }";
    let (code, said) = symex(text, &["--check", "memory"]);
    assert!(!said.contains("object from outside") && code != 0, "{said}");
}

#[test]
fn in_a_strict_environment_pointers_from_outside_lead_nowhere() {
    let text = "int main(void) { struct device *d = find_device(1); if (d) { d->state = 1; check(d->state != 1); } return 0; }";
    assert_eq!(symex(text, &["--environment", "fresh"]).0, 1);
    let (code, said) = symex(text, &["--environment", "strict"]);
    assert_eq!(code, 2, "{said}");
}
