//! The `clinch` command: decides whether an error in a model can be reached, with checked evidence.

mod c;
mod campaign;
mod check;
mod cli;
mod console;
mod convert;
mod engine_options;
mod engines;
mod manual;
mod progress;
mod reproduce;
mod validate;

use std::process::ExitCode;

/// Parsing and search allocate millions of small blocks; the system's allocator takes a third of the time of both.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Terms are walked by recursion, and models may hold deep ones.
const STACK: usize = 1 << 30;

/// Exit codes, as README.md lists them.
mod exit {
    pub(crate) const SAFE: u8 = 0;
    pub(crate) const UNSAFE: u8 = 1;
    pub(crate) const UNKNOWN: u8 = 2;
    pub(crate) const USAGE: u8 = 64;
    pub(crate) const BAD_INPUT: u8 = 65;
    pub(crate) const INTERNAL: u8 = 70;
}

fn main() -> ExitCode {
    let cli = match cli::parse(std::env::args_os()) {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version are no errors; where they go, and that they may not be read, is clap's business.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { exit::USAGE } else { exit::SAFE });
        }
    };
    if let Err(message) = clinch_smt::check_solver_version() {
        console::error(&format!("error: {message}"));
        return ExitCode::from(exit::INTERNAL);
    }
    if let (cli::Command::Check(args), None) = (&cli.command, &cli.worker) {
        return ExitCode::from(check::run(args));
    }
    if let (cli::Command::Validate(args), None) = (&cli.command, &cli.worker) {
        return ExitCode::from(validate::run(args));
    }
    if let (cli::Command::Campaign(args), None) = (&cli.command, &cli.worker) {
        return ExitCode::from(campaign::run(args));
    }
    let is_worker = cli.worker.is_some();
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || run(cli));
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => ExitCode::from(code),
        // The supervisor reports it.
        Ok(Err(_)) if is_worker => ExitCode::from(exit::INTERNAL),
        Ok(Err(_)) => {
            console::error("internal error: clinch panicked; please report it with the model");
            ExitCode::from(exit::INTERNAL)
        }
        Err(error) => {
            console::error(&format!("cannot start: {error}"));
            ExitCode::from(exit::INTERNAL)
        }
    }
}

fn run(cli: cli::Cli) -> u8 {
    match cli.command {
        cli::Command::Check(args) => check::work(&args, &cli.worker.unwrap_or_default()),
        cli::Command::Validate(args) => validate::work(&args, &cli.worker.unwrap_or_default()),
        cli::Command::Campaign(args) => campaign::run(&args),
        cli::Command::Convert(args) => convert::run(&args),
        cli::Command::Run(args) => c::run::run(&args),
        cli::Command::Cfa(args) => c::cfa::run(&args),
        cli::Command::Engines => engines::run(),
        cli::Command::Completions { shell } => manual::completions(shell),
        cli::Command::Man { folder } => manual::pages(&folder),
        cli::Command::Reproduce(args) => reproduce::run(&args),
    }
}
