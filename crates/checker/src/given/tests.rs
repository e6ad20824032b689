use std::path::Path;

use clinch_engine::options::{OptionForm, ValueForm};
use clinch_frontend::Numbers;
use clinch_frontend::c::types::DataModel;
use clinch_ir::cfa::{Check, Integers};

use super::*;
use crate::check;
use crate::task::{self, Define, Error, Source};

/// An input of each kind, as the name of a file and its text. The others stand beside the task.
const INPUTS: [(Kind, &str, &str); 9] = [
    (
        C,
        "p.c",
        "#ifdef N\nint n = N;\n#endif\nvoid reach_error(void); int limit;\nvoid *malloc(unsigned long);\nint start(void) { return malloc(4) == 0; }\nint main(void) { if (limit == 1) reach_error(); return start(); }\n",
    ),
    (
        Preprocessed,
        "p.i",
        "void reach_error(void); int limit;\nvoid *malloc(unsigned long);\nint start(void) { return malloc(4) == 0; }\nint main(void) { if (limit == 1) reach_error(); return start(); }\n",
    ),
    (Task, "t.yml", "format_version: '2.0'\ninput_files: p.c\n"),
    (
        Remopla,
        "p.rem",
        "define N 3\nint x(N);\nmodule void main() { if :: x == 1 -> goto error; :: else -> skip; fi return; error: skip; there: skip; }",
    ),
    (Boolean, "p.bp", "decl g;\nvoid main() begin g := *; if (g) then error: skip; fi there: skip; end\n"),
    (Guarded, "m.gcl", "const N = 3;\nvar x: 0..N = 0;\ncommand when x < 2 do x := x + 1;\nerror x = 3;\n"),
    (
        Divine,
        "m.dve",
        "const byte N = 3;\nbyte x;\nprocess P { state a; init a; trans a -> a { guard x < N; effect x = x + 1; }; }\nsystem async;\n",
    ),
    (
        Constraints,
        "m.armc",
        "var2names(p(_, data(X)), [(X, x)]).\nstart(pc(a)).\nerror(pc(e)).\nr(p(pc(a), data(X)), p(pc(e), data(X)), [X > 2], [], 1).\n",
    ),
    (
        Clauses,
        "m.smt2",
        "(set-logic HORN)\n(declare-fun p (Int) Bool)\n(assert (forall ((x Int)) (=> (= x 0) (p x))))\n(assert (forall ((x Int)) (=> (and (p x) (> x 5)) false)))\n(check-sat)\n",
    ),
];

/// A task and options, to be changed.
type Asked = (task::Task, Options);
/// What would be run, as text, or the message of wrong usage.
type Prepared = Result<String, String>;

/// What a common option changes.
fn common(option: &str) -> fn(&mut Asked) {
    match option {
        "define" => |(t, _)| t.reading.defines.push(Define { name: "N".to_owned(), value: Some("2".to_owned()) }),
        "label" => |(t, _)| t.reading.label = Some("there".to_owned()),
        "error" => |(t, _)| t.reading.error = Some("x > 1".to_owned()),
        "deadlock" => |(t, _)| t.reading.deadlock = true,
        "predicate" => |(t, _)| t.reading.predicates.push("x > 1".to_owned()),
        "numbers" => |(t, _)| t.reading.numbers = Some(Numbers::Rational),
        "data-model" => |(t, _)| t.reading.data_model = Some(DataModel::Ilp32),
        "integers" => |(t, _)| t.reading.integers = Some(Integers::Mathematical),
        "entry" => |(t, _)| t.reading.entry = Some("start".to_owned()),
        "depth" => |(t, _)| {
            (t.reading.entry, t.reading.depth) = (Some("start".to_owned()), Some(1));
            t.reading.asked = Some(crate::Asked::Checks(Check::Dereference.into()));
        },
        "length" => |(t, _)| {
            (t.reading.entry, t.reading.length) = (Some("start".to_owned()), Some(1));
            t.reading.asked = Some(crate::Asked::Checks(Check::Dereference.into()));
        },
        "malloc-may-fail" => |(t, _)| t.reading.malloc_may_fail = true,
        "extern" => |(t, _)| {
            (t.reading.externs_write, t.reading.asked) = (true, Some(crate::Asked::Checks(Check::Dereference.into())));
        },
        "environment" => |(t, _)| t.reading.environment = Environment::Strict,
        "globals-as-inputs" => |(t, _)| t.reading.globals_as_inputs = true,
        "check" => |(t, _)| t.reading.asked = Some(crate::Asked::Checks(Check::Overflow.into())),
        "property" => |(t, _)| t.reading.asked = Some(crate::Asked::Property(crate::Property::NoOverflow)),
        "cpp-flag" => |(t, _)| t.reading.cpp_flags.push("-DN=7".to_owned()),
        "dot" => |(_, o)| o.wanted.tree = true,
        "threads" => |(_, o)| o.threads = Some(2),
        "share" => |(_, o)| o.share = false,
        "predicates" => |(_, o)| o.predicates = Some(("predicates".to_owned(), String::new())),
        "save-predicates" => |(_, o)| o.wanted.predicates = true,
        other => panic!("{other}"),
    }
}

