//! What came of a check: the verdict with its evidence, as data that needs nothing else to be understood.

mod clauses;
mod json;
mod moved;
mod procedures;
mod processes;
mod text;

use std::time::Duration;

use clinch_ir::Reason;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use clauses::of_clauses;
pub use moved::NewPlace;
pub(crate) use procedures::{of_outline, of_procedures};
pub(crate) use processes::of_processes;
pub use text::predicates_text;

pub use crate::c::execution::Confirmation;
pub use crate::c::trace::{Lines, TraceLine};
pub use crate::counted::{Counted, Sample};
pub use clinch_engine::drawing::{Drawing, DrawnKind, DrawnNode, Graph};

pub use crate::sites::Site;
pub use crate::spots::Spot;

/// What came of a check. It is printed by [`std::fmt::Display`] for people and by [`Report::to_json`] for machines.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Report {
    /// The verdict, with its evidence.
    pub verdict: Verdict,
    /// What was checked.
    pub subject: Subject,
    /// The technique.
    pub engine: String,
    /// Whether the evidence was re-checked.
    pub certified: bool,
    /// What is known of each single check, where each has a verdict of its own: in the order of their places.
    pub checks: Vec<Checked>,
    /// How long the search took.
    pub time: Duration,
    /// How long the re-check took.
    pub certify_time: Duration,
    /// What should be known beside the verdict: that there may have been nothing to check.
    pub notes: Vec<String>,
    /// What the task says the verdict is: whether it is safe.
    pub expected: Option<bool>,
    /// What the engine counted.
    pub stats: Value,
    /// Engines that gave up before, and why.
    pub given_up: Vec<GivenUp>,
    /// Which engines ran when, if they ran in processes of their own.
    pub timeline: Vec<Ran>,
    /// What was asked for beside the verdict.
    pub artifacts: Artifacts,
    /// Evidence that turned out to be wrong: errors in clinch.
    pub internal_errors: Vec<String>,
}

/// What was checked.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub enum Subject {
    /// Processes with guarded commands.
    Processes,
    /// Horn clauses.
    Clauses,
    /// A C program: whether `long` has 32 bits, and whether its integers are unbounded.
    C {
        /// Whether `long` and pointers have 32 bits.
        ilp32: bool,
        /// Whether its integers are unbounded.
        mathematical: bool,
    },
    /// A Remopla module or a Boolean program.
    Remopla,
    /// Nothing: it was not even read.
    Nothing,
}

/// A verdict with its evidence.
#[derive(Clone, Serialize, Deserialize, Debug)]
#[allow(clippy::large_enum_variant, reason = "a report has one verdict")]
pub enum Verdict {
    /// No error can be reached. What is proved of another program than the one that was asked about, one with narrower integers
    /// say, is [`Verdict::Unknown`].
    Safe {
        /// Why.
        proof: Proof,
        /// What it rests on beyond the program.
        under: Vec<String>,
    },
    /// An error can be reached.
    Unsafe {
        /// How.
        counterexample: Counterexample,
        /// What it rests on beyond the program.
        under: Vec<String>,
    },
    /// There is no verdict.
    Unknown {
        /// Why.
        reason: String,
        /// How much that says.
        telling: Telling,
        /// What was proved, if it is not what was asked.
        proof: Option<Proof>,
    },
}

/// Why no error can be reached.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub enum Proof {
    /// A set of states, closed under all steps, or under those that cannot wait.
    ReachedSet {
        /// How many.
        states: u64,
        /// Whether steps were left out whose order does not matter to the error.
        reduced: bool,
        /// Whether states count as one that differ in nothing but variables that are written before they are read again.
        forgetful: bool,
    },
    /// Abstract states, inductive over predicates.
    AbstractStates {
        /// How many.
        states: u64,
        /// The predicates.
        predicates: Vec<String>,
    },
    /// A solution of clauses.
    Solution(Vec<Solved>),
    /// All runs were executed.
    AllRuns {
        /// States at inputs.
        states: u64,
    },
    /// Invariants in the program.
    Invariants {
        /// At how many points.
        points: u64,
        /// Those that can be written down in C.
        invariants: Vec<Invariant>,
    },
    /// Induction over the last iterations of loops.
    Induction {
        /// How many iterations.
        depth: u32,
        /// Of how many loops.
        loops: u64,
        /// Those invariants that can be written down in C.
        invariants: Vec<Invariant>,
    },
    /// No run goes on for ever, and all of them were looked at.
    Bounds(Vec<Bound>),
    /// Summaries of procedures.
    Summaries {
        /// At how many locations.
        points: u64,
        /// The width of integers, if it is not the real one.
        int_bits: Option<u32>,
        /// The size of the heap, if there is one.
        heap_bits: Option<u32>,
    },
}

/// A predicate of clauses with its solution.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Solved {
    /// Its name.
    pub predicate: String,
    /// Its parameters, with their sorts.
    pub params: Vec<(String, String)>,
    /// The formula.
    pub formula: String,
}

