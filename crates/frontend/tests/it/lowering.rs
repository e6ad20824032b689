//! What models are translated to.

use std::fmt::Write;

use clinch_frontend::Language;
use clinch_ir::print::show;
use clinch_ir::{Init, Program, Rhs};
use expect_test::{Expect, expect};

use crate::read_ok;

fn check(language: Language, text: &str, expected: Expect) {
    expected.assert_eq(&describe(&read_ok(language, text)));
}

pub(crate) fn describe(program: &Program) -> String {
    let mut out = String::new();
    for var in &program.vars {
        let init: Vec<String> = var.init.iter().map(|i| show_init(program, &var.domain, *i)).collect();
        let len = var.len.map_or(String::new(), |n| format!("[{n}]"));
        writeln!(out, "var {}{len}: {:?} = {}", var.name, var.domain, init.join(", ")).unwrap();
    }
    for process in &program.processes {
        let initial = &process.locations[process.initial.index()];
        writeln!(out, "process {} {{{}}} from {initial}", process.name, process.locations.join(", ")).unwrap();
    }
    let term = |t| show(program, &program.terms, t);
    for transition in &program.transitions {
        writeln!(out, "{} when {}", transition.name, term(transition.guard)).unwrap();
        for block in &transition.blocks {
            let assigns = block.iter().map(|a| {
                let index = a.index.map_or(String::new(), |i| format!("[{}]", term(i)));
                let value = match a.value {
                    Rhs::Term(t) => term(t),
                    Rhs::Input => "input".to_owned(),
                };
                format!("{}{index} := {value}", program.var(a.var).name)
            });
            writeln!(out, "    {}", assigns.collect::<Vec<_>>().join(", ")).unwrap();
        }
    }
    if let Some(error) = program.property.error {
        writeln!(out, "error {}", term(error)).unwrap();
    }
    for predicate in &program.predicates {
        writeln!(out, "predicate {}", term(*predicate)).unwrap();
    }
    out
}

fn show_init(program: &Program, domain: &clinch_ir::Domain, init: Init) -> String {
    match init {
        Init::Value(v) => program.show_value(domain, v),
        Init::Any => "any".to_owned(),
    }
}

