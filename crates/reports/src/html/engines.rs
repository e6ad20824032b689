//! How the engines spent their time: who ran when, what they counted, and what the one with the verdict searched.

use std::fmt::Write as _;

use clinch_checker::Report;
use clinch_checker::report::{Counted, Drawing, DrawnKind, DrawnNode, Graph, Ran};
use clinch_checker::words;
use serde_json::{Value, json};

/// The width and the height of a plot, in its own units.
const PLOT: (f64, f64) = (200.0, 40.0);

/// In a sentence, who looked for the answer.
pub(super) fn text(report: &Report) -> String {
    let (time, certify) = (report.time.as_secs_f64(), report.certify_time.as_secs_f64());
    let who = match (report.engine.as_str(), answered(report)) {
        ("auto", Some(engine)) => format!("Several engines looked for the answer, and {engine} had it first"),
        ("auto", None) => "Several engines looked for the answer".to_owned(),
        (engine, _) if report.timeline.iter().any(|ran| ran.engine != engine) => {
            format!("Several engines looked for the answer, and {engine} had it first")
        }
        (engine, _) => format!("The engine was {engine}"),
    };
    format!("{who}: {time:.2} s, and {certify:.2} s to re-check it.")
}

/// Who had the answer; in a check of several rounds, in the last of them.
fn answered(report: &Report) -> Option<&str> {
    report.timeline.iter().filter(|ran| ran.found.is_some()).map(|ran| ran.engine.as_str()).next_back()
}

/// A lane for each engine, with its bars in per cent of the whole time, and plots of what it counted.
pub(super) fn timeline(report: &Report) -> Vec<Value> {
    let end = report.timeline.iter().map(|ran| ran.to).max().unwrap_or_default().as_secs_f64().max(1e-3);
    let mut engines: Vec<&str> = Vec::new();
    for ran in &report.timeline {
        if !engines.contains(&ran.engine.as_str()) {
            engines.push(&ran.engine);
        }
    }
    engines.into_iter().map(|engine| lane(report, engine, end)).collect()
}

fn lane(report: &Report, engine: &str, end: f64) -> Value {
    let runs: Vec<&Ran> = report.timeline.iter().filter(|ran| ran.engine == engine).collect();
    let percent = |time: f64| format!("{:.2}", 100.0 * time / end);
    let bars = runs.iter().flat_map(|ran| &ran.stints).map(|(from, to)| {
        let (from, to) = (from.as_secs_f64(), to.as_secs_f64());
        json!({ "left": percent(from), "width": percent((to - from).max(0.0)), "title": format!("{from:.2} s to {to:.2} s") })
    });
    let found = runs.iter().filter_map(|ran| ran.found).map(|found| found.as_secs_f64());
    let found = found.map(|found| json!({ "left": percent(found), "title": format!("verdict at {found:.2} s") }));
    let busy: f64 =
        runs.iter().flat_map(|ran| &ran.stints).map(|(from, to)| to.saturating_sub(*from).as_secs_f64()).sum();
    let plots = KINDS.iter().filter_map(|kind| plot(kind, engine, &runs, end));
    json!({
        "engine": engine,
        "bars": bars.collect::<Vec<_>>(),
        "found": found.collect::<Vec<_>>(),
        "busy": format!("{busy:.2} s"),
        "plots": plots.collect::<Vec<_>>(),
    })
}

/// What is plotted: its name, how it is counted, and what an engine calls it.
struct Kind {
    number: fn(&Counted) -> u64,
    name: fn(&str) -> String,
}

const KINDS: [Kind; 4] = [
    Kind { number: |counted| counted.iterations, name: |engine| plural(words(engine).0) },
    Kind { number: |counted| counted.predicates, name: |_| "predicates".to_owned() },
    Kind { number: |counted| counted.states, name: |engine| words(engine).1.to_owned() },
    Kind { number: |counted| counted.prover_calls, name: |_| "prover calls".to_owned() },
];

fn plural(word: &str) -> String {
    if word == "query" { "queries".to_owned() } else { format!("{word}s") }
}

/// A line for each run of the engine; nothing if it counted nothing.
fn plot(kind: &Kind, engine: &str, runs: &[&Ran], end: f64) -> Option<Value> {
    let numbers = runs.iter().flat_map(|ran| &ran.samples).map(|sample| (kind.number)(&sample.counted));
    let most = numbers.max().filter(|&most| most > 0)?;
    let (width, height) = PLOT;
    let line = |ran: &&Ran| {
        let mut path = String::new();
        let across = |time: f64| width * time / end;
        let mut up = height;
        let _ = write!(path, "M{:.1} {up:.1}", across(ran.from.as_secs_f64()));
        for sample in &ran.samples {
            let next = height * (1.0 - (kind.number)(&sample.counted) as f64 / most as f64);
            // It was so until it was told.
            let _ = write!(path, "L{x:.1} {up:.1}L{x:.1} {next:.1}", x = across(sample.at.as_secs_f64()));
            up = next;
        }
        let _ = write!(path, "L{:.1} {up:.1}", across(ran.to.as_secs_f64()));
        path
    };
    let path = runs.iter().filter(|ran| !ran.samples.is_empty()).map(line).collect::<String>();
    Some(json!({ "name": (kind.name)(engine), "most": in_groups(most), "path": path }))
}

