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
use super::lazy::EncodingName;
use crate::cli::{CheckArgs, EngineName};

/// An engine for C, with its options.
#[derive(Debug)]
pub(crate) struct CEngine {
    kind: Kind,
    /// The only encoding to try, if it was chosen.
    encoding: Option<EncodingName>,
}

#[derive(Debug)]
enum Kind {
    Explicit(RunsConfig),
    Cegar(Box<cegar::Config>),
    Lazy(Box<lazy::Config>, Option<PathBuf>),
    Spacer,
    Auto(RunsConfig, Box<cegar::Config>),
}

/// How machine integers are read, one after the other, until a verdict holds in exact arithmetic; with the share of the time
/// left that each may take, in per cent.
const ENCODINGS: [(Encoding, u32); 3] =
    [(Encoding::Integers(Overflow::Ignored), 60), (Encoding::Integers(Overflow::Wraps), 50), (Encoding::Bits, 100)];

impl CEngine {
    /// The engine the command line asks for, or what is wrong with it.
    pub(crate) fn from_args(args: &CheckArgs) -> Result<CEngine, String> {
        let runs = RunsConfig { seed: args.seed, ..RunsConfig::default() };
        let kind = match args.engine {
            EngineName::Explicit => Kind::Explicit(runs),
            EngineName::Cegar => Kind::Cegar(Box::new(crate::engines::cegar_config(args)?)),
            EngineName::Lazy => Kind::Lazy(Box::new(super::lazy::config(args)?), args.lazy.dot.clone()),
            EngineName::Spacer => Kind::Spacer,
            EngineName::Auto => Kind::Auto(runs, Box::new(crate::engines::cegar_config(args)?)),
            other => return Err(format!("--engine {other:?} does not go with C").to_lowercase()),
        };
        Ok(CEngine { kind, encoding: args.lazy.encoding })
    }

    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        match &self.kind {
            Kind::Explicit(_) => "explicit",
            Kind::Cegar(_) => "cegar",
            Kind::Lazy(..) => "lazy",
            Kind::Spacer => "spacer",
            Kind::Auto(..) => "auto",
        }
    }

    /// Runs it.
    pub(crate) fn check(
        &self,
        program: &CfaProgram,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> (CfaVerdict, Value) {
        match &self.kind {
            Kind::Explicit(config) => explicit(program, config, budget, observer),
            Kind::Cegar(config) => encodings(program, self.encoding, budget, |encoding, budget| {
                cegar(program, encoding, config, budget, observer)
            }),
            Kind::Lazy(config, dot) => {
                let mut config = config.clone();
                encodings(program, self.encoding, budget, |encoding, budget| {
                    lazy(program, encoding, (&mut config, dot.as_deref()), budget, observer)
                })
            }
            Kind::Spacer => encodings(program, self.encoding, budget, |encoding, budget| {
                spacer(program, encoding, budget, observer)
            }),
            Kind::Auto(runs, config) => auto(program, runs, config, budget, observer),
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
    (config, dot): (&mut lazy::Config, Option<&Path>),
    budget: &Budget,
    observer: &mut dyn Observer,
) -> (CfaVerdict, Value) {
    let (verdict, stats) = lazy::check(program, encoding, config, budget, observer);
    if let (Some(file), Some(text)) = (dot, &stats.dot)
        && let Err(error) = std::fs::write(file, text)
    {
        crate::report::error(&format!("warning: cannot write {}: {error}", file.display()));
    }
    // Another encoding need not find out again which values are control.
    config.track.clone_from(&stats.tracked_variables);
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

/// The encodings to try, with the share of the time left that each may take, in per cent.
fn encodings_of(program: &CfaProgram, only: Option<EncodingName>) -> Vec<(Encoding, u32)> {
    match (program.integers, only) {
        (Integers::Mathematical, _) => vec![(Encoding::Bits, 100)],
        (Integers::Machine, Some(name)) => vec![(name.encoding(), 100)],
        (Integers::Machine, None) => ENCODINGS.to_vec(),
    }
}

/// Tries the encodings one after the other.
fn encodings(
    program: &CfaProgram,
    only: Option<EncodingName>,
    budget: &Budget,
    mut check: impl FnMut(Encoding, &Budget) -> (CfaVerdict, Value),
) -> (CfaVerdict, Value) {
    let mut last = (CfaVerdict::Unknown(Reason::NoProgress), json!({}));
    let mut rounds: Vec<Value> = Vec::new();
    for (encoding, percent) in encodings_of(program, only) {
        let (mut verdict, mut stats) = check(encoding, &share(budget, percent));
        let wrong = matches!(verdict, CfaVerdict::Safe(_)) && !holds(program, &verdict, budget);
        if let Err(reason) = budget.check() {
            verdict = CfaVerdict::Unknown(reason);
        } else if wrong {
            let reason = Reason::Uncertified("the invariants do not hold in exact arithmetic".to_owned());
            verdict = CfaVerdict::Unknown(reason);
        }
        stats["encoding"] = encoding_name(encoding).into();
        if let CfaVerdict::Unknown(reason) = &verdict {
            rounds.push(json!({ "encoding": encoding_name(encoding), "reason": reason.to_string() }));
        }
        stats["given_up"] = rounds.clone().into();
        last = (verdict, stats);
        if !matches!(last.0, CfaVerdict::Unknown(_)) || budget.check().is_err() {
            break;
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

/// The time for the first runs: bugs that they find, they find soon.
fn first_part(budget: &Budget) -> Budget {
    const MOST: Duration = Duration::from_secs(2);
    let left = budget.remaining().unwrap_or(MOST);
    budget.restarted(MOST.min(left * 15 / 100))
}

/// Runs first, for they find shallow bugs and are cheap; then abstraction; then runs again.
fn auto(
    program: &CfaProgram,
    runs: &RunsConfig,
    config: &cegar::Config,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> (CfaVerdict, Value) {
    let (verdict, stats) = explicit(program, runs, &first_part(budget), observer);
    if !matches!(verdict, CfaVerdict::Unknown(_)) {
        return with_engine(verdict, stats, "explicit");
    }
    let (verdict, stats) = encodings(program, None, &share(budget, 75), |encoding, budget| {
        cegar(program, encoding, config, budget, observer)
    });
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
