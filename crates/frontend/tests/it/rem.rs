//! What Remopla programs mean: all their runs, on the machine.

use std::collections::BTreeSet;

use clinch_frontend::{Options, rem};
use clinch_ir::cfa::CfaProgram;
use clinch_machine::{InputList, Limits, Machine, Stop};

fn program(text: &str) -> CfaProgram {
    rem::read("model", text.as_bytes(), &Options::default()).unwrap_or_else(|d| panic!("{}", d.render(false)))
}

/// How the runs of a program end, all inputs tried.
pub(crate) fn ends(program: &CfaProgram) -> BTreeSet<String> {
    let machine = Machine::new(program);
    let limits = Limits { steps: 10_000, ..Limits::default() };
    let (mut ends, mut work) = (BTreeSet::new(), vec![Vec::new()]);
    while let Some(inputs) = work.pop() {
        let outcome = machine.run(&mut machine.initial(), &mut InputList::new(inputs.clone()), &mut (), &limits);
        let end = match outcome.stop {
            Stop::OutOfInputs(request) => {
                assert!(request.width <= 8 && inputs.len() < 12, "too many inputs");
                work.extend((0..1u64 << request.width).map(|value| [inputs.as_slice(), &[value]].concat()));
                continue;
            }
            Stop::Exit(_) => "end".to_owned(),
            Stop::Blocked => "blocked".to_owned(),
            Stop::Error(what) => what.text,
            Stop::Undefined(what) => format!("undefined: {what}"),
            other => format!("{other:?}"),
        };
        ends.insert(end);
    }
    ends
}

/// Checks how the runs of a text end.
fn check(text: &str, expected: &[&str]) {
    let found = ends(&program(text));
    let expected: BTreeSet<String> = expected.iter().map(|&e| e.to_owned()).collect();
    assert_eq!(found, expected, "for {text}");
}

/// Checks that some assertions hold in `main`, with these declarations before them.
fn holds(declarations: &str, statements: &str) {
    check(&format!("module void main() {{ {declarations} {statements} }}"), &["end"]);
}

#[test]
fn numbers_wrap_around() {
    holds("int x(3);", "x = 7; x = x + 1; assert x == 0; x = x - 1; assert x == 7; x = 3 * x; assert x == 5;");
    holds("int x(3);", "x = 561; assert x == 1; x = -1; assert x == 7; assert -x == 1; assert ~x == 0;");
    holds("int x(1);", "x = 1; assert x + x == 0; x = x + 1; assert x == 0;");
    holds("int x(64);", "x = 0; x = x - 1; assert x == 9223372036854775807 * 2 + 1;");
}

#[test]
fn an_operation_is_as_wide_as_its_operands() {
    holds("int x(3), y(5);", "x = 7, y = 30; assert x + y == 5; assert x + 1 == 0; assert x + 8 == 15;");
    holds("int x(3);", "x = 7; assert x < 9; assert x != 15; assert !(x == 15); assert 8 > x;");
    holds("int x(3), y(8);", "x = 7; y = x + 1; assert y == 0; y = x; y = y + 1; assert y == 8; x = y; assert x == 0;");
}

#[test]
fn natural_division_and_shifts() {
    holds(
        "int x(4), y(4);",
        "x = 14, y = 4; assert x / y == 3; assert x % y == 2; assert x / 15 == 0; assert 7 / 2 == 3;",
    );
    holds("int x(4), y(4);", "x = 9, y = 1; assert x << y == 2; assert x >> y == 4; y = 7; assert x << y == 0;");
    holds("int x(4);", "x = 9; assert x << 4 == 0; assert x << 3 == 8; assert x >> 3 == 1; assert x >> 99 == 0;");
    holds("int x(4), y(4);", "x = 12, y = 10; assert (x & y) == 8; assert (x | y) == 14; assert (x ^ y) == 6;");
    check("module void main() { int x(2), y(2); x = 3; x = x / y; }", &["end", "undefined: division by zero"]);
    check("module void main() { int y(2); if :: y != 0 && 3 / y > 1 -> skip; :: else -> skip; fi }", &["end"]);
}

#[test]
fn a_shift_has_the_width_of_its_left_side() {
    holds("int x(3);", "x = 5; assert 1 << x == 32; assert 512 >> x == 16; assert 300 << x == 384;");
    holds("int x(3), y(8);", "x = 5, y = 1; assert x << y == 2; y = 8; assert x << y == 0; y = 9; assert x >> y == 0;");
    holds("int x(8), y(2);", "x = 1, y = 3; assert x << y == 8; assert (x << y) + x == 9;");
}

