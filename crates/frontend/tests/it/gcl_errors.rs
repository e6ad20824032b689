//! Wrong GCL models, and what is said about them.

use clinch_frontend::{Language, Options};

use crate::problems;

fn check(text: &str, expected: &str) {
    crate::check(Language::Gcl, text, expected);
}

fn check_options(text: &str, options: &Options, expected: &str) {
    assert_eq!(problems(Language::Gcl, text.as_bytes(), options), expected, "for {text:?}");
}

#[test]
fn texts_that_are_no_models() {
    check("", "1:1: the file is empty");
    check(" \n\t ", "1:1: the file is empty");
    check("// nothing\n/* at all */\n", "3:1: the file contains nothing but comments");
    check("hello world", "1:1: expected a declaration, process, command or property, found `hello`");
}

#[test]
fn bytes_that_are_no_text() {
    let options = Options::default();
    let noise = b"var x: int;\nvar \xff\xfe: int;";
    assert_eq!(problems(Language::Gcl, noise, &options), "2:5: invalid UTF-8");
    assert_eq!(problems(Language::Gcl, &[0x80; 100], &options), "1:1: invalid UTF-8");
    let zeros = problems(Language::Gcl, &[0; 100], &options);
    assert_eq!(zeros.lines().count(), 20, "{zeros}");
    assert_eq!(zeros.lines().next(), Some("1:1: unexpected character '\\0'"));
}

#[test]
fn bad_tokens() {
    check("var x: int = 0 $;", "1:16: unexpected character '$'");
    check("var é: int;", "1:5: unexpected character 'é'\n1:6: expected the variable's name, found `:`");
    check("const N = 12ab;", "1:11: `12ab` is neither a number nor a name\n1:15: expected an expression, found `;`");
    check("const N = 99999999999999999999;", "1:11: the number does not fit in 64 bits");
    check("const N = 9223372036854775808;", "1:11: the number does not fit in 64 bits");
    check("var x: int;\n  /* never closed", "2:3: unterminated comment");
}

#[test]
fn bad_statements() {
    check("var x: int = 0\nvar y: int;", "2:1: expected `;`, found `var`");
    check("var x int;", "1:7: expected `:`, found `int`");
    check("var true: int;", "1:5: expected the variable's name, found `true`");
    check("var x: int;\ncommand when x > 0 do x = 1;", "2:25: expected `:=`, found `=`");
    check("var x: int;\ncommand when x > 0 x := 1;", "2:20: expected `do` or `;`, found `x`");
    check("process P { loc a; a -> ; }", "1:25: expected a location, found `;`");
    check("process P { loc a;", "1:19: expected `}`, found the end of the text");
    check("process P { loc a; b: int; }", "1:20: expected `var`, `loc`, `init`, an edge or `}`, found `b`");
    check("error true; error false;", "1:13: there is more than one error condition");
    check("process P { loc a, b; init a; init b; }", "1:36: there is more than one initial location");
    check("var x: int;\nerror x = 1 +;", "2:14: expected an expression, found `;`");
    check("var x: int;\nerror (x = 1;", "2:13: expected `)`, found `;`");
    check("var x: int;\nerror 1 < x < 3;", "2:13: comparisons cannot be chained");
    check("var x: int;\nerror x = 1 = true;", "2:13: comparisons cannot be chained");
    check("var x: int;\nerror x = input;", "2:11: `input` is not an expression");
    check("var x: 5;", "1:9: expected `..`, found `;`");
}

#[test]
fn several_problems_are_reported() {
    check(
        "var x int;\nvar y: 3..2;\nvar z: int = ;\nprocess P { loc a; a -> ; b b; }\nerror = 1;",
        "1:7: expected `:`, found `int`\n\
         3:14: expected an expression, found `;`\n\
         4:25: expected a location, found `;`\n\
         4:27: expected `var`, `loc`, `init`, an edge or `}`, found `b`\n\
         5:7: expected an expression, found `=`",
    );
    check(
        "var x: 3..2;\nvar y: 0..x, z: Undefined;\nconst N = M;\nvar w: 0..N;",
        "1:8: the range 3..2 is empty\n2:17: type `Undefined` is not declared\n3:11: `M` is not declared",
    );
}

