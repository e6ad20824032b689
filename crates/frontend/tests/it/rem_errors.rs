//! Wrong Remopla programs, and what is said about them.

use clinch_frontend::{Options, rem};
use proptest::prelude::*;

use crate::{edits, mutated_bytes, mutated_words, shown};

fn problems(bytes: &[u8], options: &Options) -> String {
    shown(&rem::read("model", bytes, options).expect_err("the program is wrong"))
}

fn check(text: &str, expected: &str) {
    assert_eq!(problems(text.as_bytes(), &Options::default()), expected, "for {text:?}");
}

/// Checks what is said about the body of a module. Positions count from its beginning.
fn body(text: &str, expected: &str) {
    check(
        &format!("int x(3), a[4](2); bool b;\nmodule int f(int n) {{ return n; }}\nmodule void main() {{\n{text}\n}}"),
        expected,
    );
}

#[test]
fn texts_that_are_no_programs() {
    check("", "1:1: the file is empty");
    check("// nothing\n", "2:1: the file contains nothing but comments");
    check("hello", "1:1: expected a declaration, `define`, `struct`, `module` or `init`, found `hello`");
    check("int x;", "1:1: there is no module `main`");
    check("init m; module void main() { }", "1:6: there is no module `m`");
    check("init main; init main; module void main() { }", "1:17: there is more than one initial module");
    assert_eq!(problems(b"int x;\n\xff", &Options::default()), "2:1: invalid UTF-8");
    check("int x; $ module void main() { }", "1:8: unexpected character '$'");
    check("/* module void main() { }", "1:1: unterminated comment");
}

#[test]
fn bad_declarations() {
    let after = " module void main() { }";
    let check = |text: &str, expected: &str| check(&format!("{text}{after}"), expected);
    check("int x", "1:7: expected `;`, found `module`");
    check("int;", "1:4: expected the variable's name, found `;`");
    check("int x(0);", "1:7: an `int` has between 1 and 64 bits");
    check("int x(65);", "1:7: an `int` has between 1 and 64 bits");
    check("int(3) x(4);", "1:10: the number of bits is given twice");
    check("bool x(1);", "1:8: only an `int` has a number of bits");
    check("void x;", "1:1: there is no variable of type `void`");
    check("point x;", "1:1: there is no type `point`");
    check("int a[0];", "1:7: an array has between 1 and 65536 elements");
    check("int a[65536], b[9];", "1:15: there are more than 65536 scalars");
    check("int a[300][300];", "1:5: there are more than 65536 scalars");
    check("int n; int a[n];", "1:14: the value must be a constant");
    check("int x, x;", "1:8: the variable `x` is already declared");
    check("define x 1 int x;", "1:16: the variable `x` is already declared");
    check("define N M", "1:10: `M` is not declared");
    check("define N 1 / 0", "1:10: division by zero");
    check("define N 4611686018427387904 * 8", "1:10: the number does not fit in 64 bits");
    check("define DEFAULT_INT_BITS 99", "1:25: an `int` has between 1 and 64 bits");
    check("int a[3] = 0;", "1:12: an array has no initial value");
    check("int x = y;", "1:9: `y` is not declared");
    check("int y; int x = y;", "1:16: the value must be a constant");
    check("int x = {0..1};", "1:9: the initial value of a global is a constant or `undef`");
    check("bool b = 2;", "1:10: expected a truth value, found a number");
    check("struct s { };", "1:8: a struct needs a member");
    check("struct s { int x; bool x; };", "1:24: the member `x` is already declared");
    check("struct s { int x; }; struct s { int x; };", "1:29: the struct `s` is already declared");
    check("struct s { s x; };", "1:12: there is no type `s`");
}

#[test]
fn bad_modules() {
    check("module void main() { } module void main() { }", "1:36: the module `main` is already declared");
    check("module void main(int a[3]) { }", "1:22: a parameter is a number or a truth value");
    check("struct s { int x; }; module s main() { }", "1:31: a module returns a number or a truth value");
    check("module void f(); module void main() { }", "1:13: the module `f` is never defined");
    check("module void main(int x); module void main() { }", "1:13: `main` is defined with another head");
    check("module void main() {", "1:21: expected a statement or `}`, found the end of the text");
    check("module void main() { int x; int x; }", "1:33: the variable `x` is already declared");
    check("module void main() { bool a[2] = true; }", "1:27: an array has no initial value");
    check("module void main(int x, int x) { }", "1:29: the variable `x` is already declared");
}

