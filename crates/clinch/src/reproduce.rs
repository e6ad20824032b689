//! `clinch reproduce`: the experiments of the papers.

use std::time::Duration;

use clinch_experiments::{Paper, Request, run as conduct};

use crate::cli::ReproduceArgs;
use crate::{console, exit};

/// `clinch reproduce`.
pub(crate) fn run(args: &ReproduceArgs) -> u8 {
    match request(args).and_then(|request| conduct(&request, &mut |what| console::error(what))) {
        Ok(tables) => {
            console::line(&tables);
            exit::SAFE
        }
        Err(text) => {
            console::error(&format!("internal error: {text}"));
            exit::INTERNAL
        }
    }
}

fn request(args: &ReproduceArgs) -> Result<Request, String> {
    let default = if args.paper == Paper::Lazy { 60 } else { 3 };
    Ok(Request {
        paper: args.paper,
        bound: args.bound.unwrap_or(Duration::from_secs(default)),
        seeds: args.seeds,
        only: args.only.clone(),
        errors: args.errors,
        json: args.json,
        clinch: std::env::current_exe().map_err(|e| e.to_string())?,
    })
}
