//! ARMC's systems: what they are translated to.

use std::fmt::Write as _;

use clinch_frontend::{Input, Language, Numbers, Options, ReadError, read};
use clinch_ir::print::show;
use clinch_ir::{Evaluator, HornSystem, Program, State};
use clinch_terms::{Node, Term};
use expect_test::{Expect, expect};

use crate::lowering::describe;

fn read_input(text: &str, options: &Options) -> Input {
    match read(Language::Armc, "model", text.as_bytes(), options) {
        Ok(input) => input,
        Err(ReadError::Bad(diagnostics)) => panic!("{}", diagnostics.render(false)),
        Err(other) => panic!("{other}"),
    }
}

fn read_program(text: &str, options: &Options) -> Program {
    match read_input(text, options) {
        Input::Program(program) => *program,
        Input::Horn(_) => panic!("integers make a program"),
    }
}

fn read_horn(text: &str, options: &Options) -> HornSystem {
    let options = Options { numbers: Numbers::Rational, ..options.clone() };
    match read_input(text, &options) {
        Input::Horn(system) => *system,
        Input::Program(_) => panic!("rational numbers make clauses"),
    }
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&describe(&read_program(text, &Options::default())));
}

/// One transition over `X` and `Y`.
fn one(after: &str, constraints: &str) -> String {
    format!("start(pc(a)). error(pc(b)).\nr(p(pc(a), data(X, Y)), p(pc(b), data({after})), [{constraints}], [], 1).\n")
}

fn show_term(system: &HornSystem, term: Term) -> String {
    let terms = &system.terms;
    match terms.node(term) {
        Node::Symbol(s) => terms.symbol_name(s).to_owned(),
        Node::Int(v) => v.to_string(),
        Node::Big(id) => terms.big_value(id).to_string(),
        Node::Bool(b) => b.to_string(),
        Node::Unary(op, a) => format!("({op:?} {})", show_term(system, a)),
        Node::Binary(op, a, b) => format!("({op:?} {} {})", show_term(system, a), show_term(system, b)),
        node => format!("{node:?}"),
    }
}

fn describe_horn(system: &HornSystem) -> String {
    let mut out = String::new();
    let application = |a: &clinch_ir::Application| {
        let args: Vec<String> = a.args.iter().map(|t| show_term(system, *t)).collect();
        format!("{}({})", system.predicate(a.predicate).name, args.join(", "))
    };
    for clause in &system.clauses {
        let body: Vec<String> = clause.body.iter().map(application).collect();
        let head = clause.head.as_ref().map_or("false".to_owned(), application);
        writeln!(out, "{head} <- {} {}", body.join(", "), show_term(system, clause.constraint)).expect("memory");
    }
    out
}

