//! Engines with their configurations, for each of the models.

pub(crate) mod chosen;
mod encodings;
pub(crate) mod procedures;
pub(crate) mod team;

use std::time::Duration;

use clinch_analyses::clauses::ProgramClauses;
use clinch_certify::Judged;
use clinch_engine::drawing::Drawing;
use clinch_engine::{Budget, Observer, alpha, cegar, explicit, kinduction, lazy, spacer, split};
use clinch_ir::interleaving::Interleaving;
use clinch_ir::{Answer, HornSystem, HornVerdict, Program, Reason, Syntax, Verdict};
use clinch_terms::Term;
use serde_json::{Value, json};

use crate::options::{EngineName, Options};
use crate::predicates;
use crate::report::Artifacts;
use crate::task::Input;
use crate::watcher::Watcher;
use procedures::ProcedureEngine;

/// How many vectors of locations a program may have that is read as clauses.
pub const LOCATIONS: usize = 100_000;

/// What an engine found, with its statistics and what else it made.
#[derive(Debug)]
pub(crate) struct Found<V> {
    pub(crate) verdict: Judged<V>,
    pub(crate) stats: Value,
    pub(crate) artifacts: Artifacts,
    /// What of the time was spent on re-checking.
    pub(crate) certify_time: Duration,
}

impl<V> Found<V> {
    pub(crate) fn new<S: serde::Serialize>((verdict, stats): (V, S)) -> Self {
        let stats = serde_json::to_value(stats).expect("statistics are plain data");
        let verdict = Judged::Unchecked(verdict);
        Found { verdict, stats, artifacts: Artifacts::default(), certify_time: Duration::ZERO }
    }

    pub(crate) fn without_stats(verdict: V) -> Self {
        Found::new((verdict, json!({})))
    }

    /// The same, with a drawing of what was searched.
    fn drawn(self, tree: Option<Drawing>) -> Self {
        let artifacts = Artifacts { tree, ..self.artifacts };
        Found { artifacts, ..self }
    }

    /// Another verdict that follows from this one, and is to be checked itself.
    fn map<W>(self, change: impl FnOnce(V) -> W) -> Found<W> {
        let verdict = Judged::Unchecked(change(self.verdict.into_verdict()));
        Found { verdict, stats: self.stats, artifacts: self.artifacts, certify_time: self.certify_time }
    }
}

/// An engine for processes, with its configuration.
#[derive(Debug)]
pub enum ProcessEngine {
    /// Every reachable state.
    Explicit(explicit::Config),
    /// The same by several workers, with so many bytes of memory in this process.
    Team(explicit::Config, Option<u64>),
    /// Abstract matching.
    Alpha(alpha::Config),
    /// Abstract matching with intervals.
    Split(split::Config),
    /// One for Horn clauses.
    Clauses(ClauseEngine),
    /// One for procedures.
    Procedures(ProcedureEngine),
}

/// An engine for Horn clauses, with its configuration.
#[derive(Clone, Debug)]
pub enum ClauseEngine {
    /// Predicate abstraction, with the predicates of a file.
    Cegar(Box<cegar::Config>, PredicateFile),
    /// Lazy abstraction.
    Lazy(Box<lazy::Config>),
    /// k-induction.
    KInduction,
    /// Z3's.
    Spacer,
}

/// Predicates that come from a file, or go to one.
#[derive(Clone, Debug, Default)]
pub struct PredicateFile {
    /// The name of the file to start from, and its text.
    pub start: Option<(String, String)>,
    /// Whether those in use at the end are wanted.
    pub save: bool,
}

