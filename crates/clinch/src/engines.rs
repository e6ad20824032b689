//! `clinch engines`, and the choice of one from the command line.

use std::path::{Path, PathBuf};

use clinch_engine::{Budget, Observer, alpha, cegar, explicit, lazy, spacer, split};
use clinch_frontend::Input;
use clinch_ir::horn::ProgramClauses;
use clinch_ir::{HornSystem, HornVerdict, InputDomain, Program, Reason, Syntax, Term, Verdict};
use serde_json::Value;

use crate::cli::{CheckArgs, EngineName, InputsName, LookupName, OrderName, ScopeName, StrategyName, Switch};
use crate::options::{Given, Kind};
use crate::predicates::{self, PredicateFiles};
use crate::{exit, report};

/// How many vectors of locations a program may have that is read as clauses.
pub(crate) const LOCATIONS: usize = 100_000;

/// An engine with its options: what was typed, made sense of.
#[derive(Debug)]
pub(crate) enum Engine {
    Explicit(explicit::Config),
    Alpha(alpha::Config),
    Split(split::Config),
    Horn(HornEngine),
}

/// An engine for Horn clauses; programs are read as such.
#[derive(Debug)]
pub(crate) enum HornEngine {
    Cegar(Box<cegar::Config>, PredicateFiles),
    Lazy(Box<lazy::Config>, Option<PathBuf>),
    Spacer(spacer::Config),
}

impl Engine {
    /// The engine the command line asks for, or what is wrong with it.
    pub(crate) fn from_args(args: &CheckArgs, given: &Given, input: &Input, kinds: &[Kind]) -> Result<Engine, String> {
        if let (EngineName::Auto, Some(member)) = (args.engine, args.member) {
            kinds.iter().try_for_each(|&kind| given.check_engine(kind, EngineName::Auto))?;
            return Self::with_name(args, member);
        }
        let name = match (args.engine, input) {
            (EngineName::Auto, Input::Horn(_)) => EngineName::Cegar,
            (EngineName::Auto, Input::Program(program)) if program.syntax == Syntax::Armc => EngineName::Cegar,
            (EngineName::Auto, Input::Program(program)) if is_finite(program) => EngineName::Explicit,
            (EngineName::Auto, Input::Program(_)) => EngineName::Alpha,
            (name, _) => name,
        };
        kinds.iter().try_for_each(|&kind| given.check_engine(kind, name))?;
        let engine = Self::with_name(args, name)?;
        match (&engine, input) {
            (Engine::Horn(_), _) | (_, Input::Program(_)) => Ok(engine),
            (_, Input::Horn(_)) => Err(format!("{} does not go with Horn clauses", engine.name())),
        }
    }

    fn with_name(args: &CheckArgs, name: EngineName) -> Result<Engine, String> {
        let inputs = InputDomain(args.input_domain);
        match name {
            EngineName::Explicit => Ok(Engine::Explicit(explicit::Config {
                order: match args.order {
                    None | Some(OrderName::Bfs) => explicit::Order::BreadthFirst,
                    Some(OrderName::Dfs) => explicit::Order::DepthFirst,
                    Some(OrderName::Random) => explicit::Order::RandomDepthFirst,
                    Some(_) => return Err("this --order does not go with --engine explicit".to_owned()),
                },
                seed: args.seed,
                threads: args.threads.filter(|_| args.member.is_none()).unwrap_or(0),
                inputs,
            })),
            EngineName::Alpha => Ok(Engine::Alpha(alpha_config(args, inputs)?)),
            EngineName::Cegar => {
                let config = Box::new(cegar_config(args)?);
                Ok(Engine::Horn(HornEngine::Cegar(config, predicate_files(args)?)))
            }
            EngineName::Lazy => {
                let config = Box::new(crate::c::lazy::config(args)?);
                Ok(Engine::Horn(HornEngine::Lazy(config, args.lazy.dot.clone())))
            }
            EngineName::Bounded => Err("--engine bounded is for C".to_owned()),
            EngineName::Spds => Err("--engine spds is for C".to_owned()),
            EngineName::Spacer => Ok(Engine::Horn(HornEngine::Spacer(spacer::Config::default()))),
            EngineName::Split | EngineName::Auto => Ok(Engine::Split(split::Config {
                strategy: match args.strategy {
                    None | Some(StrategyName::MinOnly) => split::Strategy::MinOnly,
                    Some(StrategyName::MinSet) => split::Strategy::MinSet,
                    Some(StrategyName::MaxOverlap) => split::Strategy::MaxOverlap,
                },
                seed: args.seed,
                inputs,
                ..split::Config::default()
            })),
        }
    }

