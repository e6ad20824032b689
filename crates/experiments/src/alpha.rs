//! Tables 1 to 3 of \[Alpha\].

use std::fmt::Write as _;
use std::time::Duration;

use clinch_checker::engines::ProcessEngine;
use clinch_checker::report::predicates_text;
use clinch_checker::{Outcome, check_program};
use clinch_engine::{Budget, Silent, alpha};
use serde_json::{Value, json};

use super::model;
use crate::Request;

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
pub(super) fn run(request: &Request) -> Result<String, String> {
    let mut rows = Vec::new();
    for line in TABLE_1 {
        rows.push((line, search(line.model, line.processes, &[], request.bound)?));
    }
    let of = |name: &str| &rows.iter().find(|(line, _)| line.name == name).expect("a line of table 1").1;
    let given = search("rax", None, &["e1 >= 0", "e2 >= 0"], request.bound)?;
    if request.json {
        let runs = rows.iter().map(|(line, outcome)| (line.name, outcome)).chain([("RAX given", &given)]);
        let runs: Vec<Value> = runs.map(|(name, o)| json!({ "name": name, "stats": o.stats })).collect();
        return Ok(Value::from(runs).to_string());
    }
    let mut out = String::from("[Alpha] table 1: experimental results (the paper's numbers in parentheses)\n\n");
    push_table_1(&mut out, &rows);
    out.push_str("\n[Alpha] table 2: ticket protocol for three processes\n\n");
    push_iterations(&mut out, of("ticket3"), TABLE_2);
    out.push_str("\n[Alpha] table 3: RAX for exactness alone (it has no end: stopped after 4 iterations)\n\n");
    push_iterations(&mut out, of("RAX"), TABLE_3);
    out.push_str(
        "\n[Alpha] section 8.3: RAX with e1 >= 0 and e2 >= 0 given (queries are not listed by iteration: 40)\n\n",
    );
    push_iterations(&mut out, &given, RAX_GIVEN);
    out.push_str(NOTES);
    Ok(out.trim_end().to_owned())
}

const NOTES: &str = "
Every verdict above was re-checked. Queries differ by how the prover is used: here what the predicates of a state say
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

fn push_table_1(out: &mut String, rows: &[(&Line, Outcome)]) {
    let head = ["iterations", "concrete states", "abstract states", "new predicates", "queries"];
    let _ = writeln!(
        out,
        "{:<12} {:<10} {:<32} {:<32} {:<15} {:<12} verdict",
        "example", head[0], head[1], head[2], head[3], head[4]
    );
    for (line, outcome) in rows {
        let ours = cells(outcome);
        let cell = |i: usize| format!("{} ({})", ours[i], line.paper[i]);
        let verdict = match outcome.verdict.verdict() {
            clinch_ir::Verdict::Safe(_) => "safe".to_owned(),
            clinch_ir::Verdict::Unsafe(trace) => format!("unsafe, {} states", trace.steps.len() + 1),
            clinch_ir::Verdict::Unknown(reason) => format!("unknown: {reason}"),
        };
        let _ = writeln!(
            out,
            "{:<12} {:<10} {:<32} {:<32} {:<15} {:<12} {verdict}",
            line.name,
            cell(0),
            cell(1),
            cell(2),
            cell(3),
            cell(4)
        );
    }
}

fn push_iterations(out: &mut String, outcome: &Outcome, paper: Iterations) {
    let _ = writeln!(out, "iteration  concrete     abstract   queries      cache hits   new predicates");
    for (i, iteration) in iterations(outcome).iter().enumerate() {
        let (concrete, abstracts, queries, hits, predicates) = paper.get(i).copied().unwrap_or_default();
        let cell = |key: &str, paper: u64| format!("{} ({paper})", number(iteration, key));
        let _ = writeln!(
            out,
            "{:>9}  {:<12} {:<10} {:<12} {:<12} {}\n{:>61}({predicates})",
            i + 1,
            cell("concrete_states", concrete),
            cell("abstract_states", abstracts),
            cell("queries", queries),
            cell("cache_hits", hits),
            predicates_text(&iteration["new_predicates"]),
            "",
        );
    }
}
