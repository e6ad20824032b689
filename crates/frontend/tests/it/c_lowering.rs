//! The shape of automata.

use clinch_frontend::c::lower::{LowerOptions, lower};
use clinch_frontend::c::{CheckOptions, Unit, check, split_long_doubles};
use clinch_ir::cfa::{CfaProgram, InputKind, Integers, Op, Procedure};

use crate::c_wellformed::problems;

fn lowered_with(text: &str, options: &LowerOptions) -> Result<CfaProgram, String> {
    let units = [Unit { name: "t.c".to_owned(), text: text.to_owned() }];
    let (mut hir, source) = check(&units, &CheckOptions::default()).map_err(|e| e.to_string())?;
    split_long_doubles(&mut hir);
    lower(&hir, source, options).map_err(|e| e.to_string())
}

/// The automata of a correct program (LP64).
pub(crate) fn lowered(text: &str) -> CfaProgram {
    lowered_with(text, &LowerOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn procedure<'p>(program: &'p CfaProgram, name: &str) -> &'p Procedure {
    program.procedures.iter().find(|p| p.name == name).expect("the procedure exists")
}

/// The kinds of edges of `main`, in order.
fn edges(text: &str) -> String {
    let program = lowered(text);
    assert_eq!(problems(&program), Vec::<String>::new());
    let kinds = procedure(&program, "main").edges.iter().map(|e| match &e.op {
        Op::Assign(assigns) => format!("assign{}", assigns.len()),
        Op::Error(what) => format!("error({what})"),
        Op::Undefined(what) => format!("undefined({what})"),
        Op::Unsupported(what) => format!("unsupported({what})"),
        op => format!("{op:?}").split(['(', ' ']).next().expect("a word").to_lowercase(),
    });
    kinds.collect::<Vec<_>>().join(" ")
}

#[test]
fn no_edge_is_wasted() {
    assert_eq!(edges("int main(void) { int x = 1; x++; return x; }"), "assign1 assign1 return");
    assert_eq!(edges("int f(int); int main(void) { int x = f(2); return x; }"), "input return");
    assert_eq!(edges("int f(int a) { return a; } int main(void) { int x = f(2); return x; }"), "call return");
    // The value before and the update are one step.
    assert_eq!(edges("int main(void) { int x = 1, y = x++; return y; }"), "assign1 assign2 return");
    assert_eq!(edges("int a[3]; int main(void) { int i = 0; a[i++] = 5; return i; }"), "assign1 assign2 return");
    // Branches write the variable itself.
    assert_eq!(
        edges("int f(int a) { return a; } int main(void) { int y = f(1) ? f(2) : 3; return y; }"),
        "call assume assume call assign1 return"
    );
}

#[test]
fn pure_conditions_are_terms() {
    assert_eq!(
        edges("int main(void) { int x, y; if (x < y && !(y > 3)) return 1; return x ? y : 2; }")
            .matches("assume")
            .count(),
        2
    );
    // Memory is read only where C reads it.
    assert_eq!(
        edges("int main(void) { int x, *p; if (p && *p > x) return 1; return 0; }").matches("assume").count(),
        4
    );
}

#[test]
fn loops_that_do_nothing_stay() {
    assert_eq!(edges("int main(void) { for (;;); }"), "skip");
    assert_eq!(edges("int main(void) { a: goto b; b: goto a; }"), "skip");
    assert_eq!(edges("int main(void) { do { } while (0); return 0; }"), "return");
}

#[test]
fn unreachable_code_is_left_out() {
    assert_eq!(edges("int main(void) { return 1; int x = 3; return x; }"), "return");
    assert_eq!(edges("int main(void) { if (0) return 1; while (1) { break; } return 2; }"), "return");
}

#[test]
fn switches_branch_once() {
    let text =
        "int main(void) { int x; switch (x) { case 1: case 2: return 1; case 5 ... 9: x = 3; default: return x; } }";
    assert_eq!(edges(text), "input return assign1 return assume assume assume");
}

