//! The engines for C, and how they are combined.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clinch_engine::explicit::{self, RunsConfig};
use clinch_engine::horn::InvariantOptions;
use clinch_engine::{Budget, Observer, bounded, cegar, lazy, spacer, spds};
use clinch_ir::Reason;
use clinch_ir::cfa::encoding::Overflow;
use clinch_ir::cfa::{CfaProgram, CfaVerdict, Integers};
use clinch_ir::horn::Encoding;
use serde_json::{Value, json};

use super::check::recheck;
use super::lazy::EncodingName;
use crate::cli::{CheckArgs, EngineName};
use crate::engines::{draw, with_path};
use crate::protocol::Resume;

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
    Bounded(bounded::Config),
    Spacer,
    Spds(spds::Config),
    Auto(Box<Portfolio>),
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
            EngineName::Bounded => Kind::Bounded(bounded::Config::default()),
            EngineName::Spacer => Kind::Spacer,
            EngineName::Spds => Kind::Spds(super::spds::config(args)?),
            EngineName::Auto => Kind::Auto(Box::new(Portfolio {
                runs,
                bounded: bounded::Config::default(),
                lazy: super::lazy::config(args)?,
                cegar: crate::engines::cegar_config(args)?,
                resume: args.resume.clone(),
            })),
            other => return Err(format!("--engine {other:?} does not go with programs with procedures").to_lowercase()),
        };
        Ok(CEngine { kind, encoding: args.lazy.encoding })
    }

    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        match &self.kind {
            Kind::Explicit(_) => "explicit",
            Kind::Cegar(_) => "cegar",
            Kind::Lazy(..) => "lazy",
            Kind::Bounded(_) => "bounded",
            Kind::Spacer => "spacer",
            Kind::Spds(_) => "spds",
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
            Kind::Bounded(config) => bounded(program, config, budget, observer),
            Kind::Spacer => encodings(program, self.encoding, budget, |encoding, budget| {
                spacer(program, encoding, budget, observer)
            }),
            Kind::Spds(config) => pushdown(program, config, budget, observer),
            Kind::Auto(portfolio) => portfolio.check(program, budget, observer),
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
    let cells = |system: &_, budget: &_, observer: &mut dyn Observer| {
        cegar::check(system, &for_cells(config), budget, observer)
    };
    let mut of_cells = Value::Null;
    if !matches!(encoding, Encoding::Integers(Overflow::Wraps))
        && let Some((verdict, stats)) = cegar::check_cells(program, encoding, &share(budget, 50), observer, cells)
    {
        of_cells = match (&verdict, recheck(program, &verdict, &|| budget.check().is_err())) {
            (CfaVerdict::Safe(_), Ok(_)) => return (verdict, serde_json::to_value(stats).unwrap_or_default()),
            (CfaVerdict::Unknown(reason), _) => reason.to_string().into(),
            (_, Err(rejection)) => rejection.to_string().into(),
            _ => Value::Null,
        };
    }
    let (verdict, stats) = cegar::check_software(program, encoding, budget, observer, solve);
    let mut stats = serde_json::to_value(stats).unwrap_or_default();
    stats["cells"] = of_cells;
    (verdict, stats)
}

/// Once predicates are split into zones, what is known in each of them is mostly found by invariants alone.
fn for_cells(config: &cegar::Config) -> cegar::Config {
    let invariants = config.invariants.clone().map(|options| InvariantOptions {
        time: Duration::from_secs(5),
        share: 70,
        max_queries: 100_000,
        max_clauses: 3000,
        ..options
    });
    cegar::Config { invariants, ..config.clone() }
}

fn lazy(
    program: &CfaProgram,
    encoding: Encoding,
    (config, dot): (&mut lazy::Config, Option<&Path>),
    budget: &Budget,
    observer: &mut dyn Observer,
) -> (CfaVerdict, Value) {
    let (verdict, stats) = lazy::check(program, encoding, config, budget, observer);
    draw(dot, &stats);
    // Another encoding need not find out again which values are control.
    config.track.clone_from(&stats.tracked_variables);
    let verdict = match verdict {
        CfaVerdict::Unknown(reason) => CfaVerdict::Unknown(with_path(reason, &stats)),
        other => other,
    };
    (verdict, serde_json::to_value(stats).unwrap_or_default())
}