#[test]
fn philosophers() {
    let text = "
        const N = 2;
        var fork: bool[N] = false;
        process Phil(i: 0..N-1) {
          var meals: 0..3 = 0;
          loc think, hungry, eat;
          init hungry;
          think -> hungry;
          hungry -> eat when not fork[i] and not fork[(i+1) % N] do fork[i] := true, fork[(i+1) % N] := true;
          eat -> think do fork[i] := false, fork[(i+1) % N] := false, meals := (meals + 1) % 4;
        }
        error exists i: 0..N-1, j: i+1..N-1 : Phil[i].eat and Phil[j].eat;
        predicates Phil[0].meals > 0;";
    check(
        Language::Gcl,
        text,
        expect![[r#"
            var fork[2]: Bool = false, false
            var Phil[0].meals: Range { lo: 0, hi: 3 } = 0
            var Phil[1].meals: Range { lo: 0, hi: 3 } = 0
            process Phil[0] {think, hungry, eat} from hungry
            process Phil[1] {think, hungry, eat} from hungry
            Phil[0]: think -> hungry when true
            Phil[0]: hungry -> eat when not fork[0] and not fork[1]
                fork[0] := true, fork[1] := true
            Phil[0]: eat -> think when true
                fork[0] := false, fork[1] := false, Phil[0].meals := (Phil[0].meals + 1) % 4
            Phil[1]: think -> hungry when true
            Phil[1]: hungry -> eat when not fork[1] and not fork[0]
                fork[1] := true, fork[0] := true
            Phil[1]: eat -> think when true
                fork[1] := false, fork[0] := false, Phil[1].meals := (Phil[1].meals + 1) % 4
            error Phil[0].eat and Phil[1].eat
            predicate Phil[0].meals > 0
        "#]],
    );
}

#[test]
fn types_commands_and_inputs() {
    let text = "
        enum Phase { idle, wait }
        var t: int, x: 0..7[3] = [1, 2, 3], p: Phase = wait, q: Phase[2] = idle, count: int = 0;
        command tick when p = idle and q[0] != p do t := input, p := wait;
        command do x[t] := 1, x[t + 1] := 2;
        command when (forall i: 0..2 : x[i] > 0) => (count i: 0..2 : x[i] = 1) >= count;
        command when not t = 1 or !(p = wait) and t | 1 < 3 ? true : t << 2 > -t do count := count - 1 - 2 * (3 - t);";
    check(
        Language::Gcl,
        text,
        expect![[r#"
            var t: Unbounded = any
            var x[3]: Range { lo: 0, hi: 7 } = 1, 2, 3
            var p: Enum(["idle", "wait"]) = wait
            var q[2]: Enum(["idle", "wait"]) = idle, idle
            var count: Unbounded = 0
            tick when p = idle and q[0] != p
                t := input, p := 1
            command#2 when true
                x[t] := 1, x[t + 1] := 2
            command#3 when not (x[0] > 0 and x[1] > 0 and x[2] > 0) or (x[0] = 1 ? 1 : 0) + (x[1] = 1 ? 1 : 0) + (x[2] = 1 ? 1 : 0) >= count
            command#4 when t != 1 or p != wait and t | 1 < 3 ? true : t << 2 > -t
                count := count - 1 - 2 * (3 - t)
        "#]],
    );
}

#[test]
fn local_names_hide_global_ones() {
    let text = "
        var x: int = 1;
        const c = 5;
        process P(x: 1..2, y: 0..x-1) { var c: int = x; loc init; init -> init when c = x + y do c := 0; }
        command when exists x: 3..3 : P[2,1].c = x do x := c;";
    check(
        Language::Gcl,
        text,
        expect![[r#"
        var x: Unbounded = 1
        var P[1,0].c: Unbounded = 1
        var P[2,0].c: Unbounded = 2
        var P[2,1].c: Unbounded = 2
        process P[1,0] {init} from init
        process P[2,0] {init} from init
        process P[2,1] {init} from init
        P[1,0]: init -> init when P[1,0].c = 1
            P[1,0].c := 0
        P[2,0]: init -> init when P[2,0].c = 2
            P[2,0].c := 0
        P[2,1]: init -> init when P[2,1].c = 3
            P[2,1].c := 0
        command#1 when P[2,1].c = 3
            x := 5
    "#]],
    );
}

#[test]
fn parts_that_are_never_evaluated_may_name_missing_processes() {
    let text = "
        process P(i: 0..1) { loc a, b; a -> b when i > 0 and P[i-1].b or i = 0; }
        error forall i: 0..1 : i = 1 ? P[i].a : P[i+1].b;";
    check(
        Language::Gcl,
        text,
        expect![[r#"
        process P[0] {a, b} from a
        process P[1] {a, b} from a
        P[0]: a -> b when true
        P[1]: a -> b when P[0].b
        error P[1].b and P[1].a
    "#]],
    );
}

#[test]
fn numbers_are_truth_values_in_dve() {
    let text = "
        byte x = 3, a[2] = {1, 2, 3}; int y = -1;
        const int K = 2 + 1;
        process P { byte x; state s, t; init t;
          trans s -> t { guard x && !(y == 0) and not y; effect x = x + 1, y = x == K, a = a[1]; },
                -> s { guard (Q.s + Q.t > 1) || Q.s == 1 || Q->z; effect a[x] = y - 1, y = y + y, x = K; };
        }
        process Q { int z; state s, t; init s; trans s -> t {}; }
        system async;";
    check(
        Language::Dve,
        text,
        expect![[r#"
            var x: Range { lo: 0, hi: 255 } = 3
            var a[2]: Range { lo: 0, hi: 255 } = 1, 2
            var y: Range { lo: -32768, hi: 32767 } = -1
            var P->x: Range { lo: 0, hi: 255 } = 0
            var Q->z: Range { lo: -32768, hi: 32767 } = 0
            process P {s, t} from t
            process Q {s, t} from s
            P: s -> t when P->x != 0 and y != 0 and y == 0
                P->x := (P->x + 1) % 256
                y := P->x == 3, a[0] := a[1]
            P: s -> s when Q.s + Q.t > 1 or Q.s or Q->z != 0
                a[P->x] := (y - 1) % 256, y := (y + y + 32768) % 65536 - 32768, P->x := 3
            Q: s -> t when 1
        "#]],
    );
}

#[test]
fn a_send_meets_every_receiver_but_its_own_process() {
    let text = "
        channel c, d, dead;
        byte g;
        process P { byte i; state s; init s;
          trans s -> s { guard i < 2; sync c ! i+300; effect i = i + 1, g = i; },
                s -> s { sync c?g; },
                s -> s { sync d!; };
        }
        process Q { byte buf[2], n; state s, t; init s;
          trans s -> t { guard n == 0; sync c?buf[n]; effect n = n + 1; },
                t -> s { sync d?; },
                t -> t { sync dead?n; };
        }
        process R { state s; init s; trans s -> s { sync c!-1; }; }
        system async;";
    check(
        Language::Dve,
        text,
        expect![[r#"
        var g: Range { lo: 0, hi: 255 } = 0
        var P->i: Range { lo: 0, hi: 255 } = 0
        var Q->buf[2]: Range { lo: 0, hi: 255 } = 0, 0
        var Q->n: Range { lo: 0, hi: 255 } = 0
        process P {s} from s
        process Q {s, t} from s
        process R {s} from s
        P: s -> s c ! i+300 / Q: s -> t when P->i < 2 and Q->n == 0
            Q->buf[Q->n] := (P->i + 300) % 256, P->i := (P->i + 1) % 256
            g := P->i, Q->n := (Q->n + 1) % 256
        P: s -> s d! / Q: t -> s when 1
        R: s -> s c!-1 / P: s -> s when 1
            g := 255
        R: s -> s c!-1 / Q: s -> t when Q->n == 0
            Q->buf[Q->n] := 255, Q->n := (Q->n + 1) % 256
    "#]],
    );
}
