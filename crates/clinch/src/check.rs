//! `clinch check`: read, search, re-check, report.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clinch_certify::Rejection;
use clinch_engine::Budget;
use clinch_frontend::Input;
use clinch_ir::{HornSystem, HornVerdict, Program, Reason, Syntax, Verdict};
use serde_json::json;

use crate::c::engines::CEngine;
use crate::c::load::{Language, Loaded};
use crate::cli::{CheckArgs, EngineName, Format, IntegersName, LimitArgs, Switch};
use crate::engines::{Engine, HornEngine};
use crate::load::LoadError;
use crate::options::{Given, Kind};
use crate::progress::{Line, Log};
use crate::worker::Link;
use crate::{c, exit, load, report, report_horn};

/// A verdict and how it came about.
pub(crate) struct Outcome<V = Verdict> {
    pub(crate) verdict: V,
    pub(crate) engine: &'static str,
    pub(crate) certified: bool,
    pub(crate) search_time: Duration,
    pub(crate) certify_time: Duration,
    pub(crate) stats: serde_json::Value,
}

/// `clinch check`, as a worker of [`crate::supervisor`].
pub(crate) fn run(args: &CheckArgs, given: &Given, elapsed: Duration) -> u8 {
    let format = args.output();
    let (budget, link) = start(&args.limits, elapsed);
    let prepared = match prepare(args, given, format) {
        Ok(prepared) => prepared,
        Err(Stop::Error(text, code)) => {
            report::error(&text);
            link.report(None, code);
            return code;
        }
        Err(Stop::Unknown(reason)) => {
            let text = report::unknown(format, "none", &reason.to_string(), budget.elapsed(), &json!({}));
            link.report(Some(text), exit::UNKNOWN);
            return exit::UNKNOWN;
        }
    };
    let engine = prepared.engine_name();
    link.engine(engine);
    link.helpful(&prepared.helpful());
    let log = if args.progress { Log::Refinements } else { Log::Nothing };
    let manner = Manner { certify: args.certify, strict: args.strict, log, link: Some(link) };
    let answer = match &prepared {
        Prepared::Horn(system, engine) => answer_horn(system, engine, &budget, manner, format),
        Prepared::Program(program, engine) => answer(program, engine, &budget, manner, format),
        Prepared::C(loaded, engine) => c::check::answer(loaded, engine, &budget, (manner, args), format),
    };
    let Answer { text, code, unknown } = answer;
    let (text, unknown) = match text {
        Ok(text) => (text, unknown),
        Err(wrong) => {
            report::error(&format!("internal error: {engine}: {wrong}"));
            let reason = Reason::Uncertified(format!("internal error: {wrong}"));
            (report::unknown(format, engine, &reason.to_string(), budget.elapsed(), &json!({})), Some(reason))
        }
    };
    match (args.member, unknown) {
        (Some(member), Some(reason)) => link.gave_up(member.name(), &reason),
        _ => link.report(Some(text), code),
    }
    code
}

/// The limits, and the way to the supervisor.
fn start(limits: &LimitArgs, elapsed: Duration) -> (Budget, Link) {
    let stop = Arc::new(AtomicBool::new(false));
    let budget = Budget::unlimited()
        .with_elapsed(elapsed)
        .with_timeout(Some(limits.timeout))
        .with_memory(Some(limits.memory))
        .with_max_iterations(limits.max_iterations)
        .with_stop(Arc::clone(&stop));
    let link = Link::start(&budget, stop);
    (budget, link)
}

/// How a verdict is found.
#[derive(Clone, Copy)]
pub(crate) struct Manner {
    /// Whether it is re-checked.
    pub(crate) certify: Switch,
    /// Whether "safe" under assumptions, or of nothing, is not enough.
    pub(crate) strict: bool,
    /// What is shown on the way.
    pub(crate) log: Log,
    /// Who is told how it goes.
    pub(crate) link: Option<Link>,
}

impl Manner {
    /// With all checks, and without a word.
    pub(crate) const QUIET: Manner = Manner { certify: Switch::On, strict: false, log: Log::Nothing, link: None };
}

/// What is checked, and by which engine.
#[derive(Debug)]
pub(crate) enum Prepared {
    Program(Box<Program>, Engine),
    Horn(Box<HornSystem>, HornEngine),
    C(Box<Loaded>, CEngine),
}