#[test]
fn undefined_and_misused_names() {
    check("error x > 0;", "1:7: `x` is not declared");
    check("var x: int; command do y := 1;", "1:24: `y` is not declared");
    check("const N = 1; command do N := 1;", "1:25: `N` is not a variable");
    check("enum E { a, b } var x: E; error E = x;", "1:33: `E` is a type, not a value");
    check("const N = 1; var x: N;", "1:21: `N` is not a type");
    check("process P { loc a; a -> b; }", "1:25: process `P` has no location `b`");
    check("process P { loc a; init b; }", "1:25: process `P` has no location `b`");
    check("process P { loc a; } error P.b;", "1:30: process `P` has no location or variable `b`");
    check("process P { loc a; } error P;", "1:28: `P` is a process, not a value");
    check("process P { loc a; } error P[0].a;", "1:28: process `P` has 0 parameter(s), found 1");
    check("process P(i: 0..1) { loc a; } error P.a;", "1:37: process `P` has 1 parameter(s), found 0");
    check("process P(i: 0..1) { loc a; } error P[2].a;", "1:37: there is no process `P[2]`");
    check("process P(i: 0..1) { loc a; } error P[1];", "1:37: a process is not a value");
    check("var x: 0..1; process P(i: 0..1) { loc a; } error P[x].a;", "1:52: the value must be a constant");
    check("var x: int; error x.a;", "1:19: expected a process before `.`");
    check("process P { var v: int; loc a; } command do v := 1;", "1:45: `v` is not declared");
    check("process P { }", "1:9: process `P` has no locations");
}

#[test]
fn duplicates() {
    check("var x: int;\nvar x: bool;", "2:5: `x` is declared twice");
    check("const x = 1; enum E { x }", "1:23: `x` is declared twice");
    check("process P { loc a; } process P { loc a; }", "1:30: `P` is declared twice");
    check("process P { loc a, a; }", "1:20: `a` is declared twice");
    check("process P { var x: int, x: int; loc a; }", "1:25: `x` is declared twice");
    check("process P(i: 0..1, i: 0..1) { loc a; }", "1:20: `i` is declared twice");
    check("process P(i: 0..1) { var i: int; loc a; }", "1:26: `i` is declared twice");
    check("process P { var a: int; loc a; }", "1:17: `a` is a variable and a location of one process");
    check("command c; command c;", "1:20: `c` is declared twice");
    check("var x: int; command do x := 1, x := 2;", "1:32: `x` is assigned twice in one step");
    check("var x: int[2]; command do x[0] := 1, x[1-1] := 2;", "1:38: `x` is assigned twice in one step");
}

#[test]
fn types() {
    check("var x: int; error x;", "1:19: expected bool, found int");
    check("var x: bool; error x + 1 > 0;", "1:20: expected int, found bool");
    check("var x: bool; command do x := 1;", "1:30: expected bool, found int");
    check("var x: int = true;", "1:14: expected int, found bool");
    check("enum E { a } enum F { b } var x: E = a; error x = b;", "1:51: expected E, found F");
    check("enum E { a } var x: E = a; error x = 0;", "1:38: expected E, found int");
    check("enum E { a, b } var x: E = a; error x < b;", "1:37: values of type E have no order");
    check("var x: bool; error x ? 1 : 2;", "1:20: expected bool, found int");
    check("var x: bool; error x ? x : 2;", "1:28: expected bool, found int");
    check("var x: int; error not x > 0 and !x = 0;", "1:34: expected bool, found int");
    check("var a: int[2]; error a = 1;", "1:22: `a` is an array");
    check("var a: int[2]; command do a := 1;", "1:27: `a` is an array");
    check("var a: int; error a[0] = 1;", "1:19: `a` is not an array");
    check("var a: int[2]; error a[0, 1] = 1;", "1:22: an array has one index");
    check("var a: int[2]; error a[true] = 1;", "1:24: expected int, found bool");
    check("process P(i: 0..2) { var x: int; loc a; a -> a do x := true; }", "1:56: expected int, found bool");
    check("error false and 1;", "1:17: expected bool, found int");
}

