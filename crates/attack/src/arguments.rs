//! Arguments that both commands take.

use std::path::PathBuf;

use clap::Args;

use crate::batches;

// Where to begin, whom to ask, and how many questions at a time.
#[derive(Args, Debug)]
#[allow(missing_docs, reason = "clap would take it for what the command does")]
pub struct Common {
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// The clinch to ask.
    #[arg(long, default_value = "target/release/clinch")]
    pub clinch: PathBuf,
    /// Questions at a time.
    #[arg(long, default_value_t = batches::threads())]
    pub jobs: usize,
    /// Says what was dropped and which answers were UNKNOWN, and why.
    #[arg(long)]
    pub verbose: bool,
    /// Only prints the programs of the first seed.
    #[arg(long)]
    pub show: bool,
}
