//! Table 1 of \[Lazy\]: predicates and prover calls on drivers, correct ones and wrong ones.

use std::path::{Path, PathBuf};
use std::process::Command;

use clinch_reports::document::{Document, Part, Plot, Scale, Series, Table};
use serde_json::{Value, json};

use crate::{Measured, Request};

/// A row of the paper: lines of code, predicates (total, active), calls of the prover (total, cached), seconds.
struct PaperRow {
    name: &'static str,
    loc: u32,
    predicates: [u32; 2],
    calls: [u32; 2],
    seconds: f64,
    /// Our program of that kind, and its wrong versions.
    program: &'static str,
    bugs: &'static [&'static str],
}

const fn row(
    (name, loc, seconds): (&'static str, u32, f64),
    predicates: [u32; 2],
    calls: [u32; 2],
    program: &'static str,
    bugs: &'static [&'static str],
) -> PaperRow {
    PaperRow { name, loc, predicates, calls, seconds, program, bugs }
}

/// Table 1, with our programs.
const PAPER: &[PaperRow] = &[
    row(("driver.c", 95, 0.08), [3, 3], [260, 165], "packets", &["packets-bug1", "packets-bug2"]),
    row(("funlock.c", 40, 0.14), [4, 3], [340, 182], "funlock", &["funlock-bug1", "funlock-bug2"]),
    row(("read.c", 370, 4.42), [28, 18], [5643, 2862], "serial", &["serial-bug1", "serial-bug2", "serial-bug3"]),
    row(("floppy.c", 6473, 2.05), [5, 5], [4137, 3759], "floppy", &["floppy-bug1", "floppy-bug2", "floppy-bug3"]),
    row(("qpmouse.c", 400, 0.74), [3, 3], [3117, 2925], "mouse", &["mouse-bug1", "mouse-bug2", "mouse-bug3"]),
    row(("ll_rw_block.c", 1281, 5.82), [9, 7], [10143, 9483], "block", &["block-bug1", "block-bug2"]),
];

macro_rules! programs {
    ($($name:literal),* $(,)?) => {
        /// The programs of the experiment, part of the binary.
        const PROGRAMS: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../../examples/c/", $name, ".c")))),*
        ];
    };
}

programs! {
    "packets", "packets-bug1", "packets-bug2", "funlock", "funlock-bug1", "funlock-bug2",
    "serial", "serial-bug1", "serial-bug2", "serial-bug3", "floppy", "floppy-bug1", "floppy-bug2", "floppy-bug3",
    "mouse", "mouse-bug1", "mouse-bug2", "mouse-bug3", "block", "block-bug1", "block-bug2",
}

/// A program of the experiment.
#[derive(Clone, Debug)]
pub struct Driver {
    name: String,
    file: PathBuf,
    /// Whether it has no error.
    is_safe: bool,
    /// How it is to be read, and what counts as an error.
    flags: Vec<String>,
    lines: usize,
}

/// One run.
struct Run {
    program: String,
    lines: usize,
    preset: &'static str,
    answer: String,
    /// Whether that is the answer it should have, with evidence that was accepted.
    good: bool,
    seconds: f64,
    stats: Value,
}

/// The tables.
pub(super) fn run(request: &Request, progress: &mut dyn FnMut(&str)) -> Result<Measured, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut table = Vec::new();
    for paper in PAPER.iter().filter(|p| p.program.contains(&request.only) || p.name.contains(&request.only)) {
        let mut runs = Vec::new();
        for program in [paper.program].iter().chain(paper.bugs) {
            runs.extend(both_presets(request, &ours(folder.path(), program)?)?);
        }
        table.push((paper, runs));
    }
    let mut published = Vec::new();
    for driver in request.drivers.iter().filter(|driver| driver.name.contains(&request.only)) {
        progress(&driver.name);
        published.extend(both_presets(request, driver)?);
    }
    Ok(Measured { document: document(&table, &published), data: to_json(&table, &published) })
}

