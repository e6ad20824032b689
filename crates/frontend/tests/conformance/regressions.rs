//! Disagreements that were found, each as a small program with what gcc's prints.

use clinch_attack::outcome::{End, Outcome};

use crate::interpret::interpret;

/// Checks what a program prints and its exit status.
fn check(text: &str, inputs: &[u64], stdout: &str, status: i32) {
    let text = format!("extern int printf(const char *, ...);\nextern int __VERIFIER_nondet_int(void);\n{text}");
    let expected = Outcome { stdout: stdout.as_bytes().to_owned(), end: End::Exit(status) };
    let outcome = interpret(&text, inputs);
    assert_eq!(outcome, expected, "printed: {}", String::from_utf8_lossy(&outcome.stdout));
}

#[test]
fn conjunction_after_an_increment_is_no_label_address() {
    check(
        "int main(void) { int a = 1, b = 0; if (a++ && b++) return 9; int c = (int){ 5 } && a--; return a * 4 + b + c; }",
        &[],
        "",
        6,
    );
}

#[test]
fn alignment_of_a_type_name() {
    check("typedef short t; int main(void) { return _Alignof(t) + sizeof(t) + sizeof(__typeof__(t)); }", &[], "", 6);
}

#[test]
fn a_list_replaces_what_was_initialised_before() {
    check(
        r#"union u { long all; unsigned char part[2]; };
        static int a[3][2] = { [0 ... 2] = { 6, 7 }, [1] = { 5 } };
        static char s[2][4] = { "abc", [0] = "x", { 'y' } };
        int main(void) {
          union u v = { .all = -1, .part = { 1 } };
          struct { int a, b[2]; } p = { .b = { 1, 2 }, .b = { 3 }, .a = 4, 8 };
          printf("%d %d %d %d %d %d\n", a[0][0], a[0][1], a[1][0], a[1][1], a[2][0], a[2][1]);
          printf("%d %d %d %ld %d %d %d\n", s[0][0], s[0][1], s[1][0], v.all, p.a, p.b[0], p.b[1]);
          return 0;
        }"#,
        &[],
        "6 7 5 0 6 7\n120 0 121 1 4 8 0\n",
        0,
    );
}

#[test]
fn the_condition_is_converted_where_it_is_the_value() {
    check(
        r#"static int f(int a, long b) { return 1 - (a ?: b); }
        int main(void) {
          signed char c = -2;
          unsigned char z = 0;
          int i = -10, n = 0;
          printf("%d %d %ld %d\n", f(5, 2), f(0, 1L << 32), i ?: 3L, c ?: z);
          printf("%ld", n++ ?: -1L);
          printf(" %d\n", --c ?: n);
          return 0;
        }"#,
        &[],
        "-4 1 -10 -2\n-1 -3\n",
        0,
    );
}

#[test]
fn a_bit_field_stays_when_the_bytes_before_it_are_initialised() {
    check(
        "struct s { unsigned char a[5]; int b : 13; };
        int main(void) { struct s x = { .b = 77, .a = { 1, 2 } }; return x.b + x.a[1]; }",
        &[],
        "",
        79,
    );
}

#[test]
fn an_array_in_a_result_has_an_address() {
    check(
        "struct s { int n; unsigned char a[3]; };
        static struct s f(int x) { struct s r = { x, { x + 1, x + 2, x + 3 } }; return r; }
        int main(void) { int i = 1; return f(i).a[i] * 10 + f(7).a[2] + *f(3).a; }",
        &[],
        "",
        44,
    );
}

#[test]
fn the_unit_of_a_bit_field_overlaps_the_next_member() {
    check(
        "struct s { short a; unsigned short b : 2; signed char c[2]; };
        struct t { struct s s; int *p; signed char *q; };
        static struct s g = { 1, 2, { 3 } };
        int main(void) {
          int i = 5;
          struct t v[2] = { { .q = g.c, .p = &i, .s = { 0 } }, { .q = &g.c[1], .p = &i, .s = { 7, 1 } } };
          return v[1].s.a + v[1].s.b + *v[0].q + *v[i & 1].p;
        }",
        &[],
        "",
        16,
    );
}

