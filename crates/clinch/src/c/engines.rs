//! The engines for C, and how they are combined.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clinch_engine::explicit::{self, RunsConfig};
use clinch_engine::{Budget, Observer, cegar, lazy, spacer};
use clinch_ir::Reason;
use clinch_ir::cfa::encoding::Overflow;
use clinch_ir::cfa::{CfaProgram, CfaProof, CfaVerdict, Integers};
use clinch_ir::horn::Encoding;
use serde_json::{Value, json};

use super::check::recheck;
use crate::cli::{CheckArgs, EngineName};

/// An engine for C, with its options.
#[derive(Debug)]
pub(crate) enum CEngine {
    Explicit(RunsConfig),
    Cegar(Box<cegar::Config>),
    Lazy(Box<lazy::Config>, Option<PathBuf>),
    Spacer,
    Auto(RunsConfig, Box<cegar::Config>),
}

/// How machine integers are read, one after the other, until a verdict holds in exact arithmetic.
const ENCODINGS: [Encoding; 3] =
    [Encoding::Integers(Overflow::Ignored), Encoding::Integers(Overflow::Wraps), Encoding::Bits];

impl CEngine {
    /// The engine the command line asks for, or what is wrong with it.
    pub(crate) fn from_args(args: &CheckArgs) -> Result<CEngine, String> {
        let runs = RunsConfig { seed: args.seed, ..RunsConfig::default() };
        match args.engine {
            EngineName::Explicit => Ok(CEngine::Explicit(runs)),
            EngineName::Cegar => Ok(CEngine::Cegar(Box::new(crate::engines::cegar_config(args)?))),
            EngineName::Lazy => Ok(CEngine::Lazy(Box::new(super::lazy::config(args)?), args.lazy.dot.clone())),
            EngineName::Spacer => Ok(CEngine::Spacer),
            EngineName::Auto => Ok(CEngine::Auto(runs, Box::new(crate::engines::cegar_config(args)?))),
            other => Err(format!("--engine {other:?} does not go with C").to_lowercase()),
        }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            CEngine::Explicit(_) => "explicit",
            CEngine::Cegar(_) => "cegar",
            CEngine::Lazy(..) => "lazy",
            CEngine::Spacer => "spacer",
            CEngine::Auto(..) => "auto",
        }
    }

    /// Runs it.
    pub(crate) fn check(
        &self,
        program: &CfaProgram,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> (CfaVerdict, Value) {
        match self {
            CEngine::Explicit(config) => explicit(program, config, budget, observer),
            CEngine::Cegar(config) => {
                encodings(program, budget, |encoding, budget| cegar(program, encoding, config, budget, observer))
            }
            CEngine::Lazy(config, dot) => encodings(program, budget, |encoding, budget| {
                lazy(program, encoding, (config, dot.as_deref()), budget, observer)
            }),
            CEngine::Spacer => {
                encodings(program, budget, |encoding, budget| spacer(program, encoding, budget, observer))
            }
            CEngine::Auto(runs, config) => auto(program, runs, config, budget, observer),
        }
    }
}

