//! Boolean programs: what they mean, and what is said about wrong ones.

use clinch_frontend::{Options, rem};
use proptest::prelude::*;

use crate::rem::ends;
use crate::{edits, mutated_words, shown};

fn check(text: &str, expected: &[&str]) {
    let program = rem::read_boolean("model", text.as_bytes(), &Options::default());
    let program = program.unwrap_or_else(|d| panic!("{}", d.render(false)));
    let expected: std::collections::BTreeSet<String> = expected.iter().map(|&e| e.to_owned()).collect();
    assert_eq!(ends(&program), expected, "for {text}");
}

fn problems(text: &str, expected: &str) {
    let diagnostics = rem::read_boolean("model", text.as_bytes(), &Options::default()).expect_err("it is wrong");
    assert_eq!(shown(&diagnostics), expected, "for {text:?}");
}

#[test]
fn statements() {
    check("void main() begin decl a, b; a, b := true, false; a, b := b, a; assert(!a & b); end", &["end"]);
    check("void main() begin decl a; a := *; assert a | !a; assert(a = a); assert(a => a); end", &["end"]);
    check("void main() begin decl a; a := *; assume(a); assert(a); end", &["blocked", "end"]);
    check("void main() begin decl a; a := * & *; assert a; end", &["assert a", "end"]);
    check("void main() begin goto x, y; x: assert false; y: skip; end", &["assert false", "end"]);
    check("void main() begin decl a; a := true; while (a) do a := false; od assert(!a); end", &["end"]);
    check(
        "void main() begin decl a; a := *; if (a) then skip; elsif (!a) then a := true; else error: skip; fi assert(a); end",
        &["end"],
    );
    check("void main() begin if (*) then goto ERROR; fi return; ERROR: end", &["end", "label ERROR"]);
}

#[test]
fn schoose() {
    let text =
        |a: &str, b: &str, e: &str| format!("void main() begin decl x; x := schoose[{a}, {b}]; assert({e}); end");
    check(&text("true", "*", "x"), &["end"]);
    check(&text("false", "true", "!x"), &["end"]);
    check(&text("false", "false", "x"), &["assert(x)", "end"]);
}

#[test]
fn results() {
    let text = "bool<3> f(a) begin return a, !a, *; end
        void main() begin decl x, y, z, a; x, y, z := f(a); assert(x = a & y != a); _, x, _ := f(true); assert(!x); x := g(); end
        bool g() begin return true; end";
    check(text, &["end"]);
    problems("bool<2> f() begin return true; end void main() begin end", "1:19: 1 values are returned, 2 are declared");
    problems(
        "bool<2> f() begin return *, *; end void main() begin decl a; a := f(); end",
        "1:67: `f` has 2 results, 1 are taken",
    );
    problems("bool<99> f() begin end void main() begin end", "1:6: a procedure has between 1 and 16 results");
}

#[test]
fn wrong_programs() {
    problems("", "1:1: the file is empty");
    problems("int x;", "1:1: expected `decl`, `void` or `bool`, found `int`");
    problems("decl a;", "1:1: there is no module `main`");
    problems("void main() begin a := true; end", "1:19: `a` is not declared");
    problems("void main() begin decl a; a = true; end", "1:29: expected `:=`, found `=`");
    problems("void main() begin decl a, b; a, b := true; end", "1:30: 1 values are assigned to 2 variables");
    problems("void main() begin decl a; a, a := true, true; end", "1:30: `a` is assigned twice at once");
    problems("void main() begin if (*) then skip; end", "1:37: expected `fi`, found `end`");
    problems("void main() begin skip;", "1:24: expected a statement or `end`, found the end of the text");
    problems("void main() begin goto l; end", "1:24: there is no label `l` in this module");
    problems("void main() begin f(); end", "1:19: there is no module `f`");
    problems("void main() begin decl a; a := 2; end", "1:32: expected a truth value, found a number");
    problems("void main() begin fi end", "1:19: expected a statement or `end`, found `fi`");
}

#[test]
fn the_example_of_the_documentation() {
    let document = include_str!("../../../../docs/bp.md");
    let text = document.split("```").nth(1).expect("a block of code");
    assert!(rem::read_boolean("model", text.as_bytes(), &Options::default()).is_ok());
}

const BP: &str = "decl g, h; bool<2> f(a, b) begin decl c; c := schoose[a & !b, g => *]; if (c) then return *, c; elsif (h) then skip; else goto l, m; fi
l: g, h := f(c, *); m: while (g ^ *) do assume(h != 1); assert(g = h); od return g, h; end void main() begin decl x; x, _ := f(true, x); error: skip; end;";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(clinch_testing::cases(400)))]

    #[test]
    fn mutations(words in edits()) {
        match rem::read_boolean("model", mutated_words(BP, words).as_bytes(), &Options::default()) {
            Ok(program) => drop(clinch_machine::Machine::new(&program)),
            Err(diagnostics) => drop(diagnostics.render(true)),
        }
    }
}

#[test]
fn the_program_to_mutate_is_fine() {
    let read = rem::read_boolean("model", BP.as_bytes(), &Options::default());
    assert!(read.is_ok(), "{}", read.err().map(|d| d.render(false)).unwrap_or_default());
}