fn bounded(
    program: &CfaProgram,
    config: &bounded::Config,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> (CfaVerdict, Value) {
    let (verdict, stats) = bounded::check(program, config, &share(budget, 70), observer);
    (verdict, serde_json::to_value(stats).unwrap_or_default())
}

fn pushdown(
    program: &CfaProgram,
    config: &spds::Config,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> (CfaVerdict, Value) {
    let (verdict, stats) = spds::check(program, config, budget, observer);
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
            // The limit of all encodings; what kept the last one busy is still worth knowing.
            verdict = CfaVerdict::Unknown(match verdict {
                CfaVerdict::Unknown(Reason::Busy(_, what)) => Reason::Busy(Box::new(reason), what),
                _ => reason,
            });
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

/// Engines that share the time, one after the other.
#[derive(Debug)]
struct Portfolio {
    runs: RunsConfig,
    bounded: bounded::Config,
    lazy: lazy::Config,
    cegar: cegar::Config,
    /// The turns that were taken before, one of which ended in a crash.
    resume: Resume,
}

/// Whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    Explicit,
    Bounded,
    Lazy,
    Cegar,
    /// For recursive programs only: the others are better at the rest.
    Spds,
}

impl Portfolio {
    /// Runs first, for they find shallow bugs and are cheap; then what sees many runs at once; then abstraction; then runs again. With
    /// the part of the time left, in per cent, and at most so many seconds where more would not help.
    const TURNS: [(Turn, u32, u64); 6] = [
        (Turn::Explicit, 10, 2),
        (Turn::Bounded, 30, 60),
        (Turn::Lazy, 45, 600),
        (Turn::Cegar, 80, 600),
        (Turn::Spds, 80, 600),
        (Turn::Explicit, 100, 600),
    ];

    fn check(&self, program: &CfaProgram, budget: &Budget, observer: &mut dyn Observer) -> (CfaVerdict, Value) {
        let mut given_up: Vec<Value> = self.resume.given_up.iter().map(|before| json!(before)).collect();
        let mut last = CfaVerdict::Unknown(Reason::NoProgress);
        let mut misbehaves = false;
        let recursive = program.is_recursive();
        for (number, (turn, percent, seconds)) in Self::TURNS.into_iter().enumerate().skip(self.resume.turn) {
            if turn == Turn::Spds && !recursive {
                continue;
            }
            observer.turn(number, turn.name());
            let left = budget.remaining().unwrap_or(Duration::from_secs(3600));
            let budget_of_turn = budget.restarted((left * percent / 100).min(Duration::from_secs(seconds)));
            let (verdict, stats) = self.take(turn, program, &budget_of_turn, observer);
            match verdict {
                // A proof assumes what runs have shown to be wrong.
                CfaVerdict::Safe(_) if misbehaves => {
                    given_up.push(json!({ "engine": turn.name(), "reason": "the program was seen to misbehave" }));
                }
                CfaVerdict::Unknown(reason) => {
                    misbehaves |= turn == Turn::Explicit && matches!(reason, Reason::Undefined(_));
                    observer.gave_up(turn.name(), &reason.to_string());
                    given_up.push(json!({ "engine": turn.name(), "reason": reason.to_string() }));
                    last = more_telling(last, reason);
                }
                verdict => {
                    let mut stats = with_engine(stats, turn.name());
                    stats["engines_before"] = given_up.into();
                    return (verdict, stats);
                }
            }
            if let Err(reason) = budget.check() {
                // The limit of all turns, not that of the last one.
                last = match last {
                    CfaVerdict::Unknown(Reason::Busy(_, what)) => {
                        CfaVerdict::Unknown(Reason::Busy(Box::new(reason), what))
                    }
                    other => more_telling(other, reason),
                };
                break;
            }
        }
        (last, json!({ "decided_by": Value::Null, "engines_before": given_up }))
    }

    fn take(
        &self,
        turn: Turn,
        program: &CfaProgram,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> (CfaVerdict, Value) {
        match turn {
            Turn::Explicit => explicit(program, &self.runs, budget, observer),
            Turn::Bounded => bounded(program, &self.bounded, budget, observer),
            Turn::Lazy => {
                let mut config = self.lazy.clone();
                encodings(program, None, budget, |encoding, budget| {
                    lazy(program, encoding, (&mut config, None), budget, observer)
                })
            }
            Turn::Cegar => encodings(program, None, budget, |encoding, budget| {
                cegar(program, encoding, &self.cegar, budget, observer)
            }),
            Turn::Spds => pushdown(program, &spds::Config::default(), budget, observer),
        }
    }
}

impl Turn {
    fn name(self) -> &'static str {
        match self {
            Turn::Explicit => "explicit",
            Turn::Bounded => "bounded",
            Turn::Lazy => "lazy",
            Turn::Cegar => "cegar",
            Turn::Spds => "spds",
        }
    }
}

/// Of two reasons why there is no verdict, the one that says more than that there was not enough time.
fn more_telling(before: CfaVerdict, now: Reason) -> CfaVerdict {
    match (&before, &now) {
        (CfaVerdict::Unknown(Reason::Unsupported(_) | Reason::Undefined(_)), _) => before,
        (CfaVerdict::Unknown(Reason::Busy(..)), Reason::Timeout(_) | Reason::SampledInputs) => before,
        _ => CfaVerdict::Unknown(now),
    }
}

fn with_engine(mut stats: Value, engine: &str) -> Value {
    stats["decided_by"] = engine.into();
    stats
}
