//! Explicit search by several workers, here and elsewhere.

use std::path::PathBuf;
use std::time::Instant;

use clinch_distributed::{Cluster, Config};
use clinch_engine::Budget;
use clinch_engine::explicit::{self, Team};
use clinch_ir::{Program, Reason, Verdict};
use serde_json::json;

use super::{Found, ProcessEngine};
use crate::check::Outcome;
use crate::options::Options;
use crate::report::Artifacts;
use crate::watcher::Watcher;

/// The engine, or what does not go with it.
pub(super) fn configured(config: explicit::Config, options: &Options) -> Result<ProcessEngine, String> {
    match options.threads {
        Some(_) => Err("--threads: each worker is a thread, say --workers".to_owned()),
        None => Ok(ProcessEngine::Team(config, options.limits.memory)),
    }
}

/// Searches with the others, and re-checks with them. An error is a verdict that failed its check.
pub(crate) fn check(
    program: &Program,
    (config, memory): (&explicit::Config, Option<u64>),
    (budget, certify): (&Budget, bool),
    watcher: &mut dyn Watcher,
) -> Result<Outcome, String> {
    let start = Instant::now();
    let outcome = |found: Found<Verdict>| Outcome {
        verdict: found.verdict,
        engine: "explicit",
        search_time: start.elapsed().saturating_sub(found.certify_time),
        certify_time: found.certify_time,
        stats: found.stats,
        artifacts: found.artifacts,
    };
    let config = match configuration(config, memory, certify) {
        Ok(config) => config,
        Err(reason) => return Ok(outcome(Found::without_stats(Verdict::Unknown(reason)))),
    };
    let found = clinch_distributed::check(program, &config, budget, watcher)?;
    if found.verdict.verdict().is_known() {
        watcher.found();
    }
    Ok(outcome(Found {
        verdict: found.verdict,
        stats: serde_json::to_value(found.stats).unwrap_or_else(|_| json!({})),
        artifacts: Artifacts::default(),
        certify_time: found.certify_time,
    }))
}

fn configuration(config: &explicit::Config, memory: Option<u64>, certify: bool) -> Result<Config, Reason> {
    let Some(team) = &config.team else { return Err(Reason::Unsupported("no workers".to_owned())) };
    Ok(Config {
        cluster: Cluster { threads: team.workers, hosts: hosts(team)?, process: team.process },
        inputs: config.inputs,
        certify,
        checkpoint: team.checkpoint.as_ref().map(PathBuf::from),
        resume: team.resume.as_ref().map(PathBuf::from),
        spill: team.spill.as_ref().map(PathBuf::from),
        memory,
    })
}

/// The addresses in the file with the hosts: one in each line.
fn hosts(team: &Team) -> Result<Vec<String>, Reason> {
    let Some(file) = &team.hosts else {
        return match team.process {
            0 => Ok(Vec::new()),
            _ => Err(Reason::Unsupported("--process without --hosts".to_owned())),
        };
    };
    let wrong = |what: String| Reason::Unsupported(format!("--hosts {file}: {what}"));
    let text = std::fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    let hosts: Vec<String> = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let has_port = |host: &&String| host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if let Some(host) = hosts.iter().find(|host| !has_port(host)) {
        return Err(wrong(format!("expected host:port, not {host}")));
    }
    if team.process >= hosts.len() {
        return Err(wrong(format!("there is no process {} among {}", team.process, hosts.len())));
    }
    Ok(hosts)
}

#[cfg(test)]
mod tests {
    use clinch_engine::options::Settings;

    use crate::options::{EngineName, Options};
    use crate::report::{Report, Verdict};
    use crate::task::Task;

    fn report(error: &str, settings: &[(&str, &str)]) -> Report {
        let text = format!("var x: 0..99 = 1; command up when x < 50 do x := 2 * x; error {error};");
        let settings = settings.iter().fold(Settings::default(), |all, (name, value)| all.with(name, value));
        let options = Options { engine: EngineName::Explicit, settings, ..Options::default() };
        crate::check(&Task::text("doubling.gcl", &text), &options).expect("a model")
    }

    #[test]
    fn workers_report_as_one_machine_does() {
        let safe = report("x = 50", &[("workers", "3")]);
        assert!(safe.certified && matches!(safe.verdict, Verdict::Safe { .. }), "{safe}");
        assert_eq!((&safe.stats["states"], &safe.stats["workers"]), (&7.into(), &3.into()), "{safe}");
        let wrong = report("x = 32", &[("workers", "2")]);
        assert!(wrong.certified && matches!(wrong.verdict, Verdict::Unsafe { .. }), "{wrong}");
        assert_eq!(wrong.stats["depth"], 5, "{wrong}");
    }

    #[test]
    fn what_is_missing_is_said() {
        for (settings, what) in [(("hosts", "/nowhere/hosts"), "No such file"), (("process", "1"), "without --hosts")] {
            let report = report("x = 50", &[settings]);
            let Verdict::Unknown { reason, .. } = &report.verdict else { panic!("{report}") };
            assert!(reason.contains(what), "{reason}");
        }
    }
}
