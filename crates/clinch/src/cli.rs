//! What can be typed.

mod campaign;
mod project;
mod validate;
mod values;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use clap::{ArgAction, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use clinch_checker::options::{Limits, Wanted};
use clinch_checker::protocol::Assignment;
use clinch_checker::task::Define;
use clinch_checker::{Asked, EngineName, Error, Kind, Options, Property, Reading, Source, Task};
use clinch_engine::options::Settings;
use clinch_experiments::Paper;
use clinch_frontend::Numbers;
use clinch_frontend::c::Environment;
use clinch_frontend::c::types::DataModel;
use clinch_ir::cfa::{Checks, Integers};

use crate::engine_options;
pub(crate) use campaign::CampaignArgs;
pub(crate) use project::ProjectArgs;
pub(crate) use validate::ValidateArgs;
use values::{SWITCH, one_of, parse_assignment, parse_check, parse_define, parse_duration, parse_property, parse_size};

/// Decides whether an error in a model can be reached, and hands over evidence that something else re-checked.
///
/// Exit codes: 0 safe, 1 unsafe, 2 unknown, 64 wrong usage, 65 bad input, 70 internal error.
#[derive(Parser, Debug)]
#[command(version = version(), about, max_term_width = 110)]
pub(crate) struct Cli {
    /// Do the work of a check, and tell the supervisor.
    #[arg(long, hide = true, value_name = "ASSIGNMENT", value_parser = parse_assignment)]
    pub(crate) worker: Option<Assignment>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The command line with all its options: those of `check` that belong to engines are made from what the engines declare.
pub(crate) fn command() -> clap::Command {
    Cli::command().mut_subcommand("check", engine_options::add)
}

/// What was typed.
pub(crate) fn parse(typed: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let matches = command().try_get_matches_from(typed)?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    if let (Command::Check(args), Some(("check", typed))) = (&mut cli.command, matches.subcommand()) {
        args.settings = engine_options::settings(typed);
    }
    Ok(cli)
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Check a model: can its error be reached?
    Check(Box<CheckArgs>),
    /// Confirm or reject a witness of the software verification competition (docs/witnesses.md).
    ///
    /// Exit codes: 0 confirmed, 1 rejected, 2 unknown, 64 wrong usage, 65 bad input, 70 internal error.
    Validate(ValidateArgs),
    /// Check many tasks, with a limit for each and a file of results that a later run goes on with (docs/campaigns.md).
    ///
    /// Exit codes: 0 all tasks are done, 2 some are not, 64 wrong usage, 65 bad input.
    Campaign(CampaignArgs),
    /// Write a model in another language, on standard output.
    Convert(ConvertArgs),
    /// Execute a C or Remopla program on the model, with inputs given or drawn.
    Run(RunArgs),
    /// Draw the control-flow automata of a C or Remopla program.
    Cfa(CfaArgs),
    /// List the engines and their options.
    Engines,
    /// Write completions for a shell, on standard output.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write manual pages, one for each command, into a folder.
    Man {
        /// The folder.
        folder: PathBuf,
    },
    /// Run the experiments of a paper and print its tables, the paper's numbers beside ours.
    Reproduce(ReproduceArgs),
}

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// C (.c, .i; several files are linked) or a model (.yml, .rem, .bp, .gcl, .dve, .pl, .armc, .smt2, .chc).
    ///
    /// C is described in docs/c.md. A task file (.yml) names C files and a property. Models are Remopla (.rem, docs/rem.md),
    /// Boolean programs (.bp, docs/bp.md), guarded commands (.gcl, docs/gcl.md), DiVinE (.dve, docs/dve.md), transition constraints (.pl, .armc, docs/armc.md) and
    /// Horn clauses (.smt2, .chc, docs/chc.md).
    #[arg(required_unless_present_any = ["project", "project_files"], value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) project: ProjectArgs,

    #[command(flatten)]
    pub(crate) model: ModelArgs,

    #[command(flatten)]
    pub(crate) c: CArgs,

    /// Write a C file that drives the compiled program to the error found.
    #[arg(long, value_name = "FILE")]
    pub(crate) harness: Option<PathBuf>,

    /// Write a witness for other verifiers (docs/witnesses.md).
    ///
    /// The formats are those of the software verification competition: YAML, or GraphML if the name ends in .graphml.
    #[arg(long, value_name = "FILE")]
    pub(crate) witness: Option<PathBuf>,

    /// The version of the YAML format that is written.
    #[arg(long, value_enum, value_name = "VERSION", default_value_t = WitnessVersion::V2_0, requires = "witness")]
    pub(crate) witness_version: WitnessVersion,

    /// Write findings as SARIF 2.1.0, for code hosts and editors (docs/reports.md).
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,