#[test]
fn bad_statements() {
    body("x = 1", "5:1: expected `;`, found `}`");
    body("x := 1;", "4:3: expected `=`, found `:=`");
    body("x;", "4:2: expected `=`, found `;`");
    body("int y;\nx = 1;\nint z;", "6:1: expected a statement, found `int`");
    body("if :: b -> x = 1;", "5:1: expected `::` or `fi`, found `}`");
    body("if b -> skip; fi", "4:4: expected `::` or `fi`, found `b`");
    body("do od", "4:4: expected `::`, found `od`");
    body("if :: b skip; fi", "4:9: expected `->`, found `skip`");
    body("break;", "4:1: `break` stands outside of a `do`");
    body("goto l;", "4:6: there is no label `l` in this module");
    body("l: skip; l: skip;", "4:10: the label `l` is already declared");
    body("if :: else -> skip; :: else -> skip; fi", "4:24: there is more than one `else`");
    body("return 1;", "4:1: a module of type `void` returns no value");
    check("module bool main() { return; }", "1:22: the value to return is missing");
    body("g(1);", "4:1: there is no module `g`");
    body("f();", "4:1: `f` takes 1 arguments, 0 are given");
    body("x = f(1), b = true;", "4:5: a call stands alone: `x = m(e);`");
    body("b = f(1);", "4:1: expected a truth value, found a number");
    body("x = main();", "4:5: `main` returns no value");
    body("x = 1, x = 2;", "4:8: `x` is assigned twice at once");
    body("A i (0, 1) x = i;", "4:12: `x` is assigned twice at once");
    body("b = {0..1};", "4:5: a range is one of numbers");
    body("x = {2..1};", "4:5: the range is empty");
    body("x = {b..1};", "4:6: expected a number, found a truth value");
    body("x = 1 +;\nb = ;", "4:8: expected an expression, found `;`\n5:5: expected an expression, found `;`");
}

#[test]
fn bad_expressions() {
    body("x = y;", "4:5: `y` is not declared");
    body("x = b;", "4:5: expected a number, found a truth value");
    body("b = x;", "4:5: expected a truth value, found a number");
    body("b = x && b;", "4:5: expected a truth value, found a number");
    body("x = x + b;", "4:9: expected a number, found a truth value");
    body("b = b < true;", "4:5: expected a number, found a truth value");
    body("x = a;", "4:5: expected a scalar, found an array");
    body("x = x[1];", "4:5: this is not an array");
    body("x = x.y;", "4:5: this is not a struct");
    body("x = a[4];", "4:7: the index 4 is outside of the array, which has 4 elements");
    body("a[-1] = 0;", "4:3: the index -1 is outside of the array, which has 4 elements");
    body(
        "b = A i (0, 4) a[i] == 0;",
        "4:18: the index i is outside of the array, which has 4 elements".replace("index i", "index 4").as_str(),
    );
    body("x = x / 0;", "4:9: division by zero");
    body("b = A i (0, x) b;", "4:13: the value must be a constant");
    body("b = A i (0, 1000000) b;", "4:7: the statement stands for more than 100000 others");
    body("x = undef + 1;", "4:11: expected `;`, found `+`");
    body("x = 1 + undef;", "4:9: expected an expression, found `undef`");
    body("x = f(1) + 1;", "4:10: expected `;`, found `+`");
    body("assert f(1) == 1;", "4:9: expected `;`, found `(`");
}

#[test]
fn options() {
    let text = b"module void main() { }";
    let options = Options { label: Some("bad".to_owned()), ..Options::default() };
    assert_eq!(problems(text, &options), "--label:1:1: the program has no label `bad`");
    let options = Options { defines: vec![("N".to_owned(), 1)], ..Options::default() };
    assert_eq!(problems(text, &options), "--define:1:1: the model has no constant `N`");
}

#[test]
fn depth_is_limited() {
    let deep = |n| format!("module void main() {{ {} skip; {} }}", "if :: true -> ".repeat(n), "fi ".repeat(n));
    assert!(rem::read("model", deep(100).as_bytes(), &Options::default()).is_ok());
    assert!(problems(deep(101).as_bytes(), &Options::default()).contains("statements are nested deeper than 100"));
    problems(deep(100_000).as_bytes(), &Options::default());
    let deep = |n| format!("bool b; module void main() {{ b = {}b{}; }}", "(".repeat(n), ")".repeat(n));
    assert!(problems(deep(100_000).as_bytes(), &Options::default()).contains("nested deeper"));
    let long = format!("int x; module void main() {{ x = x{}; }}", " + x".repeat(100_000));
    assert!(problems(long.as_bytes(), &Options::default()).contains("nested deeper"));
}

const REM: &str = "define N 3 struct s { int p(2); bool q[N]; }; int x(3) = 1, a[4](N); s t[2]; bool b = undef; module bool g(int n(3));
module bool g(int n(3)) { int l(2) = {0..2}; if :: n == 0 || l < 1 -> return b; :: else -> b = g(n - 1); return !b; fi }
module void main() { int i(2); A k (0, N) a[k] = k * 2 % 5, x = undef; do :: i < N && E k (0, 2) t[0].q[k] -> i = i + 1;
:: a[i] >= x << 1 -> t[i & 1].q[i] = true, t[1].p = ~i; :: else -> break; od again: b = g({0..x}); assert !b | (x / (i + 1) != -3);
if :: b -> goto again; :: b -> skip; fi error: g(undef); }";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(clinch_testing::cases(1000)))]

    #[test]
    fn mutations(bytes in edits(), words in edits()) {
        survive(&mutated_bytes(REM, bytes));
        survive(mutated_words(REM, words).as_bytes());
    }
}

/// Reads and renders, for the sake of not panicking; what is accepted is compiled for the machine.
fn survive(bytes: &[u8]) {
    match rem::read("model", bytes, &Options::default()) {
        Ok(program) => drop(clinch_machine::Machine::new(&program)),
        Err(diagnostics) => {
            assert!(diagnostics.iter().count() > 0);
            diagnostics.render(true);
        }
    }
}

#[test]
fn the_program_to_mutate_is_fine() {
    let read = rem::read("model", REM.as_bytes(), &Options::default());
    assert!(read.is_ok(), "{}", read.err().map(|d| d.render(false)).unwrap_or_default());
}
