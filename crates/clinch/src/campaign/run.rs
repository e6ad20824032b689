//! One task of a campaign: a check in a process of its own.

use std::io::{Read as _, Seek as _};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clinch_checker::options::Limits;
use serde_json::Value;

use super::tasks::Task;
use crate::exit;

/// How often a check is looked at.
const POLL: Duration = Duration::from_millis(10);
/// A check ends by itself within a second of its limit; this is for one that does not.
const PATIENCE: Duration = Duration::from_secs(30);

/// What came of a task.
pub(super) struct Found {
    pub(super) verdict: String,
    pub(super) engine: String,
    pub(super) seconds: f64,
    pub(super) reason: String,
}

/// Does a task; nothing if the campaign is stopped before.
pub(super) fn task(
    task: &Task,
    limits: &Limits,
    flags: &[String],
    stop: &AtomicBool,
) -> std::io::Result<Option<Found>> {
    let start = Instant::now();
    if let Some(reason) = task.unsupported() {
        return Ok(Some(Found { verdict: "unknown".to_owned(), engine: String::new(), seconds: 0.0, reason }));
    }
    let (output, errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["check", "--json"]);
    task.arguments(&mut command);
    command.args(limit_flags(limits)).args(flags);
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(errors.try_clone()?);
    let latest = limits.timeout.map(|limit| start + 2 * limit + PATIENCE);
    let code = wait(command.spawn()?, latest)?;
    // What is stopped with the campaign is done again.
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let (output, errors) = (text(output)?, text(errors)?);
    let report: Value = serde_json::from_str(&output).unwrap_or_default();
    let said = |key: &str| report[key].as_str().unwrap_or_default().to_owned();
    let found = match code.and_then(|code| u8::try_from(code).ok()) {
        Some(exit::SAFE | exit::UNSAFE | exit::UNKNOWN) if report.is_object() => {
            Found { verdict: said("verdict"), engine: said("engine"), seconds: 0.0, reason: said("reason") }
        }
        _ => {
            let reason = errors.lines().next().unwrap_or("it did not end").to_owned();
            Found { verdict: "error".to_owned(), engine: String::new(), seconds: 0.0, reason }
        }
    };
    Ok(Some(Found { seconds: start.elapsed().as_secs_f64(), ..found }))
}

fn limit_flags(limits: &Limits) -> Vec<String> {
    let time = limits.timeout.map(|time| ["--timeout".to_owned(), format!("{}ms", time.as_millis())]);
    let memory = limits.memory.map(|bytes| ["--memory".to_owned(), bytes.to_string()]);
    let iterations = limits.iterations.map(|n| ["--max-iterations".to_owned(), n.to_string()]);
    [time, memory, iterations].into_iter().flatten().flatten().collect()
}

/// The exit code. A process that does not end in time is ended.
fn wait(mut child: Child, latest: Option<Instant>) -> std::io::Result<Option<i32>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code());
        }
        if latest.is_some_and(|latest| Instant::now() > latest) {
            child.kill()?;
        }
        std::thread::sleep(POLL);
    }
}

fn text(mut file: std::fs::File) -> std::io::Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