#[test]
fn ranges_and_constants() {
    check("var x: 0..3 = 4;", "1:15: initial value 4 out of range 0..3");
    check("var x: 0..3[2] = [1, 9];", "1:22: initial value 9 out of range 0..3");
    check("var x: 0..3[2] = [1];", "1:18: expected 2 initial values, found 1");
    check("var x: int = [1];", "1:14: `x` is not an array");
    check("const N = 3; var x: N..0;", "1:21: the range 3..0 is empty");
    check("var a: int[0];", "1:12: an array cannot have 0 elements");
    check("var a: int[-1];", "1:12: an array cannot have -1 elements");
    check("var a: int[99999999];", "1:12: an array cannot have 99999999 elements");
    check("var a: int[1000000], b: int[1000000];", "1:22: the variables take more than 1048576 cells");
    check("var x: int; var y: 0..x;", "1:23: the value must be a constant");
    check("const N = 9223372036854775807 + 1;", "1:11: the constant does not fit in 64 bits");
    check("const N = 1 / 0;", "1:11: the constant has no value: division by zero");
    check("process P(i: 1..0) { loc a; }", "1:11: the range 1..0 is empty");
    check("process P(i: 0..99999999) { loc a; }", "1:9: there are more than 10000 processes");
    check("error forall i: 0..999999999 : i > 0;", "1:14: the quantifiers expand to more than 100000 instances");
    check(
        "error forall i: 0..999999999, j: 1..0 : i > 0;",
        "1:14: the quantifiers expand to more than 100000 instances",
    );
}

#[test]
fn options() {
    let model = "const N = 1; var x: int = N; process P { loc a, b; a -> b; } error x < 0;";
    let define = |n: &str| Options { defines: vec![(n.to_owned(), 5)], ..Options::default() };
    let error = |e: &str| Options { error: Some(e.to_owned()), ..Options::default() };
    let predicate = |e: &str| Options { predicates: vec![e.to_owned()], ..Options::default() };
    check_options(model, &define("M"), "--define:1:1: the model has no constant `M`");
    check_options(model, &define("x"), "--define:1:1: the model has no constant `x`");
    check_options(model, &error("x +"), "--error:1:4: expected an expression, found the end of the text");
    check_options(model, &error(""), "--error:1:1: expected an expression, found the end of the text");
    check_options(model, &error("x > 0;"), "--error:1:6: expected the end, found `;`");
    check_options(model, &error("P.c"), "--error:1:3: process `P` has no location or variable `c`");
    check_options(model, &predicate("x"), "--predicate:1:1: expected bool, found int");
    check_options(
        "const N = 1; var a: int[N];",
        &Options { defines: vec![("N".to_owned(), 0)], ..Options::default() },
        "1:25: an array cannot have 0 elements",
    );
    let program = crate::read(Language::Gcl, model, &define("N")).expect("it is fine");
    assert_eq!(program.vars[0].init, [clinch_ir::Init::Value(5)]);
    let program = crate::read(Language::Gcl, model, &error("P.b")).expect("it is fine");
    let text = clinch_ir::print::show(&program, &program.terms, program.property.error.expect("given"));
    assert_eq!(text, "P.b");
}

#[test]
fn a_report_shows_the_place() {
    let diagnostics = crate::read(Language::Gcl, "var x: int;\n\terror x;\n", &Options::default()).expect_err("wrong");
    expect_test::expect![[r#"
        model:2:8: error: expected bool, found int
           ╭─[ model:2:8 ]
           │
         2 │  error x;
           │        ┬  
           │        ╰── this is of type int
        ───╯
    "#]]
    .assert_eq(&diagnostics.render(false));
}
