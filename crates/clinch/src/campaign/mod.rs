//! `clinch campaign`: many tasks with a limit for each, and a file of results that a later run goes on with.

mod csv;
mod results;
mod run;
mod tasks;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use clinch_checker::options::Limits;

use self::results::{Results, Row};
use self::tasks::Task;
use crate::check::on_interrupt;
use crate::cli::CampaignArgs;
use crate::{console, exit};

pub(crate) use self::tasks::Shard;

/// Runs the tasks, or puts results together.
pub(crate) fn run(args: &CampaignArgs) -> u8 {
    let outcome = if args.merge.is_empty() { execute(args) } else { merge(args) };
    outcome.unwrap_or_else(|message| {
        console::error(&format!("error: {message}"));
        exit::BAD_INPUT
    })
}

fn execute(args: &CampaignArgs) -> Result<u8, String> {
    let index = args.tasks.as_deref().ok_or("no tasks are given")?;
    let mut tasks = tasks::read(index)?;
    if let Some(shard) = args.shard {
        tasks.retain(|task| shard.has(task.number));
    }
    let path = args.results.clone().unwrap_or_else(|| default_results(index, args.shard));
    let results = Results::open(&path)?;
    let (limits, stop) = (args.limits.limits(), on_interrupt());
    let campaign = Campaign { limits: &limits, flags: &args.flags, stop: &stop };
    check_same(&campaign, &tasks, &results.done)?;
    if results.was_cut {
        console::error(&format!("{}: the last line was cut; its task is done again", path.display()));
    }
    let left: Vec<&Task> = tasks.iter().filter(|task| !results.done.contains_key(&task.number)).collect();
    console::error(&format!(
        "{} tasks, {} of them done before; results in {}",
        tasks.len(),
        tasks.len() - left.len(),
        path.display()
    ));
    let results = Mutex::new(results);
    campaign.work(&left, args.jobs, &results)?;
    let results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    console::line(&summary(results.done.values()));
    Ok(if results.done.len() == tasks.len() { exit::SAFE } else { exit::UNKNOWN })
}

fn default_results(index: &Path, shard: Option<Shard>) -> PathBuf {
    let stem = index.file_stem().unwrap_or_default().to_string_lossy();
    let part = shard.map_or_else(String::new, |shard| format!(".{}-of-{}", shard.part, shard.of));
    PathBuf::from(format!("{stem}{part}.results.csv"))
}

/// Fails if results are of other tasks, or were made in another way.
fn check_same(campaign: &Campaign<'_>, tasks: &[Task], done: &BTreeMap<usize, Row>) -> Result<(), String> {
    let run = campaign.name();
    let by_number: BTreeMap<usize, &Task> = tasks.iter().map(|task| (task.number, task)).collect();
    for row in done.values() {
        let task = row.task();
        if by_number.get(&task).is_none_or(|of| of.file != row.get("file") || of.property != row.get("property")) {
            return Err(format!("the results are of other tasks, or of another shard: see task {task}"));
        }
        if row.get("run") != run {
            return Err(format!("task {task} was done by another version, or with other limits or options"));
        }
    }
    Ok(())
}

/// How tasks are done.
struct Campaign<'a> {
    limits: &'a Limits,
    flags: &'a [String],
    stop: &'a AtomicBool,
}

impl Campaign<'_> {
    /// A name for the way tasks are done: results with the same can be compared.
    fn name(&self) -> String {
        results::digest(&format!("{} {:?} {:?}", env!("CARGO_PKG_VERSION"), self.limits, self.flags))
    }

    /// Does tasks, so many at a time.
    fn work(&self, tasks: &[&Task], jobs: usize, results: &Mutex<Results>) -> Result<(), String> {
        let next = AtomicUsize::new(0);
        let failure = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..jobs.min(tasks.len()) {
                scope.spawn(|| {
                    while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if let Err(error) = self.one(task, results) {
                            *failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
                            next.store(tasks.len(), Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Does a task, unless the campaign ends before.
    fn one(&self, task: &Task, results: &Mutex<Results>) -> Result<(), String> {
        if self.stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        let found =
            run::task(task, self.limits, self.flags, self.stop).map_err(|error| format!("{}: {error}", task.file))?;
        let Some(found) = found else { return Ok(()) };
        let judged = task.judge(&found.verdict).to_owned();
        let row = Row([
            task.number.to_string(),
            task.file.clone(),
            task.property.clone(),
            task.data_model.clone(),
            task.expected.clone(),
            found.verdict,
            judged,
            found.engine,
            format!("{:.2}", found.seconds),
            found.reason,
            self.name(),
        ]);
        let mut results = results.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        results.add(row).map_err(|error| format!("cannot write results: {error}"))
    }
}

/// Puts the results of several shards together, in the order of the tasks.
fn merge(args: &CampaignArgs) -> Result<u8, String> {
    let mut all: BTreeMap<usize, Row> = BTreeMap::new();
    for path in &args.merge {
        let wrong = |what: String| format!("{}: {what}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let (rows, whole) = results::rows(&text).map_err(wrong)?;
        if whole < text.len() {
            return Err(wrong("the last line is cut: go on with the campaign first".to_owned()));
        }
        for (task, row) in rows {
            if all.values().next().is_some_and(|first| first.get("run") != row.get("run")) {
                return Err(wrong(format!("task {task} was done by another version, or with other limits or options")));
            }
            if all.insert(task, row).is_some() {
                return Err(wrong(format!("task {task} is in another file, too")));
            }
        }
    }
    let text = results::text(all.values());
    match &args.results {
        Some(path) => std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?,
        None => console::line(text.trim_end()),
    }
    console::error(&summary(all.values()));
    let missing = match &args.tasks {
        Some(index) => tasks::read(index)?.into_iter().filter(|task| !all.contains_key(&task.number)).count(),
        None => 0,
    };
    if missing > 0 {
        console::error(&format!("{missing} tasks are missing"));
    }
    Ok(if missing > 0 { exit::UNKNOWN } else { exit::SAFE })
}

fn summary<'a>(rows: impl Iterator<Item = &'a Row>) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut tasks = 0;
    for row in rows {
        tasks += 1;
        let verdict = [row.get("verdict"), row.get("judged")].join(" ").trim_end().to_owned();
        *counts.entry(verdict).or_default() += 1;
    }
    let counts: Vec<String> = counts.into_iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
    format!("{tasks} tasks: {}", counts.join(", "))
}