/// A number with its digits in groups of three.
fn in_groups(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// What the engine counted: numbers alone.
pub(super) fn statistics(report: &Report) -> Vec<Value> {
    let Value::Object(stats) = &report.stats else { return Vec::new() };
    let mut rows = Vec::new();
    for (name, value) in stats {
        match value {
            Value::Number(_) => rows.push((name.clone(), number(value))),
            Value::Object(inner) => {
                let inner = inner.iter().filter(|(_, value)| value.is_number());
                rows.extend(inner.map(|(part, value)| (format!("{name}, {part}"), number(value))));
            }
            _ => {}
        }
    }
    rows.into_iter().map(|(name, value)| json!({ "name": name.replace('_', " "), "value": value })).collect()
}

fn number(value: &Value) -> String {
    match (value.as_u64(), value.as_f64()) {
        (Some(number), _) => in_groups(number),
        (None, Some(number)) => format!("{number:.3}"),
        _ => value.to_string(),
    }
}

/// The tree, or the graph with each node below the one that it was found from, as rows, each indented by the number of branchings above it: paths are long, and branchings are few.
pub(super) fn tree(drawing: &Drawing) -> Value {
    let sons = |id: u32| drawing.nodes.iter().filter(move |node| node.parent == Some(id));
    let mut rows: Vec<Value> = Vec::new();
    let mut waiting: Vec<(&DrawnNode, usize)> =
        drawing.nodes.iter().filter(|node| node.parent.is_none()).map(|node| (node, 0)).collect();
    while let Some((node, depth)) = waiting.pop() {
        let kind = match node.kind {
            DrawnKind::Open => "",
            DrawnKind::Covered => "covered",
            DrawnKind::Error => "error",
            DrawnKind::Unmodelled => "no verdict behind it",
            DrawnKind::Removed => "removed",
        };
        rows.push(json!({
            "id": node.id, "from": from(node), "depth": depth.min(24), "place": node.place, "region": node.region, "kind": kind,
            "on_path": node.on_path,
        }));
        let below = depth + usize::from(sons(node.id).count() > 1);
        let first = waiting.len();
        waiting.extend(sons(node.id).map(|son| (son, below)));
        waiting[first..].reverse();
    }
    let (title, about) = titles(drawing.graph);
    json!({ "rows": rows, "left_out": drawing.left_out, "title": title, "about": about, "has_path": drawing.nodes.iter().any(|node| node.on_path) })
}

/// What a node was found from.
fn from(node: &DrawnNode) -> String {
    let nodes: Vec<String> = node.parent.iter().chain(&node.others).map(u32::to_string).collect();
    if nodes.is_empty() { String::new() } else { format!("from {}", nodes.join(", ")) }
}

/// What a drawing shows, and how it is read.
fn titles(graph: Graph) -> (&'static str, &'static str) {
    match graph {
        Graph::Lazy => (
            "The tree of lazy abstraction",
            "Each node stands for the states that its formula describes, at its place. What follows from a covered node follows from others too.",
        ),
        Graph::Cegar => (
            "The last tree of predicate abstraction",
            "Each node stands for the states that its formula describes, at a predicate of the clauses: a location of the program, with its line. \
             What follows from a covered node follows from others too.",
        ),
        Graph::Pushdown => (
            "The witness graph of the pushdown system",
            "Each node stands for states that were new at its place when they were found, by steps, calls and returns from other nodes. A procedure \
             is there once for all its calls. Of the values those are shown that are the same in all these states.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(in_groups), ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]);
    }

    #[test]
    fn trees_become_rows() {
        let node = |id, parent| DrawnNode {
            id,
            parent,
            others: if id == 4 { vec![3] } else { Vec::new() },
            place: format!("at {id}"),
            region: "x = 1".to_owned(),
            predicates: 1,
            kind: DrawnKind::Open,
            on_path: false,
        };
        let nodes = vec![node(0, None), node(1, Some(0)), node(2, Some(1)), node(3, Some(1)), node(4, Some(2))];
        let rows = tree(&Drawing { graph: Graph::Lazy, nodes, left_out: 7 });
        let order = |name: &str| {
            rows["rows"].as_array().expect("rows").iter().map(|row| row[name].as_u64()).collect::<Vec<_>>()
        };
        assert_eq!(order("id"), [0, 1, 2, 4, 3].map(Some));
        assert_eq!(order("depth"), [0, 0, 1, 1, 1].map(Some));
        assert_eq!(rows["left_out"], 7);
        let from: Vec<_> = rows["rows"].as_array().expect("rows").iter().map(|row| row["from"].as_str()).collect();
        assert_eq!(from, ["", "from 0", "from 1", "from 2, 3", "from 1"].map(Some));
    }
}
