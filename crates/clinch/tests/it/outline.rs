//! The outline of a program: safe where flags say so, never where the compiled program fails.

use std::process::Command;

use crate::{clinch, code, stderr, stdout};

/// What stands before each program.
const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern void *__VERIFIER_nondet_pointer(void); extern void reach_error(void);
    void *malloc(unsigned long); int sprintf(char *, const char *, ...); extern void outside(void *);
    static void check(int good) { if (!good) reach_error(); }\n";

/// Exit code and what is said.
fn outline(text: &str, args: &[&str]) -> (i32, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, format!("{HEAD}{text}")).expect("written");
    let output =
        clinch(&[&["check", &file.display().to_string(), "--engine", "outline", "--timeout", "10s"], args].concat());
    (code(&output), stdout(&output) + &stderr(&output))
}

/// Programs without error: their memory does not matter, though the other engines have no verdict about it.
const SAFE: [&str; 8] = [
    // The order of two addresses, text in memory, assembler statements.
    "static int locked; struct s { struct s *next; unsigned long bits; char name[8]; };
     static void lock(void) { check(!locked); locked = 1; } static void unlock(void) { check(locked); locked = 0; }
     int main(void) { struct s *p = __VERIFIER_nondet_pointer(), *q = malloc(sizeof *q); char text[9];
       while (__VERIFIER_nondet_int()) { lock(); if (p < q) sprintf(text, \"%.3s\", q->name); p->bits ^= (unsigned long)p >> 3;
         __asm__ volatile (\"mfence\" : : : \"memory\"); unlock(); } return 0; }",
    // What is known of a result reaches its copy.
    "static int held; static int take(void) { int r = __VERIFIER_nondet_int(); if (r == 0) held = 1; return r; }
     int main(void) { int tmp = take(); int result = tmp; if (result != 0) return 1; check(held); return 0; }",
    // Recursion of any depth; a flag that no call leaves changed.
    "static int depth; static void down(int n) { depth = 1; if (n > 0) down(n - 1); check(depth == 1 || depth == 0); depth = 0; }
     int main(void) { down(__VERIFIER_nondet_int()); check(depth == 0); return 0; }",
    // Whichever function a pointer holds.
    "static int on; static void a(int x) { on = 1; } static void b(int x) { on = 1; } struct ops { void (*go)(int); };
     static struct ops ops = { a }; int main(void) { struct ops *o = &ops; if (__VERIFIER_nondet_int()) o->go = b;
       on = 1; o->go(3); check(on); return 0; }",
    // Ranges, signs and the word of an error.
    "static int open; static int start(void) { int r = __VERIFIER_nondet_int(); if (r < 0) return r; open = 1; return 0; }
     int main(void) { int r = start(); if (r < 0) { check(!open); return 1; } check(open); return 0; }",
    "static unsigned char state; int main(void) { unsigned char c = 255; c++; state = c ? 7 : 3; switch (state) { case 3: break; default: check(0); }
     return 0; }",
    // A counter has too many values to follow.
    "static int ready; int main(void) { ready = 1; for (int i = 0; i < 1000; i++) if (!ready) check(0); check(ready); return 0; }",
    // An assembler statement that ends the run.
    "static int bad; int main(void) { if (__VERIFIER_nondet_int()) { bad = 1; __asm__ volatile (\"1:\\tud2\\n\"); } check(!bad); return 0; }",
];

#[test]
fn flags_are_enough_where_memory_is_open() {
    for text in SAFE {
        let (code, said) = outline(text, &[]);
        assert_eq!(code, 0, "{text}\n{said}");
        assert!(said.contains("memory is accessed inside of live objects only"), "{said}");
    }
}

/// Programs whose error gcc's program reaches, whatever is returned by `__VERIFIER_nondet_int` (it returns 1).
const UNSAFE: [&str; 28] = [
    "static int flag; int main(void) { int *p = &flag; *p = 1; check(!flag); return 0; }",
    "static int flag; static void set(void) { flag = 1; } int main(void) { void (*f)(void) = set; f(); check(!flag); return 0; }",
    "static int flag; static void set(void) { flag = 1; } struct o { long x; void (*f)(void); }; static struct o table[2] = { { 1, 0 }, { 2, set } };
     int main(void) { struct o *p = table; p++; p->f(); check(!flag); return 0; }",
    "static int x; static int f(void) { return x++; } int main(void) { int a = f() + f(); check(x != 2); return a; }",
    "static int x = 1; static int f(void) { x = 5; return 1; } int main(void) { int a = x * 0 + f(); check(x != 5); return a; }",
    "int main(void) { int i = 5, n = 0; while (i--) n++; check(n != 5); return 0; }",
    "int main(void) { signed char c = 127; c += 1; check(c > 0); return 0; }",
    "int main(void) { unsigned u = 1; int i = -1; check(i < (int)u && !(i > u)); return 0; }",
    "int main(void) { int x = 3; x = (x = 4, x + 1); check(x != 5); return 0; }",
    "int main(void) { int x = 0; goto in; while (x < 3) { x += 10; in: x++; } check(x != 12); return 0; }",
    "int main(void) { int n = 0; switch (2) { case 1: n = 9; case 2: n++; default: n++; break; case 3: n = 7; } check(n != 2); return 0; }",
    "int main(void) { int n = 0, i; for (i = 0; i < 4; i++) { if (i == 2) continue; n++; } check(n != 3); return 0; }",
    "static int f(void) { static int calls; return ++calls; } int main(void) { f(); f(); check(f() != 3); return 0; }",
    "int main(void) { int x = 7; __asm__ (\"movl $5, %0\" : \"=r\" (x)); check(x == 7); return 0; }",
    "int main(void) { int x = 7; __asm__ volatile (\"movl $5, %0\" : : \"m\" (x) : \"memory\"); check(x == 7); return 0; }",
    "static int x; int main(void) { __asm__ volatile (\"movl $5, (%0)\" : : \"r\" (&x) : \"memory\"); check(!x); return 0; }",
    "static int x; static void set(void) { x = 1; } int main(void) { void (*f)(void); __asm__ (\"mov %1, %0\" : \"=r\" (f) : \"r\" (set)); f(); check(!x); return 0; }",
    "static int x; void set(void); void set(void) { x = 1; } int main(void) { __asm__ volatile (\"call set\" : : : \"memory\", \"rax\"); check(!x); return 0; }",
    "typedef long word; extern int setjmp(word *); extern void longjmp(word *, int) __attribute__((noreturn)); static word where[64]; static int n;
     int main(void) { if (setjmp(where)) { check(n != 1); return 0; } n = 1; longjmp(where, 1); }",
    "void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *)); static int n;
     static int by(const void *a, const void *b) { n = 1; return 0; } int main(void) { int a[2] = { 2, 1 }; qsort(a, 2, sizeof *a, by); check(!n); return 0; }",
    "int atexit(void (*)(void)); static int n; static void last(void) { check(!n); } int main(void) { atexit(last); n = 1; return 0; }",
    "__attribute__((constructor)) static void first(void); static int n; static void first(void) { n = 1; } int main(void) { check(!n); return 0; }",
    "static int n; static void end(int *p) { n = 1; } int main(void) { { __attribute__((cleanup(end))) int x = 0; } check(!n); return 0; }",
    "static int n; static void one(int a) { n = a; } int main(void) { void (*f)(int, int) = (void (*)(int, int))one; f(1, 2); check(!n || 1); check(n != 1); return 0; }",
    // Functions that are called through pointers of another type: by way of a union, a copy of bytes, a pointer to the pointer, a number.
    "static int x; static void one(void) { x = 1; } union u { void (*a)(void); void (*b)(int); }; static union u u;
     int main(void) { u.a = one; u.b(2); check(!x); return 0; }",
    "static int x; static void one(void) { x = 1; } void *memcpy(void *, const void *, unsigned long);
     int main(void) { void (*a)(void) = one; void (*b)(int); memcpy(&b, &a, sizeof b); b(2); check(!x); return 0; }",
    "static int x; static void one(void) { x = 1; } struct a { void (*f)(void); }; struct b { void (*f)(int); };
     int main(void) { struct a a = { one }; struct b *b = (struct b *)&a; b->f(2); check(!x); return 0; }",
    "static int x; static void one(void) { x = 1; } union u { unsigned long a; void (*b)(int); };
     int main(void) { void (*f)(void) = one; union u u; u.a = (unsigned long)f; u.b(2); check(!x); return 0; }",
];

#[test]
fn no_outline_hides_what_the_compiled_program_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let rest =
        "#include <stdlib.h>\nint __VERIFIER_nondet_int(void) { return 1; } void reach_error(void) { _Exit(77); }";
    std::fs::write(folder.path().join("rest.c"), rest).expect("written");
    for text in UNSAFE {
        let (file, binary) = (folder.path().join("p.c"), folder.path().join("p"));
        std::fs::write(&file, format!("{HEAD}{text}")).expect("written");
        let compiled = Command::new("gcc")
            .args(["-w", "-O0"])
            .arg(&file)
            .arg(folder.path().join("rest.c"))
            .arg("-o")
            .arg(&binary)
            .status();
        if compiled.is_ok_and(|status| status.success()) {
            let status = Command::new(&binary).status().expect("it runs");
            assert_eq!(status.code(), Some(77), "{text}");
        }
        let (code, said) = outline(text, &[]);
        assert_eq!(code, 2, "{text}\n{said}");
    }
}

/// Who returns a pointer may know a variable by its name; in a small program that is another file of it.
#[test]
fn variables_that_others_know_are_open_in_small_programs() {
    let text =
        "int g; extern int *lookup(int); int main(void) { int *p = lookup(3); *p = 5; check(g == 0); return 0; }";
    assert_eq!(outline(text, &[]).0, 2);
    let (code, said) = outline(&text.replace("int g;", "static int g;"), &[]);
    assert_eq!(code, 0, "{said}");
}

/// Functions of one type in the members of records, which large programs call through. The first calls what is written to the member alone.
#[test]
fn calls_through_members_reach_what_is_written_to_them() {
    let steps: String = (0..300).map(|i| format!("if (n == {i}) n += 2; ")).collect();
    let large = format!("static int filler(int n) {{ {steps} return n; }}");
    let tables = "static int on = 1; static void keep(void) { filler(1); } static void drop(void) { on = 0; }
        typedef void (*fn)(void); struct a { long x; fn go; }; struct b { fn end; }; union u { fn one; fn other; };
        struct c { struct a inner[2]; union u u; };
        struct e { long x; fn run; }; union v { struct a a; struct e e; }; static struct b b = { drop }; static fn *where; static fn loose;";
    let run = |own: &str| {
        let body = "on = 1; if (c->inner[1].go != 0) c->inner[1].go(); check(on); return 0;";
        let main = format!("int main(void) {{ struct c *c = __VERIFIER_nondet_pointer(); {own} {body} }}");
        outline(&format!("{large} {tables} {main}"), &[])
    };
    let (code, said) = run("static struct c t; t.inner[0].go = keep; if (b.end) b.end();");
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("pointers to functions are read from the members of records that they were written to"),
        "{said}"
    );
    for own in [
        "static struct c t; t.inner[1].go = drop;",
        "static struct c t = { { { 1, keep }, { 2, drop } } };",
        "struct c t = { { { 1, keep }, { 2, drop } } };",
        "static struct a t; t = (struct a){ 1, drop };",
        "static struct a t; t.go = b.end;",
        "where = &b.end;",
        "loose = drop;",
        "outside((void *)drop);",
        "static struct a t; t.go = on ? drop : keep;",
        "static struct e t = { 1, drop }; union v v; v.e = t;",
        "union u u; u.one = drop; static struct a t; t.go = u.other;",
    ] {
        let (code, said) = run(own);
        assert_eq!(code, 2, "{own}\n{said}");
    }
}

/// Errors other than assertions, and integers without limits, are nothing an outline tells of.
#[test]
fn outlines_are_about_assertions() {
    for args in [["--property", "no-overflow"], ["--integers", "mathematical"]] {
        let (code, said) = outline("int main(void) { return 0; }", &args);
        assert!(code == 2 && said.contains("has no outline"), "{said}");
    }
}
