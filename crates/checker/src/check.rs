//! From a task to a report: read, search, re-check.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clinch_certify::{Judged, Model, Rejection, certify};
use clinch_engine::Budget;
use clinch_ir::{Answer, HornSystem, HornVerdict, Program, Reason, Syntax, Verdict};
use serde_json::{Value, json};

use crate::c;
use crate::c::load::Language;
use crate::engines::procedures::ProcedureEngine;
use crate::engines::{self, ClauseEngine, Found, ProcessEngine};
use crate::given::Given;
use crate::kind::Kind;
use crate::options::{EngineName, Limits, Options};
use crate::protocol::{Patience, Prospects};
use crate::report::{self, Artifacts, Report, Subject};
use crate::task::{Error, Input, Task};
use crate::watcher::Watcher;

/// A verdict and how it came about.
#[derive(Debug)]
pub struct Outcome<V = Verdict> {
    /// The verdict.
    pub verdict: Judged<V>,
    /// The engine.
    pub engine: &'static str,
    /// How long the search took.
    pub search_time: Duration,
    /// How long the re-check took.
    pub certify_time: Duration,
    /// What the engine counted.
    pub stats: Value,
    /// What else it made.
    pub(crate) artifacts: Artifacts,
}

impl<V> Outcome<V> {
    /// The report with this verdict.
    pub(crate) fn report(self, verdict: report::Verdict, subject: Subject) -> Report {
        Report {
            subject,
            certified: self.verdict.is_certified(),
            certify_time: self.certify_time,
            artifacts: self.artifacts,
            ..Report::unknown(self.engine, verdict, self.search_time, self.stats)
        }
    }
}

/// An engine with its configuration.
#[derive(Debug)]
pub(crate) enum Engine {
    /// For processes and clauses.
    Processes(ProcessEngine),
    /// For procedures.
    Procedures(ProcedureEngine),
}

impl Engine {
    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Engine::Processes(engine) => engine.name(),
            Engine::Procedures(engine) => engine.name(),
        }
    }

    /// The name of the technique, also where several engines go by one name.
    pub(crate) fn own_name(&self) -> &'static str {
        match self {
            Engine::Processes(engine) => engine.name(),
            Engine::Procedures(engine) => engine.own_name(),
        }
    }
}

/// Reads a task and configures the engine: the one that is asked for, or one of those that look for the answer together.
pub(crate) fn prepare(task: &Task, options: &Options, member: Option<EngineName>) -> Result<(Input, Engine), Error> {
    let given = Given::new(&task.reading, options);
    let kinds = task.kinds();
    if options.wanted.smtlib && !kinds.iter().all(|kind| kind.may_be_clauses()) {
        return Err(Error::Usage(NOT_CLAUSES.to_owned()));
    }
    given.check_inputs(&kinds).map_err(Error::Usage)?;
    if task.has_procedures() {
        let engine = procedure_engine(&given, &kinds, task, options, member).map_err(Error::Usage)?;
        return Ok((Input::Procedures(Box::new(task.read_procedures()?)), Engine::Procedures(engine)));
    }
    let input = task.read()?;
    if options.wanted.smtlib && matches!(input, Input::Processes(_)) {
        return Err(Error::Usage(NOT_CLAUSES.to_owned()));
    }
    let engine = process_engine(&given, &kinds, &input, options, member).map_err(Error::Usage)?;
    engine.check_predicates(&input).map_err(Error::Input)?;
    match (&input, &engine) {
        (Input::Clauses(_), ProcessEngine::Clauses(_)) | (Input::Processes(_), _) => {}
        (_, engine) => return Err(Error::Usage(format!("{} does not go with Horn clauses", engine.name()))),
    }
    Ok((input, Engine::Processes(engine)))
}

/// Another engine for a task that was read.
pub(crate) fn member(task: &Task, options: &Options, input: &Input, name: EngineName) -> Result<Engine, String> {
    let (given, kinds) = (Given::new(&task.reading, options), task.kinds());
    match input {
        Input::Procedures(_) => procedure_engine(&given, &kinds, task, options, Some(name)).map(Engine::Procedures),
        _ => process_engine(&given, &kinds, input, options, Some(name)).map(Engine::Processes),
    }
}

const NOT_CLAUSES: &str = "--format smtlib is for Horn clauses";

