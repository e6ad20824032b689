//! Wrong ARMC systems, and what is said about them.

use clinch_frontend::{Language, Numbers, Options, ReadError, read};

/// What is wrong, as `line:column: message`; what is not supported begins with `unsupported`.
fn problems(bytes: &[u8], options: &Options) -> String {
    let place = |text: String| {
        let text = text.replace(": error: ", ": ");
        text.strip_prefix("model:").unwrap_or(&text).to_owned()
    };
    match read(Language::Armc, "model", bytes, options) {
        Ok(_) => panic!("the system is wrong"),
        Err(ReadError::Bad(diagnostics)) => {
            assert!(diagnostics.iter().all(|d| d.render(false).len() < 5000));
            diagnostics.iter().map(|d| place(d.to_string())).collect::<Vec<_>>().join("\n")
        }
        Err(ReadError::Unsupported(diagnostic)) => format!("unsupported {}", place(diagnostic.to_string())),
    }
}

fn check(text: &str, expected: &str) {
    assert_eq!(problems(text.as_bytes(), &Options::default()), expected, "for {text:?}");
}

/// A system whose transition, in line 2, has these constraints.
fn check_constraints(constraints: &str, expected: &str) {
    let text = format!(
        "start(pc(a)). error(pc(b)).\nr(p(pc(a), data(X, Y)), p(pc(b), data(X1, Y1)),  [{constraints}], [X1 = X], 1)."
    );
    check(&text, expected);
}

#[test]
fn texts_that_are_no_systems() {
    check("", "1:1: the file is empty");
    check("% nothing\n", "2:1: the file contains nothing but comments");
    check("hello.", "1:7: the system has no start location");
    check("start(pc(a)).", "1:14: the system has no transitions");
    let text = "start(pc(a)).\nr(p(pc(a), data(X)), p(pc(a), data(Y)), [], [], 1).";
    check(text, "2:52: the system has no error location");
    assert_eq!(problems(b"start(pc(a)).\n\xff.", &Options::default()), "2:1: invalid UTF-8");
    check("\u{7}.", "1:1: unexpected character '\\u{7}'");
}

#[test]
fn bad_syntax() {
    check("start(pc(a))", "1:13: expected an operator or `.`, found the end of the text");
    check("start(pc(a)", "1:12: expected an operator, `,` or `)`, found the end of the text");
    check(
        "start(pc(a)]. start(pc(b).",
        "1:12: expected an operator, `,` or `)`, found `]`\n1:26: expected an operator, `,` or `)`, found `.`",
    );
    check("start(pc(a)) error(pc(b)).", "1:14: expected an operator or `.`, found `error`");
    check("start(pc()).", "1:10: expected a term, found `)`");
    check("r([a, b).", "1:8: expected an operator, `,` or `]`, found `)`");
    check("'abc", "1:1: unterminated quote `'abc`");
    check("start(pc(a)). /* abc", "1:15: unterminated comment");
    check("a = b = c.", "1:7: expected an operator or `.`, found `=`");
    check("X.", "1:1: expected a fact");
    check("3.", "1:1: expected a fact");
}

#[test]
fn bad_facts() {
    check("r(a, b, c).", "1:1: r must have 5 arguments, here are 3");
    check("start(a).", "1:7: expected a location `pc(L)`, found `a`");
    check("start(pc(a), b).", "1:1: start and error must have 1 argument, here are 2");
    check("start(pc(a)). start(pc(b)).", "1:21: there is more than one start location");
    check(
        "r(q(pc(a), data(X)), b, [], [], 1).",
        "1:3: expected a state `p(pc(L), data(...))`, found `q(pc(a),data(X))`",
    );
    check("r(p(pc(a), X), b, [], [], 1).", "1:12: expected the variables `data(...)`, found `X`");
    check("r(p(a, data(X)), p(b, data(X)), [], [], 1).", "1:5: expected a location `pc(L)`, found `a`");
    check("r(p(pc(a), data(X)), p(pc(b), data(X, Y)), [], [], 1).", "1:31: the system has 1 variables, here are 2");
    check(
        "r(p(pc(a), data(X)), p(pc(b), data(X)), X > 1, [], 1).",
        "1:41: expected a list of constraints, found `'>'(X,1)`",
    );
    check("r(p(pc(a), data(X)), p(pc(b), data(X)), [X > 1 | Z], [], 1).", "1:50: the list has no end");
    check(
        "preds(p(_, data(X, X)), []).",
        "1:20: expected a variable of its own for each variable of the system, found `X`",
    );
    check("preds(p(_, data(X)), [X > Y]).", "1:27: `Y` is no variable of the system");
    check("var2names(p(_, data(X)), [(Y, y)]).", "1:28: expected one of the variables of `data`, found `Y`");
    check("var2names(p(_, data(X)), [x]).", "1:27: expected a pair `(X, 'name')`, found `x`");
}