impl ProcessEngine {
    /// The engine that is asked for, or what is wrong with it. `member` is one of those that look for the answer together.
    pub(crate) fn new(options: &Options, name: EngineName, member: bool) -> Result<ProcessEngine, String> {
        let settings = &options.settings;
        match name {
            EngineName::Explicit => {
                let config = explicit::OPTIONS.configure(settings)?;
                if config.team.is_some() {
                    return team::configured(config, options);
                }
                Ok(ProcessEngine::Explicit(explicit::Config {
                    seed: options.seed,
                    // Beside other engines it has all cores or one.
                    threads: options.threads.filter(|&threads| !member || threads == 1).unwrap_or(0),
                    // Alone it is the oracle, and counts every state.
                    forget: config.forget || member,
                    ..config
                }))
            }
            EngineName::Alpha => Ok(ProcessEngine::Alpha(alpha::OPTIONS.configure(settings)?)),
            EngineName::Cegar => {
                let file = PredicateFile { start: options.predicates.clone(), save: options.wanted.predicates };
                Ok(ProcessEngine::Clauses(ClauseEngine::Cegar(Box::new(cegar_config(options)?), file)))
            }
            EngineName::Lazy => Ok(ProcessEngine::Clauses(ClauseEngine::Lazy(Box::new(lazy_config(options)?)))),
            EngineName::Spacer => Ok(ProcessEngine::Clauses(ClauseEngine::Spacer)),
            EngineName::Split | EngineName::Auto => {
                Ok(ProcessEngine::Split(split::Config { seed: options.seed, ..split::OPTIONS.configure(settings)? }))
            }
            EngineName::KInduction => Ok(ProcessEngine::Clauses(ClauseEngine::KInduction)),
            EngineName::Outline => Err("outline is for C programs".to_owned()),
            EngineName::Symex => Err("symex is for programs with procedures".to_owned()),
            EngineName::Bounded | EngineName::Ic3 | EngineName::Spds => {
                Ok(ProcessEngine::Procedures(ProcedureEngine::new(options, name, member)?))
            }
        }
    }

    /// Whether a file of predicates can be read, or what is wrong with it.
    pub(crate) fn check_predicates(&self, input: &Input) -> Result<(), String> {
        let ProcessEngine::Clauses(ClauseEngine::Cegar(_, PredicateFile { start: Some((name, text)), .. })) = self
        else {
            return Ok(());
        };
        let mut system = match input {
            Input::Clauses(system) => system.as_ref().clone(),
            Input::Processes(program) => match ProgramClauses::new(program, LOCATIONS) {
                Ok(clauses) => clauses.system,
                Err(_) => return Ok(()),
            },
            Input::Procedures(_) => return Ok(()),
        };
        predicates::parse(&mut system, name, text).map(|_| ())
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            ProcessEngine::Explicit(_) | ProcessEngine::Team(..) => "explicit",
            ProcessEngine::Alpha(_) => "alpha",
            ProcessEngine::Split(_) => "split",
            ProcessEngine::Clauses(engine) => engine.name(),
            ProcessEngine::Procedures(engine) => engine.own_name(),
        }
    }

    /// Runs it.
    pub(crate) fn check(&self, program: &Program, budget: &Budget, watcher: &mut dyn Watcher) -> Found<Verdict> {
        match self {
            // Several workers re-check what they find themselves: see `team::check`.
            ProcessEngine::Explicit(config) | ProcessEngine::Team(config, _) => {
                Found::new(explicit::check(program, config, budget, watcher))
            }
            ProcessEngine::Alpha(config) => Found::new(alpha::check(program, config, budget, watcher)),
            ProcessEngine::Split(config) => Found::new(split::check(program, config, budget, watcher)),
            ProcessEngine::Clauses(engine) => engine.check_program(program, budget, watcher),
            ProcessEngine::Procedures(engine) => interleaved(program, engine, budget, watcher),
        }
    }
}

/// Runs an engine for procedures on processes.
fn interleaved(
    program: &Program,
    engine: &ProcedureEngine,
    budget: &Budget,
    watcher: &mut dyn Watcher,
) -> Found<Verdict> {
    match Interleaving::new(program) {
        Ok(procedure) => {
            let found = engine.check(&procedure.automaton, budget, watcher);
            found.map(|verdict| procedure.verdict(program, verdict))
        }
        Err(reason) => Found::without_stats(Verdict::Unknown(reason)),
    }
}