impl Prepared {
    /// The engines that may help, the most promising first.
    fn helpful(&self) -> Vec<EngineName> {
        use EngineName::{Alpha, Bounded, Cegar, Explicit, Lazy, Spacer, Spds};
        match self {
            Prepared::Horn(..) => vec![Cegar, Spacer, Lazy],
            Prepared::Program(program, _) if program.syntax == Syntax::Armc => vec![Cegar, Spacer, Lazy],
            Prepared::Program(..) => vec![Explicit, Cegar, Alpha, Spacer],
            Prepared::C(loaded, _) if loaded.language != Language::C => vec![Spds, Explicit, Bounded, Lazy, Cegar],
            Prepared::C(loaded, _) if loaded.program.is_recursive() => vec![Explicit, Lazy, Bounded, Cegar, Spds],
            Prepared::C(..) => vec![Explicit, Lazy, Bounded, Cegar],
        }
    }

    fn engine_name(&self) -> &'static str {
        match self {
            Prepared::Program(_, engine) => engine.name(),
            Prepared::Horn(_, engine) => engine.name(),
            Prepared::C(_, engine) => engine.name(),
        }
    }
}

/// Why a run does not even start.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A message for standard error, and the exit code.
    Error(String, u8),
    /// No verdict is possible.
    Unknown(Reason),
}

/// Reads the input and chooses the engine.
pub(crate) fn prepare(args: &CheckArgs, given: &Given, format: Format) -> Result<Prepared, Stop> {
    let stop = |error| match error {
        LoadError::Bad(text) => Stop::Error(text, exit::BAD_INPUT),
        LoadError::Usage(text) => usage(&text),
        LoadError::Unsupported(reason) => Stop::Unknown(reason),
    };
    let kinds: Vec<Kind> = args.files.iter().filter_map(|file| Kind::of_path(file)).collect();
    if format == Format::Smtlib && !kinds.iter().all(|kind| kind.may_be_clauses()) {
        return Err(usage("--format smtlib is for Horn clauses"));
    }
    if args.files.iter().any(|file| c::load::has_procedures(file)) {
        return prepare_procedures(args, given, &kinds).and_then(|engine| {
            let loaded = c::load::load(&args.files, &args.c, &args.model.text, given).map_err(stop)?;
            Ok(Prepared::C(Box::new(loaded), engine))
        });
    }
    let [file] = args.files.as_slice() else { return Err(usage("only C programs have several files")) };
    given.check_inputs(&kinds).map_err(|text| usage(&text))?;
    let input = load::load(file, &args.model).map_err(stop)?;
    if format == Format::Smtlib && matches!(input, Input::Program(_)) {
        return Err(usage("--format smtlib is for Horn clauses"));
    }
    let engine = Engine::from_args(args, given, &input, &kinds).map_err(|text| usage(&text))?;
    engine.check_predicates(&input).map_err(|text| Stop::Error(text, exit::BAD_INPUT))?;
    match (input, engine) {
        (Input::Horn(system), Engine::Horn(engine)) => Ok(Prepared::Horn(system, engine)),
        (Input::Program(program), engine) => Ok(Prepared::Program(program, engine)),
        (Input::Horn(_), engine) => Err(usage(&format!("{} does not go with Horn clauses", engine.name()))),
    }
}

/// The engine for programs with procedures.
fn prepare_procedures(args: &CheckArgs, given: &Given, kinds: &[Kind]) -> Result<CEngine, Stop> {
    given.check_inputs(kinds).map_err(|text| usage(&text))?;
    kinds.iter().try_for_each(|&kind| given.check_engine(kind, args.engine)).map_err(|text| usage(&text))?;
    if args.lazy.encoding.is_some() && args.c.integers == IntegersName::Mathematical {
        return Err(usage("--encoding does not go with --integers mathematical: they are read as they are"));
    }
    CEngine::from_args(args).map_err(|text| usage(&text))
}

fn usage(text: &str) -> Stop {
    Stop::Error(format!("error: {text}"), exit::USAGE)
}

/// What is said of a run.
pub(crate) struct Answer {
    /// What to print; an error if the evidence is wrong.
    pub(crate) text: Result<String, String>,
    /// The exit code.
    pub(crate) code: u8,
    /// Why there is no verdict, if there is none.
    pub(crate) unknown: Option<Reason>,
}

impl Answer {
    /// The evidence is wrong.
    pub(crate) fn wrong(text: String) -> Answer {
        Answer { text: Err(text), code: exit::INTERNAL, unknown: None }
    }
}

