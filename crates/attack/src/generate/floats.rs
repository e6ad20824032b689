//! Random C programs that compute with floats. Every value is printed by its bits, but for NaNs: which of two NaNs an operation
//! takes is the compiler's choice.

use crate::program::{Node, Program};
use crate::rng::Rng;

/// What every program has: ways to read and to show floats by their bits, and functions to call.
const ENVIRONMENT: &str = "\
extern int printf(const char *, ...);
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern double floor(double), ceil(double), trunc(double), round(double), rint(double), fabs(double), sqrt(double);
extern double fmod(double, double), copysign(double, double), fdim(double, double), remainder(double, double);
extern float floorf(float), ceilf(float), truncf(float), roundf(float), rintf(float), fabsf(float), sqrtf(float);
extern float fmodf(float, float), copysignf(float, float), fdimf(float, float), remainderf(float, float);
extern double ldexp(double, int), frexp(double, int *), modf(double, double *), nextafter(double, double), logb(double);
extern float nextafterf(float, float), fmaf(float, float, float);
extern double fma(double, double, double);
extern long double floorl(long double), ceill(long double), truncl(long double), roundl(long double), rintl(long double), fabsl(long double);
extern long double sqrtl(long double), logbl(long double), copysignl(long double, long double), nextafterl(long double, long double);
extern long double fdiml(long double, long double), fmodl(long double, long double), remainderl(long double, long double);
extern long double ldexpl(long double, int), frexpl(long double, int *), modfl(long double, long double *);
extern long long llrintl(long double), llroundl(long double);
union bits32$ { float f; unsigned u; unsigned char c[4]; };
union bits64$ { double d; unsigned long long u; };
union bits80$ { long double x; struct { unsigned long long m; unsigned short e; } w; };
struct pair$ { float f; double d; int i; };
struct wide$ { char c; long double x; };
static float float_of$(unsigned u) { union bits32$ x; x.u = u * 2654435761u >> 13 & 3 ? u ^ 0x40000000u : u; return x.f; }
static double double_of$(unsigned long long u) { union bits64$ x; x.u = u * 2654435761u >> 13 & 3 ? u ^ 1ull << 62 : u; return x.d; }
static void show_float$(float f) { union bits32$ x; x.f = f; if (f != f) printf(\"nan\\n\"); else printf(\"%08x %u\\n\", x.u, x.c[3]); }
static void show_double$(double d) { union bits64$ x; x.d = d; if (d != d) printf(\"nan\\n\"); else printf(\"%016llx\\n\", x.u); }
static void show_extended$(long double a) { union bits80$ b; b.x = a; if (a != a) printf(\"nan\\n\"); else printf(\"%04x%016llx\\n\", b.w.e, b.w.m); }
static long double third$(long double a) { return a / 3; }
static struct wide$ wide$(long double a) { struct wide$ w = { 1, a }; return w; }
static long double old$ = 0.1L, olds$[2] = { -2.5, 1 / 3.0L };
static float mix$(float f, double d) { return f * 0.5f + d; }
static double twice$(double d) { return d + d; }
static struct pair$ both$(float f, double d) { struct pair$ p = { f, d, f < d }; return p; }
static struct pair$ kept$ = { 0.1f, 1.0 / 3, (int)-2.9 };
static float table$[4] = { 1, 2.5, 1e-42f, 0x1.8p-3 };
static double old_style$(a, f) int a; double f; { return a - f; }";

/// Literals of both types: whole, decimal, hexadecimal, subnormal, too large, halfway between two numbers.
const LITERALS: [&str; 26] = [
    "0.0",
    "1.0",
    "2.0",
    "0.5",
    "0.1",
    "1e10",
    "3.0",
    "0x1.8p1",
    "1e-40",
    "3.4e38",
    "0x1p-149",
    "0x1.fffffep127",
    "1e300",
    "16777216.0",
    "16777217.0",
    "0.3",
    "1.5",
    "2.5",
    "1e-310",
    "0x1.0000010000001p0",
    "123456789.0",
    "0x1p-1074",
    "7.0",
    "4294967296.0",
    "9007199254740993.0",
    "1e-5",
];

struct Floats {
    rng: Rng,
}

/// The program of a seed.
pub fn float_program(seed: u64) -> Program {
    let mut g = Floats { rng: Rng::new(seed ^ 0xf10a) };
    let mut body = vec![Node::leaf(
        "float f0 = float_of$(__VERIFIER_nondet_uint()), f1 = float_of$(__VERIFIER_nondet_uint()), f2 = __VERIFIER_nondet_int(), f3 = 0;\n\
         double d0 = double_of$(__VERIFIER_nondet_ulonglong()), d1 = f0, d2 = __VERIFIER_nondet_ulonglong(), d3 = 1;\n\
         int i0 = __VERIFIER_nondet_int(), i1 = 3, e = 0;\n\
         unsigned u0 = __VERIFIER_nondet_uint();\n\
         long long l0 = (long long)__VERIFIER_nondet_ulonglong();\n\
         unsigned long long m0 = __VERIFIER_nondet_ulonglong();\n\
         long double x0 = d0, x1 = l0, x2 = 1;\n\
         struct wide$ w = { 2, 0.3L };\n\
         struct pair$ p = { 1, 2, 3 };",
    )];
    for _ in 0..g.rng.range(6, 14) {
        body.push(Node::leaf(g.statement()));
    }
    body.push(Node::leaf(
        "show_float$(f0); show_float$(f1); show_float$(f2); show_float$(f3); show_float$(p.f); show_float$(kept$.f);\n\
         show_double$(d0); show_double$(d1); show_double$(d2); show_double$(d3); show_double$(p.d);\n\
         show_extended$(x0); show_extended$(x1); show_extended$(x2); show_extended$(w.x); show_extended$(old$); show_extended$(olds$[1]);\n\
         printf(\"%d %d %u %lld %llu %d\\n\", i0, i1, u0, l0, m0, p.i);\nreturn 0;",
    ));
    Program::new(vec![Node::leaf(ENVIRONMENT), Node::block("int main$(void)\n{", body, "}")])
}

impl Floats {
    fn one(&mut self, of: &[&str]) -> String {
        (*self.rng.pick(of)).to_owned()
    }

    fn statement(&mut self) -> String {
        match self.rng.below(15) {
            12 | 13 => format!("{} = {};", self.one(&["x0", "x1", "x2", "w.x", "old$", "olds$[i1 & 1]"]), self.any(3)),
            14 => match self.rng.below(4) {
                0 => format!("w = wide$({});", self.any(2)),
                1 => format!("{}{};", self.one(&["x0", "w.x"]), self.one(&["++", "--"])),
                2 => format!("show_extended$({});", self.extended(3)),
                _ => {
                    let (place, op) =
                        (self.one(&["x0", "x1", "d2", "olds$[i1 & 1]"]), self.one(&["+=", "-=", "*=", "/="]));
                    format!("{place} {op} {};", self.extended(2))
                }
            },
            0..=2 => format!("{} = {};", self.one(&["f0", "f1", "f2", "f3", "p.f", "kept$.f"]), self.any(3)),
            3..=5 => format!("{} = {};", self.one(&["d0", "d1", "d2", "d3", "p.d"]), self.any(3)),
            6 => format!("{} = {};", self.one(&["i0", "i1", "u0", "l0", "m0"]), self.integer(2)),
            7 => {
                let (place, op) = (self.one(&["f0", "f1", "d2", "d3", "p.f"]), self.one(&["+=", "-=", "*=", "/="]));
                format!("{place} {op} {};", self.any(2))
            }
            8 => format!("{}{};", self.one(&["f1", "d1", "f3"]), self.one(&["++", "--"])),
            9 => format!("if ({}) {{ {} }} else {{ {} }}", self.condition(2), self.statement(), self.statement()),
            10 => format!("p = both$({}, {});", self.any(2), self.any(2)),
            _ => match self.rng.below(5) {
                0 => format!("show_double$(frexp({}, &e)); printf(\"%d\\n\", e);", self.finite(1)),
                1 => format!("show_double$(modf({}, &d3));", self.any(2)),
                2 => format!("show_extended$(frexpl({}, &e)); printf(\"%d\\n\", e);", self.finite(1)),
                3 => format!("show_extended$(modfl({}, &x2));", self.any(2)),
                _ => format!("show_float$({}); show_double$({});", self.any(3), self.any(3)),
            },
        }
    }

    /// A number of any type.
    fn any(&mut self, depth: usize) -> String {
        match self.rng.below(5) {
            0 => self.double(depth),
            4 => self.extended(depth),
            1 => self.integer(depth.min(1)),
            _ => self.single(depth),
        }
    }

    fn literal(&mut self) -> String {
        let literal = self.rng.pick(&LITERALS);
        let (exact_single, suffix) = (!literal.contains("e300") && !literal.contains("e-310"), self.rng.percent(40));
        format!("{literal}{}", if exact_single && suffix { "f" } else { "" })
    }

    fn single(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.rng.below(3) {
                0 => format!("(float){}", self.literal()),
                _ => self.one(&["f0", "f1", "f2", "f3", "p.f", "kept$.f", "table$[1]", "table$[i1 & 3]"]),
            };
        }
        let d = depth - 1;
        match self.rng.below(10) {
            8 if self.rng.percent(50) => format!("fmaf({}, {}, {})", self.single(d), self.any(d), self.single(d)),
            8 => format!("nextafterf({}, {})", self.single(d), self.any(d)),
            0..=3 => format!("({} {} {})", self.single(d), self.one(&["+", "-", "*", "/"]), self.single(d)),
            4 => format!("(float)({})", self.any(d)),
            5 => format!("-({})", self.single(d)),
            6 => format!("({} ? {} : {})", self.condition(d), self.single(d), self.single(d)),
            7 => format!("mix$({}, {})", self.any(d), self.any(d)),
            _ => {
                let name = self.one(&["floorf", "ceilf", "truncf", "roundf", "rintf", "fabsf", "sqrtf"]);
                format!("{name}({})", self.any(d))
            }
        }
    }

    fn extended(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.rng.below(3) {
                0 => format!("{}L", self.rng.pick(&LITERALS)),
                _ => self.one(&["x0", "x1", "x2", "w.x", "old$", "olds$[0]"]),
            };
        }
        let d = depth - 1;
        match self.rng.below(12) {
            0..=3 => format!("({} {} {})", self.extended(d), self.one(&["+", "-", "*", "/"]), self.any(d)),
            4 => format!("(long double)({})", self.any(d)),
            5 => format!("-({})", self.extended(d)),
            6 => format!("({} ? {} : {})", self.condition(d), self.extended(d), self.any(d)),
            7 => format!("third$({})", self.any(d)),
            8 => format!("wide$({}).x", self.any(d)),
            9 | 10 => {
                let name = self.one(&["floorl", "ceill", "truncl", "roundl", "rintl", "fabsl", "sqrtl", "sqrtl"]);
                format!("{name}({})", self.any(d))
            }
            _ => match self.rng.below(5) {
                0 => format!("nextafterl({}, {})", self.any(d), self.any(d)),
                1 => format!("{}({}, {})", self.one(&["fmodl", "remainderl"]), self.finite(d), self.finite(d)),
                2 => format!("ldexpl({}, {})", self.finite(d), self.one(&["5", "-16390", "16380", "-70", "i1 & 7"])),
                3 => format!("{}({}, {})", self.one(&["fdiml", "copysignl"]), self.any(d), self.finite(d)),
                _ => format!("logbl({})", self.finite(d)),
            },
        }
    }

    fn double(&mut self, depth: usize) -> String {
        if depth == 0 {
            return if self.rng.percent(40) {
                self.literal()
            } else {
                self.one(&["d0", "d1", "d2", "d3", "p.d", "kept$.d"])
            };
        }
        let d = depth - 1;
        match self.rng.below(11) {
            0..=3 => format!("({} {} {})", self.double(d), self.one(&["+", "-", "*", "/"]), self.any(d)),
            4 => format!("(double)({})", self.any(d)),
            5 => format!("-({})", self.double(d)),
            6 => format!("({} ? {} : {})", self.condition(d), self.any(d), self.double(d)),
            7 => format!("twice$({})", self.any(d)),
            8 => format!("old_style$((int){}, {})", self.integer(0), self.double(d)),
            9 => {
                let name = self.one(&["floor", "ceil", "trunc", "round", "rint", "fabs", "sqrt"]);
                format!("{name}({})", self.any(d))
            }
            _ => match self.rng.below(8) {
                6 => format!("fma({}, {}, {})", self.double(d), self.any(d), self.any(d)),
                7 => {
                    let (a, b) = (self.double(0), self.double(0));
                    format!("fma({a}, {b}, -({a} * {b}))")
                }
                4 => format!("nextafter({}, {})", self.any(d), self.any(d)),
                5 => format!("logb({})", self.finite(d)),
                0 => format!("ldexp({}, {})", self.finite(d), self.rng.below(300)),
                1 => format!("ldexp({}, -{})", self.finite(d), self.rng.below(1200)),
                2 => format!("{}({}, {})", self.one(&["fmod", "remainder"]), self.finite(d), self.finite(d)),
                _ => format!("fdim({}, {})", self.any(d), self.any(d)),
            },
        }
    }

    /// A number of moderate size: what loops over exponents ends soon.
    fn finite(&mut self, depth: usize) -> String {
        let value = self.single(depth);
        let other = self.one(&["0.1", "0.5", "3.0", "1e-40", "0x1p-149", "16777217.0", "9007199254740993.0"]);
        format!("({value} > -1e20f && {value} < 1e20f ? {value} : (float){other})")
    }

    fn integer(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.one(&[
                "i0",
                "i1",
                "u0",
                "l0",
                "m0",
                "7",
                "-3",
                "16777217",
                "0x7fffffffffffffffll",
                "(char)i0",
            ]);
        }
        let value = if self.rng.percent(50) { self.single(depth - 1) } else { self.double(depth - 1) };
        match self.rng.below(6) {
            0 => self.condition(depth),
            4 => {
                let (name, value) = (self.one(&["llrintl", "llroundl"]), self.extended(depth - 1));
                format!("({value} > -9e18L && {value} < 9e18L ? {name}({value}) : l0)")
            }
            1 => format!("({value} > -2147483649.0 && {value} < 2147483648.0 ? (int)({value}) : i1)"),
            2 => format!("({value} > -1.0 && {value} < 18446744073709551616.0 ? (unsigned long long)({value}) : m0)"),
            3 => format!("({value} > -129 && {value} < 128 ? (signed char)({value}) : 5)"),
            _ => format!(
                "({value} >= -9223372036854775808.0 && {value} < 9223372036854775808.0 ? (long long)({value}) : l0)"
            ),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        match self.rng.below(8) {
            6 => {
                let name = self.one(&["isnan", "isinf", "isfinite", "isnormal", "signbit"]);
                // The sign of a NaN is the compiler's choice.
                let value = if name == "signbit" { self.finite(d) } else { self.any(d) };
                format!("!!__builtin_{name}((long double)({value}))")
            }
            7 => {
                let name =
                    self.one(&["isless", "islessequal", "isgreater", "isgreaterequal", "isunordered", "islessgreater"]);
                format!("!!__builtin_{name}({}, {})", self.extended(d), self.double(d))
            }
            0 => format!("(_Bool)({})", self.any(d)),
            1 => format!("!({})", self.any(d)),
            2 if depth > 0 => {
                format!("({} {} {})", self.condition(d), self.one(&["&&", "||"]), self.condition(d))
            }
            _ => format!("({} {} {})", self.any(d), self.one(&["<", "<=", ">", ">=", "==", "!="]), self.any(d)),
        }
    }
}
