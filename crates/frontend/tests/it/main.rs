//! Tests of the frontend through its public functions.

mod armc;
mod armc_errors;
mod armc_meaning;
mod boolean;
mod c_apart;
mod c_behaviour;
mod c_corpus;
mod c_errors;
mod c_gnu;
mod c_lowering;
mod c_lowering_corpus;
mod c_meaning;
mod c_program;
mod c_wellformed;
mod chc;
mod chc_bits;
mod chc_corpus;
mod chc_evidence;
mod chc_robustness;
mod corpus;
mod documents;
mod dve_errors;
mod gcl_errors;
mod lowering;
mod rem;
mod rem_errors;
mod robustness;
mod round_trip;

use clinch_frontend::{Diagnostics, Language, Options, parse};
use clinch_ir::{InputDomain, Interpreter, Program, State};
use indexmap::IndexSet;
use proptest::prelude::{Strategy, any, prop};
use proptest::sample::Index;

fn read(language: Language, text: &str, options: &Options) -> Result<Program, Diagnostics> {
    parse(language, "model", text.as_bytes(), options)
}

fn read_ok(language: Language, text: &str) -> Program {
    read(language, text, &Options::default()).unwrap_or_else(|d| panic!("{}", d.render(false)))
}

fn problems(language: Language, bytes: &[u8], options: &Options) -> String {
    shown(&parse(language, "model", bytes, options).expect_err("the model is wrong"))
}

/// The diagnostics as `line:column: message`, and that each report begins with its place and message.
fn shown(diagnostics: &Diagnostics) -> String {
    let mut lines = Vec::new();
    for diagnostic in diagnostics {
        let first = diagnostic.to_string();
        let report = diagnostic.render(false);
        assert_eq!(report.lines().next().map(str::trim_end), Some(first.as_str()), "{report}");
        assert!(report.len() < 5000, "a report of {} bytes", report.len());
        let shown = first.replace(": error: ", ": ");
        lines.push(shown.strip_prefix("model:").unwrap_or(&shown).to_owned());
    }
    lines.join("\n")
}

/// Checks the diagnostics of a wrong model.
fn check(language: Language, text: &str, expected: &str) {
    assert_eq!(problems(language, text.as_bytes(), &Options::default()), expected, "for {text:?}");
}

/// Where something is replaced, inserted or removed, and by what.
type Edit = (Index, Index, u8);

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    prop::collection::vec((any::<Index>(), any::<Index>(), 0..3_u8), 1..6)
}

fn mutated_bytes(text: &str, edits: Vec<Edit>) -> Vec<u8> {
    let all: Vec<u8> = (0..=u8::MAX).collect();
    mutated(text.as_bytes().to_vec(), &all, edits)
}

/// Words are replaced by others of the text.
fn mutated_words(text: &str, edits: Vec<Edit>) -> String {
    let words: Vec<&str> = text.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
    mutated(words.clone(), &words, edits).concat()
}

fn mutated<T: Copy>(mut parts: Vec<T>, others: &[T], edits: Vec<Edit>) -> Vec<T> {
    for (at, from, kind) in edits {
        let (at, other) = (at.index(parts.len()), others[from.index(others.len())]);
        match kind {
            0 => parts[at] = other,
            1 => parts.insert(at, other),
            _ => drop(parts.remove(at)),
        }
    }
    parts
}

/// The reachable states, and the number of transitions between them.
fn explore(program: &Program) -> (IndexSet<State>, usize) {
    let interpreter = Interpreter::new(program);
    let mut states: IndexSet<State> = IndexSet::new();
    interpreter.for_each_initial(InputDomain::default(), |s| {
        states.insert(s);
    });
    let (mut next, mut transitions) = (0, 0);
    while let Some(state) = states.get_index(next).cloned() {
        next += 1;
        for id in program.transition_ids() {
            if let Some(successor) = interpreter.fire(&state, id, &[]).expect("no faults in these models") {
                transitions += 1;
                states.insert(successor);
            }
        }
    }
    (states, transitions)
}