/// A program that is part of the binary, in a folder.
fn ours(folder: &Path, name: &str) -> Result<Driver, String> {
    let text = PROGRAMS.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text);
    let file = folder.join(format!("{name}.c"));
    std::fs::write(&file, text).map_err(|e| e.to_string())?;
    // A wrong version is its correct one but for a line, and a comment that says which.
    let correct = name.split("-bug").next().unwrap_or(name);
    let correct = PROGRAMS.iter().find(|(known, _)| *known == correct).map_or(text, |(_, text)| text);
    let flags = ["--check", "assertions"].map(str::to_owned).to_vec();
    Ok(Driver { name: name.to_owned(), file, is_safe: !name.contains("-bug"), flags, lines: lines_of_code(correct) })
}

/// Published drivers: what the `index.csv` of a folder lists and the folder, or `tasks` in it, has. Fails with a diagnostic.
pub fn drivers(folder: &Path) -> Result<Vec<Driver>, String> {
    let index = folder.join("index.csv");
    let text = std::fs::read_to_string(&index).map_err(|error| format!("{}:1:1: error: {error}", index.display()))?;
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap_or_default();
    let column = |name: &str| head.iter().position(|column| *column == name);
    let (Some(file), Some(expected)) = (column("file"), column("expected")) else {
        return Err(format!("{}:1:1: error: the columns `file` and `expected` are needed", index.display()));
    };
    let mut found = Vec::new();
    for line in lines.filter(|line| line.len() > file) {
        let places = [folder.join(line[file]), folder.join("tasks").join(line[file])];
        let Some(path) = places.into_iter().find(|path| path.exists()) else { continue };
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}:1:1: error: {error}", path.display()))?;
        let of = |name: &str| column(name).and_then(|column| line.get(column)).copied();
        let mut flags = vec!["--property".to_owned(), of("property").unwrap_or("unreach-call").to_owned()];
        if let Some(model) = of("data_model").filter(|model| ["ILP32", "LP64"].contains(model)) {
            flags.extend(["--data-model".to_owned(), model.to_lowercase()]);
        }
        let is_safe = matches!(line.get(expected), Some(&"true" | &"safe"));
        found.push(Driver { name: line[file].to_owned(), file: path, is_safe, flags, lines: lines_of_code(&text) });
    }
    Ok(found)
}

fn both_presets(request: &Request, program: &Driver) -> Result<Vec<Run>, String> {
    ["blast", "default"].into_iter().map(|preset| search(request, program, preset)).collect()
}

/// One run, in a process of its own: what a user gets, with nothing left over from the run before.
fn search(request: &Request, program: &Driver, preset: &'static str) -> Result<Run, String> {
    let time = format!("{}ms", request.bound.as_millis());
    let mut command = Command::new(&request.clinch);
    command.arg("check").arg(&program.file).args(&program.flags);
    command.args(["--engine", "lazy", "--preset", preset, "--timeout", &time, "--json"]);
    let output = command.output().map_err(|e| e.to_string())?;
    let answer: Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| format!("{}: {}", program.name, String::from_utf8_lossy(&output.stderr).trim()))?;
    let verdict = answer["verdict"].as_str().unwrap_or_default();
    let good = match verdict {
        "safe" => program.is_safe && answer["certified"] == true,
        "unsafe" => !program.is_safe && answer["confirmed"] == true,
        _ => false,
    };
    let place = program.file.parent().map_or(String::new(), |folder| format!("{}/", folder.display()));
    let reason = answer["reason"].as_str().map_or(String::new(), |reason| format!(": {}", reason.replace(&place, "")));
    Ok(Run {
        program: program.name.clone(),
        lines: program.lines,
        preset,
        answer: format!("{verdict}{reason}"),
        good,
        seconds: answer["time_s"].as_f64().unwrap_or_default(),
        stats: answer["stats"].clone(),
    })
}

