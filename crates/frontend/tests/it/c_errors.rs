//! What is wrong with C programs, and where.

use clinch_frontend::c::{CheckOptions, Unit, check};

fn problems(units: &[Unit]) -> String {
    let error = check(units, &CheckOptions::default()).expect_err("the program is wrong");
    let diagnostics = error.diagnostics();
    for diagnostic in &diagnostics {
        let report = diagnostic.render(false);
        assert_eq!(report.lines().next().map(str::trim_end), Some(diagnostic.to_string().as_str()), "{report}");
    }
    let lines = diagnostics.iter().map(|d| d.to_string().replace(": error: ", ": "));
    lines.map(|l| l.strip_prefix("a.c:").unwrap_or(&l).to_owned()).collect::<Vec<_>>().join("\n")
}

fn unit(name: &str, text: &str) -> Unit {
    Unit { name: name.to_owned(), text: text.to_owned() }
}

fn wrong(text: &str, expected: &str) {
    assert_eq!(problems(&[unit("a.c", text)]), expected, "for {text:?}");
}

#[track_caller]
fn fine(text: &str) {
    if let Err(error) = check(&[unit("a.c", text)], &CheckOptions::default()) {
        panic!("{text}\n{}", error.diagnostics().render(false));
    }
}

#[test]
fn syntax() {
    wrong("int x = ;", "1:9: syntax error at `;`");
    wrong("int f(void) {\n  return 1\n}", "3:1: syntax error at `}`");
    wrong("int f(void) { return 1;", "1:24: syntax error at the end of the file");
    wrong("int x /* never closed", "1:7: unterminated comment");
    wrong("char *s = \"abc\n\";", "1:11: unterminated string");
    wrong("int x = 1 @ 2;", "1:11: syntax error at `@`");
    wrong("int x = 99999999999999999999;", "1:9: the number does not fit in 64 bits");
    wrong(&format!("int x = {}1{};", "(".repeat(2000), ")".repeat(2000)), "1:1009: nested too deeply");
    wrong(&format!("int x = {}1;", "!".repeat(31_000)), "1:30008: nested too deeply");
}

#[test]
fn places_are_those_of_the_original_file() {
    wrong("# 1 \"b.c\"\nint x;\n# 70 \"inc/c.h\" 1\n\nint y = z;\n", "inc/c.h:71:9: `z` is not declared");
    wrong("int x; // é\n#line 5 \"d.c\"\n  int y = z;\n", "d.c:5:11: `z` is not declared");
    let units = [unit("a.c", "int f(void);"), unit("b.c", "\nint g(void) { return z; }")];
    assert_eq!(problems(&units), "b.c:2:22: `z` is not declared");
    wrong("# 3 \"b.c\"\nint f(int x) { __extension__ x = __alignof__(x) + z; }", "b.c:3:51: `z` is not declared");
}

#[test]
fn names() {
    wrong("int f(void) { return x; }", "1:22: `x` is not declared");
    wrong("int f(void) { x = 1; y = 2; return 0; }", "1:15: `x` is not declared\n1:22: `y` is not declared");
    wrong("typedef int T; int f(void) { return T; }", "1:37: `T` is a type, not a value");
    wrong("int x; char x;", "1:13: `x` is declared as `char`, and before as `int`");
    wrong(
        "int f(int); int f(char *p) { return 0; }",
        "1:17: `f` is declared as `int (char *)`, and before as `int (int)`",
    );
    wrong("int x = 1; int x = 2;", "1:16: `x` is defined twice");
    wrong("int f(void) { return 0; }\nint f(void) { return 1; }", "2:5: `f` is defined twice");
    wrong("int f(void) { int x; int x; return 0; }", "1:26: `x` is declared twice");
    wrong("enum E { A, A };", "1:13: `A` is declared twice");
    wrong("struct S { int x; }; struct S { int y; };", "1:22: `S` is declared twice");
    wrong("struct S { int x; int x; };", "1:1: member `x` is declared twice");
    wrong("int f(int a, int a) { return a; }", "1:18: `a` is declared twice");
    wrong("int f(void) { goto out; }", "1:20: there is no label `out`");
    wrong("int f(void) { a: ; a: ; }", "1:20: label `a` is defined twice");
    wrong("x f(void) { undeclared y = 3; }", "1:1: syntax error at `x`");
}

