//! What the supervisor of a check and its worker tell each other.
//!
//! The worker is started with an [`Assignment`] and writes [`Message`]s to its standard output, one line of JSON each.
//! The supervisor holds the other end of the worker's standard input: a line there asks the worker to stop, and its end
//! means that nobody waits for an answer any more.

use clinch_ir::Reason;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cli::EngineName;

/// What a worker is to do, beside what the command line says.
#[derive(Clone, Default, Serialize, Deserialize, Debug)]
pub(crate) struct Assignment {
    /// Milliseconds of the time limit that are gone.
    pub(crate) elapsed_ms: u64,
    /// The engine it runs, if it is one of a portfolio.
    pub(crate) member: Option<EngineName>,
}

/// An engine without a verdict.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub(crate) struct GivenUp {
    pub(crate) engine: String,
    pub(crate) reason: String,
    /// How much the reason says to someone who wants a verdict.
    #[serde(skip_serializing_if = "Telling::is_low", default)]
    pub(crate) telling: Telling,
}

/// How much a reason says, from little to much.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, Debug)]
pub(crate) enum Telling {
    /// A limit, or a search that ended without result.
    #[default]
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
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_low(&self) -> bool {
        *self == Telling::Limit
    }

    /// What a reason says.
    pub(crate) fn of(reason: &Reason) -> Telling {
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
            | Reason::SampledInputs => Telling::Limit,
        }
    }
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
    /// The engine of a portfolio has no verdict. It is its last word.
    GaveUp(GivenUp),
    /// The worker is about to crash.
    Panicked(String),
    /// The outcome: what to print on standard output, if anything, and the exit code.
    Report { output: Option<String>, code: u8 },
}