/// What holds at a place of a program.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Invariant {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// A C expression.
    pub invariant: String,
    /// Whether it speaks of every `k`: then it is no expression that C could evaluate.
    pub quantified: bool,
    /// Whether it holds at the head of a loop.
    pub at_head: bool,
    /// What it holds before, in the file that was given: the condition of a loop, a statement, or the body of the function that is named there.
    pub spot: Option<Spot>,
}

/// How often something happens in a run, at most.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Bound {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// What is counted: `iterations` of a loop, `activations` of a function.
    pub what: String,
    /// How often.
    pub times: u32,
}

/// How an error can be reached.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub enum Counterexample {
    /// A run of processes.
    Processes(ProcessTrace),
    /// A derivation of `false`.
    Refutation(Vec<Derived>),
    /// A run of a program.
    Run(ProgramRun),
}

/// A check with its verdict.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Checked {
    /// The check.
    pub site: Site,
    /// What is known of it.
    pub result: CheckResult,
}

/// What is known of a check.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub enum CheckResult {
    /// It holds in every run that no other check ends.
    Proved,
    /// A run shows that it fails.
    Fails(Box<ProgramRun>),
    /// It asks whether a piece of code is never reached, and a run reaches it.
    Reached,
    /// Nobody knows, for a reason.
    Unknown(String),
}

impl CheckResult {
    /// `proved`, `fails`, `reached` or `unknown`.
    pub fn name(&self) -> &'static str {
        match self {
            CheckResult::Proved => "proved",
            CheckResult::Fails(_) => "fails",
            CheckResult::Reached => "reached",
            CheckResult::Unknown(_) => "unknown",
        }
    }
}

/// A run of processes.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct ProcessTrace {
    /// What is wrong at its end.
    pub error: String,
    /// The initial state.
    pub initial: Cells,
    /// The steps, each with what it changed.
    pub steps: Vec<ProcessStep>,
}

/// A step of processes.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct ProcessStep {
    /// The transition.
    pub transition: String,
    /// The values of its inputs.
    pub inputs: Vec<i64>,
    /// What it changed.
    pub changed: Cells,
}

/// A state of processes, or a part of it.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Cells {
    /// Processes and where they are.
    pub locations: Vec<(String, String)>,
    /// Variables and their values.
    pub variables: Vec<(String, String)>,
}

/// A step of a refutation.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Derived {
    /// The number of the clause, from 0.
    pub clause: usize,
    /// Where it is.
    pub line: usize,
    /// Where it is.
    pub column: usize,
    /// The values of its variables.
    pub values: Vec<(String, String)>,
    /// The steps it uses, from 0.
    pub premises: Vec<usize>,
    /// What follows.
    pub conclusion: String,
}

/// A run of a program to its error.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct ProgramRun {
    /// The kind of error: what `--check` calls it.
    pub check: String,
    /// What SV-COMP calls it, where that is more exact.
    pub subproperty: Option<String>,
    /// What is wrong.
    pub error: String,
    /// Where.
    pub file: String,
    /// Where.
    pub line: u32,
    /// Where.
    pub column: u32,
    /// The same place in the file that was given.
    pub spot: Option<Spot>,
    /// The inputs, in the order in which the program asks for them.
    pub inputs: Vec<RunInput>,
    /// The statements.
    pub lines: Lines,
    /// What an execution of the compiled program says, where there is one.
    pub confirmation: Option<Confirmation>,
}

impl ProgramRun {
    /// The check that it shows to fail.
    pub(crate) fn site(&self) -> Site {
        let (file, check, what) = (self.file.clone(), self.check.clone(), self.error.clone());
        Site { file, line: self.line, column: self.column, check, what, reached: false }
    }
}

/// An input of a run.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct RunInput {
    /// Who asked for it.
    pub from: String,
    /// The value.
    pub value: String,
    /// The type, and the file and line where it was asked for.
    pub place: Option<(String, String, u32)>,
    /// Where the call ends that returned it, in the file that was given.
    pub call_end: Option<Spot>,
}

/// What is made beside the verdict, where that was asked for.
#[derive(Clone, Default, Serialize, Deserialize, Debug)]
pub struct Artifacts {
    /// What the engine that has the verdict searched: its tree, or its graph.
    pub tree: Option<Drawing>,
    /// The predicates of cegar at the end.
    pub predicates: Option<String>,
    /// A C file that drives the program to the error, or why there is none.
    pub harness: Option<Result<String, String>>,
    /// The answer as a solver for Horn clauses writes it.
    pub smtlib: Option<String>,
}

/// An engine at work.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Ran {
    /// Which.
    pub engine: String,
    /// When it started, from the start of the check.
    pub from: Duration,
    /// When it ended, or was no longer needed.
    pub to: Duration,
    /// When it ran in between: it waits for its turns, and while the verdict of another one is re-checked.
    pub stints: Vec<(Duration, Duration)>,
    /// When it had the verdict, if it did.
    pub found: Option<Duration>,
    /// How far it was at which time.
    pub samples: Vec<Sample>,
}

