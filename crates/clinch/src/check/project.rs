//! `clinch check -p` and `--files`: the functions of a project, one after the other, but for those whose answers were kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clinch_checker::options::Wanted;
use clinch_checker::protocol::{Assignment, Prepared};
use clinch_checker::report::Verdict;
use clinch_checker::{Error, Options, Reading, Report, Task, supervisor};
use clinch_projects::commands::{self, Command};
use clinch_projects::link::Linker;
use clinch_projects::store::{Kept, Store};
use clinch_projects::units::{self, Unit};
use clinch_projects::{Digest, Fingerprint, fingerprint, moves};
use tempfile::TempDir;

use super::summary::{Answer, Summary};
use super::{EVERY_FUNCTION, command, files, on_interrupt, refuse, save};
use crate::cli::{self, CheckArgs};
use crate::console;
use crate::progress::Display;

/// Checks a project, prints a table or an object: the exit code.
pub(super) fn run(args: &CheckArgs, reading: &Reading, options: &Options) -> u8 {
    let start = Instant::now();
    let (units, scratch) = match prepare(args, reading) {
        Ok(prepared) => prepared,
        Err(error) => return refuse(&error, args.output()),
    };
    let linker = Linker::new(&units);
    for (name, definers) in linker.ambiguous() {
        let names: Vec<&str> = definers.iter().map(|&file| units[file].name.as_str()).collect();
        console::error(&format!("warning: {} define `{name}`: calls from other files go nowhere", names.join(" and ")));
    }
    let store = args.project.store().and_then(|folder| open(&folder));
    let stamp = stamp(reading, options);
    let stop = on_interrupt();
    let (progress, retry) = (args.progress, args.project.retry);
    let mut project =
        Project { units: &units, linker, scratch: &scratch, reading, options, store, stamp, stop, progress, retry };
    let summary = project.check_all(args, start);
    project.tell_of_damage();
    summary.print(args);
    if let Some(file) = &args.sarif {
        let task = Task::files(units.iter().map(|unit| &unit.name));
        save(Some(file), Some(&files::sarif(&task, &summary.reports())));
    }
    summary.exit_code(args)
}

/// The files, preprocessed, and where they are written for the workers: what is hashed is what is checked.
fn prepare(args: &CheckArgs, reading: &Reading) -> Result<(Vec<Unit>, TempDir), Error> {
    let commands = match &args.project.project {
        Some(folder) => commands::read(folder).map_err(Error::Input)?,
        None => args.project.project_files.iter().map(|file| Command::plain(file)).collect(),
    };
    if commands.is_empty() {
        return Err(Error::Usage("the project has no C file".to_owned()));
    }
    let units = units::read_all(&commands, reading);
    if units.iter().all(|unit| unit.content.is_ok() && entries(unit, reading).is_empty()) {
        let entry = reading.entry.as_deref().unwrap_or("main");
        return Err(Error::Usage(format!("no file of the project defines `{entry}`; --entry all: every function")));
    }
    let bad = |error: std::io::Error| Error::Usage(format!("cannot write temporary files: {error}"));
    let scratch = tempfile::Builder::new().prefix("clinch-project-").tempdir().map_err(bad)?;
    for (number, unit) in units.iter().enumerate() {
        if let Ok(content) = &unit.content {
            std::fs::write(written(&scratch, number), clinch_frontend::c::encode(&content.text)).map_err(bad)?;
        }
    }
    Ok((units, scratch))
}

/// A preprocessed file.
fn written(scratch: &TempDir, number: usize) -> PathBuf {
    scratch.path().join(format!("{number}.i"))
}

fn open(folder: &Path) -> Option<Store> {
    let store = Store::open(folder);
    if let Err(error) = &store {
        console::error(&format!("warning: nothing is kept in {}: {error}", folder.display()));
    }
    store.ok()
}

/// What an answer depends on beside the program: this very binary, and the options. How many engines run at a time, and what else is written, makes no
/// difference.
fn stamp(reading: &Reading, options: &Options) -> String {
    let binary = std::env::current_exe().and_then(std::fs::read);
    let reading = Reading { colours: false, entry: None, ..reading.clone() };
    let options = Options { threads: None, wanted: Wanted::default(), ..options.clone() };
    let mut digest = Digest::default();
    digest.part(cli::version());
    digest.part(&binary.map_or_else(|_| String::new(), |bytes| Digest::of(&bytes)));
    digest.part(&format!("{reading:?}{options:?}"));
    digest.finish()
}

/// The functions of a file that runs start with.
fn entries<'u>(unit: &'u Unit, reading: &Reading) -> Vec<&'u String> {
    let entry = reading.entry.as_deref().unwrap_or("main");
    let functions = unit.content.iter().flat_map(|content| &content.exports.functions);
    functions.filter(|name| entry == EVERY_FUNCTION || *name == entry).collect()
}

