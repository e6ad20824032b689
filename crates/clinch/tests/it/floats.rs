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

/// Where gcc, if it may, makes `-n` of `0.0 - n`; what runs say is compared with a compiler that may not.
#[test]
fn signs_of_zeros_are_those_of_the_standard() {
    let zero = "int n = __VERIFIER_nondet_int(); if (n) return 0; double d = 1 / (0.0 - n);";
    is_unsafe(&format!("{zero} if (d > 0) reach_error();"));
    is_safe(&format!("{zero} if (d < 0) reach_error();"));
}

/// The exponent of an infinity or a NaN is open: glibc writes 0, gcc, where it knows the number, nothing.
#[test]
fn what_is_written_for_infinities_is_open() {
    let start = "extern double frexp(double, int *); int e = 3; double zero = 0;";
    for number in ["1 / zero", "zero / zero"] {
        let (code, shown) = check(&format!("{start} frexp({number}, &e); if (e != 0) reach_error();"), &[]);
        assert_eq!(code, 2, "{number}: {shown}");
    }
    is_safe(&format!("{start} double d = frexp(-1 / zero, &e); if (d != -1 / zero) reach_error();"));
    is_safe(&format!("{start} double d = frexp(zero, &e); if (d != 0 || e) reach_error();"));
}

/// A `float` that is compared with a `double`, made one and back, or multiplied with one.
#[test]
fn floats_beside_doubles() {
    let input = "float f = __VERIFIER_nondet_float();";
    is_safe(&format!("{input} double d = f; float back = d; if (back != f && f == f) reach_error();"));
    is_safe(&format!("{input} if (f == 0.1 || f < 0.1 && f > 0.09999999 && f + 0.0 > 0.1) reach_error();"));
    is_unsafe(&format!("{input} if (f > 0.1 && f < 0.10000001) reach_error();"));
    is_safe(&format!("{input} if (f * 1 != f && f == f || f / 1.0 != 1.0 * f && f == f) reach_error();"));
}

/// With one rounding, not two.
#[test]
fn fused_operations_are_rounded_once() {
    let head = "double x = 1 + 0x1p-30; double rest = __builtin_fma(x, x, -(x * x));";
    is_safe(&format!("{head} if (rest != 0x1p-60 || __builtin_fmaf(3, 0.5f, 2) != 3.5f) reach_error();"));
    is_unsafe(&format!("{head} if (rest == 0x1p-60) reach_error();"));
    let input = "float x = __VERIFIER_nondet_float();";
    is_unsafe(&format!("{input} if (x > 1 && x < 2 && __builtin_fmaf(x, x, -1) == 0x1.0008p-11f) reach_error();"));
    is_safe(&format!("{input} if (x >= 1 && x <= 2 && __builtin_fmaf(x, x, 1) < 2) reach_error();"));
    is_safe(&format!("{input} if (x >= -8 && x <= 8 && __builtin_fmaf(x, 0, 1) != 1) reach_error();"));
}

