//! Tables 1 and 2 of \[Subsumer\]: breadth-first against subsumer-first search.

use std::time::{Duration, Instant};

use clinch_analyses::clauses::ProgramClauses;
use clinch_checker::engines::LOCATIONS;
use clinch_engine::cegar::{Cegar, Config, Order, Precision, RefinementMode, Stats};
use clinch_engine::{Budget, Silent};
use clinch_frontend::{Input, Language, Options, read};
use clinch_ir::{HornSystem, HornVerdict};
use clinch_reports::document::{Document, Part, Plot, Scale, Series, Table};
use clinch_terms::Terms;
use serde_json::{Value, json};

use super::armc_models;
use crate::{Measured, Request};

/// What the paper says of a benchmark: decrease of time, queries and states in percent.
struct PaperRow {
    name: &'static str,
    /// Table 1.
    fixed: Option<[f64; 3]>,
    /// Table 2.
    full: Option<[f64; 3]>,
}

const fn row(name: &'static str, fixed: Option<[f64; 3]>, full: Option<[f64; 3]>) -> PaperRow {
    PaperRow { name, fixed, full }
}

/// The systems of the experiment, in the order of the paper's table 1.
const PAPER: &[PaperRow] = &[
    row("odometrys2ub", Some([68.7, 66.2, 63.8]), None),
    row("odometrys1ub", Some([44.1, 56.2, 50.2]), Some([-68.7, 20.8, -14.8])),
    row("timing", Some([0.0, 2.5, 1.4]), Some([3.9, 0.0, 1.4])),
    row("gasburner", Some([47.0, 51.4, 45.9]), Some([46.9, 64.6, 51.5])),
    row("odometrys1lb", Some([66.7, 62.5, 56.0]), Some([51.7, 57.7, 62.5])),
    row("rtalltcs", Some([50.0, 60.0, 55.5]), Some([2.6, 6.3, 29.7])),
    row("triple2", Some([0.0, 9.0, 14.8]), Some([84.6, 67.7, 52.2])),
    row("odometry", Some([33.3, 35.7, 21.5]), Some([92.7, 82.8, 56.6])),
    row("bakery3", Some([9.0, 24.0, 24.8]), Some([73.3, 65.4, 37.6])),
    row("model-test01", Some([9.4, 0.0, 0.8]), Some([50.0, 11.8, -29.7])),
    row("model-test13", Some([0.0, 16.7, 16.9]), Some([47.0, 21.2, -1.8])),
    row("odometry-small", None, None),
    row("gasburner-small", None, None),
    row("control-small", None, None),
    row("timing-small", None, None),
];

/// Mean and median decrease of time, queries and states, and mean and median speed-up, as the paper's text gives them.
const PAPER_FIXED: [[f64; 2]; 4] = [[31.8, 33.3], [35.8, 42.1], [32.9, 35.5], [1.68, 1.54]];
const PAPER_FULL: [[f64; 2]; 4] = [[31.0, 46.9], [30.5, 20.8], [15.5, 29.7], [2.9, 1.88]];

/// One search with one order.
struct Run {
    time: Duration,
    stats: Stats,
    answer: &'static str,
}

/// Both orders on one system.
struct Comparison {
    name: &'static str,
    size: [usize; 3],
    runs: [Run; 2],
    paper: Option<[f64; 3]>,
}

impl Comparison {
    fn is_complete(&self) -> bool {
        self.runs.iter().all(|r| r.answer != "unknown")
    }

    /// By how much time, queries and states decrease, in percent.
    fn decrease(&self) -> [f64; 3] {
        let numbers = |r: &Run| [r.time.as_secs_f64(), r.stats.post.entailment_queries as f64, r.stats.states as f64];
        let (bfs, sub) = (numbers(&self.runs[0]), numbers(&self.runs[1]));
        std::array::from_fn(|i| 100.0 * (1.0 - sub[i] / bfs[i].max(f64::MIN_POSITIVE)))
    }

