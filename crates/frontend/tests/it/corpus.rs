//! The BEEM models, where they are at hand: all are read, and the small ones have the recorded size.

use std::fs;
use std::path::PathBuf;

use clinch_frontend::{Language, Options, parse};
use clinch_ir::Program;

use crate::explore;

fn corpus() -> Option<PathBuf> {
    let dir = clinch_testing::package().join("../../../shared/corpus/dve");
    dir.join("models").is_dir().then_some(dir)
}

fn load(dir: &std::path::Path, file: &str, options: &Options) -> Option<Program> {
    let bytes = fs::read(dir.join("models").join(file)).ok()?;
    Some(parse(Language::Dve, file, &bytes, options).unwrap_or_else(|d| panic!("{}", d.render(false))))
}

#[test]
fn all_models_are_read() {
    let Some(dir) = corpus() else { return };
    for entry in fs::read_dir(dir.join("models")).expect("models") {
        let name = entry.expect("entry").file_name().into_string().expect("plain name");
        if name.ends_with(".dve") {
            let program = load(&dir, &name, &Options::default()).expect("it exists");
            assert!(!program.transitions.is_empty(), "{name}");
        }
    }
}

#[test]
fn all_goals_are_read() {
    let Some(dir) = corpus() else { return };
    let goals = fs::read_to_string(dir.join("goals.tsv")).expect("goals");
    for line in goals.lines().skip(1) {
        let mut fields = line.split('\t');
        let (file, goal) = (fields.next().expect("file"), fields.nth(1).expect("expression"));
        let options = Options { error: Some(goal.to_owned()), ..Options::default() };
        if let Some(program) = load(&dir, file, &options) {
            assert!(program.property.error.is_some(), "{file}: {goal}");
        }
    }
}

#[test]
fn small_models_have_the_recorded_size() {
    let Some(dir) = corpus() else { return };
    let index = fs::read_to_string(dir.join("index.csv")).expect("index");
    let mut checked = 0;
    for line in index.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (Ok(states), Ok(transitions)) = (fields[1].parse::<usize>(), fields[3].parse::<usize>()) else { continue };
        if states > 3000 {
            continue;
        }
        let Some(program) = load(&dir, fields[0], &Options::default()) else { continue };
        let (reached, steps) = explore(&program);
        assert_eq!((reached.len(), steps), (states, transitions), "{}", fields[0]);
        checked += 1;
    }
    assert!(checked > 0);
}
