//! Tells the binary which commit it is made from, and where Z3's library is.

use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    commit();
    library();
}

/// What `CLINCH_COMMIT` says, or git. Without either none is named.
fn commit() {
    println!("cargo:rerun-if-env-changed=CLINCH_COMMIT");
    // Grows with every commit and every checkout.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| fs::exists(log).unwrap_or(false)) {
        println!("cargo:rerun-if-changed={log}");
    }
    let given = env::var("CLINCH_COMMIT").ok().filter(|commit| !commit.is_empty());
    if let Some(commit) = given.or_else(|| git(&["rev-parse", "--short=10", "HEAD"])) {
        println!("cargo:rustc-env=CLINCH_COMMIT={commit}");
    }
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned())
}

/// `cargo install` takes the binary alone: it finds the library in the checkout. What is packaged finds it beside itself, and names no folder of the machine
/// that it was built on.
fn library() {
    println!("cargo:rerun-if-env-changed=CLINCH_PORTABLE");
    println!("cargo:rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    let is_needed = env::var_os("CARGO_FEATURE_VENDORED").is_none() && env::var_os("CLINCH_PORTABLE").is_none();
    if let (true, Ok(folder)) = (is_needed, env::var("Z3_LIBRARY_PATH_OVERRIDE")) {
        println!("cargo:rustc-link-arg-bins=-Wl,-rpath,{folder}");
    }
}