#[test]
fn types() {
    wrong("struct S { int x; } s; int f(void) { return s.y; }", "1:47: `struct S` has no member `y`");
    wrong("struct S; int f(struct S *p) { return p->y; }", "1:39: `struct S` is incomplete");
    wrong("int f(int x) { return x.y; }", "1:23: expected a struct or union, found `int`");
    wrong("int f(int x) { return x->y; }", "1:23: expected a pointer, found `int`");
    wrong("int f(int x) { return *x; }", "1:23: expected a pointer, found `int`");
    wrong("int f(int x) { return x[1]; }", "1:23: expected an array or a pointer, found `int`");
    wrong("struct S s;", "1:10: `s` has the incomplete type `struct S`");
    wrong("int f(void) { struct S s; return 0; }", "1:24: `s` has the incomplete type `struct S`");
    wrong("int a[]; int f(void) { return sizeof(struct Z); }", "1:31: `struct Z` is incomplete");
    wrong("int f(int, int); int g(void) { return f(1); }", "1:39: `f` has 2 parameter(s), found 1 argument(s)");
    wrong("int f(void); int g(void) { return f(1); }", "1:35: `f` has 0 parameter(s), found 1 argument(s)");
    wrong(
        "int p(char *, ...); int g(void) { return p(); }",
        "1:42: `p` has at least 1 parameter(s), found 0 argument(s)",
    );
    wrong("int g(int x) { return x(1); }", "1:23: expected a function, found `int`");
    wrong("struct S { int x; } s; int f(void) { return s; }", "1:45: expected `int`, found `struct S`");
    wrong("struct S { int x; } s; int f(void) { return s + 1; }", "1:45: expected a number, found `struct S`");
    wrong(
        "struct S { int x; } s; int f(void) { if (s) return 1; return 0; }",
        "1:42: expected a number or a pointer, found `struct S`",
    );
    wrong("void v(void); int f(void) { return v(); }", "1:36: expected `int`, found `void`");
    wrong("int f(double d) { return d % 2; }", "1:26: expected an integer, found `double`");
    wrong("int f(double d) { return ~d; }", "1:26: expected an integer, found `double`");
    wrong("int f(double d, int *p) { p = d; return 0; }", "1:31: expected `int *`, found `double`");
    wrong("int f(int *p, int *q) { return p + q; }", "1:32: expected a number, found `int *`");
    wrong("int f(void) { 1 = 2; return 0; }", "1:15: the left side cannot be assigned");
    wrong("int f(void) { int a[2]; a = 0; return 0; }", "1:25: the left side cannot be assigned");
    wrong("int *f(void) { return &1; }", "1:23: only an object has an address");
    wrong("struct S { int b : 3; } s; int *f(void) { return &s.b; }", "1:50: a bit-field has no address");
    wrong("struct S { int b : 33; };", "1:20: the width of a bit-field of type `int` is at most 32");
    wrong("struct S { double b : 3; };", "1:23: a bit-field cannot have type `double`");
    wrong("int a[-1];", "1:7: the length of an array is negative");
    wrong("int n; int a[n];", "1:14: the length of an array must be a constant");
    wrong("int x = 1; int y[2] = x;", "1:21: an array needs a list of values");
    wrong("int f(void); int x = f();", "1:22: the initialiser must be a constant");
    wrong("struct S { int x; } s = { .y = 1 };", "1:27: `struct S` has no member `y`");
    wrong("int a[2] = { [2] = 1 };", "1:14: the index is outside of the array");
    wrong("_Static_assert(1 > 2, \"order\");", "1:16: static assertion failed: order");
    wrong("int f(void)[2];", "1:6: a function cannot return an array");
    wrong("void a[2];", "1:7: an array cannot have elements of type `void`");
    wrong("short double x;", "1:1: these words do not make a type together");
    wrong("int x = _Generic(1.0, int: 1);", "1:9: no association for type `double`");
}

