//! `clinch reproduce`: the experiments of the papers.

use std::time::Duration;

use clinch_experiments::{Driver, Measured, Paper, Request, drivers, run as conduct};

use crate::check::save;
use crate::cli::{self, ReproduceArgs};
use crate::{console, exit};

/// `clinch reproduce`.
pub(crate) fn run(args: &ReproduceArgs) -> u8 {
    let drivers = match args.tasks.as_deref().map(drivers).transpose() {
        Ok(drivers) => drivers.unwrap_or_default(),
        Err(text) => {
            console::error(&text);
            return exit::BAD_INPUT;
        }
    };
    match request(args, drivers).and_then(|request| conduct(&request, &mut |what| console::error(what))) {
        Ok(measured) => answer(args, &measured),
        Err(text) => {
            console::error(&format!("internal error: {text}"));
            exit::INTERNAL
        }
    }
}

fn answer(args: &ReproduceArgs, measured: &Measured) -> u8 {
    if let Some(file) = &args.html {
        match measured.document.html(&format!("clinch {}", cli::version())) {
            Ok(page) => save(Some(file), Some(&page)),
            Err(why) => console::error(&format!("warning: there is no page: {why}")),
        }
    }
    let text = if args.json { measured.data.to_string() } else { measured.document.to_string() };
    console::line(text.trim_end());
    exit::SAFE
}

fn request(args: &ReproduceArgs, drivers: Vec<Driver>) -> Result<Request, String> {
    let default = if args.paper == Paper::Lazy { 60 } else { 3 };
    Ok(Request {
        paper: args.paper,
        bound: args.bound.unwrap_or(Duration::from_secs(default)),
        seeds: args.seeds,
        only: args.only.clone(),
        errors: args.errors,
        drivers,
        clinch: std::env::current_exe().map_err(|e| e.to_string())?,
    })
}