/// x87's extended precision: 64 bits of significand, which the program may see, and exponents far beyond those of `double`.
#[test]
fn long_double_is_extended_precision() {
    is_safe("long double x = 1, y = x / 3; if (y == 1.0 / 3 || y != 1 / 3.0L || (double)y != 1.0 / 3) reach_error();");
    is_safe("long double x = 0.1L; if (x == 0.1 || x * 10 != 1 || -x > 0 || !x || (int)(x * 25) != 2) reach_error();");
    is_safe(
        "long double x = 1e300; x *= x; long double y = x++; if (x < 0x1p1993L || y > 0x1p1994L || (double)x != 1 / 0.0 || y != x) reach_error();",
    );
    is_safe(
        "unsigned long long m = ~0ull; long double x = m; if ((unsigned long long)x != m || x + 1 != 0x1p64L) reach_error();",
    );
    is_safe("double d = __VERIFIER_nondet_double(); long double x = d; if (d == d && (double)x != d) reach_error();");
    is_unsafe(
        "double d = __VERIFIER_nondet_double(); long double x = d; if ((double)(x * x) != x * x && d < 3 && d > 2) reach_error();",
    );
    is_safe(
        "union { long double x; struct { unsigned long long m; unsigned short e; } w; } u; u.x = -2; if (u.w.e != 0xc000 || u.w.m != 1ull << 63) reach_error();",
    );
    is_safe(
        "struct { char c; long double x; } a = { 1, 2 }, b = a, c[2] = { a, b }; if (c[1].x != 2 || c[0].c != 1) reach_error();",
    );
    let text = "extern void reach_error(void);\n\
        static long double half(long double a, int n) { return n ? half(a / 2, n - 1) : a; }\n\
        int main(void) { long double (*p)(long double, int) = half; long double x = p(1, 3); x *= 8; if (x != 1) reach_error(); return 0; }\n";
    assert_eq!(on_text("check", text, &[]).0, 0);
    let (code, shown) =
        check("long double x = __VERIFIER_nondet_int(); int i = (int)(x * 4); return i;", &["--check", "arithmetic"]);
    assert!(code == 1 && shown.contains("conversion of a number that does not fit"), "{shown}");
    let (code, shown) =
        check("union { long double x; unsigned short e[8]; } u; u.x = 1; u.e[3] = 0; if (u.x > 1) reach_error();", &[]);
    assert!(code == 2 && shown.contains("bits are those of no number"), "{shown}");
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

/// What no standard fixes to the bit is bounded: what follows from the bounds is proved, what does not is executed.
#[test]
fn functions_of_the_library_have_bounds() {
    let declared =
        "extern double sin(double), exp(double), pow(double, double), log(double); extern float cosf(float);";
    let body = |condition: &str| format!("{declared} double x = __VERIFIER_nondet_double(); {condition}");
    is_safe(&body("if (x - x == 0 && (sin(x) > 1 || cosf(x) < -1)) reach_error();"));
    is_safe(&body("if (x > 2 && x < 600 && (exp(x) < x || log(x) < 0)) reach_error();"));
    is_safe(&body("if (pow(2, 10) != 1024 || x == x && pow(x, 0) != 1 || exp(0) != 1) reach_error();"));
    let (code, shown) = check(&body("if (x > 1 && x < 2 && exp(x) > 2) reach_error();"), &[]);
    assert!(code == 1 && shown.contains("confirmed by execution") && shown.contains("within the bounds"), "{shown}");
    // It is not so, but the bounds do not say it.
    let (code, shown) = check(&body("if (x > 1 && x < 2 && exp(x) > 8) reach_error();"), &["--timeout", "3s"]);
    assert!(code == 2 && shown.contains("`exp` is the C library's"), "{shown}");
}

#[test]
fn texts_are_read_as_numbers() {
    let declared =
        "extern double atof(const char *), strtod(const char *, char **); extern float strtof(const char *, char **);";
    is_safe(&format!(
        "{declared} char *end; if (atof(\"3.25e2\") != 325 || strtod(\" -0.1x\", &end) != -0.1 || *end != 'x' \
         || strtof(\"1e-5\", 0) != 1e-5f || strtod(\"-.\", &end) != 0 || *end != '-' || 1 / atof(\"-0\") > 0) reach_error();"
    ));
    let (code, shown) =
        check(&format!("{declared} if (atof(\"9007199254740993\") < 1) reach_error();"), &["--timeout", "2s"]);
    assert!(code == 2 && shown.contains("a floating-point number of many digits"), "{shown}");
}

#[test]
fn numbers_beside_others() {
    let declared = "extern double nextafter(double, double); extern float nextafterf(float, float);";
    is_safe(&format!(
        "{declared} if (nextafter(1, 2) != 0x1.0000000000001p0 || nextafter(1, -2) != 0x1.fffffffffffffp-1 || nextafter(-1, 0) != -0x1.fffffffffffffp-1 \
         || nextafter(0, -1) != -0x1p-1074 || nextafterf(0x1.fffffep127f, 1e300) <= 0x1.fffffep127f || nextafter(2, 2) != 2) reach_error();"
    ));
    is_safe(&format!(
        "{declared} float x = __VERIFIER_nondet_float(); if (x - x == 0 && nextafterf(x, __builtin_inff()) <= x) reach_error();"
    ));
}

/// Division by zero, subtraction of infinities, overflow: defined, and reported where that is asked for.
#[test]
fn the_check_of_floats() {
    let body = "float x = __VERIFIER_nondet_float(); if (x > 0 && x < 9) x = x / (x - 5); return x > 0;";
    let (code, shown) = check(body, &["--check", "float"]);
    assert!(code == 1 && shown.contains("an infinite result of finite operands: x / (x - 5) (float)"), "{shown}");
    let (code, shown) = check(&body.replace("x - 5", "x + 5"), &["--check", "float"]);
    assert_eq!(code, 0, "{shown}");
    assert_eq!(check(body, &[]).0, 0);
    let body = "double x = __VERIFIER_nondet_double(); if (x >= 0 && x <= 1) x = (x - 1) / (x - 1); return x == 1;";
    let (code, shown) = check(body, &["--check", "float"]);
    assert!(code == 1 && shown.contains("an operation that makes a NaN: (x - 1) / (x - 1)"), "{shown}");
    // A NaN that comes in is none that is made.
    assert_eq!(check("double x = __VERIFIER_nondet_double(); return x - 1 > 0 || -x > 1;", &["--check", "float"]).0, 0);
    let (code, shown) = check("return (float)__VERIFIER_nondet_double() > 1;", &["--check", "float"]);
    assert!(code == 1 && shown.contains("an infinite result of finite operands"), "{shown}");
    let (code, shown) = check("return (int)__VERIFIER_nondet_double();", &["--check", "float"]);
    assert!(code == 1 && shown.contains("conversion of a number that does not fit"), "{shown}");
}

/// Loops over floats: bounds that rounding respects, and what a filter forgets.
#[test]
fn bounds_and_filters_are_proved_by_induction() {
    let input = |name: &str, least: &str, most: &str| {
        format!("{name} = __VERIFIER_nondet_double(); if (!({name} >= {least} && {name} <= {most})) return 0;")
    };
    is_safe(&format!(
        "double x = 0, y = 0; for (;;) {{ if (__VERIFIER_nondet_int()) {{ {} }} y = x / 3.1; x = y * 3.1; if (x > 200) reach_error(); }}",
        input("x", "-100", "100")
    ));
    is_safe(&format!(
        "double e = 0, s = 0, t = 0, u; for (;;) {{ {} u = t; t = s; s = e + 1.2 * t - 0.6 * u; if (s > 8 || s < -8) reach_error(); }}",
        input("e", "-1", "1")
    ));
    let (code, shown) = check(
        &format!(
            "double e = 0, s = 0, t = 0, u; for (int i = 0; i < 9; i++) {{ {} u = t; t = s; s = e + 1.2 * t - 0.6 * u; if (s > 2.5) reach_error(); }}",
            input("e", "-1", "1")
        ),
        &[],
    );
    assert_eq!(code, 1, "{shown}");
}

#[test]
fn json_has_floats_in_hexadecimal() {
    let (code, shown) = check("float f = __VERIFIER_nondet_float(); if (f == 0.1f) reach_error();", &["--json"]);
    assert!(code == 1 && shown.matches("\"0x1.99999ap-4\"").count() == 2, "{shown}");
}

/// A NaN that signals is no missing value to `fmin`; odd powers of negative zeros are negative.
#[test]
fn hard_cases_of_the_library() {
    let declared =
        "extern double fmin(double, double), fmax(double, double), pow(double, double), hypot(double, double);";
    let text = "double x = __VERIFIER_nondet_double(); if (fmin(x, 1) != fmin(x, 1)) reach_error();";
    let (code, shown) = check(&format!("{declared} {text}"), &[]);
    assert_ne!(code, 0, "{shown}");
    is_safe(&format!("{declared} if (fmin(0.0 / 0.0, 1) != 1 || fmax(2, 0.0 / 0.0) != 2) reach_error();"));
    is_unsafe(&format!("{declared} if (pow(-0.0, -3) < 0) reach_error();"));
    is_safe(&format!("{declared} if (pow(0.0, 3) != 0 || hypot(3, 0) != 3) reach_error();"));
}

/// The functions of <math.h> with an `l`, on numbers that no `double` is.
#[test]
fn functions_of_long_double_are_exact() {
    let declared = "extern long double floorl(long double), roundl(long double), rintl(long double), sqrtl(long double), fmodl(long double, long double); \
        extern long double nextafterl(long double, long double), ldexpl(long double, int), frexpl(long double, int *), modfl(long double, long double *); \
        extern long double copysignl(long double, long double), remainderl(long double, long double), strtold(const char *, char **); extern long long llrintl(long double);";
    is_safe(&format!(
        "{declared} long double x = 0x1p63L - 0.5L; int e; if (floorl(x) != 0x1p63L - 1 || roundl(x) != 0x1p63L || rintl(-2.5L) != -2 || llrintl(1e18L + 1) != 1000000000000000001ll) reach_error(); \
         if (sqrtl(2) * sqrtl(2) == 2 || sqrtl(2) != 0xb.504f333f9de6484p-3L || nextafterl(1, 2) != 1 + 0x1p-63L || nextafterl(0, -1) != -0x1p-16445L) reach_error(); \
         if (fmodl(5.5L, -2) != 1.5L || remainderl(5.5L, 2) != -0.5L || frexpl(ldexpl(3, -45), &e) != 0.75L || e != -43) reach_error();"
    ));
    is_safe(&format!(
        "{declared} long double whole, part = modfl(-2.75L, &whole); if (whole != -2 || part != -0.75L || !__builtin_signbit(copysignl(part, -0.0L))) reach_error(); \
         if (strtold(\"123456789012345678\", 0) != 123456789012345678L || strtold(\"0.1\", 0) != 0.1L || strtold(\"0.1\", 0) == 0.1) reach_error();"
    ));
    is_safe(
        "double d = __VERIFIER_nondet_double(); long double x = d; if (__builtin_isnan(x) != (d != d) && d == d || __builtin_isunordered(x, 1.0) && d == d) reach_error();",
    );
    is_unsafe("extern long double sqrtl(long double); if (sqrtl(3) * sqrtl(3) != 3) reach_error();");
    let (code, shown) =
        check("extern long double sinl(long double); if (sinl(1) > 2) reach_error();", &["--timeout", "3s"]);
    assert!(code == 2 && shown.contains("of type `long double`"), "{shown}");
}

/// What a processor would compute in another mode is not looked at, whoever sets it; nor are its flags.
#[test]
fn the_environment_of_floats_is_not_modelled() {
    let modes = ["0x800", "__VERIFIER_nondet_int()", "0x400), fesetround(0xc00"];
    for mode in modes {
        let text = format!(
            "{HEAD}extern int fesetround(int);\n#pragma STDC FENV_ACCESS ON\n\
             int main(void) {{ fesetround({mode}); volatile double x = 1; if (x / 3 * 3 != 1) reach_error(); return 0; }}\n"
        );
        let (code, shown) = on_text("check", &text, &["--timeout", "3s"]);
        assert!(code == 2 && shown.contains("does not round to the nearest number"), "{mode}: {shown}");
    }
    let flags = "extern int feclearexcept(int), fetestexcept(int); volatile double x = 1; feclearexcept(61); x /= 0; if (!fetestexcept(4)) reach_error();";
    let (code, shown) = check(flags, &["--timeout", "3s"]);
    assert!(code == 2 && shown.contains("the floating-point environment"), "{shown}");
}

/// What a bit-field makes of a float that it does not hold differs between constants and runs.
#[test]
fn bit_fields_hold_the_floats_that_fit() {
    let head = "struct { int a : 4; unsigned b : 3; } x = { 0, 0 };";
    is_safe(&format!("{head} x.a = -7.9; x.b = 3.5f; x.b *= 2.1; x.a++; if (x.a != -6 || x.b != 6) reach_error();"));
    for body in [
        "struct { int a : 4; } x = { 9.5 }; if (x.a != -7) reach_error();",
        "x.b = 8.5; if (x.b) reach_error();",
        "x.b += 9.5L; if (x.b) reach_error();",
    ] {
        let body = if body.starts_with("struct") { body.to_owned() } else { format!("{head} {body}") };
        let (code, shown) = check(&body, &["--timeout", "3s"]);
        assert!(code == 2 && shown.contains("in a bit-field"), "{body}: {shown}");
    }
}

/// 64-bit integers that become floats are rounded on 32 bits as well, where gcc by itself keeps more.
#[test]
fn integers_of_64_bits_are_rounded() {
    is_unsafe(
        "long long l = __VERIFIER_nondet_int() ? 9007199254740993ll : 1; if ((long long)(double)l != l) reach_error();",
    );
    is_safe(
        "volatile long long l = 9007199254740993ll; if ((double)l != 9007199254740992.0L || (float)l != 9007199254740992.0L) reach_error();",
    );
}

#[test]
fn long_doubles_are_printed() {
    let text = "extern int printf(const char *, ...);\nint main(void) { long double x = 0.1L; printf(\"%Lf %.20Lg %La %d %a\\n\", x, x, x, 7, 0.1); return 0; }\n";
    let (code, shown) = on_text("run", text, &[]);
    assert!(code == 0 && shown.contains("0.100000 0.1 0xc.ccccccccccccccdp-7 7 0x1.999999999999ap-4\n"), "{shown}");
}
