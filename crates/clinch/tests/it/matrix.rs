//! Every engine on every input: the matrix of the README, cell by cell.

use serde_json::Value;

use crate::{clinch, code, root, stderr};

const ENGINES: &[&str] =
    &["explicit", "alpha", "split", "cegar", "lazy", "bounded", "kinduction", "ic3", "spds", "spacer"];

/// A language: how its files end, a text in which `ERROR` stands for what must not be reached, and that for a safe one and another.
type Language = (&'static str, &'static str, &'static str, [&'static str; 2]);

const LANGUAGES: &[Language] = &[
    (
        "C",
        "c",
        "extern char __VERIFIER_nondet_char(void); extern void reach_error(void);
         int main(void) { int x = 0; while (x < 4 && __VERIFIER_nondet_char()) x++; if (ERROR) reach_error(); return 0; }",
        ["x > 4", "x > 2"],
    ),
    (
        "GCL",
        "gcl",
        "var x: 0..9 = 0; var y: 0..9 = 0; command when x < 4 do x := x + 1, y := y + 1; error ERROR;",
        ["x != y", "x = 3"],
    ),
    (
        "DVE",
        "dve",
        "byte x = 0; process P { state s, bad; init s; trans s -> s { guard x < 4; effect x = x + 1; }, s -> bad { guard ERROR; effect x = 9; },
         bad -> bad { guard x == 10; }; } system async;",
        ["x > 4", "x == 3"],
    ),
    (
        "ARMC",
        "armc",
        "var2names(p(_, data(X, Y)), [(X, x), (Y, y)]). start(pc(init)). error(pc(bad)).
         r(p(pc(init), data(X, Y)), p(pc(loop), data(X1, Y1)), [], [X1 = 0, Y1 = 0], 1).
         r(p(pc(loop), data(X, Y)), p(pc(loop), data(X1, Y1)), [X < 4], [X1 = X + 1, Y1 = Y + 1], 2).
         r(p(pc(loop), data(X, Y)), p(pc(bad), data(X, Y)), [ERROR], [], 3).",
        ["X > Y", "X > 2"],
    ),
    (
        "Remopla",
        "rem",
        "int x(4); module void main() { x = 0; do :: x < 4 && true -> x = x + 1; :: true -> break; od; if :: ERROR -> ERROR: skip; :: else -> skip; fi; }",
        ["x > 4", "x > 2"],
    ),
    (
        "Boolean programs",
        "bp",
        "void main() begin decl a, b; a := 0; b := *; if (*) then a := b; fi if (ERROR) then goto ERROR; fi return; ERROR: skip; end",
        ["a & !b", "a & b"],
    ),
    (
        "Horn clauses",
        "smt2",
        "(set-logic HORN) (declare-fun inv (Int Int) Bool)
         (assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (inv x y))))
         (assert (forall ((x Int) (y Int)) (=> (and (inv x y) (< x 4)) (inv (+ x 1) (+ y 1)))))
         (assert (forall ((x Int) (y Int)) (=> (and (inv x y) ERROR) false)))",
        ["(> x y)", "(> x 2)"],
    ),
];

/// What an engine says of the safe and of the other text: `both`, `proof`, `bug`, or nothing (`-`). It is never wrong, and where it says nothing it
/// says why.
fn cell(engine: &str, (name, extension, text, errors): &Language) -> &'static str {
    let folder = tempfile::tempdir().expect("a folder");
    let mut known = [false; 2];
    for (i, error) in errors.iter().enumerate() {
        let file = folder.path().join(format!("{}.{extension}", ["safe", "unsafe"][i])).display().to_string();
        // A label may be called like that too.
        let text = if *extension == "rem" || *extension == "bp" {
            text.replacen("ERROR ->", &format!("{error} ->"), 1).replacen("(ERROR)", &format!("({error})"), 1)
        } else {
            text.replace("ERROR", error)
        };
        std::fs::write(&file, text).expect("written");
        let mut args = vec!["--engine", engine, "--timeout", "20s"];
        match *extension {
            "dve" => args.extend(["--error", "P.bad"]),
            "rem" | "bp" => args.extend(["--label", "ERROR"]),
            _ => {}
        }
        let output = clinch(&[&["check", &file, "--json"][..], &args].concat());
        let object: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        match code(&output) {
            64 => assert!(stderr(&output).contains("does not go with"), "{engine} on {name}"),
            2 => assert!(object["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{engine} on {name}"),
            code => {
                assert_eq!(code, i as i32, "{engine} on {name}: {object}");
                assert_eq!(object["certified"], true, "{engine} on {name}");
                known[i] = true;
            }
        }
    }
    match known {
        [true, true] => "both",
        [true, false] => "proof",
        [false, true] => "bug",
        [false, false] => "-",
    }
}

#[test]
fn every_engine_on_every_input() {
    let mut matrix = format!("| | {} |\n|---|{}\n", ENGINES.join(" | "), "---|".repeat(ENGINES.len()));
    for language in LANGUAGES {
        let cells: Vec<&str> = ENGINES.iter().map(|engine| cell(engine, language)).collect();
        matrix += &format!("| {} | {} |\n", language.0, cells.join(" | "));
    }
    let readme = std::fs::read_to_string(root().join("README.md")).expect("there is one");
    assert!(readme.contains(&matrix), "the README shows another matrix than this:\n{matrix}");
}