/// Values for an option of an engine.
fn values(form: &ValueForm) -> Vec<String> {
    match form {
        ValueForm::Flag => vec![String::new()],
        ValueForm::Word(words) => words.iter().map(|word| (*word).to_owned()).collect(),
        ValueForm::Number(range, _) => vec![(range.start() + 5).to_string()],
        ValueForm::Interval => vec!["0..3".to_owned()],
        ValueForm::Path => vec!["a-path".to_owned()],
    }
}

/// What would be run, as text, or the message of wrong usage.
fn prepared(asked: &Asked) -> Prepared {
    match check::prepare(&asked.0, &asked.1, None) {
        Ok(prepared) => Ok(format!("{prepared:?} {:?} {}", asked.1.threads, asked.1.share)),
        Err(Error::Usage(text)) => Err(text),
        Err(other) => panic!("{asked:?}: {other:?}"),
    }
}

/// Every option, with every value, on every kind of input and with every engine: it changes what is run, or it is an error that
/// names it, as the declarations say.
#[test]
fn an_option_is_used_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for (_, name, text) in INPUTS {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let mut wrong = Vec::new();
    for (kind, name, _) in INPUTS {
        for &engine in EngineName::ALL {
            let plain = asked(&folder.path().join(name), engine);
            let before = prepared(&plain);
            if before.is_ok() {
                wrong.extend(wrong_with(kind, &plain, &before));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn asked(file: &Path, engine: EngineName) -> Asked {
    let task = task::Task { sources: vec![Source::file(file)], ..task::Task::default() };
    (task, Options { engine, ..Options::default() })
}

/// All that is wrong with options on one input and engine.
fn wrong_with(kind: Kind, plain: &Asked, before: &Prepared) -> Vec<String> {
    // What is made of a report changes nothing in it.
    let is_made_of_it = |name: &&str| ["harness", "witness", "witness-version"].contains(name);
    let mut names: Vec<&str> = COMMON.iter().map(|(name, ..)| *name).filter(|name| !is_made_of_it(name)).collect();
    names.dedup();
    let mut wrong: Vec<String> = names
        .into_iter()
        .filter_map(|name| {
            let mut changed = plain.clone();
            common(name)(&mut changed);
            wrong_option((kind, plain.1.engine), name, before, &[prepared(&changed)])
        })
        .collect();
    let forms: Vec<OptionForm> = EngineName::ALL.iter().flat_map(|engine| engine.options()).collect();
    let mut names: Vec<&str> = forms.iter().map(|form| form.name).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        // Of one name there are several options, with different values.
        let values = forms.iter().filter(|form| form.name == name).flat_map(|form| values(&form.value));
        let tried = values.map(|value| {
            let mut changed = plain.clone();
            changed.1.settings = changed.1.settings.with(name, &value);
            if name == "keep-subtree" {
                changed.1.settings = changed.1.settings.with("local", "subtree");
            }
            prepared(&changed)
        });
        wrong.extend(wrong_option((kind, plain.1.engine), name, before, &tried.collect::<Vec<_>>()));
    }
    wrong
}

/// Holds what became of one option against its scope: what is wrong, if something is.
fn wrong_option(
    (kind, engine): (Kind, EngineName),
    name: &str,
    before: &Prepared,
    tried: &[Prepared],
) -> Option<String> {
    let engine = chosen(engine, kind);
    let applies = scopes(name).iter().any(|(kinds, engines)| kinds.contains(&kind) && engines.contains(&engine));
    let used = tried.iter().any(|outcome| outcome.is_ok() && outcome != before);
    let named = |outcome: &Prepared| matches!(outcome, Err(text) if text.starts_with("--"));
    // Rational numbers make clauses of a system, which not every engine takes.
    let clauses = |text: &String| text.ends_with("does not go with Horn clauses");
    let used = used || tried.iter().any(|outcome| outcome.as_ref().is_err_and(clauses));
    let wrong = if applies { !used } else { !tried.iter().all(named) };
    wrong.then(|| format!("--{name} on {kind:?} with {engine:?}, applies: {applies}"))
}

/// On models, `auto` alone has chosen an engine, whose options are used.
fn chosen(engine: EngineName, kind: Kind) -> EngineName {
    match (engine, kind) {
        (Auto, Clauses | Constraints) => Cegar,
        (Auto, Guarded | Divine) => Explicit,
        (engine, _) => engine,
    }
}