    fn speed_up(&self) -> f64 {
        self.runs[0].time.as_secs_f64() / self.runs[1].time.as_secs_f64().max(1e-9)
    }
}

/// Predicates, and the store they live in.
type Predicates = (Precision, Terms);

/// The tables.
pub(super) fn run(request: &Request) -> Result<Measured, String> {
    let (mut fixed, mut full) = (Vec::new(), Vec::new());
    for paper in PAPER.iter().filter(|p| p.name.contains(&request.only)) {
        let Some((_, text)) = armc_models::all().into_iter().find(|(name, _)| *name == paper.name) else { continue };
        let text = text();
        let (system, size) = clauses(paper.name, &text)?;
        let (bfs, found) = search(&system, Order::BreadthFirst, None, request.bound)?;
        let (sub, other) = search(&system, Order::SubsumerFirst, None, request.bound)?;
        // The predicates that sufficed for one of them, as the last iteration of ARMC had them.
        let predicates = if bfs.answer == "safe" { Some(found) } else { (sub.answer == "safe").then_some(other) };
        full.push(Comparison { name: paper.name, size, runs: [bfs, sub], paper: paper.full });
        if let Some(predicates) = predicates {
            let (bfs, _) = search(&system, Order::BreadthFirst, Some(predicates.clone()), request.bound)?;
            let (sub, _) = search(&system, Order::SubsumerFirst, Some(predicates), request.bound)?;
            fixed.push(Comparison { name: paper.name, size, runs: [bfs, sub], paper: paper.fixed });
        }
    }
    let data = json!({ "table 1": to_json(&fixed), "table 2": to_json(&full) });
    let mut document = Document::new("[Subsumer] The paper's numbers are in parentheses");
    for (title, rows, paper) in [
        ("[Subsumer] table 1: last iteration, fixed set of predicates", &fixed, &PAPER_FIXED),
        ("[Subsumer] table 2: full abstraction refinement", &full, &PAPER_FULL),
    ] {
        document.parts.extend([table(title, rows), means(rows, paper)].map(Part::Table));
        document.parts.push(Part::Plot(times(title, rows)));
    }
    document.parts.push(Part::Text(NOTES.to_owned()));
    Ok(Measured { document, data })
}

const NOTES: &str = "\
The paper's systems were never published; these are of the same nature and size class (docs/armc.md). Size: variables, transitions, locations.
subsumed: states of the last tree that another one subsumes. Where breadth-first search meets none, there is nothing to gain; in table 2 the
orders also find different counterexamples, hence different predicates.";

/// A system as clauses, and its variables, transitions and locations.
fn clauses(name: &str, text: &str) -> Result<(HornSystem, [usize; 3]), String> {
    let input = read(Language::Armc, name, text.as_bytes(), &Options::default()).map_err(|e| e.to_string())?;
    let Input::Program(program) = input else { return Err(format!("{name} is not a program")) };
    let size = [program.vars.len(), program.transitions.len(), program.processes[0].locations.len()];
    let clauses = ProgramClauses::new(&program, LOCATIONS).map_err(|reason| reason.to_string())?;
    Ok((clauses.system, size))
}

/// One run, whose evidence is checked, and the predicates at its end.
fn search(
    system: &HornSystem,
    order: Order,
    start: Option<Predicates>,
    bound: Duration,
) -> Result<(Run, Predicates), String> {
    let refinement = if start.is_some() { RefinementMode::Fixed } else { RefinementMode::Refine };
    let config = Config { order, refinement, ..Config::of_the_paper() };
    let budget = Budget::unlimited().with_timeout(Some(bound));
    let mut cegar = match start {
        Some((precision, terms)) => Cegar::starting_from(system, &config, precision, terms),
        None => Cegar::new(system, &config),
    };
    let start = Instant::now();
    let verdict = cegar.run(&budget, &mut Silent);
    let time = start.elapsed();
    let answer = match &verdict {
        HornVerdict::Safe(solution) => {
            clinch_certify::check_solution(system, solution, &|| false).map_err(|e| e.to_string())?;
            "safe"
        }
        HornVerdict::Unsafe(derivation) => {
            clinch_certify::check_refutation(system, derivation).map_err(|e| e.to_string())?;
            "unsafe"
        }
        HornVerdict::Unknown(_) => "unknown",
    };
    let stats = cegar.stats.clone();
    Ok((Run { time, stats, answer }, cegar.into_predicates()))
}