#[test]
fn truth_values() {
    holds(
        "bool a, b;",
        "a = 1, b = 0; assert a && !b; assert a != b; assert (a ^ b) & (a | b); assert a == true; assert b == 0;",
    );
}

#[test]
fn assignments_happen_at_once() {
    holds("int x(3), y(3);", "x = 1, y = 2; x = y, y = x; assert x == 2 && y == 1;");
    holds(
        "int a[3](2), i(2);",
        "A k (0, 2) a[k] = k; a[0] = a[2], a[2] = a[0]; assert a[0] == 2 && a[2] == 0 && a[1] == 1;",
    );
    // of two elements that turn out to be the same, the later one counts
    holds("int a[2](2), i(1), j(1);", "i = 1, j = 1; a[i] = 1, a[j] = 2; assert a[1] == 2;");
    holds("int x(2), y(2);", "x = 1; y = x, x = undef; assert y == 1;");
}

#[test]
fn arrays_and_structs() {
    let text = "struct point { int x(3); int y[2](3); }; point p[2]; int i(1);
        module void main() {
            A k (0, 1) p[k].x = k, A k (0, 1) A l (0, 1) p[k].y[l] = 2 * k + l;
            assert p[i].x == i && p[i].y[1] == 2 * p[i].x + 1;
            p[i].y[i] = 7;
            assert A k (0, 1) A l (0, 1) (k != i || l != i) == (p[k].y[l] != 7);
            assert E k (0, 1) p[k].y[i] == 7;
        }";
    check(text, &["end"]);
    holds(
        "int m[2][3](3), i(1), j(2);",
        "j = j % 3; A k (0,1) A l (0,2) m[k, l] = 3 * k + l; assert m[i, j] == m[i][0] + j;",
    );
}

#[test]
fn an_index_outside_of_its_array_is_a_fault() {
    let fault = "undefined: an index outside of its array of 3 elements";
    check("bool a[3]; module void main() { int i(2); a[i] = true; }", &["end", fault]);
    check(
        "bool a[3]; module void main() { int i(2); a[0] = true, i = {1..3}; assert a[i] || true; }",
        &["blocked", "end", fault],
    );
    check("bool a[4]; module void main() { int i(2); a[i] = true; assert a[i]; }", &["end"]);
    check("bool a[9]; module void main() { int i(2); a[i] = true; assert a[i]; }", &["end"]);
    // what is not looked at does no harm
    check(
        "bool a[3]; module void main() { int i(2); a[0] = true, a[1] = true, a[2] = true; assert i == 3 || a[i]; }",
        &["end"],
    );
    holds("bool a[3];", "A i (0, 2) a[i] = true; assert A i (0, 2) (i == 2 || a[i + 1]);");
}

#[test]
fn several_guards_may_hold() {
    let text =
        |guards: &str| format!("module void main() {{ int x(2); x = 1; if {guards} fi if :: x == 1 -> skip; fi }}");
    check(&text(":: x > 0 -> assert false; :: x == 1 -> skip;"), &["assert false", "end"]);
    check(&text(":: x > 1 -> assert false; :: x == 1 -> skip; :: else -> assert x == 7;"), &["end"]);
    check(&text(":: x > 1 -> skip; :: x < 1 -> skip; :: else -> assert false;"), &["assert false"]);
    // none of them, and no other way out
    check(&text(":: x > 1 -> skip;"), &["blocked"]);
    check(
        &text(":: true -> x = 3; :: true -> x = 2; :: true -> x = 1; :: x == 2 -> assert false;"),
        &["blocked", "end"],
    );
    check(
        &text(":: true -> x = 1; :: true -> x = 2; :: x == 0 -> skip; :: else -> assert false;"),
        &["blocked", "end"],
    );
    check(
        &text(":: x != 1 && x < 2 -> assert false; :: x == 1 || x > 2 -> assert x == 1; :: x > 2 -> skip;"),
        &["blocked", "end"],
    );
}

