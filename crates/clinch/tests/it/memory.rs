//! Memory: what a pointer can reach, what a program sees of addresses, what it must not do.
//!
//! The error hides behind an input that random runs do not find, so that engines that prove things are asked, not luck.

use crate::c::on_text;

/// The engines that reason about memory.
const ENGINES: [&str; 4] = ["auto", "bounded", "lazy", "cegar"];

const HEAD: &str = "extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void *memcpy(void *, const void *, unsigned long);
#define HIDDEN (__VERIFIER_nondet_uint() * 2654435761u == 0x12345678u)
";

fn verdict(text: &str, engine: &str, args: &[&str]) -> (i32, String) {
    let args = [&["--engine", engine, "--timeout", "20s"], args].concat();
    on_text("check", &format!("{HEAD}{text}"), &args)
}

/// Nobody may say that the error cannot be reached, and the default finds it.
fn finds(text: &str) {
    for engine in ENGINES {
        let (code, shown) = verdict(text, engine, &[]);
        let fine = if engine == "auto" { code == 1 } else { code != 0 };
        assert!(fine, "{engine}: {text}\n{shown}");
    }
}

/// There is no verdict, for a reason.
fn has_no_verdict(text: &str, reason: &str, args: &[&str]) {
    have_no_verdict(&ENGINES, text, reason, args);
}

fn have_no_verdict(engines: &[&str], text: &str, reason: &str, args: &[&str]) {
    for engine in engines {
        let (code, shown) = verdict(text, engine, args);
        assert!(code == 2 && shown.contains(reason), "{engine}: {text}\n{shown}");
    }
}

fn is_safe(text: &str) {
    let (code, shown) = verdict(text, "auto", &[]);
    assert_eq!(code, 0, "{text}\n{shown}");
}

#[test]
fn pointers_reach_every_member_of_their_object() {
    // The end of one array is the start of the next, and belongs to its own array all the same.
    finds(
        "struct { int a[4]; int b[4]; } s;
         int main(void) { int *end = s.a + 4; unsigned i = __VERIFIER_nondet_uint() & 3; s.b[0] = 1;
         if (HIDDEN) end[-(int)i - 1] = 7; if (s.a[0] || s.a[1] || s.a[2] || s.a[3]) reach_error(); return 0; }",
    );
    // From an element of a member back to the record.
    finds(
        "struct s { long key; int a[4]; } g;
         int main(void) { unsigned n = __VERIFIER_nondet_uint() & 3; int *p = g.a; p += n; p -= n;
         struct s *q = (struct s *)((char *)p - __builtin_offsetof(struct s, a));
         if (HIDDEN) q->key = 7; if (g.key) reach_error(); return 0; }",
    );
    // From a member to another one, byte by byte.
    finds(
        "struct s { char tag; int v; } g;
         int main(void) { char *p = &g.tag; for (int i = 0; i < 4; i++) p++; if (HIDDEN) *p = 1;
         if (g.v) reach_error(); return 0; }",
    );
}

#[test]
fn copies_of_addresses_are_addresses() {
    finds(
        "int *x, y; void *(*copy)(void *, const void *, unsigned long) = memcpy;
         int main(void) { int *from = &y; copy(&x, &from, sizeof x); if (HIDDEN) *x = 5; if (y) reach_error(); return 0; }",
    );
    finds(
        "int *x, y;
         int main(void) { int *from = &y; for (unsigned i = 0; i < sizeof x; i++) ((char *)&x)[i] = ((char *)&from)[i];
         if (HIDDEN) *x = 5; if (y) reach_error(); return 0; }",
    );
    finds(
        "int y;
         int main(void) { unsigned long u; __builtin_add_overflow((unsigned long)&y, 8ul, &u);
         if (HIDDEN) *(int *)(u - 8) = 5; if (y) reach_error(); return 0; }",
    );
}

#[test]
fn an_index_beyond_an_array_in_a_record_is_no_silent_access() {
    let text = "struct { int a[2]; int b; } s;
        int main(void) { unsigned i = __VERIFIER_nondet_uint() * 2654435761u - 0x12345678u; if (i > 2) return 0;
        s.a[i] = 1; if (s.b) reach_error(); return 0; }";
    has_no_verdict(text, "an index outside of an array in a record", &[]);
    is_safe(&text.replace("i > 2", "i > 1"));
}

