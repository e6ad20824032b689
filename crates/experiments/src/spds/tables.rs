//! How the tables are printed: our numbers, the paper's in parentheses.

use clinch_reports::document::{Part, Plot, Scale, Series, Table};

use super::{Experiment, Run};

pub(super) const NOTES: &str = "
Times are in seconds; > is a run that was stopped (--bound). Every verdict was re-checked, which takes no part in the times. The
paper's machine was a Xeon of 2.4 GHz, its numbers of nodes are those of another package, and its programs are not printed in
full: files of table 2 are elements of an array here, and the list of table 4 is a transcription of the textbook's. The last
row of tables 2 and 3 and the right columns of tables 4 to 6 are lazy abstraction on the same program in C, as the paper ran
BLAST; a cycle is one spurious counterexample there, and BLAST's number is that of its reachability iterations.
";

/// What the paper says of a row.
fn paper(table: &str, row: &str) -> &'static [&'static str] {
    let rows: &[(&str, &[&str])] = match table {
        "table 2" => &[
            ("w/o CEGAR", &["460", "440482", "n/a", "n/a", "n/a"]),
            ("weakest", &["0.43", "89936", "14", "13", "6"]),
            ("conciliated", &["0.29", "80738", "10", "10", "7"]),
        ],
        "table 3" => &[
            ("w/o CEGAR", &["25", "1723092", "n/a", "n/a", "n/a"]),
            ("weakest", &["3.0", "556990", "8", "3", "6"]),
            ("conciliated", &["0.1", "44968", "3", "1", "1"]),
            ("strongest", &[">3600", "?", ">100", "?", "?"]),
        ],
        "table 4" => &[
            ("40", &["13", "2.8e6", "23", "5.7e6"]),
            ("50", &["22", "3.3e6", "28", "6.9e6"]),
            ("60", &["36", "3.7e6", "33", "7.8e6"]),
            ("70", &["86", "4.9e6", "31", "9.1e6"]),
            ("80", &["437", "7.0e6", "36", "10.9e6"]),
            ("90", &["1474", "12.1e6", "44", "12.9e6"]),
            ("100", &["4980", "24.8e6", "51", "15.0e6"]),
        ],
        "table 5" => &[
            ("1", &["0.02", "1", "0.7", "44"]),
            ("2", &["0.02", "1", "1.1", "118"]),
            ("3", &["0.02", "1", "2.1", "260"]),
            ("4", &["0.03", "1", "5.0", "542"]),
            ("5", &["0.03", "1", "12.3", "1124"]),
            ("6", &["0.04", "1", "31.5", "2358"]),
            ("7", &["0.05", "1", "86.2", "5012"]),
            ("8", &["0.07", "1", "221.0", "10750"]),
        ],
        _ => &[
            ("1", &["0.02", "1", "0.02", "1", "0.6", "46", "0.8", "69"]),
            ("2", &["0.02", "1", "0.02", "1", "0.8", "70", "1.0", "105"]),
            ("3", &["0.02", "1", "0.02", "1", "1.1", "88", "1.4", "132"]),
            ("4", &["0.02", "1", "0.02", "1", "1.4", "106", "1.8", "159"]),
            ("5", &["0.02", "1", "0.02", "1", "1.5", "124", "3.8", "277"]),
            ("6", &["0.02", "1", "0.02", "1", "1.9", "142", "9.7", "418"]),
            ("7", &["0.02", "1", "0.02", "1", "2.6", "160", "25.7", "583"]),
            ("8", &["0.02", "1", "0.02", "1", "4.0", "178", "77.9", "800"]),
            ("9", &["0.02", "1", "0.02", "1", "6.8", "196", "291.3", "985"]),
        ],
    };
    rows.iter().find(|(name, _)| *name == row).map_or(&[], |(_, numbers)| numbers)
}

