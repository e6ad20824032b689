//! Tables 1 to 3 of \[Alpha\].

use std::time::Duration;

use clinch_checker::engines::ProcessEngine;
use clinch_checker::report::predicates_text;
use clinch_checker::{Outcome, check_program};
use clinch_engine::{Budget, Silent, alpha};
use clinch_reports::document::{Document, Part, Plot, Scale, Series, Table};
use serde_json::{Value, json};

use super::model;
use crate::{Measured, Request};

/// A line of table 1, with the paper's numbers.
struct Line {
    name: &'static str,
    model: &'static str,
    processes: Option<i64>,
    /// Iterations, concrete states, abstract states, new predicates, queries.
    paper: [&'static str; 5],
}

const fn line(name: &'static str, model: &'static str, processes: Option<i64>, paper: [&'static str; 5]) -> Line {
    Line { name, model, processes, paper }
}

const TABLE_1: &[Line] = &[
    line("ticket2-err", "ticket-err", Some(2), ["2", "15,31", "9,17", "5", "38"]),
    line("ticket3-err", "ticket-err", Some(3), ["1", "102", "44", "4", "14"]),
    line("RAX-err", "rax-deadlock", None, ["1", "69", "44", "0", "10"]),
    line("bakery-err", "bakery-err", None, ["1", "356", "191", "14", "89"]),
    line("driver-err", "driver-err", None, ["1", "10", "10", "0", "2"]),
    line("ticket2", "ticket", Some(2), ["4", "15,15,15,15", "9,9,9,9", "6", "124"]),
    line("ticket3", "ticket", Some(3), ["5", "52,58,58,58,58", "25,31,31,31,31", "11", "603"]),
    line("RAX", "rax", None, ["-", "-", "-", "-", "-"]),
    line("bakery", "bakery", None, ["3", "278,410,537", "152,221,292", "24", "1598"]),
    line("driver", "driver", None, ["2", "10", "9", "0", "7"]),
];

/// Concrete states, abstract states, queries, cache hits and new predicates by iteration.
type Iterations = &'static [(u64, u64, u64, u64, &'static str)];

const TABLE_2: Iterations = &[
    (52, 25, 14, 18, "a1 <= s+1, a2 <= s+1, a3 <= s+1, t <= s"),
    (58, 31, 70, 152, "a1 <= s+2, a2 <= s+2, a3 <= s+2, t <= s+1, t+1 <= s"),
    (58, 31, 151, 475, "t <= s+2"),
    (58, 31, 173, 585, "t <= s+3"),
    (58, 31, 195, 657, "-"),
];

const TABLE_3: Iterations = &[
    (69, 44, 10, 10, "e1 = 0, e2 = 0"),
    (101, 65, 20, 44, "e1 = -1, e2 = -1"),
    (101, 65, 26, 64, "e1 = -2, e2 = -2"),
    (101, 65, 32, 84, "..."),
];

/// The text of section 8.3: with the counters known not to be negative, two iterations and 40 queries.
const RAX_GIVEN: Iterations = &[(69, 44, 0, 0, "e1 = 0, e2 = 0"), (101, 65, 0, 0, "-")];

/// Iterations of RAX, which has no end.
const RAX_ITERATIONS: u64 = 4;

/// The tables.
pub(super) fn run(request: &Request) -> Result<Measured, String> {
    let mut rows = Vec::new();
    for line in TABLE_1 {
        rows.push((line, search(line.model, line.processes, &[], request.bound)?));
    }
    let of = |name: &str| &rows.iter().find(|(line, _)| line.name == name).expect("a line of table 1").1;
    let given = search("rax", None, &["e1 >= 0", "e2 >= 0"], request.bound)?;
    let runs = rows.iter().map(|(line, outcome)| (line.name, outcome)).chain([("RAX given", &given)]);
    let data = runs.map(|(name, outcome)| json!({ "name": name, "stats": outcome.stats })).collect();
    let mut document = Document::new("[Alpha] The paper's numbers are in parentheses");
    document.parts = vec![
        Part::Table(table_1(&rows)),
        Part::Table(by_iteration("Table 2: ticket protocol for three processes", of("ticket3"), TABLE_2)),
        Part::Plot(plot_of_iterations("Table 2: states and queries by iteration", of("ticket3"), TABLE_2)),
        Part::Table(by_iteration(
            "Table 3: RAX for exactness alone (it has no end: stopped after 4 iterations)",
            of("RAX"),
            TABLE_3,
        )),
        Part::Table(by_iteration(
            "Section 8.3: RAX with e1 >= 0 and e2 >= 0 given (queries are not listed by iteration: 40)",
            &given,
            RAX_GIVEN,
        )),
        Part::Text(NOTES.trim().to_owned()),
    ];
    Ok(Measured { document, data })
}

