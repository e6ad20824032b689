//! No input makes the frontend panic, overflow the stack, or fill the screen.

use std::time::{Duration, Instant};

use clinch_frontend::{Language, Numbers, Options, ReadError, read};
use proptest::prelude::*;

use crate::{edits, mutated_bytes, mutated_words, problems};

const GCL: &str = "const N = 2; enum E { u, v } var x: 0..N = 0, p: E[2] = [u, v], t: int;
process P(i: 0..N-1) { var l: bool = false; loc a, b; init b; a -> b when not l and P[0].a do l := true, x := input; }
command c when (x < 3 ? t >= 1 : -t = ~1) => x << 1 | 2 > 1 do t := t * 2 - x % 2, p[x] := u;
error exists i: 0..N-1, j: i..N-1 : P[i].b and (count k: 0..1 : P[k].l) > 1; predicates t > 0; // end";

const DVE: &str = "const int K = 2; byte x = 1, a[2] = {1, 2, 3}; channel c, d;
process P { int l = -1; state s, t; init s; trans s -> t { guard x > 1 and not l; sync c!x+1; effect l = l * 2, a = x; },
 -> s { sync d?a[x]; }; }
process Q { state s; accept s; init s; trans s -> s { guard P.s || P->l == 1; sync c?x; }; } system async; /* end */";

const ARMC: &str = ":- multifile r/5, preds/2. preds(p(_, data(X, Y)), [X >= 0.5, (X = 1 ; \\+ Y < 2)]). cube_size(1).
var2names(p(pc(_), data(X, Y)), [(X, 'x[0]'), (Y, y)]). start(pc(main-0)). error(pc('e r r')). stmtsrc(1, 'x := 1;').
r(p(pc(main-0), data(X, Y)), p(pc(f(a, 2)), data(Xp, Yp)), [X + 2*Y =< -3, {X =\\= Y}], [Xp = (X - 1)*3, Y = Yp - Xp], 1).
r(p(pc(f(a, 2)), data(X, X)), p(pc('e r r'), data(X + 1, _)), [X #> Z/4, (Z < 3, true)], [], 2). % end";

fn text_of(language: Language) -> &'static str {
    match language {
        Language::Gcl => GCL,
        Language::Dve => DVE,
        _ => ARMC,
    }
}

fn languages() -> impl Strategy<Value = Language> {
    prop_oneof![Just(Language::Gcl), Just(Language::Dve), Just(Language::Armc)]
}

/// Parses and renders, for the sake of not panicking.
fn survive(language: Language, bytes: &[u8], options: &Options) {
    for numbers in [Numbers::Integer, Numbers::Rational] {
        match read(language, "model", bytes, &Options { numbers, ..options.clone() }) {
            Ok(_) => {}
            Err(ReadError::Unsupported(diagnostic)) => drop(diagnostic.render(true)),
            Err(ReadError::Bad(diagnostics)) => {
                assert!(diagnostics.iter().count() > 0);
                diagnostics.render(true);
                diagnostics.render(false);
            }
        }
    }
}

#[test]
fn the_models_to_mutate_are_fine() {
    crate::read_ok(Language::Gcl, GCL);
    crate::read_ok(Language::Dve, DVE);
    assert!(read(Language::Armc, "model", ARMC.as_bytes(), &Options::default()).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(clinch_testing::cases(700)))]

    #[test]
    fn mutations(language in languages(), bytes in edits(), words in edits()) {
        survive(language, &mutated_bytes(text_of(language), bytes), &Options::default());
        survive(language, mutated_words(text_of(language), words).as_bytes(), &Options::default());
    }

    #[test]
    fn cut_texts(language in languages(), at in any::<prop::sample::Index>()) {
        let bytes = text_of(language).as_bytes();
        survive(language, &bytes[..at.index(bytes.len())], &Options::default());
    }

    #[test]
    fn random_options(language in languages(), text in "[ -~]{0,20}|[xtPlN.\\[\\]0-9 ()<=!-]{0,12}") {
        let options = Options { error: Some(text.clone()), predicates: vec![text], ..Options::default() };
        survive(language, text_of(language).as_bytes(), &options);
    }
}

/// Deep expressions of all kinds are refused with a diagnostic, on the stack of a test thread.
#[test]
fn deep_nesting_is_refused() {
    const DEEP: usize = 1_000_000;
    for (open, middle, close) in [
        ("(", "1", ")"),
        ("-", "1", ""),
        ("not ", "true", ""),
        ("1 + ", "1", ""),
        ("true => ", "true", ""),
        ("true ? true : ", "true", ""),
        ("a[", "0", "]"),
        ("forall i: 0..0 : ", "true", ""),
        ("forall i: 0..count i: 0..", "1", ": true : true"),
    ] {
        let text = format!("var a: int[2];\nerror {}{middle}{};", open.repeat(DEEP), close.repeat(DEEP));
        let found = problems(Language::Gcl, text.as_bytes(), &Options::default());
        assert!(found.contains("the expression is nested deeper than "), "{open}: {found}");
    }
    let text =
        format!("process P {{ state s; init s; trans s -> s {{ guard {}1; }}; }} system async;", "!".repeat(DEEP));
    let found = problems(Language::Dve, text.as_bytes(), &Options::default());
    assert_eq!(found, "1:551: the expression is nested deeper than 500");
}

/// What is just not too deep is read, checked and printed.
#[test]
fn nesting_within_the_limit_is_read() {
    let kinds = [(490, "(", "x = 1", ")"), (490, "not ", "(x = 1)", ""), (900, "x = 1 and ", "true", "")];
    for (depth, open, middle, close) in kinds {
        let text = format!("var x: int;\nerror {}{middle}{};", open.repeat(depth), close.repeat(depth));
        crate::read_ok(Language::Gcl, &text);
    }
    let sum = format!("var x: int;\nerror {}x = 0;", "x + ".repeat(900));
    let program = crate::read_ok(Language::Gcl, &sum);
    let error = program.property.error.expect("it has one");
    assert!(clinch_ir::print::show(&program, &program.terms, error).len() > 3600);
}

#[test]
fn large_files_are_refused_in_no_time() {
    let size = 10 << 20;
    let line = "x ".repeat(size / 2);
    let lines = "var x: int;\n".repeat(size / 12) + "error x;";
    let start = Instant::now();
    let found = problems(Language::Gcl, line.as_bytes(), &Options::default());
    assert_eq!(found, "1:1: expected a declaration, process, command or property, found `x`");
    let found = problems(Language::Gcl, format!("var {line}: int;").as_bytes(), &Options::default());
    assert_eq!(found, "1:7: expected `:`, found `x`");
    let found = problems(Language::Gcl, format!("error 1 + {}", "1".repeat(size)).as_bytes(), &Options::default());
    assert_eq!(found, "1:11: the number does not fit in 64 bits");
    let found =
        problems(Language::Gcl, format!("/*{line}*/ error {}", "é".repeat(size / 2)).as_bytes(), &Options::default());
    assert_eq!(found.lines().count(), 20);
    let found = problems(Language::Gcl, lines.as_bytes(), &Options::default());
    assert_eq!(found.lines().next(), Some("2:5: `x` is declared twice"));
    let found = problems(Language::Dve, line.as_bytes(), &Options::default());
    assert!(found.starts_with("1:1: expected a declaration, `process` or `system`, found `x`"), "{found}");
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}