/// A table, other widths of the same program, and a plot of times where programs grow.
pub(super) fn parts(name: &str, done: &Experiment) -> Vec<Part> {
    let (title, head, keys): (&str, &[&str], &[&str]) = match name {
        "table 2" => ("locking, 8 bits", DETAILS, DETAIL_KEYS),
        "table 3" => ("equality tracking, 3 bits", DETAILS, DETAIL_KEYS),
        "table 4" => ("linked list", LISTS, &["time", "peak_bdd_nodes"]),
        "table 5" => (
            "DAG example",
            &["n", "with CEGAR", "cycles", "lazy (BLAST)", "cycles", "verdict"],
            &["time", "refinements"],
        ),
        _ => ("level example", LEVELS, &["time", "refinements"]),
    };
    let mut table = Table { last_has_words: true, ..Table::new(format!("[Spds] {name}: {title}"), head) };
    for (label, runs) in done.rows.iter().filter(|(label, _)| !label.ends_with("bits")) {
        let numbers = paper(name, label);
        let mut cells = vec![label.clone()];
        for (i, run) in runs.iter().enumerate() {
            for (j, key) in keys.iter().enumerate() {
                // Lazy abstraction has no decision diagrams: in table 4 its cycles stand there.
                let key = if name == "table 4" && i == 2 && *key != "time" { "refinements" } else { key };
                let own = run.as_ref().map_or("-".to_owned(), |run| cell(run, key));
                cells.push(match numbers.get(i * keys.len() + j) {
                    Some(theirs) => format!("{own} ({theirs})"),
                    None => own,
                });
            }
        }
        table.add(cells, answers(runs));
    }
    let mut parts = vec![Part::Table(table)];
    parts.extend(widths(done).map(Part::Table));
    if keys.len() == 2 {
        parts.push(Part::Plot(times(&format!("Times of {name}: {title}"), name, head, done)));
    }
    parts
}

/// Seconds by size, ours and the paper's.
fn times(title: &str, name: &str, head: &[&str], done: &Experiment) -> Plot {
    let size = |label: &str| label.parse::<f64>().ok();
    let ways = done.rows.iter().map(|(_, runs)| runs.len()).max().unwrap_or(0);
    let mut series = Vec::new();
    for way in 0..ways {
        let called = if head[1 + 2 * way] == "changed" {
            format!("{}, changed", head[2 * way - 1])
        } else {
            head[1 + 2 * way].to_owned()
        };
        let ours = done.rows.iter().filter_map(|(label, runs)| {
            let run = runs.get(way)?.as_ref().filter(|run| !run.late)?;
            Some((size(label)?, run.time.as_secs_f64()))
        });
        series.push(Series { name: called.clone(), points: ours.collect(), line: true });
        let theirs = done
            .rows
            .iter()
            .filter_map(|(label, _)| Some((size(label)?, paper(name, label).get(2 * way)?.parse::<f64>().ok()?)));
        series.push(Series { name: format!("{called}, the paper's"), points: theirs.collect(), line: true });
    }
    let axes = (head[0].to_owned(), "seconds".to_owned());
    Plot { title: title.to_owned(), axes, scales: (Scale::Linear, Scale::Log), series, diagonal: false }
}

const DETAILS: &[&str] = &["", "time", "BDD nodes", "cycles", "global variables", "local variables", "verdict"];
const DETAIL_KEYS: &[&str] = &["time", "peak_bdd_nodes", "refinements", "global_variables", "local_variables"];
const LISTS: &[&str] = &["heap bits", "w/o CEGAR", "nodes", "with CEGAR", "nodes", "lazy (in C)", "cycles", "verdict"];
const LEVELS: &[&str] =
    &["n", "with CEGAR", "cycles", "changed", "cycles", "lazy (BLAST)", "cycles", "changed", "cycles", "verdict"];

/// Other widths of the locking example.
fn widths(done: &Experiment) -> Option<Table> {
    let rows: Vec<_> = done.rows.iter().filter(|(label, _)| label.ends_with("bits")).collect();
    if rows.is_empty() {
        return None;
    }
    let head = ["", "w/o CEGAR", "weakest", "cycles", "conciliated", "cycles", "verdict"];
    let mut table = Table { last_has_words: true, ..Table::new("With other widths: time", &head) };
    for (label, runs) in rows {
        let mut cells = vec![label.clone()];
        for (i, run) in runs.iter().flatten().enumerate() {
            cells.push(cell(run, "time"));
            if i > 0 {
                cells.push(cell(run, "refinements"));
            }
        }
        table.add(cells, answers(runs));
    }
    Some(table)
}

fn cell(run: &Run, key: &str) -> String {
    match key {
        "time" if run.late => format!("> {:.0}", run.time.as_secs_f64()),
        "time" => format!("{:.2}", run.time.as_secs_f64()),
        _ if run.stats[key].is_null() => "n/a".to_owned(),
        _ => run.number(key).to_string(),
    }
}

/// The verdict, if the runs agree; those that were stopped do not count.
fn answers(runs: &[Option<Run>]) -> String {
    let mut found: Vec<&str> = Vec::new();
    for run in runs.iter().flatten().filter(|run| !run.late) {
        if !found.contains(&run.answer.as_str()) {
            found.push(&run.answer);
        }
    }
    found.join("; ")
}
