//! Witnesses of the software verification competition: written for what clinch found, and read to see whether what they claim is so.

mod editor;
mod expression;
mod files;
mod format;
mod graphml;
mod judge;
mod plan;
mod specification;
mod write;

pub use format::Version;
pub use graphml::graphml;
pub use judge::Judgement;
pub use plan::{Plan, Refusal, plan};
pub use write::{About, yaml};
