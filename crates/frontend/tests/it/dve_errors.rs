//! Wrong DVE models, and what is said about them.

use clinch_frontend::{Language, Options};

use crate::problems;

fn check(text: &str, expected: &str) {
    crate::check(Language::Dve, text, expected);
}

/// A model whose only process, in line 2, has this body after its states `a` and `b`.
fn check_body(globals: &str, body: &str, expected: &str) {
    check(&format!("{globals}\nprocess P {{ state a, b; {body} }}\nsystem async;"), expected);
}

/// A model with one edge, in line 3.
fn check_edge(globals: &str, edge: &str, expected: &str) {
    check_body(globals, &format!("init a; trans\n{edge};"), expected);
}

#[test]
fn texts_that_are_no_models() {
    check("", "1:1: the file is empty");
    check("// nothing", "1:11: the file contains nothing but comments");
    check(
        "hello",
        "1:1: expected a declaration, `process` or `system`, found `hello`\n1:6: expected `system`, found the end of the text",
    );
    let noise = problems(Language::Dve, b"byte x;\n\xff\x00 system async;", &Options::default());
    assert_eq!(noise, "2:1: invalid UTF-8\n2:2: unexpected character '\\0'");
}

#[test]
fn old_encodings_are_tolerated_in_comments() {
    let text = b"// p\xf8\xedklad\nprocess P { state a; init a; trans a -> a {}; } system async;";
    assert!(clinch_frontend::parse(Language::Dve, "model", text, &Options::default()).is_ok());
}

#[test]
fn bad_tokens_and_declarations() {
    check("byte x @;\nsystem async;", "1:8: unexpected character '@'");
    check("byte x; /* never closed", "1:9: unterminated comment\n1:24: expected `system`, found the end of the text");
    check("byte x\nbyte y;\nsystem async;", "2:1: expected `;`, found `byte`");
    check(
        "byte 1x;\nsystem async;",
        "1:6: `1x` is neither a number nor a name\n1:8: expected the variable's name, found `;`",
    );
    check("byte state;\nsystem async;", "1:6: expected the variable's name, found `state`");
    check("const x = 1;\nsystem async;", "1:7: expected `byte` or `int`, found `x`");
    check("const int x;\nsystem async;", "1:12: expected `=`, found `;`");
    check("const int x[2] = {1, 2};\nsystem async;", "1:12: not supported: constant arrays");
    check("byte a[0];\nsystem async;", "1:8: an array cannot have 0 elements");
    check("byte x; byte a[x];\nsystem async;", "1:16: the value must be a constant");
    check("const int N = 1/0;\nsystem async;", "1:15: the constant has no value: division by zero");
    check("byte x = 99999999999999999999;\nsystem async;", "1:10: the number does not fit in 64 bits");
    check("byte x, y, x;\nsystem async;", "1:12: `x` is declared twice");
    check("channel c, c;\nsystem async;", "1:12: `c` is declared twice");
}

#[test]
fn what_is_not_supported() {
    check("channel {byte} c;\nsystem async;", "1:9: not supported: typed channels");
    check("channel c[4];\nsystem async;", "1:10: not supported: buffered channels");
    check("byte x;\nsystem sync;", "2:8: not supported: synchronous systems");
    check("byte x;\nsystem async property P;", "2:14: not supported: property processes");
    check_body("", "init a; commit b; trans a -> b {};", "2:33: not supported: `commit` states");
    check_body("", "init a; assert a: 1; trans a -> b {};", "2:33: not supported: `assert`");
    check_edge("channel c;", "a -> b { sync c!{1, 2}; }", "3:17: not supported: several values in one message");
}