    /// Write a page of HTML that shows the run to the error, or the proof (docs/reports.md).
    ///
    /// With --entry all a page for each function: out-NAME.html, where the file is out.html.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    /// The technique: see `clinch engines`; auto: several of them at a time.
    #[arg(long, value_name = "ENGINE", value_parser = engine_options::engines(), default_value = "auto")]
    pub(crate) engine: EngineName,

    /// How many engines run at a time; 0: as many as there are cores.
    ///
    /// Engines that run at a time (auto), or threads of the breadth-first search (explicit). The verdict does not depend on it; with 1, every
    /// run does the same things in the same order.
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,

    /// Draw the reachability tree into this file, for Graphviz.
    #[arg(long, value_name = "FILE")]
    pub(crate) dot: Option<PathBuf>,

    /// Start from the predicates in this file, as --save-predicates writes it.
    #[arg(long = "predicates", value_name = "FILE")]
    pub(crate) predicate_file: Option<PathBuf>,

    /// Write the predicates in use at the end to this file: a location or predicate, a tab, and a formula in
    /// SMT-LIB syntax over the parameters on each line.
    #[arg(long, value_name = "FILE")]
    pub(crate) save_predicates: Option<PathBuf>,

    /// Seed of everything random.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    /// The steps of a run that are shown: those that matter for the failure, or all of them.
    #[arg(long, value_enum, value_name = "STEPS", default_value_t = Steps::Relevant)]
    pub(crate) trace: Steps,

    /// Exit with 2 instead of 0 where "safe" rests on an assumption, or nothing was checked.
    #[arg(long)]
    pub(crate) strict: bool,

    /// Re-check the verdict. off is for timing only: the verdict is then not to be trusted.
    #[arg(long, value_parser = one_of(SWITCH), action = ArgAction::Set, default_value = "on")]
    pub(crate) certify: bool,

    /// Engines that run at a time tell each other what they find out (C, Remopla, Boolean programs). The answer does not depend on
    /// it, the time until it does.
    #[arg(long, value_parser = one_of(SWITCH), action = ArgAction::Set, default_value = "on")]
    pub(crate) share: bool,

    /// Print lines on standard error that say how far each engine is: every refinement at first, fewer as time goes by.
    #[arg(long)]
    pub(crate) progress: bool,

    /// Print one JSON object instead of text: --format json.
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,

    /// Print nothing: the exit code is the answer.
    #[arg(long, short, conflicts_with_all = ["json", "format"])]
    pub(crate) quiet: bool,

    /// Whether diagnostics have colours. auto: on a terminal.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub(crate) color: Color,

    /// How the answer is printed. smtlib: sat, unsat or unknown, then the model or the refutation (Horn clauses).
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,

    /// Options of engines.
    #[arg(skip)]
    pub(crate) settings: Settings,
}

impl CheckArgs {
    /// How the answer is printed.
    pub(crate) fn output(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    /// What is to be checked.
    pub(crate) fn task(&self) -> Task {
        let reading = self.model.reading(Some(&self.c));
        let colours = match self.color {
            Color::Auto => reading.colours,
            Color::Always => true,
            Color::Never => false,
        };
        task(&self.files, Reading { colours, ..reading })
    }

    /// Whether it is a C program.
    fn is_c(&self) -> bool {
        let is_c = |file: &PathBuf| matches!(Kind::of_path(file), Some(Kind::C | Kind::Preprocessed | Kind::Task));
        self.files.iter().all(is_c)
    }

    /// How it is to be checked.
    pub(crate) fn options(&self) -> Result<Options, Error> {
        let predicates = self.predicate_file.as_ref().map(|path| {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(path);
            text.map(|text| (name.clone(), text)).map_err(|e| Error::Usage(format!("{name}: cannot read: {e}")))
        });
        Ok(Options {
            engine: self.engine,
            settings: self.settings.clone(),
            seed: self.seed,
            limits: self.limits.limits(),
            threads: self.threads,
            certify: self.certify,
            share: self.share,
            predicates: predicates.transpose()?,
            wanted: Wanted {
                tree: self.dot.is_some(),
                page: self.report.is_some(),
                predicates: self.save_predicates.is_some(),
                harness: self.harness.is_some() || self.report.is_some() && self.is_c(),
                witness: self.witness.is_some(),
                smtlib: self.output() == Format::Smtlib,
            },
        })
    }
}

/// Files that are read in this way.
pub(crate) fn task(files: &[PathBuf], reading: Reading) -> Task {
    Task { sources: files.iter().map(Source::file).collect(), reading }
}

#[derive(Args, Debug)]
pub(crate) struct ConvertArgs {
    /// The model.
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) model: ModelArgs,

    #[command(flatten)]
    pub(crate) c: CArgs,