/// An engine without a verdict.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct GivenUp {
    /// Which.
    pub engine: String,
    /// Why.
    pub reason: String,
    /// How much the reason says to someone who wants a verdict.
    pub telling: Telling,
}

impl GivenUp {
    /// An engine that stopped for a reason.
    pub(crate) fn new(engine: impl Into<String>, reason: &Reason) -> GivenUp {
        GivenUp { engine: engine.into(), reason: reason.to_string(), telling: Telling::of(reason) }
    }

    /// An engine that has a proof, and a run has shown that what it assumes is wrong.
    pub(crate) fn contradicted(engine: String) -> GivenUp {
        GivenUp { engine, reason: "the program was seen to misbehave".to_owned(), telling: Telling::Limit }
    }
}

/// How much a reason says, from little to much.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug)]
pub enum Telling {
    /// A limit, or a search that ended without result.
    Limit,
    /// What went wrong with the engine, or what kept it busy.
    Trouble,
    /// What the program does that is not modelled.
    Unsupported,
    /// An execution contradicts what was found.
    Contradicted,
    /// The program was seen to misbehave.
    Misbehaves,
}

impl Telling {
    /// What a reason says.
    pub fn of(reason: &Reason) -> Telling {
        match reason {
            Reason::Undefined(_) => Telling::Misbehaves,
            Reason::NotConfirmed(_) => Telling::Contradicted,
            Reason::Unsupported(_) | Reason::InfiniteInputs(_) | Reason::RestrictedInputs(..) => Telling::Unsupported,
            Reason::Busy(..) | Reason::Crashed(_) | Reason::Uncertified(_) | Reason::Overflow(_) => Telling::Trouble,
            Reason::Timeout(_)
            | Reason::Memory(_)
            | Reason::Iterations(_)
            | Reason::Interrupted
            | Reason::NoProgress
            | Reason::Recursion(_)
            | Reason::SampledInputs
            | Reason::Inconclusive(_) => Telling::Limit,
        }
    }
}

impl Verdict {
    /// No verdict, for a reason.
    pub(crate) fn unknown(reason: &Reason) -> Verdict {
        Verdict::Unknown { reason: reason.to_string(), telling: Telling::of(reason), proof: None }
    }

    /// No engine has a verdict: the most telling of their reasons, or the limit that was reached, with what kept an engine busy there.
    pub(crate) fn of_none(given_up: &[GivenUp], limit: Option<&Reason>, busy: Option<String>) -> Verdict {
        let best = given_up.iter().rev().max_by_key(|g| g.telling);
        let is_no_news = |best: &GivenUp| best.telling < Telling::Unsupported || limit == Some(&Reason::Interrupted);
        let (reason, telling) = match (limit, best) {
            (Some(limit), best) if best.is_none_or(is_no_news) => {
                let at_limit = busy.map(|what| Reason::Busy(Box::new(limit.clone()), what).to_string());
                (at_limit.unwrap_or_else(|| limit.to_string()), Telling::Limit)
            }
            (_, Some(best)) => (best.reason.clone(), best.telling),
            (_, None) => (Reason::NoProgress.to_string(), Telling::Limit),
        };
        Verdict::Unknown { reason, telling, proof: None }
    }

    /// What it rests on beyond the program.
    pub fn under(&self) -> &[String] {
        match self {
            Verdict::Safe { under, .. } | Verdict::Unsafe { under, .. } => under,
            Verdict::Unknown { .. } => &[],
        }
    }
}

impl Report {
    /// Whether it is a proof that assumes what runs of other engines have shown to be wrong.
    pub(crate) fn is_contradicted_by(&self, given_up: &[GivenUp]) -> bool {
        let misbehaves = given_up.iter().any(|g| g.telling == Telling::Misbehaves);
        misbehaves && matches!(self.verdict, Verdict::Safe { .. })
    }

    /// No verdict, and nothing else to tell.
    pub(crate) fn unknown(engine: &str, verdict: Verdict, time: Duration, stats: Value) -> Report {
        Report {
            verdict,
            subject: Subject::Nothing,
            engine: engine.to_owned(),
            certified: false,
            checks: Vec::new(),
            time,
            certify_time: Duration::ZERO,
            notes: Vec::new(),
            expected: None,
            stats,
            given_up: Vec::new(),
            timeline: Vec::new(),
            artifacts: Artifacts::default(),
            internal_errors: Vec::new(),
        }
    }

    /// Lets all steps of runs be shown, also those that do not matter for the failure.
    pub fn show_all_steps(&mut self) {
        self.runs().into_iter().for_each(|run| run.lines.unfold());
    }

    /// Whether it is safe without ifs: under no assumption, and with nothing to be noted.
    pub fn is_strictly_safe(&self) -> bool {
        matches!(&self.verdict, Verdict::Safe { under, .. } if under.is_empty() && self.notes.is_empty())
    }
}