fn procedure_engine(
    given: &Given,
    kinds: &[Kind],
    task: &Task,
    options: &Options,
    member: Option<EngineName>,
) -> Result<ProcedureEngine, String> {
    kinds.iter().try_for_each(|&kind| given.check_engine(kind, options.engine))?;
    let encoding = engines::chosen::OPTIONS.configure(&options.settings)?;
    if encoding.is_some() && task.reading.integers == Some(clinch_ir::cfa::Integers::Mathematical) {
        return Err("--encoding does not go with --integers mathematical: they are read as they are".to_owned());
    }
    ProcedureEngine::new(options, member.unwrap_or(options.engine), member.is_some())
}

fn process_engine(
    given: &Given,
    kinds: &[Kind],
    input: &Input,
    options: &Options,
    member: Option<EngineName>,
) -> Result<ProcessEngine, String> {
    if let (EngineName::Auto, Some(member)) = (options.engine, member) {
        kinds.iter().try_for_each(|&kind| given.check_engine(kind, EngineName::Auto))?;
        return ProcessEngine::new(options, member, true);
    }
    let name = match options.engine {
        EngineName::Auto => engines::single(input),
        name => name,
    };
    kinds.iter().try_for_each(|&kind| given.check_engine(kind, name))?;
    ProcessEngine::new(options, name, false)
}

/// The engines that may help with an input, the most promising first.
pub(crate) fn helpful(input: &Input) -> Vec<EngineName> {
    use EngineName::{Alpha, Bounded, Cegar, Explicit, Ic3, KInduction, Lazy, Spacer, Spds};
    let mut engines = match input {
        Input::Clauses(_) => vec![Cegar, Spacer, Lazy],
        Input::Processes(program) if program.syntax == Syntax::Armc => vec![Cegar, Spacer, Lazy],
        Input::Processes(_) => vec![Explicit, Cegar, Alpha, Spacer],
        Input::Procedures(loaded) if loaded.language != Language::C => {
            vec![Spds, Explicit, Bounded, KInduction, Lazy, Cegar]
        }
        Input::Procedures(loaded) if loaded.program.is_recursive() => {
            vec![Explicit, Lazy, Bounded, Spds, Cegar, KInduction, Spacer]
        }
        Input::Procedures(_) if checks_memory(input) => vec![Explicit, Bounded, KInduction, Lazy, Cegar],
        Input::Procedures(_) if is_about_arrays(input) => vec![Explicit, Cegar, Lazy, Bounded, KInduction],
        Input::Procedures(_) => vec![Explicit, Lazy, Bounded, KInduction, Ic3, Cegar],
    };
    if let Input::Procedures(loaded) = input
        && loaded.language == Language::C
        && !loaded.is_small()
    {
        let outline = loaded.may_have_outline().then_some(EngineName::Outline);
        let at = if loaded.is_large() { 1 } else { 2 };
        engines.splice(at..at, outline.into_iter().chain([EngineName::Symex]));
    }
    engines
}

/// Whether engines that look for an answer together share what they find out.
pub(crate) fn shares(input: &Input, options: &Options) -> bool {
    options.share && matches!(input, Input::Procedures(_))
}

/// For how many milliseconds of processor time an engine has the same part of the cores as the others, and how nice it is after that: most
/// answer quickly or not at all. Those that answer where nobody is quick keep their part, so that they have cores of their own soon:
/// explicit where the states are finitely many, which it counts faster than others reason, and where there is but one run; explicit and
/// lazy on C, spds where procedures call themselves, cegar and Spacer on ARMC's systems.
fn patience(input: &Input, engine: EngineName) -> Option<Patience> {
    use EngineName::{Bounded, Cegar, Explicit, Ic3, KInduction, Lazy, Outline, Spds, Symex};
    let stand_back = |ms| Some(Patience { ms, nice: 10 });
    let give_way = |ms| Some(Patience { ms, nice: 5 });
    match (input, engine) {
        (Input::Clauses(_), _) => None,
        (Input::Processes(program), Lazy) if program.syntax == Syntax::Armc => stand_back(300),
        (Input::Processes(program), _) if engine != Explicit && engines::is_finite(program) => stand_back(400),
        (Input::Processes(_), _) => None,
        (Input::Procedures(_), _) if has_one_run(input) => stand_back(500).filter(|_| engine != Explicit),
        (Input::Procedures(loaded), Spds) if loaded.program.is_recursive() => None,
        (Input::Procedures(loaded), Lazy) if loaded.program.is_recursive() => give_way(300),
        (Input::Procedures(loaded), Explicit) if loaded.program.is_recursive() => give_way(200),
        (Input::Procedures(loaded), Bounded) if loaded.program.is_recursive() => give_way(1000),
        (Input::Procedures(_), KInduction) if checks_memory(input) => None,
        (Input::Procedures(_), Explicit) if is_about_arrays(input) => give_way(500),
        (Input::Procedures(loaded), Symex) if !loaded.is_large() => give_way(500),
        (Input::Procedures(_), Explicit | Lazy | Symex) => None,
        (Input::Procedures(loaded), Outline) if loaded.is_large() => stand_back(3000),
        (Input::Procedures(_), Cegar) if is_about_arrays(input) => stand_back(4000),
        (Input::Procedures(_), Bounded | Ic3) => give_way(300),
        (Input::Procedures(_), _) => stand_back(200),
    }
}

