use std::ffi::OsString;

use clap::CommandFactory;

use super::*;
use crate::check::{self, Stop};
use crate::cli::{self, Cli, Command as Typed, Format};
use crate::exit;

/// Options that have their effect after the engine is chosen; each has tests of its own.
const LATER: [&str; 11] = [
    "harness",
    "engine",
    "seed",
    "timeout",
    "memory",
    "max-iterations",
    "certify",
    "strict",
    "progress",
    "json",
    "format",
];

/// An input of each kind, as the name of a file and its text. The others stand beside the task.
const INPUTS: [(Kind, &str, &str); 9] = [
    (
        C,
        "p.c",
        "#ifdef N\nint n = N;\n#endif\nvoid reach_error(void); int limit;\nint start(void) { return 0; }\nint main(void) { if (limit == 1) reach_error(); return start(); }\n",
    ),
    (
        Preprocessed,
        "p.i",
        "void reach_error(void); int limit;\nint start(void) { return 0; }\nint main(void) { if (limit == 1) reach_error(); return start(); }\n",
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

/// A value for an option whose values are not listed.
fn sample(option: &str, folder: &Path) -> Option<String> {
    let file = |name: &str| folder.join(name).display().to_string();
    Some(match option {
        "define" => "N=2".to_owned(),
        "label" => "there".to_owned(),
        "error" | "predicate" => "x > 1".to_owned(),
        "entry" => "start".to_owned(),
        "cpp-flag" => "-DN=7".to_owned(),
        "dot" | "save-predicates" | "harness" => file("written"),
        "predicates" => file("predicates"),
        "int-bits" => "5".to_owned(),
        "heap-bits" => "64".to_owned(),
        "threads" => "2".to_owned(),
        "add-all" => "4".to_owned(),
        "input-domain" => "0..3".to_owned(),
        _ => return None,
    })
}

/// What is typed for an option, one list for each value to try.
fn typed(option: &clap::Arg, folder: &Path) -> Vec<Vec<String>> {
    let long = option.get_long().expect("a name");
    let flag = format!("--{long}");
    if !option.get_action().takes_values() {
        let needed: &[&str] = if long == "keep-subtree" { &["--local", "subtree"] } else { &[] };
        return vec![std::iter::once(flag).chain(needed.iter().map(|n| (*n).to_owned())).collect()];
    }
    let listed = option.get_possible_values();
    if listed.is_empty() {
        let value = sample(long, folder).unwrap_or_else(|| panic!("no value for --{long}"));
        return vec![vec![format!("{flag}={value}")]];
    }
    listed.iter().map(|value| vec![format!("{flag}={}", value.get_name())]).collect()
}

/// What would be run, as text, or the message of wrong usage.
fn prepared(file: &Path, engine: EngineName, option: &[String]) -> Result<String, String> {
    let start = ["clinch", "check", "--engine", engine.name()].map(OsString::from);
    let all = start.into_iter().chain([file.into()]).chain(option.iter().map(OsString::from));
    let (cli, given) = cli::parse(all).unwrap_or_else(|error| panic!("{option:?}: {error}"));
    let Typed::Check(args) = cli.command else { panic!("not a check") };
    match check::prepare(&args, &given, Format::Text) {
        Ok(prepared) => Ok(format!("{prepared:?}")),
        Err(Stop::Error(text, exit::USAGE)) => Err(text),
        Err(other) => panic!("{} {engine:?} {option:?}: {other:?}", file.display()),
    }
}

/// Every option of `check`, with every value, on every kind of input and with every engine: it changes what is run, or it is an
/// error that names it, as the table says.
#[test]
fn an_option_is_used_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for (_, name, text) in INPUTS {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    std::fs::write(folder.path().join("predicates"), "").expect("written");
    let cli = Cli::command();
    let options: Vec<&clap::Arg> = cli.find_subcommand("check").expect("a command").get_arguments().collect();
    let options: Vec<&clap::Arg> =
        options.into_iter().filter(|o| o.get_long().is_some_and(|long| !LATER.contains(&long))).collect();
    let mut wrong = Vec::new();
    for (kind, name, _) in INPUTS {
        let file = folder.path().join(name);
        for &engine in ALL_ENGINES {
            let Ok(plain) = prepared(&file, engine, &[]) else { continue };
            let task = Plain { kind, file: &file, engine, text: plain };
            wrong.extend(options.iter().filter_map(|option| task.wrong(option, folder.path())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An input and an engine, and what is run without options.
struct Plain<'a> {
    kind: Kind,
    file: &'a Path,
    engine: EngineName,
    text: String,
}

impl Plain<'_> {
    /// Holds one option against the table: what is wrong, if something is.
    fn wrong(&self, option: &clap::Arg, folder: &Path) -> Option<String> {
        let long = option.get_long().expect("a name");
        let row = TABLE.iter().find(|(row, _)| *row == long).expect("a row").1;
        let engine = self.chosen();
        let applies = row.iter().any(|(kinds, engines)| kinds.contains(&self.kind) && engines.contains(&engine));
        let typed = typed(option, folder);
        let tried: Vec<Result<String, String>> =
            typed.iter().map(|option| prepared(self.file, self.engine, option)).collect();
        let used = tried.iter().any(|outcome| matches!(outcome, Ok(text) if *text != self.text));
        let refused = tried.iter().all(|outcome| matches!(outcome, Err(text) if text.starts_with("error: --")));
        // Rational numbers make clauses of a system, which not every engine takes.
        let clauses = |text: &String| text.ends_with("does not go with Horn clauses");
        let used = used || tried.iter().any(|outcome| outcome.as_ref().is_err_and(clauses));
        let wrong = if applies { !used } else { !refused };
        wrong.then(|| format!("--{long} on {:?} with {engine:?}, applies: {applies}; {:?}", self.kind, tried.last()))
    }

    /// On models, `auto` has chosen an engine, whose options are used.
    fn chosen(&self) -> EngineName {
        match (self.engine, self.kind) {
            (Auto, Clauses | Constraints) => Cegar,
            (Auto, Guarded | Divine) => Explicit,
            (engine, _) => engine,
        }
    }
}

#[test]
fn every_option_of_check_has_its_row_and_no_row_is_left() {
    let cli = Cli::command();
    let check = cli.find_subcommand("check").expect("a command");
    let mut options: Vec<&str> = check.get_arguments().filter_map(clap::Arg::get_long).collect();
    let mut rows: Vec<&str> = TABLE.iter().map(|(option, _)| *option).collect();
    options.sort_unstable();
    rows.sort_unstable();
    assert_eq!(options, rows);
}

#[test]
fn the_other_commands_take_options_of_the_same_names() {
    let cli = Cli::command();
    for (command, own) in
        [("run", &["inputs"][..]), ("cfa", &["function", "format", "pass", "large-blocks"]), ("convert", &["to"])]
    {
        let command = cli.find_subcommand(command).expect("a command");
        for option in command.get_arguments().filter_map(clap::Arg::get_long) {
            assert!(own.contains(&option) || TABLE.iter().any(|(row, _)| *row == option), "{option}");
        }
    }
}

/// `clinch engines` lists for each engine the options that are its own.
#[test]
fn the_list_of_engines_agrees() {
    let text = crate::engines::ENGINES;
    let mut section = String::new();
    let mut listed: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        if !line.starts_with(' ') {
            section = line.split_whitespace().next().unwrap_or_default().to_owned();
        } else if section != "all" {
            let named = line.split([' ', ',']).filter_map(|word| word.strip_prefix("--"));
            listed.extend(named.map(|option| (section.clone(), option.to_owned())));
        }
    }
    let own = |engines: &[EngineName]| engines.len() < ALL_ENGINES.len();
    let mut table: Vec<(String, String)> = TABLE
        .iter()
        .flat_map(|(option, scopes)| {
            scopes.iter().filter(|(_, engines)| own(engines)).map(move |scope| (option, scope))
        })
        .flat_map(|(option, (_, engines))| {
            engines.iter().map(move |&engine| (engine.name().to_owned(), (*option).to_owned()))
        })
        .collect();
    listed.sort();
    table.sort();
    assert_eq!(listed, table);
}