fn table(title: &str, rows: &[Comparison]) -> Table {
    let head =
        ["system", "size", "order", "seconds", "queries", "iterations", "predicates", "states", "subsumed", "decrease"];
    let mut table = Table { words: 3, last_has_words: true, ..Table::new(title, &head) };
    for row in rows {
        let size = row.size.map(|number| number.to_string()).join("/");
        for (run, order) in row.runs.iter().zip(["breadth-first", "subsumer-first"]) {
            let answer = if run.answer == "safe" { String::new() } else { format!("{}; ", run.answer) };
            let last = match order {
                "subsumer-first" if row.is_complete() => format!("{answer}{}", decrease(row)),
                _ => answer.trim_end_matches("; ").to_owned(),
            };
            let stats = &run.stats;
            let numbers =
                [stats.post.entailment_queries, stats.iterations, stats.predicates, stats.states, stats.subsumed];
            let words = [row.name.to_owned(), size.clone(), order.to_owned(), format!("{:.2}", run.time.as_secs_f64())];
            table.add(words.into_iter().chain(numbers.map(|number| number.to_string())).collect(), last);
        }
    }
    table
}

/// By how much subsumer-first search is better, here and in the paper.
fn decrease(row: &Comparison) -> String {
    let [time, queries, states] = row.decrease();
    let paper = row.paper.map_or("not in the paper".to_owned(), |[t, q, s]| format!("{t} %, {q} %, {s} %"));
    format!("time {time:.1} %, queries {queries:.1} %, states {states:.1} % ({paper}), speed-up {:.2}", row.speed_up())
}

fn means(rows: &[Comparison], paper: &[[f64; 2]; 4]) -> Table {
    let complete: Vec<&Comparison> = rows.iter().filter(|row| row.is_complete()).collect();
    let title = format!("Over the {} systems that both orders decide", complete.len());
    let mut table = Table::new(title, &["", "mean", "median"]);
    let kinds = ["decrease of time %", "decrease of queries %", "decrease of states %", "speed-up"];
    for (i, kind) in kinds.iter().enumerate() {
        let values = complete.iter().map(|row| if i < 3 { row.decrease()[i] } else { row.speed_up() });
        let mut values: Vec<f64> = values.collect();
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let cell = |ours: f64, paper: f64| format!("{ours:.1} ({paper:.1})");
        table.rows.push(vec![(*kind).to_owned(), cell(mean, paper[i][0]), cell(median(&mut values), paper[i][1])]);
    }
    table
}

fn times(title: &str, rows: &[Comparison]) -> Plot {
    // Shorter times are noise.
    let seconds = |run: &Run| run.time.as_secs_f64().max(0.001);
    let points = rows.iter().filter(|row| row.is_complete()).map(|row| (seconds(&row.runs[0]), seconds(&row.runs[1])));
    Plot {
        title: format!("{title}: a point for each system"),
        axes: ("breadth-first, seconds".to_owned(), "subsumer-first, seconds".to_owned()),
        scales: (Scale::Log, Scale::Log),
        series: vec![Series { name: "systems".to_owned(), points: points.collect(), line: false }],
        diagonal: true,
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[n / 2],
        n => f64::midpoint(values[n / 2 - 1], values[n / 2]),
    }
}

fn to_json(rows: &[Comparison]) -> Vec<Value> {
    let runs = |r: &Comparison| -> Vec<Value> {
        r.runs
            .iter()
            .map(|run| json!({ "seconds": run.time.as_secs_f64(), "answer": run.answer, "stats": run.stats }))
            .collect()
    };
    rows.iter().map(|r| json!({ "name": r.name, "runs": runs(r) })).collect()
}