impl ClauseEngine {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            ClauseEngine::Cegar(..) => "cegar",
            ClauseEngine::Lazy(..) => "lazy",
            ClauseEngine::KInduction => "kinduction",
            ClauseEngine::Spacer => "spacer",
        }
    }

    /// Runs it on clauses.
    pub(crate) fn check(
        &self,
        system: &HornSystem,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Found<HornVerdict> {
        match self {
            ClauseEngine::Cegar(config, file) => check_cegar(system, config, file, budget, observer),
            ClauseEngine::Lazy(config) => of_lazy(lazy::check_clauses(system, config, budget, observer)),
            ClauseEngine::KInduction => {
                let config = kinduction::clauses::Config::default();
                Found::new(kinduction::clauses::check(system, &config, budget, observer))
            }
            ClauseEngine::Spacer => Found::new(spacer::check(system, budget, observer)),
        }
    }

    /// The same, starting from these predicates if it uses any.
    fn with_seeds(&self, suggested: Vec<(String, Term)>) -> ClauseEngine {
        match self {
            ClauseEngine::Cegar(config, file) => {
                let seeds = suggested.into_iter().map(|(location, formula)| cegar::Seed { location, formula });
                let seeds = config.seeds.iter().cloned().chain(seeds).collect();
                ClauseEngine::Cegar(Box::new(cegar::Config { seeds, ..config.as_ref().clone() }), file.clone())
            }
            other => other.clone(),
        }
    }

    /// Runs it on a program.
    fn check_program(&self, program: &Program, budget: &Budget, observer: &mut dyn Observer) -> Found<Verdict> {
        let mut clauses = match ProgramClauses::new(program, LOCATIONS) {
            Ok(clauses) => clauses,
            Err(reason) => return Found::new((Verdict::Unknown(reason), Value::Null)),
        };
        let suggested = clauses.suggested_predicates(program);
        let found = self.with_seeds(suggested).check(&clauses.system, budget, observer);
        found.map(|verdict| clauses.verdict(program, verdict))
    }
}

/// The configuration of lazy abstraction.
pub(crate) fn lazy_config(options: &Options) -> Result<lazy::Config, String> {
    let config = lazy::OPTIONS.configure(&options.settings)?;
    Ok(lazy::Config { draw: options.wanted.nodes_drawn(), ..config })
}

/// The configuration of predicate abstraction.
pub(crate) fn cegar_config(options: &Options) -> Result<cegar::Config, String> {
    let config = cegar::OPTIONS.configure(&options.settings)?;
    Ok(cegar::Config { draw: options.wanted.nodes_on_page(), ..config })
}

/// What cegar found, with its tree.
pub(crate) fn of_cegar<P, C>((verdict, mut stats): (Answer<P, C>, cegar::Stats)) -> Found<Answer<P, C>> {
    let drawing = stats.drawing.take();
    Found::new((verdict, stats)).drawn(drawing)
}

/// What lazy found, with what it was busy with where it reached a limit, and its tree.
fn of_lazy<P, C>((verdict, mut stats): (Answer<P, C>, lazy::Stats)) -> Found<Answer<P, C>> {
    let verdict = match verdict {
        Answer::Unknown(reason) => Answer::Unknown(with_path(reason, &stats)),
        other => other,
    };
    let drawing = stats.drawing.take();
    Found::new((verdict, stats)).drawn(drawing)
}

/// A limit of lazy abstraction, with the last spurious path.
fn with_path(reason: Reason, stats: &lazy::Stats) -> Reason {
    match (&reason, &stats.last_path) {
        (
            Reason::Timeout(_) | Reason::Memory(_) | Reason::Iterations(_) | Reason::Interrupted | Reason::NoProgress,
            Some(path),
        ) => Reason::Busy(Box::new(reason), path.to_string()),
        _ => reason,
    }
}

/// Runs cegar with the predicates of a file, and keeps the predicates at its end.
fn check_cegar(
    system: &HornSystem,
    config: &cegar::Config,
    file: &PredicateFile,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Found<HornVerdict> {
    let (verdict, stats) = match &file.start {
        None => cegar::check(system, config, budget, observer),
        Some((name, text)) => {
            let mut system = system.clone();
            match predicates::parse(&mut system, name, text) {
                Ok(seeds) => {
                    let seeds = config.seeds.iter().cloned().chain(seeds).collect();
                    let config = cegar::Config { seeds, ..config.clone() };
                    cegar::check(&system, &config, budget, observer)
                }
                Err(text) => (HornVerdict::Unknown(Reason::Unsupported(text)), cegar::Stats::default()),
            }
        }
    };
    let predicates = file.save.then(|| predicates::show(&stats.learned));
    let mut found = of_cegar((verdict, stats));
    found.artifacts.predicates = predicates;
    found
}

/// The engine that `auto` stands for where only one runs.
pub(crate) fn single(input: &Input) -> EngineName {
    match input {
        Input::Clauses(_) => EngineName::Cegar,
        Input::Processes(program) if program.syntax == Syntax::Armc => EngineName::Cegar,
        Input::Processes(program) if is_finite(program) => EngineName::Explicit,
        Input::Processes(_) => EngineName::Alpha,
        Input::Procedures(_) => EngineName::Auto,
    }
}

/// Whether every variable has finitely many values.
pub(crate) fn is_finite(program: &Program) -> bool {
    program.vars.iter().all(|v| v.domain.bounds().is_some())
}
