//! `clinch-planted`: programs with planted errors, and without them, against `clinch check`.
#![allow(clippy::print_stdout, reason = "a command")]

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use clinch_attack::arguments::Common;
use clinch_attack::planted;
use clinch_attack::planted::campaign::Campaign;

/// Draws pairs of C programs, one with an error that gcc's sanitizers see and one without, and asks clinch about both. Exits with 1 if an
/// answer is wrong.
#[derive(Parser, Debug)]
struct Cli {
    #[command(flatten)]
    common: Common,
    /// Pairs to ask about.
    #[arg(long, default_value_t = 200)]
    pairs: u64,
    /// The time limit of one question, in milliseconds.
    #[arg(long, default_value_t = 5000)]
    timeout: u64,
}

fn main() -> ExitCode {
    let Cli { common, pairs, timeout } = Cli::parse();
    if common.show {
        let pair = planted::draw(common.seed);
        println!("// {}, inputs {:?}\n{}\n// without\n{}", pair.name, pair.inputs, pair.wrong, pair.right);
        return ExitCode::SUCCESS;
    }
    let timeout = Duration::from_millis(timeout);
    let tally = Campaign { seed: common.seed, pairs, clinch: common.clinch, timeout, jobs: common.jobs.max(1) }.run();
    tally.wrong.iter().for_each(|text| println!("WRONG: {text}\n"));
    if common.verbose {
        tally.dropped.iter().for_each(|text| println!("dropped: {text}"));
        tally.unknown.iter().for_each(|text| println!("unknown: {text}"));
    }
    println!(
        "{} pairs ({} dropped): {} errors found, {} confirmed, {} proved without, {} unknown, {} wrong",
        tally.pairs,
        tally.dropped.len(),
        tally.found,
        tally.confirmed,
        tally.proved,
        tally.unknown.len(),
        tally.wrong.len()
    );
    if tally.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
