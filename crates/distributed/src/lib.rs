//! Explicit search by several workers, in threads, processes and on several hosts, on timely dataflow \[Naiad\].
//!
//! States are owned by hash: a worker stores those that are its own, packed as in the search on one machine, expands them, and
//! sends each successor to its owner. Levels of the breadth-first search are the timestamps of the dataflow (`rounds`), so counterexamples are
//! shortest, and states, transitions, depth and verdict do not depend on the number of workers.
//!
//! | | |
//! |---|---|
//! | `batch`, `format`, `owner` | states on their way |
//! | `rounds` | the dataflow |
//! | `search`, `store` | levels, states with back pointers |
//! | `disk`, `run` | states that do not fit into memory |
//! | `trace` | a counterexample: the owners are asked backwards |
//! | `recheck` | the closed set is re-checked where its states are |
//! | `checkpoint`, `resume` | going on after a crash |
//! | `cluster`, `health` | connections, and what happens when one is lost |
//!
//! **Invariant.** When a round begins, every worker has all states at this distance that it owns, and no others that are new.
//! **Soundness.** As for the search on one machine. A worker that is lost, a limit at one of them, a panic end the search of all in "unknown".

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod batch;
mod checkpoint;
mod cluster;
mod disk;
mod fingerprint;
mod format;
mod health;
mod owner;
mod reason;
mod recheck;
mod resume;
mod rounds;
mod run;
mod search;
mod store;
mod team;
mod trace;
mod worker;

pub use cluster::Cluster;
pub use team::{Config, Found, Stats, check};
