//! Why a worker does not go on, as it tells the others.

use std::time::Duration;

use clinch_ir::Reason;
use serde::{Deserialize, Serialize};

/// A reason on its way: those that stop a search, by name, and others by their text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) enum Told {
    Crashed(String),
    Overflow(String),
    Unsupported(String),
    Other(String),
    Memory(u64),
    Timeout(Duration),
    Interrupted,
}

impl From<Reason> for Told {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Crashed(what) => Told::Crashed(what),
            Reason::Overflow(place) => Told::Overflow(place),
            Reason::Unsupported(what) => Told::Unsupported(what),
            Reason::Memory(limit) => Told::Memory(limit),
            Reason::Timeout(limit) => Told::Timeout(limit),
            Reason::Interrupted => Told::Interrupted,
            other => Told::Other(other.to_string()),
        }
    }
}

impl From<Told> for Reason {
    fn from(told: Told) -> Self {
        match told {
            Told::Crashed(what) => Reason::Crashed(what),
            Told::Overflow(place) => Reason::Overflow(place),
            Told::Unsupported(what) => Reason::Unsupported(what),
            Told::Other(what) => Reason::Inconclusive(what),
            Told::Memory(limit) => Reason::Memory(limit),
            Told::Timeout(limit) => Reason::Timeout(limit),
            Told::Interrupted => Reason::Interrupted,
        }
    }
}
