//! Disagreements that were found, each as a small program with what gcc's prints.

use crate::interpret::interpret;
use crate::outcome::{End, Outcome};

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
          printf("%ld %d\n", n++ ?: -1L, --c ?: n);
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
