//! `clinch reproduce`: the experiments of the papers.

use crate::cli::{Paper, ReproduceArgs};
use crate::exit;

/// `clinch reproduce`.
pub(crate) fn run(args: &ReproduceArgs) -> u8 {
    match args.paper {
        Paper::Alpha | Paper::Split => exit::SAFE,
    }
}
