//! Reports in the formats that other tools read: witnesses of the software verification competition, SARIF, and pages for people.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod document;
pub mod html;
mod outline;
pub mod sarif;
pub mod witness;
