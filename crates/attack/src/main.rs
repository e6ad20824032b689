//! `clinch-attack`: programs with a known verdict against every engine.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use clinch_attack::arguments::Common;
use clinch_attack::campaign::{Campaign, Results};
use clinch_attack::engines::{Asker, ENGINES};
use clinch_attack::families::{self, FAMILIES, Family};
use clinch_attack::sources::Sources;
use clinch_attack::{gcc, truth, twin};

/// Draws C programs whose verdict gcc tells, and asks clinch's engines about them. Exits with 1 if one is wrong or fails, or
/// if too many answers are UNKNOWN.
#[derive(Parser, Debug)]
struct Cli {
    #[command(flatten)]
    common: Common,
    /// Programs to ask about, two for each seed.
    #[arg(long, default_value_t = 400)]
    count: u64,
    /// Seconds after which it ends even so.
    #[arg(long, default_value_t = 600)]
    time: u64,
    /// Engines, separated by commas.
    #[arg(long, value_delimiter = ',', default_values_t = ENGINES.map(str::to_owned))]
    engines: Vec<String>,
    /// Families of programs, separated by commas.
    #[arg(long, value_delimiter = ',', value_parser = parse_family, default_values_t = FAMILIES)]
    families: Vec<Family>,
    /// A folder that reduced programs are written to.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// The time limit of one question, in milliseconds.
    #[arg(long, default_value_t = 3000)]
    timeout: u64,
    /// Seconds for the reduction of one finding.
    #[arg(long, default_value_t = 60)]
    shrink: u64,
    /// Findings from the same templates that are reduced and kept.
    #[arg(long, default_value_t = 3)]
    alike: usize,
    /// The share of auto's answers, in per cent, that may be UNKNOWN.
    #[arg(long, default_value_t = 50)]
    ceiling: usize,
}

fn parse_family(text: &str) -> Result<Family, String> {
    let names = FAMILIES.map(Family::name).join(", ");
    FAMILIES.into_iter().find(|f| f.name() == text).ok_or_else(|| format!("expected one of {names}"))
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    if !gcc::available() {
        eprintln!("there is no gcc to tell the truth");
        return ExitCode::from(2);
    }
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => {
            eprintln!("no folder for files: {error}");
            return ExitCode::from(2);
        }
    };
    if cli.common.show {
        show(&cli, folder.path());
        return ExitCode::SUCCESS;
    }
    let campaign = Campaign {
        seed: cli.common.seed,
        traps: cli.count.div_ceil(2),
        time: Duration::from_secs(cli.time),
        families: cli.families.clone(),
        engines: cli.engines.clone(),
        asker: Asker { clinch: cli.common.clinch.clone(), timeout: Duration::from_millis(cli.timeout) },
        shrink: Duration::from_secs(cli.shrink),
        alike: cli.alike,
        jobs: cli.common.jobs.max(1),
        folder: folder.path().to_owned(),
    };
    let results = campaign.run(&|line| println!("{line}"));
    report(&cli, &results)
}

/// Prints the programs of a seed.
fn show(cli: &Cli, folder: &std::path::Path) {
    let trap = families::draw(cli.common.seed, &cli.families);
    match truth::truths(folder, "show", std::slice::from_ref(&trap)).remove(0) {
        Err(why) => println!("{}\nno truth: {why}", trap.observed(0)),
        Ok(truth) => {
            let mut rng = clinch_attack::rng::Rng::new(cli.common.seed ^ 0x7717);
            for twin in twin::twins(&trap, &truth, &mut rng) {
                println!("// {}\n{}", twin.expected.name(), twin.sources);
            }
        }
    }
}

fn report(cli: &Cli, results: &Results) -> ExitCode {
    for finding in &results.findings {
        println!("\n{}", Sources { main: finding.file_text(), ..finding.sources.clone() });
        if let Some(folder) = &cli.keep
            && let Err(error) = finding.keep(folder)
        {
            eprintln!("cannot write to {}: {error}", folder.display());
        }
    }
    if cli.common.verbose {
        results.dropped.iter().for_each(|why| println!("dropped: {why}"));
        results.unknown.iter().for_each(|(origin, why)| println!("unknown: {origin}, {why}"));
    }
    let (all, auto) = (results.table.all(), results.table.of("auto"));
    println!("\n{}", results.table);
    println!(
        "seeds {}..{}: {} traps, {} without truth, {} programs, {} answers: {} wrong, {} failed",
        cli.common.seed,
        cli.common.seed + results.traps as u64,
        results.traps,
        results.dropped.len(),
        results.programs,
        all.total(),
        all.wrong,
        all.failed
    );
    let too_many = auto.unknown * 100 > auto.total() * cli.ceiling;
    if too_many {
        println!("auto: more than {} % UNKNOWN", cli.ceiling);
    }
    if all.wrong + all.failed > 0 || too_many { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
