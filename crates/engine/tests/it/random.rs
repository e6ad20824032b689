//! Random small models, as GCL text so that a failure can be read and run.

use proptest::prelude::*;

/// A model over variables `b` (Boolean), `x`, `y` (ranged), `a` (array), with two processes.
pub(crate) fn model() -> impl Strategy<Value = String> {
    (declarations(), process("P"), process("Q"), prop::option::of(command()), boolean()).prop_map(
        |(vars, p, q, command, error)| {
            let command = command.unwrap_or_default();
            format!("{vars}{p}{q}{command}error {error};\n")
        },
    )
}

/// The same over unbounded integers, without partial operations: possibly infinite.
pub(crate) fn unbounded_model() -> impl Strategy<Value = String> {
    let guard = || (linear(), comparison(), -1..4_i64).prop_map(|(l, c, k)| format!("{l} {c} {k}"));
    let update = prop_oneof![
        linear().prop_map(|e| format!("x := {e}")),
        linear().prop_map(|e| format!("y := {e}")),
        (linear(), linear()).prop_map(|(e, f)| format!("x := {e}, y := {f}")),
    ];
    let edge = (location(), location(), prop::option::of(guard()), prop::option::of(update))
        .prop_map(|(from, to, guard, update)| edge_text(from, to, guard, update));
    (prop::collection::vec(edge, 1..5), guard()).prop_map(|(edges, error)| {
        format!(
            "var x: int = 0;\nvar y: int = 1;\nprocess P {{\n  loc l, m, n;\n{}}}\nerror {error};\n",
            edges.concat()
        )
    })
}

fn declarations() -> impl Strategy<Value = String> {
    let init = |values: &'static [&'static str]| prop::sample::select(values);
    (
        init(&["", " = false", " = true"]),
        init(&["", " = 0", " = 1", " = 3"]),
        init(&[" = 0", " = -1"]),
        init(&["", " = 0"]),
    )
        .prop_map(|(b, x, y, a)| format!("var b: bool{b};\nvar x: 0..3{x};\nvar y: -1..2{y};\nvar a: 0..2[2]{a};\n"))
}

fn process(name: &'static str) -> impl Strategy<Value = String> {
    let edge = (location(), location(), prop::option::of(boolean()), prop::option::of(assignments()))
        .prop_map(|(from, to, guard, update)| edge_text(from, to, guard, update));
    prop::collection::vec(edge, 0..4)
        .prop_map(move |edges| format!("process {name} {{\n  loc l, m, n;\n{}}}\n", edges.concat()))
}

fn edge_text(from: &str, to: &str, guard: Option<String>, update: Option<String>) -> String {
    let guard = guard.map(|g| format!(" when {g}")).unwrap_or_default();
    let update = update.map(|u| format!(" do {u}")).unwrap_or_default();
    format!("  {from} -> {to}{guard}{update};\n")
}

fn location() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&["l", "m", "n"][..])
}

fn command() -> impl Strategy<Value = String> {
    (boolean(), assignments()).prop_map(|(guard, update)| format!("command when {guard} do {update};\n"))
}

fn assignments() -> impl Strategy<Value = String> {
    let b = prop_oneof![4 => boolean(), 1 => Just("input".to_owned())].prop_map(|e| format!("b := {e}"));
    // Mostly within the domain, sometimes a fault.
    let x = prop_oneof![
        2 => Just("(x + 1) % 4".to_owned()),
        2 => (0..4_i64).prop_map(|k| k.to_string()),
        1 => integer(),
        1 => Just("input".to_owned())
    ];
    let x = x.prop_map(|e| format!("x := {e}"));
    let y = prop_oneof![3 => (-1..3_i64).prop_map(|k| k.to_string()), 1 => integer()].prop_map(|e| format!("y := {e}"));
    let a = (prop::sample::select(&["0", "1", "x % 2", "x"][..]), 0..3_i64).prop_map(|(i, v)| format!("a[{i}] := {v}"));
    let (b, x, y, a) = (b.boxed(), x.boxed(), y.boxed(), a.boxed());
    let one = prop_oneof![b.clone(), x.clone(), y.clone(), a.clone()];
    prop_oneof![one, (x, y).prop_map(|(p, q)| format!("{p}, {q}")), (b, a).prop_map(|(p, q)| format!("{p}, {q}"))]
}

fn comparison() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&["=", "!=", "<", "<=", ">", ">="][..])
}

fn linear() -> impl Strategy<Value = String> {
    prop::sample::select(&["x", "y", "x + 1", "x - 1", "y + 1", "x + y", "x - y", "y - 2", "2 * x", "0", "1"][..])
        .prop_map(str::to_owned)
}

fn integer() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (-1..4_i64).prop_map(|k| k.to_string()),
        prop::sample::select(&["x", "y", "a[0]", "a[1]", "a[x]", "a[x % 2]"][..]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        // Mostly linear: solvers give up on the rest, and then nothing is tested.
        let linear = prop::sample::select(&["+", "-"][..]);
        let other = prop::sample::select(&["*", "/", "%", "&", "|", "^"][..]);
        let op = prop_oneof![3 => linear, 1 => other];
        prop_oneof![
            (inner.clone(), op, inner.clone()).prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(b ? {a} : {b})")),
            inner.prop_map(|a| format!("(~{a})")),
        ]
    })
}

fn boolean() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("b".to_owned()),
        prop::sample::select(&["P.l", "P.m", "Q.n", "not b"][..]).prop_map(str::to_owned),
        (integer(), comparison(), integer()).prop_map(|(a, c, b)| format!("({a} {c} {b})")),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        let op = prop::sample::select(&["and", "or"][..]);
        (inner.clone(), op, inner).prop_map(|(a, op, b)| format!("({a} {op} {b})"))
    })
}