struct Project<'a> {
    units: &'a [Unit],
    linker: Linker<'a>,
    scratch: &'a TempDir,
    reading: &'a Reading,
    options: &'a Options,
    store: Option<Store>,
    stamp: String,
    stop: Arc<AtomicBool>,
    /// Whether lines say how far engines are.
    progress: bool,
    /// Whether what is kept counts where it is no verdict.
    retry: bool,
}

impl Project<'_> {
    fn check_all(&mut self, args: &CheckArgs, start: Instant) -> Summary {
        let units = self.units;
        let names = units.iter().flat_map(|unit| entries(unit, self.reading));
        let mut summary = Summary::new(start, names.map(String::len).max().unwrap_or(0));
        for (number, unit) in units.iter().enumerate() {
            if let Err(error) = &unit.content {
                summary.add(args, Answer::unreadable(&unit.name, error));
            }
            for function in entries(unit, self.reading) {
                if self.stop.load(Ordering::Relaxed) {
                    summary.is_interrupted = true;
                    return summary;
                }
                let (found, is_kept) = self.answer(number, function);
                summary.add(args, Answer { file: unit.name.clone(), function: function.clone(), found, is_kept });
            }
        }
        summary
    }

    /// What is known of a function: from before, if nothing has changed that it depends on.
    fn answer(&mut self, start: usize, function: &str) -> (Result<Report, Error>, bool) {
        let files = self.linker.program(start);
        let texts = files.iter().filter_map(|&file| self.units[file].content.as_ref().ok()).map(|c| c.digest.as_str());
        let same_text = self.key(function, texts);
        if let Some(kept) = self.kept(&same_text) {
            return (Ok(kept.report), true);
        }
        let ilp32 = self.units[start].content.as_ref().is_ok_and(|content| content.ilp32);
        let files = files.into_iter().map(|file| written(self.scratch, file)).collect();
        let prepared = Prepared { files, ilp32 };
        let reading = Reading { entry: Some(function.to_owned()), ..self.reading.clone() };
        let task = prepared.task(&reading);
        let program = self.store.is_some().then(|| identify(&task)).flatten();
        let same_program = program.as_ref().map(|of| self.key(function, [of.digest.as_str()].into_iter()));
        if let (Some(program), Some(key)) = (&program, &same_program)
            && let Some(report) = self.kept(key).and_then(|kept| placed(kept, program))
        {
            self.keep(&same_text, &[], &report);
            return (Ok(report), true);
        }
        let found = self.check(&task, prepared, function);
        // One that was interrupted is not what the next run would come to.
        if let Ok(report) = &found
            && !self.stop.load(Ordering::Relaxed)
        {
            self.keep(&same_text, &[], report);
            if let (Some(program), Some(key)) = (&program, &same_program) {
                self.keep(key, &program.places, report);
            }
        }
        (found, false)
    }

    /// What is kept under a name, if it counts.
    fn kept(&mut self, key: &str) -> Option<Kept> {
        let kept = self.store.as_mut().and_then(|store| store.get(key))?;
        let is_open = matches!(kept.report.verdict, Verdict::Unknown { .. });
        (!is_open || !self.retry).then_some(kept)
    }

    /// The name of the answer about a function.
    fn key<'k>(&self, function: &str, parts: impl Iterator<Item = &'k str>) -> String {
        let mut digest = Digest::default();
        [self.stamp.as_str(), function].into_iter().for_each(|part| digest.part(part));
        parts.for_each(|part| digest.part(part));
        digest.finish()
    }

    fn check(&self, task: &Task, prepared: Prepared, function: &str) -> Result<Report, Error> {
        let launch = |assignment: &Assignment| {
            let (entry, prepared) = (Some(function.to_owned()), Some(prepared.clone()));
            command(&Assignment { entry, prepared, ..assignment.clone() })
        };
        // Places for other tools would be in files that are gone soon.
        supervisor::run(task, self.options, Arc::clone(&self.stop), &launch, &mut Display::new(self.progress))
            .map(Report::without_spots)
    }

    fn keep(&self, key: &str, places: &[(String, u32)], report: &Report) {
        let kept = Kept { key: key.to_owned(), places: places.to_vec(), report: report.clone() };
        if let Some(Err(error)) = self.store.as_ref().map(|store| store.put(&kept)) {
            console::error(&format!("warning: an answer is not kept: {error}"));
        }
    }

    fn tell_of_damage(&self) {
        for file in self.store.iter().flat_map(Store::damaged) {
            let file = file.display();
            console::error(&format!("warning: {file} was damaged; what it was about was checked again"));
        }
    }
}

/// The fingerprint of a program. One that cannot be read has none: the workers say why.
fn identify(task: &Task) -> Option<Fingerprint> {
    let read = std::panic::AssertUnwindSafe(|| task.read_procedures().ok());
    let loaded = std::panic::catch_unwind(read).ok().flatten()?;
    Some(fingerprint(&loaded.program))
}

/// The report about a program that may have moved.
fn placed(kept: Kept, program: &Fingerprint) -> Option<Report> {
    let moves = moves(&kept.places, &program.places)?;
    kept.report.moved(&|file, line| moves.get(&(file.to_owned(), line)).cloned())
}