#[test]
fn statements() {
    wrong("int f(void) { break; }", "1:15: `break` outside of a loop or `switch`");
    wrong("int f(void) { continue; }", "1:15: `continue` outside of a loop");
    wrong("int f(void) { switch (1) { continue; } }", "1:28: `continue` outside of a loop");
    wrong("int f(void) { case 1: ; }", "1:15: `case` outside of a `switch`");
    wrong("int f(void) { default: ; }", "1:15: `default` outside of a `switch`");
    wrong("int f(int x) { switch (x) { case 1: case 1: ; } }", "1:37: there is another `case` for this value");
    wrong("int f(int x) { switch (x) { case 1 ... 5: case 3: ; } }", "1:43: there is another `case` for this value");
    wrong("int f(int x) { switch (x) { default: default: ; } }", "1:38: there is more than one `default`");
    wrong("int f(int x) { switch (x) { case x: ; } }", "1:34: the value must be a constant");
    wrong("int f(double d) { switch (d) { } }", "1:27: expected an integer, found `double`");
}

#[test]
fn a_wrong_declaration_is_reported_once() {
    wrong(
        "struct Z z; int f(void) { return z.x + z.y; }",
        "1:34: `struct Z` is incomplete\n1:10: `z` has the incomplete type `struct Z`",
    );
    wrong("int f(void) { int x = y; return x + x; }", "1:23: `y` is not declared");
}

#[test]
fn what_gcc_warns_about_is_fine() {
    fine("int f(int *p, char *q) { p = q; p = 1; int x = p; return p == q && p > 0 && p != 5; }");
    fine("main() { return 0; }");
    fine(
        "static x; f(a, b) char b; { return a + b + x; } const y = 3; g() { register z; auto w = 1; return f(z, w); }",
    );
    fine("int f(void) { return g(1, 2.0) + (int)strlen(\"a\"); } int g();");
    fine("int f(void) { undeclared(); } void undeclared(void) {}");
    fine("void f(void) { return 1; } int g(void) { return; }");
    fine("int a[2] = {1, 2, 3}; char s[2] = \"abc\";");
    fine("extern inline int f(void) { return 1; } int f(void);");
}

#[test]
fn gnu_c() {
    fine(
        "int f(int x) { __label__ a; a: asm volatile (\"nop\" : \"=r\"(x) : : \"memory\"); void *p = &&a; goto *p; return x ?: 1; }",
    );
    fine(
        "struct __attribute__((packed)) S { char c; int x; } __attribute__((aligned(2))); _Static_assert(sizeof(struct S) == 6);",
    );
    fine(
        "int f(int x) { switch (x) { case 1: x = 2; __attribute__((fallthrough)); case 2 ... 4: break; default: } l: }",
    );
    fine("unsigned __int128 x; __int128 unsigned y; __uint128_t z; __extension__ typedef long long L; __thread int t;");
    fine(
        "int f(void) { __auto_type x = 1.5; _Static_assert(sizeof x == 8, \"\"); case_: int y = 1; return ({ int z = y; z; }); }",
    );
    fine(
        "void f(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); int x = __builtin_va_arg(l, int); __builtin_va_end(l); }",
    );
    fine("int f(void) __asm__(\"g\") __attribute__((nothrow)); register int r asm(\"eax\"); asm(\".globl x\");");
    fine(
        "int f(int n) { int a[n]; return sizeof a / sizeof a[0] + sizeof(int[n]); } int g(int n, int a[n], int b[n][n]);",
    );
    fine("double _Complex z; _Float128 q; __float128 w; double d = __builtin_inf() + __builtin_nan(\"\");");
    fine(
        "int f(void) { return __builtin_expect(1 == 2, 0) + __builtin_popcount(3u) + __sync_fetch_and_add((int *)0, 1); }",
    );
    fine("int x = __alignof__(int) + _Alignof(char *); const char *f(void) { return __func__; } int y = 'a' + L'b';");
    fine("int f(int a, int b) { return a <b> (a) ? 1 : 2; } // comment \\\nstill comment\nint z;");
}
