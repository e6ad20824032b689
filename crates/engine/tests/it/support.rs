//! Shared by the tests: reading models, and running engines with every verdict re-checked.

use std::path::PathBuf;
use std::time::Duration;

use clinch_certify::Rejection;
use clinch_engine::{Budget, Silent, alpha, explicit, split};
use clinch_frontend::{Language, Options, parse};
use clinch_ir::{Program, Reason, Verdict};

/// A GCL program.
pub(crate) fn gcl(text: &str) -> Program {
    let program = parse(Language::Gcl, "test.gcl", text.as_bytes(), &Options::default());
    program.unwrap_or_else(|e| panic!("{}\n{text}", e.render(false)))
}

/// A model of examples/gcl, with some constants set.
pub(crate) fn example(name: &str, defines: &[(&str, i64)]) -> Program {
    example_with(name, &Options { defines: own(defines), ..Options::default() })
}

pub(crate) fn example_with(name: &str, options: &Options) -> Program {
    let path = examples().join(name);
    let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    parse(Language::Gcl, name, &bytes, options).unwrap_or_else(|e| panic!("{}", e.render(false)))
}

pub(crate) fn own(defines: &[(&str, i64)]) -> Vec<(String, i64)> {
    defines.iter().map(|&(n, v)| (n.to_owned(), v)).collect()
}

pub(crate) fn examples() -> PathBuf {
    clinch_testing::package().join("../../examples/gcl")
}

/// Whether an error is reachable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    Safe,
    Unsafe,
    Unknown,
}

/// Re-checks a verdict; a test never trusts one.
pub(crate) fn certified(program: &Program, verdict: &Verdict) -> Answer {
    let start = std::time::Instant::now();
    match verdict {
        Verdict::Safe(proof) => match clinch_certify::check_proof(program, proof, &|| start.elapsed().as_secs() > 60) {
            Ok(()) => Answer::Safe,
            // The solver gave up, as it may on products of variables: what users see then is "unknown".
            Err(Rejection::Undecided(_) | Rejection::Stopped) => Answer::Unknown,
            Err(rejection) => panic!("a proof is rejected: {rejection}"),
        },
        Verdict::Unsafe(trace) => {
            clinch_certify::check_trace(program, trace).expect("a trace is accepted");
            Answer::Unsafe
        }
        Verdict::Unknown(_) => Answer::Unknown,
    }
}

pub(crate) fn budget() -> Budget {
    Budget::unlimited().with_timeout(Some(Duration::from_secs(60)))
}

pub(crate) fn run_explicit(program: &Program, config: &explicit::Config) -> (Answer, Verdict, explicit::Stats) {
    let (verdict, stats) = explicit::check(program, config, &budget(), &mut Silent);
    (certified(program, &verdict), verdict, stats)
}

pub(crate) fn run_alpha(program: &Program, config: &alpha::Config, iterations: u64) -> (Answer, Verdict, alpha::Stats) {
    run_alpha_within(program, config, iterations, Duration::from_secs(60))
}

/// Alpha with a time limit: on random models the solver may have a hard time, and "unknown" is an answer there.
pub(crate) fn run_alpha_within(
    program: &Program,
    config: &alpha::Config,
    iterations: u64,
    timeout: Duration,
) -> (Answer, Verdict, alpha::Stats) {
    let budget = budget().with_max_iterations(Some(iterations)).with_timeout(Some(timeout));
    let (verdict, stats) = alpha::check(program, config, &budget, &mut Silent);
    (certified(program, &verdict), verdict, stats)
}

pub(crate) fn run_split(program: &Program, config: &split::Config) -> (Answer, Verdict, split::Stats) {
    let (verdict, stats) = split::check(program, config, &budget(), &mut Silent);
    (certified(program, &verdict), verdict, stats)
}

/// The reason of an unknown verdict.
pub(crate) fn reason(verdict: &Verdict) -> &Reason {
    match verdict {
        Verdict::Unknown(reason) => reason,
        other => panic!("expected unknown, got {other:?}"),
    }
}
