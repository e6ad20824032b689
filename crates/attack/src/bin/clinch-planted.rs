//! `clinch-planted`: programs with planted errors, and without them, against `clinch check`.
#![allow(clippy::print_stdout, reason = "a command")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use clinch_attack::planted::campaign::Campaign;
use clinch_attack::{batches, planted};

/// Draws pairs of C programs, one with an error that gcc's sanitizers see and one without, and asks clinch about both. Exits with 1 if an
/// answer is wrong.
#[derive(Parser, Debug)]
struct Cli {
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Pairs to ask about.
    #[arg(long, default_value_t = 200)]
    pairs: u64,
    /// The clinch to ask.
    #[arg(long, default_value = "target/release/clinch")]
    clinch: PathBuf,
    /// The time limit of one question, in milliseconds.
    #[arg(long, default_value_t = 5000)]
    timeout: u64,
    /// Questions at a time.
    #[arg(long, default_value_t = batches::threads())]
    jobs: usize,
    /// Says which answers are unknown, and which pairs were dropped.
    #[arg(long)]
    verbose: bool,
    /// Only prints the pair of the first seed.
    #[arg(long)]
    show: bool,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    if cli.show {
        let pair = planted::draw(cli.seed);
        println!("// {}, inputs {:?}\n{}\n// without\n{}", pair.name, pair.inputs, pair.wrong, pair.right);
        return ExitCode::SUCCESS;
    }
    let timeout = Duration::from_millis(cli.timeout);
    let tally = Campaign { seed: cli.seed, pairs: cli.pairs, clinch: cli.clinch, timeout, jobs: cli.jobs.max(1) }.run();
    tally.wrong.iter().for_each(|text| println!("WRONG: {text}\n"));
    if cli.verbose {
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
