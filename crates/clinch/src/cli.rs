//! What can be typed.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::c::lazy::LazyArgs;
use crate::c::spds::SpdsArgs;
use crate::options::{self, Given};
use crate::protocol::Assignment;

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

/// What was typed, and which options of it are not there by default.
pub(crate) fn parse(typed: impl IntoIterator<Item = OsString>) -> Result<(Cli, Given), clap::Error> {
    let command = Cli::command().mut_subcommand("check", options::describe);
    let matches = command.clone().try_get_matches_from(typed)?;
    let given = matches.subcommand().and_then(|(name, typed)| Some(Given::new(command.find_subcommand(name)?, typed)));
    Ok((Cli::from_arg_matches(&matches)?, given.unwrap_or_default()))
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Check a model: can its error be reached?
    Check(Box<CheckArgs>),
    /// Write a model in another language, on standard output.
    Convert(ConvertArgs),
    /// Execute a C or Remopla program on the model, with inputs given or drawn.
    Run(RunArgs),
    /// Draw the control-flow automata of a C or Remopla program.
    Cfa(CfaArgs),
    /// List the engines and their options.
    Engines,
    /// Run the experiments of a paper and print its tables, the paper's numbers beside ours.
    Reproduce(ReproduceArgs),
}

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// The model: C (.c, .i, docs/c.md; several files are linked) or a task file (.yml), Remopla (.rem, docs/rem.md),
    /// Boolean programs (.bp, docs/bp.md), guarded commands (.gcl, docs/gcl.md), DiVinE (.dve, docs/dve.md), transition constraints (.pl, .armc) or Horn clauses (.smt2, .chc).
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) model: ModelArgs,

    #[command(flatten)]
    pub(crate) c: CArgs,

    #[command(flatten)]
    pub(crate) lazy: LazyArgs,

    #[command(flatten)]
    pub(crate) spds: SpdsArgs,

    /// Write a C file that, compiled with the program, drives it to the error found.
    #[arg(long, value_name = "FILE")]
    pub(crate) harness: Option<PathBuf>,

    /// The technique: see `clinch engines`. auto: several, one after the other, for programs with procedures; cegar for transition
    /// constraints and Horn clauses, explicit for other models with finite domains, alpha for the rest.
    #[arg(long, value_enum, default_value_t = EngineName::Auto)]
    pub(crate) engine: EngineName,

    /// Search order (explicit: bfs, dfs, random; alpha: bfs, dfs; cegar: subsumer-first, priority, bfs, dfs;
    /// lazy: rpo, bfs, dfs).
    #[arg(long, value_enum)]
    pub(crate) order: Option<OrderName>,

    /// Make the clauses smaller before the search.
    #[arg(long, value_enum)]
    pub(crate) simplify: Option<Switch>,

    /// Look for simple invariants before the search.
    #[arg(long, value_enum)]
    pub(crate) invariants: Option<Switch>,

    /// Make control explicit that the clauses keep in Boolean or integer parameters (needs --simplify on).
    #[arg(long, value_enum)]
    pub(crate) control: Option<Switch>,

    /// Threads of the breadth-first search; 0: all cores. The result does not depend on it.
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,

    /// Use a prover to check exactness. off: the light-weight approach.
    #[arg(long, value_enum)]
    pub(crate) prover: Option<Switch>,

    /// Describe by predicates the states in which a transition was not exact K times in a row.
    #[arg(long, value_name = "K", num_args = 0..=1, default_missing_value = "3")]
    pub(crate) add_all: Option<u32>,

    /// Use new predicates everywhere, or where the transition that asked for them starts (alpha) or ends (cegar).
    #[arg(long, value_enum)]
    pub(crate) scope: Option<ScopeName>,

    /// Find input values with the solver, or try all of a domain.
    #[arg(long, value_enum)]
    pub(crate) inputs: Option<InputsName>,

    /// Values tried for inputs and initial values whose domain is unbounded (implies --inputs brute for alpha).
    #[arg(long, value_name = "LO..HI", value_parser = parse_range, allow_hyphen_values = true)]
    pub(crate) input_domain: Option<(i64, i64)>,

    /// Look for the error after each search, as in the paper, or stop at the first one.
    #[arg(long, value_enum)]
    pub(crate) lookup: Option<LookupName>,

    /// Which predicates split abstract states.
    #[arg(long, value_enum)]
    pub(crate) strategy: Option<StrategyName>,

    /// Learn from spurious counterexamples. off: compute the fixpoint for the predicates given.
    #[arg(long, value_enum)]
    pub(crate) refine: Option<Switch>,

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

    /// Exit with 2 instead of 0 where "safe" rests on an assumption, or nothing was checked.
    #[arg(long)]
    pub(crate) strict: bool,

    /// Re-check the verdict. off is for timing only: the verdict is then not to be trusted.
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub(crate) certify: Switch,

    /// Print a line on standard error for every refinement.
    #[arg(long)]
    pub(crate) progress: bool,

    /// Print one JSON object instead of text: --format json.
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,

    /// How the answer is printed. smtlib: sat, unsat or unknown, then the model or the refutation (Horn clauses).
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,

    /// The engine of a portfolio that this worker runs.
    #[arg(skip)]
    pub(crate) member: Option<EngineName>,
}