#[test]
fn a_loop_of_the_corpus() {
    let text = "
        :- multifile r/5, implicit_updates/0, var2names/2.
        refinement(inter). cube_size(1).
        preds(p(_, data(V2, V1)), [V1 >= 0, V2 = V1 + 1]).
        trans_preds(p(_, data(V2, V1)), p(_, data(V2p, V1p)), []).
        var2names(p(pc(_), data(V2, V1)), [(V2, 'n'), (V1, 'i[0]')]).
        start(pc(main-0-6)). % start
        error(pc(main-err-0)).
        cutpoint(pc(main-1-7)). /* line 7 */
        r(p(pc(main-0-6), data(V2, V1)), p(pc(main-1-7), data(V2p, V1p)), [], [V2p = V2, V1p = 0], 1).
        stmtsrc(1, 'i=0;').
        transition_access( 1, [_, w] ).
        r(p(pc(main-1-7), data(V2, V1)), p(pc(main-1-7), data(V2p, V1p)), [(V1 +1 =< V2)], [V2p = V2, V1p = (V1 + 1)], 2).
        r(p(pc(main-1-7), data(V2, V1)), p(pc(main-err-0), data(V2p, V1p)), [(V1 >= 1+ V2), V1 =\\= 0], [V2p = V2, V1p = V1], 3).
        strengthening(p(pc(main-1-7), data(V2, V1)), [( 1)*V2 +( -1) >= 0]).";
    check(
        text,
        expect![[r#"
            var n: Unbounded = any
            var 'i[0]': Unbounded = any
            process main {main-0-6, main-err-0, main-1-7} from main-0-6
            1: i=0; when true
                'i[0]' := 0
            2: main-1-7 -> main-1-7 when 'i[0]' + 1 =< n
                'i[0]' := 'i[0]' + 1
            3: main-1-7 -> main-err-0 when 1 + n =< 'i[0]', 'i[0]' =\= 0
            error pc(main-err-0)
            predicate 0 =< 'i[0]'
            predicate n = 'i[0]' + 1
        "#]],
    );
}

#[test]
fn definitions_in_any_form() {
    let cases = [
        ("X1, Y1", "X1 = X + 1, Y1 = Y"),
        ("X1, Y1", "X = X1 - 1, Y =:= Y1"),
        ("X1, Y1", "Y1 = X1 * 2, X1 = X + Y, X1 = 3"),
        ("X1, Y1", "2*X1 + Y1 = X, X1 = Y"),
        ("X + 1, Y", ""),
        ("Y, X", "X < 3, (X > 1, {Y >= X}), true"),
        ("7, -3", "X = -9223372036854775808"),
        ("X, _", "(X * X = Y ; \\+ (X =< Y, Y < 2))"),
        ("X1, Y1", "X1 #= X + Z, Y1 is Y - Z, Z = X - Y"),
        ("X, Y", "false"),
    ];
    let mut out = String::new();
    for (after, constraints) in cases {
        let program = read_program(&one(after, constraints), &Options::default());
        let text = describe(&program);
        let lines: Vec<&str> = text.lines().skip(3).filter(|l| !l.starts_with("error")).map(str::trim).collect();
        writeln!(out, "{after} | {constraints}\n    {}", lines.join("\n    ")).expect("memory");
    }
    expect![[r#"
        X1, Y1 | X1 = X + 1, Y1 = Y
            1: a -> b when true
            X := X + 1
        X1, Y1 | X = X1 - 1, Y =:= Y1
            1: a -> b when true
            X := X + 1
        X1, Y1 | Y1 = X1 * 2, X1 = X + Y, X1 = 3
            1: a -> b when X + Y = 3
            X := X + Y, Y := (X + Y) * 2
        X1, Y1 | 2*X1 + Y1 = X, X1 = Y
            1: a -> b when true
            X := Y, Y := X - 2 * Y
        X + 1, Y | 
            1: a -> b when true
            X := X + 1
        Y, X | X < 3, (X > 1, {Y >= X}), true
            1: a -> b when X < 3, 1 < X, X =< Y
            X := Y, Y := X
        7, -3 | X = -9223372036854775808
            1: a -> b when X = -9223372036854775808
            X := 7, Y := -3
        X, _ | (X * X = Y ; \+ (X =< Y, Y < 2))
            1: a -> b when X * X = Y ; \+ (X =< Y, Y < 2)
            Y := input
        X1, Y1 | X1 #= X + Z, Y1 is Y - Z, Z = X - Y
            1: a -> b when true
            X := X + (X - Y), Y := Y - (X - Y)
        X, Y | false
            1: a -> b when false
    "#]]
    .assert_eq(&out);
}

#[test]
fn relations_take_two_steps() {
    check(
        &one("X1, Y1", "X1 >= X + 1, X < 7, Y1 = X1 + Y"),
        expect![[r#"
            var X: Unbounded = any
            var Y: Unbounded = any
            var _1: Unbounded = 0
            process main {a, b, a~1} from a
            1: a -> a~1 when X < 7
                _1 := input
            1: a~1 -> b when X + 1 =< _1
                X := _1, Y := _1 + Y, _1 := 0
            error pc(b)
        "#]],
    );
    check(
        &one("X1, X1", "2 * X1 = X, 0.5 * Y =< X / 3 + _"),
        expect![[r#"
        var X: Unbounded = any
        var Y: Unbounded = any
        var _1: Unbounded = 0
        var _2: Unbounded = 0
        process main {a, b, a~1} from a
        1: a -> a~1 when true
            _1 := input, _2 := input
        1: a~1 -> b when 2 * _1 = X, 3 * Y =< 2 * X + 6 * _2
            X := _1, Y := _1, _1 := 0, _2 := 0
        error pc(b)
    "#]],
    );
}

#[test]
fn values_before_may_repeat_or_be_constants() {
    let text = "start(pc('It''s')). error(pc(f([x, 2]))).
        r(p(pc('It''s'), data(X, X, 3)), p(pc(f([x, 2])), data(X, 1, Y)), [], [], x).";
    check(
        text,
        expect![[r#"
        var X: Unbounded = any
        var X_2: Unbounded = any
        var v3: Unbounded = any
        process main {'It\'s', f([x,2])} from 'It\'s'
        x: 'It\'s' -> f([x,2]) when X_2 = X, v3 = 3
            X_2 := 1, v3 := input
        error pc(f([x,2]))
    "#]],
    );
}

#[test]
fn rational_numbers_make_clauses() {
    let text = "start(pc(a)). error(pc(c)). var2names(p(_, data(X, Y)), [(X, t), (Y, 'V')]).
        preds(p(_, data(X, Y)), [X >= 0.5]).
        r(p(pc(a), data(X, Y)), p(pc(b), data(X1, Y1)), [X < 0.25], [X1 = X/2 + 1.5, Y1 = Y - 1], 1).
        r(p(pc(b), data(X, Y)), p(pc(c), data(X1, _)), [X =\\= 99999999999999999999 * Y], [X1 > X], 2).";
    expect![[r#"
        b(X1, (Sub Y 1)) <- a(X, Y) (And (Lt (Mul 4 X) 1) (Eq (Mul 2 X1) (Add X 3)))
        c(X1, _) <- b(X, Y) (And (Not (Eq X (Mul 99999999999999999999 Y))) (Lt X X1))
        a(t, V) <-  true
        false <- c(t, V) true
    "#]]
    .assert_eq(&describe_horn(&read_horn(text, &Options::default())));
    let options = Options { error: Some("(pc(b) ; pc(c)), t > 'V'".to_owned()), ..Options::default() };
    let clauses = describe_horn(&read_horn(text, &options));
    let errors: Vec<&str> = clauses.lines().filter(|l| l.starts_with("false")).collect();
    assert_eq!(errors, ["false <- c(t, V) (Lt V t)", "false <- b(t, V) (Lt V t)"]);
    let options = Options { error: Some("pc(b), t/2 > 0.75*'V' - t".to_owned()), ..Options::default() };
    let clauses = describe_horn(&read_horn(text, &options));
    assert_eq!(clauses.lines().last(), Some("false <- b(t, V) (Lt (Mul 3 V) (Mul 6 t))"));
}

#[test]
fn options_are_read_in_prolog() {
    let text = one("X1, Y1", "X1 = X, Y1 = Y") + "var2names(p(_, data(A, B)), [(A, x), (B, 'b[1]')]).";
    let options = Options {
        error: Some("\\+ pc(a), x = 'b[1]' + 1 ; pc(b)".to_owned()),
        predicates: vec!["x >= 2.".to_owned(), "x =\\= 1, 3*x - -1 > -('b[1]')".to_owned()],
        ..Options::default()
    };
    let program = read_program(&text, &options);
    let shown: Vec<String> = program.predicates.iter().map(|p| show(&program, &program.terms, *p)).collect();
    assert_eq!(shown, ["2 =< x", "x =\\= 1, -'b[1]' < 3 * x - -1"]);
    let error = program.property.error.expect("given");
    assert_eq!(show(&program, &program.terms, error), "\\+ pc(a), x = 'b[1]' + 1 ; pc(b)");
    // What is printed can be read.
    let again = Options { error: Some(show(&program, &program.terms, error)), predicates: shown, ..Options::default() };
    let again = read_program(&text, &again);
    for x in -2..3 {
        let state = State { locs: vec![clinch_terms::LocId(1)], cells: vec![x, 1] };
        for (p, q) in program.predicates.iter().zip(&again.predicates) {
            let (p, q) = (Evaluator::new(&program).holds(*p, &state), Evaluator::new(&again).holds(*q, &state));
            assert_eq!(p, q);
        }
    }
}

/// Half of a transition is no step of the system: its first location counts.
#[test]
fn conditions_do_not_see_the_middle_of_a_step() {
    let options = Options { error: Some("\\+ pc(a)".to_owned()), ..Options::default() };
    let program = read_program(&one("X1, Y", "X1 > X"), &options);
    let error = program.property.error.expect("given");
    assert_eq!(show(&program, &program.terms, error), "\\+ (pc(a) ; pc(a~1))");
}

#[test]
fn names_without_declaration() {
    let names = |text: &str| -> Vec<String> {
        read_program(text, &Options::default()).vars.iter().map(|v| v.name.clone()).collect()
    };
    assert_eq!(names(&one("X, Y", "")), ["X", "Y"]);
    let text = "start(pc(a)). error(pc(b)). r(p(pc(a), data(_, X, 1)), p(pc(b), data(_, X, 1)), [], [], 1).";
    assert_eq!(names(text), ["v1", "X", "v3"]);
    let doubled = one("X, Y", "") + "var2names(p(_, data(A, B)), [(A, x), (B, x)]).";
    assert_eq!(names(&doubled), ["x", "x_2"]);
}

#[test]
fn the_corpus_is_read() {
    let dir = clinch_testing::package().join("../../../shared/corpus/armc");
    let Ok(index) = std::fs::read_to_string(dir.join("index.csv")) else { return };
    for line in index.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let text = std::fs::read_to_string(dir.join("tasks").join(fields[0])).expect("a task");
        let program = read_program(&text, &Options::default());
        let sizes = (program.transitions.len().to_string(), program.vars.len().to_string());
        assert_eq!(sizes, (fields[2].to_owned(), fields[3].to_owned()), "{}", fields[0]);
        let horn = read_horn(&text, &Options::default());
        assert_eq!(horn.clauses.len(), program.transitions.len() + 2, "{}", fields[0]);
    }
}
