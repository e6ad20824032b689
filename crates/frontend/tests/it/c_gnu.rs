//! GNU C and the rare parts of C11: programs that return 0 if everything in them is as gcc has it.

use std::path::PathBuf;
use std::process::Command;

use clinch_frontend::c::{Options, Unit, read};
use clinch_ir::cfa::{CfaProgram, Op};
use clinch_machine::{InputRequest, Limits, Machine, Stop};

fn programs() -> Vec<PathBuf> {
    let dir = clinch_testing::package().join("tests/c/gnu");
    let entries = std::fs::read_dir(dir).expect("the programs");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// How a program ends, with every input 0.
fn end(program: &CfaProgram) -> Stop {
    let machine = Machine::new(program);
    let mut zeros = |_: &InputRequest| Some(0);
    machine.run(&mut machine.initial(), &mut zeros, &mut (), &Limits::default()).stop
}

/// The reason for which a program is not executed to its end.
fn unsupported(text: &str) -> String {
    match end(&program(text)) {
        Stop::Unsupported(what) => what,
        other => panic!("{other:?}: {text}"),
    }
}

fn exits(text: &str, status: i64) {
    match end(&program(text)) {
        Stop::Exit(found) => assert_eq!(found, status, "{text}"),
        other => panic!("{other:?}: {text}"),
    }
}

#[test]
fn programs_return_zero() {
    for path in programs() {
        let Ok(output) = Command::new("gcc").arg("-E").arg(&path).output() else { return }; // There is no gcc.
        let text = String::from_utf8(output.stdout).expect("a program");
        match end(&program(&text)) {
            Stop::Exit(0) => {}
            other => panic!("{}: {other:?}", path.display()),
        }
    }
}

#[test]
fn gcc_agrees_about_them() {
    let dir = std::env::temp_dir().join(format!("clinch-gnu-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder for executables");
    for path in programs() {
        let binary = dir.join("program");
        let compiled = Command::new("gcc").arg("-w").arg("-o").arg(&binary).arg(&path).status();
        let Ok(compiled) = compiled else { return }; // There is no gcc.
        assert!(compiled.success(), "{}", path.display());
        let ended = Command::new(&binary).status().expect("the program starts");
        assert_eq!(ended.code(), Some(0), "{}", path.display());
    }
    std::fs::remove_dir_all(&dir).expect("the folder is ours");
}

#[test]
fn what_is_not_modelled_is_named_where_it_is_reached() {
    let cases = [
        ("typedef int v __attribute__((vector_size(16))); v a; int main(void) { return a[0]; }", "a vector"),
        ("_Complex double z; int main(void) { return z == 0; }", "a complex number"),
        ("int f(void) __attribute__((ifunc(\"r\"))); int main(void) { return f(); }", "attribute `ifunc` of `f`"),
        (
            "int f(void) __attribute__((never_heard_of)); int main(void) { return f(); }",
            "attribute `never_heard_of` of `f`",
        ),
        ("int x __attribute__((never_heard_of)); int main(void) { return x; }", "attribute `never_heard_of`"),
        (
            "struct s { int x; } __attribute__((never_heard_of)) s; int main(void) { return s.x; }",
            "attribute `never_heard_of`",
        ),
        (
            "int main(void) { int y = 1; int f(int x) { return x + y; } return f(1); }",
            "attribute `nested_function` of `f`",
        ),
        ("int main(void) { void *l = &&a; goto *l; a: return 0; }", "the address of a label"),
        (
            "void f(void) __attribute__((weak)); int main(void) { f(); return 0; }",
            "the weak symbol `f`, which is not defined",
        ),
        ("register long sp __asm__(\"rsp\"); int main(void) { return sp != 0; }", "attribute `register`"),
        (
            "static int f(int x __attribute__((never_heard_of))) { return x; } int main(void) { return f(1); }",
            "attribute `never_heard_of`",
        ),
        (
            "#pragma scalar_storage_order big-endian\nstruct s { int x; } s; int main(void) { return s.x; }",
            "#pragma scalar_storage_order",
        ),
        ("#pragma weak f\nint f(void); int main(void) { return f(); }", "#pragma weak of `f`"),
        (
            "typedef int low __attribute__((aligned(1))); low x, *p = &x; int main(void) { return __alignof__(*p); }",
            "an alignment that attributes may change",
        ),
        (
            "struct s { int x; }; struct s __attribute__((never_heard_of)) s; int main(void) { return s.x; }",
            "attribute `never_heard_of`",
        ),
        ("struct s { int x; } [[gnu::packed]] s; int main(void) { return s.x; }", "attribute `packed`"),
        (
            "int main(void) { const int c = 0; return _Generic(&c, int *: 1, const int *: 2); }",
            "qualifiers of what a pointer points to",
        ),
    ];
    for (text, reason) in cases {
        assert_eq!(unsupported(text), reason, "{text}");
    }
    assert!(unsupported("int main(void) { return __builtin_never_heard_of(1); }").contains("__builtin_never_heard_of"));
}

#[test]
fn harmless_attributes_change_nothing() {
    exits(
        "__attribute__((noinline, cold)) static int f(int x __attribute__((unused))) { return 3; } \
         [[maybe_unused]] static int y __attribute__((used, section(\"mine\"))) = 4; \
         int main(void) { switch (y) { case 4: y++; __attribute__((fallthrough)); default: return f(1) + y; } }",
        8,
    );
}

#[test]
fn the_order_of_evaluation_is_not_taken_for_granted() {
    const MATTERS: &str = "a value that depends on the order of evaluation";
    let cases = [
        "int g; int f(void) { return ++g; } int h(int a, int b) { return a * 10 + b; } int main(void) { return h(f(), f()); }",
        "int g; int f(int x) { g = x; return x; } int main(void) { int s = g + f(3); return s; }",
        "int main(void) { int i = 1, a[3] = { 0 }; a[i] = i++; return a[1]; }",
        "int s; int f(void) { s = 5; return 1; } int main(void) { s += f(); return s; }",
        "int st[8], sp; void push(int x) { st[sp++] = x; } int pop(void) { return st[--sp]; } \
         int main(void) { push(7); push(3); return pop() - pop(); }",
        "int g; int f(void) { g = 1; return 0; } int h(void) { return g; } int (*p)(void) = f; \
         int main(void) { if (p() + h()) return 1; return 0; }",
        "extern void exit(int); extern void reach_error(void); int f(void) { exit(0); return 1; } \
         int h(void) { reach_error(); return 1; } int main(void) { return f() + h(); }",
        "int g; void set(int *p) { *p = 1; } int f(int x) { set(&g); return x; } int main(void) { return f(g) + g; }",
    ];
    for text in cases {
        assert_eq!(unsupported(text), MATTERS, "{text}");
    }
}

#[test]
fn operands_that_do_not_meet_have_any_order() {
    exits(
        "int g; int f(int x) { return x + g; } int main(void) { int a[3] = { 1, 2, 3 }, i = 0; int s = f(1) + f(2); \
         a[i] = a[i + 1] + f(3); i = i + 1; a[i++] = 4; g += f(1); return s + a[0] + a[1] + i; }",
        3 + 5 + 4 + 2,
    );
    exits(
        "extern int __VERIFIER_nondet_int(void); int in(void) { int x = __VERIFIER_nondet_int(); return x; } \
         int main(void) { return in() - in() + __VERIFIER_nondet_int() * __VERIFIER_nondet_int(); }",
        0,
    );
    exits(
        "int a, b; int f(void) { return ++a; } int h(void) { return ++b; } int main(void) { return f() * 3 + h(); }",
        4,
    );
}

#[test]
fn long_chains_are_read() {
    let mut text = "int main(void) { int x = 1234, r = -1;".to_owned();
    for i in 0..1500 {
        text += &format!("{}if (x == {i}) r = {i};\n", if i > 0 { "else " } else { "" });
    }
    exits(&(text + "return r == 1234 ? 0 : 1; }"), 0);
    let sum: Vec<String> = (0..3000).map(|i| format!("x * {}", i % 7)).collect();
    let expected: i32 = (0..3000).map(|i| i % 7).sum();
    exits(&format!("int main(void) {{ int x = 1; return {} == {expected}; }}", sum.join(" + ")), 1);
}

fn program(text: &str) -> CfaProgram {
    linked(&[text])
}

/// Units of one program.
fn linked(texts: &[&str]) -> CfaProgram {
    let units: Vec<Unit> =
        texts.iter().enumerate().map(|(i, text)| Unit { name: format!("{i}.c"), text: (*text).to_owned() }).collect();
    read(&units, &Options::default()).unwrap_or_else(|error| panic!("{error:?}"))
}

#[test]
fn a_struct_may_be_opaque_in_another_unit() {
    let user =
        "struct s; struct s *make(int); int get(struct s *); int main(void) { return get(make(3)) == 3 ? 0 : 1; }";
    let maker = "struct s { int x; }; struct s *make(int); struct s *make(int); int get(struct s *); \
                 struct s one; struct s *make(int x) { one.x = x; return &one; } int get(struct s *p) { return p->x; }";
    for texts in [[user, maker], [maker, user]] {
        assert!(matches!(end(&linked(&texts)), Stop::Exit(0)));
    }
}

#[test]
fn a_weak_function_that_nobody_defines_is_absent() {
    let text = "void f(void) __attribute__((weak)); int main(void) { return f != 0; }";
    exits(text, 0);
    assert!(program(text).assumptions.iter().any(|a| a.starts_with("the weak symbol `f` is defined nowhere")));
}

#[test]
fn a_strong_definition_wins_over_a_weak_one() {
    let weak = "__attribute__((weak)) int f(void) { return 1; } int x __attribute__((weak)) = 1; int g(void) { return f() + x; }";
    let strong = "int f(void) { return 2; } int x = 3; int g(void); int main(void) { return g() == 5 ? 0 : 1; }";
    for texts in [[weak, strong], [strong, weak]] {
        assert!(matches!(end(&linked(&texts)), Stop::Exit(0)));
    }
}

#[test]
fn a_destructor_runs_at_every_exit() {
    let program = program(
        "extern void exit(int); extern void reach_error(void); int n; __attribute__((destructor)) static void d(void) { if (n) reach_error(); } \
         static void leave(void) { n = 1; exit(3); } int main(void) { leave(); return 0; }",
    );
    assert!(matches!(end(&program), Stop::Error(_)));
    let errors = program.procedures.iter().flat_map(|p| &p.edges).filter(|e| matches!(e.op, Op::Error(_)));
    assert_eq!(errors.count(), 1);
}
