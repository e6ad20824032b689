//! The engines for C.

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

/// An engine for C, with its options.
#[derive(Debug)]
pub(crate) struct CEngine {
    kind: Kind,
    /// Whether it is one of several that look for the answer.
    member: bool,
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
}

/// How machine integers are read, until a verdict holds in exact arithmetic; with the seconds that each gets in the first round.
const ENCODINGS: [(Encoding, u64); 3] =
    [(Encoding::Integers(Overflow::Ignored), 4), (Encoding::Integers(Overflow::Wraps), 1), (Encoding::Bits, 2)];

/// How much longer than the last one a round is.
const GROWTH: u32 = 3;

impl CEngine {
    /// The engine the command line asks for, or what is wrong with it.
    pub(crate) fn from_args(args: &CheckArgs) -> Result<CEngine, String> {
        let runs = RunsConfig { seed: args.seed, ..RunsConfig::default() };
        let engine = args.member.unwrap_or(args.engine);
        let kind = match engine {
            EngineName::Explicit => Kind::Explicit(runs),
            EngineName::Cegar => Kind::Cegar(Box::new(crate::engines::cegar_config(args)?)),
            EngineName::Lazy => Kind::Lazy(Box::new(super::lazy::config(args)?), args.lazy.dot.clone()),
            EngineName::Bounded => Kind::Bounded(bounded::Config::default()),
            EngineName::Spacer => Kind::Spacer,
            EngineName::Spds => Kind::Spds(super::spds::config(args)?),
            other => return Err(format!("--engine {} does not go with programs with procedures", other.name())),
        };
        Ok(CEngine { kind, member: args.member.is_some(), encoding: args.lazy.encoding })
    }

    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        if self.member { EngineName::Auto.name() } else { self.own_name() }
    }

    fn own_name(&self) -> &'static str {
        match &self.kind {
            Kind::Explicit(_) => "explicit",
            Kind::Cegar(_) => "cegar",
            Kind::Lazy(..) => "lazy",
            Kind::Bounded(_) => "bounded",
            Kind::Spacer => "spacer",
            Kind::Spds(_) => "spds",
        }
    }

    /// Runs it.
    pub(crate) fn check(
        &self,
        program: &CfaProgram,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> (CfaVerdict, Value) {
        let (verdict, mut stats) = self.search(program, budget, observer);
        if self.member {
            stats["decided_by"] = self.own_name().into();
        }
        (verdict, stats)
    }

    fn search(&self, program: &CfaProgram, budget: &Budget, observer: &mut dyn Observer) -> (CfaVerdict, Value) {
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
        && let Some((verdict, stats)) = cegar::check_cells(program, encoding, &half(budget), observer, cells)
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
    let (verdict, stats) = bounded::check(program, config, budget, observer);
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

/// The encodings to try, with the seconds that each gets in the first round.
fn encodings_of(program: &CfaProgram, only: Option<EncodingName>) -> Vec<(Encoding, u64)> {
    match (program.integers, only) {
        (Integers::Mathematical, _) => vec![(Encoding::Bits, 0)],
        (Integers::Machine, Some(name)) => vec![(name.encoding(), 0)],
        (Integers::Machine, None) => ENCODINGS.to_vec(),
    }
}

/// Tries the encodings one after the other, in rounds that grow: how long an answer takes does not depend on the limit. One that
/// gives up before its time is over does not take part in the next round; the last one left gets all the time there is.
fn encodings(
    program: &CfaProgram,
    only: Option<EncodingName>,
    budget: &Budget,
    mut check: impl FnMut(Encoding, &Budget) -> (CfaVerdict, Value),
) -> (CfaVerdict, Value) {
    let mut last = (CfaVerdict::Unknown(Reason::NoProgress), json!({}));
    let mut left = encodings_of(program, only);
    let mut given_up: Vec<Value> = Vec::new();
    let mut factor = 1;
    while !left.is_empty() {
        for (encoding, seconds) in left.clone() {
            let alone = left.len() == 1;
            let time = budget.remaining().unwrap_or(FOREVER);
            let part = if alone { time } else { time.min(Duration::from_secs(seconds) * factor) };
            let (verdict, mut stats) = check(encoding, &budget.restarted(part));
            // The re-check gets as much time again.
            let verdict = settled(program, verdict, budget, &budget.restarted(part));
            let cut_off = matches!(&verdict, CfaVerdict::Unknown(reason) if is_timeout(reason));
            stats["encoding"] = encoding_name(encoding).into();
            if let CfaVerdict::Unknown(reason) = &verdict {
                given_up.push(json!({ "encoding": encoding_name(encoding), "reason": reason.to_string() }));
            }
            stats["given_up"] = given_up.clone().into();
            last = (verdict, stats);
            if !matches!(last.0, CfaVerdict::Unknown(_)) || budget.check().is_err() {
                return last;
            }
            if !cut_off || alone {
                left.retain(|(other, _)| *other != encoding);
            }
        }
        factor *= GROWTH;
    }
    last
}

/// How long clauses over single cells of arrays may be tried before those over whole arrays.
const MOST_FOR_CELLS: Duration = Duration::from_secs(20);

/// Long enough for everybody.
const FOREVER: Duration = Duration::from_secs(1 << 30);

fn is_timeout(reason: &Reason) -> bool {
    match reason {
        Reason::Timeout(_) => true,
        Reason::Busy(reason, _) => is_timeout(reason),
        _ => false,
    }
}

/// What is left of a verdict in exact arithmetic, and at the limit of all encodings.
fn settled(program: &CfaProgram, verdict: CfaVerdict, budget: &Budget, part: &Budget) -> CfaVerdict {
    let wrong = matches!(verdict, CfaVerdict::Safe(_)) && !holds(program, &verdict, part);
    match (budget.check(), verdict) {
        // What kept the last one busy is still worth knowing.
        (Err(reason), CfaVerdict::Unknown(Reason::Busy(_, what))) => {
            CfaVerdict::Unknown(Reason::Busy(Box::new(reason), what))
        }
        (Err(reason), _) => CfaVerdict::Unknown(reason),
        (Ok(()), _) if wrong && part.check().is_err() => CfaVerdict::Unknown(Reason::Timeout(part.elapsed())),
        (Ok(()), _) if wrong => {
            CfaVerdict::Unknown(Reason::Uncertified("the invariants do not hold in exact arithmetic".to_owned()))
        }
        (Ok(()), verdict) => verdict,
    }
}

fn encoding_name(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Bits => "bv",
        Encoding::Integers(Overflow::Ignored) => "int",
        Encoding::Integers(Overflow::Wraps) => "int with wrap-around",
    }
}

/// Half of what is left, and not too much.
fn half(budget: &Budget) -> Budget {
    budget.restarted(budget.remaining().map_or(MOST_FOR_CELLS, |left| (left / 2).min(MOST_FOR_CELLS)))
}

/// Whether a proof found in some encoding holds in exact arithmetic.
fn holds(program: &CfaProgram, verdict: &CfaVerdict, budget: &Budget) -> bool {
    recheck(program, verdict, &|| budget.check().is_err()).is_ok()
}
