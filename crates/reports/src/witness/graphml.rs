//! Violation witnesses in GraphML, format 1.0.
//!
//! The format is that of \[Witnesses1\]. The automaton is a
//! path: one edge for each input, with its value, and one to the violation.

use std::fmt::Write as _;

use clinch_checker::Report;

use super::format::written::Location;
use super::plan::hash;
use super::write::{About, Files, data_model, first_run, specification_of, time_text};

/// The keys that the format declares, with the element they belong to.
const KEYS: [(&str, &str, &str); 17] = [
    ("witness-type", "string", "graph"),
    ("sourcecodelang", "string", "graph"),
    ("producer", "string", "graph"),
    ("specification", "string", "graph"),
    ("programfile", "string", "graph"),
    ("programhash", "string", "graph"),
    ("architecture", "string", "graph"),
    ("creationtime", "string", "graph"),
    ("entry", "boolean", "node"),
    ("violation", "boolean", "node"),
    ("startline", "int", "edge"),
    ("startoffset", "int", "edge"),
    ("assumption", "string", "edge"),
    ("assumption.scope", "string", "edge"),
    ("assumption.resultfunction", "string", "edge"),
    ("enterFunction", "string", "edge"),
    ("control", "string", "edge"),
];

/// A violation witness, or why there is none.
pub fn graphml(report: &Report, about: &About<'_>) -> Result<String, String> {
    let run = first_run(report).ok_or("GraphML is for violation witnesses, and no error was found")?;
    let files = Files::read(about)?;
    let (1, Some((name, text))) = (about.sources.len(), files.texts.first()) else {
        return Err("a witness in GraphML is about one file".to_owned());
    };
    let width = if data_model(report.subject) == "ILP32" { "32bit" } else { "64bit" };
    let graph = [
        ("witness-type", "violation_witness".to_owned()),
        ("sourcecodelang", "C".to_owned()),
        ("producer", format!("clinch {}", env!("CARGO_PKG_VERSION"))),
        ("specification", specification_of(run)?),
        ("programfile", name.clone()),
        ("programhash", hash(text)),
        ("architecture", width.to_owned()),
        ("creationtime", time_text(about.time)),
    ];
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n");
    out += "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n";
    for (key, ty, element) in KEYS {
        let _ = writeln!(out, "  <key attr.name=\"{key}\" attr.type=\"{ty}\" for=\"{element}\" id=\"{key}\"/>");
    }
    out += "  <graph edgedefault=\"directed\">\n";
    data(&mut out, 4, &graph);
    let results = files.results(run);
    out += "    <node id=\"N0\">\n";
    data(&mut out, 6, &[("entry", "true".to_owned())]);
    out += "    </node>\n";
    for (number, (location, value)) in results.iter().enumerate() {
        let _ = writeln!(out, "    <node id=\"N{}\"/>", number + 1);
        let called = run.inputs.iter().filter(|input| input.from.ends_with("()")).nth(number);
        let called = called.map(|input| input.from.trim_end_matches("()").to_owned()).unwrap_or_default();
        let assumed = [
            ("assumption", format!("\\result == {value};")),
            ("assumption.scope", location.function.clone().unwrap_or_default()),
            ("assumption.resultfunction", called),
        ];
        edge(&mut out, (number, format!("N{}", number + 1)), location, &assumed);
    }
    out += "    <node id=\"violation\">\n";
    data(&mut out, 6, &[("violation", "true".to_owned())]);
    out += "    </node>\n";
    edge(&mut out, (results.len(), "violation".to_owned()), &files.target(run)?, &[]);
    out += "  </graph>\n</graphml>\n";
    Ok(out)
}

fn edge(out: &mut String, (from, to): (usize, String), location: &Location, more: &[(&str, String)]) {
    let _ = writeln!(out, "    <edge source=\"N{from}\" target=\"{to}\">");
    data(out, 6, &[("startline", location.line.to_string())]);
    data(out, 6, more);
    *out += "    </edge>\n";
}

fn data(out: &mut String, indent: usize, values: &[(&str, String)]) {
    for (key, value) in values {
        let _ = writeln!(out, "{:indent$}<data key=\"{key}\">{}</data>", "", escaped(value));
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
