//! The typed program: initialisers, conversions, addresses, linking.

use clinch_frontend::c::hir::{BinaryOp, ExprKind, Hir, Init, Stmt};
use clinch_frontend::c::{CheckOptions, Unit, check};
use proptest::prelude::*;

use crate::{edits, mutated_bytes, mutated_words};

fn units(texts: &[&str]) -> Vec<Unit> {
    let unit = |(i, text): (usize, &&str)| Unit { name: format!("{i}.c"), text: (*text).to_owned() };
    texts.iter().enumerate().map(unit).collect()
}

fn program(texts: &[&str]) -> Hir {
    match check(&units(texts), &CheckOptions::default()) {
        Ok((hir, _)) => hir,
        Err(error) => panic!("{}", error.diagnostics().render(false)),
    }
}

/// `offset=value` for each item, with the bits of bit-fields.
fn shown(hir: &Hir, init: &Init) -> String {
    let items = init.items.iter().map(|item| {
        let bits = item.bits.map_or(String::new(), |b| format!(".{}+{}", b.lo, b.width));
        let value = match &item.value.kind {
            ExprKind::Int(value) => value.to_string(),
            ExprKind::Float(value) => format!("{value:?}"),
            ExprKind::AddressOf(_) => "&".to_owned(),
            ExprKind::Function(id) => hir.functions[id.0 as usize].name.clone(),
            other => format!("{other:?}").split(['(', ' ']).next().unwrap_or_default().to_owned(),
        };
        assert_eq!(item.value.ty, item.ty);
        format!("{}{bits}={value}", item.offset)
    });
    items.collect::<Vec<_>>().join(" ")
}

/// Checks the initialiser of the last global, and the size of its type.
fn init(text: &str, size: u64, expected: &str) {
    let hir = program(&[text]);
    let variable = hir.variables.last().expect("a variable");
    let init = variable.init.as_ref().expect("an initialiser");
    assert_eq!(shown(&hir, init), expected, "for {text}");
    assert_eq!(hir.types.size(variable.ty), Some(size), "for {text}");
}

#[test]
fn initialisers() {
    init("int x = 3;", 4, "0=3");
    init("char x = 300;", 1, "0=44");
    init("int a[] = {1, 2, 3};", 12, "0=1 4=2 8=3");
    init("int a[4] = {1, [2] = 5, 6};", 16, "0=1 8=5 12=6");
    init("int a[] = {[3] = 1, [1] = 2};", 16, "12=1 4=2");
    init("int a[] = {[1 ... 3] = 7, 8};", 20, "4=7 8=7 12=7 16=8");
    init("int a[2][3] = {1, 2, 3, 4};", 24, "0=1 4=2 8=3 12=4");
    init("int a[2][3] = {{1}, {2, 3}};", 24, "0=1 12=2 16=3");
    init("int a[][2] = {1, {2}, {3, 4}, 5};", 24, "0=1 4=2 8=3 12=4 16=5");
    init("char s[] = \"ab\";", 3, "0=97 1=98");
    init("char s[2] = \"abc\";", 2, "0=97 1=98");
    init("char s[] = {\"ab\" \"c\"};", 4, "0=97 1=98 2=99");
    init("char s[2][3] = {\"ab\", {'x'}};", 6, "0=97 1=98 3=120");
    init("int w[] = L\"a\\x100\";", 12, "0=97 4=256");
    init("struct { int x; char c[3]; int y; } s = {1, \"z\", 2};", 12, "0=1 4=122 8=2");
}

#[test]
fn initialisers_of_nested_records() {
    init("struct { int x, y; } a[] = {1, 2, {3}, {.y = 4}};", 24, "0=1 4=2 8=3 20=4");
    init("struct { struct { int a, b; } p; int c; } s = {1, 2, 3};", 12, "0=1 4=2 8=3");
    init("struct { struct { int a, b; } p; int c; } s = {.p.b = 2, 3};", 12, "4=2 8=3");
    init("struct { struct { int a, b; } p; int c; } s = {.p = {1}, .c = 3};", 12, "0=1 8=3");
    init("struct { int a; struct { int b, c; }; int d; } s = {1, 2, 3, 4};", 16, "0=1 4=2 8=3 12=4");
    init("struct { int a; struct { int b, c; }; int d; } s = {.c = 3, 4};", 16, "8=3 12=4");
    init("struct { int a; union { int b; char c; }; } s = {1, .c = 2};", 8, "0=1 4=2");
    init("union { char c; int i; } u = {300};", 4, "0=44");
    init("union { char c; int i; } u = {.i = 300};", 4, "0=300");
    init("struct { int a : 3, b : 5; unsigned c : 30; } s = {1, 2, 3};", 8, "0.0+3=1 0.3+5=2 4.0+30=3");
    init("struct { int : 4; int a : 3; } s = {1};", 4, "0.4+3=1");
    init("struct { int n; int a[]; } s = {2, {5, 6}};", 12, "0=2 4=5 8=6");
    init("struct { int a[2][2]; } s = {.a[1][0] = 1, 2};", 16, "8=1 12=2");
    init("struct S { int x; struct S *next; } s = {1, &s};", 16, "0=1 8=&");
    init("int f(void); int g(void); int (*t[])(void) = {f, &g, 0};", 24, "0=f 8=g 16=0");
    init("int x; int *p = &x + 1; ", 8, "0=Offset");
    init("double d = 1 + 0.5;", 8, "0=1.5");
    init("int a[3] = {}; ", 12, "");
    init("int x = {{4}};", 4, "0=4");
    init("long x = sizeof(int) * -1;", 8, "0=-4");
}