fn answer(program: &Program, engine: &Engine, budget: &Budget, manner: Manner, format: Format) -> Answer {
    match check(program, engine, budget, manner) {
        Ok(outcome) => {
            let text = match format {
                Format::Json => report::json(program, &outcome),
                Format::Text | Format::Smtlib => report::text(program, &outcome),
            };
            let (code, unknown) = match &outcome.verdict {
                Verdict::Safe(_) if report::missing_property(program, &outcome).is_some() => (exit::UNKNOWN, None),
                Verdict::Safe(_) => (exit::SAFE, None),
                Verdict::Unsafe(_) => (exit::UNSAFE, None),
                Verdict::Unknown(reason) => (exit::UNKNOWN, Some(reason.clone())),
            };
            Answer { text: Ok(text), code, unknown }
        }
        Err(text) => Answer::wrong(text),
    }
}

fn answer_horn(system: &HornSystem, engine: &HornEngine, budget: &Budget, manner: Manner, format: Format) -> Answer {
    match check_horn(system, engine, budget, manner) {
        Ok(outcome) => {
            let text = match format {
                Format::Text => report_horn::text(system, &outcome),
                Format::Json => report_horn::json(system, &outcome),
                Format::Smtlib => report_horn::smtlib(system, &outcome),
            };
            let doubtful = manner.strict && report_horn::note(system, &outcome).is_some();
            let (code, unknown) = match &outcome.verdict {
                HornVerdict::Sat(_) if doubtful => (exit::UNKNOWN, None),
                HornVerdict::Sat(_) => (exit::SAFE, None),
                HornVerdict::Unsat(_) => (exit::UNSAFE, None),
                HornVerdict::Unknown(reason) => (exit::UNKNOWN, Some(reason.clone())),
            };
            Answer { text: Ok(text), code, unknown }
        }
        Err(text) => Answer::wrong(text),
    }
}

/// Runs the engine on a program and re-checks what it says. An error here is a verdict that failed its check.
pub(crate) fn check(program: &Program, engine: &Engine, budget: &Budget, manner: Manner) -> Result<Outcome, String> {
    search_and_recheck(
        engine.name(),
        budget,
        manner,
        |line| engine.check(program, budget, line),
        |verdict, stop| match verdict {
            Verdict::Safe(proof) => clinch_certify::check_proof(program, proof, stop).map(|()| true),
            Verdict::Unsafe(trace) => clinch_certify::check_trace(program, trace).map(|()| true),
            Verdict::Unknown(_) => Ok(false),
        },
        Verdict::Unknown,
    )
}

/// The same for Horn clauses.
fn check_horn(
    system: &HornSystem,
    engine: &HornEngine,
    budget: &Budget,
    manner: Manner,
) -> Result<Outcome<HornVerdict>, String> {
    search_and_recheck(
        engine.name(),
        budget,
        manner,
        |line| engine.check(system, budget, line),
        |verdict, stop| match verdict {
            HornVerdict::Sat(solution) => clinch_certify::check_solution(system, solution, stop).map(|()| true),
            HornVerdict::Unsat(derivation) => clinch_certify::check_refutation(system, derivation).map(|()| true),
            HornVerdict::Unknown(_) => Ok(false),
        },
        HornVerdict::Unknown,
    )
}

/// Searches, and re-checks the evidence: `recheck` says whether it was accepted; there is none to accept for "unknown".
pub(crate) fn search_and_recheck<V>(
    engine: &'static str,
    budget: &Budget,
    manner: Manner,
    search: impl FnOnce(&mut Line) -> (V, serde_json::Value),
    recheck: impl FnOnce(&V, clinch_certify::Stop<'_>) -> Result<bool, Rejection>,
    unknown: impl FnOnce(Reason) -> V,
) -> Result<Outcome<V>, String> {
    let mut line = Line::new(engine, manner.log, manner.link);
    let start = Instant::now();
    let (verdict, stats) = search(&mut line);
    // An engine that started later is not faster for that.
    let search_time = if engine == EngineName::Auto.name() { budget.elapsed() } else { start.elapsed() };
    line.say("re-checking the verdict");
    if let Some(link) = manner.link {
        link.found();
    }
    let start = Instant::now();
    let checked = match manner.certify {
        Switch::On => recheck(&verdict, &|| budget.check().is_err()),
        Switch::Off => Ok(false),
    };
    let certify_time = start.elapsed();
    line.finish();
    let (verdict, certified) = match checked {
        Ok(certified) => (verdict, certified),
        Err(Rejection::Wrong(text)) => return Err(text),
        Err(rejection) => {
            let reason = budget.check().err().unwrap_or_else(|| Reason::Uncertified(rejection.to_string()));
            (unknown(reason), false)
        }
    };
    Ok(Outcome { verdict, engine, certified, search_time, certify_time, stats })
}