#[test]
fn addresses_are_not_observed() {
    let layout = "depends on where objects are in memory";
    has_no_verdict("int x; int main(void) { if ((unsigned long)&x < 0x100000) reach_error(); return 0; }", layout, &[]);
    has_no_verdict("char c; int main(void) { if ((unsigned long)&c % 16) reach_error(); return 0; }", layout, &[]);
    has_no_verdict(
        "int x; int main(void) { double d = (double)(long)&x; int *p = (int *)(long)d; *p = 5; if (x) reach_error(); return 0; }",
        layout,
        &[],
    );
    let order = "the order or distance of different objects in memory";
    has_no_verdict("int a, b; int main(void) { if (&a > &b) reach_error(); return 0; }", order, &[]);
    has_no_verdict(
        "int main(void) { int *p = malloc(4), *q = malloc(4); if (p > q) reach_error(); return 0; }",
        order,
        &[],
    );
    let adjacent = "whether two objects are next to each other";
    has_no_verdict(
        "int a[2], b[2]; int main(void) { int *p = a + 2; if (p == b) reach_error(); return 0; }",
        adjacent,
        &[],
    );
    // Whatever the layout is.
    is_safe(
        "int a[4]; int main(void) { int *p = a; while (p < a + 4) *p++ = 1; if (p - a != 4) reach_error(); return 0; }",
    );
    is_safe(
        "int x; int main(void) { int *p = &x; if (p == 0 || (unsigned long)p > -4096ul) reach_error(); return 0; }",
    );
    is_safe(
        "int x; int main(void) { unsigned long null = 0, p = (unsigned long)&x; if (p == null || p < null) reach_error(); return 0; }",
    );
    has_no_verdict(
        "int x; int main(void) { if ((int)&x < 0) reach_error(); return 0; }",
        layout,
        &["--data-model", "ilp32"],
    );
    is_safe(
        "int x; int main(void) { int *p = (int *)(unsigned long)&x; *p = 3; if (x != 3) reach_error(); return 0; }",
    );
}

#[test]
fn the_order_of_blocks_of_one_kind_is_undefined() {
    let text = "int *p[2]; int main(void) { for (int i = 0; i < 2; i++) p[i] = malloc(4); if (p[0] > p[1]) reach_error(); return 0; }";
    has_no_verdict(text, "the order or distance of pointers to different objects", &[]);
}

#[test]
fn pointers_from_outside_may_be_equal_and_point_to_globals() {
    let refuted = "execution of the compiled program does not confirm";
    has_no_verdict(
        "int g; int f(int *p) { g = 1; if (p) *p = 2; if (g != 1) reach_error(); return 0; }",
        "",
        &["--entry", "f"],
    );
    has_no_verdict(
        "int f(int *p, int *q) { if (!p || !q) return 0; *p = 1; *q = 2; if (*p != 1) reach_error(); return 0; }",
        "",
        &["--entry", "f"],
    );
    has_no_verdict(
        "int g; extern int *lookup(int); int main(void) { int *p = lookup(3); *p = 5; if (g) reach_error(); return 0; }",
        refuted,
        &[],
    );
    let aliased = [
        "int g; int f(char *p) { g = 1; if (p) *p = 2; if (g != 1) reach_error(); return 0; }",
        "unsigned g; int f(int *p) { g = 1; if (p) *p = 2; if (g != 1) reach_error(); return 0; }",
        "struct s { int a, b; } g; int f(int *p) { g.b = 1; if (p) *p = 2; if (g.b != 1) reach_error(); return 0; }",
        "struct s { int a, b; }; int f(struct s *s, int *p) { s->b = 1; if (p) *p = 2; if (s->b != 1) reach_error(); return 0; }",
        "struct s { int a, b; }; int f(struct s *s, char *p) { s->b = 1; if (p) *p = 2; if (s->b != 1) reach_error(); return 0; }",
        "union u { int a; float b; }; int f(union u *u, int *p) { u->a = 1; if (p) *p = 2; if (u->a != 1) reach_error(); return 0; }",
        "static int g; int *get(void) { return &g; } int f(int *p) { g = 1; if (p) *p = 2; if (g != 1) reach_error(); return 0; }",
        "int g; int f(void *p) { g = 1; if (p) __builtin_memset(p, 0, 4); if (g != 1) reach_error(); return 0; }",
    ];
    for (text, engine) in aliased.into_iter().zip(ENGINES.into_iter().cycle()) {
        have_no_verdict(&[engine], text, "", &["--entry", "f"]);
    }
    // Nobody outside knows a static variable whose address is not taken.
    let (code, shown) = verdict(
        "static int g; int f(int *p) { g = 1; if (p) *p = 2; if (g != 1) reach_error(); return 0; }",
        "auto",
        &["--entry", "f"],
    );
    assert_eq!(code, 0, "{shown}");
    // A pointer to another type does not.
    let (code, shown) = verdict(
        "int g; extern double *lookup(int); int main(void) { double *p = lookup(3); *p = 5; if (g) reach_error(); return 0; }",
        "bounded",
        &[],
    );
    assert!(code == 0 || shown.contains("undefined behaviour: access outside any object"), "{shown}");
}