    /// Whether a file of predicates can be read, or what is wrong with it.
    pub(crate) fn check_predicates(&self, input: &Input) -> Result<(), String> {
        let Engine::Horn(HornEngine::Cegar(_, PredicateFiles { start: Some((name, text)), .. })) = self else {
            return Ok(());
        };
        let mut system = match input {
            Input::Horn(system) => system.as_ref().clone(),
            Input::Program(program) => match ProgramClauses::new(program, LOCATIONS) {
                Ok(clauses) => clauses.system,
                Err(_) => return Ok(()),
            },
        };
        predicates::parse(&mut system, name, text).map(|_| ())
    }

    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Engine::Explicit(_) => "explicit",
            Engine::Alpha(_) => "alpha",
            Engine::Split(_) => "split",
            Engine::Horn(engine) => engine.name(),
        }
    }

    /// Runs it.
    pub(crate) fn check(&self, program: &Program, budget: &Budget, observer: &mut dyn Observer) -> (Verdict, Value) {
        match self {
            Engine::Explicit(config) => json(explicit::check(program, config, budget, observer)),
            Engine::Alpha(config) => json(alpha::check(program, config, budget, observer)),
            Engine::Split(config) => json(split::check(program, config, budget, observer)),
            Engine::Horn(engine) => engine.check_program(program, budget, observer),
        }
    }
}

impl HornEngine {
    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            HornEngine::Cegar(..) => "cegar",
            HornEngine::Lazy(..) => "lazy",
            HornEngine::Spacer(_) => "spacer",
        }
    }

    /// Runs it on clauses.
    pub(crate) fn check(
        &self,
        system: &HornSystem,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> (HornVerdict, Value) {
        match self {
            HornEngine::Cegar(config, files) => json(check_cegar(system, config, files, budget, observer)),
            HornEngine::Lazy(config, dot) => check_lazy(system, config, dot.as_deref(), budget, observer),
            HornEngine::Spacer(config) => json(spacer::check(system, config, budget, observer)),
        }
    }

    /// The same, starting from these predicates if it uses any.
    fn with_seeds(&self, suggested: Vec<(String, Term)>) -> HornEngine {
        match self {
            HornEngine::Cegar(config, files) => {
                let seeds = suggested.into_iter().map(|(location, formula)| cegar::Seed { location, formula });
                let seeds = config.seeds.iter().cloned().chain(seeds).collect();
                HornEngine::Cegar(Box::new(cegar::Config { seeds, ..config.as_ref().clone() }), files.clone())
            }
            HornEngine::Lazy(config, dot) => HornEngine::Lazy(config.clone(), dot.clone()),
            HornEngine::Spacer(config) => HornEngine::Spacer(config.clone()),
        }
    }

    /// Runs it on a program.
    fn check_program(&self, program: &Program, budget: &Budget, observer: &mut dyn Observer) -> (Verdict, Value) {
        let mut clauses = match ProgramClauses::new(program, LOCATIONS) {
            Ok(clauses) => clauses,
            Err(reason) => return (Verdict::Unknown(reason), Value::Null),
        };
        let suggested = clauses.suggested_predicates(program);
        let (verdict, stats) = self.with_seeds(suggested).check(&clauses.system, budget, observer);
        (clauses.verdict(program, verdict), stats)
    }
}

fn json<V, S: serde::Serialize>((verdict, stats): (V, S)) -> (V, Value) {
    (verdict, serde_json::to_value(stats).expect("statistics are plain data"))
}

