//! `--witness`: the witness of a report.

use std::path::Path;
use std::time::SystemTime;

use clinch_checker::{Error, Report, Task, c_files};
use clinch_ir::cfa::Integers;
use clinch_reports::witness::{About, Version, graphml, yaml};

use crate::cli::{CheckArgs, WitnessVersion};

/// The text of the witness, or why there is none.
pub(super) fn of(args: &CheckArgs, task: &Task, report: &Report, file: &Path) -> Result<String, String> {
    if task.reading.entry.as_deref().is_some_and(|entry| entry != "main") {
        return Err("it would be about runs that start with main".to_owned());
    }
    if task.reading.integers == Some(Integers::Mathematical) {
        return Err("it would be about the integers of the machine, which wrap around".to_owned());
    }
    let (sources, checks) = c_files(&task.sources, &task.reading).map_err(|error| match error {
        Error::Input(text) | Error::Usage(text) => text,
        Error::Unsupported(reason) => reason.to_string(),
    })?;
    let about = About { sources: &sources, reading: &task.reading, checks, time: SystemTime::now() };
    let version = match args.witness_version {
        WitnessVersion::V2_0 => Version::V2_0,
        WitnessVersion::V2_1 => Version::V2_1,
    };
    match file.extension().is_some_and(|extension| extension == "graphml") {
        true => graphml(report, &about),
        false => yaml(report, &about, version),
    }
}
