//! Table 1 of \[Lazy\]: predicates and prover calls on drivers, correct ones and wrong ones.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::Request;

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

/// One run.
struct Run {
    program: &'static str,
    preset: &'static str,
    answer: String,
    /// Whether that is the answer it should have, with evidence that was accepted.
    good: bool,
    seconds: f64,
    stats: Value,
}

/// The tables.
pub(super) fn run(request: &Request) -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    for (name, text) in PROGRAMS {
        std::fs::write(folder.path().join(format!("{name}.c")), text).map_err(|e| e.to_string())?;
    }
    let mut table = Vec::new();
    for paper in PAPER.iter().filter(|p| p.program.contains(&request.only) || p.name.contains(&request.only)) {
        let mut runs = Vec::new();
        for &program in [paper.program].iter().chain(paper.bugs) {
            for preset in ["blast", "default"] {
                runs.push(search(request, folder.path(), program, preset)?);
            }
        }
        table.push((paper, runs));
    }
    Ok(if request.json { to_json(&table).to_string() } else { to_text(&table) })
}

/// One run, in a process of its own: what a user gets, with nothing left over from the run before.
fn search(request: &Request, folder: &Path, program: &'static str, preset: &'static str) -> Result<Run, String> {
    let file = folder.join(format!("{program}.c"));
    let time = format!("{}ms", request.bound.as_millis());
    let mut command = Command::new(&request.clinch);
    command.arg("check").arg(file).args([
        "--check",
        "assertions",
        "--engine",
        "lazy",
        "--preset",
        preset,
        "--timeout",
        &time,
        "--json",
    ]);
    let output = command.output().map_err(|e| e.to_string())?;
    let answer: Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim()))?;
    let verdict = answer["verdict"].as_str().unwrap_or_default();
    let good = match verdict {
        "safe" => !program.contains("-bug") && answer["certified"] == true,
        "unsafe" => program.contains("-bug") && answer["confirmed"] == true,
        _ => false,
    };
    let place = format!("{}/", folder.display());
    let reason = answer["reason"].as_str().map_or(String::new(), |reason| format!(": {}", reason.replace(&place, "")));
    let seconds = answer["time_s"].as_f64().unwrap_or_default();
    Ok(Run { program, preset, answer: format!("{verdict}{reason}"), good, seconds, stats: answer["stats"].clone() })
}

/// The lines of a program that are not empty; a wrong version is its correct one but for a line.
fn lines_of_code(program: &str) -> usize {
    let text = PROGRAMS.iter().find(|(name, _)| *name == program).map_or("", |(_, text)| text);
    text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with("//")).count()
}

fn count(stats: &Value, of: &str, what: &str) -> u64 {
    stats[of][what].as_u64().unwrap_or(0)
}

fn to_text(table: &[(&PaperRow, Vec<Run>)]) -> String {
    let mut out = String::from("[Lazy] table 1: lazy abstraction on drivers\n\n");
    let _ = writeln!(
        out,
        "{:14} {:8} {:>5}  {:>11}  {:>15}  {:>9}  verdict",
        "program", "", "LOC", "predicates", "prover calls", "time"
    );
    let _ = writeln!(out, "{:29}  {:>5} {:>6}  {:>7} {:>7}", "", "total", "active", "total", "cached");
    for (paper, runs) in table {
        let [total, active] = paper.predicates;
        let [calls, cached] = paper.calls;
        let _ = writeln!(
            out,
            "{:14} {:8} {:>5}  {total:>5} {active:>6}  {calls:>7} {cached:>7}  {:>8.2}s  safe",
            paper.name, "paper", paper.loc, paper.seconds
        );
        for run in runs {
            push_run(&mut out, run);
        }
        out.push('\n');
    }
    out.push_str(
        "The paper's programs, but for funlock.c, are drivers of Windows and Linux as they were in 2001; these were written after\n\
         what its text says of them (examples/c). blast: the configuration of the paper (--preset blast). Every `safe` was re-checked\n\
         in exact arithmetic, every `unsafe` was confirmed by execution of the compiled program.\n",
    );
    out
}

fn push_run(out: &mut String, run: &Run) {
    let stats = &run.stats;
    let note = if run.good || run.answer.starts_with("unknown") { "" } else { " (NOT CONFIRMED)" };
    let lines = lines_of_code(run.program.split("-bug").next().unwrap_or(run.program));
    let _ = writeln!(
        out,
        "{:14} {:8} {lines:>5}  {:>5} {:>6}  {:>7} {:>7}  {:>8.2}s  {}{note}",
        run.program,
        run.preset,
        count(stats, "predicates", "total"),
        count(stats, "predicates", "max_active"),
        count(stats, "prover_calls", "total"),
        count(stats, "prover_calls", "cached"),
        run.seconds,
        run.answer
    );
}

fn to_json(table: &[(&PaperRow, Vec<Run>)]) -> Value {
    let run = |r: &Run| {
        json!({
            "program": r.program, "preset": r.preset, "answer": r.answer, "confirmed": r.good,
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
    json!({ "table 1": table.iter().map(row).collect::<Vec<_>>() })
}
