//! Small programs that a sloppy reading of C gets wrong, each with the verdict that gcc's behaviour gives it. The attack
//! (`make attack`) adds to them.

use std::path::PathBuf;

use clinch_attack::batches::{on_batches, threads};
use clinch_attack::sources::{FOLDER, SECOND};

use crate::{clinch, root};

/// A program and what is known about it.
struct Trap {
    /// The file with `main`, and the one that is linked with it.
    files: Vec<PathBuf>,
    /// `true` if no error is reachable, `false` if one is, `unknown` if the behaviour is undefined, or C leaves it open.
    expected: String,
    args: Vec<String>,
}

fn folder() -> PathBuf {
    root().join("crates/clinch/tests/traps")
}

fn traps() -> Vec<Trap> {
    let text = std::fs::read_to_string(folder().join("index.csv")).expect("an index");
    text.lines().skip(1).map(|line| trap(&line.split(',').collect::<Vec<_>>())).collect()
}

/// A line of the index: file, expected verdict, property, family, data model, integers. A program's header has further options.
/// What is beside `name.c`, a second file or header files, is in the folder `name`.
fn trap(row: &[&str]) -> Trap {
    let file = folder().join("tasks").join(row[0]);
    let text = std::fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let text = String::from_utf8_lossy(&text);
    let flags = text.lines().find_map(|line| line.strip_prefix("// FLAGS: ")).unwrap_or_default();
    let beside = file.with_extension("");
    let flags = flags.replace(FOLDER, &beside.display().to_string());
    let mut args: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
    for (option, value, default) in [("--data-model", row[4], "lp64"), ("--integers", row[5], "machine")] {
        let value = value.to_lowercase();
        if value != default && !args.iter().any(|arg| arg == option) {
            args.splice(0..0, [option.to_owned(), value]);
        }
    }
    let second = Some(beside.join(SECOND)).filter(|second| second.exists());
    Trap { files: [file].into_iter().chain(second).collect(), expected: row[1].to_owned(), args }
}

/// The exit code of `clinch check`, and what it prints.
fn ask(trap: &Trap, args: &[&str]) -> (Option<i32>, String) {
    let files: Vec<String> = trap.files.iter().map(|file| file.display().to_string()).collect();
    let mut all = vec!["check", "--timeout", "1s"];
    all.extend(files.iter().map(String::as_str));
    all.extend(args);
    let output = clinch(&all);
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text)
}

/// What is wrong with an answer, if anything.
fn wrong(trap: &Trap, code: Option<i32>, text: &str) -> Option<String> {
    let allowed: &[i32] = match trap.expected.as_str() {
        "true" => &[0, 2],
        "false" => &[1, 2],
        _ => &[2],
    };
    let fine = code.is_some_and(|code| allowed.contains(&code));
    (!fine).then(|| format!("{}: expected {}, exit code {code:?}: {text}", trap.files[0].display(), trap.expected))
}

/// The default engine and, where another one was wrong once, that one too.
#[test]
fn no_trap_is_answered_wrongly_and_two_thirds_are_answered() {
    let traps = traps();
    assert!(traps.len() >= 64, "{} traps", traps.len());
    let answers: Vec<(bool, Vec<String>)> = on_batches((0, traps.len() as u64), 1, threads(), |i, _| {
        let trap = &traps[i as usize];
        let args: Vec<&str> = trap.args.iter().map(String::as_str).collect();
        let (code, text) = ask(trap, &args);
        let mut complaints: Vec<String> = wrong(trap, code, &text).into_iter().collect();
        if args.contains(&"--engine") {
            let default: Vec<&str> = args.iter().copied().take_while(|a| *a != "--engine").collect();
            let (code, text) = ask(trap, &default);
            complaints.extend(wrong(trap, code, &text));
        }
        // Where behaviour is undefined or open, UNKNOWN is the answer.
        vec![(code == Some(2) && trap.expected != "unknown", complaints)]
    });
    let complaints: Vec<&String> = answers.iter().flat_map(|(_, complaints)| complaints).collect();
    assert!(complaints.is_empty(), "{complaints:#?}");
    let unknown = answers.iter().filter(|(unknown, _)| *unknown).count();
    assert!(unknown * 3 <= traps.len(), "{unknown} of {} are UNKNOWN", traps.len());
}