#[test]
fn every_choice_can_be_made() {
    let text = "module void main() { int n(3); n = undef;
        if :: true -> assert n != 0; :: true -> assert n != 1; :: true -> assert n != 2; :: true -> assert n != 3; :: true -> assert n != 4; fi }";
    check(text, &["assert n != 0", "assert n != 1", "assert n != 2", "assert n != 3", "assert n != 4", "end"]);
    check(
        "module void main() { int x(3); x = {2..4}; assert x != 1; assert x != 2; assert x != 4; assert x != 5; }",
        &["assert x != 2", "assert x != 4", "blocked", "end"],
    );
    check(
        "module void main() { int x(3), y(3); y = 2; x = {y..y + 1}; assert x == 2; assert x != 2; }",
        &["assert x == 2", "assert x != 2", "blocked"],
    );
}

#[test]
fn loops_and_jumps() {
    holds(
        "int i(4), s(8);",
        "i = 0, s = 0; do :: i < 10 -> s = s + i; i = i + 1; :: else -> break; od assert s == 45;",
    );
    holds("int i(4);", "i = 0; again: i = i + 1; if :: i < 9 -> goto again; :: else -> skip; fi assert i == 9;");
    holds(
        "int i(2), j(2);",
        "i = 0; do :: true -> j = 0; do :: j == 2 -> break; :: else -> j = j + 1; od i = i + 1; if :: i == 3 -> break; :: else -> skip; fi od assert i == 3 && j == 2;",
    );
    check("module void main() { goto out; assert false; out: }", &["end"]);
    check("module void main() { here: goto here; }", &["blocked"]);
    check("module void main() { do :: true -> skip; od assert false; }", &["blocked"]);
    check("module void main() { do :: true -> break; od assert false; }", &["assert false"]);
}

#[test]
fn calls() {
    let text = "int depth(3);
        module int(5) fib(int n(3)) { int a(5), b(5); depth = depth + 1;
            if :: n < 2 -> return n; :: else -> a = fib(n - 1); b = fib(n - 2); return a + b; fi }
        module void main() { int x(5), a[2](8), i(1); depth = 0, a[0] = 0, a[1] = 0; x = fib(6); assert x == 8; a[i] = fib(5); assert a[i] == 5; fib(1); }";
    check(text, &["end"]);
    // parameters are copies
    check("module void f(int n(2)) { n = 3; } module void main() { int x(2); x = 1; f(x); assert x == 1; }", &["end"]);
    check(
        "module void f(int n(2), bool b) { assert n != 2 || b; } module void main() { f({1..2}, undef); }",
        &["assert n != 2 || b", "blocked", "end"],
    );
    // without `return` a result is any
    check("module bool f() { skip; } module void main() { bool b; b = f(); assert b; }", &["assert b", "end"]);
    check(
        "module bool f() { return undef; } module void main() { bool b; b = f(); assert !b; }",
        &["assert !b", "end"],
    );
}

#[test]
fn first_values() {
    check("int x(2); module void main() { assert x < 3; }", &["assert x < 3", "end"]);
    check("int x(2) = 2, y(2) = undef; bool b = true; module void main() { assert x == 2 && b; }", &["end"]);
    check("module void main() { int x(2); assert x < 3; }", &["assert x < 3", "end"]);
    check(
        "module void main() { int x(2) = 1, y(2) = x + 1, z(2) = {0..1}; assert y == 2; assert z < 2; }",
        &["blocked", "end"],
    );
    check("init m; module void m(bool b) { assert b; }", &["assert b", "end"]);
    // a local that is always written first needs no input
    assert!(program("module void main() { int x(8); x = 1; assert x == 1; }").inputs.is_empty());
}

#[test]
fn labels_and_options() {
    let text = "define N 2 module void main() { int x(N); if :: x == 3 -> goto bad; :: else -> skip; fi error: skip; bad: skip; }";
    check(text, &["label error", "end"]);
    let options = Options { label: Some("bad".to_owned()), defines: vec![("N".to_owned(), 1)], ..Options::default() };
    let program = rem::read("model", text.as_bytes(), &options).expect("fine");
    assert_eq!(ends(&program), BTreeSet::from(["label bad".to_owned()]));
    let narrow = Options { defines: vec![("DEFAULT_INT_BITS".to_owned(), 2)], ..Options::default() };
    let program =
        rem::read("model", b"module void main() { int x; assert x != 4; assert x != 3; }", &narrow).expect("fine");
    assert_eq!(ends(&program), BTreeSet::from(["assert x != 3".to_owned(), "end".to_owned()]));
}

#[test]
fn the_example_of_the_documentation() {
    let document = include_str!("../../../../docs/rem.md");
    check(document.split("```").nth(1).expect("a block of code"), &["end"]);
}