/// The lines of a text that are neither empty nor a comment.
fn lines_of_code(text: &str) -> usize {
    text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with("//")).count()
}

fn count(stats: &Value, of: &str, what: &str) -> u64 {
    stats[of][what].as_u64().unwrap_or(0)
}

fn document(rows: &[(&PaperRow, Vec<Run>)], published: &[Run]) -> Document {
    let head = ["program", "", "LOC", "predicates", "active", "prover calls", "cached", "seconds", "verdict"];
    let title = "[Lazy] table 1: lazy abstraction on drivers";
    let mut table = Table { words: 2, last_has_words: true, ..Table::new(title, &head) };
    for (paper, runs) in rows {
        let [total, active] = paper.predicates;
        let [calls, cached] = paper.calls;
        let numbers = [paper.loc, total, active, calls, cached].map(|number| number.to_string());
        let names = [paper.name, "paper"].map(str::to_owned).into_iter();
        table.rows.push(names.chain(numbers).chain([format!("{:.2}", paper.seconds), "safe".to_owned()]).collect());
        table.rows.extend(runs.iter().map(cells));
    }
    table.rows.extend(published.iter().map(cells));
    let mut document = Document::new("[Lazy]");
    document.parts = vec![Part::Table(table), Part::Plot(times(rows)), Part::Text(NOTES.to_owned())];
    document
}

const NOTES: &str = "\
The paper's programs, but for funlock.c, are drivers of Windows and Linux as they were in 2001; these were written after what its text says
of them (examples/c). `--tasks FOLDER` adds published drivers. blast: the configuration of the paper (--preset blast). Every `safe` was re-checked in exact arithmetic, every
`unsafe` was confirmed by execution of the compiled program.";

fn cells(run: &Run) -> Vec<String> {
    let stats = &run.stats;
    let note = if run.good || run.answer.starts_with("unknown") { "" } else { " (NOT CONFIRMED)" };
    vec![
        run.program.clone(),
        run.preset.to_owned(),
        run.lines.to_string(),
        count(stats, "predicates", "total").to_string(),
        count(stats, "predicates", "max_active").to_string(),
        count(stats, "prover_calls", "total").to_string(),
        count(stats, "prover_calls", "cached").to_string(),
        format!("{:.2}", run.seconds),
        format!("{}{note}", run.answer),
    ]
}

/// The paper's configuration against the default one: a point for each program that both decide.
fn times(rows: &[(&PaperRow, Vec<Run>)]) -> Plot {
    let pairs = rows.iter().flat_map(|(_, runs)| runs.chunks_exact(2)).filter(|pair| pair.iter().all(|run| run.good));
    // Shorter times are noise.
    let seconds = |run: &Run| run.seconds.max(0.01);
    let points = pairs.map(|pair| (seconds(&pair[0]), seconds(&pair[1]))).collect();
    Plot {
        title: "Seconds: a point for each program".to_owned(),
        axes: ("the paper's configuration".to_owned(), "the default".to_owned()),
        scales: (Scale::Log, Scale::Log),
        series: vec![Series { name: "programs".to_owned(), points, line: false }],
        diagonal: true,
    }
}

fn to_json(table: &[(&PaperRow, Vec<Run>)], published: &[Run]) -> Value {
    let run = |r: &Run| {
        json!({
            "program": r.program, "lines": r.lines, "preset": r.preset, "answer": r.answer, "confirmed": r.good,
            "seconds": r.seconds, "stats": r.stats,
        })
    };
    let row = |(paper, runs): &(&PaperRow, Vec<Run>)| {
        json!({
            "paper": {
                "name": paper.name, "loc": paper.loc, "predicates": paper.predicates, "prover_calls": paper.calls,
                "seconds": paper.seconds,
            },
            "runs": runs.iter().map(run).collect::<Vec<_>>(),
        })
    };
    json!({
        "table 1": table.iter().map(row).collect::<Vec<_>>(),
        "published": published.iter().map(run).collect::<Vec<_>>(),
    })
}