#[test]
fn bad_constraints() {
    check_constraints("X <= Y", "2:51: expected a constraint, found `'<='(X,Y)`");
    check_constraints("X == Y", "2:51: expected a constraint, found `'=='(X,Y)`");
    check_constraints("X + Y", "2:51: expected a constraint, found `X+Y`");
    check_constraints("X < x", "2:55: expected a number, found `x`");
    check_constraints("X < [1]", "2:55: expected a number, found `[1]`");
    check_constraints("X < f(Y)", "2:55: expected a number, found `f(Y)`");
    check_constraints("X < Z", "2:55: `Z` is no variable of the transition: it occurs only here");
    check_constraints("X / 0 > 1", "2:55: division by zero");
    check_constraints("pc(a)", "2:54: there is no location `a`");
}

#[test]
fn what_is_not_supported() {
    check_constraints(
        "X < 9223372036854775808",
        "unsupported 2:55: not supported: a number that does not fit in 64 bits",
    );
    check_constraints(
        &format!("X < {}", "1".repeat(1001)),
        "unsupported 2:55: not supported: a number of more than 1000 digits",
    );
    check_constraints("X < 1.0e5000", "unsupported 2:55: not supported: a number of more than 1000 digits");
    check_constraints("X < Y mod 2", "unsupported 2:55: not supported: `mod`");
    check_constraints("X < Y // 2", "unsupported 2:55: not supported: `//`");
    check_constraints("X < 1 / Y", "unsupported 2:59: not supported: division by something that is not a number");
    check_constraints(
        "X * Y < 0.5",
        "unsupported 2:51: not supported: a product of variables in a constraint with fractions",
    );
    check_constraints(
        "0.0000000000000000001 * X < Y",
        "unsupported 2:51: not supported: a number that does not fit in 64 bits",
    );
    check("start(pc(_)).", "unsupported 1:10: not supported: a location with variables");
    check("start(X) :- foo(X).", "unsupported 1:1: not supported: a rule for `start`: only facts are read");
    check("implicit_updates.", "unsupported 1:1: not supported: `implicit_updates`");
    check(":- op(700, xfx, <=).", "unsupported 1:4: not supported: the directive `op`");
    // What is wrong comes first.
    check("start(pc(_)).\nstart(b).", "2:7: expected a location `pc(L)`, found `b`");
}

#[test]
fn options() {
    let text = "start(pc(a)). error(pc(b)).\nr(p(pc(a), data(X, Y)), p(pc(b), data(X, Y)), [], [], 1).";
    for numbers in [Numbers::Integer, Numbers::Rational] {
        let check = |options: Options, expected: &str| {
            assert_eq!(problems(text.as_bytes(), &Options { numbers, ..options }), expected);
        };
        let error = |e: &str| Options { error: Some(e.to_owned()), ..Options::default() };
        let predicate = |e: &str| Options { predicates: vec![e.to_owned()], ..Options::default() };
        check(error("X >"), "--error:1:4: expected a term, found the end of the text");
        check(error("X > 1 Y"), "--error:1:7: expected an operator or the end, found `Y`");
        check(error("z > 1"), "--error:1:1: expected a number, found `z`");
        check(error("Z > 1"), "--error:1:1: `Z` is no variable of the system");
        check(error("pc(c)"), "--error:1:4: there is no location `c`");
        check(predicate("X"), "--predicate:1:1: expected a constraint, found `X`");
        let define = Options { defines: vec![("N".to_owned(), 3)], ..Options::default() };
        check(define, "--define:1:1: the model has no constant `N`");
        let deadlock = Options { deadlock: true, ..Options::default() };
        check(deadlock, "--deadlock:1:1: systems of transition constraints have no deadlocks");
    }
}

#[test]
fn deep_nesting_is_refused() {
    const DEEP: usize = 500_000;
    for (open, middle, close) in [
        ("(", "X", ")"),
        ("- ", "X", ""),
        ("f(", "X", ")"),
        ("[", "X", "]"),
        ("{", "X", "}"),
        ("X + ", "X", ""),
        ("X ^ ", "X", ""),
    ] {
        let text = format!("foo({}{middle}{}).\n", open.repeat(DEEP), close.repeat(DEEP));
        let found = problems(text.as_bytes(), &Options::default());
        assert!(found.contains("the term is nested deeper than "), "{open}: {found}");
    }
}

/// Equations that define each other make neither deep nor large terms.
#[test]
fn chains_of_definitions_stay_small() {
    let n = 3000;
    let names = |suffix: &str| (0..n).map(|i| format!("X{i}{suffix}")).collect::<Vec<_>>().join(", ");
    let updates: Vec<String> = (1..n).map(|i| format!("X{i}n = X{}n + X{}n", i - 1, i - 1)).collect();
    let text = format!(
        "start(pc(a)). error(pc(b)).\nr(p(pc(a), data({})), p(pc(b), data({})), [], [X0n = X0 + 1, {}], 1).",
        names(""),
        names("n"),
        updates.join(", ")
    );
    assert!(read(Language::Armc, "model", text.as_bytes(), &Options::default()).is_ok());
}