const NOTES: &str = "Every verdict above was re-checked. Queries differ by how the prover is used: here what the predicates of a state say
without reasoning is not asked, and conjuncts are asked one by one against the connected predicates only. The models
of bakery and of the driver are not printed in the paper; ticket3-err does not follow from its text.
";

fn search(name: &str, processes: Option<i64>, predicates: &[&str], bound: Duration) -> Result<Outcome, String> {
    let defines: Vec<(String, i64)> = processes.map(|n| ("N".to_owned(), n)).into_iter().collect();
    let program = model(name, &defines, predicates)?;
    let iterations = if name == "rax" { RAX_ITERATIONS } else { 100 };
    let budget = Budget::unlimited().with_timeout(Some(bound)).with_max_iterations(Some(iterations));
    check_program(&program, &ProcessEngine::Alpha(alpha::Config::default()), &budget, true, &mut Silent)
}

fn iterations(outcome: &Outcome) -> &[Value] {
    outcome.stats["per_iteration"].as_array().map_or(&[], Vec::as_slice)
}

fn number(iteration: &Value, key: &str) -> u64 {
    iteration[key].as_u64().unwrap_or(0)
}

/// The cells of table 1 for one run.
fn cells(outcome: &Outcome) -> [String; 5] {
    let all = iterations(outcome);
    let list = |key: &str| all.iter().map(|i| number(i, key).to_string()).collect::<Vec<_>>().join(",");
    let new: usize = all.iter().filter_map(|i| i["new_predicates"].as_array()).map(Vec::len).sum();
    let queries: u64 = all.iter().map(|i| number(i, "queries")).sum();
    [all.len().to_string(), list("concrete_states"), list("abstract_states"), new.to_string(), queries.to_string()]
}

fn table_1(rows: &[(&Line, Outcome)]) -> Table {
    let head = ["example", "iterations", "concrete states", "abstract states", "new predicates", "queries", "verdict"];
    let mut table = Table { last_has_words: true, ..Table::new("Table 1: experimental results", &head) };
    for (line, outcome) in rows {
        let cells = cells(outcome).into_iter().zip(line.paper).map(|(ours, paper)| format!("{ours} ({paper})"));
        let verdict = match outcome.verdict.verdict() {
            clinch_ir::Verdict::Safe(_) => "safe".to_owned(),
            clinch_ir::Verdict::Unsafe(trace) => format!("unsafe, {} states", trace.steps.len() + 1),
            clinch_ir::Verdict::Unknown(reason) => format!("unknown: {reason}"),
        };
        table.rows.push([line.name.to_owned()].into_iter().chain(cells).chain([verdict]).collect());
    }
    table
}

fn by_iteration(title: &str, outcome: &Outcome, paper: Iterations) -> Table {
    let head = ["iteration", "concrete", "abstract", "queries", "cache hits", "new predicates", "(the paper's)"];
    let mut table = Table { words: 0, last_has_words: true, ..Table::new(title, &head) };
    for (i, iteration) in iterations(outcome).iter().enumerate() {
        let (concrete, abstracts, queries, hits, predicates) = paper.get(i).copied().unwrap_or_default();
        let cell = |key: &str, paper: u64| format!("{} ({paper})", number(iteration, key));
        table.rows.push(vec![
            (i + 1).to_string(),
            cell("concrete_states", concrete),
            cell("abstract_states", abstracts),
            cell("queries", queries),
            cell("cache_hits", hits),
            predicates_text(&iteration["new_predicates"]),
            format!("({predicates})"),
        ]);
    }
    table
}

fn plot_of_iterations(title: &str, outcome: &Outcome, paper: Iterations) -> Plot {
    let ours = |name: &str, key: &str| {
        let points = iterations(outcome).iter().enumerate();
        let points = points.map(|(i, iteration)| (i as f64 + 1.0, number(iteration, key) as f64)).collect();
        Series { name: name.to_owned(), points, line: true }
    };
    let theirs = |name: &str, of: fn(&(u64, u64, u64, u64, &str)) -> u64| {
        let points = paper.iter().enumerate().map(|(i, row)| (i as f64 + 1.0, of(row) as f64)).collect();
        Series { name: format!("{name}, the paper's"), points, line: true }
    };
    let series = vec![
        ours("concrete states", "concrete_states"),
        ours("queries", "queries"),
        theirs("concrete states", |row| row.0),
        theirs("queries", |row| row.2),
    ];
    let axes = ("iteration".to_owned(), "states, queries".to_owned());
    Plot { title: title.to_owned(), axes, scales: (Scale::Linear, Scale::Linear), series, diagonal: false }
}