#[test]
fn bad_processes() {
    check("byte x;", "1:8: expected `system`, found the end of the text");
    check("system async; byte x;", "1:15: expected nothing after `system`, found `byte`");
    check("process P { init a; }\nsystem async;", "1:13: expected a declaration or `state`, found `init`");
    check_body("", "trans a -> b {};", "2:25: expected `init`, found `trans`");
    check_body("", "init a;", "2:33: expected `trans`, found `}`");
    check_body("", "init a; init b;", "2:38: there is more than one initial state");
    check_body("", "init c; trans a -> b {};", "2:30: the process has no state `c`");
    check_edge("", "a -> c {}", "3:6: the process has no state `c`");
    check_edge("", "-> b {}", "3:1: expected a state, found `->`");
    check_edge("", "a -> b { effect x = 1 }", "3:23: expected `;`, found `}`");
    check_edge(
        "byte x;",
        "a -> b { effect x = 1; guard x; }",
        "3:24: expected `guard`, `sync`, `effect` (in this order) or `}`, found `guard`",
    );
    check_edge("byte x;", "a -> b { effect x := 1; }", "3:19: expected `=`, found `:=`");
    check("process P { state a, a; init a; trans a -> a {}; }\nsystem async;", "1:22: `a` is declared twice");
    check(
        "process P { state a; init a; trans a -> a {}; }\nprocess P { state a; init a; trans a -> a {}; }\nsystem async;",
        "2:9: `P` is declared twice",
    );
    check(
        "process P { state ; }\nprocess Q { byte; }\nsystem async",
        "1:19: expected a state's name, found `;`\n2:17: expected the variable's name, found `;`\n3:13: expected `;`, found the end of the text",
    );
}

#[test]
fn bad_expressions() {
    check_edge("", "a -> b { guard x; }", "3:16: `x` is not declared");
    check_edge("byte x;", "a -> b { guard x = 1; }", "3:18: expected `;`, found `=`");
    check_edge("byte x;", "a -> b { guard x[0]; }", "3:16: `x` is not an array");
    check_edge("byte x[2];", "a -> b { guard x[0, 1]; }", "3:16: an array has one index");
    check_edge("const int K = 1;", "a -> b { guard K[0]; }", "3:16: a constant is not an array");
    check_edge("const int K = 1;", "a -> b { effect K = 2; }", "3:17: `K` is a constant");
    check_edge("byte x;", "a -> b { guard Q.a; }", "3:16: there is no process `Q`");
    check_edge("byte x;", "a -> b { guard P.c; }", "3:18: the process has no state `c`");
    check_edge("byte x;", "a -> b { guard P->x; }", "3:19: the process has no variable `x`");
    check_edge("byte x;", "a -> b { guard x ? 1 : 2; }", "3:18: expected `;`, found `?`");
    check_edge("byte x;", "a -> b { guard (x; }", "3:18: expected `)`, found `;`");
    check_edge("byte x;", "a -> b { guard x +; }", "3:19: expected an expression, found `;`");
}

#[test]
fn bad_synchronisation() {
    check_edge("", "a -> b { sync c!; }", "3:15: channel `c` is not declared");
    check_edge("channel c;", "a -> b { sync c; }", "3:16: expected `!` or `?`, found `;`");
    check_edge("channel c;", "a -> b { sync c?1; }", "3:17: expected a variable to assign to, found `1`");
    check(
        "channel c;\nprocess P { state a; init a; trans a -> a { sync c!1; }; }\n\
        process Q { state a; init a; trans a -> a { sync c?; }; }\nsystem async;",
        "3:50: channel `c` carries a value on one side only",
    );
}

#[test]
fn options() {
    let model =
        "const int N = 1; byte x = N; process P { byte l; state a, b; init a; trans a -> b {}; }\nsystem async;";
    let check = |options: &Options, expected: &str| {
        assert_eq!(problems(Language::Dve, model.as_bytes(), options), expected);
    };
    let error = |e: &str| Options { error: Some(e.to_owned()), ..Options::default() };
    check(
        &Options { defines: vec![("M".to_owned(), 1)], ..Options::default() },
        "--define:1:1: the model has no constant `M`",
    );
    check(&error("P.a &&"), "--error:1:7: expected an expression, found the end of the text");
    check(&error("l == 1"), "--error:1:1: `l` is not declared");
    check(&error("P.a P.b"), "--error:1:5: expected the end, found `P`");
    let define = Options { defines: vec![("N".to_owned(), 300)], ..Options::default() };
    let program = crate::read(Language::Dve, model, &define).expect("it is fine");
    assert_eq!(program.vars[0].init, [clinch_ir::Init::Value(44)]);
    let program = crate::read(Language::Dve, model, &error("P->l == x and P.b")).expect("it is fine");
    let text = clinch_ir::print::show(&program, &program.terms, program.property.error.expect("given"));
    assert_eq!(text, "P->l == x and P.b");
}