/// What may be expected of an engine. On C lazy and bounded are those that still answer after a second, cegar where arrays are walked
/// through, explicit where there is but one run, k-induction where memory is checked (it has candidates for that); elsewhere it answers seldom, as the
/// engines for recursion do: their turns are longer, and shorter.
/// Where procedures call themselves many engines may help, and those that answer soon go first; so do those that know something of memory
/// where that is checked.
pub(crate) fn prospects(input: &Input, engine: EngineName) -> Prospects {
    use EngineName::{Bounded, Cegar, Explicit, Ic3, KInduction, Lazy, Spacer, Spds};
    let is_c = matches!(input, Input::Procedures(loaded) if loaded.language == Language::C);
    let part = match engine {
        _ if !is_c => 100,
        Explicit if has_one_run(input) => 600,
        _ if has_one_run(input) => 100,
        KInduction if checks_memory(input) => 400,
        Bounded if checks_memory(input) => 150,
        _ if checks_memory(input) => 100,
        Cegar if is_about_arrays(input) => 450,
        Lazy if is_about_arrays(input) => 60,
        Bounded if is_about_arrays(input) => 80,
        Lazy | Bounded | Ic3 | EngineName::Outline | EngineName::Symex => 200,
        KInduction => 25,
        Spacer | Spds => 50,
        _ => 75,
    };
    let waits_ms = match input {
        Input::Procedures(loaded) if is_c && loaded.program.is_recursive() => match engine {
            Explicit | Lazy | Bounded | EngineName::Outline | EngineName::Symex => 0,
            Spds => 400,
            Cegar => 550,
            _ => 700,
        },
        Input::Procedures(_) if checks_memory(input) => match engine {
            Lazy => 250,
            // What it finds is seldom true of floats, bit by bit, and others would wait until that is known.
            Cegar if computes_with_floats(input) => 1000,
            Cegar => 350,
            _ => 0,
        },
        _ => 0,
    };
    Prospects { patience: patience(input, engine), part, rests: matches!(input, Input::Processes(_)), waits_ms }
}

fn checks_memory(input: &Input) -> bool {
    matches!(input, Input::Procedures(loaded) if loaded.checks.are_about_memory())
}

fn computes_with_floats(input: &Input) -> bool {
    let Input::Procedures(loaded) = input else { return false };
    let terms = &loaded.program.terms;
    terms.all_terms().any(|term| terms.is_float_operation(term))
}

fn is_about_arrays(input: &Input) -> bool {
    matches!(input, Input::Procedures(loaded) if clinch_engine::cegar::walks_through_arrays(&loaded.program))
}

/// Whether an input is a program that asks for none itself.
pub(crate) fn has_one_run(input: &Input) -> bool {
    matches!(input, Input::Procedures(loaded) if loaded.program.has_one_run())
}

/// Searches, re-checks, reports.
pub(crate) fn run(
    input: &Input,
    engine: &Engine,
    options: &Options,
    budget: &Budget,
    watcher: &mut dyn Watcher,
) -> Report {
    let certify = options.certify;
    let report = match (input, engine) {
        (Input::Processes(program), Engine::Processes(engine)) => {
            check_program(program, engine, budget, certify, watcher)
                .map(|outcome| report::of_processes(program, outcome))
        }
        (Input::Clauses(system), Engine::Processes(ProcessEngine::Clauses(engine))) => {
            check_clauses(system, engine, budget, certify, watcher)
                .map(|outcome| report::of_clauses(system, outcome, options.wanted.smtlib))
        }
        (Input::Procedures(loaded), Engine::Procedures(engine)) => {
            c::check::check(loaded, engine, budget, options, watcher)
        }
        _ => Err("it does not go with this input".to_owned()),
    };
    report.unwrap_or_else(|wrong| {
        let reason = Reason::Uncertified(format!("internal error: {wrong}"));
        let verdict = report::Verdict::unknown(&reason);
        let report = Report::unknown(engine.name(), verdict, budget.elapsed(), json!({}));
        Report { internal_errors: vec![format!("{}: {wrong}", engine.name())], ..report }
    })
}

