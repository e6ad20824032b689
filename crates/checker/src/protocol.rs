//! What the supervisor of a check and its workers tell each other.
//!
//! A worker is started with an [`Assignment`] and writes messages to its standard output, one line of JSON each.
//! The supervisor holds the other end of the worker's standard input: there it passes on what other workers found out, one line of
//! JSON for each fact. Any other line asks the worker to stop, and the end means that nobody waits for an answer any more.

use std::path::PathBuf;
use std::time::Duration;

use clinch_engine::share::{Fact, Known};
use clinch_frontend::c::types::DataModel;
use clinch_ir::cfa::Checks;
use serde::{Deserialize, Serialize};

use crate::asked::Asked;
use crate::counted::Counted;
use crate::options::{EngineName, Limits, Options};
use crate::report::{GivenUp, Report};
use crate::sites::Site;
use crate::task::{Reading, Task};

/// What a worker is to do, beside what the task and its options say.
#[derive(Clone, Default, Serialize, Deserialize, Debug)]
pub struct Assignment {
    /// Milliseconds of the time limit that are gone.
    pub elapsed_ms: u64,
    /// The engine it runs, if it is one of a portfolio.
    pub member: Option<EngineName>,
    /// Whether it waits for its turns.
    #[serde(default)]
    pub takes_turns: bool,
    /// When it ends, in milliseconds from the start of the check, if that is sooner than the time limit.
    #[serde(default)]
    pub until_ms: Option<u64>,
    /// The kinds of errors that count, where every check has a verdict of its own.
    #[serde(default)]
    pub checks: Option<Vec<String>>,
    /// The numbers of checks that do not count.
    #[serde(default)]
    pub left_out: Vec<u64>,
    /// The function a run starts with, where the command line names all.
    #[serde(default)]
    pub entry: Option<String>,
    /// The segment of a violation witness that runs are to pass, where that is asked instead of whether they reach its target.
    #[serde(default)]
    pub segment: Option<u32>,
    /// The program, where the command line names a project.
    #[serde(default)]
    pub prepared: Option<Prepared>,
}

/// A C program whose files are preprocessed already.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Prepared {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Whether `long` and pointers have 32 bits.
    pub ilp32: bool,
}

impl Prepared {
    /// The task to check it, read as another task is.
    pub fn task(&self, reading: &Reading) -> Task {
        let data_model = Some(if self.ilp32 { DataModel::Ilp32 } else { DataModel::Lp64 });
        let (defines, cpp_flags) = Default::default();
        Task::files(&self.files).with(Reading { data_model, defines, cpp_flags, ..reading.clone() })
    }
}

impl Assignment {
    /// The options, with the limit of this worker.
    pub(crate) fn limits(&self, options: &Options) -> Options {
        let until = self.until_ms.map(Duration::from_millis);
        let timeout = options.limits.timeout.into_iter().chain(until).min();
        Options { limits: Limits { timeout, ..options.limits }, ..options.clone() }
    }

    /// The task, with what counts for this worker.
    pub(crate) fn narrowed(&self, task: &Task) -> Task {
        let Some(checks) = &self.checks else { return task.clone() };
        let checks = checks.iter().filter_map(|name| Checks::of_group(name)).fold(Checks::default(), |a, b| a | b);
        let reading = Reading { asked: Some(Asked::Checks(checks)), ..task.reading.clone() };
        task.clone().with(reading)
    }
}

/// What may be expected of an engine.
#[derive(Clone, Copy, Serialize, Deserialize, Debug)]
pub(crate) struct Prospects {
    /// Where it mostly answers soon, if it does.
    pub(crate) patience: Option<Patience>,
    /// The part of a turn that it gets after its first, in per cent.
    pub(crate) part: u32,
    /// Whether it rests when its patience is over, and runs now and then: another engine needs all cores at a time.
    pub(crate) rests: bool,
    /// How many milliseconds after the start of a round it starts, unless a core is idle: others may answer before.
    pub(crate) waits_ms: u64,
}

/// How long an engine has a full part of the cores.
#[derive(Clone, Copy, Serialize, Deserialize, Debug)]
pub(crate) struct Patience {
    /// The milliseconds of processor time in which it mostly answers.
    pub(crate) ms: u64,
    /// How nice it is to the others after that.
    pub(crate) nice: i32,
}

/// What a worker says.
#[derive(Serialize, Deserialize, Debug)]
pub(crate) enum Message {
    /// This engine was chosen.
    Engine(String),
    /// The input was read, and these engines may help with it.
    Helpful {
        /// The engines.
        engines: Vec<(EngineName, Prospects)>,
        /// Whether the program has but one run.
        one_run: bool,
        /// The single checks of a program with procedures.
        sites: Vec<Site>,
    },
    /// What keeps it busy.
    Busy(String),
    /// How far it is.
    Progress(Counted),
    /// A verdict was found, and is re-checked.
    Found,
    /// It was not accepted, and the search goes on.
    Rejected,
    /// It was accepted, and the report is being made.
    Settled,
    /// The engine of a portfolio has no verdict, and which of its evidence was wrong. It is its last word.
    GaveUp(GivenUp, Vec<String>),
    /// Something that may help the others.
    Fact(Known),
    /// Its turn is over, and it waits for the next. It has done so many milliseconds of work in all its turns.
    TurnOver(u64),
    /// The worker is about to crash.
    Panicked(String),
    /// There is nothing to check: the input is bad.
    BadInput(String),
    /// There is nothing to check: an option does not apply.
    BadUsage(String),
    /// The outcome.
    Report(Box<Report>),
}

/// What the supervisor says.
#[derive(Serialize, Deserialize, Debug)]
pub(crate) enum Request {
    /// The worker is to end, with a report.
    Stop,
    /// Another worker found this out.
    Fact(Fact),
    /// It is the worker's turn, for so many milliseconds of work. Until the next one it is told no facts.
    Turn(u64),
}

impl Request {
    /// The line that says it.
    pub(crate) fn line(&self) -> Option<String> {
        serde_json::to_string(self).ok().map(|text| text + "\n")
    }

    /// What a line says. One that cannot be read asks to stop, too: whoever sent it is no supervisor of this version.
    pub(crate) fn read(line: &str) -> Request {
        serde_json::from_str(line).unwrap_or(Request::Stop)
    }
}
