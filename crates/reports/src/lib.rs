//! Reports in the formats that other tools read: witnesses of the software verification competition.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod outline;
pub mod witness;