impl CheckArgs {
    /// How the answer is printed.
    pub(crate) fn output(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
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
    pub(crate) to: Target,
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

    /// What the variables of transition constraints range over.
    #[arg(long, value_enum, default_value_t = NumbersName::Integer)]
    pub(crate) numbers: NumbersName,
}

/// What is said about the text of a model.
#[derive(Args, Debug)]
pub(crate) struct TextArgs {
    /// Set a constant of the model, to an integer; on C a macro, to any text or to nothing.
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
    #[arg(long, value_enum)]
    pub(crate) data_model: Option<DataModelName>,

    /// How integers are read. mathematical: unbounded, without wrap-around; the verdict holds for that reading only.
    #[arg(long, value_enum, default_value_t = IntegersName::Machine)]
    pub(crate) integers: IntegersName,

    /// The function a run starts with; its parameters are inputs. Default: what the task file says, or main.
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) entry: Option<String>,

    /// Global variables start with any value instead of their initial ones.
    #[arg(long)]
    pub(crate) globals_as_inputs: bool,

    /// An argument for the preprocessor; may be repeated.
    #[arg(long = "cpp-flag", value_name = "FLAG", allow_hyphen_values = true)]
    pub(crate) cpp_flags: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// The program: C files (.c, .i), a task file (.yml), Remopla (.rem) or a Boolean program (.bp).
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) text: TextArgs,

    #[command(flatten)]
    pub(crate) c: CArgs,

    /// The inputs, in the order in which the program asks for them: decimal numbers, with sign.
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
    /// The program: C files (.c, .i), a task file (.yml), Remopla (.rem) or a Boolean program (.bp).
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) text: TextArgs,

    #[command(flatten)]
    pub(crate) c: CArgs,

    /// Only this function.
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,

    /// How it is written. dot is for Graphviz.
    #[arg(long, value_enum, default_value_t = CfaFormat::Text)]
    pub(crate) format: CfaFormat,

    /// Transform it first; may be repeated.
    #[arg(long = "pass", value_enum, value_name = "PASS")]
    pub(crate) passes: Vec<PassName>,

    /// Write the loop-free parts between loop heads, calls and errors as one step each (text).
    #[arg(long)]
    pub(crate) large_blocks: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PassName {
    /// Constant propagation.
    Constants,
    /// Assignments and inputs that nobody reads.
    Dead,
    /// What does not matter for errors.
    Slice,
    /// Calls replaced by copies.
    Inline,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CfaFormat {
    Text,
    Dot,
    Json,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DataModelName {
    Ilp32,
    Lp64,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum IntegersName {
    Machine,
    Mathematical,
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

    /// Print the data as JSON instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
}

impl ReproduceArgs {
    /// The time bound of a search.
    pub(crate) fn bound(&self) -> Duration {
        let default = if self.paper == Paper::Lazy { 60 } else { 3 };
        self.bound.unwrap_or(Duration::from_secs(default))
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Paper {
    /// Păsăreanu, Pelánek, Visser: tables 1 to 3.
    Alpha,
    /// Kudra: tables 5.1 to 5.5.
    Split,
    /// Rybalchenko, Singh: tables 1 and 2.
    Subsumer,
    /// Henzinger, Jhala, Majumdar, Sutre: table 1.
    Lazy,
    /// Esparza, Kiefer, Schwoon: tables 2 to 6.
    Spds,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, Debug)]
pub(crate) enum EngineName {
    Auto,
    Explicit,
    Alpha,
    Split,
    Cegar,
    Lazy,
    Bounded,
    Spacer,
    Spds,
}

impl EngineName {
    /// As it is typed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            EngineName::Auto => "auto",
            EngineName::Explicit => "explicit",
            EngineName::Alpha => "alpha",
            EngineName::Split => "split",
            EngineName::Cegar => "cegar",
            EngineName::Lazy => "lazy",
            EngineName::Bounded => "bounded",
            EngineName::Spacer => "spacer",
            EngineName::Spds => "spds",
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Text,
    Json,
    Smtlib,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    Chc,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NumbersName {
    Integer,
    Rational,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OrderName {
    Bfs,
    Dfs,
    Random,
    #[value(alias = "subsumer")]
    SubsumerFirst,
    Priority,
    /// Reverse post-order of the control-flow automata.
    #[value(name = "rpo")]
    ReversePostOrder,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Switch {
    On,
    Off,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScopeName {
    Global,
    Transition,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InputsName {
    Solve,
    Brute,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LookupName {
    End,
    Once,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StrategyName {
    MaxOverlap,
    MinSet,
    MinOnly,
}

/// A name with a value that is given on the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Define {
    name: String,
    value: Option<String>,
}

impl Define {
    /// A constant of a model.
    pub(crate) fn constant(&self) -> Result<(String, i64), String> {
        let value = self.value.as_deref().ok_or_else(|| format!("--define {}: expected NAME=VALUE", self.name))?;
        let number = value.trim().parse();
        let number = number.map_err(|_| format!("--define {}: `{value}` is not an integer", self.name))?;
        Ok((self.name.trim().to_owned(), number))
    }

    /// The same as the C compiler takes it.
    pub(crate) fn macro_flag(&self) -> String {
        match &self.value {
            Some(value) => format!("-D{}={value}", self.name),
            None => format!("-D{}", self.name),
        }
    }
}

fn parse_define(text: &str) -> Result<Define, String> {
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value.to_owned())));
    if name.trim().is_empty() {
        return Err("expected NAME=VALUE".to_owned());
    }
    Ok(Define { name: name.to_owned(), value })
}

/// The version of clinch and that of its solver.
fn version() -> &'static str {
    static VERSION: LazyLock<String> =
        LazyLock::new(|| format!("{} ({})", env!("CARGO_PKG_VERSION"), clinch_smt::solver_version()));
    &VERSION
}

fn parse_assignment(text: &str) -> Result<Assignment, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn parse_range(text: &str) -> Result<(i64, i64), String> {
    let (lo, hi) = text.split_once("..").ok_or("expected LO..HI")?;
    let bound = |t: &str| t.trim().parse::<i64>().map_err(|_| format!("`{t}` is not an integer"));
    match (bound(lo)?, bound(hi)?) {
        (lo, hi) if lo <= hi => Ok((lo, hi)),
        _ => Err("the range is empty".to_owned()),
    }
}

/// A number and its unit.
fn split_unit(text: &str) -> Result<(f64, &str), String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..end].parse().map_err(|_| format!("`{text}` does not start with a number"))?;
    Ok((number, text[end..].trim()))
}

fn parse_duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split_unit(text)?;
    let seconds = match unit {
        "" | "s" => number,
        "ms" => number / 1e3,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(format!("unknown unit `{unit}`: use ms, s, m or h")),
    };
    Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
}

fn parse_size(text: &str) -> Result<u64, String> {
    let (number, unit) = split_unit(text)?;
    let factor = match unit {
        "" | "B" => 1.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "KiB" | "K" => 1024.0,
        "MiB" | "M" => 1024.0 * 1024.0,
        "GiB" | "G" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(format!("unknown unit `{unit}`: use KiB, MiB or GiB")),
    };
    Ok((number * factor) as u64)
}