/// The limits as engines see them; the second part stops the run.
pub(crate) fn budget(limits: &Limits, elapsed: Duration) -> (Budget, Arc<AtomicBool>) {
    let stop = Arc::new(AtomicBool::new(false));
    let budget = Budget::unlimited()
        .with_elapsed(elapsed)
        .with_timeout(limits.timeout)
        .with_memory(limits.memory)
        .with_max_iterations(limits.iterations)
        .with_stop(Arc::clone(&stop));
    (budget, stop)
}

/// Runs an engine on processes and re-checks what it says. An error here is a verdict that failed its check.
pub fn check_program(
    program: &Program,
    engine: &ProcessEngine,
    budget: &Budget,
    checks: bool,
    watcher: &mut dyn Watcher,
) -> Result<Outcome, String> {
    if let ProcessEngine::Team(config, memory) = engine {
        return engines::team::check(program, (config, *memory), (budget, checks), watcher);
    }
    let search = |watcher: &mut dyn Watcher| engine.check(program, budget, watcher);
    search_and_certify(program, engine.name(), (budget, checks), watcher, search)
}

/// The same for Horn clauses.
fn check_clauses(
    system: &HornSystem,
    engine: &ClauseEngine,
    budget: &Budget,
    checks: bool,
    watcher: &mut dyn Watcher,
) -> Result<Outcome<HornVerdict>, String> {
    let search = |watcher: &mut dyn Watcher| engine.check(system, budget, watcher);
    search_and_certify(system, engine.name(), (budget, checks), watcher, search)
}

/// The answers to questions about a model.
type AnswerOf<S> = Answer<<S as Model>::Proof, <S as Model>::Counterexample>;

/// Searches, and re-checks the evidence unless `checks` is off.
pub(crate) fn search_and_certify<S: Model>(
    subject: &S,
    engine: &'static str,
    (budget, checks): (&Budget, bool),
    watcher: &mut dyn Watcher,
    search: impl FnOnce(&mut dyn Watcher) -> Found<AnswerOf<S>>,
) -> Result<Outcome<AnswerOf<S>>, String> {
    let start = Instant::now();
    let Found { verdict, stats, artifacts, certify_time } = search(watcher);
    let verdict = match (verdict, budget.check()) {
        // Where queries were interrupted, that nothing was found says nothing.
        (Judged::Unchecked(Answer::Unknown(Reason::NoProgress)), Err(reason)) => {
            Judged::Unchecked(Answer::Unknown(reason))
        }
        (verdict, _) => verdict,
    };
    // An engine that started later is not faster for that.
    let search_time = if engine == EngineName::Auto.name() { budget.elapsed() } else { start.elapsed() };
    let search_time = search_time.saturating_sub(certify_time);
    // Others wait for a re-check, and only for that.
    if verdict.verdict().is_known() {
        watcher.found();
    }
    let start = Instant::now();
    let checked = if checks { certify(subject, verdict, &|| budget.check().is_err()) } else { Ok(verdict) };
    let verdict = match checked {
        Ok(verdict) => verdict,
        Err(Rejection::Wrong(text)) => return Err(text),
        Err(rejection) => {
            let reason = budget.check().err().unwrap_or_else(|| Reason::Uncertified(rejection.to_string()));
            Judged::Unchecked(Answer::Unknown(reason))
        }
    };
    let certify_time = certify_time + start.elapsed();
    Ok(Outcome { verdict, engine, search_time, certify_time, stats, artifacts })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only the next engine is asked whether it waits, so that one that starts at once must not stand behind it.
    #[test]
    fn nobody_stands_behind_one_that_waits_longer() {
        let steps = "x += x < 7 ? 3 : 5; if (x == n) x--;\n".repeat(60);
        let recursive = format!(
            "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);\n\
             unsigned f(unsigned n) {{ unsigned x = n; {steps} return n ? x + f(n - 1) : x; }}\n\
             int main(void) {{ if (f(__VERIFIER_nondet_uint()) == 12345) reach_error(); return 0; }}\n"
        );
        let plain = recursive.replace("x + f(n - 1)", "x");
        for text in [recursive, plain] {
            let task = Task::text("steps.c", &text);
            let (input, _) = prepare(&task, &Options::default(), Some(EngineName::Explicit)).expect("a program");
            let engines = helpful(&input);
            assert!(engines.contains(&EngineName::Symex), "{engines:?}");
            let waits: Vec<u64> = engines.iter().map(|&engine| prospects(&input, engine).waits_ms).collect();
            assert!(waits.is_sorted(), "{engines:?}: {waits:?}");
        }
    }
}