fn explicit(
    program: &CfaProgram,
    config: &RunsConfig,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> (CfaVerdict, Value) {
    let (verdict, stats) = explicit::check_runs(program, config, budget, observer);
    (verdict, serde_json::to_value(stats).unwrap_or_default())
}

fn cegar(
    program: &CfaProgram,
    encoding: Encoding,
    config: &cegar::Config,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> (CfaVerdict, Value) {
    let solve = |system: &_, budget: &_, observer: &mut dyn Observer| cegar::check(system, config, budget, observer);
    let (verdict, stats) = cegar::check_software(program, encoding, budget, observer, solve);
    (verdict, serde_json::to_value(stats).unwrap_or_default())
}

fn lazy(
    program: &CfaProgram,
    encoding: Encoding,
    (config, dot): (&lazy::Config, Option<&Path>),
    budget: &Budget,
    observer: &mut dyn Observer,
) -> (CfaVerdict, Value) {
    let (verdict, stats) = lazy::check(program, encoding, config, budget, observer);
    if let (Some(file), Some(text)) = (dot, &stats.dot)
        && let Err(error) = std::fs::write(file, text)
    {
        crate::report::error(&format!("warning: cannot write {}: {error}", file.display()));
    }
    (verdict, serde_json::to_value(stats).unwrap_or_default())
}

fn spacer(
    program: &CfaProgram,
    encoding: Encoding,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> (CfaVerdict, Value) {
    let config = spacer::Config::default();
    let solve = |system: &_, budget: &_, observer: &mut dyn Observer| spacer::check(system, &config, budget, observer);
    let (verdict, stats) = cegar::check_software(program, encoding, budget, observer, solve);
    (verdict, serde_json::to_value(stats).unwrap_or_default())
}

/// Tries the encodings one after the other.
fn encodings(
    program: &CfaProgram,
    budget: &Budget,
    mut check: impl FnMut(Encoding, &Budget) -> (CfaVerdict, Value),
) -> (CfaVerdict, Value) {
    let encodings = match program.integers {
        Integers::Machine => ENCODINGS.as_slice(),
        Integers::Mathematical => &[Encoding::Bits],
    };
    let mut last = (CfaVerdict::Unknown(Reason::NoProgress), json!({}));
    for (i, &encoding) in encodings.iter().enumerate() {
        let rounds = (encodings.len() - i) as u32;
        let part = share(budget, 100 / rounds);
        let (verdict, mut stats) = check(encoding, &part);
        stats["encoding"] = encoding_name(encoding).into();
        if let Err(reason) = budget.check() {
            return (CfaVerdict::Unknown(reason), stats);
        }
        match &verdict {
            CfaVerdict::Unsafe(_) => return (verdict, stats),
            CfaVerdict::Safe(_) if holds(program, &verdict, budget) => return (verdict, stats),
            CfaVerdict::Safe(_) => {
                let reason = Reason::Uncertified("the invariants do not hold in exact arithmetic".to_owned());
                last = (CfaVerdict::Unknown(reason), stats);
            }
            CfaVerdict::Unknown(_) => last = (verdict, stats),
        }
    }
    last
}

fn encoding_name(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Bits => "bv",
        Encoding::Integers(Overflow::Ignored) => "int",
        Encoding::Integers(Overflow::Wraps) => "int with wrap-around",
    }
}

/// A part of what is left, in per cent.
fn share(budget: &Budget, percent: u32) -> Budget {
    let left = budget.remaining().unwrap_or(Duration::from_secs(3600));
    budget.restarted(left * percent / 100)
}

/// Whether a proof found in some encoding holds in exact arithmetic.
fn holds(program: &CfaProgram, verdict: &CfaVerdict, budget: &Budget) -> bool {
    recheck(program, verdict, &|| budget.check().is_err()).is_ok()
}

/// Runs first, for they find shallow bugs and are cheap; then abstraction; then runs again.
fn auto(
    program: &CfaProgram,
    runs: &RunsConfig,
    config: &cegar::Config,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> (CfaVerdict, Value) {
    let (verdict, stats) = explicit(program, runs, &share(budget, 15), observer);
    if !matches!(verdict, CfaVerdict::Unknown(_)) {
        return with_engine(verdict, stats, "explicit");
    }
    let (verdict, stats) =
        encodings(program, &share(budget, 75), |encoding, budget| cegar(program, encoding, config, budget, observer));
    if !matches!(verdict, CfaVerdict::Unknown(_)) {
        return with_engine(verdict, stats, "cegar");
    }
    let (other, other_stats) = explicit(program, runs, budget, observer);
    match other {
        CfaVerdict::Unknown(Reason::SampledInputs) => with_engine(verdict, stats, "cegar"),
        other => with_engine(other, other_stats, "explicit"),
    }
}

fn with_engine(verdict: CfaVerdict, mut stats: Value, engine: &str) -> (CfaVerdict, Value) {
    stats["decided_by"] = match &verdict {
        CfaVerdict::Safe(CfaProof::Invariants(_) | CfaProof::Reached(_)) | CfaVerdict::Unsafe(_) => engine.into(),
        CfaVerdict::Unknown(_) => Value::Null,
    };
    (verdict, stats)
}
