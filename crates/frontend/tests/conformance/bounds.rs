//! The bounds of mathematical functions hold for the C library that is here, and what is said to be exact is that.
//!
//! The models are compiled: what they take for any number is what the library returns, and what they assume is checked.

use std::fmt::Write as _;
use std::process::Command;

use clinch_attack::gcc;

use crate::{folder, setting};

const MODELS: &str = include_str!("../../src/c/models/bounded.c");

/// What the words of the models stand for; see `WORDS` in models.rs.
const WORDS: [(&str, [&str; 2]); 8] = [
    ("FLOAT", ["double", "float"]),
    ("_T", ["", "f"]),
    ("MAXIMUM", ["0x1.fffffffffffffp1023", "0x1.fffffep127f"]),
    ("HALF", ["0.5", "0.5f"]),
    ("LEAST_LOG", ["-746.0", "-104.0f"]),
    ("MOST_LOG", ["712.0", "90.0f"]),
    ("MOST_EXP", ["700.0", "85.0f"]),
    ("INTEGERS", ["9007199254740992", "16777216"]),
];

const HEAD: &str = r#"
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double real, first, second;
static const char *what;
static int wrong;
static double __clinch_any_double(void) { return real; }
static float __clinch_any_float(void) { return real; }
static void __clinch_are_bounded(void) {}
static void __clinch_forget_errno(void) {}
static void complain(double result, const char *text) {
  if (wrong++ < 20)
    printf("%s(%a, %a) is %a: %s %a\n", what, first, second, real, text, result);
}
#define __VERIFIER_assume(c) ((c) ? (void)0 : complain(0, #c))
#define __clinch_fabs fabs
#define __clinch_fabsf fabsf
#define __clinch_trunc trunc
#define __clinch_truncf truncf
static int __clinch_signalling(double x) { return issignaling(x); }
static int __clinch_signallingf(float x) { return issignaling(x); }
static int differ(double a, double b) { return (a == a || b == b) && memcmp(&a, &b, sizeof a); }
"#;

const MAIN: &str = r#"
static unsigned long long state = 88172645463325252ull;
static unsigned long long next(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }
static double between(double size) { return (next() / 18446744073709551616.0 - 0.5) * 2 * size; }
static double number(void) {
  static const double special[] = { 0.0, -0.0, 1, -1, 0.5, 2, -2, 3, 10, 64, -64, 1e300, -1e300, 1e-300, 5e-324, 709, 710, -745, -746, 700, 88, 89,
    -103, 3.14159265358979, 1.5707963267948966, INFINITY, -INFINITY, NAN, 0x1.fffffffffffffp1023, 0x1.fffffep127, 1 - 0x1p-53, 1 + 0x1p-52, 0x1p-149 };
  unsigned long long bits = next();
  double any;
  memcpy(&any, &bits, sizeof any);
  switch (next() % 6) {
  case 0: return special[next() % (sizeof special / sizeof *special)];
  case 1: return any;
  case 2: return (double)(next() % 41) - 20;
  case 3: return between(2);
  case 4: return between(800);
  default: return between(10);
  }
}
"#;

/// The functions that the models define: name, and whether they take two numbers.
fn functions() -> Vec<(String, bool)> {
    let heads = MODELS.lines().filter_map(|line| line.strip_prefix("FLOAT "));
    heads.filter_map(|head| head.split_once("_T(").map(|(name, rest)| (name.to_owned(), rest.contains(',')))).collect()
}

/// A program that compares so many random arguments of each function.
fn program(cases: u64) -> String {
    let mut text = HEAD.to_owned();
    let mut calls = String::new();
    for ty in 0..2 {
        for paragraph in MODELS.split("\n\n").filter(|paragraph| paragraph.contains("FLOAT")) {
            let model = paragraph.replace("\nFLOAT ", "\nFLOAT model_");
            let model = model.strip_prefix("FLOAT ").map_or(model.clone(), |rest| format!("FLOAT model_{rest}"));
            let model = WORDS.iter().fold(model, |code, (word, texts)| code.replace(word, texts[ty]));
            let _ = writeln!(text, "{model}\n");
        }
        for (name, two) in functions() {
            let function = format!("{name}{}", WORDS[1].1[ty]);
            let arguments = match (ty, two) {
                (0, false) => "x",
                (0, true) => "x, y",
                (_, false) => "(float)x",
                (_, true) => "(float)x, (float)y",
            };
            let _ = writeln!(
                calls,
                "what = \"{function}\"; first = x; second = y; real = {function}({arguments}); result = model_{function}({arguments});\n\
                 if (differ(real, result)) complain(result, \"not\");"
            );
        }
    }
    let _ = writeln!(
        text,
        "{MAIN}int main(void) {{ for (long i = 0; i < {cases}; i++) {{ double x = number(), y = number(), result;\n{calls}}}\nreturn wrong != 0; }}"
    );
    text
}

#[test]
fn the_c_library_keeps_the_bounds_of_the_models() {
    if !gcc::available() {
        eprintln!("skipped: no gcc to compare with");
        return;
    }
    assert!(functions().len() > 20);
    let folder = folder("bounds");
    let (source, binary) = (folder.join("bounds.c"), folder.join("bounds"));
    std::fs::write(&source, program(20_000 * setting("CLINCH_EFFORT", 1))).expect("a file");
    let compiled = Command::new("gcc")
        .args(["-O0", "-ffp-contract=off", "-fno-builtin", "-w", "-o"])
        .args([&binary, &source])
        .arg("-lm")
        .output()
        .expect("gcc runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(&binary).output().expect("it runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
}
