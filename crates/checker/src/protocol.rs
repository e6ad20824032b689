//! What the supervisor of a check and its workers tell each other.
//!
//! A worker is started with an [`Assignment`] and writes messages to its standard output, one line of JSON each.
//! The supervisor holds the other end of the worker's standard input: a line there asks the worker to stop, and its end
//! means that nobody waits for an answer any more.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::options::EngineName;
use crate::report::{GivenUp, Report};

/// What a worker is to do, beside what the task and its options say.
#[derive(Clone, Default, Serialize, Deserialize, Debug)]
pub struct Assignment {
    /// Milliseconds of the time limit that are gone.
    pub elapsed_ms: u64,
    /// The engine it runs, if it is one of a portfolio.
    pub member: Option<EngineName>,
}

/// What a worker says.
#[derive(Serialize, Deserialize, Debug)]
pub(crate) enum Message {
    /// This engine was chosen.
    Engine(String),
    /// The input was read, and these engines may help with it.
    Helpful(Vec<EngineName>),
    /// What keeps it busy.
    Busy(String),
    /// How far it is: the statistics of a run that does not end by itself.
    Progress(Value),
    /// A verdict was found, and is re-checked.
    Found,
    /// It was not accepted, and the search goes on.
    Rejected,
    /// The engine of a portfolio has no verdict, and which of its evidence was wrong. It is its last word.
    GaveUp(GivenUp, Vec<String>),
    /// The worker is about to crash.
    Panicked(String),
    /// There is nothing to check: the input is bad.
    BadInput(String),
    /// There is nothing to check: an option does not apply.
    BadUsage(String),
    /// The outcome.
    Report(Box<Report>),
}
