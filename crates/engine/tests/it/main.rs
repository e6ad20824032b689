//! The engines against each other, against a naive search, and against the papers.

mod agree;
mod cegar;
mod naive;
mod open;
mod paper;
mod random;
mod split;
mod support;
mod views;