#[test]
fn errors() {
    assert_eq!(edges("void __VERIFIER_error(void); int main(void) { __VERIFIER_error(); }"), "error(__VERIFIER_error)");
    assert_eq!(edges("void reach_error(void) { } int main(void) { reach_error(); }"), "error(reach_error)");
    assert_eq!(
        edges("int main(void) { int x; if (x) ERROR: return 1; return 0; }").matches("error(label ERROR)").count(),
        1
    );
    let asserts = edges("void assert(int); int main(void) { int x = 1; assert(x > 0); return 0; }");
    assert!(asserts.contains("error(assertion x > 0)"), "{asserts}");
    let failed = "void __assert_fail(const char *, const char *, unsigned, const char *);
                  int main(void) { int x; if (!x) __assert_fail(\"x\", \"f\", 1, \"m\"); return 0; }";
    assert!(edges(failed).contains("error(assertion x)"));
}

/// Barriers for the compiler and the machine, and ways to hide a value from the compiler.
#[test]
fn assembler_text_that_computes_nothing_is_read() {
    let body = |text: &str| edges(&format!("int main(void) {{ int x = 3, y = 4; long z = 5; {text} return x; }}"));
    let nothing = body("");
    for text in [
        "asm(\"nop\");",
        "__asm__ volatile (\"\" : : : \"memory\");",
        "asm volatile (\"lock; addl $0,0(%%rsp)\" : : : \"memory\", \"cc\");",
        "asm (\"\" : \"+r\"(x) : \"r\"(y));",
        "if (x) asm volatile (\"mfence\"); else asm volatile (\"lfence\");",
    ] {
        assert!(!body(text).contains("inline assembly"), "{text}");
    }
    assert_eq!(body("asm volatile (\"sfence\" : : \"r\"(x) : \"memory\");"), nothing);
    assert_eq!(body("asm (\"\" : \"=r\"(x) : \"0\"(y));"), body("x = y;"));
    for text in ["asm (\"\" : \"=r\"(x));", "asm (\"\" : \"=r\"(x) : \"0\"(z));", "asm (\"\" : \"=r\"(x) : \"r\"(y));"]
    {
        assert!(body(text).contains("unsupported(inline assembly)"), "{text}");
    }
}

#[test]
fn what_is_not_modelled_is_said_where_it_is_reached() {
    let threads = edges(
        "int pthread_create(void *, void *, void *, void *); int main(void) { return pthread_create(0, 0, 0, 0); }",
    );
    assert_eq!(threads, "unsupported(threads (`pthread_create`))");
    assert_eq!(
        edges("int main(void) { int x = 1; asm(\"incl %0\" : \"+r\"(x)); return 0; }"),
        "assign1 unsupported(inline assembly)"
    );
    let opaque = lowered("_Float128 d; int main(void) { d = d * 2; return d > 1; }");
    assert!(opaque.inputs.iter().all(|i| matches!(i.kind, InputKind::Opaque(_))));
    assert_eq!(opaque.inputs.len(), 2);
    for ty in ["double", "long double"] {
        let exact = lowered(&format!("{ty} d; int main(void) {{ d = d * 2; return d > 1; }}"));
        assert!(exact.inputs.is_empty(), "{ty}");
    }
}

#[test]
fn calls_through_pointers() {
    let text = "int f(int a) { return a; } int g(int a) { return -a; } int unused(int a) { return 0; }
                int main(void) { int x; int (*p)(int) = x ? f : g; return p(3); }";
    let kinds = edges(text);
    assert_eq!(kinds.matches("call").count() - kinds.matches("a call").count(), 2, "{kinds}");
    assert!(kinds.contains("undefined(a call through a pointer that holds no function of a suitable type)"));
    let program = lowered(text);
    assert!(program.procedures.iter().all(|p| p.name != "unused"));
    assert_eq!(program.procedures.iter().filter(|p| p.address.is_some()).count(), 2);
}

#[test]
fn scalars_stay_scalars() {
    let program = lowered(
        "struct p { int x, y; } g; struct p mk(int a) { struct p r = { a, 2 }; return r; }
         int main(void) { struct p a = mk(1), b = a; g = b; int k; int *q = &k; *q = 1; return b.y; }",
    );
    let objects: Vec<&str> = program.objects.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(objects, ["k"]);
    assert_eq!(program.regions.len(), 1);
}

#[test]
fn fields_are_regions_of_their_own() {
    let program = lowered(
        "struct n { struct n *next; int v; char tag[4]; }; void *malloc(unsigned long);
         int main(void) { struct n *h = 0; for (int i = 0; i < 3; i++) { struct n *m = malloc(sizeof *m); m->next = h;
         m->v = i; m->tag[i] = 'x'; h = m; } return h->next->v + h->tag[1]; }",
    );
    let mut regions: Vec<(&str, u32)> = program.regions.iter().map(|r| (r.name.as_str(), r.cell_bytes)).collect();
    regions.sort_unstable();
    assert_eq!(regions, [("heap", 1), ("n.next", 8), ("n.v", 4)]);
}

#[test]
fn types_that_overlap_are_bytes() {
    let program = lowered("union { int i; char c[4]; } u; int main(void) { u.i = 1; return u.c[0]; }");
    assert_eq!(program.regions.iter().map(|r| r.cell_bytes).collect::<Vec<_>>(), [1]);
}

#[test]
fn local_objects_are_fixed_unless_calls_nest() {
    let fixed = lowered("void f(int *p) { *p = 1; } int main(void) { int x; f(&x); return x; }");
    assert!(fixed.objects.iter().any(|o| o.name == "x"));
    let nested =
        lowered("int f(int n) { int x = n, *p = &x; if (n) f(n - 1); return *p; } int main(void) { return f(3); }");
    assert!(nested.objects.is_empty());
    assert!(procedure(&nested, "f").edges.iter().any(|e| matches!(e.op, Op::Alloc { .. })));
}

#[test]
fn mathematical_integers() {
    let options = LowerOptions { integers: Integers::Mathematical, ..LowerOptions::default() };
    let text = "int a[4]; unsigned char c; int main(void) { unsigned x; c = x; a[1] = x / 3 % 2; return a[1] << 2; }";
    let program = lowered_with(text, &options).expect("it is correct");
    assert_eq!(problems(&program), Vec::<String>::new());
    let punned = "union { int i; char c[4]; } u; int main(void) { u.i = 1; return u.c[0]; }";
    let program = lowered_with(punned, &options).expect("it is correct");
    assert!(matches!(procedure(&program, "main").edges[0].op, Op::Unsupported(_)));
}

#[test]
fn assumptions_are_listed() {
    let program =
        lowered("int get(void); void *malloc(unsigned long); int main(void) { malloc(3); return get() + get(); }");
    assert_eq!(
        program.assumptions,
        [
            "memory is never exhausted: `malloc` and the like do not return a null pointer",
            "`get` has no body: it returns any value and changes nothing",
        ]
    );
}

#[test]
fn wrong_programs() {
    let refused = |text: &str, entry: &str| {
        let options = LowerOptions { entry: entry.to_owned(), ..LowerOptions::default() };
        lowered_with(text, &options).expect_err("it is wrong")
    };
    assert!(refused("int f(void) { return 1; }", "main").starts_with("there is no function `main`; --entry names"));
    assert_eq!(refused("int f(void) { return 1; }", "g"), "there is no function `g`");
    assert_eq!(refused("int main(void);", "main"), "the entry function `main` has no body");
}

#[test]
fn other_entries_take_inputs() {
    let options = LowerOptions { entry: "f".to_owned(), globals_are_inputs: true, ..LowerOptions::default() };
    let text =
        "struct s { int a; char *p; }; int g = 3, t[100]; int f(int x, struct s s) { return x + s.a + g + t[x]; }";
    let program = lowered_with(text, &options).expect("it is correct");
    assert_eq!(problems(&program), Vec::<String>::new());
    let mut names: Vec<String> = program.inputs.iter().map(|i| format!("{:?}", i.kind)).collect();
    names.dedup();
    let globals = ["g", "t"].map(|n| format!("Environment({n:?})"));
    let parameters = ["x", "s.a", "s.p"].map(|n| format!("Parameter({n:?})"));
    let expected: Vec<String> = globals.into_iter().chain(parameters).collect();
    assert_eq!(names, expected);
    assert_eq!(program.assumptions[0], "the parameters of `f` hold any values");
    assert!(program.assumptions[1].starts_with("pointers from outside"), "{:?}", program.assumptions);
}
