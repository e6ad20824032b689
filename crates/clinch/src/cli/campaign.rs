//! What can be typed behind `clinch campaign`.

use std::path::PathBuf;

use clap::Args;

use super::LimitArgs;
use crate::campaign::Shard;

#[derive(Args, Debug)]
pub(crate) struct CampaignArgs {
    /// The tasks: comma-separated values with the names of the columns in the first line, `file` among them, perhaps property, data_model,
    /// integers and expected (true or false). Files are relative to it, or to its folder tasks or models.
    #[arg(required_unless_present = "merge", value_name = "TASKS.csv")]
    pub(crate) tasks: Option<PathBuf>,

    /// Tasks that are done at a time. Each may take all cores: say `-- --threads 1` where that is not wanted.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_jobs)]
    pub(crate) jobs: usize,

    /// The file with the results: what is there is not done again.
    #[arg(long, value_name = "FILE")]
    pub(crate) results: Option<PathBuf>,

    /// Do part I, from 0, of N parts of the tasks.
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    pub(crate) shard: Option<Shard>,

    /// Put the results of several shards together, on standard output or in the file --results.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["shard", "flags"])]
    pub(crate) merge: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    /// Options of `clinch check` for all tasks.
    #[arg(last = true, value_name = "OPTIONS")]
    pub(crate) flags: Vec<String>,
}

fn parse_jobs(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&jobs| jobs > 0).ok_or_else(|| "expected a number from 1".to_owned())
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    let shard =
        text.split_once('/').and_then(|(part, of)| Some(Shard { part: part.parse().ok()?, of: of.parse().ok()? }));
    shard.filter(|shard| shard.part < shard.of).ok_or_else(|| "expected I/N with I from 0 and below N".to_owned())
}