#[test]
fn addresses() {
    let text = "int a, b, c, d[2], e; struct { int x; } s, t; int f(void); int g(void); int h(void);
        int *p(void) { &a; b = c; d[0] = 1; sizeof(&e); s.x = 1; f(); (*h)(); return t.x ? &t.x : 0; } int (*q)(void) = g;";
    let hir = program(&[text]);
    let taken = |name: &str| hir.variables.iter().find(|v| v.name == name).map(|v| v.address_taken);
    let expected = [("a", true), ("b", false), ("c", false), ("d", true), ("e", false), ("s", false), ("t", true)];
    for (name, is_taken) in expected {
        assert_eq!(taken(name), Some(is_taken), "{name}");
    }
    let taken = |name: &str| hir.functions.iter().find(|f| f.name == name).map(|f| f.address_taken);
    assert_eq!([taken("f"), taken("g"), taken("h"), taken("p")], [Some(false), Some(true), Some(false), Some(false)]);
}

#[test]
fn units_are_linked_by_name() {
    let hir = program(&[
        "extern int x; int f(int); static int s(void) { return 1; } int main(void) { return f(x) + s(); } int a[];",
        "int x = 3; static int s(void) { return 2; } int f(int n) { return n + s(); } extern int e; int g(void) { return e; }",
    ]);
    let functions: Vec<(&str, bool)> = hir.functions.iter().map(|f| (f.name.as_str(), f.body.is_some())).collect();
    assert_eq!(functions, [("f", true), ("s", true), ("main", true), ("s", true), ("g", true)]);
    let variables: Vec<(&str, bool, bool)> =
        hir.variables.iter().map(|v| (v.name.as_str(), v.external, v.init.is_some())).collect();
    assert_eq!(variables, [("x", false, true), ("a", false, false), ("n", false, false), ("e", true, false)]);
    assert_eq!(hir.types.size(hir.variables[1].ty), Some(4));
    let header = "# 1 \"h.h\"\nstruct S { int x; struct S *p; }; typedef struct { char c; } T; int f(struct S *, T);\n";
    let uses = format!("{header}int f(struct S *s, T t) {{ return s->x + t.c; }}");
    let other = format!("{header}struct S s; struct Q {{ int q; }}; int main(void) {{ T t; return f(&s, t); }}");
    assert_eq!(program(&[&uses, &other]).types.record_count(), 3);
    let twice = check(&units(&["int f(void) { return 1; }", "int f(void) { return 2; }"]), &CheckOptions::default());
    assert_eq!(twice.expect_err("twice").to_string(), "1.c:1:5: error: `f` is defined twice");
}

#[test]
fn operands_are_converted() {
    let hir = program(&["int f(unsigned char c, unsigned u, long l) { return c + u < l; }"]);
    let body = hir.functions[0].body.as_ref().expect("a body");
    let [Stmt::Return(Some(value), _)] = &body[..] else { panic!("{body:?}") };
    let ExprKind::Binary(BinaryOp::Lt, left, right) = &value.kind else { panic!("{value:?}") };
    assert_eq!((hir.types.name(left.ty), hir.types.name(right.ty)), ("long".to_owned(), "long".to_owned()));
    let ExprKind::Convert(sum) = &left.kind else { panic!("{left:?}") };
    assert_eq!(hir.types.name(sum.ty), "unsigned int");
}

const PROGRAM: &str = "typedef struct node { int v : 5; struct node *next; union { char c; long l; }; } node_t;
enum E { A, B = 3 }; static int g[] = { [1] = A, B }; extern int h(int, ...); int (*fp)(int, ...) = h;
int f(int n, char *s) { int a[n], i; for (i = 0; i < n; i++) { a[i] = s[i] ? *s++ : -g[i % 2]; if (a[i] == 'x') break; else continue; }
switch (n) { case 1 ... 3: n <<= 2; default: goto out; } out: do { n -= ({ int t = n; t >> 1; }); } while (n && !(n & 1));
node_t x = { .v = 1, .c = 'a' }, *p = &x; p->next = p; return fp(n, (long)p->l, 1.5f, \"a\\n\", sizeof(node_t), (struct node){1}.v) ?: n; }";

#[test]
fn the_program_to_mutate_is_fine() {
    program(&[PROGRAM]);
}

/// Checks and renders, for the sake of not panicking.
fn survive(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    if let Err(error) = check(&[Unit { name: "m.c".to_owned(), text }], &CheckOptions::default()) {
        let diagnostics = error.diagnostics();
        assert!(diagnostics.iter().count() > 0);
        diagnostics.render(true);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(clinch_testing::cases(500)))]

    #[test]
    fn mutations(bytes in edits(), words in edits()) {
        survive(&mutated_bytes(PROGRAM, bytes));
        survive(mutated_words(PROGRAM, words).as_bytes());
    }
}
