//! Floating point, from the text to the verdict.

use crate::c::on_text;

const HEAD: &str = "extern void reach_error(void);\n\
extern float __VERIFIER_nondet_float(void);\n\
extern double __VERIFIER_nondet_double(void);\n\
extern int __VERIFIER_nondet_int(void);\n";

/// The verdict of a program with this body of `main`, as an exit code, and what is printed.
fn check(body: &str, args: &[&str]) -> (i32, String) {
    on_text("check", &format!("{HEAD}int main(void) {{ {body} return 0; }}\n"), args)
}

fn is_safe(body: &str) {
    for args in [&[][..], &["--data-model", "ilp32"]] {
        let (code, shown) = check(body, args);
        assert_eq!(code, 0, "{body}: {shown}");
    }
}

fn is_unsafe(body: &str) {
    for args in [&[][..], &["--data-model", "ilp32"]] {
        let (code, shown) = check(body, args);
        assert_eq!(code, 1, "{body}: {shown}");
        assert!(shown.contains("confirmed by execution"), "{body}: {shown}");
    }
}

#[test]
fn constants_are_computed_to_the_bit() {
    is_unsafe("double d = 0.1 + 0.2; if (d != 0.3) reach_error();");
    is_safe("float f = 0.1f; if (f == 0.1) reach_error(); if ((float)0.1 != f) reach_error();");
    is_safe("float f = 16777216.0f; f++; if (f != 16777216.0f) reach_error();");
    is_safe("if ((int)-2.9 != -2 || (unsigned char)200.7f != 200) reach_error();");
    is_safe("unsigned long long u = ~0ull; if ((float)u != 18446744073709551616.0f) reach_error();");
}

#[test]
fn any_number_may_come_in() {
    is_unsafe("double x = __VERIFIER_nondet_double(); if (x != x) reach_error();");
    is_unsafe("float x = __VERIFIER_nondet_float(); if (x == 0 && 1 / x < 0) reach_error();");
    is_unsafe("float x = __VERIFIER_nondet_float(); if (x > 0 && x + 1 == x && x < 1e8f) reach_error();");
    is_safe("double x = __VERIFIER_nondet_double(); if (x < 1 && x >= 1) reach_error();");
    is_safe(
        "float x = __VERIFIER_nondet_float(); if (x >= 1 && x <= 2) { float y = x * x; if (y < 1 || y > 4) reach_error(); }",
    );
}

/// What a program sees of the bits of a NaN is what x86 makes; of two different ones nobody knows which is taken.
#[test]
fn bits_of_nans() {
    let view = "union { float f; unsigned u; } x, y, z;";
    is_safe(&format!("{view} x.f = 0; y.f = x.f / x.f; if (y.u != 0xffc00000) reach_error();"));
    is_safe(&format!("{view} x.u = 0x7fc00005; y.f = x.f + 1; if (y.u != 0x7fc00005) reach_error();"));
    let open = format!("{view} x.u = 0x7fc00005; y.u = 0x7fc00006; z.f = x.f + y.f; if (z.u & 1) reach_error();");
    let (code, shown) = check(&open, &[]);
    assert!(code == 2 && shown.contains("the bits of a NaN"), "{shown}");
}

#[test]
fn conversions_that_do_not_fit_are_errors() {
    let (code, shown) =
        check("float x = __VERIFIER_nondet_float(); int i = (int)x; return i;", &["--check", "arithmetic"]);
    assert!(code == 1 && shown.contains("conversion of a number that does not fit"), "{shown}");
    let (code, shown) = check("int i = (int)1e10f; if (i == 0) reach_error();", &["--property", "unreach-call"]);
    assert_eq!(code, 2, "{shown}");
    is_safe("float x = __VERIFIER_nondet_float(); if (x > -2147483904.0f && x < 2147483648.0f) { int i = (int)x; }");
}

#[test]
fn inputs_are_numbers() {
    let text = format!(
        "{HEAD}int main(void) {{ float f = __VERIFIER_nondet_float(); if (f == 2.5f) reach_error(); return 0; }}\n"
    );
    let (code, shown) = on_text("run", &text, &["--inputs", "2.5"]);
    assert_eq!((code, shown.contains("reach_error")), (1, true), "{shown}");
    assert_eq!(on_text("run", &text, &["--inputs", "nan"]).0, 0);
    let (code, shown) = on_text("check", &text, &[]);
    assert!(code == 1 && shown.contains("inputs: 2.5f\n"), "{shown}");
    let integer = format!("{HEAD}int main(void) {{ return __VERIFIER_nondet_int(); }}\n");
    let (code, shown) = on_text("run", &integer, &["--inputs", "2.5"]);
    assert_eq!((code, shown.as_str()), (64, "error: `2.5` is not an integer\n"));
}

#[test]
fn rounding_is_to_the_nearest_number() {
    let text = "extern int fesetround(int); extern double rint(double); extern void reach_error(void);\n\
                int main(void) { fesetround(0x400); if (rint(2.7) != 2) reach_error(); return 0; }\n";
    assert_eq!(on_text("check", text, &[]).0, 0);
    let text = text.replace("rint(2.7) != 2", "1.0 / 3 * 3 != 1");
    let (code, shown) = on_text("check", &text, &[]);
    assert!(code == 2 && shown.contains("does not round to the nearest number"), "{shown}");
}
