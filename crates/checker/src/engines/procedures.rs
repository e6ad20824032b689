//! The engines for programs with procedures.

use std::time::Duration;

use clinch_analyses::clauses::Encoding;
use clinch_analyses::encoding::Overflow;
use clinch_certify::{Judged, certify};
use clinch_engine::explicit::{self, RunsConfig};
use clinch_engine::horn::InvariantOptions;
use clinch_engine::share::Fact;
use clinch_engine::{
    Budget, Observer, alpha, bounded, cegar, ic3, kinduction, lazy, outline, spacer, spds, split, symex,
};
use clinch_ir::cfa::{CfaProgram, CfaVerdict, Integers};
use clinch_machine::simplified;
use serde_json::Value;

use super::chosen::{self, Chosen};
use super::encodings::one_after_the_other;
use super::{Found, of_cegar, of_lazy};
use crate::options::{EngineName, Options};
use crate::watcher::Watcher;

/// An engine for programs with procedures, with its configuration.
#[derive(Debug)]
pub struct ProcedureEngine {
    name: EngineName,
    kind: Kind,
    /// Whether it is one of several that look for the answer.
    member: bool,
    /// The only encoding to try, if it was chosen.
    encoding: Chosen,
}

#[derive(Debug)]
enum Kind {
    Alpha(alpha::Config),
    Explicit(RunsConfig),
    Cegar(Box<cegar::Config>),
    Lazy(Box<lazy::Config>),
    Bounded(bounded::Config),
    KInduction(kinduction::Config),
    Ic3,
    Spacer,
    Spds(spds::Config),
    Split(split::Config),
    Outline,
    Symex,
}

impl ProcedureEngine {
    /// The engine that is asked for, or what is wrong with it. `member` is one of those that look for the answer together.
    pub(crate) fn new(options: &Options, name: EngineName, member: bool) -> Result<ProcedureEngine, String> {
        let settings = &options.settings;
        let kind = match name {
            EngineName::Explicit => Kind::Explicit(RunsConfig { seed: options.seed, ..RunsConfig::default() }),
            EngineName::Alpha => Kind::Alpha(alpha::OPTIONS.configure(settings)?),
            EngineName::Cegar => Kind::Cegar(Box::new(super::cegar_config(options)?)),
            EngineName::Lazy => Kind::Lazy(Box::new(super::lazy_config(options)?)),
            EngineName::Bounded => Kind::Bounded(bounded::Config::default()),
            // Beside bounded model checking nobody has to look for errors again.
            EngineName::KInduction => Kind::KInduction(kinduction::Config { base_case: !member }),
            EngineName::Ic3 => Kind::Ic3,
            EngineName::Spacer => Kind::Spacer,
            EngineName::Spds => {
                Kind::Spds(spds::Config { draw: options.wanted.nodes_on_page(), ..spds::OPTIONS.configure(settings)? })
            }
            EngineName::Split => {
                Kind::Split(split::Config { seed: options.seed, ..split::OPTIONS.configure(settings)? })
            }
            EngineName::Outline => Kind::Outline,
            EngineName::Symex => Kind::Symex,
            EngineName::Auto => return Err("several engines are no engine".to_owned()),
        };
        Ok(ProcedureEngine { name, kind, member, encoding: chosen::OPTIONS.configure(settings)? })
    }

    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        if self.member { EngineName::Auto.name() } else { self.own_name() }
    }

    /// The name of the technique.
    pub(crate) fn own_name(&self) -> &'static str {
        self.name.name()
    }

    /// Whether it looks at the outline of a program.
    pub(crate) fn reads_outline(&self) -> bool {
        matches!(self.kind, Kind::Outline)
    }

    /// Runs it.
    pub(crate) fn check(&self, program: &CfaProgram, budget: &Budget, watcher: &mut dyn Watcher) -> Found<CfaVerdict> {
        let mut found = self.search(program, budget, watcher);
        if let Judged::Unchecked(CfaVerdict::Unsafe(trace)) = found.verdict {
            // Nobody has to wait for a turn to make an answer simple.
            watcher.found();
            found.verdict = Judged::Unchecked(CfaVerdict::Unsafe(simplified(program, trace)));
        }
        if self.member {
            found.stats["decided_by"] = self.own_name().into();
        }
        found
    }

    fn search(&self, program: &CfaProgram, budget: &Budget, watcher: &mut dyn Watcher) -> Found<CfaVerdict> {
        match &self.kind {
            Kind::Alpha(config) => Found::new(alpha::check_procedures(program, config, budget, watcher)),
            Kind::Explicit(config) => Found::new(explicit::check_runs(program, config, budget, watcher)),
            Kind::Cegar(config) => {
                // Where arrays are walked through, proofs are mostly about single cells, and need their time.
                if !self.encoding.is_some()
                    && program.integers == Integers::Machine
                    && cegar::walks_through_arrays(program)
                    && let Ok(found) = cells(program, chosen::UNCHECKED, config, &budget.part(FIRST_FOR_CELLS), watcher)
                {
                    return found;
                }
                let mut facts = Vec::new();
                one_after_the_other(program, self.encoding, budget, watcher, |encoding, budget, watcher| {
                    facts.extend(watcher.heard());
                    cegar(program, (encoding, &facts), config, budget, watcher)
                })
            }
            Kind::Lazy(config) => {
                let mut config = config.clone();
                one_after_the_other(program, self.encoding, budget, watcher, |encoding, budget, watcher| {
                    lazy(program, encoding, &mut config, budget, watcher)
                })
            }
            Kind::Bounded(config) => Found::new(bounded::check(program, config, budget, watcher)),
            Kind::KInduction(config) => Found::new(kinduction::check(program, config, budget, watcher)),
            Kind::Ic3 => Found::new(ic3::check(program, budget, watcher)),
            Kind::Spacer => {
                one_after_the_other(program, self.encoding, budget, watcher, |encoding, budget, watcher| {
                    spacer(program, encoding, budget, watcher)
                })
            }
            Kind::Spds(config) => {
                let (verdict, mut stats) = spds::check(program, config, budget, watcher);
                let drawing = stats.drawing.take();
                Found::new((verdict, stats)).drawn(drawing)
            }
            Kind::Split(config) => Found::new(split::check_procedures(program, config, budget, watcher)),
            Kind::Outline => Found::new(outline::check(program, budget, watcher)),
            Kind::Symex => Found::new(symex::check(program, budget, watcher)),
        }
    }
}