    /// The language to write. chc: Horn clauses in SMT-LIB, which have a solution iff no error can be reached.
    #[arg(long, value_enum)]
    pub(crate) to: Conversion,
}

#[derive(Args, Debug)]
pub(crate) struct ModelArgs {
    #[command(flatten)]
    pub(crate) text: TextArgs,

    /// The error condition, in the model's own expression syntax; replaces the model's.
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) error: Option<String>,

    /// A state without successor is an error.
    #[arg(long)]
    pub(crate) deadlock: bool,

    /// A predicate to start from, in the model's syntax; may be repeated.
    #[arg(long = "predicate", value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) predicates: Vec<String>,

    /// What the variables of transition constraints range over. Default: integer.
    #[arg(long, value_parser = one_of(&[("integer", Numbers::Integer), ("rational", Numbers::Rational)]))]
    pub(crate) numbers: Option<Numbers>,
}

impl ModelArgs {
    /// How files are read.
    pub(crate) fn reading(&self, c: Option<&CArgs>) -> Reading {
        Reading {
            error: self.error.clone(),
            deadlock: self.deadlock,
            predicates: self.predicates.clone(),
            numbers: self.numbers,
            ..self.text.reading(c)
        }
    }
}

impl TextArgs {
    /// How files are read.
    pub(crate) fn reading(&self, c: Option<&CArgs>) -> Reading {
        let reading = Reading {
            defines: self.defines.clone(),
            label: self.label.clone(),
            colours: std::io::stderr().is_terminal(),
            ..Reading::default()
        };
        match c {
            Some(c) => c.added_to(reading),
            None => reading,
        }
    }
}

impl CArgs {
    fn added_to(&self, reading: Reading) -> Reading {
        Reading {
            data_model: self.data_model,
            integers: self.integers,
            entry: self.entry.clone(),
            depth: self.depth,
            length: self.length,
            asked: match (self.property, self.checks.is_empty()) {
                (Some(property), _) => Some(Asked::Property(property)),
                (None, false) => {
                    Some(Asked::Checks(self.checks.iter().fold(Checks::default(), |all, &checks| all | checks)))
                }
                (None, true) => None,
            },
            globals_as_inputs: self.globals_as_inputs,
            malloc_may_fail: self.malloc_may_fail,
            externs_write: self.externs_write.unwrap_or(false),
            environment: self.environment.unwrap_or_default(),
            cpp_flags: self.cpp_flags.clone(),
            ..reading
        }
    }
}

/// What is said about the text of a model.
#[derive(Args, Debug)]
pub(crate) struct TextArgs {
    /// Set a macro of a C program, or a constant of a model.
    ///
    /// A macro is set to any text or to nothing, a constant to an integer.
    #[arg(long = "define", short = 'D', value_name = "NAME=VALUE", value_parser = parse_define)]
    pub(crate) defines: Vec<Define>,

    /// The label that must not be reached. Default: error.
    #[arg(long, value_name = "NAME")]
    pub(crate) label: Option<String>,
}

/// How C is read.
#[derive(Args, Debug)]
pub(crate) struct CArgs {
    /// Sizes of `long` and pointers. Default: what the task file says, or lp64.
    #[arg(long, value_parser = one_of(&[("ilp32", DataModel::Ilp32), ("lp64", DataModel::Lp64)]))]
    pub(crate) data_model: Option<DataModel>,

    /// How integers are read. mathematical: unbounded, without wrap-around; the verdict holds for that reading only.
    #[arg(long, value_parser = one_of(&[("machine", Integers::Machine), ("mathematical", Integers::Mathematical)]))]
    pub(crate) integers: Option<Integers>,

