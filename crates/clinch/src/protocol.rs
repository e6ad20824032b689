//! What the supervisor of a check and its worker tell each other.
//!
//! The worker is started with an [`Assignment`] and writes [`Message`]s to its standard output, one line of JSON each.
//! The supervisor holds the other end of the worker's standard input: a line there asks the worker to stop, and its end
//! means that nobody waits for an answer any more.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a worker is to do, beside what the command line says.
#[derive(Clone, Default, Serialize, Deserialize, Debug)]
pub(crate) struct Assignment {
    /// Milliseconds of the time limit that are gone.
    pub(crate) elapsed_ms: u64,
    /// Where a portfolio goes on.
    pub(crate) resume: Resume,
}

/// Where a portfolio goes on after one of its engines crashed.
#[derive(Clone, Default, Serialize, Deserialize, Debug)]
pub(crate) struct Resume {
    /// The first turn that is still to be taken.
    pub(crate) turn: usize,
    /// The engines that had their turn.
    pub(crate) given_up: Vec<GivenUp>,
}

/// An engine without a verdict.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub(crate) struct GivenUp {
    pub(crate) engine: String,
    pub(crate) reason: String,
}

/// What a worker says.
#[derive(Serialize, Deserialize, Debug)]
pub(crate) enum Message {
    /// This engine was chosen.
    Engine(String),
    /// What keeps it busy.
    Busy(String),
    /// How far it is: the statistics of a run that does not end by itself.
    Progress(Value),
    /// An engine of a portfolio takes its turn.
    Turn { number: usize, engine: String },
    /// An engine of a portfolio has no verdict.
    GaveUp(GivenUp),
    /// The worker is about to crash.
    Panicked(String),
    /// The outcome: what to print on standard output, if anything, and the exit code.
    Report { output: Option<String>, code: u8 },
}