fn cegar(
    program: &CfaProgram,
    (encoding, facts): (Encoding, &[Fact]),
    config: &cegar::Config,
    budget: &Budget,
    watcher: &mut dyn Watcher,
) -> Found<CfaVerdict> {
    let of_cells = match cells(program, encoding, config, &budget.share(50, MOST_FOR_CELLS), watcher) {
        Ok(found) => return found,
        Err(stats) => stats,
    };
    let solve = |system: &_, seeds, budget: &_, observer: &mut dyn Observer| {
        cegar::check(system, &cegar::Config { seeds, ..config.clone() }, budget, observer)
    };
    let mut found = of_cegar(cegar::check_software(program, (encoding, facts), budget, watcher, solve));
    found.stats["cells"] = of_cells;
    found
}

/// A certified proof about single cells of arrays; statistics, if there is none.
fn cells(
    program: &CfaProgram,
    encoding: Encoding,
    config: &cegar::Config,
    budget: &Budget,
    watcher: &mut dyn Watcher,
) -> Result<Found<CfaVerdict>, Value> {
    if matches!(encoding, Encoding::Integers(Overflow::Wraps)) {
        return Err(Value::Null);
    }
    let solve = |system: &_, budget: &_, observer: &mut dyn Observer| {
        cegar::check(system, &for_cells(config), budget, observer)
    };
    let (verdict, stats) = cegar::check_cells(program, encoding, budget, watcher, solve).ok_or(Value::Null)?;
    let is_proof = matches!(verdict, CfaVerdict::Safe(_));
    let mut found = of_cegar((verdict, stats));
    // Others wait for a re-check, and only for that.
    if is_proof {
        watcher.found();
    }
    let reason = match certify(program, found.verdict, &|| budget.check().is_err()) {
        Ok(verdict @ Judged::Certified(_)) => {
            found.verdict = verdict;
            return Ok(found);
        }
        Ok(Judged::Unchecked(CfaVerdict::Unknown(reason))) => reason.to_string().into(),
        Ok(Judged::Unchecked(_)) => Value::Null,
        Err(rejection) => rejection.to_string().into(),
    };
    if is_proof {
        watcher.rejected();
    }
    found.stats["reason"] = reason;
    Err(found.stats)
}

/// Once predicates are split into zones, what is known in each of them is mostly found by invariants alone.
fn for_cells(config: &cegar::Config) -> cegar::Config {
    let invariants = config.invariants.clone().map(|options| InvariantOptions {
        time: Duration::from_secs(5),
        share: 70,
        max_queries: 100_000,
        max_clauses: 3000,
        relations: true,
        ..options
    });
    cegar::Config { invariants, ..config.clone() }
}

fn lazy(
    program: &CfaProgram,
    encoding: Encoding,
    config: &mut lazy::Config,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Found<CfaVerdict> {
    let (verdict, mut stats) = lazy::check(program, encoding, config, budget, observer);
    // Another encoding need not find out again which values are control, and may use what others found out.
    config.track.clone_from(&stats.tracked_variables);
    config.facts.append(&mut stats.facts);
    of_lazy((verdict, stats))
}

fn spacer(program: &CfaProgram, encoding: Encoding, budget: &Budget, observer: &mut dyn Observer) -> Found<CfaVerdict> {
    let solve = |system: &_, _, budget: &_, observer: &mut dyn Observer| spacer::check(system, budget, observer);
    Found::new(cegar::check_software(program, (encoding, &[]), budget, observer, solve))
}

/// How long clauses over single cells of arrays may be tried first of all, where it is likely that they help.
const FIRST_FOR_CELLS: Duration = Duration::from_secs(6);
/// How long clauses over single cells of arrays may be tried before those over whole arrays.
const MOST_FOR_CELLS: Duration = Duration::from_secs(20);