#[test]
fn undefined_operations_are_part_of_every_proof() {
    let division = "a division by zero";
    has_no_verdict(
        "int main(void) { unsigned x = __VERIFIER_nondet_uint(); if (HIDDEN) x = 1 / (x / 2147483648u); if (x == 1 && x == 2) reach_error(); return 0; }",
        division,
        &[],
    );
    let shift = "a shift by a negative number, or by the width of the type or more";
    has_no_verdict(
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(); if (n > 32) return 0; unsigned m = (1u << n) - 1; if (n == 32 && m != 0xffffffffu) reach_error(); return 0; }",
        shift,
        &[],
    );
    is_safe(
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(); if (n > 31) return 0; unsigned m = (1u << n) - 1; if (m == 0xffffffffu) reach_error(); return 0; }",
    );
    let misuse = [
        (
            "int main(void) { int *p = malloc(4); *p = 5; free(p); int *q = malloc(4); *q = 6; if (*p != 5) reach_error(); return 0; }",
            "use of memory that was freed",
        ),
        ("int main(void) { int *p = malloc(4); free(p); free(p); return 0; }", "memory is freed twice"),
        ("int main(void) { int *p = malloc(4); p[1] = 5; return 0; }", "access of 4 bytes at offset 4"),
    ];
    for (text, reason) in misuse {
        has_no_verdict(text, reason, &[]);
    }
}

#[test]
fn what_cannot_exist_is_not_allocated() {
    finds("int main(void) { char *p = malloc(0xfffffffffffffffcul); if (!p) reach_error(); return 0; }");
    finds(
        "int main(void) { unsigned long n = __VERIFIER_nondet_uint(); char *p = malloc(n << 20); if (!p) reach_error(); return 0; }",
    );
}

/// Blocks that globals lead to are not lost when `main` has returned; those that nothing leads to are.
#[test]
fn blocks_are_lost_that_no_global_leads_to() {
    let text = "void *malloc(unsigned long);
struct node { struct node *next; int v; };
struct node *head;
static void add(int v) { struct node *n = malloc(sizeof *n); n->next = head; n->v = v; head = n; }
int main(void) { add(1); add(2); STEP; return 0; }
";
    let property = ["--property", "valid-memsafety"];
    for held in ["", "head->v = 3", "head = (struct node *)((char *)head->next + 1)"] {
        let (code, shown) = on_text("check", &text.replace("STEP", held), &property);
        // The last one holds the first block by an address inside of it, and loses the second one.
        assert_eq!(code, i32::from(held.contains("char")), "{held}\n{shown}");
    }
    let (code, shown) = on_text("check", &text.replace("STEP", "head->next->next = head, head = 0"), &property);
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("UNSAFE: memory that nothing points to any more at program.c:5:5"), "{shown}");
    assert!(shown.contains("head = NULL"), "{shown}");
}