/// Runs lazy, draws its tree, and says what it was busy with where it reached a limit.
fn check_lazy(
    system: &HornSystem,
    config: &lazy::Config,
    dot: Option<&Path>,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> (HornVerdict, Value) {
    let (verdict, stats) = lazy::check_clauses(system, config, budget, observer);
    draw(dot, &stats);
    let verdict = match verdict {
        HornVerdict::Unknown(reason) => HornVerdict::Unknown(with_path(reason, &stats)),
        other => other,
    };
    json((verdict, stats))
}

/// Writes the tree into a file.
pub(crate) fn draw(file: Option<&Path>, stats: &lazy::Stats) {
    if let (Some(file), Some(text)) = (file, &stats.dot)
        && let Err(error) = std::fs::write(file, text)
    {
        report::error(&format!("warning: cannot write {}: {error}", file.display()));
    }
}

/// A limit of lazy abstraction, with the last spurious path.
pub(crate) fn with_path(reason: Reason, stats: &lazy::Stats) -> Reason {
    match (&reason, &stats.last_path) {
        (
            Reason::Timeout(_) | Reason::Memory(_) | Reason::Iterations(_) | Reason::Interrupted | Reason::NoProgress,
            Some(path),
        ) => Reason::Busy(Box::new(reason), path.to_string()),
        _ => reason,
    }
}

/// Runs cegar with the predicates of a file, and writes the predicates at its end to another.
fn check_cegar(
    system: &HornSystem,
    config: &cegar::Config,
    files: &PredicateFiles,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> (HornVerdict, cegar::Stats) {
    let (verdict, stats) = match &files.start {
        None => cegar::check(system, config, budget, observer),
        Some((name, text)) => {
            let mut system = system.clone();
            match predicates::parse(&mut system, name, text) {
                Ok(seeds) => {
                    let seeds = config.seeds.iter().cloned().chain(seeds).collect();
                    let config = cegar::Config { seeds, ..config.clone() };
                    cegar::check(&system, &config, budget, observer)
                }
                Err(text) => return (HornVerdict::Unknown(Reason::Unsupported(text)), cegar::Stats::default()),
            }
        }
    };
    if let Some(path) = &files.save
        && let Err(error) = std::fs::write(path, predicates::show(&stats.learned))
    {
        report::error(&format!("warning: {}: the predicates are not saved: {error}", path.display()));
    }
    (verdict, stats)
}

fn predicate_files(args: &CheckArgs) -> Result<PredicateFiles, String> {
    let start = args.predicate_file.as_ref().map(|path| {
        let name = path.display().to_string();
        std::fs::read_to_string(path).map(|text| (name.clone(), text)).map_err(|e| format!("{name}: cannot read: {e}"))
    });
    Ok(PredicateFiles { start: start.transpose()?, save: args.save_predicates.clone() })
}

pub(crate) fn cegar_config(args: &CheckArgs) -> Result<cegar::Config, String> {
    let default = cegar::Config::default();
    if (args.control, args.simplify) == (Some(Switch::On), Some(Switch::Off)) {
        return Err("--control on needs --simplify on".to_owned());
    }
    Ok(cegar::Config {
        order: match args.order {
            None => default.order,
            Some(OrderName::Bfs) => cegar::Order::BreadthFirst,
            Some(OrderName::Dfs) => cegar::Order::DepthFirst,
            Some(OrderName::SubsumerFirst) => cegar::Order::SubsumerFirst,
            Some(OrderName::Priority) => cegar::Order::Priority,
            Some(_) => return Err("this --order does not go with --engine cegar".to_owned()),
        },
        simplify: match args.simplify {
            None | Some(Switch::On) => default.simplify,
            Some(Switch::Off) => None,
        },
        invariants: match args.invariants {
            None | Some(Switch::On) => default.invariants,
            Some(Switch::Off) => None,
        },
        control: match args.control {
            None | Some(Switch::On) => default.control,
            Some(Switch::Off) => None,
        },
        scope: match args.scope {
            Some(ScopeName::Global) => cegar::Scope::Everywhere,
            None | Some(ScopeName::Transition) => cegar::Scope::Location,
        },
        refinement: match args.refine {
            None | Some(Switch::On) => cegar::RefinementMode::Refine,
            Some(Switch::Off) => cegar::RefinementMode::Fixed,
        },
        ..default
    })
}

fn alpha_config(args: &CheckArgs, domain: InputDomain) -> Result<alpha::Config, String> {
    Ok(alpha::Config {
        order: match args.order {
            None | Some(OrderName::Bfs) => alpha::Order::BreadthFirst,
            Some(OrderName::Dfs) => alpha::Order::DepthFirst,
            Some(_) => return Err("this --order does not go with --engine alpha".to_owned()),
        },
        prover: match args.prover {
            None | Some(Switch::On) => alpha::ProverUse::On,
            Some(Switch::Off) => alpha::ProverUse::Off,
        },
        add_all: args.add_all,
        lookup: match args.lookup {
            None | Some(LookupName::End) => alpha::ErrorLookup::AtEnd,
            Some(LookupName::Once) => alpha::ErrorLookup::AtOnce,
        },
        scope: match args.scope {
            None | Some(ScopeName::Global) => alpha::PredicateScope::Global,
            Some(ScopeName::Transition) => alpha::PredicateScope::Transition,
        },
        inputs: match (args.inputs, domain.0) {
            (Some(InputsName::Solve), Some(_)) => {
                return Err("--input-domain does not go with --inputs solve".to_owned());
            }
            (Some(InputsName::Brute), _) | (None, Some(_)) => alpha::Inputs::BruteForce(domain),
            (Some(InputsName::Solve) | None, None) => alpha::Inputs::Solve,
        },
    })
}

fn is_finite(program: &Program) -> bool {
    program.vars.iter().all(|v| v.domain.bounds().is_some())
}

/// The engines, each with the options that are its own.
pub(crate) const ENGINES: &str = "\
explicit  every reachable state, one by one; the oracle for the others
    --order bfs|dfs|random   breadth first (shortest traces, all cores), depth first, random depth first
    --threads N              cores for breadth first
    --input-domain LO..HI    values for unbounded inputs
alpha     concrete search with abstract matching, refined until exact [Alpha]
    --order bfs|dfs          which waiting state is explored next
    --prover on|off          check exactness, or add predicates on every step
    --add-all [K]            describe states whose transitions stay inexact K times in a row
    --scope global|transition  use new predicates everywhere, or at the location that needs them
    --inputs solve|brute     one input per predicate combination, or all of a domain
    --input-domain LO..HI    values for unbounded inputs
    --lookup end|once        look for the error after a search, or stop at the first
    --predicate EXPR         a predicate to start from
split     abstract matching with intervals split until abstract and concrete states agree [Split]
    --strategy max-overlap|min-set|min-only  which predicates split
    --input-domain LO..HI    values for unbounded inputs
    --predicate EXPR         a predicate to start from
cegar     predicate abstraction of Horn clauses, refined by interpolants from spurious counterexamples [Subsumer]
    --order subsumer-first|priority|bfs|dfs  which abstract state is expanded next
    --simplify on|off        make the clauses smaller first; off is the paper's configuration
    --control on|off         make control explicit that is kept in data
    --invariants on|off      look for simple invariants first
    --scope transition|global  use new predicates at the location that needs them, or everywhere
    --predicate EXPR, --predicates FILE  predicates to start from
    --save-predicates FILE   write the predicates in use at the end
    --refine on|off          off: only compute the fixpoint for the predicates given
    --encoding int|wrap|bv   how machine integers are read; by default one after the other
lazy      lazy abstraction: one tree, refined where it must be; predicates differ from place to place
    --preset blast           the strategies of the paper instead of what pays today
    --order rpo|bfs|dfs|subsumer  reverse post-order, breadth first, depth first, larger states before smaller ones
    --blocks edge|basic|loops  how much of the program is one step
    --abstraction cartesian|boolean|both  how successors are computed
    --focus core|interpolants  where predicates come from
    --part whole|pivot       which part of a spurious counterexample is refuted
    --local subtree|location where new predicates are used
    --grain atoms|conjuncts|both  what of an interpolant becomes a predicate
    --encoding int|wrap|bv   how machine integers are read; by default one after the other
    --values none|control|all  which variables become control where they matter
    --data-flow none|intervals  what is known without abstraction
    --keep-subtree, --whole-equations, --dot FILE
bounded   bounded model checking of C programs: loops and recursion unrolled, with bounds that grow [Bmc]
spds      symbolic pushdown systems: procedures and recursion exactly, over bits; refined by interpolants [Spds]
    --abstraction both|dag|single|none  exclude a graph of counterexamples at a time, or one, or search without abstraction
    --interpolants conciliated|minimal|weakest|strongest  which become predicates
    --weak-calls caller|effect  which predicates of a call are kept weak
    --int-bits N             integer variables hold only N bits
    --heap-bits N            bits of dynamic memory, for each kind of block (1024)
spacer    Z3's fixed-point engine on the program's Horn clauses: a reference to compare with
    --encoding int|wrap|bv   how machine integers are read; by default one after the other
auto      several of them at a time, each in a process of its own; the first verdict that holds is the answer
    --threads N              how many engines run at a time
all       --seed N  --timeout TIME  --memory SIZE  --max-iterations N  --certify on|off  --strict  --progress
          `clinch check --help` says which inputs an option is for; one that does not apply is an error";

/// `clinch engines`.
pub(crate) fn run() -> u8 {
    report::line(ENGINES);
    exit::SAFE
}
