//! BEEM models with known answers, where the corpus is there (`../shared/corpus/dve` beside the workspace, or `CLINCH_DVE`).

use std::path::PathBuf;

use crate::{check_json, root};

/// Larger models are for `make bench` and for the corpus' own scripts.
const STATES: u64 = 60_000;

fn corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("CLINCH_DVE").map_or_else(|| root().join("../shared/corpus/dve"), PathBuf::from);
    folder.join("index.csv").exists().then_some(folder)
}

/// The columns of a line with these names. No field of these files holds a separator inside quotes.
fn table(text: &str, separator: char, columns: &[&str]) -> Vec<Vec<String>> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(separator).collect();
    let position = |c: &&str| header.iter().position(|h| h == c).expect("a known column");
    let positions: Vec<usize> = columns.iter().map(position).collect();
    let cells = |line: &str| -> Vec<String> {
        let all: Vec<&str> = line.split(separator).collect();
        positions.iter().map(|&p| all.get(p).copied().unwrap_or_default().to_owned()).collect()
    };
    lines.map(cells).collect()
}

/// File, states and transitions of the models that are small enough.
fn small_models(corpus: &std::path::Path) -> Vec<(String, u64, String)> {
    let text = std::fs::read_to_string(corpus.join("index.csv")).expect("readable");
    let rows = table(&text, ',', &["file", "expected_states", "expected_transitions"]);
    rows.into_iter()
        .filter_map(|row| Some((row[0].clone(), row[1].parse().ok().filter(|&n| n <= STATES)?, row[2].clone())))
        .collect()
}

#[test]
fn explicit_counts_states_and_transitions() {
    let Some(corpus) = corpus() else { return };
    for (file, states, transitions) in small_models(&corpus) {
        let path = corpus.join("models").join(&file).display().to_string();
        // Without a property there is no verdict, but all states are counted.
        let (code, object) = check_json(&path, &["--engine", "explicit"]);
        assert_eq!((code, &object["certified"]), (2, &true.into()), "{file}");
        assert_eq!(object["stats"]["states"], states, "{file}");
        assert_eq!(object["stats"]["transitions"].to_string(), transitions, "{file}");
    }
}

#[test]
fn goals_have_the_right_verdict_and_shortest_length() {
    let Some(corpus) = corpus() else { return };
    let small: Vec<String> = small_models(&corpus).into_iter().map(|m| m.0).collect();
    let text = std::fs::read_to_string(corpus.join("goals.tsv")).expect("readable");
    let columns = ["file", "expression", "reachable", "beem_length", "status"];
    let mut checked = 0;
    for row in table(&text, '\t', &columns) {
        let [file, expression, reachable, length, status] = row.try_into().expect("five columns");
        if status != "agree" || !small.contains(&file) {
            continue;
        }
        checked += 1;
        let path = corpus.join("models").join(&file).display().to_string();
        let expected = i32::from(reachable == "yes");
        let (code, object) = check_json(&path, &["--engine", "explicit", "--error", &expression]);
        assert_eq!(code, expected, "{file} {expression}");
        if let Ok(length) = length.parse::<usize>() {
            assert_eq!(object["trace"].as_array().map(Vec::len), Some(length), "{file} {expression}");
        }
        let (code, _) = check_json(&path, &["--engine", "split", "--error", &expression, "--timeout", "500ms"]);
        assert!(code == expected || code == 2, "split: {file} {expression}");
        let (code, _) = check_json(&path, &["--engine", "alpha", "--error", &expression, "--timeout", "300ms"]);
        assert!(code == expected || code == 2, "alpha: {file} {expression}");
    }
    assert!(checked > 0, "goals.tsv has goals for small models");
}