#[test]
fn a_bit_field_is_promoted_when_it_was_just_written() {
    check(
        r#"struct s { unsigned r : 16; unsigned long m : 20; } s;
        int main(void) {
          printf("%d", (s.r = 0) - 1 < 0);
          printf(" %d", (s.r += 0) - 1 < 0);
          printf(" %d", s.r++ - 1 < 0);
          printf("%d %d %d", (0, s.m) - 1 < 0, ({ s.m; }) - 1 < 0, (s.m ?: -1) < 0);
          printf("%d", (1 ? -1 : (s.r = 0)) < 0);
          printf(" %d", (1 ? -1 : --s.r) < 0);
          return 0;
        }"#,
        &[],
        "1 1 11 1 11 1",
        0,
    );
}

#[test]
fn a_bit_field_of_32_bits_is_unsigned_int() {
    check(
        "struct s { unsigned long a : 32; long b : 32; } s = { 1, -1 };
        int main(void) { return (s.a - 2L < 0) + (s.a - 2 < 0) * 2 + (s.b - 1u > 0) * 4 + (s.b < 0) * 8; }",
        &[],
        "",
        13,
    );
}

#[test]
fn text_that_is_only_printed_is_written_before() {
    check(
        r#"extern void *memset(void *, int, unsigned long);
        static char text[8];
        int main(void) { memset(text, 'e', 3); printf("%s|%.2s\n", text, text); return 0; }"#,
        &[],
        "eee|ee\n",
        0,
    );
}

#[test]
fn arithmetic_on_wide_bit_fields_is_not_modelled() {
    let text = "struct { unsigned long x : 36; } s = { 5 }; int main(void) { int n = -3; s.x %= n; return s.x; }";
    assert!(interpret(text, &[]).has_no_verdict());
    check("struct { unsigned long x : 36; } s = { 5 }; int main(void) { s.x += 1; return (int)s.x; }", &[], "", 6);
}

/// A static `long double` was zero where its initialiser is more than a literal.
#[test]
fn constants_of_long_double_are_computed() {
    check(
        r#"static long double a = 1 + 2, b = 18446744073709551615ull, c = -9223372036854775807ll - 1, d[2] = { 1 ? 2 : 3.0f, 1 / 3 };
        static struct { char c; long double x; } s = { 1, 3 - 1 };
        enum { seven = (int)(0.7L * 10), exact = (int)(4.35L * 100), less = (int)(4.35 * 100) };
        _Static_assert(0.1L != 0.1 && 1e-4950L > 0, "");
        static int length[(int)(0.29L * 100)], same = 0.1L + 0.2L == 0.3L, tiny = 1e-4950L ? 5 : 6;
        static double narrow = 1 + 0x1p-53L + 0x1p-63L;
        int main(void) {
          printf("%Lg %Lg %Lg %Lg %Lg %Lg\n", a, b, c, d[0], d[1], s.x);
          printf("%d %d %d %d %d %d %a\n", seven, exact, less, (int)(sizeof length / sizeof *length), same, tiny, narrow);
          return 0;
        }"#,
        &[],
        "3 1.84467e+19 -9.22337e+18 2 0 2\n7 435 434 29 1 5 0x1.0000000000001p+0\n",
        0,
    );
}

/// gcc makes 7 of 9.5 in a signed bit-field of four bits if it is a constant, and -7 in a run.
#[test]
fn floats_in_bit_fields_must_fit() {
    let with = |text: &str| format!("struct {{ int a : 4; unsigned b : 3; }} s {text} return s.a + s.b; }}");
    let fits = with("= { -7.9, 6.5L }; int main(void) { s.b -= 0.6; s.a++;");
    check(&fits, &[], "", 255);
    for text in ["= { 9.5 }; int main(void) {", "; int main(void) { s.b = 8.0L;", "; int main(void) { s.a -= 9.1f;"] {
        assert!(interpret(&with(text), &[]).has_no_verdict(), "{text}");
    }
}