    /// The function a run starts with; all: each one that other files may call. Default: main.
    ///
    /// Numbers among its parameters are any, pointers null or to fresh objects. A task file may name another default.
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) entry: Option<String>,

    /// How many pointers in a row lead to fresh objects; those behind are null. Default: 2.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=8), allow_negative_numbers = true)]
    pub(crate) depth: Option<u32>,

    /// The most elements of fresh arrays. Default: 8.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=255), allow_negative_numbers = true)]
    pub(crate) length: Option<u32>,

    /// Global variables start with any value instead of their initial ones.
    #[arg(long)]
    pub(crate) globals_as_inputs: bool,

    /// `malloc`, `calloc` and `realloc` may find no memory, and return a null pointer.
    #[arg(long)]
    pub(crate) malloc_may_fail: bool,

    /// What functions without body do: return any value; or write as well, through the pointers they are given. Default: return.
    #[arg(long = "extern", value_name = "WHAT", value_parser = one_of(&[("return", false), ("writes", true)]))]
    pub(crate) externs_write: Option<bool>,

    /// What pointers from outside lead to, where memory is not checked: fresh objects, too; or only what a run has made. Default: fresh.
    #[arg(long, value_name = "WHAT", value_parser = one_of(&[("fresh", Environment::Fresh), ("strict", Environment::Strict)]))]
    pub(crate) environment: Option<Environment>,

    /// Which errors count: assertions, memory, arithmetic, overflow (these by default), leaks, uninitialised, unsigned, conversions, float,
    /// unreachable (docs/checks.md).
    ///
    /// overflow is that of signed arithmetic; arithmetic: divisions by zero, shifts out of range; memory:
    /// accesses outside of live objects, misuse of free, copies that overlap; uninitialised: values that were never set and
    /// decide something. What is no error to C: unsigned (arithmetic that wraps around),
    /// conversions (that nobody wrote, and that change a number), unreachable (code that no run reaches; goes alone).
    #[arg(long = "check", value_name = "LIST", value_delimiter = ',', value_parser = parse_check, conflicts_with = "property")]
    pub(crate) checks: Vec<Checks>,

    /// A property of SV-COMP: unreach-call, no-overflow, valid-memsafety or valid-memcleanup.
    #[arg(long, value_name = "NAME", value_parser = parse_property)]
    pub(crate) property: Option<Property>,

    /// An argument for the preprocessor; may be repeated.
    #[arg(long = "cpp-flag", value_name = "FLAG", allow_hyphen_values = true)]
    pub(crate) cpp_flags: Vec<String>,
}

/// A program with procedures.
#[derive(Args, Debug)]
pub(crate) struct ProgramArgs {
    /// The program: C files (.c, .i), a task file (.yml), Remopla (.rem) or a Boolean program (.bp).
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    text: TextArgs,

    #[command(flatten)]
    c: CArgs,
}

impl ProgramArgs {
    /// The program, and how it is read.
    pub(crate) fn task(&self) -> Task {
        task(&self.files, self.text.reading(Some(&self.c)))
    }
}

#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,

    /// The inputs, in the order in which the program asks for them: decimal numbers, with sign; for floats also
    /// `2.5`, `1e-3`, `inf`, `nan`.
    #[arg(long, value_name = "V1,V2,...", value_delimiter = ',', allow_hyphen_values = true, conflicts_with = "seed")]
    pub(crate) inputs: Option<Vec<String>>,

    /// Draw the inputs from this seed.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

#[derive(Args, Debug)]
pub(crate) struct CfaArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,

    /// Only this function.
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,

    /// How it is written. dot is for Graphviz.
    #[arg(long, value_enum, default_value_t = CfaFormat::Text)]
    pub(crate) format: CfaFormat,

    /// Write what engines work on: the loop-free parts between loop heads as one step each, calls included (text).
    #[arg(long)]
    pub(crate) large_blocks: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CfaFormat {
    Text,
    Dot,
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct LimitArgs {
    /// Stop after this time (30s, 500ms, 2m, 1h).
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub(crate) timeout: Duration,

    /// Stop when this much memory is in use (4GiB, 512MiB, or bytes).
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = parse_size)]
    pub(crate) memory: u64,

    /// Stop after this many refinement iterations.
    #[arg(long, value_name = "N")]
    pub(crate) max_iterations: Option<u64>,
}

impl LimitArgs {
    pub(crate) fn limits(&self) -> Limits {
        Limits { timeout: Some(self.timeout), memory: Some(self.memory), iterations: self.max_iterations }
    }
}

#[derive(Args, Debug)]
pub(crate) struct ReproduceArgs {
    /// Whose tables.
    #[arg(value_enum)]
    pub(crate) paper: Paper,

    /// Time bound of each search (split; 5m in the thesis), or of each run (alpha, subsumer, lazy, spds). Default: 3s, 60s for lazy.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) bound: Option<Duration>,

    /// How many seeds (split; 12 runs in the thesis).
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) seeds: u64,

    /// Only the systems (subsumer, lazy) or tables (spds) whose name contains this.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) only: String,

    /// Random error states per model (split).
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub(crate) errors: usize,

    /// A folder with published drivers (lazy): an index.csv with the columns file and expected (true, false), perhaps property and data_model.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) tasks: Option<PathBuf>,

    /// Print the data as JSON instead of tables.
    #[arg(long)]
    pub(crate) json: bool,

    /// Write a page of HTML with the tables, and with plots.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Text,
    Json,
    Smtlib,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WitnessVersion {
    #[value(name = "2.0")]
    V2_0,
    #[value(name = "2.1")]
    V2_1,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Conversion {
    Chc,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Steps {
    Relevant,
    Full,
}

/// The version of clinch, the commit it is made from, and the version of its solver.
pub(crate) fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let commit = option_env!("CLINCH_COMMIT").map(|commit| format!("commit {commit}, ")).unwrap_or_default();
        format!("{} ({commit}{})", env!("CARGO_PKG_VERSION"), clinch_smt::solver_version())
    });
    &VERSION
}
