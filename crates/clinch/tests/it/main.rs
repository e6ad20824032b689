//! The command as users run it.

mod attack;
mod beem;
mod c;
mod campaign;
mod checks;
mod command;
mod corpus;
mod entry;
mod execution;
mod faults;
mod floats;
mod horn;
mod input;
mod json;
mod lazy;
mod library;
mod matrix;
mod memory;
mod outline;
mod page;
mod projects;
mod property;
mod rem;
mod sarif;
mod schema;
mod scripts;
mod sharing;
mod supervision;
mod symex;
mod tidy;
mod traps;
mod turns;
mod unreachable;
mod usage;
mod witness;
mod workers;

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

fn root() -> PathBuf {
    clinch_testing::package().join("../..")
}

fn example(name: &str) -> String {
    root().join("examples/gcl").join(name).display().to_string()
}

/// Runs clinch. Most tests about C are about assertions: other errors count only where a test says so.
fn clinch(args: &[&str]) -> Output {
    let is_c = |arg: &&str| [".c", ".i"].iter().any(|end| arg.ends_with(end));
    let says_so = |arg: &&str| ["--check", "--property"].iter().any(|option| arg.starts_with(option));
    let checks_c = args.first() == Some(&"check") && args.iter().any(is_c);
    let only = if checks_c && !args.iter().any(says_so) { ["--property", "unreach-call"].as_slice() } else { &[] };
    plain_clinch(&[args, only].concat())
}

/// Runs clinch, and all checks of C count that do by default.
fn plain_clinch(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_clinch")).args(args).output().expect("clinch starts")
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("killed: {output:?}"))
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// Runs `clinch check ... --json` and returns the exit code and the object.
fn check_json(file: &str, args: &[&str]) -> (i32, Value) {
    let output = clinch(&[&["check", file, "--json"], args].concat());
    let object = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    (code(&output), object)
}
